/* SPDX-License-Identifier: MIT */
/* Decodes state commands. */
#include "intel/cost/state.h"

#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/cost/cost.h"
#include "intel/cs/symbols.h"

#define ALL_SAMPLES 0xffffu

static void set(struct cost_state *state, unsigned operand, uint64_t value)
{
    state->values[operand - CS_COST_FIRST] = value;
}

void cost_state_init(struct cost_state *state)
{
    memset(state, 0, sizeof *state);
    set(state, CS_SAMPLE_MASK, ALL_SAMPLES);
}

/* Fields that a command does not change if a flag in it has the value `keeps`. */
static const struct {
    uint8_t operand, flag, keeps;
} gates[] = {
    {CS_DYNAMIC_BASE, CS_DYNAMIC_BASE_VALID, 0},
    {CS_VIEWPORT, CS_VIEWPORT_VALID, 0},
    {CS_BLEND_STATE, CS_BLEND_STATE_VALID, 0},
    {CS_DEPTH_STENCIL_STATE, CS_DEPTH_STENCIL_STATE_VALID, 0},
    {CS_DEPTH_TEST, CS_DEPTH_KEPT, 1},
    {CS_DEPTH_FUNCTION, CS_DEPTH_KEPT, 1},
    {CS_DEPTH_WRITE, CS_DEPTH_KEPT, 1},
    {CS_STENCIL_TEST, CS_STENCIL_KEPT, 1},
    {CS_STENCIL_FUNCTION, CS_STENCIL_KEPT, 1},
};

static bool is_kept(const struct cs_field *fields, const struct cs_field *field, unsigned version,
                    const uint32_t *dwords, size_t count)
{
    for (size_t i = 0; i < ARRAY_COUNT(gates); i++) {
        if (gates[i].operand != field->operand)
            continue;
        const struct cs_field *flag =
            cs_field_find(fields, version, (enum cs_operand)gates[i].flag);
        return flag && cs_field_get(flag, dwords, count) == gates[i].keeps;
    }
    return false;
}

void cost_take(struct cost_state *state, const struct cs_field *fields, unsigned version,
               const uint32_t *dwords, size_t count)
{
    for (const struct cs_field *field = fields; field && field->name; field++)
        if (field->operand >= CS_COST_FIRST && version >= field->first && version <= field->last &&
            !is_kept(fields, field, version, dwords, count))
            set(state, field->operand, cs_field_get(field, dwords, count));
}

/* ---- lists ----------------------------------------------------------------------------------- */

#define BUFFER_DWORDS 4

/* VERTEX_BUFFER_STATE: index and pitch in the first dword, then the address, which from Gen7 on
 * changes only if a flag is set. */
static void take_vertex_buffers(struct cost_state *state, const struct intel_platform *platform,
                                const struct streamer_work *work)
{
    for (uint32_t at = 1; at + BUFFER_DWORDS <= work->count; at += BUFFER_DWORDS) {
        const uint32_t *dwords = work->dwords + at;
        uint32_t index = CS_GET(VERTEX_BUFFER_STATE, VERTEX_BUFFER_INDEX, dwords[0]);
        if (index >= COST_VERTEX_BUFFERS)
            continue;
        bool null = CS_GET(VERTEX_BUFFER_STATE, NULL_VERTEX_BUFFER, dwords[0]);
        uint64_t high = platform->wide_addresses ? dwords[2] : 0;
        struct cost_vertex_buffer *buffer = &state->vertex_buffers[index];
        if (platform->pipeline == PIPELINE_GEN6 ||
            CS_GET(VERTEX_BUFFER_STATE, ADDRESS_MODIFY_ENABLE, dwords[0]))
            buffer->address = (dwords[1] | high << 32) & low_bits(48); /* it is canonical */
        buffer->pitch = null ? 0 : CS_GET(VERTEX_BUFFER_STATE, BUFFER_PITCH, dwords[0]);
    }
}

/* Every index has a buffer. */
_Static_assert(COST_SO_BUFFERS == 1 << (GEN7_3DSTATE_SO_BUFFER__SO_BUFFER_INDEX_HIGH -
                                        GEN7_3DSTATE_SO_BUFFER__SO_BUFFER_INDEX_LOW + 1),
               "buffers of stream output");

static void take_so_buffer(struct cost_state *state, const struct intel_platform *platform)
{
    struct cost_so_buffer *buffer = &state->so_buffers[cost_value(state, CS_SO_BUFFER)];
    uint64_t start = cost_value(state, CS_SO_START), end = cost_value(state, CS_SO_END);
    if (platform->pipeline == PIPELINE_GEN7) {
        buffer->pitch = (uint32_t)cost_value(state, CS_SO_PITCH);
        buffer->bytes = end - min_u64(start, end);
    } else {
        buffer->bytes =
            cost_value(state, CS_SO_BUFFER_ENABLE) ? 4 * (cost_value(state, CS_SO_SIZE) + 1) : 0;
        buffer->offset_address =
            cost_value(state, CS_SO_OFFSET_STORED) ? cost_value(state, CS_SO_OFFSET_ADDRESS) : 0;
    }
}

static void take_so_pitches(struct cost_state *state)
{
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++)
        state->so_buffers[i].pitch =
            (uint32_t)cost_value(state, (enum cs_operand)(CS_SO_PITCH_0 + i));
}

bool cost_binds_so_buffer(const struct streamer_work *work)
{
    return work->command->opcode == (uint32_t)GEN7_3DSTATE_SO_BUFFER ||
           work->command->opcode == (uint32_t)GEN12_3DSTATE_SO_BUFFER_INDEX;
}

void cost_decode(struct cost_state *state, const struct cost_machine *machine,
                 const struct streamer_work *work)
{
    const struct intel_platform *platform = machine->platform;
    uint32_t opcode = work->command->opcode;
    cost_take(state, work->command->fields, (unsigned)platform->info.version, work->dwords,
              work->count);
    if (opcode == (uint32_t)GEN6_3DSTATE_VERTEX_BUFFERS)
        take_vertex_buffers(state, platform, work);
    else if (cost_binds_so_buffer(work))
        take_so_buffer(state, platform);
    else if (opcode == (uint32_t)GEN7_3DSTATE_STREAMOUT && platform->pipeline == PIPELINE_GEN8)
        take_so_pitches(state);
}
