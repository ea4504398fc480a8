/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_IMPORT_LINES_H
#define TALLY_STORE_IMPORT_LINES_H

#include "store/import.h"

/* Cuts the pieces of a file into lines. */
#define IMPORT_LINE_MAX 16384

struct import_lines {
    char line[IMPORT_LINE_MAX + 1];
    size_t size;
    uint64_t number; /* of the line, from 1 */
};

typedef int import_line_function(struct import *import, char *line, struct tally_error *error);

/* Calls `take` for each line that ends in this piece, without its end. Errors are -EBADMSG with the
 * line. */
int import_lines_take(struct import *import, struct import_lines *lines, const char *bytes,
                      size_t size, import_line_function *take, struct tally_error *error);

/* Returns whether a part of a line is left. */
bool import_lines_left(const struct import_lines *lines);

#endif
