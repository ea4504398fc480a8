/* SPDX-License-Identifier: MIT */
#include "view/history.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct view_sample *history_at(const struct history *history, size_t age)
{
    if (age >= history->count)
        return NULL;
    return history->samples[(history->first + history->count - 1 - age) % HISTORY_MAX];
}

static void drop_oldest(struct history *history)
{
    free(history->samples[history->first]);
    history->first = (history->first + 1) % HISTORY_MAX;
    history->count--;
}

void history_clear(struct history *history)
{
    while (history->count)
        drop_oldest(history);
}

void history_add(struct history *history, struct view_sample *sample)
{
    const struct view_sample *newest = history_at(history, 0);
    if (newest && sample->start_ns < newest->start_ns)
        history_clear(history);
    while (
        history->count == HISTORY_MAX ||
        (history->count && history->samples[history->first]->end_ns + HISTORY_NS < sample->end_ns))
        drop_oldest(history);
    history->samples[(history->first + history->count++) % HISTORY_MAX] = sample;
}

int history_copy(struct history *to, const struct history *from)
{
    *to = (struct history){0};
    for (size_t age = from->count; age-- > 0;) {
        const struct view_sample *sample = history_at(from, age);
        size_t size = sizeof *sample + sample->value_count * sizeof sample->values[0];
        struct view_sample *copy = malloc(size);
        if (!copy) {
            history_clear(to);
            return -ENOMEM;
        }
        to->samples[to->count++] = memcpy(copy, sample, size);
    }
    return 0;
}

void history_columns(const struct history *history, history_value *value, const void *closure,
                     size_t count, double *values, enum history_state *states)
{
    const struct view_sample *newest = history_at(history, 0), *sample;
    for (size_t i = 0; i < count; i++) {
        values[i] = 0;
        states[i] = HISTORY_NONE;
    }
    double weights = 0;
    size_t column_of_weights = count;
    for (size_t age = 0; (sample = history_at(history, age)); age++) {
        uint64_t old_ns = newest->end_ns - sample->end_ns;
        size_t back = (size_t)((double)old_ns * (double)count / (double)HISTORY_NS);
        if (back >= count)
            break;
        size_t column = count - 1 - back;
        if (column != column_of_weights)
            weights = 0;
        column_of_weights = column;
        double here = sample->has_values ? value(closure, sample) : (double)NAN;
        enum history_state state = !sample->has_values ? HISTORY_LOST
                                   : isnan(here)       ? HISTORY_UNDEFINED
                                                       : HISTORY_VALUE;
        if (state == HISTORY_VALUE) {
            double weight = (double)sample->evaluated_ns + 1;
            weights += weight;
            values[column] += (here - values[column]) * weight / weights;
        }
        if (state > states[column])
            states[column] = state;
    }
}

struct history_range history_range(const struct history *history, history_value *value,
                                   const void *closure)
{
    struct history_range range = {(double)NAN, (double)NAN, (double)NAN};
    const struct view_sample *sample;
    double sum = 0, weights = 0;
    for (size_t age = 0; (sample = history_at(history, age)); age++) {
        double here = sample->has_values ? value(closure, sample) : (double)NAN;
        if (isnan(here))
            continue;
        double weight = (double)sample->evaluated_ns + 1;
        sum += here * weight;
        weights += weight;
        range.minimum = range.minimum < here ? range.minimum : here;
        range.maximum = range.maximum > here ? range.maximum : here;
    }
    if (weights > 0)
        range.mean = sum / weights;
    return range;
}
