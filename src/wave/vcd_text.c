/* SPDX-License-Identifier: MIT */
#include "wave/vcd_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"

/* Bytes read at once; small enough to stay in the cache until they are parsed. */
#define CHUNK_BYTES ((size_t)128 << 10)

enum { WORD, BLANK, NUL };

static const uint8_t classes[256] = {
    [0] = NUL,      ['\t'] = BLANK, ['\n'] = BLANK, ['\v'] = BLANK,
    ['\f'] = BLANK, ['\r'] = BLANK, [' '] = BLANK,
};

void vcd_text_from_memory(struct vcd_text *text, const char *label, const void *bytes, size_t size,
                          size_t limit, struct tally_error *error)
{
    *text = (struct vcd_text){
        .label = label,
        .bytes = bytes,
        .size = size,
        .limit = limit ? limit : VCD_TOKEN_BYTES,
        .line = 1,
        .ended = true,
        .error = error,
    };
}

int vcd_text_from_function(struct vcd_text *text, const char *label, vcd_read_function *read,
                           void *closure, size_t limit, struct tally_error *error)
{
    vcd_text_from_memory(text, label, NULL, 0, limit, error);
    text->buffer = malloc(text->limit + 1);
    if (!text->buffer)
        return fail_memory(error, "the text of a dump");
    text->bytes = text->buffer;
    text->read = read;
    text->closure = closure;
    text->ended = false;
    return 0;
}

void vcd_text_fini(struct vcd_text *text)
{
    free(text->buffer);
    text->buffer = NULL;
}

/* Reads more text, keeping the bytes from *start on and updating *start. Returns 1, 0 at the end,
 * or an error. */
static int refill(struct vcd_text *text, size_t *start)
{
    if (text->ended)
        return 0;
    size_t kept = text->size - *start;
    memmove(text->buffer, text->buffer + *start, kept);
    text->at -= *start;
    text->size = kept;
    *start = 0;
    size_t space = text->limit + 1 - kept;
    ptrdiff_t got = text->read(text->closure, text->buffer + kept, min_size(space, CHUNK_BYTES));
    if (got < 0)
        return fail(text->error, (int)got, "%s:%" PRIu64 ": cannot read: %s", text->label,
                    text->line, strerror((int)-got));
    text->ended = got == 0;
    text->size += (size_t)got;
    return got > 0;
}

/* Skips to the next character that is not white space. Returns 1, 0 at the end, or an error. */
static int skip_blanks(struct vcd_text *text)
{
    for (;;) {
        for (; text->at < text->size; text->at++) {
            uint8_t c = (uint8_t)text->bytes[text->at];
            if (classes[c] != BLANK)
                return 1;
            text->line += c == '\n';
        }
        size_t start = text->at;
        int more = refill(text, &start);
        if (more <= 0)
            return more;
    }
}

int vcd_text_next(struct vcd_text *text, struct vcd_token *token)
{
    int more = skip_blanks(text);
    if (more <= 0)
        return more;
    size_t start = text->at;
    for (;;) {
        size_t stop = text->size - start > text->limit ? start + text->limit + 1 : text->size;
        size_t at = text->at;
        while (at < stop && classes[(uint8_t)text->bytes[at]] == WORD)
            at++;
        text->at = at;
        if (at - start > text->limit)
            return vcd_text_fail(text, "a word longer than %zu characters", text->limit);
        if (at < stop)
            break;
        more = refill(text, &start);
        if (more < 0)
            return more;
        if (!more)
            break;
    }
    if (text->at < text->size && classes[(uint8_t)text->bytes[text->at]] == NUL)
        return vcd_text_fail(text, "a NUL byte, expected text");
    token->text = text->bytes + start;
    token->size = text->at - start;
    return 1;
}

int vcd_text_fail(const struct vcd_text *text, const char *format, ...)
{
    char message[sizeof text->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail(text->error, -EBADMSG, "%s:%" PRIu64 ": %s", text->label, text->line, message);
}

struct vcd_shown vcd_show(const char *text, size_t size)
{
    struct vcd_shown shown;
    size_t max = sizeof shown.text - 4, used = min_size(size, max);
    for (size_t i = 0; i < used; i++)
        shown.text[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    memcpy(shown.text + used, "...", 4);
    if (used == size)
        shown.text[used] = '\0';
    return shown;
}

bool vcd_number(const char *text, size_t size, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned digit = (unsigned)(uint8_t)text[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, UINT64_C(10), &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    *out = value;
    return size > 0;
}

uint64_t vcd_timescale_fs(const char *text)
{
    static const struct {
        const char *unit;
        uint64_t fs;
    } units[] = {
        {"s", UINT64_C(1000000000000000)},
        {"ms", UINT64_C(1000000000000)},
        {"us", UINT64_C(1000000000)},
        {"ns", UINT64_C(1000000)},
        {"ps", UINT64_C(1000)},
        {"fs", UINT64_C(1)},
    };
    size_t digits = strspn(text, "0123456789");
    uint64_t factor;
    if (!vcd_number(text, digits, &factor) || (factor != 1 && factor != 10 && factor != 100))
        return 0;
    const char *unit = text + digits + strspn(text + digits, " \t");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strcmp(unit, units[i].unit))
            return factor * units[i].fs;
    return 0;
}

/* Parses a decimal number of at most ten digits, with an optional minus sign. */
static bool read_index(const char **at, const char *end, int64_t *out)
{
    bool negative = *at < end && **at == '-';
    const char *digits = *at + negative;
    const char *stop = digits;
    while (stop < end && *stop >= '0' && *stop <= '9')
        stop++;
    uint64_t number;
    if (stop - digits > 10 || !vcd_number(digits, (size_t)(stop - digits), &number))
        return false;
    *out = negative ? -(int64_t)number : (int64_t)number;
    *at = stop;
    return true;
}

static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

struct vcd_range vcd_range_at_end(const char *name, size_t size)
{
    const struct vcd_range none = {0};
    struct vcd_range range = {0};
    if (!size || name[size - 1] != ']')
        return none;
    const char *end = name + size - 1, *open = end;
    while (open > name && *open != '[')
        open--;
    const char *at = skip_blank(open + 1, end);
    if (open == name || !read_index(&at, end, &range.msb))
        return none;
    range.lsb = range.msb;
    at = skip_blank(at, end);
    if (at < end && *at == ':') {
        range.pair = true;
        at = skip_blank(at + 1, end);
        if (!read_index(&at, end, &range.lsb))
            return none;
        at = skip_blank(at, end);
    }
    while (open > name && open[-1] == ' ')
        open--;
    if (at != end || open == name)
        return none;
    range.size = (size_t)(name + size - open);
    return range;
}
