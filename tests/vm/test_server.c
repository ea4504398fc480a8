/* SPDX-License-Identifier: MIT */
/* The server with a GPU, driven as QEMU and the guest's driver do. */
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <string.h>

#include "base/clock.h"
#include "vm/rig.h"
#include "vm/qemu.h"
#include "vm/tests.h"

static void start(struct rig *rig, const char *gpu)
{
    rig_start(rig, &(struct vm_server_config){.gpu = gpu});
}

/* Assigns the BARs and enables the device. */
static void enable(const struct rig *rig)
{
    qemu_write_config(rig->qemu, 0x10, 4, REGISTERS);
    qemu_write_config(rig->qemu, 0x18, 4, APERTURE);
    qemu_write_config(rig->qemu, 0x04, 2, 6);
}

/* ---- configuration space --------------------------------------------------------------------- */

/* The probe of x-pci-proxy-dev: sizes of seven BARs, with 32 bits. */
static void test_probe(void **state)
{
    static const struct {
        int line;
        const char *gpu;
        uint32_t id, sizes[7];
        const char *driver_row; /* that the driver is given, since its table lacks the id */
    } rows[] = {
        {__LINE__, "icl", 0x8a52, {0x1000000, 0, 0x10000000, 0, 64, 0, 0}, NULL},
        {__LINE__, "lkf", 0x9840, {0x1000000, 0, 0x10000000, 0, 64, 0, 0}, "icl_info"},
        {__LINE__, "skl", 0x1912, {0x1000000, 0, 0x10000000, 0, 64, 0, 0}, NULL},
        {__LINE__, "hsw", 0x0416, {0x400000, 0, 0x10000000, 0, 64, 0, 0}, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        start(&rig, rows[i].gpu);
        if (qemu_read_config(rig.qemu, 0, 2) != 0x8086 ||
            qemu_read_config(rig.qemu, 2, 2) != rows[i].id)
            fail_msg("row %d: id %#x", rows[i].line, qemu_read_config(rig.qemu, 2, 2));
        const char *row = vm_server_driver_row(rig.server), *expected = rows[i].driver_row;
        if (row != expected && (!row || !expected || strcmp(row, expected)))
            fail_msg("row %d: driven as %s", rows[i].line, row ? row : "itself");
        for (uint32_t bar = 0; bar < 7; bar++) {
            uint32_t before = qemu_read_config(rig.qemu, 0x10 + 4 * bar, 4);
            qemu_write_config(rig.qemu, 0x10 + 4 * bar, 4, UINT32_MAX);
            uint32_t after = qemu_read_config(rig.qemu, 0x10 + 4 * bar, 4);
            qemu_write_config(rig.qemu, 0x10 + 4 * bar, 4, before);
            uint32_t size = ~(after & 0xfffffff0) + 1;
            if (size != rows[i].sizes[bar] || (!(after & 1) && (after & 6)) || before & ~15u)
                fail_msg("row %d: BAR %u: %#x, %#x", rows[i].line, bar, before, after);
            assert_int_equal(qemu_read_config(rig.qemu, 0x10 + 4 * bar, 4), before);
        }
        rig_finish(&rig, 0);
    }
}

static void test_registers(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "icl");
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa278, 4), UINT32_MAX);
    enable(&rig);
    qemu_write(rig.qemu, REGISTERS + 0xa278, 4, 0x00010001); /* FORCEWAKE_RENDER */
    qemu_write(rig.qemu, REGISTERS + 0x2b28, 4, 0x12345678);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xd84, 4), 1);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0x7ffffc, 4), 0);
    assert_int_equal(qemu_read(rig.qemu, APERTURE - 4, 4), UINT32_MAX);

    /* A byte of a BAR, and a reset. */
    assert_int_equal(qemu_read_config(rig.qemu, 0x13, 1), 0xfd);
    assert_int_equal(qemu_read_config(rig.qemu, 0x1a, 2), 0xd000);
    struct qemu_message reset = qemu_simple(DEVICE_RESET);
    qemu_send(rig.qemu, &reset, NULL, 0);
    qemu_answer(rig.qemu);
    assert_int_equal(qemu_read_config(rig.qemu, 0x10, 4), 0);
    assert_int_equal(qemu_read_config(rig.qemu, 0x04, 2), 0);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xd84, 4), UINT32_MAX);
    /* What firmware has set is still there: the size of the page table. */
    assert_int_not_equal(qemu_read_config(rig.qemu, 0x50, 2), 0);
    rig_finish(&rig, 0);
}

/* A reset of the machine undoes all that software has done to configuration space, also in D3hot.
 */
static void test_reset(void **state)
{
    static const char *const gpus[] = {"lkf", "skl", "hsw", "vlv", "chv", "dg1"};
    static const struct {
        uint32_t offset, bytes, value;
    } writes[] = {
        {0x60, 4, 0x30000},    {0x78, 2, 0x7fff},     {0x3c, 1, 0x55},       {0x90, 4, 0x10005},
        {0x94, 4, 0xfee00000}, {0xb0, 4, 0xfee00000}, {0xac, 4, 0x10005},    {0xb8, 1, 1},
        {0xe0, 2, 0xfffe},     {0xe4, 4, UINT32_MAX}, {0xfc, 4, 0x12345678}, {0xd4, 1, 3},
    };
    struct qemu_message reset = qemu_simple(DEVICE_RESET);
    (void)state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        struct rig rig;
        uint32_t before[64];
        start(&rig, gpus[i]);
        for (uint32_t k = 0; k < 64; k++)
            before[k] = qemu_read_config(rig.qemu, 4 * k, 4);
        assert_int_equal(before[0x2c / 4], before[0]); /* the subsystem, by firmware */
        enable(&rig);
        for (size_t k = 0; k < sizeof writes / sizeof *writes; k++)
            qemu_write_config(rig.qemu, writes[k].offset, writes[k].bytes, writes[k].value);
        assert_int_equal(qemu_read_config(rig.qemu, 0xd4, 1) & 3, 3);
        qemu_send(rig.qemu, &reset, NULL, 0);
        qemu_answer(rig.qemu);
        for (uint32_t k = 0; k < 64; k++)
            if (qemu_read_config(rig.qemu, 4 * k, 4) != before[k])
                fail_msg("%s: %#x: %#x, was %#x", gpus[i], 4 * k,
                         qemu_read_config(rig.qemu, 4 * k, 4), before[k]);
        enable(&rig);
        assert_int_not_equal(qemu_read(rig.qemu, REGISTERS + 0xa090, 4), UINT32_MAX);
        rig_finish(&rig, 0);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The aperture reaches the guest's memory through the page table in the BAR's upper half. */
static void test_aperture(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "icl");
    enable(&rig);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0x800000 + 8 * 5, 8), 0);
    assert_int_equal(qemu_read(rig.qemu, APERTURE + 0x5678, 4), UINT32_MAX);
    qemu_share(rig.qemu, rig.ram, 0x100000000, 0x1000, RAM_BYTES - 0x1000);
    qemu_write(rig.qemu, REGISTERS + 0x800000 + 8 * 5, 8, UINT64_C(0x100003000) | 1);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0x800000 + 8 * 5, 8), 0x100003001);
    memcpy(rig.memory + 0x4678, "\x44\x33\x22\x11", 4);
    assert_int_equal(qemu_read(rig.qemu, APERTURE + 0x5678, 4), 0x11223344);
    qemu_write(rig.qemu, APERTURE + 0x567c, 4, 0xcafe1234);
    assert_memory_equal(rig.memory + 0x467c, "\x34\x12\xfe\xca", 4);

    /* Other memory replaces it. */
    qemu_share(rig.qemu, rig.ram, 0, 0, 0x1000);
    assert_int_equal(qemu_read(rig.qemu, APERTURE + 0x5678, 4), UINT32_MAX);
    rig_finish(&rig, 0);
}

static void test_memory_outside_of_its_file(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "icl");
    qemu_share(rig.qemu, rig.ram, 0, 0x1000, RAM_BYTES);
    rig_finish(&rig, -EBADMSG);
    assert_non_null(strstr(rig.error.message, "expected a part of a file"));
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Waits for what the server writes to the test protocol. */
static void expect_message(const struct rig *rig, const char *expected)
{
    struct pollfd polled = {rig->qtest, POLLIN, 0};
    char text[64] = "";
    assert_int_equal(poll(&polled, 1, 10000), 1);
    assert_true(read(rig->qtest, text, sizeof text - 1) > 0);
    assert_string_equal(text, expected);
}

/* An interrupt of the render engine (MI_USER_INTERRUPT of a ring on Haswell's GGTT). */
static void test_interrupt(void **state)
{
    static const uint32_t ring[] = {0x01000000, 0, 0, 0}; /* MI_USER_INTERRUPT, MI_NOOP */
    struct rig rig;
    (void)state;
    start(&rig, "hsw");
    enable(&rig);
    qemu_share(rig.qemu, rig.ram, 0, 0, RAM_BYTES);
    memcpy(rig.memory + 0x10000, ring, sizeof ring);
    qemu_write(rig.qemu, REGISTERS + 0x200000, 4, 0x10000 | 1);
    qemu_write_config(rig.qemu, 0x94, 4, 0xfee00000);
    qemu_write_config(rig.qemu, 0x98, 2, 0x4021);
    qemu_write_config(rig.qemu, 0x92, 2, 1);
    qemu_write(rig.qemu, REGISTERS + 0xa188, 4, 0x00010001);  /* FORCEWAKE_MT */
    qemu_write(rig.qemu, REGISTERS + 0x44014, 4, ~1u);        /* GTIMR */
    qemu_write(rig.qemu, REGISTERS + 0x4401c, 4, 1);          /* GTIER */
    qemu_write(rig.qemu, REGISTERS + 0x4400c, 4, 0x80000000); /* DEIER: master */
    qemu_write(rig.qemu, REGISTERS + 0x20a8, 4, ~1u);         /* RING_IMR */
    qemu_write(rig.qemu, REGISTERS + 0x2038, 4, 0);           /* RING_START */
    qemu_write(rig.qemu, REGISTERS + 0x203c, 4, 1);           /* RING_CTL */
    qemu_write(rig.qemu, REGISTERS + 0x2030, 4, 16);          /* RING_TAIL */
    expect_message(&rig, "writel 0xfee00000 0x4021\n");
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0x44018, 4) & 1, 1);
    rig_finish(&rig, 0);
}

/* ---- blits ----------------------------------------------------------------------------------- */

/* The blitter of Haswell fills 4 by 2 pixels in the guest's memory (XY_COLOR_BLT): at address
 * 1000h of the GGTT or, if the engine has one, of the PPGTT, although the command is in the GGTT.
 */
static void fill_pixels(bool ppgtt)
{
    enum { GGTT_PAGE = 0x11000, PPGTT_PAGE = 0x12000, TABLE = 0x13000, DIRECTORY = 0x1000 };
    static const uint32_t ring[] = {0x54300004, 0x03f00040, 0, 2 << 16 | 4,
                                    0x1000,     0xcafe1234, 0, 0};
    static const uint32_t row[] = {0xcafe1234, 0xcafe1234, 0xcafe1234, 0xcafe1234, 0};
    static const uint32_t entries[] = {0, PPGTT_PAGE | 1};
    struct rig rig;
    start(&rig, "hsw");
    enable(&rig);
    qemu_share(rig.qemu, rig.ram, 0, 0, RAM_BYTES);
    memcpy(rig.memory + 0x10000, ring, sizeof ring);
    memcpy(rig.memory + TABLE, entries, sizeof entries);
    qemu_write(rig.qemu, REGISTERS + 0x200000, 4, 0x10000 | 1);
    qemu_write(rig.qemu, REGISTERS + 0x200004, 4, GGTT_PAGE | 1);
    qemu_write(rig.qemu, REGISTERS + 0x200000 + DIRECTORY, 4, TABLE | 1);
    qemu_write(rig.qemu, REGISTERS + 0xa188, 4, 0x00010001); /* FORCEWAKE_MT */
    if (ppgtt)
        qemu_write(rig.qemu, REGISTERS + 0x22228, 4, DIRECTORY / 64 << 16); /* PP_DIR_BASE */
    qemu_write(rig.qemu, REGISTERS + 0x22038, 4, 0);                        /* RING_START */
    qemu_write(rig.qemu, REGISTERS + 0x2203c, 4, 1);                        /* RING_CTL */
    qemu_write(rig.qemu, REGISTERS + 0x22030, 4, sizeof ring);
    for (unsigned i = 0; i < 10000; i++) { /* RING_HEAD */
        if (qemu_read(rig.qemu, REGISTERS + 0x22034, 4) == sizeof ring)
            break;
        poll(NULL, 0, 1);
    }
    const uint8_t *filled = rig.memory + (ppgtt ? PPGTT_PAGE : GGTT_PAGE);
    assert_memory_equal(filled, row, sizeof row);
    assert_memory_equal(filled + 0x40, row, sizeof row);
    assert_int_equal(filled[0x80], 0);
    assert_int_equal(rig.memory[ppgtt ? GGTT_PAGE : PPGTT_PAGE], 0);
    rig_finish(&rig, 0);
}

static void test_blit(void **state)
{
    (void)state;
    fill_pixels(false);
    fill_pixels(true);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void test_stop(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "icl");
    qemu_read_config(rig.qemu, 0, 4);
    rig_stop(&rig);
    struct vm_server_stats stats = vm_server_stats(rig.server);
    assert_int_equal(stats.requests, 1);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

static void hear(const struct rig *rig, const char *line)
{
    assert_int_equal(send(rig->qmp, line, strlen(line), 0), strlen(line));
}

/* Waits until the GPU's time stands still, or passes. */
static void wait_for_time(const struct rig *rig, bool passes)
{
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t before = qemu_read(rig->qemu, REGISTERS + 0x2358, 4);
        poll(NULL, 0, 5);
        if ((qemu_read(rig->qemu, REGISTERS + 0x2358, 4) != before) == passes)
            return;
    }
    fail_msg("the GPU's time %s", passes ? "stands still" : "passes");
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
    start(&rig, "icl");
    enable(&rig);
    qemu_write(rig.qemu, REGISTERS + 0xa278, 4, 0x00010001); /* FORCEWAKE_RENDER */
    hear(&rig, "{\"return\": {}}\r\n");
    wait_for_time(&rig, true);
    hear(&rig, stop);
    wait_for_time(&rig, false);
    hear(&rig, resume);
    wait_for_time(&rig, true);
    /* The time in which it is held is not part of the GPU's, which counts 12 MHz. */
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t before = qemu_read(rig.qemu, REGISTERS + 0x2358, 4);
    hear(&rig, stop);
    wait_for_time(&rig, false);
    uint64_t held_ns = clock_ns(CLOCK_MONOTONIC);
    poll(NULL, 0, 200);
    held_ns = clock_ns(CLOCK_MONOTONIC) - held_ns;
    hear(&rig, resume);
    wait_for_time(&rig, true);
    uint64_t passed = qemu_read(rig.qemu, REGISTERS + 0x2358, 4) - before;
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
    start(&rig, "icl");
    enable(&rig);
    qemu_write(rig.qemu, REGISTERS + 0xa278, 4, 0x00010001); /* FORCEWAKE_RENDER */
    hear(&rig, "{\"return\": {}}\r\n");
    wait_for_time(&rig, true);
    uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), held_ns = 0;
    uint64_t before = qemu_read(rig.qemu, REGISTERS + 0x2358, 4);
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
    uint64_t passed = qemu_read(rig.qemu, REGISTERS + 0x2358, 4) - before;
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
    rig_start(&rig, &(struct vm_server_config){.gpu = "icl", .slow = slow});
    enable(&rig);
    qemu_write(rig.qemu, REGISTERS + 0xa278, 4, 0x00010001); /* FORCEWAKE_RENDER */
    hear(&rig, "{\"return\": {}}\r\n");
    wait_for_time(&rig, true);
    uint64_t half_ns = 0, longest_ns = 0, resumed_ns = 0, before = 0, last = 0;
    for (unsigned i = 0; i <= ROUNDS; i++) {
        uint64_t ran_ns = i ? (clock_ns(CLOCK_MONOTONIC) - resumed_ns) / slow : 0;
        hear_event(&rig, "STOP", clock_ns(CLOCK_REALTIME));
        half_ns += ran_ns / 2;
        longest_ns = ran_ns > longest_ns ? ran_ns : longest_ns;
        /* It wraps in the second round. */
        answer_timer(&rig, (uint32_t)(0xfc0000 + half_ns * 3579545 / 1000000000) & 0xffffff);
        wait_for_time(&rig, false);
        last = qemu_read(rig.qemu, REGISTERS + 0x2358, 4);
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

/* The guest reads what fuses disable, as drivers do (OA-14.8). */
static void test_fuses(void **state)
{
    static const struct {
        int line;
        const char *gpu, *fuses;
        uint32_t address, value;
    } rows[] = {
        {__LINE__, "lkf", NULL, 0x913c, 0},
        {__LINE__, "lkf", "subslice=0xc0", 0x913c, 0xc0},
        {__LINE__, "tgl", NULL, 0x913c, 0x3f},
        {__LINE__, "tgl", "subslice=0x21", 0x913c, 0x1e},
    };
    struct tally_error error = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        rig_start(&rig, &(struct vm_server_config){.gpu = rows[i].gpu, .fuses = rows[i].fuses});
        enable(&rig);
        qemu_write(rig.qemu, REGISTERS + 0xa188, 4, 0x10001);
        uint64_t value = qemu_read(rig.qemu, REGISTERS + rows[i].address, 4);
        if (value != rows[i].value)
            fail_msg("row %d: %#llx", rows[i].line, (unsigned long long)value);
        rig_finish(&rig, 0);
    }
    assert_int_equal(vm_server_new(&(struct vm_server_config){.gpu = "lkf", .fuses = "slices=1"},
                                   &(struct vm_server *){NULL}, &error),
                     -EINVAL);
}

static void test_malformed_message(void **state)
{
    struct rig rig;
    struct qemu_message message = qemu_simple(77);
    (void)state;
    start(&rig, "icl");
    qemu_send(rig.qemu, &message, NULL, 0);
    rig_finish(&rig, -EBADMSG);
    assert_non_null(strstr(rig.error.message, "command 77"));
}

static void test_unknown_registers(void **state)
{
    struct rig rig;
    char text[64] = "";
    FILE *file = tmpfile();
    (void)state;
    start(&rig, "icl");
    enable(&rig);
    qemu_read(rig.qemu, REGISTERS + 0x7ff000, 4);
    qemu_read(rig.qemu, REGISTERS + 0x7ff000, 4);
    qemu_write(rig.qemu, REGISTERS + 0x7fe000, 4, 1);
    qemu_write(rig.qemu, REGISTERS + 0x7ff000, 4, 1);
    rig_stop(&rig);
    vm_server_write_unknown(rig.server, file);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "0x7fe000 -w\n0x7ff000 rw\n");
    fclose(file);
    struct vm_server_stats stats = vm_server_stats(rig.server);
    assert_int_equal(stats.unknown, 2);
    assert_int_equal(stats.unknown_read, 1);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

int run_server_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_aperture),
        cmocka_unit_test(test_memory_outside_of_its_file),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_blit),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_slow_time),
        cmocka_unit_test(test_a_guest_that_is_held),
        cmocka_unit_test(test_late_news),
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_fuses),
        cmocka_unit_test(test_malformed_message),
        cmocka_unit_test(test_unknown_registers),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
