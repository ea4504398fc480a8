/* SPDX-License-Identifier: MIT */
#include "build.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "recording/format.h"

// clang-format off
const struct gpu gpus[GPU_COUNT] = {
/*               name         layout                      device  format valid    context  hz */
    [HSW]       = {"hsw",     "hsw/a45_b8_c8",            0x0412,  5,    0,       false,   12500000},
    [HSW_SMALL] = {"hsw a13", "hsw/a13",                  0x0412,  1,    0,       false,   12500000},
    [SKL]       = {"skl",     "skl/a32u40_a4u32_b8_c8",   0x1912, 10,    1 << 16, true,    12000000},
    [TGL]       = {"tgl",     "tgl/a32u40_a4u32_b8_c8",   0x9a49, 10,    0,       true,    19200000},
    [DG2]       = {"dg2",     "dg2/a24u40_a14u32_b8_c8",  0x56a0, 12,    0,       true,    38400000},
    [OAM]       = {"mtl oam", "mtl/mpec8u64_b8_c8",       0x7d55, 13,    0,       true,    38400000},
    [OAM_SMALL] = {"mtl u32", "mtl/mpec8u32_b8_c8",       0x7d55, 14,    0,       true,    38400000},
};
// clang-format on

/* ---- building ------------------------------------------------------------------------------ */

struct build build_empty(enum gpu_kind kind)
{
    struct build build = {.gpu = &gpus[kind]};
    build.layout = tally_layout_find(build.gpu->layout);
    assert_non_null(build.layout);
    return build;
}

struct build build_start(enum gpu_kind kind)
{
    struct build build = build_empty(kind);
    build_version(&build, 1);
    build_device(&build);
    build_topology(&build);
    return build;
}

void build_fini(struct build *build)
{
    assert_false(build->bytes.broken);
    buffer_fini(&build->bytes);
}

void build_header(struct build *build, uint32_t type, unsigned size)
{
    uint8_t header[TALLY_RECORD_HEADER_BYTES];
    record_header_store(header, type, size);
    buffer_append(&build->bytes, header, sizeof header);
}

void build_record(struct build *build, uint32_t type, const void *payload, size_t size)
{
    build_header(build, type, (unsigned)(TALLY_RECORD_HEADER_BYTES + size));
    buffer_append(&build->bytes, payload, size);
}

void build_version(struct build *build, uint32_t version)
{
    uint8_t payload[VERSION_BYTES] = {0};
    store_le32(payload, version);
    build_record(build, TALLY_RECORD_VERSION, payload, sizeof payload);
}

struct tally_device_info build_info(const struct gpu *gpu)
{
    struct tally_device_info info = {
        .timestamp_hz = gpu->hz,
        .device_id = gpu->device,
        .revision = 3,
        .gt_min_hz = 200000000,
        .gt_max_hz = 1000000000,
        .oa_format = gpu->format,
        .set_name = "RenderBasic",
        .set_uuid = "01234567-89ab-cdef-0123-456789abcdef",
    };
    return info;
}

void build_device_info(struct build *build, const struct tally_device_info *info)
{
    uint8_t payload[DEVICE_INFO_BYTES];
    device_info_store(info, payload);
    build_record(build, TALLY_RECORD_DEVICE_INFO, payload, sizeof payload);
}

void build_device(struct build *build)
{
    struct tally_device_info info = build_info(build->gpu);
    build_device_info(build, &info);
}

void build_topology(struct build *build)
{
    struct tally_device device;
    struct tally_topology topology;
    uint8_t payload[256] = {0};
    assert_int_equal(tally_device_find(build->gpu->device, &device), 0);
    tally_topology_default(device.platform, &topology);
    size_t size = tally_topology_format(&topology, payload, sizeof payload);
    assert_true(size <= sizeof payload);
    build_record(build, TALLY_RECORD_DEVICE_TOPOLOGY, payload, (size + 7) & ~(size_t)7);
}

void build_correlation(struct build *build, uint64_t cpu_ns, uint64_t gpu_ticks)
{
    uint8_t payload[CORRELATION_BYTES];
    store_le64(payload + CORRELATION_CPU_NS, cpu_ns);
    store_le64(payload + CORRELATION_GPU_TICKS, gpu_ticks);
    build_record(build, TALLY_RECORD_TIMESTAMP_CORRELATION, payload, sizeof payload);
}

void build_lost(struct build *build, uint32_t type, unsigned times)
{
    while (times--)
        build_header(build, type, TALLY_RECORD_HEADER_BYTES);
}

static void make_report(struct build *build, uint64_t stamp, unsigned reason, uint32_t context,
                        uint8_t *bytes)
{
    uint64_t slots[TALLY_SLOT_COUNT];
    for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        slots[slot] = build->reports * (slot + 1) * UINT64_C(0x10000001) + slot;
    slots[TALLY_SLOT_ID] = (uint64_t)reason << 19 | build->gpu->valid;
    if (!build->gpu->has_context)
        slots[TALLY_SLOT_ID] = (uint64_t)reason << 10; /* OA-U10 */
    slots[TALLY_SLOT_TIMESTAMP] = stamp;
    slots[TALLY_SLOT_CONTEXT] = context;
    tally_report_pack(build->layout, slots, bytes);
    build->reports++;
}

void build_report_by(struct build *build, uint64_t stamp, unsigned reason, uint32_t context)
{
    uint8_t bytes[1024];
    make_report(build, stamp, reason, context, bytes);
    build_record(build, TALLY_RECORD_SAMPLE, bytes, build->layout->size_bytes);
}

void build_report(struct build *build, uint64_t stamp)
{
    build_report_by(build, stamp, TALLY_REASON_TIMER, 0x1000 + (uint32_t)(build->reports % 3));
}

void build_reports(struct build *build, uint64_t stamp, uint64_t period, size_t count)
{
    for (size_t i = 0; i < count; i++)
        build_report(build, stamp + i * period);
}

void build_raw(struct build *build, uint64_t stamp)
{
    uint8_t bytes[1024];
    uint32_t context = 0x1000 + (uint32_t)(build->reports % 3);
    make_report(build, stamp, TALLY_REASON_TIMER, context, bytes);
    buffer_append(&build->bytes, bytes, build->layout->size_bytes);
}

void build_raw_empty(struct build *build)
{
    uint8_t bytes[1024] = {0};
    memset(bytes + build->layout->size_bytes / 2, 0xee, 8); /* contents of an older report */
    buffer_append(&build->bytes, bytes, build->layout->size_bytes);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void *grown(void *array, size_t count, size_t size)
{
    array = realloc(array, count * size);
    assert_non_null(array);
    return array;
}

/* The first element of a batch is the last report so far. */
static void check_overlap(const struct reading *reading, const struct tally_batch *batch,
                          size_t report_size)
{
    size_t last = reading->count - 1;
    assert_true(batch->count >= 2);
    assert_int_equal(batch->first_index, last);
    assert_int_equal(batch->gpu_ticks[0], reading->ticks[last]);
    assert_int_equal(batch->contexts[0], reading->contexts[last]);
    assert_int_equal(batch->reasons[0], reading->reasons[last]);
    assert_memory_equal(batch->reports[0], reading->reports.bytes + last * report_size,
                        report_size);
}

static void take_batch(struct reading *reading, const struct tally_batch *batch, size_t report_size)
{
    size_t start = reading->count ? 1 : 0, total = reading->count + batch->count - start;
    if (start)
        check_overlap(reading, batch, report_size);
    else
        assert_int_equal(batch->first_index, 0);
    reading->ticks = grown(reading->ticks, total, sizeof *reading->ticks);
    reading->contexts = grown(reading->contexts, total, sizeof *reading->contexts);
    reading->reasons = grown(reading->reasons, total, sizeof *reading->reasons);
    reading->states = grown(reading->states, total, sizeof *reading->states);
    for (size_t i = 0; i + 1 < batch->count; i++) /* element i is report count - start + i */
        reading->states[reading->count - start + i] = batch->states[i];
    for (size_t i = start; i < batch->count; i++, reading->count++) {
        reading->ticks[reading->count] = batch->gpu_ticks[i];
        reading->contexts[reading->count] = batch->contexts[i];
        reading->reasons[reading->count] = batch->reasons[i];
        buffer_append(&reading->reports, batch->reports[i], report_size);
    }
    reading->batches++;
}

static void take_end(struct reading *reading, struct tally_recording *recording,
                     struct tally_batch *batch)
{
    /* Further reads return the same end or the same fault. */
    struct tally_error again = {0};
    assert_int_equal(tally_recording_read(recording, batch, &again), reading->ended);
    assert_string_equal(again.message, reading->error.message);

    const struct tally_loss *losses;
    reading->loss_count = tally_recording_losses(recording, &losses);
    reading->losses = grown(NULL, reading->loss_count + 1, sizeof *losses);
    for (size_t i = 0; i < reading->loss_count; i++)
        reading->losses[i] = losses[i];
    const struct tally_correlation *points;
    reading->point_count = tally_recording_correlations(recording, &points);
    reading->points = grown(NULL, reading->point_count + 1, sizeof *points);
    for (size_t i = 0; i < reading->point_count; i++)
        reading->points[i] = points[i];
    reading->totals = tally_recording_totals(recording);
    reading->position = tally_recording_position(recording);
    assert_int_equal(reading->totals.reports, reading->count);
    if (reading->count) {
        assert_int_equal(reading->totals.first_ticks, reading->ticks[0]);
        assert_int_equal(reading->totals.last_ticks, reading->ticks[reading->count - 1]);
    }
}

static void read_recording(struct tally_recording *recording, struct reading *reading)
{
    struct tally_batch *batch = tally_batch_new();
    assert_non_null(batch);
    reading->info = *tally_recording_info(recording);
    reading->info.path = NULL;
    if (reading->info.provenance) {
        reading->provenance = strdup(reading->info.provenance);
        reading->info.provenance = reading->provenance;
    }
    size_t report_size = reading->info.layout->size_bytes;
    int result;
    while ((result = tally_recording_read(recording, batch, &reading->error)) > 0)
        take_batch(reading, batch, report_size);
    reading->ended = result;
    assert_int_equal(reading->error.code, result);
    take_end(reading, recording, batch);
    tally_batch_free(batch);
}

static void read_path(const char *path, const struct tally_recording_options *options,
                      struct reading *out)
{
    struct tally_recording *recording;
    *out = (struct reading){0};
    out->opened = tally_recording_open(path, options, &recording, &out->error);
    if (out->opened < 0)
        return;
    read_recording(recording, out);
    tally_recording_close(recording);
}

void make_file(const struct buffer *bytes, char path[32], int *fd)
{
    *fd = memfd_create("recording", MFD_CLOEXEC);
    assert_true(*fd >= 0);
    for (size_t done = 0; done < bytes->size;) {
        ssize_t n = write(*fd, bytes->bytes + done, bytes->size - done);
        assert_true(n > 0);
        done += (size_t)n;
    }
    snprintf(path, 32, "/proc/self/fd/%d", *fd);
}

/* The size of the reader's buffer. */
#define READER_BYTES (256u * 1024)

struct feeder {
    const struct buffer *bytes;
    size_t first, chunk;
    int fd;
};

static void *feed(void *closure)
{
    struct feeder *feeder = closure;
    size_t size = feeder->first;
    for (size_t done = 0; done < feeder->bytes->size; size = feeder->chunk) {
        size_t left = feeder->bytes->size - done;
        if (!size)
            continue;
        ssize_t n = write(feeder->fd, feeder->bytes->bytes + done, left < size ? left : size);
        if (n <= 0)
            break; /* the reader closed the pipe */
        done += (size_t)n;
    }
    close(feeder->fd);
    return NULL;
}

void read_pipe(const struct buffer *bytes, size_t first, size_t chunk,
               const struct tally_recording_options *options, struct reading *out)
{
    int ends[2];
    char path[32];
    pthread_t thread;
    /* With O_DIRECT a read returns the bytes of one write and drops those that do not fit. */
    bool fits = bytes->size < READER_BYTES;
    assert_int_equal(pipe2(ends, O_CLOEXEC | (fits ? O_DIRECT : 0)), 0);
    signal(SIGPIPE, SIG_IGN);
    struct feeder feeder = {bytes, first, chunk, ends[1]};
    assert_int_equal(pthread_create(&thread, NULL, feed, &feeder), 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    read_path(path, options, out);
    close(ends[0]);
    pthread_join(thread, NULL);
}

void read_by(enum way way, const struct buffer *bytes,
             const struct tally_recording_options *options, struct reading *out)
{
    struct tally_recording_options mapped = {0};
    struct tally_recording *recording;
    char path[32];
    int fd;
    switch (way) {
    case BY_MEMORY:
    case BY_INDEX:
        *out = (struct reading){0};
        out->opened = tally_recording_open_memory(bytes->bytes, bytes->size, "memory", options,
                                                  &recording, &out->error);
        if (out->opened < 0)
            return;
        if (way == BY_INDEX)
            tally_recording_index(recording);
        read_recording(recording, out);
        tally_recording_close(recording);
        return;
    case BY_FILE:
    case BY_MAP:
        if (options)
            mapped = *options;
        mapped.map = way == BY_MAP;
        make_file(bytes, path, &fd);
        read_path(path, &mapped, out);
        close(fd);
        return;
    default:
        read_pipe(bytes, 0, 4096, options, out);
    }
}

void read_memory(const struct build *build, struct reading *out)
{
    read_by(BY_MEMORY, &build->bytes, NULL, out);
}

void reading_fini(struct reading *reading)
{
    free(reading->ticks);
    free(reading->contexts);
    free(reading->reasons);
    free(reading->states);
    free(reading->losses);
    free(reading->points);
    free(reading->provenance);
    buffer_fini(&reading->reports);
}

/* Messages begin with the path, which differs between runs. */
static const char *without_path(const struct tally_error *error)
{
    const char *colon = strstr(error->message, ": ");
    return colon ? colon : error->message;
}

static void assert_same_loss(const struct tally_loss *a, const struct tally_loss *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->records, b->records);
    assert_int_equal(a->before_index, b->before_index);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->gpu_start, b->gpu_start);
    assert_int_equal(a->gpu_end, b->gpu_end);
    assert_int_equal(a->estimated, b->estimated);
}

void assert_same_reading(const struct reading *expected, const struct reading *reading)
{
    size_t count = expected->count;
    assert_int_equal(expected->opened, reading->opened);
    assert_int_equal(expected->ended, reading->ended);
    assert_int_equal(expected->error.code, reading->error.code);
    assert_string_equal(without_path(&expected->error), without_path(&reading->error));
    assert_int_equal(count, reading->count);
    assert_int_equal(expected->position, reading->position);
    if (count) {
        assert_memory_equal(expected->ticks, reading->ticks, count * sizeof *expected->ticks);
        assert_memory_equal(expected->contexts, reading->contexts,
                            count * sizeof *expected->contexts);
        assert_memory_equal(expected->reasons, reading->reasons, count);
        assert_memory_equal(expected->states, reading->states, count - 1);
        assert_int_equal(expected->reports.size, reading->reports.size);
        assert_memory_equal(expected->reports.bytes, reading->reports.bytes, reading->reports.size);
    }
    assert_int_equal(expected->loss_count, reading->loss_count);
    for (size_t i = 0; i < expected->loss_count; i++)
        assert_same_loss(&expected->losses[i], &reading->losses[i]);
    assert_int_equal(expected->point_count, reading->point_count);
    for (size_t i = 0; i < expected->point_count; i++) {
        assert_int_equal(expected->points[i].cpu_ns, reading->points[i].cpu_ns);
        assert_int_equal(expected->points[i].gpu_ticks, reading->points[i].gpu_ticks);
    }
    assert_int_equal(expected->totals.losses, reading->totals.losses);
    assert_int_equal(expected->totals.lost_deltas, reading->totals.lost_deltas);
    assert_int_equal(expected->totals.unknown_records, reading->totals.unknown_records);
}

uint64_t records_of(const struct reading *reading, enum tally_loss_kind kind)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < reading->loss_count; i++)
        if (reading->losses[i].kind == kind)
            sum += reading->losses[i].records;
    return sum;
}
