/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_MMIO_DEVICE_H
#define TALLY_DRIVER_MMIO_DEVICE_H

/* The driver's internal interface: device.c (wake, memory), units.c (registers of the OA units),
 * stream.c (opening, the tail) and read.c (records). */

#include "driver/mmio/mmio.h"
#include "intel/platforms.h"
#include "intel/symbols.h"

/* Registers of power and clock gating whose values are restored: rows of a table in units.c. */
#define MAX_SETTINGS 16

struct mmio_device {
    const struct intel_platform *platform;
    struct driver_io io;
    struct mmio_stream *stream; /* or NULL */
    unsigned wakes;             /* how many callers keep the GT awake */
    /* Engines whose domains are woken, bits of enum cs_engine_id; 0: not yet known. */
    uint32_t engines;
};

/* A position that the tail has passed at least a certain time ago: `recent` becomes `old` when it
 * is old enough. */
struct mmio_mark {
    uint64_t recent, old, since_ns;
};

struct mmio_stream {
    struct mmio_device *device;
    const struct mmio_unit *unit;
    struct mmio_stream_options options;
    struct mmio_register *registers; /* copy of the options' */
    uint32_t saved[MAX_SETTINGS];    /* values of the settings' registers before the stream */

    uint8_t *bytes; /* the report buffer */
    uint32_t size;  /* of the buffer; a multiple of 64, not always of a report */

    uint64_t poll_period_ns, next_check_ns;
    bool pollin;
    bool overflowed;       /* reports were overwritten, or the unit lost its registers */
    bool unpowered;        /* the unit lost its registers */
    bool report_lost_seen; /* REPORT_LOST was reported since the start, and cannot be cleared */

    /* Positions are bytes since the start; modulo `size` they are offsets in the buffer. Reports
     * from `head` to `ready` are complete. */
    uint64_t head, ready, tail;
    struct mmio_mark settled, overdue;
};

static inline uint32_t mmio_read32(const struct mmio_device *device, uint32_t address)
{
    return driver_read32(&device->io, address);
}

static inline void mmio_write32(const struct mmio_device *device, uint32_t address, uint32_t value)
{
    driver_write32(&device->io, address, value);
}

static inline uint64_t mmio_now_ns(const struct mmio_device *device)
{
    return driver_now_ns(&device->io);
}

static inline void mmio_sleep_ns(const struct mmio_device *device, uint64_t ns)
{
    driver_sleep_ns(&device->io, ns, false);
}

/* ---- device.c -------------------------------------------------------------------------------- */

/* Address of the report buffer in the GGTT: aligned to 16 MiB, which all units accept. */
#define BUFFER_ADDRESS (16u << 20)

/* Wakes all domains of the GT and keeps them awake. Returns 0, or -EIO with a message. */
int mmio_wake_get(struct mmio_device *device, struct tally_error *error);
void mmio_wake_put(struct mmio_device *device);

/* Whether all domains are awake. */
bool mmio_is_awake(const struct mmio_device *device);

/* ---- units.c --------------------------------------------------------------------------------- */

/* A register that is written when the buffer is programmed, in the order of the rows. */
struct mmio_step {
    uint32_t address;
    uint32_t (*value)(const struct mmio_stream *stream);
};

/* The registers of an OA unit: OA-1.1 to OA-1.3, PERF-5.3. */
struct mmio_unit {
    uint32_t control;
    uint32_t (*control_value)(const struct mmio_stream *stream);

    /* Programs the buffer, while the unit is disabled. */
    const struct mmio_step *steps;
    size_t step_count;

    uint32_t tail, tail_mask;
    uint32_t head, head_flags; /* bits beside the address that a write must set */
    uint32_t status;
    bool clears_lost;     /* a write of the status clears REPORT_LOST and leaves the tail */
    uint32_t clear_flags; /* bits that such a write must set */
    uint32_t invalidate;  /* register to invalidate the unit's translations; 0: none */
    bool filters;         /* can count in one context only */
    bool doubles;         /* buffer sizes are 128 KiB << n, else 16 KiB x (n + 1) */
};

const struct mmio_unit *mmio_unit_of(const struct intel_platform *platform);

/* Returns the code of a buffer size, 0 to 7; -1: not a size of the unit. And the largest size. */
int mmio_size_code(const struct mmio_unit *unit, uint32_t bytes);
uint32_t mmio_largest_buffer(const struct mmio_unit *unit);

/* Save, write and restore the registers of RC6 and of clock gating that stop counters, and of what
 * else the unit needs. */
void mmio_settings_save(struct mmio_stream *stream);
void mmio_settings_apply(const struct mmio_stream *stream);
void mmio_settings_restore(const struct mmio_stream *stream);

/* Stop and start the unit; starting also programs an empty buffer. */
void mmio_unit_stop(const struct mmio_stream *stream);
void mmio_unit_start(const struct mmio_stream *stream);

/* Returns the address that the tail register has, and the status: bits of GEN8_OASTATUS. */
uint32_t mmio_unit_tail(const struct mmio_stream *stream);
uint32_t mmio_unit_status(const struct mmio_stream *stream);
bool mmio_unit_is_enabled(const struct mmio_stream *stream);

/* Notes in the unit up to which position reports were read. */
void mmio_unit_set_head(const struct mmio_stream *stream);

/* Clears Report Lost in the status if that is possible while the unit is enabled. */
void mmio_unit_clear_lost(struct mmio_stream *stream, uint32_t status);

/* ---- stream.c -------------------------------------------------------------------------------- */

/* Empties the buffer and starts the unit again; after a loss of power programs all registers. */
void mmio_stream_restart(struct mmio_stream *stream);

static inline uint32_t mmio_offset(const struct mmio_stream *stream, uint64_t position)
{
    return (uint32_t)(position % stream->size);
}

#endif
