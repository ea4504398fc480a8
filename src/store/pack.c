/* SPDX-License-Identifier: MIT */
/* Packs the bytes of a recording into blocks. */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "recording/format.h"
#include "store/block.h"
#include "store/block_format.h"
#include "store/column.h"
#include "store/hash.h"

/* Rows that are turned into columns at once, so that they stay in the cache. */
#define TILE_ROWS 64

/* Words of a column, with a gap so that the columns are not at the same places of the cache. */
#define COLUMN_STRIDE (BLOCK_ROWS + 16)

/* Bytes between rows after which a block ends. */
#define LITERALS_ENOUGH (BLOCK_LITERALS_MAX / 4)

struct packer {
    bool is_raw;
    size_t report_bytes; /* of reports */
    bool broken;         /* an invalid record: the rest of the recording is literal */
    block_function *put;
    void *closure;

    /* The block that is being filled. */
    enum block_rows kind;
    size_t row_bytes;
    uint64_t start;
    size_t rows, literals_before; /* literals_before: of the last run */
    size_t rows_before;           /* rows of the run that has not been written yet */
    struct buffer runs, literals;
    struct hash hash;
    uint32_t *columns;
    const uint8_t *tile[TILE_ROWS];
    size_t tile_rows;

    /* The bytes that are being packed: `unhashed` is the first one of the block whose hash is not
     * in `hash`. */
    const uint8_t *unhashed;
    struct buffer rest;  /* bytes of an incomplete record or row */
    struct hash digests; /* hash of the hashes of the blocks */
    uint8_t *scratch;
};

struct packer *packer_new(void)
{
    struct packer *packer = calloc(1, sizeof *packer);
    size_t words = BLOCK_ROW_MAX / 4;
    if (!packer)
        return NULL;
    packer->columns = malloc(words * COLUMN_STRIDE * sizeof *packer->columns);
    packer->scratch = malloc(words * COLUMN_BYTES_MAX(BLOCK_ROWS));
    if (!packer->columns || !packer->scratch) {
        packer_free(packer);
        return NULL;
    }
    return packer;
}

void packer_begin(struct packer *packer, enum tally_recording_kind kind, size_t row_bytes,
                  block_function *put, void *closure)
{
    struct packer former = *packer;
    *packer = (struct packer){
        .is_raw = kind == TALLY_KIND_RAW,
        .report_bytes = row_bytes,
        .put = put,
        .closure = closure,
        .kind = kind == TALLY_KIND_RAW ? BLOCK_ROWS_BARE : BLOCK_ROWS_SAMPLES,
        .row_bytes = row_bytes,
        .runs = former.runs,
        .literals = former.literals,
        .rest = former.rest,
        .columns = former.columns,
        .scratch = former.scratch,
    };
    packer->runs.size = packer->literals.size = packer->rest.size = 0;
    hash_init(&packer->hash);
    hash_init(&packer->digests);
}

void packer_free(struct packer *packer)
{
    if (!packer)
        return;
    buffer_fini(&packer->runs);
    buffer_fini(&packer->literals);
    buffer_fini(&packer->rest);
    free(packer->columns);
    free(packer->scratch);
    free(packer);
}

void packer_hash(const struct packer *packer, char text[BLOCK_HASH_BYTES])
{
    hash_text(&packer->digests, text);
}

/* ---- a block --------------------------------------------------------------------------------- */

/* Turns the rows of the tile into columns. */
static void fold_tile(struct packer *packer)
{
    uint32_t *to = packer->columns + packer->rows - packer->tile_rows;
    for (size_t at = 0; at < packer->row_bytes; at += 4, to += COLUMN_STRIDE)
        for (size_t i = 0; i < packer->tile_rows; i++)
            to[i] = load_le32(packer->tile[i] + at);
    packer->tile_rows = 0;
}

static void put_number(struct buffer *buffer, uint64_t value)
{
    uint8_t bytes[10];
    buffer_append(buffer, bytes, (size_t)(varint_put(bytes, value) - bytes));
}

/* Ends a run: rows, and the literal bytes that follow them. */
static void end_run(struct packer *packer)
{
    if (!packer->rows_before && !packer->literals_before)
        return;
    put_number(&packer->runs, packer->rows_before);
    put_number(&packer->runs, packer->literals_before);
    packer->rows_before = packer->literals_before = 0;
}

/* Appends the head, runs, literals and columns of the block. Returns 0 or -ENOMEM. */
static int write_block(struct packer *packer, uint64_t size, uint64_t digest, struct buffer *to)
{
    uint8_t head[BLOCK_HEAD_BYTES], *end = packer->scratch;
    const uint32_t *column = packer->columns;
    for (size_t at = 0; packer->rows && at < packer->row_bytes; at += 4, column += COLUMN_STRIDE)
        end = column_pack(end, column, packer->rows);
    head[BLOCK_VERSION] = BLOCK_FORMAT;
    head[BLOCK_KIND] = (uint8_t)packer->kind;
    store_le16(head + BLOCK_ROW_BYTES, (uint16_t)(packer->rows ? packer->row_bytes : 0));
    store_le32(head + BLOCK_ROW_COUNT, (uint32_t)packer->rows);
    store_le32(head + BLOCK_SIZE, (uint32_t)size);
    store_le32(head + BLOCK_RUNS, (uint32_t)packer->runs.size);
    store_le32(head + BLOCK_LITERALS, (uint32_t)packer->literals.size);
    store_le32(head + BLOCK_CHECK, (uint32_t)digest);
    size_t packed = (size_t)(end - packer->scratch);
    /* One allocation, of the exact size: blocks wait in memory to be written. */
    char *bytes = malloc(sizeof head + packer->runs.size + packer->literals.size + packed);
    if (!bytes || packer->runs.broken || packer->literals.broken) {
        free(bytes);
        return -ENOMEM;
    }
    *to = (struct buffer){
        .bytes = bytes,
        .capacity = sizeof head + packer->runs.size + packer->literals.size + packed};
    buffer_append(to, head, sizeof head);
    buffer_append(to, packer->runs.bytes, packer->runs.size);
    buffer_append(to, packer->literals.bytes, packer->literals.size);
    buffer_append(to, packer->scratch, packed);
    return 0;
}

/* Ends the block before `end`, a byte of those that are being packed, and delivers it. */
static int end_block(struct packer *packer, const uint8_t *end)
{
    struct packed_block block = {.start = packer->start, .rows = (uint32_t)packer->rows};
    uint64_t digest[2];
    uint8_t bytes[16];
    hash_add(&packer->hash, packer->unhashed, (size_t)(end - packer->unhashed));
    packer->unhashed = end;
    fold_tile(packer);
    end_run(packer);
    hash_finish(&packer->hash, digest);
    store_le64(bytes, digest[0]);
    store_le64(bytes + 8, digest[1]);
    hash_add(&packer->digests, bytes, sizeof bytes);
    block.size = packer->hash.size;
    int result = write_block(packer, block.size, digest[0], &block.bytes);
    packer->start += block.size;
    packer->rows = packer->runs.size = packer->literals.size = 0;
    hash_init(&packer->hash);
    return result < 0 ? result : packer->put(packer->closure, &block);
}

/* Appends a row that begins with `row`; the bytes before it are its header in a record. */
static int add_row(struct packer *packer, const uint8_t *row)
{
    if (packer->literals_before)
        end_run(packer);
    packer->rows_before++;
    packer->tile[packer->tile_rows++] = row;
    packer->rows++;
    if (packer->tile_rows == TILE_ROWS)
        fold_tile(packer);
    return packer->rows < BLOCK_ROWS ? 0 : end_block(packer, row + packer->row_bytes);
}

static int add_literal(struct packer *packer, const uint8_t *bytes, size_t size)
{
    packer->literals_before += size;
    buffer_append(&packer->literals, bytes, size);
    return packer->literals.size < LITERALS_ENOUGH ? 0 : end_block(packer, bytes + size);
}

/* ---- records --------------------------------------------------------------------------------- */

/* Begins another block before `at` if rows of this kind do not fit into the current one. */
static int choose_rows(struct packer *packer, enum block_rows kind, size_t row_bytes,
                       const uint8_t *at)
{
    int result = 0;
    if (packer->kind == kind && packer->row_bytes == row_bytes)
        return 0;
    if (packer->rows)
        result = end_block(packer, at);
    packer->kind = kind;
    packer->row_bytes = row_bytes;
    return result;
}

/* Bytes of the packets of a PACKETS record, each a row; 0: unknown. */
static size_t packet_bytes(const uint8_t *record, size_t size)
{
    if (size < TALLY_RECORD_HEADER_BYTES + PACKETS_BYTES)
        return 0;
    bool is_short = load_le32(record + TALLY_RECORD_HEADER_BYTES + PACKETS_FORMAT);
    return is_short ? 16 : 32;
}

static int add_packets(struct packer *packer, const uint8_t *record, size_t size, size_t row_bytes)
{
    size_t at = TALLY_RECORD_HEADER_BYTES + PACKETS_BYTES;
    int result = choose_rows(packer, BLOCK_ROWS_BARE, row_bytes, record);
    if (!result)
        result = add_literal(packer, record, at);
    for (; !result && size - at >= row_bytes; at += row_bytes)
        result = add_row(packer, record + at);
    return !result && size > at ? add_literal(packer, record + at, size - at) : result;
}

static int add_record(struct packer *packer, const uint8_t *record, size_t size)
{
    uint32_t type = load_le32(record + RECORD_TYPE);
    if (type == TALLY_RECORD_SAMPLE && !load_le16(record + RECORD_PAD) &&
        size == TALLY_RECORD_HEADER_BYTES + packer->report_bytes) {
        int result = choose_rows(packer, BLOCK_ROWS_SAMPLES, packer->report_bytes, record);
        return result ? result : add_row(packer, record + TALLY_RECORD_HEADER_BYTES);
    }
    size_t row_bytes = type == TALLY_RECORD_PACKETS ? packet_bytes(record, size) : 0;
    return row_bytes ? add_packets(packer, record, size, row_bytes)
                     : add_literal(packer, record, size);
}

/* Packs whole records or rows. Returns 0 or an error, and in *used the bytes that were packed. */
static int pack_whole(struct packer *packer, const uint8_t *bytes, size_t size, size_t *used)
{
    size_t at = 0;
    int result = 0;
    for (; !result && packer->is_raw && size - at >= packer->row_bytes; at += packer->row_bytes)
        result = add_row(packer, bytes + at);
    while (!result && !packer->is_raw && size - at >= TALLY_RECORD_HEADER_BYTES) {
        size_t record = packer->broken ? min_size(size - at, LITERALS_ENOUGH)
                                       : load_le16(bytes + at + RECORD_SIZE);
        packer->broken |= record < TALLY_RECORD_HEADER_BYTES;
        if (packer->broken) /* in pieces that do not depend on those that have arrived */
            break;
        if (record > size - at)
            break;
        result = add_record(packer, bytes + at, record);
        at += record;
    }
    while (!result && packer->broken && size > at) {
        size_t n = min_size(size - at, LITERALS_ENOUGH - packer->literals.size);
        result = add_literal(packer, bytes + at, n);
        at += n;
    }
    *used = at;
    return result;
}

/* Packs from `bytes`, which stay valid until the end of the call. */
static int pack_from(struct packer *packer, const uint8_t *bytes, size_t size, size_t *used)
{
    packer->unhashed = bytes;
    int result = pack_whole(packer, bytes, size, used);
    if (!result) {
        fold_tile(packer);
        hash_add(&packer->hash, packer->unhashed, (size_t)(bytes + *used - packer->unhashed));
    }
    return result;
}

int packer_add(struct packer *packer, const uint8_t *bytes, size_t size)
{
    size_t used = 0;
    int result = 0;
    struct buffer *rest = &packer->rest;
    /* Complete what was left, a record of at most 64 KiB; then pack from the caller's bytes. */
    while (rest->size && size && !result) {
        size_t n = min_size(size, rest->size < TALLY_RECORD_HEADER_BYTES
                                      ? TALLY_RECORD_HEADER_BYTES - rest->size
                                      : 4096);
        buffer_append(rest, bytes, n);
        if (rest->broken)
            return -ENOMEM;
        size_t before = rest->size - n;
        result = pack_from(packer, (const uint8_t *)rest->bytes, rest->size, &used);
        if (used > before) { /* continue where the packed bytes end */
            bytes += used - before;
            size -= used - before;
            rest->size = 0;
        } else {
            bytes += n;
            size -= n;
        }
    }
    if (result || !size)
        return result;
    result = pack_from(packer, bytes, size, &used);
    buffer_append(rest, bytes + used, size - used);
    return rest->broken ? -ENOMEM : result;
}

int packer_end(struct packer *packer)
{
    struct buffer *rest = &packer->rest;
    int result = 0;
    if (rest->size) {
        packer->unhashed = (const uint8_t *)rest->bytes;
        result = add_literal(packer, packer->unhashed, rest->size);
        if (!result)
            hash_add(&packer->hash, packer->unhashed,
                     (size_t)((const uint8_t *)rest->bytes + rest->size - packer->unhashed));
        packer->unhashed = (const uint8_t *)rest->bytes;
        rest->size = 0;
    }
    bool left = packer->rows || packer->literals.size;
    return result || !left ? result : end_block(packer, packer->unhashed);
}
