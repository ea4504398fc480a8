/* SPDX-License-Identifier: MIT */
/* The free clock and the wall clock of an emulated device. */
#include <errno.h>
#include <time.h>

#include "emulation/emulation.h"
#include "emulation/tests.h"

#define MS UINT64_C(1000000)

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct emulation *new (enum emulation_clock clock, uint64_t max_lag_ns)
{
    struct emulation_settings settings = {
        .gpu.platform = "skl", .clock = clock, .max_lag_ns = max_lag_ns};
    struct emulation *emulation = NULL;
    struct tally_error error = {0};
    if (emulation_new(&settings, &emulation, &error) < 0)
        fail_msg("%s", error.message);
    return emulation;
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){0, ms * (long)MS}, NULL);
}

/* Time passes only in emulation_run_ns() and in sleeps. */
static void test_the_free_clock(void **state)
{
    (void)state;
    struct emulation *emulation = new (EMULATION_FREE, 0);
    uint64_t start = emulation_now_ns(emulation);
    sleep_ms(2);
    assert_int_equal(emulation_lag_ns(emulation), 0);
    emulation_catch_up(emulation);
    emulation_start_clock(emulation);
    assert_int_equal(emulation_now_ns(emulation), start);
    emulation_run_ns(emulation, 3 * MS);
    assert_in_range(emulation_now_ns(emulation), start + 3 * MS, start + 3 * MS + 1000);
    uint64_t before = emulation_now_ns(emulation);
    assert_int_equal(emulation->hardware.io.sleep_ns(emulation, MS, true), 0);
    assert_in_range(emulation_now_ns(emulation), before + MS, before + MS + 1000);
    assert_int_equal(emulation_next_ns(emulation), UINT64_MAX);
    emulation_free(emulation);
}

/* After catching up GPU time is the wall clock's, ahead by at most one clock. */
static void test_wall(void **state)
{
    (void)state;
    uint64_t before = wall_ns();
    struct emulation *emulation = new (EMULATION_WALL, 0);
    sleep_ms(3);
    assert_true(emulation_lag_ns(emulation) >= 3 * MS);
    uint64_t wall = wall_ns();
    emulation_catch_up(emulation);
    uint64_t now = emulation_now_ns(emulation);
    assert_true(now >= wall && now <= wall_ns() + 1000);
    assert_int_equal(emulation->paused_ns, 0);
    assert_true(tally_gpu_now_ns(emulation->gpu) <= wall_ns() - before + 1000);

    /* Time before the start of the clock does not count. */
    uint64_t gpu = tally_gpu_now_ns(emulation->gpu);
    sleep_ms(3);
    wall = wall_ns();
    emulation_start_clock(emulation);
    assert_int_equal(tally_gpu_now_ns(emulation->gpu), gpu);
    assert_true(emulation_now_ns(emulation) >= wall);
    emulation_free(emulation);
}

/* The driver's sleeps take real time, and let the GPU run for the same time. */
static void test_sleeping_by_the_wall(void **state)
{
    (void)state;
    struct emulation *emulation = new (EMULATION_WALL, 0);
    uint64_t before = emulation_now_ns(emulation);
    assert_int_equal(emulation->hardware.io.sleep_ns(emulation, 2 * MS, false), 0);
    assert_in_range(emulation_now_ns(emulation), before + 2 * MS, before + 2 * MS + 1000);
    assert_true(wall_ns() >= before + 2 * MS);
    /* A sleep of 0 lets the GPU catch up with the time that the driver has used. */
    sleep_ms(2);
    uint64_t wall = wall_ns();
    emulation->hardware.io.sleep_ns(emulation, 0, false);
    assert_true(emulation_now_ns(emulation) >= wall);
    emulation_free(emulation);
}

/* A device that is too slow pauses its GPU's clock: it catches up with at most the maximum lag. */
static void test_the_maximum_lag(void **state)
{
    (void)state;
    struct emulation *emulation = new (EMULATION_WALL, MS);
    uint64_t gpu = tally_gpu_now_ns(emulation->gpu);
    sleep_ms(10);
    emulation_catch_up(emulation);
    assert_in_range(tally_gpu_now_ns(emulation->gpu), gpu + MS, gpu + MS + 1000);
    assert_true(emulation->paused_ns >= 9 * MS);
    uint64_t paused = emulation->paused_ns;
    sleep_ms(10);
    emulation_catch_up(emulation);
    assert_true(emulation->paused_ns >= paused + 9 * MS);
    /* Clients see no pause. */
    uint64_t now = emulation_now_ns(emulation);
    assert_true(now + emulation_lag_ns(emulation) >= now);
    assert_true(now <= wall_ns() + 1000 && now >= emulation->paused_ns);
    emulation_free(emulation);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct emulation_settings settings;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, {.gpu.platform = "dg2"}, -EINVAL, "dg2"},
        {__LINE__, {.gpu.platform = "hsw", .workload = "no-such"}, -ENOENT, "no-such"},
        {__LINE__, {.gpu.platform = "hsw", .driver.perf_revision = 8}, -EINVAL, "1 to 7"},
        {__LINE__, {.gpu.platform = "hsw", .driver.memory_bytes = 4096}, -ENOMEM, "memory"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct emulation *emulation = NULL;
        struct tally_error error = {0};
        int result = emulation_new(&rows[i].settings, &emulation, &error);
        ROW(rows[i].line,
            result == rows[i].result && emulation == NULL && strstr(error.message, rows[i].message),
            "gave %d: %s", result, error.message);
    }
    ROWS_DONE();
}

int run_clock_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_free_clock),
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_sleeping_by_the_wall),
        cmocka_unit_test(test_the_maximum_lag),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
