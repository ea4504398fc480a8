/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_OA_WORK_H
#define TALLY_INTEL_OA_WORK_H

/*
 * Work of commands: events that are spread evenly over the clocks until it ends, in addition to
 * the inputs that a workload drives. The rest of earlier work is merged with the new work, so that
 * totals are exact and the rates of works in progress are mixed.
 *
 *     oa_work_a(unit, 26, pixels / 4, end);
 *     oa_work_noa(unit, 14, reads, end);
 *
 * `end` is a clock of tally_oa_now(), after the present one.
 */

#include <tally/oa.h>

#define EU_STAGES 6 /* dispatchers, in the order of TALLY_OA_FF's values from 1 on */
#define EU_KINDS  5 /* kinds of instructions, in the order of TALLY_OA_KIND's values from 1 on */

/* What work in the EU array does, in clocks summed over the EUs. */
enum eu_quantity {
    EU_WORK_PIPES, /* FPU0, FPU1, send: clocks in which the pipe is active */
    EU_WORK_ACTIVE = EU_WORK_PIPES + 3,
    EU_WORK_STALLED,
    EU_WORK_THREADS,      /* loaded threads, summed over the clocks */
    EU_WORK_STAGE_ACTIVE, /* by stage: EU_WORK_ACTIVE of its threads */
    EU_WORK_STAGE_STALLED = EU_WORK_STAGE_ACTIVE + EU_STAGES,
    EU_WORK_KIND =
        EU_WORK_STAGE_STALLED + EU_STAGES, /* EU_WORK_ACTIVE with an instruction of the kind */
    EU_WORK_QUANTITIES = EU_WORK_KIND + EU_KINDS
};

/* Adds events to an A counter that is not flexible; as tally_oa_work(). */
void oa_work_a(struct tally_oa *unit, unsigned counter, uint64_t count, uint64_t end);

/* Adds events to a NOA bit; at most one per clock. Counters of the bit add them to those of the
 * bit's wave. Custom events and triggers see one bit that is 1 if either is. */
void oa_work_noa(struct tally_oa *unit, unsigned bit, uint64_t count, uint64_t end);

/* Adds work in the EU array (Gen8 on), for the flexible counters. amounts: by enum eu_quantity. */
void oa_work_eus(struct tally_oa *unit, const uint64_t amounts[EU_WORK_QUANTITIES], uint64_t end);

/* Drops the rest of all work. */
void oa_end_work(struct tally_oa *unit);

#endif
