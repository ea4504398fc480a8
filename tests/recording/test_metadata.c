/* SPDX-License-Identifier: MIT */
/* The metadata of a recording, and the options that replace it. */
#include "build.h"

#include <errno.h>
#include <string.h>

#include "recording/format.h"
#include "suites.h"

/* ---- places of the records ----------------------------------------------------------------- */

/* A recorder that dumps a ring may write its description after the reports. */
static void description_last(void **state)
{
    (void)state;
    static const size_t counts[] = {1, 900, 5000}; /* 264 bytes each: below and above 256 KiB */
    for (size_t c = 0; c < ARRAY_COUNT(counts); c++) {
        struct build build = build_empty(SKL);
        build_version(&build, 1);
        build_reports(&build, 100, 10, counts[c]);
        build_topology(&build);
        build_device(&build);
        build_record(&build, TALLY_RECORD_PROVENANCE, "late", 4);
        build_reports(&build, 100000000, 10, 2);
        for (enum way way = 0; way < BY_COUNT; way++) {
            struct reading reading;
            read_by(way, &build.bytes, NULL, &reading);
            if (way == BY_PIPE) {
                /* In a pipe the description comes too late, since earlier bytes are not kept. */
                assert_int_equal(reading.opened, -EBADMSG);
                assert_non_null(strstr(reading.error.message, "no DEVICE_INFO record, expected "
                                                              "one before the first report"));
            } else {
                assert_int_equal(reading.opened, 0);
                assert_int_equal(reading.ended, 0);
                assert_true(reading.info.has_topology);
                assert_int_equal(reading.info.device.id, 0x1912);
                assert_int_equal(reading.count, counts[c] + 2);
            }
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* The topology alone may also follow the reports; without it the common configuration is assumed.
 */
static void topology_last(void **state)
{
    (void)state;
    for (enum way way = 0; way < BY_COUNT; way++) {
        struct build build = build_empty(SKL);
        struct reading reading;
        uint8_t payload[20] = {0};
        static const uint16_t header[8] = {0, 1, 2, 8, 1, 1, 2, 1}; /* 1 x 2 x 8 */
        for (size_t i = 0; i < 8; i++)
            store_le16(payload + 2 * i, header[i]);
        memcpy(payload + 16, "\1\3\x7f\x3f", 4);
        build_version(&build, 1);
        build_device(&build);
        build_reports(&build, 100, 10, 3000);
        build_record(&build, TALLY_RECORD_DEVICE_TOPOLOGY, payload, sizeof payload);
        build_reports(&build, 100000, 10, 1);
        read_by(way, &build.bytes, NULL, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(reading.count, 3001);
        assert_int_equal(reading.info.has_topology, way != BY_PIPE);
        assert_int_equal(reading.info.topology.eus, way != BY_PIPE ? 13 : 24);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* A second DEVICE_INFO must be the same: a different one means two recordings in one file. */
static void second_device(void **state)
{
    (void)state;
    for (int different = 0; different < 2; different++) {
        for (size_t before = 0; before < 3; before++) {
            struct build build = build_start(SKL);
            struct tally_device_info info = build_info(&gpus[SKL]);
            struct reading reading;
            char message[128];
            build_reports(&build, 100, 10, before);
            size_t offset = build.bytes.size;
            info.revision += (unsigned)different;
            build_device_info(&build, &info);
            build_reports(&build, 1000, 10, 3);
            read_memory(&build, &reading);
            assert_int_equal(reading.opened, 0);
            assert_int_equal(reading.ended, different ? -EBADMSG : 0);
            assert_int_equal(reading.count, before + (different ? 0 : 3));
            assert_int_equal(reading.info.recorded.revision, 3);
            snprintf(message, sizeof message,
                     "memory: a second, different DEVICE_INFO record at offset 0x%zx: two "
                     "recordings in one file",
                     offset);
            assert_string_equal(reading.error.message, different ? message : "");
            reading_fini(&reading);
            build_fini(&build);
        }
    }
}

/* Texts may fill their fields to the last byte. */
static void unterminated_texts(void **state)
{
    (void)state;
    struct build build = build_empty(TGL);
    struct tally_device_info info = build_info(build.gpu);
    uint8_t payload[DEVICE_INFO_BYTES];
    struct reading reading;
    build_version(&build, 1);
    device_info_store(&info, payload);
    memset(payload + DEVICE_INFO_SET_NAME, 'n', DEVICE_INFO_SET_NAME_BYTES);
    memset(payload + DEVICE_INFO_SET_UUID, 'u', DEVICE_INFO_SET_UUID_BYTES);
    memset(payload + DEVICE_INFO_PAD, 0xff, 4);
    build_record(&build, TALLY_RECORD_DEVICE_INFO, payload, sizeof payload);
    build_record(&build, TALLY_RECORD_DEVICE_INFO, payload, sizeof payload);
    build_reports(&build, 100, 10, 2);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(strlen(reading.info.recorded.set_name), 256);
    assert_int_equal(strlen(reading.info.recorded.set_uuid), 40);

    /* When written again they are truncated to keep a NUL, as i915-perf-reader expects. */
    device_info_store(&reading.info.recorded, payload);
    assert_int_equal(payload[DEVICE_INFO_SET_NAME + 254], 'n');
    assert_int_equal(payload[DEVICE_INFO_SET_NAME + 255], 0);
    assert_int_equal(payload[DEVICE_INFO_SET_UUID + 38], 'u');
    assert_int_equal(payload[DEVICE_INFO_SET_UUID + 39], 0);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- topology ------------------------------------------------------------------------------ */

static void no_topology(void **state)
{
    (void)state;
    for (enum gpu_kind kind = 0; kind < GPU_COUNT; kind++) {
        struct build build = build_empty(kind);
        struct reading reading;
        struct tally_topology expected;
        build_version(&build, 1);
        build_device(&build);
        build_reports(&build, 100, 10, 2);
        read_memory(&build, &reading);
        assert_int_equal(reading.ended, 0);
        assert_false(reading.info.has_topology);
        tally_topology_default(reading.info.device.platform, &expected);
        assert_int_equal(reading.info.topology.eus, expected.eus);
        assert_int_equal(reading.info.topology.slices, expected.slices);
        assert_int_equal(reading.info.topology.subslice_mask, expected.subslice_mask);
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* Slices, subslices, EUs, offsets and strides as the kernel replies, then masks. */
static const struct {
    unsigned line;
    size_t size; /* of the payload */
    uint16_t header[8];
    uint8_t data[16];
    uint32_t eus; /* 0: refused */
    const char *message;
} topologies[] = {
    {__LINE__, 24, {0, 1, 2, 8, 1, 1, 2, 1}, {1, 3, 0xff, 0x0f}, 12, ""},
    {__LINE__, 20, {0, 1, 2, 8, 1, 1, 2, 1}, {1, 3, 0xff, 0x0f}, 12, ""},
    {__LINE__, 24, {0, 1, 2, 8, 1, 1, 2, 1}, {1, 1, 0xff, 0x0f}, 8, ""},
    {__LINE__, 0, {0}, {0}, 0, "topology of 0 bytes, expected at least 16"},
    {__LINE__, 15, {0}, {0}, 0, "topology of 15 bytes"},
    {__LINE__, 16, {0}, {0}, 0, "topology of 0 slices x 0 subslices x 0 EUs, expected 1 to 64"},
    {__LINE__, 24, {0, 65, 2, 8, 1, 1, 2, 1}, {0}, 0, "topology of 65 slices"},
    {__LINE__, 24, {0, 1, 65535, 8, 1, 1, 2, 1}, {0}, 0, "x 65535 subslices"},
    {__LINE__, 24, {0, 1, 2, 0, 1, 1, 2, 1}, {0}, 0, "x 0 EUs"},
    {__LINE__, 16, {0, 1, 2, 8, 0, 1, 0, 1}, {0}, 0, "slice mask is outside the 0 bytes"},
    {__LINE__, 24, {0, 1, 2, 8, 1, 0, 2, 1}, {0}, 0, "subslice masks are outside the 8 bytes"},
    {__LINE__, 24, {0, 1, 2, 8, 8, 1, 2, 1}, {0}, 0, "subslice masks are outside"},
    {__LINE__, 24, {0, 64, 2, 8, 0, 65535, 2, 1}, {0}, 0, "subslice masks are outside"},
    {__LINE__, 24, {0, 1, 2, 8, 1, 1, 7, 1}, {0}, 0, "EU masks are outside the 8 bytes"},
    {__LINE__, 24, {0, 1, 2, 16, 1, 1, 2, 1}, {0}, 0, "EU masks are outside"},
    {__LINE__, 19, {0, 1, 2, 8, 1, 1, 2, 1}, {0}, 0, "EU masks are outside the 3 bytes"},
    {__LINE__, 24, {0, 64, 64, 64, 0, 0, 65535, 65535}, {0}, 0, "outside"},
};

static void recorded_topology(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(topologies); r++) {
        struct build build = build_empty(SKL);
        uint8_t payload[32];
        struct reading reading;
        for (size_t i = 0; i < 8; i++)
            store_le16(payload + 2 * i, topologies[r].header[i]);
        memcpy(payload + 16, topologies[r].data, 16);
        build_version(&build, 1);
        build_device(&build);
        size_t offset = build.bytes.size;
        build_record(&build, TALLY_RECORD_DEVICE_TOPOLOGY, payload, topologies[r].size);
        build_reports(&build, 100, 10, 2);
        read_memory(&build, &reading);
        if (topologies[r].eus) {
            ROW_ASSERT(&topologies[r], reading.ended == 0);
            ROW_ASSERT(&topologies[r], reading.info.has_topology);
            ROW_ASSERT(&topologies[r], reading.info.topology.eus == topologies[r].eus);
        } else {
            char place[80];
            snprintf(place, sizeof place,
                     "memory: DEVICE_TOPOLOGY record at offset 0x%zx: ", offset);
            ROW_ASSERT(&topologies[r], reading.opened == -EBADMSG);
            ROW_ASSERT(&topologies[r], reading.error.code == -EBADMSG);
            ROW_ASSERT(&topologies[r], strstr(reading.error.message, place));
            ROW_ASSERT(&topologies[r], strstr(reading.error.message, topologies[r].message));
        }
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* Of several topologies before the reports the last is used, as in i915-perf-reader. */
static void second_topology(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    uint8_t payload[20] = {0};
    for (size_t i = 0; i < 8; i++)
        store_le16(payload + 2 * i, topologies[0].header[i]);
    memcpy(payload + 16, topologies[0].data, 4);
    build_record(&build, TALLY_RECORD_DEVICE_TOPOLOGY, payload, sizeof payload);
    build_reports(&build, 100, 10, 2);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.info.topology.eus, 12);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- what cannot be ------------------------------------------------------------------------ */

static const struct {
    unsigned line;
    uint32_t device, format;
    uint64_t hz;
    uint32_t version;
    unsigned version_size;
    const char *message; /* NULL: it can */
} descriptions[] = {
    {__LINE__, 0x1912, 10, 12000000, 1, 16, NULL},
    {__LINE__, 0x1912, 8, 12000000, 1, 16, NULL},
    {__LINE__, 0x1912, 10, UINT64_MAX, 1, 16, NULL},
    {__LINE__, 0x1912, 10, 1, 1, 16, NULL},
    {__LINE__, 0, 10, 12000000, 1, 16,
     "DEVICE_INFO record at offset 0x10: unknown PCI device 0x0000, expected"},
    {__LINE__, 0xbeef, 10, 12000000, 1, 16, "unknown PCI device 0xbeef, expected"},
    {__LINE__, 0x11912, 10, 12000000, 1, 16, "unknown PCI device 0x11912, expected"},
    {__LINE__, 0x1912, 0, 12000000, 1, 16, "DEVICE_INFO record: OA format 0 is not one of Skylake"},
    {__LINE__, 0x1912, 5, 12000000, 1, 16, "OA format 5 is not one of Skylake"},
    {__LINE__, 0x1912, 12, 12000000, 1, 16, "OA format 12 is not one of Skylake"},
    {__LINE__, 0x1912, UINT32_MAX, 12000000, 1, 16, "OA format 4294967295 is not one of"},
    {__LINE__, 0x0412, 10, 12500000, 1, 16, "OA format 10 is not one of Haswell"},
    {__LINE__, 0x0166, 5, 12500000, 1, 16, "OA format 5 is not one of Ivy Bridge"},
    {__LINE__, 0x1912, 10, 0, 1, 16, "DEVICE_INFO record: timestamp frequency is 0"},
    {__LINE__, 0x1912, 10, 12000000, 0, 16, "recording version 0 at offset 0x0, expected 1"},
    {__LINE__, 0x1912, 10, 12000000, 2, 16, "recording version 2 at offset 0x0, expected 1"},
    {__LINE__, 0x1912, 10, 12000000, 1, 8, "VERSION record at offset 0x0 has size 8, expected 16"},
    {__LINE__, 0x1912, 10, 12000000, 1, 12, "VERSION record at offset 0x0 has size 12"},
    {__LINE__, 0x1912, 10, 12000000, 1, 24, "VERSION record at offset 0x0 has size 24"},
};

static void described(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(descriptions); r++) {
        struct build build = build_empty(SKL);
        struct tally_device_info info = build_info(build.gpu);
        uint8_t version[16] = {0};
        struct reading reading;
        info.device_id = descriptions[r].device;
        info.oa_format = descriptions[r].format;
        info.timestamp_hz = descriptions[r].hz;
        store_le32(version, descriptions[r].version);
        build_record(&build, TALLY_RECORD_VERSION, version, descriptions[r].version_size - 8);
        build_device_info(&build, &info);
        for (enum way way = 0; way < BY_COUNT; way++) {
            read_by(way, &build.bytes, NULL, &reading);
            if (!descriptions[r].message) {
                ROW_ASSERT(&descriptions[r], reading.opened == 0);
                ROW_ASSERT(&descriptions[r], reading.ended == 0);
            } else {
                ROW_ASSERT(&descriptions[r], reading.opened == -EBADMSG);
                ROW_ASSERT(&descriptions[r], reading.error.code == -EBADMSG);
                ROW_ASSERT(&descriptions[r],
                           strstr(reading.error.message, descriptions[r].message));
            }
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* A missing VERSION is accepted, as in i915-perf-reader, if another record is first. */
static void no_version(void **state)
{
    (void)state;
    struct build build = build_empty(SKL);
    struct reading reading;
    build_device(&build);
    build_reports(&build, 100, 10, 2);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 2);
    assert_int_equal(reading.info.kind, TALLY_KIND_CONTAINER);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- Tally's own records ------------------------------------------------------------------- */

static void provenance(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *texts[2]; /* NULL: no record */
        const char *expected;
    } rows[] = {
        {__LINE__, {NULL, NULL}, NULL},
        {__LINE__, {"tally record", NULL}, "tally record"},
        {__LINE__, {"", NULL}, ""},
        {__LINE__, {"für zwei Sekunden", NULL}, "für zwei Sekunden"},
        {__LINE__, {"first", "second"}, "first"},
    };
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        for (int place = 0; place < 4; place++) {
            struct build build = build_empty(SKL);
            struct reading reading;
            for (int at = 0; at < 4; at++) {
                if (at == 1)
                    build_device(&build);
                if (at == 2)
                    build_topology(&build);
                if (at == 3)
                    build_correlation(&build, 100, 100);
                for (int i = 0; i < 2 && at == place; i++)
                    if (rows[r].texts[i])
                        build_record(&build, TALLY_RECORD_PROVENANCE, rows[r].texts[i],
                                     strlen(rows[r].texts[i]));
            }
            build_reports(&build, 100, 10, 2);
            read_memory(&build, &reading);
            ROW_ASSERT(&rows[r], reading.ended == 0);
            ROW_ASSERT(&rows[r], reading.loss_count == 0);
            ROW_ASSERT(&rows[r], !rows[r].expected == !reading.provenance);
            if (rows[r].expected)
                assert_string_equal(reading.provenance, rows[r].expected);
            reading_fini(&reading);
            build_fini(&build);
        }
    }
}

/* A text as long as a record can be. */
static void long_provenance(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    static char text[65527];
    memset(text, 'x', sizeof text);
    build_record(&build, TALLY_RECORD_PROVENANCE, text, sizeof text);
    for (enum way way = 0; way < BY_COUNT; way++) {
        read_by(way, &build.bytes, NULL, &reading);
        assert_int_equal(reading.ended, 0);
        assert_int_equal(strlen(reading.provenance), sizeof text);
        reading_fini(&reading);
    }
    build_fini(&build);
}

/* Types 0x5400xxxx are Tally's: those of later versions are ignored. */
static void own_records(void **state)
{
    (void)state;
    static const uint32_t types[] = {0x54000003, 0x5400000f, 0x54001234, 0x5400ffff};
    struct build build = build_start(SKL);
    struct reading reading;
    for (size_t i = 0; i < ARRAY_COUNT(types); i++) {
        build_report(&build, 100 + 10 * i);
        build_record(&build, types[i], "anything", i);
    }
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 4);
    assert_int_equal(reading.loss_count, 0);
    assert_int_equal(reading.totals.unknown_records, 0);
    reading_fini(&reading);
    buffer_fini(&build.bytes);

    /* One of them may also come first. */
    build = build_empty(SKL);
    build_record(&build, 0x5400ffff, "", 0);
    build_device(&build);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.info.kind, TALLY_KIND_CONTAINER);
    reading_fini(&reading);
    build_fini(&build);
}

/* ---- inputs that do not describe themselves ------------------------------------------------ */

static const struct {
    unsigned line;
    enum tally_recording_kind kind;
    const char *platform, *layout; /* NULL: not named */
    uint64_t hz;
    bool is_raw;       /* the input: reports, or the kernel's records */
    const char *found; /* platform of the info; NULL: refused */
    const char *message;
} bare[] = {
    /* The kernel's records. */
    {__LINE__, TALLY_KIND_AUTO, "skl", NULL, 0, false, "skl", NULL},
    {__LINE__, TALLY_KIND_STREAM, "skl", NULL, 0, false, "skl", NULL},
    {__LINE__, TALLY_KIND_AUTO, "kbl", NULL, 5, false, "kbl", NULL},
    {__LINE__, TALLY_KIND_AUTO, NULL, "skl/a32u40_a4u32_b8_c8", 0, false, "bdw", NULL},
    {__LINE__, TALLY_KIND_AUTO, "lkf", "gen8/101", 7, false, "lkf", NULL},
    {__LINE__, TALLY_KIND_AUTO, NULL, NULL, 0, false, NULL,
     "memory: no DEVICE_INFO record, expected the name of a platform or layout"},
    {__LINE__, TALLY_KIND_STREAM, NULL, NULL, 5, false, NULL,
     "expected the name of a platform or layout"},
    {__LINE__, TALLY_KIND_CONTAINER, "skl", NULL, 0, false, NULL, "no DEVICE_INFO record"},
    /* Reports back to back. */
    {__LINE__, TALLY_KIND_AUTO, "skl", "skl/a32u40_a4u32_b8_c8", 0, true, "skl", NULL},
    {__LINE__, TALLY_KIND_AUTO, NULL, "skl/a32u40_a4u32_b8_c8", 0, true, "bdw", NULL},
    {__LINE__, TALLY_KIND_RAW, "skl", NULL, 9, true, "skl", NULL},
    {__LINE__, TALLY_KIND_RAW, NULL, NULL, 0, true, NULL,
     "expected the name of a platform or layout"},
    {__LINE__, TALLY_KIND_AUTO, "skl", NULL, 0, true, NULL, "not a recording: record type"},
    {__LINE__, TALLY_KIND_RAW, NULL, "xe/pec64u64", 0, true, NULL,
     "no platform uses only the layouts of xe, expected the name of a platform"},
    {__LINE__, TALLY_KIND_RAW, NULL, "pcounter/a32_c32", 0, true, NULL,
     "no platform uses only the layouts of pcounter, expected the name of a platform"},
    {__LINE__, TALLY_KIND_CONTAINER, "skl", "skl/101", 0, true, NULL, "no DEVICE_INFO record"},
};

static void undescribed(void **state)
{
    (void)state;
    for (size_t r = 0; r < ARRAY_COUNT(bare); r++) {
        struct build build = build_empty(SKL);
        struct tally_recording_options options = {
            .kind = bare[r].kind,
            .platform = bare[r].platform ? tally_platform_find(bare[r].platform) : NULL,
            .layout = bare[r].layout ? tally_layout_find(bare[r].layout) : NULL,
            .timestamp_hz = bare[r].hz,
        };
        struct reading reading;
        for (size_t i = 0; i < 5; i++) {
            if (bare[r].is_raw)
                build_raw(&build, 100 + 10 * i);
            else
                build_report(&build, 100 + 10 * i);
        }
        read_by(BY_MEMORY, &build.bytes, &options, &reading);
        if (!bare[r].found) {
            ROW_ASSERT(&bare[r], reading.opened < 0);
            ROW_ASSERT(&bare[r], reading.opened ==
                                     (strstr(bare[r].message, "the name of") ? -ENODEV : -EBADMSG));
            ROW_ASSERT(&bare[r], strstr(reading.error.message, bare[r].message));
        } else {
            const struct tally_recording_info *info = &reading.info;
            const struct tally_platform *platform = tally_platform_find(bare[r].found);
            ROW_ASSERT(&bare[r], reading.opened == 0);
            ROW_ASSERT(&bare[r], reading.ended == 0);
            ROW_ASSERT(&bare[r], reading.count == 5);
            ROW_ASSERT(&bare[r],
                       info->kind == (bare[r].is_raw ? TALLY_KIND_RAW : TALLY_KIND_STREAM));
            ROW_ASSERT(&bare[r], info->device.platform == platform);
            ROW_ASSERT(&bare[r], info->device.id == 0);
            ROW_ASSERT(&bare[r], info->layout == build.layout);
            ROW_ASSERT(&bare[r], info->recorded.timestamp_hz ==
                                     (bare[r].hz ? bare[r].hz : platform->timestamp_hz));
            ROW_ASSERT(&bare[r], info->recorded.gt_max_hz == platform->gt_max_mhz * 1000000u);
            ROW_ASSERT(&bare[r], info->recorded.oa_format == 10);
            ROW_ASSERT(&bare[r], !info->has_topology);
            ROW_ASSERT(&bare[r], info->topology.eus == platform->example_eus);
            ROW_ASSERT(&bare[r], !*info->recorded.set_name);
            for (size_t i = 0; platform->name[i]; i++)
                ROW_ASSERT(&bare[r], (info->device.chipset[i] | 0x20) == platform->name[i]);
        }
        reading_fini(&reading);
        build_fini(&build);
    }
}

/* A stream with losses; correlation points too, should a client have added some. */
static void stream_records(void **state)
{
    (void)state;
    struct build build = build_empty(HSW);
    struct tally_recording_options options = {.platform = tally_platform_find("hsw")};
    struct reading first, reading;
    build_lost(&build, TALLY_RECORD_BUFFER_LOST, 1);
    build_correlation(&build, 1000, 50);
    build_reports(&build, 100, 10, 20);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 2);
    build_device(&build); /* of any GPU: the caller gave the platform */
    build_reports(&build, 1000, 10, 20);
    read_by(BY_MEMORY, &build.bytes, &options, &first);
    assert_int_equal(first.ended, 0);
    assert_int_equal(first.info.kind, TALLY_KIND_STREAM);
    assert_int_equal(first.count, 40);
    assert_int_equal(first.loss_count, 2);
    assert_int_equal(first.point_count, 1);
    assert_int_equal(first.states[19], TALLY_STATE_LOST);
    for (enum way way = BY_INDEX; way < BY_COUNT; way++) {
        read_by(way, &build.bytes, &options, &reading);
        assert_same_reading(&first, &reading);
        reading_fini(&reading);
    }
    reading_fini(&first);
    build_fini(&build);
}

/* A layout that is named overrides the container's. */
static void layout_overrides(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading reading;
    build.layout = tally_layout_find("gen8/c4_b8");
    struct tally_recording_options options = {.layout = build.layout};
    build_reports(&build, 100, 10, 6);
    read_by(BY_MEMORY, &build.bytes, &options, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.count, 6);
    assert_ptr_equal(reading.info.layout, build.layout);
    assert_int_equal(reading.info.recorded.oa_format, 10);
    reading_fini(&reading);
    read_memory(&build, &reading);
    assert_int_equal(reading.ended, -EBADMSG);
    assert_int_equal(reading.count, 0);
    reading_fini(&reading);
    build_fini(&build);
}

/* A raw buffer may begin with a slot that was never written, or with anything. */
static void raw_beginnings(void **state)
{
    (void)state;
    static const enum gpu_kind kinds[] = {HSW, SKL, TGL, OAM};
    for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
        for (int empty = 0; empty < 2; empty++) {
            struct build build = build_empty(kinds[k]);
            struct tally_recording_options options = {.layout = build.layout};
            struct reading reading;
            if (empty)
                build_raw_empty(&build);
            build_raw(&build, 0xfffff000);
            build_raw(&build, 0xfffff800);
            read_by(BY_MEMORY, &build.bytes, &options, &reading);
            assert_int_equal(reading.ended, 0);
            assert_int_equal(reading.info.kind, TALLY_KIND_RAW);
            assert_int_equal(reading.count, 2);
            assert_int_equal(reading.loss_count, empty);
            reading_fini(&reading);
            build_fini(&build);
        }
    }
}

int test_metadata(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(description_last), cmocka_unit_test(topology_last),
        cmocka_unit_test(second_device),    cmocka_unit_test(unterminated_texts),
        cmocka_unit_test(no_topology),      cmocka_unit_test(recorded_topology),
        cmocka_unit_test(second_topology),  cmocka_unit_test(described),
        cmocka_unit_test(no_version),       cmocka_unit_test(provenance),
        cmocka_unit_test(long_provenance),  cmocka_unit_test(own_records),
        cmocka_unit_test(undescribed),      cmocka_unit_test(stream_records),
        cmocka_unit_test(layout_overrides), cmocka_unit_test(raw_beginnings),
    };
    return cmocka_run_group_tests_name("recording: metadata", tests, NULL, NULL);
}
