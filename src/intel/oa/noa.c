/* SPDX-License-Identifier: MIT */
/*
 * NOA multiplexing and what belongs to it. Which platforms have a register: where the public driver
 * lets a metric set write it (PERF-3.4), or the text of OA-1.3, OA-1.5 and PERF-5; clocks
 * and power of TGL are Gen11's. The networks at 25100h and 182300h have no published names; here
 * both are NOA_MUX.
 */
#include "intel/oa/noa.h"

#include <limits.h>
#include <string.h>

#include "base/bits.h"

#define ON(platform) INTEL_BIT(INTEL_##platform)
#define GEN11        (ON(ICL) | ON(LKF))
#define GEN12        ON(TGL)
#define GEN11_UP     (GEN11 | GEN12)
#define GEN8_UP      (ON(BDW) | ON(CHV) | ON(SKL) | GEN11_UP)
#define HSW_UP       (ON(HSW) | GEN8_UP)
#define HSW_TO_GEN11 (HSW_UP & ~GEN12)
#define HSW_TO_SKL   (HSW_UP & ~GEN11_UP)
#define GEN7_UP      (ON(IVB) | ON(VLV) | HSW_UP)
#define ALL          (ON(SNB) | GEN7_UP)
#define SKL_UP       (ON(SKL) | GEN11_UP)
#define BDW_SKL      (ON(BDW) | ON(SKL))

#define RW REG_READ_WRITE
#define RO REG_READ
#define WO REG_WRITE

// clang-format off

/* ---- fields ---------------------------------------------------------------------------------- */

/* A field named OTHER is stored, and not documented. */
static const struct reg_value crystals[] = {{0, "24 MHz"}, {1, "19.2 MHz"}, {2, "38.4 MHz"}, {3, "25 MHz"}, {0}};
static const struct reg_field rpm_config0[] = {
    {"OTHER", 0, 0, RW, 0, ALL, NULL, "stored"},
    {"CTC_SHIFT", 1, 2, RW, 0, ALL, NULL, "TIMESTAMP ticks at crystal >> (3 - n)"},
    {"CRYSTAL", 3, 5, RW, 0, ALL, crystals, "crystal clock"},
    {"OTHER", 6, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field rpm_config1[] = {
    {"OTHER", 0, 8, RW, 0, ALL, NULL, "stored"},
    {"NOA_ENABLE", 9, 9, RW, 0, ALL, NULL, "the network is on"},
    {"OTHER", 10, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field gdt_chicken_bits[] = {
    {"OTHER", 0, 6, RW, 0, ALL, NULL, "stored"},
    {"NOA_ENABLE", 7, 7, RW, 0, HSW_TO_SKL, NULL, "the network is on"},
    {"OTHER", 7, 7, RW, 0, GEN11_UP, NULL, "stored"},
    {"OTHER", 8, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field ucgctl1[] = {
    {"OTHER", 0, 6, RW, 0, ALL, NULL, "stored"},
    {"CS_CLOCK_GATE_DISABLE", 7, 7, RW, 0, ALL, NULL, "the command streamer's clock is not gated"},
    {"OTHER", 8, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field misccpctl[] = {
    {"DOP_CLOCK_GATE_ENABLE", 0, 0, RW, 0, ALL, NULL, "DOP clock gating; 0 while HSW counts more than render"},
    {"OTHER", 1, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field rc_control[] = {
    {"OTHER", 0, 30, RW, 0, ALL, NULL, "stored"},
    {"HARDWARE_CONTROL", 31, 31, RW, 0, ALL, NULL, "1, with RC_STATE 0: no RC6 while counting"}, {0}};
static const struct reg_value ctc_sources[] = {{0, "crystal"}, {1, "divider logic"}, {0}};
static const struct reg_field ctc_mode[] = {
    {"SOURCE", 0, 0, RW, 0, ALL, ctc_sources, "of TIMESTAMP"},
    {"SHIFT", 1, 2, RW, 0, ALL, NULL, "ticks at 24 MHz >> (3 - n)"},
    {"OTHER", 3, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field rpstat1_of_fifties[] = {
    {"OTHER", 0, 6, RO, 0, ALL, NULL, NULL},
    {"RATIO", 7, 13, RO, 0, ALL, NULL, "in steps of 50 MHz"},
    {"OTHER", 14, 31, RO, 0, ALL, NULL, NULL}, {0}};
static const struct reg_field rpstat1_of_thirds[] = {
    {"OTHER", 0, 22, RO, 0, ALL, NULL, NULL},
    {"RATIO", 23, 31, RO, 0, ALL, NULL, "in steps of 50/3 MHz"}, {0}};
static const struct reg_field half_slice_chicken2[] = {
    {"OTHER", 0, 12, RW, 0, ALL, NULL, "stored"},
    {"KEPT", 13, 13, RW, 0, ALL, NULL, "the driver lets no metric set change it"},
    {"OTHER", 14, 15, RW, 0, ALL, NULL, "stored"},
    {"MASK", 16, 31, WO, 0, ALL, NULL, "write enables of bits 15:0"}, {0}};
static const struct reg_field wait_for_rc6_exit[] = {
    {"KEPT", 0, 0, RW, 0, ALL, NULL, "its own function: the driver lets no metric set change it"},
    {"OTHER", 1, 15, RW, 0, ALL, NULL, "selections of OA"},
    {"MASK", 16, 31, WO, 0, ALL, NULL, "write enables of bits 15:0"}, {0}};
static const struct reg_field sqcnt1[] = {
    {"OTHER", 0, 28, RW, 0, ALL, NULL, "stored"},
    {"BYTES_PER_CLOCK", 29, 29, RW, 0, ALL, NULL, "reports bytes per clock"},
    {"PMON_ENABLE", 30, 30, RW, 0, ALL, NULL, "counts"},
    {"OTHER", 31, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field tlb_invalidate[] = {
    {"INVALIDATE", 0, 0, RW, 0, ALL, NULL, "1 invalidates; 0 again when that is done: at once"},
    {"OTHER", 1, 31, RW, 0, ALL, NULL, "stored"}, {0}};
static const struct reg_field perfcnt_high[] = {
    {"VALUE", 0, 11, RW, 0, ALL, NULL, "count, bits 43:32"},
    {"OTHER", 12, 19, RW, 0, ALL, NULL, "stored"},
    {"EVENT_SELECT", 20, 27, RW, 0, ALL, NULL, "what is counted"},
    {"CLEAR", 28, 28, RW, 0, ALL, NULL, NULL},
    {"EDGE_DETECT", 29, 29, RW, 0, ALL, NULL, NULL},
    {"OVERFLOW_ENABLE", 30, 30, RW, 0, ALL, NULL, NULL},
    {"ENABLE", 31, 31, RW, 0, ALL, NULL, NULL}, {0}};

/* ---- registers ------------------------------------------------------------------------------- */

#define ONE {{0}}
#define LIST(letter, count) {{letter, count, 4}}
#define STORED(name, at, platforms, id, meaning, source) \
    {name, at, ONE, platforms, id, RW, 0, 0, NULL, meaning, source}
#define BREAKPOINT(name, at, word) \
    STORED(name, at, HSW_TO_GEN11, NOA_MICRO_BP + (word), "NOA breakpoints", "OA-1.3; name: the driver's header")

/* Reset values of RPM_CONFIG0 and CTC_MODE are those of the platform's TIMESTAMP (OA-1.6): 12
 * MHz of 24 MHz on SKL and ICL, 19.2 MHz of 38.4 MHz on LKF and TGL. */
static const struct reg registers[] = {
    STORED("RPM_CONFIG0", 0xd00, BDW_SKL, NOA_RPM_CONFIG, "power management", "PERF-5.2"),
    {"RPM_CONFIG0", 0xd00, ONE, ON(ICL), NOA_RPM_CONFIG, RW, 0, 0x00000004, rpm_config0, "power management, clocks", "OA-1.5"},
    {"RPM_CONFIG0", 0xd00, ONE, ON(LKF), NOA_RPM_CONFIG, RW, 0, 0x00000014, rpm_config0, "power management, clocks", "OA-1.5"},
    {"RPM_CONFIG0", 0xd00, ONE, GEN12, NOA_RPM_CONFIG, RW, 0, 0x00000014, rpm_config0, "power management, clocks", "PERF-2.3"},
    STORED("RPM_CONFIG1", 0xd04, BDW_SKL, NOA_RPM_CONFIG + 1, "power management", "PERF-5.2"),
    {"RPM_CONFIG1", 0xd04, ONE, GEN11_UP, NOA_RPM_CONFIG + 1, RW, 0, 0, rpm_config1, "power management, NOA enable", "OA-1.3"},
    STORED("RCP_CONFIG", 0xd08, BDW_SKL | GEN11, NOA_RPM_CONFIG + 2, "power management", "PERF-5.2"),
    {"NOA_CONFIG", 0xd0c, LIST("n", 9), BDW_SKL | GEN11_UP, NOA_CONFIG, RW, 0, 0, NULL, "NOA multiplexing", "OA-1.3"},
    STORED("R_PWR_CLK_STATE", 0x20c8, GEN8_UP, NOA_POWER_STATE, "slices and subslices asked for", "PERF-5.2"),
    /* On Gen11 20cch is the command streamer's steering (OA-4.5, OA-U19). */
    {"WAIT_FOR_RC6_EXIT", 0x20cc, ONE, BDW_SKL, NOA_WAIT_FOR_RC6_EXIT, RW, NOA_MASKED, 0, wait_for_rc6_exit, "masked writes", "PERF-5.2"},

    STORED("OA_PERFCNT1_LO", 0x91b8, HSW_TO_GEN11, NOA_PERFCNT, "counter of its own, 44 bits: bits 31:0", "OA-1.3"),
    {"OA_PERFCNT1_HI", 0x91bc, ONE, HSW_TO_GEN11, NOA_PERFCNT + 1, RW, 0, 0, perfcnt_high, "its bits 43:32, and control", "OA-1.3"},
    STORED("OA_PERFCNT2_LO", 0x91c0, HSW_TO_GEN11, NOA_PERFCNT + 2, "counter of its own, 44 bits: bits 31:0", "OA-1.3"),
    {"OA_PERFCNT2_HI", 0x91c4, ONE, HSW_TO_GEN11, NOA_PERFCNT + 3, RW, 0, 0, perfcnt_high, "its bits 43:32, and control", "OA-1.3"},
    STORED("OA_PERFMATRIX_LO", 0x91c8, HSW_TO_SKL, NOA_PERFCNT + 4, "selections of OA_PERFCNT", "OA-1.3, PERF-5.2"),
    STORED("OA_PERFMATRIX_HI", 0x91cc, HSW_TO_SKL, NOA_PERFCNT + 5, "selections of OA_PERFCNT", "OA-1.3, PERF-5.2"),
    STORED("OA_PERFCNT3_LO", 0x91c8, GEN11, NOA_PERFCNT + 6, "counter of its own, low", "OA-1.3, PERF-5.2"),
    STORED("OA_PERFCNT3_HI", 0x91cc, GEN11, NOA_PERFCNT + 7, "counter of its own, high", "OA-1.3, PERF-5.2"),
    STORED("OA_PERFCNT4_LO", 0x91d8, GEN11, NOA_PERFCNT + 8, "counter of its own, low", "OA-1.3, PERF-5.2"),
    STORED("OA_PERFCNT4_HI", 0x91dc, GEN11, NOA_PERFCNT + 9, "counter of its own, high", "OA-1.3, PERF-5.2"),

    {"SQCNT1", 0x8718, ONE, GEN12, NOA_SQCNT1, RW, 0, 0, sqcnt1, "counting in the super queue", "PERF-5.3"},
    {"UCGCTL1", 0x9400, ONE, ALL, NOA_UCGCTL1, RW, 0, 0, ucgctl1, "clock gating of units", "OA-1.5"},
    {"MISCCPCTL", 0x9424, ONE, GEN7_UP, NOA_MISCCPCTL, RW, 0, 0, misccpctl, "clock gating", "OA-1.5"},

    BREAKPOINT("MICRO_BP0_0", 0x9800, 0),
    BREAKPOINT("MICRO_BP0_2", 0x9804, 1),
    BREAKPOINT("MICRO_BP0_1", 0x9808, 2),
    BREAKPOINT("MICRO_BP1_0", 0x980c, 3),
    BREAKPOINT("MICRO_BP1_2", 0x9810, 4),
    BREAKPOINT("MICRO_BP1_1", 0x9814, 5),
    BREAKPOINT("MICRO_BP2_0", 0x9818, 6),
    BREAKPOINT("MICRO_BP2_2", 0x981c, 7),
    BREAKPOINT("MICRO_BP2_1", 0x9820, 8),
    BREAKPOINT("MICRO_BP3_0", 0x9824, 9),
    BREAKPOINT("MICRO_BP3_2", 0x9828, 10),
    BREAKPOINT("MICRO_BP3_1", 0x982c, 11),
    BREAKPOINT("MICRO_BP_TRIGGER", 0x9830, 12),
    BREAKPOINT("MICRO_BP3_COUNT_STATUS01", 0x9834, 13),
    BREAKPOINT("MICRO_BP3_COUNT_STATUS23", 0x9838, 14),
    BREAKPOINT("MICRO_BP_FIRED_ARMED", 0x983c, 15),
    {"GDT_CHICKEN_BITS", 0x9840, ONE, HSW_UP, NOA_GDT_CHICKEN_BITS, RW, 0, 0, gdt_chicken_bits, "NOA enable", "OA-1.3"},
    {"NOA_DATA", 0x986c, ONE, GEN8_UP, NOA_DATA, RO, 0, 0, NULL, "answers of the NOA network: none here", "PERF-5.2"},
    {"NOA_WRITE_HIGH", 0x9884, ONE, GEN11_UP, NOA_WRITE_HIGH, WO, NOA_PORT, 0, NULL, "NOA multiplexing: port, upper part of a command", "OA-1.3"},
    {"NOA_WRITE", 0x9888, ONE, HSW_UP, NOA_WRITE, WO, NOA_PORT, 0, NULL, "NOA multiplexing: port, each write is a command", "OA-1.3, PERF-5.1"},
    {"MBVID2_NOA", 0x9e80, LIST("n", 10), ON(HSW), NOA_MBVID2, RW, 0, 0, NULL, "NOA multiplexing", "OA-1.3; name: the driver's header"},
    STORED("MBVID2_MISR0", 0x9ec0, ON(HSW), NOA_MBVID2 + 10, "NOA multiplexing", "OA-1.3; name: the driver's header"),

    {"RPSTAT1", 0xa01c, ONE, ALL & ~SKL_UP, NOA_RPSTAT1, RO, 0, 0, rpstat1_of_fifties, "present clock", "OA-1.5"},
    {"RPSTAT1", 0xa01c, ONE, SKL_UP, NOA_RPSTAT1, RO, 0, 0, rpstat1_of_thirds, "present clock", "OA-1.5"},
    {"RC_CONTROL", 0xa090, ONE, ALL, NOA_RC_CONTROL, RW, 0, 0, rc_control, "RC6", "OA-1.5"},
    STORED("RC_STATE", 0xa094, ALL, NOA_RC_STATE, "RC6", "OA-1.5"),
    {"CTC_MODE", 0xa26c, ONE, ON(SKL), NOA_CTC_MODE, RW, 0, 0x00000004, ctc_mode, "clock of TIMESTAMP", "OA-1.5"},
    {"OA_TLB_INV_CR", 0xceec, ONE, GEN12, NOA_TLB_INVALIDATE, RW, NOA_CLEARS, 0, tlb_invalidate, "OA's address translations", "PERF-5.3, PERF-Q14"},
    {"HALF_SLICE_CHICKEN2", 0xe180, ONE, HSW_TO_GEN11, NOA_HALF_SLICE_CHICKEN2, RW, NOA_MASKED, 0, half_slice_chicken2, "masked writes", "OA-1.3, PERF-5.2"},
    {"NOA_MUX", 0x25100, LIST("n", NOA_MUX_WORDS), ON(HSW), NOA_MUX, RW, 0, 0, NULL, "NOA multiplexing", "OA-1.3"},
    {"NOA_MUX", 0x182300, LIST("n", 42), ON(CHV), NOA_MUX, RW, 0, 0, NULL, "NOA multiplexing", "OA-1.3"},
};

// clang-format on

const struct reg_map noa_map = {
    .name = "noa",
    .document = "docs/reference/intel-oa-hardware.md",
    .base = 0,
    .size = 0x182400,
    .regs = registers,
    .count = ARRAY_COUNT(registers),
};

/* ---- storage --------------------------------------------------------------------------------- */

static bool find(const struct noa *noa, uint32_t address, enum reg_access access,
                 struct reg_place *place)
{
    return reg_find(&noa_map, INTEL_BIT(noa->platform), UINT_MAX, address, access, place);
}

void noa_init(struct noa *noa, enum intel_model platform)
{
    memset(noa, 0, sizeof *noa);
    noa->platform = (uint8_t)platform;
    for (size_t i = 0; i < noa_map.count; i++)
        if ((registers[i].revisions & INTEL_BIT(platform)) && registers[i].id < NOA_STORED)
            noa->regs[registers[i].id] = registers[i].reset;
}

/* ---- clocks and power ------------------------------------------------------------------------ */

/* The crystal and shift that give a frequency: CRYSTAL and CTC_SHIFT of RPM_CONFIG0. 38.4 MHz goes
 * first: 19.2 MHz is half of it (OA-U22). 0: none does. */
static uint32_t crystal_and_shift(uint32_t timestamp_hz)
{
    static const uint32_t crystals_hz[] = {24000000, 19200000, 38400000, 25000000};
    static const uint8_t order[] = {2, 0, 1, 3};
    for (unsigned i = 0; i < ARRAY_COUNT(order); i++)
        for (unsigned shift = 0; shift < 4; shift++)
            if (crystals_hz[order[i]] >> (3 - shift) == timestamp_hz)
                return (uint32_t)order[i] << 3 | shift << 1;
    return 0;
}

static uint32_t shift_of_24mhz(uint32_t timestamp_hz)
{
    for (unsigned shift = 0; shift < 4; shift++)
        if (24000000u >> (3 - shift) == timestamp_hz)
            return shift << 1;
    return 0;
}

void noa_set_clocks(struct noa *noa, uint32_t clock_hz, uint32_t timestamp_hz)
{
    uint32_t platform = INTEL_BIT(noa->platform);
    uint32_t fifties = (uint32_t)(((uint64_t)clock_hz + 25000000) / 50000000);
    noa->regs[NOA_RPSTAT1] =
        platform & SKL_UP ? (intel_clock_ratio(clock_hz) & 0x1ff) << 23 : (fifties & 0x7f) << 7;
    if (platform & GEN11_UP)
        noa->regs[NOA_RPM_CONFIG] = crystal_and_shift(timestamp_hz);
    if (platform & ON(SKL))
        noa->regs[NOA_CTC_MODE] = shift_of_24mhz(timestamp_hz);
}

bool noa_allows_rc6(const struct noa *noa)
{
    return !(noa->regs[NOA_RC_CONTROL] >> 31) || noa->regs[NOA_RC_STATE];
}

void noa_reset(struct noa *noa)
{
    noa_init(noa, (enum intel_model)noa->platform);
}

bool noa_owns(const struct noa *noa, uint32_t address)
{
    struct reg_place place;
    return find(noa, address, REG_READ, &place);
}

bool noa_read(const struct noa *noa, uint32_t address, uint32_t *out)
{
    struct reg_place place;
    if (!find(noa, address, REG_READ, &place))
        return false;
    if (!(place.reg->access & REG_READ))
        *out = 0;
    else if (place.reg->id == NOA_MUX)
        *out = noa->mux[place.index[0]];
    else
        *out = noa->regs[place.reg->id + place.index[0]];
    return true;
}

uint32_t noa_read32(const struct noa *noa, uint32_t address)
{
    uint32_t value = 0;
    noa_read(noa, address, &value);
    return value;
}

bool noa_write32(struct noa *noa, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(noa, address, REG_WRITE, &place))
        return false;
    if (!(place.reg->access & REG_WRITE))
        return true;
    if (place.reg->flags & NOA_PORT) {
        struct noa_port *port = &noa->ports[place.reg->id - NOA_WRITE];
        port->writes++;
        port->last = value;
        return true;
    }
    uint32_t *word = place.reg->id == NOA_MUX ? &noa->mux[place.index[0]]
                                              : &noa->regs[place.reg->id + place.index[0]];
    if (place.reg->flags & NOA_MASKED)
        value = (*word & ~(value >> 16)) | (value & value >> 16);
    if (place.reg->flags & NOA_CLEARS)
        value &= ~1u;
    *word = value;
    return true;
}

void noa_set32(struct noa *noa, uint32_t address, uint32_t value)
{
    struct reg_place place;
    if (!find(noa, address, REG_READ, &place) || (place.reg->flags & NOA_PORT))
        return;
    if (place.reg->id == NOA_MUX)
        noa->mux[place.index[0]] = value;
    else
        noa->regs[place.reg->id + place.index[0]] = value;
}
