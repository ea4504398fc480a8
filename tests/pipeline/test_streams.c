/* SPDX-License-Identifier: MIT */
/* Inputs that arrive in pieces: functions, feeding, and damage in the middle. */
#include "pipeline/recordings.h"
#include "pipeline/tests.h"

#include <errno.h>

#define REPORTS 3000
#define LOST_AT 1234
#define PERIOD  1000

static struct samples take_memory(const struct buffer *bytes,
                                  const struct tally_pipeline_options *options)
{
    struct tally_pipeline *pipeline;
    struct samples samples = {0};
    assert_int_equal(tally_pipeline_open_memory(bytes->bytes, bytes->size, "built", options,
                                                &pipeline, &samples.error),
                     0);
    samples_take(&samples, pipeline);
    tally_pipeline_close(pipeline);
    return samples;
}

/* A stream of pieces of `chunk` bytes, which ends with `result`. */
struct pieces {
    const struct buffer *bytes;
    size_t at, chunk;
    bool pauses; /* -EAGAIN before each piece */
    bool paused;
    int result;
};

static ptrdiff_t read_piece(void *closure, void *to, size_t size)
{
    struct pieces *pieces = closure;
    size_t left = pieces->bytes->size - pieces->at;
    size_t n = pieces->chunk < left ? pieces->chunk : left;
    pieces->paused = pieces->pauses && !pieces->paused;
    if (pieces->paused)
        return -EAGAIN;
    if (!n)
        return pieces->result;
    if (n > size)
        n = size;
    memcpy(to, pieces->bytes->bytes + pieces->at, n);
    pieces->at += n;
    return (ptrdiff_t)n;
}

static void test_pieces_do_not_change_samples(void **state)
{
    static const size_t chunks[] = {1, 7, 264, 4096, 100000, SIZE_MAX};
    static const uint64_t intervals[] = {0, 1000000};
    struct build build = build_recording(5000, PERIOD, REPORTS, LOST_AT);
    (void)state;
    for (size_t k = 0; k < COUNT(intervals); k++) {
        struct tally_pipeline_options options = own_sets();
        options.interval_ns = intervals[k];
        struct samples expected = take_memory(&build.bytes, &options);
        assert_true(expected.count > 20);
        for (size_t i = 0; i < COUNT(chunks); i++) {
            struct pieces pieces = {.bytes = &build.bytes, .chunk = chunks[i]};
            struct tally_pipeline *pipeline;
            struct samples samples = {0};
            assert_int_equal(tally_pipeline_open_stream(read_piece, &pieces, "stream", &options,
                                                        &pipeline, &samples.error),
                             0);
            samples_take(&samples, pipeline);
            ROW(__LINE__,
                samples.ended == 0 && samples.count == expected.count &&
                    same_samples(&samples, &expected, expected.count),
                "pieces of %zu bytes: %zu samples, expected %zu", chunks[i], samples.count,
                expected.count);
            tally_pipeline_close(pipeline);
            samples_fini(&samples);
        }
        samples_fini(&expected);
    }
    ROWS_DONE();
    build_fini(&build);
}

static void test_fed_pieces_do_not_change_samples(void **state)
{
    static const size_t chunks[] = {1, 100, 264, 5000, 1u << 20};
    struct build build = build_recording(5000, PERIOD, 400, 123);
    struct tally_pipeline_options options = own_sets();
    struct samples expected = take_memory(&build.bytes, &options);
    (void)state;
    for (size_t i = 0; i < COUNT(chunks); i++) {
        struct tally_pipeline *pipeline;
        struct samples samples = {0};
        assert_int_equal(tally_pipeline_open_fed("fed", &options, &pipeline, &samples.error), 0);
        assert_null(tally_pipeline_recording(pipeline));
        assert_null(tally_pipeline_set(pipeline));
        for (size_t at = 0; at < build.bytes.size; at += chunks[i]) {
            size_t left = build.bytes.size - at;
            samples_take(&samples, pipeline);
            assert_int_equal(samples.ended, -EAGAIN);
            assert_int_equal(tally_pipeline_feed(pipeline, build.bytes.bytes + at,
                                                 left < chunks[i] ? left : chunks[i]),
                             0);
        }
        assert_int_equal(tally_pipeline_feed(pipeline, NULL, 0), 0);
        assert_int_equal(tally_pipeline_feed(pipeline, "x", 1), -EINVAL); /* the input has ended */
        samples_take(&samples, pipeline);
        ROW(__LINE__,
            samples.ended == 0 && samples.count == expected.count &&
                same_samples(&samples, &expected, expected.count),
            "pieces of %zu bytes: %zu samples, expected %zu", chunks[i], samples.count,
            expected.count);
        tally_pipeline_close(pipeline);
        samples_fini(&samples);
    }
    ROWS_DONE();
    samples_fini(&expected);
    build_fini(&build);
}

/* A delta is delivered with its second report, an interval with the first report after it. */
static void test_samples_are_delivered_early(void **state)
{
    static const struct {
        unsigned line;
        uint64_t interval_ns; /* SKL: 12 MHz; 10 reports are 833,333 ns apart from the first */
        size_t reports, samples;
    } rows[] = {
        {__LINE__, 0, 1, 0},        {__LINE__, 0, 2, 1},        {__LINE__, 0, 100, 99},
        {__LINE__, 1000000, 12, 0}, {__LINE__, 1000000, 13, 1}, {__LINE__, 1000000, 24, 1},
        {__LINE__, 1000000, 25, 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct build build = build_recording(5000, PERIOD, rows[i].reports, 0);
        struct tally_pipeline_options options = own_sets();
        struct tally_pipeline *pipeline;
        struct samples samples = {0};
        options.interval_ns = rows[i].interval_ns;
        assert_int_equal(tally_pipeline_open_fed("fed", &options, &pipeline, &samples.error), 0);
        assert_int_equal(tally_pipeline_feed(pipeline, build.bytes.bytes, build.bytes.size), 0);
        samples_take(&samples, pipeline);
        ROW(rows[i].line, samples.ended == -EAGAIN && samples.count == rows[i].samples,
            "%zu samples, result %d", samples.count, samples.ended);
        tally_pipeline_close(pipeline);
        samples_fini(&samples);
        build_fini(&build);
    }
    ROWS_DONE();
}

/* Everything before the error is delivered, then each call returns the error, which the ledger has.
 */
static void test_errors_follow_readable_input(void **state)
{
    static const uint64_t intervals[] = {0, 1000000};
    struct build build = build_recording(5000, PERIOD, 500, 0), damaged;
    (void)state;
    for (size_t k = 0; k < COUNT(intervals); k++) {
        struct tally_pipeline_options options = own_sets();
        options.interval_ns = intervals[k];
        struct samples expected = take_memory(&build.bytes, &options);
        damaged = build_recording(5000, PERIOD, 500, 0);
        build_header(&damaged, TALLY_RECORD_SAMPLE, 4); /* too short for any record */
        build_report(&damaged, 5000 + 500 * PERIOD);
        for (int failing = 0; failing < 2; failing++) {
            const struct buffer *bytes = failing ? &build.bytes : &damaged.bytes;
            struct pieces pieces = {.bytes = bytes, .chunk = 1000, .result = failing ? -EIO : 0};
            int error = failing ? -EIO : -EBADMSG;
            struct tally_pipeline *pipeline;
            struct samples samples = {0};
            const struct tally_loss *losses;
            assert_int_equal(tally_pipeline_open_stream(read_piece, &pieces, "stream", &options,
                                                        &pipeline, &samples.error),
                             0);
            samples_take(&samples, pipeline);
            ROW(__LINE__,
                samples.ended == error && samples.count == expected.count &&
                    same_samples(&samples, &expected, expected.count),
                "result %d behind %zu samples, expected %zu", samples.ended, samples.count,
                expected.count);
            ROW(__LINE__, samples.error.code == error && strstr(samples.error.message, "stream"),
                "%d: %s", samples.error.code, samples.error.message);
            samples_take(&samples, pipeline);
            ROW(__LINE__, samples.ended == error && samples.count == expected.count, "%d",
                samples.ended);
            size_t count = tally_recording_losses(tally_pipeline_recording(pipeline), &losses);
            ROW(__LINE__, count == 1 && losses[0].kind == TALLY_LOSS_UNREADABLE, "%zu losses",
                count);
            tally_pipeline_close(pipeline);
            samples_fini(&samples);
        }
        samples_fini(&expected);
        build_fini(&damaged);
    }
    ROWS_DONE();
    build_fini(&build);
}

static void test_a_stream_may_pause(void **state)
{
    struct build build = build_recording(5000, PERIOD, 50, 0);
    struct tally_pipeline_options options = own_sets();
    struct pieces pieces = {.bytes = &build.bytes, .chunk = 2000};
    struct tally_pipeline *pipeline;
    struct samples samples = {0};
    (void)state;
    assert_int_equal(tally_pipeline_open_stream(read_piece, &pieces, "stream", &options, &pipeline,
                                                &samples.error),
                     0);
    pieces.pauses = true;
    unsigned pauses = 0;
    do {
        samples_take(&samples, pipeline);
        pauses += samples.ended == -EAGAIN;
    } while (samples.ended == -EAGAIN && pauses < 1000);
    assert_int_equal(samples.ended, 0);
    assert_int_equal(samples.count, 49);
    assert_true(pauses > 5);
    tally_pipeline_close(pipeline);
    samples_fini(&samples);
    build_fini(&build);
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces_do_not_change_samples),
        cmocka_unit_test(test_fed_pieces_do_not_change_samples),
        cmocka_unit_test(test_samples_are_delivered_early),
        cmocka_unit_test(test_errors_follow_readable_input),
        cmocka_unit_test(test_a_stream_may_pause),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
