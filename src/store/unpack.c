/* SPDX-License-Identifier: MIT */
/* Unpacks blocks. Their bytes are those of a file, and can be anything. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "recording/format.h"
#include "store/block.h"
#include "store/block_format.h"
#include "store/column.h"
#include "store/hash.h"

#define TILE_ROWS 64

struct unpacker {
    enum block_rows kind;
    size_t row_bytes, rows, size, runs_bytes, literals_bytes;
    uint32_t check;
    const uint8_t *at, *end;      /* packed bytes that were not used yet */
    uint8_t *to;                  /* unpacked bytes */
    struct buffer padded;         /* a copy of the packed bytes, with COLUMN_PADDING */
    struct buffer columns;        /* words */
    uint32_t offsets[BLOCK_ROWS]; /* of the rows in the unpacked bytes */
};

static bool read_head(struct unpacker *unpacker)
{
    const uint8_t *head = unpacker->at;
    if (unpacker->end - head < BLOCK_HEAD_BYTES || head[BLOCK_VERSION] != BLOCK_FORMAT ||
        head[BLOCK_KIND] >= BLOCK_ROWS_COUNT)
        return false;
    unpacker->kind = head[BLOCK_KIND];
    unpacker->row_bytes = load_le16(head + BLOCK_ROW_BYTES);
    unpacker->rows = load_le32(head + BLOCK_ROW_COUNT);
    unpacker->size = load_le32(head + BLOCK_SIZE);
    unpacker->runs_bytes = load_le32(head + BLOCK_RUNS);
    unpacker->literals_bytes = load_le32(head + BLOCK_LITERALS);
    unpacker->check = load_le32(head + BLOCK_CHECK);
    unpacker->at += BLOCK_HEAD_BYTES;
    size_t left = (size_t)(unpacker->end - unpacker->at);
    size_t header = unpacker->kind == BLOCK_ROWS_SAMPLES ? TALLY_RECORD_HEADER_BYTES : 0;
    return unpacker->size && unpacker->rows <= BLOCK_ROWS && unpacker->row_bytes <= BLOCK_ROW_MAX &&
           unpacker->row_bytes % 4 == 0 && !unpacker->rows == !unpacker->row_bytes &&
           unpacker->runs_bytes <= left &&
           unpacker->literals_bytes <= left - unpacker->runs_bytes &&
           unpacker->size ==
               unpacker->rows * (header + unpacker->row_bytes) + unpacker->literals_bytes &&
           unpacker->size <= BLOCK_BYTES_MAX;
}

/* Places the headers of rows. Returns the offset after the last one. */
static size_t place_rows(struct unpacker *unpacker, size_t offset, size_t first, size_t count)
{
    bool samples = unpacker->kind == BLOCK_ROWS_SAMPLES;
    for (size_t i = first; i < first + count; i++) {
        if (samples) {
            record_header_store(unpacker->to + offset, TALLY_RECORD_SAMPLE,
                                TALLY_RECORD_HEADER_BYTES + unpacker->row_bytes);
            offset += TALLY_RECORD_HEADER_BYTES;
        }
        unpacker->offsets[i] = (uint32_t)offset;
        offset += unpacker->row_bytes;
    }
    return offset;
}

/* Copies the literal bytes to their places, and finds those of the rows. */
static bool place_runs(struct unpacker *unpacker)
{
    const uint8_t *runs_end = unpacker->at + unpacker->runs_bytes, *literals = runs_end;
    size_t rows = 0, literals_left = unpacker->literals_bytes, offset = 0;
    while (unpacker->at < runs_end) {
        uint64_t run_rows, run_literals;
        if (!varint_get(&unpacker->at, runs_end, &run_rows) ||
            !varint_get(&unpacker->at, runs_end, &run_literals) ||
            run_rows > unpacker->rows - rows || run_literals > literals_left)
            return false;
        offset = place_rows(unpacker, offset, rows, (size_t)run_rows);
        memcpy(unpacker->to + offset, literals, (size_t)run_literals);
        rows += (size_t)run_rows;
        offset += (size_t)run_literals;
        literals += run_literals;
        literals_left -= (size_t)run_literals;
    }
    unpacker->at = literals;
    return rows == unpacker->rows && !literals_left;
}

/* Turns columns into rows, a few rows at a time, so that they stay in the cache. */
static bool place_columns(struct unpacker *unpacker, uint32_t *columns)
{
    size_t words = unpacker->row_bytes / 4;
    uint32_t *column = columns;
    for (size_t w = 0; w < words; w++, column += unpacker->rows)
        if (!column_unpack(&unpacker->at, unpacker->end, column, unpacker->rows))
            return false;
    for (size_t first = 0; first < unpacker->rows; first += TILE_ROWS) {
        size_t end = min_size(first + TILE_ROWS, unpacker->rows);
        for (size_t w = 0; w < words; w++)
            for (size_t i = first; i < end; i++)
                store_le32(unpacker->to + unpacker->offsets[i] + 4 * w,
                           columns[w * unpacker->rows + i]);
    }
    return unpacker->at == unpacker->end;
}

static bool is_intact(const struct unpacker *unpacker)
{
    struct hash hash;
    uint64_t digest[2];
    hash_init(&hash);
    hash_add(&hash, unpacker->to, unpacker->size);
    hash_finish(&hash, digest);
    return (uint32_t)digest[0] == unpacker->check;
}

struct unpacker *unpacker_new(void)
{
    return calloc(1, sizeof(struct unpacker));
}

void unpacker_free(struct unpacker *unpacker)
{
    if (!unpacker)
        return;
    buffer_fini(&unpacker->padded);
    buffer_fini(&unpacker->columns);
    free(unpacker);
}

int unpacker_run(struct unpacker *unpacker, const uint8_t *bytes, size_t size, struct buffer *to,
                 struct tally_error *error)
{
    static const uint8_t padding[COLUMN_PADDING];
    unpacker->padded.size = 0;
    buffer_append(&unpacker->padded, bytes, size);
    buffer_append(&unpacker->padded, padding, sizeof padding);
    if (unpacker->padded.broken)
        return fail_memory(error, "a block");
    unpacker->at = (const uint8_t *)unpacker->padded.bytes;
    unpacker->end = unpacker->at + size;
    if (!read_head(unpacker))
        return fail(error, -EBADMSG, "malformed block, expected one of store format %d",
                    BLOCK_FORMAT);
    unpacker->to = (uint8_t *)buffer_reserve(to, unpacker->size);
    void *columns = buffer_reserve(&unpacker->columns, unpacker->rows * unpacker->row_bytes + 4);
    if (!unpacker->to || !columns)
        return fail_memory(error, "a block");
    if (!place_runs(unpacker) || !place_columns(unpacker, columns))
        return fail(error, -EBADMSG, "malformed block: its columns are not those of %zu rows",
                    unpacker->rows);
    if (!is_intact(unpacker))
        return fail(error, -EBADMSG, "damaged block: its bytes are not those that were stored");
    to->size += unpacker->size;
    return 0;
}
