/* SPDX-License-Identifier: MIT */
/* The GPU as a PCI device: bus master, power states, interrupts, addresses and ports (OA-13). */
#include "intel/tests.h"

#include <errno.h>

#include "base/bits.h"
#include "intel/gpu_rig.h"

static uint32_t config(const struct gpu_rig *rig, unsigned offset, unsigned bytes)
{
    return tally_gpu_pci_read(rig->gpu, 2, offset, bytes);
}

static void set_config(const struct gpu_rig *rig, unsigned offset, unsigned bytes, uint32_t value)
{
    tally_gpu_pci_write(rig->gpu, 2, offset, bytes, value);
}

#define STORE_DWORD(address, value) 0x10400002, address, 0, value /* to the GGTT, Gen8 on */
#define END                         0x05000000

/* ---- bus master ------------------------------------------------------------------------------ */

/* Without bus master the streamer stops as at unmapped memory, and the message says why, even if
 * bus master is enabled later. */
static void test_commands_need_bus_master(void **state)
{
    (void)state;
    struct tally_error error = {0};
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    PUT(rig, TALLY_GPU_GGTT, 0x1000, STORE_DWORD(0x2000, 77), END);
    set_config(rig, 0x04, 2, 3);
    assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
    tally_gpu_run(rig->gpu, 10000);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x2000), 0);
    assert_int_equal(rig->reads, 0);
    set_config(rig, 0x04, 2, 7);
    assert_int_equal(tally_gpu_fault(rig->gpu, &error), -EIO);
    assert_non_null(strstr(error.message, "access to memory at 0x00001000 (GGTT), expected bus "
                                          "master enabled (bit 2 of PCI Command, in D0)"));
    assert_int_not_equal(tally_gpu_read32(rig->gpu, 0x20d0) & 4, 0); /* RESET_CTL: CAT_ERROR */
    assert_int_equal(tally_gpu_engine_reset(rig->gpu, "rcs0"), 0);
    assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
    assert_true(gpu_rig_finish(rig));
    assert_int_equal(gpu_rig_peek(rig, 0, 0x2000), 77);
    gpu_rig_free(rig);
}

/* Reports are lost; the tail advances. */
static void test_reports_need_bus_master(void **state)
{
    (void)state;
    for (unsigned master = 0; master < 2; master++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
        tally_gpu_write32(rig->gpu, 0x2b14, 0x20001); /* 128 KiB at 128 KiB of the GGTT */
        tally_gpu_write32(rig->gpu, 0x2b0c, 0x20000);
        tally_gpu_write32(rig->gpu, 0x2b10, 0x20000);
        tally_gpu_write32(rig->gpu, 0x2360, 0x3);
        tally_gpu_write32(rig->gpu, 0x2b00, 0x15);
        set_config(rig, 0x04, 2, master ? 7 : 3);
        tally_gpu_run(rig->gpu, 100000);
        assert_true(tally_gpu_read32(rig->gpu, 0x2b10) != 0x20000);
        assert_int_equal(gpu_rig_peek(rig, 0, 0x20004) != 0, master);
        gpu_rig_free(rig);
    }
}

/* ---- power ----------------------------------------------------------------------------------- */

/* In D3hot engines do not run and nothing is counted; D0 begins with a reset. */
static void test_d3_takes_the_power(void **state)
{
    (void)state;
    static const char *const platforms[] = {"snb", "vlv", "hsw", "skl", "lkf", "dg1"};
    for (size_t i = 0; i < COUNT(platforms); i++) {
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, platforms[i]);
        bool keeps = !strcmp(platforms[i], "dg1");
        PUT(rig, TALLY_GPU_GGTT, 0x1000, 0, END);
        tally_gpu_run(rig->gpu, 100000);
        uint64_t before = gpu_rig_value(rig, "timestamp"), now = tally_gpu_now_ns(rig->gpu);
        ROW(__LINE__, before > 0, "%s: TIMESTAMP", platforms[i]);
        set_config(rig, 0xd4, 2, 3);
        ROW(__LINE__, config(rig, 0x00, 2) == 0x8086, "%s: configuration space", platforms[i]);
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
        tally_gpu_run(rig->gpu, 100000);
        ROW(__LINE__, tally_gpu_now_ns(rig->gpu) > now, "%s: time", platforms[i]);
        ROW(__LINE__, rig->completions == 0 && rig->reads == 0, "%s: engines run", platforms[i]);
        ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x2358) == UINT32_MAX, "%s: TIMESTAMP",
            platforms[i]);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP); /* does not bring the power back */
        ROW(__LINE__, tally_gpu_in_rc6(rig->gpu), "%s: power", platforms[i]);
        tally_gpu_lose_wake(rig->gpu, true); /* nor does the end of a fault */
        tally_gpu_lose_wake(rig->gpu, false);
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
        tally_gpu_run(rig->gpu, 100000);
        ROW(__LINE__, rig->completions == 0, "%s: engines run after a reset", platforms[i]);
        set_config(rig, 0xd4, 2, 0);
        ROW(__LINE__, config(rig, 0x04, 2) == (keeps ? 7 : 0), "%s: PCICMD is %" PRIx32,
            platforms[i], config(rig, 0x04, 2));
        ROW(__LINE__, gpu_rig_value(rig, "timestamp") == 0, "%s: not reset", platforms[i]);
        set_config(rig, 0x04, 2, 7);
        assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
        ROW(__LINE__, gpu_rig_finish(rig) && rig->completions == 1, "%s: engines stand",
            platforms[i]);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* The scheduler is in the GT. */
static void test_the_scheduler_sleeps_in_d3(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    tally_gpu_scheduler_write32(rig->gpu, 0x190030, 0x10001);
    assert_int_equal(tally_gpu_scheduler_read32(rig->gpu, 0x190030), 0x10001);
    set_config(rig, 0xd4, 2, 3);
    tally_gpu_scheduler_write32(rig->gpu, 0x190030, 0x20002);
    assert_int_equal(tally_gpu_scheduler_read32(rig->gpu, 0x190030), 0);
    assert_int_equal(tally_gpu_mmio_stats(rig->gpu).asleep, 2);
    set_config(rig, 0xd4, 2, 0);
    assert_int_equal(tally_gpu_scheduler_read32(rig->gpu, 0x190030), 0);
    gpu_rig_free(rig);
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* Function level reset of parts with and without PCI Express, also from D3hot. */
static void test_function_level_reset(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned offset, bytes;
        uint32_t value;
        bool resets;
    } rows[] = {
        {__LINE__, "snb", 0xa8, 1, 1, true},      {__LINE__, "ivb", 0xa8, 1, 1, true},
        {__LINE__, "hsw", 0xa8, 1, 1, true},      {__LINE__, "bdw", 0xa8, 1, 1, true},
        {__LINE__, "vlv", 0xa8, 1, 1, false},     {__LINE__, "chv", 0xa8, 1, 1, false},
        {__LINE__, "skl", 0x78, 2, 0x8000, true}, {__LINE__, "icl", 0x78, 2, 0x8000, true},
        {__LINE__, "lkf", 0x79, 1, 0x80, true},   {__LINE__, "tgl", 0x78, 4, 0x8000, true},
        {__LINE__, "dg1", 0x78, 2, 0x8000, true}, {__LINE__, "hsw", 0x78, 2, 0x8000, false},
        {__LINE__, "skl", 0xa8, 1, 1, false},
    };
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i / 2].line, rows[i / 2].platform);
        bool resets = rows[i / 2].resets, asleep = i % 2;
        tally_gpu_run(rig->gpu, 100000);
        set_config(rig, 0xfc, 4, 0x7b000018);
        set_config(rig, 0xd4, 2, asleep ? 3 : 0);
        set_config(rig, rows[i / 2].offset, rows[i / 2].bytes, rows[i / 2].value);
        ROW(rows[i / 2].line, config(rig, 0x04, 2) == (resets ? 0 : 7), "PCICMD: %" PRIx32,
            config(rig, 0x04, 2));
        ROW(rows[i / 2].line, (config(rig, 0xd4, 2) & 3) == (asleep && !resets ? 3 : 0), "PMCS");
        ROW(rows[i / 2].line, config(rig, 0xfc, 4) == 0x7b000018, "ASLS");
        ROW(rows[i / 2].line, (gpu_rig_value(rig, "timestamp") == 0) == (resets || asleep), "chip");
        set_config(rig, 0x04, 2, 7);
        if (resets) {
            PUT(rig, TALLY_GPU_GGTT, 0x1000, 0, END);
            assert_int_equal(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
            ROW(rows[i / 2].line, gpu_rig_finish(rig) && rig->completions == 1, "no power");
            ROW(rows[i / 2].line, !tally_gpu_in_rc6(rig->gpu), "in RC6");
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* MI_USER_INTERRUPT through the flat registers of Haswell: INTA#, then MSI without a mask. */
static void test_interrupts_of_flat_registers(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    struct tally_gpu *gpu = rig->gpu;
    PUT(rig, TALLY_GPU_GGTT, 0x1000, 0x01000000, END);
    tally_gpu_write32(gpu, 0x44014, ~1u);      /* GTIMR */
    tally_gpu_write32(gpu, 0x4401c, 1);        /* GTIER */
    tally_gpu_write32(gpu, 0x4400c, 1u << 31); /* DEIER: master enable */
    for (unsigned i = 0; i < 6; i++) {
        bool msi = i >= 4, disabled = i == 2;
        set_config(rig, 0x92, 2, msi);
        set_config(rig, 0x94, 4, 0xfee01000);
        set_config(rig, 0x98, 2, 0x40 + i);
        set_config(rig, 0x04, 2, disabled ? 0x407 : 7);
        assert_int_equal(tally_gpu_submit(gpu, 1, TALLY_GPU_GGTT, 0x1000, true), 0);
        assert_true(gpu_rig_finish(rig));
        ROW(__LINE__, config(rig, 0x06, 2) & 8, "%u: interrupt status", i);
        ROW(__LINE__, (rig->rises - rig->falls) == !(msi || disabled), "%u: INTA#", i);
        ROW(__LINE__, rig->messages[0] == (msi ? i - 3 : 0), "%u: %u messages", i,
            rig->messages[0]);
        if (disabled) { /* the level is still there */
            set_config(rig, 0x04, 2, 7);
            ROW(__LINE__, rig->rises - rig->falls == 1, "%u: INTA# is enabled", i);
        }
        tally_gpu_write32(gpu, 0x44018, 1); /* GTIIR */
        ROW(__LINE__, !(config(rig, 0x06, 2) & 8) && rig->rises == rig->falls, "%u: served", i);
    }
    ROW(__LINE__, rig->message_address == 0xfee01000 && rig->message_data == 0x45, "message");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* DG1 has a 64-bit address. */
static void test_message_address_of_64_bits(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "dg1");
    set_config(rig, 0xb0, 4, 0xfee02000);
    set_config(rig, 0xb4, 4, 0x12);
    set_config(rig, 0xb8, 2, 0x4567);
    set_config(rig, 0xae, 2, 1);
    set_config(rig, 0xbc, 4, 1);
    tally_gpu_write32(rig->gpu, 0x190010, 0x80000000);
    tally_gpu_set_level(rig->gpu, 30, true);
    assert_int_equal(rig->messages[0], 0);
    assert_int_equal(config(rig, 0xc0, 4), 1);
    set_config(rig, 0xbc, 4, 0);
    assert_int_equal(rig->messages[0], 1);
    assert_true(rig->message_address == 0x12fee02000);
    assert_int_equal(rig->message_data, 0x4567);
    gpu_rig_free(rig);
}

static void set_function(struct gpu_rig *rig, unsigned function, unsigned offset, unsigned bytes,
                         uint32_t value)
{
    tally_gpu_pci_function_write(rig->gpu, 2, function, offset, bytes, value);
}

/* Each function has its own MSI; disabling them ends their interrupts, and new ones have none. */
static void test_interrupts_of_virtual_functions(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    gpu_rig_functions(rig, 5);
    for (unsigned n = 1; n <= 5; n++) {
        set_function(rig, n, 0x04, 2, n == 4 ? 0 : 4); /* bus master but of function 4 */
        set_function(rig, n, 0xb0, 4, 0xfee00000 + 0x1000 * n);
        set_function(rig, n, 0xb4, 2, n);
        set_function(rig, n, 0xb8, 4, n == 3);
        set_function(rig, n, 0xae, 2, n != 5);
        tally_gpu_function_write32(rig->gpu, n, 0x190030, 0xffff0000);
        tally_gpu_function_write32(rig->gpu, n, 0x190090, 0);
        tally_gpu_function_write32(rig->gpu, n, 0x190010, 0x80000000);
        assert_int_equal(tally_gpu_interrupt(rig->gpu, 0, 0, n, 1), 0);
        assert_int_equal(rig->messages[n], n < 3);
    }
    assert_int_equal(rig->rises + rig->messages[0], 0);
    assert_int_equal(rig->message_data, 2);
    assert_int_equal(tally_gpu_pci_function_read(rig->gpu, 2, 3, 0xbc, 4), 1);
    set_function(rig, 3, 0xb8, 4, 0);
    assert_int_equal(rig->messages[3], 1);
    assert_true(rig->message_address == 0xfee03000);

    /* A function level reset of function 1 is its own. */
    tally_gpu_run(rig->gpu, 100000);
    set_function(rig, 1, 0x78, 2, 0x8000);
    assert_int_equal(tally_gpu_pci_function_read(rig->gpu, 2, 1, 0xae, 2), 0x100);
    assert_int_equal(tally_gpu_pci_function_read(rig->gpu, 2, 2, 0xae, 2), 0x101);
    assert_int_equal(tally_gpu_function_read32(rig->gpu, 1, 0x190030), 0);
    assert_int_equal(tally_gpu_function_read32(rig->gpu, 2, 0x190030), 0xffff0000);
    assert_true(gpu_rig_value(rig, "timestamp") > 0);

    gpu_rig_functions(rig, 5);
    for (unsigned n = 1; n <= 5; n++) {
        assert_int_equal(tally_gpu_function_read32(rig->gpu, n, 0x190030), 0);
        assert_int_equal(tally_gpu_pci_function_read(rig->gpu, 2, n, 0xae, 2), 0x100);
    }
    gpu_rig_free(rig);
}

/* ---- addresses and ports --------------------------------------------------------------------- */

static void test_addresses(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "lkf");
    struct tally_gpu *gpu = rig->gpu;
    const uint64_t mmio = 0xc0000000, aperture = 0xd0000000;

    /* registers in all sizes */
    tally_gpu_physical_write(gpu, mmio + 0xe658, 8, 0x1122334455667788);
    assert_int_equal(tally_gpu_read32(gpu, 0xe658), 0x55667788);
    assert_int_equal(tally_gpu_read32(gpu, 0xe65c), 0x11223344);
    assert_true(tally_gpu_physical_read(gpu, mmio + 0xe658, 8) == 0x1122334455667788);
    tally_gpu_physical_write(gpu, mmio + 0xe65a, 2, 0xaabb);
    tally_gpu_physical_write(gpu, mmio + 0xe658, 1, 0xcc);
    assert_int_equal(tally_gpu_read32(gpu, 0xe658), 0xaabb77cc);
    assert_int_equal(tally_gpu_physical_read(gpu, mmio + 0xe65b, 1), 0xaa);
    assert_int_equal(tally_gpu_physical_read(gpu, mmio + 0xe658, 2), 0x77cc);

    /* the page table belongs to the bus; only its first page is there */
    tally_gpu_physical_write(gpu, mmio + 0x800008, 8, 0x123456789abcdef0);
    tally_gpu_physical_write(gpu, mmio + 0x80000c, 1, 0xff);
    assert_true(tally_gpu_physical_read(gpu, mmio + 0x800008, 8) == 0x123456ff9abcdef0);
    assert_int_equal(load_le32(rig->page_table + 8), 0x9abcdef0);
    tally_gpu_physical_write(gpu, mmio + 0x800000, 4, 0x600d0001); /* its first entry */
    assert_int_equal(load_le32(rig->page_table), 0x600d0001);
    tally_gpu_physical_write(gpu, mmio + 0x801000, 4, 0);
    assert_int_equal(tally_gpu_physical_read(gpu, mmio + 0x801000, 4), UINT32_MAX);

    /* the aperture is the GGTT, of which the first 256 KiB are mapped */
    tally_gpu_physical_write(gpu, aperture + 0x3004, 4, 0x11223344);
    tally_gpu_physical_write(gpu, aperture + 0x3006, 2, 0xbeef);
    tally_gpu_physical_write(gpu, aperture + 0x3004, 1, 0xaa);
    assert_int_equal(gpu_rig_peek(rig, 0, 0x3004), 0xbeef33aa);
    assert_int_equal(tally_gpu_physical_read(gpu, aperture + 0x3005, 1), 0x33);
    tally_gpu_physical_write(gpu, aperture + 0x3008, 8, 0x0102030405060708);
    assert_true(tally_gpu_physical_read(gpu, aperture + 0x3008, 8) == 0x0102030405060708);
    tally_gpu_physical_write(gpu, aperture + 0x40000, 1, 1);
    assert_int_equal(tally_gpu_physical_read(gpu, aperture + 0x40000, 2), 0xffff);
    set_config(rig, 0x04, 2, 2); /* the CPU's accesses need no bus master */
    assert_int_equal(tally_gpu_physical_read(gpu, aperture + 0x3004, 4), 0xbeef33aa);

    /* elsewhere, and invalid accesses */
    assert_int_equal(tally_gpu_physical_read(gpu, 0x1000, 1), 0xff);
    assert_true(tally_gpu_physical_read(gpu, mmio + 2, 4) == UINT64_MAX);
    assert_true(tally_gpu_physical_read(gpu, mmio, 3) == UINT64_MAX);
    tally_gpu_physical_write(gpu, mmio + 0xe65a, 4, 0);
    tally_gpu_physical_write(gpu, mmio + 0xe658, 0, 0);
    assert_int_equal(tally_gpu_read32(gpu, 0xe658), 0xaabb77cc);
    gpu_rig_free(rig);
}

static void test_ports(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "skl");
    struct tally_gpu *gpu = rig->gpu;
    set_config(rig, 0x04, 2, 1); /* I/O space only */
    tally_gpu_port_write(gpu, 0x4000, 4, 0xe658);
    tally_gpu_port_write(gpu, 0x4004, 4, 0x11223344);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4000, 4), 0xe658);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4001, 1), 0xe6);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4004, 4), 0x11223344);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4006, 2), 0x1122);
    tally_gpu_port_write(gpu, 0x4000, 2, 0x1234); /* 32 bits only */
    tally_gpu_port_write(gpu, 0x4004, 1, 0xff);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4004, 4), 0x11223344);
    assert_int_equal(tally_gpu_read32(gpu, 0xe658), UINT32_MAX); /* memory space is off */

    tally_gpu_port_write(gpu, 0x4000, 4, 0x10 | 1); /* the page table */
    tally_gpu_port_write(gpu, 0x4004, 4, 0xcafe0001);
    assert_int_equal(load_le32(rig->page_table + 0x10), 0xcafe0001);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4004, 4), 0xcafe0001);
    tally_gpu_port_write(gpu, 0x4000, 4, 0xe658 | 2); /* reserved targets */
    tally_gpu_port_write(gpu, 0x4004, 4, 1);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4004, 4), UINT32_MAX);
    tally_gpu_port_write(gpu, 0x4000, 4, 0x800000); /* behind the registers */
    assert_int_equal(tally_gpu_port_read(gpu, 0x4004, 4), UINT32_MAX);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4008, 4), UINT32_MAX);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4008, 1), 0xff);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4002, 4), UINT32_MAX);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_GT); /* the index is not the GT's */
    assert_int_equal(tally_gpu_port_read(gpu, 0x4000, 4), 0x800000);
    tally_gpu_reset(gpu, TALLY_GPU_RESET_CHIP);
    assert_int_equal(tally_gpu_port_read(gpu, 0x4000, 4), 0);
    gpu_rig_free(rig);

    struct gpu_rig *vlv = gpu_rig_awake(__LINE__, "vlv"); /* 8 ports */
    set_config(vlv, 0x20, 4, UINT32_MAX);
    assert_int_equal(config(vlv, 0x20, 4), 0xfff9);
    gpu_rig_free(vlv);
    struct gpu_rig *dg1 = gpu_rig_awake(__LINE__, "dg1"); /* none */
    tally_gpu_port_write(dg1->gpu, 0, 4, 0);
    assert_int_equal(tally_gpu_port_read(dg1->gpu, 0, 4), UINT32_MAX);
    gpu_rig_free(dg1);
}

/* A copy is a device of its own. */
static void test_copies(void **state)
{
    (void)state;
    struct gpu_rig *from = gpu_rig_awake(__LINE__, "lkf"), *to = gpu_rig_awake(__LINE__, "lkf");
    set_config(from, 0xd4, 2, 3);
    set_config(from, 0xfc, 4, 0x1234);
    assert_int_equal(tally_gpu_copy(to->gpu, from->gpu), 0);
    assert_int_equal(config(to, 0xfc, 4), 0x1234);
    assert_int_equal(tally_gpu_read32(to->gpu, 0xfdc), UINT32_MAX);
    set_config(to, 0xd4, 2, 0);
    set_config(to, 0x04, 2, 2);
    assert_int_equal(tally_gpu_read32(to->gpu, 0xfdc), 0x80000000);
    assert_int_equal(tally_gpu_read32(from->gpu, 0xfdc), UINT32_MAX);
    gpu_rig_free(from);
    gpu_rig_free(to);
}

int test_gpu_pci(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_need_bus_master),
        cmocka_unit_test(test_reports_need_bus_master),
        cmocka_unit_test(test_d3_takes_the_power),
        cmocka_unit_test(test_the_scheduler_sleeps_in_d3),
        cmocka_unit_test(test_function_level_reset),
        cmocka_unit_test(test_interrupts_of_flat_registers),
        cmocka_unit_test(test_message_address_of_64_bits),
        cmocka_unit_test(test_interrupts_of_virtual_functions),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_ports),
        cmocka_unit_test(test_copies),
    };
    return cmocka_run_group_tests_name("gpu_pci", tests, NULL, NULL);
}
