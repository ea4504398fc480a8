/* SPDX-License-Identifier: MIT */
/* Opens the input as a store: lists it, queries its views, and reads its recordings. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "fuzz.h"
#include "store/store.h"

static char directory[] = "/tmp/fuzz-store-XXXXXX", path[64];

static void clean(void)
{
    unlink(path);
    rmdir(directory);
}

static int begin(void *closure, const char *const *names, size_t count)
{
    (void)closure;
    for (size_t i = 0; i < count; i++)
        CHECK(names[i]);
    return 0;
}

/* Reads all bytes of each value. */
static int row(void *closure, const struct store_value *values, size_t count)
{
    unsigned *left = closure;
    volatile uint64_t hash = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i].type == STORE_TEXT && values[i].text)
            hash += hash_bytes((const uint8_t *)values[i].text, strlen(values[i].text));
        if (values[i].type == STORE_BLOB && values[i].size)
            hash += hash_bytes(values[i].blob, values[i].size);
    }
    return !--*left; /* a damaged tree can have many rows */
}

static void query_all(void)
{
    static const char *const queries[] = {
        "SELECT * FROM recording_list",
        "SELECT * FROM counter_values",
        "SELECT * FROM changes",
        "SELECT * FROM losses",
        "SELECT * FROM worst_contexts LIMIT 9",
        "SELECT * FROM blocks",
        "SELECT * FROM interval_list",
        "SELECT * FROM section_list",
        "SELECT * FROM frame_list",
    };
    struct tally_error error = {0};
    struct store *store;
    if (store_open(path, STORE_READ, &store, &error) < 0) {
        CHECK(error.code < 0 && *error.message);
        return;
    }
    for (size_t i = 0; i < ARRAY_COUNT(queries); i++) {
        unsigned left = 1000;
        struct store_query query = {begin, row, &left};
        CHECK(store_query(store, queries[i], &query, &error) <= 1);
    }
    store_close(store);
}

/* Reads a recording from the front in pieces, and its end first. */
static void read_recording(const char *name)
{
    static uint8_t bytes[65536];
    struct tally_error error = {0};
    struct virtual_file file;
    int result = store_open_input(name, &file, &error);
    CHECK(result == 1 || (result == 0 ? !error.code : error.code == result && *error.message));
    if (result <= 0)
        return;
    uint64_t size = file.size, at = 0;
    ptrdiff_t n = file.calls->read_at(file.self, size ? size - 1 : 0, bytes, sizeof bytes, &error);
    CHECK(n < 0 || n == (size > 0));
    while ((n = file.calls->read_at(file.self, at, bytes, sizeof bytes, &error)) > 0)
        at += (uint64_t)n;
    CHECK(n < 0 ? error.code == n : at == size);
    file.calls->close(file.self);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[80];
    if (!*path) {
        CHECK(mkdtemp(directory));
        snprintf(path, sizeof path, "%s/db", directory);
        atexit(clean);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    query_all();
    for (int id = 1; id <= 3; id++) {
        snprintf(name, sizeof name, "%s#%d", path, id);
        read_recording(name);
    }
    return 0;
}
