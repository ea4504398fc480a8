/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_BATCH_H
#define TALLY_DRIVER_I915_BATCH_H

/* Builds a batch dword by dword. A failed allocation sets bytes.broken. */

#include "base/buffer.h"
#include "driver/i915/device.h"

struct register_value {
    uint32_t address, value;
};

#define FLEX_REGISTERS 7
extern const uint32_t flex_registers[FLEX_REGISTERS]; /* EU_PERF_CNTL0 to 6 */

struct batch {
    struct buffer bytes;
    bool wide; /* Gen8 and later: addresses have two dwords */
};

#define MI_NOOP              0x00000000u
#define MI_USER_INTERRUPT    0x01000000u
#define MI_BATCH_BUFFER_END  0x05000000u
#define MI_LOAD_REGISTER_IMM 0x11000000u

void batch_dword(struct batch *batch, uint32_t dword);
void batch_registers(struct batch *batch, const struct register_value *values, size_t count);
void batch_store(struct batch *batch, uint32_t address, uint32_t value); /* to a GGTT address */
void batch_jump(struct batch *batch, uint64_t address, uint32_t flags);
void batch_flush(struct batch *batch); /* waits for the commands before it */

enum { JUMP_PPGTT = 1 << 8, JUMP_UNPRIVILEGED = 1 << 13, JUMP_PREDICATED = 1 << 15 };

/*
 * Emits a loop that waits for `ticks` of the timestamp, like the kernel's batch between programming
 * a configuration and using it (PERF-3.5), and ends the batch. `base` is the batch's address,
 * `scratch` that of WAIT_SCRATCH bytes for saved registers.
 */
#define WAIT_SCRATCH 64
void batch_wait(struct batch *batch, uint32_t base, uint32_t scratch, uint32_t ticks);

/* Runs the batch as a privileged one in a context, and empties it. Returns 0, -ENOMEM, or an errno
 * of i915_engine_submit(). */
int batch_submit(struct batch *batch, struct i915_context *context, uint64_t *fence);

#endif
