/* SPDX-License-Identifier: MIT */
#include "intel/draws.h"

#include "intel/cost/table.h"
#include "intel/platforms.h"

// clang-format off
static const char numbers[] =
    "name: test\nnumbers:\n"
#define N(name, value) "  - {number: " name ", value: " #value ", source: assumed}\n"
    N("draw-clocks", 100) N("flush-clocks", 50) N("video-clocks", 16) N("vertex-clocks", 2)
    N("clip-clocks", 1) N("setup-clocks", 3) N("pixels-per-clock", 4) N("texels-per-clock", 2)
    N("blit-bytes-per-clock", 8) N("vertex-reuse", 50) N("tessellation-points", 7)
    N("tessellation-primitives", 5) N("gs-primitives", 2) N("clip-rejects", 25) N("culled", 50)
    N("coverage", 50) N("line-pixels", 10) N("depth-pass", 50) N("stencil-pass", 75)
    N("hiz-finds", 50) N("ps-killed", 25) N("alpha-fails", 50) N("omask-keeps", 50)
    N("render-targets", 2) N("vs-active", 1) N("vs-stalled", 2) N("hs-active", 1)
    N("hs-stalled", 2) N("ds-active", 1) N("ds-stalled", 2) N("gs-active", 1) N("gs-stalled", 2)
    N("ps-active", 2) N("ps-stalled", 6) N("ps-texels", 1) N("cs-active", 100)
    N("cs-stalled", 200) N("cs-accesses", 8) N("access-misses", 50) N("cs-atomics", 2)
    N("slm-reads", 6) N("slm-writes", 5) N("barriers", 3) N("vertex-bytes", 32)
    N("color-bytes", 4) N("depth-bytes", 4) N("cache-misses", 50) N("sampler-misses", 25)
    N("gti-read-bytes", 64) N("gti-write-bytes", 64);
// clang-format on

#define ALL  "snb ivb vlv hsw bdw chv skl icl lkf tgl"
#define GEN7 "ivb vlv hsw bdw chv skl icl lkf tgl"

#define DRAW(topology_, vertices_)                                                                 \
    .topology = topology_, .vertices = vertices_, .vs = true, .width = 64, .height = 32, .ps = true
#define RECTANGLE(left, top, right, bottom)                                                        \
    .topology = 0xf, .vertices = 3, .width = 64, .height = 32, .ps = true,                         \
    .rectangle = {left, top, right, bottom}

/* `n` vertices make `p` primitives, each of which passes the clipper. */
#define FRONT(n, p)                                                                                \
    .ia_vertices = (n), .ia_primitives = (p), .vs = (n), .vs_threads = ((n) + 1) / 2, .cl = (p),   \
    .cl_primitives = (p)
/* `n` pixels pass all tests. */
#define PIXELS(n)                                                                                  \
    .ps = (n), .depth = (n), .ps_threads = ((n) + 7) / 8, .rasterized = (n), .written = 2 * (n)
#define RECT_FRONT .ia_vertices = 3, .ia_primitives = 1, .cl = 1, .cl_primitives = 1
#define BASE       FRONT(3, 1)

const struct draw_row draw_rows[] = {
    /* Topologies. */
    {__LINE__, ALL, "a triangle", {DRAW(4, 3)}, {FRONT(3, 1), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "two vertices", {DRAW(4, 2)}, {FRONT(2, 0), .clocks = 104}},
    {__LINE__, ALL, "no vertices", {DRAW(4, 0)}, {.clocks = 100}},
    {__LINE__, ALL, "TRILIST", {DRAW(4, 30)}, {FRONT(30, 10), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "TRISTRIP", {DRAW(5, 10)}, {FRONT(10, 8), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "TRIFAN", {DRAW(6, 10)}, {FRONT(10, 8), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "QUADLIST", {DRAW(7, 8)}, {FRONT(8, 2), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "QUADSTRIP", {DRAW(8, 8)}, {FRONT(8, 3), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "POLYGON", {DRAW(0xe, 5)}, {FRONT(5, 1), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "TRILIST_ADJ", {DRAW(0xb, 12)}, {FRONT(12, 2), PIXELS(1024), .clocks = 356}},
    {__LINE__, ALL, "TRISTRIP_ADJ", {DRAW(0xc, 10)}, {FRONT(10, 3), PIXELS(1024), .clocks = 356}},
    /* Lines have 10 pixels. 16 vertices take 32 clocks; the setup of 8 lines takes 24. */
    {__LINE__, ALL, "LINELIST", {DRAW(2, 16)}, {FRONT(16, 8), PIXELS(80), .clocks = 132}},
    {__LINE__, ALL, "LINESTRIP", {DRAW(3, 9)}, {FRONT(9, 8), PIXELS(80), .clocks = 124}},
    {__LINE__, ALL, "LINELOOP", {DRAW(0x10, 8)}, {FRONT(8, 8), PIXELS(80), .clocks = 124}},
    {__LINE__, ALL, "LINELIST_ADJ", {DRAW(9, 32)}, {FRONT(32, 8), PIXELS(80), .clocks = 164}},
    {__LINE__, ALL, "LINESTRIP_ADJ", {DRAW(0xa, 11)}, {FRONT(11, 8), PIXELS(80), .clocks = 124}},
    {__LINE__,
     ALL,
     "lines 2 pixels wide",
     {DRAW(2, 16), .line_width = 2},
     {FRONT(16, 8), PIXELS(160), .clocks = 140}},
    {__LINE__,
     ALL,
     "points 2 pixels wide",
     {DRAW(1, 20), .point_width = 2},
     {FRONT(20, 20), PIXELS(80), .clocks = 160}},
    {__LINE__,
     ALL,
     "instances",
     {DRAW(4, 3), .instances = 4},
     {FRONT(12, 4), PIXELS(1024), .clocks = 356}},
    {__LINE__,
     ALL,
     "indexed: half is in the cache",
     {DRAW(4, 30), .indexed = true},
     {.ia_vertices = 30,
      .ia_primitives = 10,
      .vs = 15,
      .vs_threads = 8,
      .cl = 10,
      .cl_primitives = 10,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     GEN7,
     "indirect",
     {DRAW(4, 30), .instances = 2, .indirect = true},
     {FRONT(60, 20), PIXELS(1024), .clocks = 356}},
    {__LINE__,
     "bdw chv skl icl lkf tgl",
     "vertices by eight",
     {DRAW(4, 30), .vs_simd8 = true},
     {.ia_vertices = 30,
      .ia_primitives = 10,
      .vs = 30,
      .vs_threads = 4,
      .cl = 10,
      .cl_primitives = 10,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     ALL,
     "no statistics",
     {DRAW(4, 30), .no_statistics = true},
     {.vs_threads = 15, .ps_threads = 128, .rasterized = 1024, .written = 2048, .clocks = 356}},

    /* Tessellation makes 7 points and 5 triangles of a patch; a geometry shader 2 triangles of
     * one. */
    {__LINE__,
     GEN7,
     "patches of 3 points",
     {DRAW(0x22, 6), .tessellation = true, .hs_instances = 1},
     {.ia_vertices = 6,
      .ia_primitives = 2,
      .vs = 6,
      .vs_threads = 3,
      .hs = 2,
      .hs_threads = 4,
      .ds = 14,
      .ds_threads = 7,
      .cl = 10,
      .cl_primitives = 10,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     ALL,
     "geometry shader",
     {DRAW(4, 6), .gs = true},
     {.ia_vertices = 6,
      .ia_primitives = 2,
      .vs = 6,
      .vs_threads = 3,
      .gs = 2,
      .gs_threads = 2,
      .gs_primitives = 4,
      .cl = 4,
      .cl_primitives = 4,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     GEN7,
     "its instances",
     {DRAW(4, 6), .gs = true, .gs_instances = 1},
     {.ia_vertices = 6,
      .ia_primitives = 2,
      .vs = 6,
      .vs_threads = 3,
      .gs = 4,
      .gs_threads = 4,
      .gs_primitives = 8,
      .cl = 8,
      .cl_primitives = 8,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     GEN7,
     "stream output of 8 vertices",
     {DRAW(4, 9), .so = true, .so_bytes = 256},
     {FRONT(9, 3), .so_needed = 3, .so_written = 2, PIXELS(1024), .clocks = 356}},
    {__LINE__,
     GEN7,
     "stream output only",
     {DRAW(4, 9), .so = true, .so_bytes = 4096, .so_discards = true},
     {.ia_vertices = 9,
      .ia_primitives = 3,
      .vs = 9,
      .vs_threads = 5,
      .so_needed = 3,
      .so_written = 3,
      .clocks = 118}},
    {__LINE__,
     "snb",
     "stream output by the geometry shader",
     {DRAW(4, 9), .gs = true, .so = true, .so_discards = true},
     {.ia_vertices = 9,
      .ia_primitives = 3,
      .vs = 9,
      .vs_threads = 5,
      .gs = 3,
      .gs_threads = 3,
      .gs_primitives = 6,
      .so_needed = 6,
      .so_written = 6,
      .clocks = 118}},

    /* Clipping and culling. */
    {__LINE__,
     ALL,
     "a quarter is outside",
     {DRAW(4, 24), .clip = true},
     {.ia_vertices = 24,
      .ia_primitives = 8,
      .vs = 24,
      .vs_threads = 12,
      .cl = 8,
      .cl_primitives = 6,
      PIXELS(1024),
      .clocks = 356}},
    {__LINE__,
     ALL,
     "all are rejected",
     {DRAW(4, 24), .clip = true, .clip_mode = 3},
     {.ia_vertices = 24, .ia_primitives = 8, .vs = 24, .vs_threads = 12, .cl = 8, .clocks = 148}},
    {__LINE__,
     ALL,
     "all are accepted",
     {DRAW(4, 24), .clip = true, .clip_mode = 4},
     {FRONT(24, 8), PIXELS(1024), .clocks = 356}},
    {__LINE__,
     ALL,
     "both sides are culled",
     {DRAW(4, 24), .cull = CULL_ALL},
     {FRONT(24, 8), .clocks = 148}},
    {__LINE__,
     ALL,
     "back sides are culled",
     {DRAW(4, 24), .cull = CULL_BACKS},
     {FRONT(24, 8), PIXELS(1024), .clocks = 356}},

    /* Areas. */
    {__LINE__,
     ALL,
     "a viewport of 32 by 16",
     {DRAW(4, 3), .viewport = {32, 16}},
     {BASE, PIXELS(256), .clocks = 164}},
    {__LINE__,
     ALL,
     "a scissor rectangle",
     {DRAW(4, 3), .scissor = {8, 8, 23, 15}},
     {BASE, PIXELS(64), .clocks = 116}},
    {__LINE__,
     ALL,
     "a scissor rectangle outside",
     {DRAW(4, 3), .scissor = {64, 0, 80, 15}},
     {BASE, .clocks = 106}},
    {__LINE__,
     ALL,
     "a rectangle",
     {RECTANGLE(8, 4, 40, 20)},
     {RECT_FRONT, PIXELS(512), .clocks = 228}},
    {__LINE__,
     ALL,
     "a rectangle over the edge",
     {RECTANGLE(32, 16, 128, 64)},
     {RECT_FRONT, PIXELS(512), .clocks = 228}},
    {__LINE__,
     ALL,
     "a rectangle in scissors",
     {RECTANGLE(0, 0, 64, 32), .scissor = {8, 8, 23, 15}},
     {RECT_FRONT, PIXELS(128), .clocks = 132}},
    {__LINE__,
     ALL,
     "two rectangles",
     {RECTANGLE(8, 4, 40, 20), .instances = 2},
     {.ia_vertices = 6,
      .ia_primitives = 2,
      .cl = 2,
      .cl_primitives = 2,
      PIXELS(1024),
      .clocks = 356}},
    /* 5 by 3 pixels at 1, 1: from Gen8 on 3 by 2 blocks count, and before the pixels; the shader
     * runs for blocks. Two targets. */
    {__LINE__,
     "snb ivb vlv hsw",
     "blocks that are not full",
     {RECTANGLE(1, 1, 6, 4)},
     {RECT_FRONT, .ps = 24, .ps_threads = 3, .depth = 15, .rasterized = 15, .written = 30,
      .clocks = 106}},
    {__LINE__,
     "bdw chv skl icl lkf tgl",
     "blocks that are not full",
     {RECTANGLE(1, 1, 6, 4)},
     {RECT_FRONT, .ps = 24, .ps_threads = 3, .depth = 15, .rasterized = 24, .written = 48,
      .clocks = 106}},

    /* Depth and stencil: half and three quarters pass. */
    {__LINE__,
     ALL,
     "depth test",
     {DRAW(4, 3), .depth = true, .depth_function = 2},
     {BASE, .ps = 512, .ps_threads = 64, .depth = 512, .rasterized = 1024, .depth_fails = 512,
      .written = 1024, .clocks = 356}},
    {__LINE__,
     ALL,
     "hierarchical depth",
     {DRAW(4, 3), .depth = true, .depth_function = 2, .hiz = true},
     {BASE, .ps = 512, .ps_threads = 64, .depth = 512, .rasterized = 1024, .depth_fails = 256,
      .hiz_fails = 256, .written = 1024, .clocks = 356}},
    {__LINE__,
     ALL,
     "depth never",
     {DRAW(4, 3), .depth = true, .depth_function = 1},
     {BASE, .rasterized = 1024, .depth_fails = 1024, .clocks = 356}},
    {__LINE__,
     ALL,
     "depth always",
     {DRAW(4, 3), .depth = true, .depth_function = 0},
     {BASE, PIXELS(1024), .clocks = 356}},
    {__LINE__,
     ALL,
     "no depth buffer",
     {DRAW(4, 3), .depth = true, .depth_function = 1, .no_depth_buffer = true},
     {BASE, PIXELS(1024), .clocks = 356}},
    {__LINE__,
     ALL,
     "stencil test",
     {DRAW(4, 3), .stencil = true, .stencil_function = 3},
     {BASE, .ps = 768, .ps_threads = 96, .depth = 768, .rasterized = 1024, .stencil_fails = 256,
      .written = 1536, .clocks = 356}},
    /* 1024 - 256 killed; half of the others fail. */
    {__LINE__,
     ALL,
     "depth test behind a shader that kills",
     {DRAW(4, 3), .depth = true, .depth_function = 2, .kills = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 384, .rasterized = 1024, .killed = 256,
      .late_depth_fails = 384, .written = 768, .clocks = 356}},
    {__LINE__,
     ALL,
     "stencil test behind a shader that computes depth",
     {DRAW(4, 3), .stencil = true, .stencil_function = 3, .computes_depth = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 768, .rasterized = 1024,
      .late_stencil_fails = 256, .written = 1536, .clocks = 356}},

    /* Shaders and targets. */
    {__LINE__,
     ALL,
     "alpha test",
     {DRAW(4, 3), .alpha_test = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 512, .rasterized = 1024, .alpha_fails = 512,
      .written = 1024, .clocks = 356}},
    {__LINE__,
     ALL,
     "oMask",
     {DRAW(4, 3), .omask = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 512, .rasterized = 1024, .written = 1024,
      .clocks = 356}},
    {__LINE__,
     ALL,
     "kills",
     {DRAW(4, 3), .kills = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 768, .rasterized = 1024, .killed = 256,
      .written = 1536, .clocks = 356}},
    {__LINE__,
     "snb ivb vlv",
     "kills with two colors count twice",
     {DRAW(4, 3), .kills = true, .dual_source = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 768, .rasterized = 1024, .killed = 512,
      .written = 1536, .clocks = 356}},
    {__LINE__,
     "hsw bdw chv skl icl lkf tgl",
     "not on these",
     {DRAW(4, 3), .kills = true, .dual_source = true},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 768, .rasterized = 1024, .killed = 256,
      .written = 1536, .clocks = 356}},
    {__LINE__,
     "snb ivb vlv bdw chv skl icl lkf tgl",
     "blending",
     {DRAW(4, 3), .blend = true},
     {BASE, PIXELS(1024), .blended = 2048, .clocks = 356}},
    {__LINE__, /* a NOA bit carries the 512 blocks, one per clock */
     "hsw",
     "blending",
     {DRAW(4, 3), .blend = true},
     {BASE, PIXELS(1024), .blended = 2048, .clocks = 512}},
    {__LINE__,
     ALL,
     "pixels by sixteen",
     {DRAW(4, 3), .ps_simd16 = true},
     {BASE, .ps = 1024, .ps_threads = 64, .depth = 1024, .rasterized = 1024, .written = 2048,
      .clocks = 356}},
    {__LINE__,
     ALL,
     "four samples",
     {DRAW(4, 3), .samples = 2},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 4096, .rasterized = 4096, .written = 8192,
      .clocks = 1124}},
    {__LINE__,
     ALL,
     "each shaded",
     {DRAW(4, 3), .samples = 2, .per_sample = true},
     {BASE, .ps = 4096, .ps_threads = 512, .depth = 4096, .rasterized = 4096, .written = 8192,
      .clocks = 1124}},
    {__LINE__,
     ALL,
     "half of them masked",
     {DRAW(4, 3), .samples = 2, .sample_mask = 5},
     {BASE, .ps = 1024, .ps_threads = 128, .depth = 2048, .rasterized = 2048, .written = 4096,
      .clocks = 612}},
    {__LINE__,
     ALL,
     "no pixel shader",
     {
         .topology = 4,
         .vertices = 3,
         .vs = true,
         .width = 64,
         .height = 32,
     },
     {BASE, .depth = 1024, .rasterized = 1024, .clocks = 356}},
};

const size_t draw_row_count = COUNT(draw_rows);

/* ---- reading --------------------------------------------------------------------------------- */

#define AT(platforms, counter, member, per)                                                        \
    {                                                                                              \
        platforms, counter, offsetof(struct draw_want, member) / sizeof(unsigned), per             \
    }
#define GEN7_75 "ivb vlv hsw"
#define GEN8    "bdw chv skl icl lkf tgl"

const struct draw_place draw_places[] = {
    AT("snb", "a5", vs_threads, 1),
    AT("snb", "a10", gs_threads, 1),
    AT("snb", "a15", ps_threads, 1),
    AT("snb", "a18", depth_fails, 1),
    AT("snb", "a20", stencil_fails, 1),
    AT("snb", "a22", alpha_fails, 1),
    AT("snb", "a23", late_stencil_fails, 1),
    AT("snb", "a24", late_depth_fails, 1),
    AT("snb", "a25", written, 1),
    AT(GEN7_75, "a5", vs_threads, 1),
    AT(GEN7_75, "a10", hs_threads, 1),
    AT(GEN7_75, "a15", ds_threads, 1),
    AT(GEN7_75, "a25", gs_threads, 1),
    AT(GEN7_75, "a30", ps_threads, 1),
    AT(GEN7_75, "a33", hiz_fails, 1),
    AT(GEN7_75, "a35", depth_fails, 1),
    AT(GEN7_75, "a36", killed, 1),
    AT(GEN7_75, "a37", alpha_fails, 1),
    AT(GEN7_75, "a38", late_stencil_fails, 1),
    AT("ivb vlv", "a39", late_depth_fails, 1),
    AT(GEN7_75, "a40", written, 1),
    AT(GEN8, "a1", vs_threads, 1),
    AT(GEN8, "a2", hs_threads, 1),
    AT(GEN8, "a3", ds_threads, 1),
    AT(GEN8, "a5", gs_threads, 1),
    AT(GEN8, "a6", ps_threads, 1),
    AT(GEN8, "a21", rasterized, 4),
    AT(GEN8, "a22", hiz_fails, 4),
    AT(GEN8, "a24", killed, 4),
    AT(GEN8, "a26", written, 4),
    AT(GEN8, "a27", blended, 4),
};

const size_t draw_place_count = COUNT(draw_places);

unsigned draw_member(const struct draw_want *want, size_t index)
{
    return ((const unsigned *)want)[index];
}

struct tally_cost draw_numbers(void)
{
    struct tally_error error = {0};
    struct tally_cost cost;
    int result =
        cost_table_read(yaml_in(numbers, sizeof numbers - 1, "numbers"),
                        cost_table_default(intel_modelled("skl")), &cost, NULL, NULL, &error);
    if (result < 0)
        fail_msg("%s", error.message);
    return cost;
}
