/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_HISTORY_H
#define TALLY_VIEW_HISTORY_H

#include "view/sample.h"

/* The samples of the last minute, as a ring. {0} is an empty history. */

#define HISTORY_NS  UINT64_C(60000000000)
#define HISTORY_MAX 1500 /* samples; more than a minute has at the shortest interval */

struct history {
    struct view_sample *samples[HISTORY_MAX];
    size_t first, count;
};

/* Adds a sample, which the history owns from then on, and frees those that are too old. A sample
 * that is not later than the newest one starts the history anew: the recording began again. */
void history_add(struct history *history, struct view_sample *sample);

/* Returns a sample by its age: 0 is the newest; NULL: there is none. */
const struct view_sample *history_at(const struct history *history, size_t age);

/* Copies the samples. Returns 0 or -ENOMEM. */
int history_copy(struct history *to, const struct history *from);

void history_clear(struct history *history);

/* What a column of a sparkline shows. */
enum history_state {
    HISTORY_NONE,      /* no sample */
    HISTORY_UNDEFINED, /* samples in which the value is not defined */
    HISTORY_VALUE,
    HISTORY_LOST /* a sample without values, because of losses */
};

/* Returns the value of a sample that a sparkline or statistic is about; NaN: not defined. */
typedef double history_value(const void *closure, const struct view_sample *sample);

/* Divides the last minute into `count` parts, the latest last, and sets the mean of the samples of
 * each part, weighted by their time. */
void history_columns(const struct history *history, history_value *value, const void *closure,
                     size_t count, double *values, enum history_state *states);

/* The extremes and mean of the values of the minute; NaN if none is defined. */
struct history_range {
    double minimum, mean, maximum;
};
struct history_range history_range(const struct history *history, history_value *value,
                                   const void *closure);

#endif
