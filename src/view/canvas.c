/* SPDX-License-Identifier: MIT */
#include "view/canvas.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/escape.h"
#include "base/minmax.h"

/* Maximum width of a sparkline. */
#define SPARKLINE_MAX 512

int canvas_start(struct canvas *canvas, size_t rows, size_t columns, bool ascii)
{
    if (canvas->rows != rows || canvas->columns != columns) {
        struct cell *cells = calloc(rows * columns + 1, sizeof *cells);
        if (!cells)
            return -ENOMEM;
        free(canvas->cells);
        canvas->cells = cells;
    }
    canvas->rows = rows;
    canvas->columns = columns;
    canvas->ascii = ascii;
    for (size_t i = 0; i < rows * columns; i++)
        canvas->cells[i] = (struct cell){' ', STYLE_PLAIN};
    return 0;
}

void canvas_fini(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){0};
}

static struct cell *cell_at(const struct area *area, size_t row, size_t column)
{
    const struct canvas *canvas = area->canvas;
    if (row >= area->rows || column >= area->columns || area->row + row >= canvas->rows ||
        area->column + column >= canvas->columns)
        return NULL;
    return &canvas->cells[(area->row + row) * canvas->columns + area->column + column];
}

static void set_cell(const struct area *area, size_t row, size_t column, uint32_t character,
                     enum style style)
{
    struct cell *cell = cell_at(area, row, column);
    if (cell)
        *cell = (struct cell){character, (uint8_t)style};
}

/* Returns the character as it is shown, and advances the text. */
static uint32_t next_character(const struct canvas *canvas, const char **text)
{
    uint32_t character;
    size_t size = utf8_decode(*text, &character);
    *text += size ? size : 1;
    if (!size || is_control(character))
        return '?';
    if (character < 127)
        return character;
    if (canvas->ascii)
        return character == 0xb5 ? 'u' : '?'; /* the micro sign */
    /* The block elements and the micro sign take one column, whatever the locale says. */
    if (character == 0xb5 || character == 0x2026 || (character >= 0x2500 && character < 0x25a0))
        return character;
    return wcwidth((wchar_t)character) == 1 ? character : '?';
}

static size_t width_of(const struct canvas *canvas, const char *text)
{
    size_t width = 0;
    for (; *text; width++)
        next_character(canvas, &text);
    return width;
}

size_t area_put(const struct area *area, size_t row, size_t column, size_t width, enum style style,
                const char *text)
{
    size_t end = column + width;
    bool fits = width_of(area->canvas, text) <= width;
    while (*text && column < end) {
        uint32_t character = next_character(area->canvas, &text);
        if (!fits && column + 1 == end)
            character = area->canvas->ascii ? '~' : 0x2026;
        set_cell(area, row, column++, character, style);
    }
    return column;
}

void area_put_right(const struct area *area, size_t row, size_t column, size_t width,
                    enum style style, const char *text)
{
    size_t length = min_size(width_of(area->canvas, text), width);
    area_put(area, row, column + width - length, length, style, text);
}

void area_style(const struct area *area, size_t row, size_t column, size_t width, enum style style)
{
    for (size_t i = 0; i < width; i++) {
        struct cell *cell = cell_at(area, row, column + i);
        if (cell)
            cell->style = (uint8_t)style;
    }
}

/* Returns a share between 0 and 1, 0 for NaN. */
static double limit(double share)
{
    return share > 0 ? share < 1 ? share : 1 : 0;
}

void area_bar(const struct area *area, size_t row, size_t column, size_t width, double share,
              double second)
{
    if (width < 3)
        return;
    size_t inner = width - 2;
    double first_end = limit(share) * (double)inner;
    double second_end = limit(limit(share) + limit(second)) * (double)inner;
    set_cell(area, row, column, '[', STYLE_DIM);
    set_cell(area, row, column + width - 1, ']', STYLE_DIM);
    for (size_t i = 0; i < inner; i++) {
        double from = (double)i, middle = from + 0.5;
        uint32_t character = ' ';
        enum style style = STYLE_PLAIN;
        if (middle <= first_end) {
            character = area->canvas->ascii ? '#' : 0x2588;
            style = STYLE_GOOD;
        } else if (middle <= second_end) {
            character = area->canvas->ascii ? ':' : 0x2592;
            style = STYLE_SECOND;
        } else if (first_end > 0 && first_end <= second_end && i == 0) {
            character = area->canvas->ascii ? '.' : 0x258f; /* not 0 */
            style = STYLE_GOOD;
        }
        set_cell(area, row, column + 1 + i, character, style);
    }
}

void area_sparkline(const struct area *area, size_t row, size_t column, size_t width,
                    const struct history *history, history_value *value, const void *closure,
                    double scale)
{
    static const char ascii[] = "_-~=+*%#";
    double values[SPARKLINE_MAX];
    enum history_state states[SPARKLINE_MAX];
    width = min_size(width, SPARKLINE_MAX);
    history_columns(history, value, closure, width, values, states);
    for (size_t i = 0; i < width; i++) {
        unsigned level = scale > 0 ? (unsigned)(limit(values[i] / scale) * 7.999) : 0;
        switch (states[i]) {
        case HISTORY_VALUE:
            set_cell(area, row, column + i,
                     area->canvas->ascii ? (uint32_t)ascii[level] : 0x2581 + level, STYLE_GRAPH);
            break;
        case HISTORY_LOST:
            set_cell(area, row, column + i, 'x', STYLE_WARNING);
            break;
        case HISTORY_UNDEFINED:
            set_cell(area, row, column + i, '.', STYLE_DIM);
            break;
        case HISTORY_NONE:
            break;
        }
    }
}
