/* SPDX-License-Identifier: MIT */
/* Columns and blocks of stores, and dates. What needs a database is in tests/e2e/test_store.py. */
#include "testing.h"

#include <errno.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "store/block.h"
#include "store/column.h"
#include "store/store.h"

static uint64_t next(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* Words of a pattern. */
static void make_words(uint32_t *words, size_t count, unsigned pattern, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t random = (uint32_t)(next(state) << 16 ^ next(state));
        const uint32_t patterns[] = {
            0x12345678,
            (uint32_t)i * 1000,
            0xfffffff0 + (uint32_t)i,         /* wraps around */
            random,                           /* of 32 bits */
            i % 3 ? 7 : 0xffffffff,           /* two words */
            (uint32_t)(i * 100 + random % 8), /* a clock with jitter */
            i == count / 2 ? 0x80000000 : 0,  /* one that differs */
            UINT32_MAX - (uint32_t)i * 5,     /* decreases */
        };
        words[i] = patterns[pattern];
    }
}

static void test_columns(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 2, 3, 127, 128, 129, 130, 257, 1000, BLOCK_ROWS};
    static uint32_t words[BLOCK_ROWS], again[BLOCK_ROWS];
    static uint8_t bytes[COLUMN_BYTES_MAX(BLOCK_ROWS) + COLUMN_PADDING];
    uint64_t random = 1;
    for (size_t c = 0; c < COUNT(counts); c++) {
        for (unsigned pattern = 0; pattern < 8; pattern++) {
            make_words(words, counts[c], pattern, &random);
            const uint8_t *end = column_pack(bytes, words, counts[c]), *at = bytes;
            assert_true((size_t)(end - bytes) <= COLUMN_BYTES_MAX(counts[c]));
            memset(again, 0xa5, sizeof again);
            assert_true(column_unpack(&at, end, again, counts[c]));
            assert_ptr_equal(at, end);
            assert_memory_equal(again, words, counts[c] * sizeof *words);
            /* Every end that is too early is noticed. */
            for (const uint8_t *cut = bytes; cut < end; cut += 1 + (end - cut) / 8) {
                at = bytes;
                assert_false(column_unpack(&at, cut, again, counts[c]));
            }
        }
    }
}

/* How small columns become: docs/store.md states it, and the size of stores depends on it. */
static void test_column_sizes(void **state)
{
    (void)state;
    static const struct {
        unsigned line, pattern;
        size_t max; /* bytes of 4,096 words */
    } rows[] = {
        {__LINE__, 0, 5},          /* constant */
        {__LINE__, 1, 5 + 4 * 32}, /* a constant difference: 4 bytes a group */
        {__LINE__, 5, 4096 / 2 + 5 + 4 * 32},
        {__LINE__, 3, COLUMN_BYTES_MAX(4096)},
    };
    static uint32_t words[4096];
    static uint8_t bytes[COLUMN_BYTES_MAX(4096)];
    uint64_t random = 2;
    for (size_t i = 0; i < COUNT(rows); i++) {
        make_words(words, 4096, rows[i].pattern, &random);
        size_t size = (size_t)(column_pack(bytes, words, 4096) - bytes);
        ROW(rows[i].line, size <= rows[i].max, "%zu bytes, expected at most %zu", size,
            rows[i].max);
    }
    ROWS_DONE();
}

static void test_malformed_columns(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint8_t bytes[24];
        size_t size;
    } rows[] = {
        {__LINE__, {2, 0, 0, 0, 0}, 5},                                       /* unknown kind */
        {__LINE__, {0, 0, 0, 0}, 4},                                          /* no word */
        {__LINE__, {1, 0, 0, 0, 0}, 5},                                       /* no group */
        {__LINE__, {1, 0, 0, 0, 0, 33, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0}, 24}, /* too wide */
        {__LINE__, {1, 0, 0, 0, 0, 0x80, 0}, 7},                              /* an unknown bit */
        {__LINE__, {1, 0, 0, 0, 0, 0, 0x80}, 7}, /* a base without an end */
        {__LINE__, {1, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x1f}, 11}, /* a base of 33 bits */
        {__LINE__, {1, 0, 0, 0, 0, 32, 0, 1, 2, 3, 4, 5, 6, 7}, 14},      /* too few bits */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[24 + COLUMN_PADDING] = {0};
        uint32_t words[3];
        const uint8_t *at = bytes;
        memcpy(bytes, rows[i].bytes, sizeof rows[i].bytes);
        ROW(rows[i].line, !column_unpack(&at, bytes + rows[i].size, words, 3), "was unpacked");
    }
    ROWS_DONE();
}

/* ---- blocks ---------------------------------------------------------------------------------- */

struct packed {
    struct unpacker *unpacker;
    struct buffer bytes; /* unpacked again */
    size_t blocks, packed_bytes, rows;
    size_t stop_at; /* 0: never */
};

static int take_block(void *closure, struct packed_block *block)
{
    struct packed *packed = closure;
    struct tally_error error = {0};
    assert_int_equal(block->start, packed->bytes.size);
    assert_true(block->rows <= BLOCK_ROWS && block->size <= BLOCK_BYTES_MAX);
    assert_int_equal(unpacker_run(packed->unpacker, (const uint8_t *)block->bytes.bytes,
                                  block->bytes.size, &packed->bytes, &error),
                     0);
    assert_int_equal(packed->bytes.size, block->start + block->size);
    packed->blocks++;
    packed->packed_bytes += block->bytes.size;
    packed->rows += block->rows;
    buffer_fini(&block->bytes);
    return packed->blocks == packed->stop_at ? 77 : 0;
}

static void put_record(struct buffer *to, uint32_t type, size_t size, uint64_t *random)
{
    uint8_t header[8] = {0};
    store_le32(header, type);
    store_le16(header + 6, (uint16_t)size);
    buffer_append(to, header, sizeof header);
    for (size_t i = 8; i < size; i++)
        buffer_char(to, (char)next(random));
}

/* A recording: reports of 256 bytes, and other records, some of them with packets. */
static struct buffer make_recording(size_t records, bool valid, uint64_t *random)
{
    struct buffer recording = {0};
    for (size_t i = 0; i < records; i++) {
        uint64_t choice = next(random) % 100;
        if (choice < 90)
            put_record(&recording, TALLY_RECORD_SAMPLE, 264, random);
        else if (choice < 94) /* a report of another size */
            put_record(&recording, TALLY_RECORD_SAMPLE, 8 + next(random) % 100, random);
        else if (choice < 96)
            put_record(&recording, TALLY_RECORD_PACKETS, 8 + next(random) % 300, random);
        else
            put_record(&recording, 0x10000 + (uint32_t)choice, 8 + next(random) % 3000, random);
    }
    if (!valid)
        put_record(&recording, 1, 4, random); /* shorter than its header */
    for (size_t i = next(random) % 5000; !valid && i > 0; i--)
        buffer_char(&recording, (char)next(random));
    return recording;
}

/* Packs in pieces of at most `max` bytes. */
static int pack(const struct buffer *recording, enum tally_recording_kind kind, size_t max,
                struct packed *packed, char hash[BLOCK_HASH_BYTES], uint64_t *random)
{
    struct packer *packer = packer_new();
    const uint8_t *bytes = (const uint8_t *)recording->bytes;
    int result = 0;
    assert_non_null(packer);
    packed->unpacker = unpacker_new();
    packer_begin(packer, kind, 256, take_block, packed);
    for (size_t at = 0, n; !result && at < recording->size; at += n) {
        n = min_size(recording->size - at, 1 + next(random) % max);
        result = packer_add(packer, bytes + at, n);
    }
    if (!result)
        result = packer_end(packer);
    packer_hash(packer, hash);
    packer_free(packer);
    unpacker_free(packed->unpacker);
    return result;
}

static void test_recordings_are_packed_without_loss(void **state)
{
    (void)state;
    static const size_t pieces[] = {1 << 24, 70000, 300, 7};
    uint64_t random = 3;
    for (unsigned i = 0; i < random_cases(40); i++) {
        enum tally_recording_kind kind = i % 4 == 3 ? TALLY_KIND_RAW : TALLY_KIND_CONTAINER;
        struct buffer recording = make_recording(i % 10 ? i : 6000, i % 3, &random);
        char hash[BLOCK_HASH_BYTES], first[BLOCK_HASH_BYTES] = "";
        size_t blocks = 0;
        for (size_t p = 0; p < COUNT(pieces); p++) {
            struct packed packed = {0};
            assert_int_equal(pack(&recording, kind, pieces[p], &packed, hash, &random), 0);
            assert_int_equal(packed.bytes.size, recording.size);
            if (recording.size)
                assert_memory_equal(packed.bytes.bytes, recording.bytes, recording.size);
            /* Neither blocks nor hash depend on the pieces. */
            assert_true(!p || (packed.blocks == blocks && !strcmp(hash, first)));
            blocks = packed.blocks;
            strcpy(first, hash);
            buffer_fini(&packed.bytes);
        }
        if (recording.size) { /* the hash is that of all bytes */
            struct packed packed = {0};
            recording.bytes[next(&random) % recording.size] ^= 1;
            pack(&recording, kind, 5000, &packed, hash, &random);
            assert_string_not_equal(hash, first);
            buffer_fini(&packed.bytes);
        }
        buffer_fini(&recording);
    }
}

static void test_reports_become_rows(void **state)
{
    (void)state;
    uint64_t random = 4;
    struct buffer recording = {0};
    struct packed packed = {0};
    char hash[BLOCK_HASH_BYTES];
    for (size_t i = 0; i < BLOCK_ROWS + 10; i++) {
        uint8_t report[264] = {TALLY_RECORD_SAMPLE, 0, 0, 0, 0, 0, 8, 1};
        store_le32(report + 12, (uint32_t)i * 128);
        buffer_append(&recording, report, sizeof report);
    }
    assert_int_equal(pack(&recording, TALLY_KIND_CONTAINER, 1000, &packed, hash, &random), 0);
    assert_int_equal(packed.blocks, 2);
    assert_int_equal(packed.rows, BLOCK_ROWS + 10);
    assert_true(packed.packed_bytes < 1200);
    buffer_fini(&packed.bytes);
    packed = (struct packed){.stop_at = 1};
    assert_int_equal(pack(&recording, TALLY_KIND_CONTAINER, 1000, &packed, hash, &random), 77);
    assert_int_equal(packed.blocks, 1);
    buffer_fini(&packed.bytes);
    buffer_fini(&recording);
}

/* ---- dates ----------------------------------------------------------------------------------- */

static void test_dates(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *text, *expected; /* NULL: none */
    } rows[] = {
        {__LINE__, "2026-11-27", "2026-11-27T00:00:00Z"},
        {__LINE__, "2026-11-27T18:30", "2026-11-27T18:30:00Z"},
        {__LINE__, "2026-11-27T18:30Z", "2026-11-27T18:30:00Z"},
        {__LINE__, "2026-11-27T18:30:05", "2026-11-27T18:30:05Z"},
        {__LINE__, "2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
        {__LINE__, "2026-02-29", NULL},
        {__LINE__, "2026-13-01", NULL},
        {__LINE__, "2026-11-27Z", NULL},
        {__LINE__, "2026-11-27 18:30", NULL},
        {__LINE__, "2026-11-27T18:30:05+01:00", NULL},
        {__LINE__, "1969-12-31", NULL},
        {__LINE__, "yesterday", NULL},
        {__LINE__, "", NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char date[STORE_DATE_BYTES] = "";
        bool parsed = store_parse_date(rows[i].text, date);
        ROW(rows[i].line, rows[i].expected ? parsed && !strcmp(date, rows[i].expected) : !parsed,
            "%s: %s", rows[i].text, date);
    }
    ROWS_DONE();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_column_sizes),
        cmocka_unit_test(test_malformed_columns),
        cmocka_unit_test(test_recordings_are_packed_without_loss),
        cmocka_unit_test(test_reports_become_rows),
        cmocka_unit_test(test_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
