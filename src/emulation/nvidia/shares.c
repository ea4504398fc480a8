/* SPDX-License-Identifier: MIT */
/*
 * The waves of drives.
 *
 * Shares of time become patterns. All shares of a phase are windows over the same levels, which are
 * scattered over a period: active from 0 on, stalled from the end of active on. So what a logic
 * operation makes of the signals of a unit is again a share of time, and the activity of a unit is
 * part of that of the GPU. Events become pulses, spread evenly. An activity that is random or in
 * bursts is exact where a signal is the activity itself; elsewhere its mean is used.
 */
#include "emulation/nvidia/shares.h"

#include "base/bits.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "nvidia/pcounter/engine.h"

#define FERMI_WARPS   48u /* of a multiprocessor (PC-E) */
#define INTEL_THREADS 7u  /* of an EU: the maximum of eu.occupancy */

/* The clocks of a period at which a share's signal is 1: those whose level is in [first, end). */
struct window {
    unsigned first, end, period;
    bool inverse;
};

/* Events at each clock, as a ratio. */
struct rate {
    uint64_t numerator, denominator;
};

#define RATE_DENOMINATOR_MAX (UINT64_C(1) << 32)

static const struct phase *phase_of(const struct shares *shares)
{
    return &shares->workload->phases[shares->phase];
}

/* ---- units of a row -------------------------------------------------------------------------- */

static bool is_stage_threads(unsigned unit)
{
    return unit >= UNIT_VS_THREADS && unit <= UNIT_CS_THREADS &&
           (unit - UNIT_VS_THREADS) % STAGE_UNITS == 0;
}

static bool is_of_array(unsigned unit, unsigned array)
{
    unsigned first = UNIT_VS_ACTIVE + (array == UNIT_EU_STALLED);
    return unit == array ||
           (unit >= first && unit <= UNIT_CS_STALLED && (unit - first) % STAGE_UNITS == 0);
}

static bool uses_active(const struct drive_row *row)
{
    return row->kind != DRIVE_LEVEL;
}

static bool uses_stalled(const struct drive_row *row)
{
    return row->kind == DRIVE_REQUEST || row->kind == DRIVE_READY || row->kind == DRIVE_STALLED;
}

bool drive_uses(const struct drive_row *row, unsigned unit)
{
    if (row->unit == ALL_THREADS)
        return is_stage_threads(unit);
    if (row->less && row->less == unit)
        return true;
    if (row->kind == DRIVE_LEVEL)
        return unit == row->unit || is_of_array(unit, UNIT_EU_ACTIVE) ||
               is_of_array(unit, UNIT_EU_STALLED);
    if (row->unit == UNIT_EU_ACTIVE)
        return is_of_array(unit, UNIT_EU_ACTIVE) ||
               (uses_stalled(row) && is_of_array(unit, UNIT_EU_STALLED));
    return (uses_active(row) && unit == row->unit) || (uses_stalled(row) && unit == row->unit + 1u);
}

/* ---- shares ---------------------------------------------------------------------------------- */

static uint64_t share_of(const struct phase *phase, unsigned unit)
{
    if (unit == UNIT_EU_ACTIVE || unit == UNIT_EU_STALLED)
        return array_share(phase, unit);
    return mean_share(phase_activity(phase, unit));
}

/* Returns the number of clocks in which a phase's shares repeat. */
static unsigned share_period(const struct phase *phase)
{
    for (size_t i = 0; i < phase->activity_count; i++) {
        const struct activity *activity = &phase->activities[i];
        enum unit_class class = unit_info(activity->unit)->kind;
        if ((class == CLASS_FLAG || class == CLASS_ARRAY) &&
            mean_share(activity) % (ONE / PERIOD_CLOCKS))
            return LONG_PERIOD_CLOCKS;
    }
    return PERIOD_CLOCKS;
}

/* Returns the level of a clock of the period: the levels are scattered evenly. */
static unsigned share_level(uint64_t clock, unsigned period)
{
    /* Near the period times the golden ratio, and without a common divisor. */
    unsigned step = period == PERIOD_CLOCKS ? 617 : 6181;
    return (unsigned)(clock % period * step % period);
}

static unsigned to_levels(uint64_t share, unsigned period)
{
    return (unsigned)((share * period + ONE / 2) / ONE);
}

/* Gets the window of a drive of a share. Returns false if it is not one. */
static bool drive_window(const struct phase *phase, const struct drive_row *row, struct window *out)
{
    unsigned period = share_period(phase);
    unsigned unit = row->kind == DRIVE_LEVEL ? UNIT_EU_ACTIVE : row->unit;
    if (unit == ALL_THREADS || unit_info(unit)->kind == CLASS_EVENTS)
        return false;
    uint64_t active = share_of(phase, unit), both = active;
    bool flag = unit_info(unit)->kind == CLASS_FLAG;
    if (!flag)
        both += share_of(phase, unit + 1);
    unsigned a = to_levels(active, period), b = to_levels(both, period);
    *out = (struct window){.period = period};
    switch ((enum drive_kind)row->kind) {
    case DRIVE_BUSY:
    case DRIVE_IDLE:
        out->end = a;
        break;
    case DRIVE_REQUEST:
    case DRIVE_LEVEL:
        out->end = b;
        break;
    case DRIVE_READY:
    case DRIVE_STALLED:
        out->first = a;
        out->end = b;
        break;
    case DRIVE_EVENTS:
    case DRIVE_NO_EVENT:
    case DRIVE_NUMBER:
        return false;
    }
    out->inverse = row->kind == DRIVE_IDLE || row->kind == DRIVE_READY;
    if (row->kind == DRIVE_LEVEL) { /* a bit of the number of warps */
        const struct activity *occupancy = phase_activity(phase, UNIT_EU_OCCUPANCY);
        uint64_t level = occupancy ? occupancy->value : INTEL_THREADS * ONE;
        uint64_t warps = (level * FERMI_WARPS + INTEL_THREADS * ONE / 2) / (INTEL_THREADS * ONE);
        if (!(warps >> row->bit & 1))
            out->end = 0;
    }
    return true;
}

static struct tally_wave window_wave(const struct window *window, uint64_t *pattern)
{
    if (window->first == window->end || (!window->first && window->end == window->period))
        return tally_wave_constant((window->first != window->end) != window->inverse);
    for (unsigned clock = 0; clock < window->period; clock++) {
        unsigned level = share_level(clock, window->period);
        uint64_t value = (level >= window->first && level < window->end) != window->inverse;
        pattern[clock / 64] |= value << (clock % 64);
    }
    return tally_wave_pattern(pattern, window->period);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Returns the number of sets over which the events of a domain are spread. */
static unsigned spread(const struct nvidia_gpu *gpu, unsigned domain)
{
    const struct tally_chipset *chipset = gpu->chipset;
    if (!gpu->pcounter->features->sets)
        return 1;
    switch (gpu->pcounter->domains[domain].kind) {
    case TALLY_SET_GPC:
        return chipset->gpcs;
    case TALLY_SET_PART:
        return chipset->partitions;
    default:
        return 1;
    }
}

static uint128 greatest_divisor(uint128 a, uint128 b)
{
    while (b) {
        uint128 rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Reduces a ratio, and rounds it if the denominator is too large. */
static struct rate make_rate(uint128 numerator, uint128 denominator)
{
    uint128 divisor = greatest_divisor(numerator, denominator);
    numerator /= divisor ? divisor : 1;
    denominator /= divisor ? divisor : 1;
    while (numerator >> 95) { /* so that the product below fits */
        numerator >>= 1;
        denominator >>= 1;
    }
    if (denominator > RATE_DENOMINATOR_MAX) {
        numerator = (numerator * RATE_DENOMINATOR_MAX + denominator / 2) / denominator;
        denominator = RATE_DENOMINATOR_MAX;
    }
    return (struct rate){(uint64_t)numerator, (uint64_t)denominator};
}

/* Returns an activity's events per clock of a domain, in billionths of `per`. */
static uint128 events(const struct shares *shares, const struct activity *activity, unsigned domain,
                      uint64_t per)
{
    static const uint64_t seconds[] = {
        [PER_SECOND] = 1, [PER_MS] = 1000, [PER_US] = 1000000, [PER_CLOCK] = 0};
    if (!activity)
        return 0;
    if (activity->kind == DOES_BURSTS)
        return (uint128)activity->length * activity->times * per / activity->frame * ONE;
    uint128 value = (uint128)activity->value * activity->times * per;
    if (activity->kind != DOES_RATE || activity->per == PER_CLOCK)
        return value;
    uint64_t ticks = shares->gpu->ticks_per_ns * NS_PER_SECOND;
    return value * seconds[activity->per] * shares->gpu->pcounter->domains[domain].period / ticks;
}

/* Returns the events of a drive at each clock of its domain. */
static struct rate drive_rate(const struct shares *shares, const struct nvidia_drive *drive)
{
    const struct drive_row *row = drive->row;
    const struct phase *phase = phase_of(shares);
    unsigned times = row->times ? row->times : 1, per = row->per ? row->per : 1;
    /* A divisor that leaves whole numbers: of ticks per second, frames up to 2^12, ... */
    uint64_t scale = shares->gpu->ticks_per_ns * NS_PER_SECOND;
    uint128 sum = 0;
    if (row->unit == ALL_THREADS) {
        for (unsigned unit = UNIT_VS_THREADS; unit <= UNIT_CS_THREADS; unit += STAGE_UNITS)
            sum += events(shares, phase_activity(phase, unit), drive->domain, scale);
    } else {
        sum = events(shares, phase_activity(phase, row->unit), drive->domain, scale);
    }
    sum = sum * times / per;
    if (row->less) {
        uint128 less = events(shares, phase_activity(phase, row->less), drive->domain, scale);
        sum = sum > less ? sum - less : 0;
    }
    return make_rate(sum, (uint128)ONE * scale * spread(shares->gpu, drive->domain));
}

static struct tally_wave number_bit(struct rate rate, unsigned bit, struct tally_wave *other)
{
    uint64_t base = rate.numerator / rate.denominator;
    bool low = base >> bit & 1, high = (base + 1) >> bit & 1;
    struct tally_wave more = tally_wave_rate(rate.numerator % rate.denominator, rate.denominator);
    if (low == high)
        return tally_wave_constant(low);
    if (high)
        return more;
    *other = more;
    return tally_wave_inverse(other);
}

/* ---- the wave -------------------------------------------------------------------------------- */

/* Returns the activity whose wave a drive has as it is: random, or in bursts. NULL: none. */
static const struct activity *drive_direct(const struct shares *shares,
                                           const struct nvidia_drive *drive)
{
    const struct drive_row *row = drive->row;
    bool flag = row->kind == DRIVE_BUSY || row->kind == DRIVE_IDLE;
    bool events = row->kind == DRIVE_EVENTS && !row->less && row->times == row->per &&
                  spread(shares->gpu, drive->domain) == 1;
    if (row->unit == ALL_THREADS || (!flag && !events))
        return NULL;
    const struct activity *activity = phase_activity(phase_of(shares), row->unit);
    bool direct = activity && activity->times == 1 &&
                  (activity->kind == DOES_RANDOM || activity->kind == DOES_BURSTS);
    return direct ? activity : NULL;
}

void make_wave(const struct shares *shares, const struct nvidia_drive *drive,
               struct tally_wave *wave, struct tally_wave *other, uint64_t pattern[PATTERN_WORDS])
{
    const struct drive_row *row = drive->row;
    const struct activity *direct = drive_direct(shares, drive);
    struct window window;
    if (direct) {
        uint64_t seed = unit_seed(shares->workload, shares->phase, row->unit, 0);
        *other = direct->kind == DOES_BURSTS
                     ? tally_wave_bursts(seed, direct->frame, direct->length)
                     : tally_wave_prng(seed, (unsigned)((direct->value * 256 + ONE / 2) / ONE));
        *wave = row->kind == DRIVE_IDLE ? tally_wave_inverse(other) : *other;
        return;
    }
    if (drive_window(phase_of(shares), row, &window)) {
        *wave = window_wave(&window, pattern);
        return;
    }
    struct rate rate = drive_rate(shares, drive);
    if (row->kind == DRIVE_NUMBER) {
        *wave = number_bit(rate, row->bit, other);
        return;
    }
    *other = tally_wave_rate(rate.numerator, rate.denominator);
    *wave = row->kind == DRIVE_NO_EVENT ? tally_wave_inverse(other) : *other;
}
