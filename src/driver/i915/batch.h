/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_BATCH_H
#define TALLY_DRIVER_I915_BATCH_H

/* Builds a batch dword by dword. A failed allocation sets bytes.broken. */

#include "base/buffer.h"
#include "driver/i915/device.h"
#include "intel/cs/symbols.h"

struct register_value {
    uint32_t address, value;
};

struct batch {
    struct buffer bytes;
    bool wide; /* Gen8 and later: addresses have two dwords */
};

void batch_dword(struct batch *batch, uint32_t dword);
void batch_registers(struct batch *batch, const struct register_value *values, size_t count);
void batch_store(struct batch *batch, uint32_t address, uint32_t value); /* to a GGTT address */
void batch_jump(struct batch *batch, uint64_t address, uint32_t flags);
void batch_flush(struct batch *batch);    /* waits for the commands before it */
void batch_flush_dw(struct batch *batch); /* the same, on engines other than render */

/* Flags of batch_jump(). JUMP_UNPRIVILEGED: HSW only. */
#define JUMP_PPGTT        CS_PUT(MI_BATCH_BUFFER_START, ADDRESS_SPACE_INDICATOR, CS_ADDRESS_SPACE__PPGTT)
#define JUMP_UNPRIVILEGED CS_PUT(MI_BATCH_BUFFER_START, NON_PRIVILEGED, 1)
#define JUMP_PREDICATED   CS_PUT(MI_BATCH_BUFFER_START, PREDICATION_ENABLE, 1)

/*
 * Emits a loop that waits for `ticks` of the timestamp, like the kernel's batch between programming
 * a configuration and using it (PERF-3.5), and ends the batch. `base` is the address of the batch,
 * `scratch` the address of WAIT_SCRATCH bytes for saved registers.
 */
#define WAIT_SCRATCH 64
void batch_wait(struct batch *batch, uint32_t base, uint32_t scratch, uint32_t ticks);

/* Submits the batch to the render engine in a context, with privilege, and empties it. Returns 0,
 * -ENOMEM, or an errno of i915_engine_submit(). */
int batch_submit(struct batch *batch, struct i915_context *context, uint64_t *fence);

#endif
