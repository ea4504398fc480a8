/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_HARDWARE_H
#define TALLY_DRIVER_I915_HARDWARE_H

/*
 * The hardware, as the driver uses it. Memory belongs to the driver: an implementation accesses it
 * with i915_memory_read() and i915_memory_write() of i915.h, at the addresses in commands and
 * registers. src/emulation implements this interface over <tally/gpu.h>.
 */

#include "driver/io.h"

struct i915_hardware {
    /* Registers and time. Clients see io.now_ns() as CLOCK_MONOTONIC. A blocking read sleeps
     * interruptibly while it waits for reports. */
    struct driver_io io;

    /* Resets an engine, named as in <tally/gpu.h>: "bcs0". The OA unit keeps its state. The closure
     * is io.closure. */
    void (*reset_engine)(void *closure, const char *engine);
};

#endif
