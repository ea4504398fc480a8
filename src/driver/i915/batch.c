/* SPDX-License-Identifier: MIT */
/* The driver's own batches. */
#include "driver/i915/batch.h"

#include <errno.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/symbols.h"

#define STORE_REGISTER_GGTT                                                                        \
    (MI_STORE_REGISTER_MEM | CS_PUT(MI_STORE_REGISTER_MEM, USE_GLOBAL_GTT, CS_MEMORY_TYPE__GGTT))
#define LOAD_REGISTER_GGTT                                                                         \
    (MI_LOAD_REGISTER_MEM | CS_PUT(MI_LOAD_REGISTER_MEM, USE_GLOBAL_GTT, CS_MEMORY_TYPE__GGTT))
#define LOAD_REGISTER_REG CS_HEADER(MI_LOAD_REGISTER_REG, 3)
#define CS_STALL_AND_FLUSH                                                                         \
    (CS_PUT(PIPE_CONTROL, COMMAND_STREAMER_STALL_ENABLE, 1) |                                      \
     CS_PUT(PIPE_CONTROL, RENDER_TARGET_CACHE_FLUSH_ENABLE, 1))

#define REGISTERS_PER_LOAD 126

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
        uint32_t now = (uint32_t)min_size(count - i, REGISTERS_PER_LOAD);
        if (i % REGISTERS_PER_LOAD == 0)
            batch_dword(batch, CS_HEADER(MI_LOAD_REGISTER_IMM, 1 + 2 * now));
        DWORDS(batch, values[i].address, values[i].value);
    }
}

void batch_store(struct batch *batch, uint32_t address, uint32_t value)
{
    uint32_t header = CS_HEADER(MI_STORE_DATA_IMM, 4) |
                      CS_PUT(MI_STORE_DATA_IMM, USE_GLOBAL_GTT, CS_MEMORY_TYPE__GGTT);
    if (batch->wide)
        DWORDS(batch, header, address, 0, value);
    else
        DWORDS(batch, header, 0, address, value);
}

void batch_jump(struct batch *batch, uint64_t address, uint32_t flags)
{
    if (batch->wide)
        DWORDS(batch, CS_HEADER(MI_BATCH_BUFFER_START, 3) | flags, (uint32_t)address,
               (uint32_t)(address >> 32));
    else
        DWORDS(batch, CS_HEADER(MI_BATCH_BUFFER_START, 2) | flags, (uint32_t)address);
}

void batch_flush(struct batch *batch)
{
    DWORDS(batch, CS_HEADER(PIPE_CONTROL, batch->wide ? 6 : 5), CS_STALL_AND_FLUSH, 0, 0, 0);
    if (batch->wide)
        batch_dword(batch, 0);
}

void batch_flush_dw(struct batch *batch)
{
    DWORDS(batch, CS_HEADER(MI_FLUSH_DW, batch->wide ? 5 : 4), 0, 0, 0);
    if (batch->wide)
        batch_dword(batch, 0);
}

/* ---- waiting --------------------------------------------------------------------------------- */

#define GPR(n) REG_ELEMENT(CS_GPR, n)

/* An instruction of MI_MATH; the operands of arithmetic are SRCA and SRCB. */
#define ALU(opcode, operand1, operand2)                                                            \
    (CS_PUT(ALU, OPCODE, ALU_OPCODE__##opcode) | CS_PUT(ALU, OPERAND_1, operand1) |                \
     CS_PUT(ALU, OPERAND_2, operand2))
#define SRCA  ALU_OPERAND__SRCA
#define SRCB  ALU_OPERAND__SRCB
#define ACCU  ALU_OPERAND__ACCU
#define CARRY ALU_OPERAND__CF
enum { START, NOW, TARGET, CONDITION, WASTE, USED };

/* Copies a register to memory or back: MI_STORE_REGISTER_MEM or MI_LOAD_REGISTER_MEM, which have
 * the same length. The fourth dword is the upper half of the address, or an MI_NOOP. */
static void move(struct batch *batch, uint32_t command, uint32_t address, uint32_t memory)
{
    uint32_t length =
        batch->wide ? GEN8_MI_STORE_REGISTER_MEM__DWORDS : MI_STORE_REGISTER_MEM__DWORDS;
    DWORDS(batch, command | (length - 2), address, memory, 0);
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
    DWORDS(batch, CS_HEADER(MI_LOAD_REGISTER_IMM, 3), GPR(gpr) + 4, 0);
    DWORDS(batch, LOAD_REGISTER_REG, RING_TIMESTAMP, GPR(gpr));
}

static void jump_if_condition(struct batch *batch, uint32_t to)
{
    DWORDS(batch, LOAD_REGISTER_REG, GPR(CONDITION), MI_PREDICATE_RESULT_1);
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
    move_used(batch, STORE_REGISTER_GGTT, scratch);
    uint32_t over = base + (uint32_t)batch->bytes.size;
    take_time(batch, START);
    batch_registers(batch, target, ARRAY_COUNT(target));
    uint32_t again = base + (uint32_t)batch->bytes.size;
    waste_time(batch);
    take_time(batch, NOW);
    /* Elapsed ticks. A borrow means that the low half wrapped around; the wait starts again. */
    DWORDS(batch, CS_HEADER(MI_MATH, 6), ALU(LOAD, SRCA, NOW), ALU(LOAD, SRCB, START),
           ALU(SUB, 0, 0), ALU(STORE, CONDITION, CARRY), ALU(STORE, NOW, ACCU));
    jump_if_condition(batch, over);
    /* Adding the complement of `ticks` carries if more than `ticks` have elapsed. */
    DWORDS(batch, CS_HEADER(MI_MATH, 5), ALU(LOAD, SRCA, NOW), ALU(LOAD, SRCB, TARGET),
           ALU(ADD, 0, 0), ALU(STOREINV, CONDITION, CARRY));
    jump_if_condition(batch, again);
    move_used(batch, LOAD_REGISTER_GGTT, scratch);
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
    struct i915_work work = {.state = render_state(context), .privileged = true};
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
