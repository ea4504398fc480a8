/* SPDX-License-Identifier: MIT */
/* What the report id dword says: reason and context-valid bit (PERF-4.6). */
#include <tally/platform.h>
#include <tally/report.h>

#include <stdbool.h>

#include "base/bits.h"

/*
 * How one generation lays out RPT_ID. On SNB to HSW it is undocumented: bit 10 is the timer, 11
 * and 12 the report triggers (OA-U10), and since real parts also write 0 there,
 * anything without a trigger bit is the timer, as the field's tools read it.
 */
static const struct identity {
    uint8_t reason_low;
    uint8_t reason_bits;
    int8_t valid_bit; /* -1: none */
    bool has_context;
} identities[] = {
    [TALLY_IDENTITY_GEN6] = {10, 3, -1, false},
    [TALLY_IDENTITY_GEN8] = {19, 6, 25, true},
    [TALLY_IDENTITY_GEN9] = {19, 6, 16, true},
    [TALLY_IDENTITY_GEN12] = {19, 7, -1, true},
};

unsigned tally_report_reason(const struct tally_platform *platform, uint64_t id)
{
    const struct identity *identity = &identities[platform->identity];
    unsigned reason = field32((uint32_t)id, identity->reason_low + identity->reason_bits - 1u,
                              identity->reason_low);
    return identity->has_context || reason ? reason : TALLY_REASON_TIMER;
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
    const struct identity *identity = &identities[platform->identity];
    if (!identity->has_context)
        return TALLY_CONTEXT_IDLE;
    if (identity->valid_bit >= 0 && !(id >> identity->valid_bit & 1))
        return TALLY_CONTEXT_IDLE;
    return context;
}
