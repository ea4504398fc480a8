/* SPDX-License-Identifier: MIT */
/* VRAM, the window of BAR 0 on memory, BAR 1 and BAR 3 with their page tables, and the ROM. */
#include "nvidia/tests.h"

#include <inttypes.h>

#include "base/bits.h"
#include "nvidia/gpu/gpu.h"

#define CHANNEL 0x20000u /* in VRAM */
#define OBJECT  0x4400u  /* a DMA object, in the channel */
#define TABLE   0x40000u /* page tables */

#define HOST_BYTES 0x4000u

/* Places that are not in VRAM. */
#define NOWHERE 1u
#define HOST    0x80000000u

struct rig {
    struct nvidia_gpu *gpu;
    uint8_t host[HOST_BYTES];
};

static bool read_host(void *closure, uint64_t address, void *data, size_t bytes)
{
    const struct rig *rig = closure;
    if (address >= HOST_BYTES || bytes > HOST_BYTES - address)
        return false;
    memcpy(data, rig->host + address, bytes);
    return true;
}

static bool write_host(void *closure, uint64_t address, const void *data, size_t bytes)
{
    struct rig *rig = closure;
    if (address >= HOST_BYTES || bytes > HOST_BYTES - address)
        return false;
    memcpy(rig->host + address, data, bytes);
    return true;
}

static void ignore_message(void *closure, uint64_t address, uint32_t data)
{
    (void)closure, (void)address, (void)data;
}

static const struct nvidia_host host = {read_host, write_host, ignore_message};

static void start(struct rig *rig)
{
    struct tally_error error = {0};
    *rig = (struct rig){0};
    if (nvidia_gpu_new(tally_chipset_find("g92"), &rig->gpu, &error) < 0)
        fail_msg("%s", error.message);
    rig->gpu->host = &host;
    rig->gpu->closure = rig;
    nvidia_pci_write(rig->gpu, 4, 2, 6);
}

/* Writes a word of VRAM through the window. */
static void poke(const struct rig *rig, uint32_t address, uint32_t value)
{
    nvidia_gpu_write32(rig->gpu, 0x1700, address >> 16);
    nvidia_gpu_write32(rig->gpu, 0x700000 + address % 0x10000, value);
}

static uint32_t read_bar(const struct rig *rig, enum nvidia_bar bar, uint32_t offset)
{
    uint8_t bytes[4];
    nvidia_bar_read(rig->gpu, bar, offset, bytes, sizeof bytes);
    return load_le32(bytes);
}

static void write_bar(const struct rig *rig, enum nvidia_bar bar, uint32_t offset, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    nvidia_bar_write(rig->gpu, bar, offset, bytes, sizeof bytes);
}

/* ---- without page tables --------------------------------------------------------------------- */

static void test_window(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig);
    nvidia_gpu_write32(rig.gpu, 0x700010, 0x11223344);
    nvidia_gpu_write32(rig.gpu, 0x7ffffc, 0x55667788);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x700010), 0x11223344);
    nvidia_gpu_write32(rig.gpu, 0x1700, 0xf); /* in units of 64 KiB */
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x70fffc), 0x55667788);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x700010), 0);
    nvidia_gpu_write32(rig.gpu, 0x1700, 0x0fff); /* the end of VRAM */
    nvidia_gpu_write32(rig.gpu, 0x70fffc, 0xaabbccdd);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x70fffc), 0xaabbccdd);
    nvidia_gpu_write32(rig.gpu, 0x710000, 0xffffffff); /* and beyond */
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x710000), 0);

    /* Memory of the machine, if the GPU may access it. */
    nvidia_gpu_write32(rig.gpu, 0x1700, 0x02000000);
    nvidia_gpu_write32(rig.gpu, 0x700020, 0xcafe0001);
    assert_int_equal(load_le32(rig.host + 0x20), 0xcafe0001);
    store_le32(rig.host + 0x24, 0x12345678);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x700024), 0x12345678);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x700000 + HOST_BYTES), 0);
    nvidia_pci_write(rig.gpu, 4, 2, 2);
    nvidia_gpu_write32(rig.gpu, 0x700020, 0);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x700024), 0);
    assert_int_equal(load_le32(rig.host + 0x20), 0xcafe0001);
    nvidia_gpu_free(rig.gpu);
}

/* After a reset the BARs show VRAM. */
static void test_bars_show_vram(void **state)
{
    struct rig rig;
    uint8_t bytes[3] = {1, 2, 3};
    (void)state;
    start(&rig);
    poke(&rig, 0x30ffc, 0x11223344);
    assert_int_equal(read_bar(&rig, NVIDIA_BAR1, 0x30ffc), 0x11223344);
    assert_int_equal(read_bar(&rig, NVIDIA_BAR3, 0x30ffc), 0x11223344);
    nvidia_bar_write(rig.gpu, NVIDIA_BAR1, 0x30fff, bytes, sizeof bytes); /* across pages */
    assert_int_equal(read_bar(&rig, NVIDIA_BAR1, 0x30ffc), 0x01223344);
    assert_int_equal(read_bar(&rig, NVIDIA_BAR3, 0x31000), 0x0302);
    nvidia_gpu_reset(rig.gpu); /* VRAM keeps its contents */
    assert_int_equal(read_bar(&rig, NVIDIA_BAR3, 0x31000), 0x0302);
    nvidia_gpu_free(rig.gpu);
}

/* ---- with page tables ------------------------------------------------------------------------ */

/* Makes a channel: a DMA object of the virtual memory from 100000000h on, 1 MiB, whose page table
 * is `directory`; BAR 3 uses it. */
static void make_channel(const struct rig *rig, uint32_t object, uint32_t directory)
{
    static const uint32_t rest[] = {0x000fffff, 0, 0x01000001};
    poke(rig, CHANNEL + OBJECT, object);
    for (unsigned i = 0; i < 3; i++)
        poke(rig, CHANNEL + OBJECT + 4 + 4 * i, rest[i]);
    poke(rig, CHANNEL + 0x200 + 8 * 8, directory);
    poke(rig, CHANNEL + 0x200 + 8 * 8 + 4, 0);
    nvidia_gpu_write32(rig->gpu, 0x1704, 0x12345); /* of the PEEPHOLE */
    nvidia_gpu_write32(rig->gpu, 0x1704, 0x40000000 | CHANNEL >> 12);
    nvidia_gpu_write32(rig->gpu, 0x1704, 0x12345);
    nvidia_gpu_write32(rig->gpu, 0x170c, 0x80000000 | OBJECT >> 4);
}

/* Where the first word of a page and one in a later page of BAR 3 are in memory. */
static void test_translation(void **state)
{
    static const struct {
        unsigned line;
        uint32_t object, directory; /* word 0 of the DMA object, PDE */
        uint32_t entry, value;      /* a PTE */
        uint32_t offset;            /* in the BAR */
        uint32_t place;             /* in VRAM; HOST: in the machine's memory */
    } rows[] = {
        {__LINE__, 0x7fc00000, TABLE | 3, 0, 0x00123001, 0x10, 0x123010},
        {__LINE__, 0x7fc00000, TABLE | 3, 5, 0x00123001, 0x5ffc, 0x123ffc},
        {__LINE__, 0x7fc00000, TABLE | 3, 4, 0x00123001, 0x5ffc, NOWHERE},
        {__LINE__, 0x7fc00000, TABLE | 3, 5, 0x00123000, 0x5ffc, NOWHERE},
        {__LINE__, 0x7fc00000, TABLE | 3, 5, 0x00123101, 0x5ffc, 0x124ffc}, /* blocks of 4 pages */
        {__LINE__, 0x7fc00000, TABLE | 1, 2, 0x00320001, 0x28004, 0x328004},
        {__LINE__, 0x7fc00000, TABLE | 0, 0, 0x00123001, 0x10, NOWHERE},
        {__LINE__, 0x7fc00000, TABLE | 2, 0, 0x00123001, 0x10, NOWHERE},
        {__LINE__, 0x7fc00000, TABLE | 0x63, 255, 0x00123001, 0xff000, 0x123000},
        {__LINE__, 0x7fc00000, TABLE | 3, 255, 0x00123001, 0xffffc, 0x123ffc},
        {__LINE__, 0x7fc00000, TABLE | 3, 256, 0x00123001, 0x100000, NOWHERE}, /* the limit */
        {__LINE__, 0x7fc00000, TABLE | 3, 1, 0x00002021, 0x1008, HOST | 0x2008},
        {__LINE__, 0x7fc00000, TABLE | 3, 1, 0x00002031, 0x1008, HOST | 0x2008},
        {__LINE__, 0x7fc00000, TABLE | 3, 1, 0x0f002021, 0x1008, NOWHERE},
        {__LINE__, 0x7fc10000, TABLE | 3, 0, 0x00123001, 0x1008, NOWHERE}, /* VRAM ends before */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig rig;
        start(&rig);
        make_channel(&rig, rows[i].object, rows[i].directory);
        poke(&rig, TABLE + 8 * rows[i].entry, rows[i].value);
        write_bar(&rig, NVIDIA_BAR3, rows[i].offset, 0xfeedbeef);
        uint32_t read = read_bar(&rig, NVIDIA_BAR3, rows[i].offset), at = 0;
        bool nowhere = rows[i].place == NOWHERE;
        if (rows[i].place & HOST)
            at = load_le32(rig.host + (rows[i].place & ~HOST));
        else if (!nowhere)
            at = read_bar(&rig, NVIDIA_BAR1, rows[i].place);
        ROW(rows[i].line, read == (nowhere ? 0 : 0xfeedbeef), "BAR 3 reads %08" PRIx32, read);
        ROW(rows[i].line, nowhere || at == 0xfeedbeef, "memory has %08" PRIx32, at);
        nvidia_gpu_free(rig.gpu);
    }
    ROWS_DONE();
}

static void test_read_only_pages(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig);
    make_channel(&rig, 0x7fc00000, TABLE | 3);
    poke(&rig, TABLE, 0x00123009);
    poke(&rig, 0x123000, 0x11223344);
    write_bar(&rig, NVIDIA_BAR3, 0, 0);
    assert_int_equal(read_bar(&rig, NVIDIA_BAR3, 0), 0x11223344);
    nvidia_gpu_free(rig.gpu);
}

/* Tables with fewer entries: an entry beyond them is not used. */
static void test_short_tables(void **state)
{
    static const uint32_t entries[] = {0x20000, 0x8000, 0x4000, 0x2000};
    (void)state;
    for (unsigned size = 0; size < 4; size++)
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            struct rig rig;
            start(&rig);
            make_channel(&rig, 0x7fc00000, TABLE | size << 5 | 3);
            uint32_t entry = entries[size] - 1 + beyond;
            if (entry == 0x20000)
                entry = 0; /* the next table */
            poke(&rig, CHANNEL + OBJECT + 4, UINT32_MAX);
            poke(&rig, CHANNEL + OBJECT + 8, entry << 12);
            poke(&rig, TABLE + 8 * entry, 0x00123001);
            poke(&rig, 0x123000, 0xfeedbeef);
            uint32_t expected = beyond && size ? 0 : 0xfeedbeef;
            ROW(__LINE__, read_bar(&rig, NVIDIA_BAR3, 0) == expected, "size %u, %u beyond", size,
                beyond);
            nvidia_gpu_free(rig.gpu);
        }
    ROWS_DONE();
}

/* ---- descriptions of memory, and the ROM ----------------------------------------------------- */

/* The geometry of PFB is that of its size: partitions, banks, columns of 8 bytes, rows. */
static void test_geometry(void **state)
{
    struct rig rig;
    (void)state;
    start(&rig);
    uint32_t config = nvidia_gpu_read32(rig.gpu, 0x100204);
    uint32_t parts = (uint32_t)__builtin_popcount(nvidia_gpu_read32(rig.gpu, 0x1540) >> 16 & 0xff);
    uint32_t bytes = parts << ((config >> 24 & 1) + 2) << (config >> 12 & 15) << 3;
    assert_int_equal(bytes << ((config >> 16 & 15) + 8), nvidia_gpu_read32(rig.gpu, 0x10020c));
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x100200) & 4, 0);

    /* Flushes are complete at once. */
    nvidia_gpu_write32(rig.gpu, 0x100c80, 0x60001);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x100c80), 0x60000);
    nvidia_gpu_write32(rig.gpu, 0x070000, 1);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x070000), 0);
    nvidia_gpu_free(rig.gpu);
}

/* Chipsets without this memory have neither the windows nor the ROM. */
static void test_others(void **state)
{
    static const char *const names[] = {"nv40", "g80", "gt215", "gf100"};
    static const uint32_t addresses[] = {0x1700, 0x10020c, 0x300000, 0x700000, 0x400084};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct tally_error error = {0};
        struct nvidia_gpu *gpu;
        assert_int_equal(nvidia_gpu_new(tally_chipset_find(names[i]), &gpu, &error), 0);
        for (size_t j = 0; j < 5; j++) {
            nvidia_gpu_write32(gpu, addresses[j], 1);
            ROW(__LINE__, nvidia_gpu_read32(gpu, addresses[j]) == (i == 3 ? 0xbad00100 : 0),
                "%s: %#" PRIx32, names[i], addresses[j]);
        }
        ROW(__LINE__, nvidia_pci_read(gpu, 0x68, 4) == 0, "%s: MSI", names[i]);
        nvidia_gpu_free(gpu);
    }
    ROWS_DONE();
}

static uint16_t rom16(const uint8_t *rom, unsigned at)
{
    return load_le16(rom + at);
}

/* The ROM as a driver reads it: headers, checksum, tables, and the script's effect. */
static void test_rom(void **state)
{
    static uint8_t rom[0x1000];
    struct rig rig;
    uint8_t sum = 0;
    (void)state;
    start(&rig);
    for (uint32_t i = 0; i < sizeof rom; i += 4)
        store_le32(rom + i, nvidia_gpu_read32(rig.gpu, 0x300000 + i));
    nvidia_gpu_write32(rig.gpu, 0x300000, 0);
    assert_int_equal(rom16(rom, 0), 0xaa55);
    assert_int_equal(nvidia_gpu_read32(rig.gpu, 0x300000), load_le32(rom));
    unsigned pcir = rom16(rom, 0x18), bytes = rom16(rom, pcir + 0x10) * 512u;
    assert_memory_equal(rom + pcir, "PCIR\xde\x10\x11\x06", 8);
    assert_int_equal(bytes, 512u * rom[2]);
    assert_true(rom[pcir + 0x15] & 0x80);
    for (unsigned i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + rom[i]);
    assert_int_equal(sum, 0);
    assert_int_equal(rom[bytes], 0xff);
    assert_int_equal(load_le32(rom + rom16(rom, 0x36) + 6), 0x4edcbdcb);

    const uint8_t *bit = memmem(rom, bytes,
                                "\xff\xb8"
                                "BIT",
                                6);
    assert_non_null(bit);
    assert_int_equal(bit[10], 2);
    assert_int_equal(bit[12], 'i');
    assert_int_equal(bit[18], 'I');
    unsigned script = rom16(rom, rom16(rom, rom16(bit, 22)));
    assert_int_equal(rom[script], 0x58); /* writes consecutive registers */
    assert_int_equal(load_le32(rom + script + 1), 0xa560);
    assert_int_equal(rom[script + 5], 8);
    assert_int_equal(load_le32(rom + script + 6 + 4), 0xef); /* PM_TRIGGER of domain 1 */
    assert_int_equal(rom[script + 6 + 4 * 8], 0x71);
    nvidia_gpu_free(rig.gpu);
}

int test_memory(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),       cmocka_unit_test(test_bars_show_vram),
        cmocka_unit_test(test_translation),  cmocka_unit_test(test_read_only_pages),
        cmocka_unit_test(test_short_tables), cmocka_unit_test(test_geometry),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_rom),
    };
    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}
