/* SPDX-License-Identifier: MIT */
#include "recording/timer.h"

/* So many more distances are this one than are others. */
#define SURE_VOTES 16

void timer_tell(struct timer *timer, uint64_t period, bool gaps)
{
    timer->told = period != 0;
    timer->period = period;
    timer->gaps = gaps;
}

void timer_learn(struct timer *timer, bool both, uint64_t distance)
{
    if (timer->told || !both)
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
    return !timer->gaps && (timer->told || timer->votes >= SURE_VOTES);
}

/* Strobes come when a bit of the timestamp rises, give or take a little: a report of the timer that
 * is nearer to the n-th one is its own. Before another report, those that are not just due. */
uint64_t timer_pass(struct timer *timer, bool own, uint64_t ticks)
{
    uint64_t period = timer->told || timer->votes ? timer->period : 0;
    uint64_t passed = timer->begun && ticks > timer->latest ? ticks - timer->latest : 0;
    uint64_t strobes = 0;
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
