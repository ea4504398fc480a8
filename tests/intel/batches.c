/* SPDX-License-Identifier: MIT */
#include "intel/batches.h"

#include "intel/platforms.h"

#define PAGE     0x1000u
#define VERTICES 0x800u /* in a page of structures */

void batch_begin(struct batch *batch, struct gpu_rig *rig)
{
    *batch = (struct batch){rig, (unsigned)tally_platform_find(revision_name(rig->model))->version,
                            BATCH_START, BATCH_START, BATCH_DYNAMIC - PAGE};
}

void batch_emit(struct batch *batch, const uint32_t *dwords, size_t count)
{
    gpu_rig_put(batch->rig, TALLY_GPU_GGTT, batch->at, dwords, count);
    batch->at += 4 * (uint32_t)count;
    assert_true(batch->at <= BATCH_RESULTS);
}

void batch_submit(struct batch *batch, const char *engine)
{
    EMIT(batch, 0x05000000);
    assert_int_equal(
        tally_gpu_engine_submit(batch->rig->gpu, engine, 1, TALLY_GPU_GGTT, batch->start, true), 0);
}

void batch_finish(struct batch *batch, unsigned line)
{
    struct tally_gpu *gpu = batch->rig->gpu;
    struct tally_error error = {0};
    for (unsigned i = 0; i < 1000 && !tally_gpu_is_idle(gpu) && !tally_gpu_fault(gpu, &error); i++)
        tally_gpu_run(gpu, 100000);
    if (!tally_gpu_is_idle(gpu))
        fail_msg("row %u, %s: %s", line, revision_name(batch->rig->model),
                 error.message[0] ? error.message : "the batch does not end");
}

static void put(struct batch *batch, uint32_t address, uint32_t value)
{
    gpu_rig_put(batch->rig, TALLY_GPU_GGTT, address, &value, 1);
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A command of `length` dwords, all 0 but the given ones. */
static uint32_t *command(uint32_t dwords[24], uint32_t opcode, unsigned length)
{
    memset(dwords, 0, 24 * sizeof *dwords);
    dwords[0] = opcode | (length - 2);
    return dwords;
}

/* ---- state ----------------------------------------------------------------------------------- */

static void set_bases(struct batch *batch)
{
    uint32_t d[24];
    bool wide = batch->version >= 80;
    batch->dynamic += PAGE;
    assert_true(batch->dynamic < BATCH_END);
    command(d, 0x61010000, wide ? 16 : 10);
    d[wide ? 6 : 3] = batch->dynamic | 1;
    batch_emit(batch, d, wide ? 16 : 10);
}

static void set_vertices(struct batch *batch, const struct batch_draw *draw)
{
    bool wide = batch->version >= 80;
    uint32_t buffer = batch->dynamic + VERTICES;
    const unsigned *r = draw->rectangle;
    const float corners[3][3] = {{(float)r[2], (float)r[3], 0},
                                 {(float)r[0], (float)r[3], 0},
                                 {(float)r[0], (float)r[1], 0}};
    for (unsigned i = 0; i < 3; i++)
        for (unsigned axis = 0; axis < 3; axis++)
            put(batch, buffer + 12 * i + 4 * axis, bits_of(corners[i][axis]));
    /* Buffer 3 has a pitch of 12. The second element is the position. */
    if (wide)
        EMIT(batch, 0x78080003, 3u << 26 | 1 << 14 | 12, buffer, 0, 36);
    else
        EMIT(batch, 0x78080003, 3u << 26 | 1 << 14 | 12, buffer, buffer + 35, 0);
    if (draw->address_kept)
        EMIT(batch, 0x78080003, 3u << 26 | 12, 0x40, 0, 36);
    EMIT(batch, 0x78090003, 1u << 25, 0x22220000, 3u << 26 | 1 << 25 | 0x40 << 16, 0x11130000);
}

static void set_front(struct batch *batch, const struct batch_draw *draw)
{
    uint32_t d[24], stats = draw->no_statistics ? 0 : 1;
    bool wide = batch->version >= 80, gen6 = batch->version == 60;
    EMIT(batch, 0x680b0000 | stats);
    if (wide)
        EMIT(batch, 0x784b0000, draw->topology);
    if (draw->indexed && wide)
        EMIT(batch, 0x780a0003, 1 << 8, 0, 0, 0);
    else if (draw->indexed)
        EMIT(batch, 0x780a0001 | 1 << 8, 0, 0);
    command(d, 0x78100000, wide ? 9 : 6);
    d[wide ? 7 : 5] = stats << 10 | (uint32_t)(draw->vs_simd8 && wide) << 2 |
                      (uint32_t)draw->no_vertex_cache << 1 | draw->vs;
    batch_emit(batch, d, wide ? 9 : 6);
    if (!gen6) {
        command(d, 0x781b0000, wide ? 9 : 7); /* HS */
        d[2] = (uint32_t)draw->tessellation << 31 | stats << 29 | draw->hs_instances;
        if (batch->version >= 90)
            d[7] = draw->hs_mode << 17;
        batch_emit(batch, d, wide ? 9 : 7);
        EMIT(batch, 0x781c0002, 2u << 8 | 1 << 4 | draw->tessellation, 0, 0); /* TE: triangles */
        command(d, 0x781d0000, wide ? 11 : 6);                                /* DS */
        d[wide ? 7 : 5] = stats << 10 | draw->ds_mode << 3 | draw->tessellation;
        batch_emit(batch, d, wide ? 11 : 6);
    }
    command(d, 0x78110000, wide ? 10 : 7); /* GS */
    if (gen6) {
        d[5] = stats << 10 | stats << 9 | (uint32_t)!draw->so_discards << 8;
        d[6] = (uint32_t)draw->gs << 15 | (uint32_t)draw->so << 27;
    } else {
        d[wide ? 6 : 4] = draw->gs_topology << 17;
        d[wide ? 7 : 5] = draw->gs_instances << 15 | draw->gs_mode << 11 | stats << 10 | draw->gs;
    }
    batch_emit(batch, d, wide ? 10 : 7);
    if (gen6)
        return;
    command(d, 0x781e0000, wide ? 5 : 3); /* STREAMOUT */
    d[1] = (uint32_t)draw->so << 31 | (uint32_t)draw->so_discards << 30 | stats << 25;
    if (wide) {
        d[1] |= draw->so_force << 23;
        d[3] = 32 << 16 | 32;
    } else {
        d[1] |= 1 << 8;
    }
    batch_emit(batch, d, wide ? 5 : 3);
    bool indexed = batch->version >= 120; /* the buffer's number is in the opcode */
    if (!wide)                            /* SO_WRITE_OFFSET */
        EMIT(batch, 0x11000001, 0x5280, 0);
    if (draw->so_other && indexed)
        EMIT(batch, 0x78610006, 1 << 21, 0x8000, 0, 7, 0, 0, 0);
    else if (draw->so_other && wide)
        EMIT(batch, 0x79180006, 1 << 29 | 1 << 21, 0x8000, 0, 7, 0, 0, 0);
    else if (draw->so_other)
        EMIT(batch, 0x79180002, 1 << 29 | 32, 0x8000, 0x8020);
    command(d, indexed ? 0x78600000 : 0x79180000, wide ? 8 : 4); /* SO_BUFFER 0 */
    d[2] = 0x8000;
    if (wide) {
        d[1] = (draw->so_bytes ? 1u << 31 : 0) | 1 << 21; /* Stream Offset 0 */
        d[4] = draw->so_bytes / 4 - 1;
    } else {
        d[1] = 32;
        d[3] = 0x8000 + draw->so_bytes;
    }
    batch_emit(batch, d, wide ? 8 : 4);
}

static void set_rasterizer(struct batch *batch, const struct batch_draw *draw)
{
    uint32_t d[24], stats = draw->no_statistics ? 0 : 1;
    unsigned version = batch->version;
    bool scissors = draw->scissor[2], transforms = draw->viewport[0];
    static const uint8_t modes[] = {1, 0, 2, 3}; /* NONE, BOTH, FRONT, BACK */
    uint32_t cull = modes[draw->cull];
    uint32_t line = draw->line_width * 128, point = draw->point_width * 8;
    bool wide_lines = version >= 90 || batch->rig->model == INTEL_CHV;
    EMIT(batch, 0x78120002, stats << 10, (uint32_t)draw->clip << 31 | draw->clip_mode << 13, 0);
    if (version == 60) {
        command(d, 0x78130000, 20);
        d[2] = stats << 10 | (uint32_t)transforms << 1;
        d[3] = cull << 29 | line << 18 | (uint32_t)scissors << 11;
        d[4] = point;
        batch_emit(batch, d, 20);
    } else if (version < 80) {
        EMIT(batch, 0x78130005, stats << 10 | (uint32_t)transforms << 1,
             cull << 29 | line << 18 | (uint32_t)scissors << 11, point, 0, 0, 0);
    } else {
        EMIT(batch, 0x78130002,
             stats << 10 | (uint32_t)transforms << 1 | (wide_lines ? line << 12 : 0),
             wide_lines ? 0 : line << 18, point);
        EMIT(batch, 0x78500003, cull << 16 | (uint32_t)scissors << 1, 0, 0, 0);
    }
    put(batch, batch->dynamic + 0x100, draw->scissor[1] << 16 | draw->scissor[0]);
    put(batch, batch->dynamic + 0x104, draw->scissor[3] << 16 | draw->scissor[2]);
    EMIT(batch, 0x780f0000, 0x100);
    /* The viewport's matrix: m00, m11, m22, m30, m31, m32. */
    float half_width = (float)draw->viewport[0] / 2, half_height = (float)draw->viewport[1] / 2;
    put(batch, batch->dynamic + 0x200, bits_of(half_width));
    put(batch, batch->dynamic + 0x204, bits_of(-half_height));
    put(batch, batch->dynamic + 0x20c, bits_of(half_width));
    put(batch, batch->dynamic + 0x210, bits_of(half_height));
    if (version == 60)
        EMIT(batch, 0x780d0002 | 1 << 11, 0, 0x200, 0);
    else
        EMIT(batch, 0x78210000, 0x200);
    EMIT(batch, 0x79000002, 0, (draw->height - 1) << 16 | (draw->width - 1), 0);
    EMIT(batch,
         (version < 80 ? 0x790d0000u : 0x780d0000u) | (version == 60  ? 1
                                                       : version < 80 ? 2
                                                                      : 0),
         draw->samples << 1);
    if (version < 80)
        EMIT(batch, 0);
    if (version == 70 || version == 75)
        EMIT(batch, 0);
    EMIT(batch, 0x78180000, draw->sample_mask ? draw->sample_mask : 0xffff);
}

static void set_shader(struct batch *batch, const struct batch_draw *draw)
{
    uint32_t d[24], stats = draw->no_statistics ? 0 : 1;
    uint32_t modes = draw->ps_simd16 ? 2 : 1;
    if (batch->version == 60) {
        command(d, 0x78140000, 9);
        d[4] = stats << 31;
        d[5] = (uint32_t)draw->kills << 22 | (uint32_t)draw->computes_depth << 21 |
               (uint32_t)draw->ps << 19 | (uint32_t)draw->omask << 9 |
               (uint32_t)draw->dual_source << 7 | modes;
        d[6] = !draw->per_sample;
        batch_emit(batch, d, 9);
    } else if (batch->version < 80) {
        EMIT(batch, 0x78140001,
             stats << 31 | (uint32_t)draw->ps << 29 | (uint32_t)draw->kills << 25 |
                 (uint32_t)draw->computes_depth << 23 | draw->early << 21,
             (uint32_t)!draw->per_sample << 31);
        command(d, 0x78200000, 8);
        d[4] = (uint32_t)draw->omask << 9 | (uint32_t)draw->dual_source << 7 | modes;
        batch_emit(batch, d, 8);
    } else {
        EMIT(batch, 0x78140000, stats << 31 | draw->early << 21 | draw->ps_force << 19);
        command(d, 0x78200000, 12);
        d[6] = modes;
        batch_emit(batch, d, 12);
        EMIT(batch, 0x784f0000,
             (uint32_t)draw->ps << 31 | (uint32_t)draw->omask << 29 | (uint32_t)draw->kills << 28 |
                 (uint32_t)draw->computes_depth << 26 | (uint32_t)draw->per_sample << 6 |
                 (uint32_t)draw->computes_stencil << 5);
        EMIT(batch, 0x784d0000,
             1u << 30 | (uint32_t)draw->blend << 29 | (uint32_t)draw->alpha_test << 8);
    }
}

static void set_tests(struct batch *batch, const struct batch_draw *draw)
{
    uint32_t d[24], type = draw->no_depth_buffer ? 7u : 1u;
    bool wide = batch->version >= 80;
    command(d, batch->version == 60 ? 0x79050000 : 0x78050000, wide ? 8 : 7);
    d[1] = type << 29 | (uint32_t)draw->hiz << 22;
    if (batch->version > 60)
        d[1] |= (uint32_t)(draw->depth_write && !draw->no_surface_write) << 28;
    batch_emit(batch, d, wide ? 8 : 7);
    if (wide) {
        EMIT(batch, 0x784e0001,
             draw->stencil_function << 8 | draw->depth_function << 5 |
                 (uint32_t)draw->stencil << 3 | (uint32_t)draw->depth << 1 | draw->depth_write,
             0);
        if (draw->kept)
            EMIT(batch, 0x784e0002 | 1 << 12 | 1 << 11, 1 << 8 | 1 << 5 | 1 << 3 | 1 << 1, 0, 0);
        return;
    }
    put(batch, batch->dynamic + 0x300,
        (uint32_t)draw->stencil << 31 | draw->stencil_function << 28);
    put(batch, batch->dynamic + 0x304, 0);
    put(batch, batch->dynamic + 0x308,
        (uint32_t)draw->depth << 31 | draw->depth_function << 27 |
            (uint32_t)draw->depth_write << 26);
    put(batch, batch->dynamic + 0x340, (uint32_t)draw->blend << 31);
    put(batch, batch->dynamic + 0x344, (uint32_t)draw->alpha_test << 16);
    if (batch->version == 60) {
        EMIT(batch, 0x780e0002, 0x340 | 1, 0x300 | 1, 0);
        return;
    }
    EMIT(batch, 0x78240000, 0x340);
    EMIT(batch, 0x78250000, 0x300);
}

/* ---- commands -------------------------------------------------------------------------------- */

void batch_draw(struct batch *batch, const struct batch_draw *draw)
{
    unsigned instances = draw->instances ? draw->instances : 1;
    set_bases(batch);
    set_vertices(batch, draw);
    set_front(batch, draw);
    set_rasterizer(batch, draw);
    set_shader(batch, draw);
    set_tests(batch, draw);
    if (draw->indirect) { /* MI_LOAD_REGISTER_IMM */
        EMIT(batch, 0x11000003, 0x2434, draw->vertices, 0x2438, instances);
        EMIT(batch, 0x7b000405, (uint32_t)draw->indexed << 8 | draw->topology, 0, 0, 0, 0, 0);
    } else if (batch->version == 60) {
        EMIT(batch, 0x7b000004 | (uint32_t)draw->indexed << 15 | draw->topology << 10,
             draw->vertices, 0, instances, 0, 0);
    } else {
        EMIT(batch, 0x7b000005, (uint32_t)draw->indexed << 8 | draw->topology, draw->vertices, 0,
             instances, 0, 0);
    }
}

void batch_walk(struct batch *batch, const unsigned groups[3], unsigned threads, unsigned simd,
                bool barrier, bool slm, bool indirect)
{
    bool wide = batch->version >= 80;
    uint32_t group = (uint32_t)slm << 16 | (uint32_t)barrier << 21 | threads;
    uint32_t shape = simd << 30 | (threads - 1), start = indirect ? 0x71050400 : 0x71050000;
    set_bases(batch);
    put(batch, batch->dynamic + 0x400 + 0x20 + (wide ? 24 : 20), group); /* the second one */
    EMIT(batch, 0x70020002, 0, 0x40, 0x400);
    if (indirect)
        EMIT(batch, 0x11000005, 0x2500, groups[0], 0x2504, groups[1], 0x2508, groups[2]);
    const unsigned none[3] = {0, 0, 0}, *const g = indirect ? none : groups;
    if (wide)
        EMIT(batch, start | 13, 1, 0, 0, shape, 0, 0, g[0], 0, 0, g[1], 0, g[2], 0xffff, 0xffff);
    else
        EMIT(batch, start | 9, 1, shape, 0, g[0], 0, g[1], 0, g[2], 0xffff, 0xffff);
}

void batch_flush(struct batch *batch, uint32_t flags, unsigned operation, uint32_t address)
{
    flags |= 1u << 20 | operation << 14;
    if (batch->version == 60)
        EMIT(batch, 0x7a000003, flags, address | 4, 0, 0);
    else if (batch->version < 80)
        EMIT(batch, 0x7a000003, flags | 1 << 24, address, 0, 0);
    else
        EMIT(batch, 0x7a000004, flags | 1 << 24, address, 0, 0, 0);
}
