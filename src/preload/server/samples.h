/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_SAMPLES_H
#define TALLY_PRELOAD_SAMPLES_H

/*
 * Tracepoints in perf_event_open(): which events count, and samples in the ring buffers that
 * programs map (perf_event_open(2)). All happens on processor 0. A dummy event, by which programs
 * get the names of threads, is here too if the program has opened a tracepoint, because the
 * kernel's could not use its buffer.
 */

#include <linux/perf_event.h>

#include "preload/server/trace.h"

struct descriptor;
struct session;
struct trace_filter;
struct ring;

/* A tracepoint's part of an event. */
struct sampling {
    enum i915_tracepoint tracepoint; /* I915_TRACEPOINTS: none, it only shows names of threads */
    struct perf_event_attr attr;
    long target; /* a thread; -1: all */
    int cpu;     /* -1: any */
    uint64_t hits;
    uint64_t until;              /* hits until the next sample */
    uint64_t limit;              /* samples until it is disabled; 0: no limit */
    uint64_t lost;               /* samples for which the ring had no space */
    struct ring *ring;           /* held; NULL: none */
    bool is_mapped;              /* it was mapped by itself */
    bool wakes_on_exec;          /* enable_on_exec, and the target has not executed a program yet */
    bool woken;                  /* its descriptor becomes readable */
    struct trace_filter *filter; /* NULL: all pass */
};

/* Checks an event and makes its part. `target`: a thread, 0: the caller, -1: all. Returns 0 or the
 * errno of the kernel. */
int samples_new(struct session *session, const struct perf_event_attr *attr, long target, int cpu,
                struct sampling **out);
void samples_free(struct sampling *sampling);

/* Counts an event of the driver, and makes samples of it. */
void samples_hear(struct server *server, const struct trace_event *event);

/* A thread executes a program: enables events that wait for that. */
void samples_executes(struct session *session);

/* mmap() of an event: makes its ring, or finds it. Returns the memory file, or an errno. */
int samples_map(struct descriptor *descriptor, uint64_t offset, uint64_t bytes, bool writable);

/* Ioctls: writes samples to the ring of another event, NULL: to none; sets a filter, whose text may
 * lack its end; the period; a limit; stops the output. Return 0 or an errno. */
int samples_set_output(struct descriptor *descriptor, struct descriptor *to);
int samples_set_filter(struct descriptor *descriptor, const char *text, size_t size);
int samples_set_period(struct descriptor *descriptor, uint64_t period);
int samples_refresh(struct descriptor *descriptor, uint64_t count);
int samples_pause(struct descriptor *descriptor, bool paused);

#endif
