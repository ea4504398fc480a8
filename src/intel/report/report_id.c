/* SPDX-License-Identifier: MIT */
/* Decodes the reason and context of a report from its RPT_ID dword (PERF-4.6). */
#include <stdbool.h>

#include <tally/platform.h>
#include <tally/report.h>

#include "base/bits.h"
#include "intel/symbols.h"

/*
 * Layouts of RPT_ID. That of SNB to HSW is undocumented (OA-U10). Real parts also write 0 there, so
 * a report without a trigger bit counts as a timer report, as i915-perf tools read it.
 */
static const struct id_layout {
    uint32_t reason; /* mask of the reason field */
    uint8_t reason_low;
    uint32_t context_valid; /* 0: every context id is valid */
    bool has_context;
    uint32_t ratio; /* clock ratio of the unslice, never 0 if it is in the id; 0: no such field */
} id_layouts[] = {
#define REASON(set) REG_MASK(set, REASON), set##__REASON_LOW
    [TALLY_REPORT_ID_GEN6] = {REASON(GEN6_RPT_ID), 0, false},
    [TALLY_REPORT_ID_GEN8] = {REASON(GEN8_RPT_ID), REG_MASK(GEN8_RPT_ID, CONTEXT_VALID), true},
    [TALLY_REPORT_ID_GEN9] = {REASON(GEN9_RPT_ID), REG_MASK(GEN9_RPT_ID, CONTEXT_VALID), true,
                              REG_MASK(GEN9_RPT_ID, UNSLICE_RATIO)},
    [TALLY_REPORT_ID_GEN12] = {REASON(GEN12_RPT_ID), 0, true},
};

/* All bits of enum tally_reason. */
#define REASON_ALL (2u * TALLY_REASON_MMIO_TRIGGER - 1)

unsigned tally_report_reason(const struct tally_platform *platform, uint64_t id)
{
    if (!platform)
        return (unsigned)id & REASON_ALL;
    const struct id_layout *layout = &id_layouts[platform->report_id];
    unsigned reason = ((uint32_t)id & layout->reason) >> layout->reason_low;
    return layout->has_context || reason ? reason : TALLY_REASON_TIMER;
}

const char *tally_reason_name(unsigned reason)
{
    static const char *const names[] = {
        "timer",         "trigger1",           "trigger2",     "context-switch",
        "go-transition", "clock-ratio-change", "mmio-trigger",
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (reason >> i & 1)
            return names[i];
    return "unknown";
}

uint32_t tally_report_context(const struct tally_platform *platform, uint64_t id, uint32_t context)
{
    const struct id_layout *layout = platform ? &id_layouts[platform->report_id] : NULL;
    if (!layout || !layout->has_context)
        return TALLY_CONTEXT_IDLE;
    if (layout->context_valid && !(id & layout->context_valid))
        return TALLY_CONTEXT_IDLE;
    /* RC6 loses OA_DEBUG, by which the driver selects this layout. Then the id is that of Gen8,
     * where the bit is TIMER_ENABLE; and the context of an idle GPU is 0. */
    if (layout->ratio && !(id & layout->ratio) && !context)
        return TALLY_CONTEXT_IDLE;
    return context;
}
