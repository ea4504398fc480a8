/* SPDX-License-Identifier: MIT */
/* Workloads that drive the OA unit: expected counts, exact boundaries, binding, search path. */
#include "intel/workload_rig.h"

#include <errno.h>
#include <math.h>

/* ---- expected counts ------------------------------------------------------------------------- */

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

/* Each installed workload on each platform: more than two repetitions, in several runs. */
static void test_expected_counts(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/workloads", source_directory());
    struct paths files = list_files(directory, ".yaml");
    assert_true(files.count >= 5);
    static const char *const gpus[] = {
        "snb", "ivb", "vlv",     "hsw",     "bdw",     "chv",     "skl",       "icl",
        "lkf", "tgl", "ivb/gt1", "hsw/gt3", "bdw/gt1", "chv/2x6", "skl/gt1.5", "skl/gt4"};
    struct random rng = random_start(1);
    for (size_t f = 0; f < files.count; f++) {
        char *text = read_text(files.paths[f]);
        for (size_t p = 0; p < COUNT(gpus); p++) {
            struct rig rig;
            struct tally_workload_counts expected;
            if (!rig_init(&rig, __LINE__, text, gpus[p], 20000000))
                continue;
            uint64_t clocks = 0;
            for (size_t phase = 0; tally_workload_phase_clocks(rig.program, phase); phase++)
                clocks += 2 * tally_workload_phase_clocks(rig.program, phase);
            clocks = clocks > 200000 ? 200000 : clocks;
            clocks += 777;
            tally_workload_expect(&rig.cursor, clocks, rig_flexible, &expected);
            for (uint64_t left = clocks; left;) {
                uint64_t now = 1 + random_below(&rng, left < 20000 ? left : 20000);
                assert_int_equal(tally_workload_run(&rig.cursor, rig.unit, now), 0);
                left -= now;
            }
            unsigned counters = !strcmp(gpus[p], "snb") ? 29 : rig_is_new(gpus[p]) ? 36 : 45;
            for (unsigned i = 0; i < counters; i++)
                check_count(__LINE__, "A", gpus[p], i, rig_peek(rig.unit, 'a', i),
                            rig_is_new(gpus[p]) && i < 32 ? ones(40) : ones(32), &expected.a[i]);
            for (unsigned bit = 0; bit < 16; bit++)
                check_count(__LINE__, "NOA", gpus[p], bit, rig_peek_noa(rig.unit, gpus[p], bit),
                            ones(32), &expected.noa[bit]);
            assert_int_equal(tally_oa_now(rig.unit), clocks);
            rig_fini(&rig);
        }
        free(text);
    }
    free(files.paths);
    ROWS_DONE();
}

/* Expected counts are additive: those of a run and of its parts, from any position. */
static void test_counts_add_up(void **state)
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
    struct tally_workload_counts whole, part;
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
    assert_int_equal(busy, rig_peek(rig.unit, 'a', 0));
    assert_int_equal(barriers, rig_peek(rig.unit, 'a', 35));
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

/* Context switch reports at the first clock of a phase have the counts of the phases before. */
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

/* From Gen9 on a phase of another clock changes the ratios, in units of 50/3 MHz. */
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
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig a, b, c;
        struct random rng = random_start(p);
        assert_true(rig_init(&a, __LINE__, text, rig_platforms[p], 30000000) &&
                    rig_init(&b, __LINE__, text, rig_platforms[p], 30000000) &&
                    rig_init(&c, __LINE__, other, rig_platforms[p], 30000000));
        tally_oa_write32(a.unit, oa_at(revision_of(rig_platforms[p]), 0x2360),
                         rig_is_new(rig_platforms[p]) ? 1 | 2 | 7 << 2 : 1 | 2 << 4 | 7 << 6);
        tally_oa_write32(b.unit, oa_at(revision_of(rig_platforms[p]), 0x2360),
                         rig_is_new(rig_platforms[p]) ? 1 | 2 | 7 << 2 : 1 | 2 << 4 | 7 << 6);
        run_logged(&a, &once, 90000, NULL);
        run_logged(&b, &pieces, 90000, &rng);
        ROW(__LINE__,
            once.size > 256 && once.size == pieces.size &&
                !memcmp(once.bytes, pieces.bytes, once.size),
            "%s: bytes differ", rig_platforms[p]);
        run_logged(&c, &pieces, 90000, NULL);
        unsigned busy = !strcmp(rig_platforms[p], "snb") ? 26
                        : rig_is_new(rig_platforms[p])   ? 0
                                                         : 41;
        ROW(__LINE__, rig_peek(a.unit, 'a', busy) == rig_peek(b.unit, 'a', busy), "%s",
            rig_platforms[p]);
        ROW(__LINE__, rig_peek(a.unit, 'a', busy) != rig_peek(c.unit, 'a', busy), "%s: seed",
            rig_platforms[p]);
        rig_fini(&a);
        rig_fini(&b);
        rig_fini(&c);
    }
    ROWS_DONE();
}

/* A copy of unit and cursor continues as the original does. */
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
        assert_int_equal(rig_peek(copy, 'a', i), rig_peek(rig.unit, 'a', i));
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(rig_peek(copy, 'c', i), rig_peek(rig.unit, 'c', i));
    tally_oa_free(copy);
    rig_fini(&rig);
    free(text);
}

/* The sum over the EUs of a stage equals the share of the stage. */
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
        double got = (double)rig_peek(rig.unit, 'a', rows[i].counter) / 1600000;
        ROW(rows[i].line, fabs(got - rows[i].share) < 0.004, "A%u: %.4f, expected %.4f",
            rows[i].counter, got, rows[i].share);
    }
    rig_fini(&rig);
    ROWS_DONE();
}

/* ---- binding, finding ------------------------------------------------------------------------ */

static void count_notes(void *closure, unsigned line, const char *message)
{
    ROW(__LINE__, line > 0 && strstr(message, "ignored"), "%u: %s", line, message);
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
        {__LINE__, {.platform = "dg2"}, "no OA model"},
        {__LINE__, {.platform = "skl/gt4", .eus = 73}, "73 EUs, expected at most 72"},
        {__LINE__, {.platform = "skl", .eus = 25}, "25 EUs, expected at most 24"},
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
    struct tally_oa *unit = rig_unit("ivb");
    tally_workload_start(program, &cursor);
    assert_int_equal(tally_workload_run(&cursor, unit, 10), -EINVAL);
    assert_int_equal(tally_workload_apply(program, 0, 0, unit), -EINVAL);
    assert_int_equal(tally_oa_now(unit), 0);
    tally_oa_free(unit);
    unit = rig_unit("hsw");
    assert_int_equal(tally_workload_apply(program, 2, 0, unit), -EINVAL);
    assert_int_equal(tally_workload_apply(program, 0, 0, unit), 0);
    tally_oa_run(unit, 100);
    assert_int_equal(rig_peek(unit, 'a', 0), 1000); /* a quarter of 40 EUs */
    tally_oa_free(unit);
    tally_workload_unbind(program);
    assert_int_equal(
        tally_workload_bind(workload, &(struct tally_workload_target){"bdw", 8, 0, NULL}, NULL,
                            NULL, &program, &error),
        0);
    unit = rig_unit("bdw");
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
    assert_true(mentions(error.message, "unknown workload \"no-such-thing\""));
    assert_int_equal(tally_workload_load("/nonexistent/x.yaml", &workload, &error), -ENOENT);
    assert_int_equal(tally_workload_load("/", &workload, &error), -EISDIR);
}

int test_workload(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected_counts),
        cmocka_unit_test(test_counts_add_up),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_clock_ratios),
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_snapshots),
        cmocka_unit_test(test_stages_share_the_array),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_search),
    };
    return cmocka_run_group_tests_name("workload", tests, NULL, NULL);
}
