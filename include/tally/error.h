/* SPDX-License-Identifier: MIT */
#ifndef TALLY_ERROR_H
#define TALLY_ERROR_H

/*
 * Errors for people.
 *
 * A function that can fail returns 0 (or a count) on success and a negative errno on failure.
 * Where a person will read the reason it also takes a `struct tally_error *`, which may be NULL.
 * On failure the struct then holds one line without a newline: what is wrong, where (file offset,
 * line, register), and what was expected. On success it is left as it was.
 *
 * The struct is plain data: initialise it with {0}, copy it, keep it as long as you like. It owns
 * nothing. One struct must not be written by two threads at once.
 */

#ifdef __cplusplus
extern "C" {
#endif

struct tally_error {
    int code;          /* negative errno, the value that the function returned; 0: no error */
    char message[252]; /* one line of UTF-8, NUL terminated, cut at the end if it is too long */
};

#ifdef __cplusplus
}
#endif

#endif
