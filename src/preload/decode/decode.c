/* SPDX-License-Identifier: MIT */
#include "preload/decode/decode.h"

#include <Zydis/Zydis.h>

/* Returns the number of the general register that a register is a part of; -1: of none. */
static int general(ZydisRegister part)
{
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, part);
    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
               ? (int)(whole - ZYDIS_REGISTER_RAX)
               : -1;
}

static bool is_plain(const ZydisDecodedOperandMem *memory)
{
    return memory->type == ZYDIS_MEMOP_TYPE_MEM && memory->segment != ZYDIS_REGISTER_FS &&
           memory->segment != ZYDIS_REGISTER_GS && general(memory->base) >= 0 &&
           (memory->index == ZYDIS_REGISTER_NONE || general(memory->index) >= 0);
}

/* What the instruction does with the base register beside addressing: the base is replaced while
 * the instruction is executed, so it may not be used as data. */
static const char *check_base(const ZydisDecodedInstruction *instruction,
                              const ZydisDecodedOperand *operands, struct decode_operand *out)
{
    if (out->index == out->base)
        return "an index that is not the base register";
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ZydisDecodedOperand *operand = &operands[i];
        if (operand->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            general(operand->reg.value) != out->base ||
            operand->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
            continue;
        if (operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ)
            return "data that are not in the base register";
        if (operand->size < 32)
            return "a result that fills the base register";
        out->base_is_result = true;
    }
    return NULL;
}

const char *tally_decode_access(const uint8_t *code, size_t bytes, struct decode_access *out)
{
    ZydisDecoder decoder;
    ZydisDecodedInstruction instruction;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ZyanStatus status = ZydisDecoderDecodeFull(&decoder, code, bytes, &instruction, operands);
    *out = (struct decode_access){0};
    if (!ZYAN_SUCCESS(status))
        return "an instruction of x86-64";
    for (unsigned i = 0; i < instruction.operand_count; i++) {
        const ZydisDecodedOperand *from = &operands[i];
        if (from->type != ZYDIS_OPERAND_TYPE_MEMORY || from->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
            continue;
        if (out->count == 2 || !is_plain(&from->mem) || from->size / 8 > DECODE_DATA_MAX)
            return "an address in a register";
        struct decode_operand *to = &out->operands[out->count++];
        *to = (struct decode_operand){
            .bytes = from->size / 8,
            .reads = from->actions & ZYDIS_OPERAND_ACTION_MASK_READ,
            .writes = from->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE,
            .base = general(from->mem.base),
            .index = from->mem.index == ZYDIS_REGISTER_NONE ? -1 : general(from->mem.index),
            .scale = from->mem.scale,
            .displacement = from->mem.disp.has_displacement ? from->mem.disp.value : 0,
        };
        const char *expected = check_base(&instruction, operands, to);
        if (expected)
            return expected;
    }
    return out->count ? NULL : "an access to memory";
}
