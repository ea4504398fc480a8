/* SPDX-License-Identifier: MIT */
#include "recording/timer.h"

/* Votes for a learned period, less those for other distances, from which on it is certain. */
#define SURE_VOTES 16

void timer_set_period(struct timer *timer, uint64_t period, bool gaps)
{
    timer->period_given = period != 0;
    timer->period = period;
    timer->gaps = gaps;
}

void timer_learn(struct timer *timer, bool both, uint64_t distance)
{
    if (timer->period_given || timer->software || !both)
        return;
    if (distance == timer->period) {
        timer->votes++;
    } else if (timer->votes) {
        timer->votes--;
    } else {
        timer->period = distance;
        timer->votes = 1;
    }
}

bool timer_is_sure(const struct timer *timer)
{
    return !timer->gaps && !timer->software && (timer->period_given || timer->votes >= SURE_VOTES);
}

void timer_restart(struct timer *timer)
{
    timer->begun = false;
}

/*
 * A strobe occurs when a bit of the timestamp rises, with some jitter, so a timer report belongs to
 * the nearest strobe. For other reports, a strobe of the last eighth of a period is not counted
 * yet, since its report may follow.
 */
uint64_t timer_pass(struct timer *timer, bool own, uint64_t ticks)
{
    uint64_t period = timer->period_given || timer->votes ? timer->period : 0;
    uint64_t passed = timer->begun && ticks > timer->latest ? ticks - timer->latest : 0;
    uint64_t strobes = 0;
    if (timer->software)
        return 0;
    if (own && passed == period && period) { /* nearly always */
        timer->latest = ticks;
        return 0;
    }
    if (period && own)
        strobes = passed / period + (passed % period >= (period + 1) / 2);
    else if (period && passed > period / 8)
        strobes = (passed - period / 8) / period;
    if (own)
        timer->latest = ticks;
    else
        timer->latest += strobes * period;
    timer->begun |= own;
    return own && strobes ? strobes - 1 : strobes;
}
