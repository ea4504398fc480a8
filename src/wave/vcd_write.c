/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tally/vcd.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "wave/vcd_text.h"

/* Bytes to buffer before writing to the file. */
#define FLUSH_BYTES 65536

/* Maximum size of a change: "#time\n" and "b", 64 digits, a blank, a code of up to five characters,
 * "\n". */
#define CHANGE_BYTES 128

/* START: the values at time 0 are being set, for $dumpvars. */
enum phase { DECLARING, START, RUNNING, FINISHED };

struct variable {
    uint64_t value;
    uint64_t mask;
};

struct tally_vcd_writer {
    FILE *file;
    struct buffer text;
    struct variable *variables;
    size_t count, capacity;
    unsigned depth; /* open scopes */
    enum phase phase;
    uint64_t time;
    uint64_t written; /* last time written */
    int failed;       /* sticky write error */
};

/* Writes the buffered text to the file. */
static int flush(struct tally_vcd_writer *writer)
{
    if (writer->failed)
        return writer->failed;
    if (writer->text.broken)
        return writer->failed = -ENOMEM;
    errno = 0;
    if (writer->text.size &&
        fwrite(writer->text.bytes, 1, writer->text.size, writer->file) != writer->text.size)
        writer->failed = errno ? -errno : -EIO;
    writer->text.size = 0;
    return writer->failed;
}

static int flush_if_full(struct tally_vcd_writer *writer)
{
    return writer->text.broken || writer->text.size >= FLUSH_BYTES ? flush(writer) : writer->failed;
}

int tally_vcd_writer_new(FILE *file, const char *timescale, struct tally_vcd_writer **out,
                         struct tally_error *error)
{
    *out = NULL;
    if (!vcd_timescale_fs(timescale))
        return fail(error, -EINVAL,
                    "timescale \"%s\", expected 1, 10 or 100 and s, ms, us, ns, ps or fs",
                    vcd_show(timescale, strlen(timescale)).text);
    struct tally_vcd_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return fail_memory(error, "a value change dump");
    writer->file = file;
    size_t digits = strspn(timescale, "0123456789");
    buffer_printf(&writer->text, "$version Tally $end\n$timescale %.*s %s $end\n", (int)digits,
                  timescale, timescale + digits + strspn(timescale + digits, " \t"));
    *out = writer;
    return 0;
}

void tally_vcd_writer_free(struct tally_vcd_writer *writer)
{
    if (!writer)
        return;
    buffer_fini(&writer->text);
    free(writer->variables);
    free(writer);
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void put_name(struct buffer *text, const char *name)
{
    if (!*name)
        buffer_char(text, '_');
    for (const char *at = name; *at; at++)
        buffer_char(text, *at > ' ' && *at <= '~' && (*at != '$' || at != name) ? *at : '_');
}

/* Writes an identifier code: a number with the digits ! to ~, least significant first. Returns its
 * size. */
static size_t put_code(char *to, size_t id)
{
    size_t size = 0;
    for (id++; id; id = (id - 1) / 94)
        to[size++] = (char)('!' + (id - 1) % 94);
    return size;
}

int tally_vcd_writer_scope(struct tally_vcd_writer *writer, const char *name)
{
    if (writer->failed || writer->phase != DECLARING || writer->depth == UINT32_MAX)
        return writer->failed ? writer->failed : -EINVAL;
    buffer_text(&writer->text, "$scope module ");
    put_name(&writer->text, name);
    buffer_text(&writer->text, " $end\n");
    writer->depth++;
    return flush_if_full(writer);
}

int tally_vcd_writer_upscope(struct tally_vcd_writer *writer)
{
    if (writer->failed || writer->phase != DECLARING || !writer->depth)
        return writer->failed ? writer->failed : -EINVAL;
    buffer_text(&writer->text, "$upscope $end\n");
    writer->depth--;
    return flush_if_full(writer);
}

int tally_vcd_writer_add(struct tally_vcd_writer *writer, const char *name, unsigned width,
                         unsigned *id)
{
    char code[16];
    if (writer->failed || writer->phase != DECLARING || width < 1 || width > 64 ||
        writer->count >= UINT32_MAX)
        return writer->failed ? writer->failed : -EINVAL;
    struct variable *variables =
        array_grow(writer->variables, &writer->capacity, writer->count, sizeof *variables);
    if (!variables)
        return -ENOMEM;
    writer->variables = variables;
    size_t size = put_code(code, writer->count);
    buffer_printf(&writer->text, "$var wire %u %.*s ", width, (int)size, code);
    put_name(&writer->text, name);
    if (width > 1)
        buffer_printf(&writer->text, " [%u:0]", width - 1);
    buffer_text(&writer->text, " $end\n");
    variables[writer->count] = (struct variable){.mask = low_bits(width)};
    *id = (unsigned)writer->count++;
    return flush_if_full(writer);
}

int tally_vcd_writer_begin(struct tally_vcd_writer *writer)
{
    if (writer->failed || writer->phase != DECLARING)
        return writer->failed ? writer->failed : -EINVAL;
    for (; writer->depth; writer->depth--)
        buffer_text(&writer->text, "$upscope $end\n");
    buffer_text(&writer->text, "$enddefinitions $end\n");
    writer->phase = START;
    return flush_if_full(writer);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Writes a value without leading zeros (readers extend it with zeros, 18.2.2). */
static char *put_value(char *to, const struct variable *variable, size_t id)
{
    if (variable->mask == 1) {
        *to++ = (char)('0' + variable->value);
    } else {
        unsigned digits = variable->value ? 64 - (unsigned)__builtin_clzll(variable->value) : 1;
        *to++ = 'b';
        while (digits--)
            *to++ = (char)('0' + (variable->value >> digits & 1));
        *to++ = ' ';
    }
    to += put_code(to, id);
    *to++ = '\n';
    return to;
}

static char *put_time(char *to, uint64_t time)
{
    char digits[20];
    unsigned count = 0;
    *to++ = '#';
    do {
        digits[count++] = (char)('0' + time % 10);
    } while (time /= 10);
    while (count)
        *to++ = digits[--count];
    *to++ = '\n';
    return to;
}

/* Writes one change, preceded by the time unless that was written already. */
static int put_change(struct tally_vcd_writer *writer, size_t id)
{
    char *start = buffer_reserve(&writer->text, CHANGE_BYTES), *to = start;
    if (!start)
        return flush(writer);
    if (writer->written != writer->time)
        to = put_time(to, writer->written = writer->time);
    to = put_value(to, &writer->variables[id], id);
    writer->text.size += (size_t)(to - start);
    return flush_if_full(writer);
}

/* Writes all values at time 0. */
static int put_start(struct tally_vcd_writer *writer)
{
    int result = 0;
    writer->phase = RUNNING;
    buffer_text(&writer->text, "#0\n$dumpvars\n");
    const uint64_t time = writer->time;
    writer->time = 0;
    for (size_t id = 0; id < writer->count && !result; id++)
        result = put_change(writer, id);
    writer->time = time;
    buffer_text(&writer->text, "$end\n");
    return result ? result : flush_if_full(writer);
}

/* Returns 0 if values can be set and `time` is not in the past, otherwise an error. */
static int check_running(const struct tally_vcd_writer *writer, uint64_t time)
{
    if (writer->failed)
        return writer->failed;
    bool running = writer->phase == START || writer->phase == RUNNING;
    return running && time >= writer->time ? 0 : -EINVAL;
}

int tally_vcd_writer_time(struct tally_vcd_writer *writer, uint64_t time)
{
    int result = check_running(writer, time);
    if (result)
        return result;
    if (time && writer->phase == START)
        result = put_start(writer);
    writer->time = time;
    return result;
}

int tally_vcd_writer_value(struct tally_vcd_writer *writer, unsigned id, uint64_t value)
{
    if (__builtin_expect(writer->failed || id >= writer->count || writer->phase < START ||
                             writer->phase > RUNNING,
                         false))
        return writer->failed ? writer->failed : -EINVAL;
    struct variable *variable = &writer->variables[id];
    value &= variable->mask;
    if (value == variable->value)
        return 0;
    variable->value = value;
    return writer->phase == START ? 0 : put_change(writer, id);
}

int tally_vcd_writer_finish(struct tally_vcd_writer *writer, uint64_t end)
{
    int result = check_running(writer, end);
    if (!result && writer->phase == START)
        result = put_start(writer);
    if (result)
        return result;
    if (writer->written != end)
        buffer_printf(&writer->text, "#%" PRIu64 "\n", end);
    writer->phase = FINISHED;
    result = flush(writer);
    errno = 0;
    if (!result && fflush(writer->file) != 0)
        result = writer->failed = errno ? -errno : -EIO;
    return result;
}
