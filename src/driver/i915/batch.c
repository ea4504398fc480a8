/* SPDX-License-Identifier: MIT */
/* The driver's own batches. */
#include "driver/i915/batch.h"

#include <errno.h>

#include "base/bits.h"
#include "intel/symbols.h"

#define MI_STORE_DATA_IMM_GGTT 0x10400000u
#define MI_STORE_REGISTER_GGTT 0x12400000u
#define MI_LOAD_REGISTER_GGTT  0x14c00000u
#define MI_LOAD_REGISTER_REG   0x15000001u
#define MI_MATH                0x0d000000u
#define MI_BATCH_BUFFER_START  0x18800000u
#define PIPE_CONTROL           0x7a000000u
#define CS_STALL_AND_FLUSH     0x00101000u

#define REGISTERS_PER_LOAD 126

const uint32_t flex_registers[FLEX_REGISTERS] = {
    EU_PERF_CNT_CTL0, EU_PERF_CNT_CTL1, EU_PERF_CNT_CTL2, EU_PERF_CNT_CTL3,
    EU_PERF_CNT_CTL4, EU_PERF_CNT_CTL5, EU_PERF_CNT_CTL6};

void batch_dword(struct batch *batch, uint32_t dword)
{
    uint8_t bytes[4];
    store_le32(bytes, dword);
    buffer_append(&batch->bytes, bytes, sizeof bytes);
}

static void dwords(struct batch *batch, const uint32_t *from, size_t count)
{
    while (count--)
        batch_dword(batch, *from++);
}

#define DWORDS(batch, ...)                                                                         \
    dwords(batch, (const uint32_t[]){__VA_ARGS__}, ARRAY_COUNT(((const uint32_t[]){__VA_ARGS__})))

void batch_registers(struct batch *batch, const struct register_value *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t left = count - i;
        uint32_t now = (uint32_t)(left < REGISTERS_PER_LOAD ? left : REGISTERS_PER_LOAD);
        if (i % REGISTERS_PER_LOAD == 0)
            batch_dword(batch, MI_LOAD_REGISTER_IMM | (2 * now - 1));
        DWORDS(batch, values[i].address, values[i].value);
    }
}

void batch_store(struct batch *batch, uint32_t address, uint32_t value)
{
    if (batch->wide)
        DWORDS(batch, MI_STORE_DATA_IMM_GGTT | 2, address, 0, value);
    else
        DWORDS(batch, MI_STORE_DATA_IMM_GGTT | 2, 0, address, value);
}

void batch_jump(struct batch *batch, uint64_t address, uint32_t flags)
{
    if (batch->wide)
        DWORDS(batch, MI_BATCH_BUFFER_START | flags | 1, (uint32_t)address,
               (uint32_t)(address >> 32));
    else
        DWORDS(batch, MI_BATCH_BUFFER_START | flags, (uint32_t)address);
}

void batch_flush(struct batch *batch)
{
    DWORDS(batch, PIPE_CONTROL | (batch->wide ? 4 : 3), CS_STALL_AND_FLUSH, 0, 0, 0);
    if (batch->wide)
        batch_dword(batch, 0);
}

/* ---- waiting --------------------------------------------------------------------------------- */

#define GPR(n) REG_ELEMENT(CS_GPR, n)

#define ALU(op, a, b) ((uint32_t)(op) << 20 | (uint32_t)(a) << 10 | (uint32_t)(b))
enum { LOAD = 0x080, ADD = 0x100, SUB = 0x101, STORE = 0x180, STORE_INVERTED = 0x580 };
enum { SRCA = 0x20, SRCB = 0x21, ACCU = 0x31, CARRY = 0x33 };
enum { START, NOW, TARGET, CONDITION, WASTE, USED };

/* Stores a register to memory, or loads it. A command of three dwords is followed by a NOOP. */
static void move(struct batch *batch, uint32_t command, uint32_t address, uint32_t memory)
{
    DWORDS(batch, command | (batch->wide ? 2 : 1), address, memory, 0);
}

static void move_used(struct batch *batch, uint32_t command, uint32_t scratch)
{
    for (uint32_t i = 0; i < 2 * USED; i++)
        move(batch, command, GPR(0) + 4 * i, scratch + 4 * i);
    move(batch, command, MI_PREDICATE_RESULT_1, scratch + 4 * 2 * USED);
}

/* Copies the low half of the timestamp to a GPR. */
static void take_time(struct batch *batch, uint32_t gpr)
{
    DWORDS(batch, MI_LOAD_REGISTER_IMM | 1, GPR(gpr) + 4, 0);
    DWORDS(batch, MI_LOAD_REGISTER_REG, RING_TIMESTAMP, GPR(gpr));
}

static void jump_if_condition(struct batch *batch, uint32_t to)
{
    DWORDS(batch, MI_LOAD_REGISTER_REG, GPR(CONDITION), MI_PREDICATE_RESULT_1);
    batch_jump(batch, to, JUMP_PREDICATED);
}

/* Emits a command that takes some time, so that the loop reads the timestamp less often. */
static void waste_time(struct batch *batch)
{
    struct register_value nothing[REGISTERS_PER_LOAD];
    for (size_t i = 0; i < REGISTERS_PER_LOAD; i++)
        nothing[i] = (struct register_value){GPR(WASTE), (uint32_t)i};
    batch_registers(batch, nothing, REGISTERS_PER_LOAD);
}

void batch_wait(struct batch *batch, uint32_t base, uint32_t scratch, uint32_t ticks)
{
    struct register_value target[] = {{GPR(TARGET), ~ticks}, {GPR(TARGET) + 4, UINT32_MAX}};
    move_used(batch, MI_STORE_REGISTER_GGTT, scratch);
    uint32_t over = base + (uint32_t)batch->bytes.size;
    take_time(batch, START);
    batch_registers(batch, target, ARRAY_COUNT(target));
    uint32_t again = base + (uint32_t)batch->bytes.size;
    waste_time(batch);
    take_time(batch, NOW);
    /* Elapsed ticks. A borrow means that the low half wrapped around; the wait starts again. */
    DWORDS(batch, MI_MATH | 4, ALU(LOAD, SRCA, NOW), ALU(LOAD, SRCB, START), ALU(SUB, 0, 0),
           ALU(STORE, CONDITION, CARRY), ALU(STORE, NOW, ACCU));
    jump_if_condition(batch, over);
    /* Adding the complement of `ticks` carries once more than that has elapsed. */
    DWORDS(batch, MI_MATH | 3, ALU(LOAD, SRCA, NOW), ALU(LOAD, SRCB, TARGET), ALU(ADD, 0, 0),
           ALU(STORE_INVERTED, CONDITION, CARRY));
    jump_if_condition(batch, again);
    move_used(batch, MI_LOAD_REGISTER_GGTT, scratch);
    batch_dword(batch, MI_BATCH_BUFFER_END);
}

/* ---- running --------------------------------------------------------------------------------- */

static int put_in_ggtt(struct i915_device *device, const struct batch *batch,
                       struct i915_object **out, uint64_t *address)
{
    int result = i915_object_new(device, batch->bytes.size, out);
    if (result < 0)
        return result;
    memcpy((*out)->bytes, batch->bytes.bytes, batch->bytes.size);
    result = i915_space_insert(&device->ggtt, *out, PAGE_BYTES, UINT64_MAX, address);
    if (result < 0)
        i915_object_drop(*out);
    return result;
}

int batch_submit(struct batch *batch, struct i915_context *context, uint64_t *fence)
{
    struct i915_device *device = context->device;
    struct i915_work work = {.context = context, .privileged = true};
    batch_dword(batch, MI_BATCH_BUFFER_END);
    int result =
        batch->bytes.broken ? -ENOMEM : put_in_ggtt(device, batch, &work.batch, &work.address);
    buffer_fini(&batch->bytes);
    if (result < 0)
        return result;
    result = i915_engine_submit(device, &work, fence);
    if (result < 0)
        i915_space_remove(&device->ggtt, work.batch);
    i915_object_drop(work.batch); /* a submitted request holds its own reference */
    return result;
}
