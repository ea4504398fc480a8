/* SPDX-License-Identifier: MIT */
/* Registers that the kernel's driver needs besides those of the models, and page tables (OA-16). */
#include <inttypes.h>

#include "intel/gpu_rig.h"
#include "intel/gt/pages.h"
#include "intel/tests.h"

/* ---- stored registers ------------------------------------------------------------------------ */

/* What a register reads after a write, after a reset of the GT by GDRST and after one of the chip.
 */
static void test_stored(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t address, before, written, after, after_gt, after_chip;
    } rows[] = {
        {__LINE__, "icl", 0xc800, 0, 0x12345678, 0x12345678, 0, 0},
        {__LINE__, "icl", 0xccfc, 0, 0xcafe, 0xcafe, 0, 0},
        {__LINE__, "skl", 0x100004, 0, 0xabcd, 0xabcd, 0xabcd, 0},
        {__LINE__, "hsw", 0x1000fc, 0, 7, 7, 7, 0},
        {__LINE__, "tgl", 0x4004, 0, 7, 7, 0, 0},
        {__LINE__, "bdw", 0x7004, 0, 0x00400040, 0x0040, 0, 0},               /* masked */
        {__LINE__, "bdw", 0x7004, 0, 0x00000040, 0, 0, 0},                    /* not enabled */
        {__LINE__, "icl", 0x444e4, UINT32_MAX, 5, 5, 5, UINT32_MAX},          /* IMR */
        {__LINE__, "icl", 0x444e8, 0, UINT32_MAX, 0, 0, 0},                   /* IIR */
        {__LINE__, "skl", 0x138124, 0, 0x80001205, 0x1200, 0x1200, 0},        /* done, status 0 */
        {__LINE__, "skl", 0x45404, 0, 0x80000002, 0xc0000003, 0xc0000003, 0}, /* power wells */
        {__LINE__, "skl", 0x42000, 0x8fc00000, 0, 0x8fc00000, 0x8fc00000, 0x8fc00000},
        {__LINE__, "adl", 0x42000, 0x8ffc0000, 0, 0x8ffc0000, 0x8ffc0000, 0x8ffc0000},
        {__LINE__, "ivb", 0xa180, 0x20, 0x61, 0x61, 0x61, 0x20},
        {__LINE__, "ivb", 0xa18c, 0, 1, 1, 1, 0},
        {__LINE__, "vlv", 0xb010, 0, 0xd30000, 0xd30000, 0, 0},
        {__LINE__, "vlv", 0xa014, 0, 0xde0000c5, 0xde0000c5, 0xde0000c5, 0},
        {__LINE__, "chv", 0xa024, 0, 0x92, 0x92, 0x92, 0},
        {__LINE__, "vlv", 0x1820a8, UINT32_MAX, 0x50, 0x50, 0x50, UINT32_MAX},
        {__LINE__, "chv", 0x1820a4, 0, UINT32_MAX, 0, 0, 0},
        {__LINE__, "chv", 0x182120, 0, 0x1000, 0x1000, 0x1000, 0},
        {__LINE__, "chv", 0x120008, 0, 0x800, 0x800, 0x800, 0},
        {__LINE__, "icl", 0x51000, 0x50600000, 0, 0x50600000, 0x50600000, 0x50600000},
        {__LINE__, "hsw", 0x120008, 0x3f, 0, 0x3f, 0x3f, 0x3f},
        {__LINE__, "skl", 0x4260, 0, 1, 0, 0, 0}, /* done at once */
        {__LINE__, "tgl", 0xced8, 0, 1, 0, 0, 0}, /* done at once */
        {__LINE__, "skl", 0xc000, 1, 0, 1, 1, 1}, /* in reset */
        {__LINE__, "skl", 0x229c, 0, 0x80008000, 0x8000, 0, 0},
        {__LINE__, "icl", 0x1c84d4, 0, 0x24d0, 0x24d0, 0, 0},
        {__LINE__, "icl", 0x206c, UINT32_MAX, 0, UINT32_MAX, UINT32_MAX, UINT32_MAX},
        {__LINE__, "hsw", 0x20c0, 0, 0x02200220, 0, 0, 0}, /* done at once */
        {__LINE__, "hsw", 0x20c0, 0, 0x00400040, 0x40, 0, 0},
        {__LINE__, "hsw", 0x22228, 0, 0x7fda0000, 0x7fda0000, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        uint32_t at = rows[i].address, got[4];
        got[0] = tally_gpu_read32(rig->gpu, at);
        tally_gpu_write32(rig->gpu, at, rows[i].written);
        got[1] = tally_gpu_read32(rig->gpu, at);
        tally_gpu_write32(rig->gpu, 0x941c, 1);
        ROW(rows[i].line, tally_gpu_read32(rig->gpu, 0x941c) == 0, "GDRST");
        got[2] = tally_gpu_read32(rig->gpu, at);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
        got[3] = tally_gpu_read32(rig->gpu, at);
        ROW(rows[i].line,
            got[0] == rows[i].before && got[1] == rows[i].after && got[2] == rows[i].after_gt &&
                got[3] == rows[i].after_chip,
            "%#x: %#x, %#x, %#x, %#x", at, got[0], got[1], got[2], got[3]);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- the sideband ---------------------------------------------------------------------------- */

#define PUNIT 0x04 /* ports */
#define NORTH 0x11
#define CLOCK 0x14

static uint32_t access_sideband(struct tally_gpu *gpu, unsigned opcode, unsigned port,
                                uint32_t address, uint32_t data)
{
    tally_gpu_write32(gpu, 0x182108, address);
    tally_gpu_write32(gpu, 0x182104, data);
    tally_gpu_write32(gpu, 0x182100, opcode << 16 | port << 8 | 0xf0 | 1);
    return tally_gpu_read32(gpu, 0x182100) & 1 ? UINT32_MAX : tally_gpu_read32(gpu, 0x182104);
}

/* What a register of a unit reads, before and after a write to it or to another one, and after a
 * reset of the chip. On Cherryview DISPLAY_PHY_STATUS after the write, too. */
static void test_sideband(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        unsigned port;
        uint32_t address, before, written_to, written, after, phys;
    } rows[] = {
        {__LINE__, "vlv", PUNIT, 0x32, 0x03000003, 0x32, 0, 0, 0},
        {__LINE__, "chv", PUNIT, 0x39, 0x03000003, 0x39, 2, 0x02000002, 0xc0000000},
        {__LINE__, "chv", PUNIT, 0x36, 0, 0x36, 0x0c43, 0x0c430c43, 0xc0000000},
        {__LINE__, "vlv", PUNIT, 0x36, 0, 0x36, 0xffffc003, 0xc003c003, 0},
        {__LINE__, "vlv", PUNIT, 0x61, 0, 0x60, 0xc00, 0xc00, 0},
        {__LINE__, "vlv", PUNIT, 0x61, 0, 0x61, 0xc00, 0, 0}, /* read-only */
        {__LINE__, "chv", PUNIT, 0x60, 0, 0x60, 0xc00, 0xc00, 0x40000000},
        {__LINE__, "chv", PUNIT, 0x61, 0, 0x60, 0x3000000, 0x3000000, 0x80000000},
        {__LINE__, "chv", PUNIT, 0x61, 0, 0x60, 0x3000c0c, 0x3000c0c, 0},
        {__LINE__, "vlv", PUNIT, 0xd8, 0xdf10, 0xd4, 0xde01, 0xde10, 0},
        {__LINE__, "chv", PUNIT, 0xd8, 0x7010, 0xd4, 0x2000, 0x2010, 0xc0000000},
        {__LINE__, "chv", PUNIT, 0xd8, 0x7010, 0xd4, 0xff00, 0x7010, 0xc0000000}, /* the highest */
        {__LINE__, "vlv", PUNIT, 0xd3, 0xc5, 0xd3, 0, 0xc5, 0},
        {__LINE__, "chv", PUNIT, 0x139, 0, 0x139, 0x103, 3, 0xc0000000},
        {__LINE__, "chv", PUNIT, 0x137, 0x2000, 0x137, 0, 0x2000, 0xc0000000},
        {__LINE__, "vlv", PUNIT, 0x137, 0, 0x137, 1, 0, 0}, /* not on VLV */
        {__LINE__, "vlv", NORTH, 0x1c, 0x62ef8, 0x1c, 0, 0x62ef8, 0},
        {__LINE__, "vlv", CLOCK, 0x8, 2, 0x8, 0, 2, 0},
        {__LINE__, "chv", CLOCK, 0x62, 0x0707, 0x62, 0x1f05, 0x0505, 0xc0000000},
        {__LINE__, "chv", 0x12, 0x8170, 0, 0x8170, 0xc00003, 0, 0xc0000000}, /* not modelled */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        uint32_t at = rows[i].address, got[4];
        got[0] = access_sideband(rig->gpu, 6, rows[i].port, at, 0x55555555);
        access_sideband(rig->gpu, 2, rows[i].port, rows[i].written_to, rows[i].written); /* none */
        ROW(rows[i].line, access_sideband(rig->gpu, 6, rows[i].port, at, 0) == got[0], "opcode 2");
        access_sideband(rig->gpu, 7, rows[i].port, rows[i].written_to, rows[i].written);
        got[1] = access_sideband(rig->gpu, 6, rows[i].port, at, 0);
        got[2] = tally_gpu_read32(rig->gpu, 0x1e0104);
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_CHIP);
        got[3] = access_sideband(rig->gpu, 6, rows[i].port, at, 0);
        ROW(rows[i].line,
            got[0] == rows[i].before && got[1] == rows[i].after && got[2] == rows[i].phys &&
                got[3] == got[0],
            "%#x: %#x, %#x, %#x, %#x", at, got[0], got[1], got[2], got[3]);
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* Each domain resets its engine and no other; force wake stays. */
static void test_domains(void **state)
{
    static const struct {
        unsigned line;
        const char *platform;
        uint32_t bit, bases; /* mask of `base` */
    } rows[] = {
        {__LINE__, "hsw", 1 << 1, 1},      {__LINE__, "hsw", 1 << 2, 2},
        {__LINE__, "hsw", 1 << 3, 4},      {__LINE__, "hsw", 1 << 4, 8},
        {__LINE__, "hsw", 1 << 0, 15},     {__LINE__, "hsw", 1 << 5, 0},
        {__LINE__, "skl", 1 << 2, 2},      {__LINE__, "skl", 1 << 5, 0},
        {__LINE__, "icl", 1 << 1, 1},      {__LINE__, "icl", 1 << 5, 2},
        {__LINE__, "icl", 1 << 2, 4},      {__LINE__, "icl", 1 << 13, 8},
        {__LINE__, "icl", 1 << 7, 16},     {__LINE__, "icl", 1 << 6, 0},
        {__LINE__, "icl", 1, 31},          {__LINE__, "tgl", 1 << 3, 0},
        {__LINE__, "tgl", 6, 5},           {__LINE__, "skl/gt3", 1 << 7, 16},
        {__LINE__, "bdw/gt3", 1 << 7, 16}, {__LINE__, "skl/gt3", 1 << 2, 2},
        {__LINE__, "skl/gt3", 1, 31},
    };
    static const uint32_t gen6[] = {0x2000, 0x12000, 0x22000, 0x1a000, 0};
    static const uint32_t gt3[] = {0x2000, 0x12000, 0x22000, 0x1a000, 0x1c000};
    static const uint32_t gen11[] = {0x2000, 0x1c0000, 0x22000, 0x1c8000, 0x1d0000};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        const uint32_t *base = rig->model >= INTEL_ICL         ? gen11
                               : strchr(rows[i].platform, '/') ? gt3
                                                               : gen6;
        for (unsigned k = 0; k < 5 && base[k]; k++)
            tally_gpu_write32(rig->gpu, base[k] + 0x54, 0x77);
        tally_gpu_write32(rig->gpu, 0x941c, rows[i].bit);
        for (unsigned k = 0; k < 5 && base[k]; k++) {
            bool reset = tally_gpu_read32(rig->gpu, base[k] + 0x54) == 0;
            ROW(rows[i].line, reset == (rows[i].bases >> k & 1), "engine %u", k);
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

/* STOP_RING keeps the engine from executing, and MODE_IDLE says so. */
static void test_stop(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "hsw");
    PUT(rig, TALLY_GPU_GGTT, 0x4000, 0x10400002, 0, 0x3000, 1); /* MI_STORE_DATA_IMM */
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x200, "idle");
    tally_gpu_write32(rig->gpu, 0x209c, 0x01000100);
    tally_gpu_write32(rig->gpu, 0x2038, 0x4000);
    tally_gpu_write32(rig->gpu, 0x203c, 1);
    tally_gpu_write32(rig->gpu, 0x2030, 16);
    tally_gpu_run(rig->gpu, 10000);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x300, "stopped");
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 0, "nothing is executed");
    tally_gpu_write32(rig->gpu, 0x209c, 0x01000000);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0, "busy");
    tally_gpu_run(rig->gpu, 10000);
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 1, "it continues");
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x200, "idle again");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* On Gen12, too, MMIO shows that an engine is idle; a command of the engine never sees it so. */
static void test_idle(void **state)
{
    (void)state;
    struct gpu_rig *rig = gpu_rig_awake(__LINE__, "tgl");
    PUT(rig, TALLY_GPU_GGTT, 0x4000, 0x12400002, 0x209c, 0x3000, 0, 0x18800001, 0x4000, 0);
    PUT(rig, TALLY_GPU_GGTT, 0x3000, 7);
    tally_gpu_write32(rig->gpu, 0x209c, 0x12001200);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x1200, "idle");
    assert_int_equal(tally_gpu_submit(rig->gpu, 7, TALLY_GPU_GGTT, 0x4000, true), 0);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x1000, "a submission waits");
    tally_gpu_run(rig->gpu, 10000);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0, "busy");
    ROW(__LINE__, gpu_rig_peek(rig, 0, 0x3000) == 0, "read by a command");
    PUT(rig, TALLY_GPU_GGTT, 0x4000, 0x05000000);
    tally_gpu_run(rig->gpu, 10000);
    ROW(__LINE__, tally_gpu_read32(rig->gpu, 0x209c) == 0x200, "idle again");
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* ---- page tables ----------------------------------------------------------------------------- */

/* Memory of tables: 64 pages. */
static uint8_t tables[64 << 12];
static uint8_t entries[1 << 16];

static bool read_tables(void *closure, uint64_t physical, void *data, size_t bytes)
{
    (void)closure;
    if (physical > sizeof tables || bytes > sizeof tables - physical)
        return false;
    memcpy(data, tables + physical, bytes);
    return true;
}

static bool read_entries(void *closure, uint64_t offset, void *data, size_t bytes)
{
    (void)closure;
    if (offset > sizeof entries || bytes > sizeof entries - offset)
        return false;
    memcpy(data, entries + offset, bytes);
    return true;
}

static void put(uint8_t *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void test_pages(void **state)
{
    (void)state;
    memset(tables, 0, sizeof tables);
    memset(entries, 0, sizeof entries);
    /* Four levels: pages 1 to 4 of `tables`; address 1 << 39 | 2 << 30 | 3 << 21 | 4 << 12. */
    put(tables + 0x1000 + 8 * 1, 0x2003, 8);
    put(tables + 0x2000 + 8 * 2, 0x3003, 8);
    put(tables + 0x2000 + 8 * 5, 0x1c0000083, 8); /* 1 GB */
    put(tables + 0x3000 + 8 * 3, 0x4003, 8);
    put(tables + 0x3000 + 8 * 6, 0x40600083, 8); /* 2 MB */
    put(tables + 0x3000 + 8 * 7, 0x5003 | 0x800, 8);
    put(tables + 0x3000 + 8 * 8, 0x9003, 8);
    put(tables + 0x4000 + 8 * 4, 0xabcdef123003, 8);
    put(tables + 0x4000 + 8 * 5, 0x77000, 8);      /* not present */
    put(tables + 0x5000 + 8 * 16, 0x123450003, 8); /* 64 KB */
    /* Two levels: the directory is at 40h of the entries. */
    put(entries + 0x1000 + 4 * 3, 0x6001, 4);
    put(tables + 0x6000 + 4 * 5, 0x88888ff1, 4);
    put(entries + 4 * 9, 0x99999011, 4);
    put(entries + 8 * 9, 0x3800099999001, 8);
    static const struct {
        unsigned line;
        uint8_t tables;
        bool ggtt;
        uint64_t address;
        bool present;
        uint64_t physical, bytes;
    } rows[] = {
        {__LINE__, PAGES_GEN8, false, 0x8080604567, true, 0xabcdef123567, 0xa99},
        {__LINE__, PAGES_GEN8, false, 0x8080605000, false, 0, 0},
        {__LINE__, PAGES_GEN8, false, 0x8140123456, true, 0x1c0123456, 0x3fedcbaa},
        {__LINE__, PAGES_GEN8, false, 0x8080c12345, true, 0x40612345, 0x1edcbb},
        {__LINE__, PAGES_GEN8, false, 0x8080e1abcd, true, 0x12345abcd, 0x5433},
        {__LINE__, PAGES_GEN8, false, 0x8080e2abcd, false, 0, 0},
        {__LINE__, PAGES_GEN8, false, 0x8081000000, false, 0, 0},
        {__LINE__, PAGES_GEN8, false, 0, false, 0, 0},
        {__LINE__, PAGES_HSW, false, 0xc05678, true, 0x7f88888678, 0x988},
        {__LINE__, PAGES_GEN6, false, 0xc05678, true, 0xff88888678, 0x988},
        {__LINE__, PAGES_HSW, false, 0xc06000, false, 0, 0},
        {__LINE__, PAGES_HSW, false, 0x80c05678, false, 0, 0}, /* beyond 2 GB */
        /* The directory at 3000h is that of the second GB. */
        {__LINE__, PAGES_CHV, false, 0x40604567, true, 0xabcdef123567, 0xa99},
        {__LINE__, PAGES_CHV, false, 0x40605567, false, 0, 0},
        {__LINE__, PAGES_CHV, false, 0x604567, false, 0, 0},
        {__LINE__, PAGES_CHV, false, 0x140604567, false, 0, 0}, /* beyond 4 GB */
        {__LINE__, PAGES_HSW, true, 0x9abc, true, 0x199999abc, 0x544},
        {__LINE__, PAGES_GEN8, true, 0x9abc, true, 0x800099999abc, 0x544},
        {__LINE__, PAGES_HSW, true, 0x8000, false, 0, 0},
        {__LINE__, PAGES_HSW, true, 0x4000000, false, 0, 0}, /* beyond the table */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gt_pages pages = {gt_page_format((enum intel_page_tables)rows[i].tables),
                                 read_entries, read_tables, NULL};
        struct gt_page_place place = {0};
        static const uint64_t roots_chv[] = {0, 0x3000, 0, 0}, root_64[] = {0x1000},
                              root_32[] = {0x00400000};
        const uint64_t *roots = rows[i].tables == PAGES_CHV    ? roots_chv
                                : rows[i].tables == PAGES_GEN8 ? root_64
                                                               : root_32;
        unsigned root;
        bool present = rows[i].ggtt
                           ? gt_pages_ggtt(&pages, rows[i].address, &place)
                           : gt_pages_root(pages.format, rows[i].address, &root) &&
                                 gt_pages_ppgtt(&pages, roots[root], rows[i].address, &place);
        ROW(rows[i].line,
            present == rows[i].present &&
                (!present || (place.physical == rows[i].physical && place.bytes == rows[i].bytes)),
            "%d %#" PRIx64 " %#" PRIx64, present, place.physical, place.bytes);
    }
    ROWS_DONE();
}

int test_gpu_host(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored),  cmocka_unit_test(test_sideband),
        cmocka_unit_test(test_domains), cmocka_unit_test(test_stop),
        cmocka_unit_test(test_idle),    cmocka_unit_test(test_pages),
    };
    return cmocka_run_group_tests_name("gpu host", tests, NULL, NULL);
}
