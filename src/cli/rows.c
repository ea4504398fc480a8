/* SPDX-License-Identifier: MIT */
#include "cli/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/minmax.h"
#include "cli/input.h"
#include "sink/csv.h"
#include "sink/json.h"
#include "sink/number.h"

/* Rows from which a table takes its widths. */
#define HELD_ROWS 1000

/* Bytes of a blob that tables show. */
#define BLOB_SHOWN 8

/* ---- values ---------------------------------------------------------------------------------- */

static void put_hex(struct buffer *text, const struct store_value *value, size_t max)
{
    for (size_t i = 0; i < value->size && i < max; i++)
        buffer_printf(text, "%02x", value->blob[i]);
    if (value->size > max)
        buffer_printf(text, "... (%zu bytes)", value->size);
}

/* Formats a value: with all digits of numbers, or as tables show it. */
static void format_value(struct buffer *text, const struct store_value *value, bool exact)
{
    char number[NUMBER_MAX];
    switch (value->type) {
    case STORE_NULL:
        buffer_text(text, exact ? "" : "-");
        break;
    case STORE_INTEGER:
        buffer_printf(text, "%" PRId64, value->integer);
        break;
    case STORE_REAL:
        /* Also whole numbers in tables: those of ClickHouse have no other type. */
        if (exact || (value->real == trunc(value->real) && fabs(value->real) < 0x1p53))
            buffer_append(text, number, (size_t)(put_double(number, value->real) - number));
        else
            buffer_printf(text, "%.6g", value->real);
        break;
    case STORE_TEXT:
        escape_put(text, value->text ? value->text : "", value->size);
        break;
    case STORE_BLOB:
        put_hex(text, value, exact ? SIZE_MAX : BLOB_SHOWN);
        break;
    }
}

/* ---- formats --------------------------------------------------------------------------------- */

static int write_json(struct rows *rows, const struct store_value *values)
{
    struct buffer text = {0};
    for (size_t i = 0; i < rows->count; i++) {
        enum store_type type = values[i].type;
        output_text(rows->output, i ? "," : "{");
        json_text(rows->output, rows->names[i]);
        output_text(rows->output, ":");
        text.size = 0;
        format_value(&text, &values[i], true);
        buffer_append(&text, "", 1);
        if (text.broken)
            break;
        if (type == STORE_NULL || (type == STORE_REAL && !isfinite(values[i].real)))
            output_text(rows->output, "null");
        else if (type == STORE_INTEGER || type == STORE_REAL)
            output_text(rows->output, text.bytes);
        else
            json_text(rows->output,
                      type == STORE_TEXT && values[i].text ? values[i].text : text.bytes);
    }
    output_text(rows->output, "}\n");
    bool broken = text.broken;
    buffer_fini(&text);
    return broken ? -ENOMEM : 0;
}

static int write_csv(struct rows *rows, const struct store_value *values)
{
    struct buffer text = {0};
    for (size_t i = 0; i < rows->count; i++) {
        if (i)
            output_text(rows->output, ",");
        text.size = 0;
        format_value(&text, &values[i], true);
        buffer_append(&text, "", 1);
        if (text.broken)
            break;
        csv_text(rows->output, text.bytes);
    }
    output_text(rows->output, "\r\n");
    bool broken = text.broken;
    buffer_fini(&text);
    return broken ? -ENOMEM : 0;
}

/* Writes a line of a table: as many texts, each with a NUL, as there are columns. Returns the end
 * of the texts. */
static const char *write_line(struct rows *rows, const char *texts)
{
    size_t blanks = 0;
    for (size_t i = 0; i < rows->count; i++, texts += strlen(texts) + 1) {
        size_t size = strlen(texts), padding = rows->widths[i] - min_size(rows->widths[i], size);
        blanks += (i ? 2 : 0) + (rows->are_numbers[i] ? padding : 0);
        if (size)
            output_printf(rows->output, "%*s%s", (int)blanks, "", texts);
        blanks = (size ? 0 : blanks) + (rows->are_numbers[i] ? 0 : padding);
    }
    output_text(rows->output, "\n");
    return texts;
}

/* Writes the heading and the held rows of a table. */
static void show_held(struct rows *rows)
{
    const char *at = rows->cells.bytes;
    output_style(rows->output, "1");
    for (size_t i = 0; i <= rows->held && at && !rows->cells.broken; i++) {
        at = write_line(rows, at);
        if (!i)
            output_style(rows->output, "0");
    }
    rows->cells.size = 0;
    rows->shown = true;
}

static int write_table(struct rows *rows, const struct store_value *values)
{
    for (size_t i = 0; i < rows->count; i++) {
        size_t start = rows->cells.size;
        bool is_number = values[i].type == STORE_INTEGER || values[i].type == STORE_REAL;
        format_value(&rows->cells, &values[i], false);
        size_t width = rows->cells.size - start;
        buffer_append(&rows->cells, "", 1);
        if (rows->shown)
            continue;
        rows->widths[i] = max_size(rows->widths[i], width);
        rows->are_numbers[i] &= is_number || values[i].type == STORE_NULL;
    }
    if (rows->cells.broken)
        return -ENOMEM;
    if (rows->shown) {
        write_line(rows, rows->cells.bytes);
        rows->cells.size = 0;
    } else if (++rows->held == HELD_ROWS) {
        show_held(rows);
    }
    return 0;
}

/* ---- the query ------------------------------------------------------------------------------- */

static int begin(void *closure, const char *const *names, size_t count)
{
    struct rows *rows = closure;
    rows->names = names;
    rows->count = count;
    rows->widths = calloc(count + 1, sizeof *rows->widths);
    rows->are_numbers = malloc((count + 1) * sizeof *rows->are_numbers);
    if (!rows->widths || !rows->are_numbers)
        return -ENOMEM;
    for (size_t i = 0; i < count; i++) {
        size_t start = rows->cells.size;
        escape_put(&rows->cells, names[i], strlen(names[i]));
        rows->widths[i] = rows->cells.size - start;
        rows->are_numbers[i] = true;
        buffer_append(&rows->cells, "", 1);
        if (rows->sink != &sink_csv)
            continue;
        output_text(rows->output, i ? "," : "");
        csv_text(rows->output, names[i]);
    }
    if (rows->sink == &sink_csv)
        output_text(rows->output, "\r\n");
    return rows->cells.broken ? -ENOMEM : 0;
}

static int take_row(void *closure, const struct store_value *values, size_t count)
{
    struct rows *rows = closure;
    (void)count; /* that of begin() */
    int result = rows->sink == &sink_csv     ? write_csv(rows, values)
                 : rows->sink == &sink_jsonl ? write_json(rows, values)
                                             : write_table(rows, values);
    return rows->output->error.code ? rows->output->error.code : result;
}

int write_query(const struct arguments *arguments, query_function *run, void *database,
                const char *sql)
{
    struct tally_error error = {0};
    struct rows rows = {.sink = choose_format(arguments, "table", TALLY_RENDER_LISTS)};
    const struct store_query query = {begin, take_row, &rows};
    int code = EXIT_DONE;
    if (!rows.sink)
        return EXIT_USAGE;
    if (!(rows.output = open_output(arguments, &code)))
        return code;
    int result = run(database, sql, &query, &error);
    if (result == -ENOMEM && !error.code)
        fail_memory(&error, "rows");
    if (rows.names && rows.sink == &sink_table && !rows.shown)
        show_held(&rows);
    if (error.code) {
        output_flush(rows.output); /* the rows before the error */
        code = report_error(&error);
        if (error.code == -EINVAL || error.code == -EPERM)
            code = EXIT_USAGE;
    }
    free(rows.widths);
    free(rows.are_numbers);
    buffer_fini(&rows.cells);
    return close_output(rows.output, code);
}

static int query_store(void *database, const char *sql, const struct store_query *query,
                       struct tally_error *error)
{
    return store_query(database, sql, query, error);
}

int write_store_query(const struct arguments *arguments, struct store *store, const char *sql)
{
    return write_query(arguments, query_store, store, sql);
}
