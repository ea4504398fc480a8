/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_HARDWARE_H
#define TALLY_DRIVER_I915_HARDWARE_H

/*
 * The hardware, as the driver uses it. Memory belongs to the driver: an implementation accesses it
 * with i915_memory_read() and i915_memory_write() of i915.h, at the addresses in commands and
 * registers. src/emulation implements this interface over <tally/gpu.h>.
 */

#include <stdbool.h>
#include <stdint.h>

struct i915_hardware {
    /* MMIO at a 4-byte aligned offset. */
    uint32_t (*read32)(void *closure, uint32_t address);
    void (*write32)(void *closure, uint32_t address, uint32_t value);

    /* Time in ns of the driver's timers; clients see it as CLOCK_MONOTONIC. */
    uint64_t (*now_ns)(void *closure);

    /* Advances time while a call waits for hardware, or a blocking read for reports; 0 ns only
     * accounts for the time of the call itself. Returns 0, or -EINTR if the sleep is interruptible
     * and a signal arrived. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);

    /* Resets an engine, named as in <tally/gpu.h>: "bcs0". The OA unit keeps its state. */
    void (*reset_engine)(void *closure, const char *engine);

    void *closure;
};

#endif
