/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_OUTPUT_H
#define TALLY_SINK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "base/buffer.h"

/*
 * A buffered output. Only whole lines are written, so that the reader of a pipe, or of the file of
 * a killed program, never sees a partial line. The first error is kept and returned by
 * output_close().
 */
struct output {
    int fd;
    bool owned;
    bool color;    /* a terminal, and NO_COLOR is not set */
    bool csv_safe; /* a text of CSV that spreadsheets take for a formula gets a quote before it */
    const char *path;
    char *temporary,
        *target;           /* of output_open_whole(): renamed to the target at the end, or NULL */
    bool complete;         /* everything has been written: see output_open_whole() */
    struct buffer *memory; /* destination instead of `fd`, or NULL */
    uint64_t bytes_left;   /* that may be written to `fd` */
    size_t used;
    struct tally_error error;
    char bytes[256 * 1024];
};

/* Opens a file; `path` NULL or "-" is standard output. Returns NULL with *error on failure. */
struct output *output_open(const char *path, struct tally_error *error);

/* Opens a file that gets its name when it is closed, if `complete` was set before and nothing has
 * failed. Until then it is beside its place, with six more characters in its name. What cannot be
 * replaced, such as a pipe, is written as it is. */
struct output *output_open_whole(const char *path, struct tally_error *error);

/* Opens an output of at most `max_bytes` by its descriptor, which it takes, also on failure. `name`
 * is for messages. Beyond the limit the error is -EDQUOT. */
struct output *output_open_file(int fd, const char *name, uint64_t max_bytes,
                                struct tally_error *error);

/* Opens an output that appends to `memory`, which the caller owns. Returns NULL if out of memory.
 */
struct output *output_to_memory(struct buffer *memory);

/* Writes whole lines without buffering. */
void output_bytes(struct output *output, const char *bytes, size_t size);

/* Flushes, closes and frees. Returns 0 or the first error. */
int output_close(struct output *output, struct tally_error *error);

/* Returns space for `size` (at most 64 KiB) bytes; output_keep() then takes the end of the bytes
 * written there. */
char *output_reserve(struct output *output, size_t size);
static inline void output_keep(struct output *output, const char *end)
{
    output->used = (size_t)(end - output->bytes);
}

/* Append bytes or a text of Tally's own, of any length. */
void output_append(struct output *output, const char *bytes, size_t size);
void output_text(struct output *output, const char *text);

/* Appends a text from elsewhere: escaped (base/escape.h). */
void output_escaped(struct output *output, const char *text);

/* Returns the number of characters of a UTF-8 text. */
int shown_width(const char *text);

/* Appends a text behind as many blanks as make it `width` characters long. */
void output_right(struct output *output, const char *text, int width);

/* Appends formatted text; arguments of %s are escaped. */
__attribute__((format(printf, 2, 3))) void output_printf(struct output *output, const char *format,
                                                         ...);
void output_flush(struct output *output);

/* Starts a text style ("1" bold, "2" dim, "31" red) or ends it ("0"), if color is on. */
void output_style(struct output *output, const char *sgr);

#endif
