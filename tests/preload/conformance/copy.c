/* SPDX-License-Identifier: MIT */
/*
 * The batch with which clients copy a surface: one rectangle through the 3D pipeline, with all of
 * its state (IGT-3.4). The state follows the commands, in the same object.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

/* Dwords in the batch, where state lies. */
#define TARGET   1024u
#define SOURCE   1040u
#define TABLE    1056u
#define VERTICES 1072u
#define DYNAMIC  1088u

#define STATE_BASE_ADDRESS 0x6101u
#define VERTEX_BUFFERS     0x7808u
#define TABLE_POINTERS     0x782au
#define PRIMITIVE          0x7b00u
#define RECTANGLES         15u

/* ---- pipeline state -------------------------------------------------------------------------- */

/* Lengths in dwords on Gen7.5, Gen8, and from Gen9 on; 0: no such command. */
static const struct state {
    uint16_t opcode;
    uint8_t gen7, gen8, gen9;
} states[] = {
    {0x7912, 2, 2, 2}, /* PUSH_CONSTANT_ALLOC: VS, HS, DS, GS, PS */
    {0x7913, 2, 2, 2},   {0x7914, 2, 2, 2},
    {0x7915, 2, 2, 2},   {0x7916, 2, 2, 2},
    {0x7830, 2, 2, 2}, /* URB: VS, HS, DS, GS */
    {0x7831, 2, 2, 2},   {0x7832, 2, 2, 2},
    {0x7833, 2, 2, 2},   {0x7821, 2, 2, 2}, /* VIEWPORT_STATE_POINTERS: SF_CLIP, CC */
    {0x7823, 2, 2, 2},   {0x7824, 2, 2, 2}, /* BLEND_STATE_POINTERS */
    {0x780e, 2, 2, 2},                      /* CC_STATE_POINTERS */
    {0x7825, 2, 0, 0},                      /* DEPTH_STENCIL_STATE_POINTERS */
    {0x784d, 0, 2, 2},                      /* PS_BLEND */
    {0x784e, 0, 3, 4},                      /* WM_DEPTH_STENCIL */
    {0x780d, 4, 2, 2},                      /* MULTISAMPLE */
    {0x7818, 2, 2, 2},                      /* SAMPLE_MASK */
    {0x7817, 7, 11, 11},                    /* CONSTANT: PS, VS, GS, HS, DS */
    {0x7815, 7, 11, 11}, {0x7816, 7, 11, 11},
    {0x7819, 7, 11, 11}, {0x781a, 7, 11, 11},
    {0x7810, 6, 9, 9}, /* VS, HS, TE, DS, GS, STREAMOUT */
    {0x781b, 7, 9, 9},   {0x781c, 4, 4, 4},
    {0x781d, 6, 9, 11},  {0x7811, 7, 10, 10},
    {0x781e, 3, 5, 5},   {0x7826, 2, 2, 2}, /* BINDING_TABLE_POINTERS: VS, HS, DS, GS */
    {0x7827, 2, 2, 2},   {0x7828, 2, 2, 2},
    {0x7829, 2, 2, 2},   {0x782b, 2, 2, 2}, /* SAMPLER_STATE_POINTERS: VS, HS, DS, GS, PS */
    {0x782c, 2, 2, 2},   {0x782d, 2, 2, 2},
    {0x782e, 2, 2, 2},   {0x782f, 2, 2, 2},
    {0x7812, 4, 4, 4},   /* CLIP */
    {0x7813, 7, 4, 4},   /* SF */
    {0x7850, 0, 5, 5},   /* RASTER */
    {0x781f, 14, 4, 6},  /* SBE */
    {0x7851, 0, 11, 11}, /* SBE_SWIZ */
    {0x7814, 3, 2, 2},   /* WM */
    {0x7820, 8, 12, 12}, /* PS */
    {0x784f, 0, 2, 2},   /* PS_EXTRA */
    {0x780f, 2, 2, 2},   /* SCISSOR_STATE_POINTERS */
    {0x7805, 7, 8, 8},   /* DEPTH_BUFFER, STENCIL_BUFFER, HIER_DEPTH_BUFFER, CLEAR_PARAMS */
    {0x7806, 3, 5, 5},   {0x7807, 3, 5, 5},
    {0x7804, 3, 3, 3},   {0x784a, 0, 2, 2}, /* VF_SGVS */
    {0x784b, 0, 2, 2},                      /* VF_TOPOLOGY */
    {0x780c, 2, 2, 2},                      /* VF */
};

/* Dwords of these commands that are not 0; no such dword: 0. */
static const struct value {
    uint16_t opcode;
    uint8_t gen7, gen8; /* index of the dword */
    uint32_t value;
} values[] = {
    {0x7818, 1, 1, 1},                                    /* SAMPLE_MASK: one sample */
    {0x7813, 2, 0, 1u << 29},   {0x7850, 0, 1, 1u << 16}, /* SF, RASTER: no culling */
    {0x7814, 1, 0, 1u << 29},   {0x784f, 0, 1, 1u << 31}, /* WM, PS_EXTRA: the shader is valid */
    {0x784d, 0, 1, 1u << 30},                             /* PS_BLEND: a target */
    {0x7820, 4, 6, 2},                                    /* PS: 16 pixels */
    {0x784b, 0, 1, RECTANGLES},                           /* VF_TOPOLOGY */
};

static void emit_command(struct batch *batch, uint16_t opcode, unsigned length)
{
    batch_emit(batch, (uint32_t)opcode << 16 | (length - 2));
    for (unsigned i = 1; i < length; i++)
        batch_emit(batch, 0);
}

void emit_draw_states(struct batch *batch)
{
    enum platform platform = batch->device->platform;
    for (size_t i = 0; i < COUNT(states); i++) {
        const struct state *s = &states[i];
        unsigned length = platform == HSW ? s->gen7 : platform < SKL ? s->gen8 : s->gen9;
        if (length)
            emit_command(batch, s->opcode, length);
        for (size_t k = 0; k < COUNT(values); k++) {
            unsigned at = platform == HSW ? values[k].gen7 : values[k].gen8;
            if (length && at && values[k].opcode == s->opcode)
                batch->dwords[batch->count - length + at] = values[k].value;
        }
    }
}

/* Surface state and dynamic state are based at the batch itself. */
static void emit_base_address(struct batch *batch)
{
    enum platform platform = batch->device->platform;
    unsigned start = batch->count, length = platform == HSW  ? 10
                                            : platform < SKL ? 16
                                            : platform < ICL ? 19
                                                             : 22;
    emit_command(batch, STATE_BASE_ADDRESS, length);
    unsigned surface = start + (platform == HSW ? 2 : 4), step = platform == HSW ? 1 : 2;
    batch->dwords[start + 1] = 1; /* general state: from 0 on */
    batch_address_at(batch, surface, &batch->object, 1, false);
    batch_address_at(batch, surface + step, &batch->object, 1, false);
}

/* ---- surfaces and vertices ------------------------------------------------------------------- */

struct surface new_surface(const struct device *device, uint32_t width, uint32_t height)
{
    struct surface surface = {.width = width, .height = height, .pitch = 4 * width};
    surface.object = new_object(device, (uint64_t)surface.pitch * height, true);
    return surface;
}

static void put_surface(struct batch *batch, unsigned at, const struct surface *surface, bool write)
{
    enum { TYPE_2D = 1u << 29, BGRA8 = 0xc0u << 18, ALIGN_4 = 1u << 16, ALIGN_4_ACROSS = 1u << 14 };
    uint32_t *dwords = batch->dwords + at;
    dwords[0] = TYPE_2D | BGRA8;
    if (batch->device->platform != HSW)
        dwords[0] |= ALIGN_4 | ALIGN_4_ACROSS;
    dwords[2] = (surface->height - 1) << 16 | (surface->width - 1);
    dwords[3] = surface->pitch - 1;
    batch_address_at(batch, at + (batch->device->platform == HSW ? 1 : 8), &surface->object, 0,
                     write);
}

/* A corner in the target and in the source; the latter in pixels, or as a fraction of the size. */
static void put_vertex(struct batch *batch, unsigned n, uint32_t x, uint32_t y,
                       const struct surface *source)
{
    bool old = batch->device->platform == HSW;
    uint32_t *dwords = batch->dwords + VERTICES + n * (old ? 2 : 3);
    float parts[2] = {(float)x / (float)source->width, (float)y / (float)source->height};
    dwords[0] = y << 16 | x;
    if (old)
        dwords[1] = y << 16 | x;
    else
        memcpy(dwords + 1, parts, sizeof parts);
}

static void emit_vertices(struct batch *batch)
{
    bool old = batch->device->platform == HSW;
    uint32_t stride = old ? 8 : 12, start = 4 * VERTICES;
    batch_emit(batch, VERTEX_BUFFERS << 16 | 3);
    batch_emit(batch, 1u << 14 | stride);
    batch_address(batch, &batch->object, start, false);
    if (old)
        batch_address(batch, &batch->object, start + 3 * stride - 1, false);
    else
        batch_emit(batch, 3 * stride);
    if (old)
        batch_emit(batch, 0);
    emit_command(batch, 0x7809, 7); /* VERTEX_ELEMENTS: the second one is the position */
    batch->dwords[batch->count - 4] = 1u << 25 | 0xf6u << 16;
}

void copy_surface(const struct device *device, uint32_t context, const struct surface *from,
                  const struct surface *to, bool wait)
{
    static struct batch batch;
    batch_begin(&batch, device);
    put_surface(&batch, TARGET, to, true);
    put_surface(&batch, SOURCE, from, false);
    batch.dwords[TABLE] = 4 * TARGET;
    batch.dwords[TABLE + 1] = 4 * SOURCE;
    put_vertex(&batch, 0, to->width, to->height, from);
    put_vertex(&batch, 1, 0, to->height, from);
    put_vertex(&batch, 2, 0, 0, from);
    batch_emit(&batch, device->platform < SKL ? 0x69040000 : 0x69040300); /* PIPELINE_SELECT: 3D */
    emit_base_address(&batch);
    emit_draw_states(&batch);
    emit_command(&batch, 0x7900, 4); /* DRAWING_RECTANGLE */
    batch.dwords[batch.count - 2] = (to->height - 1) << 16 | (to->width - 1);
    batch_emit(&batch, TABLE_POINTERS << 16);
    batch_emit(&batch, 4 * TABLE);
    emit_vertices(&batch);
    emit_command(&batch, PRIMITIVE, 7);
    batch.dwords[batch.count - 6] = RECTANGLES;
    batch.dwords[batch.count - 5] = 3;
    batch.dwords[batch.count - 3] = 1;
    CHECK(batch.count < TARGET, "%u dwords", batch.count);
    batch_run(&batch, context, device->platform == HSW ? 0 : I915_EXEC_RENDER, wait);
}

#define LOAD_PAUSE_NS 3000000u

/* ---- a load ---------------------------------------------------------------------------------- */

pid_t load_start(const struct device *device)
{
    pid_t child = fork();
    CHECK(child >= 0, "%s", strerror(errno));
    if (child)
        return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct device own = *device;
    own.fd = open_card();
    uint32_t context = new_context(&own);
    struct surface from = new_surface(&own, 1920, 1080), to = new_surface(&own, 1920, 1080);
    for (;;) {
        copy_surface(&own, context, &from, &to, true);
        sleep_ns(LOAD_PAUSE_NS); /* the model takes long for each clock in which it draws */
    }
}

void load_stop(pid_t child)
{
    int status;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status), "the load ended by itself");
}
