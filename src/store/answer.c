/* SPDX-License-Identifier: MIT */
#include "store/answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"

/* The first two lines of an answer. */
enum { NAMES, TYPES, HEAD_LINES };

void answer_init(struct answer *answer, const struct store_query *query)
{
    *answer = (struct answer){.query = query};
}

void answer_fini(struct answer *answer)
{
    buffer_fini(&answer->names);
    buffer_fini(&answer->row);
}

static int malformed(const struct answer *answer, const char *what, struct tally_error *error)
{
    return fail(error, -EBADMSG,
                "line %zu of the answer: %s, expected rows in the format "
                "TabSeparatedWithNamesAndTypes (a query has no FORMAT)",
                answer->lines + 1, what);
}

/* ---- types ----------------------------------------------------------------------------------- */

/* Returns the type inside of Nullable(...) and LowCardinality(...). */
static const char *bare_type(const char *type)
{
    static const char *const wrappers[] = {"Nullable(", "LowCardinality("};
    for (size_t i = 0; i < ARRAY_COUNT(wrappers); i++)
        if (!strncmp(type, wrappers[i], strlen(wrappers[i])))
            return bare_type(type + strlen(wrappers[i]));
    return type;
}

static enum answer_type type_of(const char *text)
{
    static const struct {
        const char *name;
        enum answer_type type;
    } rows[] = {
        {"Int8", ANSWER_INTEGER},   {"Int16", ANSWER_INTEGER},  {"Int32", ANSWER_INTEGER},
        {"Int64", ANSWER_INTEGER},  {"UInt8", ANSWER_INTEGER},  {"UInt16", ANSWER_INTEGER},
        {"UInt32", ANSWER_INTEGER}, {"UInt64", ANSWER_INTEGER}, {"Float32", ANSWER_REAL},
        {"Float64", ANSWER_REAL},
    };
    const char *type = bare_type(text);
    size_t size = strcspn(type, ")");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (strlen(rows[i].name) == size && !strncmp(type, rows[i].name, size))
            return rows[i].type;
    return ANSWER_TEXT;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Returns whether bytes are UTF-8 without NUL; others are those of a blob. */
static bool is_text(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)bytes[i++];
        size_t more = c < 0x80 ? 0 : c < 0xc2 ? 4 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 4;
        if (!c || more > 3 || more > size - i)
            return false;
        for (; more; more--)
            if (((unsigned char)bytes[i++] & 0xc0) != 0x80)
                return false;
    }
    return true;
}

/* Reads a cell, which has a NUL at its end. Returns false if it is not of its type. */
static bool read_value(enum answer_type type, const char *text, size_t size,
                       struct store_value *value)
{
    char *end;
    *value = (struct store_value){.type = STORE_TEXT, .text = text, .size = size};
    if (type == ANSWER_TEXT) {
        if (!is_text(text, size))
            *value = (struct store_value){
                .type = STORE_BLOB, .blob = (const uint8_t *)text, .size = size};
        return true;
    }
    /* strto...() skip blanks, and read forms of numbers that ClickHouse does not write. */
    if (!size || strspn(text, "+-.0123456789aefinAEFIN") != size)
        return false;
    errno = 0;
    if (type == ANSWER_INTEGER) {
        long long integer = strtoll(text, &end, 10);
        if (end != text + size)
            return false;
        /* Of UInt64 beyond 2^63, the digits. */
        if (errno != ERANGE)
            *value = (struct store_value){.type = STORE_INTEGER, .integer = integer};
        return true;
    }
    double real = strtod(text, &end);
    if (end != text + size)
        return false;
    if (real == real)
        *value = (struct store_value){.type = STORE_REAL, .real = real};
    else
        *value = (struct store_value){.type = STORE_NULL};
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static int take_names(struct answer *answer, struct tally_error *error)
{
    answer->columns = answer->cells;
    answer->names = answer->row;
    answer->row = (struct buffer){0};
    for (size_t i = 0, start = 0; i < answer->columns; i++) {
        answer->column_names[i] = answer->names.bytes + start;
        if (answer->nulls[i] || strlen(answer->column_names[i]) + start + 1 != answer->ends[i])
            return malformed(answer, "no names of columns", error);
        start = answer->ends[i];
    }
    return 0;
}

static int take_types(struct answer *answer)
{
    for (size_t i = 0, start = 0; i < answer->columns; start = answer->ends[i++])
        answer->types[i] = type_of(answer->row.bytes + start);
    return answer->query->begin(answer->query->closure, answer->column_names, answer->columns);
}

static int take_row(struct answer *answer, struct tally_error *error)
{
    struct store_value values[ANSWER_COLUMNS_MAX];
    for (size_t i = 0, start = 0; i < answer->columns; start = answer->ends[i++]) {
        values[i] = (struct store_value){.type = STORE_NULL};
        if (!answer->nulls[i] && !read_value(answer->types[i], answer->row.bytes + start,
                                             answer->ends[i] - start - 1, &values[i]))
            return malformed(answer, "a value is not of its type", error);
    }
    return answer->query->row(answer->query->closure, values, answer->columns);
}

static int end_cell(struct answer *answer, struct tally_error *error)
{
    if (answer->cells == (answer->lines == NAMES ? ANSWER_COLUMNS_MAX : answer->columns))
        return malformed(answer, "too many columns", error);
    buffer_char(&answer->row, '\0');
    answer->nulls[answer->cells] = answer->is_null;
    answer->ends[answer->cells++] = answer->row.size;
    answer->start = answer->row.size;
    answer->is_null = false;
    return answer->row.broken ? fail_memory(error, "a row") : 0;
}

static int end_line(struct answer *answer, struct tally_error *error)
{
    int result = end_cell(answer, error);
    if (!result && answer->lines != NAMES && answer->cells != answer->columns)
        result = malformed(answer, "too few columns", error);
    if (!result)
        result = answer->lines == NAMES   ? take_names(answer, error)
                 : answer->lines == TYPES ? take_types(answer)
                                          : take_row(answer, error);
    answer->row.size = answer->cells = answer->start = 0;
    answer->lines++;
    return result;
}

/* Appends the character that an escape stands for. */
static void add_escaped(struct answer *answer, char c)
{
    static const char from[] = "bfrnt0", to[] = "\b\f\r\n\t";
    const char *at = strchr(from, c);
    answer->is_null = c == 'N' && answer->row.size == answer->start;
    if (!answer->is_null)
        buffer_char(&answer->row, c && at ? to[at - from] : c);
}

static int add_char(struct answer *answer, char c, struct tally_error *error)
{
    if (answer->escaped) {
        answer->escaped = false;
        if (answer->is_null)
            return malformed(answer, "more after \\N", error);
        add_escaped(answer, c);
        return 0;
    }
    if (c == '\n')
        return end_line(answer, error);
    if (c == '\t')
        return end_cell(answer, error);
    if (answer->is_null)
        return malformed(answer, "more after \\N", error);
    answer->escaped = c == '\\';
    if (!answer->escaped)
        buffer_char(&answer->row, c);
    return 0;
}

int answer_add(struct answer *answer, const char *bytes, size_t size, struct tally_error *error)
{
    int result = 0;
    for (size_t i = 0; !result && i < size;) {
        /* Most characters are themselves. */
        size_t plain = i;
        while (plain < size && bytes[plain] != '\\' && bytes[plain] != '\t' && bytes[plain] != '\n')
            plain++;
        if (plain > i && !answer->escaped && !answer->is_null) {
            buffer_append(&answer->row, bytes + i, plain - i);
            i = plain;
        } else {
            result = add_char(answer, bytes[i++], error);
        }
        if (!result && answer->row.size > ANSWER_ROW_MAX)
            result = fail(error, -EFBIG, "line %zu of the answer has more than %u bytes",
                          answer->lines + 1, ANSWER_ROW_MAX);
        if (!result && answer->row.broken)
            result = fail_memory(error, "a row");
    }
    return result;
}

int answer_end(struct answer *answer, struct tally_error *error)
{
    if (answer->row.size || answer->cells || answer->escaped || answer->is_null)
        return malformed(answer, "it ends in the middle", error);
    return answer->lines < HEAD_LINES ? malformed(answer, "it ends before the rows", error) : 0;
}
