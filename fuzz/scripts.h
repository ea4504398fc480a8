/* SPDX-License-Identifier: MIT */
/*
 * Runs the input as a script, for the targets of .oat and .pct. Invalid lines are skipped. Checks
 * that they have error messages, and that a second run, which advances time in small pieces, prints
 * the same bytes.
 */
#ifndef TALLY_FUZZ_SCRIPTS_H
#define TALLY_FUZZ_SCRIPTS_H

#include "fuzz.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <tally/error.h>

#include "testbench/script.h"

#define OUTPUT_MAX 100000 /* bytes of output; more fail */

struct trial {
    uint64_t clocks_left;
    uint64_t printed, hash; /* number of bytes printed, and their hash */
    uint64_t pieces;        /* seed for dividing runs into pieces; 0: do not divide */
    bool full;
};

/* A script_output; context is a struct trial. */
static inline int trial_output(void *context, const char *text, size_t size)
{
    struct trial *trial = context;
    CHECK(size && text[size - 1] == '\n');
    if (trial->printed + size > OUTPUT_MAX) {
        trial->full = true;
        return -ENOSPC;
    }
    trial->hash = trial->hash * UINT64_C(0x100000001b3) + hash_bytes((const uint8_t *)text, size);
    trial->printed += size;
    return 0;
}

/* A script_expected; context is a struct trial. */
static inline void trial_expected(void *context, const struct script_expectation *expectation)
{
    struct trial *trial = context;
    CHECK(*expectation->command && *expectation->expected && *expectation->got);
    CHECK(!strpbrk(expectation->description, "\r\n"));
    trial->hash = trial->hash * UINT64_C(0x100000001b3) + expectation->met +
                  hash_bytes((const uint8_t *)expectation->got, strlen(expectation->got));
}

/* Returns the size of the next piece of a run: all that is left, or a random piece, often of a few
 * periods. */
static inline uint64_t next_piece(struct trial *trial, uint64_t left, uint64_t period)
{
    if (!trial->pieces || !left)
        return left;
    uint64_t scale = next_number(&trial->pieces) % 4;
    uint64_t piece = next_number(&trial->pieces) % (scale ? period << (3 * scale) : left) + 1;
    return piece < left ? piece : left;
}

/* oat_line() or pct_line(). */
typedef int script_line_function(void *script, const char *line, size_t size,
                                 struct tally_error *error);

/* Passes the lines to the script until the output is full. */
static inline void run_lines(struct trial *trial, script_line_function *take, void *script,
                             const uint8_t *data, size_t size)
{
    while (size && !trial->full) {
        const uint8_t *newline = memchr(data, '\n', size);
        size_t length = newline ? (size_t)(newline - data) + 1 : size;
        uint64_t printed = trial->printed;
        struct tally_error error = {0};
        int result = take(script, (const char *)data, length, &error);
        CHECK(result <= 0);
        if (trial->full) {
            CHECK(result == -ENOSPC);
        } else if (result < 0) {
            CHECK(result == error.code && *error.message && trial->printed == printed);
            CHECK(memchr(error.message, 0, sizeof error.message));
        }
        data += length;
        size -= length;
    }
}

/* Runs the script twice, without and with division of runs. `once` creates the script with the
 * output and the clocks of the trial, passes it the lines and frees it. */
static inline void run_twice(void (*once)(struct trial *trial, const uint8_t *data, size_t size),
                             uint64_t clocks, const uint8_t *data, size_t size)
{
    struct trial first = {.clocks_left = clocks}, second = first;
    second.pieces = hash_bytes(data, size) | 1;
    once(&first, data, size);
    once(&second, data, size);
    CHECK(first.printed == second.printed && first.hash == second.hash);
    CHECK(first.full == second.full);
}

#endif
