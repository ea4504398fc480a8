/* SPDX-License-Identifier: MIT */
/*
 * Draws, a walker and a copy, as everything that a client can read counts them: perf_event, the
 * stream's reports, statistics registers. What a draw of so many vertices and pixels counts is
 * known; how long it takes is only compared.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define RENDER_BUSY "/sys/bus/event_source/devices/i915/events/rcs0-busy"

#define DRAWS    20u
#define VERTICES 300u /* of each draw: separate triangles, each of 3 */
#define WIDTH    512u /* of the drawing rectangle; the triangles cover it once */
#define HEIGHT   256u
#define GROUPS   24u /* of the walker: threads of SIMD16 */
#define THREADS  4u  /* of a group */
#define LANES    16u

#define COPY_WIDTH  640u
#define COPY_HEIGHT 480u

#define PIXELS      (WIDTH * HEIGHT)
#define COPY_PIXELS (COPY_WIDTH * COPY_HEIGHT)
#define BLOCK       4u /* pixels of the blocks that A21 and A26 count from Gen8 on */

/* ---- batches --------------------------------------------------------------------------------- */

static uint64_t render_ring(const struct device *device)
{
    return device->platform == HSW ? 0 : I915_EXEC_RENDER;
}

/* Adds a command of `length` dwords, all 0 but one. */
static void emit_with(struct batch *batch, uint32_t opcode, unsigned length, unsigned at,
                      uint32_t value)
{
    batch_emit(batch, opcode << 16 | (length - 2));
    for (unsigned i = 1; i < length; i++)
        batch_emit(batch, i == at ? value : 0);
}

/* The stages that work, with their statistics. Others keep the state of the copy. */
static void emit_stages(struct batch *batch)
{
    bool old = batch->device->platform == HSW;
    batch_emit(batch, 0x680b0001);                                            /* VF_STATISTICS */
    emit_with(batch, 0x7810, old ? 6 : 9, old ? 5 : 7, 1 << 10 | 1);          /* VS */
    emit_with(batch, 0x7812, 4, 1, 1 << 10);                                  /* CLIP */
    emit_with(batch, 0x7814, old ? 3 : 2, 1, 1u << 31 | (uint32_t)old << 29); /* WM */
    if (!old)
        emit_with(batch, 0x784b, 2, 1, 4);                            /* VF_TOPOLOGY: TRILIST */
    emit_with(batch, 0x7900, 4, 2, (HEIGHT - 1) << 16 | (WIDTH - 1)); /* DRAWING_RECTANGLE */
}

static void draw(const struct device *device, uint32_t context)
{
    static struct batch batch;
    batch_begin(&batch, device);
    emit_draw_states(&batch);
    emit_stages(&batch);
    for (unsigned i = 0; i < DRAWS; i++) {
        emit_with(&batch, 0x7b00, 7, 1, 4); /* 3DPRIMITIVE: TRILIST */
        batch.dwords[batch.count - 5] = VERTICES;
        batch.dwords[batch.count - 3] = 1; /* instance */
    }
    batch_run(&batch, context, render_ring(device), true);
}

/* GPGPU_WALKER: the threads of a group are in X, groups in X, Y and Z. */
static void walk(const struct device *device, uint32_t context)
{
    static struct batch batch;
    bool old = device->platform == HSW;
    batch_begin(&batch, device);
    batch_emit(&batch, device->platform < SKL ? 0x69040002 : 0x69040302); /* PIPELINE_SELECT */
    unsigned start = batch.count, length = old ? 11 : 15;
    emit_with(&batch, 0x7105, length, old ? 2 : 4, 1u << 30 | (THREADS - 1));
    batch.dwords[start + (old ? 4 : 7)] = GROUPS / 6;
    batch.dwords[start + (old ? 6 : 10)] = 3;
    batch.dwords[start + (old ? 8 : 12)] = 2;
    batch.dwords[start + length - 2] = batch.dwords[start + length - 1] = 0xffffffff;
    batch_run(&batch, context, render_ring(device), true);
}

/* ---- statistics registers -------------------------------------------------------------------- */

enum { IA_VERTICES, IA_PRIMITIVES, VS, CL, CL_PRIMITIVES, PS, PS_DEPTH, CS, STATISTICS };

static const struct {
    const char *name;
    uint32_t address;
} registers[STATISTICS] = {
    [IA_VERTICES] = {"IA_VERTICES_COUNT", 0x2310},
    [IA_PRIMITIVES] = {"IA_PRIMITIVES_COUNT", 0x2318},
    [VS] = {"VS_INVOCATION_COUNT", 0x2320},
    [CL] = {"CL_INVOCATION_COUNT", 0x2338},
    [CL_PRIMITIVES] = {"CL_PRIMITIVES_COUNT", 0x2340},
    [PS] = {"PS_INVOCATION_COUNT", 0x2348},
    [PS_DEPTH] = {"PS_DEPTH_COUNT", 0x2350},
    [CS] = {"CS_INVOCATION_COUNT", 0x2290},
};

/* Behind the work of earlier batches of the context. */
static void read_statistics(const struct device *device, uint32_t context, uint64_t *values)
{
    static struct batch batch;
    bool old = device->platform == HSW;
    struct object page = new_object(device, 4096, true);
    batch_begin(&batch, device);
    emit_timestamp(&batch, &page, 2048);            /* stalls */
    for (unsigned i = 0; i < 2 * STATISTICS; i++) { /* MI_STORE_REGISTER_MEM */
        batch_emit(&batch, 0x12000000u | (old ? 1 : 2));
        batch_emit(&batch, registers[i / 2].address + i % 2 * 4);
        batch_address(&batch, &page, 4 * i, true);
    }
    batch_run(&batch, context, render_ring(device), true);
    set_domain(device, &page);
    memcpy(values, page.map, STATISTICS * sizeof *values);
    free_object(device, &page);
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* A report is 256 bytes in the format with all counters. */
struct report {
    uint8_t bytes[256];
};

/* Reads until a report after now. Returns the latest one. */
static struct report latest_report(const struct device *device, int stream)
{
    static uint8_t bytes[1 << 16];
    struct report report = {{0}};
    uint32_t now = (uint32_t)read_timestamp(device->fd);
    do {
        ssize_t size = read(stream, bytes, sizeof bytes);
        CHECK(size > 0, "%s", strerror(errno));
        const struct drm_i915_perf_record_header *header;
        for (size_t at = 0; (header = next_record(bytes, (size_t)size, &at));) {
            CHECK(header->type == DRM_I915_PERF_RECORD_SAMPLE, "record %u", header->type);
            memcpy(report.bytes, header + 1, sizeof report.bytes);
        }
    } while ((int32_t)(dword(report.bytes, 1) - now) <= 0);
    return report;
}

static uint64_t counter_of(const struct device *device, const struct report *report, unsigned a)
{
    return device->platform == HSW
               ? dword(report->bytes, 3 + a)
               : dword(report->bytes, 4 + a) | (uint64_t)report->bytes[160 + a] << 32;
}

static uint64_t growth(const struct device *device, const struct report *ends, unsigned a)
{
    uint64_t mask = device->platform == HSW ? UINT32_MAX : UINT64_C(0xffffffffff);
    return (counter_of(device, &ends[1], a) - counter_of(device, &ends[0], a)) & mask;
}

/* ---- what is expected ------------------------------------------------------------------------ */

struct counter {
    unsigned a;
    uint64_t count;
    const char *what;
};

/* Threads of the vertex shader have 2 vertices, those of the pixel shader 16 pixels, as the copy's
 * state selects. Draws and walkers are whole threads and blocks, so nothing is rounded. The copy
 * has no vertex shader. IGT's test expects the pixels of copies from A26 (OA-10.5). */
static void check_counters(const struct device *device, const struct report *ends)
{
    const uint64_t pixels = DRAWS * PIXELS + COPY_PIXELS;
    const struct counter hsw[] = {
        {5, DRAWS * VERTICES / 2, "threads of vertex shaders"},
        {20, GROUPS * THREADS, "threads of walkers"},
        {30, pixels / 16, "threads of pixel shaders"},
        {40, pixels, "pixels written"},
    };
    const struct counter gen8[] = {
        {1, DRAWS * VERTICES / 2, "threads of vertex shaders"},
        {4, GROUPS * THREADS, "threads of walkers"},
        {6, pixels / 16, "threads of pixel shaders"},
        {21, pixels / BLOCK, "blocks rasterized"},
        {26, DRAWS * PIXELS / BLOCK + COPY_PIXELS, "blocks written, and pixels copied"},
    };
    const struct counter *list = device->platform == HSW ? hsw : gen8;
    for (size_t i = 0; i < (device->platform == HSW ? COUNT(hsw) : COUNT(gen8)); i++)
        CHECK(growth(device, ends, list[i].a) == list[i].count, "A%u, %s: %llu of %llu", list[i].a,
              list[i].what, (unsigned long long)growth(device, ends, list[i].a),
              (unsigned long long)list[i].count);
}

/* The registers count exactly. VF_STATISTICS stays enabled for the copy's rectangle; its other
 * stages have no statistics. */
static void check_statistics(const struct device *device, const uint64_t *before,
                             const uint64_t *after)
{
    bool by_4 = BIT(device->platform) & (BIT(HSW) | BIT(BDW) | BIT(CHV)); /* an erratum */
    const uint64_t expected[STATISTICS] = {
        [IA_VERTICES] = DRAWS * VERTICES + 3,
        [IA_PRIMITIVES] = DRAWS * VERTICES / 3 + 1,
        [VS] = DRAWS * VERTICES,
        [CL] = DRAWS * VERTICES / 3,
        [CL_PRIMITIVES] = DRAWS * VERTICES / 3,
        [PS] = DRAWS * PIXELS * (by_4 ? 4 : 1),
        [PS_DEPTH] = DRAWS * PIXELS,
        [CS] = GROUPS * THREADS * LANES,
    };
    for (unsigned i = 0; i < STATISTICS; i++)
        CHECK(after[i] - before[i] == expected[i], "%s: %llu of %llu", registers[i].name,
              (unsigned long long)(after[i] - before[i]), (unsigned long long)expected[i]);
}

#define BATCHES       4  /* draws, walker, copy, and the statistics before them */
#define SWITCH_CLOCKS 64 /* of a list, which the counter of Broadwell to Skylake does not see */

static uint32_t ticks_of(const struct report *ends)
{
    return dword(ends[1].bytes, 1) - dword(ends[0].bytes, 1);
}

/* Returns the frequency from the clocks and the time between two reports; Haswell's clocks are in
 * C2. */
static double clock_hz(const struct device *device, const struct report *ends)
{
    unsigned at = device->platform == HSW ? 58 : 3;
    uint32_t clocks = dword(ends[1].bytes, at) - dword(ends[0].bytes, at);
    return (double)clocks * device->timestamp_hz / ticks_of(ends);
}

/* The event is in ns, the counter in clocks. Each time that the engine becomes busy or idle, the
 * event may lose a nanosecond; the frequency is known to one tick of the reports' time. */
static void check_busy(const struct device *device, const struct report *ends, uint64_t busy_ns)
{
    double hz = clock_hz(device, ends), event = (double)busy_ns * hz / 1e9;
    double counter = (double)growth(device, ends, device->platform == HSW ? 41 : 0);
    bool sees_none = BIT(device->platform) & (BIT(BDW) | BIT(CHV) | BIT(SKL));
    double switches = sees_none ? BATCHES * SWITCH_CLOCKS : 0;
    double rounding = event / ticks_of(ends) + BATCHES * (2 * hz / 1e9 + 1);
    double apart = event - counter - switches;
    CHECK(busy_ns > 10000, "busy for %llu ns", (unsigned long long)busy_ns);
    CHECK(apart >= -rounding && apart <= rounding,
          "%.0f clocks busy by the event, %.0f by the counter", event, counter);
}

/* ---- the subtest ----------------------------------------------------------------------------- */

static int open_busy(void)
{
    char text[32] = "";
    unsigned config = 0;
    WORKS(read_text(RENDER_BUSY, text, sizeof text - 1));
    CHECK(sscanf(text, "config=%x", &config) == 1, "%s", text);
    return open_gpu_event(config);
}

static uint64_t read_busy(int event)
{
    uint64_t values[2];
    CHECK(read(event, values, sizeof values) == sizeof values, "%s", strerror(errno));
    return values[0];
}

static void counted_alike(struct device *device)
{
    struct surface from = new_surface(device, COPY_WIDTH, COPY_HEIGHT),
                   to = new_surface(device, COPY_WIDTH, COPY_HEIGHT);
    uint32_t context = new_context(device);
    uint64_t before[STATISTICS], after[STATISTICS];
    struct report ends[2];
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 100000)));
    int event = open_busy();
    draw(device, context); /* the state is bound */
    ends[0] = latest_report(device, stream);
    uint64_t busy = read_busy(event);
    read_statistics(device, context, before);
    draw(device, context);
    walk(device, context);
    copy_surface(device, context, &from, &to, true);
    busy = read_busy(event) - busy;
    ends[1] = latest_report(device, stream);
    read_statistics(device, context, after);
    check_counters(device, ends);
    check_statistics(device, before, after);
    check_busy(device, ends, busy);
    close(event);
    close(stream);
}

/* ---- a program ------------------------------------------------------------------------------- */

#define IDLE_NS 2000000

void draw_batches(unsigned count)
{
    struct device device;
    find_device(&device);
    uint32_t context = new_context(&device);
    for (unsigned i = 0; i < count; i++) {
        sleep_ns(IDLE_NS);
        draw(&device, context);
    }
    sleep_ns(IDLE_NS);
}

static const struct subtest rows[] = {
    {"counted-alike", ALL, 0, "render copy",
     "20 draws, a walker and a copy: the stream's counters of threads and pixels and the "
     "statistics registers count what was drawn; the busy event and the busy counter agree",
     counted_alike, false, false},
};
GROUP(drawing_group, rows);
