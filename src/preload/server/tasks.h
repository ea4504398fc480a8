/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TASKS_H
#define TALLY_PRELOAD_TASKS_H

/*
 * The state of the threads of all descendants of this process, from /proc: whether all of them are
 * blocked, and how much CPU time they have used. With a free clock (docs/emulate.md) the GPU's time
 * passes only while no thread of the program can run.
 */

#include <stdbool.h>
#include <stdint.h>

#define TASKS_KEPT 64

struct tasks {
    uint64_t slices; /* how often any of them was put on a CPU */
    uint64_t cpu_ns; /* CPU time of all of them */
    unsigned count;
    bool blocked; /* none is running, runnable or waiting for a disk */

    /* Open files of the first TASKS_KEPT threads. */
    struct task_files {
        int stat, schedstat;
    } files[TASKS_KEPT];
    unsigned kept;
    bool idle; /* at the last scan, when `kept` were all */
};

/*
 * True if all threads are blocked, and none ran since an earlier scan of the same threads: whatever
 * wakes one of them now comes from outside, or from the caller. A thread must run to start another
 * one, so while none runs, only those that are known are scanned.
 *
 * *tasks, at first all zeros, becomes the last scan. Threads that end meanwhile are left out.
 */
bool tasks_idle(struct tasks *tasks);

/* Closes the files. */
void tasks_fini(struct tasks *tasks);

#endif
