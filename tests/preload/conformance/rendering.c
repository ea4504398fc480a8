/* SPDX-License-Identifier: MIT */
/* Counters of one context while another one draws as well (IGT-3.4). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

#define WIDTH  800u
#define HEIGHT 600u
#define TRIES  50 /* retries after interruptions; IGT's test has no limit */

/* Offsets in the object with the results. */
enum { FIRST_REPORT = 0, SECOND_REPORT = 256, FIRST_TIME = 1024, SECOND_TIME = 1088 };
enum { OTHER_FIRST = 512, OTHER_SECOND = 768, OTHER_TIME = 1152 };
#define FIRST_ID  0xdeadbeefu
#define SECOND_ID 0xbeefbeefu

#define PIXELS (WIDTH * HEIGHT)

struct scene {
    struct device *device;
    uint32_t a, b; /* contexts */
    struct surface source, target[3];
    struct object results;
};

/* ---- the scene ------------------------------------------------------------------------------- */

static void fill(struct surface *surface, uint32_t seed)
{
    uint32_t value = seed;
    for (uint32_t i = 0; i < PIXELS; i++)
        surface->object.map[i] = value = value * 1664525 + 1013904223;
}

static void make_scene(struct scene *scene, struct device *device)
{
    *scene = (struct scene){.device = device};
    scene->a = new_context(device);
    scene->b = new_context(device);
    scene->source = new_surface(device, WIDTH, HEIGHT);
    for (size_t i = 0; i < COUNT(scene->target); i++)
        scene->target[i] = new_surface(device, WIDTH, HEIGHT);
    scene->results = new_object(device, 4096, true);
}

static void check_copies(const struct scene *scene)
{
    for (size_t i = 0; i < COUNT(scene->target); i++)
        CHECK(!memcmp(scene->source.object.map, scene->target[i].object.map, 4 * (size_t)PIXELS),
              "copy %zu differs from its source", i);
}

static void mark(const struct scene *scene, uint32_t context, uint32_t report, uint32_t id,
                 uint32_t time, bool wait)
{
    static struct batch batch;
    batch_begin(&batch, scene->device);
    emit_timestamp(&batch, &scene->results, time);
    emit_report(&batch, &scene->results, report, id);
    batch_run(&batch, context, scene->device->platform == HSW ? 0 : I915_EXEC_RENDER, wait);
}

/* Takes a report and draws a copy in A. As in IGT's test only the last batch is waited for. */
static void begin(struct scene *scene)
{
    memset(scene->results.map, 0, 4096);
    fill(&scene->source, (uint32_t)wall_ns());
    for (size_t i = 0; i < COUNT(scene->target); i++)
        fill(&scene->target[i], (uint32_t)i);
    mark(scene, scene->a, FIRST_REPORT, FIRST_ID, FIRST_TIME, false);
    copy_surface(scene->device, scene->a, &scene->source, &scene->target[0], false);
}

/* Draws two copies in B and takes a report in the given context. */
static void play(struct scene *scene, uint32_t last)
{
    begin(scene);
    copy_surface(scene->device, scene->b, &scene->source, &scene->target[1], false);
    copy_surface(scene->device, scene->b, &scene->source, &scene->target[2], false);
    mark(scene, last, SECOND_REPORT, SECOND_ID, SECOND_TIME, true);
    set_domain(scene->device, &scene->results);
    check_copies(scene);
}

static const uint8_t *report_at(const struct scene *scene, uint32_t place)
{
    return (const uint8_t *)scene->results.map + place;
}

/* Returns the difference between the command's and the report's time in nanoseconds. */
static uint64_t disagreement(const struct scene *scene)
{
    uint32_t by_report =
        dword(report_at(scene, SECOND_REPORT), 1) - dword(report_at(scene, FIRST_REPORT), 1);
    uint32_t by_command =
        dword(report_at(scene, SECOND_TIME), 0) - dword(report_at(scene, FIRST_TIME), 0);
    uint32_t ticks = by_report > by_command ? by_report - by_command : by_command - by_report;
    return ticks * UINT64_C(1000000000) / scene->device->timestamp_hz;
}

/* ---- Haswell --------------------------------------------------------------------------------- */

#define HSW_PIXELS 43u /* A40 */

static void hsw_counters(struct device *device)
{
    static struct scene scene;
    make_scene(&scene, device);
    copy_surface(device, scene.a, &scene.source, &scene.target[0], true);
    struct properties p = with(sampling(device, 0), DRM_I915_PERF_PROP_CTX_HANDLE, scene.a);
    int stream = open_stream(device, 0, p);
    for (unsigned i = 0; i < TRIES; i++) {
        play(&scene, scene.a);
        const uint8_t *first = report_at(&scene, FIRST_REPORT),
                      *second = report_at(&scene, SECOND_REPORT);
        CHECK(dword(first, 0) == FIRST_ID && dword(second, 0) == SECOND_ID, "ids 0x%08x, 0x%08x",
              dword(first, 0), dword(second, 0));
        uint32_t pixels = dword(second, HSW_PIXELS) - dword(first, HSW_PIXELS);
        CHECK(pixels == PIXELS, "%u pixels of %u", pixels, PIXELS);
        if (disagreement(&scene) <= 320) {
            close(stream);
            return;
        }
    }
    FAIL("the two times are %llu ns apart", (unsigned long long)disagreement(&scene));
}

static void as_user(struct device *device)
{
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, hsw_counters);
}

/* ---- Gen8 and later -------------------------------------------------------------------------- */

#define PIXEL_COUNTER 26u
#define SWITCH        (1u << 3)
#define IDLE          0xffffffffu

static uint64_t pixels_of(const uint8_t *report)
{
    return dword(report, 4 + PIXEL_COUNTER) | (uint64_t)report[160 + PIXEL_COUNTER] << 32;
}

struct sum {
    uint32_t context;  /* A's id in reports */
    uint64_t pixels;   /* counted while A ran */
    uint64_t latest;   /* time of the latest report; must not decrease */
    uint32_t now;      /* id of the running context */
    unsigned switches; /* switches to A */
    bool done;
};

static void add_interval(struct sum *sum, const uint8_t *report)
{
    uint64_t pixels = pixels_of(report);
    CHECK(pixels >= sum->latest, "pixels fall from %llu to %llu", (unsigned long long)sum->latest,
          (unsigned long long)pixels);
    if (sum->now == sum->context)
        sum->pixels += pixels - sum->latest;
    sum->latest = pixels;
}

static void add_report(struct sum *sum, const struct scene *scene, const uint8_t *report)
{
    const uint8_t *first = report_at(scene, FIRST_REPORT),
                  *second = report_at(scene, SECOND_REPORT);
    uint32_t span = dword(second, 1) - dword(first, 1), at = dword(report, 1) - dword(first, 1);
    if (at > UINT32_MAX / 2)
        return; /* before the first report */
    if (at >= span) {
        sum->done = true;
        return;
    }
    uint32_t context = dword(report, 2);
    add_interval(sum, report);
    if (context != sum->now) {
        CHECK(reason_of(report) & SWITCH, "context 0x%x after 0x%x, %s", context, sum->now,
              describe(scene->device, report));
        sum->switches += context == sum->context;
    }
    sum->now = context;
}

/* Evaluates the reports of the buffer up to the time of the second report. */
static void add_reports(struct sum *sum, const struct scene *scene, int stream)
{
    static uint8_t bytes[1 << 16];
    while (!sum->done) {
        ssize_t size = read(stream, bytes, sizeof bytes);
        CHECK(size > 0, "%s", strerror(errno));
        const struct drm_i915_perf_record_header *header;
        for (size_t at = 0; !sum->done && (header = next_record(bytes, (size_t)size, &at));) {
            CHECK(header->type != DRM_I915_PERF_RECORD_OA_BUFFER_LOST, "the buffer was lost");
            if (header->type == DRM_I915_PERF_RECORD_SAMPLE)
                add_report(sum, scene, (const uint8_t *)(header + 1));
        }
    }
}

static void gen8_counters(struct device *device)
{
    static struct scene scene;
    uint64_t apart = 0;
    make_scene(&scene, device);
    copy_surface(device, scene.a, &scene.source, &scene.target[0], true);
    struct properties p = sampling_every(device, 0, exponent_of(device, 1000000));
    p = with(p, DRM_I915_PERF_PROP_CTX_HANDLE, scene.a);
    for (unsigned i = 0; i < TRIES; i++) {
        int stream = open_stream(device, 0, p);
        play(&scene, scene.b);
        const uint8_t *first = report_at(&scene, FIRST_REPORT),
                      *second = report_at(&scene, SECOND_REPORT);
        struct sum sum = {
            .context = dword(first, 2), .now = dword(first, 2), .latest = pixels_of(first)};
        CHECK(dword(first, 0) == FIRST_ID && dword(second, 0) == SECOND_ID, "ids 0x%08x, 0x%08x",
              dword(first, 0), dword(second, 0));
        CHECK(sum.context != IDLE && dword(second, 2) != sum.context, "contexts 0x%x and 0x%x",
              sum.context, dword(second, 2));
        add_reports(&sum, &scene, stream);
        close(stream);
        CHECK(pixels_of(second) - pixels_of(first) == 3 * PIXELS, "%llu pixels in total",
              (unsigned long long)(pixels_of(second) - pixels_of(first)));
        CHECK(sum.pixels == PIXELS, "%llu pixels of %u", (unsigned long long)sum.pixels, PIXELS);
        apart = disagreement(&scene);
        if (apart <= 2000)
            return;
    }
    FAIL("the two times are %llu ns apart", (unsigned long long)apart);
}

/* ---- Gen12 ----------------------------------------------------------------------------------- */

#define COUNTERS_AT 4u /* first counter of a report, in dwords */

/* The stream has no reports of other contexts. */
static void check_empty(const uint8_t *report)
{
    for (unsigned i = COUNTERS_AT; i < 64; i++)
        CHECK(dword(report, i) == 0, "dword %u of another context is 0x%08x", i, dword(report, i));
}

/* Also takes reports in B. */
static void play_gen12(struct scene *scene)
{
    begin(scene);
    mark(scene, scene->b, OTHER_FIRST, FIRST_ID, OTHER_TIME, false);
    copy_surface(scene->device, scene->b, &scene->source, &scene->target[1], false);
    copy_surface(scene->device, scene->b, &scene->source, &scene->target[2], false);
    mark(scene, scene->b, OTHER_SECOND, SECOND_ID, OTHER_TIME, false);
    mark(scene, scene->a, SECOND_REPORT, SECOND_ID, SECOND_TIME, true);
    set_domain(scene->device, &scene->results);
    check_copies(scene);
}

static void gen12_counters(struct device *device)
{
    static struct scene scene;
    uint64_t apart = 0;
    make_scene(&scene, device);
    copy_surface(device, scene.a, &scene.source, &scene.target[0], true);
    struct properties p = without(sampling(device, 0), DRM_I915_PERF_PROP_SAMPLE_OA);
    int stream = open_stream(device, 0, with(p, DRM_I915_PERF_PROP_CTX_HANDLE, scene.a));
    for (unsigned i = 0; i < TRIES; i++) {
        play_gen12(&scene);
        const uint8_t *first = report_at(&scene, FIRST_REPORT),
                      *second = report_at(&scene, SECOND_REPORT);
        CHECK(dword(first, 0) == FIRST_ID && dword(second, 0) == SECOND_ID, "ids 0x%08x, 0x%08x",
              dword(first, 0), dword(second, 0));
        uint64_t pixels = pixels_of(second) - pixels_of(first);
        CHECK(pixels == PIXELS, "%llu pixels of %u", (unsigned long long)pixels, PIXELS);
        check_empty(report_at(&scene, OTHER_FIRST));
        check_empty(report_at(&scene, OTHER_SECOND));
        apart = disagreement(&scene);
        if (apart <= 500) {
            close(stream);
            return;
        }
    }
    FAIL("the two times are %llu ns apart", (unsigned long long)apart);
}

static void gen12_as_user(struct device *device)
{
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, gen12_counters);
}

static const struct subtest rows[] = {
    {"unprivileged-single-ctx-counters", BIT(HSW), 0, "render copy",
     "without root: between two reports of a context A40 counts its own copy of 800 by 600 pixels, "
     "and not the two copies of another context; timestamps of commands and reports agree within "
     "320 ns",
     as_user, false, false},
    {"gen8-unprivileged-single-ctx-counters", GEN8_UP & ~GEN12, 0, "render copy",
     "in the reports of the buffer A26 counts the copy of 800 by 600 pixels while its context runs "
     "and never decreases; each change of context has a context-switch report; timestamps of "
     "commands and reports agree within 2 us",
     gen8_counters, false, false},
    {"gen12-unprivileged-single-ctx-counters", GEN12, 0, "render copy",
     "without root and samples: between two reports of a context A26 counts its own copy of 800 by "
     "600 pixels; reports of another context hold no counters; timestamps agree within 500 ns",
     gen12_as_user, true, false},
};
GROUP(rendering_group, rows);
