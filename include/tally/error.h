/* SPDX-License-Identifier: MIT */
#ifndef TALLY_ERROR_H
#define TALLY_ERROR_H

/*
 * Error messages.
 *
 * A function that can fail returns 0 (or a count) on success and a negative errno on failure. Many
 * also take a `struct tally_error *` for a message to the user, which may be NULL. On failure it is
 * set to one line without a newline: what is wrong, where (file offset, line, register), and what
 * was expected. On success it is not changed.
 *
 * The struct is plain data that owns nothing: initialise it with {0}; it may be copied and kept.
 * Two threads must not write one struct at the same time.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct tally_error {
    int code;          /* negative errno, same as the return value; 0: no error */
    char message[252]; /* one line of UTF-8, NUL terminated, truncated if it is too long */
};

#ifdef __cplusplus
}
#endif

#endif
