/* SPDX-License-Identifier: MIT */
#include "metrics/infix.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"

struct infix {
    const char *text;
    size_t at;
    unsigned depth;
    const struct tally_metric_set *set;
    struct buffer *rpn;
    struct tally_error *error;
    int result;
};

/* Reports a mistake at an offset of the text. Only the first one is kept. */
__attribute__((format(printf, 3, 4))) static void stop(struct infix *infix, size_t at,
                                                       const char *format, ...)
{
    char message[200];
    va_list arguments;
    if (infix->result)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    infix->result = fail(infix->error, -EBADMSG, "column %zu: %s", at + 1, message);
}

static char peek(struct infix *infix)
{
    while (infix->text[infix->at] == ' ')
        infix->at++;
    return infix->text[infix->at];
}

static bool take(struct infix *infix, char c)
{
    bool taken = !infix->result && peek(infix) == c;
    infix->at += taken;
    return taken;
}

/* "\")\"", or "the end" for messages. */
static const char *found(struct infix *infix, char text[8])
{
    char c = peek(infix);
    if (!c)
        return "the end";
    if ((unsigned char)c > '~')
        return "a character beyond ASCII";
    snprintf(text, 8, "\"%c\"", c);
    return text;
}

static void expect(struct infix *infix, char c)
{
    char text[8];
    if (!take(infix, c))
        stop(infix, infix->at, "%s, expected \"%c\"", found(infix, text), c);
}

static void put(struct infix *infix, const char *token)
{
    if (infix->rpn->size)
        buffer_char(infix->rpn, ' ');
    buffer_text(infix->rpn, token);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_symbol(const char *text)
{
    if (!is_letter(*text))
        return false;
    while (is_letter(*text) || is_digit(*text))
        text++;
    return *text == '\0';
}

ptrdiff_t metric_set_signal(const struct tally_metric_set *set, const char *symbol)
{
    for (size_t i = 0; i < set->signal_count; i++)
        if (!strcmp(set->signals[i].symbol, symbol))
            return (ptrdiff_t)i;
    return -ENOENT;
}

bool infix_is_real(const char *text)
{
    return strpbrk(text, "/-.") != NULL; /* quotients, differences, and fractions */
}

bool infix_next_name(const char **text, char *name, size_t size)
{
    const char *at = *text;
    for (; *at; at += *at != '\0') {
        size_t length = 0;
        if (is_digit(*at)) { /* letters after digits are no name */
            while (is_digit(at[1]) || is_letter(at[1]))
                at++;
            continue;
        }
        while (is_letter(at[length]) || (length && is_digit(at[length])))
            length++;
        if (!length)
            continue;
        snprintf(name, size, "%.*s", (int)length, at);
        at += length;
        if (at[strspn(at, " ")] != '(') {
            *text = at;
            return true;
        }
    }
    *text = at;
    return false;
}

/* ---- operands ------------------------------------------------------------------------------ */

#define NAME_BYTES 64

static void take_name(struct infix *infix, char name[NAME_BYTES])
{
    size_t size = 0, at = infix->at;
    while (is_letter(infix->text[infix->at]) || is_digit(infix->text[infix->at])) {
        if (size + 1 < NAME_BYTES)
            name[size++] = infix->text[infix->at];
        infix->at++;
    }
    name[size] = '\0';
    if (infix->at - at >= NAME_BYTES)
        stop(infix, at, "a name of %zu characters, expected at most %d", infix->at - at,
             NAME_BYTES - 1);
}

static void unknown_symbol(struct infix *infix, size_t at, const char *name, bool signals_only)
{
    const char *names[768];
    size_t count = 0;
    for (size_t i = 0; i < infix->set->signal_count && count < ARRAY_COUNT(names); i++)
        names[count++] = infix->set->signals[i].symbol;
    for (size_t i = 0; !signals_only && i < infix->set->counter_count && count < ARRAY_COUNT(names);
         i++)
        names[count++] = infix->set->counters[i].symbol;
    const char *nearest = nearest_word(name, names, count);
    stop(infix, at, "unknown %s \"%s\"%s%s", signals_only ? "signal" : "signal or counter", name,
         nearest ? ", expected " : "", nearest ? nearest : "");
}

static void put_read(struct infix *infix, const char *source, ptrdiff_t index)
{
    char token[48];
    snprintf(token, sizeof token, "%s %td READ", source, index);
    put(infix, token);
}

static enum tally_data_type take_symbol(struct infix *infix)
{
    char name[NAME_BYTES], reference[NAME_BYTES + 1];
    size_t at = infix->at;
    ptrdiff_t index;
    take_name(infix, name);
    if (take(infix, '(')) {
        bool clocks = !strcmp(name, "clocks");
        if (!clocks && strcmp(name, "time") != 0)
            stop(infix, at, "unknown function \"%s\", expected clocks or time", name);
        if (clocks) {
            peek(infix);
            at = infix->at;
            take_name(infix, name);
            index = metric_set_signal(infix->set, name);
            if (index < 0)
                unknown_symbol(infix, at, name, true);
            put_read(infix, "CLOCKS", index);
        } else {
            put_read(infix, "GPU_TIME", 0);
        }
        expect(infix, ')');
        return TALLY_UINT64;
    }
    if ((index = metric_set_signal(infix->set, name)) >= 0) {
        put_read(infix, "A", index);
        return TALLY_UINT64;
    }
    index = tally_metric_set_counter(infix->set, name);
    if (index < 0) {
        unknown_symbol(infix, at, name, false);
        return TALLY_UINT64;
    }
    snprintf(reference, sizeof reference, "$%s", name);
    put(infix, reference);
    return infix->set->counters[index].type;
}

/* Digits, with a point and digits for a double. */
static enum tally_data_type take_number(struct infix *infix)
{
    char number[24];
    size_t size = 0, at = infix->at;
    bool real = false;
    for (; is_digit(infix->text[infix->at]) || infix->text[infix->at] == '.'; infix->at++) {
        bool point = infix->text[infix->at] == '.';
        if ((point && real) || size == 18)
            break;
        real |= point;
        number[size++] = infix->text[infix->at];
    }
    number[size] = '\0';
    char next = infix->text[infix->at];
    if (is_digit(next) || is_letter(next) || next == '.' || number[size - 1] == '.')
        stop(infix, at, "not a number, expected up to 18 digits such as 100 or 0.5");
    put(infix, number);
    return real ? TALLY_DOUBLE : TALLY_UINT64;
}

/* ---- operations ------------------------------------------------------------------------------ */

static enum tally_data_type take_sum(struct infix *infix);

static enum tally_data_type take_operand(struct infix *infix)
{
    enum tally_data_type type = TALLY_UINT64;
    char c = peek(infix), text[8];
    if (infix->result)
        return type;
    if (infix->depth == INFIX_DEPTH_MAX) {
        stop(infix, infix->at, "nested more than %d times", INFIX_DEPTH_MAX);
        return type;
    }
    infix->depth++;
    if (take(infix, '(')) {
        type = take_sum(infix);
        expect(infix, ')');
    } else if (take(infix, '-')) {
        put(infix, "0.0");
        take_operand(infix);
        put(infix, "FSUB");
        type = TALLY_DOUBLE;
    } else if (is_letter(c)) {
        type = take_symbol(infix);
    } else if (is_digit(c)) {
        type = take_number(infix);
    } else {
        stop(infix, infix->at, "%s, expected a number, a signal or a counter", found(infix, text));
    }
    infix->depth--;
    return type;
}

static enum tally_data_type take_product(struct infix *infix)
{
    enum tally_data_type type = take_operand(infix);
    for (;;) {
        bool multiply = take(infix, '*');
        if (!multiply && !take(infix, '/'))
            return type;
        enum tally_data_type right = take_operand(infix);
        if (!multiply || right == TALLY_DOUBLE)
            type = TALLY_DOUBLE;
        put(infix, !multiply ? "FRATIO" : type == TALLY_DOUBLE ? "FMUL" : "UMUL");
    }
}

static enum tally_data_type take_sum(struct infix *infix)
{
    enum tally_data_type type = take_product(infix);
    for (;;) {
        bool add = take(infix, '+');
        if (!add && !take(infix, '-'))
            return type;
        enum tally_data_type right = take_product(infix);
        if (!add && type == TALLY_UINT64 && right == TALLY_UINT64)
            put(infix, "0.0 FADD"); /* a double: the difference can be negative */
        if (!add || right == TALLY_DOUBLE)
            type = TALLY_DOUBLE;
        put(infix, !add ? "FSUB" : type == TALLY_DOUBLE ? "FADD" : "UADD");
    }
}

int infix_translate(const char *text, const struct tally_metric_set *set, struct buffer *rpn,
                    enum tally_data_type *type, struct tally_error *error)
{
    struct infix infix = {.text = text, .set = set, .rpn = rpn, .error = error};
    char end[8];
    *type = take_sum(&infix);
    if (peek(&infix))
        stop(&infix, infix.at, "%s, expected an operator + - * /", found(&infix, end));
    if (rpn->broken)
        return fail_memory(error, "an equation");
    return infix.result;
}
