/* SPDX-License-Identifier: MIT */
/* In place of the module in a build without SQLite. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    const char *end = strrchr(path, '#');
    (void)out;
    if (end == NULL || access(path, F_OK) == 0)
        return 0;
    char *store = strndup(path, (size_t)(end - path));
    bool exists = store != NULL && access(store, F_OK) == 0;
    free(store);
    return exists ? fail(error, -ENOTSUP, "%s: %s", path, store_missing()) : 0;
}

int store_input_date(const char *path, char date[STORE_DATE_BYTES], struct tally_error *error)
{
    (void)path, (void)date, (void)error;
    return 0;
}
