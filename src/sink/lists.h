/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_LISTS_H
#define TALLY_SINK_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "sink/output.h"

/*
 * Lists of known names (tally list). The columns of a list are described once; each format writes
 * its rows from that.
 */
enum list_type {
    LIST_TEXT,
    LIST_NUMBER,
    LIST_TENTHS, /* the number divided by ten, with one decimal */
    LIST_BOOL,
    LIST_NESTED /* an array or object: JSON, in CSV too */
};

struct list_column {
    const char *name; /* key in JSON Lines, heading in CSV; NULL: only in tables */
    enum list_type type;
    unsigned place;    /* position in tables, from 1; 0: not in tables */
    unsigned indent;   /* in tables: blanks before the column */
    int width;         /* in tables, as in printf(): negative is left-aligned */
    const char *title; /* in tables: the heading, or NULL */
};

/* A list without titles has no headings in tables. */
struct list_kind {
    const char *type; /* "type" of the objects of JSON Lines */
    const struct list_column *columns;
    size_t column_count;
};

#define LIST_KIND(type, columns)                                                                   \
    {                                                                                              \
        type, columns, ARRAY_COUNT(columns)                                                        \
    }

enum list_state {
    LIST_PRESENT,
    LIST_NULL,  /* no value: null, or an empty field */
    LIST_ABSENT /* no member in JSON Lines; an empty field */
};

/* The value of a row in one column; the column's type determines which member is used. */
struct list_cell {
    const char *text;
    uint64_t number;                                         /* also of LIST_BOOL: 0 or 1 */
    void (*nested)(struct output *output, const void *item); /* writes `item` as JSON */
    const void *item;
    const char *shown; /* what tables show instead of the value, or NULL */
    enum list_state state;
};

struct list {
    struct output *output;
    const struct sink_lists *sink;
    const struct list_kind *kind;
};

/* Writes a list in one format. */
struct sink_lists {
    void (*begin)(const struct list *list);
    void (*row)(const struct list *list, const struct list_cell *cells);
    bool remarks; /* the format allows lines of text between the rows */
};

extern const struct sink_lists table_lists, csv_lists, jsonl_lists;

/* Starts a list: writes the headings. The kind must outlive the list. */
void list_begin(struct list *list, struct output *output, const struct sink_lists *sink,
                const struct list_kind *kind);

/* Writes a row: one cell for each column of the list's kind. */
void list_row(const struct list *list, const struct list_cell *cells);

/* Returns the output for lines of text between the rows, or NULL if the format does not allow
 * them. */
struct output *list_remarks(const struct list *list);

#endif
