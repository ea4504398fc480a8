/* SPDX-License-Identifier: MIT */
#include "base/escape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"

#define ESCAPE_BYTES 8 /* of the longest escape, with its NUL */

size_t utf8_decode(const char *text, uint32_t *character)
{
    const unsigned char *at = (const unsigned char *)text;
    static const struct {
        unsigned char mask, lead;
        uint32_t min;
    } forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t size = 1; size <= ARRAY_COUNT(forms); size++) {
        if ((at[0] & forms[size - 1].mask) != forms[size - 1].lead)
            continue;
        uint32_t value = at[0] & (unsigned char)~forms[size - 1].mask;
        for (size_t i = 1; i < size; i++) {
            if ((at[i] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (at[i] & 0x3f);
        }
        *character = value;
        bool surrogate = value >= 0xd800 && value < 0xe000;
        return value < forms[size - 1].min || value > 0x10ffff || surrogate ? 0 : size;
    }
    return 0;
}

bool is_control(uint32_t character)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x1f},     /* C0 */
        {0x7f, 0x9f},     /* DEL, C1 */
        {0x061c, 0x061c}, /* Arabic letter mark */
        {0x200e, 0x200f}, /* left-to-right and right-to-left marks */
        {0x2028, 0x202e}, /* separators, embeddings and overrides of direction */
        {0x2066, 0x2069}, /* isolates of direction */
        {0xfeff, 0xfeff}, /* byte order mark */
    };
    for (size_t i = 0; i < ARRAY_COUNT(ranges); i++)
        if (character >= ranges[i][0] && character <= ranges[i][1])
            return true;
    return false;
}

/* Returns the bytes of the first character, and writes its escape, or "" if it needs none. */
static size_t escape_one(const char *text, char escape[ESCAPE_BYTES])
{
    uint32_t character;
    size_t size = utf8_decode(text, &character);
    *escape = '\0';
    if (!size)
        snprintf(escape, ESCAPE_BYTES, "\\x%02x", (unsigned)(unsigned char)*text);
    else if (is_control(character))
        snprintf(escape, ESCAPE_BYTES, size == 1 ? "\\x%02" PRIx32 : "\\u%04" PRIx32,
                 character & 0xffff);
    return size ? size : 1;
}

bool is_printable(const char *text)
{
    for (; *text; text++) {
        char escape[ESCAPE_BYTES];
        if (*text >= ' ' && *text < 0x7f)
            continue;
        text += escape_one(text, escape) - 1;
        if (*escape)
            return false;
    }
    return true;
}

void escape_put(struct buffer *to, const char *text, size_t size)
{
    const char *end = text + strnlen(text, size);
    while (text < end) {
        char escape[ESCAPE_BYTES], tail[5] = "";
        size_t left = (size_t)(end - text);
        memcpy(tail, text, left < 4 ? left : 4); /* the text may go on behind its end */
        size_t used = escape_one(tail, escape);
        if (*escape)
            buffer_text(to, escape);
        else
            buffer_append(to, text, used);
        text += used;
    }
}

/* Returns the length without the first bytes of a character whose other bytes are missing. */
static size_t without_cut(const char *text, size_t length)
{
    size_t back = 0;
    while (back < 3 && back < length && ((unsigned char)text[length - 1 - back] & 0xc0) == 0x80)
        back++;
    if (back == length)
        return length;
    unsigned char lead = (unsigned char)text[length - 1 - back];
    size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return back + 1 < size ? length - 1 - back : length;
}

void escape_in_place(char *text, size_t size)
{
    char copy[ESCAPE_IN_PLACE_MAX];
    size_t length = strnlen(text, size - 1), used = 0;
    if (length == size - 1)
        length = without_cut(text, length);
    text[length] = '\0';
    if (is_printable(text) || size > sizeof copy)
        return;
    memcpy(copy, text, length + 1);
    for (const char *at = copy; *at;) {
        char escape[ESCAPE_BYTES];
        size_t step = escape_one(at, escape);
        size_t needed = *escape ? strlen(escape) : step;
        if (used + needed >= size)
            break;
        memcpy(text + used, *escape ? escape : at, needed);
        used += needed;
        at += step;
    }
    text[used] = '\0';
}

/* ---- formats --------------------------------------------------------------------------------- */

/* A conversion of a format. */
struct conversion {
    char spec[24];        /* "%-*.*lu": with the width and precision as arguments */
    int width, precision; /* negative: to the left, none */
    char length;          /* 'H' of "hh", 'h', 'l', 'L' of "ll", 'j', 'z', 't'; 0: none */
    char type;            /* '\0': the format ends within the conversion */
};

/* Parses a conversion behind its '%', up to its type, with the arguments of its `*`. */
static const char *take_conversion(struct conversion *to, const char *at, va_list *arguments)
{
    size_t flags = strspn(at, "-+ #0");
    *to = (struct conversion){.precision = -1};
    const char *flag = at;
    at += flags;
    if (*at == '*')
        to->width = va_arg(*arguments, int), at++;
    for (; *at >= '0' && *at <= '9' && to->width < 10000; at++)
        to->width = 10 * to->width + (*at - '0');
    if (*at == '.') {
        to->precision = 0;
        if (*++at == '*')
            to->precision = va_arg(*arguments, int), at++;
        for (; *at >= '0' && *at <= '9' && to->precision < 10000; at++)
            to->precision = 10 * to->precision + (*at - '0');
    }
    size_t lengths = strspn(at, "hljzt");
    if (lengths)
        to->length = (char)(lengths == 1 ? *at : *at - 'a' + 'A');
    if (flags < 6 && lengths < 3)
        snprintf(to->spec, sizeof to->spec, "%%%.*s*.*%.*s%c", (int)flags, flag, (int)lengths, at,
                 at[lengths]);
    to->type = at[lengths];
    return at + lengths;
}

static void put_text(struct buffer *to, const struct conversion *conversion, const char *text)
{
    struct buffer escaped = {0};
    size_t max = conversion->precision < 0 ? SIZE_MAX : (size_t)conversion->precision;
    bool left = conversion->width > 0 && strchr(conversion->spec, '-');
    escape_put(&escaped, text ? text : "(null)", max);
    buffer_append(&escaped, "", 1);
    if (!escaped.broken)
        buffer_printf(to, "%*s", left ? -conversion->width : conversion->width, escaped.bytes);
    to->broken |= escaped.broken;
    buffer_fini(&escaped);
}

/* Takes the argument of a conversion of this type and formats it. */
#define PUT(to, conversion, arguments, type)                                                       \
    buffer_printf(to, (conversion)->spec, (conversion)->width, (conversion)->precision,            \
                  va_arg(*(arguments), type))

static void put_integer(struct buffer *to, const struct conversion *conversion, va_list *arguments)
{
    switch (conversion->length) {
    case 'l':
        PUT(to, conversion, arguments, long);
        break;
    case 'L':
        PUT(to, conversion, arguments, long long);
        break;
    case 'j':
        PUT(to, conversion, arguments, intmax_t);
        break;
    case 'z':
        PUT(to, conversion, arguments, size_t);
        break;
    case 't':
        PUT(to, conversion, arguments, ptrdiff_t);
        break;
    default:
        PUT(to, conversion, arguments, int);
    }
}

static void put_conversion(struct buffer *to, const struct conversion *conversion,
                           va_list *arguments)
{
    switch (conversion->type) {
    case '%':
        buffer_char(to, '%');
        break;
    case 's':
        put_text(to, conversion, va_arg(*arguments, const char *));
        break;
    case 'p':
        PUT(to, conversion, arguments, void *);
        break;
    case 'e':
    case 'f':
    case 'g':
        PUT(to, conversion, arguments, double);
        break;
    default:
        put_integer(to, conversion, arguments);
    }
}

void escape_format(struct buffer *to, const char *format, va_list arguments)
{
    struct conversion conversion;
    va_list rest;
    va_copy(rest, arguments);
    while (*format) {
        size_t plain = strcspn(format, "%");
        buffer_append(to, format, plain);
        format += plain;
        if (!*format)
            break;
        format = take_conversion(&conversion, format + 1, &rest);
        if (!conversion.type || !*conversion.spec) {
            to->broken = true;
            break;
        }
        put_conversion(to, &conversion, &rest);
        format++;
    }
    va_end(rest);
}
