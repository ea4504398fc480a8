/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_IO_H
#define TALLY_DRIVER_IO_H

/*
 * How a driver reaches the hardware: registers and time. src/emulation implements this interface
 * over the modelled GPUs.
 */

#include <stdbool.h>
#include <stdint.h>

struct driver_io {
    /* MMIO at a 4-byte aligned offset. */
    uint32_t (*read32)(void *closure, uint32_t address);
    void (*write32)(void *closure, uint32_t address, uint32_t value);

    /* Time in ns of the driver's timers. */
    uint64_t (*now_ns)(void *closure);

    /* Lets time pass while the driver waits for the hardware; 0 ns only accounts for the time of
     * the call itself. Returns 0, or -EINTR if the sleep is interruptible and a signal arrived. */
    int (*sleep_ns)(void *closure, uint64_t ns, bool interruptible);

    void *closure;
};

static inline uint32_t driver_read32(const struct driver_io *io, uint32_t address)
{
    return io->read32(io->closure, address);
}

static inline void driver_write32(const struct driver_io *io, uint32_t address, uint32_t value)
{
    io->write32(io->closure, address, value);
}

static inline uint64_t driver_now_ns(const struct driver_io *io)
{
    return io->now_ns(io->closure);
}

static inline int driver_sleep_ns(const struct driver_io *io, uint64_t ns, bool interruptible)
{
    return io->sleep_ns(io->closure, ns, interruptible);
}

#endif
