/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_CANVAS_H
#define TALLY_VIEW_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view/history.h"

/* A grid of characters and their styles, on which a view is drawn, for a terminal (screen.c) or a
 * test. Each character takes one column. */

enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_TITLE,    /* title lines, names of keys: reversed */
    STYLE_SELECTED, /* reversed */
    STYLE_GOOD,     /* the first part of a bar */
    STYLE_SECOND,   /* its second part */
    STYLE_GRAPH,    /* sparklines */
    STYLE_WARNING,  /* losses, errors */
    STYLES          /* their number */
};

struct cell {
    uint32_t character; /* Unicode; with `ascii`, below 127 */
    uint8_t style;      /* enum style */
};

struct canvas {
    size_t rows, columns;
    bool ascii; /* the terminal has no other characters */
    struct cell *cells;
};

/* Makes an empty canvas. Returns 0 or -ENOMEM. A canvas that has one of this size keeps it. */
int canvas_start(struct canvas *canvas, size_t rows, size_t columns, bool ascii);
void canvas_fini(struct canvas *canvas);

/* A part of a canvas: what is drawn outside of it is cut off. */
struct area {
    struct canvas *canvas;
    size_t row, column, rows, columns;
};

/* Writes a text into at most `width` columns from `column` of a row on, and returns the column
 * after it. A text that is too long ends with an ellipsis, characters that do not take exactly one
 * column become "?". */
size_t area_put(const struct area *area, size_t row, size_t column, size_t width, enum style style,
                const char *text);

/* The same, right-aligned in `width` columns. */
void area_put_right(const struct area *area, size_t row, size_t column, size_t width,
                    enum style style, const char *text);

/* Fills columns of a row with one style, without changing the characters. */
void area_style(const struct area *area, size_t row, size_t column, size_t width, enum style style);

/* Draws a bar of `width` columns with brackets: `share` of it, 0 to 1, and then `second`. NaN: an
 * empty one. */
void area_bar(const struct area *area, size_t row, size_t column, size_t width, double share,
              double second);

/* Draws a sparkline of `width` columns, whose top is `scale`: lost samples as x, undefined ones as
 * a dot, and nothing where there are no samples. */
void area_sparkline(const struct area *area, size_t row, size_t column, size_t width,
                    const struct history *history, history_value *value, const void *closure,
                    double scale);

#endif
