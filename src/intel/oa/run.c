/* SPDX-License-Identifier: MIT */
/* Advances time, from one request to the next (OAT-4). */
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "intel/oa/unit.h"

/* ---- the timer ------------------------------------------------------------------------------- */

#define TIMESTAMP_BITS 36

/* Returns the ticks of the timestamp in the next `clocks`. */
static uint64_t ticks_after(const struct tally_oa *unit, uint64_t clocks)
{
    return (uint64_t)(((uint128)clocks * unit->ticks_per + unit->tick_phase) / unit->tick_clocks);
}

uint64_t timestamp_after(const struct tally_oa *unit, uint64_t clocks)
{
    return (unit->timestamp + ticks_after(unit, clocks)) & low_bits(TIMESTAMP_BITS);
}

/* Returns the clocks until the timestamp has ticked `ticks` times. */
static uint64_t clocks_to_tick(const struct tally_oa *unit, uint64_t ticks)
{
    uint128 units = (uint128)ticks * unit->tick_clocks - unit->tick_phase;
    return (uint64_t)((units + unit->ticks_per - 1) / unit->ticks_per);
}

/* Returns the timer's fields as those of OACTXCONTROL. */
static uint32_t timer_control(const struct tally_oa *unit)
{
    return is_map_c(unit) ? unit->regs[OA_CTXCONTROL] : timer_of_oacontrol(unit->regs[OA_CONTROL]);
}

/* Finds the timestamp bit that the timer watches. Returns false if the timer never fires. */
static bool timer_bit(const struct tally_oa *unit, uint32_t control, unsigned *bit)
{
    *bit = REG_GET(GEN8_OACTXCONTROL, TIMER_PERIOD, control) + unit->variant->timer_shift;
    return REG_GET(GEN8_OACTXCONTROL, TIMER_ENABLE, control) && *bit < TIMESTAMP_BITS;
}

/* Returns the first clock, at `from` or later, at which the timer's bit rises (OA-D17), or NEVER.
 * Clocks are relative to the unit's current clock. */
static uint64_t next_strobe(const struct tally_oa *unit, uint64_t from)
{
    unsigned bit;
    if (!timer_bit(unit, timer_control(unit), &bit))
        return NEVER;
    bool now = unit->timestamp >> bit & 1, before = unit->previous_timestamp >> bit & 1;
    if (from == 0 && now && !before)
        return 0;
    /* ticks before clock `from` */
    uint64_t done = ticks_after(unit, from ? from - 1 : 0);
    uint64_t period = UINT64_C(2) << bit, half = UINT64_C(1) << bit;
    uint64_t value = (unit->timestamp + done) & (period - 1);
    uint64_t ticks = value < half ? half - value : period - value + half;
    /* The tick that sets the bit is at the end of a clock; the timer fires at the next one. */
    return clocks_to_tick(unit, done + ticks);
}

uint64_t count_strobes(const struct tally_oa *unit, uint32_t control, uint64_t clocks)
{
    unsigned bit;
    if (!clocks || !is_enabled(unit) || !timer_bit(unit, control, &bit))
        return 0;
    uint64_t half = UINT64_C(1) << bit, last = unit->timestamp + ticks_after(unit, clocks - 1);
    uint64_t rises = ((last + half) >> (bit + 1)) - ((unit->timestamp + half) >> (bit + 1));
    bool now = unit->timestamp & half, before = unit->previous_timestamp & half;
    return rises + (now && !before);
}

static void advance_timestamp(struct tally_oa *unit, uint64_t clocks)
{
    if (!clocks)
        return;
    const uint64_t mask = low_bits(TIMESTAMP_BITS);
    uint64_t before = ticks_after(unit, clocks - 1), all = ticks_after(unit, clocks);
    unit->previous_timestamp = (unit->timestamp + before) & mask;
    unit->timestamp = (unit->timestamp + all) & mask;
    unit->tick_phase =
        (uint64_t)(((uint128)clocks * unit->ticks_per + unit->tick_phase) % unit->tick_clocks);
}

/* Whether a report trigger block can request a report. */
static bool may_trigger(const struct tally_oa *unit)
{
    for (unsigned i = 0; i < unit->variant->block_count; i++)
        if (REG_GET(OAREPORTTRIG_INVERTS, TRIGGER_ENABLE, unit->regs[OA_REPORT_TRIG + 4 * i + 1]))
            return true;
    return false;
}

/* Returns the clocks from `now` until the requests that wait become a report. */
static uint64_t release(const struct tally_oa *unit, uint64_t now)
{
    return unit->next_report > now ? unit->next_report - now : 0;
}

/* Reports the requests of the clock `now`, or lets them wait for the report before (OA-D47). */
static void take_requests(struct tally_oa *unit, uint64_t now, unsigned reasons)
{
    unit->waiting |= reasons;
    if (now < unit->next_report)
        return;
    reasons = unit->waiting;
    unit->waiting = 0;
    sample_report(unit, now, reasons);
}

uint64_t tally_oa_quiet_clocks(const struct tally_oa *unit)
{
    if (unit->flight.active)
        return unit->flight.due;
    if (!is_enabled(unit))
        return NEVER;
    if (unit->context_event || unit->go_event || unit->ratio_event || may_trigger(unit))
        return 0;
    uint64_t strobe = next_strobe(unit, 0);
    return unit->waiting ? min_u64(strobe, release(unit, unit->clock)) : strobe;
}

/* ---- a block --------------------------------------------------------------------------------- */

bool is_noa_working(const struct tally_oa *unit, unsigned bit)
{
    const struct spread *work = &unit->noa_work[bit];
    return work->count && unit->clock < spread_end(work);
}

/* Sets the bit at the clocks of work in progress. */
static void add_noa_work(const struct tally_oa *unit, struct block *block, unsigned bit)
{
    const struct spread *work = &unit->noa_work[bit];
    uint64_t *words = block->noa_buffers[bit];
    uint64_t n = spread_before(work, block->first), end = block->first + 64 * block->words;
    if (block->noa[bit] != words)
        memcpy(words, block->noa[bit], block->words * sizeof *words);
    block->noa[bit] = words;
    while (n++ < work->count) {
        uint64_t clock = spread_clock(work, n);
        if (clock >= end)
            break;
        words[(clock - block->first) / 64] |= UINT64_C(1) << (clock - block->first) % 64;
    }
}

static void fetch_noa(const struct tally_oa *unit, struct block *block)
{
    for (unsigned bit = 0; bit < NOA_BITS; bit++) {
        const struct driven_wave *input = &unit->noa[bit];
        if (input->wave.kind == TALLY_WAVE_CONSTANT)
            block->noa[bit] = input->wave.value ? block->ones : block->zeros;
        else
            block->noa[bit] = tally_wave_words(&input->wave, block->first - input->origin,
                                               block->words, block->noa_buffers[bit]);
        if (is_noa_working(unit, bit))
            add_noa_work(unit, block, bit);
    }
}

/* Returns the events since the last clock, as reasons, and clears them (OA-D24). */
static unsigned take_events(struct tally_oa *unit)
{
    uint32_t debug = unit->variant->ratio_reports ? unit->regs[OA_DEBUG] : 0;
    unsigned reasons = 0;
    if (is_map_c(unit)) {
        if (unit->context_event && !REG_GET(GEN9_OA_DEBUG, NO_CONTEXT_REPORTS, debug))
            reasons |= TALLY_REASON_CONTEXT_SWITCH;
        if (unit->go_event && !REG_GET(GEN9_OA_DEBUG, NO_GO_REPORTS, debug))
            reasons |= TALLY_REASON_GO_TRANSITION;
        if (unit->variant->ratio_reports && unit->ratio_event &&
            !REG_GET(GEN9_OA_DEBUG, NO_RATIO_REPORTS, debug))
            reasons |= TALLY_REASON_CLOCK_RATIO_CHANGE;
    }
    unit->context_event = unit->go_event = unit->ratio_event = false;
    return is_enabled(unit) ? reasons : 0;
}

/* Restarts the counter of a report trigger block that requests a report (OA-D12, OA-D15). */
static void fire_report_trigger(struct tally_oa *unit, unsigned number)
{
    if (REG_GET(OAREPORTTRIG_INVERTS, THRESHOLD_ENABLE,
                unit->regs[OA_REPORT_TRIG + 4 * number + 1]))
        unit->report[number].count = 0;
}

/* The next request in a block: its clock and its reasons. */
struct request {
    uint64_t at;
    unsigned reasons;
};

static void add_request(struct request *next, uint64_t at, unsigned reason)
{
    if (at == NEVER || at > next->at)
        return;
    if (at < next->at)
        *next = (struct request){at, 0};
    next->reasons |= reason;
}

static struct request next_request(const struct tally_oa *unit, const struct block *block,
                                   uint64_t from, uint64_t strobe, unsigned events)
{
    struct request next = {block->clocks, 0};
    if (!is_enabled(unit))
        return next;
    if (events)
        add_request(&next, 0, events);
    if (strobe < block->clocks)
        add_request(&next, strobe, TALLY_REASON_TIMER);
    for (unsigned i = 0; i < unit->variant->block_count; i++)
        add_request(&next, next_fire(unit, block, i, from), (unsigned)TALLY_REASON_TRIGGER_1 << i);
    return next;
}

#define MAX_CLOCKS (UINT64_C(1) << 31) /* sums of 32-bit values over them fit in 64 bits */

/* Advances counters and trigger blocks by the clocks in [from, to). */
static void advance_clocks(struct tally_oa *unit, const struct block *block, uint64_t from,
                           uint64_t to)
{
    for (uint64_t at = from; at < to; at += MAX_CLOCKS)
        count_clocks(unit, block, at, to - at < MAX_CLOCKS ? to : at + MAX_CLOCKS);
    if (is_enabled(unit))
        advance_triggers(unit, block, from, to);
    if (unit->flight.active)
        unit->flight.due -= (uint32_t)(to - from);
}

static void walk_block(struct tally_oa *unit, struct block *block, unsigned events)
{
    uint64_t at = 0, moved = 0; /* moved: clock up to which the timestamp is advanced */
    while (at < block->clocks) {
        if (unit->flight.active && !unit->flight.due) { /* step 1 */
            write_line(unit);
            if (unit->flight.active)
                unit->flight.due = unit->flight.line_time;
            continue;
        }
        uint64_t strobe = next_strobe(unit, at - moved);
        if (strobe != NEVER)
            strobe += moved;
        struct request next = next_request(unit, block, at, strobe, at ? 0 : events);
        if (unit->waiting)
            add_request(&next, at + release(unit, block->first + at), 0);
        uint64_t line = unit->flight.active ? at + unit->flight.due : NEVER;
        if (line <= next.at && line < block->clocks) {
            advance_clocks(unit, block, at, line);
            at = line;
            continue;
        }
        if (next.at >= block->clocks) {
            advance_clocks(unit, block, at, block->clocks);
            break;
        }
        advance_clocks(unit, block, at, next.at + 1);
        for (unsigned i = 0; i < 2; i++)
            if (next.reasons & (unsigned)TALLY_REASON_TRIGGER_1 << i)
                fire_report_trigger(unit, i);
        advance_timestamp(unit, next.at - moved);
        moved = next.at;
        take_requests(unit, block->first + next.at, next.reasons);
        at = next.at + 1;
    }
    advance_timestamp(unit, block->clocks - moved);
}

static void run_block(struct tally_oa *unit, struct block *block)
{
    fetch_noa(unit, block);
    unsigned events = take_events(unit);
    if (!is_enabled(unit))
        unit->waiting = 0;
    make_events(unit, block, events_counted(unit));
    block->start_at[0] = block->start_at[1] = block->started = NEVER;
    if (is_any_counting(unit)) {
        make_triggers(unit, block);
        find_start(unit, block);
        select_sources(unit, block);
    }
    walk_block(unit, block, events);
    unit->previous_noa = 0;
    for (unsigned bit = 0; bit < NOA_BITS; bit++)
        unit->previous_noa |=
            (uint16_t)(block_bit(block, block->noa[bit], block->clocks - 1) << bit);
    unit->clock += block->clocks;
}

/* Longer periods with a constant bus become one block. */
#define QUIET_CLOCKS 1024u

/* Returns for how many clocks the NOA bits in `bits` are constant; inexact below QUIET_CLOCKS. */
static uint64_t quiet_clocks(const struct tally_oa *unit, uint16_t bits)
{
    uint64_t clocks = UINT64_MAX;
    for (unsigned bit = 0; bit < NOA_BITS && clocks > QUIET_CLOCKS; bit++) {
        const struct driven_wave *input = &unit->noa[bit];
        if (!(bits >> bit & 1))
            continue;
        if (is_noa_working(unit, bit))
            return 0;
        uint64_t steady = tally_wave_steady(&input->wave, unit->clock - input->origin);
        clocks = min_u64(steady, clocks);
    }
    return clocks;
}

/* Runs a block. left: clocks of the run after this block; if the events settle within them, the
 * flops at the end of this block are not needed. */
static void run_clocks(struct tally_oa *unit, struct block *block, uint64_t clocks, uint64_t left,
                       bool quiet)
{
    block->quiet = quiet;
    block->period = 0;
    block->last = !events_settle_clocks(unit) || left < events_settle_clocks(unit);
    block->first = unit->clock;
    block->clocks = clocks;
    block->words = quiet ? 1 : (size_t)((clocks + 63) / 64);
    run_block(unit, block);
}

void tally_oa_pause(struct tally_oa *unit, uint64_t clocks)
{
    advance_timestamp(unit, clocks);
    unit->clock += clocks;
}

#define ALL_BITS    0xffffu
#define WALK_CLOCKS 256u /* clocks between two searches for a period of the events */

static bool bus_has_moved(const struct tally_oa *unit)
{
    for (unsigned bit = 0; bit < NOA_BITS; bit++) {
        const struct driven_wave *input = &unit->noa[bit];
        if (tally_wave_count(&input->wave, unit->clock - input->origin, 1) !=
            (unit->previous_noa >> bit & 1))
            return true;
    }
    return false;
}

/* Runs clocks in which the watched bits are constant: clock by clock until the events have settled,
 * then in one step. The last clocks are run one by one again, to set the flops and the previous
 * bits. None of this is necessary if the whole bus has been constant for long enough. */
static void run_quiet(struct tally_oa *unit, struct block *block, uint64_t clocks, uint64_t left)
{
    if (quiet_clocks(unit, ALL_BITS) >= clocks && !bus_has_moved(unit) &&
        events_are_settled(unit)) {
        run_clocks(unit, block, clocks, left, true);
        return;
    }
    uint64_t settled = events_settle_clocks(unit);
    run_clocks(unit, block, settled, 0, false);
    run_clocks(unit, block, clocks - 2 * settled, 0, true);
    run_clocks(unit, block, settled, left, false);
}

/* Runs clocks with events that form a ring: they never settle, but may have a period while the bus
 * is constant. Returns the number of clocks run. */
static uint64_t run_ring(struct tally_oa *unit, struct block *block, uint64_t clocks)
{
    uint64_t quiet = clocks > QUIET_CLOCKS ? quiet_clocks(unit, ALL_BITS) : 0;
    uint64_t walked = min_u64(clocks, BLOCK_CLOCKS);
    quiet = min_u64(quiet, clocks);
    unsigned period = quiet > QUIET_CLOCKS && !bus_has_moved(unit) ? events_period(unit) : 0;
    if (!period) {
        if (quiet > QUIET_CLOCKS)
            walked = WALK_CLOCKS;
        run_clocks(unit, block, walked, clocks - walked, false);
        return walked;
    }
    block->watched = ALL_BITS;
    block->quiet = block->last = true;
    block->period = period;
    block->first = unit->clock;
    block->clocks = quiet;
    block->words = 1;
    run_block(unit, block);
    return quiet;
}

void tally_oa_run(struct tally_oa *unit, uint64_t clocks)
{
    struct block block;
    bool settles = events_settle_clocks(unit) != 0;
    block.kernels = wave_kernels();
    memset(block.zeros, 0, sizeof block.zeros);
    memset(block.ones, 0xff, sizeof block.ones);
    while (clocks && !settles)
        clocks -= run_ring(unit, &block, clocks);
    while (clocks) {
        uint64_t now = min_u64(clocks, BLOCK_CLOCKS), quiet = 0;
        if (clocks > QUIET_CLOCKS) {
            block.watched = watched_bits(unit);
            quiet = quiet_clocks(unit, block.watched);
            quiet = min_u64(quiet, clocks);
        }
        if (quiet > QUIET_CLOCKS) {
            now = quiet;
            run_quiet(unit, &block, now, clocks - now);
        } else {
            run_clocks(unit, &block, now, clocks - now, false);
        }
        clocks -= now;
    }
}
