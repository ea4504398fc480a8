/* SPDX-License-Identifier: MIT */
/* Golden vectors of OA-8 that are not scripts. */
#include "intel/conformance/rows.h"

#include <tally/oa.h>
#include <tally/platform.h>

#include <inttypes.h>

#include "intel/gt/forcewake.h"
#include "intel/gt/routing.h"
#include "intel/parts.h"

/* ---- timer periods ------------------------------------------------------------------------- */

static void count_report(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    (void)address, (void)data, (void)bytes;
    ++*(unsigned *)context;
}

struct period {
    const char *platform;
    uint32_t clock_hz, control, control_c; /* OACONTROL; from Gen8 on OACTXCONTROL and OACONTROL */
    uint64_t clocks;                       /* clocks of one period */
};

/* The first strobe is half a period after timestamp 0, the second one period later. */
static bool lasts(struct conformance_fault *fault, const struct conformance_case *row)
{
    const struct period *period = row->params;
    struct tally_error error = {0};
    struct tally_oa *unit;
    unsigned reports = 0, before;
    struct tally_oa_bus bus = {.write = count_report, .context = &reports};
    const struct tally_platform *platform = tally_platform_find(period->platform);
    if (!platform || tally_oa_new(period->platform, &unit, &error))
        return conformance_fail(fault, "no %s", period->platform), false;
    tally_oa_set_bus(unit, &bus);
    tally_oa_set_clock(unit, period->clock_hz, platform->timestamp_hz);
    tally_oa_write32(unit, 0x2360, period->control);
    tally_oa_write32(unit, 0x2b00, period->control_c);
    tally_oa_run(unit, period->clocks / 2 + period->clocks);
    before = reports;
    tally_oa_run(unit, 1);
    tally_oa_free(unit);
    return CONFORMS(fault, before == 1 && reports == 2, "%u reports, then %u", before, reports);
}

/* ---- steering ------------------------------------------------------------------------------ */

enum { FLEX = 0xe458, STEERING = 0xfdc }; /* a register that each subslice has */

static bool steers(struct conformance_fault *fault)
{
    struct gt_routing routing;
    struct gt_forcewake wake;
    gt_routing_init(&routing, 8);
    gt_forcewake_init(&wake, INTEL_LKF, 0);
    gt_forcewake_hold(&wake, GT_DOMAINS, true);
    uint32_t reset = gt_routing_read32(&routing, STEERING);
    if (!CONFORMS(fault, reset == 0x80000000, "reset %08" PRIx32, reset))
        return false;
    static const struct {
        uint32_t value, written;
        unsigned read, slice;
    } rows[] = {{0x83000000, 0xff, 3, 0}, {0x03000000, 1 << 3, 3, 0}, {0x0f000000, 1 << 7, 7, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gt_routing_write32(&routing, STEERING, rows[i].value);
        struct gt_route write = gt_routing_write(&routing, &wake, GT_AGENT_HOST, FLEX);
        struct gt_route read = gt_routing_read(&routing, &wake, GT_AGENT_HOST, FLEX);
        unsigned slice = gt_routing_steered(&routing, GT_AGENT_HOST, GT_GROUP_SLICE);
        if (!CONFORMS(fault,
                      write.outcome == GT_REACHED && write.instances == rows[i].written &&
                          read.outcome == GT_REACHED && read.instance == rows[i].read &&
                          slice == rows[i].slice,
                      "%08" PRIx32 ": written %" PRIx32 ", read of %u, slice %u", rows[i].value,
                      write.instances, read.instance, slice))
            return false;
    }
    return true;
}

/* ---- force wake ---------------------------------------------------------------------------- */

static bool wakes(struct conformance_fault *fault)
{
    struct gt_forcewake wake;
    gt_forcewake_init(&wake, INTEL_LKF, 50);
    gt_forcewake_write32(&wake, 0xa278, 0x00000001); /* no mask */
    gt_forcewake_run(&wake, 100);
    if (!CONFORMS(fault,
                  !gt_forcewake_read32(&wake, 0xa278) && !gt_forcewake_read32(&wake, 0xd84) &&
                      !gt_forcewake_requested(&wake, GT_DOMAIN_RENDER),
                  "a write without mask requests"))
        return false;
    gt_forcewake_write32(&wake, 0xa278, 0x00010001);
    gt_forcewake_run(&wake, 49);
    uint32_t early = gt_forcewake_read32(&wake, 0xd84);
    gt_forcewake_run(&wake, 1);
    uint32_t then = gt_forcewake_read32(&wake, 0xd84);
    if (!CONFORMS(fault, !early && then == 1, "acknowledged %08" PRIx32 ", then %08" PRIx32, early,
                  then))
        return false;
    gt_forcewake_write32(&wake, 0xa278, 0x00000000); /* no mask: stays */
    then = gt_forcewake_read32(&wake, 0xd84);
    gt_forcewake_write32(&wake, 0xa278, 0x00010000);
    return CONFORMS(fault, then == 1 && !gt_forcewake_requested(&wake, GT_DOMAIN_RENDER),
                    "kept %08" PRIx32 ", and released", then);
}

#define DOCUMENT  "vectors"
#define FILE_NAME "vectors.c"
#define PERIOD(platform, hz, control, control_c, clocks)                                           \
    (&(const struct period){platform, hz, control, control_c, clocks})

/* clang-format off */
const struct conformance_case vector_cases[] = {
    CHECKED_ROW("V-TIME-11", "8", "With Timer Period 16 HSW reports every 10.48576 ms", "hsw", lasts, PERIOD("hsw", 100000000, 16 << 6 | 1 << 5 | 1, 0, 1048576)),
    CHECKED_ROW("V-TIME-12", "8", "With Timer Period 10 SNB reports every 1.31072 ms", "snb", lasts, PERIOD("snb", 100000000, 10 << 6 | 1 << 5 | 1, 0, 131072)),
    CHECKED_ROW("V-TIME-13", "8", "With Timer Period 16 SKL reports every 10.9227 ms", "skl", lasts, PERIOD("skl", 300000000, 16 << 2 | 1 << 1 | 1, 1, 3276800)),
    CHECKED("V-STEER-01", "8", "FDCh is 80000000h at reset; 83000000h writes all and reads subslice 3; 03000000h selects subslice 3; 0F000000h selects slice 1, subslice 7", "lkf", steers),
    CHECKED("V-WAKE-01", "8", "Writing 00010001h to A278h makes D84h read 00000001h after the latency; 00010000h releases it; a write without mask bits changes nothing", "lkf", wakes),
};
/* clang-format on */
const size_t vector_case_count = sizeof vector_cases / sizeof *vector_cases;
