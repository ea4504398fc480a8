/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_GUEST_UNPACK_H
#define TALLY_VM_GUEST_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "base/buffer.h"

/*
 * Unpacks kernels and modules with the programs of the machine: xz, gzip, zstd, ... The format is
 * recognized by the first bytes.
 */

/* Whether the bytes begin as a packed file does. */
bool unpack_is_packed(const void *bytes, size_t size);

/* Appends the unpacked bytes to `out`. `name` is for messages. Returns 0; -EBADMSG: the bytes are
 * malformed, or not packed; -ENOENT: the program is missing (the message names its package). */
int unpack(const char *name, const void *bytes, size_t size, struct buffer *out,
           struct tally_error *error);

#endif
