/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_EMULATE_H
#define TALLY_PRELOAD_EMULATE_H

/*
 * The process behind a program that runs under `tally emulate`: it owns the modelled GPU and the
 * driver on it, and answers what the preloaded library asks (docs/emulate.md).
 */

#include <stdbool.h>
#include <stdint.h>

#include <tally/error.h>

#include "emulation/emulation.h"

struct emulate_settings {
    struct emulation_settings device; /* max_lag_ns and the memory of objects are the server's */
    const char *library;              /* the preloaded one */
    const char *log;                  /* a file, or NULL */
    bool as_root;                     /* the program believes to be root */
};

/* What happened, when it is over. */
struct emulate_outcome {
    int status;            /* of the program, as waitpid() gives it */
    uint64_t paused_ns;    /* how long the GPU's clock has paused: the model was too slow */
    uint64_t calls, reads; /* answered */
    uint64_t faults;       /* that happened */
    uint64_t lines_lost;   /* of the log: they could not be written */
    struct tally_gpu_mmio_stats mmio; /* the GPU's register accesses */
};

/*
 * Runs a program until it and all its descendants that use the device have ended. arguments: ended
 * by NULL, the program first. Returns 0; -ENOENT and others with a message: it could not be
 * started.
 */
int emulate_run(const struct emulate_settings *settings, char *const arguments[],
                struct emulate_outcome *out, struct tally_error *error);

#endif
