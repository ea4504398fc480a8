/* SPDX-License-Identifier: MIT */
/* Damaged input: everything before the fault is delivered, and the message has its offset. */
#include "build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"

/* Expects `message` in the error, with '@' standing for the offset in hexadecimal. */
static bool says(const struct reading *reading, const char *message, size_t offset)
{
    char expected[256], *to = expected;
    for (; *message && to < expected + sizeof expected - 32; message++) {
        if (*message == '@')
            to += sprintf(to, "0x%zx", offset);
        else
            *to++ = *message;
    }
    *to = '\0';
    return strstr(reading->error.message, expected) != NULL;
}

/* ---- one malformed record ------------------------------------------------------------------ */

#define SKIPS true
#define ENDS  false

/* A record of a Skylake recording: its header, and the actual number of payload bytes (0xee). It is
 * between reports, unless the input ends with it. */
static const struct {
    unsigned line;
    uint32_t type;
    unsigned size;
    unsigned payload;
    bool last;
    bool continues; /* the reports after it are delivered */
    const char *message;
} records[] = {
    /* Impossible sizes. */
    {__LINE__, TALLY_RECORD_SAMPLE, 0, 256, false, ENDS,
     "memory: record at offset @ has size 0, expected at least 8"},
    {__LINE__, TALLY_RECORD_SAMPLE, 1, 256, false, ENDS, "offset @ has size 1, expected"},
    {__LINE__, TALLY_RECORD_SAMPLE, 7, 256, false, ENDS, "offset @ has size 7, expected"},
    {__LINE__, TALLY_RECORD_REPORT_LOST, 0, 0, false, ENDS, "record at offset @ has size 0"},
    {__LINE__, 0, 0, 0, false, ENDS, "record at offset @ has size 0"},
    {__LINE__, 77, 0, 0, true, ENDS, "record at offset @ has size 0"},
    {__LINE__, TALLY_RECORD_PROVENANCE, 4, 0, false, ENDS, "record at offset @ has size 4"},
    {__LINE__, UINT32_MAX, 7, 0, true, ENDS, "record at offset @ has size 7"},

    /* Sizes that extend beyond the end. */
    {__LINE__, TALLY_RECORD_SAMPLE, 264, 255, true, ENDS,
     "memory: truncated: 263 bytes at offset @ are not a whole record"},
    {__LINE__, TALLY_RECORD_SAMPLE, 264, 0, true, ENDS, "truncated: 8 bytes at offset @"},
    {__LINE__, TALLY_RECORD_SAMPLE, 65535, 256, false, ENDS, "truncated: "},
    {__LINE__, TALLY_RECORD_TIMESTAMP_CORRELATION, 24, 15, true, ENDS, "truncated: 23 bytes"},
    {__LINE__, TALLY_RECORD_REPORT_LOST, 9, 0, true, ENDS, "truncated: 8 bytes at offset @"},
    {__LINE__, TALLY_RECORD_DEVICE_INFO, 344, 100, true, ENDS, "truncated: 108 bytes"},
    {__LINE__, TALLY_RECORD_PROVENANCE, 60000, 100, false, ENDS, "bytes at offset @ are not"},
    {__LINE__, 77, 65535, 100, true, ENDS, "truncated: 108 bytes at offset @"},

    /* SAMPLE with a wrong size. */
    {__LINE__, TALLY_RECORD_SAMPLE, 8, 0, false, ENDS,
     "SAMPLE record at offset @ has size 8, expected 264 (gen8/a32u40_a4u32_b8_c8)"},
    {__LINE__, TALLY_RECORD_SAMPLE, 72, 64, false, ENDS, "SAMPLE record at offset @ has size 72"},
    {__LINE__, TALLY_RECORD_SAMPLE, 256, 248, false, ENDS, "at offset @ has size 256, expected"},
    {__LINE__, TALLY_RECORD_SAMPLE, 263, 255, false, ENDS, "at offset @ has size 263, expected"},
    {__LINE__, TALLY_RECORD_SAMPLE, 265, 257, false, ENDS, "at offset @ has size 265, expected"},
    {__LINE__, TALLY_RECORD_SAMPLE, 584, 576, false, ENDS, "at offset @ has size 584, expected"},

    /* Loss records have no payload. */
    {__LINE__, TALLY_RECORD_REPORT_LOST, 16, 8, false, ENDS,
     "lost record at offset @ has size 16, expected 8"},
    {__LINE__, TALLY_RECORD_BUFFER_LOST, 9, 1, false, ENDS, "lost record at offset @ has size 9"},
    {__LINE__, TALLY_RECORD_BUFFER_LOST, 264, 256, false, ENDS, "lost record at offset @ has"},

    /* Correlation: two u64. */
    {__LINE__, TALLY_RECORD_TIMESTAMP_CORRELATION, 8, 0, false, ENDS,
     "TIMESTAMP_CORRELATION record at offset @ has size 8, expected 24"},
    {__LINE__, TALLY_RECORD_TIMESTAMP_CORRELATION, 16, 8, false, ENDS, "@ has size 16, expected"},
    {__LINE__, TALLY_RECORD_TIMESTAMP_CORRELATION, 23, 15, false, ENDS, "@ has size 23, expected"},
    {__LINE__, TALLY_RECORD_TIMESTAMP_CORRELATION, 32, 24, false, ENDS, "@ has size 32, expected"},

    /* Tally's own losses. */
    {__LINE__, TALLY_RECORD_LEDGER, 8, 0, false, ENDS,
     "LEDGER record at offset @ of size 8 and kind 4294967295, expected size 32 and kind 0 to 5, "
     "9"},
    {__LINE__, TALLY_RECORD_LEDGER, 24, 16, false, ENDS, "LEDGER record at offset @ of size 24"},
    {__LINE__, TALLY_RECORD_LEDGER, 40, 32, false, ENDS, "LEDGER record at offset @ of size 40"},
    {__LINE__, TALLY_RECORD_LEDGER, 32, 24, false, ENDS, "of size 32 and kind 4008636142"},

    /* A further DEVICE_INFO. */
    {__LINE__, TALLY_RECORD_DEVICE_INFO, 8, 0, false, ENDS,
     "DEVICE_INFO record at offset @ has size 8, expected 344"},
    {__LINE__, TALLY_RECORD_DEVICE_INFO, 336, 328, false, ENDS, "@ has size 336, expected 344"},
    {__LINE__, TALLY_RECORD_DEVICE_INFO, 352, 344, false, ENDS, "@ has size 352, expected 344"},
    {__LINE__, TALLY_RECORD_DEVICE_INFO, 344, 336, false, ENDS, "different DEVICE_INFO record"},

    /* Unknown types are skipped, and reported at the end. */
    {__LINE__, 0, 8, 0, false, SKIPS,
     "memory: record of unknown type 0 (8 bytes) at offset @ was skipped"},
    {__LINE__, 4, 16, 8, false, SKIPS, "record of unknown type 4 (16 bytes) at offset @ was"},
    {__LINE__, 5, 9, 1, false, SKIPS, "record of unknown type 5 (9 bytes) at offset @ was"},
    {__LINE__, 65535, 264, 256, false, SKIPS, "unknown type 65535 (264 bytes) at offset @"},
    {__LINE__, 65540, 1000, 992, false, SKIPS, "unknown type 65540 (1000 bytes) at offset @"},
    {__LINE__, 0x53ffffff, 8, 0, false, SKIPS, "unknown type 1409286143 (8 bytes) at offset @"},
    {__LINE__, 0x54010000, 8, 0, true, SKIPS, "unknown type 1409351680 (8 bytes) at offset @"},
    {__LINE__, UINT32_MAX, 65535, 65527, false, SKIPS, "unknown type 4294967295 (65535 bytes)"},
};

static void bad_record(void **state)
{
    (void)state;
    static uint8_t payload[65536];
    static const size_t counts[] = {0, 1, 5, 4097, 6000};
    memset(payload, 0xee, sizeof payload);
    for (size_t r = 0; r < ARRAY_COUNT(records); r++) {
        for (size_t c = 0; c < ARRAY_COUNT(counts); c++) {
            if (!is_sampled(r * ARRAY_COUNT(counts) + c))
                continue;
            size_t before = counts[c], behind = records[r].last ? 0 : 3;
            struct build build = build_start(SKL);
            struct reading reading, other;
            build_reports(&build, 100, 10, before);
            size_t offset = build.bytes.size;
            build_header(&build, records[r].type, records[r].size);
            buffer_append(&build.bytes, payload, records[r].payload);
            build_reports(&build, 100 + 10 * before, 10, behind);
            read_memory(&build, &reading);
            bool skips = records[r].continues;
            /* A recording whose description is damaged before the first report cannot be opened. */
            ROW_ASSERT(&records[r], reading.opened == 0);
            ROW_ASSERT(&records[r], reading.ended == -EBADMSG);
            ROW_ASSERT(&records[r], says(&reading, records[r].message, offset));
            ROW_ASSERT(&records[r], reading.count == before + (skips ? behind : 0));
            ROW_ASSERT(&records[r], reading.position == (skips ? build.bytes.size : offset));
            for (size_t i = 0; i < reading.count; i++)
                ROW_ASSERT(&records[r], reading.ticks[i] == 100 + 10 * i);
            ROW_ASSERT(&records[r], reading.loss_count == 1);
            ROW_ASSERT(&records[r], reading.losses[0].kind ==
                                        (skips ? TALLY_LOSS_SKIPPED : TALLY_LOSS_UNREADABLE));
            ROW_ASSERT(&records[r], reading.losses[0].offset == offset);
            ROW_ASSERT(&records[r], reading.losses[0].before_index == before);
            for (enum way way = BY_FILE; way < BY_COUNT; way++) {
                read_by(way, &build.bytes, NULL, &other);
                assert_same_reading(&reading, &other);
                reading_fini(&other);
            }
            reading_fini(&reading);
            build_fini(&build);
        }
    }
}

/* CPU time never decreases; it may stay the same. */
static void cpu_time_goes_back(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    for (enum way way = 0; way < BY_COUNT; way++) {
        build_fini(&build);
        build = build_start(SKL);
        build_correlation(&build, 5000, 100);
        build_report(&build, 110);
        build_correlation(&build, 5000, 120);
        build_report(&build, 130);
        size_t offset = build.bytes.size;
        build_correlation(&build, 4999, 140);
        build_report(&build, 150);
        read_by(way, &build.bytes, NULL, &reading);
        assert_int_equal(reading.ended, -EBADMSG);
        assert_true(says(&reading,
                         "TIMESTAMP_CORRELATION record at offset @: CPU time 4999 ns decreases, "
                         "expected at least 5000",
                         offset));
        assert_int_equal(reading.count, 2);
        assert_int_equal(reading.point_count, 2);
        reading_fini(&reading);
    }
    build_fini(&build);
}

/* The first unknown type is reported; a fault takes precedence. */
static void several_faults(void **state)
{
    (void)state;
    for (int fault = 0; fault < 2; fault++) {
        struct build build = build_start(SKL);
        struct reading reading;
        build_report(&build, 100);
        size_t first = build.bytes.size;
        build_record(&build, 500, "", 0);
        build_report(&build, 200);
        build_record(&build, 600, "", 0);
        build_report(&build, 300);
        size_t second = build.bytes.size;
        if (fault)
            build_header(&build, 9, 3);
        read_memory(&build, &reading);
        assert_int_equal(reading.ended, -EBADMSG);
        assert_int_equal(reading.count, 3);
        assert_int_equal(reading.totals.unknown_records, 2);
        assert_int_equal(records_of(&reading, TALLY_LOSS_SKIPPED), 2);
        assert_int_equal(records_of(&reading, TALLY_LOSS_UNREADABLE), fault);
        if (fault)
            assert_true(says(&reading, "record at offset @ has size 3", second));
        else
            assert_true(says(&reading, "unknown type 500 (8 bytes) at offset @ was", first));
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* The padding of a header is ignored. */
static void header_padding(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    build_report(&build, 100);
    size_t offset = build.bytes.size;
    build_report(&build, 200);
    store_le16(build.bytes.bytes + offset + 4, 0xabcd);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 2);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- inputs that do not open --------------------------------------------------------------- */

static const struct {
    unsigned line;
    const char *bytes;
    size_t size;
    const char *message;
} beginnings[] = {
    {__LINE__, "", 0, "memory: empty, expected a recording"},
    {__LINE__, "\0", 1, "memory: 1 bytes, expected a record header of 8 at offset 0"},
    {__LINE__, "\0\0\1", 3, "3 bytes, expected a record header"},
    {__LINE__, "\0\0\1\0\0\0\x10", 7, "7 bytes, expected a record header"},
    {__LINE__, "\0\0\0\0\0\0\0\0", 8, "not a recording: record type 0, size 0 at offset 0x0"},
    {__LINE__, "\0\0\1\0\0\0\0\0", 8, "not a recording: record type 65536, size 0 at offset 0x0"},
    {__LINE__, "\0\0\1\0\0\0\7\0", 8, "record type 65536, size 7 at offset 0x0, expected VERSION"},
    {__LINE__, "\0\0\1\0\0\0\x10\0", 8, "no DEVICE_INFO record"},
    {__LINE__, "\0\0\1\0\0\0\x10\0\1\0\0\0\0\0\0\0", 16, "no DEVICE_INFO record, expected one"},
    {__LINE__, "\0\0\1\0\0\0\x10\0\1\0\0\0\0\0\0\0\1\0\1\0\0\0\0\0", 24, "no DEVICE_INFO record"},
    {__LINE__, "\1\0\1\0\0\0\x08\0", 8,
     "DEVICE_INFO record at offset 0x0 has size 8, expected 344"},
    {__LINE__, "\1\0\1\0\0\0\x58\1", 8, "DEVICE_INFO record at offset 0x0 is cut short"},
    {__LINE__, "\4\0\1\0\0\0\x08\0", 8, "not a recording: record type 65540, size 8"},
    {__LINE__, "\0\0\1\0\1\0\x10\0", 8, "not a recording: record type 65536, size 16"},
    {__LINE__, "<?xml version=\"1.0\"?>", 21, "not a recording: record type 1836597052"},
    {__LINE__,
     "\x7f"
     "ELF\2\1\1\0\0\0",
     10, "not a recording: record type 1179403647, size 1"},
};

static void bad_beginning(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(beginnings); r++) {
        struct buffer bytes = {0};
        buffer_append(&bytes, beginnings[r].bytes, beginnings[r].size);
        for (enum way way = 0; way < BY_COUNT; way++) {
            struct reading reading;
            read_by(way, &bytes, NULL, &reading);
            ROW_ASSERT(&beginnings[r], reading.opened == -EBADMSG);
            ROW_ASSERT(&beginnings[r], reading.error.code == -EBADMSG);
            ROW_ASSERT(&beginnings[r],
                       way != BY_MEMORY || strstr(reading.error.message, beginnings[r].message));
            reading_fini(&reading);
        }
        buffer_fini(&bytes);
    }
}

/* ---- random bytes -------------------------------------------------------------------------- */

#define MEGABYTE ((size_t)1 << 20)

static void fill_random(struct buffer *bytes, size_t size, uint64_t seed)
{
    struct random random = random_start(seed);
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = random_next(&random);
        buffer_append(bytes, &word, 8);
    }
}

/* A megabyte of random bytes, opened as each kind: an error, or reports of those bytes. */
static void noise(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= random_cases(8); seed++) {
        struct buffer bytes = {0};
        fill_random(&bytes, MEGABYTE, seed);
        for (enum tally_recording_kind kind = TALLY_KIND_AUTO; kind <= TALLY_KIND_RAW; kind++) {
            for (enum gpu_kind gpu = HSW; gpu < GPU_COUNT; gpu++) {
                const struct tally_layout *layout = tally_layout_find(gpus[gpu].layout);
                struct tally_recording_options options = {
                    .kind = kind, .layout = layout, .keep_unsorted = seed % 2};
                struct reading reading;
                read_by(seed % BY_COUNT, &bytes, &options, &reading);
                if (kind == TALLY_KIND_CONTAINER) {
                    assert_int_equal(reading.opened, -EBADMSG);
                    assert_non_null(strstr(reading.error.message, "no DEVICE_INFO record"));
                } else if (kind == TALLY_KIND_STREAM) {
                    assert_int_equal(reading.opened, 0);
                    assert_int_equal(reading.ended, -EBADMSG);
                    assert_int_equal(reading.count, 0);
                    assert_non_null(strstr(reading.error.message, " at offset 0x"));
                } else {
                    assert_int_equal(reading.opened, 0);
                    assert_int_equal(reading.info.kind, TALLY_KIND_RAW);
                    assert_memory_equal(reading.reports.bytes, bytes.bytes, reading.reports.size);
                    bool all = options.keep_unsorted && MEGABYTE % layout->size_bytes == 0;
                    assert_int_equal(reading.ended, all ? 0 : -EBADMSG);
                    assert_true(all || strstr(reading.error.message, " at offset 0x"));
                    if (options.keep_unsorted)
                        assert_int_equal(reading.count, MEGABYTE / layout->size_bytes);
                }
                reading_fini(&reading);
            }
        }
        struct reading reading;
        read_by(BY_MEMORY, &bytes, NULL, &reading);
        assert_int_equal(reading.opened, -EBADMSG);
        assert_true(says(&reading, "at offset @, expected VERSION (65536)", 0));
        reading_fini(&reading);
        buffer_fini(&bytes);
    }
}

/* Random bytes after a valid beginning: the beginning is delivered. */
static void noise_behind(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= random_cases(40); seed++) {
        struct build build = build_start(seed % GPU_COUNT);
        struct reading reading;
        build_reports(&build, 100, 10, 100);
        size_t good = build.bytes.size;
        fill_random(&build.bytes, MEGABYTE, seed);
        read_by(seed % BY_COUNT, &build.bytes, NULL, &reading);
        assert_int_equal(reading.opened, 0);
        assert_int_equal(reading.ended, -EBADMSG);
        assert_true(reading.count >= 100);
        assert_true(reading.position >= good);
        for (size_t i = 0; i < 100; i++)
            assert_int_equal(reading.ticks[i], 100 + 10 * i);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- changed bytes ------------------------------------------------------------------------- */

/* One byte is changed: every report that ends before it is delivered. */
static void one_byte(void **state)
{
    (void)state;
    struct build build = build_start(HSW_SMALL);
    const size_t start = build.bytes.size;
    for (unsigned i = 0; i < 6; i++) {
        build_report(&build, 1000 + 100 * i);
        if (i % 2)
            build_correlation(&build, 1000 * i, 1050 + 100 * i);
        else
            build_lost(&build, 2 + i / 2 % 2, 1);
    }
    static const uint8_t changes[] = {0x01, 0x80, 0xff, 0x10};
    for (size_t at = 0; at < build.bytes.size; at++) {
        for (size_t c = 0; c < ARRAY_COUNT(changes); c++) {
            struct reading reading;
            size_t sure = 0;
            for (size_t record = start; record < build.bytes.size;) {
                size_t size = load_le16(build.bytes.bytes + record + 6);
                sure += load_le32(build.bytes.bytes + record) == 1 && record + size <= at;
                record += size;
            }
            build.bytes.bytes[at] = (char)(build.bytes.bytes[at] ^ changes[c]);
            read_by((at + c) % BY_COUNT, &build.bytes, NULL, &reading);
            build.bytes.bytes[at] = (char)(build.bytes.bytes[at] ^ changes[c]);
            if (at >= start)
                assert_int_equal(reading.opened, 0);
            if (reading.opened == 0) {
                assert_true(reading.count >= sure);
                for (size_t i = 0; i < sure; i++)
                    assert_int_equal(reading.ticks[i], 1000 + 100 * i);
                /* No report is missing without an entry. */
                if (at >= start && reading.count < 6 && !(reading.ended < 0 && reading.loss_count))
                    fail_msg("byte %zu changed by 0x%02x: %zu reports and no word of the others",
                             at, changes[c], reading.count);
            }
            reading_fini(&reading);
        }
    }
    build_fini(&build);
}

/* Random damage to random recordings. */
static void random_damage(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= random_cases(3000); seed++) {
        struct random random = random_start(seed);
        struct build build = build_start((enum gpu_kind)random_below(&random, GPU_COUNT));
        struct reading reading;
        uint64_t time = 1000;
        for (uint64_t i = random_below(&random, 20); i; i--) {
            build_report(&build, time += 100);
            if (random_below(&random, 3) == 0)
                build_correlation(&build, time * 30, time);
            if (random_below(&random, 5) == 0)
                build_lost(&build, TALLY_RECORD_REPORT_LOST, 2);
        }
        for (uint64_t i = 1 + random_below(&random, 4); i; i--) {
            size_t at = random_below(&random, build.bytes.size);
            if (random_below(&random, 2))
                build.bytes.bytes[at] = (char)random_next(&random);
            else
                build.bytes.size = at + 1;
        }
        read_by((enum way)random_below(&random, BY_COUNT), &build.bytes, NULL, &reading);
        if (reading.opened == 0 && reading.ended < 0)
            assert_true(reading.loss_count > 0);
        reading_fini(&reading);
        build_fini(&build);
    }
}

int test_malformed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_record),     cmocka_unit_test(cpu_time_goes_back),
        cmocka_unit_test(several_faults), cmocka_unit_test(header_padding),
        cmocka_unit_test(bad_beginning),  cmocka_unit_test(noise),
        cmocka_unit_test(noise_behind),   cmocka_unit_test(one_byte),
        cmocka_unit_test(random_damage),
    };
    return cmocka_run_group_tests_name("recording: malformed", tests, NULL, NULL);
}
