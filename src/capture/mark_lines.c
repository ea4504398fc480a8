/* SPDX-License-Identifier: MIT */
#include "capture/mark_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/escape.h"
#include "base/minmax.h"

static const struct {
    const char *name;
    enum mark_word word;
    bool control, named;
} words[] = {
    {"mark", MARK_WORD_MARK, false, true},         {"begin", MARK_WORD_BEGIN, false, true},
    {"end", MARK_WORD_END, false, true},           {"frame", MARK_WORD_FRAME, false, false},
    {"enable", MARK_WORD_ENABLE, true, false},     {"disable", MARK_WORD_DISABLE, true, false},
    {"snapshot", MARK_WORD_SNAPSHOT, true, false}, {"stop", MARK_WORD_STOP, true, false},
    {"quit", MARK_WORD_STOP, true, false},         {"ping", MARK_WORD_PING, true, false},
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

/* Reads "@NS". */
static bool read_time(const char **at, uint64_t *ns)
{
    char *end;
    *ns = 0;
    if (**at != '@')
        return true;
    if (!isdigit((unsigned char)(*at)[1]))
        return false;
    errno = 0;
    *ns = strtoull(*at + 1, &end, 10);
    if (errno || !*ns || !is_blank(*end))
        return false;
    *at = skip_blanks(end);
    return true;
}

size_t mark_name_size(const char *name, size_t size)
{
    /* A character has at most three bytes after its first one; more are no UTF-8. */
    size_t max = min_size(size, TALLY_MARK_NAME_MAX), kept = max;
    while (kept < size && max - kept <= 3 && ((uint8_t)name[kept] & 0xc0) == 0x80)
        kept--;
    return max - kept <= 3 ? kept : max;
}

bool mark_line_parse(const char *line, bool control, struct mark_line *out)
{
    const char *at = skip_blanks(line);
    *out = (struct mark_line){0};
    if (!read_time(&at, &out->cpu_ns))
        return false;
    size_t size = 0;
    while (at[size] && !is_blank(at[size]))
        size++;
    const char *name = skip_blanks(at + size);
    size_t length = strlen(name);
    while (length && is_blank(name[length - 1]))
        length--;
    for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
        if (strlen(words[i].name) != size || memcmp(words[i].name, at, size) != 0 ||
            (words[i].control && !control))
            continue;
        out->word = words[i].word;
        memcpy(out->name, name, mark_name_size(name, length)); /* the rest is 0 */
        return words[i].named == (length != 0) && !(words[i].control && out->cpu_ns);
    }
    return false;
}

static void refuse(struct mark_lines *lines)
{
    if (!lines->wrong++) {
        lines->line[min_size(lines->used, sizeof lines->first - 1)] = '\0';
        memcpy(lines->first, lines->line, strlen(lines->line) + 1);
        escape_in_place(lines->first, sizeof lines->first);
    }
    if (lines->refuse)
        lines->refuse(lines->closure);
}

static void end_line(struct mark_lines *lines)
{
    struct mark_line line;
    lines->line[lines->used] = '\0';
    bool has_nul = strlen(lines->line) != lines->used;
    if (!lines->skipping && !has_nul && mark_line_parse(lines->line, lines->control, &line))
        lines->take(lines->closure, &line);
    else if (lines->skipping || has_nul || *skip_blanks(lines->line))
        refuse(lines);
    lines->used = 0;
    lines->skipping = false;
}

void mark_lines_take(struct mark_lines *lines, const char *bytes, size_t size)
{
    while (size) {
        const char *newline = memchr(bytes, '\n', size);
        size_t length = newline ? (size_t)(newline - bytes) : size;
        size_t space = MARK_LINE_MAX - 1 - lines->used;
        lines->skipping |= length > space;
        memcpy(lines->line + lines->used, bytes, min_size(length, space));
        lines->used += min_size(length, space);
        if (newline)
            end_line(lines);
        length += newline != NULL;
        bytes += length;
        size -= length;
    }
}

void mark_lines_end(struct mark_lines *lines)
{
    if (lines->used)
        refuse(lines);
    lines->used = 0;
    lines->skipping = false;
}
