/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_WHOLE_H
#define TALLY_BASE_WHOLE_H

#include <stddef.h>

/* Writes all bytes: continues after signals and short writes. *done is the number of bytes that
 * were written, also after a failure. Returns 0 or a negative errno. */
int write_whole(int fd, const void *bytes, size_t size, size_t *done);

#endif
