/* SPDX-License-Identifier: MIT */
/* Single event mode: runs the counting process from one state change to the next. */
#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* Adds to a counter. 32-bit counters saturate; 40-bit counters wrap in bits 38:0, with a sticky bit
 * 39 (PC-D15). */
static void add(const struct tally_pcounter *engine, uint64_t *counter, uint64_t count)
{
    if (engine->features->counter_width == 32) {
        *counter = count > UINT32_MAX - *counter ? UINT32_MAX : *counter + count;
        return;
    }
    const uint64_t sticky = UINT64_C(1) << (engine->features->counter_width - 1);
    uint64_t sum = (*counter & (sticky - 1)) + count;
    *counter = (sum & (sticky - 1)) | (*counter & sticky) | (sum >= sticky ? sticky : 0);
}

static uint64_t threshold(const struct domain *domain)
{
    return (uint64_t)domain->regs[REG_THRESHOLD_HI] << 32 | domain->regs[REG_THRESHOLD];
}

/* WAIT_FOR_PRE: waits for CTR_PRE + 1 ones. Returns the clock after the last one, or the end of the
 * block. */
static uint64_t wait_for_pre(struct domain *domain, const struct workspace *w, uint64_t from)
{
    uint64_t left = domain->counters[CTR_PRE];
    uint64_t at = nth_one(w->inputs[PRE], left + 1, from, w->clocks);
    if (at == w->clocks) {
        domain->counters[CTR_PRE] = left - w->kernels->count(w->inputs[PRE], from, at);
        return at;
    }
    domain->counters[CTR_PRE] = 0;
    domain->single_state = WAIT_FOR_START;
    return at + 1;
}

static uint64_t wait_for_start(struct domain *domain, const struct workspace *w, uint64_t from)
{
    uint64_t at = next_one(w->inputs[START], from, w->clocks);
    if (at == w->clocks)
        return at;
    domain->counters[CYCLES] = 0;
    if (!domain->plan.all_periods)
        domain->counters[CTR_EVENT] = 0;
    domain->single_state = COUNTING;
    return at + 1; /* this clock is not counted */
}

/* The extra counter counts only in periods (PC-D12). */
void single_add(const struct tally_pcounter *engine, struct domain *domain, uint64_t clocks,
                const struct sums *sums)
{
    add(engine, &domain->counters[CYCLES], clocks);
    add(engine, &domain->counters[CTR_EVENT], sums->event);
    if (sums->has_extra)
        add(engine, &domain->counters[CTR_PRE], sums->extra);
}

/* Counts a period. CTR_CYCLES counts too, including the clock with STOP, although the document's
 * pseudo-code omits it (PC-D12, PC-D13, PC-E7, PC-E8). */
static uint64_t count_period(const struct tally_pcounter *engine, struct domain *domain,
                             const struct workspace *w, uint64_t from)
{
    uint64_t *counters = domain->counters;
    uint64_t at = next_one(w->inputs[STOP], from, w->clocks);
    bool ends = at < w->clocks;
    uint64_t to = ends ? at + 1 : at;
    struct sums sums = sum_range(domain, w, from, to);
    single_add(engine, domain, to - from, &sums);
    if (!ends)
        return to;
    if (counters[CTR_EVENT] >= threshold(domain))
        add(engine, &counters[CTR_START], 1);
    if (counters[CTR_STOP]) {
        counters[CTR_STOP]--;
        domain->single_state = WAIT_FOR_START;
    } else {
        domain->single_state = INACTIVE;
    }
    return to;
}

uint64_t count_single(const struct tally_pcounter *engine, struct domain *domain,
                      struct workspace *w)
{
    uint64_t at = 0;
    if (domain->single_state == INACTIVE)
        return w->clocks;
    while (at < w->clocks) {
        switch ((enum single_state)domain->single_state) {
        case WAIT_FOR_PRE:
            at = wait_for_pre(domain, w, at);
            break;
        case WAIT_FOR_START:
            at = wait_for_start(domain, w, at);
            break;
        case COUNTING:
            at = count_period(engine, domain, w, at);
            break;
        case INACTIVE: /* FLAG is frozen from here on (PC-D6): start another block */
            return domain->plan.flag_idle ? w->clocks : at;
        }
    }
    return at;
}
