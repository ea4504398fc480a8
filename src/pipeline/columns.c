/* SPDX-License-Identifier: MIT */
/* Evaluated samples as arrays, one for each member and counter. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/options.h"
#include "pipeline/pipeline.h"
#include "recording/ledger.h"

static union tally_value undefined(enum tally_data_type type)
{
    union tally_value value = {.u = TALLY_UNDEFINED};
    if (type == TALLY_DOUBLE)
        value.f = (double)NAN;
    return value;
}

/* Writes an element for each delta from `from` on. */
#define PUT_COLUMN(column, i, expression)                                                          \
    do {                                                                                           \
        if (column)                                                                                \
            for (size_t i = from; i < from + count; i++)                                           \
                (column)[at + i - from] = (expression);                                            \
    } while (0)

static uint64_t cpu_ns(const struct tally_pipeline *pipeline, uint64_t ticks)
{
    uint64_t ns;
    return tally_recording_cpu_ns(pipeline->recording, ticks, &ns) ? TALLY_UNDEFINED : ns;
}

static void put_times(const struct tally_pipeline *pipeline, const struct tally_columns *to,
                      size_t at, size_t from, size_t count)
{
    const uint64_t *ticks = pipeline->iterator.batch->gpu_ticks;
    uint64_t origin = pipeline->iterator.origin_ticks;
    PUT_COLUMN(to->gpu_start, i, ticks[i]);
    PUT_COLUMN(to->gpu_end, i, ticks[i + 1]);
    PUT_COLUMN(to->start_ns, i, iterator_ns(pipeline, ticks[i] - origin));
    PUT_COLUMN(to->duration_ns, i, iterator_ns(pipeline, ticks[i + 1] - ticks[i]));
    PUT_COLUMN(to->cpu_start_ns, i, cpu_ns(pipeline, ticks[i]));
    PUT_COLUMN(to->cpu_end_ns, i, cpu_ns(pipeline, ticks[i + 1]));
}

/* Writes the values of `count` deltas of the block from `in_block` on; those of lost ones are
 * undefined. */
static void put_values(const struct tally_pipeline *pipeline, const struct tally_columns *to,
                       size_t at, size_t in_block, const uint8_t *states, size_t count)
{
    for (size_t i = 0; to->values && i < pipeline->counter_count; i++) {
        union tally_value *column = to->values[i];
        size_t counter = pipeline->counters[i];
        if (!column)
            continue;
        memcpy(column + at, tally_program_values(pipeline->program, counter) + in_block,
               count * sizeof *column);
        for (size_t k = 0; k < count; k++)
            if (states[k] != TALLY_STATE_OK)
                column[at + k] = undefined(pipeline->set->counters[counter].type);
    }
}

/* Writes what is left of the evaluated block. Returns the number of deltas. */
static size_t put_block(struct tally_pipeline *pipeline, const struct tally_columns *to, size_t at)
{
    struct iterator *iterator = &pipeline->iterator;
    const struct tally_batch *batch = iterator->batch;
    size_t from = iterator->start + iterator->next;
    size_t count = min_size(iterator->count - iterator->next, to->capacity - at);
    PUT_COLUMN(to->index, i, batch->first_index + i);
    PUT_COLUMN(to->deltas, i, batch->states[i] == TALLY_STATE_OK);
    PUT_COLUMN(to->lost, i, state_is_lost((enum tally_state)batch->states[i]));
    PUT_COLUMN(to->contexts, i, batch->contexts[i]);
    PUT_COLUMN(to->reasons, i, batch->reasons[i]);
    PUT_COLUMN(to->states, i, batch->states[i]);
    put_times(pipeline, to, at, from, count);
    put_values(pipeline, to, at, iterator->next, batch->states + from, count);
    iterator->next += count;
    return count;
}

#define PUT_ELEMENT(column, value)                                                                 \
    do {                                                                                           \
        if (column)                                                                                \
            (column)[at] = (value);                                                                \
    } while (0)

/* Writes one interval. */
static void put_interval(struct tally_pipeline *pipeline, const struct tally_columns *to, size_t at)
{
    const struct tally_sample *sample = iterator_deliver(pipeline);
    PUT_ELEMENT(to->index, sample->index);
    PUT_ELEMENT(to->gpu_start, sample->gpu_start);
    PUT_ELEMENT(to->gpu_end, sample->gpu_end);
    PUT_ELEMENT(to->start_ns, sample->start_ns);
    PUT_ELEMENT(to->duration_ns, sample->duration_ns);
    PUT_ELEMENT(to->cpu_start_ns, sample->has_cpu_ns ? sample->cpu_start_ns : TALLY_UNDEFINED);
    PUT_ELEMENT(to->cpu_end_ns, sample->has_cpu_ns ? sample->cpu_end_ns : TALLY_UNDEFINED);
    PUT_ELEMENT(to->deltas, sample->deltas);
    PUT_ELEMENT(to->lost, sample->lost);
    PUT_ELEMENT(to->contexts, sample->context);
    PUT_ELEMENT(to->reasons, (uint8_t)sample->reasons);
    PUT_ELEMENT(to->states, (uint8_t)sample->state);
    for (size_t i = 0; to->values && i < pipeline->counter_count; i++) {
        size_t counter = pipeline->counters[i];
        struct tally_statistic statistic;
        if (to->values[i])
            to->values[i][at] = tally_sample_statistic(sample, counter, &statistic)
                                    ? undefined(pipeline->set->counters[counter].type)
                                    : statistic.overall;
    }
}

ptrdiff_t tally_pipeline_columns(struct tally_pipeline *pipeline,
                                 const struct tally_columns *columns, struct tally_error *error)
{
    struct tally_columns to;
    struct tally_error own = {0};
    size_t filled = 0;
    int result = options_copy(&to, sizeof to, columns, "tally_columns", error);
    if (result < 0)
        return result;
    if (!to.capacity || to.capacity > PTRDIFF_MAX)
        return fail(error, -EINVAL, "tally_columns: capacity %zu, expected at least 1",
                    to.capacity);
    while (filled < to.capacity && (result = iterator_advance(pipeline, &own)) > 0) {
        if (pipeline->iterator.next < pipeline->iterator.count)
            filled += put_block(pipeline, &to, filled);
        else
            put_interval(pipeline, &to, filled++);
    }
    if (filled)
        return (ptrdiff_t)filled; /* an error is returned by the next call */
    if (result < 0 && error)
        *error = own;
    return result;
}
