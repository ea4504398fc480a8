/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_UUID_H
#define TALLY_BASE_UUID_H

#include <stdbool.h>
#include <stddef.h>

/* Length of a UUID's text without NUL; the name is the kernel's. */
#define UUID_STRING_LEN 36

/* Returns whether `length` characters are a UUID such as 403d8832-1a27-4aa6-a64e-f5389ce7b212, with
 * hexadecimal digits of either case. The text need not end in a NUL. */
bool is_uuid(const char *text, size_t length);

#endif
