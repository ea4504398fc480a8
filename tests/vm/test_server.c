/* SPDX-License-Identifier: MIT */
/* The server with a GPU, driven as QEMU and the guest's driver do. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "vm/qemu.h"
#include "vm/server.h"
#include "vm/tests.h"

#define REGISTERS UINT64_C(0xfd000000) /* where the guest puts the BARs */
#define APERTURE  UINT64_C(0xd0000000)
#define RAM_BYTES 0x200000u

struct machine {
    struct vm_server *server;
    int qemu, link, qtest, server_qtest, stop[2];
    int ram;
    uint8_t *memory;
    pthread_t thread;
    int result;
    struct tally_error error;
};

static void *serve(void *closure)
{
    struct machine *machine = closure;
    struct vm_server_fds fds = {machine->link, machine->server_qtest, -1, machine->stop[0]};
    machine->result = vm_server_run(machine->server, &fds, &machine->error);
    return NULL;
}

static void start(struct machine *machine, const char *gpu)
{
    struct vm_server_config config = {.gpu = gpu};
    int link[2], qtest[2];
    *machine = (struct machine){0};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, link), 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, qtest), 0);
    assert_int_equal(pipe(machine->stop), 0);
    machine->qemu = link[0];
    machine->link = link[1];
    machine->qtest = qtest[0];
    machine->server_qtest = qtest[1];
    machine->ram = memfd_create("ram", MFD_CLOEXEC);
    assert_int_equal(ftruncate(machine->ram, RAM_BYTES), 0);
    machine->memory = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, machine->ram, 0);
    assert_true(machine->memory != MAP_FAILED);
    if (vm_server_new(&config, &machine->server, &machine->error) < 0)
        fail_msg("%s", machine->error.message);
    assert_int_equal(pthread_create(&machine->thread, NULL, serve, machine), 0);
}

/* Ends the run as QEMU does, by closing the connection, and frees all. */
static void finish(struct machine *machine, int expected)
{
    if (machine->qemu >= 0)
        close(machine->qemu);
    pthread_join(machine->thread, NULL);
    if (machine->result != expected)
        fail_msg("run: %d, %s", machine->result, machine->error.message);
    vm_server_free(machine->server);
    munmap(machine->memory, RAM_BYTES);
    int fds[] = {machine->link,    machine->qtest,   machine->server_qtest,
                 machine->stop[0], machine->stop[1], machine->ram};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        close(fds[i]);
}

/* Assigns the BARs and enables the device. */
static void enable(const struct machine *machine)
{
    qemu_write_config(machine->qemu, 0x10, 4, REGISTERS);
    qemu_write_config(machine->qemu, 0x18, 4, APERTURE);
    qemu_write_config(machine->qemu, 0x04, 2, 6);
}

/* ---- configuration space --------------------------------------------------------------------- */

/* The probe of x-pci-proxy-dev: sizes of seven BARs, with 32 bits. */
static void test_probe(void **state)
{
    static const struct {
        int line;
        const char *gpu;
        uint32_t id, sizes[7];
    } rows[] = {
        {__LINE__, "icl", 0x8a52, {0x1000000, 0, 0x10000000, 0, 64, 0, 0}},
        {__LINE__, "skl", 0x1912, {0x1000000, 0, 0x10000000, 0, 64, 0, 0}},
        {__LINE__, "hsw", 0x0416, {0x400000, 0, 0x10000000, 0, 64, 0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine machine;
        start(&machine, rows[i].gpu);
        if (qemu_read_config(machine.qemu, 0, 2) != 0x8086 ||
            qemu_read_config(machine.qemu, 2, 2) != rows[i].id)
            fail_msg("row %d: id %#x", rows[i].line, qemu_read_config(machine.qemu, 2, 2));
        for (uint32_t bar = 0; bar < 7; bar++) {
            uint32_t before = qemu_read_config(machine.qemu, 0x10 + 4 * bar, 4);
            qemu_write_config(machine.qemu, 0x10 + 4 * bar, 4, UINT32_MAX);
            uint32_t after = qemu_read_config(machine.qemu, 0x10 + 4 * bar, 4);
            qemu_write_config(machine.qemu, 0x10 + 4 * bar, 4, before);
            uint32_t size = ~(after & 0xfffffff0) + 1;
            if (size != rows[i].sizes[bar] || (!(after & 1) && (after & 6)) || before & ~15u)
                fail_msg("row %d: BAR %u: %#x, %#x", rows[i].line, bar, before, after);
            assert_int_equal(qemu_read_config(machine.qemu, 0x10 + 4 * bar, 4), before);
        }
        finish(&machine, 0);
    }
}

static void test_registers(void **state)
{
    struct machine machine;
    (void)state;
    start(&machine, "icl");
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0xa278, 4), UINT32_MAX);
    enable(&machine);
    qemu_write(machine.qemu, REGISTERS + 0xa278, 4, 0x00010001); /* FORCEWAKE_RENDER */
    qemu_write(machine.qemu, REGISTERS + 0x2b28, 4, 0x12345678);
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0xd84, 4), 1);
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0x7ffffc, 4), 0);
    assert_int_equal(qemu_read(machine.qemu, APERTURE - 4, 4), UINT32_MAX);

    /* A byte of a BAR, and a reset. */
    assert_int_equal(qemu_read_config(machine.qemu, 0x13, 1), 0xfd);
    assert_int_equal(qemu_read_config(machine.qemu, 0x1a, 2), 0xd000);
    struct qemu_message reset = qemu_simple(DEVICE_RESET);
    qemu_send(machine.qemu, &reset, NULL, 0);
    qemu_answer(machine.qemu);
    assert_int_equal(qemu_read_config(machine.qemu, 0x10, 4), 0);
    assert_int_equal(qemu_read_config(machine.qemu, 0x04, 2), 0);
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0xd84, 4), UINT32_MAX);
    /* What firmware has set is still there: the size of the page table. */
    assert_int_not_equal(qemu_read_config(machine.qemu, 0x50, 2), 0);
    finish(&machine, 0);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The aperture reaches the guest's memory through the page table in the BAR's upper half. */
static void test_aperture(void **state)
{
    struct machine machine;
    (void)state;
    start(&machine, "icl");
    enable(&machine);
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0x800000 + 8 * 5, 8), 0);
    assert_int_equal(qemu_read(machine.qemu, APERTURE + 0x5678, 4), UINT32_MAX);
    qemu_share(machine.qemu, machine.ram, 0x100000000, 0x1000, RAM_BYTES - 0x1000);
    qemu_write(machine.qemu, REGISTERS + 0x800000 + 8 * 5, 8, UINT64_C(0x100003000) | 1);
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0x800000 + 8 * 5, 8), 0x100003001);
    memcpy(machine.memory + 0x4678, "\x44\x33\x22\x11", 4);
    assert_int_equal(qemu_read(machine.qemu, APERTURE + 0x5678, 4), 0x11223344);
    qemu_write(machine.qemu, APERTURE + 0x567c, 4, 0xcafe1234);
    assert_memory_equal(machine.memory + 0x467c, "\x34\x12\xfe\xca", 4);

    /* Other memory replaces it. */
    qemu_share(machine.qemu, machine.ram, 0, 0, 0x1000);
    assert_int_equal(qemu_read(machine.qemu, APERTURE + 0x5678, 4), UINT32_MAX);
    finish(&machine, 0);
}

static void test_memory_outside_of_its_file(void **state)
{
    struct machine machine;
    (void)state;
    start(&machine, "icl");
    qemu_share(machine.qemu, machine.ram, 0, 0x1000, RAM_BYTES);
    finish(&machine, -EBADMSG);
    assert_non_null(strstr(machine.error.message, "expected a part of a file"));
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Waits for what the server writes to the test protocol. */
static void expect_message(const struct machine *machine, const char *expected)
{
    struct pollfd polled = {machine->qtest, POLLIN, 0};
    char text[64] = "";
    assert_int_equal(poll(&polled, 1, 10000), 1);
    assert_true(read(machine->qtest, text, sizeof text - 1) > 0);
    assert_string_equal(text, expected);
}

/* An interrupt of the render engine (MI_USER_INTERRUPT of a ring on Haswell's GGTT). */
static void test_interrupt(void **state)
{
    static const uint32_t ring[] = {0x01000000, 0, 0, 0}; /* MI_USER_INTERRUPT, MI_NOOP */
    struct machine machine;
    (void)state;
    start(&machine, "hsw");
    enable(&machine);
    qemu_share(machine.qemu, machine.ram, 0, 0, RAM_BYTES);
    memcpy(machine.memory + 0x10000, ring, sizeof ring);
    qemu_write(machine.qemu, REGISTERS + 0x200000, 4, 0x10000 | 1);
    qemu_write_config(machine.qemu, 0x94, 4, 0xfee00000);
    qemu_write_config(machine.qemu, 0x98, 2, 0x4021);
    qemu_write_config(machine.qemu, 0x92, 2, 1);
    qemu_write(machine.qemu, REGISTERS + 0xa188, 4, 0x00010001);  /* FORCEWAKE_MT */
    qemu_write(machine.qemu, REGISTERS + 0x44014, 4, ~1u);        /* GTIMR */
    qemu_write(machine.qemu, REGISTERS + 0x4401c, 4, 1);          /* GTIER */
    qemu_write(machine.qemu, REGISTERS + 0x4400c, 4, 0x80000000); /* DEIER: master */
    qemu_write(machine.qemu, REGISTERS + 0x20a8, 4, ~1u);         /* RING_IMR */
    qemu_write(machine.qemu, REGISTERS + 0x2038, 4, 0);           /* RING_START */
    qemu_write(machine.qemu, REGISTERS + 0x203c, 4, 1);           /* RING_CTL */
    qemu_write(machine.qemu, REGISTERS + 0x2030, 4, 16);          /* RING_TAIL */
    expect_message(&machine, "writel 0xfee00000 0x4021\n");
    assert_int_equal(qemu_read(machine.qemu, REGISTERS + 0x44018, 4) & 1, 1);
    finish(&machine, 0);
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void test_stop(void **state)
{
    struct machine machine;
    (void)state;
    start(&machine, "icl");
    qemu_read_config(machine.qemu, 0, 4);
    assert_int_equal(write(machine.stop[1], "x", 1), 1);
    pthread_join(machine.thread, NULL);
    struct vm_server_stats stats = vm_server_stats(machine.server);
    assert_int_equal(stats.requests, 1);
    assert_int_equal(pthread_create(&machine.thread, NULL, serve, &machine), 0);
    finish(&machine, 0);
}

static void test_malformed_message(void **state)
{
    struct machine machine;
    struct qemu_message message = qemu_simple(77);
    (void)state;
    start(&machine, "icl");
    qemu_send(machine.qemu, &message, NULL, 0);
    finish(&machine, -EBADMSG);
    assert_non_null(strstr(machine.error.message, "command 77"));
}

static void test_unknown_registers(void **state)
{
    struct machine machine;
    char text[64] = "";
    FILE *file = tmpfile();
    (void)state;
    start(&machine, "icl");
    enable(&machine);
    qemu_read(machine.qemu, REGISTERS + 0x7ff000, 4);
    qemu_read(machine.qemu, REGISTERS + 0x7ff000, 4);
    qemu_write(machine.qemu, REGISTERS + 0x7fe000, 4, 1);
    qemu_write(machine.qemu, REGISTERS + 0x7ff000, 4, 1);
    assert_int_equal(write(machine.stop[1], "x", 1), 1);
    pthread_join(machine.thread, NULL);
    vm_server_write_unknown(machine.server, file);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "0x7fe000 -w\n0x7ff000 rw\n");
    fclose(file);
    struct vm_server_stats stats = vm_server_stats(machine.server);
    assert_int_equal(stats.unknown, 2);
    assert_int_equal(stats.unknown_read, 1);
    assert_int_equal(pthread_create(&machine.thread, NULL, serve, &machine), 0);
    finish(&machine, 0);
}

int run_server_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_registers),
        cmocka_unit_test(test_aperture),
        cmocka_unit_test(test_memory_outside_of_its_file),
        cmocka_unit_test(test_interrupt),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_malformed_message),
        cmocka_unit_test(test_unknown_registers),
    };
    return cmocka_run_group_tests_name("server", tests, NULL, NULL);
}
