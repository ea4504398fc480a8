/* SPDX-License-Identifier: MIT */
#include "wave/vcd_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "wave/vcd_codes.h"
#include "wave/vcd_header.h"
#include "wave/vcd_search.h"

/* The values of 18.2.2, and those of VHDL's nine-valued logic as waveform viewers read them. 0: not
 * a value. */
enum { ZERO = 1, ONE, UNKNOWN, FLOATING };

static const uint8_t values[256] = {
    ['0'] = ZERO,     ['1'] = ONE,     ['x'] = UNKNOWN, ['X'] = UNKNOWN, ['z'] = FLOATING,
    ['Z'] = FLOATING, ['l'] = ZERO,    ['L'] = ZERO,    ['h'] = ONE,     ['H'] = ONE,
    ['u'] = UNKNOWN,  ['U'] = UNKNOWN, ['w'] = UNKNOWN, ['W'] = UNKNOWN, ['-'] = UNKNOWN,
};

struct reading {
    struct vcd_text *text;
    struct tally_vcd_signal *out;
    struct vcd_search search;
    struct vcd_codes codes;
    const char *code; /* of the wanted signal */
    size_t code_size;
    size_t capacity; /* of out->times */
    uint8_t value;   /* current value of the bit; 0 before its first change */
    bool timed;
    const char *section; /* the open $dump... command, or NULL */
    uint64_t section_line;
};

/* ---- a change -------------------------------------------------------------------------------- */

/* Sets the bit to `value` from the current time on. */
static int change(struct reading *reading, uint8_t value)
{
    struct tally_vcd_signal *out = reading->out;
    if (value == reading->value)
        return 0;
    reading->value = value;
    out->unknown += value >= UNKNOWN;
    if ((value == ONE) == out->count % 2)
        return 0;
    /* Back to the value before the current time: drop the toggle. */
    if (out->count && out->times[out->count - 1] == out->end) {
        out->count--;
        return 0;
    }
    uint64_t *times = array_grow(out->times, &reading->capacity, out->count, sizeof *times);
    if (!times)
        return fail_memory(reading->text->error, "the times of a signal");
    out->times = times;
    out->times[out->count++] = out->end;
    return 0;
}

/* Returns 1 if the code is the wanted signal's, 0 if it is another signal's, or an error. */
static int is_wanted_code(const struct reading *reading, const char *code, size_t size)
{
    if (size == reading->code_size && !memcmp(code, reading->code, size))
        return 1;
    if (vcd_codes_have(&reading->codes, code, size))
        return 0;
    return vcd_text_fail(reading->text,
                         "unknown identifier code \"%s\", expected a code declared by a $var",
                         vcd_show(code, size).text);
}

static int end_of_change(const struct reading *reading)
{
    return vcd_text_fail(reading->text, "the dump ends within a value change");
}

/* The value and the code of a scalar are not separated by a blank (18.2.1). */
static int scalar(struct reading *reading, const struct vcd_token *token)
{
    if (token->size < 2)
        return vcd_text_fail(reading->text, "\"%c\" without an identifier code", token->text[0]);
    int wanted = is_wanted_code(reading, token->text + 1, token->size - 1);
    if (wanted <= 0)
        return wanted;
    /* For a vector it is a value of one digit. */
    uint8_t value = values[(uint8_t)token->text[0]];
    if (reading->search.bit)
        value = value == ONE ? ZERO : value;
    return change(reading, value);
}

/* Skips the value of a real or a string, which must not belong to the wanted signal. */
static int skip_value(struct reading *reading, char kind)
{
    struct vcd_token code;
    int result = vcd_text_next(reading->text, &code);
    if (result <= 0)
        return result < 0 ? result : end_of_change(reading);
    result = is_wanted_code(reading, code.text, code.size);
    if (result <= 0)
        return result;
    return vcd_text_fail(reading->text, "a %s for %s, expected bits",
                         kind == 's' ? "string" : "real number", reading->search.name);
}

static int vector(struct reading *reading, const struct vcd_token *token)
{
    const char *digits = token->text + 1;
    const size_t size = token->size - 1;
    bool good = size > 0;
    for (size_t i = 0; i < size; i++)
        good &= values[(uint8_t)digits[i]] != 0;
    if (!good)
        return vcd_text_fail(reading->text, "\"%s\", expected b and digits 0, 1, x, z",
                             vcd_show(token->text, token->size).text);
    /* Values are extended to the left: 0 and 1 with 0, x with x, z with z (table 18-1). */
    uint8_t value = values[(uint8_t)digits[0]];
    if (reading->search.bit < size)
        value = values[(uint8_t)digits[size - 1 - reading->search.bit]];
    else if (value == ONE)
        value = ZERO;
    struct vcd_token code;
    int result = vcd_text_next(reading->text, &code);
    if (result <= 0)
        return result < 0 ? result : end_of_change(reading);
    result = is_wanted_code(reading, code.text, code.size);
    if (result <= 0)
        return result;
    if (size > reading->search.width)
        return vcd_text_fail(reading->text, "%zu digits for %s, which has %" PRIu64, size,
                             reading->search.name, reading->search.width);
    return change(reading, value);
}

/* ---- the changes ----------------------------------------------------------------------------- */

static int simulation_time(struct reading *reading, const struct vcd_token *token)
{
    uint64_t time;
    if (!vcd_number(token->text + 1, token->size - 1, &time))
        return vcd_text_fail(reading->text, "\"%s\", expected a time: # and a number of 64 bits",
                             vcd_show(token->text, token->size).text);
    if (time < reading->out->end)
        return vcd_text_fail(reading->text,
                             "time %" PRIu64 " after %" PRIu64 ", expected ascending times", time,
                             reading->out->end);
    reading->out->end = time;
    return 0;
}

static int keyword(struct reading *reading, const struct vcd_token *token)
{
    static const char *const sections[] = {"$dumpvars", "$dumpall", "$dumpon", "$dumpoff"};
    static const char *const early[] = {"$var", "$scope", "$upscope", "$timescale",
                                        "$enddefinitions"};
    struct vcd_shown shown = vcd_show(token->text, token->size);
    if (vcd_token_is(token, "$end")) {
        if (!reading->section)
            return vcd_text_fail(reading->text, "$end without a command");
        reading->section = NULL;
        return 0;
    }
    for (size_t i = 0; i < sizeof early / sizeof early[0]; i++)
        if (vcd_token_is(token, early[i]))
            return vcd_text_fail(reading->text, "%s after $enddefinitions", early[i]);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (!vcd_token_is(token, sections[i]))
            continue;
        if (reading->section)
            return vcd_text_fail(reading->text,
                                 "%s within the %s of line %" PRIu64 ", expected $end", sections[i],
                                 reading->section, reading->section_line);
        reading->section = sections[i];
        reading->section_line = reading->text->line;
        /* While the dump is off, all values are x, including those that are not listed (18.1.3). */
        return i == 3 ? change(reading, UNKNOWN) : 0;
    }
    return vcd_skip_command(reading->text, shown.text, reading->text->line);
}

static int read_command(struct reading *reading, const struct vcd_token *token)
{
    char first = token->text[0];
    if (first == '#')
        return simulation_time(reading, token);
    if (values[(uint8_t)first])
        return scalar(reading, token);
    if (first == 'b' || first == 'B')
        return vector(reading, token);
    if (first == '$')
        return keyword(reading, token);
    if (first == 'r' || first == 'R' || first == 's')
        return skip_value(reading, first);
    return vcd_text_fail(reading->text, "\"%s\", expected a time, a value change or a $command",
                         vcd_show(token->text, token->size).text);
}

static int read_changes(struct reading *reading)
{
    struct vcd_token token;
    int result;
    while ((result = vcd_text_next(reading->text, &token)) > 0) {
        result = read_command(reading, &token);
        if (result < 0)
            return result;
    }
    if (!result && reading->section)
        return vcd_truncated(reading->text, reading->section, reading->section_line);
    return result;
}

/* ---- the dump -------------------------------------------------------------------------------- */

static int declared(void *closure, const struct tally_vcd_variable *variable)
{
    struct reading *reading = closure;
    int result = vcd_codes_add(&reading->codes, variable->code, strlen(variable->code));
    if (result == -E2BIG)
        return vcd_text_fail(reading->text, "more than %zu identifier codes or %zu bytes of them",
                             VCD_CODES_MAX, VCD_CODE_BYTES_MAX);
    if (!result)
        result = vcd_search_try(&reading->search, variable, reading->text->line);
    return result < 0 ? fail_memory(reading->text->error, "the declarations of a dump") : 0;
}

int vcd_read_text(struct vcd_text *text, const char *name, struct tally_vcd_signal *out)
{
    struct reading reading = {.text = text, .out = out};
    *out = (struct tally_vcd_signal){0};
    int result = vcd_search_init(&reading.search, name);
    if (result < 0)
        result = fail_memory(text->error, "a name");
    else
        result = vcd_header_read(text, declared, &reading, &out->timescale_fs);
    if (!result)
        result = vcd_search_result(&reading.search, text->label, text->error);
    if (!result) {
        reading.code = reading.search.code.bytes;
        reading.code_size = reading.search.code.size - 1;
        result = read_changes(&reading);
    }
    vcd_search_fini(&reading.search);
    vcd_codes_fini(&reading.codes);
    return result;
}

int vcd_list_text(struct vcd_text *text,
                  int (*each)(void *closure, const struct tally_vcd_variable *variable),
                  void *closure)
{
    uint64_t timescale_fs;
    return vcd_header_read(text, each, closure, &timescale_fs);
}

static ptrdiff_t read_file(void *closure, void *to, size_t size)
{
    const int *fd = closure;
    ssize_t n;
    do {
        n = read(*fd, to, size);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* Opens a dump. If this returns 0, the caller closes *fd. */
static int open_file(const char *path, int *fd, struct vcd_text *text, struct tally_error *error)
{
    if (!strcmp(path, "-"))
        return fail(error, -EINVAL,
                    "cannot read a dump from standard input, expected a file: each signal is "
                    "read in a separate pass");
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    int code = *fd < 0 || fstat(*fd, &status) < 0 ? -errno : 0;
    if (code < 0)
        fail(error, code, "%s: cannot open: %s", path, strerror(-code));
    else if (S_ISDIR(status.st_mode))
        code = fail(error, -EISDIR, "%s: is a directory, expected a value change dump", path);
    else
        code = vcd_text_from_function(text, path, read_file, fd, 0, error);
    if (code < 0 && *fd >= 0)
        close(*fd);
    if (!code)
        posix_fadvise(*fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return code;
}

int tally_vcd_read(const char *path, const char *name, struct tally_vcd_signal *out,
                   struct tally_error *error)
{
    struct vcd_text text;
    int fd;
    *out = (struct tally_vcd_signal){0};
    int result = open_file(path, &fd, &text, error);
    if (result < 0)
        return result;
    result = vcd_read_text(&text, name, out);
    vcd_text_fini(&text);
    close(fd);
    return result;
}

int tally_vcd_list(const char *path,
                   int (*each)(void *closure, const struct tally_vcd_variable *variable),
                   void *closure, struct tally_error *error)
{
    struct vcd_text text;
    int fd;
    int result = open_file(path, &fd, &text, error);
    if (result < 0)
        return result;
    result = vcd_list_text(&text, each, closure);
    vcd_text_fini(&text);
    close(fd);
    return result;
}

void tally_vcd_signal_fini(struct tally_vcd_signal *signal)
{
    free(signal->times);
    *signal = (struct tally_vcd_signal){0};
}
