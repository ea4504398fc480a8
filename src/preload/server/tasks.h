/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TASKS_H
#define TALLY_PRELOAD_TASKS_H

/*
 * The state of the threads of all descendants of this process, from /proc: whether all of them are
 * blocked, and how much CPU time they have used. With a free clock (docs/emulate.md) the GPU's time
 * advances only while no thread of the program can run.
 */

#include <stdbool.h>
#include <stdint.h>

struct tasks {
    uint64_t slices; /* time slices of all threads */
    uint64_t cpu_ns; /* CPU time of all threads */
    unsigned count;
    bool blocked; /* no thread is running, runnable or waiting for a disk */
};

/* Scans twice. Returns true if all threads are blocked and none ran between the scans; then only
 * the caller, or something outside, can wake one of them. *out is the second scan. */
bool tasks_idle(struct tasks *out);

#endif
