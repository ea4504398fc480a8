/* SPDX-License-Identifier: MIT */
/* The options of the OA unit: behaviour that the documents leave open. */
#include "intel/oa/options.h"

#include <errno.h>
#include <string.h>

#include "intel/oa/unit.h"

static bool always(const struct oa_variant *variant)
{
    (void)variant;
    return true;
}

static bool has_two_start_blocks(const struct oa_variant *variant)
{
    return variant->block_count > 1;
}

static bool has_eus(const struct oa_variant *variant)
{
    return variant->subslices != 0;
}

static bool may_sample_late(const struct oa_variant *variant)
{
    return variant->samples_late;
}

// clang-format off
const struct oa_option_row oa_option_rows[TALLY_OA_OPTIONS] = {
    [TALLY_OA_START_HOLDS_A] = {"start-holds-a",
        "A counters wait for the start trigger, as B and C counters do",
        "documents state for Gen11 only that A counters ignore it (OA-2.4, OA-U1)", always},
    [TALLY_OA_START_HALVES] = {"start-halves",
        "start trigger block 1 starts B0 to B3, block 2 starts B4 to B7",
        "an older text states this, a later one that each block starts all counters (OA-U2)", has_two_start_blocks},
    [TALLY_OA_NO_EU_EVENTS] = {"no-eu-events",
        "a reset sets EU_PERF_CNT_CTL0 to 6 to all ones, so that A7 to A20 count no event",
        "documents expect that default, but public drivers see 0 (OA-U23)", has_eus},
    [TALLY_OA_INCOHERENT] = {"incoherent",
        "each line of a report is sampled when it is written; needs a line time",
        "with heavy memory traffic the counters of a report are from different times (OA-2.7)", may_sample_late},
};
// clang-format on

const struct oa_option_row *oa_option_find(const char *name)
{
    for (unsigned i = 0; i < TALLY_OA_OPTIONS; i++)
        if (!strcmp(name, oa_option_rows[i].name))
            return &oa_option_rows[i];
    return NULL;
}

int tally_oa_set_option(struct tally_oa *unit, enum tally_oa_option option, bool on)
{
    if ((unsigned)option >= TALLY_OA_OPTIONS)
        return -EINVAL;
    if (!oa_option_rows[option].exists(unit->variant))
        return -ENOTSUP;
    unit->options[option] = on;
    return 0;
}
