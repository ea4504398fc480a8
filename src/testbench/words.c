/* SPDX-License-Identifier: MIT */
/* Splits lines of scripts into words and parses numbers. */
#include "testbench/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/nearest.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int words_split(const char *line, size_t size, struct words *words, struct tally_error *error)
{
    words->count = 0;
    for (size_t at = 0; at < size && line[at] != '#';) {
        if (is_blank(line[at])) {
            at++;
            continue;
        }
        size_t start = at;
        while (at < size && !is_blank(line[at]) && line[at] != '#') {
            unsigned char c = (unsigned char)line[at++];
            if (c < 0x20 || c > 0x7e)
                return fail(error, -EINVAL, "byte 0x%02x at column %zu, expected ASCII text", c,
                            at);
        }
        if (words->count == WORDS_MAX)
            return fail(error, -EINVAL, "more than %d words", WORDS_MAX);
        words->at[words->count++] = (struct word){line + start, at - start};
    }
    return 0;
}

bool word_is(const struct word *word, const char *text)
{
    return strlen(text) == word->size && !memcmp(word->text, text, word->size);
}

bool word_is_nocase(const struct word *word, const char *text)
{
    return *text && strlen(text) == word->size && !strncasecmp(word->text, text, word->size);
}

const char *word_text(const struct word *word, char *text, size_t size)
{
    size_t length = word->size < size ? word->size : size - 1;
    memcpy(text, word->text, length);
    text[length] = 0;
    return text;
}

bool word_is_number(const struct word *word)
{
    return word->size && word->text[0] >= '0' && word->text[0] <= '9';
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}

static bool parse(const struct word *word, uint64_t *out)
{
    bool hex = word->size > 2 && word->text[0] == '0' && (word->text[1] | 0x20) == 'x';
    uint64_t base = hex ? 16 : 10, value = 0;
    if (!word->size)
        return false;
    for (size_t i = hex ? 2 : 0; i < word->size; i++) {
        uint64_t digit = (uint64_t)digit_of(word->text[i]);
        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *out = value;
    return true;
}

int word_number(const struct word *word, uint64_t min, uint64_t max, const char *what,
                uint64_t *out, struct tally_error *error)
{
    *out = 0;
    if (!parse(word, out) || *out < min || *out > max) {
        if (max == UINT64_MAX)
            return word_error(error, word, "%s", what);
        if (max > 0xffff)
            return word_error(error, word, "%s, %" PRIu64 " to 0x%" PRIx64, what, min, max);
        return word_error(error, word, "%s, %" PRIu64 " to %" PRIu64, what, min, max);
    }
    return 0;
}

int word_error(struct tally_error *error, const struct word *word, const char *expected, ...)
{
    char wanted[160], text[48];
    va_list arguments;
    va_start(arguments, expected);
    vsnprintf(wanted, sizeof wanted, expected, arguments);
    va_end(arguments);
    return fail(error, -EINVAL, "'%s%s', expected %s", word_text(word, text, sizeof text),
                word->size >= sizeof text ? "..." : "", wanted);
}

int word_unknown_command(struct tally_error *error, const struct word *word,
                         const char *const *names, size_t count, const char *some)
{
    char text[48];
    const char *nearest = nearest_word(word_text(word, text, sizeof text), names, count);
    return nearest ? word_error(error, word, "%s or another command (%s, ...)", nearest, some)
                   : word_error(error, word, "a command (%s, ...)", some);
}
