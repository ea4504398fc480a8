/* SPDX-License-Identifier: MIT */
/* Recordings of a store as inputs: DB#ID. */
#include "store/input.h"

#include <ctype.h>
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
#include "base/minmax.h"
#include "store/block.h"

/* Where a block is in the recording. */
struct place {
    uint64_t start, size;
};

struct stored_input {
    struct store *store;
    bool owns_store;
    int64_t id;
    struct place *places;
    size_t count, capacity;
    sqlite3_stmt *read; /* of a block */
    struct unpacker *unpacker;
    struct buffer bytes; /* of the block `at` */
    size_t at;           /* count: none */
};

/* ---- opening --------------------------------------------------------------------------------- */

static int fail_blocks(const struct stored_input *input, struct tally_error *error)
{
    return fail(error, -EBADMSG,
                "%s: damaged store: the blocks of recording %" PRId64 " do not follow each other",
                input->store->path, input->id);
}

/* Reads the places of all blocks, which must follow each other. */
static int read_places(struct stored_input *input, struct tally_error *error)
{
    sqlite3_stmt *statement;
    int step, result = store_prepare(
                  input->store,
                  "SELECT number, start, size FROM blocks WHERE recording = ? ORDER BY number",
                  &statement, error);
    if (result < 0)
        return result;
    sqlite3_bind_int64(statement, 1, input->id);
    while (!result && (step = sqlite3_step(statement)) == SQLITE_ROW) {
        struct place *grown =
            array_grow(input->places, &input->capacity, input->count, sizeof *grown);
        if (!grown) {
            result = fail_memory(error, "blocks");
            break;
        }
        input->places = grown;
        struct place place = {(uint64_t)sqlite3_column_int64(statement, 1),
                              (uint64_t)sqlite3_column_int64(statement, 2)};
        if ((size_t)sqlite3_column_int64(statement, 0) != input->count ||
            place.start != stored_input_size(input) || !place.size || place.size > BLOCK_BYTES_MAX)
            result = fail_blocks(input, error);
        input->places[input->count++] = place;
    }
    if (!result && step != SQLITE_DONE)
        result = store_fail(input->store, error);
    sqlite3_finalize(statement);
    return result;
}

/* Returns 1 if the recording has reports, or an error if it is the output of another program. */
static int check_reports(const struct stored_input *input, struct tally_error *error)
{
    int64_t samples = 0;
    int result = store_get(input->store, "SELECT count(*) FROM samples WHERE recording = ?",
                           input->id, &samples, error);
    if (result < 0 || !samples)
        return result < 0 ? result : 1;
    return fail(error, -EINVAL,
                "%s#%" PRId64 ": has samples of another program and no reports, expected a "
                "recording; see tally query %s 'SELECT * FROM sample_list'",
                input->store->path, input->id, input->store->path);
}

int stored_input_open(struct store *store, int64_t id, struct stored_input **out,
                      struct tally_error *error)
{
    struct stored_input *input = calloc(1, sizeof *input);
    int64_t size = 0;
    int result =
        input && (input->unpacker = unpacker_new()) ? 0 : fail_memory(error, "a recording");
    if (!result) {
        input->store = store;
        input->id = id;
        result =
            store_get(store, "SELECT size_bytes FROM recordings WHERE id = ?", id, &size, error);
    }
    if (result > 0)
        result = check_reports(input, error);
    if (result == 0 && input)
        result =
            fail(error, -ENOENT,
                 "%s#%" PRId64 ": the store has no recording %" PRId64 " (see tally store list %s)",
                 store->path, id, id, store->path);
    if (result > 0)
        result = read_places(input, error);
    if (!result && stored_input_size(input) != (uint64_t)size)
        result = fail_blocks(input, error);
    if (!result)
        result = store_prepare(store, "SELECT data FROM blocks WHERE recording = ? AND number = ?",
                               &input->read, error);
    if (result < 0) {
        stored_input_close(input);
        return result;
    }
    input->at = input->count;
    *out = input;
    return 0;
}

void stored_input_close(struct stored_input *input)
{
    if (!input)
        return;
    sqlite3_finalize(input->read);
    unpacker_free(input->unpacker);
    buffer_fini(&input->bytes);
    free(input->places);
    if (input->owns_store)
        store_close(input->store);
    free(input);
}

uint64_t stored_input_size(const struct stored_input *input)
{
    const struct place *last = input->count ? &input->places[input->count - 1] : NULL;
    return last ? last->start + last->size : 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Unpacks a block. */
static int read_block(struct stored_input *input, size_t number, struct tally_error *error)
{
    if (input->at == number)
        return 0;
    input->at = input->count;
    input->bytes.size = 0;
    sqlite3_bind_int64(input->read, 1, input->id);
    sqlite3_bind_int64(input->read, 2, (int64_t)number);
    int step = sqlite3_step(input->read), result = 0;
    if (step == SQLITE_ROW)
        result = unpacker_run(input->unpacker, sqlite3_column_blob(input->read, 0),
                              (size_t)sqlite3_column_bytes(input->read, 0), &input->bytes, error);
    else if (step == SQLITE_DONE)
        result = fail(error, -ESTALE, "the recording has been removed from the store");
    else
        result = store_fail(input->store, error);
    sqlite3_reset(input->read);
    if (result == -EBADMSG)
        fail_in(error, "block %zu", number);
    if (!result && input->bytes.size != input->places[number].size)
        result = fail(error, -EBADMSG, "block %zu has %zu bytes, expected %" PRIu64, number,
                      input->bytes.size, input->places[number].size);
    if (!result)
        input->at = number;
    return result;
}

/* Returns the block with an offset, which is before the end. */
static size_t find_block(const struct stored_input *input, uint64_t offset)
{
    size_t low = 0, high = input->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (input->places[middle].start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

ptrdiff_t stored_input_read(struct stored_input *input, uint64_t offset, void *to, size_t size,
                            struct tally_error *error)
{
    size_t done = 0;
    while (done < size && offset < stored_input_size(input)) {
        size_t number = find_block(input, offset);
        int result = read_block(input, number, error);
        if (result < 0)
            return result;
        size_t skip = (size_t)(offset - input->places[number].start);
        size_t n = min_size(size - done, input->bytes.size - skip);
        memcpy((uint8_t *)to + done, input->bytes.bytes + skip, n);
        done += n;
        offset += n;
    }
    return (ptrdiff_t)done;
}

/* ---- virtual files --------------------------------------------------------------------------- */

static ptrdiff_t file_read(void *self, uint64_t offset, void *to, size_t size,
                           struct tally_error *error)
{
    return stored_input_read(self, offset, to, size, error);
}

static void file_close(void *self)
{
    stored_input_close(self);
}

static const struct virtual_file_calls file_calls = {file_read, file_close};

/* Returns whether a regular file begins as a store does: the application id is in SQLite's head. */
static bool is_store(const char *path)
{
    uint8_t head[72];
    struct stat status;
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0)
        close(fd);
    return n == sizeof head && !memcmp(head, "SQLite format 3", 16) && head[68] == 'T' &&
           head[69] == 'A' && head[70] == 'L' && head[71] == 'Y';
}

int store_open_input(const char *path, struct virtual_file *out, struct tally_error *error)
{
    const char *mark = strrchr(path, '#');
    struct stored_input *input = NULL;
    struct store *store;
    if (is_store(path))
        return fail(error, -EINVAL, "%s: is a store, expected %s#ID (see tally store list %s)",
                    path, path, path);
    if (!mark || access(path, F_OK) == 0)
        return 0;
    char *db = strndup(path, (size_t)(mark - path)), *end;
    if (!db)
        return fail_memory(error, "a path");
    errno = 0;
    long long id = strtoll(mark + 1, &end, 10);
    int result = is_store(db);
    if (result && (*end || errno || !isdigit((unsigned char)mark[1])))
        result = fail(error, -EINVAL,
                      "%s: \"%s\" is no recording of a store, expected a number of "
                      "tally store list %s",
                      path, mark + 1, db);
    if (result > 0)
        result = store_open(db, STORE_READ, &store, error);
    else if (!result) {
        free(db);
        return 0;
    }
    free(db);
    if (result < 0)
        return result;
    result = stored_input_open(store, id, &input, error);
    if (result < 0) {
        store_close(store);
        return result;
    }
    input->owns_store = true;
    *out = (struct virtual_file){&file_calls, input, stored_input_size(input)};
    return 1;
}

int store_input_date(const char *path, char date[STORE_DATE_BYTES], struct tally_error *error)
{
    struct virtual_file file;
    int result = store_open_input(path, &file, error);
    if (result <= 0)
        return result;
    struct stored_input *input = file.self;
    result = store_get_text(input->store, "SELECT date FROM recordings WHERE id = ?", input->id,
                            date, STORE_DATE_BYTES, error);
    stored_input_close(input);
    return result < 0 ? result : 1;
}
