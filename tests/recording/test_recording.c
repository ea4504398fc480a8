/* SPDX-License-Identifier: MIT */
/* Recordings are read as they were written, in every way of reading and in pieces of any size. */
#include "build.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "suites.h"

/* ---- writer and reader --------------------------------------------------------------------- */

static void must(int result, const struct tally_error *error)
{
    if (result < 0)
        fail_msg("%s", error->message);
}

/* Writes a recording with the library's writer: reports, a loss in the middle, two points. */
static void write_recording(enum gpu_kind kind, size_t reports, struct buffer *out)
{
    const struct gpu *gpu = &gpus[kind];
    struct tally_device_info info = build_info(gpu);
    struct tally_device device;
    struct tally_topology topology;
    struct tally_recorder *recorder;
    struct tally_error error = {0};
    struct build report = build_empty(kind);
    uint8_t payload[256];
    static const char provenance[] = "test_recording, on no GPU at all";
    const struct buffer nothing = {0};
    char path[32];
    int fd;

    make_file(&nothing, path, &fd);
    assert_int_equal(tally_device_find(gpu->device, &device), 0);
    tally_topology_default(device.platform, &topology);
    size_t size = tally_topology_format(&topology, payload, sizeof payload);
    must(tally_recorder_new(fd, &info, payload, size, &recorder, &error), &error);
    must(tally_recorder_write(recorder, TALLY_RECORD_PROVENANCE, provenance, sizeof provenance - 1,
                              &error),
         &error);
    must(tally_recorder_correlate(recorder, 1000, 500, &error), &error);
    for (size_t i = 0; i < reports; i++) {
        report.bytes.size = 0;
        build_raw(&report, 1000 + i * 100);
        must(tally_recorder_write(recorder, TALLY_RECORD_SAMPLE, report.bytes.bytes,
                                  report.bytes.size, &error),
             &error);
        if (i == reports / 2)
            must(tally_recorder_write(recorder, TALLY_RECORD_REPORT_LOST, NULL, 0, &error), &error);
    }
    /* From DG2 on the command streamer's clock is half the OA unit's. */
    uint64_t ticks = 500 + (kind >= DG2 ? gpu->hz / 2 : gpu->hz);
    must(tally_recorder_correlate(recorder, 1000 + NS_PER_SECOND, ticks, &error), &error);
    must(tally_recorder_flush(recorder, &error), &error);
    tally_recorder_free(recorder);
    build_fini(&report);

    off_t end = lseek(fd, 0, SEEK_END);
    assert_non_null(buffer_reserve(out, (size_t)end));
    assert_int_equal(pread(fd, out->bytes, (size_t)end, 0), end);
    out->size = (size_t)end;
    close(fd);
}

/* Every member of DEVICE_INFO is read as it was written. */
static void check_info(const struct tally_recording_info *info, const struct gpu *gpu)
{
    struct tally_device_info given = build_info(gpu);
    const struct tally_device_info *recorded = &info->recorded;
    assert_int_equal(info->kind, TALLY_KIND_CONTAINER);
    assert_ptr_equal(info->layout, tally_layout_find(gpu->layout));
    assert_int_equal(info->device.id, gpu->device);
    assert_int_equal(recorded->timestamp_hz, given.timestamp_hz);
    assert_int_equal(recorded->device_id, given.device_id);
    assert_int_equal(recorded->revision, given.revision);
    assert_int_equal(recorded->gt_min_hz, given.gt_min_hz);
    assert_int_equal(recorded->gt_max_hz, given.gt_max_hz);
    assert_int_equal(recorded->engine_class, given.engine_class);
    assert_int_equal(recorded->engine_instance, given.engine_instance);
    assert_int_equal(recorded->oa_format, given.oa_format);
    assert_string_equal(recorded->set_name, given.set_name);
    assert_string_equal(recorded->set_uuid, given.set_uuid);

    struct tally_topology topology;
    tally_topology_default(info->device.platform, &topology);
    assert_true(info->has_topology);
    assert_int_equal(info->topology.eus, topology.eus);
    assert_int_equal(info->topology.slice_mask, topology.slice_mask);
    assert_int_equal(info->topology.subslice_mask, topology.subslice_mask);
}

static void round_trip(void **state)
{
    (void)state;
    for (enum gpu_kind kind = 0; kind < GPU_COUNT; kind++) {
        const struct gpu *gpu = &gpus[kind];
        const size_t count = 3000;
        struct buffer bytes = {0};
        struct build expected = build_empty(kind);
        write_recording(kind, count, &bytes);
        for (size_t i = 0; i < count; i++)
            build_raw(&expected, 1000 + i * 100);

        for (enum way way = 0; way < BY_COUNT; way++) {
            struct reading reading;
            read_by(way, &bytes, NULL, &reading);
            assert_int_equal(reading.opened, 0);
            assert_int_equal(reading.ended, 0);
            check_info(&reading.info, gpu);
            assert_string_equal(reading.provenance, "test_recording, on no GPU at all");
            assert_int_equal(reading.info.size_bytes, way == BY_PIPE ? 0 : bytes.size);
            assert_int_equal(reading.count, count);
            assert_int_equal(reading.reports.size, expected.bytes.size);
            assert_memory_equal(reading.reports.bytes, expected.bytes.bytes, expected.bytes.size);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(reading.ticks[i], 1000 + i * 100);
                assert_int_equal(reading.contexts[i],
                                 gpu->has_context ? 0x1000 + i % 3 : TALLY_CONTEXT_IDLE);
                assert_int_equal(reading.reasons[i], TALLY_REASON_TIMER);
                if (i + 1 < count)
                    assert_int_equal(reading.states[i],
                                     i == count / 2 ? TALLY_STATE_LOST : TALLY_STATE_OK);
            }
            assert_int_equal(reading.loss_count, 1);
            assert_int_equal(reading.losses[0].before_index, count / 2 + 1);
            assert_int_equal(reading.point_count, 2);
            assert_int_equal(reading.position, bytes.size);
            reading_fini(&reading);
        }
        build_fini(&expected);
        buffer_fini(&bytes);
    }
}

/* Every record is complete and padded to 8 bytes; one that is too large is rejected. */
static void writer_limits(void **state)
{
    (void)state;
    struct tally_device_info info = build_info(&gpus[SKL]);
    struct tally_recorder *recorder;
    struct tally_error error = {0};
    struct reading reading;
    uint8_t payload[65536] = {1};
    const struct buffer nothing = {0};
    struct buffer bytes = {0};
    char path[32];
    int fd;

    make_file(&nothing, path, &fd);
    must(tally_recorder_new(fd, &info, NULL, 0, &recorder, &error), &error);
    assert_int_equal(lseek(fd, 0, SEEK_END), 0); /* writes are buffered */
    static const struct {
        unsigned line;
        size_t size;
        size_t written; /* bytes of the record; 0: rejected */
    } rows[] = {
        {__LINE__, 0, 8},        {__LINE__, 1, 16},           {__LINE__, 8, 16},
        {__LINE__, 9, 24},       {__LINE__, 65519, 65528},    {__LINE__, 65520, 65528},
        {__LINE__, 65521, 0},    {__LINE__, 65528, 0},        {__LINE__, 65536, 0},
        {__LINE__, SIZE_MAX, 0}, {__LINE__, SIZE_MAX - 7, 0},
    };
    size_t whole = 16 + 344;
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        error = (struct tally_error){0};
        int result = tally_recorder_write(recorder, 0x54000123, payload, rows[i].size, &error);
        ROW_ASSERT(&rows[i], result == (rows[i].written ? 0 : -EMSGSIZE));
        ROW_ASSERT(&rows[i], error.code == result);
        must(tally_recorder_flush(recorder, &error), &error);
        whole += rows[i].written;
        ROW_ASSERT(&rows[i], lseek(fd, 0, SEEK_END) == (off_t)whole);
    }
    tally_recorder_free(recorder);
    tally_recorder_free(NULL);

    assert_non_null(buffer_reserve(&bytes, whole));
    assert_int_equal(pread(fd, bytes.bytes, whole, 0), whole);
    bytes.size = whole;
    read_by(BY_FILE, &bytes, NULL, &reading);
    assert_int_equal(reading.ended, 0);
    assert_int_equal(reading.position, whole);
    assert_false(reading.info.has_topology);
    reading_fini(&reading);
    buffer_fini(&bytes);
    close(fd);
}

/* Appending raw records, few or many at a time, equals writing them one by one. */
static void writer_appends(void **state)
{
    (void)state;
    struct tally_device_info info = build_info(&gpus[SKL]);
    struct build records = build_empty(SKL);
    for (size_t i = 0; i < 3000; i++)
        build_raw(&records, 1000 + i * 100);
    const size_t report = records.bytes.size / 3000;
    static const size_t pieces[] = {1, 7, 999, 1000, 1100, 3000}; /* beyond the writer's 256 KiB */
    struct buffer plain = {0};
    for (size_t p = 0; p <= ARRAY_COUNT(pieces); p++) {
        struct tally_recorder *recorder;
        struct tally_error error = {0};
        struct buffer framed = {0}, nothing = {0};
        char path[32];
        int fd;
        make_file(&nothing, path, &fd);
        must(tally_recorder_new(fd, &info, NULL, 0, &recorder, &error), &error);
        for (size_t i = 0; i < 3000;) {
            size_t count = p ? pieces[p - 1] : 1;
            framed.size = 0;
            for (size_t k = 0; k < count && i < 3000; k++, i++) {
                uint8_t header[8] = {TALLY_RECORD_SAMPLE};
                const char *payload = records.bytes.bytes + i * report;
                store_le16(header + 6, (uint16_t)(8 + report));
                if (!p)
                    must(tally_recorder_write(recorder, TALLY_RECORD_SAMPLE, payload, report,
                                              &error),
                         &error);
                buffer_append(&framed, header, 8);
                buffer_append(&framed, payload, report);
            }
            if (p)
                must(tally_recorder_append(recorder, framed.bytes, framed.size, &error), &error);
        }
        must(tally_recorder_flush(recorder, &error), &error);
        tally_recorder_free(recorder);
        buffer_fini(&framed);
        size_t size = (size_t)lseek(fd, 0, SEEK_END);
        char *bytes = malloc(size);
        assert_int_equal(pread(fd, bytes, size, 0), size);
        close(fd);
        if (!p)
            buffer_append(&plain, bytes, size);
        assert_int_equal(size, plain.size);
        assert_memory_equal(bytes, plain.bytes, size);
        free(bytes);
    }
    buffer_fini(&plain);
    build_fini(&records);
}

/* A full disk is reported, and the unwritten bytes are kept for a later flush. */
static void writer_errors(void **state)
{
    (void)state;
    struct tally_device_info info = build_info(&gpus[SKL]);
    struct tally_recorder *recorder;
    struct tally_error error = {0};
    int ends[2];
    must(tally_recorder_new(-1, &info, NULL, 0, &recorder, &error), &error);
    assert_int_equal(tally_recorder_flush(recorder, &error), -EBADF);
    assert_non_null(strstr(error.message, "cannot write the recording"));
    assert_int_equal(tally_recorder_flush(recorder, NULL), -EBADF);
    int result = 0; /* the buffer is finite */
    static const uint8_t payload[65520];
    for (unsigned i = 0; i < 5 && !result; i++)
        result = tally_recorder_write(recorder, TALLY_RECORD_PROVENANCE, payload, sizeof payload,
                                      &error);
    assert_int_equal(result, -EBADF);
    tally_recorder_free(recorder);

    assert_int_equal(pipe(ends), 0);
    must(tally_recorder_new(ends[1], &info, payload, 65520, &recorder, &error), &error);
    tally_recorder_free(recorder);
    assert_int_equal(tally_recorder_new(ends[1], &info, payload, 65521, &recorder, &error),
                     -EMSGSIZE);
    close(ends[0]);
    close(ends[1]);
}

/* ---- batches ------------------------------------------------------------------------------- */

static void batch_edges(void **state)
{
    (void)state;
    /* In memory a batch has 4096 reports and the previous one; the first has 4097. */
    static const struct {
        unsigned line;
        size_t reports;
        size_t batches;
    } rows[] = {
        {__LINE__, 0, 0},    {__LINE__, 1, 1},    {__LINE__, 2, 1},     {__LINE__, 3, 1},
        {__LINE__, 4095, 1}, {__LINE__, 4096, 1}, {__LINE__, 4097, 1},  {__LINE__, 4098, 2},
        {__LINE__, 8193, 2}, {__LINE__, 8194, 3}, {__LINE__, 10000, 3},
    };
    static const enum gpu_kind kinds[] = {HSW_SMALL, SKL, OAM};
    for (size_t r = 0; r < ARRAY_COUNT(rows); r++) {
        for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
            struct build build = build_start(kinds[k]);
            build_reports(&build, 100, 10, rows[r].reports);
            for (enum way way = 0; way < BY_COUNT; way++) {
                struct reading reading;
                read_by(way, &build.bytes, NULL, &reading);
                ROW_ASSERT(&rows[r], reading.ended == 0);
                ROW_ASSERT(&rows[r], reading.count == rows[r].reports);
                ROW_ASSERT(&rows[r], way > BY_INDEX || reading.batches == rows[r].batches);
                for (size_t i = 0; i < reading.count; i++)
                    ROW_ASSERT(&rows[r], reading.ticks[i] == 100 + 10 * i);
                reading_fini(&reading);
            }
            build_fini(&build);
        }
    }
}

/* The same reports in a raw buffer: at 64 bytes per report they fill a batch completely. */
static void batch_edges_raw(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 4095, 4096, 4097, 4098, 8191, 8192, 8193, 10000};
    for (size_t c = 0; c < ARRAY_COUNT(counts); c++) {
        struct build build = build_empty(HSW_SMALL);
        struct tally_recording_options options = {.kind = TALLY_KIND_RAW, .layout = build.layout};
        for (size_t i = 0; i < counts[c]; i++)
            build_raw(&build, 100 + 10 * i);
        for (enum way way = 0; way < BY_COUNT; way++) {
            struct reading reading;
            read_by(way, &build.bytes, &options, &reading);
            assert_int_equal(reading.opened, 0);
            assert_int_equal(reading.ended, 0);
            assert_int_equal(reading.count, counts[c]);
            assert_int_equal(reading.reports.size, build.bytes.size);
            if (counts[c])
                assert_memory_equal(reading.reports.bytes, build.bytes.bytes, build.bytes.size);
            reading_fini(&reading);
        }
        build_fini(&build);
    }
}

/* A report, more other records than fit into a batch, and another report. */
static void batch_of_one(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    build_report(&build, 100);
    for (unsigned i = 0; i < 70000; i++)
        build_header(&build, 0x54000007, 8);
    build_report(&build, 200);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 50000);
    build_report(&build, 300);
    build_lost(&build, TALLY_RECORD_REPORT_LOST, 50000);
    struct reading expected;
    read_memory(&build, &expected);
    assert_int_equal(expected.count, 3);
    assert_int_equal(expected.states[0], TALLY_STATE_OK);
    assert_int_equal(expected.states[1], TALLY_STATE_LOST);
    assert_int_equal(expected.loss_count, 2);
    assert_int_equal(expected.totals.losses, 100000);
    for (enum way way = BY_FILE; way < BY_COUNT; way++) {
        struct reading reading;
        read_by(way, &build.bytes, NULL, &reading);
        assert_same_reading(&expected, &reading);
        assert_int_equal(reading.batches, way == BY_MAP ? 1 : 3);
        reading_fini(&reading);
    }
    reading_fini(&expected);
    build_fini(&build);
}

/* ---- truncation ---------------------------------------------------------------------------- */

/* One of each record. `at` are the offsets at which records end, in order. */
static struct build build_mixed(enum gpu_kind kind, size_t *at, size_t *count)
{
    struct build build = build_empty(kind);
    size_t n = 0;
#define THEN(what) (what, at[n++] = build.bytes.size)
    THEN(build_version(&build, 1));
    THEN(build_device(&build));
    THEN(build_topology(&build));
    THEN(build_record(&build, TALLY_RECORD_PROVENANCE, "who", 3));
    THEN(build_correlation(&build, 1000, 50));
    THEN(build_report(&build, 100));
    THEN(build_report(&build, 200));
    THEN(build_lost(&build, TALLY_RECORD_REPORT_LOST, 1));
    THEN(build_report(&build, 400));
    THEN(build_lost(&build, TALLY_RECORD_BUFFER_LOST, 1));
    THEN(build_correlation(&build, 2000, 600));
    THEN(build_report(&build, 700));
    THEN(build_report(&build, 800));
#undef THEN
    *count = n;
    return build;
}

/* The expected result of a file that ends after `size` bytes, from the ends of its records. */
static void check_cut(const struct reading *reading, size_t size, const struct build *whole,
                      const size_t *ends, size_t count)
{
    size_t start = 0; /* start of the truncated record */
    size_t reports = 0;
    char offset[64];
    for (size_t i = 0; i < count && ends[i] <= size; i++) {
        reports += load_le32(whole->bytes.bytes + start) == TALLY_RECORD_SAMPLE;
        start = ends[i];
    }
    const char *expected = "truncated: ";
    bool opens = true;
    if (size < ends[1] || (start == ends[1] && size >= start + TALLY_RECORD_HEADER_BYTES)) {
        /* Missing or truncated metadata. */
        opens = false;
        expected = size == 0                                    ? "empty"
                   : size < TALLY_RECORD_HEADER_BYTES           ? "expected a record header"
                   : size < ends[0] + TALLY_RECORD_HEADER_BYTES ? "no DEVICE_INFO record"
                                                                : "is cut short";
    }
    if (!opens) {
        assert_int_equal(reading->opened, -EBADMSG);
    } else if (start == size) {
        assert_int_equal(reading->opened, 0);
        assert_int_equal(reading->ended, 0);
        expected = "";
    } else {
        snprintf(offset, sizeof offset, "%zu bytes at offset 0x%zx ", size - start, start);
        assert_int_equal(reading->opened, 0);
        assert_int_equal(reading->ended, -EBADMSG);
        assert_non_null(strstr(reading->error.message, offset));
        assert_int_equal(records_of(reading, TALLY_LOSS_UNREADABLE), 1);
        assert_int_equal(reading->losses[reading->loss_count - 1].offset, start);
    }
    if (!strstr(reading->error.message, expected))
        fail_msg("cut after %zu bytes: \"%s\", expected \"%s\"", size, reading->error.message,
                 expected);
    assert_int_equal(reading->count, opens ? reports : 0);
    for (size_t i = 0; i < reading->count; i++)
        assert_int_equal(reading->ticks[i], i == 0   ? 100
                                            : i == 1 ? 200
                                            : i == 2 ? 400
                                            : i == 3 ? 700
                                                     : 800);
}

static void cut_everywhere(void **state)
{
    (void)state;
    size_t ends[16], count;
    static const enum gpu_kind kinds[] = {HSW_SMALL, OAM};
    for (size_t k = 0; k < ARRAY_COUNT(kinds); k++) {
        struct build build = build_mixed(kinds[k], ends, &count);
        for (size_t size = 0; size <= build.bytes.size; size++) {
            for (enum way way = 0; is_sampled(size) && way < BY_COUNT; way++) {
                struct reading reading;
                struct buffer cut = build.bytes;
                cut.size = size;
                read_by(way, &cut, NULL, &reading);
                check_cut(&reading, size, &build, ends, count);
                reading_fini(&reading);
            }
        }
        build_fini(&build);
    }
}

/* Reads of odd sizes, and a first read that ends at every byte. */
static void odd_reads(void **state)
{
    (void)state;
    size_t ends[16], count;
    struct build build = build_mixed(HSW_SMALL, ends, &count);
    struct reading expected, reading;
    read_memory(&build, &expected);
    assert_int_equal(expected.ended, 0);
    for (size_t first = 1; first < build.bytes.size; first++) {
        read_pipe(&build.bytes, first, 4096, NULL, &reading);
        assert_same_reading(&expected, &reading);
        reading_fini(&reading);
    }
    for (size_t chunk = 1; chunk < 100; chunk++) {
        read_pipe(&build.bytes, 0, chunk, NULL, &reading);
        assert_same_reading(&expected, &reading);
        reading_fini(&reading);
    }
    reading_fini(&expected);
    build_fini(&build);
}

/*
 * The reader's buffer has 256 KiB: a record of suitable size at the start moves every byte of every
 * kind of record across its end.
 */
static void buffer_ends(void **state)
{
    (void)state;
    static const uint8_t padding[1024];
    const size_t cycle = 72 + 72 + 24 + 8 + 11;
    for (size_t shift = 0; shift < cycle; shift++) {
        if (!is_sampled(shift))
            continue;
        struct build build = build_start(HSW_SMALL);
        build_record(&build, 0x54000009, padding, shift);
        for (uint64_t i = 0; build.bytes.size < 540 * 1024; i++) {
            build_report(&build, i * 400);
            build_report(&build, i * 400 + 100);
            build_correlation(&build, i * 32000, i * 400 + 110);
            if (i % 7 == 3)
                build_lost(&build, TALLY_RECORD_REPORT_LOST, 1);
            else
                build_record(&build, 0x5400000a, padding, 3);
        }
        struct reading expected, reading;
        read_memory(&build, &expected);
        assert_int_equal(expected.ended, 0);
        assert_int_equal(expected.count, build.reports);
        read_by(BY_FILE, &build.bytes, NULL, &reading);
        assert_same_reading(&expected, &reading);
        reading_fini(&reading);
        if (shift % 16 == 0) {
            read_pipe(&build.bytes, 1000 + shift, 4093, NULL, &reading);
            assert_same_reading(&expected, &reading);
            reading_fini(&reading);
        }
        reading_fini(&expected);
        build_fini(&build);
    }
}

/* A mapped file drops pages behind the reader without changing the results. */
static void long_map(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct reading expected, reading;
    build_reports(&build, 100, 10, 130000); /* 34 MB: drops begin at 16 MiB */
    read_memory(&build, &expected);
    read_by(BY_MAP, &build.bytes, NULL, &reading);
    assert_int_equal(expected.count, 130000);
    assert_same_reading(&expected, &reading);
    reading_fini(&reading);
    reading_fini(&expected);
    build_fini(&build);
}

/* Standard input may be a file that another program has partly read. */
static void standard_input(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    struct tally_recording *recording;
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    char path[32];
    int fd, saved = dup(STDIN_FILENO);
    build_reports(&build, 100, 10, 50);
    struct buffer behind = {0};
    buffer_text(&behind, "#! not ours\n");
    buffer_append(&behind, build.bytes.bytes, build.bytes.size);
    make_file(&behind, path, &fd);
    for (off_t start = 0; start <= 12; start += 12) {
        lseek(fd, start, SEEK_SET);
        dup2(fd, STDIN_FILENO);
        int result = tally_recording_open("-", NULL, &recording, &error);
        if (!start) {
            assert_int_equal(result, -EBADMSG);
            assert_non_null(strstr(error.message, "-: not a recording"));
            continue;
        }
        must(result, &error);
        assert_int_equal(tally_recording_info(recording)->size_bytes, 0); /* like a pipe */
        tally_recording_index(recording); /* no effect: the file is not at its start */
        assert_int_equal(tally_recording_read(recording, batch, &error), 1);
        assert_int_equal(batch->count, 50);
        assert_int_equal(tally_recording_read(recording, batch, &error), 0);
        tally_recording_close(recording);
    }
    dup2(saved, STDIN_FILENO);
    close(saved);
    close(fd);
    tally_batch_free(batch);
    buffer_fini(&behind);
    build_fini(&build);
}

/* A filled batch does not change when its recording is read further. */
static void batches_stand_alone(void **state)
{
    (void)state;
    struct build build = build_start(SKL);
    build_reports(&build, 100, 10, 9000);
    char path[32];
    int fd;
    struct tally_recording *recording;
    struct tally_error error = {0};
    struct tally_batch *batches[16];
    size_t count = 0, seen = 0, size = build.layout->size_bytes;
    make_file(&build.bytes, path, &fd);
    must(tally_recording_open(path, NULL, &recording, &error), &error);
    do {
        assert_true(count < ARRAY_COUNT(batches));
        batches[count] = tally_batch_new();
    } while (tally_recording_read(recording, batches[count++], &error) > 0);
    tally_recording_close(recording);
    struct build expected = build_empty(SKL);
    for (size_t i = 0; i < 9000; i++)
        build_raw(&expected, 100 + 10 * i);
    for (size_t b = 0; b + 1 < count; b++) {
        for (size_t i = b ? 1 : 0; i < batches[b]->count; i++, seen++) {
            assert_int_equal(batches[b]->gpu_ticks[i], 100 + 10 * seen);
            assert_memory_equal(batches[b]->reports[i], expected.bytes.bytes + seen * size, size);
        }
    }
    assert_int_equal(seen, 9000);
    for (size_t b = 0; b < count; b++)
        tally_batch_free(batches[b]);
    tally_batch_free(NULL);
    close(fd);
    build_fini(&expected);
    build_fini(&build);
}

static void cannot_open(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *path;
        int code;
        const char *message;
    } rows[] = {
        {__LINE__, "/no/such/recording", -ENOENT, "/no/such/recording: cannot open: "},
        {__LINE__, "/tmp", -EISDIR, "/tmp: is a directory, expected a recording"},
        {__LINE__, "/dev/null", -EBADMSG, "/dev/null: empty, expected a recording"},
        {__LINE__, "/dev/zero", -EBADMSG, "/dev/zero: not a recording: record type 0, size 0"},
        {__LINE__, "/proc/self/mem", -EIO, "/proc/self/mem: cannot read: "},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        for (int map = 0; map < 2; map++) {
            struct tally_recording_options options = {.map = map};
            struct tally_recording *recording;
            struct tally_error error = {0};
            int result = tally_recording_open(rows[i].path, &options, &recording, &error);
            ROW_ASSERT(&rows[i], result == rows[i].code);
            ROW_ASSERT(&rows[i], error.code == result);
            ROW_ASSERT(&rows[i], strstr(error.message, rows[i].message) == error.message);
            result = tally_recording_open(rows[i].path, &options, &recording, NULL);
            ROW_ASSERT(&rows[i], result == rows[i].code);
        }
    }
    tally_recording_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip),      cmocka_unit_test(writer_limits),
        cmocka_unit_test(writer_errors),   cmocka_unit_test(batch_edges),
        cmocka_unit_test(batch_edges_raw), cmocka_unit_test(batch_of_one),
        cmocka_unit_test(cut_everywhere),  cmocka_unit_test(odd_reads),
        cmocka_unit_test(buffer_ends),     cmocka_unit_test(long_map),
        cmocka_unit_test(standard_input),  cmocka_unit_test(batches_stand_alone),
        cmocka_unit_test(cannot_open),     cmocka_unit_test(writer_appends),
    };
    return cmocka_run_group_tests_name("recording: reading", tests, NULL, NULL) + test_times() +
           test_chipset() + test_gaps_and_jumps() + test_losses() + test_metadata() +
           test_packet_records() + test_malformed() + test_packets() + test_packet_losses() +
           test_packet_random() + test_marks();
}
