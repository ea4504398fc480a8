/* SPDX-License-Identifier: MIT */
/* "PCI Device Registers" of the Lakefield PRM: all 79 of its list, and the behaviour of mirrors,
 * BARs and capabilities. Bits of standard registers are those of the PCI specifications. */
#include "intel/conformance/lakefield.h"

#include "intel/gt/pci.h"

#define GFX GT_PCI_GRAPHICS

static enum gt_pci_device device_of(const struct lkf_pci_register *row)
{
    return strstr(row->symbol, "_0_0_0_") ? GT_PCI_HOST : GFX;
}

/* Returns the bytes up to the next register of the list, which no register but the last exceeds. */
static unsigned room_of(size_t i)
{
    if (i + 1 < LKF_PCI_REGISTERS &&
        device_of(&lkf_pci_registers[i]) == device_of(&lkf_pci_registers[i + 1]))
        return lkf_pci_registers[i + 1].offset - lkf_pci_registers[i].offset;
    return 4;
}

static bool all_rows(struct conformance_fault *fault)
{
    for (size_t i = 0; i < LKF_PCI_REGISTERS; i++) {
        const struct lkf_pci_register *row = &lkf_pci_registers[i];
        const struct gt_pci_register *reg = gt_pci_find(device_of(row), row->offset);
        HOLDS(reg, "%s: nothing at %03x", row->symbol, row->offset);
        HOLDS(reg->offset == row->offset, "%s begins at %03x", row->symbol, reg->offset);
        HOLDS(!strcmp(reg->symbol, row->symbol) && !strcmp(reg->name, row->name), "%s: %s",
              row->symbol, reg->name);
        HOLDS(reg->bytes <= room_of(i), "%s has %u bytes", row->symbol, reg->bytes);
    }
    return true;
}

/* Registers that the list omits but the device must have (OA-5): 08h, 09h, 78h, 332h. */
static bool the_others(struct conformance_fault *fault)
{
    static const uint16_t offsets[] = {0x008, 0x009, 0x078, 0x332};
    size_t others = 0;
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        bool listed = false, known = false;
        for (size_t k = 0; k < LKF_PCI_REGISTERS; k++)
            listed |= !strcmp(reg->symbol, lkf_pci_registers[k].symbol);
        for (size_t k = 0; k < COUNT(offsets); k++)
            known |= reg->device == GFX && reg->offset == offsets[k];
        HOLDS(listed || known, "%s is not in the document", reg->symbol);
        others += !listed;
    }
    HOLDS(others == 4, "%zu others", others);
    return true;
}

/* Each byte of each register reads the same as in a full access, and writes of other registers do
 * not change it. */
static bool every_register(struct conformance_fault *fault)
{
    for (size_t i = 0; i < LKF_PCI_REGISTERS; i++) {
        const struct lkf_pci_register *row = &lkf_pci_registers[i];
        enum gt_pci_device device = device_of(row);
        const struct gt_pci_register *reg = gt_pci_find(device, row->offset);
        struct gt_pci pci;
        gt_pci_init(&pci, 0x9840);
        uint64_t whole = gt_pci_get(&pci, device, row->offset);
        for (unsigned k = 0; reg && k < reg->bytes; k++)
            HOLDS(gt_pci_read(&pci, device, row->offset + k, 1) == (whole >> 8 * k & 0xff),
                  "%s, byte %u", row->symbol, k);
        /* Writes ones and zeros to every other register of the device. */
        for (unsigned ones = 0; ones < 2; ones++)
            for (unsigned at = 0; at < 0x360; at++)
                if (gt_pci_find(device, at) != reg)
                    gt_pci_write(&pci, device, at, 1, ones ? 0 : 0xff);
        HOLDS(gt_pci_get(&pci, device, row->offset) == whole, "%s changes with its neighbours",
              row->symbol);
    }
    return true;
}

static uint32_t config(const struct gt_pci *pci, unsigned offset, unsigned bytes)
{
    return gt_pci_read(pci, GFX, offset, bytes);
}

static bool identification(struct conformance_fault *fault)
{
    static const struct {
        unsigned offset, bytes;
        uint32_t value;
    } rows[] = {
        {0x00, 2, 0x8086}, /* VID2: Intel */
        {0x02, 2, 0x9841}, /* DID2, as configured */
        {0x09, 1, 0x00},   /* class 030000h: VGA compatible display controller */
        {0x0a, 2, 0x0300},  {0x0c, 1, 0},
        {0x0d, 1, 0},       {0x0e, 1, 0}, /* HDR2: one function, header type 0 */
        {0x0f, 1, 0},                     /* BIST: none */
        {0x3d, 1, 1},                     /* INTRPIN: INTA# */
        {0x3e, 2, 0},                     /* MINGNT, MAXLAT */
        {0x33a, 2, 0x9841},               /* VF device id */
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9841);
    for (int written = 0; written < 2; written++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            HOLDS(config(&pci, rows[i].offset, rows[i].bytes) == rows[i].value, "%03x is %" PRIx32,
                  rows[i].offset, config(&pci, rows[i].offset, rows[i].bytes));
            gt_pci_write(&pci, GFX, rows[i].offset, rows[i].bytes, UINT32_MAX);
        }
    return true;
}

/* GTTMMADR has 16 MiB and GMADR 256 MiB of memory, with 64 bits, IOBAR 64 ports; writing ones gives
 * the sizes. */
static bool bars(struct conformance_fault *fault)
{
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (unsigned at = 0x10; at < 0x24; at += 4)
        gt_pci_write(&pci, GFX, at, 4, UINT32_MAX);
    HOLDS(config(&pci, 0x10, 4) == 0xff000004, "GTTMMADR: %" PRIx32, config(&pci, 0x10, 4));
    HOLDS(config(&pci, 0x18, 4) == 0xf000000c, "GMADR: %" PRIx32, config(&pci, 0x18, 4));
    HOLDS(config(&pci, 0x14, 4) == UINT32_MAX, "GTTMMADR, bits 63:32");
    HOLDS(config(&pci, 0x1c, 4) == UINT32_MAX, "GMADR, bits 63:32");
    HOLDS(config(&pci, 0x20, 4) == 0xffc1, "IOBAR: %" PRIx32, config(&pci, 0x20, 4));
    return true;
}

static bool decoding(struct conformance_fault *fault)
{
    struct gt_pci pci;
    enum gt_pci_bar bar = GT_PCI_BARS;
    uint64_t offset = 0;
    gt_pci_init(&pci, 0x9840);
    gt_pci_write(&pci, GFX, 0x10, 4, 0x80000000);
    gt_pci_write(&pci, GFX, 0x20, 4, 0x4000);
    HOLDS(gt_pci_decode(&pci, false, 0x80002b00, &bar, &offset) < 0, "memory is off");
    gt_pci_write(&pci, GFX, 0x04, 2, 2); /* PCICMD: memory space */
    HOLDS(!gt_pci_decode(&pci, false, 0x80002b00, &bar, &offset), "memory is on");
    HOLDS(bar == GT_PCI_GTTMMADR && offset == 0x2b00, "offset %" PRIx64, offset);
    HOLDS(gt_pci_decode(&pci, true, 0x4000, &bar, &offset) < 0, "ports are off");
    gt_pci_write(&pci, GFX, 0x04, 2, 3);
    HOLDS(!gt_pci_decode(&pci, true, 0x403f, &bar, &offset) && offset == 0x3f, "ports");
    gt_pci_write(&pci, GFX, 0x04, 2, 1);
    HOLDS(gt_pci_decode(&pci, false, 0x80145998, &bar, &offset) < 0,
          "the alias of the memory controller does not follow the BAR");
    gt_pci_write(&pci, GFX, 0x04, 2, 2);
    gt_pci_write(&pci, GFX, 0xd4, 2, 3); /* PMCS: D3 */
    HOLDS(gt_pci_decode(&pci, false, 0x80145998, &bar, &offset) < 0, "in D3");
    return true;
}

/* Each header of the list begins with the id of its capability, and is in a chain. */
static bool capabilities(struct conformance_fault *fault)
{
    static const struct {
        unsigned offset, id;
        bool extended;
    } rows[] = {
        {0x40, 0x09, false}, /* CAPID0: vendor */
        {0x70, 0x10, false}, /* PCIECAPHDR */
        {0xac, 0x05, false}, /* MSI_CAPID */
        {0xd0, 0x01, false}, /* PMCAPID */
        {0x100, 0x1b, true}, /* PASID_EXTCAP */
        {0x200, 0x0f, true}, /* ATS_EXTCAP */
        {0x300, 0x13, true}, /* PR_EXTCAP */
        {0x320, 0x10, true}, /* SRIOV_ECAPHDR */
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    HOLDS(config(&pci, 0x34, 1) == 0x40, "CAPPOINT");
    HOLDS(config(&pci, 0x06, 2) & 0x10, "PCISTS2: there is a list of capabilities");
    for (size_t i = 0; i < COUNT(rows); i++) {
        HOLDS((config(&pci, rows[i].offset, 2) & (rows[i].extended ? 0xffff : 0xff)) == rows[i].id,
              "id at %03x", rows[i].offset);
        HOLDS((rows[i].extended ? gt_pci_extended_capability : gt_pci_capability)(
                  &pci, rows[i].id) == rows[i].offset,
              "chain to %03x", rows[i].offset);
    }
    return true;
}

static bool msi(struct conformance_fault *fault)
{
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    HOLDS((config(&pci, 0xae, 2) & 0x181) == 0x100, "32 bits, masks, disabled at first");
    gt_pci_write(&pci, GFX, 0xae, 2, 1);
    HOLDS(config(&pci, 0xae, 2) & 1, "MC: enabled");
    gt_pci_write(&pci, GFX, 0xb0, 4, 0xfee0f00f);
    HOLDS(config(&pci, 0xb0, 4) == 0xfee0f00c, "MA: a dword address");
    gt_pci_write(&pci, GFX, 0xb4, 2, 0x4123);
    HOLDS(config(&pci, 0xb4, 2) == 0x4123, "MD");
    gt_pci_write(&pci, GFX, 0xb8, 4, UINT32_MAX);
    HOLDS(config(&pci, 0xb8, 4) == 1, "MSI_MASK: one vector");
    gt_pci_write(&pci, GFX, 0xbc, 4, UINT32_MAX);
    HOLDS(config(&pci, 0xbc, 4) == 0, "MSI_PEND is read only");
    gt_pci_set(&pci, GFX, 0xbc, 1);
    HOLDS(config(&pci, 0xbc, 4) == 1, "pending");
    return true;
}

/* DEVEN0 mirrors DEVEN of 0:0:0; MGGC0 and BDSM are set elsewhere. None of them can be written. */
static bool mirrors(struct conformance_fault *fault)
{
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (uint32_t value = 1; value; value <<= 1) {
        gt_pci_write(&pci, GT_PCI_HOST, 0x54, 4, value);
        HOLDS(config(&pci, 0x54, 4) == value, "DEVEN0 with %" PRIx32, value);
        gt_pci_write(&pci, GFX, 0x54, 4, ~value);
        HOLDS(gt_pci_read(&pci, GT_PCI_HOST, 0x54, 4) == value, "DEVEN was written");
    }
    gt_pci_set(&pci, GFX, 0x50, 0x1c1);
    gt_pci_set(&pci, GFX, 0xc0, 0x7c000001);
    gt_pci_write(&pci, GFX, 0x50, 2, 0);
    gt_pci_write(&pci, GFX, 0xc0, 4, 0);
    HOLDS(config(&pci, 0x50, 2) == 0x1c1, "MGGC0");
    HOLDS(config(&pci, 0xc0, 4) == 0x7c000001, "BDSM");
    return true;
}

static bool power_states(struct conformance_fault *fault)
{
    static const struct {
        uint32_t write, read;
    } rows[] = {
        {3, 3}, {0, 0}, {1, 0}, {2, 0}, {3, 3}, {1, 3}, {2, 3}, {0, 0},
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    HOLDS((config(&pci, 0xd2, 2) & 0x0600) == 0, "PMCAP: neither D1 nor D2");
    for (size_t i = 0; i < COUNT(rows); i++) {
        gt_pci_write(&pci, GFX, 0xd4, 2, rows[i].write);
        HOLDS((config(&pci, 0xd4, 2) & 3) == rows[i].read, "PMCS is %" PRIx32,
              config(&pci, 0xd4, 2));
    }
    return true;
}

/* Status registers: writing 1 clears bits that the hardware set, and sets none. */
static bool status_registers(struct conformance_fault *fault)
{
    static const struct {
        unsigned offset;
        uint32_t set, stays;
    } rows[] = {
        {0x06, 0xf910, 0x0010}, /* PCISTS2 */
        {0x7a, 0x000f, 0},      /* DEVICESTS */
        {0x306, 0x0003, 0},     /* PR_STATUS */
        {0x32a, 0x0001, 0},     /* SRIOV_STS */
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (size_t i = 0; i < COUNT(rows); i++) {
        gt_pci_write(&pci, GFX, rows[i].offset, 2, 0xffff);
        HOLDS(config(&pci, rows[i].offset, 2) == rows[i].stays, "set by software");
        gt_pci_set(&pci, GFX, rows[i].offset, rows[i].set);
        gt_pci_write(&pci, GFX, rows[i].offset, 2, 0);
        HOLDS(config(&pci, rows[i].offset, 2) == rows[i].set, "cleared by 0");
        gt_pci_write(&pci, GFX, rows[i].offset, 2, 0xffff);
        HOLDS(config(&pci, rows[i].offset, 2) == rows[i].stays, "cleared by 1");
    }
    return true;
}

static bool storage(struct conformance_fault *fault)
{
    static const struct {
        unsigned offset, bytes;
        uint32_t bits;
    } rows[] = {
        {0x3c, 1, 0xff},        /* INTRLINE */
        {0xe0, 2, 0xffff},      /* SWSMI */
        {0xe4, 4, 0xffffffff},  /* GSE */
        {0xe8, 2, 0xffff},      /* SWSCI */
        {0xfc, 4, 0xffffffff},  /* ASLS */
        {0x106, 2, 1},          /* PASID_CTRL: enable */
        {0x206, 2, 0x801f},     /* ATS_CTRL: enable, smallest unit */
        {0x304, 2, 1},          /* PR_CTRL: enable */
        {0x30c, 4, 0xffffffff}, /* OPRA */
        {0x330, 2, 0xffff},     /* SRIOV_NUMOFVFS */
        {0x348, 4, 0xffffffff}, /* VF_BAR0_UDW */
    };
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t bit = 1; bit; bit <<= 1) {
            if (8 * rows[i].bytes < 32 && bit >> 8 * rows[i].bytes)
                continue;
            gt_pci_write(&pci, GFX, rows[i].offset, rows[i].bytes, bit);
            HOLDS(config(&pci, rows[i].offset, rows[i].bytes) == (bit & rows[i].bits),
                  "%03x, bit %" PRIx32, rows[i].offset, bit);
        }
    return true;
}

static bool virtual_functions(struct conformance_fault *fault)
{
    struct gt_pci pci;
    gt_pci_init(&pci, 0x9840);
    /* The interrupt message has three bits for the function: the physical one and seven virtual
     * ones. */
    HOLDS(config(&pci, 0x32c, 2) == 7 && config(&pci, 0x32e, 2) == 7, "VFs");
    HOLDS(config(&pci, 0x334, 2) && config(&pci, 0x336, 2), "offset and stride");
    HOLDS(config(&pci, 0x33c, 4) & 1, "pages of 4 KiB are supported");
    HOLDS(config(&pci, 0x340, 4) == 1, "and are chosen");
    gt_pci_write(&pci, GFX, 0x340, 4, UINT32_MAX);
    HOLDS(config(&pci, 0x340, 4) == config(&pci, 0x33c, 4), "only those supported");
    gt_pci_write(&pci, GFX, 0x344, 4, UINT32_MAX);
    HOLDS(config(&pci, 0x344, 4) == 0xff000004, "VF BAR0 of 16 MiB");
    return true;
}

static bool names(struct conformance_fault *fault)
{
    static const struct {
        unsigned offset;
        const char *name;
    } rows[] = {{0x07a, "Device Status"}, {0x0cc, "GFX_VTDBAR_MSB"}, {0x348, "VF BAR0 UDW"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        HOLDS(!strcmp(gt_pci_find(GFX, rows[i].offset)->name, rows[i].name), "%03x is %s",
              rows[i].offset, gt_pci_find(GFX, rows[i].offset)->name);
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gt_pci.c"
#define REGISTERS "PCI Device Registers"

/* clang-format off */
const struct conformance_case gt_pci_cases[] = {
    CHECKED("004-PCI-01", REGISTERS, "All 79 registers have the listed address, symbol and name, and none overlaps the next", "lkf", all_rows),
    CHECKED("004-PCI-02", REGISTERS, "Besides the 79 registers there are only four that the list omits: revision, class, device control, function dependency", "lkf", the_others),
    CHECKED("004-PCI-03", REGISTERS, "Each of the 79 registers can be read byte by byte and keeps its value while others are written", "lkf", every_register),
    CHECKED("004-PCI-04", REGISTERS, "Vendor and device identification, class, header type, interrupt pin and similar registers are read-only", "lkf", identification),
    CHECKED("004-PCI-05", REGISTERS, "GTTMMADR, GMADR and IOBAR have the documented kinds and sizes", "lkf", bars),
    CHECKED("004-PCI-06", REGISTERS, "MMIO registers can be accessed through the BAR only with memory space enabled in PCI Command and in D0", "lkf", decoding),
    CHECKED("004-PCI-07", REGISTERS, "Capabilities Pointer leads to the eight capability headers in their chains (order: section 5)", "lkf", capabilities),
    CHECKED("004-PCI-08", REGISTERS, "MSI has Message Control, Address, Data, Mask Bits and Pending Bits", "lkf", msi),
    CHECKED("004-PCI-09", REGISTERS, "The mirrors DEVEN0 (of DEVEN of 0:0:0), MGGC0 and BDSM cannot be written", "lkf", mirrors),
    CHECKED("004-PCI-10", REGISTERS, "Power Management Control and Status supports power states 0 and 3", "lkf", power_states),
    CHECKED("004-PCI-11", REGISTERS, "Writing 1 clears bits of the status registers", "lkf", status_registers),
    CHECKED("004-PCI-12", REGISTERS, "Software's registers and the capabilities' control registers keep what is written", "lkf", storage),
    CHECKED("004-PCI-13", REGISTERS, "SR-IOV has the number of VFs, page sizes and VF BAR0", "lkf", virtual_functions),
    CHECKED("004-PCI-14", REGISTERS, "DEVICESTS is Device Status, CCh is GFX_VTDBAR_MSB and 348h is BAR0 (OA-E28)", "lkf", names),
};
/* clang-format on */
const size_t gt_pci_case_count = COUNT(gt_pci_cases);
