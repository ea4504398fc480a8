/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_BATCHES_H
#define TESTS_INTEL_BATCHES_H

/*
 * Batches that draw, walk and blit on each generation, written dword by dword from the public
 * manuals, independently of the table of commands.
 */

#include "intel/gpu_rig.h"

/* A batch in the GGTT. Each draw and walker has a page of structures and vertices. */
struct batch {
    struct gpu_rig *rig;
    unsigned version;
    uint32_t start, at;
    uint32_t dynamic; /* dynamic state base of the latest draw or walker */
};

#define BATCH_START   0x1000u
#define BATCH_RESULTS 0x7000u
#define BATCH_DYNAMIC 0x8000u /* first dynamic state base */
#define BATCH_END     0x10000u

void batch_begin(struct batch *batch, struct gpu_rig *rig);
void batch_emit(struct batch *batch, const uint32_t *dwords, size_t count);
#define EMIT(batch, ...)                                                                           \
    batch_emit(batch, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

/* Ends the batch and submits it to an engine. */
void batch_submit(struct batch *batch, const char *engine);

/* Runs the GPU until it is idle. Fails the test on a fault. */
void batch_finish(struct batch *batch, unsigned line);

/* A draw with all state that it depends on. Members that are 0 are off. */
struct batch_draw {
    unsigned topology, vertices, instances;
    bool indexed, indirect; /* indexed: 16 bits */
    bool vs, vs_simd8, tessellation, gs;
    unsigned hs_instances, gs_instances; /* besides the first one */
    unsigned hs_mode, gs_mode;           /* Dispatch Mode */
    unsigned gs_topology;
    bool no_vertex_cache;
    bool so, so_discards;
    unsigned so_bytes; /* of the buffer, with vertices of 32 bytes */
    bool so_other;     /* a buffer of one vertex is bound that is not enabled */
    unsigned so_force; /* Force Rendering */
    bool clip;
    unsigned clip_mode;
    enum { CULL_NOTHING, CULL_ALL, CULL_FRONTS, CULL_BACKS } cull;
    unsigned width, height; /* of the drawing rectangle */
    unsigned scissor[4];    /* left, top, right, bottom, inclusive; all 0: off */
    unsigned viewport[2];   /* width, height, from the origin; 0: no transform */
    unsigned rectangle[4];  /* of a RECTLIST: left, top, right, bottom, exclusive */
    unsigned line_width, point_width;
    unsigned samples;         /* log2 */
    unsigned sample_mask;     /* 0: all */
    unsigned ps_force, early; /* Force Thread Dispatch Enable, Early Depth/Stencil Control */
    bool computes_stencil;
    bool ps, ps_simd16, kills, computes_depth, omask, dual_source, per_sample, blend, alpha_test;
    bool depth, hiz, stencil, depth_write, no_depth_buffer;
    bool no_surface_write; /* the depth buffer is not written, whatever depth_write is */
    bool address_kept; /* a second command that would unbind the vertices, but may not (Gen7 on) */
    bool kept; /* a second command that would change all tests, and is told not to (Gen12) */
    unsigned depth_function, stencil_function;
    bool no_statistics;
};

/* Emits the state, then the draw. */
void batch_draw(struct batch *batch, const struct batch_draw *draw);

/* Emits a GPGPU_WALKER (Gen7 on): groups in X, Y, Z; threads of a group; SIMD8 << simd. */
void batch_walk(struct batch *batch, const unsigned groups[3], unsigned threads, unsigned simd,
                bool barrier, bool slm, bool indirect);

/* Emits a PIPE_CONTROL that stalls and writes the depth count (operation 2), a timestamp (3), or
 * nothing (0). `flags` is its second dword. */
void batch_flush(struct batch *batch, uint32_t flags, unsigned operation, uint32_t address);

#endif
