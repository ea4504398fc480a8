/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_EMULATION_H
#define TALLY_EMULATION_EMULATION_H

/*
 * An emulated device: a modelled GPU of <tally/gpu.h>, a workload that keeps it busy, the i915
 * driver on it, faults, and a clock. Everybody who needs one builds it here: tally record, tally
 * emulate, the benchmarks and the tests.
 *
 *     emulation_new(&settings, &emulation, &error);
 *     i915_file_open(emulation->device, false, &file);    // open("/dev/dri/card0")
 *     i915_ioctl(file, request, pointer, &caller);        // ioctl(fd, request, pointer)
 *     emulation_run_ns(emulation, 5000000);               // time
 *     emulation_free(emulation);
 *
 * hardware.c connects driver and GPU, copy.c does the work of batches, clock.c lets time pass,
 * faults/ injects faults. Thread rule: one thread at a time.
 */

#include <tally/gpu.h>
#include <tally/platform.h>
#include <tally/workload.h>

#include "driver/i915/i915.h"
#include "emulation/copy.h"
#include "intel/gpu/trace.h"

struct faults;
struct faults_script;

enum emulation_clock {
    EMULATION_FREE, /* GPU time passes when emulation_run_ns() says so, and while the driver sleeps;
                       the same calls give the same bytes */
    EMULATION_WALL, /* GPU time follows CLOCK_MONOTONIC; the driver sleeps by it */
};

struct emulation_settings {
    struct tally_gpu_config gpu;
    struct i915_settings driver; /* platform, EUs and timestamp are taken from the GPU */
    const char *workload;        /* a name or file, as tally_workload_load() takes it; NULL: idle */
    const struct faults_script *faults; /* must outlive the device; NULL: none */
    enum emulation_clock clock;
    uint64_t max_lag_ns; /* EMULATION_WALL: maximum lag before the GPU clock pauses instead of
                            catching up; 0: no limit */

    FILE *mmio; /* a line for each register access (regs/trace.h) is written there; NULL: none */

    /* Called for each activity of the workload that no counter of the platform counts. NULL: not.
     */
    tally_workload_found *note;
    void *closure;
};

struct emulation {
    struct tally_gpu *gpu;
    struct i915_device *device;
    const struct tally_platform *platform;
    struct faults *faults; /* or NULL */

    /* The rest is src/emulation's, but for the two hooks. */
    struct gpu_trace trace;
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct i915_hardware hardware;
    struct emulation_copy copy;

    enum emulation_clock clock;
    uint64_t origin_ns;  /* of the clock, when the GPU's time was 0 */
    uint64_t max_lag_ns; /* UINT64_MAX: no limit */
    uint64_t paused_ns;  /* EMULATION_WALL: how long the GPU's clock has paused, all in all */

    /* How the driver sleeps, if not by the clock; as i915_hardware.sleep_ns. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);
    void *sleep_closure;

    /* Actions at times of the GPU's clock, as faults have them: when the next one is due
     * (UINT64_MAX: never), and to do what is due. NULL: none. */
    uint64_t (*next_ns)(void *closure);
    void (*act)(void *closure);
    void *act_closure;
};

/*
 * Builds a device. Returns 0; -EINVAL: a setting is out of range, a counter that a fault names is
 * not there, or the platform does not take the workload; errors of tally_workload_load();
 * -ENOMEM. *out is the caller's.
 */
int emulation_new(const struct emulation_settings *settings, struct emulation **out,
                  struct tally_error *error);

/* Frees it, with the driver's files and streams; accepts NULL. */
void emulation_free(struct emulation *emulation);

/* The platforms with an i915 perf interface and a model, by position; NULL past the end. */
const char *emulation_platform(size_t index);

/* ---- time (clock.c) -------------------------------------------------------------------------- */

/* CLOCK_MONOTONIC as clients see it. */
uint64_t emulation_now_ns(const struct emulation *emulation);

/* When the driver wants time to have passed at the latest, by that clock; UINT64_MAX: never. */
uint64_t emulation_next_ns(const struct emulation *emulation);

/* Lets GPU time pass, with the driver's timers. */
void emulation_run_ns(struct emulation *emulation, uint64_t ns);

/* EMULATION_WALL: by how much GPU time is behind the wall clock; and runs the GPU until it is not,
 * or pauses its clock. */
uint64_t emulation_lag_ns(const struct emulation *emulation);
void emulation_catch_up(struct emulation *emulation);

/* EMULATION_WALL: the GPU's time is the wall clock's from now on; what has passed since it was made
 * is left out. */
void emulation_start_clock(struct emulation *emulation);

/* ---- parts ----------------------------------------------------------------------------------- */

/* hardware.c: puts the driver on the GPU. */
int emulation_connect(struct emulation *emulation, const struct i915_settings *settings,
                      struct tally_error *error);

/* clock.c: the sleep of i915_hardware. */
int emulation_sleep_ns(void *emulation, uint64_t ns, bool interruptible);

#endif
