/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_COMMANDS_H
#define TALLY_INTEL_CS_COMMANDS_H

/*
 * Commands of the render command streamer as data, SNB to Tiger Lake (Gen6 to Gen12.0; those of
 * Gen12 are taken to be Gen11's, but MI_REPORT_PERF_COUNT's values are other ones).
 *
 * A row says of one command in a range of generations how it is recognized, how its length is
 * found, what its fields are, what it does (an action that the streamer knows), when it is
 * privileged, and what it costs. The streamer, the disassembler and the tests walk the same rows.
 *
 * A command is found by its first dword. Bits of a field are counted from bit 0 of that dword on,
 * so bit 0 of the second dword is bit 32, as public descriptions of these commands count.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/platform.h>

#include "base/buffer.h"
#include "regs/regs.h"

/* Graphics versions times ten, as struct tally_platform has them. */
#define CS_FIRST 60  /* Sandy Bridge */
#define CS_LAST  120 /* Tiger Lake, Rocket Lake, DG1, Alder Lake */

enum cs_action {
    CS_NOOP,
    CS_NOTHING, /* has an effect that no counter client can see */
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
    CS_STATE, /* the pipeline's state: skipped */
    CS_PRIMITIVE,
    CS_GPGPU,
    CS_MEDIA,
    CS_BLIT,
};

/* What a batch that is not privileged must not do. */
enum cs_privilege {
    CS_FREE,
    CS_PRIVILEGED,  /* a NOOP there */
    CS_PPGTT_ONLY,  /* a NOOP there if it addresses the GGTT */
    CS_WRITE_PPGTT, /* executed there, but a write to the GGTT is dropped */
};

/* The streamer's names for fields that it needs, wherever a generation has them. */
enum cs_operand {
    CS_OTHER, /* only shown */
    CS_GGTT,
    CS_PPGTT,
    CS_ADDRESS,
    CS_GGTT_SOURCE,
    CS_ADDRESS_SOURCE,
    CS_DATA,
    CS_REGISTER,
    CS_REGISTER_SOURCE,
    CS_REGISTER_BASE, /* add the streamer's own base to the register's offset */
    CS_REGISTER_SOURCE_BASE,
    CS_BYTES_DISABLED,
    CS_SECOND_LEVEL,
    CS_ADD_OFFSET,
    CS_PREDICATED, /* does nothing unless the predicate holds */
    CS_NON_PRIVILEGED,
    CS_CORE_MODE,
    CS_ID,
    CS_ID_WRITE,
    CS_POST_SYNC,
    CS_INDEXED, /* the address is an offset into the hardware status page */
    CS_REGISTER_WRITE,
    CS_STALL,
    CS_NOTIFY,
    CS_ENABLE,
    CS_COMPARE,
    CS_COMPARE_MASK,
    CS_COMPARE_OPERATION,
    CS_LEVEL,      /* ends its own batch only */
    CS_AFTER_WORK, /* waits for the work before it */
    CS_UPDATE,
    CS_SELECT,
    CS_OPCODE,
    CS_SIZE,
    CS_RETURN,
    CS_INLINE,
    CS_REGISTER_POLL, /* the address is a register's */
    CS_LOAD,
    CS_COMBINE,
    CS_RESTORE,
    CS_ALU_OPCODE,
    CS_ALU_FIRST,
    CS_ALU_SECOND,
};

enum cs_kind {
    CS_FLAG,     /* one bit; shown only if set */
    CS_RESERVED, /* reserved bit that software sets to a fixed value; not shown */
    CS_NUMBER,   /* decimal */
    CS_HEX,
    CS_UNUSUAL, /* CS_HEX, shown only if it is not 0 */
    CS_PLACE,   /* an address or offset: its bits stay where they are in the dword */
    CS_NAMED,   /* the value's name, from `values` */
};

struct cs_field {
    const char *name;
    uint16_t low, high;
    uint8_t kind;                   /* enum cs_kind */
    uint8_t operand;                /* enum cs_operand */
    uint8_t first, last;            /* versions */
    const struct reg_value *values; /* ended by a NULL name, or NULL */
};

struct cs_command {
    const char *name;
    uint8_t first, last; /* versions */
    uint8_t action;      /* enum cs_action */
    uint8_t privilege;   /* enum cs_privilege */
    uint32_t opcode, mask;
    uint8_t length_bits;  /* width of the length field at bit 0; 0: the length is `least` */
    uint8_t clocks;       /* what executing it takes */
    uint8_t group_clocks; /* and each group */
    uint8_t group_at;     /* dword of the first group of fields that repeat */
    uint8_t group_size;   /* dwords of a group; 0: there is none */
    uint32_t min_dwords, max_dwords; /* length, with the header */
    const struct cs_field *fields;   /* ended by a NULL name, or NULL */
    const struct cs_field *group;    /* bits counted from the group's start */
    const char *source;
};

extern const struct cs_command cs_commands[];
extern const size_t cs_command_count;

/* Does the table describe this version's streamer? */
static inline bool cs_supports(const struct tally_platform *platform)
{
    return platform && platform->version >= CS_FIRST && platform->version <= CS_LAST;
}

/* The command that a first dword begins, or NULL. */
const struct cs_command *cs_find(unsigned version, uint32_t dword);

/* Dwords of a command with this first dword, as its length field says; it may be less than `least`
 * or more than `most`. */
uint32_t cs_length(const struct cs_command *command, uint32_t dword);

/*
 * A field of `dwords`, of which there are `count`; those past the end count as 0. Places keep their
 * low bits as zeros. Fields are at most 64 bits wide.
 */
uint64_t cs_field_get(const struct cs_field *field, const uint32_t *dwords, size_t count);

/* The field that is an operand on this version, or NULL. */
const struct cs_field *cs_field_find(const struct cs_field *fields, unsigned version,
                                     enum cs_operand operand);

/* ---- disassemble.c --------------------------------------------------------------------------- */

/*
 * Appends a line for each command: its byte offset plus `base`, its first dword, its name, and its
 * fields by name. What is no command is one line for that dword; a command that is cut short says
 * so. Returns how many commands were complete.
 */
size_t cs_disassemble(const struct tally_platform *platform, const uint32_t *dwords, size_t count,
                      uint64_t base, struct buffer *text);

#endif
