/* SPDX-License-Identifier: MIT */
/* Lists as a table, CSV and JSON Lines. */
#include "sink/lists.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"
#include "sink/csv.h"
#include "sink/json.h"

void list_begin(struct list *list, struct output *output, const struct sink_lists *sink,
                const struct list_kind *kind)
{
    *list = (struct list){output, sink, kind};
    sink->begin(list);
}

void list_row(const struct list *list, const struct list_cell *cells)
{
    list->sink->row(list, cells);
}

struct output *list_remarks(const struct list *list)
{
    return list->sink->remarks ? list->output : NULL;
}

/* ---- values ---------------------------------------------------------------------------------- */

#define VALUE_BYTES 24

/* Returns the text of a value, which may be in `number`. */
static const char *value_text(const struct list_column *column, const struct list_cell *cell,
                              char number[VALUE_BYTES])
{
    if (cell->state != LIST_PRESENT)
        return "";
    switch (column->type) {
    case LIST_TEXT:
    case LIST_NESTED:
        return cell->text ? cell->text : "";
    case LIST_NUMBER:
        snprintf(number, VALUE_BYTES, "%" PRIu64, cell->number);
        break;
    case LIST_TENTHS:
        snprintf(number, VALUE_BYTES, "%" PRIu64 ".%u", cell->number / 10,
                 (unsigned)(cell->number % 10));
        break;
    case LIST_BOOL:
        return cell->number ? "true" : "false";
    }
    return number;
}

/* ---- table ----------------------------------------------------------------------------------- */

/* A line of a table. Blanks are written when text follows, so that no line ends with blanks. */
struct line {
    struct output *output;
    int blanks;
};

static void put_padded(struct line *line, const struct list_column *column, const char *text)
{
    int width = column->width < 0 ? -column->width : column->width;
    int size = (int)strlen(text), padding = width > size ? width - size : 0;
    line->blanks += (int)column->indent + (column->width > 0 ? padding : 0);
    if (size) {
        output_printf(line->output, "%*s", line->blanks, "");
        output_escaped(line->output, text);
        line->blanks = 0;
    }
    line->blanks += column->width < 0 ? padding : 0;
}

/* Returns the column at a position in tables, from 1, or NULL past the last one. */
static const struct list_column *column_at(const struct list_kind *kind, unsigned place)
{
    for (size_t i = 0; i < kind->column_count; i++)
        if (kind->columns[i].place == place)
            return &kind->columns[i];
    return NULL;
}

static void table_begin(const struct list *list)
{
    const struct list_column *column = column_at(list->kind, 1);
    struct line line = {list->output, 0};
    if (!column || !column->title)
        return;
    output_style(list->output, "1");
    for (unsigned place = 1; (column = column_at(list->kind, place)); place++)
        put_padded(&line, column, column->title);
    output_text(list->output, "\n");
    output_style(list->output, "0");
}

static void table_row(const struct list *list, const struct list_cell *cells)
{
    const struct list_column *column;
    struct line line = {list->output, 0};
    for (unsigned place = 1; (column = column_at(list->kind, place)); place++) {
        const struct list_cell *cell = &cells[column - list->kind->columns];
        char number[VALUE_BYTES];
        put_padded(&line, column, cell->shown ? cell->shown : value_text(column, cell, number));
    }
    output_text(list->output, "\n");
}

const struct sink_lists table_lists = {table_begin, table_row, true};

/* ---- CSV ------------------------------------------------------------------------------------- */

static void csv_begin(const struct list *list)
{
    const char *comma = "";
    for (size_t i = 0; i < list->kind->column_count; i++) {
        if (!list->kind->columns[i].name)
            continue;
        output_text(list->output, comma);
        csv_text(list->output, list->kind->columns[i].name);
        comma = ",";
    }
    output_text(list->output, "\r\n");
}

/* Writes a nested value as JSON in one field. */
static void put_nested_csv(struct output *output, const struct list_cell *cell)
{
    struct buffer json = {0};
    struct output *memory = output_to_memory(&json);
    if (memory) {
        cell->nested(memory, cell->item);
        output_close(memory, NULL);
        buffer_append(&json, "", 1);
    }
    if (memory && !json.broken)
        csv_text(output, json.bytes);
    else
        fail_memory(&output->error, "an output");
    buffer_fini(&json);
}

static void csv_row(const struct list *list, const struct list_cell *cells)
{
    const struct list_kind *kind = list->kind;
    const char *comma = "";
    for (size_t i = 0; i < kind->column_count; i++) {
        char number[VALUE_BYTES];
        if (!kind->columns[i].name)
            continue;
        output_text(list->output, comma);
        comma = ",";
        if (kind->columns[i].type == LIST_NESTED && cells[i].state == LIST_PRESENT)
            put_nested_csv(list->output, &cells[i]);
        else
            csv_text(list->output, value_text(&kind->columns[i], &cells[i], number));
    }
    output_text(list->output, "\r\n");
}

const struct sink_lists csv_lists = {csv_begin, csv_row, false};

/* ---- JSON Lines ------------------------------------------------------------------------------ */

static void jsonl_begin(const struct list *list)
{
    (void)list;
}

static void put_value_json(struct output *output, const struct list_column *column,
                           const struct list_cell *cell)
{
    char number[VALUE_BYTES];
    if (cell->state == LIST_NULL)
        output_text(output, "null");
    else if (column->type == LIST_NESTED)
        cell->nested(output, cell->item);
    else if (column->type == LIST_TEXT)
        json_text(output, value_text(column, cell, number));
    else
        output_text(output, value_text(column, cell, number));
}

static void jsonl_row(const struct list *list, const struct list_cell *cells)
{
    const struct list_kind *kind = list->kind;
    output_printf(list->output, "{\"type\":\"%s\"", kind->type);
    for (size_t i = 0; i < kind->column_count; i++) {
        if (!kind->columns[i].name || cells[i].state == LIST_ABSENT)
            continue;
        output_printf(list->output, ",\"%s\":", kind->columns[i].name);
        put_value_json(list->output, &kind->columns[i], &cells[i]);
    }
    output_text(list->output, "}\n");
}

const struct sink_lists jsonl_lists = {jsonl_begin, jsonl_row, false};
