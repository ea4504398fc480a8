/* SPDX-License-Identifier: MIT */
/* Workloads that drive the OA unit: what counts a unit where, known answers, exact boundaries. */
#include "intel/tests.h"

#include <errno.h>
#include <math.h>

#include <tally/oa.h>
#include <tally/workload.h>

static const char *const names[] = {"snb", "ivb", "vlv", "hsw", "bdw", "chv", "skl", "icl", "lkf"};

static bool is_new(const char *platform)
{
    for (size_t i = 0; i < 4; i++)
        if (!strcmp(platform, names[i]))
            return false;
    return true;
}

static bool has_map_a(const char *platform)
{
    return !is_new(platform) && strcmp(platform, "hsw") != 0;
}

/* What a set like the public ones puts into EU_PERF_CNT_CTL0 to 6 (i915-perf.md 4.10), with the
 * occupancy in place of the last. */
static const uint32_t flexible[7] = {0x00005004, 0x00010003, 0x00012011, 0x00015014,
                                     0x00051050, 0x00400008, 0x00008078};

/* A unit that counts everything: A, B and C run, a report at every context switch. */
static struct tally_oa *new_unit(const char *platform)
{
    static const uint32_t controls[7] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    struct tally_error error = {0};
    struct tally_oa *unit;
    assert_int_equal(tally_oa_new(platform, &unit, &error), 0);
    if (is_new(platform)) {
        assert_int_equal(tally_oa_set_eus(unit, 16), 0);
        for (size_t i = 0; i < COUNT(controls); i++)
            tally_oa_write32(unit, controls[i], flexible[i]);
        tally_oa_write32(unit, 0x2b08, 0);
        tally_oa_write32(unit, 0x2b0c, 0x100000);
        tally_oa_write32(unit, 0x2b14, 0x1000000 | 7 << 3 | 2);
        tally_oa_write32(unit, 0x2b10, 0x100000);
        tally_oa_write32(unit, 0x2714, 0x00800000); /* OASTARTTRIG2: at once */
        tally_oa_write32(unit, 0x2360, 1);
        tally_oa_write32(unit, 0x2b00, 0x15);
    } else {
        tally_oa_write32(unit, has_map_a(platform) ? 0x2388 : 0x2714, 0x00800000);
        tally_oa_write32(unit, 0x2360, 1);
    }
    return unit;
}

static uint64_t peek(const struct tally_oa *unit, char letter, unsigned index)
{
    char name[8];
    uint64_t value = 0;
    snprintf(name, sizeof name, "%c%u", letter, index);
    tally_oa_peek(unit, name, &value);
    return value;
}

/* What the counter of a NOA bit reads (intel-oa-hardware.md 2.1). */
static uint64_t peek_noa(const struct tally_oa *unit, const char *platform, unsigned bit)
{
    unsigned booleans = has_map_a(platform) ? 4 : 8;
    return bit < booleans ? peek(unit, 'b', bit) : peek(unit, 'c', bit - booleans);
}

struct rig {
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_workload_cursor cursor;
    struct tally_oa *unit;
};

static bool rig_init(struct rig *rig, unsigned line, const char *text, const char *platform,
                     uint64_t hz)
{
    struct tally_error error = {0};
    *rig = (struct rig){0};
    int result = tally_workload_load_memory(text, strlen(text), "w", &rig->workload, &error);
    if (!ROW(line, result == 0, "load: %s", error.message))
        return false;
    struct tally_workload_target target = {.platform = platform, .clock_hz = hz};
    result = tally_workload_bind(rig->workload, &target, NULL, NULL, &rig->program, &error);
    if (!ROW(line, result == 0, "bind: %s", error.message))
        return false;
    tally_workload_start(rig->program, &rig->cursor);
    rig->unit = new_unit(platform);
    return true;
}

static void rig_fini(struct rig *rig)
{
    tally_oa_free(rig->unit);
    tally_workload_unbind(rig->program);
    tally_workload_free(rig->workload);
}

#define HEAD "name: w\ndescription: d\nseed: 7\nphases:\n  - {duration: 1 ms, context: 1, does: ["
#define TAIL "]}\n"

/* ---- which counter counts a unit, and how much ----------------------------------------------- */

struct counted {
    unsigned line;
    const char *platforms, *does;
    char letter; /* 'a', or 'n': a NOA bit */
    unsigned index;
    uint64_t after; /* 4096 clocks of 100 MHz */
};

#define RATE(unit)  "{unit: " unit ", rate: 0.5/clock}"
#define SHARE(unit) "{unit: " unit ", share: 0.25}"
#define GEN7        "ivb vlv hsw"
#define GEN8        "bdw chv skl icl lkf"

/* From the documents' lists (intel-oa-hardware.md 2.13, i915-perf.md 4.9), not from the table. */
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
    {__LINE__, GEN7, RATE("depth.hiz-fail"), 'a', 33, 2048},
    {__LINE__, "ivb", RATE("depth.early-pass"), 'a', 34, 2048},
    {__LINE__, GEN7, RATE("depth.early-fail"), 'a', 35, 2048},
    {__LINE__, GEN7, RATE("pixels.killed"), 'a', 36, 2048},
    {__LINE__, GEN7, RATE("pixels.alpha-fail"), 'a', 37, 2048},
    {__LINE__, GEN7, RATE("stencil.late-fail"), 'a', 38, 2048},
    {__LINE__, GEN7, RATE("depth.late-fail"), 'a', 39, 2048},
    {__LINE__, "hsw", RATE("depth.late-fail") "," RATE("pixels.killed"), 'a', 39, 4096},
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
    /* A0's unit: what else can be said of one. */
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
    /* NOA bits: raw, and as RenderBasic wires them. */
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
    {__LINE__, "hsw", "{unit: gti.reads, rate: 5/clock}", 'n', 14, 4096}, /* a bit a clock at most */
    {__LINE__, "hsw", RATE("gti.reads") ",{unit: noa.14, share: 0.125}", 'n', 14, 512},
    // clang-format on
};

static void test_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(counted); i++) {
        const struct counted *row = &counted[i];
        char text[512];
        snprintf(text, sizeof text, HEAD "%s" TAIL, row->does);
        for (size_t p = 0; p < COUNT(names); p++) {
            struct rig rig;
            if (!strstr(row->platforms, names[p]) ||
                !rig_init(&rig, row->line, text, names[p], 100000000))
                continue;
            tally_workload_run(&rig.cursor, rig.unit, 4096);
            uint64_t got = row->letter == 'a' ? peek(rig.unit, 'a', row->index)
                                              : peek_noa(rig.unit, names[p], row->index);
            ROW(row->line, got == row->after, "%s: %c%u is %" PRIu64 ", expected %" PRIu64,
                names[p], row->letter, row->index, got, row->after);
            rig_fini(&rig);
        }
    }
    ROWS_DONE();
}

/* ---- known answers --------------------------------------------------------------------------- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 65536);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void check_count(unsigned line, const char *what, const char *platform, unsigned index,
                        uint64_t got, uint64_t wrap, const struct tally_workload_count *expected)
{
    if (expected->deviation > 0)
        ROW(line, fabs((double)got - expected->mean) <= 6 * expected->deviation + 1,
            "%s %s%u: %" PRIu64 ", expected %.1f +- %.1f", platform, what, index, got,
            expected->mean, expected->deviation);
    else
        ROW(line, got == (expected->exact & wrap), "%s %s%u: %" PRIu64 ", expected %" PRIu64,
            platform, what, index, got, expected->exact & wrap);
}

/* Each of our workloads on each platform: two repetitions and a bit, in pieces. */
static void test_known_answers(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/workloads", source_directory());
    struct paths files = list_files(directory, ".yaml");
    assert_true(files.count >= 5);
    struct random rng = random_start(1);
    for (size_t f = 0; f < files.count; f++) {
        char *text = read_text(files.paths[f]);
        for (size_t p = 0; p < COUNT(names); p++) {
            struct rig rig;
            struct tally_workload_answer answer;
            if (!rig_init(&rig, __LINE__, text, names[p], 20000000))
                continue;
            uint64_t clocks = 0;
            for (size_t phase = 0; tally_workload_phase_clocks(rig.program, phase); phase++)
                clocks += 2 * tally_workload_phase_clocks(rig.program, phase);
            clocks = clocks > 200000 ? 200000 : clocks;
            clocks += 777;
            tally_workload_expect(&rig.cursor, clocks, flexible, &answer);
            for (uint64_t left = clocks; left;) {
                uint64_t now = 1 + random_below(&rng, left < 20000 ? left : 20000);
                assert_int_equal(tally_workload_run(&rig.cursor, rig.unit, now), 0);
                left -= now;
            }
            unsigned counters = !strcmp(names[p], "snb") ? 29 : is_new(names[p]) ? 36 : 45;
            for (unsigned i = 0; i < counters; i++)
                check_count(__LINE__, "A", names[p], i, peek(rig.unit, 'a', i),
                            is_new(names[p]) && i < 32 ? ones(40) : ones(32), &answer.a[i]);
            for (unsigned bit = 0; bit < 16; bit++)
                check_count(__LINE__, "NOA", names[p], bit, peek_noa(rig.unit, names[p], bit),
                            ones(32), &answer.noa[bit]);
            assert_int_equal(tally_oa_now(rig.unit), clocks);
            rig_fini(&rig);
        }
        free(text);
    }
    free(files.paths);
    ROWS_DONE();
}

/* Answers add up: those of a whole and of its parts, from wherever the cursor is. */
static void test_answers_add_up(void **state)
{
    (void)state;
    static const char text[] =
        "name: w\ndescription: d\nphases:\n"
        "  - {duration: 3 us, context: 1, does: [{unit: gpu.busy, share: 0.3},"
        " {unit: eu.barriers, bursts: {frame: 700, length: 13}}]}\n"
        "  - {duration: 1.7 us, context: idle}\n"
        "  - {duration: 2.2 us, context: 1, does: [{unit: gpu.busy, bursts: {frame: 99, length: "
        "9}}]}\n";
    struct rig rig;
    struct tally_workload_answer whole, part;
    struct random rng = random_start(3);
    assert_true(rig_init(&rig, __LINE__, text, "skl", 1000000000));
    tally_workload_expect(&rig.cursor, 100000, NULL, &whole);
    uint64_t busy = 0, barriers = 0;
    for (uint64_t left = 100000; left;) {
        uint64_t now = 1 + random_below(&rng, left < 3000 ? left : 3000);
        tally_workload_expect(&rig.cursor, now, NULL, &part);
        busy += part.a[0].exact;
        barriers += part.a[35].exact;
        tally_workload_run(&rig.cursor, rig.unit, now);
        left -= now;
    }
    assert_int_equal(busy, whole.a[0].exact);
    assert_int_equal(barriers, whole.a[35].exact);
    assert_int_equal(busy, peek(rig.unit, 'a', 0));
    assert_int_equal(barriers, peek(rig.unit, 'a', 35));
    rig_fini(&rig);
}

/* ---- boundaries, cuts, seeds ----------------------------------------------------------------- */

struct log {
    uint8_t bytes[1 << 20];
    size_t size;
};

static void log_line(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct log *log = context;
    (void)address;
    assert_true(log->size + bytes <= sizeof log->bytes);
    memcpy(log->bytes + log->size, data, bytes);
    log->size += bytes;
}

static uint32_t word(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static const char switching[] =
    "name: w\ndescription: d\nphases:\n"
    "  - {duration: 1 us, context: 0x10, does: [{unit: eu.barriers, constant: 1}]}\n"
    "  - {duration: 2 us, context: 0x10, clock: 500 MHz, does: [{unit: slm.reads, constant: 1}]}\n"
    "  - {duration: 777 ns, context: idle}\n"
    "  - {duration: 1 us, context: 0x20, does: [{unit: slm.writes, constant: 1}]}\n";

static void run_logged(struct rig *rig, struct log *log, uint64_t clocks, struct random *rng)
{
    log->size = 0;
    tally_oa_set_bus(rig->unit, &(struct tally_oa_bus){.write = log_line, .context = log});
    while (clocks) {
        uint64_t now = rng ? 1 + random_below(rng, clocks < 900 ? clocks : 900) : clocks;
        tally_workload_run(&rig->cursor, rig->unit, now);
        clocks -= now;
    }
}

/* Reports of switches: at the first clock of a phase, with what the phases before it counted. */
static void test_boundaries(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t clock, context, barriers, reads, writes;
    } rows[] = {
        {__LINE__, 0, 0x10, 1, 0, 0},          {__LINE__, 2000, 0, 1000, 1000, 0},
        {__LINE__, 2777, 0x20, 1000, 1000, 1}, {__LINE__, 3777, 0x10, 1001, 1000, 1000},
        {__LINE__, 5777, 0, 2000, 2000, 1000}, {__LINE__, 6554, 0x20, 2000, 2000, 1001},
    };
    static struct log log;
    for (unsigned cut = 0; cut < 3; cut++) {
        struct random rng = random_start(cut);
        struct rig rig;
        assert_true(rig_init(&rig, __LINE__, switching, "bdw", 1000000000));
        run_logged(&rig, &log, 7000, cut ? &rng : NULL);
        assert_int_equal(log.size, 256 * COUNT(rows));
        for (size_t i = 0; i < COUNT(rows); i++) {
            const uint8_t *report = log.bytes + 256 * i;
            ROW(rows[i].line, word(report + 4) == rows[i].clock, "clock %" PRIu32,
                word(report + 4));
            ROW(rows[i].line, word(report + 8) == rows[i].context, "context %#" PRIx32,
                word(report + 8));
            ROW(rows[i].line, (word(report) >> 25 & 1) == (rows[i].context != 0), "validity");
            ROW(rows[i].line,
                word(report + 16 + 4 * 35) == rows[i].barriers &&
                    word(report + 16 + 4 * 30) == rows[i].reads &&
                    word(report + 16 + 4 * 31) == rows[i].writes,
                "counts %" PRIu32 " %" PRIu32 " %" PRIu32, word(report + 16 + 4 * 35),
                word(report + 16 + 4 * 30), word(report + 16 + 4 * 31));
        }
        rig_fini(&rig);
    }
    ROWS_DONE();
}

/* From Gen9 on a phase of another clock changes the ratios, in steps of 50/3 MHz. */
static void test_clock_ratios(void **state)
{
    (void)state;
    static struct log log;
    struct rig rig;
    unsigned changes = 0;
    assert_true(rig_init(&rig, __LINE__, switching, "skl", 1000000000));
    tally_oa_write32(rig.unit, 0x2b04, 0x00400040); /* OA_DEBUG: frequencies in RPT_ID */
    run_logged(&rig, &log, 7000, NULL);
    for (size_t at = 0; at < log.size; at += 256)
        if (word(log.bytes + at + 4) == 1000 || word(log.bytes + at + 4) == 4777) {
            uint32_t slice = word(log.bytes + at) >> 25 | (word(log.bytes + at) >> 9 & 3) << 7;
            uint32_t unslice = word(log.bytes + at) & 0x1ff;
            assert_int_equal(unslice, 30); /* 500 MHz */
            (void)slice;
            changes++;
        }
    assert_int_equal(changes, 2);
    rig_fini(&rig);
}

static void test_same_bytes(void **state)
{
    (void)state;
    static struct log once, pieces;
    static const char text[] = HEAD
        "{unit: gpu.busy, random: 0.5}, {unit: ps.active, share: 0.4}, {unit: noa.2, random: 0.3},"
        "{unit: eu.barriers, bursts: {frame: 300, length: 20}}" TAIL;
    char other[sizeof text];
    strcpy(other, text);
    memcpy(strstr(other, "seed: 7"), "seed: 8", 7);
    for (size_t p = 0; p < COUNT(names); p++) {
        struct rig a, b, c;
        struct random rng = random_start(p);
        assert_true(rig_init(&a, __LINE__, text, names[p], 30000000) &&
                    rig_init(&b, __LINE__, text, names[p], 30000000) &&
                    rig_init(&c, __LINE__, other, names[p], 30000000));
        tally_oa_write32(a.unit, 0x2360, is_new(names[p]) ? 1 | 2 | 7 << 2 : 1 | 2 << 4 | 7 << 6);
        tally_oa_write32(b.unit, 0x2360, is_new(names[p]) ? 1 | 2 | 7 << 2 : 1 | 2 << 4 | 7 << 6);
        run_logged(&a, &once, 90000, NULL);
        run_logged(&b, &pieces, 90000, &rng);
        ROW(__LINE__,
            once.size > 256 && once.size == pieces.size &&
                !memcmp(once.bytes, pieces.bytes, once.size),
            "%s: bytes differ", names[p]);
        run_logged(&c, &pieces, 90000, NULL);
        unsigned busy = !strcmp(names[p], "snb") ? 26 : is_new(names[p]) ? 0 : 41;
        ROW(__LINE__, peek(a.unit, 'a', busy) == peek(b.unit, 'a', busy), "%s", names[p]);
        ROW(__LINE__, peek(a.unit, 'a', busy) != peek(c.unit, 'a', busy), "%s: seed", names[p]);
        rig_fini(&a);
        rig_fini(&b);
        rig_fini(&c);
    }
    ROWS_DONE();
}

/* A copy of unit and cursor goes on as the original does. */
static void test_snapshots(void **state)
{
    (void)state;
    struct rig rig;
    struct tally_error error = {0};
    struct tally_oa *copy;
    char *text;
    char path[512];
    snprintf(path, sizeof path, "%s/data/workloads/contexts.yaml", source_directory());
    text = read_text(path);
    assert_true(rig_init(&rig, __LINE__, text, "icl", 10000000));
    tally_workload_run(&rig.cursor, rig.unit, 12345);
    assert_int_equal(tally_oa_new("icl", &copy, &error), 0);
    assert_int_equal(tally_oa_copy(copy, rig.unit), 0);
    struct tally_workload_cursor cursor = rig.cursor;
    tally_workload_run(&rig.cursor, rig.unit, 54321);
    tally_workload_run(&cursor, copy, 54321);
    for (unsigned i = 0; i < 36; i++)
        assert_int_equal(peek(copy, 'a', i), peek(rig.unit, 'a', i));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(peek(copy, 'c', i), peek(rig.unit, 'c', i));
    tally_oa_free(copy);
    rig_fini(&rig);
    free(text);
}

/* Stages get what they are given, in sum over the EUs that run them. */
static void test_stages_share_the_array(void **state)
{
    (void)state;
    static const char text[] =
        HEAD "{unit: vs.active, share: 0.1}, {unit: vs.stalled, share: 0.05},"
             "{unit: ps.active, share: 0.5}, {unit: ps.stalled, share: 0.2},"
             "{unit: eu.fpu0, share: 1}, {unit: eu.fpu1, share: 0.5}" TAIL;
    struct rig rig;
    assert_true(rig_init(&rig, __LINE__, text, "chv", 100000000));
    tally_workload_run(&rig.cursor, rig.unit, 100000);
    static const struct {
        unsigned line, counter;
        double share;
    } rows[] = {
        {__LINE__, 7, 0.6},   /* any pipe */
        {__LINE__, 8, 0.25},  /* stalled */
        {__LINE__, 9, 0.3},   /* both FPUs */
        {__LINE__, 10, 0.1},  /* FPU0 in VS */
        {__LINE__, 11, 0.05}, /* FPU1 in VS */
        {__LINE__, 12, 0},    /* send in VS */
        {__LINE__, 13, 0.1},  /* any pipe in VS */
        {__LINE__, 15, 0.5},  /* FPU0 in PS */
        {__LINE__, 16, 0.25}, /* FPU1 in PS */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        double got = (double)peek(rig.unit, 'a', rows[i].counter) / 1600000;
        ROW(rows[i].line, fabs(got - rows[i].share) < 0.004, "A%u: %.4f, expected %.4f",
            rows[i].counter, got, rows[i].share);
    }
    rig_fini(&rig);
    ROWS_DONE();
}

/* ---- binding, finding ------------------------------------------------------------------------ */

static void count_notes(void *closure, unsigned line, const char *message)
{
    ROW(__LINE__, line > 0 && strstr(message, "left out"), "%u: %s", line, message);
    ++*(unsigned *)closure;
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct tally_workload_target target;
        const char *message;
    } rows[] = {
        {__LINE__, {.platform = "tgl"}, "no OA model"},
        {__LINE__, {.platform = "skl", .eus = 17}, "17 EUs, expected at most 16"},
        {__LINE__, {.platform = "hsw", .eus = 1025}, "at most 1024"},
        {__LINE__, {.platform = "hsw", .clock_hz = 999999}, "1 MHz to 4 GHz"},
        {__LINE__, {.platform = "hsw", .clock_hz = UINT64_C(4000000001)}, "1 MHz to 4 GHz"},
        {__LINE__, {.platform = "hsw", .eus = 40, .clock_hz = 1000000}, NULL},
    };
    static const char text[] = HEAD RATE("slm.reads") "," RATE("ps.threads") "," SHARE(
        "eu.active") "]}\n  - {duration: 5 ns, context: idle}\n";
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_workload_cursor cursor;
    unsigned notes = 0;
    assert_int_equal(tally_workload_load_memory(text, strlen(text), "w", &workload, &error), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        error = (struct tally_error){0};
        int result =
            tally_workload_bind(workload, &rows[i].target, count_notes, &notes, &program, &error);
        ROW(rows[i].line, (result == 0) == !rows[i].message, "%d", result);
        ROW(rows[i].line, mentions(error.message, rows[i].message), "%s", error.message);
        if (result == 0 && i + 1 < COUNT(rows))
            tally_workload_unbind(program);
    }
    assert_int_equal(notes, 1);
    assert_int_equal(tally_workload_phase_clocks(program, 0), 1000);
    assert_int_equal(tally_workload_phase_clocks(program, 1), 1); /* at least one */
    assert_int_equal(tally_workload_phase_clocks(program, 2), 0);
    assert_int_equal(tally_workload_phase_hz(program, 0), 1000000);
    /* Another platform's unit, another number of EUs. */
    struct tally_oa *unit = new_unit("ivb");
    tally_workload_start(program, &cursor);
    assert_int_equal(tally_workload_run(&cursor, unit, 10), -EINVAL);
    assert_int_equal(tally_workload_apply(program, 0, 0, unit), -EINVAL);
    assert_int_equal(tally_oa_now(unit), 0);
    tally_oa_free(unit);
    unit = new_unit("hsw");
    assert_int_equal(tally_workload_apply(program, 2, 0, unit), -EINVAL);
    assert_int_equal(tally_workload_apply(program, 0, 0, unit), 0);
    tally_oa_run(unit, 100);
    assert_int_equal(peek(unit, 'a', 0), 1000); /* a quarter of 40 EUs */
    tally_oa_free(unit);
    tally_workload_unbind(program);
    assert_int_equal(tally_workload_bind(workload, &(struct tally_workload_target){"bdw", 8, 0},
                                         NULL, NULL, &program, &error),
                     0);
    unit = new_unit("bdw");
    assert_int_equal(tally_workload_apply(program, 0, 0, unit), -EINVAL);
    tally_oa_free(unit);
    tally_workload_unbind(program);
    tally_workload_free(workload);
    tally_workload_free(NULL);
    tally_workload_unbind(NULL);
    ROWS_DONE();
}

static void count_paths(void *closure, const char *path)
{
    *(unsigned *)closure += strstr(path, "/triangle.yaml") != NULL;
}

static void test_search(void **state)
{
    (void)state;
    char directory[512];
    struct tally_error error = {0};
    struct tally_workload *workload;
    struct tally_workload_info info;
    unsigned found = 0;
    snprintf(directory, sizeof directory, "/nonexistent:%s/data/workloads", source_directory());
    setenv("TALLY_WORKLOADS_PATH", directory, 1);
    assert_true(tally_workload_list(count_paths, &found) >= 5);
    assert_int_equal(found, 1);
    assert_int_equal(tally_workload_load("triangle", &workload, &error), 0);
    tally_workload_describe(workload, &info);
    assert_string_equal(info.name, "triangle");
    assert_int_equal(info.phases, 3);
    assert_int_equal(info.duration_ns, 16666667);
    assert_non_null(strstr(info.file, "data/workloads/triangle.yaml"));
    tally_workload_free(workload);
    unsetenv("TALLY_WORKLOADS_PATH");
    assert_int_equal(tally_workload_load("no-such-thing", &workload, &error), -ENOENT);
    assert_true(mentions(error.message, "no workload \"no-such-thing\""));
    assert_int_equal(tally_workload_load("/nonexistent/x.yaml", &workload, &error), -ENOENT);
    assert_int_equal(tally_workload_load("/", &workload, &error), -EISDIR);
}

int test_workload(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),          cmocka_unit_test(test_known_answers),
        cmocka_unit_test(test_answers_add_up), cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_clock_ratios),   cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_snapshots),      cmocka_unit_test(test_stages_share_the_array),
        cmocka_unit_test(test_targets),        cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
