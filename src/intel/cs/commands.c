/* SPDX-License-Identifier: MIT */
/*
 * The table of commands, and what finds a row in it.
 *
 * MI_REPORT_PERF_COUNT is OA-2.11. Of the others a row names the public PRM that
 * defines the command: [P11] SNB volume 1, [P12] IVB volume 1 part 3, [P13] HSW volume 2a, [P15B]
 * BDW volume 2a, [P16] SKL volume 2a, [P19] ICL volume 2a. Names, bits and lengths were compared
 * with the public drivers' descriptions (Mesa's genxml of Gen6 to Gen11, the command header of the
 * Linux i915 driver), which decide where the PRMs' default lengths contradict their own layouts
 * (MI_CONDITIONAL_BATCH_BUFFER_END).
 */
#include "intel/cs/commands.h"

#include "base/bits.h"
#include "intel/cs/fields.h"

// clang-format off

#define EVERY   CS_FIRST, CS_LAST
#define TO_HSW  60, 75
#define IVB_ON  70, CS_LAST
#define HSW_ON  75, CS_LAST
#define BDW_ON  80, CS_LAST
#define SKL_ON  90, CS_LAST

/* The first dword: an MI command (type 0) by bits 28:23, a pipeline command (type 3) by 31:16, a
 * blitter command (type 2) by 28:22. */
#define MI(code)     (uint32_t)(code) << 23, 0xff800000
#define PIPE(code)   (uint32_t)(code) << 16, 0xffff0000
#define BLT(code)    (uint32_t)2 << 29 | (uint32_t)(code) << 22, 0xffc00000

#define MANY  0x10001 /* the most that a 16-bit length can say */

/*  name, versions, action, privilege, opcode and mask, length bits, clocks, group: clocks, at, size, dwords, fields, group, source */
const struct cs_command cs_commands[] = {
  { "MI_NOOP", EVERY, CS_NOOP, CS_FREE, MI(0x00), 0, 1, 0, 0, 0, 1, 1, cs_noop_fields, NULL, "[P11]" },
  { "MI_USER_INTERRUPT", EVERY, CS_INTERRUPT, CS_FREE, MI(0x02), 0, 2, 0, 0, 0, 1, 1, NULL, NULL, "[P11]" },
  { "MI_FLUSH", TO_HSW, CS_FLUSH, CS_FREE, MI(0x04), 0, 8, 0, 0, 0, 1, 1, cs_flush_fields, NULL, "[P11]" },
  { "MI_ARB_CHECK", EVERY, CS_NOTHING, CS_FREE, MI(0x05), 0, 1, 0, 0, 0, 1, 1, NULL, NULL, "[P11]" },
  { "MI_RS_CONTROL", HSW_ON, CS_NOTHING, CS_FREE, MI(0x06), 0, 1, 0, 0, 0, 1, 1, cs_rs_control_fields, NULL, "[P13]" },
  { "MI_ARB_ON_OFF", EVERY, CS_ARBITRATION, CS_PRIVILEGED, MI(0x08), 0, 1, 0, 0, 0, 1, 1, cs_arb_on_off_fields, NULL, "[P11]" },
  { "MI_BATCH_BUFFER_END", EVERY, CS_BATCH_END, CS_FREE, MI(0x0a), 0, 4, 0, 0, 0, 1, 1, NULL, NULL, "[P11]" },
  { "MI_SUSPEND_FLUSH", EVERY, CS_SUSPEND_FLUSH, CS_PRIVILEGED, MI(0x0b), 0, 1, 0, 0, 0, 1, 1, cs_suspend_flush_fields, NULL, "[P11]" },
  { "MI_PREDICATE", IVB_ON, CS_PREDICATE, CS_FREE, MI(0x0c), 0, 2, 0, 0, 0, 1, 1, cs_predicate_fields, NULL, "[P12]" },
  { "MI_TOPOLOGY_FILTER", IVB_ON, CS_NOTHING, CS_FREE, MI(0x0d), 0, 1, 0, 0, 0, 1, 1, cs_topology_fields, NULL, "[P12]" },
  { "MI_RS_CONTEXT", HSW_ON, CS_NOTHING, CS_FREE, MI(0x0f), 0, 1, 0, 0, 0, 1, 1, cs_rs_context_fields, NULL, "[P13]" },
  { "MI_SET_CONTEXT", TO_HSW, CS_SET_CONTEXT, CS_PRIVILEGED, MI(0x18), 8, 64, 0, 0, 0, 2, 2, cs_set_context_fields, NULL, "[P11]" },
  { "MI_URB_CLEAR", 60, 80, CS_NOTHING, CS_FREE, MI(0x19), 8, 8, 0, 0, 0, 2, 2, cs_urb_clear_fields, NULL, "[P11]" },
  { "MI_MATH", 75, 80, CS_MATH, CS_FREE, MI(0x1a), 6, 1, 1, 1, 1, 2, 65, NULL, cs_alu_fields, "[P13]" },
  { "MI_MATH", SKL_ON, CS_MATH, CS_FREE, MI(0x1a), 8, 1, 1, 1, 1, 2, 257, NULL, cs_alu_fields, "[P16]" },
  { "MI_SEMAPHORE_WAIT", BDW_ON, CS_SEMAPHORE_WAIT, CS_PPGTT_ONLY, MI(0x1c), 8, 8, 0, 0, 0, 4, 4, cs_semaphore_fields, NULL, "[P15B]" },
  { "MI_STORE_DATA_IMM", TO_HSW, CS_STORE_DATA, CS_PPGTT_ONLY, MI(0x20), 6, 4, 1, 3, 1, 4, 5, cs_store_data_fields, cs_data_fields, "[P11]" },
  { "MI_STORE_DATA_IMM", BDW_ON, CS_STORE_DATA, CS_PPGTT_ONLY, MI(0x20), 10, 4, 1, 3, 1, 4, 1025, cs_store_data_fields, cs_data_fields, "[P15B]" },
  { "MI_STORE_DATA_INDEX", EVERY, CS_STORE_INDEX, CS_PRIVILEGED, MI(0x21), 8, 4, 0, 0, 0, 3, 4, cs_store_index_fields, NULL, "[P11]" },
  { "MI_LOAD_REGISTER_IMM", EVERY, CS_LOAD_IMMEDIATE, CS_FREE, MI(0x22), 8, 2, 2, 1, 2, 3, 257, cs_load_immediate_fields, cs_pair_fields, "[P11]" },
  { "MI_STORE_REGISTER_MEM", TO_HSW, CS_STORE_REGISTER, CS_WRITE_PPGTT, MI(0x24), 8, 8, 0, 0, 0, 3, 3, cs_store_register_fields, NULL, "[P11]" },
  { "MI_STORE_REGISTER_MEM", BDW_ON, CS_STORE_REGISTER, CS_WRITE_PPGTT, MI(0x24), 8, 8, 0, 0, 0, 4, 4, cs_store_register_fields, NULL, "[P15B]" },
  { "MI_FLUSH_DW", TO_HSW, CS_FLUSH_DW, CS_WRITE_PPGTT, MI(0x26), 6, 8, 0, 0, 0, 3, 4, cs_flush_dw_fields, NULL, "[P11]" },
  { "MI_FLUSH_DW", BDW_ON, CS_FLUSH_DW, CS_WRITE_PPGTT, MI(0x26), 6, 8, 0, 0, 0, 4, 5, cs_flush_dw_fields, NULL, "[P15B]" },
  { "MI_REPORT_PERF_COUNT", TO_HSW, CS_REPORT, CS_PPGTT_ONLY, MI(0x28), 6, 8, 0, 0, 0, 3, 3, cs_report_fields, NULL, "OA-2.11" },
  { "MI_REPORT_PERF_COUNT", BDW_ON, CS_REPORT, CS_PPGTT_ONLY, MI(0x28), 6, 8, 0, 0, 0, 4, 4, cs_report_fields, NULL, "OA-2.11" },
  { "MI_LOAD_REGISTER_MEM", 70, 75, CS_LOAD_MEMORY, CS_PPGTT_ONLY, MI(0x29), 8, 16, 0, 0, 0, 3, 3, cs_load_memory_fields, NULL, "[P12]" },
  { "MI_LOAD_REGISTER_MEM", BDW_ON, CS_LOAD_MEMORY, CS_PPGTT_ONLY, MI(0x29), 8, 16, 0, 0, 0, 4, 4, cs_load_memory_fields, NULL, "[P15B]" },
  { "MI_LOAD_REGISTER_REG", HSW_ON, CS_LOAD_REGISTER, CS_FREE, MI(0x2a), 8, 4, 0, 0, 0, 3, 3, cs_load_register_fields, NULL, "[P13]" },
  { "MI_COPY_MEM_MEM", BDW_ON, CS_COPY_MEMORY, CS_PPGTT_ONLY, MI(0x2e), 8, 16, 0, 0, 0, 5, 5, cs_copy_fields, NULL, "[P15B]" },
  { "MI_BATCH_BUFFER_START", TO_HSW, CS_BATCH_START, CS_PPGTT_ONLY, MI(0x31), 8, 8, 0, 0, 0, 2, 2, cs_batch_start_fields, NULL, "[P11] [P13]" },
  { "MI_BATCH_BUFFER_START", BDW_ON, CS_BATCH_START, CS_PPGTT_ONLY, MI(0x31), 8, 8, 0, 0, 0, 3, 3, cs_batch_start_fields, NULL, "[P15B]" },
  { "MI_CONDITIONAL_BATCH_BUFFER_END", TO_HSW, CS_CONDITIONAL_END, CS_PPGTT_ONLY, MI(0x36), 8, 16, 0, 0, 0, 3, 3, cs_conditional_fields, NULL, "[P12]" },
  { "MI_CONDITIONAL_BATCH_BUFFER_END", BDW_ON, CS_CONDITIONAL_END, CS_PPGTT_ONLY, MI(0x36), 8, 16, 0, 0, 0, 4, 4, cs_conditional_fields, NULL, "[P15B]" },

  { "PIPE_CONTROL", TO_HSW, CS_PIPE_CONTROL, CS_WRITE_PPGTT, PIPE(0x7a00), 8, 8, 0, 0, 0, 4, 5, cs_pipe_control_fields, NULL, "[P11]" },
  { "PIPE_CONTROL", BDW_ON, CS_PIPE_CONTROL, CS_WRITE_PPGTT, PIPE(0x7a00), 8, 8, 0, 0, 0, 6, 6, cs_pipe_control_fields, NULL, "[P15B]" },

  { "3DPRIMITIVE", 60, 60, CS_PRIMITIVE, CS_FREE, PIPE(0x7b00), 8, 4, 0, 0, 0, 6, 6, cs_primitive_snb_fields, NULL, "[P11]" },
  { "3DPRIMITIVE", 70, 100, CS_PRIMITIVE, CS_FREE, PIPE(0x7b00), 8, 4, 0, 0, 0, 7, 7, cs_primitive_fields, NULL, "[P12]" },
  { "3DPRIMITIVE", 110, CS_LAST, CS_PRIMITIVE, CS_FREE, PIPE(0x7b00), 8, 4, 0, 0, 0, 7, 10, cs_primitive_fields, NULL, "[P19]" },
  { "MEDIA_OBJECT", EVERY, CS_MEDIA, CS_FREE, PIPE(0x7100), 16, 4, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "MEDIA_OBJECT_PRT", EVERY, CS_MEDIA, CS_FREE, PIPE(0x7102), 16, 4, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "MEDIA_OBJECT_WALKER", EVERY, CS_MEDIA, CS_FREE, PIPE(0x7103), 16, 4, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "GPGPU_OBJECT", 70, 75, CS_GPGPU, CS_FREE, PIPE(0x7104), 8, 4, 0, 0, 0, 2, 257, cs_gpgpu_object_fields, NULL, "[P12]" },
  { "GPGPU_WALKER", 70, 75, CS_GPGPU, CS_FREE, PIPE(0x7105), 8, 4, 0, 0, 0, 11, 11, cs_walker_fields, NULL, "[P12]" },
  { "GPGPU_WALKER", BDW_ON, CS_GPGPU, CS_FREE, PIPE(0x7105), 8, 4, 0, 0, 0, 15, 15, cs_walker_fields, NULL, "[P15B]" },
  { "MEDIA_OBJECT_GRPID", BDW_ON, CS_MEDIA, CS_FREE, PIPE(0x7106), 16, 4, 0, 0, 0, 2, MANY, NULL, NULL, "[P15B]" },

  /* State that a workload model may want to know by name, or whose length field is a wider one. */
  { "STATE_BASE_ADDRESS", EVERY, CS_STATE, CS_FREE, PIPE(0x6101), 8, 2, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "PIPELINE_SELECT", EVERY, CS_STATE, CS_FREE, PIPE(0x6904), 0, 1, 0, 0, 0, 1, 1, cs_pipeline_select_fields, NULL, "[P11]" },
  { "MEDIA_VFE_STATE", EVERY, CS_STATE, CS_FREE, PIPE(0x7000), 16, 2, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "MEDIA_CURBE_LOAD", EVERY, CS_STATE, CS_FREE, PIPE(0x7001), 16, 2, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "MEDIA_INTERFACE_DESCRIPTOR_LOAD", EVERY, CS_STATE, CS_FREE, PIPE(0x7002), 16, 2, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "MEDIA_STATE_FLUSH", EVERY, CS_STATE, CS_FREE, PIPE(0x7004), 16, 2, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "3DSTATE_VERTEX_BUFFERS", EVERY, CS_STATE, CS_FREE, PIPE(0x7808), 8, 2, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "3DSTATE_VERTEX_ELEMENTS", EVERY, CS_STATE, CS_FREE, PIPE(0x7809), 8, 2, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "3DSTATE_BINDING_TABLE_POINTERS_PS", IVB_ON, CS_STATE, CS_FREE, PIPE(0x782a), 8, 2, 0, 0, 0, 2, 257, cs_binding_table_fields, NULL, "[P12]" },
  { "3DSTATE_DX9_CONSTANTF_VS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7839), 11, 2, 0, 0, 0, 2, 2049, NULL, NULL, "[P13]" },
  { "3DSTATE_DX9_CONSTANTF_PS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x783a), 11, 2, 0, 0, 0, 2, 2049, NULL, NULL, "[P13]" },
  { "3DSTATE_BINDING_TABLE_EDIT_VS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7843), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P13]" },
  { "3DSTATE_BINDING_TABLE_EDIT_GS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7844), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P13]" },
  { "3DSTATE_BINDING_TABLE_EDIT_HS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7845), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P13]" },
  { "3DSTATE_BINDING_TABLE_EDIT_DS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7846), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P13]" },
  { "3DSTATE_BINDING_TABLE_EDIT_PS", HSW_ON, CS_STATE, CS_FREE, PIPE(0x7847), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P13]" },
  { "3DSTATE_SO_DECL_LIST", EVERY, CS_STATE, CS_FREE, PIPE(0x7917), 9, 2, 0, 0, 0, 2, 513, NULL, NULL, "[P12]" },

  /* All other state, by subtype (bits 28:27): the common ones, those of one dword, media, 3D. */
  { "state (common)", EVERY, CS_STATE, CS_FREE, 0x60000000, 0xf8000000, 8, 2, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "state (one dword)", EVERY, CS_STATE, CS_FREE, 0x68000000, 0xf8000000, 0, 1, 0, 0, 0, 1, 1, NULL, NULL, "[P11]" },
  { "state (media)", EVERY, CS_STATE, CS_FREE, 0x70000000, 0xf8000000, 16, 2, 0, 0, 0, 2, MANY, NULL, NULL, "[P11]" },
  { "state (3D)", EVERY, CS_STATE, CS_FREE, 0x78000000, 0xf8000000, 8, 2, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },

  { "COLOR_BLT", EVERY, CS_BLIT, CS_FREE, BLT(0x40), 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "XY_FAST_COPY_BLT", SKL_ON, CS_BLIT, CS_FREE, BLT(0x42), 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P16]" },
  { "SRC_COPY_BLT", EVERY, CS_BLIT, CS_FREE, BLT(0x43), 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "XY_COLOR_BLT", EVERY, CS_BLIT, CS_FREE, BLT(0x50), 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "XY_SRC_COPY_BLT", EVERY, CS_BLIT, CS_FREE, BLT(0x53), 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
  { "blit", EVERY, CS_BLIT, CS_FREE, 0x40000000, 0xe0000000, 8, 4, 0, 0, 0, 2, 257, NULL, NULL, "[P11]" },
};
// clang-format on

const size_t cs_command_count = ARRAY_COUNT(cs_commands);

const struct cs_command *cs_find(unsigned version, uint32_t dword)
{
    for (size_t i = 0; i < ARRAY_COUNT(cs_commands); i++)
        if ((dword & cs_commands[i].mask) == cs_commands[i].opcode &&
            version >= cs_commands[i].first && version <= cs_commands[i].last)
            return &cs_commands[i];
    return NULL;
}

uint32_t cs_length(const struct cs_command *command, uint32_t dword)
{
    /* The field counts what follows the second dword ("length - 2"). */
    return command->length_bits ? (dword & (uint32_t)low_bits(command->length_bits)) + 2
                                : command->least;
}

uint64_t cs_field_get(const struct cs_field *field, const uint32_t *dwords, size_t count)
{
    uint64_t value = 0;
    unsigned first = field->low / 32, shift = field->low % 32;
    for (unsigned i = first; i <= field->high / 32u && i < count; i++) {
        unsigned to = (i - first) * 32;
        value |= to < shift ? dwords[i] >> shift : (uint64_t)dwords[i] << (to - shift);
    }
    value &= low_bits(field->high - field->low + 1u);
    return field->kind == CS_PLACE ? value << shift : value;
}

const struct cs_field *cs_field_find(const struct cs_field *fields, unsigned version,
                                     enum cs_operand operand)
{
    for (; fields && fields->name; fields++)
        if (fields->operand == operand && version >= fields->first && version <= fields->last)
            return fields;
    return NULL;
}
