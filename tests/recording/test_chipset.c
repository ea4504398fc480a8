/* SPDX-License-Identifier: MIT */
/* Recordings of NVIDIA GPUs: the records CHIPSET and SIGNALS, reports, losses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tally/chipset.h>

#include "build.h"
#include "recording/chipset.h"
#include "recording/format.h"
#include "suites.h"

#define PERIOD UINT64_C(1000000)

static const struct tally_recorded_domain domains[] = {
    {1, 0, 567000000}, {3, 0, 1400000000}, {5, 0, 0}};
static const struct tally_recorded_chipset g92 = {0x092100a2, 0x0611, domains, 3};
static const struct tally_recorded_signal signals[] = {
    {"GR_IDLE", "PGRAPH.IDLE", 0, 0, 0},
    {"BUSY", "!PGRAPH.IDLE && A | B", 0, 2, 0},
    {"QUADS", "sum(A, B, C, D)", 4, 2, 1},
};
static const struct tally_recorded_clock clocks[] = {{0, 1, 0}, {1, 3, TALLY_ALL_INSTANCES}};
static const struct tally_recorded_signals two_passes = {signals, 3, clocks, 2, 2};

/* ---- building -------------------------------------------------------------------------------- */

static struct tally_device_info info_of_g92(uint32_t format)
{
    return (struct tally_device_info){
        .timestamp_hz = NS_PER_SECOND,
        .device_id = 0x0611,
        .revision = 0xa2,
        .oa_format = format,
        .set_name = "overview",
    };
}

static struct build start_at(uint32_t format)
{
    struct build build = build_empty(SKL);
    struct tally_device_info info = info_of_g92(format);
    build.layout =
        tally_layout_find(format == TALLY_FORMAT_SELECT ? "pcounter/a32_c32" : "pcounter/a64_c64");
    build_version(&build, 1);
    build_device_info(&build, &info);
    return build;
}

static struct build start_g92(void)
{
    struct build build = start_at(TALLY_FORMAT_SELECT);
    chipset_record_put(&build.bytes, "g92", &g92);
    signals_record_put(&build.bytes, &two_passes);
    return build;
}

static void put_report(struct build *build, uint64_t stamp)
{
    uint64_t slots[TALLY_SLOT_COUNT] = {
        [TALLY_SLOT_ID] = TALLY_REASON_TIMER, [TALLY_SLOT_TIMESTAMP] = stamp};
    uint8_t bytes[1088];
    for (unsigned i = 0; i < 64; i++)
        slots[TALLY_SLOT_A + i] = slots[TALLY_SLOT_PEC + i] = stamp * (i + 1);
    tally_report_pack(build->layout, slots, bytes);
    build_record(build, TALLY_RECORD_SAMPLE, bytes, build->layout->size_bytes);
    build->reports++;
}

static void put_reports(struct build *build, uint64_t stamp, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put_report(build, stamp + i * PERIOD);
}

/* ---- what is read ---------------------------------------------------------------------------- */

static void describes(void **state)
{
    (void)state;
    struct build build = start_g92();
    struct tally_recording *recording;
    struct tally_error error = {0};
    put_reports(&build, UINT64_C(0x123456789abcdef0), 3);
    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "f", NULL,
                                                 &recording, &error),
                     0);
    const struct tally_recording_info *info = tally_recording_info(recording);
    assert_ptr_equal(info->device.nvidia, tally_chipset_find("g92"));
    assert_null(info->device.platform);
    assert_int_equal(info->device.id, 0x0611);
    assert_string_equal(info->device.chipset, "g92");
    assert_string_equal(tally_device_name(&info->device), "g92");
    assert_string_equal(tally_device_title(&info->device), "G92");
    assert_int_equal(info->topology.eus, 0);
    assert_int_equal(info->chipset->boot0, 0x092100a2);
    assert_int_equal(info->chipset->domain_count, 3);
    assert_memory_equal(info->chipset->domains, domains, sizeof domains);
    assert_int_equal(info->signals->passes, 2);
    assert_int_equal(info->signals->count, 3);
    assert_int_equal(info->signals->clock_count, 2);
    for (size_t i = 0; i < 3; i++) {
        const struct tally_recorded_signal *signal = &info->signals->signals[i];
        assert_string_equal(signal->symbol, signals[i].symbol);
        assert_string_equal(signal->expression, signals[i].expression);
        assert_int_equal(signal->bits, signals[i].bits);
        assert_int_equal(signal->slot, signals[i].slot);
        assert_int_equal(signal->clock, signals[i].clock);
    }
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(info->signals->clocks[i].pass, clocks[i].pass);
        assert_int_equal(info->signals->clocks[i].domain, clocks[i].domain);
        assert_int_equal(info->signals->clocks[i].instance, clocks[i].instance);
    }
    tally_recording_close(recording);
    build_fini(&build);
}

/* Reports, times of 64 bits, and reasons; no context. In every way of reading. */
static void reports(void **state)
{
    (void)state;
    struct build build = start_g92();
    struct reading first, reading;
    const uint64_t start = UINT64_C(0x123456789abcdef0);
    build_correlation(&build, 5000, start & 0xfffffffff);
    put_reports(&build, start, 50);
    build_correlation(&build, 5000 + 50 * PERIOD, (start + 50 * PERIOD) & 0xfffffffff);
    read_by(BY_MEMORY, &build.bytes, NULL, &first);
    assert_int_equal(first.ended, 0);
    assert_int_equal(first.count, 50);
    for (size_t i = 0; i < first.count; i++) {
        assert_true(first.ticks[i] == start + i * PERIOD);
        assert_int_equal(first.reasons[i], TALLY_REASON_TIMER);
        assert_int_equal(first.contexts[i], TALLY_CONTEXT_IDLE);
        assert_true(i + 1 == first.count || first.states[i] == TALLY_STATE_OK);
    }
    assert_int_equal(first.loss_count, 0);
    assert_int_equal(first.point_count, 2);
    assert_true(first.points[0].gpu_ticks == start);
    for (enum way way = BY_INDEX; way < BY_COUNT; way++) {
        read_by(way, &build.bytes, NULL, &reading);
        assert_same_reading(&first, &reading);
        reading_fini(&reading);
    }
    reading_fini(&first);
    build_fini(&build);
}

/* Software makes the reports: a late one is no gap, whatever the period. */
static void late_reports(void **state)
{
    (void)state;
    struct build build = start_g92();
    struct reading reading;
    uint8_t stream[STREAM_BYTES] = {0};
    store_le64(stream + STREAM_TIMER, PERIOD);
    build_record(&build, TALLY_RECORD_STREAM, stream, sizeof stream);
    put_reports(&build, PERIOD, 40);
    put_reports(&build, 100 * PERIOD, 40);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.loss_count, 0);
    assert_int_equal(reading.totals.lost_deltas, 0);
    reading_fini(&reading);
    build_fini(&build);
}

static const struct {
    unsigned line;
    enum tally_loss_kind kind;
    const char *name;
    bool is_lost;
} kinds[] = {
    {__LINE__, TALLY_LOSS_OVERFLOW, "counter-overflow", true},
    {__LINE__, TALLY_LOSS_PERIOD, "period-lost", true},
    {__LINE__, TALLY_LOSS_WEDGED, "domain-wedged", true},
    {__LINE__, TALLY_LOSS_PACKETS, "packets-dropped", true},
    {__LINE__, TALLY_LOSS_RESTART, "restart", true},
};

static void losses(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(kinds); r++) {
        struct build build = start_g92();
        struct reading reading;
        put_reports(&build, PERIOD, 2);
        for (uint32_t clock = 0; clock < 3; clock++)
            for (unsigned times = 0; times < 2; times++)
                ledger_put(&build.bytes, &(struct tally_loss){
                                             .kind = kinds[r].kind, .records = 2, .clock = clock});
        put_reports(&build, 9 * PERIOD, 2);
        read_memory(&build, &reading);
        ROW_ASSERT(&kinds[r], !strcmp(tally_loss_kind_name(kinds[r].kind), kinds[r].name));
        ROW_ASSERT(&kinds[r], reading.ended == 0);
        ROW_ASSERT(&kinds[r], reading.loss_count == 3); /* one for each clock */
        for (uint32_t clock = 0; clock < 3; clock++) {
            const struct tally_loss *loss = &reading.losses[clock];
            ROW_ASSERT(&kinds[r], loss->kind == kinds[r].kind);
            ROW_ASSERT(&kinds[r], loss->records == 4);
            ROW_ASSERT(&kinds[r], loss->clock == clock);
            ROW_ASSERT(&kinds[r], loss->before_index == 2);
            ROW_ASSERT(&kinds[r], loss->gpu_start == 2 * PERIOD);
            ROW_ASSERT(&kinds[r], loss->gpu_end == 9 * PERIOD);
            ROW_ASSERT(&kinds[r], loss->estimated == 0);
        }
        ROW_ASSERT(&kinds[r], reading.states[0] == TALLY_STATE_OK);
        ROW_ASSERT(&kinds[r],
                   reading.states[1] == (kinds[r].is_lost ? TALLY_STATE_LOST : TALLY_STATE_OK));
        ROW_ASSERT(&kinds[r], reading.states[2] == TALLY_STATE_OK);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* Metadata may be in any order, and after the reports of a file. */
static void any_order(void **state)
{
    (void)state;
    struct tally_device_info info = info_of_g92(TALLY_FORMAT_SELECT);
    for (unsigned order = 0; order < 3; order++) {
        struct build build = build_empty(SKL);
        struct reading reading;
        build.layout = tally_layout_find("pcounter/a32_c32");
        build_version(&build, 1);
        if (order == 0)
            put_reports(&build, PERIOD, 4);
        signals_record_put(&build.bytes, &two_passes);
        chipset_record_put(&build.bytes, "G92", &g92);
        if (order == 1)
            put_reports(&build, PERIOD, 4);
        build_device_info(&build, &info);
        if (order == 2)
            put_reports(&build, PERIOD, 4);
        read_memory(&build, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.count, 4);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* ---- malformed records ----------------------------------------------------------------------- */

/* A valid pair of records with one change: `bytes` at an offset of the payload of a record. */
enum victim { CHIPSET, SIGNALS };
static const struct {
    unsigned line;
    enum victim record;
    size_t at, bytes;
    uint64_t value;
    const char *message;
} changes[] = {
    {__LINE__, CHIPSET, 0, 1, 'x', "CHIPSET record at offset 0x168: unknown chipset \"x92\""},
    {__LINE__, CHIPSET, CHIPSET_DOMAIN_COUNT, 4, 2, "domains, expected 16 bytes a domain"},
    {__LINE__, CHIPSET, CHIPSET_DOMAIN_COUNT, 4, 0x10000003, "domains, expected 16 bytes"},
    {__LINE__, CHIPSET, CHIPSET_DOMAINS, 2, 8, "domain 8, which G92 does not have"},
    {__LINE__, SIGNALS, SIGNALS_COUNT, 2, 0, "0 signals"},
    {__LINE__, SIGNALS, SIGNALS_COUNT, 2, 65, "65 signals"},
    {__LINE__, SIGNALS, SIGNALS_COUNT, 2, 2, "bytes after the last signal"},
    {__LINE__, SIGNALS, SIGNALS_COUNT, 2, 4, "signal 3 is cut short"},
    {__LINE__, SIGNALS, SIGNALS_CLOCK_COUNT, 2, 0, "0 clocks"},
    {__LINE__, SIGNALS, SIGNALS_CLOCK_COUNT, 2, 65, "65 clocks"},
    {__LINE__, SIGNALS, SIGNALS_CLOCK_COUNT, 2, 40, "40 clocks"},
    {__LINE__, SIGNALS, SIGNALS_PASSES, 2, 0, "0 passes"},
    {__LINE__, SIGNALS, SIGNALS_PASSES, 2, 65, "65 passes"},
    {__LINE__, SIGNALS, SIGNALS_PASSES, 2, 1, "clock 1 in pass 1, expected a pass below 1"},
    {__LINE__, SIGNALS, SIGNALS_CLOCKS + SIGNALS_CLOCK_DOMAIN, 1, 9, "clock 0 of domain 9"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_BITS, 1, 7, "signal 0 has 7 bits"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_SLOT, 1, 4, "and slot 4, expected at most 6 and 3"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_CLOCK, 1, 2, "signal 0 with clock 2, expected one"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_SYMBOL, 2, 0, "texts of 0 and 11 bytes"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_SYMBOL, 2, 64, "texts of 64 and 11 bytes"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_EXPRESSION, 2, 256, "texts of 7 and 256 bytes"},
    {__LINE__, SIGNALS, 24 + SIGNALS_SIGNAL_EXPRESSION, 2, 200, "texts of 7 and 200 bytes"},
    {__LINE__, SIGNALS, 32, 1, 7, "the texts of signal 0 are not printable"},
    {__LINE__, SIGNALS, 32 + 8, 1, 0x80, "the texts of signal 0 are not printable"},
    {__LINE__, SIGNALS, 32 + 24 + 8, 4, 0x59535542, NULL}, /* "BUSY" as before */
};

static void malformed(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(changes); r++) {
        struct build build = start_g92();
        struct reading reading;
        put_reports(&build, PERIOD, 3);
        uint8_t *payload = (uint8_t *)build.bytes.bytes + 16 + 344 + TALLY_RECORD_HEADER_BYTES;
        if (changes[r].record == SIGNALS)
            payload += load_le16(payload - TALLY_RECORD_HEADER_BYTES + RECORD_SIZE);
        for (size_t i = 0; i < changes[r].bytes; i++)
            payload[changes[r].at + i] = (uint8_t)(changes[r].value >> 8 * i);
        read_memory(&build, &reading);
        if (changes[r].message) {
            ROW_ASSERT(&changes[r], reading.opened == -EBADMSG);
            if (!strstr(reading.error.message, changes[r].message))
                fail_msg("line %u: %s", changes[r].line, reading.error.message);
        } else {
            ROW_ASSERT(&changes[r], reading.opened == 0);
        }
        reading_fini(&reading);
        build_fini(&build);
    }
}

static void missing_and_twice(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *records; /* C, S, T: topology */
        const char *message;
    } rows[] = {
        {__LINE__, "C", "a CHIPSET record without a SIGNALS record"},
        {__LINE__, "S", "a SIGNALS record without a CHIPSET record"},
        {__LINE__, "", "unknown PCI device 0x0611"},
        {__LINE__, "CCS", "a second CHIPSET record at offset 0x1c0"},
        {__LINE__, "CSS", "a second SIGNALS record at offset"},
        {__LINE__, "CST", "DEVICE_TOPOLOGY record at offset"},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = start_at(TALLY_FORMAT_SELECT);
        struct reading reading;
        for (const char *record = rows[r].records; *record; record++) {
            if (*record == 'C')
                chipset_record_put(&build.bytes, "g92", &g92);
            else if (*record == 'S')
                signals_record_put(&build.bytes, &two_passes);
            else
                build_topology(&build);
        }
        put_reports(&build, PERIOD, 2);
        read_memory(&build, &reading);
        ROW_ASSERT(&rows[r], reading.opened == -EBADMSG);
        if (!strstr(reading.error.message, rows[r].message))
            fail_msg("line %u: %s", rows[r].line, reading.error.message);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* A layout with 32 signals does not hold 33, and formats of Intel's are not those of a chipset. */
static void layouts(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t format;
        size_t count;
        const char *message;
    } rows[] = {
        {__LINE__, TALLY_FORMAT_SELECT, 32, NULL},
        {__LINE__, TALLY_FORMAT_SELECT, 33, "33 signals are not in reports of pcounter/a32_c32"},
        {__LINE__, TALLY_FORMAT_SELECT + 1, 33, NULL},
        {__LINE__, TALLY_FORMAT_SELECT + 1, 64, NULL},
        {__LINE__, TALLY_FORMAT_SELECT + 2, 1, "is not one of G92"},
        {__LINE__, 5, 1, "OA format 5 is not one of G92"},
        {__LINE__, 0, 1, "OA format 0 is not one of G92"},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        struct build build = start_at(rows[r].format);
        struct tally_recorded_signal many[64];
        char symbols[64][8];
        struct reading reading;
        for (size_t i = 0; i < rows[r].count; i++) {
            snprintf(symbols[i], sizeof symbols[i], "S%zu", i);
            many[i] = (struct tally_recorded_signal){.symbol = symbols[i], .expression = "1"};
        }
        chipset_record_put(&build.bytes, "g92", &g92);
        signals_record_put(&build.bytes,
                           &(struct tally_recorded_signals){many, rows[r].count, clocks, 1, 1});
        put_reports(&build, PERIOD, 3);
        read_memory(&build, &reading);
        ROW_ASSERT(&rows[r], reading.opened == (rows[r].message ? -EBADMSG : 0));
        ROW_ASSERT(&rows[r], !rows[r].message || strstr(reading.error.message, rows[r].message));
        ROW_ASSERT(&rows[r], rows[r].message || reading.count == 3);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* Every length of a file is read up to its last whole record, without another error than that it is
 * truncated. */
static void truncated(void **state)
{
    (void)state;
    struct build build = start_g92();
    put_reports(&build, PERIOD, 2);
    for (size_t size = 0; size < build.bytes.size; size++) {
        struct buffer part = {.bytes = build.bytes.bytes, .size = size};
        struct reading reading;
        read_by(BY_MEMORY, &part, NULL, &reading);
        size_t reports_at = build.bytes.size - 2 * (8 + 576);
        assert_true(reading.opened == (size < reports_at ? reading.opened : 0));
        if (reading.opened == 0 && size >= reports_at)
            assert_int_equal(reading.count, (size - reports_at) / (8 + 576));
        reading_fini(&reading);
    }
    build_fini(&build);
}

/* The records of the public writer are the same. */
static void writes(void **state)
{
    (void)state;
    struct tally_device_info info = info_of_g92(TALLY_FORMAT_SELECT);
    struct tally_loss loss = {.kind = TALLY_LOSS_WEDGED, .records = 3, .clock = 2};
    struct build build = start_g92();
    struct tally_recorder *recorder;
    struct buffer nothing = {0};
    char path[32], written[4096];
    int fd;
    ledger_put(&build.bytes, &loss);
    make_file(&nothing, path, &fd);
    assert_int_equal(tally_recorder_new(fd, &info, NULL, 0, &recorder, NULL), 0);
    assert_int_equal(tally_recorder_chipset(recorder, "g92", &g92, &two_passes, NULL), 0);
    assert_int_equal(tally_recorder_loss(recorder, &loss, NULL), 0);
    assert_int_equal(tally_recorder_flush(recorder, NULL), 0);
    tally_recorder_free(recorder);
    assert_int_equal(pread(fd, written, sizeof written, 0), build.bytes.size);
    assert_memory_equal(written, build.bytes.bytes, build.bytes.size);
    close(fd);
    build_fini(&build);
}

int test_chipset(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(describes),         cmocka_unit_test(reports),
        cmocka_unit_test(late_reports),      cmocka_unit_test(losses),
        cmocka_unit_test(any_order),         cmocka_unit_test(malformed),
        cmocka_unit_test(missing_and_twice), cmocka_unit_test(layouts),
        cmocka_unit_test(truncated),         cmocka_unit_test(writes),
    };
    return cmocka_run_group_tests_name("recording: chipset", tests, NULL, NULL);
}
