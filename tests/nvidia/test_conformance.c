/* SPDX-License-Identifier: MIT */
/* Every sentence of the hardware document that can be tested, on the engine and on the reference;
 * and docs/pcounter-conformance.md, which lists them. */
#include "nvidia/tests.h"

#include "compare.h"
#include "nvidia/conformance/case.h"
#include "nvidia/reference.h"

enum { MAX_CASES = 600 };

static struct conformance_case cases[MAX_CASES];
static unsigned case_count;
static struct paths files; /* the cases point into their names and texts */
static char *texts[64];
static unsigned text_count;

/* ---- reading the files --------------------------------------------------------------------- */

/* "case ID REVISIONS", "says ...", perhaps "differs ...", then the body up to the next case. */
static struct conformance_case *add_case(char *words, const char *section, const char *file,
                                         unsigned line)
{
    assert_true(case_count < MAX_CASES);
    struct conformance_case *row = &cases[case_count++];
    char *revisions = strchr(words, ' ');
    if (!revisions)
        fail_msg("%s:%u: case ID REVISIONS", file, line);
    *revisions++ = '\0';
    *row = (struct conformance_case){.id = words,
                                     .section = section,
                                     .says = "",
                                     .revisions = revisions,
                                     .file = file,
                                     .line = line,
                                     .body = "",
                                     .differs = ""};
    return row;
}

static void read_cases(const char *path)
{
    assert_true(text_count < COUNT(texts));
    char *text = texts[text_count++] = read_text(path), *next;
    const char *section = "", *file = strrchr(path, '/') + 1;
    struct conformance_case *row = NULL;
    unsigned number = 0;
    for (char *line = text; line; line = next) {
        next = strchr(line, '\n');
        number++;
        char *end = next ? next : line + strlen(line);
        next = next ? next + 1 : NULL;
        bool head = !strncmp(line, "section ", 8) || !strncmp(line, "case ", 5);
        if (head && row && line > text)
            line[-1] = '\0';
        if (head || !strncmp(line, "says ", 5) || !strncmp(line, "differs ", 8))
            *end = '\0';
        if (!strncmp(line, "section ", 8))
            section = line + 8, row = NULL;
        else if (head)
            row = add_case(line + 5, section, file, number);
        else if (row && !strncmp(line, "says ", 5))
            row->says = line + 5, row->body = next ? next : "";
        else if (row && !strncmp(line, "differs ", 8))
            row->differs = line + 8, row->body = next ? next : "";
        else if (!row && *line && *line != '#' && *line != '\n')
            fail_msg("%s:%u: this is no case", file, number);
    }
}

/* The document's sections, in its order, which is that of the list. */
static const char *const sections[] = {
    "Introduction",
    "MMIO registers",
    "MMIO registers: NV10",
    "MMIO registers: NV40",
    "MMIO registers: GF100",
    "The PCOUNTER signals",
    "The STATUS registers",
    "Trailer signals",
    "The EVENT and FLAG signals",
    "The USER signals",
    "The PERIODIC signal",
    "Input selection",
    "Counters",
    "Special counter modes",
    "Control registers",
    "Single event mode",
    "Quad event mode",
    "Record mode",
    "Record mode setup",
    "The flag",
};

static unsigned section_number(const struct conformance_case *row)
{
    unsigned i = 0;
    while (i < COUNT(sections) && strcmp(row->section, sections[i]) != 0)
        i++;
    return i;
}

static int compare_cases(const void *a, const void *b)
{
    const struct conformance_case *x = a, *y = b;
    unsigned i = section_number(x), j = section_number(y);
    return i != j ? (i > j) - (i < j) : strcmp(x->id, y->id);
}

static int read_all(void **state)
{
    (void)state;
    char directory[512];
    snprintf(directory, sizeof directory, "%s/tests/nvidia/conformance", source_directory());
    files = list_files(directory, ".cases");
    for (size_t i = 0; i < files.count; i++)
        read_cases(files.paths[i]);
    for (size_t i = 0; i < generated_register_case_count; i++)
        cases[case_count++] = generated_register_cases[i];
    for (size_t i = 0; i < generated_input_case_count; i++)
        cases[case_count++] = generated_input_cases[i];
    for (size_t i = 0; i < generated_signal_case_count; i++)
        cases[case_count++] = generated_signal_cases[i];
    for (size_t i = 0; i < chip_case_count; i++)
        cases[case_count++] = chip_cases[i];
    qsort(cases, case_count, sizeof *cases, compare_cases);
    return case_count == 0;
}

static int forget_all(void **state)
{
    (void)state;
    for (unsigned i = 0; i < text_count; i++)
        free(texts[i]);
    free(files.paths);
    return 0;
}

/* ---- running one --------------------------------------------------------------------------- */

static void tell_difference(const struct conformance_case *row, enum revision revision,
                            const char *who, const char *script, const char *expected,
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
               "%s (%s) on %s: line %u of the output of the %s is\n  %.*s\nand not\n  %.*s",
               row->id, row->section, revision_names[revision], number, who, (int)strcspn(p, "\n"),
               p, (int)strcspn(e, "\n"), e);
    if (getenv("TALLY_TELL_SCRIPT"))
        print_error("%s\n%s\n", script, printed);
}

static void check_one(const struct conformance_case *row, enum revision revision,
                      const char *script, size_t size, const char *expected)
{
    static const char *const whos[] = {"engine", "reference"};
    for (int i = 0; i < 2; i++) {
        char *printed = NULL;
        size_t printed_size;
        FILE *out = open_memstream(&printed, &printed_size);
        int wrong = i ? reference_run(script, size, out) : engine_run(script, size, out);
        fclose(out);
        bool same = !wrong && !strcmp(printed, expected);
        bool known = !strncmp(row->differs, whos[i], strlen(whos[i]));
        if (wrong)
            row_failed(row->file, row->line, "%s on %s: the %s does not take line %d of the script",
                       row->id, revision_names[revision], whos[i], wrong);
        else if (known && same)
            row_failed(row->file, row->line, "%s on %s: the %s is right now; take the mark away",
                       row->id, revision_names[revision], whos[i]);
        else if (!known && !same)
            tell_difference(row, revision, whos[i], script, expected, printed);
        else
            row_passed();
        free(printed);
    }
}

/* As written, and clock by clock: the engine takes many clocks at once where it can. */
static void run_body(const struct conformance_case *row, enum revision revision, const char *body,
                     bool step)
{
    char *script, *expected;
    const char *why = "";
    size_t size, expected_size;
    FILE *script_file = open_memstream(&script, &size);
    FILE *expected_file = open_memstream(&expected, &expected_size);
    unsigned wrong = case_translate(body, revision, step, script_file, expected_file, &why);
    fclose(script_file), fclose(expected_file);
    if (wrong)
        row_failed(row->file, row->line, "%s on %s: line %u of the case: %s", row->id,
                   revision_names[revision], wrong, why);
    else if (!*expected)
        row_failed(row->file, row->line, "%s expects nothing", row->id);
    else
        check_one(row, revision, script, size, expected);
    free(script), free(expected);
}

static void run_case(const struct conformance_case *row, enum revision revision)
{
    char *made = NULL;
    if (row->generate) {
        size_t size;
        FILE *out = open_memstream(&made, &size);
        row->generate(out, revision);
        fclose(out);
    }
    run_body(row, revision, made ? made : row->body, false);
    run_body(row, revision, made ? made : row->body, true);
    free(made);
}

static void test_cases(void **state)
{
    (void)state;
    for (unsigned i = 0; i < case_count; i++) {
        const char *chip = "";
        unsigned covered = cases[i].check != NULL;
        ROW(cases[i].line, !covered || cases[i].check(&chip), "%s is not so on %s", cases[i].id,
            chip);
        for (enum revision revision = NV10; revision < REVISIONS; revision++)
            if (!cases[i].check && case_covers(cases[i].revisions, revision)) {
                run_case(&cases[i], revision);
                covered++;
            }
        ROW(cases[i].line, section_number(&cases[i]) < COUNT(sections), "%s: no section '%s'",
            cases[i].id, cases[i].section);
        ROW(cases[i].line, covered > 0 && *cases[i].says, "%s covers nothing", cases[i].id);
        for (unsigned j = 0; j < i; j++)
            ROW(cases[i].line, strcmp(cases[i].id, cases[j].id) != 0, "%s is there twice",
                cases[i].id);
    }
    ROWS_DONE();
}

/* ---- the list of them ---------------------------------------------------------------------- */

static char *write_list(void)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "\n| id | section | what it says | revisions | test | result |\n"
                 "| --- | --- | --- | --- | --- | --- |\n");
    for (unsigned i = 0; i < case_count; i++)
        fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", cases[i].id, cases[i].section,
                cases[i].says, cases[i].revisions, cases[i].file,
                *cases[i].differs ? cases[i].differs : "passes");
    fputc('\n', out);
    fclose(out);
    return text;
}

static void test_list(void **state)
{
    (void)state;
    char *list = write_list();
    check_document("docs/pcounter-conformance.md", list);
    free(list);
}

int test_conformance(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_list),
    };
    return cmocka_run_group_tests_name("conformance", tests, read_all, forget_all);
}
