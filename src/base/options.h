/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_OPTIONS_H
#define TALLY_BASE_OPTIONS_H

#include <stddef.h>

#include <tally/error.h>

/*
 * Copies a caller's option struct, which begins with `size_t size`, the caller's sizeof. `to` has
 * `known` bytes, its size as this library was built; its own `size` becomes `known`.
 *
 * A shorter struct is an older program's: the options that it lacks become zero. A longer one is a
 * newer program's: options that this library does not know must be zero. `from` may be NULL: all
 * options are zero.
 *
 * Returns 0; -EINVAL: the size is smaller than the size field itself; -E2BIG: an unknown option is
 * set. `name` is the struct's, for messages.
 */
int options_copy(void *to, size_t known, const void *from, const char *name,
                 struct tally_error *error);

#endif
