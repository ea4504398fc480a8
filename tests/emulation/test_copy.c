/* SPDX-License-Identifier: MIT */
/*
 * Rectangles drawn from one surface to another, which counter clients use as work with known counts
 * (IGT-3.4): which pixels are copied, and which counters of which context count them.
 */
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "emulation/tests.h"
#include "intel/cost/table.h"
#include "intel/platforms.h"

#define WIDTH  800u
#define HEIGHT 600u
#define PITCH  (4 * WIDTH)
#define BYTES  (PITCH * HEIGHT)
#define END    0x05000000u

/* Places of objects, and offsets in the batch. */
enum { SOURCE, TARGET, REPORTS, BATCH };
enum { TABLE = 0x800, TARGET_STATE = 0x840, SOURCE_STATE = 0x880, VERTICES = 0x900 };

struct rectangle {
    uint32_t x, y, width, height, from_x, from_y;
};

static bool is_wide(const struct rig *rig)
{
    return rig->platform->version >= 80;
}

/* ---- the batch ------------------------------------------------------------------------------- */

static void put_surface(const struct rig *rig, uint32_t *state, uint64_t address)
{
    state[0] = 1u << 29 | 0xc0u << 18;       /* 2D, B8G8R8A8 */
    state[0] |= is_wide(rig) ? 5u << 14 : 0; /* aligned to 4 pixels, as it must be from Gen8 on */
    state[2] = (HEIGHT - 1) << 16 | (WIDTH - 1);
    state[3] = PITCH - 1;
    state[is_wide(rig) ? 8 : 1] = (uint32_t)address;
}

static void put_vertex(const struct rig *rig, uint32_t *to, uint32_t x, uint32_t y, uint32_t u,
                       uint32_t v)
{
    to[0] = y << 16 | x;
    if (is_wide(rig)) {
        float parts[] = {(float)u / WIDTH, (float)v / HEIGHT};
        memcpy(to + 1, parts, sizeof parts);
    } else {
        to[1] = v << 16 | u;
    }
}

/* The rest of the state of a copy: rectangles whose positions are 16-bit integers, drawn to the
 * whole target by a pixel shader that writes to it. */
static uint32_t *put_state(const struct rig *rig, uint32_t *to)
{
    static const uint32_t elements[] = {0x78090003, 1u << 25, 0, 1u << 25 | 0xf6u << 16, 0};
    const uint32_t drawing[] = {0x79000002, 0, (HEIGHT - 1) << 16 | (WIDTH - 1), 0};
    static const uint32_t gen7[] = {0x78130005, 0,        1u << 29, 0, 0, 0, 0, /* SF: no culling */
                                    0x78140001, 1u << 29, 0,                    /* WM: dispatch */
                                    0x78200006, 0,        0,        0, 2, 0, 0, 0}; /* PS: SIMD16 */
    static const uint32_t gen8[] = {
        0x784b0000, 0xf,                              /* VF_TOPOLOGY: rectangles */
        0x78500003, 1u << 16, 0,          0,       0, /* RASTER: no culling */
        0x7820000a, 0,        0,          0,       0, 0, 2, 0, 0, 0, 0, 0, /* PS: SIMD16 */
        0x784f0000, 1u << 31, 0x784d0000, 1u << 30}; /* PS_EXTRA: valid; PS_BLEND: a target */
    to = memcpy(to, elements, sizeof elements);
    to = memcpy(to + COUNT(elements), drawing, sizeof drawing);
    to += COUNT(drawing);
    if (is_wide(rig))
        return (uint32_t *)memcpy(to, gen8, sizeof gen8) + COUNT(gen8);
    return (uint32_t *)memcpy(to, gen7, sizeof gen7) + COUNT(gen7);
}

static uint32_t *put_commands(const struct rig *rig, uint32_t *to)
{
    uint32_t base = (uint32_t)ADDRESS(BATCH), stride = is_wide(rig) ? 12 : 8;
    uint32_t dwords = rig->platform->version >= 110  ? 22
                      : rig->platform->version >= 90 ? 19
                      : is_wide(rig)                 ? 16
                                                     : 10;
    to[0] = 0x61010000 | (dwords - 2);
    to[is_wide(rig) ? 4 : 2] = base | 1;
    to += dwords;
    *to++ = 0x782a0000;
    *to++ = TABLE;
    *to++ = 0x78080003;
    *to++ = stride;
    *to++ = base + VERTICES;
    to += 2;
    to = put_state(rig, to);
    *to++ = 0x7b000005;
    to[0] = 0xf;
    to[1] = 3;
    to[3] = 1;
    to += 6;
    *to++ = 0x7a000003 + is_wide(rig);
    *to++ = 0x00101000; /* CS stall, render target flush */
    to += is_wide(rig) ? 4 : 3;
    *to++ = END;
    return to;
}

static void write_copy(struct rig *rig, uint32_t batch, const struct rectangle *r)
{
    uint32_t image[0x1000 / 4] = {0};
    uint32_t right = r->x + r->width, bottom = r->y + r->height;
    uint32_t u = r->from_x + r->width, v = r->from_y + r->height;
    uint32_t stride = is_wide(rig) ? 3 : 2;
    uint32_t *vertices = image + VERTICES / 4;
    assert_true(put_commands(rig, image) < image + TABLE / 4);
    image[TABLE / 4] = TARGET_STATE;
    image[TABLE / 4 + 1] = SOURCE_STATE;
    put_surface(rig, image + TARGET_STATE / 4, ADDRESS(TARGET));
    put_surface(rig, image + SOURCE_STATE / 4, ADDRESS(SOURCE));
    put_vertex(rig, vertices, right, bottom, u, v);
    put_vertex(rig, vertices + stride, r->x, bottom, r->from_x, v);
    put_vertex(rig, vertices + 2 * stride, r->x, r->y, r->from_x, r->from_y);
    rig_write(rig, batch, 0, image, sizeof image);
}

/* As in the conformance test: a timestamp by PIPE_CONTROL, and a report. */
#define STAMPS 2048 /* offset of the timestamps */

static void write_report(struct rig *rig, uint32_t batch, unsigned number)
{
    uint32_t to = (uint32_t)ADDRESS(REPORTS) + 256 * number, id = 0xbeef0000 + number;
    uint32_t stamp = (uint32_t)ADDRESS(REPORTS) + STAMPS + 8 * number;
    uint32_t wide[] = {0x7a000004, 0x10d000, stamp, 0, 0, 0, 0x14000002, to, 0, id, END};
    uint32_t narrow[] = {0x7a000003, 0x10d000, stamp, 0, 0, 0x14000001, to, id, END};
    if (is_wide(rig))
        rig_write(rig, batch, 0, wide, sizeof wide);
    else
        rig_write(rig, batch, 0, narrow, sizeof narrow);
}

struct scene {
    uint32_t objects[4], copy, reports[2], others[2];
};

static struct scene make_scene(struct rig *rig, const struct rectangle *r)
{
    struct scene scene;
    struct random rng = random_start(1);
    uint32_t *pixels = malloc(BYTES);
    assert_non_null(pixels);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        pixels[i] = (uint32_t)random_next(&rng);
    scene.objects[SOURCE] = rig_create(rig, BYTES);
    scene.objects[TARGET] = rig_create(rig, BYTES);
    scene.objects[REPORTS] = rig_create(rig, 4096);
    rig_write(rig, scene.objects[SOURCE], 0, pixels, BYTES);
    free(pixels);
    scene.copy = rig_create(rig, 4096);
    write_copy(rig, scene.copy, r);
    for (unsigned i = 0; i < 2; i++) {
        scene.reports[i] = rig_create(rig, 4096);
        write_report(rig, scene.reports[i], i);
    }
    return scene;
}

static void run(struct rig *rig, struct scene *scene, uint32_t context, uint32_t batch)
{
    scene->objects[BATCH] = batch;
    assert_int_equal(rig_exec(rig, context, scene->objects, 4), 0);
}

static void read_reports(struct rig *rig, const struct scene *scene, uint32_t reports[2][64])
{
    rig_peek(rig, scene->objects[REPORTS], 0, reports, 512);
    assert_int_equal(reports[0][0], 0xbeef0000);
    assert_int_equal(reports[1][0], 0xbeef0001);
    /* Both clocks agree, except for the time between the commands. */
    uint64_t stamps[2];
    rig_peek(rig, scene->objects[REPORTS], STAMPS, stamps, sizeof stamps);
    uint32_t by_report = reports[1][1] - reports[0][1];
    assert_true(by_report + 2 >= stamps[1] - stamps[0] && by_report <= stamps[1] - stamps[0] + 2);
    assert_true(by_report > 100);
}

static const struct rectangle whole = {0, 0, WIDTH, HEIGHT, 0, 0};

/* ---- pixels ---------------------------------------------------------------------------------- */

static void test_pixels(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct rectangle r;
        uint32_t width, height; /* of the copied part */
    } rows[] = {
        {__LINE__, {0, 0, WIDTH, HEIGHT, 0, 0}, WIDTH, HEIGHT},
        {__LINE__, {10, 20, 30, 40, 50, 60}, 30, 40},
        {__LINE__, {700, 500, 200, 200, 0, 0}, 100, 100}, /* the target ends */
        {__LINE__, {0, 0, 100, 100, 790, 598}, 10, 2},    /* the source ends */
    };
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            struct scene scene = make_scene(rig, &rows[i].r);
            uint32_t *source = malloc(BYTES), *target = malloc(BYTES);
            const struct rectangle *r = &rows[i].r;
            unsigned wrong = 0;
            run(rig, &scene, 0, scene.copy);
            rig_peek(rig, scene.objects[SOURCE], 0, source, BYTES);
            rig_peek(rig, scene.objects[TARGET], 0, target, BYTES);
            for (uint32_t y = 0; y < HEIGHT; y++) {
                for (uint32_t x = 0; x < WIDTH; x++) {
                    bool in = x >= r->x && x < r->x + rows[i].width && y >= r->y &&
                              y < r->y + rows[i].height;
                    uint32_t expected =
                        in ? source[(y - r->y + r->from_y) * WIDTH + x - r->x + r->from_x] : 0;
                    wrong += target[y * WIDTH + x] != expected;
                }
            }
            ROW(rows[i].line, !wrong, "%s: %u pixels are wrong", rig_platforms[p], wrong);
            free(source);
            free(target);
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* ---- counters -------------------------------------------------------------------------------- */

/* HSW: a stream of one context, which needs no privilege, counts its writes and no others. */
static void test_one_context(void **state)
{
    (void)state;
    struct rig *rig = rig_new("hsw", NULL);
    struct scene scene = make_scene(rig, &whole);
    uint32_t a = rig_context(rig), b = rig_context(rig), reports[2][64];
    struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, a};
    rig->caller.drm.privileged = false;
    run(rig, &scene, a, scene.copy); /* to warm up */
    int fd = rig_open_usual(rig, 0, 16, &filter, 1);
    assert_true(fd >= 0);
    run(rig, &scene, a, scene.reports[0]);
    run(rig, &scene, a, scene.copy);
    run(rig, &scene, b, scene.copy);
    run(rig, &scene, b, scene.copy);
    run(rig, &scene, a, scene.reports[1]);
    read_reports(rig, &scene, reports);
    assert_int_equal(reports[1][3 + 40] - reports[0][3 + 40], WIDTH * HEIGHT);
    assert_int_equal(reports[1][3 + 30] - reports[0][3 + 30], WIDTH * HEIGHT / 16);
    rig_close(rig, fd);
    rig_free(rig);
}

static uint64_t counter_40(const uint8_t *report, unsigned n)
{
    uint32_t low;
    memcpy(&low, report + 16 + 4 * n, 4);
    return low | (uint64_t)report[160 + n] << 32;
}

static uint32_t dword(const uint8_t *report, unsigned n)
{
    uint32_t value;
    memcpy(&value, report + 4 * n, 4);
    return value;
}

/* No A counter counts more than the clocks of the EUs. */
static void check_bounds(const struct rig *rig, const uint8_t *before, const uint8_t *after)
{
    uint64_t max = (uint64_t)(dword(after, 3) - dword(before, 3)) * tally_gpu_eus(rig->gpu);
    for (unsigned n = 0; n < 32; n++) {
        uint64_t delta = (counter_40(after, n) - counter_40(before, n)) & 0xffffffffff;
        if (delta > max)
            fail_msg("%s: A%u counts %lu, at most %lu", rig->platform->name, n,
                     (unsigned long)delta, (unsigned long)max);
    }
}

/*
 * From Gen8 on the context's writes are the sum over its own intervals of the stream. Each time it
 * is resumed, a report with the switch reason has the context id that its own reports have.
 */
static void test_accumulated(void **state)
{
    (void)state;
    static const int exponents[] = {3, 6, 13};
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        for (size_t e = 0; e < COUNT(exponents); e++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            struct scene scene = make_scene(rig, &whole);
            uint32_t a = rig_context(rig), b = rig_context(rig), reports[2][64];
            struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, a};
            int fd = rig_open_usual(rig, 0, exponents[e], &filter, 1);
            run(rig, &scene, a, scene.reports[0]);
            run(rig, &scene, a, scene.copy);
            run(rig, &scene, b, scene.copy);
            run(rig, &scene, b, scene.copy);
            run(rig, &scene, b, scene.reports[1]);
            read_reports(rig, &scene, reports);
            rig_run_ns(rig, 3 * rig_period_ns(rig, (unsigned)exponents[e]) + 10000000);
            int64_t got = rig_read(rig, fd, USER_BYTES, false);
            const uint8_t *before = NULL;
            uint64_t written = 0;
            unsigned switches = 0;
            for (int64_t at = 0; at < got; at += 264) {
                const uint8_t *report = rig->user + at + 8;
                bool own = before && dword(before, 2) == reports[0][2];
                assert_int_equal(dword(rig->user + at, 0), DRM_I915_PERF_RECORD_SAMPLE);
                if (before) {
                    assert_true(counter_40(report, 26) >= counter_40(before, 26));
                    check_bounds(rig, before, report);
                }
                if (own)
                    written += counter_40(report, 26) - counter_40(before, 26);
                switches += (dword(report, 0) >> 22 & 1) && dword(report, 2) == reports[0][2];
                before = report;
            }
            ROW(__LINE__, written == WIDTH * HEIGHT, "%s, exponent %d: %lu writes",
                rig_platforms[p], exponents[e], (unsigned long)written);
            ROW(__LINE__, switches >= 1, "%s: no switch to the context", rig_platforms[p]);
            uint64_t all = counter_40((const uint8_t *)reports[1], 26) -
                           counter_40((const uint8_t *)reports[0], 26);
            /* Gen12: commands report the context's own counts, which are 0 in b. */
            uint64_t expected = rig->platform->version >= 120 ? 0 : 3 * WIDTH * HEIGHT;
            ROW(__LINE__, all == expected, "%s: %lu writes by all", rig_platforms[p],
                (unsigned long)all);
            rig_close(rig, fd);
            rig_free(rig);
        }
    }
    ROWS_DONE();
}

/* The slower of the rasterizer and the samplers. */
static uint64_t copy_clocks(const struct rig *rig)
{
    const uint32_t *numbers = cost_table_default(intel_platform_of(rig->platform))->numbers;
    uint64_t pixels = WIDTH * HEIGHT / numbers[COST_PIXELS_PER_CLOCK];
    uint64_t texels = WIDTH * HEIGHT / 4 * numbers[COST_PS_TEXELS] / numbers[COST_TEXELS_PER_CLOCK];
    return pixels > texels ? pixels : texels;
}

/* A copy takes time, and PIPE_CONTROL waits for it. */
static void test_takes_time(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct scene scene = make_scene(rig, &whole);
        struct drm_i915_gem_wait wait = {scene.objects[TARGET], 0, -1};
        uint64_t before = tally_gpu_now(rig->gpu);
        run(rig, &scene, 0, scene.copy);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), 0);
        uint64_t clocks = copy_clocks(rig);
        uint64_t took = tally_gpu_now(rig->gpu) - before;
        ROW(__LINE__, took >= clocks && took < clocks + 100000, "%s: %lu clocks, expected %lu",
            rig_platforms[p], (unsigned long)took, (unsigned long)clocks);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* With any value in any dword of the batch or its state, the batch ends, possibly by a reset. */
static void test_nonsense(void **state)
{
    (void)state;
    struct random rng = random_start(3);
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct i915_settings settings = {.hang_ns = 300000};
        struct rig *rig = rig_new(rig_platforms[p], &settings);
        struct scene scene = make_scene(rig, &(struct rectangle){0, 0, 8, 8, 0, 0});
        for (unsigned i = 0; i < 300; i++) {
            uint32_t place = (uint32_t)random_below(&rng, 2) ? TABLE : 0;
            uint32_t nonsense = (uint32_t)random_magnitude(&rng), context = rig_context(rig);
            write_copy(rig, scene.copy, &whole);
            rig_write(rig, scene.copy, place + 4 * random_below(&rng, 80), &nonsense, 4);
            run(rig, &scene, context, scene.copy);
            rig_run_ns(rig, 2000000);
            assert_true(rig_engines_done(rig->device));
            rig->file->ban_score = 0; /* otherwise it would get no more contexts */
        }
        rig->hangs = rig_resets(rig);
        rig_free(rig);
    }
}

int run_copy_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pixels),      cmocka_unit_test(test_one_context),
        cmocka_unit_test(test_accumulated), cmocka_unit_test(test_takes_time),
        cmocka_unit_test(test_nonsense),
    };
    return cmocka_run_group_tests_name("copies", tests, NULL, NULL);
}
