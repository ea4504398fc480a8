/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_ANSWER_H
#define TALLY_STORE_ANSWER_H

#include "base/buffer.h"
#include "store/store.h"

/* Reads what ClickHouse answers, in the format TabSeparatedWithNamesAndTypes, in pieces of any
 * size. Nothing in it is trusted. Memory is that of the longest row. */

#define ANSWER_COLUMNS_MAX 256
#define ANSWER_ROW_MAX     (64u << 20) /* bytes of a row, unescaped */

enum answer_type { ANSWER_INTEGER, ANSWER_REAL, ANSWER_TEXT };

struct answer {
    const struct store_query *query;
    struct buffer names; /* texts with a NUL each */
    struct buffer row;   /* cells of the line that is being read, with a NUL each */
    size_t ends[ANSWER_COLUMNS_MAX];
    bool nulls[ANSWER_COLUMNS_MAX];
    enum answer_type types[ANSWER_COLUMNS_MAX];
    const char *column_names[ANSWER_COLUMNS_MAX];
    size_t columns;
    size_t cells; /* complete ones of this line */
    size_t lines; /* before this one */
    bool escaped; /* the last character was a backslash */
    bool is_null; /* the cell is \N so far */
    size_t start; /* of the cell in `row` */
};

void answer_init(struct answer *answer, const struct store_query *query);
void answer_fini(struct answer *answer);

/* Return 0, the value with which a callback of the query has stopped, or an error. */
int answer_add(struct answer *answer, const char *bytes, size_t size, struct tally_error *error);
int answer_end(struct answer *answer, struct tally_error *error);

#endif
