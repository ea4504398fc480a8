/* SPDX-License-Identifier: MIT */
/* The driver that only uses registers, on the modelled GPU: what it writes, what it delivers, and
 * what it reports as lost (docs/mmio-driver.md). */
#include "driver/tests.h"

#include <errno.h>

#include <tally/recording.h>

#include "base/bits.h"
#include "emulation/emulation.h"
#include "intel/platforms.h"
#include "testing.h"

#define MS         UINT64_C(1000000)
#define LINE_BYTES 64u
#define MAX_LINES  (1u << 17)

/* ---- the rig: a GPU whose writes to memory the test sees ------------------------------------- */

struct line {
    uint64_t address, due_ns;
    bool landed;
    uint8_t bytes[LINE_BYTES];
};

struct mmio_rig {
    const struct intel_platform *platform;
    struct emulation *emulation;
    struct mmio_stream *stream;
    const struct tally_layout *layout;

    /* All lines that the unit has written, in order; those before `landed` are in memory. */
    struct line *lines;
    size_t line_count, landed;
    uint64_t delay_ns;       /* from a write to its arrival in memory */
    size_t drop_from, drops; /* lines that never arrive */

    uint8_t records[1 << 20];
    size_t size;
};

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct mmio_rig *rig = context;
    return mmio_memory_read(rig->emulation->mmio, space, address, data, bytes);
}

static void land(struct mmio_rig *rig, uint64_t now)
{
    while (rig->landed < rig->line_count && rig->lines[rig->landed].due_ns <= now) {
        const struct line *line = &rig->lines[rig->landed];
        bool dropped = rig->landed >= rig->drop_from && rig->landed < rig->drop_from + rig->drops;
        if (!dropped)
            mmio_memory_write(rig->emulation->mmio, TALLY_GPU_GGTT, line->address, line->bytes,
                              LINE_BYTES);
        rig->landed++;
    }
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct mmio_rig *rig = context;
    assert_int_equal(space, TALLY_GPU_GGTT);
    assert_int_equal(bytes, LINE_BYTES);
    assert_true(rig->line_count < MAX_LINES);
    struct line *line = &rig->lines[rig->line_count++];
    uint64_t now = tally_gpu_now_ns(rig->emulation->gpu);
    *line = (struct line){.address = address, .due_ns = now + rig->delay_ns};
    memcpy(line->bytes, data, bytes);
    if (!rig->delay_ns)
        land(rig, now);
    return true;
}

static struct mmio_rig *rig_of(const char *platform, const char *workload)
{
    struct mmio_rig *rig = calloc(1, sizeof *rig);
    struct tally_error error = {0};
    char path[512];
    assert_non_null(rig);
    rig->platform = intel_modelled(platform);
    rig->lines = calloc(MAX_LINES, sizeof *rig->lines);
    assert_non_null(rig->lines);
    snprintf(path, sizeof path, "%s/data/workloads/%s.yaml", getenv("TALLY_SOURCE"),
             workload ? workload : "");
    struct emulation_settings settings = {
        .gpu.platform = platform, .interface = &emulation_mmio, .workload = workload ? path : NULL};
    if (emulation_new(&settings, &rig->emulation, &error) < 0)
        fail_msg("%s", error.message);
    tally_gpu_set_bus(
        rig->emulation->gpu,
        &(struct tally_gpu_bus){.read = read_memory, .write = write_memory, .context = rig});
    return rig;
}

static void free_rig(struct mmio_rig *rig)
{
    if (rig->stream)
        mmio_stream_close(rig->stream);
    emulation_free(rig->emulation);
    free(rig->lines);
    free(rig);
}

/* Returns the platform's layout with the most counters. */
static const struct tally_layout *longest_layout(const struct intel_platform *platform)
{
    const struct tally_layout *longest = NULL;
    for (size_t i = 0; i < tally_layout_count(); i++) {
        const struct tally_layout *layout = tally_layout_at(i);
        if (!strcmp(layout->family, platform->info.layout_family) &&
            (!longest || layout->size_bytes > longest->size_bytes))
            longest = layout;
    }
    return longest;
}

static int try_open(struct mmio_rig *rig, const struct mmio_stream_options *options,
                    struct tally_error *error)
{
    struct mmio_stream_options used = *options;
    if (!used.layout)
        used.layout = longest_layout(rig->platform);
    rig->layout = used.layout;
    return mmio_stream_open(rig->emulation->mmio, &used, &rig->stream, error);
}

static void open_stream(struct mmio_rig *rig, const struct mmio_stream_options *options)
{
    struct tally_error error = {0};
    if (try_open(rig, options, &error) < 0)
        fail_msg("%s", error.message);
}

/* Runs the GPU in steps of at most 20 us, so that held lines land in time. */
static void run(struct mmio_rig *rig, uint64_t ns)
{
    for (uint64_t step; ns; ns -= step) {
        step = rig->delay_ns && ns > 20000 ? 20000 : ns;
        emulation_run_ns(rig->emulation, step);
        land(rig, tally_gpu_now_ns(rig->emulation->gpu));
    }
}

/* ---- what was read --------------------------------------------------------------------------- */

struct found {
    unsigned samples, report_lost, buffer_lost, zero;
    int64_t result;
};

static struct found read_at_most(struct mmio_rig *rig, size_t size)
{
    struct found found = {0};
    found.result = mmio_stream_read(rig->stream, rig->records, size);
    rig->size = found.result > 0 ? (size_t)found.result : 0;
    for (size_t at = 0; at < rig->size;) {
        const uint8_t *record = rig->records + at;
        uint32_t type = load_le32(record), bytes = load_le16(record + 6);
        assert_int_equal(load_le16(record + 4), 0);
        found.samples += type == TALLY_RECORD_SAMPLE;
        found.report_lost += type == TALLY_RECORD_REPORT_LOST;
        found.buffer_lost += type == TALLY_RECORD_BUFFER_LOST;
        found.zero +=
            type == TALLY_RECORD_SAMPLE && !load_le32(record + 8) && !load_le32(record + 12);
        assert_int_equal(bytes, type == TALLY_RECORD_SAMPLE ? 8u + rig->layout->size_bytes : 8u);
        at += bytes;
    }
    return found;
}

static struct found read_all(struct mmio_rig *rig)
{
    return read_at_most(rig, sizeof rig->records);
}

/* Compares the samples that were read with the lines that the unit wrote, from report `*next` on.
 * Returns the number of wrong reports. */
static unsigned compare(const struct mmio_rig *rig, size_t *next)
{
    unsigned wrong = 0;
    size_t lines = rig->layout->size_bytes / LINE_BYTES;
    for (size_t at = 0; at < rig->size; at += load_le16(rig->records + at + 6)) {
        if (load_le32(rig->records + at) != TALLY_RECORD_SAMPLE)
            continue;
        for (size_t line = 0; line < lines; line++) {
            size_t index = *next * lines + line;
            wrong += index >= rig->line_count || memcmp(rig->records + at + 8 + LINE_BYTES * line,
                                                        rig->lines[index].bytes, LINE_BYTES) != 0;
        }
        ++*next;
    }
    return wrong;
}

static uint64_t ns_of_period(const struct mmio_rig *rig, unsigned exponent)
{
    return intel_timer_ticks(rig->platform, exponent) * 1000000000 /
           rig->platform->info.timestamp_hz;
}

/* ---- every report ---------------------------------------------------------------------------- */

/* Random layouts, buffers, periods, times of reads and sizes of reads, and delays of memory: each
 * report arrives once, whole, and as the unit has written it. */
static void test_every_report(void **state)
{
    (void)state;
    struct random rng = random_start(0x6d6d696f);
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        for (unsigned round = 0; round < random_cases(12); round++) {
            struct mmio_rig *rig = rig_of(platform->info.name, "contexts");
            const struct tally_layout *layout;
            do
                layout = tally_layout_at(random_below(&rng, tally_layout_count()));
            while (strcmp(layout->family, platform->info.layout_family) != 0);
            bool doubles = platform->oa->large_buffers || platform->oa->map >= OA_MAP_C;
            uint64_t code = random_below(&rng, doubles ? 2 : 8);
            uint32_t buffer = doubles ? 131072u << code : 16384u * (uint32_t)(code + 1);
            rig->delay_ns = random_below(&rng, 2) ? random_below(&rng, 300000) : 0;
            unsigned exponent = 0; /* a fourth of the buffer in 5 ms */
            while (ns_of_period(rig, exponent) * (buffer / layout->size_bytes) < 20 * MS)
                exponent++;
            open_stream(rig, &(struct mmio_stream_options){
                                 .layout = layout, .exponent = exponent, .buffer_bytes = buffer});
            size_t next = 0;
            unsigned wrong = 0, lost = 0;
            for (unsigned i = 0; i < 40; i++) {
                run(rig, random_below(&rng, 5 * MS));
                struct found found = read_at_most(
                    rig, random_below(&rng, 3) ? sizeof rig->records : random_below(&rng, 4096));
                lost += found.buffer_lost + found.report_lost + found.zero;
                wrong += compare(rig, &next);
            }
            run(rig, 12 * MS);
            struct found rest = read_all(rig);
            lost += rest.buffer_lost + rest.zero;
            wrong += compare(rig, &next);
            size_t written = rig->line_count * LINE_BYTES / layout->size_bytes;
            ROW(__LINE__,
                !wrong && !lost && next <= written &&
                    next + 4 + 5 * MS / ns_of_period(rig, exponent) >= written,
                "%s/%s, buffer %u, exponent %u, delay %llu: %u wrong, %u lost, %zu of %zu",
                platform->info.name, layout->name, buffer, exponent,
                (unsigned long long)rig->delay_ns, wrong, lost, next, written);
            ROW(__LINE__, next > 100, "%s: only %zu reports", platform->info.name, next);
            free_rig(rig);
        }
    }
    ROWS_DONE();
}

/* Checks that consecutive timer reports are 2^bits ticks apart, beginning with number `timers`.
 * Returns the number so far. */
static unsigned read_timers(const struct mmio_rig *rig, unsigned bits, unsigned timers,
                            uint32_t *before)
{
    const struct tally_platform *platform = &rig->platform->info;
    for (size_t at = 0; at < rig->size; at += load_le16(rig->records + at + 6)) {
        const uint8_t *report = rig->records + at + 8;
        if (load_le32(rig->records + at) == TALLY_RECORD_BUFFER_LOST)
            timers = 0;
        if (load_le32(rig->records + at) != TALLY_RECORD_SAMPLE ||
            !(tally_report_reason(platform, load_le32(report)) & TALLY_REASON_TIMER))
            continue;
        uint32_t stamp = load_le32(report + 4);
        ROW(__LINE__, !timers || stamp - *before == UINT32_C(1) << bits,
            "%s, period 2^%u: %u ticks", platform->name, bits, stamp - *before);
        timers++;
        *before = stamp;
    }
    return timers;
}

/* The timer's period is 2^(n+1) ticks of TIMESTAMP, on SNB 2^(n+4) (document 000). */
static void test_periods(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        unsigned shift = platform->info.version == 60 ? 4 : 1;
        for (unsigned exponent = 0; exponent <= 20; exponent++) {
            struct mmio_rig *rig = rig_of(platform->info.name, NULL);
            open_stream(rig, &(struct mmio_stream_options){.exponent = exponent});
            uint64_t period = ns_of_period(rig, exponent);
            uint32_t before = 0;
            unsigned timers = 0;
            /* Checks are at least 0.1 ms apart, in which the small buffers overflow at first. */
            for (unsigned i = 0; i < 100 && timers < 20; i++) {
                run(rig, period > 50000 ? period : 50000);
                read_all(rig);
                timers = read_timers(rig, exponent + shift, timers, &before);
            }
            bool overflows = platform->oa->map == OA_MAP_A && exponent + shift < 4;
            ROW(__LINE__, timers >= 20 || overflows, "%s, exponent %u: %u reports",
                platform->info.name, exponent, timers);
            free_rig(rig);
        }
    }
    ROWS_DONE();
}

/* ---- losses ---------------------------------------------------------------------------------- */

/* After an overflow one record says so, and the unit starts with an empty buffer. */
static void test_overflow(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = rig_of(platform->info.name, "triangle");
        bool doubles = platform->oa->large_buffers || platform->oa->map >= OA_MAP_C;
        uint32_t buffer = doubles ? 131072 : 65536;
        open_stream(rig, &(struct mmio_stream_options){.exponent = 3, .buffer_bytes = buffer});
        uint64_t full = ns_of_period(rig, 3) * buffer / rig->layout->size_bytes;
        for (unsigned round = 0; round < 3; round++) {
            run(rig, 3 * full / 2 + MS);
            ROW(__LINE__, mmio_stream_poll(rig->stream), "%s", platform->info.name);
            ROW(__LINE__, read_at_most(rig, 7).result == -ENOSPC, "%s", platform->info.name);
            struct found found = read_all(rig);
            ROW(__LINE__, found.result == 8 && found.buffer_lost == 1, "%s, round %u: %lld bytes",
                platform->info.name, round, (long long)found.result);
            ROW(__LINE__, read_all(rig).result == -EAGAIN, "%s", platform->info.name);
            size_t lines = rig->layout->size_bytes / LINE_BYTES;
            rig->landed = rig->line_count = 0;
            run(rig, full / 2);
            size_t next = 0;
            found = read_all(rig);
            ROW(__LINE__, found.samples > 50 && !found.buffer_lost && !compare(rig, &next),
                "%s, round %u: %u reports of %zu after it", platform->info.name, round,
                found.samples, rig->line_count / lines);
        }
        free_rig(rig);
    }
    ROWS_DONE();
}

/* Reports take longer than their period. Where a write of the status would set the tail, the loss
 * is reported once; on VLV never. */
static void test_report_lost(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = rig_of(platform->info.name, NULL);
        struct tally_oa *unit = tally_gpu_oa(rig->emulation->gpu);
        open_stream(rig, &(struct mmio_stream_options){.exponent = 9 - platform->oa->timer_shift});
        unsigned reported[3];
        for (unsigned round = 0; round < 3; round++) {
            tally_oa_set_line_time(unit, 40000);
            run(rig, 3 * MS);
            tally_oa_set_line_time(unit, 0);
            run(rig, 8 * MS);
            reported[round] = read_all(rig).report_lost;
        }
        bool has = platform->oa->has_report_lost, again = platform->oa->map >= OA_MAP_C;
        ROW(__LINE__, reported[0] == has && reported[1] == again && reported[2] == again,
            "%s: %u, %u and %u records", platform->info.name, reported[0], reported[1],
            reported[2]);
        free_rig(rig);
    }
    ROWS_DONE();
}

/* A report that never arrives is given up after a while, and is delivered with id and timestamp 0;
 * those behind it are complete. */
static void test_a_line_that_never_lands(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "vlv", "hsw", "skl", "tgl"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct mmio_rig *rig = rig_of(names[p], NULL);
        open_stream(rig,
                    &(struct mmio_stream_options){.exponent = 12 - rig->platform->oa->timer_shift});
        size_t lines = rig->layout->size_bytes / LINE_BYTES;
        rig->drop_from = 10 * lines;
        rig->drops = lines;
        run(rig, 15 * MS);
        struct found before = read_all(rig);
        ROW(__LINE__, before.samples == 10 && !before.zero, "%s: %u reports, %u of them 0",
            names[p], before.samples, before.zero);
        run(rig, 45 * MS);
        struct found after = read_all(rig);
        ROW(__LINE__, after.samples > 50 && after.zero == 1, "%s: %u reports, %u of them 0",
            names[p], after.samples, after.zero);
        free_rig(rig);
    }
    ROWS_DONE();
}

/* ---- registers ------------------------------------------------------------------------------- */

#define MAX_WRITES 400
struct trace {
    uint32_t address[MAX_WRITES], value[MAX_WRITES];
    size_t count;
};

static void hear(void *context, const struct tally_gpu_access *access)
{
    struct trace *trace = context;
    if (!access->write || access->agent != TALLY_GPU_CPU || trace->count == MAX_WRITES)
        return;
    trace->address[trace->count] = access->address;
    trace->value[trace->count++] = access->value;
}

/* Checks that the trace has these writes, in this order; others may be in between. */
struct written {
    uint32_t address, value;
};

static void check_order(unsigned line, const char *name, const struct trace *trace,
                        const struct written *expected, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < trace->count && found < count; i++)
        found += trace->address[i] == expected[found].address &&
                 trace->value[i] == expected[found].value;
    ROW(line, found == count, "%s: no write of %xh = %xh after %zu others", name,
        found < count ? (unsigned)expected[found].address : 0,
        found < count ? (unsigned)expected[found].value : 0, found);
}

/* Document 000: RC6, trunk and unit clock gating are off before the unit is enabled, OABUFFER is
 * written between OASTATUS2 and OASTATUS1, and all that while the unit is disabled. */
static void test_sequences(void **state)
{
    (void)state;
    static const struct written snb[] = {
        {0xa094, 0},         {0xa090, 0x80000000}, {0x9400, 0x80},      {0x9400, 0x10080},
        {0x2360, 0},         {0x2390, 3},          {0x2368, 0x1000001}, {0x23b0, 0x1000000},
        {0x2364, 0x1000038}, {0x2360, 0x3ad},
    };
    static const struct written ivb[] = {
        {0xa094, 0},         {0xa090, 0x80000000}, {0x9424, 0},         {0x9400, 0x80},
        {0x2360, 0},         {0x2390, 3},          {0x2368, 0x1000001}, {0x23b0, 0x1000000},
        {0x2364, 0x1000038}, {0x2360, 0x3b5},
    };
    static const struct written skl[] = {
        {0x2b04, 0x620060},  {0x2b00, 0},         {0x2390, 3},
        {0x2b08, 0},         {0x2b0c, 0x1000000}, {0x2b14, 0x1000039},
        {0x2b10, 0x1000000}, {0x2360, 0x3b},      {0x2b00, 0x15},
    };
    static const struct {
        const char *name;
        const struct written *open;
        size_t count;
    } rows[] = {{"snb", snb, COUNT(snb)},
                {"ivb", ivb, COUNT(ivb)},
                {"vlv", ivb, COUNT(ivb)},
                {"skl", skl, COUNT(skl)}};
    static const struct mmio_register set[] = {{0x2390, 3}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = rig_of(rows[i].name, NULL);
        struct trace trace = {.count = 0};
        tally_gpu_set_mmio_listener(rig->emulation->gpu, hear, &trace);
        open_stream(rig, &(struct mmio_stream_options){
                             .exponent = 14, .registers = set, .register_count = 1});
        check_order(__LINE__, rows[i].name, &trace, rows[i].open, rows[i].count);
        free_rig(rig);
    }
    ROWS_DONE();
}

/* The registers of power and clock gating get their values back, and the unit is off. */
static void test_close(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *name;
        uint32_t address, before, during;
    } rows[] = {
        {__LINE__, "snb", 0xa094, 0x00040000, 0},
        {__LINE__, "snb", 0xa090, 0x00020000, 0x80020000},
        {__LINE__, "snb", 0x9400, 0x00000100, 0x00010180},
        {__LINE__, "snb", 0x2360, 0, 0x3ad},
        {__LINE__, "ivb", 0xa094, 0x00040000, 0},
        {__LINE__, "ivb", 0x9424, 0x00000003, 0x00000002},
        {__LINE__, "ivb", 0x9400, 0x00010000, 0x00010080},
        {__LINE__, "vlv", 0x9424, 0x00000001, 0},
        {__LINE__, "hsw", 0x9424, 0x00000001, 0},
        {__LINE__, "skl", 0x2b04, 0, 0x60},
        {__LINE__, "tgl", 0xdaf8, 0, 0x60},
        {__LINE__, "tgl", 0x8718, 0, 0x40000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = rig_of(rows[i].name, NULL);
        struct tally_gpu *gpu = rig->emulation->gpu;
        struct mmio_stream *other;
        open_stream(rig, &(struct mmio_stream_options){.exponent = 14}); /* to be awake */
        mmio_stream_close(rig->stream);
        tally_gpu_write32(gpu, 0xa188, 0x10001);
        tally_gpu_write32(gpu, 0xa18c, 1);
        tally_gpu_write32(gpu, 0x1300b0, 0x10001);
        tally_gpu_write32(gpu, 0xa278, 0x10001);
        emulation_run_ns(rig->emulation, 10000);
        if (rows[i].address != 0x2360)
            tally_gpu_write32(gpu, rows[i].address, rows[i].before);
        open_stream(rig, &(struct mmio_stream_options){.exponent = 14});
        ROW(rows[i].line, tally_gpu_read32(gpu, rows[i].address) == rows[i].during,
            "%s: %xh is %x while a stream is open", rows[i].name, (unsigned)rows[i].address,
            (unsigned)tally_gpu_read32(gpu, rows[i].address));
        struct tally_error error = {0};
        struct mmio_stream_options again = {.layout = rig->layout, .exponent = 14};
        ROW(rows[i].line, mmio_stream_open(rig->emulation->mmio, &again, &other, &error) == -EBUSY,
            "%s", error.message);
        mmio_stream_close(rig->stream);
        rig->stream = NULL;
        tally_gpu_write32(gpu, 0xa188, 0x10001);
        tally_gpu_write32(gpu, 0xa18c, 1);
        tally_gpu_write32(gpu, 0x1300b0, 0x10001);
        tally_gpu_write32(gpu, 0xa278, 0x10001);
        emulation_run_ns(rig->emulation, 10000);
        ROW(rows[i].line, tally_gpu_read32(gpu, rows[i].address) == rows[i].before,
            "%s: %xh is %x afterwards", rows[i].name, (unsigned)rows[i].address,
            (unsigned)tally_gpu_read32(gpu, rows[i].address));
        free_rig(rig);
    }
    ROWS_DONE();
}

/* The head in another lap than the tail makes a new buffer look full, unless the pointers are
 * programmed in the documented order. */
static void test_a_careless_order(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "vlv", "hsw"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct mmio_rig *rig = rig_of(names[p], NULL);
        struct tally_gpu *gpu = rig->emulation->gpu;
        open_stream(rig,
                    &(struct mmio_stream_options){.exponent = 8 - rig->platform->oa->timer_shift});
        uint64_t used = 0;
        run(rig, 6 * MS);
        read_all(rig); /* the head is within the buffer */
        tally_gpu_write32(gpu, 0x2360, 0);
        tally_gpu_write32(gpu, 0x2364, 0x1000000); /* OASTATUS1 before OASTATUS2 */
        tally_gpu_write32(gpu, 0x23b0, 0x1000000);
        tally_gpu_write32(gpu, 0x2368, 0x1000001);
        tally_oa_peek(tally_gpu_oa(gpu), "used", &used);
        ROW(__LINE__, used > 0, "%s: the model accepts any order", names[p]);
        mmio_stream_close(rig->stream);
        open_stream(rig,
                    &(struct mmio_stream_options){.exponent = 8 - rig->platform->oa->timer_shift});
        tally_oa_peek(tally_gpu_oa(gpu), "used", &used);
        ROW(__LINE__, used == 0, "%s: %llu bytes used at the start", names[p],
            (unsigned long long)used);
        run(rig, 6 * MS);
        struct found found = read_all(rig);
        ROW(__LINE__, found.samples > 50 && !found.buffer_lost, "%s: %u reports, %u overflows",
            names[p], found.samples, found.buffer_lost);
        free_rig(rig);
    }
    ROWS_DONE();
}

/* ---- power and contexts ---------------------------------------------------------------------- */

/* While the GT has no power nothing is read; afterwards the stream continues. */
static void test_loss_of_power(void **state)
{
    (void)state;
    const struct intel_platform *platform;
    static const struct mmio_register start[] = {{0x2710, 0}, {0x2714, 0x00800000}};
    for (size_t p = 0; (platform = intel_modelled_at(p, false)); p++) {
        struct mmio_rig *rig = rig_of(platform->info.name, "compute");
        open_stream(rig, &(struct mmio_stream_options){
                             .exponent = 11 - platform->oa->timer_shift,
                             .registers = start,
                             .register_count = platform->oa->map == OA_MAP_A ? 0 : 2});
        run(rig, 30 * MS);
        ROW(__LINE__, read_all(rig).samples > 50, "%s", platform->info.name);
        tally_gpu_lose_wake(rig->emulation->gpu, true);
        run(rig, 20 * MS);
        read_all(rig);
        tally_gpu_lose_wake(rig->emulation->gpu, false);
        run(rig, 6 * MS);
        read_all(rig);
        run(rig, 40 * MS);
        struct found found = read_all(rig);
        ROW(__LINE__, found.samples > 50 && !found.buffer_lost, "%s: %u reports, %u overflows",
            platform->info.name, found.samples, found.buffer_lost);
        free_rig(rig);
    }
    ROWS_DONE();
}

/* With a context, counters only count in it. */
static void test_one_context(void **state)
{
    (void)state;
    static const char *const names[] = {"snb", "ivb", "hsw", "bdw", "skl"};
    for (size_t p = 0; p < COUNT(names); p++) {
        uint64_t counts[3];
        for (unsigned i = 0; i < 3; i++) { /* all contexts, the workload's, another */
            struct mmio_rig *rig = rig_of(names[p], "triangle");
            const char *busy = rig->platform->info.version == 60   ? "a26"
                               : rig->platform->info.version >= 80 ? "a0"
                                                                   : "a41";
            open_stream(rig, &(struct mmio_stream_options){
                                 .exponent = 12, .one_context = i > 0, .context = i * 0x1000});
            run(rig, 50 * MS);
            tally_oa_peek(tally_gpu_oa(rig->emulation->gpu), busy, &counts[i]);
            free_rig(rig);
        }
        ROW(__LINE__, counts[0] > 1000 && counts[1] == counts[0] && counts[2] == 0,
            "%s: %llu, %llu, %llu", names[p], (unsigned long long)counts[0],
            (unsigned long long)counts[1], (unsigned long long)counts[2]);
    }
    ROWS_DONE();
}

static void test_bad_options(void **state)
{
    (void)state;
    const struct tally_layout *snb = tally_layout_find("snb/a29");
    const struct tally_layout *hsw = tally_layout_find("hsw/a45_b8_c8");
    const struct tally_layout *skl = tally_layout_find("skl/a32u40_a4u32_b8_c8");
    const struct {
        unsigned line;
        const char *platform;
        struct mmio_stream_options options;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, "snb", {.layout = hsw}, -EINVAL, "expected one of snb"},
        {__LINE__, "snb", {.layout = snb, .exponent = 32}, -EINVAL, "expected 0 to 31"},
        {__LINE__, "snb", {.layout = snb, .buffer_bytes = 1 << 20}, -EINVAL, "16 KiB"},
        {__LINE__, "hsw", {.layout = hsw, .buffer_bytes = 16384}, -EINVAL, "128 KiB"},
        {__LINE__, "tgl", {.layout = skl, .one_context = true}, -EOPNOTSUPP, "context"},
        {__LINE__, "snb", {.layout = snb, .exponent = 31}, 0, NULL},
        {__LINE__, "snb", {.layout = snb, .exponent = MMIO_NO_TIMER}, 0, NULL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct mmio_rig *rig = rig_of(rows[i].platform, NULL);
        struct tally_error error = {0};
        int result = try_open(rig, &rows[i].options, &error);
        ROW(rows[i].line, result == rows[i].result && mentions(error.message, rows[i].message),
            "%d, \"%s\"", result, error.message);
        free_rig(rig);
    }
    struct mmio_device *device;
    struct tally_error error = {0};
    assert_int_equal(mmio_device_new("kbl", &(struct mmio_hardware){0}, &device, &error), -EINVAL);
    assert_non_null(strstr(error.message, "kbl"));
    ROWS_DONE();
}

int run_mmio_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_report),
        cmocka_unit_test(test_periods),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_report_lost),
        cmocka_unit_test(test_a_line_that_never_lands),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_a_careless_order),
        cmocka_unit_test(test_loss_of_power),
        cmocka_unit_test(test_one_context),
        cmocka_unit_test(test_bad_options),
    };
    return cmocka_run_group_tests_name("mmio", tests, NULL, NULL);
}
