/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_DEVICE_H
#define TALLY_EMULATION_NVIDIA_DEVICE_H

/*
 * An emulated NVIDIA GPU: the modelled GPU with the clocks of a common board, a workload that
 * drives its signals, and a clock. A driver reaches it by registers.
 *
 *     nvidia_emulation_new(&settings, &emulation, &error);
 *     struct driver_io io = nvidia_emulation_io(emulation);
 *     nvidia_emulation_run_ns(emulation, 5000000);
 *     nvidia_emulation_free(emulation);
 *
 * Thread rule: one thread at a time.
 */

#include <stdio.h>

#include "driver/io.h"
#include "emulation/emulation.h"
#include "emulation/nvidia/driven.h"

struct nvidia_faults;

struct nvidia_emulation_settings {
    const struct tally_chipset *chipset;
    const char *workload; /* name or file for tally_workload_load(); NULL: all signals are 0 */
    enum emulation_clock clock;
    FILE *mmio; /* trace with a line for each register access (regs/trace.h); NULL: none */

    /* Called for each activity of the workload that drives no signal. May be NULL. */
    tally_workload_found *note;
    void *closure;

    const struct faults_script *faults; /* must outlive the device; NULL: none */
};

struct nvidia_emulation {
    struct driven_gpu driven; /* the first member: closure of its accesses */
    enum emulation_clock clock;
    uint64_t origin_ns;           /* value of the clock when the GPU's time was 0 */
    struct nvidia_faults *faults; /* or NULL */
};

/* Makes an emulated GPU. Returns 0; -ENODEV: the chipset has no model; errors of
 * tally_workload_load() and nvidia_faults_bind(); -ENOMEM. The caller owns *out. */
int nvidia_emulation_new(const struct nvidia_emulation_settings *settings,
                         struct nvidia_emulation **out, struct tally_error *error);

/* Frees it; NULL is allowed. */
void nvidia_emulation_free(struct nvidia_emulation *emulation);

/* Returns registers and time for a driver. Time is that of the GPU, and passes while the driver
 * sleeps; with EMULATION_WALL, in real time. */
struct driver_io nvidia_emulation_io(struct nvidia_emulation *emulation);

/* Returns CLOCK_MONOTONIC as clients see it, and by how much the GPU's time is behind it. */
uint64_t nvidia_emulation_now_ns(const struct nvidia_emulation *emulation);
uint64_t nvidia_emulation_lag_ns(const struct nvidia_emulation *emulation);

/* Lets GPU time pass. */
void nvidia_emulation_run_ns(struct nvidia_emulation *emulation, uint64_t ns);

#endif
