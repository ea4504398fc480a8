/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_CLICKHOUSE_H
#define TALLY_STORE_CLICKHOUSE_H

#include <stdatomic.h>

#include "base/buffer.h"
#include "store/store.h"

/*
 * Stores in ClickHouse (docs/fleet.md), over HTTP. Errors are negative errnos with a message:
 * -EINVAL: wrong SQL; -EPERM: it does not only read; -EACCES: user or password; -EBADMSG: what the
 * server has answered is no answer; -ENODATA: its database has no store; -EIO and others: the
 * server, or a shard of it, is away or has failed.
 */

/* Returns why this build has no client of ClickHouse, or NULL if it has. */
const char *clickhouse_missing(void);

#define CLICKHOUSE_NAME_BYTES 256

/* clickhouse://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE; clickhouses:// is HTTPS. */
struct clickhouse_url {
    bool tls, has_password;
    unsigned port;
    char host[CLICKHOUSE_NAME_BYTES]; /* of an IPv6 address without brackets */
    char database[CLICKHOUSE_NAME_BYTES];
    char user[CLICKHOUSE_NAME_BYTES]; /* empty: not given */
    char password[CLICKHOUSE_NAME_BYTES];
    char shown[3 * CLICKHOUSE_NAME_BYTES]; /* without user and password */
};

/* Returns whether a text begins as the URL of a store in ClickHouse does. */
bool clickhouse_is_url(const char *text);
int clickhouse_parse_url(const char *text, struct clickhouse_url *url, struct tally_error *error);

struct clickhouse;

/* Limits of a connection; 0: the default. */
struct clickhouse_limits {
    unsigned request_s;    /* seconds for a query, or for what is inserted at once */
    uint64_t answer_bytes; /* of a query */
    uint64_t bytes_per_s;  /* sent */
    const atomic_bool
        *cancelled; /* set by another thread: requests fail with -ECANCELED; or NULL */
};

/* Prepares a connection; nothing is sent before the first request. */
int clickhouse_open(const struct clickhouse_url *url, const struct clickhouse_limits *limits,
                    struct clickhouse **out, struct tally_error *error);
void clickhouse_close(struct clickhouse *clickhouse);

/* Returns the store's name for messages. */
const char *clickhouse_name(const struct clickhouse *clickhouse);

/* Returns the bytes of all requests. */
uint64_t clickhouse_sent_bytes(const struct clickhouse *clickhouse);

/* Runs one statement that reads, as store_query(). Rows are delivered as they arrive, after the
 * server has computed all. */
int clickhouse_query(struct clickhouse *clickhouse, const char *sql,
                     const struct store_query *query, struct tally_error *error);

/* Runs a query with one row of an integer. Returns 1, 0 if there is no row, or an error. */
int clickhouse_get(struct clickhouse *clickhouse, const char *sql, int64_t *value,
                   struct tally_error *error);

/* Inserts rows: `sql` is INSERT ... FORMAT RowBinary. After an error the server may have them. */
int clickhouse_insert(struct clickhouse *clickhouse, const char *sql, const struct buffer *rows,
                      struct tally_error *error);

/* Adds the recording of an SQLite store that has one. *is_new is false if ClickHouse has it
 * already; *id is its id there. */
int clickhouse_send(struct clickhouse *clickhouse, struct store *store, int64_t *id, bool *is_new,
                    struct tally_error *error);

#endif
