/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_PACE_H
#define TALLY_TESTBENCH_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * Runs a model in pieces that take a fraction of a second, so that a long run shows its progress
 * and can be interrupted. How it is cut does not change what a model does.
 */
struct pace {
    /* Called between two pieces of a run of `total` clocks, ticks or nanoseconds. Returns whether
     * to continue. NULL: runs are not cut. */
    bool (*step)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* Runs the next `count`. Returns 0 or a negative errno with a message. */
typedef int pace_piece(void *model, uint64_t count, struct tally_error *error);

/* Returns the first result of `piece` that is not 0; -ECANCELED with a message if it was
 * interrupted. */
int pace_run(const struct pace *pace, uint64_t total, pace_piece *piece, void *model,
             struct tally_error *error);

#endif
