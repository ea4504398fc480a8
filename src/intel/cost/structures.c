/* SPDX-License-Identifier: MIT */
/* Structures in memory, and areas of pixels. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "intel/cost/job.h"

#define STRUCTURE_DWORDS 8

#define FIELDS(set) static const struct cs_field set##_fields[] = {
#define FIELD(set, symbol, name, low, high, kind, operand, first, last)                            \
    {name, low, high, kind, operand, first, last, NULL},
#define FIELDS_END                                                                                 \
    {                                                                                              \
        0                                                                                          \
    }                                                                                              \
    }                                                                                              \
    ;
#include "intel/cost/structures.def"

/* ---- structures ------------------------------------------------------------------------------ */

/* Reads a structure at an offset from the dynamic state's base. */
static bool read_structure(struct job *job, const struct cs_field *fields, uint64_t offset,
                           size_t count)
{
    const struct cost_machine *machine = job->machine;
    uint32_t dwords[STRUCTURE_DWORDS];
    uint64_t address = value_of(job, CS_DYNAMIC_BASE) + offset;
    for (size_t i = 0; i < count; i++)
        if (!machine->read_memory(machine->context, job->work->ppgtt, address + 4 * i, &dwords[i]))
            return false;
    cost_take(&job->state, fields, job->version, dwords, count);
    return true;
}

/* An offset of 0 is taken as unbound: drivers put other things there. */
void read_pixel_structures(struct job *job)
{
    uint64_t depth = value_of(job, CS_DEPTH_STENCIL_STATE), blend = value_of(job, CS_BLEND_STATE);
    if (job->pipeline == PIPELINE_GEN8) /* 3DSTATE_WM_DEPTH_STENCIL, 3DSTATE_PS_BLEND */
        return;
    if (depth)
        read_structure(job, DEPTH_STENCIL_STATE_fields, depth, 3);
    if (blend)
        read_structure(job, BLEND_STATE_fields, blend, 2);
}

void read_interface_descriptor(struct job *job)
{
    uint64_t offset =
        value_of(job, CS_DESCRIPTORS) + 4 * STRUCTURE_DWORDS * value_of(job, CS_WALK_DESCRIPTOR);
    read_structure(job, INTERFACE_DESCRIPTOR_DATA_fields, offset, STRUCTURE_DWORDS);
}

/* ---- areas ----------------------------------------------------------------------------------- */

static struct area intersect(const struct area *a, const struct area *b)
{
    return (struct area){
        .left = a->left > b->left ? a->left : b->left,
        .top = a->top > b->top ? a->top : b->top,
        .right = a->right < b->right ? a->right : b->right,
        .bottom = a->bottom < b->bottom ? a->bottom : b->bottom,
    };
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

#define COORDINATE_MAX 32767.0f

/* The first pixel whose center is at or after a coordinate. */
static int32_t first_pixel(float coordinate)
{
    if (!(coordinate > -COORDINATE_MAX)) /* NaN too */
        coordinate = -COORDINATE_MAX;
    return (int32_t)ceilf((coordinate < COORDINATE_MAX ? coordinate : COORDINATE_MAX) - 0.5f);
}

/* The pixels with centers in [x0, x1) and [y0, y1). */
static struct area pixels_between(float x0, float y0, float x1, float y1)
{
    return (struct area){first_pixel(fminf(x0, x1)), first_pixel(fminf(y0, y1)),
                         first_pixel(fmaxf(x0, x1)) - 1, first_pixel(fmaxf(y0, y1)) - 1};
}

/* The viewport is the image of the square from -1 to 1. */
static struct area viewport_of(const struct job *job)
{
    float width = float_of(value_of(job, CS_VIEWPORT_M00));
    float height = float_of(value_of(job, CS_VIEWPORT_M11));
    float x = float_of(value_of(job, CS_VIEWPORT_M30)),
          y = float_of(value_of(job, CS_VIEWPORT_M31));
    return pixels_between(x - width, y - height, x + width, y + height);
}

struct area drawable_area(const struct job *job)
{
    struct job own = *job;
    struct area area = {.left = (int32_t)value_of(job, CS_DRAWING_X_MIN),
                        .top = (int32_t)value_of(job, CS_DRAWING_Y_MIN),
                        .right = (int32_t)value_of(job, CS_DRAWING_X_MAX),
                        .bottom = (int32_t)value_of(job, CS_DRAWING_Y_MAX)};
    if (value_of(job, CS_SCISSOR_ENABLE) &&
        read_structure(&own, SCISSOR_RECT_fields, value_of(job, CS_SCISSOR), 2)) {
        struct area scissor = {.left = (int32_t)value_of(&own, CS_SCISSOR_X_MIN),
                               .top = (int32_t)value_of(&own, CS_SCISSOR_Y_MIN),
                               .right = (int32_t)value_of(&own, CS_SCISSOR_X_MAX),
                               .bottom = (int32_t)value_of(&own, CS_SCISSOR_Y_MAX)};
        area = intersect(&area, &scissor);
    }
    if (value_of(job, CS_SF_TRANSFORM) &&
        read_structure(&own, SF_VIEWPORT_fields, value_of(job, CS_VIEWPORT), 5)) {
        struct area viewport = viewport_of(&own);
        area = intersect(&area, &viewport);
    }
    return area;
}

/* ---- rectangles ------------------------------------------------------------------------------ */

#define CORNERS 3

/* Formats of positions (SURFACE_FORMAT). */
enum {
    R32G32B32A32_FLOAT = 0x000,
    R32G32B32_FLOAT = 0x040,
    R32G32_FLOAT = 0x085,
    R16G16_SSCALED = 0x0f6
};

/* Reads x and y of a position. */
static bool read_position(const struct job *job, uint64_t address, float out[2])
{
    const struct cost_machine *machine = job->machine;
    uint32_t dwords[2] = {0};
    bool packed = value_of(job, CS_ELEMENT_FORMAT) == R16G16_SSCALED;
    for (unsigned i = 0; i < (packed ? 1u : 2u); i++)
        if (!machine->read_memory(machine->context, job->work->ppgtt, address + 4 * i, &dwords[i]))
            return false;
    for (unsigned i = 0; i < 2; i++)
        out[i] = packed ? (float)(int16_t)(uint16_t)field32(dwords[0], 16 * i + 15, 16 * i)
                        : float_of(dwords[i]);
    return true;
}

static bool is_position_format(uint64_t format)
{
    return format == R32G32B32A32_FLOAT || format == R32G32B32_FLOAT || format == R32G32_FLOAT ||
           format == R16G16_SSCALED;
}

bool read_rectangle(const struct job *job, uint64_t n, const struct area *within, struct area *out)
{
    uint64_t index = value_of(job, CS_ELEMENT_BUFFER);
    float corners[CORNERS][2];
    if (value_of(job, CS_SF_TRANSFORM) || index >= COST_VERTEX_BUFFERS ||
        !is_position_format(value_of(job, CS_ELEMENT_FORMAT)))
        return false;
    const struct cost_vertex_buffer *buffer = &job->state.vertex_buffers[index];
    uint64_t first = value_of(job, CS_PRIM_START) + CORNERS * n;
    for (unsigned i = 0; i < CORNERS; i++)
        if (!buffer->pitch || !read_position(job,
                                             buffer->address + value_of(job, CS_ELEMENT_OFFSET) +
                                                 (first + i) * buffer->pitch,
                                             corners[i]))
            return false;
    /* The first corner is opposite to the third. */
    struct area all = pixels_between(corners[0][0], corners[0][1], corners[2][0], corners[2][1]);
    *out = intersect(&all, within);
    return true;
}
