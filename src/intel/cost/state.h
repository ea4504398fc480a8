/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_COST_STATE_H
#define TALLY_INTEL_COST_STATE_H

/*
 * The state of the pipeline that costs depend on: the fields of the latest state commands, by their
 * operand in the table of commands. struct cost_state is plain data: a copy is a snapshot.
 */

#include <stdbool.h>
#include <stdint.h>

#include "intel/cs/commands.h"

#define COST_VALUES         (CS_COST_END - CS_COST_FIRST)
#define COST_VERTEX_BUFFERS 33
#define COST_SO_BUFFERS     4

struct cost_vertex_buffer {
    uint64_t address;
    uint32_t pitch; /* bytes; 0: not bound */
};

/* A buffer for stream output. From Gen8 on its pitch is in CS_SO_PITCH_0 to 3. */
struct cost_so_buffer {
    uint64_t bytes; /* 0: not bound */
    uint32_t pitch;
    uint64_t offset_address; /* of a dword that gets SO_WRITE_OFFSET after each draw; 0: none */
};

struct cost_state {
    uint64_t values[COST_VALUES]; /* by enum cs_operand, from CS_COST_FIRST on */
    struct cost_vertex_buffer vertex_buffers[COST_VERTEX_BUFFERS];
    struct cost_so_buffer so_buffers[COST_SO_BUFFERS];
};

static inline uint64_t cost_value(const struct cost_state *state, enum cs_operand operand)
{
    return state->values[operand - CS_COST_FIRST];
}

/* Nothing is bound: all fields are 0, except that all samples are enabled. */
void cost_state_init(struct cost_state *state);

/* Takes the values of a command's or structure's fields from its first `count` dwords. */
void cost_take(struct cost_state *state, const struct cs_field *fields, unsigned version,
               const uint32_t *dwords, size_t count);

#endif
