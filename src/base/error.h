/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_ERROR_H
#define TALLY_BASE_ERROR_H

#include <stdbool.h>

#include <tally/error.h>

/* Sets *error, which may be NULL, and returns `code`: callers can `return fail(...)`. Control
 * characters in the message are escaped (base/escape.h), so it is one line whatever it quotes. */
__attribute__((format(printf, 3, 4))) int fail(struct tally_error *error, int code,
                                               const char *format, ...);

/* Prefixes the existing message with "prefix: ". Returns error->code. */
__attribute__((format(printf, 2, 3))) int fail_in(struct tally_error *error, const char *format,
                                                  ...);

/* Returns whether an errno of opening or reading a file of a search path means that there is no
 * file for this user, so that the search continues. Other errors end it: the file may be the wanted
 * one. */
bool is_absent(int error);

/* fail() for a failed allocation: -ENOMEM and a message that names its purpose. */
int fail_memory(struct tally_error *error, const char *what);

#endif
