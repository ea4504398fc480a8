/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_PUMP_H
#define TALLY_VM_PUMP_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Moves bytes from a descriptor to another, in an event loop: what was read is written before more
 * is read, so a slow reader slows the writer.
 */
struct pump {
    int from, to;     /* not owned; -1: none */
    bool ended;       /* nothing more can be read */
    int error;        /* errno of a write that failed, or 0 */
    char bytes[4096]; /* PIPE_BUF: a pipe that polls as writable takes all */
    size_t size, written;
};

void pump_open(struct pump *pump, int from, int to);

/* Whether bytes wait to be written. */
bool pump_is_full(const struct pump *pump);

/* Returns what to poll for before pump_move(). */
struct pollfd pump_poll(const struct pump *pump);

/* Reads or writes once. */
void pump_move(struct pump *pump);

#endif
