/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_DURATION_H
#define TALLY_BASE_DURATION_H

#include <stddef.h>
#include <stdint.h>

/* Formats nanoseconds in the largest unit in which the value is at least 1: "81.92 us". 24 bytes
 * are enough. Returns `text`. */
const char *duration_text(uint64_t ns, char *text, size_t size);

#endif
