/* SPDX-License-Identifier: MIT */
/* In place of the client in a build without libcurl or SQLite. */
#include <errno.h>

#include "base/error.h"
#include "store/spool.h"

const char *clickhouse_missing(void)
{
    return "this build has no stores in ClickHouse, expected one with libcurl and libsqlite3 "
           "(tally "
           "version --build-options)";
}

int clickhouse_open(const struct clickhouse_url *url, const struct clickhouse_limits *limits,
                    struct clickhouse **out, struct tally_error *error)
{
    (void)url, (void)limits, (void)out;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}

void clickhouse_close(struct clickhouse *clickhouse)
{
    (void)clickhouse;
}

uint64_t clickhouse_sent_bytes(const struct clickhouse *clickhouse)
{
    (void)clickhouse;
    return 0;
}

int clickhouse_query(struct clickhouse *clickhouse, const char *sql,
                     const struct store_query *query, struct tally_error *error)
{
    (void)clickhouse, (void)sql, (void)query;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}

int spool_open(const char *directory, const struct clickhouse_url *url, uint64_t max_bytes,
               struct spool **out, struct tally_error *error)
{
    (void)directory, (void)url, (void)max_bytes, (void)out;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}

void spool_close(struct spool *spool)
{
    (void)spool;
}

const char *spool_path(const struct spool *spool)
{
    (void)spool;
    return "";
}

int spool_add(struct spool *spool, const char *path, const struct store_add_options *options,
              struct store_added *added, char hash[64], struct tally_error *error)
{
    (void)spool, (void)path, (void)options, (void)added, (void)hash;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}

int spool_send(struct spool *spool, struct clickhouse *clickhouse, spool_sent_function *on_sent,
               void (*on_wait)(void *closure), void *closure, size_t *left,
               struct tally_error *error)
{
    (void)spool, (void)clickhouse, (void)on_sent, (void)on_wait, (void)closure, (void)left;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}

int spool_usage(const struct spool *spool, size_t *count, uint64_t *bytes,
                struct tally_error *error)
{
    (void)spool, (void)count, (void)bytes;
    return fail(error, -ENOTSUP, "%s", clickhouse_missing());
}
