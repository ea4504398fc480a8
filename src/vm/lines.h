/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_LINES_H
#define TALLY_VM_LINES_H

/* Collects the lines of a stream, of which a read returns any part. */

#include <stdbool.h>
#include <stddef.h>

struct vm_line {
    char text[1024]; /* a longer line is cut */
    size_t used;
};

/* Adds a character. Returns whether it ends the line, which is then in `text` without a newline
 * until the next call. */
bool vm_line_add(struct vm_line *line, char character);

#endif
