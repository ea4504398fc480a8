/* SPDX-License-Identifier: MIT */
/* Time: the GPU follows the guest's, which QEMU's monitor stops and the guest's timer corrects. */
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "vm/rig.h"
#include "vm/qemu.h"
#include "vm/tests.h"

#define MS UINT64_C(1000000)

static void hear(const struct rig *rig, const char *line)
{
    assert_int_equal(send(rig->qmp, line, strlen(line), 0), strlen(line));
}

#define FORCEWAKE_RENDER 0xa278
#define TIMESTAMP        0x2358 /* of Intel's GPUs */
#define PTIMER           0x9400 /* of NVIDIA's */

/* Waits until the GPU's time, in a register, stands still, or passes. */
static void wait_for_clock(const struct rig *rig, uint32_t clock, bool passes)
{
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t before = qemu_read(rig->qemu, REGISTERS + clock, 4);
        poll(NULL, 0, 5);
        if ((qemu_read(rig->qemu, REGISTERS + clock, 4) != before) == passes)
            return;
    }
    fail_msg("the GPU's time %s", passes ? "stands still" : "passes");
}

static void wait_for_time(const struct rig *rig, bool passes)
{
    wait_for_clock(rig, TIMESTAMP, passes);
}

/* Starts a server with an Ice Lake that is awake, for a guest that runs. */
static void start_awake(struct rig *rig, uint32_t slow)
{
    rig_start(rig, &(struct vm_server_config){.gpu = "icl", .slow = slow});
    rig_enable(rig);
    qemu_write(rig->qemu, REGISTERS + FORCEWAKE_RENDER, 4, 0x00010001);
    hear(rig, "{\"return\": {}}\r\n");
    wait_for_time(rig, true);
}

/* A slow GPU's time is a part of the wall clock's; it may lose some, if the model is too slow. */
static void test_slow_time(void **state)
{
    enum { SLOW = 8 };
    struct rig rig;
    (void)state;
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    rig_start(&rig, &(struct vm_server_config){.gpu = "icl", .slow = SLOW});
    for (unsigned i = 0; i < 50; i++) {
        qemu_read_config(rig.qemu, 0, 4);
        poll(NULL, 0, 5);
    }
    rig_stop(&rig);
    struct vm_server_stats stats = vm_server_stats(rig.server);
    uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    assert_true(stats.gpu_ns + stats.lost_ns <= wall_ns / SLOW);
    assert_true(stats.gpu_ns > 0);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

/* A debugger that stops the guest stops the GPU. The server's own stops end by its commands. */
static void test_a_guest_that_is_held(void **state)
{
    static const char stop[] = "{\"timestamp\": {\"seconds\": 1}, \"event\": \"STOP\"}\r\n";
    static const char resume[] = "{\"timestamp\": {\"seconds\": 2}, \"event\": \"RESUME\"}\r\n";
    struct rig rig;
    (void)state;
    start_awake(&rig, 1);
    hear(&rig, stop);
    wait_for_time(&rig, false);
    hear(&rig, resume);
    wait_for_time(&rig, true);
    /* The time in which it is held is not part of the GPU's, which counts 12 MHz. */
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t before = qemu_read(rig.qemu, REGISTERS + TIMESTAMP, 4);
    hear(&rig, stop);
    wait_for_time(&rig, false);
    uint64_t held_ns = clock_ns(CLOCK_MONOTONIC);
    poll(NULL, 0, 200);
    held_ns = clock_ns(CLOCK_MONOTONIC) - held_ns;
    hear(&rig, resume);
    wait_for_time(&rig, true);
    uint64_t passed = qemu_read(rig.qemu, REGISTERS + TIMESTAMP, 4) - before;
    uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    assert_in_range(passed, 1, (wall_ns - held_ns) * 12 / 1000 + 12);
    rig_finish(&rig, 0);
}

/* Sends an event of a time. */
static void hear_event(const struct rig *rig, const char *name, uint64_t real_ns)
{
    char line[128];
    snprintf(line, sizeof line,
             "{\"timestamp\": {\"seconds\": %llu, \"microseconds\": %llu}, \"event\": \"%s\"}\r\n",
             (unsigned long long)(real_ns / 1000000000),
             (unsigned long long)(real_ns / 1000 % 1000000), name);
    hear(rig, line);
}

/* Stops are heard late: the guest's time stood still since the time of the event. */
static void test_late_news(void **state)
{
    enum { ROUNDS = 6, LATE_MS = 40 };
    struct rig rig;
    (void)state;
    start_awake(&rig, 1);
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), held_ns = 0;
    uint64_t before = qemu_read(rig.qemu, REGISTERS + TIMESTAMP, 4);
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t stop_ns = clock_ns(CLOCK_REALTIME);
        poll(NULL, 0, LATE_MS);
        hear_event(&rig, "STOP", stop_ns);
        wait_for_time(&rig, false);
        uint64_t resume_ns = clock_ns(CLOCK_REALTIME);
        hear_event(&rig, "RESUME", resume_ns);
        wait_for_time(&rig, true);
        held_ns += resume_ns - stop_ns;
    }
    uint64_t passed = qemu_read(rig.qemu, REGISTERS + TIMESTAMP, 4) - before;
    uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    assert_true(held_ns >= UINT64_C(1000000) * ROUNDS * LATE_MS);
    assert_in_range(passed, 1, (wall_ns - held_ns) * 12 / 1000 + 12000);
    rig_finish(&rig, 0);
}

/* Answers the server's request for the guest's timer. */
static void answer_timer(const struct rig *rig, uint32_t value)
{
    static const char request[] = "inl 0x608\n";
    char text[64] = "";
    assert_int_equal(recv(rig->qtest, text, sizeof request - 1, MSG_WAITALL), sizeof request - 1);
    assert_string_equal(text, request);
    int length = snprintf(text, sizeof text, "OK 0x%016x\n", value);
    assert_int_equal(send(rig->qtest, text, (size_t)length, 0), length);
}

/* The guest's timer says that it has run for half of the time that the monitor's events say. */
static void check_timer(uint32_t slow)
{
    enum { ROUNDS = 6, ROUND_MS = 60 };
    struct rig rig;
    start_awake(&rig, slow);
    uint64_t half_ns = 0, longest_ns = 0, resumed_ns = 0, before = 0, last = 0;
    for (unsigned i = 0; i <= ROUNDS; i++) {
        uint64_t ran_ns = i ? (clock_ns(CLOCK_MONOTONIC) - resumed_ns) / slow : 0;
        hear_event(&rig, "STOP", clock_ns(CLOCK_REALTIME));
        half_ns += ran_ns / 2;
        longest_ns = ran_ns > longest_ns ? ran_ns : longest_ns;
        /* It wraps in the second round. */
        answer_timer(&rig, (uint32_t)(0xfc0000 + half_ns * 3579545 / 1000000000) & 0xffffff);
        wait_for_time(&rig, false);
        last = qemu_read(rig.qemu, REGISTERS + TIMESTAMP, 4);
        before = i ? before : last;
        resumed_ns = clock_ns(CLOCK_MONOTONIC);
        hear_event(&rig, "RESUME", clock_ns(CLOCK_REALTIME));
        poll(NULL, 0, ROUND_MS);
    }
    assert_in_range(last - before, half_ns * 3 / 4 * 12 / 1000,
                    (half_ns + longest_ns + 5000000) * 12 / 1000);
    rig_finish(&rig, 0);
}

static void test_timer(void **state)
{
    (void)state;
    check_timer(1);
    check_timer(4);
}

/* ---- a server that is late ------------------------------------------------------------------- */

/* What delays the server: a remark, for which it waits. */
struct delay {
    int ms;
    int closed; /* the monitor, meanwhile; -1: it is not */
};

static void be_late(void *closure, const char *text)
{
    const struct delay *delay = closure;
    (void)text;
    if (delay->closed >= 0)
        shutdown(delay->closed, SHUT_RDWR);
    poll(NULL, 0, delay->ms);
}

/* Starts a server with a G92 that runs. Then a narrow write delays the server once. */
static void start_late(struct rig *rig, struct delay *delay, enum vm_clock clock)
{
    rig_start(rig, &(struct vm_server_config){
                       .gpu = "g92", .clock = clock, .note = be_late, .closure = delay});
    qemu_write_config(rig->qemu, 0x10, 4, REGISTERS);
    qemu_write_config(rig->qemu, 0x04, 2, 6);
    hear(rig, "{\"return\": {}}\r\n");
}

static void delay_server(const struct rig *rig)
{
    qemu_write(rig->qemu, REGISTERS, 1, 0);
}

static void expect_command(const struct rig *rig, const char *command)
{
    char text[64] = "";
    size_t bytes = strlen(command);
    assert_int_equal(recv(rig->qmp, text, bytes, MSG_WAITALL), bytes);
    assert_string_equal(text, command);
}

/* Stops the guest without a command, or by one that the server happens to send. */
static void hold(const struct rig *rig)
{
    struct pollfd polled[] = {{rig->qtest, POLLIN, 0}, {rig->qmp, POLLIN, 0}};
    hear_event(rig, "STOP", clock_ns(CLOCK_REALTIME));
    assert_true(poll(polled, 2, 10000) > 0);
    if (polled[0].revents)
        return;
    expect_command(rig, "{\"execute\":\"stop\"}\r\n");
    hear(rig, "{\"return\": {}}\r\n");
}

/* An answer of the timer that comes when the server has told the guest to continue is not used. */
static void test_a_late_answer(void **state)
{
    struct delay delay = {20, -1};
    struct rig rig;
    char text[64];
    (void)state;
    start_late(&rig, &delay, VM_CLOCK_GUEST);
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t before = qemu_read(rig.qemu, REGISTERS + PTIMER, 4);
    delay_server(&rig);
    expect_command(&rig, "{\"execute\":\"stop\"}\r\n");
    hear_event(&rig, "STOP", clock_ns(CLOCK_REALTIME));
    hear(&rig, "{\"return\": {}}\r\n");
    assert_true(recv(rig.qtest, text, sizeof text, 0) > 0);
    expect_command(&rig, "{\"execute\":\"cont\"}\r\n");
    int length = snprintf(text, sizeof text, "OK 0x%016x\n", 0);
    assert_int_equal(send(rig.qtest, text, (size_t)length, 0), length);
    poll(NULL, 0, 30);
    hear_event(&rig, "RESUME", clock_ns(CLOCK_REALTIME));
    hear(&rig, "{\"return\": {}}\r\n");
    wait_for_clock(&rig, PTIMER, true);
    hold(&rig);
    answer_timer(&rig, 3579545 / 2); /* half a second after the late answer, if that were used */
    poll(NULL, 0, 200);
    uint64_t passed = qemu_read(rig.qemu, REGISTERS + PTIMER, 4) - before;
    assert_in_range(passed, 1, clock_ns(CLOCK_MONOTONIC) - start_ns + MS);
    rig_finish(&rig, 0);
}

/* Time that the GPU has lost is not given back by the guest's timer, which has counted it. */
static void test_lost_time(void **state)
{
    struct delay delay = {1500, -1}; /* the GPU loses what is beyond a second */
    struct rig rig;
    (void)state;
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    start_late(&rig, &delay, VM_CLOCK_WALL);
    hold(&rig);
    answer_timer(&rig, 0);
    uint64_t resumed_ns = clock_ns(CLOCK_MONOTONIC);
    hear_event(&rig, "RESUME", clock_ns(CLOCK_REALTIME));
    delay_server(&rig);
    poll(NULL, 0, 50);
    uint64_t ran_ns = clock_ns(CLOCK_MONOTONIC) - resumed_ns;
    hold(&rig);
    answer_timer(&rig, (uint32_t)(ran_ns * 3579545 / 1000000000) & 0xffffff);
    poll(NULL, 0, 300);
    rig_stop(&rig);
    struct vm_server_stats stats = vm_server_stats(rig.server);
    uint64_t wall_ns = clock_ns(CLOCK_MONOTONIC) - start_ns;
    assert_true(stats.lost_ns >= 400 * MS);
    assert_in_range(stats.gpu_ns + stats.lost_ns, 1, wall_ns);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

/* ---- the end of the monitor ------------------------------------------------------------------ */

/* The monitor closes while the guest is stopped: that time is not lost to the model's slowness. */
static void test_a_monitor_that_closes(void **state)
{
    enum { HELD_MS = 600 };
    struct rig rig;
    (void)state;
    start_awake(&rig, 1);
    hold(&rig);
    answer_timer(&rig, 0);
    poll(NULL, 0, HELD_MS);
    shutdown(rig.qmp, SHUT_RDWR);
    wait_for_time(&rig, true);
    rig_stop(&rig);
    struct vm_server_stats stats = vm_server_stats(rig.server);
    assert_in_range(stats.lost_ns, 0, HELD_MS / 2 * MS);
    assert_true(stats.stopped_ns >= HELD_MS / 2 * MS);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

/* QEMU ends when it is to be stopped: not an error. */
static void test_a_monitor_that_has_closed(void **state)
{
    struct delay delay = {20, -1};
    struct rig rig;
    (void)state;
    start_late(&rig, &delay, VM_CLOCK_GUEST);
    delay.closed = rig.qmp;
    delay_server(&rig);
    qemu_read(rig.qemu, REGISTERS, 4);
    rig_finish(&rig, 0);
}

int run_time_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_time),
        cmocka_unit_test(test_a_guest_that_is_held),
        cmocka_unit_test(test_late_news),
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_a_late_answer),
        cmocka_unit_test(test_lost_time),
        cmocka_unit_test(test_a_monitor_that_closes),
        cmocka_unit_test(test_a_monitor_that_has_closed),
    };
    return cmocka_run_group_tests_name("time", tests, NULL, NULL);
}
