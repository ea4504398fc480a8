/* SPDX-License-Identifier: MIT */
/* Draws from the vertex fetch to the clipper. */
#include "base/bits.h"
#include "intel/cost/job.h"
#include "intel/symbols.h"

/* Topologies (3D_Prim_Topo_Type) [P11] [P12]: the vertices of the first primitive, and of each
 * further one; 0: all vertices make one primitive. A line loop has as many lines as vertices. */
static const struct topology {
    uint8_t type, kind, first, step;
} topologies[] = {
    {0x01, PRIMITIVE_POINT, 1, 1},     /* POINTLIST */
    {0x02, PRIMITIVE_LINE, 2, 2},      /* LINELIST */
    {0x03, PRIMITIVE_LINE, 2, 1},      /* LINESTRIP */
    {0x04, PRIMITIVE_TRIANGLE, 3, 3},  /* TRILIST */
    {0x05, PRIMITIVE_TRIANGLE, 3, 1},  /* TRISTRIP */
    {0x06, PRIMITIVE_TRIANGLE, 3, 1},  /* TRIFAN */
    {0x07, PRIMITIVE_TRIANGLE, 4, 4},  /* QUADLIST */
    {0x08, PRIMITIVE_TRIANGLE, 4, 2},  /* QUADSTRIP */
    {0x09, PRIMITIVE_LINE, 4, 4},      /* LINELIST_ADJ */
    {0x0a, PRIMITIVE_LINE, 4, 1},      /* LINESTRIP_ADJ */
    {0x0b, PRIMITIVE_TRIANGLE, 6, 6},  /* TRILIST_ADJ */
    {0x0c, PRIMITIVE_TRIANGLE, 6, 2},  /* TRISTRIP_ADJ */
    {0x0d, PRIMITIVE_TRIANGLE, 3, 1},  /* TRISTRIP_REVERSE */
    {0x0e, PRIMITIVE_TRIANGLE, 3, 0},  /* POLYGON */
    {0x0f, PRIMITIVE_RECTANGLE, 3, 3}, /* RECTLIST */
    {0x10, PRIMITIVE_LINE, 1, 1},      /* LINELOOP */
    {0x11, PRIMITIVE_POINT, 1, 1},     /* POINTLIST_BF */
    {0x12, PRIMITIVE_LINE, 2, 1},      /* LINESTRIP_CONT */
    {0x13, PRIMITIVE_LINE, 2, 1},      /* LINESTRIP_BF */
    {0x14, PRIMITIVE_LINE, 2, 1},      /* LINESTRIP_CONT_BF */
    {0x16, PRIMITIVE_TRIANGLE, 3, 1},  /* TRIFAN_NOSTIPPLE */
};

#define PATCHLIST_1 0x20u /* to PATCHLIST_32 at 0x3f */
#define PATCH_MAX   32u

static struct topology topology_of(unsigned type)
{
    for (size_t i = 0; i < ARRAY_COUNT(topologies); i++)
        if (topologies[i].type == type)
            return topologies[i];
    unsigned points = type - PATCHLIST_1 + 1;
    if (type >= PATCHLIST_1 && points <= PATCH_MAX)
        return (struct topology){(uint8_t)type, PRIMITIVE_PATCH, (uint8_t)points, (uint8_t)points};
    return (struct topology){(uint8_t)type, PRIMITIVE_NONE, 1, 0};
}

static uint64_t primitives_of(const struct topology *topology, uint64_t vertices)
{
    if (!topology->kind || vertices < topology->first)
        return 0;
    return topology->step ? (vertices - topology->first) / topology->step + 1 : 1;
}

static void count(struct job *job, enum cs_operand enable, enum cost_statistic statistic,
                  uint64_t amount)
{
    if (value_of(job, enable))
        job->out->statistics[statistic] = plus(job->out->statistics[statistic], amount);
}

/* ---- vertices -------------------------------------------------------------------------------- */

#define SIMD4X2 2 /* vertices of a thread */
#define SIMD8   8

static void shade_vertices(struct job *job, uint64_t vertices)
{
    if (value_of(job, CS_PRIM_RANDOM) && !value_of(job, CS_VS_NO_CACHE))
        vertices -= percent_of(vertices, number_of(job, COST_VERTEX_REUSE));
    job->bytes_read = plus(job->bytes_read, times(vertices, number_of(job, COST_VERTEX_BYTES)));
    if (!value_of(job, CS_VS_ENABLE))
        return;
    count(job, CS_VS_STATISTICS, COST_VS_INVOCATIONS, vertices);
    job->threads[JOB_VS] = parts(vertices, value_of(job, CS_VS_SIMD8) ? SIMD8 : SIMD4X2);
}

/* A vertex index has 1, 2 or 4 bytes. */
static void fetch_vertices(struct job *job, uint64_t vertices, uint64_t primitives)
{
    count(job, CS_VF_STATISTICS, COST_IA_VERTICES, vertices);
    count(job, CS_VF_STATISTICS, COST_IA_PRIMITIVES, primitives);
    take_clocks(job, times(vertices, number_of(job, COST_VERTEX_CLOCKS)));
    if (value_of(job, CS_PRIM_RANDOM))
        job->bytes_read = plus(
            job->bytes_read, times(vertices, UINT64_C(1) << (value_of(job, CS_INDEX_FORMAT) & 3)));
}

/* ---- tessellation and geometry shaders ------------------------------------------------------- */

/* TE's Output Topology; 2 and 3 are triangles, clockwise or not. */
enum { TE_POINT, TE_LINE };

/* Patches that a thread of the hull shader takes, by Dispatch Mode: SINGLE_PATCH, DUAL_PATCH,
 * 8_PATCH. */
static const uint8_t hs_patches[4] = {1, 2, 8, 1};

/* Dispatch Mode of the domain shader; another one is SIMD8 for points of any patches. */
enum { DS_SIMD4X2, DS_SIMD8_SINGLE_PATCH };

static uint64_t threads_of_points(const struct job *job, uint64_t patches, uint64_t points)
{
    uint64_t mode = value_of(job, CS_DS_MODE);
    if (mode == DS_SIMD8_SINGLE_PATCH)
        return times(patches, parts(number_of(job, COST_TESSELLATION_POINTS), SIMD8));
    return parts(points, mode == DS_SIMD4X2 ? SIMD4X2 : SIMD8);
}

/* Without a tessellator, patches end here, unless a geometry shader takes them. */
static void tessellate(struct job *job, struct primitives *primitives)
{
    uint64_t patches = primitives->count, type = value_of(job, CS_TE_TOPOLOGY);
    if (value_of(job, CS_HS_ENABLE)) {
        count(job, CS_HS_STATISTICS, COST_HS_INVOCATIONS, patches);
        job->threads[JOB_HS] = times(parts(patches, hs_patches[value_of(job, CS_HS_MODE) & 3]),
                                     value_of(job, CS_HS_INSTANCES) + 1);
    }
    if (!value_of(job, CS_TE_ENABLE))
        return;
    uint64_t points = times(patches, number_of(job, COST_TESSELLATION_POINTS));
    if (value_of(job, CS_DS_ENABLE)) {
        count(job, CS_DS_STATISTICS, COST_DS_INVOCATIONS, points);
        job->threads[JOB_DS] = threads_of_points(job, patches, points);
    }
    primitives->count = times(patches, number_of(job, COST_TESSELLATION_PRIMITIVES));
    primitives->kind = type == TE_POINT  ? PRIMITIVE_POINT
                       : type == TE_LINE ? PRIMITIVE_LINE
                                         : PRIMITIVE_TRIANGLE;
}

/* What a thread of the geometry shader takes, by Dispatch Mode: SINGLE, DUAL_INSTANCE, DUAL_OBJECT,
 * SIMD8. */
static uint64_t threads_of_objects(const struct job *job, uint64_t objects)
{
    static const struct {
        uint8_t objects, instances;
    } modes[4] = {{1, 1}, {1, 2}, {2, 1}, {8, 1}};
    uint64_t mode = value_of(job, CS_GS_MODE) & 3;
    return times(parts(objects, modes[mode].objects),
                 parts(value_of(job, CS_GS_INSTANCES) + 1, modes[mode].instances));
}

/* Returns the kind of primitives that the geometry shader makes: that of its Output Topology. Gen6
 * does not have the field: the kind of its input. */
static enum primitive_kind kind_of_output(const struct job *job, enum primitive_kind input)
{
    struct topology topology = topology_of((unsigned)value_of(job, CS_GS_TOPOLOGY));
    if (topology.kind != PRIMITIVE_NONE && topology.kind != PRIMITIVE_PATCH)
        return (enum primitive_kind)topology.kind;
    return input == PRIMITIVE_PATCH ? PRIMITIVE_TRIANGLE : input;
}

static void shade_primitives(struct job *job, struct primitives *primitives)
{
    if (!value_of(job, CS_GS_ENABLE))
        return;
    uint64_t runs = times(primitives->count, value_of(job, CS_GS_INSTANCES) + 1);
    uint64_t made = times(runs, number_of(job, COST_GS_PRIMITIVES_OUT));
    count(job, CS_GS_STATISTICS, COST_GS_INVOCATIONS, runs);
    count(job, CS_GS_STATISTICS, COST_GS_PRIMITIVES, made);
    job->threads[JOB_GS] = threads_of_objects(job, primitives->count);
    primitives->count = made;
    primitives->kind = kind_of_output(job, primitives->kind);
}

/* ---- stream output --------------------------------------------------------------------------- */

static uint64_t vertices_of(enum primitive_kind kind)
{
    return kind == PRIMITIVE_POINT ? 1 : kind == PRIMITIVE_LINE ? 2 : 3;
}

/* Whether vertices go to a buffer. From Gen8 on the enable is the buffer's own, so that the buffer
 * has bytes. */
static bool is_so_buffer_used(const struct job *job, unsigned i)
{
    const struct cost_so_buffer *buffer = &job->state.so_buffers[i];
    return buffer->bytes && buffer->pitch &&
           (job->pipeline != PIPELINE_GEN7 || value_of(job, CS_SO_BUFFER_ENABLES) >> i & 1);
}

/* Returns the vertices that fit in all buffers behind their SO_WRITE_OFFSET: none without a buffer.
 * Gen6's buffers are not known. */
static uint64_t stream_capacity(const struct job *job)
{
    const struct cost_machine *machine = job->machine;
    uint64_t capacity = COST_MAX;
    bool known = job->pipeline == PIPELINE_GEN6;
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++) {
        const struct cost_so_buffer *buffer = &job->state.so_buffers[i];
        if (!is_so_buffer_used(job, i))
            continue;
        uint64_t offset = machine->read_register(machine->context, REG_ELEMENT(SO_WRITE_OFFSET, i));
        capacity =
            min_u64(capacity, (buffer->bytes - min_u64(buffer->bytes, offset)) / buffer->pitch);
        known = true;
    }
    return known ? capacity : 0;
}

static void fill_buffers(struct job *job, uint64_t vertices)
{
    job->out->streams_out = true;
    for (unsigned i = 0; i < COST_SO_BUFFERS; i++)
        if (is_so_buffer_used(job, i))
            job->out->so_bytes[i] = times(vertices, job->state.so_buffers[i].pitch);
}

enum { RENDERING_FORCED_OFF = 2, RENDERING_FORCED_ON = 3 };

static bool is_rendering(const struct job *job)
{
    uint64_t force = value_of(job, CS_SO_FORCE);
    if (job->pipeline == PIPELINE_GEN6)
        return !value_of(job, CS_GS_ENABLE) || value_of(job, CS_GS_RENDERING);
    if (force == RENDERING_FORCED_OFF || force == RENDERING_FORCED_ON)
        return force == RENDERING_FORCED_ON;
    return !value_of(job, CS_SO_NO_RENDERING);
}

/* Primitives go to stream 0. Returns whether they are rendered too. */
static bool stream_out(struct job *job, const struct primitives *primitives)
{
    if (value_of(job, CS_SO_ENABLE)) {
        uint64_t fits = stream_capacity(job) / vertices_of(primitives->kind);
        uint64_t stored = min_u64(primitives->count, fits);
        count(job, CS_SO_STATISTICS, COST_SO_NEEDED, primitives->count);
        count(job, CS_SO_STATISTICS, COST_SO_WRITTEN, stored);
        fill_buffers(job, times(stored, vertices_of(primitives->kind)));
        job->bytes_written = plus(
            job->bytes_written,
            times(times(stored, vertices_of(primitives->kind)), number_of(job, COST_VERTEX_BYTES)));
    }
    return is_rendering(job);
}

/* ---- the clipper ----------------------------------------------------------------------------- */

enum { CLIP_REJECT_ALL = 3, CLIP_ACCEPT_ALL = 4 };

static void clip(struct job *job, struct primitives *primitives)
{
    uint64_t before = primitives->count, mode = value_of(job, CS_CLIP_MODE);
    bool clips = value_of(job, CS_CLIP_ENABLE) && primitives->kind != PRIMITIVE_RECTANGLE;
    if (clips && mode == CLIP_REJECT_ALL)
        primitives->count = 0;
    else if (clips && mode != CLIP_ACCEPT_ALL)
        primitives->count -= percent_of(before, number_of(job, COST_CLIP_REJECTS));
    count(job, CS_CLIP_STATISTICS, COST_CL_INVOCATIONS, before);
    count(job, CS_CLIP_STATISTICS, COST_CL_PRIMITIVES, primitives->count);
    uint64_t clocks = times(before, number_of(job, COST_CLIP_CLOCKS));
    add_unit(job, UNIT_CLIPPER_ACTIVE, clocks);
    take_clocks(job, clocks);
}

enum { CULL_BOTH, CULL_NONE, CULL_FRONT, CULL_BACK };

static void cull(struct job *job, struct primitives *primitives)
{
    uint64_t mode = value_of(job, CS_CULL_MODE);
    uint64_t clocks = times(primitives->count, number_of(job, COST_SETUP_CLOCKS));
    add_unit(job, UNIT_SETUP_ACTIVE, clocks);
    take_clocks(job, clocks);
    if (primitives->kind != PRIMITIVE_TRIANGLE || mode == CULL_NONE)
        return;
    uint64_t culled = percent_of(primitives->count, number_of(job, COST_CULLED));
    primitives->count -= mode == CULL_BOTH ? primitives->count : culled;
}

/* ---- the draw -------------------------------------------------------------------------------- */

static uint64_t parameter(const struct job *job, enum cs_operand operand, uint32_t address)
{
    const struct cost_machine *machine = job->machine;
    return value_of(job, CS_INDIRECT) ? machine->read_register(machine->context, address)
                                      : value_of(job, operand);
}

struct primitives count_primitives(struct job *job)
{
    struct topology topology = topology_of((unsigned)value_of(
        job, job->pipeline == PIPELINE_GEN8 ? CS_VF_TOPOLOGY : CS_PRIM_TOPOLOGY));
    uint64_t vertices = parameter(job, CS_PRIM_VERTICES, GEN7_3DPRIM_VERTEX_COUNT);
    uint64_t instances = parameter(job, CS_PRIM_INSTANCES, GEN7_3DPRIM_INSTANCE_COUNT);
    struct primitives primitives = {
        .kind = (enum primitive_kind)topology.kind,
        .count = times(primitives_of(&topology, vertices), instances),
    };
    vertices = times(vertices, instances);
    fetch_vertices(job, vertices, primitives.count);
    shade_vertices(job, vertices);
    if (primitives.kind == PRIMITIVE_PATCH)
        tessellate(job, &primitives);
    shade_primitives(job, &primitives);
    if (primitives.kind == PRIMITIVE_PATCH || !stream_out(job, &primitives))
        return (struct primitives){PRIMITIVE_NONE, 0};
    clip(job, &primitives);
    cull(job, &primitives);
    return primitives;
}
