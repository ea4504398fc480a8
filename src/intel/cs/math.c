/* SPDX-License-Identifier: MIT */
/*
 * MI_MATH [P13]: a list of ALU instructions on the sixteen CS_GPR. Operands are loaded to SRCA and
 * SRCB; results are in ACCU, ZF and CF. A flag is stored as all ones or all zeros; logic operations
 * clear CF.
 */
#include "intel/cs/step.h"

struct alu {
    uint64_t source[2], accumulator;
    bool zero, carry;
};

static void compute(struct alu *alu, unsigned opcode)
{
    uint64_t a = alu->source[0], b = alu->source[1], result;
    alu->carry = false;
    switch (opcode) {
    case ALU_OPCODE__ADD:
        result = a + b;
        alu->carry = result < a;
        break;
    case ALU_OPCODE__SUB:
        result = a - b;
        alu->carry = a < b;
        break;
    case ALU_OPCODE__AND:
        result = a & b;
        break;
    case ALU_OPCODE__OR:
        result = a | b;
        break;
    default:
        result = a ^ b;
        break;
    }
    alu->accumulator = result;
    alu->zero = !result;
}

/* LOAD, LOADINV, LOAD0, LOAD1: operand 1 is SRCA or SRCB. */
static bool load(struct alu *alu, const uint64_t *gpr, unsigned opcode, unsigned to, unsigned from)
{
    bool constant = opcode == ALU_OPCODE__LOAD0 || opcode == ALU_OPCODE__LOAD1;
    if ((to != ALU_OPERAND__SRCA && to != ALU_OPERAND__SRCB) ||
        (!constant && from >= STREAMER_GPRS))
        return false;
    uint64_t value = opcode == ALU_OPCODE__LOAD0   ? 0
                     : opcode == ALU_OPCODE__LOAD1 ? UINT64_MAX
                     : opcode == ALU_OPCODE__LOAD  ? gpr[from]
                                                   : ~gpr[from];
    alu->source[to - ALU_OPERAND__SRCA] = value;
    return true;
}

static bool store(const struct alu *alu, uint64_t *gpr, unsigned opcode, unsigned to, unsigned from)
{
    if (to >= STREAMER_GPRS ||
        (from != ALU_OPERAND__ACCU && from != ALU_OPERAND__ZF && from != ALU_OPERAND__CF))
        return false;
    uint64_t flag = from == ALU_OPERAND__ZF ? alu->zero : alu->carry;
    uint64_t value = from == ALU_OPERAND__ACCU ? alu->accumulator : 0 - flag;
    gpr[to] = opcode == ALU_OPCODE__STORE ? value : ~value;
    return true;
}

static bool run(struct alu *alu, uint64_t *gpr, uint32_t instruction)
{
    unsigned opcode = CS_GET(ALU, OPCODE, instruction);
    unsigned first = CS_GET(ALU, OPERAND_1, instruction);
    unsigned second = CS_GET(ALU, OPERAND_2, instruction);
    switch (opcode) {
    case ALU_OPCODE__NOOP:
        return true;
    case ALU_OPCODE__LOAD:
    case ALU_OPCODE__LOADINV:
    case ALU_OPCODE__LOAD0:
    case ALU_OPCODE__LOAD1:
        return load(alu, gpr, opcode, first, second);
    case ALU_OPCODE__ADD:
    case ALU_OPCODE__SUB:
    case ALU_OPCODE__AND:
    case ALU_OPCODE__OR:
    case ALU_OPCODE__XOR:
        compute(alu, opcode);
        return true;
    case ALU_OPCODE__STORE:
    case ALU_OPCODE__STOREINV:
        return store(alu, gpr, opcode, first, second);
    default:
        return false;
    }
}

enum step_result step_math(struct step *step)
{
    struct alu alu = {0};
    for (uint32_t i = step->command->group_at; i < step->length; i++) {
        if (run(&alu, step->streamer->gpr, step->dwords[i]))
            continue;
        step->place.address = step_address(step, i);
        return step_fault(step, STREAMER_RESERVED, step->dwords[i]);
    }
    return STEP_DONE;
}
