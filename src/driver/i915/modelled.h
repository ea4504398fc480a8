/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_MODELLED_H
#define TALLY_DRIVER_I915_MODELLED_H

/*
 * The hardware of hardware.h, modelled: MMIO and time are those of a GPU of <tally/gpu.h>, whose
 * memory is the driver's. Work that batches begin is done by copy.h.
 *
 * To sleep is to run the GPU, unless the embedder, whose time may be another one, says how.
 */

#include <tally/gpu.h>

#include "driver/i915/copy.h"
#include "driver/i915/i915.h"

struct i915_modelled {
    struct tally_gpu *gpu;
    struct i915_device *device;
    struct i915_hardware hardware;
    struct i915_copy copy;

    /* How to sleep, if not by running the GPU alone; set after init. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);
    void *sleep_closure;

    /* Somebody who acts on the GPU at times of its clock: when next (UINT64_MAX: never), and what
     * is due. NULL: nobody; set after init. */
    uint64_t (*next_ns)(void *closure);
    void (*act)(void *closure);
    void *act_closure;
};

/*
 * Puts a driver on a GPU, which is the caller's and outlives it; settings of the GPU's kind
 * (platform, EUs, timestamp) are taken from it. Returns 0, or what i915_device_new() does.
 */
int i915_modelled_init(struct i915_modelled *modelled, struct tally_gpu *gpu, const char *platform,
                       const struct i915_settings *settings, struct tally_error *error);
void i915_modelled_fini(struct i915_modelled *modelled);

/* Lets time pass, with ticks when the driver wants them. */
void i915_modelled_run_ns(struct i915_modelled *modelled, uint64_t ns);

/* Lets time pass for the GPU alone, as while the driver sleeps. */
void i915_modelled_pass_ns(struct i915_modelled *modelled, uint64_t ns);

#endif
