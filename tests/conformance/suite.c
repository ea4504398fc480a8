/* SPDX-License-Identifier: MIT */
/* Reads the cases of a suite and runs them on the model and on the reference: as written, and clock
 * by clock, because the model processes many clocks at once where it can. */
#include "conformance/suite.h"

#include "testing.h"

#include "compare.h"
#include "conformance/loaded.h"

enum { MAX_CASES = 1200 };

static struct conformance_case cases[MAX_CASES];
static unsigned case_count;
static struct paths files; /* cases point into the names and the texts */
static char *texts[64];
static unsigned text_count;
static const struct conformance_suite *suite;

const struct conformance_suite *loaded_suite(void)
{
    return suite;
}

const struct conformance_case *loaded_case(unsigned i)
{
    return i < case_count ? &cases[i] : NULL;
}

/* ---- reading the files --------------------------------------------------------------------- */

/* "case ID VARIANTS", or "erratum ID" */
static struct conformance_case *add_case(char *words, const char *document, const char *section,
                                         const char *file, unsigned line)
{
    assert_true(case_count < MAX_CASES);
    struct conformance_case *row = &cases[case_count++];
    char *id = strchr(words, ' ') + 1, *variants = strchr(id, ' ');
    if (variants)
        *variants++ = '\0';
    *row = (struct conformance_case){.id = id,
                                     .document = document,
                                     .section = section,
                                     .says = "",
                                     .variants = variants ? variants : "",
                                     .file = file,
                                     .line = line};
    if (words[0] == 'c')
        row->body = "";
    return row;
}

/* Finds the field that a line of properties sets; NULL if it is not such a line. */
static const char **find_property(struct conformance_case *row, const char *line, size_t *length)
{
    const struct {
        const char *word;
        const char **to;
    } properties[] = {{"says ", &row->says},           {"differs ", &row->differs},
                      {"reading ", &row->reading},     {"tested-by ", &row->tested_by},
                      {"tested-in ", &row->tested_in}, {"untestable ", &row->untestable}};
    for (size_t i = 0; i < COUNT(properties); i++)
        if (!strncmp(line, properties[i].word, strlen(properties[i].word)))
            return *length = strlen(properties[i].word), properties[i].to;
    return NULL;
}

static void read_cases(const char *path)
{
    assert_true(text_count < COUNT(texts));
    char *text = texts[text_count++] = read_text(path), *next;
    const char *document = "", *section = "", *file = strrchr(path, '/') + 1;
    struct conformance_case *row = NULL;
    unsigned number = 0;
    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        number++;
        size_t skip = 0;
        const char **property = row ? find_property(row, line, &skip) : NULL;
        bool of_section = !strncmp(line, "section ", 8),
             of_document = !strncmp(line, "document ", 9);
        bool starts = !strncmp(line, "case ", 5) || !strncmp(line, "erratum ", 8);
        if ((of_section || of_document || starts) && row && line > text)
            line[-1] = '\0'; /* ends the previous body */
        if (next)
            next++;
        if ((of_section || of_document || starts || property) && next)
            next[-1] = '\0';
        if (of_document)
            document = line + 9, row = NULL;
        else if (of_section)
            section = line + 8, row = NULL;
        else if (starts)
            row = add_case(line, document, section, file, number);
        else if (property)
            *property = line + skip;
        else if (!row && *line && *line != '#' && *line != '\n')
            fail_msg("%s:%u: not a case", file, number);
        if (property && row->body)
            row->body = next ? next : "";
    }
}

const struct conformance_document *loaded_document(const struct conformance_case *row)
{
    for (unsigned i = 0; i < suite->document_count; i++)
        if (!strcmp(row->document, suite->documents[i].name))
            return &suite->documents[i];
    return NULL;
}

/* The index of a case's section in its document; the number of sections if it is unknown. */
static unsigned section_number(const struct conformance_case *row)
{
    const struct conformance_document *document = loaded_document(row);
    unsigned i = 0;
    while (document && i < document->section_count &&
           strcmp(row->section, document->sections[i]) != 0)
        i++;
    return i;
}

/* Orders by document, section and id; OA-E9 comes before OA-E10. */
static int compare_cases(const void *a, const void *b)
{
    const struct conformance_case *x = a, *y = b;
    const struct conformance_document *d = loaded_document(x), *e = loaded_document(y);
    unsigned i = section_number(x), j = section_number(y);
    if (d != e)
        return (d > e) - (d < e);
    if (i != j)
        return (i > j) - (i < j);
    if (d && d->errata && strlen(x->id) != strlen(y->id))
        return strlen(x->id) < strlen(y->id) ? -1 : 1;
    return strcmp(x->id, y->id);
}

static int load(void **state)
{
    char directory[512];
    (void)state;
    snprintf(directory, sizeof directory, "%s/%s", source_directory(), suite->folder);
    files = list_files(directory, ".cases");
    for (size_t i = 0; i < files.count; i++)
        read_cases(files.paths[i]);
    for (unsigned g = 0; g < suite->generated_count; g++)
        for (size_t i = 0; i < *suite->generated[g].count; i++) {
            assert_true(case_count < MAX_CASES);
            cases[case_count++] = suite->generated[g].rows[i];
        }
    qsort(cases, case_count, sizeof *cases, compare_cases);
    return case_count == 0;
}

static int unload(void **state)
{
    (void)state;
    for (unsigned i = 0; i < text_count; i++)
        free(texts[i]);
    free(files.paths);
    case_count = text_count = 0;
    return 0;
}

/* ---- running a case ------------------------------------------------------------------------- */

static void report_difference(const struct conformance_case *row, unsigned variant,
                              const char *which, const char *script, const char *expected,
                              const char *printed)
{
    const char *e = expected, *p = printed;
    while (*e && *e == *p)
        e++, p++;
    while (e > expected && e[-1] != '\n')
        e--, p--;
    unsigned number = 1;
    for (const char *c = expected; c < e; c++)
        number += *c == '\n';
    row_failed(row->file, row->line,
               "%s (%s) on %s: line %u of the output of the %s is\n  %.*s\nexpected\n  %.*s",
               row->id, row->section, suite->language->variants[variant], number, which,
               (int)strcspn(p, "\n"), p, (int)strcspn(e, "\n"), e);
    if (getenv("TALLY_PRINT_SCRIPT"))
        print_error("%s\n%s\n", script, printed);
}

static void check_one(const struct conformance_case *row, unsigned variant, const char *script,
                      size_t size, const char *expected)
{
    static const char *const names[] = {"model", "reference"};
    const char *on = suite->language->variants[variant];
    static unsigned checks;
    int runs = is_sampled(checks++) ? 2 : 1; /* the reference is slow */
    for (int i = 0; i < runs; i++) {
        char *printed = NULL;
        size_t printed_size;
        FILE *out = open_memstream(&printed, &printed_size);
        int wrong =
            i ? suite->language->reference(script, size, out) : engine_run(script, size, out);
        fclose(out);
        bool same = !wrong && !strcmp(printed, expected);
        bool known = row->differs && !strncmp(row->differs, names[i], strlen(names[i]));
        if (wrong)
            row_failed(row->file, row->line, "%s on %s: the %s rejects line %d of the script",
                       row->id, on, names[i], wrong);
        else if (known && same)
            row_failed(row->file, row->line,
                       "%s on %s: the %s passes now; remove the `differs` line", row->id, on,
                       names[i]);
        else if (!known && !same)
            report_difference(row, variant, names[i], script, expected, printed);
        else
            row_passed();
        free(printed);
    }
}

static void run_body(const struct conformance_case *row, unsigned variant, const char *body,
                     bool step)
{
    char *script, *expected;
    size_t size, expected_size;
    FILE *script_file = open_memstream(&script, &size);
    FILE *expected_file = open_memstream(&expected, &expected_size);
    struct translation t = {suite->language, variant, step, script_file, expected_file, ""};
    unsigned wrong = case_translate(&t, body);
    fclose(script_file), fclose(expected_file);
    if (wrong)
        row_failed(row->file, row->line, "%s on %s: line %u of the case: %s", row->id,
                   suite->language->variants[variant], wrong, t.why);
    else if (!*expected)
        row_failed(row->file, row->line, "%s has no expected output", row->id);
    else
        check_one(row, variant, script, size, expected);
    free(script), free(expected);
}

/* Returns the lines of a case that a function writes, for free(); NULL for others. */
static char *make_body(const struct conformance_case *row, unsigned variant)
{
    char *made = NULL;
    size_t size;
    if (!row->generate && !row->generate_row)
        return NULL;
    FILE *out = open_memstream(&made, &size);
    if (row->generate)
        row->generate(out, variant);
    else
        row->generate_row(out, variant, row);
    fclose(out);
    return made;
}

static void run_case(const struct conformance_case *row, unsigned variant)
{
    char *made = make_body(row, variant);
    run_body(row, variant, made ? made : row->body, false);
    run_body(row, variant, made ? made : row->body, true);
    free(made);
}

/* ---- where ----------------------------------------------------------------------------------- */

/* Returns whether a script prints the same in the assembled machine, on one variant. */
static bool same_in_machine(unsigned variant, const char *body)
{
    char *script, *expected, *printed, *with;
    size_t size, expected_size, printed_size, with_size;
    FILE *script_file = open_memstream(&script, &size);
    FILE *expected_file = open_memstream(&expected, &expected_size);
    struct translation t = {suite->language, variant, false, script_file, expected_file, ""};
    bool same = !case_translate(&t, body);
    fclose(script_file), fclose(expected_file);
    FILE *with_file = open_memstream(&with, &with_size);
    suite->language->assemble(script, with_file);
    fclose(with_file);
    FILE *out = open_memstream(&printed, &printed_size);
    same = same && !engine_try(with, with_size, out);
    fclose(out);
    same = same && !strcmp(printed, expected);
    free(script), free(expected), free(printed), free(with);
    return same;
}

/* Returns whether a case has scripts, and all of them print the same in the assembled machine. */
static bool runs_in_machine(const struct conformance_case *row)
{
    bool same = row->body || row->generate || row->generate_row, any = false;
    for (unsigned v = 0; same && v < suite->language->variant_count; v++)
        if (case_covers(suite->language, row->variants, v)) {
            char *made = make_body(row, v);
            same = !suite->language->assemble || same_in_machine(v, made ? made : row->body);
            any = true;
            free(made);
        }
    return same && any;
}

static bool is_stored(const char *id)
{
    for (const char *const *stored = suite->stored; stored && *stored; stored++)
        if (!strcmp(*stored, id))
            return true;
    return false;
}

enum conformance_where conformance_where(unsigned i)
{
    struct conformance_case *row = &cases[i];
    bool check = row->check || row->check_row;
    if (row->where == WHERE_UNKNOWN)
        row->where = is_stored(row->id) ? WHERE_STORED
                     : row->tested_in || (check && suite->in_machine && suite->in_machine(row)) ||
                             (!check && runs_in_machine(row))
                         ? WHERE_MACHINE
                         : WHERE_PART;
    return (enum conformance_where)row->where;
}

/* Checks that each id that an erratum names is a case with a test. */
static bool is_tested(const struct conformance_case *row, struct conformance_fault *fault)
{
    char list[512], *save, *part;
    bool found = false;
    snprintf(list, sizeof list, "%s", row->tested_by ? row->tested_by : "");
    conformance_fail(fault, "no case tests it");
    for (part = strtok_r(list, " ", &save); part; part = strtok_r(NULL, " ", &save)) {
        found = false;
        for (unsigned i = 0; i < case_count; i++)
            found |= !strcmp(cases[i].id, part) && !cases[i].tested_by && !cases[i].untestable;
        if (!found)
            return conformance_fail(fault, "unknown case %s", part), false;
    }
    return found && row->reading;
}

/* Checks that the file has the function and runs it as a test. */
static bool is_tested_elsewhere(const struct conformance_case *row, struct conformance_fault *fault)
{
    char file[128], function[128], path[600], unit[160];
    if (sscanf(row->tested_in, "%127s %127s", file, function) != 2)
        return conformance_fail(fault, "tested-in %s, expected FILE FUNCTION", row->tested_in),
               false;
    snprintf(path, sizeof path, "%s/tests/%s", source_directory(), file);
    snprintf(unit, sizeof unit, "cmocka_unit_test(%s)", function);
    char *text = read_text(path);
    bool found = strstr(text, unit) != NULL;
    free(text);
    return CONFORMS(fault, found, "%s does not run %s", file, function);
}

static void run_row(const struct conformance_case *row)
{
    struct conformance_fault fault = {""};
    bool covers =
        row->check || row->check_row || row->tested_by || row->untestable || row->tested_in;
    if (row->check)
        ROW(row->line, row->check(&fault), "%s failed: %s", row->id, fault.text);
    else if (row->check_row)
        ROW(row->line, row->check_row(&fault, row), "%s failed: %s", row->id, fault.text);
    else if (row->tested_by)
        ROW(row->line, is_tested(row, &fault), "%s: %s", row->id, fault.text);
    else if (row->tested_in)
        ROW(row->line,
            is_tested_elsewhere(row, &fault) &&
                (!row->body || !row->body[strspn(row->body, " \n")]),
            "%s: %s", row->id, fault.text);
    else if (row->untestable)
        ROW(row->line, !row->body || !row->body[strspn(row->body, " \n")], "%s has a test",
            row->id);
    for (unsigned v = 0; v < suite->language->variant_count; v++)
        if ((row->body || row->generate || row->generate_row) && !row->untestable &&
            !row->tested_in && case_covers(suite->language, row->variants, v)) {
            run_case(row, v);
            covers = true;
        }
    ROW(row->line, covers && *row->says, "%s has no test", row->id);
}

/* TALLY_CASES=004-INT runs only the cases whose id begins with 004-INT. */
static void test_cases(void **state)
{
    (void)state;
    const char *only = getenv("TALLY_CASES");
    for (unsigned i = 0; i < case_count; i++) {
        if (only && strncmp(cases[i].id, only, strlen(only)) != 0)
            continue;
        const struct conformance_document *document = loaded_document(&cases[i]);
        run_row(&cases[i]);
        ROW(cases[i].line, document, "%s: no document '%s'", cases[i].id, cases[i].document);
        ROW(cases[i].line,
            document &&
                (!document->sections || section_number(&cases[i]) < document->section_count),
            "%s: no section '%s'", cases[i].id, cases[i].section);
        for (unsigned j = 0; j < i; j++)
            ROW(cases[i].line, strcmp(cases[i].id, cases[j].id) != 0, "%s is not unique",
                cases[i].id);
    }
    ROWS_DONE();
}

/* ---- the group of tests ---------------------------------------------------------------------- */

static void test_list(void **state)
{
    (void)state;
    for (const char *const *stored = suite->stored; stored && *stored; stored++) {
        unsigned i = 0;
        while (i < case_count && strcmp(cases[i].id, *stored) != 0)
            i++;
        if (i == case_count)
            fail_msg("%s is declared as stored, but is no case", *stored);
    }
    conformance_list();
}

int conformance_test(const struct conformance_suite *it)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_list),
    };
    suite = it;
    return cmocka_run_group_tests_name("conformance", tests, load, unload);
}
