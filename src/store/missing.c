/* SPDX-License-Identifier: MIT */
/* In place of the module in a build without SQLite. */
#include <errno.h>

#include "base/error.h"
#include "store/store.h"

const char *store_missing(void)
{
    return "this build has no stores, expected one with libsqlite3 (tally version "
           "--build-options)";
}

int store_open(const char *path, enum store_mode mode, struct store **out,
               struct tally_error *error)
{
    (void)mode, (void)out;
    return fail(error, -ENOTSUP, "%s: %s", path, store_missing());
}

void store_close(struct store *store)
{
    (void)store;
}

int store_add(struct store *store, const char *const *paths, size_t count,
              const struct store_add_options *options, store_added_function *on_added,
              void *closure, struct tally_error *error)
{
    (void)store, (void)paths, (void)count, (void)options, (void)on_added, (void)closure;
    return fail(error, -ENOTSUP, "%s", store_missing());
}

int store_remove(struct store *store, int64_t id, struct tally_error *error)
{
    (void)store, (void)id;
    return fail(error, -ENOTSUP, "%s", store_missing());
}

int store_query(struct store *store, const char *sql, const struct store_query *query,
                struct tally_error *error)
{
    (void)store, (void)sql, (void)query;
    return fail(error, -ENOTSUP, "%s", store_missing());
}

int store_open_input(const char *path, struct virtual_file *out, struct tally_error *error)
{
    (void)path, (void)out, (void)error;
    return 0;
}

int store_input_date(const char *path, char date[STORE_DATE_BYTES], struct tally_error *error)
{
    (void)path, (void)date, (void)error;
    return 0;
}
