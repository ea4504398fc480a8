/* SPDX-License-Identifier: MIT */
/* "PCI Device Registers" of the Lakefield PRM on the whole GPU: all 79 of its list, and what they
 * do. Bits of standard registers are those of the PCI specifications (OA-13). */
#include "intel/conformance/gpu_check.h"
#include "intel/conformance/lakefield.h"
#include "intel/gpu/gpu.h"
#include "intel/gt/pci.h"

enum { OACONTROL = 0x2b00 };

static unsigned device_of(const struct lkf_pci_register *row)
{
    return strstr(row->symbol, "_0_0_0_") ? 0 : 2;
}

static const struct gt_pci_register *find(unsigned device, unsigned offset)
{
    return gt_pci_find(PCI_LKF, device ? GT_PCI_GRAPHICS : GT_PCI_HOST, offset);
}

static uint32_t config(const struct gpu_rig *rig, unsigned offset, unsigned bytes)
{
    return tally_gpu_pci_read(rig->gpu, 2, offset, bytes);
}

static void set_config(const struct gpu_rig *rig, unsigned offset, unsigned bytes, uint32_t value)
{
    tally_gpu_pci_write(rig->gpu, 2, offset, bytes, value);
}

/* Returns the bytes up to the next register of the list, which no register but the last exceeds. */
static unsigned gap_behind(size_t i)
{
    if (i + 1 < LKF_PCI_REGISTERS &&
        device_of(&lkf_pci_registers[i]) == device_of(&lkf_pci_registers[i + 1]))
        return lkf_pci_registers[i + 1].offset - lkf_pci_registers[i].offset;
    return 4;
}

static bool all_rows(struct conformance_fault *fault, struct gpu_rig *rig)
{
    for (size_t i = 0; i < LKF_PCI_REGISTERS; i++) {
        const struct lkf_pci_register *row = &lkf_pci_registers[i];
        const struct gt_pci_register *reg = find(device_of(row), row->offset);
        HOLDS(reg, "%s: nothing at %03x", row->symbol, row->offset);
        HOLDS(reg->offset == row->offset, "%s begins at %03x", row->symbol, reg->offset);
        HOLDS(!strcmp(reg->symbol, row->symbol) && !strcmp(reg->name, row->name), "%s: %s",
              row->symbol, reg->name);
        HOLDS(reg->bytes <= gap_behind(i), "%s has %u bytes", row->symbol, reg->bytes);
        HOLDS(reg->behaviour < GT_PCI_BEHAVIOURS && reg->note[0], "%s: no behaviour", row->symbol);
    }
    HOLDS(rig->gpu->pci.layout == PCI_LKF, "layout");
    return true;
}

/* Registers that the list omits but the device must have (OA-5): 08h, 09h, 78h, 332h; and in the
 * host bridge the sources of MGGC0 and BDSM. */
static bool the_others(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const uint16_t graphics[] = {0x008, 0x009, 0x078, 0x332}, host[] = {0x050, 0x0b0};
    size_t others = 0;
    for (size_t i = 0; i < gt_pci_register_count; i++) {
        const struct gt_pci_register *reg = &gt_pci_registers[i];
        bool listed = false, known = false;
        if (!(reg->on & PCI_ON(LKF)) || reg->device == GT_PCI_VIRTUAL)
            continue;
        for (size_t k = 0; k < LKF_PCI_REGISTERS; k++)
            listed |= !strcmp(reg->symbol, lkf_pci_registers[k].symbol);
        for (size_t k = 0; k < COUNT(graphics); k++)
            known |= reg->device == GT_PCI_GRAPHICS && reg->offset == graphics[k];
        for (size_t k = 0; k < COUNT(host); k++)
            known |= reg->device == GT_PCI_HOST && reg->offset == host[k];
        HOLDS(listed || known, "%s is not in the document", reg->symbol);
        others += !listed;
    }
    HOLDS(others == 6, "%zu others", others);
    HOLDS(config(rig, 0x360, 4) == 0 && config(rig, 0xffc, 4) == 0, "beyond the registers");
    return true;
}

/* Offsets whose writes act on other registers: control of power, resets, functions, aperture, and
 * page requests, whose status says that they have stopped. */
static bool has_effects(unsigned device, unsigned offset)
{
    return device && (offset == 0x60 || offset == 0x62 || offset == 0x79 || offset == 0xd4 ||
                      offset == 0x304 || offset == 0x328);
}

/* Each byte of each register reads the same as in a full access, and writes of other registers do
 * not change it. */
static bool every_register(struct conformance_fault *fault, struct gpu_rig *rig)
{
    for (size_t i = 0; i < LKF_PCI_REGISTERS; i++) {
        const struct lkf_pci_register *row = &lkf_pci_registers[i];
        unsigned device = device_of(row), space = device ? GT_PCI_GRAPHICS : GT_PCI_HOST;
        const struct gt_pci_register *reg = find(device, row->offset);
        struct gpu_rig *other = gpu_rig_awake(__LINE__, "lkf");
        uint64_t whole = gt_pci_get_register(&other->gpu->pci, space, reg);
        bool equal = true;
        for (unsigned k = 0; k < reg->bytes; k++)
            HOLDS(tally_gpu_pci_read(other->gpu, device, row->offset + k, 1) ==
                      (whole >> 8 * k & 0xff),
                  "%s, byte %u", row->symbol, k);
        for (unsigned ones = 0; ones < 2; ones++)
            for (unsigned at = 0; at < 0x360; at++)
                if (find(device, at) != reg && !has_effects(device, at))
                    tally_gpu_pci_write(other->gpu, device, at, 1, ones ? 0 : 0xff);
        equal = gt_pci_get_register(&other->gpu->pci, space, reg) == whole;
        gpu_rig_free(other);
        HOLDS(equal, "%s changes with its neighbours", row->symbol);
    }
    HOLDS(config(rig, 0, 4) == 0x98408086, "device and vendor");
    return true;
}

static bool identification(struct conformance_fault *fault, struct gpu_rig *rig)
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
        {0x2c, 2, 0x8086},                /* SVID2, SID2: firmware has written them once */
        {0x2e, 2, 0x9841},  {0x3d, 1, 1}, /* INTRPIN: INTA# */
        {0x3e, 2, 0},                     /* MINGNT, MAXLAT */
        {0x33a, 2, 0x9841},               /* VF device id */
    };
    for (int written = 0; written < 2; written++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            HOLDS(config(rig, rows[i].offset, rows[i].bytes) == rows[i].value, "%03x is %" PRIx32,
                  rows[i].offset, config(rig, rows[i].offset, rows[i].bytes));
            set_config(rig, rows[i].offset, rows[i].bytes, UINT32_MAX);
        }
    return true;
}

/* GTTMMADR has 16 MiB and GMADR 256 MiB of memory, with 64 bits, IOBAR 64 ports; writing ones gives
 * the sizes. MSAC changes that of GMADR. */
static bool bars(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint32_t msac, gmadr;
    } rows[] = {{0, 0xf800000c},  {1, 0xf000000c}, {3, 0xe000000c},
                {2, 0xe000000c},  {7, 0xc000000c}, {15, 0x8000000c},
                {31, 0x0000000c}, {4, 0x0000000c}, {1, 0x0000000c}};
    for (unsigned at = 0x10; at < 0x24; at += 4)
        set_config(rig, at, 4, UINT32_MAX);
    HOLDS(config(rig, 0x10, 4) == 0xff000004, "GTTMMADR: %" PRIx32, config(rig, 0x10, 4));
    HOLDS(config(rig, 0x18, 4) == 0xf000000c, "GMADR: %" PRIx32, config(rig, 0x18, 4));
    HOLDS(config(rig, 0x14, 4) == UINT32_MAX, "GTTMMADR, bits 63:32");
    HOLDS(config(rig, 0x1c, 4) == UINT32_MAX, "GMADR, bits 63:32");
    HOLDS(config(rig, 0x20, 4) == 0xffc1, "IOBAR: %" PRIx32, config(rig, 0x20, 4));
    for (size_t i = 0; i < COUNT(rows); i++) {
        set_config(rig, 0x60, 4, rows[i].msac << 16);
        if (i + 1 < COUNT(rows)) /* the last row: a smaller size does not bring address bits back */
            set_config(rig, 0x18, 4, UINT32_MAX);
        HOLDS(config(rig, 0x18, 4) == rows[i].gmadr, "GMADR with %" PRIu32 ": %" PRIx32,
              rows[i].msac, config(rig, 0x18, 4));
    }
    return true;
}

/* The registers of 0:2:0 are reached by address only with memory space enabled, in D0; so is the
 * alias of the memory controller. Ports need I/O space. */
static bool decoding(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint16_t command, power;
        bool memory, io;
    } rows[] = {
        {0, 0, false, false}, {2, 0, true, false},  {1, 0, false, true},  {3, 0, true, true},
        {4, 0, false, false}, {3, 3, false, false}, {2, 3, false, false}, {2, 0, true, false},
    };
    struct tally_gpu *gpu = rig->gpu;
    tally_gpu_set_mchbar(gpu, 0x145998, 4, 0x55667788);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t value = 1;
        set_config(rig, 0xd4, 2, 0);
        set_config(rig, 0x10, 4, 0x80000000);
        set_config(rig, 0x20, 4, 0x4000);
        set_config(rig, 0x04, 2, rows[i].command);
        set_config(rig, 0xd4, 2, rows[i].power);
        uint32_t alias = rows[i].memory ? 0x55667788 : UINT32_MAX;
        uint32_t reg = rows[i].memory ? 0x80000000 : UINT32_MAX;
        HOLDS(tally_gpu_physical_read(gpu, 0x80145998, 4) == alias, "alias by address, %zu", i);
        HOLDS(tally_gpu_physical_read(gpu, 0x81145998, 4) == UINT32_MAX, "behind the BAR, %zu", i);
        HOLDS(tally_gpu_physical_read(gpu, 0x7f145998, 4) == UINT32_MAX, "before it, %zu", i);
        HOLDS(rd(rig, 0x145998) == alias, "alias, %zu", i);
        HOLDS(!tally_gpu_read(gpu, 0x145998, 2, &value) && value == (alias & 0xffff), "2 bytes");
        HOLDS(rd(rig, 0xfdc) == reg, "steering, %zu", i);
        HOLDS(tally_gpu_physical_read(gpu, 0x80000fdc, 4) == reg, "steering by address, %zu", i);
        HOLDS(!strcmp(tally_gpu_outcome(gpu, 0xfdc, false),
                      rows[i].memory ? "reached" : "not decoded"),
              "outcome, %zu", i);
        tally_gpu_port_write(gpu, 0x4000, 4, 0x145998);
        HOLDS(tally_gpu_port_read(gpu, 0x4004, 4) == (rows[i].io ? 0x55667788 : UINT32_MAX),
              "by port, %zu", i);
        HOLDS(tally_gpu_port_read(gpu, 0x4040, 4) == UINT32_MAX, "other ports, %zu", i);
    }
    return true;
}

/* Each header of the list begins with the id of its capability, and is in a chain. */
static bool capabilities(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned offset, id, next;
    } rows[] = {
        {0x40, 0x09, 0x70},   /* CAPID0: vendor */
        {0x70, 0x10, 0xac},   /* PCIECAPHDR */
        {0xac, 0x05, 0xd0},   /* MSI_CAPID */
        {0xd0, 0x01, 0},      /* PMCAPID */
        {0x100, 0x1b, 0x200}, /* PASID_EXTCAP */
        {0x200, 0x0f, 0x300}, /* ATS_EXTCAP */
        {0x300, 0x13, 0x320}, /* PR_EXTCAP */
        {0x320, 0x10, 0},     /* SRIOV_ECAPHDR */
    };
    HOLDS(config(rig, 0x34, 1) == 0x40, "CAPPOINT");
    HOLDS(config(rig, 0x06, 2) & 0x10, "PCISTS2: there is a list of capabilities");
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t header = config(rig, rows[i].offset, 4);
        bool extended = rows[i].offset >= 0x100;
        HOLDS((extended ? header & 0xffff : header & 0xff) == rows[i].id, "id at %03x",
              rows[i].offset);
        HOLDS((extended ? header >> 20 : header >> 8 & 0xff) == rows[i].next, "next of %03x",
              rows[i].offset);
    }
    return true;
}

/* Raises or ends the interrupt of the device: a source of master control. */
static void set_line(struct gpu_rig *rig, bool level)
{
    wr(rig, 0x190010, 0x80000000);
    tally_gpu_set_level(rig->gpu, 30, level);
}

static bool msi(struct conformance_fault *fault, struct gpu_rig *rig)
{
    HOLDS((config(rig, 0xae, 2) & 0x181) == 0x100, "32 bits, masks, disabled at first");
    set_config(rig, 0xb0, 4, 0xfee0f00f);
    HOLDS(config(rig, 0xb0, 4) == 0xfee0f00c, "MA: a dword address");
    set_config(rig, 0xb4, 2, 0x4123);
    HOLDS(config(rig, 0xb4, 2) == 0x4123, "MD");
    set_config(rig, 0xbc, 4, UINT32_MAX);
    HOLDS(config(rig, 0xbc, 4) == 0, "MSI_PEND is read only");

    set_line(rig, true);
    HOLDS(rig->messages[0] == 0 && rig->rises == 1, "disabled: INTA# instead");
    set_line(rig, false);
    set_config(rig, 0xae, 2, 1);
    HOLDS(config(rig, 0xae, 2) & 1, "MC: enabled");
    for (unsigned i = 1; i < 4; i++) {
        set_line(rig, true);
        set_line(rig, true);
        HOLDS(rig->messages[0] == i && rig->rises == 1, "one message an edge, %u", i);
        set_line(rig, false);
        HOLDS(rig->messages[0] == i, "none at a falling edge, %u", i);
    }
    HOLDS(rig->message_address == 0xfee0f00c && rig->message_data == 0x4123, "address and data");

    set_config(rig, 0xb8, 4, UINT32_MAX);
    HOLDS(config(rig, 0xb8, 4) == 1, "MSI_MASK: one vector");
    set_line(rig, true);
    HOLDS(rig->messages[0] == 3 && config(rig, 0xbc, 4) == 1, "masked: pending");
    set_config(rig, 0xbc, 4, 0);
    HOLDS(config(rig, 0xbc, 4) == 1, "software cannot clear it");
    set_config(rig, 0xb8, 4, 0);
    HOLDS(rig->messages[0] == 4 && config(rig, 0xbc, 4) == 0, "unmasked: sent, once");
    set_line(rig, false);
    set_config(rig, 0xb8, 4, 1);
    set_line(rig, true);
    set_line(rig, false);
    HOLDS(config(rig, 0xbc, 4) == 0, "served before it was sent: not pending");
    set_config(rig, 0xb8, 4, 0);
    HOLDS(rig->messages[0] == 4, "and not sent");

    set_config(rig, 0xb8, 4, 1);
    set_line(rig, true);
    set_config(rig, 0xae, 2, 0);
    set_config(rig, 0xb8, 4, 0);
    HOLDS(rig->messages[0] == 4, "unmasked with MSI disabled");
    set_config(rig, 0x04, 2, 2);
    set_config(rig, 0xae, 2, 1);
    HOLDS(rig->messages[0] == 4, "unmasked without bus master");
    set_config(rig, 0x04, 2, 6);
    HOLDS(rig->messages[0] == 5, "unmasked, and sent when it can be");
    set_line(rig, false);
    rig->messages[0] = 4;
    rig->rises = rig->falls = 1;

    set_config(rig, 0x04, 2, 2);
    set_line(rig, true);
    HOLDS(rig->messages[0] == 4 && rig->rises == 1,
          "without bus master: neither message nor INTA#");
    return true;
}

/* MGGC0, DEVEN0 and BDSM follow their sources in the host bridge, and cannot be written. */
static bool mirrors(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned mirror, source, bytes;
        uint32_t bits, lock, keeps; /* writable; bit that locks; always written as 1 */
    } rows[] = {
        {0x50, 0x50, 2, 0xffc6, 1, 0},
        {0x54, 0x54, 4, 0xffffffef, 0, 0x10}, /* without bit 4 there is no device */
        {0xc0, 0xb0, 4, 0xfff00000, 1, 0},
    };
    struct tally_gpu *gpu = rig->gpu;
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (uint32_t bit = 1; bit && (rows[i].bytes == 4 || bit < 0x10000); bit <<= 1) {
            if (bit & rows[i].lock)
                continue;
            uint32_t expected = (bit & rows[i].bits) | rows[i].keeps;
            tally_gpu_pci_write(gpu, 0, rows[i].source, rows[i].bytes, bit | rows[i].keeps);
            HOLDS(config(rig, rows[i].mirror, rows[i].bytes) == expected,
                  "%03x with %" PRIx32 ": %" PRIx32, rows[i].mirror, bit,
                  config(rig, rows[i].mirror, rows[i].bytes));
            set_config(rig, rows[i].mirror, rows[i].bytes, ~bit);
            HOLDS(tally_gpu_pci_read(gpu, 0, rows[i].source, rows[i].bytes) == expected &&
                      config(rig, rows[i].mirror, rows[i].bytes) == expected,
                  "%03x was written", rows[i].mirror);
        }
        if (!rows[i].lock)
            continue;
        uint32_t locked = (rows[i].bits & 0x7c000100) | rows[i].lock;
        tally_gpu_pci_write(gpu, 0, rows[i].source, rows[i].bytes, locked);
        tally_gpu_pci_write(gpu, 0, rows[i].source, rows[i].bytes, 0);
        HOLDS(config(rig, rows[i].mirror, rows[i].bytes) == locked, "%03x is not locked",
              rows[i].mirror);
    }
    HOLDS(config(rig, 0xc4, 4) == 0, "BDSM, bits 63:32");
    tally_gpu_pci_write(gpu, 0, 0x54, 4, 0);
    HOLDS(config(rig, 0, 4) == UINT32_MAX && rd(rig, 0xfdc) == UINT32_MAX,
          "DEVEN hides the device");
    tally_gpu_pci_write(gpu, 0, 0x54, 4, 0x10);
    HOLDS(config(rig, 0, 4) == 0x98408086, "and shows it again");
    return true;
}

static bool power_states(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint32_t write, read;
    } rows[] = {
        {3, 3}, {0, 0}, {1, 0}, {2, 0}, {3, 3}, {1, 3}, {2, 3}, {0, 0},
    };
    HOLDS((config(rig, 0xd2, 2) & 0x0600) == 0, "PMCAP: neither D1 nor D2");
    HOLDS((config(rig, 0xd2, 2) & 0xf800) == 0, "PMCAP: no PME#");
    for (size_t i = 0; i < COUNT(rows); i++) {
        set_config(rig, 0xd4, 2, rows[i].write | 0x8100);
        HOLDS(config(rig, 0xd4, 2) == rows[i].read, "PMCS is %" PRIx32, config(rig, 0xd4, 2));
    }
    return true;
}

/* Status registers: writing 1 clears bits that the hardware set, and sets none. Each bit by itself,
 * also by bytes. */
static bool status_registers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned offset;
        uint32_t set, stays;
    } rows[] = {
        {0x06, 0xf918, 0x0018},  /* PCISTS2: with capabilities and interrupt status */
        {0x7a, 0x003f, 0x0030},  /* DEVICESTS */
        {0x306, 0x8103, 0x8100}, /* PR_STATUS */
        {0x32a, 0x0001, 0},      /* SRIOV_STS */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gt_pci_register *reg = find(2, rows[i].offset);
        for (uint32_t bit = 1; bit < 0x10000; bit <<= 1) {
            uint32_t before = config(rig, rows[i].offset, 2);
            set_config(rig, rows[i].offset, 2, bit);
            HOLDS(config(rig, rows[i].offset, 2) == before, "%03x is set by software",
                  rows[i].offset);
            gt_pci_set_register(&rig->gpu->pci, GT_PCI_GRAPHICS, reg, rows[i].set);
            set_config(rig, rows[i].offset, 2, 0);
            HOLDS(config(rig, rows[i].offset, 2) == rows[i].set, "cleared by 0");
            uint32_t stays = rows[i].set & ~(bit & ~rows[i].stays);
            set_config(rig, rows[i].offset, 2, bit);
            HOLDS(config(rig, rows[i].offset, 2) == stays, "%03x: %" PRIx32 " leaves %" PRIx32,
                  rows[i].offset, bit, config(rig, rows[i].offset, 2));
            gt_pci_set_register(&rig->gpu->pci, GT_PCI_GRAPHICS, reg, rows[i].set);
            set_config(rig, rows[i].offset + (bit > 0xff), 1, bit > 0xff ? bit >> 8 : bit);
            HOLDS(config(rig, rows[i].offset, 2) == stays, "%03x by bytes", rows[i].offset);
            gt_pci_set_register(&rig->gpu->pci, GT_PCI_GRAPHICS, reg, before);
        }
    }
    return true;
}

static bool storage(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned offset, bytes;
        uint32_t bits;
    } rows[] = {
        {0x3c, 1, 0xff},        /* INTRLINE */
        {0x78, 2, 0x7fff},      /* device control, but for the reset */
        {0xe0, 2, 0xffff},      /* SWSMI */
        {0xe4, 4, 0xffffffff},  /* GSE */
        {0xe8, 2, 0xffff},      /* SWSCI */
        {0xfc, 4, 0xffffffff},  /* ASLS */
        {0x106, 2, 1},          /* PASID_CTRL: enable */
        {0x206, 2, 0x801f},     /* ATS_CTRL: enable, smallest unit */
        {0x304, 2, 1},          /* PR_CTRL: enable */
        {0x30c, 4, 0xffffffff}, /* OPRA */
        {0x330, 2, 7},          /* SRIOV_NUMOFVFS: up to 7 */
        {0x348, 4, 0xffffffff}, /* VF_BAR0_UDW */
        {0x34c, 4, 0xe000000c}, /* VF_BAR1_LDW */
        {0x350, 4, 0xffffffff}, /* VF_BAR1_UDW */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t bit = 1; bit; bit <<= 1) {
            uint32_t fixed = rows[i].offset == 0x34c ? 0xc : 0;
            if (8 * rows[i].bytes < 32 && bit >> 8 * rows[i].bytes)
                continue;
            set_config(rig, rows[i].offset, rows[i].bytes, bit);
            HOLDS(config(rig, rows[i].offset, rows[i].bytes) == ((bit & rows[i].bits) | fixed),
                  "%03x, bit %" PRIx32, rows[i].offset, bit);
            set_config(rig, rows[i].offset, rows[i].bytes, 0);
        }
    return true;
}

static bool virtual_functions(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_gpu *gpu = rig->gpu;
    /* The interrupt message has three bits for the function: the physical one and seven virtual
     * ones. */
    HOLDS(config(rig, 0x32c, 2) == 7 && config(rig, 0x32e, 2) == 7, "VFs");
    HOLDS(config(rig, 0x334, 2) == 1 && config(rig, 0x336, 2) == 1, "offset and stride");
    HOLDS(config(rig, 0x33c, 4) & 1, "pages of 4 KiB are supported");
    HOLDS(config(rig, 0x340, 4) == 1, "and are chosen");
    set_config(rig, 0x340, 4, UINT32_MAX);
    HOLDS(config(rig, 0x340, 4) == config(rig, 0x33c, 4), "only those supported");
    set_config(rig, 0x344, 4, UINT32_MAX);
    HOLDS(config(rig, 0x344, 4) == 0xff000004, "VF BAR0 of 16 MiB");
    set_config(rig, 0x344, 4, 0x90000000);
    for (unsigned count = 0; count <= 7; count++)
        for (uint32_t control = 0; control < 16; control++) {
            bool enabled = control & 1;
            set_config(rig, 0x328, 2, 0);
            set_config(rig, 0x330, 2, count);
            set_config(rig, 0x328, 2, control);
            set_config(rig, 0x330, 2, count ^ 7);
            HOLDS(config(rig, 0x330, 2) == (enabled ? count : count ^ 7), "NumVFs is read-only");
            for (unsigned n = 1; n <= 7; n++) {
                bool exists = enabled && n <= count, decoded = exists && (control & 8);
                HOLDS(tally_gpu_pci_function_read(gpu, 2, n, 0x34, 1) == (exists ? 0x70 : 0xff),
                      "function %u of %u", n, count);
                HOLDS(tally_gpu_function_read32(gpu, n, 0x190010) == (decoded ? 0 : UINT32_MAX),
                      "interrupts of function %u of %u, %" PRIx32, n, count, control);
                HOLDS(tally_gpu_physical_read(gpu, 0x8f190010 + 0x1000000ull * n, 4) ==
                          (decoded ? 0 : UINT32_MAX),
                      "VF BAR0 of function %u of %u", n, count);
            }
        }
    return true;
}

static bool names(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned offset;
        const char *name;
    } rows[] = {{0x07a, "Device Status"}, {0x0cc, "GFX_VTDBAR_MSB"}, {0x348, "VF BAR0 UDW"}};
    for (size_t i = 0; i < COUNT(rows); i++)
        HOLDS(!strcmp(find(2, rows[i].offset)->name, rows[i].name), "%03x is %s", rows[i].offset,
              find(2, rows[i].offset)->name);
    HOLDS(rig->gpu, "GPU");
    return true;
}

/* Fields of Intel's own registers that public sources describe. */
static bool own_registers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_gpu *gpu = rig->gpu;
    uint32_t ggc = config(rig, 0x50, 2);
    HOLDS(config(rig, 0x42, 2) == 0x010c, "CAPCTRL0: version 1, 12 bytes");
    HOLDS((ggc >> 6 & 3) == 3 && ggc >> 8 == 1, "MGGC0: 8 MiB of page table, 32 MiB stolen");
    tally_gpu_set_mchbar(gpu, 0x145400, 8, 0x12fed91001);
    HOLDS(config(rig, 0xc8, 4) == 0xfed91001 && config(rig, 0xcc, 4) == 0x12, "GFX_VTDBAR");
    set_config(rig, 0xe0, 2, 0xfffe);
    HOLDS(rig->firmware_calls[0] == 0, "SWSMI: scratch bits");
    set_config(rig, 0xe0, 2, 0xffff);
    set_config(rig, 0xe0, 2, 0xffff);
    HOLDS(rig->firmware_calls[0] == 1, "SWSMI: bit 0 calls once");
    set_config(rig, 0xe8, 2, 0x8000);
    HOLDS(rig->firmware_calls[1] == 0, "SWSCI: bit 15 selects");
    set_config(rig, 0xe8, 2, 0x8001);
    HOLDS(rig->firmware_calls[0] == 1 && rig->firmware_calls[1] == 1, "SWSCI: an SCI");
    set_config(rig, 0xe8, 2, 0);
    set_config(rig, 0xe8, 2, 1);
    HOLDS(rig->firmware_calls[0] == 2 && rig->firmware_calls[1] == 1, "SWSCI: an SMI");
    tally_gpu_pci_write(gpu, 0, 0x5c, 4, 0xffffffff);
    HOLDS(tally_gpu_pci_read(gpu, 0, 0x5c, 4) == 0xff5, "DPR: size, enable, lock");
    tally_gpu_pci_write(gpu, 0, 0x5c, 4, 0);
    HOLDS(tally_gpu_pci_read(gpu, 0, 0x5c, 4) == 0xff5, "DPR is locked");
    return true;
}

/* The device has the 79 registers; other devices do not respond. */
static bool on_the_bus(struct conformance_fault *fault, struct gpu_rig *rig)
{
    for (size_t i = 0; i < LKF_PCI_REGISTERS; i++) {
        const struct lkf_pci_register *row = &lkf_pci_registers[i];
        unsigned device = device_of(row);
        HOLDS(tally_gpu_pci_read(rig->gpu, device, row->offset, 1) ==
                  (find(device, row->offset)->behaviour == GT_PCI_DEVICE_ID
                       ? 0x40
                       : gt_pci_get_register(&rig->gpu->pci, device ? GT_PCI_GRAPHICS : GT_PCI_HOST,
                                             find(device, row->offset)) &
                             0xff),
              "%s", row->symbol);
        HOLDS(tally_gpu_pci_read(rig->gpu, 1, row->offset, 1) == 0xff, "device 1 at %03x",
              row->offset);
        HOLDS(tally_gpu_pci_function_read(rig->gpu, 0, 1, row->offset, 1) == 0xff, "0:0:1 at %03x",
              row->offset);
    }
    return true;
}

/* Device Capabilities announces function level reset, which resets the whole GPU and the registers
 * that the PCI Express specification does not except. */
static bool function_reset(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        unsigned offset, bytes;
        uint32_t written, after;
    } rows[] = {
        {0x04, 2, 0x407, 0},       {0x10, 4, 0x80000000, 4},
        {0x3c, 1, 9, 0},           {0x78, 2, 0x00ff, 0x00e0},
        {0xae, 2, 1, 0x100},       {0xb0, 4, 0xfee00000, 0},
        {0xb8, 4, 1, 0},           {0x206, 2, 0x8003, 0},
        {0x330, 2, 3, 0},          {0x60, 4, 0x30000, 0x30000},
        {0xe0, 2, 0x1234, 0x1234}, {0xe4, 4, 0x12345678, 0x12345678},
        {0xe8, 2, 0x4320, 0x4320}, {0xfc, 4, 0x7b000018, 0x7b000018},
        {0x328, 2, 9, 0},
    };
    HOLDS(config(rig, 0x74, 4) >> 28 & 1, "DEVICECAP");
    wr(rig, OACONTROL, 0x14);
    tally_gpu_run(rig->gpu, 100000);
    HOLDS(gpu_rig_value(rig, "timestamp") > 0, "TIMESTAMP");
    for (size_t i = 0; i < COUNT(rows); i++)
        set_config(rig, rows[i].offset, rows[i].bytes, rows[i].written);
    set_config(rig, 0x78, 2, 0x80ff);
    for (size_t i = 0; i < COUNT(rows); i++)
        HOLDS(config(rig, rows[i].offset, rows[i].bytes) == rows[i].after, "%03x is %" PRIx32,
              rows[i].offset, config(rig, rows[i].offset, rows[i].bytes));
    HOLDS(config(rig, 0x50, 2) == 0x1c1 && config(rig, 0x2c, 4) == 0x98408086, "firmware's");
    HOLDS(tally_gpu_pci_function_read(rig->gpu, 2, 1, 0x34, 1) == 0xff, "no function");
    set_config(rig, 0x04, 2, 6);
    HOLDS(gpu_rig_value(rig, "timestamp") == 0 && rd(rig, OACONTROL) == 0, "not reset");
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gt_pci.c"
#define REGISTERS "PCI Device Registers"

/* clang-format off */
const struct conformance_case gt_pci_cases[] = {
    CHECKED_ROW("004-PCI-01", REGISTERS, "All 79 registers have the listed address, symbol and name, and none overlaps the next", "lkf", on_gpu, AWAKE(all_rows)),
    CHECKED_ROW("004-PCI-02", REGISTERS, "Besides the 79 registers there are only six that the list omits: revision, class, device control, function dependency, and the sources of MGGC0 and BDSM", "lkf", on_gpu, AWAKE(the_others)),
    CHECKED_ROW("004-PCI-03", REGISTERS, "Each of the 79 registers can be read byte by byte and keeps its value while others are written", "lkf", on_gpu, AWAKE(every_register)),
    CHECKED_ROW("004-PCI-04", REGISTERS, "Vendor and device identification, class, header type, interrupt pin and similar registers are read-only", "lkf", on_gpu, ON_GPU(identification, .always_awake = true, .device_id = 0x9841)),
    CHECKED_ROW("004-PCI-05", REGISTERS, "GTTMMADR, GMADR and IOBAR have the documented kinds and sizes, GMADR's by MSAC", "lkf", on_gpu, AWAKE(bars)),
    CHECKED_ROW("004-PCI-06", REGISTERS, "Registers and the alias of the memory controller can be accessed only with memory space enabled in PCI Command and in D0", "lkf", on_gpu, AWAKE(decoding)),
    CHECKED_ROW("004-PCI-07", REGISTERS, "Capabilities Pointer leads to the eight capability headers in their chains (order: section 5)", "lkf", on_gpu, AWAKE(capabilities)),
    CHECKED_ROW("004-PCI-08", REGISTERS, "MSI sends Message Data to Message Address once an edge; Mask Bits hold messages back in Pending Bits", "lkf", on_gpu, AWAKE(msi)),
    CHECKED_ROW("004-PCI-09", REGISTERS, "The mirrors DEVEN0, MGGC0 and BDSM follow their sources in 0:0:0 and cannot be written", "lkf", on_gpu, ON_GPU(mirrors, .always_awake = true, .no_firmware = true)),
    CHECKED_ROW("004-PCI-10", REGISTERS, "Power Management Control and Status supports power states 0 and 3", "lkf", on_gpu, AWAKE(power_states)),
    CHECKED_ROW("004-PCI-11", REGISTERS, "Writing 1 clears the error bits of the status registers, one by one, and no others", "lkf", on_gpu, AWAKE(status_registers)),
    CHECKED_ROW("004-PCI-12", REGISTERS, "Software's registers and the capabilities' control registers keep what is written", "lkf", on_gpu, AWAKE(storage)),
    CHECKED_ROW("004-PCI-13", REGISTERS, "SR-IOV has up to seven VFs, which exist while VF Enable is set, page sizes and VF BAR0", "lkf", on_gpu, AWAKE(virtual_functions)),
    CHECKED_ROW("004-PCI-14", REGISTERS, "DEVICESTS is Device Status, CCh is GFX_VTDBAR_MSB and 348h is BAR0 (OA-E28)", "lkf", on_gpu, AWAKE(names)),
    CHECKED_ROW("004-PCI-15", REGISTERS, "The 79 registers are in the configuration space of devices 0 and 2; others do not respond", "lkf", on_gpu, AWAKE(on_the_bus)),
    CHECKED_ROW("004-PCI-16", REGISTERS, "Device Capabilities announces function level reset, which resets the whole GPU and its registers", "lkf", on_gpu, AWAKE(function_reset)),
    CHECKED_ROW("004-PCI-17", REGISTERS, "Intel's own registers have fields (CAPCTRL0, MGGC0, GFX_VTDBAR, SWSMI, SWSCI, DPR); MSAC: 004-PCI-05", "lkf", on_gpu, AWAKE(own_registers)),
};
/* clang-format on */
const size_t gt_pci_case_count = COUNT(gt_pci_cases);
