/* SPDX-License-Identifier: MIT */
#include "wave/vcd_header.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "wave/vcd_codes.h"

/* Maximum depth of nested scopes, and maximum length of a name with its scopes. */
#define DEPTH_MAX      4096
#define NAME_MAX_BYTES 65536

/* The commands of 18.2.1. Others are skipped. */
static const char *const declarations[] = {
    "$comment", "$date", "$enddefinitions", "$scope", "$timescale", "$upscope", "$var", "$version"};
static const char *const simulation[] = {"$dumpall", "$dumpoff", "$dumpon", "$dumpvars"};

struct header {
    struct vcd_text *text;
    int (*each)(void *closure, const struct tally_vcd_variable *variable);
    void *closure;
    struct buffer path; /* scopes joined by dots */
    size_t *starts;     /* length of the path before each open scope */
    size_t depth, capacity;
    struct buffer code;
    uint64_t timescale_fs;
    bool done; /* $enddefinitions was read */
};

static bool is_one_of(const struct vcd_token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (vcd_token_is(token, words[i]))
            return true;
    return false;
}

int vcd_truncated(const struct vcd_text *text, const char *command, uint64_t line)
{
    return vcd_text_fail(text, "the dump ends within the %s of line %" PRIu64 ", expected $end",
                         vcd_show(command, strlen(command)).text, line);
}

int vcd_skip_command(struct vcd_text *text, const char *command, uint64_t line)
{
    struct vcd_token token;
    int more;
    while ((more = vcd_text_next(text, &token)) > 0)
        if (vcd_token_is(&token, "$end"))
            return 0;
    return more < 0 ? more : vcd_truncated(text, command, line);
}

/*
 * Reads the next word of a declaration. Returns 1 and the word, 0 at $end, or an error. A word that
 * begins another command means that $end is missing.
 */
static int next_word(struct header *header, const char *command, uint64_t line,
                     struct vcd_token *token)
{
    int more = vcd_text_next(header->text, token);
    if (more < 0)
        return more;
    if (!more)
        return vcd_truncated(header->text, command, line);
    if (token->text[0] != '$')
        return 1;
    if (vcd_token_is(token, "$end"))
        return 0;
    if (is_one_of(token, declarations, ARRAY_COUNT(declarations)) ||
        is_one_of(token, simulation, ARRAY_COUNT(simulation)))
        return vcd_text_fail(header->text, "%s within the %s of line %" PRIu64 ", expected $end",
                             vcd_show(token->text, token->size).text, command, line);
    return 1;
}

static int expect_end(struct header *header, const char *command, uint64_t line)
{
    struct vcd_token token;
    int more = next_word(header, command, line, &token);
    if (more <= 0)
        return more;
    return vcd_text_fail(header->text, "\"%s\" after %s, expected $end",
                         vcd_show(token.text, token.size).text, command);
}

/* Appends the words up to $end to the path, separated by one blank. */
static int read_name(struct header *header, const char *command, uint64_t line)
{
    struct vcd_token token;
    int more;
    for (bool first = true; (more = next_word(header, command, line, &token)) > 0; first = false) {
        if (!first)
            buffer_char(&header->path, ' ');
        buffer_append(&header->path, token.text, token.size);
        if (header->path.size > NAME_MAX_BYTES)
            return vcd_text_fail(header->text, "a name longer than %d characters", NAME_MAX_BYTES);
        if (header->path.broken)
            return fail_memory(header->text->error, "a name");
    }
    return more;
}

static int read_scope(struct header *header, uint64_t line)
{
    struct vcd_token type;
    int more = next_word(header, "$scope", line, &type);
    if (more < 0)
        return more;
    if (!more)
        return vcd_text_fail(header->text, "$scope without a type and a name");
    if (header->depth == DEPTH_MAX)
        return vcd_text_fail(header->text, "more than %d nested scopes", DEPTH_MAX);
    size_t *starts =
        array_grow(header->starts, &header->capacity, header->depth, sizeof *header->starts);
    if (!starts)
        return fail_memory(header->text->error, "scopes");
    header->starts = starts;
    size_t start = header->path.size;
    header->starts[header->depth++] = start;
    if (start)
        buffer_char(&header->path, '.');
    size_t name = header->path.size;
    more = read_name(header, "$scope", line);
    /* Some dumpers write scopes without a name; these are left out of the names within. */
    if (more == 0 && header->path.size == name)
        header->path.size = start;
    return more;
}

static int read_upscope(struct header *header, uint64_t line)
{
    if (!header->depth)
        return vcd_text_fail(header->text, "$upscope without an open $scope");
    header->path.size = header->starts[--header->depth];
    return expect_end(header, "$upscope", line);
}

/* Splits [bit] or [msb:lsb] off the end of a name if it agrees with the width; otherwise ("mem[3]",
 * 8 bits wide) it is part of the name. */
static void split_range(const char *name, size_t *size, struct tally_vcd_variable *variable)
{
    struct vcd_range range = vcd_range_at_end(name, *size);
    uint64_t distance =
        (uint64_t)(range.msb > range.lsb ? range.msb - range.lsb : range.lsb - range.msb);
    if (!range.size || distance + 1 != variable->width)
        return;
    *size -= range.size;
    variable->msb = range.msb;
    variable->lsb = range.lsb;
    variable->ranged = true;
}

static bool is_not_bits(const char *type)
{
    static const char *const types[] = {"real", "realtime", "shortreal", "real_parameter",
                                        "string"};
    for (size_t i = 0; i < ARRAY_COUNT(types); i++)
        if (!strcmp(type, types[i]))
            return true;
    return false;
}

/* $var type size code reference $end */
static int read_variable(struct header *header, uint64_t line)
{
    static const char *const parts[] = {"a type", "a size", "an identifier code", "a name"};
    struct vcd_text *text = header->text;
    struct tally_vcd_variable variable = {0};
    char type[32];
    size_t before = header->path.size;
    for (unsigned part = 0; part < 3; part++) {
        struct vcd_token token;
        int more = next_word(header, "$var", line, &token);
        if (more < 0)
            return more;
        if (!more)
            return vcd_text_fail(text, "$end of $var, expected %s", parts[part]);
        struct vcd_shown shown = vcd_show(token.text, token.size);
        if (part == 0) {
            size_t size = token.size < sizeof type ? token.size : sizeof type - 1;
            memcpy(type, token.text, size);
            type[size] = '\0';
        } else if (part == 1) {
            if (!vcd_number(token.text, token.size, &variable.width) || variable.width > INT64_MAX)
                return vcd_text_fail(text, "\"%s\", expected the size of a variable in bits",
                                     shown.text);
        } else {
            if (!vcd_code_is_valid(token.text, token.size))
                return vcd_text_fail(text, "\"%s\", expected an identifier code of ! to ~",
                                     shown.text);
            header->code.size = 0;
            buffer_append(&header->code, token.text, token.size);
            buffer_char(&header->code, '\0');
        }
    }
    if (before)
        buffer_char(&header->path, '.');
    size_t start = header->path.size;
    int more = read_name(header, "$var", line);
    if (more < 0)
        return more;
    size_t size = header->path.size - start;
    if (!size)
        return vcd_text_fail(text, "$end of $var, expected %s", parts[3]);
    variable.msb = variable.width ? (int64_t)variable.width - 1 : 0;
    split_range(header->path.bytes + start, &size, &variable);
    header->path.size = start + size;
    buffer_char(&header->path, '\0');
    if (header->path.broken || header->code.broken)
        return fail_memory(text->error, "a name");
    variable.name = header->path.bytes;
    variable.type = type;
    variable.code = header->code.bytes;
    variable.has_bits = !is_not_bits(type);
    more = header->each(header->closure, &variable);
    header->path.size = before;
    return more;
}

static int read_timescale(struct header *header, uint64_t line)
{
    char text[24] = ""; /* longer than any valid one */
    size_t used = 0;
    struct vcd_token token;
    int more;
    while ((more = next_word(header, "$timescale", line, &token)) > 0) {
        if (used && used < sizeof text - 1)
            text[used++] = ' ';
        for (size_t i = 0; i < token.size && used < sizeof text - 1; i++)
            text[used++] = token.text[i];
    }
    if (more < 0)
        return more;
    header->timescale_fs = vcd_timescale_fs(text);
    if (!header->timescale_fs)
        return vcd_text_fail(header->text,
                             "timescale \"%s\", expected 1, 10 or 100 and s, ms, us, ns, ps or fs",
                             vcd_show(text, used).text);
    return 0;
}

static int read_command(struct header *header)
{
    struct vcd_text *text = header->text;
    struct vcd_token token;
    int more = vcd_text_next(text, &token);
    if (more < 0)
        return more;
    if (!more)
        return vcd_text_fail(text, "the dump ends before $enddefinitions");
    struct vcd_shown shown = vcd_show(token.text, token.size);
    const uint64_t line = text->line;
    if (token.text[0] != '$' || vcd_token_is(&token, "$end") ||
        is_one_of(&token, simulation, ARRAY_COUNT(simulation)))
        return vcd_text_fail(text, "\"%s\", expected a declaration or $enddefinitions", shown.text);
    if (vcd_token_is(&token, "$scope"))
        return read_scope(header, line);
    if (vcd_token_is(&token, "$upscope"))
        return read_upscope(header, line);
    if (vcd_token_is(&token, "$var"))
        return read_variable(header, line);
    if (vcd_token_is(&token, "$timescale"))
        return read_timescale(header, line);
    header->done = vcd_token_is(&token, "$enddefinitions");
    return header->done ? expect_end(header, "$enddefinitions", line)
                        : vcd_skip_command(text, shown.text, line);
}

int vcd_header_read(struct vcd_text *text,
                    int (*each)(void *closure, const struct tally_vcd_variable *variable),
                    void *closure, uint64_t *timescale_fs)
{
    struct header header = {.text = text, .each = each, .closure = closure};
    int result = 0;
    while (!result && !header.done)
        result = read_command(&header);
    *timescale_fs = header.timescale_fs;
    buffer_fini(&header.path);
    buffer_fini(&header.code);
    free(header.starts);
    return result;
}
