/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_SOURCE_H
#define TALLY_RECORDING_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/recording.h>

/* A file that is not one of a file system, such as a recording of a store (store/input.c). */
struct virtual_file {
    const struct virtual_file_calls *calls; /* NULL: none */
    void *self;
    uint64_t size;
};

struct virtual_file_calls {
    /* Copies up to `size` bytes at an offset. Returns their number, 0 at the end, or a negative
     * errno with a message in *error. Called by one thread at a time. */
    ptrdiff_t (*read_at)(void *self, uint64_t offset, void *to, size_t size,
                         struct tally_error *error);
    void (*close)(void *self);
};

/*
 * Opens the path of a virtual file. Returns 1 with *out, which the source closes; 0 if the path is
 * that of an ordinary file, or of none; or a negative errno with a message.
 */
typedef int virtual_file_opener(const char *path, struct virtual_file *out,
                                struct tally_error *error);

/* Sets the opener that source_open() calls first, NULL: none. Called before other threads run. The
 * library has no opener; the command sets that of stores. */
void source_set_opener(virtual_file_opener *opener);

/*
 * A source of bytes: a file or pipe that is read, a mapped file, a virtual file, memory, or a
 * function that delivers a stream. A source has a position and, except for pipes and streams, a
 * size.
 */
struct source {
    int fd;                    /* -1: memory, a virtual file or a function */
    struct virtual_file file;  /* or none */
    tally_read_function *read; /* NULL: fd or memory */
    void *closure;             /* passed to `read` */
    bool seekable;             /* a regular file: source_peek_at() works */
    const uint8_t *bytes;      /* memory and mapped files: the whole input */
    size_t mapped;             /* bytes to unmap; 0: not mapped by us */
    uint64_t size;             /* 0: unknown */
    uint64_t position;         /* bytes consumed so far */
    uint64_t dropped;          /* mapped pages before this offset were released */
    int peek_error;            /* errno of the first source_peek_at() that failed, or 0 */
    struct tally_error fault;  /* of a virtual file: the first error, or code 0 */
};

/* Opens the input of a command or a caller: "-" is standard input. All paths of recordings are
 * opened here. */
int source_open(struct source *source, const char *path, bool map, struct tally_error *error);
/* The same for an open file, whose descriptor it takes, also on failure. `name` is for messages. */
int source_open_file(struct source *source, int fd, const char *name, bool map,
                     struct tally_error *error);
void source_open_memory(struct source *source, const void *bytes, size_t size);
void source_open_stream(struct source *source, tally_read_function *read, void *closure);
void source_close(struct source *source);

/*
 * Reads up to `size` bytes to `to` (read sources only). Returns the number of bytes, 0 at the end,
 * or a negative errno; -EAGAIN: a stream has no data at present.
 */
ptrdiff_t source_read(struct source *source, void *to, size_t size);

/* Copies up to `size` bytes at an offset without changing the position. Returns the number of
 * bytes, which is smaller at the end of the input and after an error, which sets peek_error. */
size_t source_peek_at(struct source *source, uint64_t offset, void *to, size_t size);

/* Returns why reading has failed: the message of a virtual file, or that of the errno. */
const char *source_reason(const struct source *source, int error);

/* Releases the mapped pages before the position, so that memory use stays constant. */
void source_drop(struct source *source);

#endif
