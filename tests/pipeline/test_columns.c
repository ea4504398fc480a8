/* SPDX-License-Identifier: MIT */
/* tally_pipeline_columns() writes what tally_pipeline_next() delivers, in pieces of any size. */
#include "pipeline/recordings.h"
#include "pipeline/tests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define REPORTS  9000
#define LOST_AT  4711
#define PERIOD   1000
#define COUNTERS 128
#define CAPACITY 10000

struct arrays {
    uint64_t index[CAPACITY], gpu_start[CAPACITY], gpu_end[CAPACITY], start_ns[CAPACITY];
    uint64_t duration_ns[CAPACITY], cpu_start_ns[CAPACITY], cpu_end_ns[CAPACITY];
    uint64_t deltas[CAPACITY], lost[CAPACITY];
    uint32_t contexts[CAPACITY];
    uint8_t reasons[CAPACITY], states[CAPACITY];
    union tally_value values[COUNTERS][CAPACITY];
    union tally_value *columns[COUNTERS];
};

static struct tally_columns columns_of(struct arrays *arrays, size_t capacity, size_t counters)
{
    struct tally_columns columns = {
        .size = sizeof columns,
        .capacity = capacity,
        .index = arrays->index,
        .gpu_start = arrays->gpu_start,
        .gpu_end = arrays->gpu_end,
        .start_ns = arrays->start_ns,
        .duration_ns = arrays->duration_ns,
        .cpu_start_ns = arrays->cpu_start_ns,
        .cpu_end_ns = arrays->cpu_end_ns,
        .deltas = arrays->deltas,
        .lost = arrays->lost,
        .contexts = arrays->contexts,
        .reasons = arrays->reasons,
        .states = arrays->states,
        .values = arrays->columns,
    };
    assert_true(counters <= COUNTERS);
    for (size_t i = 0; i < counters; i++)
        arrays->columns[i] = arrays->values[i];
    return columns;
}

static struct tally_pipeline *open_build(const struct build *build, uint64_t interval_ns)
{
    struct tally_pipeline_options options = own_sets();
    struct tally_pipeline *pipeline = NULL;
    struct tally_error error = {0};
    options.interval_ns = interval_ns;
    if (tally_pipeline_open_memory(build->bytes.bytes, build->bytes.size, "built", &options,
                                   &pipeline, &error) < 0)
        fail_msg("%s", error.message);
    return pipeline;
}

static bool value_is_lost(union tally_value value, enum tally_data_type type)
{
    return type == TALLY_DOUBLE ? isnan(value.f) : value.u == TALLY_UNDEFINED;
}

/* Compares element `at` of the arrays with a sample. */
static bool same_as(const struct arrays *arrays, size_t at, const struct tally_sample *sample,
                    const struct tally_pipeline *pipeline)
{
    const size_t *counters;
    size_t count = tally_pipeline_counters(pipeline, &counters);
    bool cpu = sample->has_cpu_ns;
    bool same = arrays->index[at] == sample->index && arrays->gpu_start[at] == sample->gpu_start &&
                arrays->gpu_end[at] == sample->gpu_end &&
                arrays->start_ns[at] == sample->start_ns &&
                arrays->duration_ns[at] == sample->duration_ns &&
                arrays->cpu_start_ns[at] == (cpu ? sample->cpu_start_ns : TALLY_UNDEFINED) &&
                arrays->cpu_end_ns[at] == (cpu ? sample->cpu_end_ns : TALLY_UNDEFINED) &&
                arrays->deltas[at] == sample->deltas && arrays->lost[at] == sample->lost &&
                arrays->contexts[at] == sample->context && arrays->reasons[at] == sample->reasons &&
                arrays->states[at] == sample->state;
    for (size_t i = 0; i < count; i++) {
        enum tally_data_type type = tally_pipeline_set(pipeline)->counters[counters[i]].type;
        struct tally_statistic statistic;
        union tally_value value = arrays->values[i][at];
        if (tally_sample_statistic(sample, counters[i], &statistic))
            same &= value_is_lost(value, type);
        else
            same &= value.u == statistic.overall.u;
    }
    return same;
}

static void test_columns_are_the_samples(void **state)
{
    static const struct {
        unsigned line;
        size_t capacity;
        uint64_t interval_ns;
        bool alternate; /* take every other piece by tally_pipeline_next() */
    } rows[] = {{__LINE__, 1, 0, false},           {__LINE__, 7, 0, false},
                {__LINE__, 64, 0, true},           {__LINE__, 1000, 0, false},
                {__LINE__, CAPACITY, 0, false},    {__LINE__, 63, 0, true},
                {__LINE__, 1, 1000000, false},     {__LINE__, 10, 1000000, true},
                {__LINE__, CAPACITY, 90000, false}};
    struct build build = build_recording(5000, PERIOD, REPORTS, LOST_AT);
    struct arrays *arrays = calloc(1, sizeof *arrays);
    (void)state;
    assert_non_null(arrays);
    for (size_t r = 0; r < COUNT(rows); r++) {
        struct tally_pipeline *expected = open_build(&build, rows[r].interval_ns);
        struct tally_pipeline *pipeline = open_build(&build, rows[r].interval_ns);
        const struct tally_sample *sample, *own;
        const size_t *counters;
        size_t count = tally_pipeline_counters(pipeline, &counters), differ = 0, samples = 0;
        struct tally_columns columns = columns_of(arrays, rows[r].capacity, count);
        struct tally_error error = {0};
        ptrdiff_t got;
        while ((got = tally_pipeline_columns(pipeline, &columns, &error)) > 0) {
            for (size_t i = 0; i < (size_t)got; i++, samples++)
                differ += tally_pipeline_next(expected, &sample, &error) != 1 ||
                          !same_as(arrays, i, sample, expected);
            if (rows[r].alternate && tally_pipeline_next(pipeline, &own, &error) == 1) {
                samples++;
                differ += tally_pipeline_next(expected, &sample, &error) != 1 ||
                          sample->index != own->index;
            }
        }
        bool whole = got == 0 && tally_pipeline_next(expected, &sample, &error) == 0 &&
                     (rows[r].interval_ns || samples == REPORTS - 1);
        ROW(rows[r].line, whole && !differ && !error.code, "%zu of %zu samples differ: %s", differ,
            samples, error.message);
        tally_pipeline_close(expected);
        tally_pipeline_close(pipeline);
    }
    ROWS_DONE();
    free(arrays);
    build_fini(&build);
}

/* What is before a damaged part is written, and the next call returns the error. */
static void test_damage_comes_after_what_is_readable(void **state)
{
    struct build build = build_recording(5000, PERIOD, 300, 0);
    struct arrays *arrays = calloc(1, sizeof *arrays);
    struct tally_error error = {0};
    (void)state;
    assert_non_null(arrays);
    build.bytes.size -= 100;
    struct tally_pipeline *pipeline = open_build(&build, 0);
    struct tally_columns columns = columns_of(arrays, CAPACITY, COUNTERS);
    assert_int_equal(tally_pipeline_columns(pipeline, &columns, &error), 298);
    assert_int_equal(error.code, 0);
    for (int i = 0; i < 2; i++) {
        error = (struct tally_error){0};
        assert_int_equal(tally_pipeline_columns(pipeline, &columns, &error), -EBADMSG);
        assert_int_equal(error.code, -EBADMSG);
    }
    tally_pipeline_close(pipeline);
    free(arrays);
    build_fini(&build);
}

static void test_wrong_columns_are_refused(void **state)
{
    struct build build = build_recording(5000, PERIOD, 300, 0);
    struct tally_pipeline *pipeline = open_build(&build, 0);
    struct tally_columns columns = TALLY_COLUMNS_INIT;
    struct tally_error error = {0};
    struct {
        struct tally_columns known;
        void *unknown;
    } larger = {TALLY_COLUMNS_INIT, &error};
    (void)state;
    assert_int_equal(tally_pipeline_columns(pipeline, &columns, &error), -EINVAL);
    assert_string_equal(error.message, "tally_columns: capacity 0, expected at least 1");
    larger.known.size = sizeof larger;
    larger.known.capacity = 1;
    assert_int_equal(tally_pipeline_columns(pipeline, &larger.known, &error), -E2BIG);
    columns.capacity = 1000; /* no array at all: samples are passed over */
    assert_int_equal(tally_pipeline_columns(pipeline, &columns, &error), 299);
    assert_int_equal(tally_pipeline_columns(pipeline, &columns, &error), 0);
    tally_pipeline_close(pipeline);
    build_fini(&build);
}

int test_columns(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_are_the_samples),
        cmocka_unit_test(test_damage_comes_after_what_is_readable),
        cmocka_unit_test(test_wrong_columns_are_refused),
    };
    return cmocka_run_group_tests_name("columns", tests, NULL, NULL);
}
