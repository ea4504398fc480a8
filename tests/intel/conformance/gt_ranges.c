/* SPDX-License-Identifier: MIT */
/* Every row of the "Force Wake and Steering Table" of the Lakefield PRM, awake and asleep. */
#include "intel/conformance/lakefield.h"

#include "intel/gt/routing.h"
#include "intel/parts.h"

static struct gt_routing routing; /* 32 KiB */

/* The domains that wake a row's range (OA-4.4: also VEBOX0 for its ranges printed under MEDIA0). */
static bool wakes(const struct lkf_range *row, unsigned domain)
{
    switch (row->wake) {
    case W_GTI:
        return domain == GT_DOMAIN_GT;
    case W_RENDER:
        return domain == GT_DOMAIN_RENDER;
    case W_MEDIA0:
        return domain == GT_DOMAIN_VDBOX0 ||
               (domain == GT_DOMAIN_VEBOX0 && !strcmp(row->section, "gtyvebox0"));
    case W_MEDIA2:
        return domain == GT_DOMAIN_VDBOX0 + 2;
    default: /* TSG1, printed without a target, belongs to render (OA-4.4) */
        return domain == GT_DOMAIN_RENDER && row->first == 0x5400;
    }
}

static bool is_reserved(const struct lkf_range *row)
{
    return row->wake == W_NONE && row->first != 0x5400;
}

/* Accesses the row's first register and its last byte with these domains awake. */
static bool goes(struct conformance_fault *fault, const struct lkf_range *row,
                 const struct gt_forcewake *wake, bool write, enum gt_outcome outcome)
{
    for (int i = 0; i < 2; i++) {
        uint32_t at = i ? row->last : row->first;
        struct gt_route route =
            (write ? gt_routing_write : gt_routing_read)(&routing, wake, GT_AGENT_HOST, at);
        HOLDS(route.outcome == outcome, "%s of %06" PRIx32 " (%s): %s, expected %s",
              write ? "write" : "read", at, row->unit, gt_outcome_name(route.outcome),
              gt_outcome_name(outcome));
    }
    return true;
}

static bool all_rows(struct conformance_fault *fault)
{
    static const uint8_t wake[] = {GT_WAKE_NONE,   GT_WAKE_AON,    GT_WAKE_GTI,
                                   GT_WAKE_RENDER, GT_WAKE_MEDIA0, GT_WAKE_MEDIA2};
    static const uint8_t group[] = {GT_GROUP_NONE, GT_GROUP_SLICE, GT_GROUP_SUBSLICE,
                                    GT_GROUP_L3BANK};
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        const struct gt_range *range = gt_range_find(row->first);
        HOLDS(range, "%06" PRIx32 " is in no range", row->first);
        HOLDS(range->first == row->first && range->last == row->last, "%06" PRIx32, row->first);
        HOLDS(!strcmp(range->section, row->section) && !strcmp(range->unit, row->unit),
              "%06" PRIx32 " is %s of %s", row->first, range->unit, range->section);
        HOLDS(row->first == 0x5400 || range->wake == wake[row->wake], "%06" PRIx32, row->first);
        HOLDS(range->group == group[row->group] && range->count == row->count, "%06" PRIx32,
              row->first);
    }
    HOLDS(gt_range_count == LKF_RANGES, "%zu ranges", gt_range_count);
    return true;
}

static bool bytes_of_rows(struct conformance_fault *fault)
{
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        const struct gt_range *range = gt_range_find(row->last);
        uint32_t bytes = 0;
        while (bytes <= 0x40000 && gt_range_find(row->first + bytes) == range)
            bytes++;
        HOLDS(bytes == row->bytes, "%06" PRIx32 " has %" PRIu32 " bytes", row->first, bytes);
        HOLDS(gt_range_find(row->first - 1) != range, "%06" PRIx32 " begins earlier", row->first);
    }
    return true;
}

static bool outside_the_table(struct conformance_fault *fault)
{
    static const uint32_t outside[][2] = {{0xc000, 0xc7ff},
                                          {0x40000, 0x13ffff},
                                          {0x150000, 0x177fff},
                                          {0x179000, 0x1bffff},
                                          {0x240000, 0x3fffff}};
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < COUNT(outside); i++)
        for (uint32_t at = outside[i][0]; at < outside[i][1]; at += 0x40) {
            HOLDS(!gt_range_find(at) && !gt_range_find(at + 0x3f), "%06" PRIx32, at);
            HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, at).outcome == GT_ELSEWHERE,
                  "%06" PRIx32, at);
        }
    return true;
}

/* Accesses each row with one domain awake at a time. */
static bool wake_targets(struct conformance_fault *fault)
{
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        for (unsigned domain = 0; domain < GT_DOMAINS && !is_reserved(row); domain++) {
            struct gt_forcewake wake;
            gt_routing_init(&routing, 8);
            gt_forcewake_init(&wake, INTEL_LKF, 0);
            gt_forcewake_hold(&wake, (enum gt_domain)domain, true);
            bool reached = row->wake == W_AON || wakes(row, domain);
            if (!goes(fault, row, &wake, false, reached ? GT_REACHED : GT_ASLEEP) ||
                !goes(fault, row, &wake, true, reached ? GT_REACHED : GT_ASLEEP))
                return false;
        }
    }
    return true;
}

static bool all_asleep(struct conformance_fault *fault)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        enum gt_outcome outcome = is_reserved(row)     ? GT_UNIMPLEMENTED
                                  : row->wake == W_AON ? GT_REACHED
                                                       : GT_ASLEEP;
        if (!goes(fault, row, &wake, false, outcome) || !goes(fault, row, &wake, true, outcome))
            return false;
    }
    return true;
}

static bool reserved_rows(struct conformance_fault *fault)
{
    unsigned count = 0;
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    wake.present = UINT32_MAX;
    routing.vdbox_disable = routing.vebox_disable = 0;
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    for (size_t i = 0; i < LKF_RANGES; i++) {
        if (!is_reserved(&lkf_ranges[i]))
            continue;
        if (!goes(fault, &lkf_ranges[i], &wake, false, GT_UNIMPLEMENTED) ||
            !goes(fault, &lkf_ranges[i], &wake, true, GT_UNIMPLEMENTED))
            return false;
        count++;
    }
    /* 83 rows are printed without a wake target; one of them is TSG1. */
    HOLDS(count == 82, "%u reserved rows", count);
    return true;
}

/* The instances that writes and reads reach, for every steering, in every row. */
static bool replication(struct conformance_fault *fault)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        for (unsigned id = 0; id < 16 && !is_reserved(row); id++) { /* subslice id 0 to 7, x 2 */
            uint32_t multicast = id & 8 ? 0x80000000 : 0, all, one;
            gt_routing_write32(&routing, 0xfdc, multicast | (id & 7u) << 24);
            switch (row->group) {
            case G_SLICE: /* "All actual products are 1 slice" */
                all = one = 1;
                break;
            case G_SUBSLICE: /* "8 subslices", "Uses subsliceid field" */
            case G_L3BANK:   /* "8 instances", "subsliceid 0..7 to access" */
                all = 0xff;
                one = 1u << (id & 7);
                break;
            default:
                all = one = 1;
            }
            struct gt_route write = gt_routing_write(&routing, &wake, GT_AGENT_HOST, row->first);
            struct gt_route read = gt_routing_read(&routing, &wake, GT_AGENT_HOST, row->first);
            HOLDS(write.instances == (multicast ? all : one),
                  "writes of %06" PRIx32 " reach %" PRIx32, row->first, write.instances);
            HOLDS(read.instances == one && 1u << read.instance == one,
                  "reads of %06" PRIx32 " are of %u", row->first, read.instance);
        }
    }
    return true;
}

static bool always_on(struct conformance_fault *fault)
{
    static const uint32_t starts[] = {0xb00, 0xc00, 0xe00, 0x1000, 0x8800, 0x9560, 0x24000};
    unsigned found = 0;
    for (size_t i = 0; i < LKF_RANGES; i++)
        for (size_t k = 0; k < COUNT(starts); k++)
            found += lkf_ranges[i].first == starts[k] && lkf_ranges[i].wake == W_AON;
    HOLDS(found == COUNT(starts), "%u rows", found);
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    for (size_t k = 0; k < COUNT(starts); k++)
        HOLDS(gt_routing_write(&routing, &wake, GT_AGENT_HOST, starts[k]).outcome == GT_REACHED,
              "%06" PRIx32, starts[k]);
    return true;
}

static bool tsg1(struct conformance_fault *fault)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x5480).outcome == GT_ASLEEP, "asleep");
    gt_forcewake_write32(&wake, 0xa278, 0x00010001);
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x5480).outcome == GT_REACHED, "awake");
    return true;
}

static bool vebox0(struct conformance_fault *fault)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_routing_init(&routing, 8);
    gt_forcewake_write32(&wake, 0xa560, 0x00010001); /* VEBOX0 */
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1c8000).outcome == GT_REACHED,
          "by VEBOX0");
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1c0000).outcome == GT_ASLEEP, "VDBOX0");
    gt_forcewake_write32(&wake, 0xa560, 0x00010000);
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1c8000).outcome == GT_ASLEEP,
          "released");
    gt_forcewake_write32(&wake, 0xa540, 0x00010001); /* VDBOX0 */
    HOLDS(gt_routing_read(&routing, &wake, GT_AGENT_HOST, 0x1cbf00).outcome == GT_REACHED,
          "by VDBOX0");
    return true;
}

/* VIN, VDCFGCP and VECFGCP are all described as "Media Units (VIN unit)". */
static bool media_names(struct conformance_fault *fault)
{
    static const struct {
        uint32_t at;
        const char *unit;
    } rows[] = {{0x1c0800, "VIN"}, {0x1c3f00, "VDCFGCP"}, {0x1cbf00, "VECFGCP"},
                {0x1d0800, "VIN"}, {0x1d3f00, "VDCFGCP"}, {0x1c4800, "VIN (Rsvd.)"},
                {0x1c2000, "HUC"}, {0x008500, "MBC"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gt_range *range = gt_range_find(rows[i].at);
        HOLDS(range && !strcmp(range->unit, rows[i].unit), "%06" PRIx32, rows[i].at);
    }
    return true;
}

/* Rows that are printed with the section of another engine. */
static bool misprinted_sections(struct conformance_fault *fault)
{
    static const struct {
        uint32_t at;
        const char *section;
    } rows[] = {{0x1e2000, "gtyvdbox4"}, {0x1e8000, "gtyvebox2"}, {0x1cbf00, "gtyvebox0"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gt_range *range = gt_range_find(rows[i].at);
        HOLDS(range && !strcmp(range->section, rows[i].section), "%06" PRIx32, rows[i].at);
    }
    const struct gt_range *range = gt_range_find(0x1f6c00);
    HOLDS(range && !strcmp(range->unit, "reserved"), "1f6c00");
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gt_ranges.c"
#define TABLE     "Force Wake and Steering Table"

/* clang-format off */
const struct conformance_case gt_range_cases[] = {
    CHECKED("004-RANGE-01", TABLE, "All 170 rows have the listed address, section, unit, wake target, replication group and instance count", "lkf", all_rows),
    CHECKED("004-RANGE-02", TABLE, "Each of the 170 ranges has the listed number of bytes", "lkf", bytes_of_rows),
    CHECKED("004-RANGE-03", TABLE, "Addresses that the table omits do not belong to the GT: C000h-C7FFh, 40000h-1BFFFFh and those from 240000h on (\"defined elsewhere\")", "lkf", outside_the_table),
    CHECKED("004-RANGE-04", TABLE, "Wake Target is the one domain that must be awake for an access to the range", "lkf", wake_targets),
    CHECKED("004-RANGE-05", TABLE, "While a domain is powered down, accesses to its ranges end gracefully: reads return 0, writes are dropped", "lkf", all_asleep),
    CHECKED("004-RANGE-06", TABLE, "INF and COH ranges are outside the C6 boundary and need no force wake", "lkf", always_on),
    CHECKED("004-RANGE-07", TABLE, "Reserved ranges are empty, whichever domain is awake: reads return 0, writes are ignored", "lkf", reserved_rows),
    CHECKED("004-RANGE-08", TABLE, "\"Replicated / Multicast?\" selects the instances of each range that a write and a read reach, for every steering", "lkf", replication),
    CHECKED("004-RANGE-09", TABLE, "TSG1 at 5400h, printed without a wake target, needs RENDER, like its neighbours (OA-4.4)", "lkf", tsg1),
    CHECKED("004-RANGE-10", TABLE, "VEBOX0's ranges, printed under MEDIA0, are woken by MEDIA0 and by VEBOX0's own request (OA-4.4)", "lkf", vebox0),
    CHECKED("004-RANGE-11", TABLE, "VIN, VDCFGCP and VECFGCP, described as one unit, are three units as their names state (OA-E27)", "lkf", media_names),
    CHECKED("004-RANGE-12", TABLE, "The sections of 1E2000h and 1E8000h and the description of 1F6C00h belong to other engines (OA-4.4)", "lkf", misprinted_sections),
};
/* clang-format on */
const size_t gt_range_case_count = COUNT(gt_range_cases);
