/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_PERF_H
#define TALLY_DRIVER_I915_PERF_H

/*
 * Metric-set configurations (configs.c), the stream (open.c, stream.c, read.c), and what the OA
 * units of the generations need done (oa.c).
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

struct i915_config *i915_config_find(const struct i915_device *device, uint64_t id);
struct i915_config *i915_config_find_uuid(const struct i915_device *device, const char *uuid);
struct i915_config *i915_config_hold(struct i915_config *config);
void i915_config_drop(struct i915_config *config);

/* whitelist.c: may a metric set program it, and what of the value? */
bool i915_register_allowed(const struct i915_device *device, enum register_group group,
                           uint32_t address);
uint32_t i915_register_masked(uint32_t address, uint32_t value);

/* ---- the stream ------------------------------------------------------------------------------ */

#define OA_BUFFER_BYTES   0x1000000u /* 16 MiB */
#define INVALID_CONTEXT   0xffffffffu
#define POLL_PERIOD_LEAST 100000u
#define POLL_PERIOD       5000000u /* 200 Hz */

struct i915_stream {
    struct i915_device *device;
    struct i915_context *context; /* what it filters; NULL: everything */
    struct i915_config *config;
    const struct tally_layout *layout; /* of its reports; NULL: no format was given */
    bool sample_oa, periodic, hold_preemption;
    uint8_t exponent;
    bool has_sseu;
    struct i915_sseu sseu;
    uint64_t poll_period_ns;

    struct i915_object *buffer;
    uint32_t base;                     /* its address */
    uint32_t own_id, own_mask;         /* of the context, in reports; Gen7.5: in OACONTROL */
    bool awake, owns_unit, programmed; /* what is to be undone */

    bool enabled, pollin;
    uint64_t next_check_ns;
    uint32_t head, tail; /* what is to be read, from the base on */
    uint32_t latest_id;  /* the context of the report that was forwarded last */
    uint32_t latched;    /* Gen7.5: status bits that were told */
};

/* Looks for reports that have landed. Are there some? */
bool i915_stream_check(struct i915_stream *stream);
void i915_stream_tick(struct i915_stream *stream);

void i915_stream_enable(struct i915_stream *stream);
void i915_stream_disable(struct i915_stream *stream);

/* Frees what init has made of it, in order. */
void i915_stream_fini(struct i915_stream *stream);

/* What perf needs of a device from its start on. */
int i915_perf_init(struct i915_device *device);
void i915_perf_fini(struct i915_device *device);

/* ---- oa.c and a file each for generations ---------------------------------------------------- */

enum {
    STATUS_REPORT_LOST = REG_MASK(GEN8_OASTATUS, REPORT_LOST),
    STATUS_BUFFER_LOST = REG_MASK(GEN8_OASTATUS, BUFFER_OVERFLOW),
    STATUS_COUNTER_OVERFLOW = REG_MASK(GEN8_OASTATUS, COUNTER_OVERFLOW)
};

struct oa_ops {
    void (*enable)(struct i915_stream *stream); /* and the buffer is as new */
    void (*disable)(struct i915_stream *stream);
    uint32_t (*tail)(const struct i915_stream *stream); /* an address */
    void (*set_head)(const struct i915_stream *stream, uint32_t address);
    uint32_t (*status)(const struct i915_stream *stream);
    void (*report_lost)(struct i915_stream *stream, uint32_t status); /* the client knows */

    /* A metric set is applied for the stream, and undone. 0 or an errno. */
    int (*enable_set)(struct i915_stream *stream);
    void (*disable_set)(struct i915_stream *stream);
};

extern const struct oa_ops i915_oa_gen7, i915_oa_gen8, i915_oa_gen12; /* oa_gen7.c, ... */
const struct oa_ops *i915_oa_ops(const struct i915_device *device);

/* The unit of Gen12 is used as that of Gen8 is, at other addresses (oa_gen8.c). */
void i915_oa_gen8_enable(struct i915_stream *stream);
void i915_oa_gen8_disable(struct i915_stream *stream);
uint32_t i915_oa_gen8_tail(const struct i915_stream *stream);
void i915_oa_gen8_set_head(const struct i915_stream *stream, uint32_t address);
uint32_t i915_oa_gen8_status(const struct i915_stream *stream);
void i915_oa_gen8_report_lost(struct i915_stream *stream, uint32_t status);

#define OA_SIZE_16M 7u /* 128 KiB << 7 */

/* OA_DEBUG: clock ratios are in the report id, and their changes ask for no report. */
#define OA_DEBUG_BITS                                                                              \
    (REG_MASK(GEN9_OA_DEBUG, RATIOS_IN_ID) | REG_MASK(GEN9_OA_DEBUG, NO_RATIO_REPORTS))

/* Waits until hardware has cleared bit 0. Writes 0 and waits. */
void i915_oa_await_clear(struct i915_device *device, uint32_t address);
void i915_oa_stop(struct i915_device *device, uint32_t control);

/* The buffer is as new, and all of it to be read. */
void i915_oa_wipe(struct i915_stream *stream);

/* Runs the batch of a configuration, and waits for it if asked to. 0 or an errno. */
int i915_oa_apply(struct i915_stream *stream, const struct i915_config *config, bool wait);

/* The OA registers of a new context's image. */
void i915_oa_fill_image(const struct i915_device *device, uint32_t *control,
                        uint32_t flex[FLEX_REGISTERS]);

#endif
