/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_OPTIONS_H
#define TALLY_BASE_OPTIONS_H

#include <stddef.h>

#include <tally/error.h>

/*
 * Copies a caller's option struct, which begins with `size_t size`, the caller's sizeof. `to` has
 * `known` bytes, the size of the struct in this build of the library; its `size` is set to `known`.
 *
 * A shorter struct comes from a program built with an older header: missing options become zero. A
 * longer one comes from a newer header: options unknown to this library must be zero. `from` may be
 * NULL: all options are zero.
 *
 * Returns 0; -EINVAL: the size is smaller than the size field itself; -E2BIG: an unknown option is
 * set. `name` is the name of the struct, for messages.
 */
int options_copy(void *to, size_t known, const void *from, const char *name,
                 struct tally_error *error);

#endif
