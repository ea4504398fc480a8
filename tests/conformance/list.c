/* SPDX-License-Identifier: MIT */
/* The tables of a suite's Markdown file, one for each hardware document. */
#include "conformance/suite.h"

#include "testing.h"

#include "conformance/loaded.h"

/* Returns the file of the test: a name in the suite's folder, or a path in tests/. */
static const char *file_of(const struct conformance_case *row, char *buffer, size_t size)
{
    if (!row->tested_in)
        return row->untestable ? "" : row->file;
    snprintf(buffer, size, "%.*s", (int)strcspn(row->tested_in, " "), row->tested_in);
    return buffer;
}

static void write_result(FILE *out, const struct conformance_case *row)
{
    if (row->untestable)
        fprintf(out, " not testable: %s |\n", row->untestable);
    else
        fprintf(out, " %s |\n", row->differs ? row->differs : "passes");
}

static const char *where_of(unsigned i)
{
    static const char *const names[] = {
        [WHERE_MACHINE] = "in the machine", [WHERE_PART] = "part only", [WHERE_STORED] = "stored"};
    return loaded_case(i)->untestable ? "" : names[conformance_where(i)];
}

static void write_row(FILE *out, unsigned i, bool errata)
{
    const struct conformance_case *row = loaded_case(i);
    char file[128];
    if (errata)
        fprintf(out, "| %s | %s | %s | %s |", row->id, row->says, row->reading ? row->reading : "",
                row->tested_by ? row->tested_by : "");
    else
        fprintf(out, "| %s | %s | %s | %s | %s | %s |", row->id, row->section, row->says,
                row->variants, file_of(row, file, sizeof file), where_of(i));
    write_result(out, row);
}

static char *write_table(const struct conformance_document *document)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (document->errata)
        fprintf(out, "\n| id | problem | our reading | tested by | result |\n"
                     "| --- | --- | --- | --- | --- |\n");
    else
        fprintf(out,
                "\n| id | section | statement | %s | test | where | result |\n"
                "| --- | --- | --- | --- | --- | --- | --- |\n",
                loaded_suite()->heading);
    const struct conformance_case *row;
    for (unsigned i = 0; (row = loaded_case(i)); i++)
        if (loaded_document(row) == document)
            write_row(out, i, document->errata);
    fputc('\n', out);
    fclose(out);
    return text;
}

/* Returns the text with this document's table replaced; NULL if the markers are missing. */
static char *put_table(const char *text, const struct conformance_document *document)
{
    char begin_mark[128], end_mark[64], *result, *table;
    size_t size;
    snprintf(begin_mark, sizeof begin_mark,
             "<!-- table %s is written by the test: TALLY_REWRITE=1 -->\n", document->name);
    snprintf(end_mark, sizeof end_mark, "<!-- end of table %s -->\n", document->name);
    const char *begin = strstr(text, begin_mark), *end = strstr(text, end_mark);
    if (!begin || !end || begin > end)
        return NULL;
    begin += strlen(begin_mark);
    FILE *out = open_memstream(&result, &size);
    table = write_table(document);
    fprintf(out, "%.*s%s%s", (int)(begin - text), text, table, end);
    fclose(out);
    free(table);
    return result;
}

void conformance_list(void)
{
    const struct conformance_suite *suite = loaded_suite();
    char path[512];
    snprintf(path, sizeof path, "%s/%s", source_directory(), suite->list);
    char *before = read_text(path), *after = strdup(before);
    for (unsigned i = 0; i < suite->document_count; i++) {
        char *with = put_table(after, &suite->documents[i]);
        if (!with)
            fail_msg("%s has no markers for table %s", path, suite->documents[i].name);
        free(after);
        after = with;
    }
    bool same = !strcmp(before, after);
    if (!same && getenv("TALLY_REWRITE")) {
        FILE *file = fopen(path, "wb");
        assert_non_null(file);
        fputs(after, file);
        assert_int_equal(fclose(file), 0);
        same = true;
    }
    free(before), free(after);
    if (!same)
        fail_msg("%s differs from the cases; TALLY_REWRITE=1 writes it", path);
}
