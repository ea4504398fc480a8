/* SPDX-License-Identifier: MIT */
/* The registry of formats, and writing a pipeline through the public interface. */
#include "sink/tests.h"

#include <tally/sink.h>

/* Removes html from a list of formats if this build lacks it for deltas. Returns `to`. */
static char *built(char to[FORMATS_TEXT_BYTES], const char *names, unsigned renders)
{
    const char *html = strstr(names, ", html");
    snprintf(to, FORMATS_TEXT_BYTES, "%s", names);
    if (html && (renders & TALLY_RENDER_DELTAS) &&
        !(tally_format_renders("html") & TALLY_RENDER_DELTAS)) {
        const char *after = html + strlen(", html");
        after += strncmp(after, " (", 2) ? 0 : strcspn(after, ")") + 1;
        snprintf(to + (html - names), FORMATS_TEXT_BYTES - (size_t)(html - names), "%s", after);
    }
    return to;
}

static void test_names_and_what_they_render(void **state)
{
    static const struct {
        unsigned line;
        unsigned renders;
        const char *names, *titles;
    } rows[] = {
        {__LINE__, 0, "table, csv, jsonl, perfetto, chrome, html, svg, parquet, junit or tap",
         "table (for people), csv, jsonl (JSON Lines), perfetto (for ui.perfetto.dev), chrome "
         "(JSON trace events), html (a page with timelines), svg (a picture), parquet (for DuckDB, "
         "pandas, Spark), junit (XML) or tap"},
        {__LINE__, TALLY_RENDER_DELTAS, "table, csv, jsonl, perfetto, chrome, html, svg or parquet",
         "table (for people), csv, jsonl (JSON Lines), perfetto (for ui.perfetto.dev), chrome "
         "(JSON trace events), html (a page with timelines), svg (a picture) or parquet (for "
         "DuckDB, pandas, Spark)"},
        {__LINE__, TALLY_RENDER_GROUPS | TALLY_RENDER_DELTAS, "table, csv or jsonl",
         "table (for people), csv or jsonl (JSON Lines)"},
        {__LINE__, TALLY_RENDER_REPORTS | TALLY_RENDER_PACKETS, "table, csv or jsonl",
         "table (for people), csv or jsonl (JSON Lines)"},
        {__LINE__, TALLY_RENDER_INFO, "table or jsonl", "table (for people) or jsonl (JSON Lines)"},
        {__LINE__, TALLY_RENDER_COMPARISON, "table, csv, jsonl or html",
         "table (for people), csv, jsonl (JSON Lines) or html (a page with timelines)"},
        {__LINE__, TALLY_RENDER_CHECKS, "table, csv, jsonl, junit or tap",
         "table (for people), csv, jsonl (JSON Lines), junit (XML) or tap"},
        {__LINE__, TALLY_RENDER_LISTS, "table, csv or jsonl",
         "table (for people), csv or jsonl (JSON Lines)"},
        {__LINE__, 1u << 30, "", ""},
    };
    char text[FORMATS_TEXT_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        char expected[FORMATS_TEXT_BYTES];
        ROW(rows[i].line,
            !strcmp(sink_names(text, rows[i].renders, false),
                    built(expected, rows[i].names, rows[i].renders)),
            "%s", text);
        ROW(rows[i].line,
            !strcmp(sink_names(text, rows[i].renders, true),
                    built(expected, rows[i].titles, rows[i].renders)),
            "%s", text);
    }
    for (size_t i = 0; sink_at(i); i++) {
        ROW(__LINE__, sink_find(sink_at(i)->name) == sink_at(i), "row %zu", i);
        ROW(__LINE__, !strcmp(tally_format_name(i), sink_at(i)->name), "row %zu", i);
        ROW(__LINE__, tally_format_renders(sink_at(i)->name) == sink_renders(sink_at(i)), "row %zu",
            i);
        ROW(__LINE__, !tally_format_name(i + 1) == !sink_at(i + 1), "row %zu", i);
    }
    ROW(__LINE__, !tally_format_renders("xml"), "xml");
    ROWS_DONE();
}

static void test_an_unknown_format_names_the_nearest(void **state)
{
    static const struct {
        unsigned line;
        const char *name;
        unsigned renders;
        const char *message; /* NULL: found */
    } rows[] = {
        {__LINE__, "csv", TALLY_RENDER_GROUPS, NULL},
        {__LINE__, "CSV", TALLY_RENDER_GROUPS,
         "format \"CSV\", expected table, csv or jsonl; did you mean csv?"},
        {__LINE__, "json", TALLY_RENDER_DELTAS,
         "format \"json\", expected table, csv, jsonl, perfetto, chrome, html, svg or parquet; did "
         "you mean "
         "jsonl?"},
        {__LINE__, "perfeto", TALLY_RENDER_DELTAS,
         "format \"perfeto\", expected table, csv, jsonl, perfetto, chrome, html, svg or parquet; "
         "did you "
         "mean "
         "perfetto?"},
        {__LINE__, "perfetto", TALLY_RENDER_GROUPS,
         "format \"perfetto\", expected table, csv or jsonl"},
        {__LINE__, "csv", TALLY_RENDER_LISTS, NULL},
        {__LINE__, "tabel", TALLY_RENDER_INFO,
         "format \"tabel\", expected table or jsonl; did you mean table?"},
        {__LINE__, "csv", TALLY_RENDER_INFO, "format \"csv\", expected table or jsonl"},
        {__LINE__, "xx", TALLY_RENDER_GROUPS, "format \"xx\", expected table, csv or jsonl"},
        {__LINE__, "", TALLY_RENDER_GROUPS, "format \"\", expected table, csv or jsonl"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct tally_error error = {0};
        const struct sink *sink = sink_choose(rows[i].name, rows[i].renders, &error);
        ROW(rows[i].line, !sink == (rows[i].message != NULL), "found or not");
        char expected[FORMATS_TEXT_BYTES];
        built(expected, rows[i].message ? rows[i].message : "", rows[i].renders);
        ROW(rows[i].line, !strcmp(error.message, expected), "%s", error.message);
        ROW(rows[i].line, error.code == (rows[i].message ? -ENOENT : 0), "%d", error.code);
    }
    ROWS_DONE();
}

/* ---- the public interface -------------------------------------------------------------------- */

static struct tally_pipeline *open_sample(void)
{
    struct tally_pipeline *pipeline;
    struct tally_error error = {0};
    struct tally_pipeline_options options = TALLY_PIPELINE_OPTIONS_INIT;
    char path[512], metrics[512];
    snprintf(path, sizeof path, "%s/data/samples/hsw.i915-perf", getenv("TALLY_SOURCE"));
    snprintf(metrics, sizeof metrics, "%s/data/metrics", getenv("TALLY_SOURCE"));
    options.metrics = metrics;
    if (tally_pipeline_open(path, &options, &pipeline, &error) < 0)
        fail_msg("%s", error.message);
    return pipeline;
}

static size_t lines_of(const char *path, char *first, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t lines = 0;
    assert_non_null(file);
    assert_non_null(fgets(first, (int)size, file));
    for (int c = '\n'; c != EOF; c = fgetc(file))
        lines += c == '\n';
    fclose(file);
    return lines;
}

static void test_a_pipeline_is_written(void **state)
{
    char path[] = "/tmp/tally-sink-XXXXXX", first[8192];
    struct tally_error error = {0};
    struct tally_sink *sink;
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);

    struct tally_pipeline *pipeline = open_sample();
    uint64_t reports = 0;
    assert_int_equal(tally_sink_open(path, "csv", NULL, &sink, &error), 0);
    assert_int_equal(tally_sink_deltas(sink, pipeline, &error), 0);
    reports = tally_recording_totals(tally_pipeline_recording(pipeline)).reports;
    assert_int_equal(tally_sink_deltas(sink, pipeline, &error), -EINVAL); /* read already */
    assert_int_equal(tally_sink_close(sink, &error), 0);
    tally_pipeline_close(pipeline);
    assert_int_equal(lines_of(path, first, sizeof first),
                     reports); /* a heading and one line per delta */
    assert_int_equal(strncmp(first, "index,start_ns,", 15), 0);

    pipeline = open_sample();
    assert_int_equal(tally_sink_open(path, "jsonl", NULL, &sink, &error), 0);
    assert_int_equal(tally_sink_groups(sink, pipeline, TALLY_BY_INTERVAL, 1, &error), -EINVAL);
    assert_int_equal(tally_sink_groups(sink, pipeline, TALLY_BY_NOTHING, 0, &error), 0);
    assert_int_equal(tally_sink_close(sink, &error), 0);
    tally_pipeline_close(pipeline);
    assert_true(lines_of(path, first, sizeof first) >= 3); /* header, total, end */
    assert_int_equal(strncmp(first, "{\"type\":\"header\"", 16), 0);
    unlink(path);
}

static void test_errors_of_opening(void **state)
{
    struct tally_sink_options options = TALLY_SINK_OPTIONS_INIT;
    struct tally_error error = {0};
    struct tally_sink *sink = NULL;
    (void)state;
    assert_int_equal(tally_sink_open("-", "jsnl", NULL, &sink, &error), -ENOENT);
    assert_non_null(strstr(error.message, "did you mean jsonl?"));
    options.size = 1;
    assert_int_equal(tally_sink_open("-", "csv", &options, &sink, &error), -EINVAL);
    assert_int_equal(tally_sink_open("/nonexistent/x", "csv", NULL, &sink, &error), -ENOENT);
    assert_non_null(strstr(error.message, "/nonexistent/x"));
    assert_int_equal(tally_sink_close(NULL, NULL), 0);
}

int test_formats(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_what_they_render),
        cmocka_unit_test(test_an_unknown_format_names_the_nearest),
        cmocka_unit_test(test_a_pipeline_is_written),
        cmocka_unit_test(test_errors_of_opening),
    };
    return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
