/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_SOURCE_H
#define TALLY_RECORDING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/recording.h>

/*
 * Where bytes come from: a file or pipe that is read, a file that is mapped, memory, or a function
 * that delivers a stream. A source knows its position and, except for pipes and streams, its size.
 */
struct source {
    int fd;                    /* -1: memory or a function */
    tally_read_function *read; /* NULL: fd or memory */
    void *closure;             /* of `read` */
    bool seekable;             /* a regular file: source_peek_at() works */
    const uint8_t *bytes;      /* memory and mapped files: all of them */
    size_t mapped;             /* bytes to unmap; 0: not mapped by us */
    uint64_t size;             /* 0: not known */
    uint64_t position;         /* bytes taken so far */
    uint64_t dropped;          /* mapped pages before this are given back */
};

int source_open(struct source *source, const char *path, bool map, struct tally_error *error);
void source_open_memory(struct source *source, const void *bytes, size_t size);
void source_open_stream(struct source *source, tally_read_function *read, void *closure);
void source_close(struct source *source);

/*
 * Reads up to `size` bytes to `to` (read sources only). Returns bytes, 0 at the end, or a negative
 * errno; -EAGAIN: a stream has nothing at present.
 */
ptrdiff_t source_read(struct source *source, void *to, size_t size);

/* Reads `size` bytes at an offset without moving. Returns bytes read; less at the end. */
size_t source_peek_at(const struct source *source, uint64_t offset, void *to, size_t size);

/* Gives back the mapped pages before the position, so that memory stays constant. */
void source_drop(struct source *source);

#endif
