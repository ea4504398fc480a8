/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_MMIO_MMIO_H
#define TALLY_DRIVER_MMIO_MMIO_H

/*
 * A driver for the OA unit that only reads and writes registers and memory, for platforms for which
 * the kernel has no interface (SNB, IVB, VLV). It works on every platform with an OA unit
 * (docs/mmio-driver.md). Usage:
 *
 *     mmio_device_new("snb", &io, &device, &error);
 *     mmio_stream_open(device, &options, &stream, &error);
 *     mmio_stream_read(stream, to, size);     // records, framed like the kernel's
 *
 * The driver has no thread and reads no clock of its own: the embedder runs the hardware until
 * mmio_device_next_ns() at the latest, and then calls mmio_device_tick(). Memory belongs to the
 * driver: the hardware accesses it with mmio_memory_read() and mmio_memory_write().
 *
 * Thread rule: a device and its stream are used by one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/report.h>

#include "driver/io.h"

struct mmio_device;
struct mmio_stream;

/* ---- the device ------------------------------------------------------------------------------ */

/* Makes a device of a modelled platform ("snb"). It accesses no register before a stream is opened.
 * Returns 0; -EINVAL with a message: the platform has no OA unit; -ENOMEM. */
int mmio_device_new(const char *platform, const struct driver_io *io, struct mmio_device **out,
                    struct tally_error *error);

/* Frees a device and its stream; NULL is allowed. */
void mmio_device_free(struct mmio_device *device);

/* Accesses of the GPU to the driver's memory, by address space (0: GGTT) and address. Return false
 * if the address is not mapped. */
bool mmio_memory_read(const struct mmio_device *device, uint32_t space, uint64_t address,
                      void *data, size_t bytes);
bool mmio_memory_write(struct mmio_device *device, uint32_t space, uint64_t address,
                       const void *data, size_t bytes);

/* Returns when the next check of the report buffer is due (UINT64_MAX: never), and does the checks
 * that are due. */
uint64_t mmio_device_next_ns(const struct mmio_device *device);
void mmio_device_tick(struct mmio_device *device);

/* Reads TIMESTAMP, 36 bits. Its power domain may sleep, so the driver wakes it. */
uint64_t mmio_device_timestamp(struct mmio_device *device);

/* ---- streams --------------------------------------------------------------------------------- */

#define MMIO_NO_TIMER     UINT32_MAX
#define MMIO_MAX_EXPONENT 31u /* TIMESTAMP has 36 bits, and SNB's period 2^(n+4) ticks */

struct mmio_register {
    uint32_t address, value;
};

struct mmio_stream_options {
    const struct tally_layout *layout; /* one of the platform's, not NULL */
    uint32_t exponent;                 /* of the timer's period; MMIO_NO_TIMER: no timer */
    uint32_t buffer_bytes;             /* a size that the unit supports; 0: its largest */

    /* The registers of a metric set, in the order in which they are written. */
    const struct mmio_register *registers;
    size_t register_count;

    /* Count in one context only: its CCID (maps A and B: bits 31:12), or its hardware id (map C).
     */
    bool one_context;
    uint32_t context;
};

/*
 * Wakes the GT, turns off what would stop counters, programs the metric set and starts the unit.
 * Returns 0, or an errno with a message: -EBUSY: the device has a stream; -EINVAL: an option is out
 * of range; -EOPNOTSUPP: the unit cannot count in one context; -EIO: a power domain does not wake;
 * -ENOMEM.
 */
int mmio_stream_open(struct mmio_device *device, const struct mmio_stream_options *options,
                     struct mmio_stream **out, struct tally_error *error);

/* Stops the unit, restores the registers of power and clock gating, and frees the stream. */
void mmio_stream_close(struct mmio_stream *stream);

/* The kernel's types of records, and the size of their header: type, u16 padding, u16 size. */
enum mmio_record { MMIO_SAMPLE = 1, MMIO_REPORT_LOST = 2, MMIO_BUFFER_LOST = 3 };
#define MMIO_HEADER_BYTES 8u

/* Whether the latest check found records. */
bool mmio_stream_poll(const struct mmio_stream *stream);

/*
 * Copies whole records: SAMPLE, REPORT_LOST and BUFFER_LOST with the kernel's header. Returns their
 * bytes; -EAGAIN: no records; -ENOSPC: `size` is too small for the next record.
 */
int64_t mmio_stream_read(struct mmio_stream *stream, void *to, size_t size);

#endif
