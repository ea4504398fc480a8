/* SPDX-License-Identifier: MIT */
/* The counters of each unit, and their counts. */
#include "intel/workload_rig.h"
#include "intel/workload/units.h"

struct counted {
    unsigned line;
    const char *platforms, *does;
    char letter; /* 'a', or 'n': a NOA bit */
    unsigned index;
    uint64_t after; /* 4096 clocks of 100 MHz */
};

#define GEN7 "ivb vlv hsw"
#define GEN8 "bdw chv skl icl lkf tgl"

/* Written from the documents' lists (OA-2.13, PERF-4.9), not from the table. */
static const struct counted counted[] = {
    // clang-format off
    {__LINE__, "snb", SHARE("gpu.busy"), 'a', 26, 1024},
    {__LINE__, "snb", SHARE("eu.active"), 'a', 0, 12 * 1024},
    {__LINE__, "snb", SHARE("eu.stalled"), 'a', 1, 12 * 1024},
    {__LINE__, "snb", SHARE("vs.active"), 'a', 2, 12 * 1024},
    {__LINE__, "snb", SHARE("vs.active"), 'a', 0, 12 * 1024},
    {__LINE__, "snb", SHARE("vs.stalled"), 'a', 4, 12 * 1024},
    {__LINE__, "snb", RATE("vs.threads"), 'a', 5, 2048},
    {__LINE__, "snb", SHARE("vs.ready"), 'a', 6, 12 * 1024},
    {__LINE__, "snb", SHARE("gs.active"), 'a', 7, 12 * 1024},
    {__LINE__, "snb", SHARE("gs.stalled"), 'a', 9, 12 * 1024},
    {__LINE__, "snb", RATE("gs.threads"), 'a', 10, 2048},
    {__LINE__, "snb", SHARE("cs.active"), 'a', 7, 12 * 1024},
    {__LINE__, "snb", SHARE("cs.stalled"), 'a', 9, 12 * 1024},
    {__LINE__, "snb", RATE("cs.threads"), 'a', 10, 2048},
    {__LINE__, "snb", SHARE("cs.ready"), 'a', 11, 12 * 1024},
    {__LINE__, "snb", SHARE("ps.active"), 'a', 12, 12 * 1024},
    {__LINE__, "snb", SHARE("ps.stalled"), 'a', 14, 12 * 1024},
    {__LINE__, "snb", RATE("ps.threads"), 'a', 15, 2048},
    {__LINE__, "snb", RATE("depth.early-pass"), 'a', 17, 2048},
    {__LINE__, "snb", RATE("depth.early-fail"), 'a', 18, 2048},
    {__LINE__, "snb", RATE("stencil.early-pass"), 'a', 19, 2048},
    {__LINE__, "snb", RATE("stencil.early-fail"), 'a', 20, 2048},
    {__LINE__, "snb", RATE("pixels.killed"), 'a', 21, 4096},
    {__LINE__, "snb", RATE("pixels.alpha-fail"), 'a', 22, 2048},
    {__LINE__, "snb", RATE("stencil.late-fail"), 'a', 23, 2048},
    {__LINE__, "snb", RATE("depth.late-fail"), 'a', 24, 2048},
    {__LINE__, "snb", RATE("pixels.written"), 'a', 25, 2048},
    {__LINE__, "snb", SHARE("clipper.active"), 'a', 27, 1024},
    {__LINE__, "snb", SHARE("setup.active"), 'a', 28, 1024},
    {__LINE__, GEN7, SHARE("gpu.busy"), 'a', 41, 1024},
    {__LINE__, "hsw", SHARE("eu.active"), 'a', 0, 20 * 1024},
    {__LINE__, "ivb", SHARE("eu.active"), 'a', 0, 16 * 1024},
    {__LINE__, "vlv", SHARE("eu.stalled"), 'a', 1, 4 * 1024},
    {__LINE__, "vlv", SHARE("vs.active"), 'a', 2, 4 * 1024},
    {__LINE__, "ivb", SHARE("vs.stalled"), 'a', 4, 16 * 1024},
    {__LINE__, "ivb", SHARE("vs.stalled"), 'a', 3, 0},
    {__LINE__, "hsw", SHARE("vs.stalled"), 'a', 3, 20 * 1024},
    {__LINE__, "hsw", SHARE("vs.stalled"), 'a', 4, 20 * 1024},
    {__LINE__, GEN7, RATE("vs.threads"), 'a', 5, 2048},
    {__LINE__, "hsw", SHARE("hs.active"), 'a', 7, 20 * 1024},
    {__LINE__, GEN7, RATE("hs.threads"), 'a', 10, 2048},
    {__LINE__, "hsw", SHARE("ds.active"), 'a', 12, 20 * 1024},
    {__LINE__, GEN7, RATE("ds.threads"), 'a', 15, 2048},
    {__LINE__, "hsw", SHARE("cs.active"), 'a', 17, 20 * 1024},
    {__LINE__, GEN7, RATE("cs.threads"), 'a', 20, 2048},
    {__LINE__, "hsw", SHARE("gs.active"), 'a', 22, 20 * 1024},
    {__LINE__, GEN7, RATE("gs.threads"), 'a', 25, 2048},
    {__LINE__, "hsw", SHARE("ps.active"), 'a', 27, 20 * 1024},
    {__LINE__, "hsw", SHARE("ps.stalled"), 'a', 28, 20 * 1024},
    {__LINE__, GEN7, RATE("ps.threads"), 'a', 30, 2048},
    {__LINE__, GEN7, RATE("depth.hiz-pass"), 'a', 32, 2048},
    {__LINE__, "vlv hsw", RATE("depth.hiz-fail"), 'a', 33, 2048},
    {__LINE__, "ivb", RATE("depth.hiz-fail"), 'a', 33, 0}, /* reserved on GT2 */
    {__LINE__, "ivb", RATE("depth.early-pass"), 'a', 34, 2048},
    {__LINE__, GEN7, RATE("depth.early-fail"), 'a', 35, 2048},
    {__LINE__, GEN7, RATE("pixels.killed"), 'a', 36, 2048},
    {__LINE__, GEN7, RATE("pixels.alpha-fail"), 'a', 37, 2048},
    {__LINE__, GEN7, RATE("stencil.late-fail"), 'a', 38, 2048},
    {__LINE__, GEN7, RATE("depth.late-fail"), 'a', 39, 2048},
    {__LINE__, "hsw", RATE("depth.late-fail") "," RATE("pixels.killed"), 'a', 39, 2048},
    {__LINE__, GEN7, RATE("pixels.written"), 'a', 40, 2048},
    {__LINE__, GEN7, SHARE("vs.bottleneck"), 'a', 42, 1024},
    {__LINE__, GEN7, SHARE("gs.bottleneck"), 'a', 43, 1024},
    {__LINE__, GEN8, SHARE("gpu.busy"), 'a', 0, 1024},
    {__LINE__, GEN8, RATE("vs.threads"), 'a', 1, 2048},
    {__LINE__, GEN8, RATE("hs.threads"), 'a', 2, 2048},
    {__LINE__, GEN8, RATE("ds.threads"), 'a', 3, 2048},
    {__LINE__, GEN8, RATE("cs.threads"), 'a', 4, 2048},
    {__LINE__, GEN8, RATE("gs.threads"), 'a', 5, 2048},
    {__LINE__, GEN8, RATE("ps.threads"), 'a', 6, 2048},
    {__LINE__, GEN8, RATE("pixels.rasterized"), 'a', 21, 512},
    {__LINE__, GEN8, RATE("depth.hiz-fail"), 'a', 22, 512},
    {__LINE__, GEN8, RATE("depth.early-fail"), 'a', 23, 512},
    {__LINE__, GEN8, RATE("pixels.killed"), 'a', 24, 512},
    {__LINE__, GEN8, RATE("depth.late-fail"), 'a', 25, 512},
    {__LINE__, GEN8, RATE("depth.late-fail") "," RATE("stencil.late-fail"), 'a', 25, 1024},
    {__LINE__, GEN8, RATE("pixels.written"), 'a', 26, 512},
    {__LINE__, GEN8, RATE("pixels.blended"), 'a', 27, 512},
    {__LINE__, GEN8, RATE("sampler.texels"), 'a', 28, 512},
    {__LINE__, GEN8, RATE("sampler.misses"), 'a', 29, 2048},
    {__LINE__, GEN8, RATE("slm.reads"), 'a', 30, 2048},
    {__LINE__, GEN8, RATE("slm.writes"), 'a', 31, 2048},
    {__LINE__, GEN8, RATE("memory.accesses"), 'a', 32, 2048},
    {__LINE__, GEN8, RATE("memory.misses"), 'a', 33, 2048},
    {__LINE__, GEN8, RATE("memory.atomics"), 'a', 34, 2048},
    {__LINE__, GEN8, RATE("eu.barriers"), 'a', 35, 2048},
    /* A0's unit, with the other kinds of activities. */
    {__LINE__, GEN8, "{unit: gpu.busy, constant: 1}", 'a', 0, 4096},
    {__LINE__, GEN8, "{unit: gpu.busy, constant: 0}", 'a', 0, 0},
    {__LINE__, GEN8, "{unit: gpu.busy, bursts: {frame: 1024, length: 100}}", 'a', 0, 400},
    {__LINE__, "hsw", "{unit: ps.active, bursts: {frame: 1024, length: 100}}", 'a', 27, 8000},
    {__LINE__, "hsw", "{unit: ps.active, bursts: {frame: 1024, length: 100}}", 'a', 0, 8000},
    {__LINE__, GEN8, "{unit: eu.barriers, bursts: {frame: 64, length: 2}, times: 3}", 'a', 35, 384},
    {__LINE__, GEN8, "{unit: eu.barriers, random: 1, times: 3}", 'a', 35, 3 * 4096},
    {__LINE__, GEN8, "{unit: pixels.written, random: 1, times: 6}", 'a', 26, 2 * 4096},
    {__LINE__, GEN8, "{unit: eu.barriers, constant: 5}", 'a', 35, 5 * 4096},
    {__LINE__, GEN8, "{unit: eu.barriers, rate: 25/us}", 'a', 35, 1024},
    {__LINE__, GEN8, "{unit: eu.barriers, rate: 25000/ms}", 'a', 35, 1024},
    {__LINE__, GEN8, "{unit: eu.barriers, rate: 25000000/s}", 'a', 35, 1024},
    {__LINE__, GEN8, "{unit: eu.barriers, rate: 3.75/clock}", 'a', 35, 15360},
    /* EUs: A7 any pipe, A8 stalled, A9 both FPUs, A18 occupancy pulses. */
    {__LINE__, GEN8, "{unit: ps.active, share: 1}", 'a', 7, 16 * 4096},
    {__LINE__, GEN8, "{unit: eu.stalled, share: 1}", 'a', 8, 16 * 4096},
    {__LINE__, GEN8, "{unit: eu.stalled, share: 1}", 'a', 7, 0},
    {__LINE__, GEN8, "{unit: eu.active, share: 1},{unit: eu.fpu0, share: 1},{unit: eu.fpu1, share: 1}", 'a', 9, 16 * 4096},
    {__LINE__, GEN8, "{unit: eu.active, share: 1},{unit: eu.fpu0, share: 1}", 'a', 9, 0},
    {__LINE__, GEN8, "{unit: vs.active, share: 1}", 'a', 10, 16 * 4096},
    {__LINE__, GEN8, "{unit: ps.active, share: 1}", 'a', 10, 0},
    {__LINE__, GEN8, "{unit: ps.active, share: 1}", 'a', 15, 16 * 4096},
    {__LINE__, GEN8, "{unit: eu.active, share: 1},{unit: eu.mov, share: 1}", 'a', 18, 16 * 4096},
    {__LINE__, GEN8, "{unit: eu.active, share: 1},{unit: eu.mov, share: 0.5}", 'a', 18, 8 * 4096},
    {__LINE__, GEN8, "{unit: eu.active, share: 1},{unit: eu.occupancy, constant: 3.5}", 'a', 17, 16 * 1792},
    /* NOA bits: raw, and those of RenderBasic. */
    {__LINE__, "snb hsw skl lkf", RATE("noa.3"), 'n', 3, 2048},
    {__LINE__, "snb hsw skl lkf", SHARE("noa.15"), 'n', 15, 1024},
    {__LINE__, "snb hsw skl lkf", "{unit: noa.7, constant: 1}", 'n', 7, 4096},
    {__LINE__, "snb hsw skl lkf", "{unit: noa.0, bursts: {frame: 512, length: 10}}", 'n', 0, 80},
    {__LINE__, "hsw bdw chv skl", SHARE("sampler.busy"), 'n', 0, 1024},
    {__LINE__, "hsw bdw chv skl", SHARE("sampler.bottleneck"), 'n', 2, 1024},
    {__LINE__, "hsw bdw chv skl", RATE("gti.reads"), 'n', 14, 2048},
    {__LINE__, "hsw bdw chv skl", RATE("gti.writes"), 'n', 15, 2048},
    {__LINE__, "hsw", RATE("sampler.texels"), 'n', 4, 512},
    {__LINE__, "hsw", RATE("pixels.blended"), 'n', 13, 512},
    {__LINE__, "icl lkf", SHARE("sampler.busy"), 'n', 9, 1024},
    {__LINE__, "icl lkf", SHARE("sampler.bottleneck"), 'n', 8, 1024},
    {__LINE__, "icl", RATE("gti.reads"), 'n', 1, 2048},
    {__LINE__, "lkf", RATE("gti.reads"), 'n', 4, 2048},
    {__LINE__, "icl lkf", RATE("gti.writes"), 'n', 0, 2048},
    {__LINE__, "tgl", SHARE("sampler.busy"), 'n', 0, 1024},
    {__LINE__, "tgl", SHARE("sampler.bottleneck"), 'n', 2, 1024},
    {__LINE__, "tgl", RATE("gti.reads"), 'n', 10, 2048},
    {__LINE__, "tgl", RATE("gti.writes"), 'n', 8, 2048},
    {__LINE__, "hsw", "{unit: gti.reads, rate: 5/clock}", 'n', 14, 4096}, /* at most one per clock */
    {__LINE__, "hsw", RATE("gti.reads") ",{unit: noa.14, share: 0.125}", 'n', 14, 512},
    // clang-format on
};

/* ---- the whole table ------------------------------------------------------------------------- */

/* All counters of the units, from the same lists: A counters, N: bits of the NOA bus, EU: signals
 * of the EU array. Behind a counter is what an event adds to it, if that is not 1. */
#define BUSY_SNB "gpu.busy A26;eu.active A0;eu.stalled A1;clipper.active A27;setup.active A28;"
#define STAGES_SNB                                                                                 \
    "vs.active A2;vs.stalled A4;vs.threads A5;vs.ready A6;"                                        \
    "gs.active A7;gs.stalled A9;gs.threads A10;gs.ready A11;"                                      \
    "cs.active A7;cs.stalled A9;cs.threads A10;cs.ready A11;"                                      \
    "ps.active A12;ps.stalled A14;ps.threads A15;ps.ready A16;"
#define PIXELS_SNB                                                                                 \
    "depth.early-pass A17;depth.early-fail A18;stencil.early-pass A19;stencil.early-fail A20;"     \
    "pixels.killed A21 2/1;pixels.alpha-fail A22;stencil.late-fail A23;depth.late-fail A24;"       \
    "pixels.written A25;"

/* Five counters a stage: active, moved stalls of HSW, stalled, threads, reserved. */
#define COMMON_GEN7                                                                                \
    "gpu.busy A41;eu.active A0;eu.stalled A1;vs.bottleneck A42;gs.bottleneck A43;"                 \
    "vs.active A2;vs.stalled A4;vs.threads A5;hs.active A7;hs.stalled A9;hs.threads A10;"          \
    "ds.active A12;ds.stalled A14;ds.threads A15;cs.active A17;cs.stalled A19;cs.threads A20;"     \
    "gs.active A22;gs.stalled A24;gs.threads A25;ps.active A27;ps.stalled A29;ps.threads A30;"     \
    "depth.hiz-pass A32;depth.hiz-fail A33;depth.early-fail A35;pixels.killed A36;"                \
    "pixels.alpha-fail A37;stencil.late-fail A38;depth.late-fail A39;pixels.written A40;"
#define STALLED_HSW                                                                                \
    "vs.stalled A3;hs.stalled A8;ds.stalled A13;cs.stalled A18;gs.stalled A23;ps.stalled A28;"

#define COMMON_GEN8                                                                                \
    "gpu.busy A0;vs.threads A1;hs.threads A2;ds.threads A3;cs.threads A4;gs.threads A5;"           \
    "ps.threads A6;pixels.rasterized A21 1/4;depth.hiz-fail A22 1/4;depth.early-fail A23 1/4;"     \
    "pixels.killed A24 1/4;depth.late-fail A25 1/4;stencil.late-fail A25 1/4;"                     \
    "pixels.written A26 1/4;pixels.blended A27 1/4;sampler.texels A28 1/4;sampler.misses A29;"     \
    "slm.reads A30;slm.writes A31;memory.accesses A32;memory.misses A33;memory.atomics A34;"       \
    "eu.barriers A35;"                                                                             \
    "eu.active EU;eu.stalled EU;eu.occupancy EU;eu.fpu0 EU;eu.fpu1 EU;eu.send EU;eu.hybrid EU;"    \
    "eu.ternary EU;eu.binary EU;eu.mov EU;eu.send-start EU;"                                       \
    "vs.active EU;vs.stalled EU;hs.active EU;hs.stalled EU;ds.active EU;ds.stalled EU;"            \
    "gs.active EU;gs.stalled EU;ps.active EU;ps.stalled EU;cs.active EU;cs.stalled EU;"
#define NOA_LONG "sampler.busy N0;sampler.bottleneck N2;gti.reads N14;gti.writes N15;"

static const struct {
    unsigned line;
    const char *platforms, *counters;
} lists[] = {
    {__LINE__, "snb", BUSY_SNB STAGES_SNB PIXELS_SNB},
    {__LINE__, "ivb", COMMON_GEN7 "depth.early-pass A34;"},
    {__LINE__, "vlv", COMMON_GEN7},
    {__LINE__, "hsw",
     COMMON_GEN7 STALLED_HSW NOA_LONG "sampler.texels N4 1/4;pixels.blended N13 1/4;"},
    {__LINE__, "bdw chv skl", COMMON_GEN8 NOA_LONG},
    {__LINE__, "icl",
     COMMON_GEN8 "sampler.busy N9;sampler.bottleneck N8;gti.reads N1;gti.writes N0;"},
    {__LINE__, "lkf",
     COMMON_GEN8 "sampler.busy N9;sampler.bottleneck N8;gti.reads N4;gti.writes N0;"},
    {__LINE__, "tgl",
     COMMON_GEN8 "sampler.busy N0;sampler.bottleneck N2;gti.reads N10;gti.writes N8;"},
};

/* Returns how often a list, whose items end with a semicolon, has an item. */
static unsigned count_item(const char *list, const char *item)
{
    unsigned count = 0;
    size_t length = strlen(item);
    for (const char *at = list; *at; at = strchr(at, ';') + 1)
        count += !strncmp(at, item, length) && at[length] == ';';
    return count;
}

static void test_lists(void **state)
{
    (void)state;
    unsigned platforms = 0;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (size_t n = 0; n < COUNT(lists); n++) {
            const char *name = revision_name((enum intel_revision)p), *items = lists[n].counters;
            unsigned rows = 0, listed = 0;
            if (!strstr(lists[n].platforms, name))
                continue;
            platforms++;
            for (size_t i = 0; i < unit_row_count; i++) {
                const struct unit_row *row = &unit_rows[i];
                char item[80];
                if (!(row->revisions & INTEL_BIT(p)))
                    continue;
                int length = snprintf(item, sizeof item, "%s %s", unit_info(row->unit)->name,
                                      row->place == PLACE_A     ? "A"
                                      : row->place == PLACE_NOA ? "N"
                                                                : "EU");
                if (row->place != PLACE_EU)
                    length +=
                        snprintf(item + length, sizeof item - (size_t)length, "%u", row->index);
                if (row->times)
                    snprintf(item + length, sizeof item - (size_t)length, " %u/%u", row->times,
                             row->per);
                ROW(lists[n].line, count_item(items, item) == 1, "%s: %s", name, item);
                rows++;
            }
            for (const char *at = items; *at; at++)
                listed += *at == ';';
            ROW(lists[n].line, rows == listed, "%s: %u rows, %u are listed", name, rows, listed);
        }
    ROW(__LINE__, platforms == INTEL_REVISIONS, "%u platforms are listed", platforms);
    ROWS_DONE();
}

/* A row states a factor only if it has one. */
static void test_factors(void **state)
{
    (void)state;
    for (size_t i = 0; i < unit_row_count; i++) {
        const struct unit_row *row = &unit_rows[i];
        ROW(__LINE__, row->times == row->per ? !row->times : row->times && row->per, "%s: %u / %u",
            unit_info(row->unit)->name, row->times, row->per);
    }
    ROWS_DONE();
}

static void test_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(counted); i++) {
        const struct counted *row = &counted[i];
        char text[512];
        snprintf(text, sizeof text, HEAD "%s" TAIL, row->does);
        for (size_t p = 0; p < COUNT(rig_platforms); p++) {
            struct rig rig;
            if (!strstr(row->platforms, rig_platforms[p]) ||
                !rig_init(&rig, row->line, text, rig_platforms[p], 100000000))
                continue;
            tally_workload_run(&rig.cursor, rig.unit, 4096);
            uint64_t got = row->letter == 'a'
                               ? rig_peek(rig.unit, 'a', row->index)
                               : rig_peek_noa(rig.unit, rig_platforms[p], row->index);
            uint64_t after = row->after; /* rows of flexible counters are for 16 EUs */
            if (row->letter == 'a' && row->index >= 7 && row->index <= 20 &&
                rig_is_new(rig_platforms[p]))
                after = after / 16 * tally_platform_find(rig_platforms[p])->example_eus;
            ROW(row->line, got == after, "%s: %c%u is %" PRIu64 ", expected %" PRIu64,
                rig_platforms[p], row->letter, row->index, got, after);
            rig_fini(&rig);
        }
    }
    ROWS_DONE();
}

int test_workload_units(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_factors),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests_name("workload units", tests, NULL, NULL);
}
