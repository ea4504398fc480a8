/* SPDX-License-Identifier: MIT */
/* Opening a store. The file can come from anywhere: nothing in it is trusted. */
#include "store/database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"

/* Time to wait for another process that writes. */
#define BUSY_MS 10000

/* Bytes of a page. Small ones are slow for blocks; each table has at least one. */
#define PAGE_BYTES "8192"

const char *store_missing(void)
{
    return NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static int errno_of(int code)
{
    static const struct {
        int code, error;
    } rows[] = {
        {SQLITE_CORRUPT, EBADMSG}, {SQLITE_NOTADB, EBADMSG},   {SQLITE_FORMAT, EBADMSG},
        {SQLITE_SCHEMA, EBADMSG},  {SQLITE_MISMATCH, EBADMSG}, {SQLITE_BUSY, EBUSY},
        {SQLITE_LOCKED, EBUSY},    {SQLITE_FULL, ENOSPC},      {SQLITE_NOMEM, ENOMEM},
        {SQLITE_READONLY, EACCES}, {SQLITE_PERM, EACCES},      {SQLITE_CANTOPEN, EACCES},
        {SQLITE_AUTH, EPERM},      {SQLITE_ERROR, EINVAL},     {SQLITE_TOOBIG, EFBIG},
        {SQLITE_INTERRUPT, EINTR},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (rows[i].code == (code & 0xff))
            return -rows[i].error;
    return -EIO;
}

int store_fail(const struct store *store, struct tally_error *error)
{
    int code = sqlite3_extended_errcode(store->db), result = errno_of(code);
    if (result == -EBUSY)
        return fail(error, result, "%s: another process is writing to the store", store->path);
    if (result == -EBADMSG)
        return fail(error, result, "%s: damaged store: %s", store->path, sqlite3_errmsg(store->db));
    return fail(error, result, "%s: %s", store->path, sqlite3_errmsg(store->db));
}

/* ---- statements ------------------------------------------------------------------------------ */

int store_run(struct store *store, const char *sql, struct tally_error *error)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0
                                                                       : store_fail(store, error);
}

int store_prepare(struct store *store, const char *sql, sqlite3_stmt **out,
                  struct tally_error *error)
{
    return sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL) == SQLITE_OK
               ? 0
               : store_fail(store, error);
}

/* Runs a statement to its first row, whose columns are read before *statement is finalized. Returns
 * 1, 0 if there is no row, or an error. */
static int get_row(struct store *store, const char *sql, int64_t parameter,
                   sqlite3_stmt **statement, struct tally_error *error)
{
    *statement = NULL;
    int result = store_prepare(store, sql, statement, error);
    if (result < 0)
        return result;
    if (sqlite3_bind_parameter_count(*statement))
        sqlite3_bind_int64(*statement, 1, parameter);
    int step = sqlite3_step(*statement);
    return step == SQLITE_ROW ? 1 : step == SQLITE_DONE ? 0 : store_fail(store, error);
}

int store_get(struct store *store, const char *sql, int64_t parameter, int64_t *value,
              struct tally_error *error)
{
    sqlite3_stmt *statement;
    int result = get_row(store, sql, parameter, &statement, error);
    if (result > 0)
        *value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result;
}

int store_get_text(struct store *store, const char *sql, int64_t parameter, char *text, size_t size,
                   struct tally_error *error)
{
    sqlite3_stmt *statement;
    int result = get_row(store, sql, parameter, &statement, error);
    bool is_text = result > 0 && sqlite3_column_type(statement, 0) == SQLITE_TEXT;
    snprintf(text, size, "%s", is_text ? (const char *)sqlite3_column_text(statement, 0) : "");
    sqlite3_finalize(statement);
    return result;
}

/* ---- the schema ------------------------------------------------------------------------------ */

static int create_schema(struct store *store, struct tally_error *error)
{
    char pragmas[128];
    int result = store_run(store, "BEGIN IMMEDIATE", error);
    for (size_t i = 0; !result && i < store_object_count; i++)
        result = store_run(store, store_objects[i].sql, error);
    snprintf(pragmas, sizeof pragmas, "PRAGMA application_id = %d; PRAGMA user_version = %d",
             STORE_APPLICATION, STORE_VERSION);
    if (!result)
        result = store_run(store, pragmas, error);
    if (!result)
        result = store_run(store, "COMMIT", error);
    else
        store_run(store, "ROLLBACK", NULL);
    return result;
}

/* Checks that an object is the one of this version: another one could mean anything. */
static int check_object(struct store *store, sqlite3_stmt *statement,
                        const struct store_object *object, struct tally_error *error)
{
    sqlite3_reset(statement);
    sqlite3_bind_text(statement, 1, object->name, -1, SQLITE_STATIC);
    int step = sqlite3_step(statement);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return store_fail(store, error);
    const char *sql = step == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!sql || strcmp(sql, object->sql) != 0)
        return fail(error, -EBADMSG, "%s: the store's %s is not that of store format %d",
                    store->path, object->name, STORE_VERSION);
    return 0;
}

static int check_schema(struct store *store, struct tally_error *error)
{
    int64_t application = 0, version = 0;
    sqlite3_stmt *statement;
    int result = store_get(store, "PRAGMA application_id", 0, &application, error);
    if (result >= 0)
        result = store_get(store, "PRAGMA user_version", 0, &version, error);
    if (result < 0)
        return result;
    if (application != STORE_APPLICATION)
        return fail(error, -EBADMSG,
                    "%s: an SQLite database, but not a store, expected one of tally store add",
                    store->path);
    if (version != STORE_VERSION)
        return fail(error, -EBADMSG, "%s: store format %" PRId64 ", expected %d", store->path,
                    version, STORE_VERSION);
    result =
        store_prepare(store, "SELECT sql FROM sqlite_schema WHERE name = ?", &statement, error);
    if (result < 0)
        return result;
    for (size_t i = 0; !result && i < store_object_count; i++)
        result = check_object(store, statement, &store_objects[i], error);
    sqlite3_finalize(statement);
    return result;
}

/* ---- opening --------------------------------------------------------------------------------- */

static int configure(struct store *store, enum store_mode mode, struct tally_error *error)
{
    static const struct {
        int option, on;
    } options[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_DQS_DML, 0},
        {SQLITE_DBCONFIG_DQS_DDL, 0},
    };
    static const struct {
        int limit, value;
    } limits[] = {
        {SQLITE_LIMIT_LENGTH, 64 << 20}, {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
        {SQLITE_LIMIT_ATTACHED, 0},      {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
        {SQLITE_LIMIT_EXPR_DEPTH, 200},  {SQLITE_LIMIT_WORKER_THREADS, 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(options); i++)
        sqlite3_db_config(store->db, options[i].option, options[i].on, NULL);
    for (size_t i = 0; i < ARRAY_COUNT(limits); i++)
        sqlite3_limit(store->db, limits[i].limit, limits[i].value);
    sqlite3_busy_timeout(store->db, BUSY_MS);
    /* Of a file that another process truncates, a mapping would end the program. */
    int result = store_run(store, "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON", error);
    if (!result && mode == STORE_READ)
        result = store_run(store, "PRAGMA query_only = ON", error);
    if (!result && mode != STORE_READ)
        result = store_run(store, "PRAGMA page_size = " PAGE_BYTES "; PRAGMA cache_size = -32768",
                           error);
    return result;
}

static int open_database(struct store *store, enum store_mode mode, struct tally_error *error)
{
    static const int flags[] = {
        [STORE_READ] = SQLITE_OPEN_READONLY,
        [STORE_WRITE] = SQLITE_OPEN_READWRITE,
        [STORE_CREATE] = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
    };
    int64_t objects = 0;
    if (sqlite3_open_v2(store->path, &store->db, flags[mode] | SQLITE_OPEN_NOMUTEX, NULL) !=
        SQLITE_OK)
        return store->db ? store_fail(store, error) : fail_memory(error, "a store");
    sqlite3_extended_result_codes(store->db, 1);
    int result = configure(store, mode, error);
    if (!result)
        result = store_get(store, "SELECT count(*) FROM sqlite_schema", 0, &objects, error);
    if (result < 0)
        return result;
    if (!objects && mode == STORE_CREATE) {
        result = create_schema(store, error);
        /* Another process may have created it meanwhile. */
        return result == -EINVAL ? check_schema(store, error) : result;
    }
    return check_schema(store, error);
}

/* Rolls back what a process that was killed has left, which a reader cannot. */
static void recover(const char *path)
{
    sqlite3 *db = NULL;
    if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
        SQLITE_OK) {
        sqlite3_busy_timeout(db, BUSY_MS);
        sqlite3_exec(db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    }
    sqlite3_close(db);
}

/* Fails with the reason why a path is no store, if it can be seen without SQLite. */
static int check_file(const char *path, enum store_mode mode, struct tally_error *error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char head[16];
    if (fd < 0 && errno == ENOENT && mode == STORE_CREATE)
        return 0;
    if (fd < 0)
        return fail(error, -errno, "%s: cannot open: %s", path, strerror(errno));
    int result = 0;
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
        result = fail(error, -EISDIR, "%s: is a directory, expected a store", path);
    else if (read(fd, head, sizeof head) != sizeof head
                 ? status.st_size || mode != STORE_CREATE
                 : memcmp(head, "SQLite format 3", sizeof head) != 0)
        result = fail(error, -EBADMSG, "%s: not a store, expected one of tally store add", path);
    close(fd);
    return result;
}

int store_open(const char *path, enum store_mode mode, struct store **out,
               struct tally_error *error)
{
    int result = check_file(path, mode, error);
    if (result < 0)
        return result;
    struct store *store = calloc(1, sizeof *store);
    if (store)
        store->path = strdup(path);
    if (!store || !store->path) {
        store_close(store);
        return fail_memory(error, "a store");
    }
    result = open_database(store, mode, error);
    if (result == -EACCES && mode == STORE_READ &&
        sqlite3_extended_errcode(store->db) == SQLITE_READONLY_ROLLBACK) {
        sqlite3_close(store->db);
        store->db = NULL;
        recover(path);
        result = open_database(store, mode, error);
    }
    if (result < 0) {
        store_close(store);
        return result;
    }
    *out = store;
    return 0;
}

void store_close(struct store *store)
{
    if (!store)
        return;
    sqlite3_close(store->db);
    free(store->path);
    free(store);
}
