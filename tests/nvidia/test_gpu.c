/* SPDX-License-Identifier: MIT */
/* The assembled GPU: PMC, PTIMER, configuration space, and PCOUNTER behind them. */
#include "nvidia/tests.h"

#include <inttypes.h>

#include "nvidia/gpu/gpu.h"

static struct nvidia_gpu *new_gpu(const char *chipset)
{
    struct tally_error error = {0};
    struct nvidia_gpu *gpu;
    if (nvidia_gpu_new(tally_chipset_find(chipset), &gpu, &error) < 0)
        fail_msg("%s", error.message);
    return gpu;
}

/* ---- chipsets -------------------------------------------------------------------------------- */

/* Every chipset with PCOUNTER identifies itself, in BOOT_0 and in configuration space. */
static void test_chipsets_identify(void **state)
{
    const struct tally_chipset *chipset;
    unsigned gpus = 0;
    (void)state;
    for (size_t i = 0; (chipset = tally_chipset_at(i)); i++) {
        struct tally_error error = {0};
        struct nvidia_gpu *gpu;
        int result = nvidia_gpu_new(chipset, &gpu, &error);
        bool exists = chipset->presence != TALLY_ABSENT && strcmp(chipset->name, "rsx") != 0;
        if (!ROW(__LINE__, (result == 0) == exists, "%s: %d, %s", chipset->name, result,
                 error.message) ||
            result < 0) {
            ROW(__LINE__, result == -ENODEV, "%s: %d", chipset->name, result);
            continue;
        }
        uint32_t boot = nvidia_gpu_read32(gpu, 0), id = nvidia_pci_read(gpu, 2, 2);
        ROW(__LINE__, tally_chipset_from_boot0(boot) == chipset, "%s: BOOT_0 %08" PRIx32,
            chipset->name, boot);
        ROW(__LINE__, (boot >> 16 & 15) == (i >= 36 ? id >> 1 & 15 : id & 15),
            "%s: BOOT_0 %08" PRIx32 ", device %04" PRIx32, chipset->name, boot, id);
        ROW(__LINE__, nvidia_pci_read(gpu, 0, 2) == 0x10de, "%s: vendor", chipset->name);
        ROW(__LINE__, nvidia_pci_read(gpu, 8, 4) == (0x03000000 | (boot & 0xff)), "%s: class",
            chipset->name);
        gpus++;
        nvidia_gpu_free(gpu);
    }
    assert_int_equal(gpus, 50);
    ROWS_DONE();
}

static void test_boot_values(void **state)
{
    static const struct {
        unsigned line;
        const char *chipset;
        uint32_t boot, id;
    } rows[] = {
        {__LINE__, "nv10", 0x010000a1, 0x010010de},  {__LINE__, "nv40", 0x040100a1, 0x004110de},
        {__LINE__, "g84", 0x084200a1, 0x040210de},   {__LINE__, "g92", 0x092880a1, 0x061110de},
        {__LINE__, "gf100", 0x0c0000a1, 0x06c010de}, {__LINE__, "gf108", 0x0c1080a1, 0x0de110de},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nvidia_gpu *gpu = new_gpu(rows[i].chipset);
        ROW(rows[i].line, nvidia_gpu_read32(gpu, 0) == rows[i].boot, "BOOT_0 %08" PRIx32,
            nvidia_gpu_read32(gpu, 0));
        ROW(rows[i].line, nvidia_pci_read(gpu, 0, 4) == rows[i].id, "id");
        nvidia_gpu_free(gpu);
    }
    ROWS_DONE();
}

/* ---- PTIMER ---------------------------------------------------------------------------------- */

static uint64_t time_of(struct nvidia_gpu *gpu)
{
    return (uint64_t)nvidia_gpu_read32(gpu, 0x9410) << 32 | nvidia_gpu_read32(gpu, 0x9400);
}

/* Time in steps of 32 ns, with a ratio; each row continues the one before. */
static void test_timer(void **state)
{
    static const struct {
        unsigned line;
        uint32_t address, value;
        uint64_t ns, time;
    } rows[] = {
        {__LINE__, 0, 0, 31, 0},
        {__LINE__, 0, 0, 1, 32},
        {__LINE__, 0, 0, 1000, 1024},      /* 1032 */
        {__LINE__, 0x9210, 0, 5000, 1024}, /* 6032: stopped */
        {__LINE__, 0x9210, 1, 0, 1024},
        {__LINE__, 0x9200, 2, 6400, 1024 + 3200},      /* 12432: half as fast */
        {__LINE__, 0x9210, 7, 320, 1024 + 3200 + 320}, /* faster than its source: as fast */
        {__LINE__, 0x9200, 0, 320, 1024 + 3200 + 320}, /* no divider: stopped */
        {__LINE__, 0x9210, 1, 0, 1024 + 3200 + 320},
        {__LINE__, 0x9200, 1, 0, 1024 + 3200 + 320},
        {__LINE__, 0x9400, 0xffffffff, 0, 0xffffffe0},
        {__LINE__, 0, 0, 32, UINT64_C(0x100000000)},
        {__LINE__, 0x9410, 0xffffffff, 0, UINT64_C(0x1fffffff00000000)},
        {__LINE__, 0x9400, 0xffffffff, 32, 0}, /* 56 bits */
        {__LINE__, 0x9200, 3, 0, 0},
        {__LINE__, 0x9210, 2, 64, 32}, /* 2 clocks: 4 / 3 */
        {__LINE__, 0, 0, 32, 64},      /* 3 clocks: 6 / 3 */
    };
    struct nvidia_gpu *gpu = new_gpu("g92");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].address)
            nvidia_gpu_write32(gpu, rows[i].address, rows[i].value);
        nvidia_gpu_run(gpu, rows[i].ns);
        ROW(rows[i].line, time_of(gpu) == rows[i].time, "%#" PRIx64 ", expected %#" PRIx64,
            time_of(gpu), rows[i].time);
    }
    ROWS_DONE();
    nvidia_gpu_free(gpu);
}

/* G92's domain 0 has bit 17 of the time as a signal (34h): a period of 262,144 ns. In quad mode,
 * EVENT counts its ones, and PRE its rising edges. */
static void test_timer_signal(void **state)
{
    struct nvidia_gpu *gpu = new_gpu("g92");
    (void)state;
    nvidia_gpu_write32(gpu, 0xa480, 0x34);   /* EVENT_SRC */
    nvidia_gpu_write32(gpu, 0xa4a0, 0xaaaa); /* EVENT_OP: argument 0 */
    nvidia_gpu_write32(gpu, 0xa400, 0x3434); /* PRE_SRC */
    nvidia_gpu_write32(gpu, 0xa7c0, 1);      /* CTRL: QUAD */
    nvidia_gpu_write32(gpu, 0xa420,
                       0x22222); /* PRE_OP: argument 0, not 1, which is a clock late; swaps */
    nvidia_gpu_run(gpu, 10 * 262144);
    nvidia_gpu_write32(gpu, 0xa420, 0x22222);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa800 + 4) >> 20 & 1, 1); /* SIG_STATUS: last clock */
    nvidia_gpu_run(gpu, 262144);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa600), 10 * 262144 / 2); /* CTR_CYCLES, 500 MHz */
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa680), 5 * 262144 / 2);  /* CTR_EVENT */
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa700), 10);              /* CTR_PRE */

    /* It follows the timer: half as fast, and not at all in reset. */
    nvidia_gpu_write32(gpu, 0x9200, 2);
    nvidia_gpu_write32(gpu, 0xa420, 0x22222);
    nvidia_gpu_run(gpu, 8 * 262144);
    nvidia_gpu_write32(gpu, 0xa420, 0x22222);
    nvidia_gpu_write32(gpu, 0x200, 0);
    nvidia_gpu_run(gpu, 2);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa700), 4);
    nvidia_gpu_write32(gpu, 0xa420, 0x22222);
    nvidia_gpu_run(gpu, 8 * 262144);
    nvidia_gpu_write32(gpu, 0xa420, 0x22222);
    nvidia_gpu_run(gpu, 2);
    assert_int_equal(nvidia_gpu_read32(gpu, 0xa680), 0);
    nvidia_gpu_free(gpu);
}

/* ---- PMC ------------------------------------------------------------------------------------- */

static void test_enable(void **state)
{
    static const struct {
        unsigned line;
        const char *chipset;
        uint32_t reset, disabled;  /* ENABLE, and what disabled parts read */
        uint32_t pcounter, absent; /* a register of PCOUNTER, and what missing ones read */
        bool is_reset;             /* PCOUNTER obeys ENABLE */
    } rows[] = {
        {__LINE__, "nv10", 0x00010000, 0, 0xa410, 0, false},
        {__LINE__, "g92", 0x00010000, 0, 0xa480, 0, false},
        {__LINE__, "gf100", 0x10010000, 0xbad0da00, 0x180050, 0xbad00100, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned line = rows[i].line;
        struct nvidia_gpu *gpu = new_gpu(rows[i].chipset);
        uint32_t kept = rows[i].is_reset ? 0 : 0x01020304;
        nvidia_gpu_run(gpu, 3200);
        ROW(line, nvidia_gpu_read32(gpu, 0x200) == rows[i].reset, "reset value");
        nvidia_gpu_write32(gpu, rows[i].pcounter, 0x01020304);
        ROW(line, nvidia_gpu_read32(gpu, rows[i].pcounter) == 0x01020304, "PCOUNTER");
        nvidia_gpu_write32(gpu, 0x200, 0xeffeffff);
        ROW(line, nvidia_gpu_read32(gpu, 0x200) == 0xeffeffff, "stored");
        ROW(line, nvidia_gpu_read32(gpu, 0x9400) == rows[i].disabled, "PTIMER in reset");
        ROW(line,
            nvidia_gpu_read32(gpu, rows[i].pcounter) ==
                (rows[i].is_reset ? rows[i].disabled : 0x01020304),
            "PCOUNTER in reset");
        nvidia_gpu_write32(gpu, 0x9210, 5); /* ignored */
        nvidia_gpu_run(gpu, 3200);
        nvidia_gpu_write32(gpu, 0x200, 0xffffffff);
        ROW(line, nvidia_gpu_read32(gpu, 0x9210) == 1, "PTIMER after reset");
        ROW(line, nvidia_gpu_read32(gpu, 0x9400) == 0, "time after reset");
        ROW(line, nvidia_gpu_read32(gpu, rows[i].pcounter) == kept, "PCOUNTER after reset");
        nvidia_gpu_run(gpu, 64);
        ROW(line, nvidia_gpu_read32(gpu, 0x9400) == 64, "PTIMER counts again");
        ROW(line, nvidia_gpu_read32(gpu, 0x400100) == rows[i].absent, "PGRAPH");
        nvidia_gpu_write32(gpu, 0, 0); /* read-only */
        ROW(line, nvidia_gpu_read32(gpu, 0) >> 20 == gpu->chipset->id, "BOOT_0");
        nvidia_gpu_reset(gpu);
        ROW(line, nvidia_gpu_read32(gpu, 0x200) == rows[i].reset, "after a reset");
        nvidia_gpu_free(gpu);
    }
    ROWS_DONE();
}

/* The outcomes that a listener hears, of all parts, each access once. */
struct heard {
    unsigned count;
    struct nvidia_access last;
};

static void hear(void *closure, const struct nvidia_access *access)
{
    struct heard *heard = closure;
    heard->count++;
    heard->last = *access;
}

static void test_listener(void **state)
{
    static const struct {
        unsigned line;
        uint32_t address;
        bool write;
        enum tally_pcounter_access_outcome outcome;
        const char *name;
    } rows[] = {
        {__LINE__, 0x0, false, TALLY_PCOUNTER_DONE, "BOOT_0"},
        {__LINE__, 0x0, true, TALLY_PCOUNTER_READ_ONLY, "BOOT_0"},
        {__LINE__, 0x200, true, TALLY_PCOUNTER_DONE, "ENABLE"},
        {__LINE__, 0x9200, true, TALLY_PCOUNTER_DISABLED, "CLOCK_DIV"},
        {__LINE__, 0x9400, false, TALLY_PCOUNTER_DISABLED, "TIME_LOW"},
        {__LINE__, 0x180050, false, TALLY_PCOUNTER_DISABLED, "EVENT_SRC"},
        {__LINE__, 0x88000, false, TALLY_PCOUNTER_DONE, "PCI_ID"},
        {__LINE__, 0x88064, true, TALLY_PCOUNTER_RESERVED_BITS, "PCI_PM_CONTROL"},
        {__LINE__, 0x400100, false, TALLY_PCOUNTER_UNKNOWN_REGISTER, NULL},
        {__LINE__, 0x1bfffc, true, TALLY_PCOUNTER_UNKNOWN_REGISTER, NULL},
    };
    struct nvidia_gpu *gpu = new_gpu("gf100");
    struct heard heard = {0};
    (void)state;
    nvidia_gpu_listen(gpu, hear, &heard);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t value = 0x100; /* no bit of an engine */
        if (rows[i].write)
            nvidia_gpu_write32(gpu, rows[i].address, value);
        else
            nvidia_gpu_read32(gpu, rows[i].address);
        const struct reg *reg = heard.last.place.reg;
        ROW(rows[i].line, heard.count == i + 1, "%u accesses", heard.count);
        ROW(rows[i].line,
            heard.last.address == rows[i].address && heard.last.write == rows[i].write &&
                heard.last.outcome == rows[i].outcome,
            "%#" PRIx32 ": %s", heard.last.address,
            tally_pcounter_access_outcome_name(heard.last.outcome));
        ROW(rows[i].line, reg ? rows[i].name && !strcmp(reg->name, rows[i].name) : !rows[i].name,
            "%s", reg ? reg->name : "-");
    }
    ROWS_DONE();
    nvidia_gpu_free(gpu);
}

/* ---- the PCI device -------------------------------------------------------------------------- */

/* Configuration space, access by access: writes, then what is read. */
static void test_configuration_space(void **state)
{
    static const struct {
        unsigned line;
        unsigned offset, bytes;
        uint32_t value; /* written */
        uint32_t read;
    } rows[] = {
        {__LINE__, 0x00, 4, 0xffffffff, 0x061110de},
        {__LINE__, 0x04, 4, 0xffffffff, 0x00100007},
        {__LINE__, 0x04, 1, 0x00, 0x00},
        {__LINE__, 0x06, 2, 0xffff, 0x0010},
        {__LINE__, 0x08, 4, 0, 0x030000a1},
        {__LINE__, 0x0c, 4, 0xffffffff, 0x0000ffff},
        {__LINE__, 0x0d, 1, 0x40, 0x40},
        {__LINE__, 0x10, 4, 0xffffffff, 0xff000000},
        {__LINE__, 0x13, 1, 0xfd, 0xfd},
        {__LINE__, 0x10, 4, 0xfdffffff, 0xfd000000},
        {__LINE__, 0x14, 4, 0xffffffff, 0xfc000008},
        {__LINE__, 0x18, 4, 0xffffffff, 0},
        {__LINE__, 0x1c, 4, 0xffffffff, 0xfe000000},
        {__LINE__, 0x20, 4, 0xffffffff, 0},
        {__LINE__, 0x24, 4, 0xffffffff, 0},
        {__LINE__, 0x30, 4, 0xffffffff, 0},
        {__LINE__, 0x2c, 4, 0, 0x061110de},
        {__LINE__, 0x40, 4, 0x12345678, 0x12345678},
        {__LINE__, 0x2e, 2, 0, 0x1234},
        {__LINE__, 0x34, 1, 0xff, 0x60},
        {__LINE__, 0x3c, 4, 0xffffffff, 0xff},
        {__LINE__, 0x50, 4, 0xffffffff, 1},
        {__LINE__, 0x60, 4, 0xffffffff, 0x00036801},
        {__LINE__, 0x68, 4, 0xffffffff, 0x00f10005},
        {__LINE__, 0x6c, 4, 0xffffffff, 0xfffffffc},
        {__LINE__, 0x70, 4, 0x12345678, 0x12345678},
        {__LINE__, 0x74, 4, 0xffffffff, 0x0000ffff},
        {__LINE__, 0x64, 2, 1, 0},
        {__LINE__, 0x64, 2, 2, 0},
        {__LINE__, 0x64, 2, 3, 3},
        {__LINE__, 0x64, 2, 2, 3},
        {__LINE__, 0x05, 2, 0, 0xffffffff},
        {__LINE__, 0x100, 4, 0, 0xffffffff},
        {__LINE__, 0x04, 3, 0, 0xffffffff},
    };
    struct nvidia_gpu *gpu = new_gpu("g92");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nvidia_pci_write(gpu, rows[i].offset, rows[i].bytes, rows[i].value);
        uint32_t read = nvidia_pci_read(gpu, rows[i].offset, rows[i].bytes);
        ROW(rows[i].line, read == rows[i].read, "%#x: %#" PRIx32 ", expected %#" PRIx32,
            rows[i].offset, read, rows[i].read);
    }
    /* The end of power state D3hot is a reset, of configuration space, too. */
    nvidia_pci_write(gpu, 0x64, 1, 0);
    assert_int_equal(nvidia_pci_read(gpu, 0x64, 4), 0);
    assert_int_equal(nvidia_pci_read(gpu, 0x10, 4), 0);
    assert_int_equal(nvidia_pci_read(gpu, 0x2c, 4), 0x061110de);
    ROWS_DONE();
    nvidia_gpu_free(gpu);
}

/* Configuration space in BAR 0: at 1800h up to NV30, at 88000h from NV40 on. */
static void test_configuration_window(void **state)
{
    struct nvidia_gpu *old = new_gpu("nv34"), *gpu = new_gpu("nv40");
    (void)state;
    assert_int_equal(nvidia_gpu_read32(old, 0x1800), 0x032210de);
    assert_int_equal(nvidia_gpu_read32(old, 0x88000), 0);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x88000), 0x004110de);
    assert_int_equal(nvidia_gpu_read32(gpu, 0x1800), 0);
    nvidia_gpu_write32(gpu, 0x88040, 0xcafe1234);
    assert_int_equal(nvidia_pci_read(gpu, 0x2c, 4), 0xcafe1234);
    nvidia_gpu_free(old);
    nvidia_gpu_free(gpu);
}

static void test_decoding(void **state)
{
    struct nvidia_gpu *gpu = new_gpu("g92");
    enum nvidia_bar bar;
    uint32_t offset;
    (void)state;
    nvidia_pci_write(gpu, 0x10, 4, 0xfd000000);
    nvidia_pci_write(gpu, 0x14, 4, 0xd0000000);
    nvidia_pci_write(gpu, 0x1c, 4, 0xe2000000);
    assert_false(nvidia_pci_decode(gpu, 0xfd000200, &bar, &offset));
    assert_false(nvidia_pci_is_master(gpu));
    nvidia_pci_write(gpu, 0x04, 2, 6);
    assert_true(nvidia_pci_is_master(gpu));
    assert_true(nvidia_pci_decode(gpu, 0xfd000200, &bar, &offset));
    assert_int_equal(bar, NVIDIA_BAR0);
    assert_int_equal(offset, 0x200);
    assert_true(nvidia_pci_decode(gpu, 0xd3ffffff, &bar, &offset));
    assert_int_equal(bar, NVIDIA_BAR1);
    assert_int_equal(offset, 0x3ffffff);
    assert_false(nvidia_pci_decode(gpu, 0xd4000000, &bar, &offset));
    assert_true(nvidia_pci_decode(gpu, 0xe2000004, &bar, &offset));
    assert_int_equal(bar, NVIDIA_BAR3);
    assert_int_equal(offset, 4);
    assert_false(nvidia_pci_decode(gpu, 0xe1fffffc, &bar, &offset));
    assert_true(nvidia_pci_decode(gpu, 0xfdfffffc, &bar, &offset));
    assert_false(nvidia_pci_decode(gpu, 0xfe000000, &bar, &offset));
    assert_false(nvidia_pci_decode(gpu, 0xfcfffffc, &bar, &offset));
    assert_false(nvidia_pci_decode(gpu, UINT64_C(0x1fd000200), &bar, &offset));
    nvidia_pci_write(gpu, 0x64, 2, 3);
    assert_false(nvidia_pci_decode(gpu, 0xfd000200, &bar, &offset));
    nvidia_gpu_free(gpu);
}

int test_gpu(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chipsets_identify),
        cmocka_unit_test(test_boot_values),
        cmocka_unit_test(test_timer),
        cmocka_unit_test(test_timer_signal),
        cmocka_unit_test(test_enable),
        cmocka_unit_test(test_listener),
        cmocka_unit_test(test_configuration_space),
        cmocka_unit_test(test_configuration_window),
        cmocka_unit_test(test_decoding),
    };
    return cmocka_run_group_tests_name("gpu", tests, NULL, NULL);
}
