/* SPDX-License-Identifier: MIT */
/* The work of commands on the whole GPU: when it is counted, and beside what. */
#include "intel/batches.h"

#include "intel/cost/table.h"
#include "intel/gpu/gpu.h"
#include "intel/platforms.h"

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

static const char *written_counter(const struct gpu_rig *rig)
{
    return rig->model == INTEL_SNB ? "a25" : rig->model <= INTEL_HSW ? "a40" : "a26";
}

static const struct batch_draw full = {
    .topology = 4, .vertices = 300, .vs = true, .width = 512, .height = 256, .ps = true};

static struct batch begin(unsigned line, const char *platform)
{
    struct batch batch;
    batch_begin(&batch, gpu_rig_awake(line, platform));
    return batch;
}

/* ---- the EU array ---------------------------------------------------------------------------- */

#define EVENT(increment, coarse, fine) ((increment) | (coarse) << 4 | (fine) << 8)

static void write_events(struct gpu_rig *rig, const uint32_t events[7])
{
    static const uint32_t controls[] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    for (unsigned i = 0; i < 7; i++)
        tally_gpu_write32(rig->gpu, controls[i], events[i]);
}

/* Sums of one draw, from A7 on, and what the cost model says of it. */
static void test_flexible_events(void **state)
{
    (void)state;
    static const uint32_t events[7] = {
        EVENT(4, 0, 0) | EVENT(5, 0, 0) << 12,  /* any pipe; loaded, but none active */
        EVENT(4, 1, 0) | EVENT(4, 5, 0) << 12,  /* of vertex and pixel shaders */
        EVENT(5, 5, 0) | EVENT(8, 0, 0) << 12,  /* their stalls; occupancy */
        EVENT(0, 0, 0) | EVENT(3, 0, 0) << 12,  /* FPU0, both */
        EVENT(4, 0, 4) | EVENT(4, 7, 0) << 12,  /* mov; row 0 */
        EVENT(4, 0, 8) | EVENT(4, 3, 0) << 12,  /* EU 1 of a row; domain shaders */
        EVENT(4, 9, 0) | EVENT(15, 0, 0) << 12, /* reserved; nothing */
    };
    for (unsigned p = INTEL_BDW; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct tally_gpu *gpu = batch.rig->gpu;
        const struct tally_cost *cost = cost_table_default(intel_modelled(revision_name(p)));
        write_events(batch.rig, events);
        start_counting(batch.rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        batch_finish(&batch, __LINE__);
        uint64_t vs = 150 * cost->numbers[COST_VS_ACTIVE];
        uint64_t ps = 512 * 256 / 8 * cost->numbers[COST_PS_ACTIVE], active = vs + ps;
        uint64_t loaded = active + 150 * cost->numbers[COST_VS_STALLED] +
                          512 * 256 / 8 * cost->numbers[COST_PS_STALLED];
        const uint64_t want[14] = {
            [0] = active,
            [2] = vs,
            [3] = ps,
            [5] = loaded / 8,
            [6] = active * cost->numbers[COST_FPU0] / 100,
            [7] = active * min_u32(cost->numbers[COST_FPU0], cost->numbers[COST_FPU1]) / 100,
            [8] = active * cost->numbers[COST_MOV] / 100,
            [9] = active / 2,
            [10] = active / 4,
        };
        for (unsigned i = 0; i < 14; i++) {
            char name[8];
            snprintf(name, sizeof name, "a%u", 7 + i);
            uint64_t got = gpu_rig_value(batch.rig, name);
            if (i == 1 || i == 4) /* stalls: at most the rest of the clocks */
                ROW(__LINE__, got > 0 && got <= loaded - active, "%s: %s is %u", revision_name(p),
                    name, (unsigned)got);
            else
                ROW(__LINE__, got <= want[i] && got + 1 >= want[i], "%s: %s is %u, not %u",
                    revision_name(p), name, (unsigned)got, (unsigned)want[i]);
        }
        ROW(__LINE__, gpu_rig_value(batch.rig, "a7") <= tally_gpu_now(gpu) * tally_gpu_eus(gpu),
            "%s: more than the array has", revision_name(p));
        gpu_rig_free(batch.rig);
    }
    ROWS_DONE();
}

/* Events that are selected while work is in progress count the rest of it. */
static void test_events_selected_later(void **state)
{
    (void)state;
    static const uint32_t nothing[7] = {0xffffff, 0xffffff, 0xffffff, 0xffffff,
                                        0xffffff, 0xffffff, 0xffffff};
    static const uint32_t active[7] = {EVENT(4, 0, 0) | EVENT(4, 0, 0) << 12,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff};
    for (unsigned p = INTEL_BDW; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct tally_gpu *gpu = batch.rig->gpu;
        write_events(batch.rig, nothing);
        start_counting(batch.rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        for (unsigned i = 0; i < 10000 && !gpu->oa->eu_work[EU_WORK_ACTIVE].count; i++)
            tally_gpu_run(gpu, 1);
        uint64_t all = gpu->oa->eu_work[EU_WORK_ACTIVE].count, now = tally_gpu_now(gpu);
        uint64_t left = gpu->engines[0].busy_until - now;
        tally_gpu_run(gpu, left / 2);
        ROW(__LINE__, gpu_rig_value(batch.rig, "a7") == 0, "%s: nothing", revision_name(p));
        write_events(batch.rig, active);
        batch_finish(&batch, __LINE__);
        uint64_t got = gpu_rig_value(batch.rig, "a7");
        ROW(__LINE__,
            got > all * 49 / 100 && got < all * 51 / 100 && got == gpu_rig_value(batch.rig, "a8"),
            "%s: %u of %u", revision_name(p), (unsigned)got, (unsigned)all);
        gpu_rig_free(batch.rig);
    }
    ROWS_DONE();
}

/* ---- the memory interface -------------------------------------------------------------------- */

/* The C counters of NOA bits that RenderBasic uses for reads and writes. */
static const struct {
    const char *platform, *reads, *writes;
    unsigned read_bytes;
} interfaces[] = {
    {"hsw", "c6", "c7", 128}, {"bdw", "c6", "c7", 64}, {"chv", "c6", "c7", 64},
    {"skl", "c6", "c7", 64},  {"tgl", "c2", "c0", 64},
};

static void start_all(struct gpu_rig *rig)
{
    bool oag = rig->model == INTEL_TGL;
    tally_gpu_write32(rig->gpu, oag ? 0xd904 : 0x2714, 0x00800000); /* no threshold */
    start_counting(rig);
}

/* 1024 by 256 bytes are copied: each is read and written once. */
static void test_traffic(void **state)
{
    (void)state;
    for (unsigned i = 0; i < COUNT(interfaces); i++) {
        struct batch batch = begin(__LINE__, interfaces[i].platform);
        struct gpu_rig *rig = batch.rig;
        start_all(rig);
        EMIT(&batch, 0x54c00006, 3u << 24, 0, 256 << 16 | 256, 0, 0, 0, 0);
        batch_submit(&batch, "bcs0");
        tally_gpu_run(rig->gpu, 1000);
        uint64_t early = gpu_rig_value(rig, interfaces[i].writes);
        batch_finish(&batch, __LINE__);
        uint64_t reads = gpu_rig_value(rig, interfaces[i].reads);
        uint64_t writes = gpu_rig_value(rig, interfaces[i].writes);
        ROW(__LINE__, early > 0 && early < writes, "%s: %u of the writes early",
            interfaces[i].platform, (unsigned)early);
        ROW(__LINE__, reads == 1024 * 256 / interfaces[i].read_bytes, "%s: %u reads",
            interfaces[i].platform, (unsigned)reads);
        ROW(__LINE__, writes == 1024 * 256 / 64, "%s: %u writes", interfaces[i].platform,
            (unsigned)writes);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A wave that drives the same bit adds its events. */
static void test_traffic_beside_a_wave(void **state)
{
    (void)state;
    static const unsigned periods[] = {0, 2, 5};
    for (unsigned i = 0; i < COUNT(periods); i++) {
        struct batch batch = begin(__LINE__, "hsw");
        struct gpu_rig *rig = batch.rig;
        struct tally_wave wave =
            periods[i] ? tally_wave_every(periods[i], 0) : tally_wave_constant(false);
        tally_oa_drive_noa(tally_gpu_oa(rig->gpu), 15, &wave);
        tally_gpu_write32(rig->gpu, 0x2714, 0x00800000);
        start_counting(rig);
        EMIT(&batch, 0x54000004, 3u << 24, 0, 256 << 16 | 256, 0, 0);
        batch_submit(&batch, "bcs0");
        batch_finish(&batch, __LINE__);
        uint64_t end = tally_gpu_now(rig->gpu);
        uint64_t own = periods[i] ? (end + periods[i] - 1) / periods[i] : 0;
        ROW(__LINE__, gpu_rig_value(rig, "c7") == own + 4096, "every %u: %u, not %u", periods[i],
            (unsigned)gpu_rig_value(rig, "c7"), (unsigned)(own + 4096));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Blocks in which the bus is watched clock by clock, and others, count the same. */
static void test_watched_traffic(void **state)
{
    (void)state;
    for (unsigned watched = 0; watched < 2; watched++) {
        struct batch batch = begin(__LINE__, "skl");
        struct gpu_rig *rig = batch.rig;
        start_all(rig);
        if (watched) /* rising edges of another bit */
            tally_gpu_write32(rig->gpu, 0x2740, 1 << 17);
        EMIT(&batch, 0x54c00006, 3u << 24, 0, 256 << 16 | 256, 0, 0, 0, 0);
        batch_submit(&batch, "bcs0");
        batch_finish(&batch, __LINE__);
        ROW(__LINE__, gpu_rig_value(rig, "c7") == 4096, "watched %u: %u", watched,
            (unsigned)gpu_rig_value(rig, "c7"));
        if (watched) { /* rising edges of the bit itself: an event a clock or less often */
            uint64_t before = gpu_rig_value(rig, "c7");
            tally_gpu_write32(rig->gpu, 0x2740, 1u << 31);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x54c00006, 3u << 24, 0, 256 << 16 | 256, 0, 0, 0, 0);
            batch_submit(&batch, "bcs0");
            batch_finish(&batch, __LINE__);
            ROW(__LINE__, gpu_rig_value(rig, "c7") == before + 4096, "edges: %u",
                (unsigned)(gpu_rig_value(rig, "c7") - before));
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Two engines that write to memory at once count all their writes, also while the bus is watched
 * clock by clock. The bus takes one a clock: if both write as fast as they can, the later work is
 * done when both are; else it takes its share. */
static void test_traffic_of_two_engines(void **state)
{
    (void)state;
    static const struct batch_draw draw = {
        .topology = 4, .vertices = 3, .vs = true, .width = 512, .height = 256, .ps = true};
    /* Half of a color's bytes are written, 64 at once. A pixel takes a clock, a draw 64 more. */
    static const struct {
        unsigned line;
        uint32_t color_bytes;
        uint64_t writes, blit_clocks;
    } rows[] = {
        {__LINE__, 64, 65536, 2 * 4096},
        {__LINE__, 128, 131072, 131072 - 1000 + 4096},
    };
    for (unsigned i = 0; i < 2 * COUNT(rows); i++) {
        unsigned row = i / 2, watched = i % 2;
        struct batch batch = begin(__LINE__, "skl"), blit;
        struct gpu_rig *rig = batch.rig;
        struct tally_cost cost = *cost_table_default(intel_modelled("skl"));
        cost.numbers[COST_COLOR_BYTES] = rows[row].color_bytes;
        cost.numbers[COST_PIXELS_PER_CLOCK] = 1;
        cost.numbers[COST_PS_TEXELS] = 0;
        cost.numbers[COST_BLIT_BYTES_PER_CLOCK] = 64; /* a write a clock */
        tally_gpu_set_cost(rig->gpu, &cost);
        start_all(rig);
        if (watched)
            tally_gpu_write32(rig->gpu, 0x2740, 1 << 17);
        batch_draw(&batch, &draw);
        batch_submit(&batch, "rcs0");
        tally_gpu_run(rig->gpu, 1000); /* the draw begins */
        batch_begin(&blit, rig);
        blit.start = blit.at = 0x6000;
        EMIT(&blit, 0x54000004, 3u << 24, 0, 256 << 16 | 256, 0, 0);
        batch_submit(&blit, "bcs0");
        batch_finish(&blit, __LINE__);
        uint64_t want = rows[row].writes + 4096, got = gpu_rig_value(rig, "c7");
        uint64_t clocks = tally_gpu_engine_busy_ns(rig->gpu, "bcs0") * 115 / 100;
        ROW(rows[row].line, got == want, "watched %u: %u, not %u", watched, (unsigned)got,
            (unsigned)want);
        ROW(rows[row].line,
            clocks > rows[row].blit_clocks * 99 / 100 && clocks < rows[row].blit_clocks * 101 / 100,
            "watched %u: the blit takes %u clocks, not %u", watched, (unsigned)clocks,
            (unsigned)rows[row].blit_clocks);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- address spaces -------------------------------------------------------------------------- */

/* A batch in the GGTT, where a command parser's copy is, draws with the state and vertices of the
 * context's PPGTT. Those at the same addresses of the GGTT would draw less. */
static void test_state_of_the_context(void **state)
{
    (void)state;
    enum { PPGTT = 9, SCISSOR = BATCH_DYNAMIC + 0x100, CORNERS = BATCH_DYNAMIC + 0x800 };
    static const struct batch_draw draws[] = {
        {.topology = 4, .vertices = 3, .width = 64, .height = 32, .scissor = {8, 8, 23, 15}},
        {.topology = 15, .vertices = 3, .width = 64, .height = 32, .rectangle = {8, 8, 24, 16}},
    };
    for (unsigned i = 0; i < INTEL_REVISIONS * COUNT(draws); i++) {
        unsigned p = i / COUNT(draws), n = i % COUNT(draws);
        struct batch_draw draw = draws[n];
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        bool wide = rig->model >= INTEL_BDW;
        draw.vs = draw.ps = true;
        gpu_rig_map(rig, PPGTT);
        start_counting(rig);
        batch_draw(&batch, &draw);
        EMIT(&batch, 0x05000000);
        for (uint32_t at = BATCH_DYNAMIC; at < BATCH_DYNAMIC + 0x1000; at += 4)
            PUT(rig, PPGTT, at, gpu_rig_peek(rig, TALLY_GPU_GGTT, at));
        PUT(rig, TALLY_GPU_GGTT, SCISSOR, 8 << 16 | 8, 8 << 16 | 8);
        for (uint32_t corner = 0; corner < 3; corner++)
            PUT(rig, TALLY_GPU_GGTT, CORNERS + 12 * corner, 0, 0);
        PUT(rig, PPGTT, BATCH_START, 0x18800000 | wide, BATCH_START, 0);
        assert_int_equal(tally_gpu_engine_submit(rig->gpu, "rcs0", 1, PPGTT, BATCH_START, true), 0);
        batch_finish(&batch, __LINE__);
        unsigned got = (unsigned)register64(rig, 0x2348);
        ROW(__LINE__, got == invocations_counted(p, 16 * 8), "%s, draw %u: %u pixels",
            revision_name(p), n, got);
        ROW(__LINE__, rig->data_space == PPGTT, "%s: `work` hears of space %u", revision_name(p),
            (unsigned)rig->data_space);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- beside others --------------------------------------------------------------------------- */

/* Draws in a row take as long, and count as much, as one after the other; while they run, all
 * counts grow. */
static void test_draws_in_a_row(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        uint64_t pixels = 512u * 256 / (rig->model >= INTEL_BDW ? 4 : 1), before = 0;
        start_counting(rig);
        for (unsigned i = 0; i < 3; i++)
            batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        bool grows = true;
        tally_gpu_run(rig->gpu, 2000);
        uint64_t step = (rig->gpu->engines[0].busy_until - tally_gpu_now(rig->gpu)) / 8;
        for (unsigned i = 0; i < 7; i++) {
            tally_gpu_run(rig->gpu, step);
            uint64_t now = gpu_rig_value(rig, written_counter(rig));
            grows = grows && now > before && now < 3 * pixels &&
                    register64(rig, 0x2348) < invocations_counted(p, 3 * 512 * 256);
            before = now;
        }
        batch_finish(&batch, __LINE__);
        ROW(__LINE__, grows, "%s: counts grow evenly", revision_name(p));
        ROW(__LINE__, gpu_rig_value(rig, written_counter(rig)) == 3 * pixels, "%s: %u",
            revision_name(p), (unsigned)gpu_rig_value(rig, written_counter(rig)));
        ROW(__LINE__,
            register64(rig, 0x2348) == invocations_counted(p, 3 * 512 * 256) &&
                register64(rig, 0x2310) == 900,
            "%s: statistics", revision_name(p));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A driven input and work add up. */
static void test_draw_beside_a_wave(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        struct tally_number two = tally_number_constant(2);
        unsigned counter = (unsigned)atoi(written_counter(rig) + 1);
        tally_oa_drive_a(tally_gpu_oa(rig->gpu), counter, &two);
        start_counting(rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        batch_finish(&batch, __LINE__);
        uint64_t pixels = 512u * 256 / (rig->model >= INTEL_BDW ? 4 : 1);
        ROW(__LINE__,
            gpu_rig_value(rig, written_counter(rig)) == 2 * tally_gpu_now(rig->gpu) + pixels,
            "%s: %u", revision_name(p), (unsigned)gpu_rig_value(rig, written_counter(rig)));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A reset ends the work at once, and clears the statistics. */
static void test_reset(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        start_counting(rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        tally_gpu_run(rig->gpu, 3000);
        uint64_t early = gpu_rig_value(rig, written_counter(rig));
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
        tally_gpu_run(rig->gpu, 1000000);
        ROW(__LINE__, early > 0 && gpu_rig_value(rig, written_counter(rig)) == early,
            "%s: %u, then %u", revision_name(p), (unsigned)early,
            (unsigned)gpu_rig_value(rig, written_counter(rig)));
        ROW(__LINE__, register64(rig, 0x2348) == 0, "%s: statistics", revision_name(p));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A hook that returns clocks counts by itself; statistics are counted all the same. */
static void test_hook(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        rig->work_clocks = 5000;
        start_counting(rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        uint64_t start = tally_gpu_now(rig->gpu);
        batch_finish(&batch, __LINE__);
        ROW(__LINE__, rig->works[TALLY_GPU_WORK_PRIMITIVE] == 1, "%s: the hook is called",
            revision_name(p));
        ROW(__LINE__, gpu_rig_value(rig, written_counter(rig)) == 0, "%s: nothing is counted",
            revision_name(p));
        ROW(__LINE__, register64(rig, 0x2348) == invocations_counted(p, 512 * 256),
            "%s: statistics", revision_name(p));
        ROW(__LINE__, tally_gpu_now(rig->gpu) > start + 5000, "%s: time", revision_name(p));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- statistics and queries ------------------------------------------------------------------ */

/* Occlusion and timestamp queries of a client. */
static void test_queries(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        batch_flush(&batch, 0, 2, BATCH_RESULTS);
        batch_flush(&batch, 0, 3, BATCH_RESULTS + 16);
        batch_draw(&batch, &full);
        batch_flush(&batch, 0, 2, BATCH_RESULTS + 8);
        batch_flush(&batch, 0, 3, BATCH_RESULTS + 24);
        batch_submit(&batch, "rcs0");
        batch_finish(&batch, __LINE__);
        uint32_t before = gpu_rig_peek(rig, 0, BATCH_RESULTS);
        uint32_t after = gpu_rig_peek(rig, 0, BATCH_RESULTS + 8);
        ROW(__LINE__, before == 0 && after == 512 * 256, "%s: depth counts %u, %u",
            revision_name(p), before, after);
        uint32_t ticks =
            gpu_rig_peek(rig, 0, BATCH_RESULTS + 24) - gpu_rig_peek(rig, 0, BATCH_RESULTS + 16);
        uint64_t clocks =
            (uint64_t)ticks * tally_gpu_clock_hz(rig->gpu) / tally_gpu_timestamp_hz(rig->gpu);
        const struct tally_cost *cost = cost_table_default(intel_modelled(revision_name(p)));
        ROW(__LINE__, clocks >= 512 * 256 / cost->numbers[COST_PIXELS_PER_CLOCK], "%s: %u clocks",
            revision_name(p), (unsigned)clocks);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A register that is written counts on from there, in either half, also while work is in
 * progress. */
static void test_written_statistics(void **state)
{
    (void)state;
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct batch batch = begin(__LINE__, revision_name(p));
        struct gpu_rig *rig = batch.rig;
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        tally_gpu_write32(rig->gpu, 0x2350, 0xfffffff0);
        tally_gpu_write32(rig->gpu, 0x2354, 7);
        ROW(__LINE__, register64(rig, 0x2350) == 0x7fffffff0, "%s: written", revision_name(p));
        batch_finish(&batch, __LINE__);
        ROW(__LINE__, register64(rig, 0x2350) == 0x7fffffff0 + 512 * 256, "%s: continued",
            revision_name(p));
        batch_begin(&batch, rig);
        batch_draw(&batch, &full);
        batch_submit(&batch, "rcs0");
        tally_gpu_run(rig->gpu, 3000);
        uint32_t low = tally_gpu_read32(rig->gpu, 0x2350);
        tally_gpu_write32(rig->gpu, 0x2354, 0);
        ROW(__LINE__, register64(rig, 0x2350) == low, "%s: written in progress", revision_name(p));
        batch_finish(&batch, __LINE__);
        ROW(__LINE__, register64(rig, 0x2350) > low, "%s: in progress", revision_name(p));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

int test_gpu_work(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flexible_events),
        cmocka_unit_test(test_events_selected_later),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_traffic_beside_a_wave),
        cmocka_unit_test(test_watched_traffic),
        cmocka_unit_test(test_traffic_of_two_engines),
        cmocka_unit_test(test_state_of_the_context),
        cmocka_unit_test(test_draws_in_a_row),
        cmocka_unit_test(test_draw_beside_a_wave),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_hook),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_written_statistics),
    };
    return cmocka_run_group_tests_name("gpu work", tests, NULL, NULL);
}
