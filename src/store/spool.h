/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_SPOOL_H
#define TALLY_STORE_SPOOL_H

#include "store/clickhouse.h"

/*
 * A spool: recordings on their way to a store in ClickHouse, each an SQLite store of its own,
 * DIR/HOST_PORT_DATABASE/HASH.db. It is written under another name, synced and renamed, so that
 * what is there is whole; it is removed when the server has committed it.
 */

#define SPOOL_MAX_DEFAULT (UINT64_C(1) << 30)

struct spool;

/* Opens the spool of a store, and creates its directory. `directory` NULL: $XDG_STATE_HOME/tally/
 * spool, /var/lib/tally/spool for root, or ~/.local/state/tally/spool. max_bytes 0: the default. */
int spool_open(const char *directory, const struct clickhouse_url *url, uint64_t max_bytes,
               struct spool **out, struct tally_error *error);
void spool_close(struct spool *spool);

/* Returns the directory with the recordings. */
const char *spool_path(const struct spool *spool);

/*
 * Keeps a recording until spool_send() has sent it. `added` has what store_add() reports; its id is
 * 0. Returns 0, also if the file is no recording; -EDQUOT with a message if the spool would have
 * more than max_bytes; or an error of the spool.
 */
int spool_add(struct spool *spool, const char *path, const struct store_add_options *options,
              struct store_added *added, char hash[64], struct tally_error *error);

/* What has become of a recording in the spool. */
struct spool_sent {
    const char *hash;
    const char *name; /* of the recording */
    int64_t id;       /* in the store, if `error` is none */
    bool is_new;
    struct tally_error error;
};
typedef void spool_sent_function(void *closure, const struct spool_sent *sent);

/*
 * Sends the recordings, the oldest first, and removes those that the server has. A damaged one is
 * renamed to HASH.damaged; after another error the rest stays. on_wait, which may be NULL, is
 * called if another process sends, before waiting for it. *left is the number that stay. Returns 0,
 * or the error.
 */
int spool_send(struct spool *spool, struct clickhouse *clickhouse, spool_sent_function *on_sent,
               void (*on_wait)(void *closure), void *closure, size_t *left,
               struct tally_error *error);

/* Returns the recordings that wait, and their bytes, with those of files that are being written. */
int spool_usage(const struct spool *spool, size_t *count, uint64_t *bytes,
                struct tally_error *error);

#endif
