/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a script, for the targets of .oat and .pct: wrong lines are passed over, but say
 * what is wrong; and a second run, which moves time in small pieces, prints the same bytes.
 */
#ifndef TALLY_FUZZ_SCRIPTS_H
#define TALLY_FUZZ_SCRIPTS_H

#include "fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <tally/error.h>

#define OUTPUT_MAX 100000 /* bytes, after which the output fails */

struct play {
    uint64_t clocks_left;
    uint64_t printed, hash; /* bytes printed, and what they were */
    uint64_t pieces;        /* not 0: cut each run, by these random numbers */
    bool full;
};

/* A script_output; context is the play. */
static inline int play_output(void *context, const char *text, size_t size)
{
    struct play *play = context;
    PROMISE(size && text[size - 1] == '\n');
    if (play->printed + size > OUTPUT_MAX) {
        play->full = true;
        return -ENOSPC;
    }
    play->hash = play->hash * UINT64_C(0x100000001b3) + hash_bytes((const uint8_t *)text, size);
    play->printed += size;
    return 0;
}

/* How much of the time that is left of a run passes next: all of it, or of a cut one a piece, often
 * of a few periods. */
static inline uint64_t play_piece(struct play *play, uint64_t left, uint64_t period)
{
    if (!play->pieces || !left)
        return left;
    uint64_t scale = next_number(&play->pieces) % 4;
    uint64_t piece = next_number(&play->pieces) % (scale ? period << (3 * scale) : left) + 1;
    return piece < left ? piece : left;
}

/* oat_line() or pct_line(). */
typedef int play_line(void *script, const char *line, size_t size, struct tally_error *error);

/* Gives the script its lines, until the output is full. */
static inline void play_lines(struct play *play, play_line *take, void *script, const uint8_t *data,
                              size_t size)
{
    while (size && !play->full) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) + 1 : size;
        uint64_t printed = play->printed;
        struct tally_error error = {0};
        int result = take(script, (const char *)data, length, &error);
        PROMISE(result <= 0);
        if (play->full) {
            PROMISE(result == -ENOSPC);
        } else if (result < 0) {
            PROMISE(result == error.code && *error.message && play->printed == printed);
            PROMISE(memchr(error.message, 0, sizeof error.message));
        }
        data += length;
        size -= length;
    }
}

/* Plays the bytes whole and in pieces; `once` makes a script whose output and time are the play's,
 * gives it the lines and frees it. */
static inline void play_twice(void (*once)(struct play *play, const uint8_t *data, size_t size),
                              uint64_t clocks, const uint8_t *data, size_t size)
{
    struct play first = {.clocks_left = clocks}, second = first;
    second.pieces = hash_bytes(data, size) | 1;
    once(&first, data, size);
    once(&second, data, size);
    PROMISE(first.printed == second.printed && first.hash == second.hash);
    PROMISE(first.full == second.full);
}

#endif
