/* SPDX-License-Identifier: MIT */
/* Loops of commands that are skipped: each program runs on two GPUs, on one of them command by
 * command, and all that can be seen is the same. */
#include "intel/gpu_rig.h"

#include "intel/gpu/gpu.h"

#define CODE      0x1000u
#define POLLED    0x3000u
#define BUFFER    0x20000u /* of OA reports */
#define REPORT(n) (BUFFER + 0x100 * (n))
#define END       0x05000000
#define SPACE     7u /* of unprivileged batches */
#define JUMP      0x18800001, CODE, 0
#define JUMP_HERE 0x18800101, CODE, 0 /* in that space */
#define TWINS     2
#define MAX_CODE  64

struct twins {
    struct gpu_rig *rigs[TWINS]; /* the second executes each command */
    const char *platform;
};

static struct twins make(unsigned line, const char *platform)
{
    struct twins twins = {.platform = platform};
    for (unsigned i = 0; i < TWINS; i++) {
        twins.rigs[i] = gpu_rig_awake(line, platform);
        twins.rigs[i]->gpu->loops.off = i == 1;
        gpu_rig_map(twins.rigs[i], SPACE);
    }
    return twins;
}

static void drop(struct twins *twins)
{
    for (unsigned i = 0; i < TWINS; i++)
        gpu_rig_free(twins->rigs[i]);
}

/* The OA unit counts and, with a period, writes reports (Gen8 on). */
static void start_oa(struct gpu_rig *rig, unsigned period, bool triggers)
{
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b0c), BUFFER);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b14), BUFFER | 1);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2b10), BUFFER);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2744), triggers ? 0x00800000 : 0);
    gpu_rig_count(rig);
    tally_gpu_write32(rig->gpu, oa_at(rig->model, 0x2360), period << 2 | 3);
}

/* Returns what differs between the twins, or NULL. */
static const char *difference(const struct twins *twins)
{
    const struct tally_gpu *a = twins->rigs[0]->gpu, *b = twins->rigs[1]->gpu;
    struct tally_gpu_mmio_stats stats[TWINS] = {tally_gpu_mmio_stats(a), tally_gpu_mmio_stats(b)};
    if (tally_gpu_now(a) != tally_gpu_now(b) || tally_gpu_now_ns(a) != tally_gpu_now_ns(b))
        return "time";
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct gpu_engine *x = &a->engines[id], *y = &b->engines[id];
        if (x->wait != y->wait)
            return "waits";
        if (memcmp(&x->streamer, &y->streamer, sizeof x->streamer) != 0)
            return "streamer";
        if (x->busy_ns != y->busy_ns || x->semaphore_ns != y->semaphore_ns)
            return "time of an engine";
    }
    if (memcmp(stats, stats + 1, sizeof *stats) != 0)
        return "accesses";
    if (memcmp(twins->rigs[0]->spaces, twins->rigs[1]->spaces, sizeof twins->rigs[0]->spaces) != 0)
        return "memory";
    if (gpu_rig_value(twins->rigs[0], "a0") != gpu_rig_value(twins->rigs[1], "a0") ||
        a->oa->timestamp != b->oa->timestamp || tally_gpu_busy_ns(a) != tally_gpu_busy_ns(b) ||
        a->oa->instruction != b->oa->instruction)
        return "counters";
    if (memcmp(twins->rigs[0]->vectors, twins->rigs[1]->vectors, sizeof twins->rigs[0]->vectors) !=
        0)
        return "interrupts";
    if (memcmp(&a->rps, &b->rps, sizeof a->rps) != 0)
        return "evaluation of load";
    return twins->rigs[0]->completions != twins->rigs[1]->completions ? "completions" : NULL;
}

static void run(struct twins *twins, unsigned line, uint64_t clocks)
{
    for (unsigned i = 0; i < TWINS; i++)
        tally_gpu_run(twins->rigs[i]->gpu, clocks);
    const char *what = difference(twins);
    ROW(line, !what, "%s: %s differ at %" PRIu64, twins->platform, what ? what : "",
        tally_gpu_now(twins->rigs[1]->gpu));
}

static void put(struct twins *twins, uint32_t address, const uint32_t *dwords, size_t count)
{
    for (unsigned i = 0; i < TWINS; i++) {
        gpu_rig_put(twins->rigs[i], TALLY_GPU_GGTT, address, dwords, count);
        gpu_rig_put(twins->rigs[i], SPACE, address, dwords, count);
    }
}

static void submit(struct twins *twins, bool privileged)
{
    for (unsigned i = 0; i < TWINS; i++)
        assert_int_equal(tally_gpu_submit(twins->rigs[i]->gpu, 7,
                                          privileged ? TALLY_GPU_GGTT : SPACE, CODE, privileged),
                         0);
}

/* ---- loops by hand --------------------------------------------------------------------------- */

/* Two million clocks of a loop: whether it is skipped shows in how often memory is read. */
static void test_loops(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t code[24];
        enum { SKIPPED, EXECUTED, UNPRIVILEGED } how; /* UNPRIVILEGED: skipped */
    } rows[] = {
        {__LINE__, {JUMP}, SKIPPED},
        {__LINE__, {0, 0, 0x02800000, 0, JUMP}, SKIPPED},
        /* A semaphore, on memory and on a register of the streamer. */
        {__LINE__, {0x0e40c002, 5, POLLED, 0, END}, SKIPPED},
        {__LINE__, {0x0e41c002, 5, 0x2600, 0, END}, SKIPPED},
        /* Memory through a register to the predicate. */
        {__LINE__,
         {0x14c00002, 0x2400, POLLED, 0, 0x11000001, 0x2408, 5, 0x06000082, 0x14c00002, 0x2604,
          POLLED, 0, JUMP},
         SKIPPED},
        /* A register that counts on, but comes back: NOT twice is nothing. */
        {__LINE__, {0x0d000002, 0x48008000, 0x10300000, 0x18000031, JUMP}, SKIPPED},
        /* Commands and writes that are ignored because the batch is not privileged. */
        {__LINE__, {0x11000001, 0x2360, 1, 0x11000001, 0x2744, 0, JUMP_HERE}, UNPRIVILEGED},
        {__LINE__, {0x10400002, POLLED, 0, 7, 0x04000001, JUMP_HERE}, UNPRIVILEGED},
        /* What is written or depends on time keeps its loop from being skipped. */
        {__LINE__, {0x10400002, POLLED, 0, 7, JUMP}, EXECUTED},
        {__LINE__, {0x12400002, 0x2358, POLLED, 0, JUMP}, EXECUTED},
        {__LINE__, {0x12400002, 0x2600, POLLED, 0, JUMP}, EXECUTED},
        {__LINE__, {0x0e41c002, 0xfffffff0, 0x2358, 0, END}, EXECUTED},
        {__LINE__, {0x01000000, JUMP}, EXECUTED},
        {__LINE__, {0x11000001, 0x2360, 1, JUMP}, EXECUTED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct twins twins = make(rows[i].line, "skl");
        put(&twins, CODE, rows[i].code, COUNT(rows[i].code));
        submit(&twins, rows[i].how != UNPRIVILEGED);
        run(&twins, rows[i].line, 200000);
        uint64_t reads = twins.rigs[0]->reads, all = twins.rigs[1]->reads;
        ROW(rows[i].line, rows[i].how == EXECUTED ? reads == all : reads < 200,
            "%" PRIu64 " reads, of %" PRIu64, reads, all);
        ROW(rows[i].line, all > 10000, "%" PRIu64 " reads", all);
        drop(&twins);
    }
    ROWS_DONE();
}

/* The caller ends a loop between two runs; an OA report ends one that polls the report buffer, and
 * a trace sees each access. */
static void test_ends_of_loops(void **state)
{
    (void)state;
    static const char *const platforms[] = {"bdw", "skl", "icl", "tgl"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct twins twins = make(__LINE__, platforms[i]);
        put(&twins, CODE, (const uint32_t[]){0x0e40c002, 5, POLLED, 0, JUMP}, 7);
        submit(&twins, true);
        run(&twins, __LINE__, 12345);
        put(&twins, POLLED, (const uint32_t[]){5}, 1);
        run(&twins, __LINE__, 100003);
        put(&twins, CODE, (const uint32_t[]){END}, 1);
        run(&twins, __LINE__, 777);
        ROW(__LINE__, twins.rigs[0]->completions == 1, "%s", platforms[i]);
        /* SAD_NOT_EQUAL_SDD: until the fifth report, which is the timer's. */
        put(&twins, CODE, (const uint32_t[]){0x0e40d002, 0, REPORT(4) + 4, 0, END}, 5);
        for (unsigned k = 0; k < TWINS; k++)
            start_oa(twins.rigs[k], 8, false);
        submit(&twins, true);
        run(&twins, __LINE__, 3000000);
        ROW(__LINE__, twins.rigs[0]->completions == 2, "%s", platforms[i]);
        drop(&twins);
    }
    ROWS_DONE();
}

/* ---- random loops ---------------------------------------------------------------------------- */

struct code {
    uint32_t dwords[MAX_CODE];
    unsigned count;
};

static void add(struct code *code, const uint32_t *dwords, size_t count)
{
    if (code->count + count + 4 > MAX_CODE)
        return;
    memcpy(code->dwords + code->count, dwords, count * sizeof *dwords);
    code->count += (unsigned)count;
}

#define ADD(code, ...)                                                                             \
    add(code, (const uint32_t[]){__VA_ARGS__}, COUNT(((uint32_t[]){__VA_ARGS__})))

/* Parts of loops; the later ones, which are seldom, cannot be skipped. */
static void add_part(struct code *code, struct random *rng)
{
    uint32_t address = POLLED + 4 * (uint32_t)random_below(rng, 4);
    uint32_t gpr = 0x2600 + 4 * (uint32_t)random_below(rng, 8);
    uint32_t value = (uint32_t)random_below(rng, 3);
    switch (random_below(rng, random_below(rng, 3) ? 9 : 17)) {
    case 0:
        ADD(code, 0, 0x02800000);
        break;
    case 1:
        ADD(code, 0x11000001, gpr, value);
        break;
    case 2:
        ADD(code, 0x14c00002, gpr, address, 0);
        break;
    case 3:
        ADD(code, 0x15000001, gpr, 0x2608);
        break;
    case 4: /* R0 = R0 - 1, or its complement */
        ADD(code, 0x0d000002, 0x08008000, random_below(rng, 2) ? 0x48108400 : 0x08108401,
            0x10100000, 0x18000031);
        break;
    case 5:
        ADD(code, 0x0e40c002 | (uint32_t)random_below(rng, 6) << 12, value, address, 0);
        break;
    case 6: /* leaves the batch while memory is not greater */
        ADD(code, 0x1b600002, value, address, 0);
        break;
    case 7:
        ADD(code, 0x11000001, 0x2400, value, 0x11000001, 0x2408, 1, 0x06000082);
        break;
    case 8:
        ADD(code, 0x0e41c002 | (uint32_t)random_below(rng, 6) << 12, value, gpr, 0);
        break;
    case 9:
        ADD(code, 0x12400002, gpr, address + 0x100, 0);
        break;
    case 10:
        ADD(code, 0x12400002, 0x2358, address + 0x200, 0);
        break;
    case 11:
        ADD(code, 0x7b000005, 4, 3, 0, 1, 0, 0);
        break;
    case 12:
        ADD(code, 0x7a000004, 0x00100000, 0, 0, 0, 0);
        break;
    case 13:
        ADD(code, 0x17c40503, address, 0, 0, 0);
        break;
    case 14:
        ADD(code, 0x01000000);
        break;
    case 15: /* until a report's timestamp is there, which may be never */
        ADD(code, 0x0e40d002, 0, REPORT((uint32_t)random_below(rng, 6)) + 4, 0);
        break;
    default:
        ADD(code, 0x14000002, 0x4001, 0, 9);
        break;
    }
}

/* Between runs the caller changes memory or, after all, ends the loop. */
static void change(struct twins *twins, struct random *rng)
{
    uint32_t value = (uint32_t)random_below(rng, 3);
    put(twins, POLLED + 4 * (uint32_t)random_below(rng, 4), &value, 1);
    if (random_below(rng, 6) == 0)
        put(twins, CODE, (const uint32_t[]){END}, 1);
}

static uint64_t run_random(unsigned round, struct random *rng)
{
    static const char *const platforms[] = {"bdw", "skl", "icl", "tgl", "lkf"};
    struct twins twins = make(__LINE__, platforms[round % COUNT(platforms)]);
    struct code code = {.count = 0};
    for (unsigned n = (unsigned)random_below(rng, 5); n--;)
        add_part(&code, rng);
    bool privileged = random_below(rng, 4);
    memcpy(code.dwords + code.count, (const uint32_t[]){JUMP, END}, 16);
    if (!privileged)
        memcpy(code.dwords + code.count, (const uint32_t[]){JUMP_HERE}, 12);
    put(&twins, CODE, code.dwords, code.count + 4);
    uint32_t period = (uint32_t)random_below(rng, 8);
    bool counts = random_below(rng, 2), triggers = random_below(rng, 8) == 0;
    for (unsigned i = 0; i < TWINS; i++) {
        twins.rigs[i]->work_clocks = 100;
        if (counts)
            start_oa(twins.rigs[i], period, triggers);
    }
    submit(&twins, privileged);
    for (unsigned n = 0; n < 6; n++) {
        run(&twins, __LINE__, 1 + random_below(rng, UINT64_C(1) << random_below(rng, 14)));
        change(&twins, rng);
    }
    uint64_t saved = twins.rigs[1]->reads - twins.rigs[0]->reads;
    drop(&twins);
    return saved;
}

static void test_random_loops(void **state)
{
    (void)state;
    struct random rng = random_start(12);
    uint64_t saved = 0;
    for (unsigned round = 0, rounds = random_cases(400); round < rounds; round++)
        saved += run_random(round, &rng);
    ROW(__LINE__, saved > 1000, "only %" PRIu64 " reads saved", saved);
    ROWS_DONE();
}

/* ---- several engines ------------------------------------------------------------------------- */

/* The batch of an engine, and a location that it may write. */
#define CODE_OF(id)   (CODE + 0x2000u * (id))
#define STORED(n)     (POLLED_BY_ALL + 4 * (n))
#define POLLED_BY_ALL 0x18000u
#define WORDS         4
#define MAX_BATCH     1500

static const struct cs_engine *engine_of(const struct twins *twins, unsigned id)
{
    return twins->rigs[0]->gpu->engines[id].streamer.engine;
}

static void start_engine(struct twins *twins, unsigned id, const uint32_t *dwords, size_t count)
{
    for (unsigned i = 0; i < TWINS; i++) {
        gpu_rig_put(twins->rigs[i], TALLY_GPU_GGTT, CODE_OF(id), dwords, count);
        assert_int_equal(tally_gpu_engine_submit(twins->rigs[i]->gpu, engine_of(twins, id)->name, 7,
                                                 TALLY_GPU_GGTT, CODE_OF(id), true),
                         0);
    }
}

/* One engine waits for what another one stores after some clocks, also in the clock in which it
 * looks; the former comes before the latter, or behind it. */
static void test_releases(void **state)
{
    (void)state;
    for (unsigned delay = 0; delay < 160; delay++) {
        unsigned waits = delay & 1, stores = !waits;
        struct twins twins = make(__LINE__, delay & 2 ? "skl" : "tgl");
        const uint32_t polls[] = {0x0e40c002, 5, STORED(0), 0, 0x0e40c002, 6, STORED(1), 0, END};
        const uint32_t turns[] = {0,         0, 0,          0x1b600002,     4,
                                  STORED(0), 0, 0x18800001, CODE_OF(waits), 0};
        uint32_t delayed[64] = {0};
        put(&twins, STORED(0), (const uint32_t[]){delay & 4 ? 9 : 0}, 1);
        if (delay & 4)
            start_engine(&twins, waits, turns, COUNT(turns));
        else
            start_engine(&twins, waits, polls, COUNT(polls));
        const uint32_t shown = engine_of(&twins, waits)->map.base + 0x74; /* ACTHD */
        const uint32_t end[] = {0x10400002, STORED(0), 0,  delay & 4 ? 3 : 5, 0x10400002,
                                STORED(1),  0,         6,  0x12400002,        shown,
                                STORED(2),  0,         END};
        memcpy(delayed + delay / 8, end, sizeof end);
        run(&twins, __LINE__, 500);
        start_engine(&twins, stores, delayed, COUNT(delayed));
        run(&twins, __LINE__, 1000);
        ROW(__LINE__, tally_gpu_is_idle(twins.rigs[0]->gpu), "delay %u", delay);
        drop(&twins);
    }
    ROWS_DONE();
}

/* ---- an engine that does not run ------------------------------------------------------------- */

enum halt { BY_STOP_RING, BY_RESET_REQUEST, BY_LOST_POWER, BY_RESET, HALTS };

static void halt(struct tally_gpu *gpu, enum halt how, bool on)
{
    switch (how) {
    case BY_STOP_RING:
        tally_gpu_write32(gpu, 0x209c, 0x01000000 | (uint32_t)on << 8); /* MI_MODE */
        break;
    case BY_RESET_REQUEST:
        tally_gpu_write32(gpu, 0x20d0, 0x00010000 | on); /* RESET_CTL */
        break;
    case BY_LOST_POWER:
        gpu_lose_wake(gpu, on);
        break;
    default:
        if (on)
            tally_gpu_engine_reset(gpu, "rcs0");
        else
            tally_gpu_submit(gpu, 7, TALLY_GPU_GGTT, CODE_OF(0), true);
    }
}

/* The time during which an engine does not run, at any place of the search, is not part of a turn.
 */
static void test_halts(void **state)
{
    static uint32_t batch[900];
    (void)state;
    for (size_t i = 0; i < COUNT(batch); i += 3)
        memcpy(batch + i, (const uint32_t[]){0x11000001, 0x2600, (uint32_t)i}, 12);
    memcpy(batch + COUNT(batch) - 3, (const uint32_t[]){JUMP}, 12);
    for (unsigned before = 100; before < 30000; before += 331) {
        enum halt how = before % HALTS;
        struct twins twins = make(before, before & 1 ? "skl" : "icl");
        start_engine(&twins, 0, batch, COUNT(batch));
        run(&twins, before, before);
        for (unsigned on = 2; on-- > 0;) {
            for (unsigned k = 0; k < TWINS; k++)
                halt(twins.rigs[k]->gpu, how, on);
            run(&twins, before, on ? 5000 : 100001);
        }
        ROW(before, twins.rigs[0]->reads < twins.rigs[1]->reads, "nothing is skipped");
        drop(&twins);
    }
    ROWS_DONE();
}

/* ---- memory that the CPU changes at any time ------------------------------------------------- */

/* The batch that replaces a loop, before the latter's engine goes back. */
static struct {
    uint32_t command; /* 0: none */
    unsigned after;   /* reads of the other engine's batch */
} replacement;

static void replace(struct gpu_rig *rig, uint64_t address)
{
    if (!replacement.command || address < CODE_OF(1) || address >= CODE_OF(2) ||
        --replacement.after)
        return;
    for (unsigned i = 0; i < 300; i++)
        gpu_rig_put(rig, TALLY_GPU_GGTT, CODE_OF(0) + 4 * i, &replacement.command, 1);
    replacement.command = 0;
}

/* An engine is ahead in a loop, which is replaced before it goes back: it finds other commands than
 * those of the loop, and stops there. */
static void test_changes_by_the_cpu(void **state)
{
    static const struct {
        unsigned line;
        uint32_t command;
        bool faults;
    } rows[] = {{__LINE__, END, false}, {__LINE__, 0xffffffff, true}, {__LINE__, 0x0a800000, true}};
    uint32_t noops[303] = {[300] = 0x18800001, CODE_OF(0), 0};
    uint32_t stores[200] = {[190] = 0x10400002, STORED(0), 0, 7, 0x18800001, CODE_OF(1), 0};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        for (unsigned after = 1; after < 8; after++) {
            struct twins twins = make(rows[i].line, "skl");
            struct gpu_rig *rig = twins.rigs[0];
            twins.rigs[0]->before_read = replace;
            start_engine(&twins, 0, noops, COUNT(noops));
            start_engine(&twins, 1, stores, COUNT(stores));
            for (unsigned n = 0; n < 20; n++)
                tally_gpu_run(rig->gpu, 20000);
            assert_false(tally_gpu_is_idle(rig->gpu));
            replacement.command = rows[i].command;
            replacement.after = after;
            alarm(60); /* the loop must end */
            tally_gpu_run(rig->gpu, 20000);
            alarm(0);
            const struct gpu_engine *engine = gpu_render(rig->gpu);
            ROW(rows[i].line,
                rig->gpu->engines[0].streamer.fault ? rows[i].faults : rig->completions == 1,
                "after %u: wait %u, %u completions", after, engine->wait, rig->completions);
            drop(&twins);
        }
    ROWS_DONE();
}

struct batch {
    uint32_t dwords[MAX_BATCH];
    unsigned count, engine, engines;
    uint32_t base, other; /* of the registers, and those of another engine */
};

static void put_dwords(struct batch *batch, const uint32_t *dwords, size_t count)
{
    memcpy(batch->dwords + batch->count, dwords, count * sizeof *dwords);
    batch->count += (unsigned)count;
}

#define BATCH(batch, ...)                                                                          \
    put_dwords(batch, (const uint32_t[]){__VA_ARGS__}, COUNT(((uint32_t[]){__VA_ARGS__})))

/* What does not keep a loop from being skipped, but another engine may end. */
static void put_reads(struct batch *batch, struct random *rng)
{
    uint32_t gpr = batch->base + 0x600 + 8 * (uint32_t)random_below(rng, 4);
    uint32_t at = STORED((uint32_t)random_below(rng, WORDS)),
             value = (uint32_t)random_below(rng, 3);
    switch (random_below(rng, 10)) {
    case 0:
        batch->count += (unsigned)random_below(rng, 300); /* MI_NOOPs */
        break;
    case 1:
        batch->count++;
        BATCH(batch, 0x02800000);
        break;
    case 2:
        BATCH(batch, 0x11000001, gpr, value);
        break;
    case 3:
        BATCH(batch, 0x14c00002, gpr, at, 0);
        break;
    case 4: /* R0 = -R0 */
        BATCH(batch, 0x0d000002, 0x48008000, 0x10300000, 0x18000031);
        break;
    case 5:
    case 6:
        BATCH(batch, 0x0e40c002 | (uint32_t)random_below(rng, 6) << 12, value, at, 0);
        break;
    case 7:
        BATCH(batch, 0x1b600002, value, at, 0);
        break;
    case 8: /* until a report's timestamp is there */
        BATCH(batch, 0x0e40d002, 0, REPORT((uint32_t)random_below(rng, 6)) + 4, 0);
        break;
    default:
        BATCH(batch, 0x15000001, gpr, batch->base + 0x608);
        break;
    }
}

/* What other engines may notice, or what shows how far they are. */
static void put_writes(struct batch *batch, struct random *rng)
{
    static const uint32_t shown[] = {0x34, 0x74, 0x68, 0x600, 0x608, 0x358};
    uint32_t of_other = shown[random_below(rng, COUNT(shown))];
    uint32_t at = STORED((uint32_t)random_below(rng, WORDS)),
             value = (uint32_t)random_below(rng, 3);
    switch (random_below(rng, 8)) {
    case 0:
    case 1:
    case 2:
        BATCH(batch, 0x10400002, at, 0, value);
        break;
    case 3:
        BATCH(batch, 0x12400002, batch->base + 0x600, at, 0);
        break;
    case 4:
        BATCH(batch, 0x12400002, batch->other + of_other, at + 0x100, 0);
        break;
    case 5:
        BATCH(batch, 0x11000001, batch->other + 0x600, value);
        break;
    case 6:
        BATCH(batch, 0x01000000);
        break;
    default:
        BATCH(batch, 0x17c40503, at, 0, 0, 0);
        break;
    }
}

/* A batch that jumps to itself, or seldom ends. Engines that write wait in between. */
static void make_batch(struct batch *batch, struct random *rng)
{
    bool writes = random_below(rng, 3) == 0;
    batch->count = 0;
    memset(batch->dwords, 0, sizeof batch->dwords);
    for (unsigned n = (unsigned)random_below(rng, 4); n--;)
        put_reads(batch, rng);
    if (writes)
        put_writes(batch, rng);
    if (writes || random_below(rng, 2))
        batch->count += (unsigned)random_below(rng, 300);
    if (random_below(rng, 8) == 0)
        BATCH(batch, END);
    BATCH(batch, 0x18800001, CODE_OF(batch->engine), 0);
}

static void start_engines(struct twins *twins, struct random *rng)
{
    static struct batch batch;
    for (unsigned id = 0; id < CS_ENGINES; id++) {
        const struct cs_engine *engine = engine_of(twins, id);
        const struct cs_engine *other = engine_of(twins, (unsigned)random_below(rng, 2));
        if (!engine || random_below(rng, 3) == 0)
            continue;
        batch.engine = id;
        batch.base = engine->map.base;
        batch.other = other->map.base;
        make_batch(&batch, rng);
        start_engine(twins, id, batch.dwords, batch.count);
    }
}

/* Between two runs, the caller writes memory or a register, ends a batch, or begins another. */
static void intervene(struct twins *twins, struct random *rng)
{
    uint32_t value = (uint32_t)random_below(rng, 3), which = (uint32_t)random_below(rng, WORDS);
    uint32_t gpr = engine_of(twins, (unsigned)random_below(rng, 2))->map.base + 0x600;
    switch (random_below(rng, 8)) {
    case 0:
    case 1:
    case 2:
        put(twins, STORED(which), &value, 1);
        break;
    case 3:
        for (unsigned i = 0; i < TWINS; i++)
            tally_gpu_write32(twins->rigs[i]->gpu, gpr, value);
        break;
    case 4:
        put(twins, CODE_OF((uint32_t)random_below(rng, CS_ENGINES)), (const uint32_t[]){END}, 1);
        break;
    default:
        break;
    }
}

static uint64_t run_engines(unsigned round, struct random *rng)
{
    static const char *const platforms[] = {"bdw", "skl", "icl", "tgl", "lkf"};
    struct twins twins = make(__LINE__, platforms[round % COUNT(platforms)]);
    bool counts = random_below(rng, 3) == 0;
    uint32_t period = (uint32_t)random_below(rng, 8);
    for (unsigned i = 0; i < TWINS && counts; i++)
        start_oa(twins.rigs[i], period, false);
    start_engines(&twins, rng);
    for (unsigned n = 0; n < 8; n++) {
        run(&twins, __LINE__, 1 + random_below(rng, UINT64_C(1) << random_below(rng, 15)));
        intervene(&twins, rng);
    }
    uint64_t saved = twins.rigs[1]->reads - twins.rigs[0]->reads;
    drop(&twins);
    return saved;
}

static void test_random_engines(void **state)
{
    (void)state;
    struct random rng = random_start(13);
    uint64_t saved = 0;
    for (unsigned round = 0, rounds = random_cases(400); round < rounds; round++)
        saved += run_engines(round, &rng);
    ROW(__LINE__, saved > 1000, "only %" PRIu64 " reads saved", saved);
    ROWS_DONE();
}

int test_gpu_loops(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loops),          cmocka_unit_test(test_ends_of_loops),
        cmocka_unit_test(test_random_loops),   cmocka_unit_test(test_releases),
        cmocka_unit_test(test_halts),          cmocka_unit_test(test_changes_by_the_cpu),
        cmocka_unit_test(test_random_engines),
    };
    return cmocka_run_group_tests_name("gpu loops", tests, NULL, NULL);
}
