/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_DATABASE_H
#define TALLY_STORE_DATABASE_H

#include <sqlite3.h>

#include "store/store.h"

/* What the files of this module share: the database, and statements. */
struct store {
    sqlite3 *db;
    char *path;
};

/* Fails with the latest message of the database. */
int store_fail(const struct store *store, struct tally_error *error);

/* Runs statements without parameters and results. */
int store_run(struct store *store, const char *sql, struct tally_error *error);

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **out,
                  struct tally_error *error);

/* Runs a statement that has at most one row, with its first column, an integer, in *value. Returns
 * 1, 0 if there is no row, or an error. */
int store_get(struct store *store, const char *sql, int64_t parameter, int64_t *value,
              struct tally_error *error);

/* Same for a text, cut to `size`, which is empty if the column has none. */
int store_get_text(struct store *store, const char *sql, int64_t parameter, char *text, size_t size,
                   struct tally_error *error);

/* An object of the schema (schema.c). */
struct store_object {
    const char *name;
    const char *sql;
};
extern const struct store_object store_objects[];
extern const size_t store_object_count;

/* Tables with rows of a recording, which their column `recording` names. */
extern const char *const store_parts[];
extern const size_t store_part_count;

#define STORE_APPLICATION 0x54414c59 /* "TALY" */
#define STORE_VERSION     1

#endif
