/* SPDX-License-Identifier: MIT */
/*
 * The EU array from Gen8 on. The signals of an EU are scattered waves (tally_wave_scatter()) of one
 * seed: a pipe is active in `active` of 256 clocks, threads are loaded in these clocks and in
 * others, `loaded` of 256 in total, and the others are stalls (OA-2.12, increment 5).
 *
 * For speed, an EU runs threads of one stage only, and instructions of one kind. EUs are
 * distributed among the stages so that the sums over the array match the workload.
 */
#include <string.h>

#include "base/minmax.h"
#include "intel/workload/workload.h"

#define GROUPS (STAGES + 1) /* group 0: work outside of all stages */
#define KINDS  6            /* kind 0: other instructions */

/* Returns how far a group is behind its share after `dealt` EUs were distributed, in parts of
 * `total`. */
static int64_t behind(uint64_t weight, unsigned count, uint64_t total, unsigned dealt)
{
    return (int64_t)(weight * (dealt + 1)) - (int64_t)(count * total);
}

/* Returns the group with a weight that is furthest behind; the first if several are equal. At least
 * one has a weight. */
static unsigned furthest_behind(const uint64_t *weights, const unsigned *counts, unsigned groups,
                                uint64_t total, unsigned dealt)
{
    unsigned best = 0;
    while (!weights[best])
        best++;
    for (unsigned i = best + 1; i < groups; i++)
        if (weights[i] && behind(weights[i], counts[i], total, dealt) >
                              behind(weights[best], counts[best], total, dealt))
            best = i;
    return best;
}

/* Assigns a group to each EU, in proportion to the weights. Each group with a weight gets at least
 * one EU if there are enough. */
static void distribute(const uint64_t *weights, unsigned groups, unsigned eus, uint8_t *group_of)
{
    unsigned counts[GROUPS] = {0};
    uint64_t total = 0;
    for (unsigned i = 0; i < groups; i++)
        total += weights[i];
    for (unsigned eu = 0; eu < eus; eu++) {
        unsigned group = total ? furthest_behind(weights, counts, groups, total, eu) : 0;
        group_of[eu] = (uint8_t)group;
        counts[group]++;
    }
    for (unsigned i = 0; i < groups; i++) {
        unsigned largest = 0;
        if (!weights[i] || counts[i])
            continue;
        for (unsigned k = 1; k < groups; k++)
            largest = counts[k] > counts[largest] ? k : largest;
        for (unsigned eu = eus; eu-- > 0 && counts[largest] > 1 && !counts[i];) {
            if (group_of[eu] != largest)
                continue;
            group_of[eu] = (uint8_t)i;
            counts[largest]--;
            counts[i]++;
        }
    }
}

/* Returns part `index` of `total`, divided into `count` integers as evenly as possible. */
static uint64_t even_part(uint64_t total, unsigned index, unsigned count)
{
    return total * (index + 1) / count - total * index / count;
}

static uint16_t clamp_chance(uint64_t value)
{
    return (uint16_t)min_u64(value, 256);
}

/* Converts a share of the array to 256ths of an EU. */
static uint64_t share_in_chances(uint64_t share, unsigned eus)
{
    return (share * eus * 256 + ONE / 2) / ONE;
}

/* Distributes the kinds of instructions among the EUs of each group. */
static void plan_kinds(const struct phase *phase, const uint8_t *group_of, unsigned eus,
                       struct eu_plan *out)
{
    uint64_t weights[KINDS] = {ONE};
    for (unsigned kind = 1; kind < KINDS; kind++) {
        weights[kind] = mean_share(phase_activity(phase, UNIT_EU_HYBRID + kind - 1));
        weights[0] -= weights[kind];
    }
    for (unsigned group = 0; group < GROUPS; group++) {
        unsigned members[TALLY_OA_EUS], count = 0;
        uint8_t kinds[TALLY_OA_EUS];
        for (unsigned eu = 0; eu < eus; eu++)
            if (group_of[eu] == group)
                members[count++] = eu;
        distribute(weights, KINDS, count, kinds);
        for (unsigned i = 0; i < count; i++)
            out[members[i]].kind = kinds[i];
    }
}

static void plan_pipes(const struct phase *phase, struct eu_plan *eu)
{
    bool given = false;
    for (unsigned i = 0; i < 3; i++)
        given |= phase_activity(phase, UNIT_EU_FPU0 + i) != NULL;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t share = mean_share(phase_activity(phase, UNIT_EU_FPU0 + i));
        if (!given && i == 0)
            share = ONE; /* an EU is active when a pipe is */
        eu->pipes[i] = (uint16_t)((eu->active * share + ONE / 2) / ONE);
    }
}

/* Returns the number of EUs with distinct plans. Large arrays repeat one or two subslices, so that
 * the OA unit sums them only once. */
static unsigned distinct_eus(unsigned eus)
{
    return eus % 16 == 0 ? 16 : eus % 8 == 0 ? 8 : eus;
}

static void plan_distinct(const struct tally_workload *workload, size_t number, unsigned eus,
                          unsigned threads, struct eu_plan *out)
{
    const struct phase *phase = &workload->phases[number];
    const struct activity *occupancy = phase_activity(phase, UNIT_EU_OCCUPANCY);
    uint64_t level = occupancy ? occupancy->value : threads * ONE;
    uint64_t active[GROUPS] = {array_share(phase, UNIT_EU_ACTIVE)};
    uint64_t stalled[GROUPS] = {array_share(phase, UNIT_EU_STALLED)}, weights[GROUPS];
    uint8_t group_of[TALLY_OA_EUS];
    unsigned counts[GROUPS] = {0}, seen[GROUPS] = {0};
    for (unsigned i = 1; i < GROUPS; i++) {
        unsigned unit = UNIT_VS_ACTIVE + STAGE_UNITS * (i - 1);
        active[i] = mean_share(phase_activity(phase, unit));
        stalled[i] = mean_share(phase_activity(phase, unit + 1));
        active[0] -= active[i];
        stalled[0] -= stalled[i];
    }
    for (unsigned i = 0; i < GROUPS; i++)
        weights[i] = active[i] + stalled[i];
    distribute(weights, GROUPS, eus, group_of);
    for (unsigned eu = 0; eu < eus; eu++)
        counts[group_of[eu]]++;
    for (unsigned eu = 0; eu < eus; eu++) {
        unsigned group = group_of[eu], index = seen[group]++, count = counts[group];
        struct eu_plan *plan = &out[eu];
        plan->seed = unit_seed(workload, number, UNIT_EU_ACTIVE, eu);
        plan->active = clamp_chance(even_part(share_in_chances(active[group], eus), index, count));
        plan->loaded = clamp_chance(even_part(share_in_chances(weights[group], eus), index, count));
        plan->loaded = (uint16_t)max_u32(plan->loaded, plan->active);
        plan->threads = (uint8_t)(level * (eu + 1) / ONE - level * eu / ONE);
        plan->threads = plan->threads ? plan->threads : 1;
        plan->dispatcher = (uint8_t)group;
        plan_pipes(phase, plan);
    }
    plan_kinds(phase, group_of, eus, out);
}

void plan_eus(const struct tally_workload *workload, size_t number, unsigned eus, unsigned threads,
              struct eu_plan out[TALLY_OA_EUS])
{
    unsigned distinct = distinct_eus(eus);
    memset(out, 0, TALLY_OA_EUS * sizeof *out);
    plan_distinct(workload, number, distinct, threads, out);
    for (unsigned eu = distinct; eu < eus; eu++)
        out[eu] = out[eu % distinct];
}
