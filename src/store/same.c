/* SPDX-License-Identifier: MIT */
/* Recordings with equal hashes are compared. */
#include "store/same.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "recording/source.h"
#include "store/input.h"

#define COMPARE_BYTES (1u << 20)

void hash_next(char hash[BLOCK_HASH_BYTES])
{
    for (size_t i = BLOCK_HASH_BYTES - 1; i-- > 0;) {
        hash[i] = hash[i] == '9' ? 'a' : hash[i] == 'f' ? '0' : (char)(hash[i] + 1);
        if (hash[i] != '0')
            return;
    }
}

/* Fills a buffer from a source, unless that ends. Returns the number of bytes or an error. */
static ptrdiff_t fill(struct source *source, uint8_t *to, size_t size)
{
    size_t have = 0;
    ptrdiff_t n = 0;
    while (have < size && (n = source_read(source, to + have, size - have)) > 0)
        have += (size_t)n;
    return n < 0 ? n : (ptrdiff_t)have;
}

static int compare(struct source *source, struct stored_input *stored, uint8_t *bytes,
                   struct tally_error *error)
{
    uint8_t *other = bytes + COMPARE_BYTES;
    uint64_t at = 0;
    for (;;) {
        ptrdiff_t n = fill(source, bytes, COMPARE_BYTES);
        if (n < 0)
            return fail(error, (int)n, "cannot read: %s", source_reason(source, (int)-n));
        for (ptrdiff_t have = 0; have < n;) {
            ptrdiff_t m = stored_input_read(stored, at, other, (size_t)(n - have), error);
            if (m < 0)
                return (int)m;
            if (!m || memcmp(bytes + have, other, (size_t)m) != 0)
                return 0;
            have += m;
            at += (uint64_t)m;
        }
        if (n < COMPARE_BYTES)
            return at == stored_input_size(stored);
    }
}

int store_is_same(struct store *store, int64_t id, const char *path, struct tally_error *error)
{
    struct source source;
    struct stored_input *stored = NULL;
    uint8_t *bytes = malloc((size_t)2 * COMPARE_BYTES);
    int result =
        bytes ? source_open(&source, path, false, error) : fail_memory(error, "a recording");
    if (result < 0) {
        free(bytes);
        return result;
    }
    result = stored_input_open(store, id, &stored, error);
    if (!result)
        result = compare(&source, stored, bytes, error);
    stored_input_close(stored);
    source_close(&source);
    free(bytes);
    return result;
}
