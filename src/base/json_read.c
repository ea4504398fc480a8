/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"

enum state {
    VALUE,        /* is expected */
    VALUE_OR_END, /* after [ */
    KEY_OR_END,   /* after { */
    KEY,          /* after a comma of an object */
    COLON,
    COMMA_OR_END, /* after a value */
    STRING,       /* within one, */
    ESCAPE,       /* after its backslash, */
    HEX,          /* and in \uXXXX */
    SCALAR,       /* within a number or a word */
};

static int fail_at(const struct json_reader *reader, struct tally_error *error,
                   const char *expected, char found)
{
    if ((unsigned char)found < ' ' || (unsigned char)found >= 0x7f)
        return fail(error, -EBADMSG, "line %" PRIu64 ": byte 0x%02x, expected %s", reader->line,
                    (unsigned char)found, expected);
    return fail(error, -EBADMSG, "line %" PRIu64 ": \"%c\", expected %s", reader->line, found,
                expected);
}

static int send(struct json_reader *reader, enum json_event event, struct tally_error *error)
{
    reader->text[reader->size] = '\0';
    int result = reader->event(reader->closure, event, reader->text, reader->size, error);
    if (result < 0)
        fail_in(error, "line %" PRIu64, reader->line);
    reader->size = 0;
    return result;
}

static int push(struct json_reader *reader, char kind, struct tally_error *error)
{
    if (reader->depth == JSON_DEPTH_MAX)
        return fail(error, -EBADMSG, "line %" PRIu64 ": values are nested more than %d deep",
                    reader->line, JSON_DEPTH_MAX);
    reader->stack[reader->depth++] = kind;
    reader->state = kind == '{' ? KEY_OR_END : VALUE_OR_END;
    return send(reader, kind == '{' ? JSON_OBJECT : JSON_ARRAY, error);
}

static int pop(struct json_reader *reader, struct tally_error *error)
{
    char kind = reader->stack[--reader->depth];
    reader->state = reader->depth ? COMMA_OR_END : VALUE;
    return send(reader, kind == '{' ? JSON_OBJECT_END : JSON_ARRAY_END, error);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static int append(struct json_reader *reader, char byte, struct tally_error *error)
{
    if (reader->size == JSON_TEXT_MAX)
        return fail(error, -EBADMSG, "line %" PRIu64 ": a text of more than %d bytes", reader->line,
                    JSON_TEXT_MAX);
    reader->text[reader->size++] = byte;
    return 0;
}

static int append_code(struct json_reader *reader, uint32_t code, struct tally_error *error)
{
    char bytes[4];
    size_t count = 0;
    if (code < 0x80) {
        bytes[count++] = (char)code;
    } else if (code < 0x800) {
        bytes[count++] = (char)(0xc0 | code >> 6);
    } else if (code < 0x10000) {
        bytes[count++] = (char)(0xe0 | code >> 12);
        bytes[count++] = (char)(0x80 | (code >> 6 & 0x3f));
    } else {
        bytes[count++] = (char)(0xf0 | code >> 18);
        bytes[count++] = (char)(0x80 | (code >> 12 & 0x3f));
        bytes[count++] = (char)(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80)
        bytes[count++] = (char)(0x80 | (code & 0x3f));
    int result = 0;
    for (size_t i = 0; !result && i < count; i++)
        result = append(reader, bytes[i], error);
    return result;
}

/* A half of a surrogate pair without the other one is U+FFFD. */
static int end_surrogate(struct json_reader *reader, struct tally_error *error)
{
    if (!reader->surrogate)
        return 0;
    reader->surrogate = 0;
    return append_code(reader, 0xfffd, error);
}

static int end_code(struct json_reader *reader, struct tally_error *error)
{
    uint32_t code = reader->code, first = reader->surrogate;
    reader->state = STRING;
    if (first && code >= 0xdc00 && code < 0xe000) {
        reader->surrogate = 0;
        return append_code(reader, 0x10000 + ((first - 0xd800) << 10) + (code - 0xdc00), error);
    }
    int result = end_surrogate(reader, error);
    if (!result && code >= 0xd800 && code < 0xdc00)
        reader->surrogate = code;
    else if (!result)
        result = append_code(reader, code >= 0xd800 && code < 0xe000 ? 0xfffd : code, error);
    return result;
}

static int take_hex(struct json_reader *reader, char c, struct tally_error *error)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;
    if (!at)
        return fail_at(reader, error, "4 hexadecimal digits", c);
    reader->code = reader->code << 4 | (uint32_t)(at - digits);
    return --reader->digits ? 0 : end_code(reader, error);
}

static int take_escape(struct json_reader *reader, char c, struct tally_error *error)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *at = c ? strchr(escapes, c) : NULL;
    if (c == 'u') {
        reader->state = HEX;
        reader->digits = 4;
        reader->code = 0;
        return 0;
    }
    if (!at)
        return fail_at(reader, error, "an escape of JSON", c);
    reader->state = STRING;
    int result = end_surrogate(reader, error);
    return result ? result : append(reader, meanings[at - escapes], error);
}

static int take_string(struct json_reader *reader, char c, struct tally_error *error)
{
    if (c == '\\') {
        reader->state = ESCAPE;
        return 0;
    }
    int result = end_surrogate(reader, error);
    if (result)
        return result;
    if (c == '\n')
        return fail_at(reader, error, "the end of a text", c);
    if (c != '"')
        return append(reader, c, error);
    reader->state = reader->is_key ? COLON : reader->depth ? COMMA_OR_END : VALUE;
    return send(reader, reader->is_key ? JSON_KEY : JSON_STRING, error);
}

/* ---- numbers and words ----------------------------------------------------------------------- */

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

static bool is_number(const char *text)
{
    text += *text == '-';
    if (!strcmp(text, "nan") || !strcmp(text, "inf"))
        return true;
    size_t digits = digits_at(text);
    if (!digits || (digits > 1 && *text == '0'))
        return false;
    text += digits;
    if (*text == '.') {
        if (!(digits = digits_at(++text)))
            return false;
        text += digits;
    }
    if (*text == 'e' || *text == 'E') {
        text += 1 + (text[1] == '+' || text[1] == '-');
        if (!(digits = digits_at(text)))
            return false;
        text += digits;
    }
    return !*text;
}

static bool is_word(const char *text)
{
    return !strcmp(text, "true") || !strcmp(text, "false") || !strcmp(text, "null");
}

static bool is_scalar(char c)
{
    return isalnum((unsigned char)c) || c == '-' || c == '+' || c == '.';
}

static int end_scalar(struct json_reader *reader, struct tally_error *error)
{
    reader->text[reader->size] = '\0';
    bool word = is_word(reader->text);
    if (!word && !is_number(reader->text))
        return fail(error, -EBADMSG, "line %" PRIu64 ": \"%.40s\", expected a value", reader->line,
                    reader->text);
    reader->state = reader->depth ? COMMA_OR_END : VALUE;
    return send(reader, word ? JSON_WORD : JSON_NUMBER, error);
}

/* ---- structure ------------------------------------------------------------------------------- */

static int begin_string(struct json_reader *reader, bool is_key)
{
    reader->state = STRING;
    reader->is_key = is_key;
    return 0;
}

static int take_value(struct json_reader *reader, char c, struct tally_error *error)
{
    bool may_end = reader->state == VALUE_OR_END;
    if (c == '{' || c == '[')
        return push(reader, c, error);
    if (c == ']' && may_end)
        return pop(reader, error);
    if (c == ',' && !reader->depth) /* between values that no array holds */
        return 0;
    if (c == '"')
        return begin_string(reader, false);
    if (!is_scalar(c))
        return fail_at(reader, error, may_end ? "a value or \"]\"" : "a value", c);
    reader->state = SCALAR;
    return append(reader, c, error);
}

static int take_after_value(struct json_reader *reader, char c, struct tally_error *error)
{
    bool object = reader->stack[reader->depth - 1] == '{';
    if (c == ',') {
        reader->state = object ? KEY : VALUE;
        return 0;
    }
    if (c == (object ? '}' : ']'))
        return pop(reader, error);
    return fail_at(reader, error, object ? "\",\" or \"}\"" : "\",\" or \"]\"", c);
}

static int take_blank_or(struct json_reader *reader, char c, struct tally_error *error)
{
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        return 0;
    switch ((enum state)reader->state) {
    case KEY_OR_END:
        if (c == '}')
            return pop(reader, error);
        __attribute__((fallthrough));
    case KEY:
        return c == '"' ? begin_string(reader, true)
                        : fail_at(reader, error, "a key in double quotes", c);
    case COLON:
        reader->state = VALUE;
        return c == ':' ? 0 : fail_at(reader, error, "\":\"", c);
    case COMMA_OR_END:
        return take_after_value(reader, c, error);
    default:
        return take_value(reader, c, error);
    }
}

static int take(struct json_reader *reader, char c, struct tally_error *error)
{
    switch ((enum state)reader->state) {
    case STRING:
        return take_string(reader, c, error);
    case ESCAPE:
        return take_escape(reader, c, error);
    case HEX:
        return take_hex(reader, c, error);
    case SCALAR: {
        if (is_scalar(c))
            return append(reader, c, error);
        int result = end_scalar(reader, error);
        return result ? result : take_blank_or(reader, c, error);
    }
    default:
        return take_blank_or(reader, c, error);
    }
}

int json_read(struct json_reader *reader, const char *bytes, size_t size, struct tally_error *error)
{
    int result = 0;
    reader->line += !reader->line;
    for (size_t i = 0; !result && i < size; i++) {
        result = take(reader, bytes[i], error);
        reader->line += !result && bytes[i] == '\n';
    }
    return result;
}

bool json_is_between(const struct json_reader *reader)
{
    for (unsigned i = 0; i < reader->depth; i++)
        if (reader->stack[i] == '{')
            return false;
    return reader->state == VALUE || reader->state == VALUE_OR_END || reader->state == COMMA_OR_END;
}
