/* SPDX-License-Identifier: MIT */
/*
 * The public self-test set TestOa (PERF-3.6): events that depend only on themselves,
 * whose counters advance at known fractions of the clock. Read from reports in the buffer, from
 * requested reports, and from the live registers.
 */
#include "intel/metric_rig.h"

#define BUFFER      0x01000000u /* aligned to its 16 MiB */
#define REPORT      256u
#define REPORTS     24u
#define WARM_UP     100u /* clocks, after which the start triggers have fired */
#define COUNTERS    8u
#define FIRST_EVENT 0x2770u

static struct metric_rig rig;

/* Sixths of the clocks that B0 to B7 count. */
static const unsigned sixths[COUNTERS] = {0, 6, 6, 3, 2, 2, 1, 4};

/* As documented, for SKL. */
static const struct tally_register_write programming[] = {
    {0x2740, 0, __LINE__},          {0x2710, 0, __LINE__},          {0x2714, 0xf0800000, __LINE__},
    {0x2720, 0, __LINE__},          {0x2724, 0xf0800000, __LINE__}, {0x2770, 0x00000004, __LINE__},
    {0x2774, 0, __LINE__},          {0x2778, 0x00000003, __LINE__}, {0x277c, 0, __LINE__},
    {0x2780, 0x00000007, __LINE__}, {0x2784, 0, __LINE__},          {0x2788, 0x00100002, __LINE__},
    {0x278c, 0x0000fff7, __LINE__}, {0x2790, 0x00100002, __LINE__}, {0x2794, 0x0000ffcf, __LINE__},
    {0x2798, 0x00100082, __LINE__}, {0x279c, 0x0000ffef, __LINE__}, {0x27a0, 0x001000c2, __LINE__},
    {0x27a4, 0x0000ffe7, __LINE__}, {0x27a8, 0x00100001, __LINE__}, {0x27ac, 0x0000ffe7, __LINE__},
    {0x9840, 0x80, __LINE__},
};

/* ---- memory ---------------------------------------------------------------------------------- */

static uint8_t memory[2 * REPORTS * REPORT];

static void store(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    (void)context;
    if (address >= BUFFER && address - BUFFER + bytes <= sizeof memory)
        memcpy(memory + (address - BUFFER), data, bytes);
}

/* ---- counts ---------------------------------------------------------------------------------- */

struct counts {
    uint32_t b[COUNTERS];
    uint64_t timestamp, ticks;
};

static struct counts of_report(size_t offset)
{
    struct counts counts;
    uint64_t slots[TALLY_SLOT_COUNT] = {0};
    char name[16];
    snprintf(name, sizeof name, "%s/101", revision_name(rig.platform));
    const struct tally_layout *layout = tally_layout_find(name);
    assert_non_null(layout);
    assert_int_equal(layout->size_bytes, REPORT);
    tally_report_unpack(layout, memory + offset, slots);
    for (unsigned i = 0; i < COUNTERS; i++)
        counts.b[i] = (uint32_t)slots[B(i)];
    counts.timestamp = slots[TIME];
    counts.ticks = slots[TICKS];
    return counts;
}

/* The OAPERF_B registers (OA-1.2, OA-1.3). */
static struct counts of_registers(void)
{
    uint32_t first = rig.platform == INTEL_HSW ? 0x28b4 : oa_at(rig.platform, 0x2920);
    struct counts counts = {.timestamp = tally_oa_read32(rig.unit, 0x2358)};
    for (unsigned i = 0; i < COUNTERS; i++)
        counts.b[i] = tally_oa_read32(rig.unit, first + 4 * i);
    counts.ticks = tally_oa_read32(rig.unit, oa_at(rig.platform, 0x2910));
    return counts;
}

/* The document allows a difference of one; over full periods of six clocks there is none. */
static void check_deltas(unsigned line, const char *what, const struct counts *from,
                         const struct counts *to, uint32_t clocks)
{
    for (unsigned i = 0; i < COUNTERS; i++) {
        uint32_t delta = to->b[i] - from->b[i];
        int64_t off = (int64_t)delta * 6 - (int64_t)clocks * sixths[i];
        ROW(line, off >= -6 && off <= 6 && (clocks % 6 || off == 0),
            "%s, %s: B%u counts %" PRIu32 " of %" PRIu32 " clocks, expected %u/6",
            revision_name(rig.platform), what, i, delta, clocks, sixths[i]);
    }
    if (rig.platform != INTEL_HSW) /* whose reports have no clock counter */
        ROW(line, (uint32_t)(to->ticks - from->ticks) == clocks, "%s: %" PRIu64 " ticks",
            revision_name(rig.platform), to->ticks - from->ticks);
}

/* ---- running --------------------------------------------------------------------------------- */

/* As the driver does (PERF-6.1, PERF-6.3): the buffer, then the counters, with the format of all
 * counters. exponent: of the timer; negative: none. */
/* The context's own counters (PERF-5.4), which a requested report contains. */
static void enable_oar(void)
{
    tally_oa_switch_context(rig.unit, true, 7);
    tally_oa_write32(rig.unit, 0x2360, 1);
    tally_oa_write32(rig.unit, 0x2960, 5 << 1 | 1);
    tally_oa_write32(rig.unit, 0x2244, 0x01000100);
}

static void enable(int exponent)
{
    static const struct tally_oa_bus bus = {.write = store};
    uint32_t timer = exponent >= 0, period = timer ? (uint32_t)exponent : 0;
    tally_oa_set_bus(rig.unit, &bus);
    memset(memory, 0, sizeof memory);
    if (rig.platform == INTEL_HSW) {
        tally_oa_write32(rig.unit, 0x2368, BUFFER | 1);
        tally_oa_write32(rig.unit, 0x23b0, BUFFER);
        tally_oa_write32(rig.unit, 0x2364, BUFFER | 7 << 3);
        tally_oa_write32(rig.unit, 0x2360, period << 6 | timer << 5 | 5 << 2 | 1);
        return;
    }
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2b08), 0);
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2b0c), BUFFER);
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2b14), BUFFER | 7 << 3 | 1);
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2b10), BUFFER);
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2360), period << 2 | timer << 1 | 1);
    tally_oa_write32(rig.unit, oa_at(rig.platform, 0x2b00), 5 << 2 | 1);
    if (rig.platform >= INTEL_TGL && exponent < 0)
        enable_oar();
}

static uint32_t tail(void)
{
    return tally_oa_read32(rig.unit,
                           rig.platform == INTEL_HSW ? 0x2364 : oa_at(rig.platform, 0x2b10)) &
           ~63u;
}

/* Clocks between two readings, by requested reports and by the registers. */
static void check_distances(unsigned line)
{
    static const uint32_t clocks[] = {6,       12,      60,         600,       6000,   6000000,
                                      1,       2,       3,          4,         5,      7,
                                      11,      64,      1000,       4095,      100003, 999999,
                                      1048576, 1234567, 4000000000, UINT32_MAX}; /* soon done: they
                                                                                    go round */
    enable(-1);
    tally_oa_run(rig.unit, WARM_UP);
    for (size_t i = 0; i < COUNT(clocks); i++) {
        struct counts start = of_registers();
        tally_oa_report(rig.unit, BUFFER, 1);
        tally_oa_run(rig.unit, clocks[i]);
        struct counts end = of_registers();
        tally_oa_report(rig.unit, BUFFER + REPORT, 2);
        struct counts first = of_report(0), second = of_report(REPORT);
        check_deltas(line, "registers", &start, &end, clocks[i]);
        check_deltas(line, "requested reports", &first, &second, clocks[i]);
        bool same =
            rig.platform < INTEL_TGL; /* on which the reports are those of OAR since its start */
        ROW(line, !same || !memcmp(end.b, second.b, sizeof end.b),
            "%s: registers and report differ", revision_name(rig.platform));
    }
}

/* Timer reports, 2^(exponent + 1) ticks of `tick` clocks apart. */
static void check_timer(unsigned line, unsigned exponent, uint32_t tick)
{
    uint32_t clocks = tick << (exponent + 1);
    enable((int)exponent);
    tally_oa_run(rig.unit, WARM_UP + (uint64_t)clocks * REPORTS);
    size_t reports = (tail() - BUFFER) / REPORT, first = WARM_UP / clocks + 1;
    ROW(line, reports >= REPORTS && (tail() - BUFFER) % REPORT == 0, "%zu reports", reports);
    reports = reports < 2 * REPORTS ? reports : 2 * REPORTS;
    for (size_t i = first; i + 1 < reports; i++) {
        struct counts from = of_report(i * REPORT), to = of_report((i + 1) * REPORT);
        ROW(line, (uint32_t)(to.timestamp - from.timestamp) == 2u << exponent,
            "%s: report %zu after %" PRIu64 " ticks of time", revision_name(rig.platform), i,
            to.timestamp - from.timestamp);
        check_deltas(line, "reports of the timer", &from, &to, clocks);
    }
}

/* Programs the writes of a set, in their order, into a new unit. */
static void open_with(enum intel_revision platform, uint32_t tick,
                      const struct tally_register_config *configs, size_t count)
{
    rig_open(&rig, platform);
    assert_int_equal(tally_oa_set_timestamp(rig.unit, tick, 0), 0);
    for (size_t c = 0; c < count; c++)
        for (size_t i = 0; i < configs[c].write_count; i++) {
            const struct tally_register_write *write = &configs[c].writes[i];
            struct tally_register_write there = *write; /* the document names map C's */
            there.address = oa_at(platform, there.address);
            enum landing landing = rig_write(&rig, &there);
            ROW(write->line, landing <= LANDED_PORT, "%s %06" PRIx32 " lands nowhere",
                revision_name(platform), write->address);
        }
}

static void check_set(unsigned line, enum intel_revision platform,
                      const struct tally_register_config *configs, size_t count)
{
    /* 3 clocks per tick: a multiple of six clocks; with 1 and 4 clocks it is not. */
    static const struct {
        unsigned exponent;
        uint32_t tick;
    } timers[] = {{5, 1}, {6, 3}, {9, 4}, {12, 3}, {16, 1}};
    open_with(platform, 1, configs, count);
    check_distances(line);
    rig_close(&rig);
    for (size_t i = 0; i < COUNT(timers); i++) {
        open_with(platform, timers[i].tick, configs, count);
        check_timer(line, timers[i].exponent, timers[i].tick);
        rig_close(&rig);
    }
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void test_of_the_document(void **state)
{
    (void)state;
    static const struct tally_register_write more[] = {{0x2744, 0x00800000, __LINE__}};
    static const struct tally_register_write masks[] = {
        {0x2774, 0xffff, __LINE__}, {0x277c, 0xffff, __LINE__}, {0x2784, 0xffff, __LINE__}};
    static const struct {
        unsigned line;
        enum intel_revision platform;
        struct tally_register_config more; /* differences on this platform */
    } rows[] = {
        {__LINE__, INTEL_HSW, {0}},
        {__LINE__, INTEL_BDW, {.writes = more, .write_count = COUNT(more)}},
        {__LINE__, INTEL_CHV, {.writes = more, .write_count = COUNT(more)}},
        {__LINE__, INTEL_SKL, {0}},
        {__LINE__, INTEL_ICL, {.writes = masks, .write_count = COUNT(masks)}},
        {__LINE__, INTEL_LKF, {.writes = masks, .write_count = COUNT(masks)}},
        {__LINE__, INTEL_TGL, {.writes = masks, .write_count = COUNT(masks)}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_register_config configs[] = {
            {.writes = programming, .write_count = COUNT(programming)}, rows[i].more};
        check_set(rows[i].line, rows[i].platform, configs, COUNT(configs));
    }
    ROWS_DONE();
}

/* The test can fail: with one event changed, only its counter and those that depend on it are
 * wrong. */
static void test_with_another_program(void **state)
{
    (void)state;
    struct tally_register_write writes[COUNT(programming)];
    const struct tally_register_config config = {.writes = writes, .write_count = COUNT(writes)};
    memcpy(writes, programming, sizeof writes);
    for (size_t i = 0; i < COUNT(writes); i++)
        if (writes[i].address == FIRST_EVENT + 8 * 4)
            writes[i].value = 0x00100003; /* CEC4: at least 0, so always */
    open_with(INTEL_SKL, 1, &config, 1);
    enable(-1);
    tally_oa_run(rig.unit, WARM_UP);
    struct counts start = of_registers();
    tally_oa_run(rig.unit, 6000);
    struct counts end = of_registers();
    /* Event 5 is event 4 one clock later; 6 is 3 and 4, 7 is 3 or 4. */
    static const uint32_t expected[COUNTERS] = {0, 6000, 6000, 3000, 6000, 6000, 3000, 6000};
    for (unsigned i = 0; i < COUNTERS; i++)
        ROW(__LINE__, end.b[i] - start.b[i] == expected[i], "B%u: %" PRIu32, i,
            end.b[i] - start.b[i]);
    rig_close(&rig);
    ROWS_DONE();
}

static void check_file(unsigned line, enum intel_revision platform, const char *path,
                       const char *uuid)
{
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    struct tally_error error = {0};
    unsigned found = 0;
    assert_int_equal(tally_metric_file_load(path, &file, &error), 0);
    for (size_t i = tally_metric_file_sets(file, &sets); i-- > 0;) {
        if (strcmp(sets[i].symbol, "TestOa") != 0)
            continue;
        found++;
        ROW(line, !strcmp(sets[i].uuid, uuid), "%s: %s", path, sets[i].uuid);
        check_set(line, platform, sets[i].configs, sets[i].config_count);
    }
    ROW(line, found == 1, "%s: %u sets TestOa", path, found);
    tally_metric_file_free(file);
}

static void test_of_the_files(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum intel_revision platform;
        const char *file, *uuid;
    } rows[] = {
        {__LINE__, INTEL_BDW, "bdw", "d6de6f55-e526-4f79-a6a6-d7315c09044e"},
        {__LINE__, INTEL_CHV, "chv", "4a534b07-cba3-414d-8d60-874830e883aa"},
        {__LINE__, INTEL_SKL, "sklgt2", "c5384091-ce4c-406c-ab4d-4c530f71c7ae"},
        {__LINE__, INTEL_SKL, "sklgt3", "14cadcfd-fb3a-46a3-8c13-0a4f850a4b18"},
        {__LINE__, INTEL_SKL, "sklgt4", "c1c2d40e-652a-482c-98fc-28bdb7c6ee44"},
        {__LINE__, INTEL_ICL, "icl", "e617cfd5-6cc5-4143-8994-cd36cebb921f"},
        {__LINE__, INTEL_LKF, "lkf", "82b6b321-f93e-445a-a285-f30391ef1dc5"},
        {__LINE__, INTEL_TGL, "tglgt1", "6f27aaed-4f08-4e0f-95a9-231d9b4fa111"},
        {__LINE__, INTEL_TGL, "tglgt2", "6607f034-d053-40d1-8215-67c07f3041bb"},
        {__LINE__, INTEL_TGL, "rkl", "74dbc739-d871-41b5-be7b-fb547ac5bec9"}, /* PERF-3.6 */
        {__LINE__, INTEL_TGL, "dg1", "23f51139-6973-4b45-a211-778834ce2c9a"},
        {__LINE__, INTEL_TGL, "adl", "89173c19-fcfe-48da-ac26-fb64425f141b"},
    };
    char directory[512];
    NEEDS_SHARED(directory, "data/oa-metrics");
    for (size_t i = 0; i < COUNT(rows); i++) {
        char path[640];
        snprintf(path, sizeof path, "%s/oa-%s.xml", directory, rows[i].file);
        check_file(rows[i].line, rows[i].platform, path, rows[i].uuid);
    }
    ROWS_DONE();
}

int test_testoa(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_of_the_document),
        cmocka_unit_test(test_with_another_program),
        cmocka_unit_test(test_of_the_files),
    };
    return cmocka_run_group_tests_name("TestOa", tests, NULL, NULL);
}
