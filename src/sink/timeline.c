/* SPDX-License-Identifier: MIT */
#include "sink/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "base/minmax.h"
#include "recording/ledger.h"

/* A delta that is shorter than this part of the period does not count for minimum and maximum. */
#define BRIEF_DIVISOR 2

static const struct timeline_value no_value = {(double)NAN, (double)NAN, (double)NAN, 0};

static size_t bucket_bytes(const struct timeline *timeline)
{
    return sizeof(struct timeline_bucket) +
           timeline->counter_count * sizeof(struct timeline_value) +
           timeline->slot_count * sizeof(uint64_t);
}

static void find_slots(struct timeline *timeline)
{
    for (unsigned slot = TALLY_SLOT_TIMESTAMP; slot < TALLY_SLOT_RESERVED; slot++) {
        bool counts =
            slot == TALLY_SLOT_TIMESTAMP || slot == TALLY_SLOT_TICKS || slot >= TALLY_SLOT_A;
        if (counts && tally_layout_width(timeline->layout, slot))
            timeline->slots[timeline->slot_count++] = (uint8_t)slot;
    }
}

struct timeline *timeline_new(const struct tally_layout *layout, size_t counter_count,
                              size_t max_bytes)
{
    struct timeline *timeline = calloc(1, sizeof *timeline);
    if (!timeline)
        return NULL;
    timeline->layout = layout;
    timeline->counter_count = counter_count;
    find_slots(timeline);
    size_t capacity = max_size(max_bytes / bucket_bytes(timeline) & ~(size_t)1, 2);
    timeline->capacity = capacity;
    timeline->buckets = calloc(capacity, sizeof *timeline->buckets);
    timeline->values = malloc((capacity * counter_count + 1) * sizeof *timeline->values);
    timeline->sums = calloc(capacity * timeline->slot_count + 1, sizeof *timeline->sums);
    timeline->columns = calloc(counter_count + 1, sizeof *timeline->columns);
    if (timeline->buckets && timeline->values && timeline->sums && timeline->columns)
        return timeline;
    timeline_free(timeline);
    return NULL;
}

void timeline_free(struct timeline *timeline)
{
    if (!timeline)
        return;
    free(timeline->buckets);
    free(timeline->values);
    free(timeline->sums);
    free(timeline->columns);
    free(timeline);
}

/* ---- merging --------------------------------------------------------------------------------- */

static struct timeline_value merge_values(struct timeline_value a, struct timeline_value b)
{
    if (isnan(a.mean))
        return b;
    if (isnan(b.mean))
        return a;
    double ticks = a.ticks + b.ticks;
    return (struct timeline_value){
        .minimum = fmin(a.minimum, b.minimum), /* the other one, if one is NaN */
        .maximum = fmax(a.maximum, b.maximum),
        /* Deltas of no length have no weight. */
        .mean = ticks > 0 ? a.mean + (b.mean - a.mean) * (b.ticks / ticks) : a.mean,
        .ticks = ticks,
    };
}

static void merge_context(struct timeline_bucket *into, const struct timeline_bucket *from)
{
    if (!from->deltas)
        return;
    if (!into->deltas) {
        into->context = from->context;
        into->context_ticks = from->context_ticks;
        into->mixed = from->mixed;
    } else if (into->context == from->context) {
        into->context_ticks += from->context_ticks;
        into->mixed |= from->mixed;
    } else {
        into->mixed = true;
        if (from->context_ticks > into->context_ticks) {
            into->context = from->context;
            into->context_ticks = from->context_ticks;
        }
    }
}

/* Adds a bucket that follows in time. */
static void merge_buckets(struct timeline_bucket *into, const struct timeline_bucket *from)
{
    merge_context(into, from);
    into->end_ticks = from->end_ticks;
    into->deltas += from->deltas;
    into->lost += from->lost;
}

static void halve(struct timeline *timeline)
{
    size_t count = timeline->count, half = (count + 1) / 2;
    for (size_t b = 0; b < half; b++) {
        struct timeline_bucket *bucket = &timeline->buckets[b];
        *bucket = timeline->buckets[2 * b];
        if (2 * b + 1 < count)
            merge_buckets(bucket, &timeline->buckets[2 * b + 1]);
    }
    for (size_t c = 0; c < timeline->counter_count; c++) {
        struct timeline_value *values = timeline->values + c * timeline->capacity;
        for (size_t b = 0; b < half; b++)
            values[b] =
                2 * b + 1 < count ? merge_values(values[2 * b], values[2 * b + 1]) : values[2 * b];
    }
    for (size_t s = 0; s < timeline->slot_count; s++) {
        uint64_t *sums = timeline->sums + s * timeline->capacity;
        for (size_t b = 0; b < half; b++)
            sums[b] = sums[2 * b] + (2 * b + 1 < count ? sums[2 * b + 1] : 0);
    }
    timeline->count = half;
    timeline->shift++;
}

void timeline_reduce(struct timeline *timeline, size_t max_buckets)
{
    while (timeline->count > max_buckets)
        halve(timeline);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static void begin_bucket(struct timeline *timeline, uint64_t start_ticks)
{
    size_t b = timeline->count++;
    timeline->buckets[b] = (struct timeline_bucket){.start_ticks = start_ticks};
    for (size_t c = 0; c < timeline->counter_count; c++)
        timeline->values[c * timeline->capacity + b] = no_value;
    for (size_t s = 0; s < timeline->slot_count; s++)
        timeline->sums[s * timeline->capacity + b] = 0;
}

/* Consecutive deltas of a batch that are OK and in the same bucket. */
struct span {
    const struct tally_batch *batch;
    size_t start, count;
    size_t in_block; /* index of the first one in the columns */
};

static uint64_t length_of(const struct tally_batch *batch, size_t i)
{
    return batch->gpu_ticks[i + 1] - batch->gpu_ticks[i];
}

static void add_values(struct timeline_value *into, const struct timeline_column *column,
                       const struct span *span)
{
    uint64_t shortest = (span->batch->period_ticks + BRIEF_DIVISOR - 1) / BRIEF_DIVISOR;
    for (size_t i = 0; i < span->count; i++) {
        union tally_value value = column->values[span->in_block + i];
        if (!tally_value_is_defined(value, column->type))
            continue;
        double number = tally_value_double(value, column->type);
        uint64_t ticks = length_of(span->batch, span->start + i);
        bool brief = ticks < shortest;
        double extreme = brief ? (double)NAN : number;
        *into =
            merge_values(*into, (struct timeline_value){extreme, extreme, number, (double)ticks});
    }
}

static void add_sums(struct timeline *timeline, size_t b, const struct span *span)
{
    uint64_t sums[TALLY_SLOT_COUNT] = {0};
    tally_accumulate(timeline->layout, span->batch->reports + span->start, span->count, sums);
    for (size_t s = 0; s < timeline->slot_count; s++)
        timeline->sums[s * timeline->capacity + b] += sums[timeline->slots[s]];
}

static void add_delta(struct timeline_bucket *bucket, const struct tally_batch *batch, size_t i)
{
    bool ok = batch->states[i] == TALLY_STATE_OK;
    const struct timeline_bucket delta = {
        .start_ticks = batch->gpu_ticks[i],
        .end_ticks = batch->gpu_ticks[i + 1],
        .deltas = ok,
        .lost = state_is_lost((enum tally_state)batch->states[i]),
        .context = batch->contexts[i],
        .context_ticks = length_of(batch, i),
    };
    merge_buckets(bucket, &delta);
}

/* Adds deltas of one bucket. */
static void add_to_bucket(struct timeline *timeline, const struct span *deltas,
                          const struct timeline_column *columns)
{
    size_t b = timeline->count - 1;
    const struct tally_batch *batch = deltas->batch;
    for (size_t i = 0; i < deltas->count; i++)
        add_delta(&timeline->buckets[b], batch, deltas->start + i);
    for (size_t i = 0; i < deltas->count;) {
        struct span span = {batch, deltas->start + i, 0, deltas->in_block + i};
        while (i < deltas->count && batch->states[deltas->start + i] == TALLY_STATE_OK) {
            span.count++;
            i++;
        }
        if (!span.count) {
            i++;
            continue;
        }
        for (size_t c = 0; c < timeline->counter_count; c++)
            if (columns[c].values)
                add_values(&timeline->values[c * timeline->capacity + b], &columns[c], &span);
        add_sums(timeline, b, &span);
    }
}

void timeline_add(struct timeline *timeline, const struct tally_batch *batch, size_t start,
                  size_t count, const struct timeline_column *columns)
{
    timeline->period_ticks = batch->period_ticks;
    for (size_t i = 0; i < count;) {
        if (!timeline->count)
            timeline->first_index = batch->first_index + start + i;
        uint64_t index = batch->first_index + start + i - timeline->first_index;
        while (index >> timeline->shift >= timeline->capacity)
            halve(timeline);
        uint64_t of_bucket = UINT64_C(1) << timeline->shift;
        if (index >> timeline->shift >= timeline->count)
            begin_bucket(timeline, batch->gpu_ticks[start + i]);
        uint64_t left = of_bucket - (index & (of_bucket - 1));
        const struct span deltas = {batch, start + i, left < count - i ? (size_t)left : count - i,
                                    i};
        add_to_bucket(timeline, &deltas, columns);
        i += deltas.count;
    }
}

void timeline_add_results(struct timeline *timeline, const struct sink_context *context,
                          const struct tally_batch *batch, size_t start, size_t count)
{
    for (size_t c = 0; c < timeline->counter_count; c++) {
        size_t counter = context->counters[c];
        timeline->columns[c] = (struct timeline_column){
            tally_program_values(context->program, counter), context->set->counters[counter].type};
    }
    timeline_add(timeline, batch, start, count, timeline->columns);
}
