/* SPDX-License-Identifier: MIT */
/*
 * What draws cost, computed by hand: statistics registers, A counters and busy clocks of the whole
 * GPU on each generation, with the numbers and rows of draws.c.
 */
#include "intel/draws.h"

#include "intel/cost/table.h"
#include "intel/gpu/gpu.h"
#include "intel/platforms.h"

#define ALL         "snb ivb vlv hsw bdw chv skl icl lkf tgl"
#define DWORDS(...) {__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__}))

static void start_counting(struct gpu_rig *rig)
{
    bool oag = rig->model == INTEL_TGL;
    tally_gpu_write32(rig->gpu, oag ? 0x2b28 : 0x2360, 1);
    if (rig->model >= INTEL_BDW)
        tally_gpu_write32(rig->gpu, oag ? 0xdaf4 : 0x2b00, 0x15);
}

static uint64_t register64(struct gpu_rig *rig, uint32_t address)
{
    return tally_gpu_read32(rig->gpu, address) | (uint64_t)tally_gpu_read32(rig->gpu, address + 4)
                                                     << 32;
}

static void check_statistics(unsigned line, const char *what, struct gpu_rig *rig,
                             const struct draw_want *want)
{
    const struct {
        uint32_t address;
        unsigned value;
    } registers[] = {
        {0x2310, want->ia_vertices},
        {0x2318, want->ia_primitives},
        {0x2320, want->vs},
        {0x2328, want->gs},
        {0x2330, want->gs_primitives},
        {0x2338, want->cl},
        {0x2340, want->cl_primitives},
        {0x2348, invocations_counted(rig->model, want->ps)},
        {0x2350, want->depth},
        {0x2300, want->hs},
        {0x2308, want->ds},
        {rig->model == INTEL_SNB ? 0x2288 : 0x5200, want->so_written},
        {rig->model == INTEL_SNB ? 0x2280 : 0x5240, want->so_needed},
    };
    for (unsigned i = 0; i < COUNT(registers); i++)
        ROW(line, register64(rig, registers[i].address) == registers[i].value,
            "%s, %s: %04x is %u, not %u", what, revision_name(rig->model), registers[i].address,
            (unsigned)register64(rig, registers[i].address), registers[i].value);
}

static void check_counters(unsigned line, const char *what, struct gpu_rig *rig,
                           const struct draw_want *want)
{
    const char *platform = revision_name(rig->model);
    for (unsigned i = 0; i < draw_place_count; i++) {
        uint64_t value = draw_member(want, draw_places[i].member) / draw_places[i].per;
        if (strstr(draw_places[i].platforms, platform))
            ROW(line, gpu_rig_value(rig, draw_places[i].counter) == value,
                "%s, %s: %s is %u, not %u", what, platform, draw_places[i].counter,
                (unsigned)gpu_rig_value(rig, draw_places[i].counter), (unsigned)value);
    }
    unsigned early = want->depth_fails + want->stencil_fails;
    unsigned late = want->late_depth_fails + want->late_stencil_fails;
    if (rig->model == INTEL_SNB)
        ROW(line, gpu_rig_value(rig, "a21") == 2 * want->killed, "%s: kills", what);
    if (rig->model >= INTEL_BDW) {
        ROW(line, gpu_rig_value(rig, "a23") == early / 4, "%s, %s: A23", what, platform);
        ROW(line, gpu_rig_value(rig, "a25") == late / 4, "%s, %s: A25", what, platform);
    }
}

/* ---- draws ----------------------------------------------------------------------------------- */

/* Submits a batch and runs it to its end. Returns how long the work of its last command takes. */
static uint64_t run_batch(struct batch *batch, unsigned line, enum cs_engine_id id)
{
    struct tally_gpu *gpu = batch->rig->gpu;
    struct gpu_engine *engine = &gpu->engines[id];
    uint64_t clocks = 0, until = engine->busy_until;
    batch_submit(batch, engine->streamer.engine->name);
    for (unsigned i = 0; i < 10000 && !tally_gpu_is_idle(gpu) && !clocks; i++) {
        tally_gpu_run(gpu, 1);
        if (engine->busy_until != until)
            clocks = engine->busy_until - max_u64(until, tally_gpu_now(gpu) - 1);
        until = engine->busy_until;
    }
    batch_finish(batch, line);
    return clocks;
}

static void run_row(const struct draw_row *row, const char *platform, const struct tally_cost *cost)
{
    struct gpu_rig *rig = gpu_rig_awake(row->line, platform);
    struct batch batch;
    tally_gpu_set_cost(rig->gpu, cost);
    start_counting(rig);
    batch_begin(&batch, rig);
    batch_draw(&batch, &row->draw);
    uint64_t clocks = run_batch(&batch, row->line, CS_RCS0);
    ROW(row->line, clocks == row->want.clocks, "%s, %s: %u clocks, not %u", row->what, platform,
        (unsigned)clocks, row->want.clocks);
    check_statistics(row->line, row->what, rig, &row->want);
    check_counters(row->line, row->what, rig, &row->want);
    gpu_rig_free(rig);
}

static void test_draws(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < draw_row_count; i++)
            if (strstr(draw_rows[i].platforms, revision_name(p)))
                run_row(&draw_rows[i], revision_name(p), &cost);
    ROWS_DONE();
}

/* Each of 1024 samples writes 16 bytes of depth, in a clock, if the test and the buffer allow it.
 */
static void test_depth_writes(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    static const struct {
        unsigned line;
        bool write, no_surface_write;
        unsigned gen6, clocks;
    } rows[] = {
        {__LINE__, false, false, 356, 356},
        {__LINE__, true, false, 1124, 1124},
        {__LINE__, true, true, 1124, 356},
    };
    cost.numbers[COST_DEPTH_BYTES] = cost.numbers[COST_WRITE_BYTES] = 16;
    cost.numbers[COST_CACHE_MISSES] = 100;
    cost.numbers[COST_READ_BYTES] = 1024;
    cost.numbers[COST_COLOR_BYTES] = 0;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(rows); i++) {
            struct gpu_rig *rig = gpu_rig_awake(rows[i].line, revision_name(p));
            struct batch batch;
            const struct batch_draw draw = {.topology = 4,
                                            .vertices = 3,
                                            .width = 64,
                                            .height = 32,
                                            .ps = true,
                                            .depth = true,
                                            .depth_write = rows[i].write,
                                            .no_surface_write = rows[i].no_surface_write};
            unsigned want = p == INTEL_SNB ? rows[i].gen6 : rows[i].clocks;
            tally_gpu_set_cost(rig->gpu, &cost);
            batch_begin(&batch, rig);
            batch_draw(&batch, &draw);
            uint64_t clocks = run_batch(&batch, rows[i].line, CS_RCS0);
            ROW(rows[i].line, clocks == want, "%s: %u clocks, not %u", revision_name(p),
                (unsigned)clocks, want);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- walkers --------------------------------------------------------------------------------- */

/* A thread is active for 100 clocks and loaded for 300. */
static void test_walkers(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    static const struct {
        unsigned line, groups[3], threads, simd;
        bool barrier, slm, indirect;
        unsigned all, invocations;
    } walkers[] = {
        {__LINE__, {4, 2, 1}, 8, 1, false, false, false, 64, 1024},
        {__LINE__, {4, 2, 3}, 5, 0, true, false, false, 120, 960},
        {__LINE__, {7, 1, 1}, 1, 2, false, true, false, 7, 224},
        {__LINE__, {4, 2, 1}, 8, 1, true, true, true, 64, 1024},
        {__LINE__, {0, 2, 1}, 8, 1, true, true, false, 0, 0},
    };
    for (unsigned p = INTEL_IVB; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(walkers); i++) {
            struct gpu_rig *rig = gpu_rig_awake(walkers[i].line, revision_name(p));
            struct batch batch;
            bool flexible = p >= INTEL_BDW;
            unsigned threads = walkers[i].all;
            uint64_t eus = tally_gpu_eus(rig->gpu);
            uint64_t slots = eus * tally_platform_find(revision_name(p))->eu_threads;
            tally_gpu_set_cost(rig->gpu, &cost);
            start_counting(rig);
            batch_begin(&batch, rig);
            batch_walk(&batch, walkers[i].groups, walkers[i].threads, walkers[i].simd,
                       walkers[i].barrier, walkers[i].slm, walkers[i].indirect);
            uint64_t clocks = run_batch(&batch, walkers[i].line, CS_RCS0);
            /* Half of the 8 accesses of a thread miss: 4 reads. */
            uint64_t want = 100 + max_u64(max_u64((threads * 100 + eus - 1) / eus,
                                                  (threads * 300 + slots - 1) / slots),
                                          threads * 4);
            ROW(walkers[i].line, clocks == want, "%s: %u clocks, not %u", revision_name(p),
                (unsigned)clocks, (unsigned)want);
            ROW(walkers[i].line, register64(rig, 0x2290) == walkers[i].invocations,
                "%s: %u invocations", revision_name(p), (unsigned)register64(rig, 0x2290));
            const struct {
                const char *counter;
                unsigned value;
            } counters[] = {
                {flexible ? "a4" : "a20", threads},
                {flexible ? "a30" : "a20", flexible ? 6 * threads * walkers[i].slm : threads},
                {flexible ? "a31" : "a20", flexible ? 5 * threads * walkers[i].slm : threads},
                {flexible ? "a32" : "a20", flexible ? 8 * threads : threads},
                {flexible ? "a33" : "a20", flexible ? 4 * threads : threads},
                {flexible ? "a34" : "a20", flexible ? 2 * threads : threads},
                {flexible ? "a35" : "a20", flexible ? 3 * threads * walkers[i].barrier : threads},
            };
            for (unsigned c = 0; c < COUNT(counters); c++)
                ROW(walkers[i].line, gpu_rig_value(rig, counters[c].counter) == counters[c].value,
                    "%s: %s is %u, not %u", revision_name(p), counters[c].counter,
                    (unsigned)gpu_rig_value(rig, counters[c].counter), counters[c].value);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* A MEDIA_OBJECT_WALKER: colors and middle loop, counts, block resolution, local start, outer and
 * inner stride, then global resolution, start, outer and inner stride. */
#define WALKER(loops, counts, block, start, outer, inner, global, origin, columns, rows)           \
    DWORDS(0x7103000f, 0, 0, 0, 0, 0, loops, counts, block, start, 0, outer, inner, global,        \
           origin, columns, rows)
#define YX(y, x)   ((uint32_t)(y) << 16 | (x))
#define BEFORE_SKL "snb ivb vlv hsw bdw chv"
#define FROM_SKL   "skl icl lkf tgl"

/* Threads that no GPGPU_WALKER starts. Only that has invocations. */
static void test_objects(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    static const struct {
        unsigned line;
        const char *platforms;
        uint32_t dwords[17];
        size_t count;
        unsigned threads;
    } objects[] = {
        {__LINE__, ALL, DWORDS(0x71000002, 0, 0, 0), 1},
        {__LINE__, ALL, DWORDS(0x71020002, 0, 0, 0), 1},
        {__LINE__, "ivb vlv hsw", DWORDS(0x71040006, 0, 0, 0, 0, 0, 0, 0), 1},
        {__LINE__, "bdw chv skl icl lkf tgl", DWORDS(0x71060002, 0, 0, 0), 1},
        /* MEDIA_OBJECT_WALKER: a raster of 7 x 5 with two colors; counts are too large. */
        {__LINE__, ALL,
         WALKER(1 << 24, 0x03ff03ff, YX(5, 7), 0, YX(1, 0), YX(0, 1), YX(5, 7), 0, YX(0, 7),
                YX(5, 0)),
         70},
        /* Its count is too small. */
        {__LINE__, ALL,
         WALKER(0, 1, YX(5, 7), 0, YX(1, 0), YX(0, 1), YX(5, 7), 0, YX(0, 7), YX(5, 0)), 14},
        /* A wavefront of 8 x 4, whose diagonals begin outside. */
        {__LINE__, BEFORE_SKL,
         WALKER(0, 0x3ff, YX(4, 8), 0, YX(0, 1), YX(1, 0x3fe), YX(4, 8), 0, 0, 0), 32},
        {__LINE__, FROM_SKL,
         WALKER(0, 0x3ff, YX(4, 8), 0, YX(0, 1), YX(1, 0xffe), YX(4, 8), 0, 0, 0), 32},
        /* Two columns at a time by the middle loop: 3 x 2 columns of 6. */
        {__LINE__, ALL,
         WALKER(1 << 16 | 1 << 8, 2, YX(6, 6), 0, YX(0, 2), YX(1, 0), YX(6, 6), 0, 0, 0), 36},
        /* A middle loop to the left, out of the block: 2 + 1 columns. */
        {__LINE__, ALL, WALKER(2 << 16 | 3 << 8, 0, YX(4, 6), 1, 0, YX(1, 0), YX(6, 6), 0, 0, 0),
         8},
        /* Two by two blocks of 4 x 4. */
        {__LINE__, ALL,
         WALKER(0, 1 << 16 | 3, YX(4, 4), 0, YX(1, 0), YX(0, 1), YX(8, 8), 0, YX(0, 4), YX(4, 0)),
         64},
        /* From the last point backwards. */
        {__LINE__, BEFORE_SKL,
         WALKER(0, 0x3ff, YX(3, 5), YX(2, 4), YX(0x3ff, 0), YX(0, 0x3ff), YX(3, 5), 0, 0, 0), 15},
        {__LINE__, FROM_SKL,
         WALKER(0, 0xfff, YX(3, 5), YX(2, 4), YX(0xfff, 0), YX(0, 0xfff), YX(3, 5), 0, 0, 0), 15},
        /* The global walk begins outside: only its second block is inside. */
        {__LINE__, BEFORE_SKL,
         WALKER(0, 1, YX(2, 3), 0, YX(1, 0), YX(0, 1), YX(2, 3), 0x3fd, YX(0, 3), YX(0, 0)), 0},
        {__LINE__, BEFORE_SKL,
         WALKER(0, 1 << 16 | 1, YX(2, 3), 0, YX(1, 0), YX(0, 1), YX(2, 3), 0x3fd, YX(0, 3), 0), 6},
        /* Nothing moves: the counts alone. */
        {__LINE__, ALL, WALKER(0, 2 << 16 | 4, YX(1, 1), 0, 0, 0, YX(1, 1), 0, 0, 0), 15},
        /* No resolution. */
        {__LINE__, ALL, WALKER(0, 0x03ff03ff, 0, 0, 0, 0, 0, 0, 0, 0), 0},
        /* More colors, from Gen11 on. */
        {__LINE__, "icl lkf tgl", WALKER(31 << 24, 0, YX(1, 1), 0, 0, 0, YX(1, 1), 0, 0, 0), 32},
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(objects); i++) {
            if (!strstr(objects[i].platforms, revision_name(p)))
                continue;
            struct gpu_rig *rig = gpu_rig_awake(objects[i].line, revision_name(p));
            struct batch batch;
            tally_gpu_set_cost(rig->gpu, &cost);
            start_counting(rig);
            batch_begin(&batch, rig);
            batch_emit(&batch, objects[i].dwords, objects[i].count);
            run_batch(&batch, objects[i].line, CS_RCS0);
            const char *counter = p == INTEL_SNB ? "a10" : p <= INTEL_HSW ? "a20" : "a4";
            ROW(objects[i].line, gpu_rig_value(rig, counter) == objects[i].threads,
                "%s: %u threads, not %u", revision_name(p), (unsigned)gpu_rig_value(rig, counter),
                objects[i].threads);
            ROW(objects[i].line, !register64(rig, 0x2290), "%s: invocations", revision_name(p));
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- blits ----------------------------------------------------------------------------------- */

/* 8 bytes take a clock; each blit takes 100 besides. */
static void test_blits(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    static const struct {
        unsigned line;
        const char *platforms;
        uint32_t dwords[10];
        size_t count;
        unsigned clocks;
    } blits[] = {
        /* XY_COLOR_BLT: 32 bits, 64 by 32 at 8, 4; then 16 and 8 bits; nothing. */
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x54000004, 1u << 24, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 612},
        {__LINE__, ALL, DWORDS(0x54000004, 0, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 356},
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 4 << 16 | 8, 4 << 16 | 72, 0, 0), 100},
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 0, 0xffffffff, 0, 0), 100}, /* to -1, -1 */
        /* XY_SRC_COPY_BLT */
        {__LINE__, ALL, DWORDS(0x54c00006, 3u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0), 1124},
        /* XY_FAST_COPY_BLT: 128 and 32 bits */
        {__LINE__, "skl icl lkf tgl",
         DWORDS(0x50800008, 6u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0, 0, 0), 4196},
        {__LINE__, "skl icl lkf tgl",
         DWORDS(0x50800008, 3u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0, 0, 0), 1124},
        /* COLOR_BLT, SRC_COPY_BLT: 256 bytes by 32 */
        {__LINE__, ALL, DWORDS(0x50000003, 0, 32 << 16 | 256, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x50c00004, 0, 32 << 16 | 256, 0, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x4f000000, 0), 100}, /* another */
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(blits); i++) {
            if (!strstr(blits[i].platforms, revision_name(p)))
                continue;
            struct gpu_rig *rig = gpu_rig_awake(blits[i].line, revision_name(p));
            struct batch batch;
            tally_gpu_set_cost(rig->gpu, &cost);
            batch_begin(&batch, rig);
            batch_emit(&batch, blits[i].dwords, blits[i].count);
            uint64_t clocks = run_batch(&batch, blits[i].line, CS_BCS0);
            ROW(blits[i].line, clocks == blits[i].clocks, "%s: %u clocks, not %u", revision_name(p),
                (unsigned)clocks, blits[i].clocks);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- flushes, clears, video ------------------------------------------------------------------ */

static void test_others(void **state)
{
    (void)state;
    struct tally_cost cost = draw_numbers();
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name(p);
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, platform);
        struct batch batch;
        tally_gpu_set_cost(rig->gpu, &cost);
        batch_begin(&batch, rig);
        batch_flush(&batch, 1 << 12 | 1 << 0, 0, BATCH_RESULTS); /* render target, depth */
        uint64_t clocks = run_batch(&batch, __LINE__, CS_RCS0);
        ROW(__LINE__, clocks == 100, "%s: flush of %u clocks", platform, (unsigned)clocks);
        batch_begin(&batch, rig);
        EMIT(&batch, 0x70000002, 0, 0, 0);
        clocks = run_batch(&batch, __LINE__, CS_VCS0);
        ROW(__LINE__, clocks == 64, "%s: video of %u clocks", platform, (unsigned)clocks);
        if (p == INTEL_TGL) { /* HDC and data cache; a stencil resolve of 64 by 32 */
            batch_begin(&batch, rig);
            EMIT(&batch, 0x7a000204, 1 << 20 | 1 << 5, 0, 0, 0, 0);
            clocks = run_batch(&batch, __LINE__, CS_RCS0);
            ROW(__LINE__, clocks == 100, "%s: flush of %u clocks", platform, (unsigned)clocks);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x78520003, 1u << 24, 0, 32 << 16 | 64, 0xffff);
            clocks = run_batch(&batch, __LINE__, CS_RCS0);
            ROW(__LINE__, clocks == 100 + 512, "%s: resolve of %u clocks", platform,
                (unsigned)clocks);
        }
        if (p >= INTEL_BDW) { /* a depth clear of 64 by 32, then nothing */
            start_counting(rig);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x78520003, 1u << 30, 0, 32 << 16 | 64, 0xffff);
            clocks = run_batch(&batch, __LINE__, CS_RCS0);
            ROW(__LINE__, clocks == 100 + 512, "%s: clear of %u clocks", platform,
                (unsigned)clocks);
            ROW(__LINE__, gpu_rig_value(rig, "a21") == 512, "%s: clear", platform);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x78520003, 0, 0, 0, 0);
            ROW(__LINE__, run_batch(&batch, __LINE__, CS_RCS0) == 0, "%s: no clear", platform);
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* docs/cost-model.md lists the numbers with their units and limits. */
static void test_list_of_numbers(void **state)
{
    (void)state;
    char path[512], text[400], name[64], unit[64];
    unsigned min, max, count = 0;
    snprintf(path, sizeof path, "%s/docs/cost-model.md", source_directory());
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(text, sizeof text, file)) {
        if (sscanf(text, "| `%63[^`]` | %63[^|] | %u | %u |", name, unit, &min, &max) != 4)
            continue;
        unit[strlen(unit) - 1] = 0; /* the blank before the next cell */
        if (ROW(__LINE__, count < COST_NUMBERS, "%s: not in the model", name))
            ROW(__LINE__,
                !strcmp(cost_numbers[count].name, name) &&
                    !strcmp(cost_numbers[count].unit, unit) && cost_numbers[count].min == min &&
                    cost_numbers[count].max == max,
                "%s: the model has %s, %u to %u %s", name, cost_numbers[count].name,
                cost_numbers[count].min, cost_numbers[count].max, cost_numbers[count].unit);
        count++;
    }
    fclose(file);
    ROW(__LINE__, count == COST_NUMBERS, "%u numbers of %u", count, COST_NUMBERS);
    ROWS_DONE();
}

/* ---- stream output --------------------------------------------------------------------------- */

#define SO_BYTES  (5 * 3 * 32) /* five triangles */
#define SO_STORED 0x7100       /* Stream Output Buffer Offset Address */

/* Binds buffer 0 again: its offset is stored after draws; dword 1 has further flags. */
static void bind_stream(struct batch *batch, uint32_t flags, uint32_t offset)
{
    EMIT(batch, batch->version >= 120 ? 0x78600006 : 0x79180006, 1u << 31 | 1 << 20 | flags, 0x8000,
         0, SO_BYTES / 4 - 1, SO_STORED, 0, offset);
}

/* Runs commands, then checks the offset of buffer 0, and the primitives that were stored so far. */
static void check_stream(unsigned line, struct batch *batch, uint32_t offset, unsigned written)
{
    struct gpu_rig *rig = batch->rig;
    run_batch(batch, line, CS_RCS0);
    uint32_t got = tally_gpu_read32(rig->gpu, 0x5280);
    ROW(line, got == offset, "%s: SO_WRITE_OFFSET %u, not %u", revision_name(rig->model), got,
        offset);
    ROW(line, register64(rig, 0x5200) == written, "%s: %u primitives, not %u",
        revision_name(rig->model), (unsigned)register64(rig, 0x5200), written);
    batch_begin(batch, rig);
}

#define TRIANGLES(batch, count) EMIT(batch, 0x7b000005, 4, 3 * (count), 0, 1, 0, 0)
#define STORED(rig)             gpu_rig_peek(rig, TALLY_GPU_GGTT, SO_STORED)

/* Gen8 on: the offset that a bind sets, or takes from memory, and that a draw stores there. */
static void check_binds(struct batch *batch)
{
    struct gpu_rig *rig = batch->rig;
    bind_stream(batch, 0, 32); /* without Stream Offset Write Enable */
    TRIANGLES(batch, 1);
    check_stream(__LINE__, batch, SO_BYTES, 5);
    ROW(__LINE__, STORED(rig) == SO_BYTES, "%u is stored", STORED(rig));
    gpu_rig_put(rig, TALLY_GPU_GGTT, SO_STORED, (const uint32_t[]){96}, 1);
    bind_stream(batch, 1 << 21, UINT32_MAX);
    check_stream(__LINE__, batch, 96, 5);
    TRIANGLES(batch, 2);
    check_stream(__LINE__, batch, 288, 7);
    ROW(__LINE__, STORED(rig) == 288, "%u is stored", STORED(rig));
    bind_stream(batch, 1 << 21, 0x22);
    check_stream(__LINE__, batch, 0x20, 7);
}

/* Draws continue where the one before has ended, until the buffer is full. */
static void test_stream_offsets(void **state)
{
    (void)state;
    static const struct batch_draw draw = {
        .topology = 4, .vertices = 3, .so = true, .so_discards = true, .so_bytes = SO_BYTES};
    struct tally_cost cost = draw_numbers();
    for (unsigned p = INTEL_IVB; p < INTEL_REVISIONS; p++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, revision_name(p));
        struct batch batch;
        tally_gpu_set_cost(rig->gpu, &cost);
        batch_begin(&batch, rig);
        batch_draw(&batch, &draw);
        check_stream(__LINE__, &batch, 96, 1);
        TRIANGLES(&batch, 3);
        check_stream(__LINE__, &batch, 384, 4);
        TRIANGLES(&batch, 2);
        check_stream(__LINE__, &batch, SO_BYTES, 5);
        TRIANGLES(&batch, 1);
        check_stream(__LINE__, &batch, SO_BYTES, 5);
        if (rig->model >= INTEL_BDW)
            check_binds(&batch);
        EMIT(&batch, 0x11000001, 0x5280, 0x63); /* MI_LOAD_REGISTER_IMM */
        TRIANGLES(&batch, 1);
        check_stream(__LINE__, &batch, 0xc0, rig->model >= INTEL_BDW ? 8 : 6);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

int test_cost(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),        cmocka_unit_test(test_stream_offsets),
        cmocka_unit_test(test_depth_writes), cmocka_unit_test(test_walkers),
        cmocka_unit_test(test_objects),      cmocka_unit_test(test_blits),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_list_of_numbers),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
