/* SPDX-License-Identifier: MIT */
/* Entry into RC6 by the driver's registers, and the counters of the time in it (OA-16.12). */
#include "intel/gpu_rig.h"

#include <inttypes.h>

enum {
    RC_CONTROL_AT = 0xa090,
    RC_STATE_AT = 0xa094,
    INTERVAL = 0xa0a8,
    HYSTERESIS = 0xa0ac,
    THRESHOLD_AT = 0xa0b8,
    MEDIA_IDLE = 0xa0c4,
    RENDER_IDLE = 0xa0c8,
    PG = 0xa210,
    CONTROL_OF_COUNTERS = 0x138104,
    RESIDENCY = 0x138108,
    DEEP = 0x13810c,
    DEEPEST = 0x138110,
    RENDER_AWAKE = 0x138118,
    MEDIA_AWAKE = 0x13811c,
    GDRST_AT = 0x941c
};

#define SOFTWARE 0x00040000u /* RC6 is enabled, RC_STATE decides */
#define EVALUATE 0x88040000u
#define TIMEOUT  0x90040000u
#define RC6      0x00040000u /* RC_STATE */
#define UNIT     1280u       /* clocks and ns */
#define NEVER    0

/* A GPU at 1 GHz that nothing has put to sleep yet. */
static struct gpu_rig *rig_of(unsigned line, const char *platform)
{
    struct gpu_rig *rig =
        gpu_rig_new(line, &(struct tally_gpu_config){.platform = platform, .clock_hz = 1000000000});
    gpu_rig_wake(rig, true);
    return rig;
}

static void put(const struct gpu_rig *rig, uint32_t address, uint32_t value)
{
    tally_gpu_write32(rig->gpu, address, value);
}

static uint32_t get(const struct gpu_rig *rig, uint32_t address)
{
    return tally_gpu_read32(rig->gpu, address);
}

/* ---- entry ----------------------------------------------------------------------------------- */

static void test_entry(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t control, rc_state, interval, hysteresis, threshold;
        uint64_t units; /* from the release to RC6 */
        bool enters;
    } rows[] = {
        {__LINE__, "hsw", SOFTWARE, RC6, 125000, 25, 50000, 0, true},
        {__LINE__, "skl", SOFTWARE, RC6, 0, 0, 0, 0, true},
        {__LINE__, "icl", SOFTWARE, 6 << 16, 0, 9, 9, 0, true},
        {__LINE__, "hsw", 1 << 17, RC6, 0, 0, 0, 0, true},
        {__LINE__, "hsw", 1 << 16, RC6, 0, 0, 0, 0, true},
        {__LINE__, "tgl", SOFTWARE, 0, 0, 0, 0, NEVER, false},
        {__LINE__, "tgl", SOFTWARE, 3 << 16, 0, 0, 0, NEVER, false},
        {__LINE__, "tgl", SOFTWARE, 4 << 13, 0, 0, 0, NEVER, false},
        {__LINE__, "hsw", 0, RC6, 0, 0, 0, NEVER, false}, /* not enabled */
        {__LINE__, "hsw", 1 << 19, RC6, 0, 0, 0, NEVER, false},
        {__LINE__, "bdw", TIMEOUT, RC6, 125000, 25, 625, 650, true},
        {__LINE__, "hsw", TIMEOUT, RC6, 0, 1, 0, 1, true},
        {__LINE__, "bdw", TIMEOUT, 0, 0, 25, 625, NEVER, false}, /* OA-1.5 */
        {__LINE__, "bdw", 1 << 28, RC6, 0, 25, 625, NEVER, false},
        {__LINE__, "chv", 1 << 28, 0, 125000, 25, 0x186, 25 + 0x186, true},
        {__LINE__, "vlv", 0x11000000, 0, 125000, 25, 0x557, 25 + 0x557, true},
        {__LINE__, "skl", EVALUATE, RC6, 1000, 25, 375, 1000, true},
        {__LINE__, "skl", EVALUATE, RC6, 1000, 1025, 375, 1025, true},
        {__LINE__, "tgl", EVALUATE, RC6, 1000, 0, 1000, 1000, true},
        {__LINE__, "tgl", EVALUATE, RC6, 1000, 0, 1001, NEVER, false}, /* is never idle enough */
        {__LINE__, "icl", EVALUATE, RC6, 0, 25, 375, 25, true},
        {__LINE__, "hsw", EVALUATE, 0, 1000, 25, 375, NEVER, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = rig_of(rows[i].line, rows[i].platform);
        put(rig, INTERVAL, rows[i].interval);
        put(rig, HYSTERESIS, rows[i].hysteresis);
        put(rig, THRESHOLD_AT, rows[i].threshold);
        put(rig, RC_STATE_AT, rows[i].rc_state);
        put(rig, RC_CONTROL_AT, rows[i].control);
        gpu_rig_wake(rig, false);
        if (!rows[i].enters)
            tally_gpu_run(rig->gpu, 100000 * UNIT);
        else if (rows[i].units)
            tally_gpu_run(rig->gpu, rows[i].units * UNIT - 1);
        bool early = tally_gpu_in_rc6(rig->gpu);
        ROW(rows[i].line, early == (rows[i].enters && !rows[i].units), "%s: %s RC6",
            rows[i].platform, early ? "in" : "not in");
        tally_gpu_run(rig->gpu, 1);
        ROW(rows[i].line, tally_gpu_in_rc6(rig->gpu) == rows[i].enters, "%s: a clock later",
            rows[i].platform);
        gpu_rig_wake(rig, true);
        ROW(rows[i].line, !tally_gpu_in_rc6(rig->gpu), "%s: not left", rows[i].platform);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Only the idle time of a whole interval counts, and each interval decides about the next one. */
static void test_intervals(void **state)
{
    (void)state;
    struct gpu_rig *rig = rig_of(__LINE__, "skl");
    put(rig, INTERVAL, 1000);
    put(rig, THRESHOLD_AT, 300);
    put(rig, RC_STATE_AT, RC6);
    put(rig, RC_CONTROL_AT, EVALUATE);
    tally_gpu_run(rig->gpu, 701 * UNIT);
    gpu_rig_wake(rig, false);
    tally_gpu_run(rig->gpu, 1298 * UNIT);
    ROW(__LINE__, !tally_gpu_in_rc6(rig->gpu), "299 of 1000 units are too few");
    tally_gpu_run(rig->gpu, UNIT);
    ROW(__LINE__, tally_gpu_in_rc6(rig->gpu), "the next interval was idle");
    gpu_rig_wake(rig, true);
    tally_gpu_run(rig->gpu, 500 * UNIT);
    gpu_rig_wake(rig, false);
    tally_gpu_run(rig->gpu, 1);
    ROW(__LINE__, tally_gpu_in_rc6(rig->gpu), "still allowed");
    gpu_rig_wake(rig, true);
    tally_gpu_run(rig->gpu, 2000 * UNIT);
    gpu_rig_wake(rig, false);
    tally_gpu_run(rig->gpu, 400 * UNIT);
    ROW(__LINE__, !tally_gpu_in_rc6(rig->gpu), "not after a busy one");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* Wells power down after the idle times of PG_ENABLE's registers. */
static void test_wells(void **state)
{
    (void)state;
    for (unsigned media = 0; media < 2; media++) {
        struct gpu_rig *rig = rig_of(__LINE__, "skl");
        const char *well = media ? "media0" : "render";
        put(rig, media ? MEDIA_IDLE : RENDER_IDLE, 10);
        put(rig, PG, media ? 2 : 1);
        put(rig, 0xa270, 0x00010000);
        put(rig, 0xa278, 0x00010000);
        tally_gpu_run(rig->gpu, 10 * UNIT - 1);
        ROW(__LINE__, !tally_gpu_well_is_down(rig->gpu, well), "%s is down early", well);
        tally_gpu_run(rig->gpu, 1);
        ROW(__LINE__, tally_gpu_well_is_down(rig->gpu, well), "%s is up", well);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- residency ------------------------------------------------------------------------------- */

/* Which counter counts, and that reading it needs no force wake and ends nothing. */
static void test_residency(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t target, counter;
    } rows[] = {
        {__LINE__, "snb", 4, RESIDENCY}, {__LINE__, "ivb", 5, DEEP},
        {__LINE__, "ivb", 6, DEEPEST},   {__LINE__, "ivb", 7, RESIDENCY},
        {__LINE__, "hsw", 5, RESIDENCY}, {__LINE__, "bdw", 6, RESIDENCY},
        {__LINE__, "skl", 4, RESIDENCY}, {__LINE__, "icl", 4, RESIDENCY},
        {__LINE__, "lkf", 4, RESIDENCY}, {__LINE__, "tgl", 4, RESIDENCY},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = rig_of(rows[i].line, rows[i].platform);
        put(rig, RC_CONTROL_AT, SOFTWARE);
        put(rig, RC_STATE_AT, rows[i].target << 16);
        uint32_t expected = 0;
        for (unsigned n = 1; n <= 20; n++) {
            tally_gpu_run(rig->gpu, 77 * UNIT);
            gpu_rig_wake(rig, false);
            tally_gpu_run(rig->gpu, n * UNIT);
            expected += n;
            for (uint32_t at = CONTROL_OF_COUNTERS; at <= DEEPEST; at += 4)
                ROW(rows[i].line, get(rig, at) == (at == rows[i].counter ? expected : 0),
                    "%s: %#" PRIx32 " is %" PRIu32 " after %u times", rows[i].platform, at,
                    get(rig, at), n);
            ROW(rows[i].line, tally_gpu_in_rc6(rig->gpu), "%s: left by a read", rows[i].platform);
            gpu_rig_wake(rig, true);
        }
        ROW(rows[i].line, tally_gpu_rc6_ns(rig->gpu) == (uint64_t)expected * UNIT, "%s: ns",
            rows[i].platform);
        put(rig, rows[i].counter, 1); /* read-only */
        put(rig, GDRST_AT, 1);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
        ROW(rows[i].line, get(rig, rows[i].counter) == expected, "%s: a reset of the GT keeps it",
            rows[i].platform);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
        ROW(rows[i].line, get(rig, rows[i].counter) == 0, "%s: a reset of the chip clears it",
            rows[i].platform);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The counter has 32 bits. */
static void test_wrap(void **state)
{
    (void)state;
    struct gpu_rig *rig = rig_of(__LINE__, "bdw");
    put(rig, RC_CONTROL_AT, SOFTWARE);
    put(rig, RC_STATE_AT, RC6);
    gpu_rig_wake(rig, false);
    tally_gpu_run_ns(rig->gpu, UINT64_C(0xffffffff) * UNIT);
    ROW(__LINE__, get(rig, RESIDENCY) == UINT32_MAX, "%#" PRIx32, get(rig, RESIDENCY));
    tally_gpu_run_ns(rig->gpu, 6 * UNIT);
    ROW(__LINE__, get(rig, RESIDENCY) == 5, "%#" PRIx32, get(rig, RESIDENCY));
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* Reads a register of the clock unit behind the sideband. */
static uint32_t read_clock_unit(struct gpu_rig *rig, uint32_t address)
{
    put(rig, 0x182108, address);
    put(rig, 0x182100, 6 << 16 | 0x14 << 8 | 0xf0 | 1);
    return get(rig, 0x182104);
}

/* Returns the CZ clock in Hz as the driver computes it, from the PLL's fuse and the divider. */
static uint64_t cz_hz(struct gpu_rig *rig)
{
    static const uint32_t plls[] = {800000000, 1600000000, 2000000000, 2400000000};
    return 2ull * plls[read_clock_unit(rig, 8) & 3] / ((read_clock_unit(rig, 0x62) & 0x1f) + 1);
}

/* Valleyview and Cherryview count clocks of the CZ clock for each well, in 40 bits. */
static void test_cz_clock(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t hz;
    } rows[] = {{__LINE__, "vlv", 333333333}, {__LINE__, "chv", 400000000}};
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = rig_of(rows[i].line, rows[i].platform);
        uint64_t ms = rows[i].hz / 1000; /* clocks */
        ROW(rows[i].line, cz_hz(rig) == rows[i].hz, "%" PRIu64 " Hz", cz_hz(rig));
        put(rig, RC_CONTROL_AT, 1 << 28);
        gpu_rig_wake(rig, false);
        tally_gpu_run_ns(rig->gpu, 1000000);
        ROW(rows[i].line, get(rig, RESIDENCY) == 0 && get(rig, RENDER_AWAKE) == 0, "not enabled");
        put(rig, CONTROL_OF_COUNTERS, 0x00330033);
        tally_gpu_run_ns(rig->gpu, 1000000);
        ROW(rows[i].line, get(rig, RESIDENCY) == ms && get(rig, DEEP) == ms, "%" PRIu32,
            get(rig, RESIDENCY));
        put(rig, 0x1300b8, 0x00010001); /* wakes media */
        tally_gpu_run_ns(rig->gpu, 1000000);
        ROW(rows[i].line, get(rig, RESIDENCY) == 2 * ms, "render sleeps");
        ROW(rows[i].line, get(rig, DEEP) == ms, "media does not");
        ROW(rows[i].line, get(rig, MEDIA_AWAKE) == ms && get(rig, RENDER_AWAKE) == 0, "awake");
        put(rig, CONTROL_OF_COUNTERS, 0x80008000); /* bits 39:8 */
        ROW(rows[i].line, get(rig, RESIDENCY) == 2 * ms >> 8, "the upper bits");
        ROW(rows[i].line, get(rig, CONTROL_OF_COUNTERS) == 0x8033, "masked writes");
        tally_gpu_run_ns(rig->gpu, UINT64_C(30000000000)); /* beyond 32 bits */
        ROW(rows[i].line, get(rig, RESIDENCY) == UINT64_C(30002) * rows[i].hz / 1000 >> 8,
            "%" PRIu32, get(rig, RESIDENCY));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Resets of the GT by its register keep what the driver has set; those of the chip do not. */
static void test_resets(void **state)
{
    static const uint32_t kept[] = {RC_CONTROL_AT, RC_STATE_AT,  PG,         INTERVAL,
                                    HYSTERESIS,    THRESHOLD_AT, MEDIA_IDLE, RENDER_IDLE};
    (void)state;
    struct gpu_rig *rig = rig_of(__LINE__, "skl");
    uint32_t clock = get(rig, 0xa01c);
    for (size_t i = 0; i < COUNT(kept); i++)
        put(rig, kept[i], 0x100 + (uint32_t)i);
    put(rig, GDRST_AT, 1);
    for (size_t i = 0; i < COUNT(kept); i++)
        ROW(__LINE__, get(rig, kept[i]) == 0x100 + i, "%#" PRIx32, kept[i]);
    ROW(__LINE__, get(rig, 0xa01c) == clock && clock, "RPSTAT1");
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
    gpu_rig_wake(rig, true);
    for (size_t i = 0; i < COUNT(kept); i++)
        ROW(__LINE__, get(rig, kept[i]) == 0, "%#" PRIx32, kept[i]);
    gpu_rig_free(rig);
    ROWS_DONE();
}

int test_gpu_rc6(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entry),  cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_wells),  cmocka_unit_test(test_residency),
        cmocka_unit_test(test_wrap),   cmocka_unit_test(test_cz_clock),
        cmocka_unit_test(test_resets),
    };
    return cmocka_run_group_tests_name("gpu: RC6", tests, NULL, NULL);
}
