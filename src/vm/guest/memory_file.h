/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_MEMORY_FILE_H
#define TALLY_VM_GUEST_MEMORY_FILE_H

#include <stddef.h>

#include <tally/error.h>

/*
 * Makes a file in memory that disappears with its last descriptor, so that no way in which a
 * program ends can leave it behind. Its offset is at the start. Returns a close-on-exec descriptor,
 * or a negative errno with a message.
 */
int memory_file(const char *name, const void *bytes, size_t size, struct tally_error *error);

#endif
