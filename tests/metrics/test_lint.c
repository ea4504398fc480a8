/* SPDX-License-Identifier: MIT */
/* Findings of lint: the rows of lint_cases.h, and complete files. */
#include "metrics/tests.h"

#include "metrics/lint_cases.h"

struct findings {
    unsigned count, errors;
    unsigned of[3];
    bool found;     /* what is looked for */
    bool all_named; /* each message begins with the set's symbol, and is one line */
    unsigned line;  /* of what is looked for */
    const char *symbol, *wanted;
    enum tally_lint_severity severity;
    char last[1000];
};

static void note(void *closure, enum tally_lint_severity severity, unsigned line,
                 const char *message)
{
    struct findings *findings = closure;
    size_t size = strlen(findings->symbol);
    findings->count++;
    findings->of[severity]++;
    findings->errors += severity == TALLY_LINT_ERROR;
    snprintf(findings->last, sizeof findings->last, "%s", message);
    if (findings->wanted && severity == findings->severity && strstr(message, findings->wanted)) {
        findings->found = true;
        findings->line = line;
    }
    if (strncmp(message, findings->symbol, size) != 0 || strchr(message, '\n') ||
        (message[size] != '.' && message[size] != ' ') || !line)
        findings->all_named = false;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(lint_cases); i++) {
        const struct lint_case *row = &lint_cases[i];
        char text[8192];
        const struct tally_metric_set *set;
        snprintf(text, sizeof text, "<metrics><set %s>%s</set></metrics>",
                 row->set ? row->set : LINT_SET, row->body);
        assert_true(strlen(text) + 1 < sizeof text);
        struct tally_metric_file *file = load_text(text, &set);
        struct findings findings = {.all_named = true,
                                    .symbol = set->symbol,
                                    .wanted = row->message,
                                    .severity = row->severity};
        int errors = tally_lint(set, note, &findings);
        bool ok = findings.count == row->findings && errors == (int)findings.errors &&
                  findings.all_named && (!row->message || findings.found);
        if (!ok)
            row_failed("tests/metrics/lint_cases.h", row->line,
                       "%u findings (expected %u), returns %d for %u errors, names %s, \"%s\" %s; "
                       "the last: %s",
                       findings.count, row->findings, errors, findings.errors,
                       findings.all_named ? "right" : "wrong", row->message ? row->message : "",
                       findings.found ? "found" : "not found", findings.last);
        tally_metric_file_free(file);
    }
    ROWS_DONE();
}

/* Findings carry the line of their counter, of their write, or of their set. */
static void test_lines(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *wanted;
        unsigned expected;
    } rows[] = {
        {__LINE__, "Test hw_config_guid", 2},
        {__LINE__, "Test.X equation", 4},
        {__LINE__, "Test.Y units", 5},
        {__LINE__, "Test register: writes 0x009844", 8},
    };
    static const char text[] =
        "<metrics>\n<set name=\"T\" symbol_name=\"Test\" chipset=\"SKL\" hw_config_guid=\"no\">\n\n"
        "<counter name=\"X\" symbol_name=\"X\" units=\"events\" equation=\"1 2\"/>\n"
        "<counter name=\"Y\" symbol_name=\"Y\" units=\"furlongs\" equation=\"1\"/>\n"
        "<register_config type=\"NOA\">\n<register address=\"0x9840\" value=\"0x80\"/>\n"
        "<register address=\"0x9844\" value=\"0\"/>\n</register_config>\n"
        "</set></metrics>";
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct tally_metric_set *set;
        struct tally_metric_file *file = load_text(text, &set);
        struct findings findings = {.symbol = "Test", .wanted = rows[i].wanted};
        for (int severity = TALLY_LINT_ERROR; severity <= TALLY_LINT_NOTE && !findings.found;
             severity++) {
            findings.severity = (enum tally_lint_severity)severity;
            tally_lint(set, note, &findings);
        }
        ROW(rows[i].line, findings.found && findings.line == rows[i].expected, "%s: line %u",
            rows[i].wanted, findings.line);
        tally_metric_file_free(file);
    }
    ROWS_DONE();
}

static void check_files(const char *directory)
{
    struct paths files = list_files(directory, ".xml");
    size_t checked = 0;
    for (size_t f = 0; f < files.count; f++) {
        struct tally_metric_file *file;
        const struct tally_metric_set *sets;
        assert_int_equal(tally_metric_file_load(files.paths[f], &file, NULL), 0);
        for (size_t s = tally_metric_file_sets(file, &sets); s-- > 0; checked++) {
            struct findings findings = {.all_named = true, .symbol = sets[s].symbol};
            int errors = tally_lint(&sets[s], note, &findings);
            ROW(__LINE__, errors == 0 && findings.errors == 0, "%s %s: %d errors; the last: %s",
                files.paths[f], sets[s].symbol, errors, findings.last);
            ROW(__LINE__, findings.all_named, "%s %s: a message names no set", files.paths[f],
                sets[s].symbol);
        }
        tally_metric_file_free(file);
    }
    ROW(__LINE__, checked >= 18, "only %zu sets in %s", checked, directory);
    free(files.paths);
}

static void test_own_files_have_no_errors(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/data/metrics", source_directory());
    check_files(directory);
    ROWS_DONE();
}

static void test_public_files_have_no_errors(void **state)
{
    (void)state;
    char directory[512];
    NEEDS_SHARED(directory, "data/oa-metrics");
    check_files(directory);
    ROWS_DONE();
}

int test_lint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_own_files_have_no_errors),
        cmocka_unit_test(test_public_files_have_no_errors),
    };
    return cmocka_run_group_tests_name("lint", tests, NULL, NULL);
}
