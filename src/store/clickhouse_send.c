/* SPDX-License-Identifier: MIT */
/*
 * Sends the rows of an SQLite store with one recording to ClickHouse. Tables and columns are those
 * of schema.c: the type of a column in ClickHouse follows from its type there.
 *
 * All rows have the id of the recording, which is a part of the hash of its bytes, and the number
 * of the attempt, which no other attempt has. The row of `recordings` is sent last: rows of an
 * attempt without it do not count.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/bits.h"
#include "base/error.h"
#include "store/clickhouse.h"
#include "store/column.h"
#include "store/database.h"
#include "store/hash.h"

/* What is inserted at once, by which it is a block of the server, which is there or not. */
#define INSERT_BYTES (8u << 20)
#define INSERT_ROWS  65536

#define COLUMNS_MAX 32
#define FORMAT      1 /* of store.sql */

/* Recordings whose hashes begin with the same bits have the next ids. */
#define SAME_ID_MAX 16

/* Tables whose ids are those of SQLite, and become hashes of their rows. */
static const struct shared_table {
    const char *table, *reference; /* the column of other tables that refers to it */
} shared_tables[] = {{"devices", "device"}, {"sets", "metric_set"}, {"counters", "counter"}};

struct id_pair {
    int64_t from, to;
};

struct ids {
    struct id_pair *pairs;
    size_t count, capacity;
};

enum column_kind { COLUMN_INTEGER, COLUMN_REAL, COLUMN_ANY, COLUMN_TEXT, COLUMN_BLOB };

struct column {
    char name[64];
    enum column_kind kind;
    bool nullable;
    bool is_id;            /* of this table */
    bool is_recording;     /* of the recording */
    const struct ids *ids; /* that it refers to, or NULL */
};

struct sending {
    struct clickhouse *clickhouse;
    struct store *store;
    int64_t recording, attempt;
    unsigned day; /* since 1970, of the recording; 0: unknown */
    struct ids ids[ARRAY_COUNT(shared_tables)];
    struct column columns[COLUMNS_MAX];
    size_t column_count;
    struct buffer rows;
    size_t row_count;
};

/* ---- rows, as RowBinary ---------------------------------------------------------------------- */

static void put_integer(struct buffer *to, int64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, (uint64_t)value);
    buffer_append(to, bytes, sizeof bytes);
}

static void put_real(struct buffer *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_integer(to, (int64_t)bits);
}

static void put_bytes(struct buffer *to, const void *bytes, size_t size)
{
    uint8_t length[10];
    buffer_append(to, length, (size_t)(varint_put(length, size) - length));
    buffer_append(to, bytes, size);
}

static void put_null(struct buffer *to, bool is_null)
{
    buffer_char(to, is_null);
}

/* ---- columns --------------------------------------------------------------------------------- */

static const struct ids *find_ids(const struct sending *sending, const char *table,
                                  const char *column)
{
    for (size_t i = 0; i < ARRAY_COUNT(shared_tables); i++)
        if (!strcmp(column, shared_tables[i].reference) &&
            strcmp(table, shared_tables[i].table) != 0)
            return &sending->ids[i];
    return NULL;
}

static bool find_kind(const char *type, enum column_kind *kind)
{
    static const char *const names[] = {[COLUMN_INTEGER] = "INTEGER",
                                        [COLUMN_REAL] = "REAL",
                                        [COLUMN_ANY] = "ANY",
                                        [COLUMN_TEXT] = "TEXT",
                                        [COLUMN_BLOB] = "BLOB"};
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (!strcmp(type, names[i])) {
            *kind = (enum column_kind)i;
            return true;
        }
    return false;
}

/* Reads the columns of a table of the SQLite store. */
static int read_columns(struct sending *sending, const char *table, struct tally_error *error)
{
    sqlite3_stmt *statement;
    int step, result = store_prepare(
                  sending->store, "SELECT name, type, \"notnull\" OR pk FROM pragma_table_info(?)",
                  &statement, error);
    if (result < 0)
        return result;
    sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    sending->column_count = 0;
    while (!result && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct column column = {0};
        snprintf(column.name, sizeof column.name, "%s",
                 (const char *)sqlite3_column_text(statement, 0));
        if (sending->column_count == COLUMNS_MAX ||
            !find_kind((const char *)sqlite3_column_text(statement, 1), &column.kind))
            result =
                fail(error, -ENOTSUP, "column %s of %s has a type that ClickHouse does not have",
                     column.name, table);
        column.nullable = !sqlite3_column_int(statement, 2);
        column.is_id = !strcmp(column.name, "id");
        column.is_recording =
            !strcmp(column.name, "recording") || (column.is_id && !strcmp(table, "recordings"));
        column.ids = find_ids(sending, table, column.name);
        if (!result)
            sending->columns[sending->column_count++] = column;
    }
    if (!result && step != SQLITE_DONE)
        result = store_fail(sending->store, error);
    sqlite3_finalize(statement);
    return result;
}

/* ---- ids ------------------------------------------------------------------------------------- */

/* Adds the id of a row of a table that recordings share: a hash of the row without its id. */
static int add_id(struct sending *sending, struct ids *ids, int64_t from, size_t start, int64_t *to,
                  struct tally_error *error)
{
    struct hash hash;
    uint64_t digest[2];
    struct id_pair *grown = array_grow(ids->pairs, &ids->capacity, ids->count, sizeof *grown);
    if (!grown || sending->rows.broken)
        return fail_memory(error, "ids");
    hash_init(&hash);
    hash_add(&hash, (const uint8_t *)sending->rows.bytes + start, sending->rows.size - start);
    hash_finish(&hash, digest);
    *to = (int64_t)(digest[0] & INT64_MAX);
    ids->pairs = grown;
    ids->pairs[ids->count++] = (struct id_pair){from, *to};
    return 0;
}

static bool map_id(const struct ids *ids, int64_t from, int64_t *to)
{
    for (size_t i = 0; i < ids->count; i++)
        if (ids->pairs[i].from == from) {
            *to = ids->pairs[i].to;
            return true;
        }
    return false;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static int fail_cell(const struct sending *sending, const char *table, const struct column *column,
                     struct tally_error *error)
{
    return fail(error, -EBADMSG, "%s: damaged store: a value of %s.%s", sending->store->path, table,
                column->name);
}

/* Appends an integer cell. */
static bool put_integer_cell(struct sending *sending, const struct column *column,
                             sqlite3_stmt *statement, int at)
{
    int64_t value = sqlite3_column_int64(statement, at);
    if (sqlite3_column_type(statement, at) != SQLITE_INTEGER)
        return false;
    if (column->is_recording)
        value = sending->recording;
    else if (column->ids && !map_id(column->ids, value, &value))
        return false;
    put_integer(&sending->rows, value);
    return true;
}

/* Appends a cell. Returns false if it is not of its column. */
static bool put_cell(struct sending *sending, const struct column *column, sqlite3_stmt *statement,
                     int at)
{
    struct buffer *rows = &sending->rows;
    int type = sqlite3_column_type(statement, at);
    bool is_any = column->kind == COLUMN_ANY;
    if (type == SQLITE_NULL && !column->nullable)
        return false;
    if (column->nullable)
        put_null(rows, type == SQLITE_NULL);
    if (type == SQLITE_NULL)
        return true;
    switch (column->kind) {
    case COLUMN_INTEGER:
        return put_integer_cell(sending, column, statement, at);
    case COLUMN_REAL:
    case COLUMN_ANY:
        if (type != SQLITE_FLOAT && !(is_any && type == SQLITE_INTEGER))
            return false;
        put_real(rows, sqlite3_column_double(statement, at));
        return true;
    case COLUMN_TEXT:
        if (type != SQLITE_TEXT)
            return false;
        put_bytes(rows, sqlite3_column_text(statement, at),
                  (size_t)sqlite3_column_bytes(statement, at));
        return true;
    case COLUMN_BLOB:
        put_bytes(rows, sqlite3_column_blob(statement, at),
                  (size_t)sqlite3_column_bytes(statement, at));
        return type == SQLITE_BLOB;
    }
    return false;
}

/* Appends the integer of a cell that a double does not hold exactly, or NULL. */
static void put_exact(struct sending *sending, sqlite3_stmt *statement, int at)
{
    bool is_integer = sqlite3_column_type(statement, at) == SQLITE_INTEGER;
    int64_t value = is_integer ? sqlite3_column_int64(statement, at) : 0;
    bool fits = value > -(INT64_C(1) << 53) && value < INT64_C(1) << 53;
    put_null(&sending->rows, fits);
    if (!fits)
        put_integer(&sending->rows, value);
}

/* Appends a row: its columns, then those that only ClickHouse has. */
static int put_row(struct sending *sending, const char *table, struct ids *own,
                   sqlite3_stmt *statement, struct tally_error *error)
{
    struct buffer *rows = &sending->rows;
    size_t start = rows->size;
    int64_t id = 0;
    for (size_t i = 0; i < sending->column_count; i++) {
        const struct column *column = &sending->columns[i];
        if (own && column->is_id)
            id = sqlite3_column_int64(statement, (int)i);
        else if (!put_cell(sending, column, statement, (int)i))
            return fail_cell(sending, table, column, error);
    }
    for (size_t i = 0; i < sending->column_count; i++)
        if (sending->columns[i].kind == COLUMN_ANY)
            put_exact(sending, statement, (int)i);
    if (own) {
        int result = add_id(sending, own, id, start, &id, error);
        if (result < 0)
            return result;
        put_integer(rows, id);
        put_integer(rows, sending->recording);
    } else {
        uint8_t day[2] = {(uint8_t)sending->day, (uint8_t)(sending->day >> 8)};
        put_integer(rows, sending->attempt);
        buffer_append(rows, day, sizeof day);
    }
    sending->row_count++;
    return rows->broken ? fail_memory(error, "rows") : 0;
}

/* Makes INSERT INTO ..., with columns in the order of put_row(), or the SELECT of its rows. */
static void make_statements(const struct sending *sending, const char *table, bool own,
                            struct buffer *insert, struct buffer *select)
{
    buffer_printf(insert, "INSERT INTO %s_rows (", table);
    for (size_t i = 0; i < sending->column_count; i++) {
        buffer_printf(select, "%s%s", i ? ", " : "SELECT ", sending->columns[i].name);
        if (!own || !sending->columns[i].is_id)
            buffer_printf(insert, "%s, ", sending->columns[i].name);
    }
    for (size_t i = 0; i < sending->column_count; i++)
        if (sending->columns[i].kind == COLUMN_ANY)
            buffer_printf(insert, "%s_exact, ", sending->columns[i].name);
    buffer_printf(insert, "%s) FORMAT RowBinary", own ? "id, recording" : "attempt, day");
    buffer_printf(select, " FROM %s", table);
    buffer_append(insert, "", 1);
    buffer_append(select, "", 1);
}

static int flush(struct sending *sending, const char *insert, struct tally_error *error)
{
    int result = sending->row_count
                     ? clickhouse_insert(sending->clickhouse, insert, &sending->rows, error)
                     : 0;
    sending->rows.size = sending->row_count = 0;
    return result;
}

static int send_table(struct sending *sending, const char *table, struct tally_error *error)
{
    struct buffer insert = {0}, select = {0};
    sqlite3_stmt *statement = NULL;
    struct ids *own = NULL;
    int step = SQLITE_DONE;
    for (size_t i = 0; i < ARRAY_COUNT(shared_tables); i++)
        if (!strcmp(table, shared_tables[i].table))
            own = &sending->ids[i];
    int result = read_columns(sending, table, error);
    if (!result) {
        make_statements(sending, table, own != NULL, &insert, &select);
        result = insert.broken || select.broken
                     ? fail_memory(error, "a statement")
                     : store_prepare(sending->store, select.bytes, &statement, error);
    }
    while (!result && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        result = put_row(sending, table, own, statement, error);
        if (!result && (sending->row_count == INSERT_ROWS || sending->rows.size >= INSERT_BYTES))
            result = flush(sending, insert.bytes, error);
    }
    if (!result)
        result = step == SQLITE_DONE ? flush(sending, insert.bytes, error)
                                     : store_fail(sending->store, error);
    sqlite3_finalize(statement);
    buffer_fini(&insert);
    buffer_fini(&select);
    return result;
}

/* ---- the recording --------------------------------------------------------------------------- */

/* Returns the days from 1970 to a date of a recording. */
static unsigned day_of(const char *date)
{
    struct tm time = {0};
    if (!date || !strptime(date, "%Y-%m-%d", &time))
        return 0;
    int64_t day = timegm(&time) / 86400;
    return day < 0 ? 0 : day > UINT16_MAX ? UINT16_MAX : (unsigned)day;
}

/* Reads what the store says about its recording. */
static int read_recording(struct sending *sending, char hash[64], struct tally_error *error)
{
    sqlite3_stmt *statement;
    int result =
        store_prepare(sending->store, "SELECT hash, date FROM recordings", &statement, error);
    if (result < 0)
        return result;
    int step = sqlite3_step(statement);
    const char *text = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    snprintf(hash, 64, "%s", text ? text : "");
    if (text)
        sending->day = day_of((const char *)sqlite3_column_text(statement, 1));
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        result = store_fail(sending->store, error);
    else if (strlen(hash) != 32 || strspn(hash, "0123456789abcdef") != 32 ||
             sqlite3_step(statement) != SQLITE_DONE)
        result =
            fail(error, -EBADMSG, "%s: expected a store with one recording", sending->store->path);
    sqlite3_finalize(statement);
    return result;
}

/* The ids that recordings of the same id have, and their hashes. */
struct found {
    const char *hash;
    int64_t first;
    bool taken[SAME_ID_MAX];
    int64_t same; /* the one with this hash, or -1 */
    bool odd;     /* an answer with other columns */
};

static int begin_found(void *closure, const char *const *names, size_t count)
{
    struct found *found = closure;
    (void)names;
    found->odd = count != 2;
    return found->odd;
}

static int take_found(void *closure, const struct store_value *values, size_t count)
{
    struct found *found = closure;
    (void)count;
    int64_t at = values[0].integer - found->first;
    if (values[0].type != STORE_INTEGER || values[1].type != STORE_TEXT || at < 0 ||
        at >= SAME_ID_MAX) {
        found->odd = true;
        return 1;
    }
    found->taken[at] = true;
    if (!strcmp(values[1].text, found->hash))
        found->same = values[0].integer;
    return 0;
}

/* Finds the id of the recording: *is_new is false if the server has it. */
static int find_recording(struct sending *sending, const char *hash, bool *is_new,
                          struct tally_error *error)
{
    char half[17], sql[200];
    snprintf(half, sizeof half, "%.16s", hash);
    struct found found = {.hash = hash, .same = -1};
    found.first = (int64_t)(strtoull(half, NULL, 16) & (uint64_t)(INT64_MAX - SAME_ID_MAX));
    const struct store_query query = {begin_found, take_found, &found};
    snprintf(sql, sizeof sql,
             "SELECT id, hash FROM recordings_rows WHERE id >= %" PRId64 " AND id < %" PRId64,
             found.first, found.first + SAME_ID_MAX);
    int result = clickhouse_query(sending->clickhouse, sql, &query, error);
    if (result < 0)
        return result;
    if (found.odd)
        return fail(error, -EBADMSG, "%s: an answer with other columns than id and hash",
                    clickhouse_name(sending->clickhouse));
    *is_new = found.same < 0;
    sending->recording = found.same;
    for (int i = SAME_ID_MAX - 1; *is_new && i >= 0; i--)
        if (!found.taken[i])
            sending->recording = found.first + i;
    return sending->recording < 0
               ? fail(error, -EEXIST, "%s: %d recordings have the id %" PRId64,
                      clickhouse_name(sending->clickhouse), SAME_ID_MAX, found.first)
               : 0;
}

/* Checks that the database has the tables of store.sql. */
static int check_format(struct sending *sending, struct tally_error *error)
{
    int64_t version;
    const char *name = clickhouse_name(sending->clickhouse);
    int result =
        clickhouse_get(sending->clickhouse, "SELECT version FROM store_format", &version, error);
    if (result == -EINVAL)
        return fail(
            error, -ENODATA,
            "%s: the database has no store, expected the tables of data/clickhouse/store.sql "
            "(see docs/fleet.md)",
            name);
    if (result >= 0 && (!result || version != FORMAT))
        return fail(error, -ENODATA, "%s: store format %" PRId64 ", expected %d", name,
                    result ? version : 0, FORMAT);
    return result < 0 ? result : 0;
}

/* Returns a number that no other attempt has, and that is the higher the later it begins: clean.sql
 * uses that. */
static int64_t new_attempt(void)
{
    uint32_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = (uint32_t)clock();
    return (int64_t)time(NULL) << 31 | (random & INT32_MAX);
}

int clickhouse_send(struct clickhouse *clickhouse, struct store *store, int64_t *id, bool *is_new,
                    struct tally_error *error)
{
    struct sending sending = {.clickhouse = clickhouse, .store = store, .attempt = new_attempt()};
    const char *table = "CREATE TABLE ", *last = "recordings";
    char hash[64];
    int result = read_recording(&sending, hash, error);
    if (!result)
        result = check_format(&sending, error);
    if (!result)
        result = find_recording(&sending, hash, is_new, error);
    for (size_t i = 0; !result && *is_new && i < store_object_count; i++)
        if (!strncmp(store_objects[i].sql, table, strlen(table)) &&
            strcmp(store_objects[i].name, last) != 0)
            result = send_table(&sending, store_objects[i].name, error);
    if (!result && *is_new)
        result = send_table(&sending, last, error);
    *id = sending.recording;
    for (size_t i = 0; i < ARRAY_COUNT(sending.ids); i++)
        free(sending.ids[i].pairs);
    buffer_fini(&sending.rows);
    return result;
}
