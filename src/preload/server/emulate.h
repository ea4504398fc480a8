/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_EMULATE_H
#define TALLY_PRELOAD_EMULATE_H

/*
 * The server behind a program that runs under `tally emulate`: it owns the modelled GPU and the
 * driver on it, and serves the calls of the preloaded library (docs/emulate.md).
 */

#include <stdbool.h>
#include <stdint.h>

#include <tally/error.h>

#include "emulation/emulation.h"

struct emulate_settings {
    struct emulation_settings device; /* the server sets max_lag_ns and the memory of objects */
    const char *library;              /* path of the preloaded library */
    const char *log;                  /* path of the log, or NULL */
    bool as_root;                     /* the program sees the ids of root */
    bool by_namespace;                /* without the library: namespace/namespace.h */
    int64_t start_s; /* CLOCK_REALTIME at the start of a virtual clock, seconds since 1970 */

    /* Called for each program that the library executes, with its path; may be NULL. */
    void (*executed)(void *closure, const char *program);
    void *closure;
};

/* The results of a run. */
struct emulate_outcome {
    int status;          /* status of the program, as from waitpid() */
    bool program_failed; /* it could not be executed, for the reason that emulate_run() returns */
    uint64_t paused_ns;  /* total time that the GPU's clock paused because the model was too slow */
    uint64_t calls, reads;            /* number of calls, and of reads among them */
    uint64_t computed;                /* virtual clock: steps while a thread computed for long */
    uint64_t faults;                  /* number of injected faults */
    uint64_t lines_lost;              /* lines of the log that could not be written */
    uint64_t lines_refused;           /* lines that came faster than they may be written */
    uint64_t impatient;               /* connections that were closed: no answer during a call */
    uint64_t stops;                   /* faults at which the command streamer stopped */
    struct tally_error first_stop;    /* the first one's message */
    struct tally_gpu_mmio_stats mmio; /* the GPU's register accesses */
};

/*
 * Runs a program until it and all its descendants that use the device have ended. arguments: the
 * program and its arguments, terminated by NULL. Returns 0; -ENOENT or another errno with a
 * message: the program could not be started.
 */
int emulate_run(const struct emulate_settings *settings, char *const arguments[],
                struct emulate_outcome *out, struct tally_error *error);

#endif
