/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_HARDWARE_H
#define TALLY_DRIVER_I915_HARDWARE_H

/*
 * All that the driver needs of hardware besides memory, which is the driver's: whoever implements
 * this reads and writes it by i915_memory_read() and _write() of i915.h, at the addresses that
 * commands and registers name. src/emulation implements it over <tally/gpu.h>.
 */

#include <stdbool.h>
#include <stdint.h>

struct i915_hardware {
    /* MMIO at a 4-byte aligned offset. */
    uint32_t (*read32)(void *closure, uint32_t address);
    void (*write32)(void *closure, uint32_t address, uint32_t value);

    /* The time of the driver's timers, CLOCK_MONOTONIC to clients. */
    uint64_t (*now_ns)(void *closure);

    /* Lets time pass while a call waits for hardware, or a blocking read for reports; 0 ns: the
     * call has taken time itself. 0; -EINTR: a signal came, which only ends a sleep that may be
     * interrupted. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);

    /* Resets the render engine; OA keeps everything. */
    void (*reset_render)(void *closure);

    void *closure;
};

#endif
