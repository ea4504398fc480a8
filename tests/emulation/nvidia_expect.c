/* SPDX-License-Identifier: MIT */
#include "emulation/nvidia_expect.h"

#include <math.h>

#include "nvidia/pcounter/engine.h"

static double share(const struct phase *phase, unsigned unit)
{
    const struct activity *activity = phase_activity(phase, unit);
    double sum = 0;
    if (!activity && (unit == UNIT_EU_ACTIVE || unit == UNIT_EU_STALLED)) {
        for (unsigned stage = 0; stage < STAGES; stage++)
            sum += share(phase, UNIT_VS_ACTIVE + STAGE_UNITS * stage + (unit == UNIT_EU_STALLED));
        return sum;
    }
    if (!activity)
        return 0;
    if (activity->kind == DOES_BURSTS)
        return (double)activity->length / (double)activity->frame;
    return (double)activity->value / 1e9;
}

static double per_clock(const struct phase *phase, unsigned unit, double hz)
{
    static const double seconds[] = {[PER_SECOND] = 1, [PER_MS] = 1e3, [PER_US] = 1e6};
    const struct activity *activity = phase_activity(phase, unit);
    if (!activity)
        return 0;
    if (activity->kind == DOES_RATE && activity->per != PER_CLOCK)
        return (double)activity->value / 1e9 * seconds[activity->per] / hz;
    return share(phase, unit) * activity->times;
}

static double events(const struct drive_row *row, const struct phase *phase, double hz)
{
    double sum = 0;
    if (row->unit == ALL_THREADS) {
        for (unsigned unit = UNIT_VS_THREADS; unit <= UNIT_CS_THREADS; unit += STAGE_UNITS)
            sum += per_clock(phase, unit, hz);
        return sum;
    }
    sum =
        per_clock(phase, row->unit, hz) * (row->times ? row->times : 1) / (row->per ? row->per : 1);
    return sum - (row->less ? fmin(sum, per_clock(phase, row->less, hz)) : 0);
}

/* The mean of a bit of a number that is as close to `rate` as whole numbers are. */
static double bit_of(double rate, unsigned bit)
{
    unsigned low = (unsigned)rate;
    double more = rate - low;
    return (low >> bit & 1) * (1 - more) + ((low + 1) >> bit & 1) * more;
}

static double mean(const struct drive_row *row, const struct phase *phase, double hz, double units)
{
    unsigned level = row->unit;
    bool flag = level != ALL_THREADS && unit_info(level)->kind == CLASS_FLAG;
    double active = level == ALL_THREADS ? 0 : share(phase, level);
    double stalled = flag || level == ALL_THREADS ? 0 : share(phase, level + 1);
    switch ((enum drive_kind)row->kind) {
    case DRIVE_BUSY:
        return active;
    case DRIVE_IDLE:
        return 1 - active;
    case DRIVE_REQUEST:
        return active + stalled;
    case DRIVE_READY:
        return 1 - stalled;
    case DRIVE_STALLED:
        return stalled;
    case DRIVE_EVENTS:
        return fmin(events(row, phase, hz) / units, 1);
    case DRIVE_NO_EVENT:
        return 1 - fmin(events(row, phase, hz) / units, 1);
    case DRIVE_NUMBER:
        return bit_of(events(row, phase, hz) / units, row->bit);
    case DRIVE_LEVEL: {
        const struct activity *threads = phase_activity(phase, UNIT_EU_OCCUPANCY);
        double loaded = threads ? (double)threads->value / 1e9 : 7;
        if (!((unsigned)(loaded * 48 / 7 + 0.5) >> row->bit & 1))
            return 0;
        return share(phase, UNIT_EU_ACTIVE) + share(phase, UNIT_EU_STALLED);
    }
    }
    return 0;
}

/* The clocks of a domain before a time. */
static double clocks_before(const struct domain *domain, const struct nvidia_gpu *gpu, uint64_t ns)
{
    return ceil((double)(ns * gpu->ticks_per_ns) / domain->period);
}

struct expected nvidia_expect(const struct nvidia_program *program, const struct nvidia_gpu *gpu,
                              const struct nvidia_drive *drive, uint64_t ns)
{
    const struct domain *domain = &gpu->pcounter->domains[drive->domain];
    const struct tally_chipset *chipset = gpu->chipset;
    double hz = (double)gpu->ticks_per_ns * 1e9 / domain->period, units = 1, variance = 0;
    if (chipset->gpcs && domain->kind == TALLY_SET_GPC)
        units = chipset->gpcs;
    else if (chipset->gpcs && domain->kind == TALLY_SET_PART)
        units = chipset->partitions;
    struct expected expected = {0};
    uint64_t at = 0;
    for (size_t i = 0; at < ns; i = (i + 1) % program->workload->phase_count) {
        const struct phase *phase = &program->workload->phases[i];
        uint64_t end = at + phase->duration_ns < ns ? at + phase->duration_ns : ns;
        double clocks = clocks_before(domain, gpu, end) - clocks_before(domain, gpu, at);
        double one = mean(drive->row, phase, hz, units);
        expected.mean += one * clocks;
        /* Rounding at both ends of the phase; shares in steps of 1/20000 at worst. */
        expected.tolerance += 12;
        for (size_t k = 0; k < phase->activity_count; k++) {
            const struct activity *activity = &phase->activities[k];
            if (activity->kind == DOES_BURSTS)
                expected.tolerance += (double)activity->length;
            else if (activity->kind == DOES_RANDOM)
                variance += clocks / 4;
        }
        at = end;
    }
    expected.tolerance += 6 * sqrt(variance);
    return expected;
}
