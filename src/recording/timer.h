/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_TIMER_H
#define TALLY_RECORDING_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Finds strobes of the report timer without a report. The period is given in the file, or learned:
 * a majority vote finds the most frequent distance between two consecutive timer reports.
 */
struct timer {
    uint64_t period; /* ticks */
    uint64_t votes;
    bool period_given; /* the file has the period: no vote is needed */
    bool gaps;         /* the stream has only the reports of one context: gaps are not losses */
    bool software;     /* software makes the reports when it gets to it: distances mean nothing */
    bool begun;        /* there was a timer report */
    uint64_t latest;   /* time of the latest strobe that was processed */
};

/* Sets the period of a STREAM record, in ticks; 0: no timer, or unknown. gaps: the stream has only
 * the reports of one context. */
void timer_set_period(struct timer *timer, uint64_t period, bool gaps);

/* Learns from two consecutive reports `distance` ticks apart. both: both are timer reports. */
void timer_learn(struct timer *timer, bool both, uint64_t distance);

/*
 * Processes a report at `ticks`; own: it is a timer report. Returns the number of strobes without a
 * report before it; 0 if the period is unknown.
 */
uint64_t timer_pass(struct timer *timer, bool own, uint64_t ticks);

/* Begins anew: strobes before the next timer report had no reports, which is no loss. */
void timer_restart(struct timer *timer);

/* True if the period is certain, so that a gap is a loss even without a loss record. */
bool timer_is_sure(const struct timer *timer);

#endif
