/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_TIMER_H
#define TALLY_RECORDING_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The timer that triggers reports at a steady period; finds the strobes that left no report. The
 * period is given in the file, or learned: the most frequent distance between two consecutive timer
 * reports, found by a majority vote.
 */
struct timer {
    uint64_t period; /* ticks */
    uint64_t votes;
    bool period_given; /* the file has the period: no vote is needed */
    bool gaps;         /* reports are missing for another reason: they belong to other contexts */
    bool begun;
    uint64_t latest; /* time of the latest strobe that is accounted for */
};

/* Sets the period of a STREAM record, in ticks; 0: no timer, or unknown. gaps: the stream has only
 * the reports of one context. */
void timer_set_period(struct timer *timer, uint64_t period, bool gaps);

/* Learns from two consecutive reports `distance` ticks apart. both: both are timer reports. */
void timer_learn(struct timer *timer, bool both, uint64_t distance);

/*
 * Processes a report at `ticks`; own: it is a timer report. Returns the number of strobes since the
 * previous one that left no report; 0 if the period is unknown.
 */
uint64_t timer_pass(struct timer *timer, bool own, uint64_t ticks);

/* True if the period is certain, so that a gap is a loss even without a loss record. */
bool timer_is_sure(const struct timer *timer);

#endif
