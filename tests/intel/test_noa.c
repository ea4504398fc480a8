/* SPDX-License-Identifier: MIT */
/* The NOA registers: their table (OA-1.3, OA-1.5; PERF-3.4, PERF-5), and
 * the values that they store. */
#include "intel/metric_rig.h"

#include <limits.h>

#include "intel/cs/streamer.h"
#include "intel/parts.h"

#define BIT(model) INTEL_BIT(INTEL_##model)
#define GEN11      (BIT(ICL) | BIT(LKF))
#define GEN12      BIT(TGL)
#define GEN11_UP   (GEN11 | GEN12)
#define BDW_SKL_UP (BIT(BDW) | BIT(SKL) | GEN11_UP)
#define GEN8_UP    (BDW_SKL_UP | BIT(CHV))
#define HSW_UP     (BIT(HSW) | GEN8_UP)
#define HSW_TO_SKL (HSW_UP & ~GEN11_UP)
#define TO_GEN11   (HSW_UP & ~GEN12)
#define EVERY      (BIT(SNB) | BIT(IVB) | BIT(VLV) | HSW_UP)

static struct noa noa, before; /* 44 KiB each */

/* ---- walking --------------------------------------------------------------------------------- */

/* Every element of a row of one dimension. */
static unsigned elements(const struct reg *reg)
{
    return reg->dimensions[0].count ? reg->dimensions[0].count : 1;
}

static uint32_t element_address(const struct reg *reg, unsigned n)
{
    return noa_map.base + reg->offset + n * (elements(reg) > 1 ? reg->dimensions[0].stride : 0);
}

/* Calls a function for every NOA register of a platform. Returns their number. */
static unsigned walk(enum intel_revision platform,
                     void (*visit)(enum intel_revision platform, const struct reg *reg, unsigned n,
                                   uint32_t address))
{
    unsigned count = 0;
    for (size_t i = 0; i < noa_map.count; i++) {
        const struct reg *reg = &noa_map.regs[i];
        for (unsigned n = 0; (reg->revisions & INTEL_BIT(platform)) && n < elements(reg); n++) {
            visit(platform, reg, n, element_address(reg, n));
            count++;
        }
    }
    return count;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void check_row(const struct reg *reg)
{
    uint32_t taken = 0;
    ROW(__LINE__, reg->offset % 4 == 0 && reg->offset < noa_map.size, "%s", reg->name);
    ROW(__LINE__, *reg->name && *reg->meaning && *reg->source, "%06" PRIx32, reg->offset);
    ROW(__LINE__, reg->revisions && !(reg->revisions & ~EVERY), "%s", reg->name);
    ROW(__LINE__, !reg->dimensions[1].count, "%s: two dimensions", reg->name);
    ROW(__LINE__, reg->id >= NOA_STORED || reg->id + elements(reg) <= NOA_STORED, "%s", reg->name);
    ROW(__LINE__, reg->id != NOA_MUX || elements(reg) <= NOA_MUX_WORDS, "%s", reg->name);
    ROW(__LINE__, !(reg->flags & NOA_PORT) == (reg->id != NOA_WRITE && reg->id != NOA_WRITE_HIGH),
        "%s", reg->name);
    ROW(__LINE__, !(reg->flags & NOA_PORT) || reg->access == REG_WRITE, "%s", reg->name);
    for (const struct reg_field *field = reg->fields; field && field->name; field++) {
        if (!reg_field_exists(field, reg->revisions, UINT_MAX))
            continue;
        uint32_t bits = (uint32_t)(ones(field->high + 1u) & ~ones(field->low));
        bool elsewhere = !(field->revisions & reg->revisions & ~GEN11_UP); /* shares its bit */
        ROW(__LINE__, !(taken & bits) || elsewhere, "%s.%s overlaps", reg->name, field->name);
        taken |= bits;
    }
    ROW(__LINE__, !reg->fields || taken == UINT32_MAX, "%s: fields leave 0x%08" PRIx32, reg->name,
        ~taken);
    uint32_t kept = reg_storage(reg, reg->revisions, UINT_MAX);
    uint32_t expected = reg->access != REG_READ_WRITE ? 0
                        : reg->flags & NOA_MASKED     ? 0xffff
                                                      : UINT32_MAX;
    ROW(__LINE__, kept == expected, "%s keeps 0x%08" PRIx32, reg->name, kept);
    ROW(__LINE__, !(reg->reset & ~kept), "%s reset", reg->name);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < noa_map.count; i++)
        check_row(&noa_map.regs[i]);
    ROWS_DONE();
}

static struct streamer streamer;
static unsigned words[NOA_STORED]; /* of struct noa: number of registers that each stores */

/* Each address has this register only: no other row or part has it. */
static void check_alone(enum intel_revision platform, const struct reg *reg, unsigned n,
                        uint32_t address)
{
    static const struct streamer_callbacks callbacks = {0};
    struct reg_place place;
    uint32_t value;
    unsigned maps = 0;
    const struct reg_map *map;
    for (size_t i = 0; (map = intel_register_map(platform, i)); i++)
        maps += reg_find(map, INTEL_BIT(platform), UINT_MAX, address, REG_READ, &place);
    ROW(__LINE__, maps == 1, "%s %06" PRIx32 ": in %u tables", revision_name(platform), address,
        maps);
    for (size_t i = 0; i < noa_map.count; i++) {
        const struct reg *other = &noa_map.regs[i];
        bool there = (other->revisions & INTEL_BIT(platform)) && address >= other->offset &&
                     address < other->offset + 4 * elements(other);
        ROW(__LINE__, there == (other == reg), "%s %06" PRIx32 ": %s and %s",
            revision_name(platform), address, reg->name, other->name);
    }
    ROW(__LINE__, !streamer_read(&streamer, &callbacks, address, &value),
        "%06" PRIx32 " is the streamer's", address);
    ROW(__LINE__,
        intel_register_find(platform, address, REG_READ, &place) == &noa_map && place.reg == reg &&
            place.index[0] == n && reg_address(&noa_map, &place) == address,
        "%06" PRIx32 " %s[%u]", address, reg->name, n);
    if (reg->id < NOA_STORED)
        ROW(__LINE__, ++words[reg->id + n] == 1, "%s shares its word", reg->name);
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        enum intel_revision platform;
        unsigned registers;
    } rows[] = {
        /* UCGCTL1, UCGCTL3 up to HSW, RPSTAT1, RC_CONTROL, RC_STATE; MISCCPCTL from Gen7 on. */
        {__LINE__, INTEL_SNB, 5},
        {__LINE__, INTEL_IVB, 6},
        {__LINE__, INTEL_VLV, 6},
        /* 6 91xxh, 16 breakpoints, 9840h, 9888h, e180h; 11 MBVID2, 11173 at 25100h. */
        {__LINE__, INTEL_HSW, 6 + 25 + 11 + 11173},
        /* NOA_DATA, 20c8h, from Gen8 on; 12 at d00h and 20cch, which CHV does not have. */
        {__LINE__, INTEL_BDW, 5 + 25 + 2 + 13},
        {__LINE__, INTEL_CHV, 5 + 25 + 2 + 42},
        {__LINE__, INTEL_SKL, 5 + 25 + 2 + 13 + 2},
        /* 8 91xxh; 9884h; PG_ENABLE; no 20cch. */
        {__LINE__, INTEL_ICL, 5 + 25 + 2 + 2 + 12 + 2},
        {__LINE__, INTEL_LKF, 5 + 25 + 2 + 2 + 12 + 2},
        /* 9840h, 9884h, 9888h, NOA_DATA, 20c8h; 11 from d00h on; 8718h, a210h, ceech. */
        {__LINE__, INTEL_TGL, 5 + 3 + 2 + 11 + 3},
    };
    assert_int_equal(COUNT(rows), INTEL_REVISIONS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        memset(words, 0, sizeof words);
        assert_int_equal(
            streamer_init(&streamer, tally_platform_find(revision_name(rows[i].platform)), CS_RCS0),
            0);
        unsigned count = walk(rows[i].platform, check_alone);
        ROW(rows[i].line, count == rows[i].registers, "%s has %u", revision_name(rows[i].platform),
            count);
    }
    ROWS_DONE();
}

/* Names, and the platforms that have them, from the documents. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t address, platforms;
        const char *name;
    } rows[] = {
        {__LINE__, 0x0cfc, 0, ""},
        {__LINE__, 0x0d00, BDW_SKL_UP, "RPM_CONFIG0"},
        {__LINE__, 0x0d04, BDW_SKL_UP, "RPM_CONFIG1"},
        {__LINE__, 0x0d08, BDW_SKL_UP & ~GEN12, "RCP_CONFIG"},
        {__LINE__, 0x0d0c, BDW_SKL_UP, "NOA_CONFIG[0]"},
        {__LINE__, 0x0d24, BDW_SKL_UP, "NOA_CONFIG[6]"},
        {__LINE__, 0x0d2c, BDW_SKL_UP, "NOA_CONFIG[8]"},
        {__LINE__, 0x0d30, 0, ""},
        {__LINE__, 0x20c8, GEN8_UP, "R_PWR_CLK_STATE"},
        {__LINE__, 0x20cc, BIT(BDW) | BIT(SKL), "WAIT_FOR_RC6_EXIT"},
        {__LINE__, 0x20cc, GEN11_UP, "CS_STEERING"},
        {__LINE__, 0x8718, GEN12, "SQCNT1"},
        {__LINE__, 0x91b4, 0, ""},
        {__LINE__, 0x91b8, TO_GEN11, "OA_PERFCNT1_LO"},
        {__LINE__, 0x91c4, TO_GEN11, "OA_PERFCNT2_HI"},
        {__LINE__, 0x91c8, HSW_TO_SKL, "OA_PERFMATRIX_LO"},
        {__LINE__, 0x91c8, GEN11, "OA_PERFCNT3_LO"},
        {__LINE__, 0x91d0, 0, ""},
        {__LINE__, 0x91dc, GEN11, "OA_PERFCNT4_HI"},
        {__LINE__, 0x9400, EVERY, "UCGCTL1"},
        {__LINE__, 0x9424, EVERY & ~BIT(SNB), "MISCCPCTL"},
        {__LINE__, 0x9800, TO_GEN11, "MICRO_BP0_0"},
        {__LINE__, 0x9804, TO_GEN11, "MICRO_BP0_2"},
        {__LINE__, 0x9808, TO_GEN11, "MICRO_BP0_1"},
        {__LINE__, 0x982c, TO_GEN11, "MICRO_BP3_1"},
        {__LINE__, 0x983c, TO_GEN11, "MICRO_BP_FIRED_ARMED"},
        {__LINE__, 0x9840, HSW_UP, "GDT_CHICKEN_BITS"},
        {__LINE__, 0x9842, 0, ""},
        {__LINE__, 0x9844, 0, ""},
        {__LINE__, 0x986c, GEN8_UP, "NOA_DATA"},
        {__LINE__, 0x9884, GEN11_UP, "NOA_WRITE_HIGH"},
        {__LINE__, 0x9888, HSW_UP, "NOA_WRITE"},
        {__LINE__, 0x988c, 0, ""},
        {__LINE__, 0x9e80, BIT(HSW), "MBVID2_NOA[0]"},
        {__LINE__, 0x9ea4, BIT(HSW), "MBVID2_NOA[9]"},
        {__LINE__, 0x9ea8, 0, ""},
        {__LINE__, 0x9ec0, BIT(HSW), "MBVID2_MISR0"},
        {__LINE__, 0xa090, EVERY, "RC_CONTROL"},
        {__LINE__, 0xa094, EVERY, "RC_STATE"},
        {__LINE__, 0xa26c, BIT(SKL) | GEN11_UP, "CTC_MODE"},
        {__LINE__, 0xceec, GEN12, "OA_TLB_INV_CR"},
        {__LINE__, 0xe180, TO_GEN11, "HALF_SLICE_CHICKEN2"},
        {__LINE__, 0x250fc, 0, ""},
        {__LINE__, 0x25100, BIT(HSW), "NOA_MUX[0]"},
        {__LINE__, 0x2ff90, BIT(HSW), "NOA_MUX[11172]"},
        {__LINE__, 0x2ff94, 0, ""},
        {__LINE__, 0x182300, BIT(CHV), "NOA_MUX[0]"},
        {__LINE__, 0x1823a4, BIT(CHV), "NOA_MUX[41]"},
        {__LINE__, 0x1823a8, 0, ""},
        {__LINE__, 0x2714, TO_GEN11,
         "OASTARTTRIG2"}, /* from another table, found by the same search */
        {__LINE__, 0xd904, GEN12, "OAG_OASTARTTRIG2"},
        {__LINE__, 0xe4f0, GEN8_UP, "ROW_CHICKEN"}, /* writable by metric sets on DG2 only */
        {__LINE__, 0xa210, BIT(SKL) | GEN11_UP, "PG_ENABLE"},
        {__LINE__, 0x9408, BIT(SNB) | BIT(IVB) | BIT(VLV) | BIT(HSW), "UCGCTL3"},
        {__LINE__, 0xe65c, GEN8_UP, "EU_PERF_CNT_CTL6"},
        {__LINE__, 0xa278, BIT(SKL) | GEN11_UP, "FORCEWAKE_RENDER"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t platforms = 0;
        for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
            struct reg_place place;
            char name[64];
            if (!intel_register_find(platform, rows[i].address, REG_WRITE, &place))
                continue;
            if (!*rows[i].name ||
                !strcmp(reg_element_name(&place, name, sizeof name), rows[i].name))
                platforms |= INTEL_BIT(platform);
        }
        ROW(rows[i].line, platforms == rows[i].platforms, "%06" PRIx32 " %s: on 0x%03" PRIx32,
            rows[i].address, rows[i].name, platforms);
    }
    ROWS_DONE();
}

/* All addresses that the driver lets sets write (OA-3.4) exist, except those without a published
 * name. */
static void test_whitelist(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t platforms, first, last;
        bool named;
    } rows[] = {
        {__LINE__, TO_GEN11, 0x2710, 0x272c, true},
        {__LINE__, TO_GEN11, 0x2740, 0x275c, true},
        {__LINE__, TO_GEN11, 0x2770, 0x27ac, true},
        {__LINE__, TO_GEN11, 0x91b8, 0x91cc, true},
        {__LINE__, GEN11, 0x91d0, 0x91d4, false},
        {__LINE__, GEN11, 0x91d8, 0x91dc, true},
        {__LINE__, TO_GEN11, 0x9800, 0x9840, true},
        {__LINE__, TO_GEN11, 0x9844, 0x9868, false},
        {__LINE__, TO_GEN11, 0x9870, 0x9880, false},
        {__LINE__, HSW_TO_SKL, 0x9884, 0x9884, false},
        {__LINE__, GEN11, 0x9884, 0x9884, true},
        {__LINE__, TO_GEN11, 0x9888, 0x9888, true},
        {__LINE__, TO_GEN11, 0xe180, 0xe180, true},
        {__LINE__, BDW_SKL_UP & ~GEN12, 0x0d00, 0x0d2c, true},
        {__LINE__, BDW_SKL_UP, 0x20cc, 0x20cc, true},
        {__LINE__, BIT(CHV), 0x0d00, 0x0d2c, false},
        {__LINE__, BIT(CHV), 0x20cc, 0x20cc, false},
        {__LINE__, BIT(CHV), 0x182300, 0x1823a4, true},
        {__LINE__, BIT(HSW), 0x9e80, 0x9ea4, true},
        {__LINE__, BIT(HSW), 0x9ec0, 0x9ec0, true},
        {__LINE__, BIT(HSW), 0x25100, 0x2ff90, true},
        {__LINE__, GEN12, 0x2b2c, 0x2b2c, true},
        {__LINE__, GEN12, 0xd900, 0xd91c, true},
        {__LINE__, GEN12, 0xd920, 0xd93c, true},
        {__LINE__, GEN12, 0xd940, 0xd97c, true},
        {__LINE__, GEN12, 0xdc00, 0xdc44, true},
        {__LINE__, GEN12, 0x0d00, 0x0d04, true},
        {__LINE__, GEN12, 0x0d0c, 0x0d2c, true},
        {__LINE__, GEN12, 0x9840, 0x9840, true},
        {__LINE__, GEN12, 0x9884, 0x9888, true},
        {__LINE__, GEN12, 0x0d08, 0x0d08, false},
        {__LINE__, GEN12, 0x2710, 0x27ac, false},
        {__LINE__, GEN12, 0xdc48, 0xdc48, false}, /* XeHP on */
        {__LINE__, GEN12, 0xdb1c, 0xdb1c, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++)
            for (uint32_t at = rows[i].first;
                 (rows[i].platforms & INTEL_BIT(platform)) && at <= rows[i].last; at += 4) {
                struct reg_place place;
                bool there = intel_register_find(platform, at, REG_WRITE, &place) &&
                             (place.reg->access & REG_WRITE);
                ROW(rows[i].line, there == rows[i].named, "%s %06" PRIx32, revision_name(platform),
                    at);
            }
    ROWS_DONE();
}

/* ---- storage --------------------------------------------------------------------------------- */

static uint32_t some_value(enum intel_revision platform, uint32_t address)
{
    struct random rng = random_start((uint64_t)platform << 32 | address);
    return (uint32_t)random_next(&rng);
}

static void write_some(enum intel_revision platform, const struct reg *reg, unsigned n,
                       uint32_t address)
{
    (void)n;
    uint32_t value = some_value(platform, address);
    noa_write32(&noa, address, reg->flags & NOA_MASKED ? value | 0xffff0000 : value);
}

static void read_some(enum intel_revision platform, const struct reg *reg, unsigned n,
                      uint32_t address)
{
    (void)n;
    uint32_t expected = some_value(platform, address);
    if (reg->flags & NOA_MASKED)
        expected &= 0xffff;
    if (reg->flags & NOA_SELF_CLEARING) /* done at once */
        expected &= ~1u;
    if (reg->access != REG_READ_WRITE)
        expected = 0;
    ROW(__LINE__, noa_owns(&noa, address), "%06" PRIx32, address);
    ROW(__LINE__, noa_read32(&noa, address) == expected, "%s %06" PRIx32 " %s: 0x%08" PRIx32,
        revision_name(platform), address, reg->name, noa_read32(&noa, address));
}

static void read_reset(enum intel_revision platform, const struct reg *reg, unsigned n,
                       uint32_t address)
{
    (void)n;
    ROW(__LINE__, noa_read32(&noa, address) == reg->reset, "%s %06" PRIx32 " %s: 0x%08" PRIx32,
        revision_name(platform), address, reg->name, noa_read32(&noa, address));
}

/* Registers are independent: all are written, then all are read. */
static void test_storage(void **state)
{
    (void)state;
    for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
        noa_init(&noa, platform);
        walk(platform, read_reset);
        memcpy(&before, &noa, sizeof noa);
        walk(platform, write_some);
        walk(platform, read_some);
        noa_reset(&noa);
        assert_memory_equal(&noa, &before, sizeof noa);
    }
    ROWS_DONE();
}

/* Writes to addresses below 200000h that are not in the table change nothing. */
static void test_elsewhere(void **state)
{
    (void)state;
    for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
        noa_init(&noa, platform);
        memcpy(&before, &noa, sizeof noa);
        unsigned owned = 0;
        for (uint32_t at = 0; at < 0x200000; at += 4) {
            if (noa_owns(&noa, at)) {
                owned++;
                continue;
            }
            noa_write32(&noa, at, 0xffffffff);
            ROW(__LINE__, noa_read32(&noa, at) == 0, "%06" PRIx32, at);
        }
        noa_write32(&noa, 0x9841, 0xffffffff); /* unaligned */
        noa_write32(&noa, 0x986c, 0xffffffff); /* read-only */
        assert_memory_equal(&noa, &before, sizeof noa);
        ROW(__LINE__, owned == walk(platform, read_reset), "%u", owned);
    }
    ROWS_DONE();
}

static void test_ports(void **state)
{
    (void)state;
    const struct noa_port *port = &noa.ports[0], *high = &noa.ports[NOA_WRITE_HIGH - NOA_WRITE];
    noa_init(&noa, INTEL_ICL);
    noa_write32(&noa, 0x9884, 3);
    for (uint32_t i = 1; i <= 1000; i++)
        noa_write32(&noa, 0x9888, i * 0x01010101u);
    assert_int_equal(port->writes, 1000);
    assert_int_equal(port->last, 1000 * 0x01010101u);
    assert_int_equal(high->writes, 1);
    assert_int_equal(high->last, 3);
    assert_int_equal(noa_read32(&noa, 0x9888), 0);
    assert_int_equal(noa_read32(&noa, 0x9884), 0);
    noa_reset(&noa);
    assert_int_equal(port->writes + high->writes + port->last + high->last, 0);
    noa_init(&noa, INTEL_SKL);
    noa_write32(&noa, 0x9884, 3); /* Gen10 on */
    assert_int_equal(high->writes, 0);
}

static void test_masked(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t value, expected;
    } rows[] = {
        {__LINE__, 0x0000ffff, 0x0000}, {__LINE__, 0x00080008, 0x0008},
        {__LINE__, 0x80008000, 0x8008}, {__LINE__, 0x00080000, 0x8000},
        {__LINE__, 0xffff2001, 0x2001}, {__LINE__, 0x20010000, 0x0000},
    };
    static const uint32_t addresses[] = {0xe180, 0x20cc};
    noa_init(&noa, INTEL_BDW);
    for (size_t a = 0; a < COUNT(addresses); a++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            noa_write32(&noa, addresses[a], rows[i].value);
            ROW(rows[i].line, noa_read32(&noa, addresses[a]) == rows[i].expected,
                "%06" PRIx32 ": 0x%08" PRIx32, addresses[a], noa_read32(&noa, addresses[a]));
        }
    ROWS_DONE();
}

/* OA-1.3: GDT_CHICKEN_BITS bit 7; from Gen10 on RPM_CONFIG1 bit 9. */
static void test_enable(void **state)
{
    (void)state;
    for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
        bool known = HSW_UP >> platform & 1, gen11 = GEN11_UP >> platform & 1;
        noa_init(&noa, platform);
        ROW(__LINE__, noa_is_on(&noa) == !known, "%s", revision_name(platform));
        noa_write32(&noa, 0x9840, 0x80);
        ROW(__LINE__, noa_is_on(&noa) == !gen11, "%s", revision_name(platform));
        noa_write32(&noa, 0x9840, ~0x80u);
        ROW(__LINE__, noa_is_on(&noa) == !known, "%s", revision_name(platform));
        noa_write32(&noa, 0x0d04, 0x200);
        ROW(__LINE__, noa_is_on(&noa) == (!known || gen11), "%s", revision_name(platform));
        noa_write32(&noa, 0x0d04, ~0x200u);
        ROW(__LINE__, noa_is_on(&noa) == !known, "%s", revision_name(platform));
    }
    ROWS_DONE();
}

/* The frequency that a driver computes from CTC_MODE or RPM_CONFIG0 (OA-1.5); 0 without either. */
static uint64_t timestamp_hz(enum intel_revision platform)
{
    static const uint64_t crystals[] = {24000000, 19200000, 38400000, 25000000};
    bool gen9 = platform == INTEL_SKL, gen11 = GEN11_UP >> platform & 1;
    uint32_t value = noa_read32(&noa, gen9 ? 0xa26c : 0x0d00);
    if (gen9 && value & 1)
        return 0;
    return gen9 || gen11 ? crystals[gen9 ? 0 : value >> 3 & 7] >> (3 - (value >> 1 & 3)) : 0;
}

static void test_clocks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t clock_hz, timestamp_hz, gen6_ratio, gen9_ratio;
    } rows[] = {
        {__LINE__, 350000000, 12000000, 7, 21},   {__LINE__, 950000000, 19200000, 19, 57},
        {__LINE__, 1100000000, 12000000, 22, 66}, {__LINE__, 316666667, 19200000, 6, 19},
        {__LINE__, 1150000000, 38400000, 23, 69}, {__LINE__, 0, 6000000, 0, 0},
        {__LINE__, 1000000000, 24000000, 20, 60},
    };
    for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
        const char *name = revision_name(platform);
        uint32_t at_reset =
            tally_platform_find(name) ? (uint32_t)tally_platform_find(name)->timestamp_hz : 0;
        bool skl_up = platform == INTEL_SKL || (GEN11_UP >> platform & 1);
        noa_init(&noa, platform);
        ROW(__LINE__, !skl_up || timestamp_hz(platform) == at_reset, "%s: 0x%" PRIx32, name,
            at_reset);
        for (size_t i = 0; i < COUNT(rows); i++) {
            bool crystal = platform == INTEL_SKL && 24000000 % rows[i].timestamp_hz;
            noa_set_clocks(&noa, rows[i].clock_hz, rows[i].timestamp_hz);
            uint32_t status = noa_read32(&noa, 0xa01c);
            unsigned low = platform == INTEL_SNB || platform == INTEL_IVB ? 8 : 7;
            ROW(rows[i].line,
                status == (skl_up ? rows[i].gen9_ratio << 23 : rows[i].gen6_ratio << low),
                "%s: 0x%08" PRIx32, name, status);
            ROW(rows[i].line, !skl_up || crystal || timestamp_hz(platform) == rows[i].timestamp_hz,
                "%s: %" PRIu64, name, timestamp_hz(platform));
            noa_write32(&noa, 0xa01c, ~status); /* read-only */
            ROW(rows[i].line, noa_read32(&noa, 0xa01c) == status, "%s", name);
        }
        noa_set_clocks(&noa, 350000000, 12345678); /* of no crystal */
        ROW(__LINE__, !noa_read32(&noa, platform == INTEL_SKL ? 0xa26c : 0xd00), "%s", name);
    }
    ROWS_DONE();
}

/* RC6 is off only while bit 31 of RC_CONTROL is 1 and RC_STATE is 0 (OA-1.5). */
static void test_rc6(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t control, rc_state;
        bool allowed;
    } rows[] = {
        {__LINE__, 0, 0, true},
        {__LINE__, 0x80000000, 0, false},
        {__LINE__, 0x80000000, 1, true},
        {__LINE__, 0x7fffffff, 0, true},
        {__LINE__, 0xffffffff, 0x40000, true},
        {__LINE__, 0xffffffff, 0, false},
    };
    for (enum intel_revision platform = 0; platform < INTEL_REVISIONS; platform++) {
        noa_init(&noa, platform);
        for (size_t i = 0; i < COUNT(rows); i++) {
            noa_write32(&noa, 0xa090, rows[i].control);
            noa_write32(&noa, 0xa094, rows[i].rc_state);
            ROW(rows[i].line, noa_allows_rc6(&noa) == rows[i].allowed, "%s",
                revision_name(platform));
        }
        noa_reset(&noa);
        ROW(__LINE__, noa_allows_rc6(&noa), "%s", revision_name(platform));
    }
    ROWS_DONE();
}

/* The hardware sets read-only registers, but not ports. */
static void test_own_side(void **state)
{
    (void)state;
    noa_init(&noa, INTEL_CHV);
    memcpy(&before, &noa, sizeof noa);
    noa_set32(&noa, 0x9888, 1);
    noa_set32(&noa, 0x9884, 1);  /* Gen10 on */
    noa_set32(&noa, 0x25100, 1); /* HSW */
    assert_memory_equal(&noa, &before, sizeof noa);
    noa_set32(&noa, 0x986c, 0x12345678);
    noa_set32(&noa, 0x1823a4, 0x9abcdef0);
    noa_set32(&noa, 0xe180, 0xffff0001); /* stored without masking */
    assert_int_equal(noa_read32(&noa, 0x986c), 0x12345678);
    assert_int_equal(noa_read32(&noa, 0x1823a4), 0x9abcdef0);
    assert_int_equal(noa_read32(&noa, 0xe180), 0xffff0001);
}

int test_noa(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_names),   cmocka_unit_test(test_whitelist),
        cmocka_unit_test(test_storage), cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_ports),   cmocka_unit_test(test_masked),
        cmocka_unit_test(test_enable),  cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_rc6),     cmocka_unit_test(test_own_side),
    };
    return cmocka_run_group_tests_name("noa", tests, NULL, NULL);
}
