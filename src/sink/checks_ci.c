/* SPDX-License-Identifier: MIT */
/* Results of checks for CI: JUnit's XML, and the Test Anything Protocol. */
#include <string.h>

#include "pipeline/pipeline.h"
#include "sink/checks.h"
#include "sink/html.h"
#include "sink/sink.h"
#include "sink/tap.h"

/* The name and message of a result, with a NUL; NULL if out of memory. */
struct texts {
    struct buffer name, message;
};

static bool make_texts(struct texts *texts, struct output *output,
                       const struct check_report *report, const struct check_result *result)
{
    *texts = (struct texts){{0}, {0}};
    put_result_name(&texts->name, report, result);
    put_result_message(&texts->message, report, result);
    if (!texts->name.broken && !texts->message.broken)
        return true;
    output_text(output, "");
    buffer_fini(&texts->name);
    buffer_fini(&texts->message);
    return false;
}

static void free_texts(struct texts *texts)
{
    buffer_fini(&texts->name);
    buffer_fini(&texts->message);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

static void put_attribute(struct output *output, const char *name, const char *text)
{
    output_printf(output, " %s=\"", name);
    html_text(output, text);
    output_text(output, "\"");
}

static void put_counts(struct output *output, const struct check_report *report)
{
    output_printf(output, " tests=\"%zu\" failures=\"%zu\" errors=\"0\"", report->count,
                  report->count - report->outcomes[TALLY_CHECK_PASSED]);
}

static void put_case(struct output *output, const struct check_report *report,
                     const struct check_result *result)
{
    struct texts texts;
    if (!make_texts(&texts, output, report, result))
        return;
    output_text(output, "    <testcase");
    put_attribute(output, "name", texts.name.bytes);
    put_attribute(output, "classname", report->pipeline->set->symbol);
    output_text(output, " time=\"0\"");
    if (result->outcome == TALLY_CHECK_PASSED) {
        output_text(output, "/>\n");
    } else {
        output_text(output, ">\n      <failure");
        put_attribute(output, "type", tally_check_outcome_name(result->outcome));
        put_attribute(output, "message", texts.message.bytes);
        output_text(output, "/>\n    </testcase>\n");
    }
    free_texts(&texts);
}

/* The elements and attributes that readers of JUnit's format agree on. Times are those of the
 * checks, not of the recording, and so that the same input gives the same bytes, 0. */
static void junit_checks(struct output *output, const struct shown_checks *shown)
{
    const struct check_report *report = shown->report;
    output_text(output, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_attribute(output, "name", shown->title ? shown->title : "tally check");
    put_counts(output, report);
    output_text(output, " time=\"0\">\n  <testsuite");
    put_attribute(output, "name", report->pipeline->info->path);
    put_counts(output, report);
    output_text(output, " skipped=\"0\" time=\"0\">\n");
    for (size_t i = 0; i < report->count; i++)
        put_case(output, report, &report->results[i]);
    output_text(output, "  </testsuite>\n</testsuites>\n");
}

const struct sink sink_junit = {
    .name = "junit",
    .title = "XML",
    .checks = junit_checks,
};

/* ---- TAP ------------------------------------------------------------------------------------- */

static void tap_checks(struct output *output, const struct shown_checks *shown)
{
    const struct check_report *report = shown->report;
    output_printf(output, "TAP version 13\n1..%zu\n", report->count);
    for (size_t i = 0; i < report->count; i++) {
        const struct check_result *result = &report->results[i];
        bool passed = result->outcome == TALLY_CHECK_PASSED;
        struct texts texts;
        if (!make_texts(&texts, output, report, result))
            continue;
        output_printf(output, "%sok %zu - ", passed ? "" : "not ", i + 1);
        tap_description(output, texts.name.bytes);
        output_text(output, "\n");
        if (!passed) {
            output_text(output, "  ---\n");
            tap_entry(output, "outcome", tally_check_outcome_name(result->outcome));
            tap_entry(output, "message", texts.message.bytes);
            output_text(output, "  ...\n");
        }
        free_texts(&texts);
    }
}

const struct sink sink_tap = {
    .name = "tap",
    .checks = tap_checks,
};
