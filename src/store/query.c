/* SPDX-License-Identifier: MIT */
/* Queries and removal. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "store/database.h"

#define COLUMNS_MAX 256

/* Allows what only reads this database. */
static int authorize(void *closure, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
    static const int allowed[] = {SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_RECURSIVE};
    (void)closure, (void)first, (void)second, (void)database, (void)trigger;
    for (size_t i = 0; i < ARRAY_COUNT(allowed); i++)
        if (action == allowed[i])
            return SQLITE_OK;
    return SQLITE_DENY;
}

static struct store_value value_of(sqlite3_stmt *statement, int column)
{
    struct store_value value = {.type = STORE_NULL};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        value.type = STORE_INTEGER;
        value.integer = sqlite3_column_int64(statement, column);
        break;
    case SQLITE_FLOAT:
        value.type = STORE_REAL;
        value.real = sqlite3_column_double(statement, column);
        break;
    case SQLITE_TEXT:
        value.type = STORE_TEXT;
        value.text = (const char *)sqlite3_column_text(statement, column);
        value.size = (size_t)sqlite3_column_bytes(statement, column);
        break;
    case SQLITE_BLOB:
        value.type = STORE_BLOB;
        value.blob = sqlite3_column_blob(statement, column);
        value.size = (size_t)sqlite3_column_bytes(statement, column);
        break;
    default:
        break;
    }
    return value;
}

/* Delivers the rows of a statement. */
static int deliver(struct store *store, sqlite3_stmt *statement, const struct store_query *query,
                   struct tally_error *error)
{
    const char *names[COLUMNS_MAX];
    struct store_value values[COLUMNS_MAX];
    size_t count = (size_t)sqlite3_column_count(statement);
    int step;
    if (count > COLUMNS_MAX)
        return fail(error, -EINVAL, "%zu columns, expected at most %d", count, COLUMNS_MAX);
    /* The first row before the names: an error then leaves nothing behind. */
    step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, error);
    for (size_t i = 0; i < count; i++)
        names[i] = sqlite3_column_name(statement, (int)i);
    for (size_t i = 0; i < count; i++)
        if (!names[i])
            return fail_memory(error, "the names of columns");
    int result = query->begin(query->closure, names, count);
    for (; !result && step == SQLITE_ROW; step = sqlite3_step(statement)) {
        for (size_t i = 0; i < count; i++)
            values[i] = value_of(statement, (int)i);
        result = query->row(query->closure, values, count);
    }
    return result || step == SQLITE_DONE ? result : store_fail(store, error);
}

int store_query(struct store *store, const char *sql, const struct store_query *query,
                struct tally_error *error)
{
    sqlite3_stmt *statement = NULL;
    const char *rest;
    sqlite3_set_authorizer(store->db, authorize, NULL);
    int result = 0;
    if (sqlite3_prepare_v3(store->db, sql, -1, 0, &statement, &rest) != SQLITE_OK)
        result = store_fail(store, error);
    while (!result && (isspace((unsigned char)*rest) || *rest == ';'))
        rest++;
    if (!result && !statement)
        result = fail(error, -EINVAL, "query: no statement, expected SELECT ...");
    if (!result && *rest)
        result = fail(error, -EINVAL, "query: more than one statement, at \"%.40s\"", rest);
    if (!result)
        result = deliver(store, statement, query, error);
    if (result == -EPERM)
        fail(error, -EPERM, "query: only SELECT is allowed, which reads this store");
    sqlite3_finalize(statement);
    sqlite3_set_authorizer(store->db, NULL, NULL);
    return result;
}

int store_remove(struct store *store, int64_t id, struct tally_error *error)
{
    char sql[128];
    int64_t found;
    int result = store_run(store, "BEGIN IMMEDIATE", error);
    if (result < 0)
        return result;
    result =
        store_get(store, "DELETE FROM recordings WHERE id = ? RETURNING id", id, &found, error);
    if (!result)
        result = fail(error, -ENOENT,
                      "%s: the store has no recording %" PRId64 " (see tally store list %s)",
                      store->path, id, store->path);
    result = result > 0 ? 0 : result;
    for (size_t i = 0; !result && i < store_part_count; i++) {
        snprintf(sql, sizeof sql, "DELETE FROM %s WHERE recording = %" PRId64, store_parts[i], id);
        result = store_run(store, sql, error);
    }
    if (!result)
        result = store_run(store, "COMMIT", error);
    if (result < 0)
        store_run(store, "ROLLBACK", NULL);
    return result;
}
