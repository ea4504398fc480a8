/* SPDX-License-Identifier: MIT */
/* PCI configuration space: the table, and the spaces of all platforms (OA-5, OA-13). */
#include "intel/tests.h"

#include "intel/gpu_rig.h"
#include "intel/gt/pci.h"

#define LAYOUT(layout) ((enum intel_pci_layout)(layout))

/* ---- the table ------------------------------------------------------------------------------- */

static void test_the_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *r = &gt_pci_registers[i];
        uint64_t bits = ones(8u * r->bytes);
        const char *suffix = r->device == GT_PCI_HOST       ? "_0_0_0_PCI"
                             : r->device == GT_PCI_GRAPHICS ? "_0_2_0_PCI"
                                                            : "_VF_PCI";
        ROW(__LINE__, r->on && r->on < 1u << PCI_LAYOUTS, "%s: layouts", r->symbol);
        ROW(__LINE__, r->bytes >= 1 && r->bytes <= 8 && r->offset + r->bytes <= GT_PCI_MODELLED,
            "%s: size", r->symbol);
        ROW(__LINE__, !((r->reset | r->firmware | r->writable | r->clears | r->keeps) & ~bits),
            "%s: bits", r->symbol);
        ROW(__LINE__, !(r->writable & r->clears), "%s: writable and cleared", r->symbol);
        ROW(__LINE__, strstr(r->symbol, suffix) != NULL, "%s: name", r->symbol);
        /* Every register has a behaviour, or is storage for a stated reason. */
        ROW(__LINE__, r->behaviour < GT_PCI_BEHAVIOURS && strlen(r->note) > 1, "%s: behaviour",
            r->symbol);
        if (r->behaviour == GT_PCI_STORAGE)
            ROW(__LINE__, r->writable && strlen(r->note) > 12, "%s: storage without a reason",
                r->symbol);
        if (r->behaviour == GT_PCI_FIXED)
            ROW(__LINE__, !r->writable && !r->clears && r->firmware == r->reset, "%s: not fixed",
                r->symbol);
    }
    ROWS_DONE();
}

/* The registers of a layout ascend without overlap, and each is found by its bytes. */
static void test_the_layouts(void **state)
{
    (void)state;
    for (unsigned layout = 0; layout < PCI_LAYOUTS; layout++)
        for (unsigned space = GT_PCI_HOST; space <= GT_PCI_VIRTUAL; space++) {
            unsigned count = 0;
            for (unsigned at = 0; at < GT_PCI_MODELLED; at++) {
                unsigned owners = 0;
                for (size_t i = 0; i < gt_pci_register_count; i++) {
                    const struct gt_pci_register *r = &gt_pci_registers[i];
                    bool owns = (r->on >> layout & 1) && r->device == space && at >= r->offset &&
                                at < r->offset + r->bytes;
                    owners += owns;
                    if (owns)
                        ROW(__LINE__, gt_pci_find(LAYOUT(layout), space, at) == r, "%s", r->symbol);
                }
                ROW(__LINE__, owners <= 1, "layout %u, space %u: %03x", layout, space, at);
                count += owners;
            }
            bool exists = space == GT_PCI_GRAPHICS ||
                          (space == GT_PCI_VIRTUAL && layout == PCI_LKF) ||
                          (space == GT_PCI_HOST && layout != PCI_VLV && layout != PCI_CHV &&
                           layout != PCI_DG1);
            ROW(__LINE__, exists == (count > 0), "layout %u, space %u: %u", layout, space, count);
        }
    ROWS_DONE();
}

/* Every row of the document's list. */
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
        unsigned space = strstr(symbol, "_0_0_0_") ? GT_PCI_HOST : GT_PCI_GRAPHICS;
        unsigned offset = (unsigned)strtoul(line, NULL, 16);
        const struct gt_pci_register *r = gt_pci_find(PCI_LKF, space, offset);
        if (ROW(__LINE__, r != NULL, "%s at %s", symbol, line))
            ROW(__LINE__,
                r->offset == offset && !strcmp(r->symbol, symbol) && !strcmp(r->name, name),
                "%s: %s, %s", line, r->symbol, r->name);
    }
    fclose(file);
    ROW(__LINE__, count == 79, "%zu rows", count);
    ROWS_DONE();
}

/* ---- the spaces ------------------------------------------------------------------------------ */

/* What lspci prints of each platform, from public listings. Capabilities: id and offset in their
 * order, extended ones behind 1000h. */
static const struct {
    unsigned line;
    const char *platform;
    uint32_t bars[5]; /* 10h to 20h, after ones were written */
    uint16_t status;
    uint16_t capabilities[9][2];
} spaces[] = {
#define CORE_OLD                                                                                   \
    {                                                                                              \
        {0x05, 0x90}, {0x01, 0xd0},                                                                \
        {                                                                                          \
            0x13, 0xa4                                                                             \
        }                                                                                          \
    }
#define ATOM                                                                                       \
    {                                                                                              \
        {0x01, 0xd0}, {0x05, 0x90},                                                                \
        {                                                                                          \
            0x09, 0xb0                                                                             \
        }                                                                                          \
    }
#define EXPRESS                                                                                    \
    {0x09, 0x40}, {0x10, 0x70}, {0x05, 0xac},                                                      \
    {                                                                                              \
        0x01, 0xd0                                                                                 \
    }
#define MEMORY                                                                                     \
    {0x101b, 0x100}, {0x100f, 0x200},                                                              \
    {                                                                                              \
        0x1013, 0x300                                                                              \
    }
    {__LINE__, "snb", {0xffc00004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x90, CORE_OLD},
    {__LINE__, "ivb", {0xffc00004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x90, CORE_OLD},
    {__LINE__, "vlv", {0xffc00000, 0, 0xf0000008, 0, 0xfff9}, 0x10, ATOM},
    {__LINE__, "hsw", {0xffc00004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x90, CORE_OLD},
    {__LINE__, "bdw", {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x90, CORE_OLD},
    {__LINE__, "chv", {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x10, ATOM},
    {__LINE__, "skl", {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x10, {EXPRESS, MEMORY}},
    {__LINE__, "icl", {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x10, {EXPRESS, MEMORY}},
    {__LINE__, "rkl", {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1}, 0x10, {EXPRESS, MEMORY}},
    {__LINE__,
     "lkf",
     {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1},
     0x10,
     {EXPRESS, MEMORY, {0x1010, 0x320}}},
    {__LINE__,
     "tgl",
     {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1},
     0x10,
     {EXPRESS, MEMORY, {0x1010, 0x320}}},
    {__LINE__,
     "adl",
     {0xff000004, ~0u, 0xf000000c, ~0u, 0xffc1},
     0x10,
     {EXPRESS, MEMORY, {0x1010, 0x320}}},
    {__LINE__, "dg1", {0xff000004, ~0u, 0x0000000c, ~0u, 0}, 0x10, {EXPRESS}},
};

/* Follows both chains, and compares them. */
static void check_capabilities(size_t row, const struct tally_gpu *gpu)
{
    unsigned n = 0, at = tally_gpu_pci_read(gpu, 2, 0x34, 1);
    const uint16_t(*expected)[2] = spaces[row].capabilities;
    for (; at && n < COUNT(spaces[row].capabilities); n++) {
        uint32_t header = tally_gpu_pci_read(gpu, 2, at, 2);
        ROW(spaces[row].line, expected[n][0] == (header & 0xff) && expected[n][1] == at,
            "capability %02" PRIx32 " at %02x", header & 0xff, at);
        at = header >> 8;
    }
    for (at = tally_gpu_pci_read(gpu, 2, 0x100, 4) ? 0x100 : 0; at && n < 9; n++) {
        uint32_t header = tally_gpu_pci_read(gpu, 2, at, 4);
        ROW(spaces[row].line, expected[n][0] == 0x1000 + (header & 0xffff) && expected[n][1] == at,
            "extended capability %04" PRIx32 " at %03x", header & 0xffff, at);
        ROW(spaces[row].line, (header >> 16 & 15) == 1, "version");
        at = header >> 20;
    }
    ROW(spaces[row].line, !expected[n][0], "%u capabilities", n);
}

static void test_the_spaces(void **state)
{
    (void)state;
    size_t modelled = 0;
    for (size_t i = 0; i < COUNT(spaces); i++) {
        struct gpu_rig *rig = gpu_rig_awake(spaces[i].line, spaces[i].platform);
        const struct tally_platform *info = tally_platform_find(spaces[i].platform);
        uint32_t ids = (uint32_t)info->example_device << 16 | 0x8086;
        ROW(spaces[i].line, tally_gpu_pci_read(rig->gpu, 2, 0, 4) == ids, "ids");
        ROW(spaces[i].line, tally_gpu_pci_read(rig->gpu, 2, 0x2c, 4) == ids, "subsystem");
        ROW(spaces[i].line, tally_gpu_pci_read(rig->gpu, 2, 0x08, 4) >> 8 == 0x30000, "class");
        ROW(spaces[i].line,
            tally_gpu_pci_read(rig->gpu, 2, 4, 4) == ((uint32_t)spaces[i].status << 16 | 7),
            "command and status");
        for (unsigned k = 0; k < 5; k++) {
            tally_gpu_pci_write(rig->gpu, 2, 0x10 + 4 * k, 4, UINT32_MAX);
            ROW(spaces[i].line,
                tally_gpu_pci_read(rig->gpu, 2, 0x10 + 4 * k, 4) == spaces[i].bars[k],
                "BAR at %02x: %08" PRIx32, 0x10 + 4 * k,
                tally_gpu_pci_read(rig->gpu, 2, 0x10 + 4 * k, 4));
        }
        check_capabilities(i, rig->gpu);
        gpu_rig_free(rig);
    }
    while (intel_modelled_at(modelled, false))
        modelled++;
    ROW(__LINE__, modelled == COUNT(spaces), "%zu platforms", modelled);
    ROWS_DONE();
}

/* What the public i915 driver computes from GGC and BDSM. */
static void test_stolen_memory(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        unsigned table_shift, table_mask, size_shift, size_mask;
        bool power; /* the page table has 1 MiB << n, not n MiB */
        unsigned table_mib, stolen_mib, bdsm;
    } rows[] = {
        {__LINE__, "snb", 8, 3, 3, 31, false, 2, 32, 0x5c},
        {__LINE__, "hsw", 8, 3, 3, 31, false, 2, 32, 0x5c},
        {__LINE__, "vlv", 8, 3, 3, 31, false, 2, 32, 0x5c},
        {__LINE__, "chv", 8, 3, 3, 31, true, 8, 32, 0x5c},
        {__LINE__, "bdw", 6, 3, 8, 255, true, 8, 32, 0x5c},
        {__LINE__, "skl", 6, 3, 8, 255, true, 8, 32, 0x5c},
        {__LINE__, "icl", 6, 3, 8, 255, true, 8, 32, 0xc0},
        {__LINE__, "tgl", 6, 3, 8, 255, true, 8, 32, 0xc0},
        {__LINE__, "dg1", 6, 3, 8, 255, true, 8, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gpu_rig *rig = gpu_rig_awake(rows[i].line, rows[i].platform);
        uint32_t ggc = tally_gpu_pci_read(rig->gpu, 2, 0x50, 2);
        unsigned n = ggc >> rows[i].table_shift & rows[i].table_mask;
        ROW(rows[i].line, rows[i].table_mib == (rows[i].power ? 1u << n : n), "page table: %u", n);
        ROW(rows[i].line,
            rows[i].stolen_mib == 32 * (ggc >> rows[i].size_shift & rows[i].size_mask), "stolen");
        if (rows[i].bdsm)
            ROW(rows[i].line, tally_gpu_pci_read(rig->gpu, 2, rows[i].bdsm, 4) == 0x7c000001,
                "BDSM");
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

enum act { RD, WR };

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
        {__LINE__, RD, 2, 0x0c, 4, 0},
        {__LINE__, RD, 2, 0x04, 4, 0x00100000}, /* a capability list */
        {__LINE__, WR, 2, 0x04, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x04, 4, 0x00100407},
        {__LINE__, WR, 2, 0x05, 1, 0},
        {__LINE__, RD, 2, 0x04, 2, 0x0007},
        /* BARs by parts */
        {__LINE__, RD, 2, 0x10, 4, 4},
        {__LINE__, WR, 2, 0x10, 4, 0xc0000000},
        {__LINE__, WR, 2, 0x14, 2, 0x0012},
        {__LINE__, WR, 2, 0x16, 2, 0},
        {__LINE__, RD, 2, 0x14, 4, 0x12},
        {__LINE__, RD, 2, 0x13, 1, 0xc0},
        {__LINE__, WR, 2, 0x30, 4, 0xffffffff}, /* no ROM */
        {__LINE__, RD, 2, 0x30, 4, 0},
        /* interrupt line and pin */
        {__LINE__, WR, 2, 0x3c, 4, 0xffffff0b},
        {__LINE__, RD, 2, 0x3c, 4, 0x0000010b},
        /* subsystem ids: once, by bytes */
        {__LINE__, RD, 2, 0x2c, 4, 0},
        {__LINE__, WR, 2, 0x2c, 1, 0x86},
        {__LINE__, WR, 2, 0x2c, 2, 0x8011},
        {__LINE__, WR, 2, 0x2e, 2, 0x0000},
        {__LINE__, WR, 2, 0x2c, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x2c, 4, 0x00008086},
        /* PASID and ATS: not while translation is enabled */
        {__LINE__, WR, 2, 0x206, 2, 0x8003},
        {__LINE__, WR, 2, 0x106, 2, 1},
        {__LINE__, RD, 2, 0x106, 2, 0},
        {__LINE__, WR, 2, 0x206, 2, 0x8001},
        {__LINE__, RD, 2, 0x206, 2, 0x8003},
        {__LINE__, WR, 2, 0x206, 2, 0x0001},
        {__LINE__, RD, 2, 0x206, 2, 0x0003},
        {__LINE__, WR, 2, 0x106, 2, 1},
        {__LINE__, RD, 2, 0x106, 2, 1},
        /* page requests: stopped while disabled */
        {__LINE__, RD, 2, 0x304, 4, 0x01000000},
        {__LINE__, WR, 2, 0x304, 2, 1},
        {__LINE__, RD, 2, 0x304, 4, 0x00000001},
        {__LINE__, WR, 2, 0x304, 2, 2},
        {__LINE__, RD, 2, 0x304, 4, 0x01000000},
        /* MSI: 32-bit address, one vector, masked by bit 0 */
        {__LINE__, WR, 2, 0xac, 4, 0xffffffff},
        {__LINE__, RD, 2, 0xac, 4, 0x0171d005},
        {__LINE__, WR, 2, 0xb0, 4, 0xfee00003},
        {__LINE__, RD, 2, 0xb0, 4, 0xfee00000},
        {__LINE__, WR, 2, 0xb4, 4, 0x12344021},
        {__LINE__, RD, 2, 0xb4, 4, 0x00004021},
        {__LINE__, WR, 2, 0xb8, 4, 0xffffffff},
        {__LINE__, RD, 2, 0xb8, 4, 1},
        /* one access to two registers: 344h, and 338h with a gap */
        {__LINE__, WR, 2, 0x344, 4, 0xffffffff},
        {__LINE__, RD, 2, 0x344, 4, 0xff000004},
        {__LINE__, RD, 2, 0x338, 4, 0x98400000},
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
        {__LINE__, RD, 1, 0x00, 2, 0xffff},
        {__LINE__, RD, 1, 0x00, 1, 0xff},
        {__LINE__, WR, 2, 0xfe, 4, 0x11111111},
        {__LINE__, RD, 2, 0xfc, 4, 0},
        {__LINE__, WR, 2, 0xfc, 4, 0x7b000018},
        {__LINE__, RD, 2, 0xfc, 4, 0x7b000018},
    };
    struct gpu_rig *rig =
        gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = "lkf", .no_firmware = true});
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned offset = rows[i].offset, bytes = rows[i].bytes;
        if (rows[i].act == WR) {
            tally_gpu_pci_write(rig->gpu, rows[i].device, offset, bytes, rows[i].value);
        } else {
            uint32_t value = tally_gpu_pci_read(rig->gpu, rows[i].device, offset, bytes);
            ROW(rows[i].line, value == rows[i].value, "%03x reads %08" PRIx32, offset, value);
        }
    }
    gpu_rig_free(rig);
    ROWS_DONE();
}

/* In the whole space of each layout a dword equals its two words, and a word its two bytes. */
static void test_sizes_agree(void **state)
{
    (void)state;
    static struct gt_pci pci, dwords, bytes;
    struct random rng = random_start(5);
    for (unsigned layout = 0; layout < PCI_LAYOUTS; layout++) {
        gt_pci_init(&pci, LAYOUT(layout), 0x9841, 2);
        for (unsigned at = 0; at < GT_PCI_BYTES; at += 4) {
            uint32_t value = (uint32_t)random_next(&rng);
            if (at == 0x50 || at == 0x5c) /* the first byte would lock the others */
                value &= ~1u;
            dwords = bytes = pci;
            gt_pci_write(&dwords, 2, 0, at, 4, value);
            for (unsigned i = 0; i < 4; i++)
                gt_pci_write(&bytes, 2, 0, at + i, 1, value >> 8 * i & 0xff);
            uint32_t whole = gt_pci_read(&dwords, 2, 0, at, 4), words = 0, parts = 0;
            for (unsigned i = 0; i < 4; i++)
                parts |= gt_pci_read(&dwords, 2, 0, at + i, 1) << 8 * i;
            for (unsigned i = 0; i < 4; i += 2)
                words |= gt_pci_read(&dwords, 2, 0, at + i, 2) << 8 * i;
            ROW(__LINE__, whole == words && whole == parts, "reads at %03x", at);
            ROW(__LINE__, !memcmp(dwords.spaces, bytes.spaces, sizeof bytes.spaces),
                "layout %u: writes at %03x", layout, at);
        }
    }
    ROWS_DONE();
}

int test_gt_pci(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_table),     cmocka_unit_test(test_the_layouts),
        cmocka_unit_test(test_the_spaces),    cmocka_unit_test(test_the_table_is_the_documents),
        cmocka_unit_test(test_stolen_memory), cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_sizes_agree),
    };
    return cmocka_run_group_tests_name("gt_pci", tests, NULL, NULL);
}
