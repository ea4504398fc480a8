/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_TIMER_H
#define TALLY_RECORDING_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The timer that asks for reports at a steady period: which of its strobes left none. Its period is
 * told by the file, or learned: the distance of two of its reports in a row that most of them have,
 * found by a majority vote.
 */
struct timer {
    uint64_t period; /* ticks */
    uint64_t votes;
    bool told; /* by the file: no vote is needed */
    bool gaps; /* the file lacks reports for another reason: those of other contexts */
    bool begun;
    uint64_t latest; /* the latest strobe that is accounted for */
};

/* A STREAM record. period: 0 if there is no timer, or it is not known. */
void timer_tell(struct timer *timer, uint64_t period, bool gaps);

/* Another report in a row; whether it and the one before are the timer's. */
void timer_learn(struct timer *timer, bool both, uint64_t distance);

/*
 * A report has come at `ticks`, of the timer or not: how many strobes since the one before it left
 * none. 0 if the period is not known.
 */
uint64_t timer_pass(struct timer *timer, bool own, uint64_t ticks);

/* Is the period beyond doubt, so that a gap is a loss, though no record says so? */
bool timer_is_sure(const struct timer *timer);

#endif
