/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_ROWS_H
#define TALLY_CLI_ROWS_H

#include "base/buffer.h"
#include "cli/cli.h"
#include "sink/sink.h"
#include "store/store.h"

/* Writes the rows of a query as a table, CSV or JSON Lines. */
struct rows {
    struct output *output;
    const struct sink *sink;
    const char *const *names;
    size_t count; /* of columns */
    /* Tables: the cells of the first rows, which determine the widths of the columns. */
    struct buffer cells; /* texts with a NUL each */
    size_t *widths;
    bool *are_numbers;
    size_t held; /* rows in `cells` */
    bool shown;  /* the held rows have been written */
};

/* As store_query(). */
typedef int query_function(void *database, const char *sql, const struct store_query *query,
                           struct tally_error *error);

/* Runs a query and writes its rows in the format of --format to --output. Prints errors; returns an
 * exit code. */
int write_query(const struct arguments *arguments, query_function *run, void *database,
                const char *sql);

/* The same on a store that is a file. */
int write_store_query(const struct arguments *arguments, struct store *store, const char *sql);

#endif
