/* SPDX-License-Identifier: MIT */
/* The iterator, compared with its parts; groups, options, and the loss state. */
#include "pipeline/recordings.h"
#include "pipeline/tests.h"

#include <errno.h>
#include <inttypes.h>

#define REPORTS 9000 /* more than two batches */
#define LOST_AT 4711
#define PERIOD  1000

static struct tally_pipeline *open_build(const struct build *build,
                                         const struct tally_pipeline_options *options)
{
    struct tally_pipeline *pipeline = NULL;
    struct tally_error error = {0};
    if (tally_pipeline_open_memory(build->bytes.bytes, build->bytes.size, "built", options,
                                   &pipeline, &error) < 0)
        fail_msg("%s", error.message);
    return pipeline;
}

/* Each sample equals the result of program and reader for the same pair of reports. */
static void test_samples_are_those_of_the_program(void **state)
{
    struct build build = build_recording(5000, PERIOD, REPORTS, LOST_AT);
    struct tally_pipeline_options options = own_sets();
    struct tally_pipeline *pipeline = open_build(&build, &options);
    struct tally_recording *recording;
    struct tally_error error = {0};
    struct tally_batch *batch = tally_batch_new();
    struct tally_program *program;
    struct tally_environment environment;
    const struct tally_sample *sample;
    uint64_t index = 0;
    (void)state;
    assert_int_equal(tally_recording_open_memory(build.bytes.bytes, build.bytes.size, "built", NULL,
                                                 &recording, &error),
                     0);
    const struct tally_metric_set *set = tally_pipeline_set(pipeline);
    tally_environment_of(tally_recording_info(recording), &environment);
    assert_int_equal(tally_program_new(set, &environment, tally_recording_info(recording)->layout,
                                       &program, &error),
                     0);
    while (tally_recording_read(recording, batch, &error) > 0) {
        for (size_t i = 0; i + 1 < batch->count; i++, index++) {
            assert_int_equal(tally_pipeline_next(pipeline, &sample, &error), 1);
            tally_program_run(program, batch->reports + i, 1);
            bool ok = batch->states[i] == TALLY_STATE_OK;
            bool same = sample->index == index && sample->state == batch->states[i] &&
                        sample->has_values == ok && sample->deltas == ok && sample->lost == !ok &&
                        sample->gpu_start == batch->gpu_ticks[i] &&
                        sample->gpu_end == batch->gpu_ticks[i + 1] &&
                        sample->context == batch->contexts[i] &&
                        sample->reasons == batch->reasons[i];
            for (size_t c = 0; c < set->counter_count; c++) {
                struct tally_statistic statistic;
                int got = tally_sample_statistic(sample, c, &statistic);
                bool there = tally_program_state(program, c) == TALLY_COUNTER_OK;
                same &= got == (!there ? -ENOENT : ok ? 0 : -ENODATA);
                if (!got)
                    same &= statistic.overall.u == tally_program_values(program, c)[0].u &&
                            statistic.type == set->counters[c].type;
            }
            ROW(__LINE__, same, "report %" PRIu64, index);
        }
    }
    assert_int_equal(index, REPORTS - 1);
    assert_int_equal(tally_pipeline_next(pipeline, &sample, &error), 0);
    assert_int_equal(tally_pipeline_next(pipeline, &sample, &error), 0);
    ROWS_DONE();
    tally_program_free(program);
    tally_batch_free(batch);
    tally_recording_close(recording);
    tally_pipeline_close(pipeline);
    build_fini(&build);
}

/* ---- intervals ------------------------------------------------------------------------------- */

struct interval_check {
    struct tally_pipeline *pipeline;
    size_t intervals, totals, failed;
};

static void check_group(void *closure, const struct tally_group *group,
                        const struct tally_statistic *statistics)
{
    struct interval_check *check = closure;
    const struct tally_sample *sample;
    const size_t *counters;
    if (group->by != TALLY_BY_INTERVAL) {
        check->totals++;
        return;
    }
    check->intervals++;
    if (tally_pipeline_next(check->pipeline, &sample, NULL) != 1) {
        check->failed++;
        return;
    }
    size_t count = tally_pipeline_counters(check->pipeline, &counters);
    bool same = sample->index == group->key && sample->deltas == group->deltas &&
                sample->lost == group->lost && sample->gpu_start == group->first_ticks &&
                sample->gpu_end == group->last_ticks &&
                sample->state == (group->lost ? TALLY_STATE_LOST : TALLY_STATE_OK);
    for (size_t i = 0; i < count && group->deltas; i++) {
        struct tally_statistic statistic;
        const struct tally_statistic *expected = &statistics[counters[i]];
        same &= !tally_sample_statistic(sample, counters[i], &statistic) &&
                statistic.overall.u == expected->overall.u &&
                statistic.minimum.u == expected->minimum.u &&
                statistic.maximum.u == expected->maximum.u && statistic.mean == expected->mean;
    }
    check->failed += !same;
}

static void test_intervals_are_the_groups_of_a_summary(void **state)
{
    static const uint64_t intervals_ns[] = {90000, 1000000, 12345678, UINT64_C(1) << 40};
    struct build build = build_recording(5000, PERIOD, REPORTS, LOST_AT);
    (void)state;
    for (size_t i = 0; i < COUNT(intervals_ns); i++) {
        struct tally_pipeline_options options = own_sets();
        const struct tally_sample *sample;
        struct tally_error error = {0};
        struct tally_pipeline *summed = open_build(&build, &options);
        options.interval_ns = intervals_ns[i];
        struct interval_check check = {open_build(&build, &options), 0, 0, 0};
        assert_int_equal(tally_pipeline_summarize(summed, TALLY_BY_INTERVAL, intervals_ns[i],
                                                  check_group, &check, &error),
                         0);
        ROW(__LINE__, !check.failed && check.intervals && check.totals == 1,
            "%" PRIu64 " ns: %zu of %zu intervals differ", intervals_ns[i], check.failed,
            check.intervals);
        assert_int_equal(tally_pipeline_next(check.pipeline, &sample, &error), 0);
        tally_pipeline_close(check.pipeline);
        tally_pipeline_close(summed);
    }
    ROWS_DONE();
    build_fini(&build);
}

/* ---- groups by several threads --------------------------------------------------------------- */

struct groups {
    struct tally_group groups[8];
    uint64_t overall[8];
    size_t count;
};

static void keep_group(void *closure, const struct tally_group *group,
                       const struct tally_statistic *statistics)
{
    struct groups *groups = closure;
    assert_true(groups->count < COUNT(groups->groups));
    groups->overall[groups->count] = statistics[0].overall.u;
    groups->groups[groups->count++] = *group;
}

static void test_threads_do_not_change_groups(void **state)
{
    struct build build =
        build_recording(5000, PERIOD, 30000, LOST_AT); /* enough for several workers */
    struct groups alone = {0};
    (void)state;
    for (unsigned threads = 1; threads <= 8; threads++) {
        struct tally_pipeline_options options = own_sets();
        struct tally_error error = {0};
        struct groups groups = {0};
        options.threads = threads;
        struct tally_pipeline *pipeline = open_build(&build, &options);
        assert_int_equal(
            tally_pipeline_summarize(pipeline, TALLY_BY_CONTEXT, 0, keep_group, &groups, &error),
            0);
        assert_int_equal(groups.count, 4); /* three contexts and the total */
        assert_int_equal(groups.groups[3].deltas, 30000 - 2);
        assert_int_equal(groups.groups[3].lost, 1);
        if (threads == 1)
            alone = groups;
        assert_memory_equal(&groups, &alone, sizeof groups);
        assert_int_equal(
            tally_pipeline_summarize(pipeline, TALLY_BY_CONTEXT, 0, keep_group, &groups, &error),
            -EINVAL); /* already read */
        tally_pipeline_close(pipeline);
    }
    build_fini(&build);
}

/* ---- options --------------------------------------------------------------------------------- */

static void test_options(void **state)
{
    static const char *const busy[] = {"GpuB*"}, *const nothing[] = {"NoSuch*"};
    struct larger {
        struct tally_pipeline_options options;
        uint64_t later; /* an option of a newer library */
    } larger = {.options = own_sets(), .later = 0};
    struct tally_pipeline_options options[8];
    for (size_t i = 0; i < COUNT(options); i++)
        options[i] = own_sets();
    options[0].size = 0;
    options[1].threads = 9;
    options[2].set = "NoSuchSet";
    options[3].counters = nothing;
    options[3].counter_count = 1;
    options[4].set = NULL; /* as recorded: an unknown UUID, and the symbol */
    options[5].counters = busy;
    options[5].counter_count = 1;
    options[6].size = offsetof(struct tally_pipeline_options, counters); /* an older program's */
    options[6].threads = 9;
    options[7].interval_ns = 1;
    larger.options.size = sizeof larger;
    const struct {
        unsigned line;
        const struct tally_pipeline_options *options;
        uint64_t later;
        int opened, next;
        const char *message;
    } rows[] = {
        {__LINE__, &options[0], 0, -EINVAL, 0, "size is 0"},
        {__LINE__, &options[1], 0, -EINVAL, 0, "9 threads, expected at most 8"},
        {__LINE__, &options[2], 0, -ENOENT, 0, "NoSuchSet"},
        {__LINE__, &options[3], 0, -ENOENT, 0, "no counter of RenderBasic"},
        {__LINE__, &options[4], 0, 0, 1, ""},
        {__LINE__, &options[5], 0, 0, 1, ""},
        {__LINE__, &options[6], 0, 0, 1, ""},
        {__LINE__, &options[7], 0, 0, -EINVAL, "shorter than a timestamp tick"},
        {__LINE__, &larger.options, 0, 0, 1, ""},
        {__LINE__, &larger.options, 1, -E2BIG, 0, "sets an option beyond"},
    };
    struct build build = build_recording(5000, PERIOD, 10, 0);
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_pipeline *pipeline = NULL;
        const struct tally_sample *sample;
        struct tally_error error = {0};
        double value;
        larger.later = rows[i].later;
        int result = tally_pipeline_open_memory(build.bytes.bytes, build.bytes.size, "built",
                                                rows[i].options, &pipeline, &error);
        ROW(rows[i].line, result == rows[i].opened, "opened: %d %s", result, error.message);
        if (!result) {
            result = tally_pipeline_next(pipeline, &sample, &error);
            ROW(rows[i].line, result == rows[i].next, "next: %d %s", result, error.message);
        }
        if (result == 1)
            ROW(rows[i].line,
                tally_sample_get(sample, "GpuBusy", &value) == 0 &&
                    tally_sample_get(sample, "EuActive", &value) ==
                        (rows[i].options == &options[5] ? -ENOENT : 0),
                "the counters are not those asked for");
        ROW(rows[i].line, strstr(error.message, rows[i].message) != NULL, "%s", error.message);
        tally_pipeline_close(pipeline);
    }
    ROWS_DONE();
    build_fini(&build);
}

int test_samples(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples_are_those_of_the_program),
        cmocka_unit_test(test_intervals_are_the_groups_of_a_summary),
        cmocka_unit_test(test_threads_do_not_change_groups),
        cmocka_unit_test(test_options),
    };
    return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
