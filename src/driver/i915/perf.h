/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_PERF_H
#define TALLY_DRIVER_I915_PERF_H

/*
 * Metric-set configurations (configs.c), streams (open.c, stream.c, read.c), and the OA units of
 * the generations (oa.c).
 */

#include <tally/report.h>

#include "driver/i915/batch.h"
#include "driver/i915/device.h"
#include "intel/symbols.h"

/* ---- configurations -------------------------------------------------------------------------- */

struct register_list {
    struct register_value *values;
    uint32_t count;
};

/* The order in which they are programmed. */
enum register_group { GROUP_MUX, GROUP_BOOLEAN, GROUP_FLEX, REGISTER_GROUPS };

struct i915_config {
    struct i915_config *next;
    unsigned references;
    uint64_t id;
    char uuid[UUID_STRING_LEN];
    struct register_list groups[REGISTER_GROUPS];
};

/* Finds a configuration as PERF_OPEN, CONFIG and the query do: by the lower half of the id, as an
 * int (PERF-Q8). */
struct i915_config *i915_config_get(const struct i915_device *device, uint64_t id);
struct i915_config *i915_config_find_uuid(const struct i915_device *device, const char *uuid);
struct i915_config *i915_config_hold(struct i915_config *config);
void i915_config_drop(struct i915_config *config);

/* whitelist.c: returns whether a metric set may program a register, and the value with the bits
 * that it may set. */
bool i915_register_allowed(const struct i915_device *device, enum register_group group,
                           uint32_t address);
uint32_t i915_register_masked(uint32_t address, uint32_t value);

/* ---- the stream ------------------------------------------------------------------------------ */

#define OA_BUFFER_BYTES        (16u << 20)
#define INVALID_CONTEXT        0xffffffffu
#define MIN_POLL_PERIOD_NS     100000u
#define DEFAULT_POLL_PERIOD_NS 5000000u /* 200 Hz */

struct i915_stream {
    struct i915_device *device;
    struct i915_context *context; /* the context to filter by; NULL: none */
    struct i915_config *config;
    const struct tally_layout *layout; /* report layout; NULL: no format was given */
    bool sample_oa, periodic, hold_preemption;
    uint8_t exponent;
    bool has_sseu;
    struct i915_sseu sseu;
    uint64_t poll_period_ns;

    struct i915_object *buffer;
    uint32_t base;                     /* the buffer's GGTT address */
    uint32_t own_id, own_mask;         /* the context's id in reports; Gen7.5: in OACONTROL */
    bool awake, owns_unit, programmed; /* state for i915_stream_fini() to undo */

    bool enabled, pollin;
    uint64_t next_check_ns;
    uint64_t beat_ns,
        beaten; /* time of the next heartbeat, the client's latest request before the last */
    uint32_t head, tail;       /* offsets of the unread reports in the buffer */
    uint32_t hardware_tail;    /* before perf revision 7: that of the latest check, */
    uint64_t hardware_tail_ns; /* since this time */
    uint32_t latest_id;        /* context id of the last forwarded report */
    uint32_t latched;          /* Gen7.5: status bits that were reported */
};

/* Checks for complete reports in the buffer. Returns true if there are any. */
bool i915_stream_check(struct i915_stream *stream);
void i915_stream_tick(struct i915_stream *stream);

void i915_stream_enable(struct i915_stream *stream);

/* heartbeat.c: counts intervals from an enable on; runs a heartbeat that is due; returns the time
 * of the next one, or UINT64_MAX. */
void i915_heartbeat_start(struct i915_stream *stream);
void i915_heartbeat_tick(struct i915_stream *stream);
uint64_t i915_heartbeat_next_ns(const struct i915_stream *stream);

/* Undoes what PERF_OPEN set up, and frees the stream. */
void i915_stream_fini(struct i915_stream *stream);

/* Sets up and releases the perf state of a device. */
int i915_perf_init(struct i915_device *device);
void i915_perf_fini(struct i915_device *device);

/* ---- oa.c, oa_gen7.c, oa_gen8.c, oa_gen12.c -------------------------------------------------- */

enum {
    STATUS_REPORT_LOST = REG_MASK(GEN8_OASTATUS, REPORT_LOST),
    STATUS_BUFFER_LOST = REG_MASK(GEN8_OASTATUS, BUFFER_OVERFLOW),
    STATUS_COUNTER_OVERFLOW = REG_MASK(GEN8_OASTATUS, COUNTER_OVERFLOW)
};

struct oa_ops {
    void (*enable)(struct i915_stream *stream); /* also resets the buffer */
    void (*disable)(struct i915_stream *stream);
    uint32_t (*tail)(const struct i915_stream *stream); /* returns a GGTT address */
    void (*set_head)(const struct i915_stream *stream, uint32_t address);
    uint32_t (*status)(const struct i915_stream *stream);
    void (*report_lost)(struct i915_stream *stream,
                        uint32_t status); /* acknowledges reported losses */

    /* Applies the stream's metric set (returns 0 or an errno), and disables it. */
    int (*enable_set)(struct i915_stream *stream);
    void (*disable_set)(struct i915_stream *stream);
};

extern const struct oa_ops i915_oa_gen7, i915_oa_gen8, i915_oa_gen12; /* oa_gen7.c, ... */
const struct oa_ops *i915_oa_ops(const struct i915_device *device);

/* Gen12's unit works like Gen8's, at other addresses (oa_gen8.c). */
void i915_oa_gen8_enable(struct i915_stream *stream);
void i915_oa_gen8_disable(struct i915_stream *stream);
uint32_t i915_oa_gen8_tail(const struct i915_stream *stream);
void i915_oa_gen8_set_head(const struct i915_stream *stream, uint32_t address);
uint32_t i915_oa_gen8_status(const struct i915_stream *stream);
void i915_oa_gen8_report_lost(struct i915_stream *stream, uint32_t status);

#define OA_SIZE_16M 7u /* 128 KiB << 7 */

/* OA_DEBUG: clock ratios are in the report id, and their changes trigger no report. */
#define OA_DEBUG_BITS                                                                              \
    (REG_MASK(GEN9_OA_DEBUG, RATIOS_IN_ID) | REG_MASK(GEN9_OA_DEBUG, NO_RATIO_REPORTS))

/* Waits until the hardware clears bit 0; i915_oa_stop() writes 0 first. */
void i915_oa_await_clear(struct i915_device *device, uint32_t address);
void i915_oa_stop(struct i915_device *device, uint32_t control);

/* Clears the buffer and resets the stream's head and tail. */
void i915_oa_wipe(struct i915_stream *stream);

/* Runs the batch of a configuration, and waits for it if `wait`. Returns 0 or an errno. */
int i915_oa_apply(struct i915_stream *stream, const struct i915_config *config, bool wait);

/* Fills in the OA registers of a new context's image. */
void i915_oa_fill_image(const struct i915_device *device, uint32_t *control,
                        uint32_t flex[FLEX_REGISTERS]);

#endif
