/* SPDX-License-Identifier: MIT */
/* The frequency that software requests, and the evaluation of load (OA-16.15). */
#include "intel/gpu_rig.h"

#include <inttypes.h>

enum {
    REQUEST = 0xa008,
    DOWN_TIMEOUT_AT = 0xa010,
    LIMITS = 0xa014,
    RPSTAT = 0xa01c,
    CONTROL = 0xa024,
    UP_THRESHOLD_AT = 0xa02c,
    DOWN_THRESHOLD_AT = 0xa030,
    CUR_UP_EI = 0xa050,
    CUR_UP = 0xa054,
    PREV_UP = 0xa058,
    CUR_DOWN_EI = 0xa05c,
    PREV_DOWN = 0xa064,
    UP_EI = 0xa068,
    DOWN_EI = 0xa06c,
    MASK_AT = 0xa168,
    PMIMR = 0x44024,
    PMIIR = 0x44028,
    GT2_IMR = 0x44324,
    GT2_IIR = 0x44328,
    DOORBELL = 0x182100,
    SIDEBAND_DATA = 0x182104,
    SIDEBAND_ADDRESS = 0x182108,
    GDRST_AT = 0x941c
};

#define IN_SOFTWARE 0x400u /* RP_CONTROL: requests are in effect */
#define EVALUATES   0x492u /* and load is evaluated, up and down */

/* Events. */
#define DOWN_ENDED 0x02u
#define UP_ENDED   0x04u
#define DOWN       0x10u
#define UP         0x20u
#define TIMED_OUT  0x40u

static void put(const struct gpu_rig *rig, uint32_t address, uint32_t value)
{
    tally_gpu_write32(rig->gpu, address, value);
}

static uint32_t get(const struct gpu_rig *rig, uint32_t address)
{
    return tally_gpu_read32(rig->gpu, address);
}

static double mhz(const struct gpu_rig *rig)
{
    return tally_gpu_clock_hz(rig->gpu) / 1e6;
}

/* ---- the frequency --------------------------------------------------------------------------- */

static void test_requests(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t request, clock_hz, status;
    } rows[] = {
        {__LINE__, "snb", 10u << 25, 500000000, 10 << 8},
        {__LINE__, "ivb", 27u << 25, 1350000000, 27 << 8},
        {__LINE__, "ivb", 1u << 31 | 12u << 25, 600000000, 12 << 8},
        {__LINE__, "ivb", 0, 350000000, 7 << 8}, /* the lowest */
        {__LINE__, "hsw", 4u << 24, 200000000, 4 << 7},
        {__LINE__, "hsw", 3u << 24, 200000000, 4 << 7},
        {__LINE__, "hsw", 27u << 24, 1350000000, 27 << 7},
        {__LINE__, "hsw", 28u << 24, 1350000000, 27 << 7}, /* the highest */
        {__LINE__, "hsw/gt3", 27u << 24, 1300000000, 26 << 7},
        {__LINE__, "bdw", 0x7fu << 24, 950000000, 19 << 7},
        {__LINE__, "skl", 25u << 23, 416666667, 25u << 23},
        {__LINE__, "skl", 0x1ffu << 23, 1150000000, 69u << 23},
        {__LINE__, "icl", 17u << 23 | 0x7fffff, 300000000, 18u << 23},
        {__LINE__, "tgl", 80u << 23, 1333333333, 80u << 23},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        uint32_t before = tally_gpu_clock_hz(rig->gpu);
        put(rig, REQUEST, rows[i].request);
        ROW(rows[i].line, tally_gpu_clock_hz(rig->gpu) == before, "nobody processes requests");
        ROW(rows[i].line, get(rig, REQUEST) == rows[i].request, "%" PRIx32, get(rig, REQUEST));
        put(rig, CONTROL, IN_SOFTWARE);
        ROW(rows[i].line, tally_gpu_clock_hz(rig->gpu) == rows[i].clock_hz, "%f MHz", mhz(rig));
        ROW(rows[i].line, get(rig, RPSTAT) == rows[i].status, "%" PRIx32, get(rig, RPSTAT));
        uint64_t clocks = tally_gpu_run_ns(rig->gpu, 1000000);
        ROW(rows[i].line,
            clocks >= rows[i].clock_hz / 1000 && clocks <= rows[i].clock_hz / 1000 + 1,
            "%" PRIu64 " clocks in a ms", clocks);
        put(rig, CONTROL, 0);
        put(rig, REQUEST, UINT32_MAX);
        ROW(rows[i].line, tally_gpu_clock_hz(rig->gpu) == rows[i].clock_hz, "it stays");
        put(rig, GDRST_AT, 1);
        ROW(rows[i].line, get(rig, RPSTAT) == rows[i].status, "a reset of the GT keeps it");
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
        ROW(rows[i].line, tally_gpu_clock_hz(rig->gpu) == before, "one of the chip does not");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* Valleyview's and Cherryview's requests are sent through the sideband. */
static void test_sideband(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t code, clock_hz;
    } rows[] = {
        {__LINE__, "vlv", 0xb7 + 20, 444444444}, {__LINE__, "vlv", 0xff, 888888889},
        {__LINE__, "vlv", 0xb8, 311111111},      {__LINE__, "vlv", 0xb7, 896000000},
        {__LINE__, "chv", 0x30, 300000000},      {__LINE__, "chv", 0x32, 312500000},
        {__LINE__, "chv", 0x80, 700000000},      {__LINE__, "chv", 2, 200000000},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        put(rig, SIDEBAND_ADDRESS, 0xd4);
        put(rig, SIDEBAND_DATA, rows[i].code << 8);
        put(rig, DOORBELL, 0x000704f1);
        ROW(rows[i].line, tally_gpu_clock_hz(rig->gpu) == rows[i].clock_hz, "%f MHz", mhz(rig));
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* A request by a command changes the clock while the GPU runs for a time: the time is kept. */
static void test_request_by_command(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    put(rig, CONTROL, IN_SOFTWARE);
    ROW(__LINE__, tally_gpu_clock_hz(rig->gpu) == 200000000, "%f MHz", mhz(rig));
    put(rig, REQUEST, 20u << 24);
    PUT(rig, 0, 0, 0x11000001, REQUEST, 4u << 24, 0); /* MI_LOAD_REGISTER_IMM in the ring */
    put(rig, 0x203c, 1);
    put(rig, 0x2030, 16);
    uint64_t before = tally_gpu_now_ns(rig->gpu);
    tally_gpu_run_ns(rig->gpu, 1000000);
    ROW(__LINE__, tally_gpu_clock_hz(rig->gpu) == 200000000, "%f MHz", mhz(rig));
    ROW(__LINE__, tally_gpu_now_ns(rig->gpu) - before <= 1000005, "%" PRIu64 " ns",
        tally_gpu_now_ns(rig->gpu) - before);
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* ---- load ------------------------------------------------------------------------------------ */

/* Makes the render engine busy for good, by a batch that jumps to itself, or idle by a reset. */
static void set_busy(struct gpu_rig *rig, bool busy)
{
    if (!busy) {
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
        return;
    }
    PUT(rig, 0, 0x1000, 0x18800000, 0x1000);
    PUT(rig, 0, 0, 0x18800000, 0x1000, 0, 0);
    put(rig, 0x203c, 1);
    put(rig, 0x2030, 16);
}

/* A unit of time is 16 ticks of the timestamp: 1280 ns at 12.5 MHz. */
#define UNIT_NS UINT64_C(1280)

static uint32_t take(struct gpu_rig *rig, uint32_t iir)
{
    uint32_t events = get(rig, iir);
    put(rig, iir, events);
    return events;
}

static void test_events(void **state)
{
    static const struct {
        unsigned line;
        bool busy;
        uint32_t control, up, down, timeout, limits, mask;
        uint32_t after_100, after_200, after_400; /* units */
    } rows[] = {
        {__LINE__, true, EVALUATES, 95, 170, 0, 0xff000000, 0, UP | UP_ENDED,
         UP | UP_ENDED | DOWN_ENDED, UP | UP_ENDED | DOWN_ENDED},
        {__LINE__, true, EVALUATES, 100, 170, 0, 0xff000000, 0, UP_ENDED, UP_ENDED | DOWN_ENDED,
         UP_ENDED | DOWN_ENDED},
        {__LINE__, true, EVALUATES, 95, 201, 0, 0xff000000, 0, UP | UP_ENDED,
         UP | UP_ENDED | DOWN | DOWN_ENDED, UP | UP_ENDED | DOWN | DOWN_ENDED},
        {__LINE__, false, EVALUATES, 0, 1, 0, 0xff000000, 0, UP_ENDED, UP_ENDED | DOWN | DOWN_ENDED,
         UP_ENDED | DOWN | DOWN_ENDED},
        {__LINE__, false, EVALUATES, 0, 1, 0, 0x14140000, 0, UP_ENDED, UP_ENDED | DOWN_ENDED,
         UP_ENDED | DOWN_ENDED}, /* 1000 MHz are the limit */
        {__LINE__, false, EVALUATES, 0, 1, 0, 0x14130000, 0, UP_ENDED, UP_ENDED | DOWN | DOWN_ENDED,
         UP_ENDED | DOWN | DOWN_ENDED},
        {__LINE__, true, EVALUATES, 95, 170, 0, 0x14000000, 0, UP_ENDED, UP_ENDED | DOWN_ENDED,
         UP_ENDED | DOWN_ENDED},
        {__LINE__, true, EVALUATES, 95, 170, 0, 0x15000000, 0, UP | UP_ENDED,
         UP | UP_ENDED | DOWN_ENDED, UP | UP_ENDED | DOWN_ENDED},
        {__LINE__, true, EVALUATES, 95, 170, 0, 0xff000000, ~UP, UP, UP, UP},
        {__LINE__, true, EVALUATES, 95, 170, 0, 0xff000000, UINT32_MAX, 0, 0, 0},
        {__LINE__, true, IN_SOFTWARE, 95, 170, 0, 0xff000000, 0, 0, 0, 0},
        {__LINE__, true, EVALUATES & ~2u, 95, 170, 0, 0xff000000, 0, UP | UP_ENDED, UP | UP_ENDED,
         UP | UP_ENDED},
        {__LINE__, false, EVALUATES & ~0x10u, 95, 170, 0, 0, 0, 0, DOWN | DOWN_ENDED,
         DOWN | DOWN_ENDED},
        {__LINE__, false, EVALUATES, 0, 0, 150, 0, ~TIMED_OUT, 0, TIMED_OUT, 0}, /* once */
        {__LINE__, true, EVALUATES, 0, 0, 150, 0, ~TIMED_OUT, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, "hsw");
        set_busy(rig, rows[i].busy);
        put(rig, PMIMR, 0);
        put(rig, REQUEST, 20u << 24);
        put(rig, UP_EI, 100);
        put(rig, DOWN_EI, 200);
        put(rig, UP_THRESHOLD_AT, rows[i].up);
        put(rig, DOWN_THRESHOLD_AT, rows[i].down);
        put(rig, DOWN_TIMEOUT_AT, rows[i].timeout);
        put(rig, LIMITS, rows[i].limits);
        put(rig, MASK_AT, rows[i].mask);
        put(rig, CONTROL, rows[i].control);
        tally_gpu_run_ns(rig->gpu, 99 * UNIT_NS);
        uint32_t events = take(rig, PMIIR);
        ROW(rows[i].line, events == 0, "%" PRIx32 " early", events);
        tally_gpu_run_ns(rig->gpu, UNIT_NS + 10);
        events = take(rig, PMIIR);
        ROW(rows[i].line, events == rows[i].after_100, "%" PRIx32 " after 100", events);
        tally_gpu_run_ns(rig->gpu, 100 * UNIT_NS);
        events = take(rig, PMIIR);
        ROW(rows[i].line, events == rows[i].after_200, "%" PRIx32 " after 200", events);
        tally_gpu_run_ns(rig->gpu, 200 * UNIT_NS);
        events = take(rig, PMIIR);
        ROW(rows[i].line, events == rows[i].after_400, "%" PRIx32 " after 400", events);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The counters of the evaluation, in its units. */
static void test_counters(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "bdw");
    put(rig, UP_EI, 100);
    put(rig, DOWN_EI, 300);
    put(rig, CONTROL, EVALUATES);
    tally_gpu_run_ns(rig->gpu, 30 * UNIT_NS);
    set_busy(rig, true);
    tally_gpu_run_ns(rig->gpu, 50 * UNIT_NS + 100);
    ROW(__LINE__, get(rig, CUR_UP_EI) == 80 && get(rig, CUR_DOWN_EI) == 80, "time");
    ROW(__LINE__, get(rig, CUR_UP) == 50 && get(rig, PREV_UP) == 0, "%" PRIu32, get(rig, CUR_UP));
    tally_gpu_run_ns(rig->gpu, 21 * UNIT_NS);
    ROW(__LINE__, get(rig, PREV_UP) == 70 && get(rig, CUR_UP_EI) == 1, "%" PRIu32,
        get(rig, PREV_UP));
    tally_gpu_run_ns(rig->gpu, 200 * UNIT_NS);
    ROW(__LINE__, get(rig, PREV_DOWN) == 270, "%" PRIu32, get(rig, PREV_DOWN));
    put(rig, CONTROL, 0);
    ROW(__LINE__, get(rig, CUR_UP_EI) == 0 && get(rig, CUR_UP) == 0, "off");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* No time passes for the evaluation in RC6. */
static void test_rc6(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = "hsw"});
    gpu_rig_wake(rig, true);
    put(rig, UP_EI, 100);
    put(rig, CONTROL, EVALUATES);
    put(rig, PMIMR, 0);
    tally_gpu_run_ns(rig->gpu, 40 * UNIT_NS);
    gpu_rig_wake(rig, false);
    assert_int_equal(tally_gpu_enter_rc6(rig->gpu), 0);
    tally_gpu_run_ns(rig->gpu, 1000 * UNIT_NS);
    ROW(__LINE__, take(rig, PMIIR) == 0, "an event in RC6");
    gpu_rig_wake(rig, true);
    uint32_t now = get(rig, CUR_UP_EI);
    ROW(__LINE__, now >= 39 && now <= 41, "%" PRIu32, now);
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* The interrupts of other generations: group 2 of Gen8 and Gen9, GTPM's message from Gen11 on. */
static void test_interrupts(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl"); /* a unit is 4/3 us */
    put(rig, GT2_IMR, 0);
    put(rig, UP_EI, 75);
    put(rig, CONTROL, EVALUATES);
    tally_gpu_run_ns(rig->gpu, 99990);
    ROW(__LINE__, get(rig, GT2_IIR) == 0, "early");
    tally_gpu_run_ns(rig->gpu, 20);
    ROW(__LINE__, get(rig, GT2_IIR) == UP_ENDED, "%" PRIx32, get(rig, GT2_IIR));
    put(rig, 0x4432c, UP_ENDED);
    ROW(__LINE__, get(rig, 0x44200) & 1 << 4, "master control: %" PRIx32, get(rig, 0x44200));
    gpu_rig_free(rig);

    rig = gpu_rig_awake(__LINE__, "tgl"); /* 5/6 us */
    put(rig, 0x19003c, 0xffff0000);       /* GPM_WGBOXPERF: enables GTPM */
    put(rig, 0x1900ec, 0);                /* unmasks it */
    put(rig, UP_EI, 120);
    put(rig, CONTROL, EVALUATES);
    tally_gpu_run_ns(rig->gpu, 99990);
    ROW(__LINE__, get(rig, 0x190018) == 0, "early");
    tally_gpu_run_ns(rig->gpu, 20);
    ROW(__LINE__, get(rig, 0x190018) == 1 << 16, "%" PRIx32, get(rig, 0x190018));
    put(rig, 0x190070, 1 << 16);
    ROW(__LINE__, (get(rig, 0x190060) & 0xffff) == UP_ENDED, "%" PRIx32, get(rig, 0x190060));
    gpu_rig_free(rig);
    ROWS_DONE();
}

int test_gpu_rps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),           cmocka_unit_test(test_sideband),
        cmocka_unit_test(test_request_by_command), cmocka_unit_test(test_events),
        cmocka_unit_test(test_counters),           cmocka_unit_test(test_rc6),
        cmocka_unit_test(test_interrupts),
    };
    return cmocka_run_group_tests_name("gpu: frequencies", tests, NULL, NULL);
}
