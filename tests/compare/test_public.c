/* SPDX-License-Identifier: MIT */
/* <tally/compare.h>: options and conditions that are refused, and what belongs to a result.
 * tests/python compares the results with those of the commands. */
#include "compare/tests.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <tally/compare.h>

/* Gets the path of a sample, and sets that of the metric sets. */
static const char *sample(char path[256], const char *name)
{
    snprintf(path, 256, "%s/data/metrics", getenv("TALLY_SOURCE"));
    setenv("TALLY_METRICS_PATH", path, 1);
    snprintf(path, 256, "%s/data/samples/%s.i915-perf", getenv("TALLY_SOURCE"), name);
    return path;
}

void test_public_comparison(void **state)
{
    (void)state;
    char path[256];
    const char *paths[] = {sample(path, "hsw")};
    const struct {
        unsigned line;
        struct tally_compare_options options;
        size_t a, b;
        int result;
        const char *message;
    } rows[] = {
        {__LINE__, {.size = 4}, 1, 1, -EINVAL, "tally_compare_options"},
        {__LINE__, TALLY_COMPARE_OPTIONS_INIT, 0, 1, -EINVAL, "no recordings"},
        {__LINE__, TALLY_COMPARE_OPTIONS_INIT, 1, 0, -EINVAL, "no recordings"},
        {__LINE__, {.size = sizeof rows->options, .alpha = 1}, 1, 1, -EINVAL, "alpha is 1"},
        {__LINE__, {.size = sizeof rows->options, .alpha = -0.1}, 1, 1, -EINVAL, "alpha is -0.1"},
        {__LINE__, {.size = sizeof rows->options, .alpha = NAN}, 1, 1, -EINVAL, "alpha is"},
        {__LINE__, {.size = sizeof rows->options, .by = 99}, 1, 1, -EINVAL, "invalid grouping"},
        {__LINE__,
         {.size = sizeof rows->options, .by = TALLY_BY_INTERVAL},
         1,
         1,
         -EINVAL,
         "invalid grouping"},
        {__LINE__, {.size = sizeof rows->options, .by = TALLY_BY_MARK}, 1, 1, -ENOENT, "marks"},
        {__LINE__,
         {.size = sizeof rows->options, .from_ns = 5, .to_ns = 5},
         1,
         1,
         -EINVAL,
         "the range ends at 5 ns"},
        {__LINE__, TALLY_COMPARE_OPTIONS_INIT, 1, 1, 0, ""},
        {__LINE__, {.size = sizeof rows->options, .by = TALLY_BY_CONTEXT}, 1, 1, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally_comparison *comparison = NULL;
        struct tally_error error = {0, ""};
        int result = tally_compare(paths, rows[i].a, paths, rows[i].b, &rows[i].options,
                                   &comparison, &error);
        ROW(rows[i].line, result == rows[i].result && strstr(error.message, rows[i].message),
            "%d %s", result, error.message);
        ROW(rows[i].line, (result == 0) == (comparison != NULL), "an output with an error");
        tally_comparison_free(comparison);
    }
    ROWS_DONE();
}

/* A recording and itself: nothing has changed, and every text is there. */
void test_public_changes(void **state)
{
    (void)state;
    char path[256];
    const char *paths[] = {sample(path, "hsw"), path};
    struct tally_compare_options options = TALLY_COMPARE_OPTIONS_INIT;
    struct tally_comparison *comparison;
    const struct tally_compared_recording *recordings;
    const struct tally_difference *differences;
    const struct tally_change *changes;
    struct tally_error error;
    options.by = TALLY_BY_CONTEXT;
    assert_int_equal(tally_compare(paths, 2, paths, 1, &options, &comparison, &error), 0);
    assert_int_equal(tally_comparison_recordings(comparison, TALLY_SIDE_A, &recordings), 2);
    assert_string_equal(recordings[1].path, path);
    assert_string_equal(recordings[1].set, "RenderBasic");
    assert_true(recordings[1].reports > 100 && recordings[1].duration_ns > 0);
    assert_int_equal(tally_comparison_recordings(comparison, TALLY_SIDE_B, &recordings), 1);
    assert_int_equal(tally_comparison_differences(comparison, &differences), 1);
    assert_string_equal(differences[0].name, "losses"); /* of two recordings, and of one */
    assert_true(differences[0].texts[TALLY_SIDE_A] && differences[0].texts[TALLY_SIDE_B]);
    size_t count = tally_comparison_changes(comparison, &changes), totals = 0;
    struct tally_comparison_info info = tally_comparison_info(comparison);
    assert_true(info.changed == 0 && info.tests > 0 && info.sample_ns > 0 && info.alpha < 0.011);
    for (size_t i = 0; i < count; i++) {
        const struct tally_change *change = &changes[i];
        assert_true(*change->counter && *change->name && *change->units && *change->group);
        assert_false(change->changed);
        assert_true((change->by == TALLY_BY_NOTHING) == !strcmp(change->group, "total"));
        assert_true(change->by != TALLY_BY_NOTHING || i == totals); /* the total is first */
        totals += change->by == TALLY_BY_NOTHING;
    }
    assert_true(totals > 10 && count > totals);
    tally_comparison_free(comparison);
    tally_comparison_free(NULL);
}

void test_public_checks(void **state)
{
    (void)state;
    char path[256];
    const struct {
        unsigned line;
        struct tally_check_options options;
        const char *condition;
        int result; /* number of results, or an error */
        const char *message;
    } rows[] = {
        {__LINE__, {.size = 4}, "GpuBusy > 0%", -EINVAL, "tally_check_options"},
        {__LINE__, TALLY_CHECK_OPTIONS_INIT, NULL, -EINVAL, "no condition"},
        {__LINE__, TALLY_CHECK_OPTIONS_INIT, "GpuBusy >", -EINVAL, "condition \"GpuBusy >\""},
        {__LINE__, TALLY_CHECK_OPTIONS_INIT, "GpuBussy > 1%", -ENOENT, "GpuBusy"},
        {__LINE__, TALLY_CHECK_OPTIONS_INIT, "GpuBusy within 5%", -ENOENT, "baseline"},
        {__LINE__, {.size = sizeof rows->options, .budget = "/none"}, NULL, -ENOENT, "/none"},
        {__LINE__,
         {.size = sizeof rows->options, .allowed_lost = 2},
         "GpuBusy > 0%",
         -EINVAL,
         "allowed_lost is 2"},
        {__LINE__,
         {.size = sizeof rows->options, .allowed_lost = NAN},
         "GpuBusy > 0%",
         -EINVAL,
         "allowed_lost is"},
        {__LINE__,
         {.size = sizeof rows->options, .by = TALLY_BY_INTERVAL},
         "GpuBusy > 0%",
         -EINVAL,
         "invalid grouping"},
        {__LINE__,
         {.size = sizeof rows->options, .allowed_lost = 0.1, .baseline = path},
         "GpuBusy within 5%",
         1,
         ""},
        {__LINE__, {.size = sizeof rows->options, .allowed_lost = 0.1}, "GpuBusy < 101%", 1, ""},
    };
    sample(path, "hsw");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct tally_checks *checks = NULL;
        const struct tally_check_result *results;
        struct tally_error error = {0, ""};
        int result = tally_check(path, &rows[i].condition, rows[i].condition ? 1 : 0,
                                 &rows[i].options, &checks, &error);
        if (result == 0)
            result = (int)tally_check_results(checks, &results);
        ROW(rows[i].line, result == rows[i].result && strstr(error.message, rows[i].message),
            "%d %s", result, error.message);
        if (result > 0)
            ROW(rows[i].line,
                results->outcome == TALLY_CHECK_PASSED && *results->name && *results->message &&
                    !strcmp(results->units, "percent"),
                "%s: %s", results->name, results->message);
        tally_checks_free(checks);
    }
    ROWS_DONE();
}
