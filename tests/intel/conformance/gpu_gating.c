/* SPDX-License-Identifier: MIT */
/* Clock gating of Sandy Bridge to Haswell on the whole GPU: a driver that does not disable it
 * misses events (OA-14.6). */
#include "intel/conformance/gpu_check.h"

#include <string.h>

enum {
    UCGCTL1 = 0x9400,
    UCGCTL3 = 0x9408,
    MISCCPCTL = 0x9424,
    RC_CONTROL = 0xa090,
    RC_STATE = 0xa094,
    OACONTROL = 0x2360,
    CS_UNGATED = 0x80,
    EUS_UNGATED = 0x10000,
    OA_UNGATED = 0x100000
};

static const char *name_of(const struct gpu_rig *rig)
{
    return revision_name(rig->model);
}

static uint64_t value(struct gpu_rig *rig, const char *name)
{
    return gpu_rig_value(rig, name);
}

/* Everything counts; the timer has a period of 2^(TP + 1) ticks, on SNB 2^(TP + 4). */
static void begin(struct gpu_rig *rig)
{
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    wr(rig, rig->model == INTEL_HSW ? 0x2714 : 0x2388, 0x00800000); /* starts B and C */
}

/* Counts of A0 and B0 in 1,000 idle clocks. */
static bool counts_idle(struct conformance_fault *fault, struct gpu_rig *rig, uint64_t expected,
                        const char *what)
{
    uint64_t a0 = value(rig, "a0"), b0 = value(rig, "b0"), time = value(rig, "timestamp");
    tally_gpu_run(rig->gpu, 1000);
    a0 = value(rig, "a0") - a0;
    b0 = value(rig, "b0") - b0;
    HOLDS(a0 == expected && b0 == expected, "%s, %s: A0 counts %" PRIu64 ", B0 %" PRIu64,
          name_of(rig), what, a0, b0);
    HOLDS(value(rig, "timestamp") > time, "%s, %s: TIMESTAMP stands", name_of(rig), what);
    return true;
}

/* Busy clocks are counted in any case: a semaphore that is never signalled keeps render busy. */
static bool counts_busy(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const uint32_t loop[] = {0x18800000, 0x2000}; /* MI_BATCH_BUFFER_START to itself */
    gpu_rig_put(rig, TALLY_GPU_GGTT, 0x2000, loop, 2);
    HOLDS(tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x2000, true) == 0, "submit");
    uint64_t before = value(rig, "a0");
    tally_gpu_run(rig->gpu, 1000);
    uint64_t counted = value(rig, "a0") - before;
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
    HOLDS(counted == 1000, "%s: busy, A0 counts %" PRIu64, name_of(rig), counted);
    return true;
}

/* The unit's clock is render's: it stops while render is idle, and reports with it. */
static bool stopped_clock(struct conformance_fault *fault, struct gpu_rig *rig)
{
    begin(rig);
    if (!counts_busy(fault, rig) || !counts_idle(fault, rig, 0, "gated"))
        return false;
    /* A report every 1,024 ticks or fewer. */
    wr(rig, rig->model == INTEL_HSW ? 0x23b0 : 0x2364, 0);
    wr(rig, OACONTROL, 0x21 | 5 << 6);
    tally_gpu_run(rig->gpu, 1000000);
    struct tally_oa_reports reports = tally_oa_reports(tally_gpu_oa(rig->gpu));
    HOLDS(value(rig, "used") == 0 && reports.in_rc6 > 0, "%s: %" PRIu64 " bytes of reports",
          name_of(rig), value(rig, "used"));
    return true;
}

/* Each of the two gates stops the clock; without both everything is counted. */
static bool needs_units(struct conformance_fault *fault, struct gpu_rig *rig)
{
    begin(rig);
    if (!counts_idle(fault, rig, 0, "both gates"))
        return false;
    wr(rig, RC_STATE, 0);
    wr(rig, RC_CONTROL, 0x80000000);
    if (!counts_idle(fault, rig, 0, "gate of RCS"))
        return false;
    wr(rig, UCGCTL1, CS_UNGATED);
    if (!counts_idle(fault, rig, 1000, "no gate"))
        return false;
    wr(rig, RC_STATE, 1);
    return counts_idle(fault, rig, 0, "gate of the trunk");
}

/* RC_CONTROL with RC_STATE, and from IVB on MISCCPCTL, which is 1 at first. */
static bool trunk(struct conformance_fault *fault, struct gpu_rig *rig)
{
    bool has_misccpctl = rig->model != INTEL_SNB;
    begin(rig);
    wr(rig, UCGCTL1, CS_UNGATED);
    if (!counts_idle(fault, rig, 0, "gated") || !counts_busy(fault, rig))
        return false;
    wr(rig, RC_CONTROL, 0x80000000);
    if (!counts_idle(fault, rig, 1000, "RC_CONTROL"))
        return false;
    wr(rig, RC_CONTROL, 0);
    if (!counts_idle(fault, rig, 0, "gated again"))
        return false;
    HOLDS(rd(rig, MISCCPCTL) == has_misccpctl, "%s: MISCCPCTL", name_of(rig));
    wr(rig, MISCCPCTL, 0);
    if (!counts_idle(fault, rig, has_misccpctl ? 1000 : 0, "MISCCPCTL"))
        return false;
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    gpu_rig_wake(rig, true);
    HOLDS(rd(rig, MISCCPCTL) == has_misccpctl, "%s: MISCCPCTL after a reset", name_of(rig));
    return true;
}

/* On SNB counters of EUs that do not execute stop. */
static bool eu_gating(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const uint8_t gated[] = {1, 3, 4, 6, 8, 9, 11, 13, 14, 16};
    struct tally_number one = tally_number_constant(1);
    for (unsigned i = 0; i < 29; i++)
        tally_oa_drive_a(tally_gpu_oa(rig->gpu), i, &one);
    begin(rig);
    wr(rig, RC_CONTROL, 0x80000000);
    for (unsigned off = 0; off < 2; off++) {
        uint64_t before[29];
        char name[8];
        wr(rig, UCGCTL1, CS_UNGATED | (off ? EUS_UNGATED : 0));
        for (unsigned i = 0; i < 29; i++) {
            snprintf(name, sizeof name, "a%u", i);
            before[i] = value(rig, name);
        }
        tally_gpu_run(rig->gpu, 500);
        for (unsigned i = 0; i < 29; i++)
            tally_oa_count(tally_gpu_oa(rig->gpu), i, 7); /* events of a caller */
        for (unsigned i = 0; i < 29; i++) {
            snprintf(name, sizeof name, "a%u", i);
            bool stops = !off && memchr(gated, (int)i, sizeof gated);
            HOLDS(value(rig, name) - before[i] == (stops ? 0 : 500 + 7), "%s counts %" PRIu64, name,
                  value(rig, name) - before[i]);
        }
    }
    return true;
}

/* Without gating of its own clock the unit counts for every context; the filter works in a model
 * without clock gating, whatever the register says. */
static bool oa_gating(struct conformance_fault *fault, struct gpu_rig *rig)
{
    begin(rig);
    wr(rig, UCGCTL1, CS_UNGATED);
    wr(rig, RC_CONTROL, 0x80000000);
    wr(rig, OACONTROL, 0x5000 | 3); /* counts for context 5 only, which never runs */
    if (!counts_idle(fault, rig, 0, "filtered"))
        return false;
    wr(rig, UCGCTL3, OA_UNGATED);
    if (!counts_idle(fault, rig, 1000, "the filter fails"))
        return false;
    wr(rig, UCGCTL3, 0);
    if (!counts_idle(fault, rig, 0, "filtered again"))
        return false;
    struct gpu_rig *plain =
        gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = name_of(rig)});
    begin(plain);
    wr(plain, OACONTROL, 0x5000 | 3);
    wr(plain, UCGCTL3, OA_UNGATED);
    bool holds = counts_idle(fault, plain, 0, "without clock gating");
    gpu_rig_free(plain);
    return holds;
}

#define FILE_NAME "gpu_gating.c"
#define DOCUMENT  "000"
#define REPORTING "Performance Counter Reporting"

#define GATED(check_) ON_GPU(check_, .clock_gating = true)

/* clang-format off */
const struct conformance_case gpu_gating_cases[] = {
    CHECKED_ROW("000-RPT-11", REPORTING, "The unit runs on the render clock and counts nothing while that clock is gated", "snb..hsw", on_gpu, GATED(stopped_clock)),
    CHECKED_ROW("000-RPT-12", REPORTING, "Counting events of other clock domains requires that unit-level clock gating of RCS is off", "snb..hsw", on_gpu, GATED(needs_units)),
    CHECKED_ROW("000-CTL-16", "OACONTROL", "EU clock gating must be off while SNB counts", "snb", on_gpu, GATED(eu_gating)),
    CHECKED_ROW("000-CTL-17", "OACONTROL", "OA unit clock gating must be on with Specific Context Enable", "snb..hsw", on_gpu, GATED(oa_gating)),
    CHECKED_ROW("000-CTL-20", "OACONTROL", "OACONTROL also controls render trunk clock gating", "snb..hsw", on_gpu, GATED(trunk)),
};
/* clang-format on */
const size_t gpu_gating_case_count = COUNT(gpu_gating_cases);
