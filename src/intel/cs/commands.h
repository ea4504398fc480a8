/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_COMMANDS_H
#define TALLY_INTEL_CS_COMMANDS_H

/*
 * Commands of the engines' command streamers as data, from Gen6 to Gen12 (SNB to Tiger Lake).
 * Gen12's commands are assumed to be Gen11's, except for the values of MI_REPORT_PERF_COUNT.
 *
 * A row describes a command on a range of generations: opcode, length, fields, action, privilege
 * and execution time. The streamer, the disassembler and the tests use the same table.
 *
 * A command is identified by its first dword. Bits of a field are counted from bit 0 of that dword,
 * so bit 0 of the second dword is bit 32, as in public descriptions of these commands.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/platform.h>

#include "base/buffer.h"
#include "intel/cs/engines.h"
#include "regs/regs.h"

/* Graphics versions times ten, as in tally_platform.version. */
#define CS_FIRST 60  /* Sandy Bridge */
#define CS_LAST  120 /* Tiger Lake, Rocket Lake, DG1, Alder Lake */

enum cs_action {
    CS_NOOP,
    CS_NO_EFFECT, /* no effect that a client of the counters can observe */
    CS_BATCH_START,
    CS_BATCH_END,
    CS_CONDITIONAL_END,
    CS_REPORT,
    CS_STORE_REGISTER,
    CS_LOAD_IMMEDIATE,
    CS_LOAD_MEMORY,
    CS_LOAD_REGISTER,
    CS_STORE_DATA,
    CS_STORE_INDEX,
    CS_COPY_MEMORY,
    CS_PIPE_CONTROL,
    CS_SET_CONTEXT,
    CS_ARBITRATION,
    CS_ARBITRATION_CHECK,
    CS_INTERRUPT,
    CS_FLUSH,
    CS_FLUSH_DW,
    CS_SUSPEND_FLUSH,
    CS_SEMAPHORE_WAIT,
    CS_SEMAPHORE_SIGNAL,
    CS_SEMAPHORE_MBOX,
    CS_WAIT_FOR_EVENT,
    CS_SET_PREDICATE,
    CS_ATOMIC,
    CS_REPORT_HEAD,
    CS_FORCE_WAKEUP,
    CS_PREDICATE,
    CS_MATH,
    CS_STATE, /* sets pipeline state: skipped */
    CS_PRIMITIVE,
    CS_GPGPU,
    CS_MEDIA,
    CS_BLIT,
    CS_VIDEO_WORK, /* video decoding, encoding or enhancement */
};

/* How an unprivileged batch executes a command. */
enum cs_privilege {
    CS_FREE,        /* without restriction */
    CS_PRIVILEGED,  /* as a NOOP */
    CS_PPGTT_ONLY,  /* as a NOOP if it addresses the GGTT */
    CS_WRITE_PPGTT, /* without its write, if that is to the GGTT */
};

/* Fields that the streamer uses, independent of their position on a generation. */
enum cs_operand {
    CS_OTHER, /* not used, only disassembled */
    CS_GGTT,
    CS_PPGTT,
    CS_ADDRESS,
    CS_GGTT_SOURCE,
    CS_ADDRESS_SOURCE,
    CS_DATA,
    CS_REGISTER,
    CS_REGISTER_SOURCE,
    CS_REGISTER_BASE, /* the register's offset is relative to the engine's base */
    CS_REGISTER_SOURCE_BASE,
    CS_BYTES_DISABLED,
    CS_SECOND_LEVEL,
    CS_ADD_OFFSET,
    CS_PREDICATED, /* the command is skipped if the predicate is false */
    CS_NON_PRIVILEGED,
    CS_CORE_MODE,
    CS_ID,
    CS_ID_WRITE,
    CS_POST_SYNC,
    CS_INDEXED,     /* the address is an offset into the hardware status page */
    CS_PER_PROCESS, /* of the context, not of the engine */
    CS_REGISTER_WRITE,
    CS_STALL,
    CS_NOTIFY,
    CS_ENABLE,
    CS_COMPARE,
    CS_COMPARE_MASK,
    CS_COMPARE_OPERATION,
    CS_LEVEL,      /* ends only the current batch */
    CS_AFTER_WORK, /* waits for earlier work */
    CS_UPDATE,
    CS_SELECT,
    CS_OPCODE,
    CS_SIZE,
    CS_RETURN,
    CS_INLINE,
    CS_REGISTER_POLL, /* the address is that of a register */
    CS_LOAD,
    CS_COMBINE,
    CS_RESTORE,
    CS_RESTORE_INHIBIT,
    CS_ALU_OPCODE,
    CS_ALU_FIRST,
    CS_ALU_SECOND,

    /* Used by the cost model (intel/cost/): */
    CS_COST_FIRST,
    CS_VF_STATISTICS = CS_COST_FIRST,
    CS_VF_TOPOLOGY,
    CS_INDEX_FORMAT,
    CS_VS_ENABLE,
    CS_VS_SIMD8,
    CS_VS_NO_CACHE,
    CS_VS_STATISTICS,
    CS_HS_ENABLE,
    CS_HS_STATISTICS,
    CS_HS_INSTANCES,
    CS_HS_MODE,
    CS_TE_ENABLE,
    CS_TE_TOPOLOGY,
    CS_TE_DOMAIN,
    CS_DS_ENABLE,
    CS_DS_STATISTICS,
    CS_DS_MODE,
    CS_GS_ENABLE,
    CS_GS_STATISTICS,
    CS_SO_STATISTICS,
    CS_GS_RENDERING,
    CS_SO_ENABLE,
    CS_GS_INSTANCES,
    CS_GS_MODE,
    CS_GS_TOPOLOGY,
    CS_SO_NO_RENDERING,
    CS_SO_FORCE,
    CS_SO_BUFFER_ENABLES,
    CS_SO_STREAM,
    CS_SO_PITCH_0,
    CS_SO_PITCH_1,
    CS_SO_PITCH_2,
    CS_SO_PITCH_3,
    CS_SO_BUFFER,
    CS_SO_PITCH,
    CS_SO_BUFFER_ENABLE,
    CS_SO_START,
    CS_SO_END,
    CS_SO_SIZE,
    CS_SO_OFFSET_WRITE,
    CS_SO_OFFSET_STORED,
    CS_SO_OFFSET_ADDRESS,
    CS_SO_OFFSET,
    CS_CLIP_ENABLE,
    CS_CLIP_STATISTICS,
    CS_CLIP_MODE,
    CS_SF_TRANSFORM,
    CS_CULL_MODE,
    CS_SCISSOR_ENABLE,
    CS_LINE_WIDTH,
    CS_CHV_LINE_WIDTH,
    CS_POINT_WIDTH,
    CS_WM_STATISTICS,
    CS_PS_ENABLE,
    CS_PS_FORCE,
    CS_PS_KILLS,
    CS_PS_DEPTH,
    CS_PS_STENCIL,
    CS_PS_EARLY,
    CS_PS_OMASK,
    CS_PS_DUAL_SOURCE,
    CS_PS_SIMD32,
    CS_PS_SIMD16,
    CS_PS_SIMD8,
    CS_PS_PER_PIXEL,
    CS_PS_NO_TARGET,
    CS_PS_PER_SAMPLE,
    CS_PS_HAS_TARGET,
    CS_BLEND_ENABLE,
    CS_ALPHA_TEST,
    CS_DEPTH_TEST,
    CS_DEPTH_FUNCTION,
    CS_DEPTH_WRITE,
    CS_DEPTH_KEPT,
    CS_STENCIL_TEST,
    CS_STENCIL_FUNCTION,
    CS_STENCIL_KEPT,
    CS_HZ_STENCIL_CLEAR,
    CS_HZ_DEPTH_CLEAR,
    CS_HZ_DEPTH_RESOLVE,
    CS_HZ_STENCIL_RESOLVE,
    CS_HZ_HIZ_RESOLVE,
    CS_HZ_SAMPLES,
    CS_HZ_X_MIN,
    CS_HZ_Y_MIN,
    CS_HZ_X_MAX,
    CS_HZ_Y_MAX,
    CS_DEPTH_SURFACE,
    CS_DEPTH_SURFACE_WRITE,
    CS_HIZ_ENABLE,
    CS_SAMPLES,
    CS_SAMPLE_MASK,
    CS_DRAWING_X_MIN,
    CS_DRAWING_Y_MIN,
    CS_DRAWING_X_MAX,
    CS_DRAWING_Y_MAX,
    CS_VIEWPORT_VALID,
    CS_VIEWPORT,
    CS_SCISSOR,
    CS_BLEND_STATE_VALID,
    CS_BLEND_STATE,
    CS_DEPTH_STENCIL_STATE_VALID,
    CS_DEPTH_STENCIL_STATE,
    CS_DYNAMIC_BASE,
    CS_DYNAMIC_BASE_VALID,
    CS_ELEMENT_BUFFER,
    CS_ELEMENT_FORMAT,
    CS_ELEMENT_OFFSET,
    CS_DESCRIPTORS,
    CS_PRIM_TOPOLOGY,
    CS_PRIM_VERTICES,
    CS_PRIM_INSTANCES,
    CS_PRIM_RANDOM,
    CS_INDIRECT,
    CS_WALK_DESCRIPTOR,
    CS_WALK_SIMD,
    CS_WALK_WIDTH,
    CS_WALK_HEIGHT,
    CS_WALK_DEPTH,
    CS_WALK_START_X,
    CS_WALK_START_Y,
    CS_WALK_START_Z,
    CS_WALK_X,
    CS_WALK_Y,
    CS_WALK_Z,
    CS_WALK_COLORS,
    CS_WALK_MIDDLE_STEPS,
    CS_WALK_GLOBAL_COUNT,
    CS_WALK_LOCAL_COUNT,
    CS_WALK_MIDDLE_X,
    CS_WALK_MIDDLE_Y,
    CS_WALK_BLOCK_X,
    CS_WALK_BLOCK_Y,
    CS_WALK_LOCAL_START_X,
    CS_WALK_LOCAL_START_Y,
    CS_WALK_LOCAL_OUTER_X,
    CS_WALK_LOCAL_OUTER_Y,
    CS_WALK_LOCAL_INNER_X,
    CS_WALK_LOCAL_INNER_Y,
    CS_WALK_GLOBAL_X,
    CS_WALK_GLOBAL_Y,
    CS_WALK_GLOBAL_START_X,
    CS_WALK_GLOBAL_START_Y,
    CS_WALK_GLOBAL_OUTER_X,
    CS_WALK_GLOBAL_OUTER_Y,
    CS_WALK_GLOBAL_INNER_X,
    CS_WALK_GLOBAL_INNER_Y,
    CS_FLUSH_RENDER,
    CS_FLUSH_DEPTH,
    CS_FLUSH_DATA,
    CS_FLUSH_HDC,
    CS_BLIT_DEPTH,
    CS_BLIT_X_MIN,
    CS_BLIT_Y_MIN,
    CS_BLIT_X_MAX,
    CS_BLIT_Y_MAX,
    CS_BLIT_WIDTH,
    CS_BLIT_HEIGHT,
    CS_PRIM_START,
    CS_VIEWPORT_M00,
    CS_VIEWPORT_M11,
    CS_VIEWPORT_M30,
    CS_VIEWPORT_M31,
    CS_SCISSOR_X_MIN,
    CS_SCISSOR_Y_MIN,
    CS_SCISSOR_X_MAX,
    CS_SCISSOR_Y_MAX,
    CS_GROUP_THREADS,
    CS_GROUP_BARRIER,
    CS_GROUP_SLM,
    CS_COST_END,
};

enum cs_kind {
    CS_FLAG,     /* one bit; shown only if set */
    CS_RESERVED, /* reserved bit that software sets to a fixed value; not shown */
    CS_NUMBER,   /* decimal */
    CS_HEX,
    CS_UNUSUAL, /* CS_HEX, shown only if not 0 */
    CS_PLACE,   /* an address or offset; not shifted down to bit 0 */
    CS_NAMED,   /* shown by the value's name, from `values` */
};

struct cs_field {
    const char *name;
    uint16_t low, high;
    uint8_t kind;                   /* enum cs_kind */
    uint8_t operand;                /* enum cs_operand */
    uint8_t first, last;            /* versions */
    const struct reg_value *values; /* ends with a NULL name; may be NULL */
};

struct cs_command {
    const char *name;
    uint8_t first, last; /* versions */
    uint8_t action;      /* enum cs_action */
    uint8_t privilege;   /* enum cs_privilege */
    uint32_t opcode, mask;
    uint8_t length_bits;  /* width of the length field at bit 0; 0: the length is `min_dwords` */
    uint8_t clocks;       /* execution time without groups */
    uint8_t group_clocks; /* execution time of each group */
    uint8_t group_at;     /* dword of the first group of repeated fields */
    uint8_t group_size;   /* dwords of a group; 0: no groups */
    uint32_t min_dwords, max_dwords; /* length, including the header */
    const struct cs_field *fields;   /* ends with a NULL name; may be NULL */
    const struct cs_field *group;    /* as `fields`; bits are counted from the group's start */
    const char *source;
};

extern const struct cs_command cs_commands[];
extern const size_t cs_command_count;

/* Whether the table has the commands of a platform. */
static inline bool cs_supports(const struct tally_platform *platform)
{
    return platform && platform->version >= CS_FIRST && platform->version <= CS_LAST;
}

/* Returns the classes of engines that have a command: a mask of CS_CLASS_BIT(). */
unsigned cs_classes(const struct cs_command *command, unsigned version);

/* Finds the command of an engine with this first dword; NULL if there is none. */
const struct cs_command *cs_find(unsigned version, enum cs_class engine, uint32_t dword);

/* Finds the command with this first dword on any engine, the render engine first. */
const struct cs_command *cs_find_any(unsigned version, uint32_t dword);

/* Returns the length in dwords according to the first dword's length field, which may be below
 * `min_dwords` or above `max_dwords`. */
uint32_t cs_length(const struct cs_command *command, uint32_t dword);

/*
 * Returns the value of a field, at most 64 bits wide, from the first `count` dwords of a command;
 * missing dwords are taken as 0. The value of a CS_PLACE has zeros below the field.
 */
uint64_t cs_field_get(const struct cs_field *field, const uint32_t *dwords, size_t count);

/* The same for a field in one dword, which must be there. */
static inline uint32_t cs_field_get32(const struct cs_field *field, const uint32_t *dwords)
{
    unsigned shift = field->low % 32;
    uint32_t mask = UINT32_MAX >> (31 - (field->high - field->low));
    uint32_t value = dwords[field->low / 32] >> shift & mask;
    return field->kind == CS_PLACE ? value << shift : value;
}

/* Finds the field of an operand on a version; NULL if there is none. */
const struct cs_field *cs_field_find(const struct cs_field *fields, unsigned version,
                                     enum cs_operand operand);

/* ---- disassemble.c --------------------------------------------------------------------------- */

/*
 * Appends a line for each command: byte offset plus `base`, first dword, name, and fields. Unknown
 * dwords and truncated commands have a line that says so. Returns the number of complete commands.
 */
size_t cs_disassemble(const struct tally_platform *platform, const uint32_t *dwords, size_t count,
                      uint64_t base, struct buffer *text);

#endif
