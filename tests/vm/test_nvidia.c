/* SPDX-License-Identifier: MIT */
/* An NVIDIA GPU on the server, driven as QEMU and a register tool in the guest do. */
#include <errno.h>
#include <time.h>

#include "vm/device.h"
#include "vm/rig.h"
#include "vm/transport.h"
#include "vm/qemu.h"
#include "vm/tests.h"

/* Writes a script to a new file. The caller removes it. */
static void write_script(char path[32], const char *text)
{
    strcpy(path, "/tmp/tally-signals-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void start(struct rig *rig, const char *gpu, const char *script)
{
    char path[32] = "";
    if (script)
        write_script(path, script);
    rig_start(rig, &(struct vm_server_config){.gpu = gpu, .signals = script ? path : NULL});
    if (script)
        unlink(path);
}

static void enable(const struct rig *rig)
{
    qemu_write_config(rig->qemu, 0x10, 4, REGISTERS);
    qemu_write_config(rig->qemu, 0x04, 2, 6);
}

static uint32_t read32(const struct rig *rig, uint32_t address)
{
    return (uint32_t)qemu_read(rig->qemu, REGISTERS + address, 4);
}

static void write32(const struct rig *rig, uint32_t address, uint32_t value)
{
    qemu_write(rig->qemu, REGISTERS + address, 4, value);
}

static uint64_t time_ns(const struct rig *rig)
{
    return qemu_read(rig->qemu, REGISTERS + 0x9400, 4);
}

/* Waits for the GPU's time, read by PTIMER. */
static void wait_for(const struct rig *rig, uint64_t ns)
{
    const struct timespec pause = {0, 100000};
    while (time_ns(rig) < ns)
        nanosleep(&pause, NULL);
}

/* ---- registers ------------------------------------------------------------------------------- */

static void test_probe(void **state)
{
    static const struct {
        unsigned line;
        const char *gpu;
        uint32_t id, boot;
        uint32_t bars[6]; /* after a write of ones */
    } rows[] = {
        {__LINE__, "nv10", 0x010010de, 0x010000a1, {0xff000000}},
        {__LINE__, "g92", 0x061110de, 0x092880a1, {0xff000000, 0xfc000008, 0, 0xfe000000}},
        {__LINE__, "GF100", 0x06c010de, 0x0c0000a1, {0xff000000}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        start(&rig, rows[i].gpu, NULL);
        ROW(rows[i].line, qemu_read_config(rig.qemu, 0, 4) == rows[i].id, "id");
        for (uint32_t bar = 0; bar < 6; bar++) {
            qemu_write_config(rig.qemu, 0x10 + 4 * bar, 4, UINT32_MAX);
            ROW(rows[i].line, qemu_read_config(rig.qemu, 0x10 + 4 * bar, 4) == rows[i].bars[bar],
                "BAR %u", bar);
        }
        ROW(rows[i].line, qemu_read(rig.qemu, REGISTERS, 4) == UINT32_MAX, "not enabled");
        enable(&rig);
        ROW(rows[i].line, read32(&rig, 0) == rows[i].boot, "BOOT_0 %#x", read32(&rig, 0));
        ROW(rows[i].line, qemu_read_config(rig.qemu, 0x100, 4) == UINT32_MAX, "above FFh");
        rig_finish(&rig, 0);
    }
    ROWS_DONE();
}

/* What waits for the GPU to catch up, and what does not. */
static void test_requests_that_depend_on_time(void **state)
{
    static const struct {
        unsigned line;
        enum vm_request_kind kind;
        uint64_t address;
        bool expected;
    } rows[] = {
        {__LINE__, VM_CONFIG_READ, 0, false},
        {__LINE__, VM_CONFIG_WRITE, 4, false},
        {__LINE__, VM_MEMORY_READ, REGISTERS + 0x9400, true},
        {__LINE__, VM_MEMORY_WRITE, REGISTERS + 0xffffff, true},
        {__LINE__, VM_MEMORY_READ, REGISTERS - 1, false},
        {__LINE__, VM_MEMORY_READ, APERTURE, false}, /* BAR 1 */
        {__LINE__, VM_PORT_READ, 0, false},
        {__LINE__, VM_MAP_MEMORY, 0, false},
        {__LINE__, VM_RESET, 0, false},
    };
    struct tally_error error;
    struct vm_device *device;
    (void)state;
    assert_int_equal(vm_device_new(&(struct vm_device_settings){.gpu = "g92"}, &device, &error), 0);
    device->calls->write_config(device, 0x10, 4, REGISTERS);
    device->calls->write_config(device, 0x14, 4, APERTURE);
    device->calls->write_config(device, 0x04, 2, 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vm_request request = {.kind = rows[i].kind, .address = rows[i].address, .bytes = 4};
        ROW(rows[i].line, device->calls->depends_on_time(device, &request) == rows[i].expected,
            "wrong");
    }
    vm_device_free(device);
    ROWS_DONE();
}

/* Accesses of other widths: parts of a register, two registers, writes that are ignored. */
static void test_widths(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "g92", NULL);
    enable(&rig);
    write32(&rig, 0xa480, 0x11223344);
    write32(&rig, 0xa484, 0x55667788);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa481, 1), 0x33);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa482, 2), 0x1122);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa480, 8), 0x5566778811223344);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa481, 2), 0xffff);
    qemu_write(rig.qemu, REGISTERS + 0xa480, 1, 0xff);
    qemu_write(rig.qemu, REGISTERS + 0xa482, 2, 0xffff);
    qemu_write(rig.qemu, REGISTERS + 0xa484, 8, UINT64_MAX);
    assert_int_equal(read32(&rig, 0xa480), 0x11223344);
    assert_int_equal(read32(&rig, 0xa484), 0x55667788);
    qemu_write(rig.qemu, REGISTERS + 0xa480, 8, 0x0102030405060708);
    assert_int_equal(read32(&rig, 0xa480), 0x05060708);
    assert_int_equal(read32(&rig, 0xa484), 0x01020304);
    /* It has no ports. */
    struct qemu_message port = qemu_bar(false, false, 0x3c0, 4, 0);
    qemu_send(rig.qemu, &port, NULL, 0);
    assert_int_equal(qemu_answer(rig.qemu), UINT32_MAX);
    rig_finish(&rig, 0);
}

static void test_reset(void **state)
{
    struct qemu_message reset = qemu_simple(DEVICE_RESET);
    struct rig rig;
    (void)state;
    start(&rig, "g92", NULL);
    enable(&rig);
    write32(&rig, 0xa480, 0x11223344);
    qemu_send(rig.qemu, &reset, NULL, 0);
    qemu_answer(rig.qemu);
    assert_int_equal(qemu_read_config(rig.qemu, 0x10, 4), 0);
    assert_int_equal(qemu_read(rig.qemu, REGISTERS + 0xa480, 4), UINT32_MAX);
    enable(&rig);
    assert_int_equal(read32(&rig, 0xa480), 0);
    rig_finish(&rig, 0);
}

static void test_unknown_registers(void **state)
{
    struct rig rig;
    char text[64] = "";
    FILE *file = tmpfile();
    (void)state;
    start(&rig, "gf100", NULL);
    enable(&rig);
    assert_int_equal(read32(&rig, 0x400100), 0xbad00100);
    write32(&rig, 0x1700, 1);
    assert_int_equal(read32(&rig, 0x180074), 0); /* in PCOUNTER, but not modelled */
    rig_stop(&rig);
    vm_server_write_unknown(rig.server, file);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    assert_string_equal(text, "0x001700 -w\n0x180074 r-\n0x400100 r-\n");
    fclose(file);
    rig_continue(&rig);
    rig_finish(&rig, 0);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Counts a signal of G92's domain 1 in quad mode for at least `ns`: EVENT and CYCLES. */
static void count(const struct rig *rig, uint32_t signal, uint64_t ns, uint32_t *event,
                  uint32_t *cycles)
{
    write32(rig, 0xa484, signal);
    write32(rig, 0xa4a4, 0xaaaa);
    write32(rig, 0xa7c4, 1);
    write32(rig, 0xa424, 0); /* swaps: the period begins */
    wait_for(rig, time_ns(rig) + ns);
    write32(rig, 0xa424, 0);
    wait_for(rig, time_ns(rig) + 32);
    *event = read32(rig, 0xa684);
    *cycles = read32(rig, 0xa604);
}

/* Signals by number and by name, from the first clock on, counted by the guest. */
static void test_signals(void **state)
{
    struct rig rig;
    uint32_t event, cycles;
    (void)state;
    start(&rig, "g92",
          "chipset g92\n"
          "clock 1 4              # 250 MHz\n"
          "sig 1 0x10 every 4 0\n"
          "sig 1 PGRAPH.IDLE every 5 0\n"
          "sig 1 0x11 const 1\n");
    enable(&rig);
    count(&rig, 0x10, 200000, &event, &cycles);
    assert_in_range(cycles, 200000 / 4, UINT32_MAX);
    assert_in_range(4 * event, cycles - 4, cycles + 4);
    count(&rig, 0xbd, 200000, &event, &cycles);
    assert_in_range(5 * event, cycles - 5, cycles + 5);
    count(&rig, 0x11, 200000, &event, &cycles);
    assert_int_equal(event, cycles);
    count(&rig, 0x12, 200000, &event, &cycles);
    assert_int_equal(event, 0);
    rig_finish(&rig, 0);
}

/* A signal that changes while the guest counts: 1 for a millisecond, from 2 ms on. */
static void test_changes(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "g92",
          "run 2000000\n"
          "sig 1 0x10 const 1\n"
          "run 1000000\n"
          "sig 1 0x10 const 0\n");
    enable(&rig);
    write32(&rig, 0xa484, 0x10);
    write32(&rig, 0xa4a4, 0xaaaa);
    write32(&rig, 0xa7c4, 1);
    write32(&rig, 0xa424, 0);
    wait_for(&rig, 3000100);
    write32(&rig, 0xa424, 0);
    wait_for(&rig, time_ns(&rig) + 32);
    /* The guest may have begun too late on a slow rig, but not counted more. */
    assert_in_range(read32(&rig, 0xa684), 0, 500000);
    rig_finish(&rig, 0);
}

/* As above, by the model's own clock, so that the number is exact. */
static void test_changes_exactly(void **state)
{
    struct vm_device_settings settings = {.gpu = "g92"};
    struct tally_error error = {0};
    struct vm_device *device;
    char path[32];
    (void)state;
    write_script(path, "run 2000000\nsig 1 0x10 const 1\nrun 1000000\nsig 1 0x10 const 0\n");
    settings.signals = path;
    assert_int_equal(vm_device_new(&settings, &device, &error), 0);
    unlink(path);
    const struct vm_device_calls *calls = device->calls;
    calls->write_config(device, 0x10, 4, (uint32_t)REGISTERS);
    calls->write_config(device, 0x04, 2, 2);
    calls->write_memory(device, REGISTERS + 0xa484, 4, 0x10);
    calls->write_memory(device, REGISTERS + 0xa4a4, 4, 0xaaaa);
    calls->write_memory(device, REGISTERS + 0xa7c4, 4, 1);
    while (calls->now(device) < 5000000)
        calls->run(device, 5000000 - calls->now(device));
    calls->write_memory(device, REGISTERS + 0xa424, 4, 0);
    calls->run(device, 2);
    assert_int_equal(calls->read_memory(device, REGISTERS + 0xa684, 4), 500000);
    assert_int_equal(calls->read_memory(device, REGISTERS + 0xa604, 4), 2500000);
    vm_device_free(device);
}

/* Record mode writes packets to the guest's memory, if the device is a master. */
static void test_record_buffer(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig, "g92", "sig 1 0x10 const 1\nsig 1 0x11 every 1024 0\n");
    enable(&rig);
    qemu_share(rig.qemu, rig.ram, 0, 0, RAM_BYTES);
    write32(&rig, 0xa7a4, 1);          /* RECORD_DMA */
    write32(&rig, 0xa7a0, 0x80000000); /* RECORD_CHAN */
    write32(&rig, 0xa404, 0x10);       /* PRE_SRC */
    write32(&rig, 0xa4c4, 0x11);       /* STOP_SRC */
    write32(&rig, 0xa4e4, 0xaaaa);
    write32(&rig, 0xa7c4, 2);      /* CTRL: RECORD, LONG */
    write32(&rig, 0xa724, 0x11e0); /* RECORD_LIMIT */
    write32(&rig, 0xa764, 0x1000); /* RECORD_START */
    wait_for(&rig, time_ns(&rig) + 100000);
    assert_int_equal(read32(&rig, 0xa6e4), 0x1200);
    for (size_t packet = 1; packet < 16; packet++) {
        uint16_t words[8];
        memcpy(words, rig.memory + 0x1000 + 32 * packet, sizeof words);
        assert_int_equal(words[3], 1);
        assert_int_equal(words[4], 1024);
    }
    assert_int_equal(rig.memory[0x1200], 0);

    /* Memory that is not there, and no mastering: a VM fault. */
    qemu_write_config(rig.qemu, 0x04, 2, 2);
    write32(&rig, 0xa764, 0x1000);
    wait_for(&rig, time_ns(&rig) + 10000);
    assert_int_equal(read32(&rig, 0xa6e4) & 1, 1);
    rig_finish(&rig, 0);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void test_mistakes(void **state)
{
    static const struct {
        unsigned line;
        const char *gpu, *script, *workload, *message;
    } rows[] = {
        {__LINE__, "g922", NULL, NULL, "unknown GPU \"g922\", expected g92 (see tally list"},
        {__LINE__, "nv17", NULL, NULL, "NV17 has no PCOUNTER"},
        {__LINE__, "rsx", NULL, NULL, "RSX is not a PCI device"},
        {__LINE__, "g92", NULL, "mixed", "unknown workload \"mixed\""},
        {__LINE__, "icl", "sig 0 1 const 1\n", NULL, "icl: signals are for NVIDIA's chipsets"},
        {__LINE__, "g92", "chipset g94\n", NULL, ":1: chipset: 'g94', expected g92"},
        {__LINE__, "g92", "chipset g92\ndomains 7\n", NULL, ":2: domains: '7', expected 8"},
        {__LINE__, "g92", "\nrun 5\nwr 0xa480 1\n", NULL, ":3: wr is not for a script of signals"},
        {__LINE__, "g92", "run 5\nclock 0 2\n", NULL, ":2: clock is a setup command"},
        {__LINE__, "g92", "sig 8 0 const 1", NULL, ":1: sig: '8', expected a domain, 0 to 7"},
        {__LINE__, "g92", "expect rd 0xa480 = 0\n", NULL, "rd is not for a script of signals"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct vm_server_config config = {.gpu = rows[i].gpu, .workload = rows[i].workload};
        struct tally_error error = {0};
        struct vm_server *server = NULL;
        char path[32] = "";
        if (rows[i].script) {
            write_script(path, rows[i].script);
            config.signals = path;
        }
        int result = vm_server_new(&config, &server, &error);
        ROW(rows[i].line, result < 0 && strstr(error.message, rows[i].message), "%d, \"%s\"",
            result, error.message);
        if (rows[i].script)
            unlink(path);
    }
    ROWS_DONE();
    assert_int_equal(vm_server_new(&(struct vm_server_config){.gpu = "g92", .signals = "/none"},
                                   &(struct vm_server *){NULL}, &(struct tally_error){0}),
                     -ENOENT);
    struct tally_error error = {0};
    assert_int_equal(vm_server_new(&(struct vm_server_config){.gpu = "g92", .fuses = "vdbox=4"},
                                   &(struct vm_server *){NULL}, &error),
                     -EINVAL);
    assert_non_null(strstr(error.message, "g92: fuses are for Intel's platforms"));
}

int run_nvidia_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_probe),
        cmocka_unit_test(test_requests_that_depend_on_time),
        cmocka_unit_test(test_widths),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_unknown_registers),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_changes_exactly),
        cmocka_unit_test(test_record_buffer),
        cmocka_unit_test(test_mistakes),
    };
    return cmocka_run_group_tests_name("nvidia", tests, NULL, NULL);
}
