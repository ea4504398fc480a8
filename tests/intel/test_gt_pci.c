/* SPDX-License-Identifier: MIT */
/* PCI configuration space: OA-5. */
#include "intel/tests.h"

#include <errno.h>

#include "intel/gt/pci.h"

#define GFX GT_PCI_GRAPHICS

static void test_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *r = &gt_pci_registers[i];
        uint64_t bits = ones(8u * r->bytes);
        ROW(__LINE__, r->bytes >= 1 && r->bytes <= 8 && r->offset + r->bytes <= 0x360, "%s",
            r->symbol);
        ROW(__LINE__, !((r->reset | r->writable | r->clears) & ~bits), "%s", r->symbol);
        ROW(__LINE__, !(r->writable & r->clears), "%s", r->symbol);
        ROW(__LINE__, gt_pci_find((enum gt_pci_device)r->device, r->offset) == r, "%s", r->symbol);
        ROW(__LINE__, strstr(r->symbol, r->device ? "_0_2_0_PCI" : "_0_0_0_PCI") != NULL, "%s",
            r->symbol);
        if (i && r[-1].device == r->device)
            ROW(__LINE__, r->offset >= r[-1].offset + r[-1].bytes, "%s overlaps", r->symbol);
    }
    ROWS_DONE();
}

/* Every row of the document's list, and exactly four more. */
static void test_the_table_is_the_documents(void **state)
{
    (void)state;
    char path[512], line[256];
    size_t count = 0;
    NEEDS_SHARED(path, "data/lkf-pci-registers.csv");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file)); /* header */
    for (; fgets(line, sizeof line, file); count++) {
        char *symbol = strchr(line, ',') + 1, *name = strchr(symbol, ',') + 1;
        symbol[-1] = name[-1] = '\0';
        name[strcspn(name, "\r\n")] = '\0';
        enum gt_pci_device device = strstr(symbol, "_0_0_0_") ? GT_PCI_HOST : GFX;
        const struct gt_pci_register *r = gt_pci_find(device, (unsigned)strtoul(line, NULL, 16));
        if (ROW(__LINE__, r != NULL, "%s at %s", symbol, line))
            ROW(__LINE__,
                r->offset == strtoul(line, NULL, 16) && !strcmp(r->symbol, symbol) &&
                    !strcmp(r->name, name),
                "%s: %s, %s", line, r->symbol, r->name);
    }
    fclose(file);
    ROW(__LINE__, count == 79 && gt_pci_register_count == 79 + 4, "%zu rows", count);
    ROWS_DONE();
}

enum act { RD, WR, SET };

static void test_accesses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum act act;
        unsigned device, offset, bytes;
        uint32_t value;
    } rows[] = {
        {__LINE__, RD, 2, 0x00, 4, 0x98408086},
        {__LINE__, RD, 2, 0x02, 2, 0x9840},
        {__LINE__, RD, 2, 0x03, 1, 0x98},
        {__LINE__, WR, 2, 0x00, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x00, 4, 0x98408086},
        {__LINE__, RD, 2, 0x08, 4, 0x03000000}, /* revision 0, class 030000h */
        {__LINE__, RD, 2, 0x0a, 2, 0x0300},
        {__LINE__, RD, 2, 0x0c, 4, 0},
        {__LINE__, RD, 2, 0x04, 4, 0x00100000}, /* a capability list */
        {__LINE__, WR, 2, 0x04, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x04, 4, 0x00100407},
        {__LINE__, WR, 2, 0x05, 1, 0},
        {__LINE__, RD, 2, 0x04, 2, 0x0007},
        {__LINE__, SET, 2, 0x06, 2, 0xf910}, /* errors; software clears them one by one */
        {__LINE__, WR, 2, 0x04, 2, 0xffff},
        {__LINE__, RD, 2, 0x06, 2, 0xf910},
        {__LINE__, WR, 2, 0x06, 2, 0x2000},
        {__LINE__, RD, 2, 0x06, 2, 0xd910},
        {__LINE__, WR, 2, 0x07, 1, 0x80},
        {__LINE__, RD, 2, 0x06, 2, 0x5910},
        {__LINE__, WR, 2, 0x06, 2, 0xffff},
        {__LINE__, RD, 2, 0x06, 2, 0x0010},
        /* BARs */
        {__LINE__, WR, 2, 0x10, 4, 0xffffffff},
        {__LINE__, WR, 2, 0x14, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x10, 4, 0xff000004},
        {__LINE__, RD, 2, 0x14, 4, 0xffffffff},
        {__LINE__, WR, 2, 0x18, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x18, 4, 0xf000000c},
        {__LINE__, RD, 2, 0x1c, 4, 0},
        {__LINE__, WR, 2, 0x20, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x20, 4, 0x0000ffc1},
        {__LINE__, WR, 2, 0x30, 4, 0xffffffff}, /* no ROM */
        {__LINE__, RD, 2, 0x30, 4, 0},
        {__LINE__, WR, 2, 0x10, 4, 0xc0000000},
        {__LINE__, WR, 2, 0x14, 2, 0x0012},
        {__LINE__, WR, 2, 0x16, 2, 0},
        {__LINE__, RD, 2, 0x14, 4, 0x12},
        {__LINE__, RD, 2, 0x13, 1, 0xc0},
        /* interrupt line and pin */
        {__LINE__, WR, 2, 0x3c, 4, 0xffffff0b},
        {__LINE__, RD, 2, 0x3c, 4, 0x0000010b},
        /* MSI: 32-bit address, one vector, masked by bit 0 */
        {__LINE__, WR, 2, 0xac, 4, 0xffffffff},
        {__LINE__, RD, 2, 0xac, 4, 0x0171d005},
        {__LINE__, WR, 2, 0xb0, 4, 0xfee00003},
        {__LINE__, RD, 2, 0xb0, 4, 0xfee00000},
        {__LINE__, WR, 2, 0xb4, 4, 0x12344021},
        {__LINE__, RD, 2, 0xb4, 4, 0x00004021},
        {__LINE__, WR, 2, 0xb8, 4, 0xffffffff},
        {__LINE__, RD, 2, 0xb8, 4, 1},
        /* PCI Express: a function level reset is requested; the bit reads 0 */
        {__LINE__, WR, 2, 0x78, 2, 0x8001},
        {__LINE__, RD, 2, 0x78, 2, 0x0001},
        {__LINE__, SET, 2, 0x7a, 2, 0x002f},
        {__LINE__, WR, 2, 0x7a, 2, 0x0003},
        {__LINE__, RD, 2, 0x78, 4, 0x002c0001},
        /* power states: D1 and D2 do not exist */
        {__LINE__, WR, 2, 0xd4, 2, 0x0001},
        {__LINE__, RD, 2, 0xd4, 2, 0x0008},
        {__LINE__, WR, 2, 0xd4, 2, 0x0003},
        {__LINE__, RD, 2, 0xd4, 2, 0x000b},
        {__LINE__, WR, 2, 0xd4, 2, 0x0002},
        {__LINE__, RD, 2, 0xd4, 2, 0x000b},
        {__LINE__, WR, 2, 0xd4, 2, 0x0000},
        {__LINE__, RD, 2, 0xd4, 2, 0x0008},
        /* the mirror of DEVEN */
        {__LINE__, RD, 0, 0x54, 4, 0x10},
        {__LINE__, RD, 2, 0x54, 4, 0x10},
        {__LINE__, WR, 2, 0x54, 4, 0},
        {__LINE__, RD, 0, 0x54, 4, 0x10},
        {__LINE__, WR, 0, 0x54, 4, 0x8090},
        {__LINE__, RD, 2, 0x54, 4, 0x8090},
        {__LINE__, WR, 0, 0x5c, 4, 0xffffffff},
        {__LINE__, RD, 0, 0x5c, 4, 0},
        /* unused addresses, and invalid accesses */
        {__LINE__, RD, 0, 0x00, 4, 0},
        {__LINE__, WR, 2, 0x28, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x28, 4, 0},
        {__LINE__, RD, 2, 0x360, 4, 0},
        {__LINE__, WR, 2, 0xffc, 4, 1},
        {__LINE__, RD, 2, 0xffc, 4, 0},
        {__LINE__, RD, 2, 0x1000, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x02, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x01, 2, 0xffffffff},
        {__LINE__, RD, 2, 0x00, 3, 0xffffffff},
        {__LINE__, RD, 2, 0x00, 8, 0xffffffff},
        {__LINE__, RD, 1, 0x00, 4, 0xffffffff},
        {__LINE__, WR, 2, 0xfe, 4, 0x11111111},
        {__LINE__, RD, 2, 0xfc, 4, 0},
        {__LINE__, WR, 2, 0xfc, 4, 0x7b000018},
        {__LINE__, RD, 2, 0xfc, 4, 0x7b000018},
        /* one access over two registers */
        {__LINE__, WR, 2, 0x344, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x344, 4, 0xff000004},
        {__LINE__, RD, 2, 0x338, 4, 0x98400000},
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (size_t i = 0; i < COUNT(rows); i++) {
        enum gt_pci_device device = (enum gt_pci_device)rows[i].device;
        unsigned offset = rows[i].offset, bytes = rows[i].bytes;
        if (rows[i].act == WR) {
            gt_pci_write(&pci, device, offset, bytes, rows[i].value);
        } else if (rows[i].act == SET) {
            ROW(rows[i].line, !gt_pci_set(&pci, device, offset, rows[i].value), "set");
        } else {
            uint32_t value = gt_pci_read(&pci, device, offset, bytes);
            ROW(rows[i].line, value == rows[i].value, "%03x reads %08" PRIx32, offset, value);
        }
    }
    ROW(__LINE__, pci.function_resets == 1, "%" PRIu32 " resets", pci.function_resets);
    ROW(__LINE__, gt_pci_set(&pci, GFX, 0x11, 0) == -EINVAL, "no register starts there");
    ROW(__LINE__, gt_pci_get(&pci, GFX, 0x10) == UINT64_C(0x12c0000004), "BAR 0");
    ROWS_DONE();
}

/* In the whole space a dword equals its two words, and a word its two bytes. */
static void test_sizes_agree(void **state)
{
    (void)state;
    struct gt_pci pci, dwords, bytes;
    struct random rng = random_start(5);
    gt_pci_init(&pci, 0x9841);
    for (unsigned at = 0; at < GT_PCI_BYTES; at += 4) {
        uint32_t value = (uint32_t)random_next(&rng);
        dwords = bytes = pci;
        gt_pci_write(&dwords, GFX, at, 4, value);
        for (unsigned i = 0; i < 4; i++)
            gt_pci_write(&bytes, GFX, at + i, 1, value >> 8 * i & 0xff);
        uint32_t whole = gt_pci_read(&dwords, GFX, at, 4), words = 0, parts = 0;
        for (unsigned i = 0; i < 4; i++)
            parts |= gt_pci_read(&dwords, GFX, at + i, 1) << 8 * i;
        for (unsigned i = 0; i < 4; i += 2)
            words |= gt_pci_read(&dwords, GFX, at + i, 2) << 8 * i;
        ROW(__LINE__, whole == words && whole == parts, "reads at %03x", at);
        ROW(__LINE__, !memcmp(dwords.spaces, bytes.spaces, sizeof bytes.spaces), "writes at %03x",
            at);
    }
    ROWS_DONE();
}

static void test_capabilities(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool extended;
        unsigned id, offset;
    } rows[] = {
        {__LINE__, false, 0x09, 0x40}, {__LINE__, false, 0x10, 0x70}, {__LINE__, false, 0x05, 0xac},
        {__LINE__, false, 0x01, 0xd0}, {__LINE__, false, 0x11, 0},    {__LINE__, true, 0x1b, 0x100},
        {__LINE__, true, 0x0f, 0x200}, {__LINE__, true, 0x13, 0x300}, {__LINE__, true, 0x10, 0x320},
        {__LINE__, true, 0x01, 0},
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned found = rows[i].extended ? gt_pci_extended_capability(&pci, rows[i].id)
                                          : gt_pci_capability(&pci, rows[i].id);
        ROW(rows[i].line, found == rows[i].offset, "capability %02x at %03x", rows[i].id, found);
    }
    ROWS_DONE();
}

static void test_decoding(void **state)
{
    (void)state;
    enum gt_pci_bar bar = GT_PCI_BARS;
    uint64_t offset = 0;
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    pci.aperture_bytes = UINT64_C(512) << 20;
    gt_pci_write(&pci, GFX, 0x10, 4, 0xa1000000);
    gt_pci_write(&pci, GFX, 0x18, 4, 0xffffffff);
    gt_pci_write(&pci, GFX, 0x1c, 4, 0x40);
    gt_pci_write(&pci, GFX, 0x20, 4, 0x3000);
    ROW(__LINE__, gt_pci_bar_base(&pci, GT_PCI_GMADR) == UINT64_C(0x40e0000000), "GMADR");
    ROW(__LINE__, gt_pci_decode(&pci, false, 0xa1002b00, &bar, &offset) == -ENXIO, "not enabled");
    gt_pci_write(&pci, GFX, 0x04, 2, 3);
    ROW(__LINE__, !gt_pci_decode(&pci, false, 0xa1002b00, &bar, &offset), "GTTMMADR");
    ROW(__LINE__, bar == GT_PCI_GTTMMADR && offset == 0x2b00, "GTTMMADR");
    ROW(__LINE__, gt_pci_decode(&pci, false, 0xa2000000, &bar, &offset) == -ENXIO, "behind it");
    ROW(__LINE__, gt_pci_decode(&pci, false, 0xa0ffffff, &bar, &offset) == -ENXIO, "before it");
    ROW(__LINE__, !gt_pci_decode(&pci, false, UINT64_C(0x40ffffffff), &bar, &offset), "GMADR");
    ROW(__LINE__, bar == GT_PCI_GMADR && offset == 0x1fffffff, "GMADR");
    ROW(__LINE__, !gt_pci_decode(&pci, true, 0x303f, &bar, &offset), "IOBAR");
    ROW(__LINE__, bar == GT_PCI_IOBAR && offset == 0x3f, "IOBAR");
    ROW(__LINE__, gt_pci_decode(&pci, false, 0x3000, &bar, &offset) == -ENXIO, "a port");
    gt_pci_write(&pci, GFX, 0xd4, 2, 3);
    ROW(__LINE__, gt_pci_decode(&pci, false, 0xa1002b00, &bar, &offset) == -ENXIO, "D3");
    ROWS_DONE();
}

int test_gt_pci(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table),    cmocka_unit_test(test_the_table_is_the_documents),
        cmocka_unit_test(test_accesses),     cmocka_unit_test(test_sizes_agree),
        cmocka_unit_test(test_capabilities), cmocka_unit_test(test_decoding),
    };
    return cmocka_run_group_tests_name("gt_pci", tests, NULL, NULL);
}
