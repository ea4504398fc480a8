/* SPDX-License-Identifier: MIT */
/*
 * MI_ATOMIC (OA-11.1): reads 4, 8 or 16 bytes of memory, computes, writes them back. The low five
 * bits of the opcode are the operation, those above the size.
 */
#include "base/bits.h"
#include "intel/cs/step.h"

#define OPERATIONS        32u
#define OPERATION(opcode) ((opcode) % OPERATIONS)
#define SIZE(opcode)      ((opcode) / OPERATIONS) /* as Data Size has it: 0, 1, 2 for 1, 2, 4 dwords */
#define OCTWORD           2u

/* Inline operands are interleaved: a dword of the first, a dword of the second, ... */
#define INLINE_AT     3u
#define INLINE_STRIDE 2u

/* CS_GPR of indirect operands and of the result, two each. */
enum { GPR_FIRST = 0, GPR_SECOND = 2, GPR_RESULT = 4 };

struct atomic {
    unsigned opcode, dwords;
    bool post_sync, inlined, returns;
    uint64_t memory[2], first[2], second[2];
};

static bool is_compare(const struct atomic *atomic)
{
    return OPERATION(atomic->opcode) == OPERATION(MI_ATOMIC_OPCODE__4B_CMPWR);
}

/* Returns whether the opcode exists and the fields fit together. As a post-sync operation there are
 * only inline operands, no result, and up to 8 bytes, 4 for a comparison. */
static bool is_valid(const struct step *step, const struct atomic *atomic)
{
    unsigned size = (unsigned)step_operand(step, CS_SIZE);
    bool known = OPERATION(atomic->opcode) >= OPERATION(MI_ATOMIC_OPCODE__4B_AND) &&
                 OPERATION(atomic->opcode) <= OPERATION(MI_ATOMIC_OPCODE__4B_PREDEC);
    if (!known || size > OCTWORD || size != SIZE(atomic->opcode) ||
        (size == OCTWORD && !is_compare(atomic)))
        return false;
    return !atomic->post_sync ||
           (atomic->inlined && !atomic->returns && size < (is_compare(atomic) ? 1u : OCTWORD));
}

static uint32_t inline_dword(const struct step *step, unsigned at)
{
    return at < step->count ? step->dwords[at] : 0;
}

static void load_operands(const struct step *step, struct atomic *atomic)
{
    const uint64_t *gpr = step->streamer->gpr;
    for (unsigned i = 0; i < 2 && !atomic->inlined; i++) {
        atomic->first[i] = gpr[GPR_FIRST + i];
        atomic->second[i] = gpr[GPR_SECOND + i];
    }
    for (unsigned i = 0; i < atomic->dwords && atomic->inlined; i++) {
        unsigned at = INLINE_AT + INLINE_STRIDE * i, shift = 32 * (i % 2);
        atomic->first[i / 2] |= (uint64_t)inline_dword(step, at) << shift;
        atomic->second[i / 2] |= (uint64_t)inline_dword(step, at + 1) << shift;
    }
    if (atomic->post_sync && atomic->dwords == 2) /* one operand of two dwords in a row */
        atomic->first[0] =
            inline_dword(step, INLINE_AT) | (uint64_t)inline_dword(step, INLINE_AT + 1) << 32;
}

/* ---- operations on up to 64 bits ------------------------------------------------------------- */

static int64_t sign_extend(uint64_t value, unsigned bits)
{
    return bits == 64 ? (int64_t)value : (int64_t)(int32_t)(uint32_t)value;
}

static uint64_t choose(bool first, uint64_t a, uint64_t b)
{
    return first ? a : b;
}

/* The caller clears the bits of the result above the operand size. */
static uint64_t compute(unsigned operation, uint64_t memory, uint64_t operand, unsigned bits)
{
    int64_t left = sign_extend(memory, bits), right = sign_extend(operand, bits);
    switch (operation) {
    case OPERATION(MI_ATOMIC_OPCODE__4B_AND):
        return memory & operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_OR):
        return memory | operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_XOR):
        return memory ^ operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_MOVE):
        return operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_INC):
        return memory + 1;
    case OPERATION(MI_ATOMIC_OPCODE__4B_DEC):
    case OPERATION(MI_ATOMIC_OPCODE__4B_PREDEC):
        return memory - 1;
    case OPERATION(MI_ATOMIC_OPCODE__4B_ADD):
        return memory + operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_SUB):
        return memory - operand;
    case OPERATION(MI_ATOMIC_OPCODE__4B_RSUB):
        return operand - memory;
    case OPERATION(MI_ATOMIC_OPCODE__4B_IMAX):
        return choose(left > right, memory, operand);
    case OPERATION(MI_ATOMIC_OPCODE__4B_IMIN):
        return choose(left < right, memory, operand);
    case OPERATION(MI_ATOMIC_OPCODE__4B_UMAX):
        return choose(memory > operand, memory, operand);
    default:
        return choose(memory < operand, memory, operand);
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

static void update(const struct atomic *atomic, uint64_t result[2])
{
    const uint64_t *old = atomic->memory, *first = atomic->first;
    unsigned bits = atomic->dwords == 1 ? 32 : 64;
    uint64_t operand = first[0] & low_bits(bits);
    if (is_compare(atomic)) {
        bool equal = old[0] == operand && (atomic->dwords <= 2 || old[1] == first[1]);
        result[0] = choose(equal, atomic->second[0], old[0]);
        result[1] = choose(equal, atomic->second[1], old[1]);
    } else {
        result[0] = compute(OPERATION(atomic->opcode), old[0], operand, bits);
        result[1] = 0;
    }
    result[0] &= low_bits(bits);
}

static bool read_memory(struct step *step, struct atomic *atomic, uint32_t space, uint64_t address)
{
    uint32_t dword;
    for (unsigned i = 0; i < atomic->dwords; i++) {
        if (!step_read(step, space, address + 4 * i, &dword))
            return false;
        atomic->memory[i / 2] |= (uint64_t)dword << 32 * (i % 2);
    }
    return true;
}

/* Stores the old value in CS_GPR; for a pre-decrement, the new one. */
static void return_value(struct step *step, const struct atomic *atomic, const uint64_t result[2])
{
    uint64_t *gpr = &step->streamer->gpr[GPR_RESULT];
    bool after = OPERATION(atomic->opcode) == OPERATION(MI_ATOMIC_OPCODE__4B_PREDEC);
    for (unsigned i = 0; i < (atomic->dwords + 1) / 2; i++)
        gpr[i] = choose(after, result[i], atomic->memory[i]);
}

enum step_result step_atomic(struct step *step)
{
    uint64_t address = step_operand(step, CS_ADDRESS), result[2];
    uint32_t space = step_space(step, CS_GGTT);
    struct atomic atomic = {
        .opcode = (unsigned)step_operand(step, CS_OPCODE),
        .dwords = 1u << step_operand(step, CS_SIZE),
        .post_sync = step_operand(step, CS_AFTER_WORK),
        .inlined = step_operand(step, CS_INLINE),
        .returns = step_operand(step, CS_RETURN),
    };
    if (!is_valid(step, &atomic))
        return step_fault(step, STREAMER_RESERVED, step->dwords[0]);
    if (atomic.post_sync && step_busy(step))
        return STEP_WAITS;
    load_operands(step, &atomic);
    if (!read_memory(step, &atomic, space, address))
        return STEP_FAULT;
    update(&atomic, result);
    for (unsigned i = 0; i < atomic.dwords; i++)
        if (!step_write(step, space, address + 4 * i, (uint32_t)(result[i / 2] >> 32 * (i % 2))))
            return STEP_FAULT;
    if (atomic.returns)
        return_value(step, &atomic, result);
    return STEP_DONE;
}
