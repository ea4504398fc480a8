/* SPDX-License-Identifier: MIT */
/* Timelines against a plain reference: each bucket computed from all of its deltas. */
#include "sink/tests.h"

#include <inttypes.h>
#include <math.h>

#include "sink/timeline.h"

#define REPORTS  400
#define COUNTERS 3

/* A recording of random reports with random values, states and contexts. */
struct data {
    const struct tally_layout *layout;
    uint8_t bytes[REPORTS][256];
    const uint8_t *reports[REPORTS];
    uint64_t ticks[REPORTS];
    uint32_t contexts[REPORTS];
    uint8_t reasons[REPORTS], states[REPORTS];
    union tally_value values[COUNTERS][REPORTS];
    enum tally_data_type types[COUNTERS];
    uint64_t period_ticks;
    size_t count;         /* reports */
    uint64_t first_index; /* of the first one, in its recording */
};

static uint64_t random_state;

static uint64_t draw(uint64_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (random_state >> 33) % limit;
}

static void make_data(struct data *data)
{
    data->layout = tally_layout_find("skl/101");
    data->count = 2 + draw(REPORTS - 1);
    data->period_ticks = draw(4) ? 100 : 0;
    data->first_index = draw(2) ? draw(1000000) : 0; /* a range begins later */
    uint64_t ticks = draw(1000);
    for (size_t i = 0; i < data->count; i++) {
        for (size_t j = 0; j < sizeof data->bytes[i]; j++)
            data->bytes[i][j] = (uint8_t)draw(256);
        data->reports[i] = data->bytes[i];
        data->ticks[i] = ticks;
        ticks += draw(8) ? 100 : draw(60);
        data->contexts[i] = (uint32_t)draw(3);
        data->states[i] = draw(10)
                              ? TALLY_STATE_OK
                              : (uint8_t)(TALLY_STATE_LOST + draw(3)); /* or AMBIGUOUS, or PAUSED */
        for (size_t c = 0; c < COUNTERS; c++) {
            data->types[c] = c == 1 ? TALLY_UINT64 : TALLY_DOUBLE;
            if (data->types[c] == TALLY_UINT64)
                data->values[c][i].u = draw(5) ? draw(1000) : TALLY_UNDEFINED;
            else
                data->values[c][i].f = draw(5) ? (double)draw(2000) - 1000 : (double)NAN;
        }
    }
}

/* Feeds the data in batches and blocks of random sizes. */
static void feed(struct timeline *timeline, const struct data *data)
{
    for (size_t from = 0; from + 1 < data->count;) {
        size_t deltas = 1 + draw(data->count - 1 - from);
        const uint8_t *reports[REPORTS];
        struct tally_batch batch = {.count = deltas + 1,
                                    .first_index = data->first_index + from,
                                    .reports = reports,
                                    .gpu_ticks = (uint64_t *)(uintptr_t)(data->ticks + from),
                                    .contexts = (uint32_t *)(uintptr_t)(data->contexts + from),
                                    .reasons = (uint8_t *)(uintptr_t)(data->reasons + from),
                                    .states = (uint8_t *)(uintptr_t)(data->states + from),
                                    .period_ticks = data->period_ticks};
        memcpy(reports, data->reports + from, (deltas + 1) * sizeof *reports);
        for (size_t start = 0; start < deltas;) {
            struct timeline_column columns[COUNTERS];
            size_t count = 1 + draw(deltas - start < 64 ? deltas - start : 64);
            for (size_t c = 0; c < COUNTERS; c++)
                columns[c] =
                    (struct timeline_column){data->values[c] + from + start, data->types[c]};
            timeline_add(timeline, &batch, start, count, columns);
            start += count;
        }
        from += deltas;
    }
}

static bool is_near(double a, double b)
{
    return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Checks a counter of a bucket, by the definitions of docs/values.md. */
static void check_value(const struct data *data, const struct timeline *timeline, size_t c,
                        size_t b, size_t from, size_t to)
{
    const struct timeline_value *got = &timeline->values[c * timeline->capacity + b];
    double minimum = (double)NAN, maximum = (double)NAN, sum = 0, ticks = 0, only = (double)NAN;
    size_t defined = 0;
    for (size_t i = from; i < to; i++) {
        double value = tally_value_double(data->values[c][i], data->types[c]);
        double length = (double)(data->ticks[i + 1] - data->ticks[i]);
        if (data->states[i] != TALLY_STATE_OK || isnan(value))
            continue;
        defined++;
        only = value;
        sum += value * length;
        ticks += length;
        if (2 * length < (double)data->period_ticks)
            continue;
        minimum = isnan(minimum) || value < minimum ? value : minimum;
        maximum = isnan(maximum) || value > maximum ? value : maximum;
    }
    ROW(__LINE__, is_same(got->minimum, minimum) && is_same(got->maximum, maximum),
        "bucket %zu counter %zu: %g to %g, expected %g to %g", b, c, got->minimum, got->maximum,
        minimum, maximum);
    if (defined == 1) /* bit for bit */
        ROW(__LINE__, is_same(got->mean, only), "bucket %zu: %g, expected %g", b, got->mean, only);
    else if (!defined)
        ROW(__LINE__, isnan(got->mean), "bucket %zu: %g without a value", b, got->mean);
    else if (ticks > 0)
        ROW(__LINE__, is_near(got->mean, sum / ticks), "bucket %zu counter %zu: mean %g, not %g", b,
            c, got->mean, sum / ticks);
}

static void check_sums(const struct data *data, const struct timeline *timeline, size_t b,
                       size_t from, size_t to)
{
    uint64_t sums[TALLY_SLOT_COUNT] = {0};
    for (size_t i = from; i < to; i++) {
        uint64_t start[TALLY_SLOT_COUNT] = {0}, end[TALLY_SLOT_COUNT] = {0};
        if (data->states[i] != TALLY_STATE_OK)
            continue;
        tally_report_unpack(data->layout, data->reports[i], start);
        tally_report_unpack(data->layout, data->reports[i + 1], end);
        for (unsigned slot = 0; slot < TALLY_SLOT_COUNT; slot++) {
            unsigned width = tally_layout_width(data->layout, slot);
            if (width)
                sums[slot] += tally_counter_delta(start[slot], end[slot], width);
        }
    }
    for (size_t s = 0; s < timeline->slot_count; s++)
        ROW(__LINE__, timeline->sums[s * timeline->capacity + b] == sums[timeline->slots[s]],
            "bucket %zu: sum of slot %u", b, timeline->slots[s]);
}

static void check_bucket(const struct data *data, const struct timeline *timeline, size_t b)
{
    size_t from = b << timeline->shift, to = (b + 1) << timeline->shift;
    const struct timeline_bucket *bucket = &timeline->buckets[b];
    uint32_t lost = 0, paused = 0, first = 0;
    bool mixed = false, any = false;
    to = to < data->count - 1 ? to : data->count - 1;
    for (size_t i = from; i < to; i++) {
        if (data->states[i] != TALLY_STATE_OK) {
            lost += data->states[i] != TALLY_STATE_PAUSED;
            paused += data->states[i] == TALLY_STATE_PAUSED;
            continue;
        }
        mixed |= any && data->contexts[i] != first;
        first = any ? first : data->contexts[i];
        any = true;
    }
    ROW(__LINE__, bucket->start_ticks == data->ticks[from] && bucket->end_ticks == data->ticks[to],
        "bucket %zu: times", b);
    ROW(__LINE__, bucket->lost == lost && bucket->deltas == to - from - lost - paused,
        "bucket %zu: lost", b);
    ROW(__LINE__, bucket->mixed == mixed && (mixed || !any || bucket->context == first),
        "bucket %zu: contexts", b);
    for (size_t c = 0; c < COUNTERS; c++)
        check_value(data, timeline, c, b, from, to);
    check_sums(data, timeline, b, from, to);
}

static void test_buckets(void **state)
{
    (void)state;
    for (unsigned round = 0; round < random_cases(400); round++) {
        static struct data data;
        random_state = round;
        make_data(&data);
        struct timeline *timeline = timeline_new(data.layout, COUNTERS, 600 + draw(200000));
        assert_non_null(timeline);
        feed(timeline, &data);
        size_t deltas = data.count - 1;
        ROW(__LINE__, timeline->first_index == data.first_index, "round %u: first delta %" PRIu64,
            round, timeline->first_index);
        ROW(__LINE__, timeline->count == (deltas + (1u << timeline->shift) - 1) >> timeline->shift,
            "round %u: %zu buckets of %zu deltas", round, timeline->count, deltas);
        /* No more detail was given up than necessary. */
        ROW(__LINE__, !timeline->shift || deltas > timeline->capacity << (timeline->shift - 1),
            "round %u: %zu deltas in buckets of %u, capacity %zu", round, deltas,
            1u << timeline->shift, timeline->capacity);
        for (size_t b = 0; b < timeline->count; b++)
            check_bucket(&data, timeline, b);
        size_t max = 1 + draw(timeline->count);
        timeline_reduce(timeline, max);
        ROW(__LINE__, timeline->count <= max, "round %u: reduced to %zu", round, timeline->count);
        for (size_t b = 0; b < timeline->count; b++)
            check_bucket(&data, timeline, b);
        timeline_free(timeline);
    }
    ROWS_DONE();
}

static void test_length_of_the_memory(void **state)
{
    (void)state;
    const struct tally_layout *layout = tally_layout_find("skl/101");
    struct timeline *timeline = timeline_new(layout, 50, 1u << 20);
    assert_non_null(timeline);
    size_t bytes = sizeof *timeline->buckets + 50 * sizeof *timeline->values +
                   timeline->slot_count * sizeof *timeline->sums;
    assert_true(timeline->capacity % 2 == 0 && timeline->capacity * bytes <= 1u << 20);
    assert_true((timeline->capacity + 2) * bytes > 1u << 20);
    timeline_free(timeline);
}

int test_timelines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_buckets),
        cmocka_unit_test(test_length_of_the_memory),
    };
    return cmocka_run_group_tests_name("timelines", tests, NULL, NULL);
}
