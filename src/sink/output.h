/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_OUTPUT_H
#define TALLY_SINK_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "base/buffer.h"

/*
 * Where text goes. What is written leaves in whole lines only, so that a reader of a pipe or of the
 * file of a killed program sees no half line. The first error sticks; output_close() tells it.
 */
struct output {
    int fd;
    bool owned;
    bool color; /* a terminal, and NO_COLOR is not set */
    const char *path;
    struct buffer *memory; /* not NULL: everything goes there */
    size_t used;
    struct tally_error error;
    char bytes[256 * 1024];
};

/* `path` NULL or "-": standard output. Returns NULL with *error on failure. */
struct output *output_open(const char *path, struct tally_error *error);

/* An output that gathers what is written in `memory`, which is the caller's. NULL: no memory. */
struct output *output_to_memory(struct buffer *memory);

/* Writes bytes of whole lines as they are. */
void output_bytes(struct output *output, const char *bytes, size_t size);

/* Writes what is left, closes and frees. Returns 0 or the first error. */
int output_close(struct output *output, struct tally_error *error);

/* Room for `size` (at most 64 KiB) more bytes; what is put there is kept by output_keep(). */
char *output_room(struct output *output, size_t size);
static inline void output_keep(struct output *output, const char *end)
{
    output->used = (size_t)(end - output->bytes);
}

/* Bytes or a text of any length. */
void output_append(struct output *output, const char *bytes, size_t size);
void output_text(struct output *output, const char *text);
__attribute__((format(printf, 2, 3))) void output_printf(struct output *output, const char *format,
                                                         ...);
void output_flush(struct output *output);

/* Starts or ends (SGR 0) a way of showing text, where color is on: "1" bold, "2" dim, "31" red. */
void output_style(struct output *output, const char *sgr);

#endif
