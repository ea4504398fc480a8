/* SPDX-License-Identifier: MIT */
/*
 * A frame: all draws of draws.c in batches, walkers, media objects, clears, flushes, and a blit
 * beside them. What the OA unit's periodic reports, MI_REPORT_PERF_COUNT, the statistics registers,
 * PIPE_CONTROL's queries and the engines' busy time count of it agree with each other, and with the
 * draws' sums by hand.
 */
#include "intel/draws.h"

#include "base/minmax.h"
#include "intel/gpu/gpu.h"
#include "intel/platforms.h"

/* Results of the queries before and after the frame, each in half of the page of results. */
#define RESULTS(end) (BATCH_RESULTS + 0x800 * (end))
#define REPORT       0x000 /* 256 bytes */
#define REGISTERS    0x100 /* 8 bytes for each statistic */
#define DEPTH        0x200
#define TIMESTAMP    0x208
/* Depth counts behind the batches of the frame. */
#define DEPTHS 0x400

#define BUFFER       0x20000u /* of the OA unit's reports */
#define BUFFER_BYTES 0x20000u
#define EXPONENT     2    /* a report every 8 ticks of the timestamp; 0 on SNB: every 16 */
#define PAUSE        4000 /* clocks: some reports */
#define REPORTS_MAX  512

#define DRAWS_OF_BATCH 6

/* Clocks: a context switch, and the end of a submission. The end of the batch is inside its work.
 */
#define SWITCH 64
#define FINISH 8
/* Clocks of a batch beside the work of its commands, at most: these, a flush and the state of the
 * first draw; that of others is bound while earlier draws run. */
#define OVERHEAD (SWITCH + FINISH + 8 + 80)

#define COUNTERS 48

struct frame {
    unsigned line;
    struct gpu_rig *rig;
    const struct tally_layout *layout;
    struct tally_cost cost;
    unsigned commands, batches;

    /* By hand. */
    struct draw_want sum;
    uint64_t counters[COUNTERS]; /* A counters that `known` has */
    uint64_t known;
    uint64_t invocations, blit_clocks, writes;

    /* Read. */
    uint64_t begin[TALLY_SLOT_COUNT], end[TALLY_SLOT_COUNT];
    uint64_t reports[REPORTS_MAX][TALLY_SLOT_COUNT];
    unsigned report_count;
    uint64_t busy_ns, blit_ns;
    uint64_t busy_clocks, query_clocks; /* of the frame, and of the queries before and after it */
};

/* The statistics registers; Gen6 has those of stream output elsewhere. */
static const uint32_t statistics[] = {0x2310, 0x2318, 0x2320, 0x2328, 0x2330, 0x2338, 0x2340,
                                      0x2348, 0x2350, 0x2300, 0x2308, 0x2290, 0x5200, 0x5240};

static bool is_on(const struct frame *frame, const char *platforms)
{
    return strstr(platforms, revision_name(frame->rig->model)) != NULL;
}

static bool is_flexible_unit(const struct frame *frame)
{
    return frame->rig->model >= INTEL_BDW;
}

/* The statistics' addresses; 0: the platform does not have it. */
static uint32_t statistic_at(const struct frame *frame, unsigned index)
{
    uint32_t address = statistics[index];
    if (frame->rig->model != INTEL_SNB)
        return address;
    return address == 0x5200 ? 0x2288 : address == 0x5240 ? 0x2280 : address < 0x2310 ? 0 : address;
}

static uint64_t statistic_wanted(const struct frame *frame, unsigned index)
{
    const struct draw_want *sum = &frame->sum;
    const uint64_t wanted[COUNT(statistics)] = {sum->ia_vertices,
                                                sum->ia_primitives,
                                                sum->vs,
                                                sum->gs,
                                                sum->gs_primitives,
                                                sum->cl,
                                                sum->cl_primitives,
                                                invocations_counted(frame->rig->model, sum->ps),
                                                sum->depth,
                                                sum->hs,
                                                sum->ds,
                                                frame->invocations,
                                                sum->so_written,
                                                sum->so_needed};
    return wanted[index];
}

/* ---- the OA unit ----------------------------------------------------------------------------- */

#define EVENT(increment, coarse, fine) ((increment) | (coarse) << 4 | (fine) << 8)

/* A7 to A20: active clocks of the EUs, of all threads and of each stage. */
static void select_events(struct gpu_rig *rig)
{
    static const uint32_t controls[] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    static const uint32_t events[7] = {EVENT(4, 0, 0) | EVENT(4, 1, 0) << 12,
                                       EVENT(4, 5, 0) | EVENT(4, 6, 0) << 12,
                                       EVENT(5, 0, 0) | EVENT(8, 0, 0) << 12,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff,
                                       0xffffff};
    for (unsigned i = 0; i < COUNT(controls); i++)
        tally_gpu_write32(rig->gpu, controls[i], events[i]);
}

static void start_gen7(struct gpu_rig *rig)
{
    bool haswell = rig->model == INTEL_HSW, snb = rig->model == INTEL_SNB;
    tally_gpu_write32(rig->gpu, haswell ? 0x2714 : 0x2388, 0x00800000); /* at once */
    tally_gpu_write32(rig->gpu, 0x2368, BUFFER | 1);
    tally_gpu_write32(rig->gpu, 0x23b0, BUFFER);
    tally_gpu_write32(rig->gpu, 0x2364, BUFFER | (haswell ? 0 : 7 << 3)); /* 128 KiB */
    tally_gpu_write32(rig->gpu, 0x2360,
                      (snb ? 0 : EXPONENT << 6) | 1 << 5 | (snb ? 3 : 5) << 2 | 1);
}

/* Tiger Lake's commands report OAR. */
static void start_gen8(struct gpu_rig *rig)
{
    select_events(rig);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2714), 0x00800000);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b08), 0);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b0c), BUFFER);
    tally_gpu_write32(rig->gpu, rig->model == INTEL_TGL ? 0xdb08 : 0x2b14, BUFFER | 1);
    tally_gpu_write32(rig->gpu, rig->model == INTEL_TGL ? 0xdb04 : 0x2b10, BUFFER);
    if (rig->model == INTEL_TGL) {
        tally_gpu_write32(rig->gpu, 0x2960, 5 << 1 | 1);
        tally_gpu_write32(rig->gpu, 0x2244, 0x01000100);
        tally_gpu_write32(rig->gpu, 0x2360, 1);
    }
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), EXPONENT << 2 | 3);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b00), 0x15);
}

/* The busy counter. */
static unsigned busy_counter(const struct frame *frame)
{
    enum intel_revision model = frame->rig->model;
    return model == INTEL_SNB ? 26 : model <= INTEL_HSW ? 41 : 0;
}

static uint64_t value_of(const struct frame *frame, unsigned counter)
{
    char name[8];
    snprintf(name, sizeof name, "a%u", counter);
    return gpu_rig_value(frame->rig, name);
}

static struct frame *begin(unsigned line, const char *platform)
{
    struct frame *frame = calloc(1, sizeof *frame);
    assert_non_null(frame);
    frame->line = line;
    frame->rig = gpu_rig_awake(line, platform);
    char name[32];
    snprintf(name, sizeof name, "%s/%s", platform,
             frame->rig->model == INTEL_SNB   ? "a29_b4_c12"
             : frame->rig->model < INTEL_HSW  ? "a45_b4_c12"
             : frame->rig->model == INTEL_HSW ? "a45_b8_c8"
                                              : "a32u40_a4u32_b8_c8");
    frame->layout = tally_layout_find(name);
    if (!frame->layout)
        fail_msg("%s", name);
    frame->cost = draw_numbers();
    tally_gpu_set_cost(frame->rig->gpu, &frame->cost);
    if (frame->rig->model < INTEL_BDW)
        start_gen7(frame->rig);
    else
        start_gen8(frame->rig);
    return frame;
}

static void drop(struct frame *frame)
{
    gpu_rig_free(frame->rig);
    free(frame);
}

/* ---- batches --------------------------------------------------------------------------------- */

/* Ends a batch, runs it, and lets the GPU be idle for a while. */
static void run(struct frame *frame, struct batch *batch)
{
    frame->batches++;
    batch_submit(batch, "rcs0");
    assert_true(gpu_rig_finish(frame->rig));
    batch_finish(batch, frame->line);
}

/* Everything that a client can read of the GPU, behind all work. */
static void query(struct frame *frame, unsigned end)
{
    struct batch batch;
    batch_begin(&batch, frame->rig);
    batch_flush(&batch, 0, 2, RESULTS(end) + DEPTH);
    batch_flush(&batch, 0, 3, RESULTS(end) + TIMESTAMP);
    if (batch.version < 80)
        EMIT(&batch, 0x14000001, (RESULTS(end) + REPORT) | 1, 0xcafe);
    else
        EMIT(&batch, 0x14000002, (RESULTS(end) + REPORT) | 1, 0, 0xcafe);
    for (unsigned i = 0; i < 2 * COUNT(statistics); i++) {
        uint32_t address = statistic_at(frame, i / 2) + i % 2 * 4;
        uint32_t to = RESULTS(end) + REGISTERS + 4 * i;
        if (!statistic_at(frame, i / 2))
            continue;
        if (batch.version < 80)
            EMIT(&batch, 0x12400001, address, to);
        else
            EMIT(&batch, 0x12400002, address, to, 0);
    }
    run(frame, &batch);
}

static void know(struct frame *frame, unsigned counter, uint64_t count)
{
    frame->known |= UINT64_C(1) << counter;
    frame->counters[counter] += count;
}

static void add_clocks(struct frame *frame, unsigned clocks)
{
    frame->sum.clocks += clocks;
    frame->commands++;
}

/* Active clocks of threads; draws.c has their numbers: 1 for each thread of a geometry stage, 2 for
 * each of a pixel shader, 100 for each of a walker. */
static void add_active(struct frame *frame, uint64_t vs, uint64_t others, uint64_t ps, uint64_t cs)
{
    bool flexible = is_flexible_unit(frame);
    bool gen6 = frame->rig->model == INTEL_SNB;
    know(frame, flexible ? 7 : 0, vs + others + ps + cs);
    know(frame, flexible ? 8 : 2, vs);
    know(frame, flexible ? 9 : gen6 ? 12 : 27, ps);
    if (gen6) /* with those of geometry shaders */
        know(frame, 7, others + cs);
    else
        know(frame, flexible ? 10 : 17, cs);
}

static void expect_draw(struct frame *frame, const struct draw_want *want)
{
    unsigned *sum = (unsigned *)&frame->sum;
    enum intel_revision model = frame->rig->model;
    for (size_t i = 0; i < sizeof *want / sizeof *sum; i++)
        sum[i] += draw_member(want, i);
    frame->commands++;
    for (size_t i = 0; i < draw_place_count; i++)
        if (is_on(frame, draw_places[i].platforms))
            know(frame, (unsigned)atoi(draw_places[i].counter + 1),
                 draw_member(want, draw_places[i].member) / draw_places[i].per);
    add_active(frame, want->vs_threads, want->hs_threads + want->ds_threads + want->gs_threads,
               2 * (uint64_t)want->ps_threads, 0);
    if (model == INTEL_SNB) /* kills count twice */
        know(frame, 21, 2 * (uint64_t)want->killed);
    if (model >= INTEL_BDW) { /* blocks of 2x2 */
        know(frame, 23, (want->depth_fails + want->stencil_fails) / 4);
        know(frame, 25, (want->late_depth_fails + want->late_stencil_fails) / 4);
    }
    /* Half of the pixels' four bytes, and three vertices of each stored primitive. */
    frame->writes += (want->written * 2 + want->so_written * 3 * 32 + 63) / 64;
}

/* A blit of 64 by 32 pixels of 32 bits beside a batch: 8192 bytes, 8 a clock, 64 a write. */
static void submit_blit(struct frame *frame)
{
    struct batch batch;
    batch_begin(&batch, frame->rig);
    batch.start = batch.at = BATCH_RESULTS - 64;
    EMIT(&batch, 0x54000004, 3u << 24, 0, 32 << 16 | 64, 0, 0);
    batch_submit(&batch, "bcs0");
    frame->blit_clocks += 1024 + 100;
    frame->writes += 128;
}

static void run_draws(struct frame *frame)
{
    struct batch batch;
    unsigned number = 0, depths = 0;
    for (size_t i = 0; i < draw_row_count;) {
        batch_begin(&batch, frame->rig);
        for (number = 0; number < DRAWS_OF_BATCH && i < draw_row_count; i++) {
            if (!is_on(frame, draw_rows[i].platforms))
                continue;
            batch_draw(&batch, &draw_rows[i].draw);
            expect_draw(frame, &draw_rows[i].want);
            number++;
        }
        uint32_t at = RESULTS(0) + DEPTHS + 8 * depths++;
        batch_flush(&batch, 0, 2, at);
        if (depths == 2)
            submit_blit(frame);
        run(frame, &batch);
        uint32_t count = gpu_rig_peek(frame->rig, TALLY_GPU_GGTT, at);
        ROW(frame->line, count == frame->sum.depth, "%s: depth count %u behind batch %u, not %u",
            revision_name(frame->rig->model), count, depths, frame->sum.depth);
    }
}

/* A walker takes 100 clocks besides the slowest of these: each thread is active in an EU for 100
 * clocks, and loaded for 300; it misses the caches with 4 of its 8 accesses. */
static unsigned clocks_of_walker(const struct frame *frame, unsigned threads)
{
    uint64_t eus = tally_gpu_eus(frame->rig->gpu);
    uint64_t slots = eus * tally_platform_find(revision_name(frame->rig->model))->eu_threads;
    uint64_t clocks = max_u64((threads * 100 + eus - 1) / eus, (threads * 300 + slots - 1) / slots);
    return 100 + (unsigned)max_u64(clocks, threads * 4);
}

/* 64 threads of SIMD16 with barriers and shared memory, and 7 of SIMD32. */
static void run_walkers(struct frame *frame)
{
    struct batch batch;
    if (frame->rig->model == INTEL_SNB)
        return;
    batch_begin(&batch, frame->rig);
    batch_walk(&batch, (const unsigned[]){4, 2, 1}, 8, 1, true, true, false);
    batch_walk(&batch, (const unsigned[]){7, 1, 1}, 1, 2, false, false, true);
    run(frame, &batch);
    frame->invocations += 64 * 16 + 7 * 32;
    add_clocks(frame, clocks_of_walker(frame, 64));
    add_clocks(frame, clocks_of_walker(frame, 7));
    add_active(frame, 0, 0, 0, 71 * 100);
    know(frame, is_flexible_unit(frame) ? 4 : 20, 71);
    if (!is_flexible_unit(frame))
        return;
    const unsigned counts[] = {6 * 64, 5 * 64, 8 * 71, 4 * 71, 2 * 71, 3 * 64};
    for (unsigned i = 0; i < COUNT(counts); i++)
        know(frame, 30 + i, counts[i]);
}

/* A thread each. SNB counts them with those of geometry shaders. */
static void run_objects(struct frame *frame)
{
    struct batch batch;
    bool flexible = is_flexible_unit(frame);
    batch_begin(&batch, frame->rig);
    for (unsigned i = 0; i < 3; i++) {
        EMIT(&batch, 0x71000002, 0, 0, 0);
        add_clocks(frame, clocks_of_walker(frame, 1));
    }
    run(frame, &batch);
    add_active(frame, 0, 0, 0, 3 * 100);
    know(frame, flexible ? 4 : frame->rig->model == INTEL_SNB ? 10 : 20, 3);
    const unsigned counts[] = {8, 4, 2};
    for (unsigned i = 0; flexible && i < COUNT(counts); i++)
        know(frame, 32 + i, 3 * counts[i]);
}

/* A flush of two caches, and from Gen8 on a depth clear of 64 by 32 pixels. */
static void run_others(struct frame *frame)
{
    struct batch batch;
    batch_begin(&batch, frame->rig);
    batch_flush(&batch, 1 << 12 | 1 << 0, 0, BATCH_RESULTS);
    add_clocks(frame, 100);
    if (is_flexible_unit(frame)) {
        EMIT(&batch, 0x78520003, 1u << 30, 0, 32 << 16 | 64, 0xffff);
        add_clocks(frame, 100 + 512);
        know(frame, 21, 512);
        frame->writes += 2048 * 2 / 64;
    }
    run(frame, &batch);
}

/* ---- reading --------------------------------------------------------------------------------- */

static const uint8_t *memory_at(const struct frame *frame, uint32_t address)
{
    return frame->rig->spaces[0].bytes + address;
}

static uint64_t result64(const struct frame *frame, unsigned end, uint32_t offset)
{
    return gpu_rig_peek(frame->rig, TALLY_GPU_GGTT, RESULTS(end) + offset) |
           (uint64_t)gpu_rig_peek(frame->rig, TALLY_GPU_GGTT, RESULTS(end) + offset + 4) << 32;
}

static void read_reports(struct frame *frame)
{
    uint32_t size = frame->layout->size_bytes;
    tally_report_unpack(frame->layout, memory_at(frame, RESULTS(0) + REPORT), frame->begin);
    tally_report_unpack(frame->layout, memory_at(frame, RESULTS(1) + REPORT), frame->end);
    frame->report_count = (unsigned)(gpu_rig_value(frame->rig, "used") / size);
    assert_true(frame->report_count > 10 && frame->report_count <= REPORTS_MAX);
    for (unsigned i = 0; i < frame->report_count; i++)
        tally_report_unpack(frame->layout, memory_at(frame, BUFFER + i * size), frame->reports[i]);
}

static uint64_t delta(const struct frame *frame, const uint64_t *from, const uint64_t *to,
                      unsigned slot)
{
    unsigned width = tally_layout_width(frame->layout, slot);
    return (to[slot] - from[slot]) & (UINT64_MAX >> (64 - width));
}

/* Runs a query between pauses, in which the OA unit writes reports. */
static void pause_and_query(struct frame *frame, unsigned end)
{
    uint64_t clocks = value_of(frame, busy_counter(frame));
    tally_gpu_run(frame->rig->gpu, PAUSE);
    query(frame, end);
    tally_gpu_run(frame->rig->gpu, PAUSE);
    frame->query_clocks += value_of(frame, busy_counter(frame)) - clocks;
}

static struct frame *run_frame(unsigned line, const char *platform)
{
    struct frame *frame = begin(line, platform);
    struct tally_gpu *gpu = frame->rig->gpu;
    pause_and_query(frame, 0);
    uint64_t busy = tally_gpu_engine_busy_ns(gpu, "rcs0");
    uint64_t clocks = value_of(frame, busy_counter(frame));
    frame->batches = 0;
    run_draws(frame);
    run_walkers(frame);
    run_objects(frame);
    run_others(frame);
    frame->busy_clocks = value_of(frame, busy_counter(frame)) - clocks;
    frame->busy_ns = tally_gpu_engine_busy_ns(gpu, "rcs0") - busy;
    frame->blit_ns = tally_gpu_engine_busy_ns(gpu, "bcs0");
    unsigned batches = frame->batches;
    pause_and_query(frame, 1);
    frame->batches = batches;
    read_reports(frame);
    return frame;
}

/* ---- agreement ------------------------------------------------------------------------------- */

/* The registers' differences are exact: each command adds whole events. */
static void check_statistics(const struct frame *frame)
{
    const char *platform = revision_name(frame->rig->model);
    for (unsigned i = 0; i < COUNT(statistics); i++) {
        uint64_t got =
            result64(frame, 1, REGISTERS + 8 * i) - result64(frame, 0, REGISTERS + 8 * i);
        if (statistic_at(frame, i))
            ROW(frame->line, got == statistic_wanted(frame, i), "%s: %04x is %u, not %u", platform,
                statistic_at(frame, i), (unsigned)got, (unsigned)statistic_wanted(frame, i));
    }
    uint64_t depth = result64(frame, 1, DEPTH) - result64(frame, 0, DEPTH);
    ROW(frame->line, depth == frame->sum.depth, "%s: depth count %u", platform, (unsigned)depth);
}

/* What commands added to A counters by the command's reports. Counts of fixed counters are exact:
 * those in blocks of four pixels are rounded for each command, and draws.c has whole blocks of
 * each. The EUs' clocks are divided among them: at most one clock of each command is lost. */
static void check_commands_reports(const struct frame *frame)
{
    for (unsigned i = 0; i < COUNTERS; i++) {
        if (!(frame->known >> i & 1))
            continue;
        uint64_t got = delta(frame, frame->begin, frame->end, A(i)), want = frame->counters[i];
        bool divided = is_flexible_unit(frame) && i >= 7 && i <= 20;
        uint64_t lost = divided ? frame->commands : 0;
        ROW(frame->line, got <= want && got + lost >= want, "%s: A%u is %u, not %u",
            revision_name(frame->rig->model), i, (unsigned)got, (unsigned)want);
    }
}

/* Finds the first and the last report between those of the queries' commands. Reports in the same
 * tick are not between. */
static void find_ends(const struct frame *frame, unsigned *first, unsigned *last)
{
    *first = 0;
    while (frame->reports[*first][TIME] <= frame->begin[TIME])
        ++*first;
    *last = frame->report_count - 1;
    while (frame->reports[*last][TIME] >= frame->end[TIME])
        --*last;
}

#define STEP_MAX (UINT64_C(1) << 20) /* more than any counter counts between two reports */

/* Adds the differences of a range of reports. Fails if a counter goes back. */
static uint64_t add_reports(const struct frame *frame, unsigned first, unsigned last, unsigned slot)
{
    uint64_t sum = 0;
    for (unsigned i = first; i < last; i++) {
        uint64_t step = delta(frame, frame->reports[i], frame->reports[i + 1], slot);
        ROW(frame->line, step < STEP_MAX, "%s: slot %u goes back in report %u",
            revision_name(frame->rig->model), slot, i);
        sum += step;
    }
    return sum;
}

/* The OA unit's reports agree exactly with those of the commands, as all are of the same counters.
 * In the queries and around them only the busy counter counts. Tiger Lake's commands report OAR,
 * whose counters do not begin with those of OAG. */
static void check_periodic_reports(const struct frame *frame)
{
    const char *platform = revision_name(frame->rig->model);
    unsigned first, last, end = frame->report_count - 1, busy = busy_counter(frame);
    find_ends(frame, &first, &last);
    ROW(frame->line, first > 1 && first + 5 < last && last + 1 < end, "%s: reports %u to %u of %u",
        platform, first, last, end + 1);
    for (unsigned i = 0; i < COUNTERS; i++) {
        if (!(frame->known >> i & 1) && i != busy)
            continue;
        uint64_t pair = delta(frame, frame->begin, frame->end, A(i));
        uint64_t sum = add_reports(frame, first, last, A(i)) +
                       delta(frame, frame->begin, frame->reports[first], A(i)) +
                       delta(frame, frame->reports[last], frame->end, A(i));
        if (frame->rig->model != INTEL_TGL)
            ROW(frame->line, sum == pair, "%s: A%u is %u in reports, %u in the commands'", platform,
                i, (unsigned)sum, (unsigned)pair);
        sum = add_reports(frame, 0, end, A(i));
        uint64_t want = i == busy ? frame->busy_clocks + frame->query_clocks : pair;
        ROW(frame->line, sum == want, "%s: A%u is %u in all reports, not %u", platform, i,
            (unsigned)sum, (unsigned)want);
    }
}

/* Writes to memory are counted by a NOA bit; each command's last one may be part of 64 bytes. */
static void check_writes(const struct frame *frame)
{
    bool tgl = frame->rig->model == INTEL_TGL;
    if (!is_on(frame, "hsw bdw chv skl tgl"))
        return;
    uint64_t got = delta(frame, frame->begin, frame->end, tgl ? C(0) : C(7));
    ROW(frame->line, got == frame->writes, "%s: %u writes, not %u",
        revision_name(frame->rig->model), (unsigned)got, (unsigned)frame->writes);
}

static void is_near(const struct frame *frame, const char *what, uint64_t a, uint64_t b,
                    uint64_t rounding)
{
    ROW(frame->line, max_u64(a, b) - min_u64(a, b) <= rounding,
        "%s: %s: %u and %u differ by more than %u", revision_name(frame->rig->model), what,
        (unsigned)a, (unsigned)b, (unsigned)rounding);
}

static uint64_t clocks_of(const struct frame *frame, uint64_t ns)
{
    return ns * tally_gpu_clock_hz(frame->rig->gpu) / 1000000000;
}

/* Busy time, in clocks. An engine's time is in whole nanoseconds: at most one is lost each time
 * that it becomes busy or idle. The OA unit does not see context switches as busy from IVB to SKL
 * (OA-2.13). */
static void check_busy_time(const struct frame *frame)
{
    enum intel_revision model = frame->rig->model;
    uint64_t rounding = clocks_of(frame, 2 * frame->batches) + 1;
    bool sees_switches = model == INTEL_SNB || model >= INTEL_ICL;
    uint64_t switches = sees_switches ? 0 : SWITCH * frame->batches;
    uint64_t busy = clocks_of(frame, frame->busy_ns), work = frame->sum.clocks;
    is_near(frame, "busy time and counter", busy, frame->busy_clocks + switches, rounding);
    ROW(frame->line, busy >= work && busy <= work + frame->batches * OVERHEAD,
        "%s: %u busy clocks of %u clocks of work", revision_name(model), (unsigned)busy,
        (unsigned)work);
    is_near(frame, "blit", clocks_of(frame, frame->blit_ns), SWITCH + frame->blit_clocks + FINISH,
            clocks_of(frame, 2) + 1);
    uint64_t pair = delta(frame, frame->begin, frame->end, A(busy_counter(frame)));
    ROW(frame->line, pair > frame->busy_clocks && pair < frame->busy_clocks + frame->query_clocks,
        "%s: %u busy clocks between the commands", revision_name(model), (unsigned)pair);
}

/* Timestamps of PIPE_CONTROL and of reports round down: their differences may differ by one tick.
 * So may that of render clocks and ticks. */
static void check_times(const struct frame *frame)
{
    const struct tally_gpu *gpu = frame->rig->gpu;
    uint64_t ticks = delta(frame, frame->begin, frame->end, TIME);
    uint64_t tick = tally_gpu_clock_hz(gpu) / tally_gpu_timestamp_hz(gpu) + 1;
    is_near(frame, "timestamps", result64(frame, 1, TIMESTAMP) - result64(frame, 0, TIMESTAMP),
            ticks, 1);
    uint64_t clocks = ticks * tally_gpu_clock_hz(gpu) / tally_gpu_timestamp_hz(gpu);
    if (is_flexible_unit(frame))
        is_near(frame, "render clocks", delta(frame, frame->begin, frame->end, TICKS), clocks,
                tick);
    ROW(frame->line, clocks >= frame->busy_clocks, "%s: busy for longer than the frame",
        revision_name(frame->rig->model));
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void each_platform(void (*check)(const struct frame *frame))
{
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        struct frame *frame = run_frame(__LINE__, revision_name(p));
        check(frame);
        drop(frame);
    }
    ROWS_DONE();
}

#define TEST(name)                                                                                 \
    static void test_##name(void **state)                                                          \
    {                                                                                              \
        (void)state;                                                                               \
        each_platform(check_##name);                                                               \
    }

TEST(statistics)
TEST(commands_reports)
TEST(periodic_reports)
TEST(writes)
TEST(busy_time)
TEST(times)

int test_gpu_frame(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),       cmocka_unit_test(test_commands_reports),
        cmocka_unit_test(test_periodic_reports), cmocka_unit_test(test_writes),
        cmocka_unit_test(test_busy_time),        cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests_name("gpu frame", tests, NULL, NULL);
}
