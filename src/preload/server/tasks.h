/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TASKS_H
#define TALLY_PRELOAD_TASKS_H

/*
 * The state of the threads of all descendants of this process, from /proc: whether all of them are
 * blocked, and how much CPU time they have used. With a virtual clock (docs/emulate.md) the GPU's
 * time advances only while no thread of the program can run.
 */

#include <stdbool.h>
#include <stdint.h>

struct tasks {
    uint64_t slices; /* time slices of all threads */
    uint64_t cpu_ns; /* CPU time of all threads */
    unsigned count;
    bool blocked; /* no thread is running, runnable or waiting for a disk */
};

/* Whether a thread runs, or waits for a processor. *ran_ns: its CPU time. */
bool tasks_is_runnable(long thread, uint64_t *ran_ns);

/* Files of /proc that are kept open while the threads are the same. NULL: no memory, which is
 * allowed. */
struct tasks_cache *tasks_cache_new(void);
void tasks_cache_free(struct tasks_cache *cache);

/* Whether a thread is known to wait until this process answers it. */
typedef bool tasks_waits(const void *closure, long thread);

/* Whether a thread that is known runs, or soon will. */
bool tasks_runs(struct tasks_cache *cache, long thread);

/* Whether a thread was the only one at the latest look, in which all waited. */
bool tasks_alone(const struct tasks_cache *cache, long thread);

/* Looks at the threads. Returns true if each is known to wait, or is blocked and none of those has
 * run meanwhile; then only the caller, or something outside, can wake one of them. False: *out is
 * the CPU time of the threads that are not known to wait. */
bool tasks_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                struct tasks *out);

#endif
