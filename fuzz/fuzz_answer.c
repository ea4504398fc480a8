/* SPDX-License-Identifier: MIT */
/* Reads the input as what ClickHouse answers: the first byte says in which pieces. Checks that the
 * pieces do not matter, and reads all bytes of each value. */
#include "store/answer.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "fuzz.h"
#include "lengthen.h"

struct seen {
    uint64_t rows, hash;
    size_t columns;
};

static void mix(struct seen *seen, const void *bytes, size_t size)
{
    seen->hash = seen->hash * UINT64_C(0x100000001b3) ^ hash_bytes(bytes, size);
}

static int begin(void *closure, const char *const *names, size_t count)
{
    struct seen *seen = closure;
    CHECK(count && count <= ANSWER_COLUMNS_MAX && !seen->columns);
    seen->columns = count;
    for (size_t i = 0; i < count; i++)
        mix(seen, (const uint8_t *)names[i], strlen(names[i]));
    return 0;
}

static int row(void *closure, const struct store_value *values, size_t count)
{
    struct seen *seen = closure;
    CHECK(count == seen->columns);
    for (size_t i = 0; i < count; i++) {
        const struct store_value *value = &values[i];
        mix(seen, (const uint8_t *)&value->type, sizeof value->type);
        if (value->type == STORE_TEXT) {
            CHECK(strlen(value->text) == value->size);
            mix(seen, (const uint8_t *)value->text, value->size);
        } else if (value->type == STORE_BLOB) {
            mix(seen, value->blob, value->size);
        } else if (value->type == STORE_REAL) {
            CHECK(value->real == value->real);
            mix(seen, (const uint8_t *)&value->real, sizeof value->real);
        } else {
            mix(seen, (const uint8_t *)&value->integer, sizeof value->integer);
        }
    }
    seen->rows++;
    return 0;
}

static int read_answer(const uint8_t *data, size_t size, size_t piece, struct seen *seen,
                       struct tally_error *error)
{
    const struct store_query query = {begin, row, seen};
    struct answer answer;
    int result = 0;
    answer_init(&answer, &query);
    for (size_t at = 0; !result && at < size; at += piece) {
        size_t n = min_size(piece, size - at);
        char *bytes = malloc(n); /* of its own, so that reading past it is noticed */
        CHECK(bytes);
        memcpy(bytes, data + at, n);
        result = answer_add(&answer, bytes, n, error);
        free(bytes);
    }
    if (!result)
        result = answer_end(&answer, error);
    answer_fini(&answer);
    CHECK(result == error->code && (!result || *error->message));
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tally_error errors[2] = {{0}, {0}};
    struct seen whole = {0, 0, 0}, cut = {0, 0, 0};
    if (!size)
        return 0;
    int result = read_answer(data + 1, size - 1, size, &whole, &errors[0]);
    CHECK(read_answer(data + 1, size - 1, 1 + data[0] % 32, &cut, &errors[1]) == result);
    CHECK(whole.rows == cut.rows && whole.hash == cut.hash);
    CHECK(!strcmp(errors[0].message, errors[1].message));
    return 0;
}
