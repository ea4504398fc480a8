/* SPDX-License-Identifier: MIT */
/*
 * What draws cost, computed by hand: statistics registers, A counters and busy clocks of the whole
 * GPU on each generation, with the numbers below. The base draw is a list of triangles that covers
 * half of 64 by 32 pixels: 1024, which take 256 clocks behind the 100 of each draw. It goes to two
 * render targets.
 */
#include "intel/batches.h"

#include "intel/cost/table.h"
#include "intel/gpu/gpu.h"
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

struct want {
    /* Statistics registers. */
    unsigned ia_vertices, ia_primitives, vs, hs, ds, gs, gs_primitives, cl, cl_primitives, ps,
        depth;
    unsigned so_written, so_needed;
    /* Threads, and samples by what became of them. */
    unsigned vs_threads, hs_threads, ds_threads, gs_threads, ps_threads;
    unsigned rasterized, stencil_fails, hiz_fails, depth_fails, killed, alpha_fails;
    unsigned late_stencil_fails, late_depth_fails, written, blended;
    unsigned clocks;
};

#define ALL  "snb ivb vlv hsw bdw chv skl icl lkf tgl"
#define GEN7 "ivb vlv hsw bdw chv skl icl lkf tgl"

struct row {
    unsigned line;
    const char *platforms, *what;
    struct batch_draw draw;
    struct want want;
};

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

static const struct row rows[] = {
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

/* ---- reading --------------------------------------------------------------------------------- */

/* Where values of struct want are. `per` values make an event. */
struct place {
    const char *platforms, *counter;
    size_t member;
    unsigned per;
};

#define AT(platforms, counter, member, per)                                                        \
    {                                                                                              \
        platforms, counter, offsetof(struct want, member) / sizeof(unsigned), per                  \
    }
#define GEN7_75 "ivb vlv hsw"
#define GEN8    "bdw chv skl icl lkf tgl"

static const struct place places[] = {
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

static unsigned member(const struct want *want, size_t index)
{
    return ((const unsigned *)want)[index];
}

static void start_counting(struct gpu_rig *rig)
{
    bool oag = rig->model == INTEL_TGL;
    tally_gpu_write32(rig->gpu, oag ? 0x2b28 : 0x2360, 1);
    if (rig->model >= INTEL_BDW)
        tally_gpu_write32(rig->gpu, oag ? 0xdaf4 : 0x2b00, 0x15);
}

static uint64_t register64(struct gpu_rig *rig, uint32_t address)
{
    return tally_gpu_read32(rig->gpu, address) | (uint64_t)tally_gpu_read32(rig->gpu, address + 4)
                                                     << 32;
}

static void check_statistics(unsigned line, const char *what, struct gpu_rig *rig,
                             const struct want *want)
{
    const struct {
        uint32_t address;
        unsigned value;
    } registers[] = {
        {0x2310, want->ia_vertices},
        {0x2318, want->ia_primitives},
        {0x2320, want->vs},
        {0x2328, want->gs},
        {0x2330, want->gs_primitives},
        {0x2338, want->cl},
        {0x2340, want->cl_primitives},
        {0x2348, want->ps},
        {0x2350, want->depth},
        {0x2300, want->hs},
        {0x2308, want->ds},
        {rig->model == INTEL_SNB ? 0x2288 : 0x5200, want->so_written},
        {rig->model == INTEL_SNB ? 0x2280 : 0x5240, want->so_needed},
    };
    for (unsigned i = 0; i < COUNT(registers); i++)
        ROW(line, register64(rig, registers[i].address) == registers[i].value,
            "%s, %s: %04x is %u, not %u", what, revision_name(rig->model), registers[i].address,
            (unsigned)register64(rig, registers[i].address), registers[i].value);
}

static void check_counters(unsigned line, const char *what, struct gpu_rig *rig,
                           const struct want *want)
{
    const char *platform = revision_name(rig->model);
    for (unsigned i = 0; i < COUNT(places); i++) {
        uint64_t value = member(want, places[i].member) / places[i].per;
        if (strstr(places[i].platforms, platform))
            ROW(line, gpu_rig_value(rig, places[i].counter) == value, "%s, %s: %s is %u, not %u",
                what, platform, places[i].counter, (unsigned)gpu_rig_value(rig, places[i].counter),
                (unsigned)value);
    }
    unsigned early = want->depth_fails + want->stencil_fails;
    unsigned late = want->late_depth_fails + want->late_stencil_fails;
    if (rig->model == INTEL_SNB)
        ROW(line, gpu_rig_value(rig, "a21") == 2 * want->killed, "%s: kills", what);
    if (rig->model == INTEL_HSW) /* RenderBasic subtracts kills from A39 */
        ROW(line, gpu_rig_value(rig, "a39") == want->late_depth_fails + want->killed,
            "%s: late depth failures", what);
    if (rig->model >= INTEL_BDW) {
        ROW(line, gpu_rig_value(rig, "a23") == early / 4, "%s, %s: A23", what, platform);
        ROW(line, gpu_rig_value(rig, "a25") == late / 4, "%s, %s: A25", what, platform);
    }
}

/* ---- draws ----------------------------------------------------------------------------------- */

static struct tally_cost test_numbers(void)
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

/* Submits a batch and runs it to its end. Returns how long the work of its last command takes. */
static uint64_t run_batch(struct batch *batch, unsigned line, enum cs_engine_id id)
{
    struct tally_gpu *gpu = batch->rig->gpu;
    struct gpu_engine *engine = &gpu->engines[id];
    uint64_t clocks = 0, until = engine->busy_until;
    batch_submit(batch, engine->streamer.engine->name);
    for (unsigned i = 0; i < 10000 && !tally_gpu_is_idle(gpu) && !clocks; i++) {
        tally_gpu_run(gpu, 1);
        if (engine->busy_until != until)
            clocks = engine->busy_until - max_u64(until, tally_gpu_now(gpu) - 1);
        until = engine->busy_until;
    }
    batch_finish(batch, line);
    return clocks;
}

static void run_row(const struct row *row, const char *platform, const struct tally_cost *cost)
{
    struct gpu_rig *rig = gpu_rig_awake(row->line, platform);
    struct batch batch;
    tally_gpu_set_cost(rig->gpu, cost);
    start_counting(rig);
    batch_begin(&batch, rig);
    batch_draw(&batch, &row->draw);
    uint64_t clocks = run_batch(&batch, row->line, CS_RCS0);
    ROW(row->line, clocks == row->want.clocks, "%s, %s: %u clocks, not %u", row->what, platform,
        (unsigned)clocks, row->want.clocks);
    check_statistics(row->line, row->what, rig, &row->want);
    check_counters(row->line, row->what, rig, &row->want);
    gpu_rig_free(rig);
}

static void test_draws(void **state)
{
    (void)state;
    struct tally_cost cost = test_numbers();
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(rows); i++)
            if (strstr(rows[i].platforms, revision_name(p)))
                run_row(&rows[i], revision_name(p), &cost);
    ROWS_DONE();
}

/* ---- walkers --------------------------------------------------------------------------------- */

/* A thread is active for 100 clocks and loaded for 300. */
static void test_walkers(void **state)
{
    (void)state;
    struct tally_cost cost = test_numbers();
    static const struct {
        unsigned line, groups[3], threads, simd;
        bool barrier, slm, indirect;
        unsigned all, invocations;
    } walkers[] = {
        {__LINE__, {4, 2, 1}, 8, 1, false, false, false, 64, 1024},
        {__LINE__, {4, 2, 3}, 5, 0, true, false, false, 120, 960},
        {__LINE__, {7, 1, 1}, 1, 2, false, true, false, 7, 224},
        {__LINE__, {4, 2, 1}, 8, 1, true, true, true, 64, 1024},
        {__LINE__, {0, 2, 1}, 8, 1, true, true, false, 0, 0},
    };
    for (unsigned p = INTEL_IVB; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(walkers); i++) {
            struct gpu_rig *rig = gpu_rig_awake(walkers[i].line, revision_name(p));
            struct batch batch;
            bool flexible = p >= INTEL_BDW;
            unsigned threads = walkers[i].all;
            uint64_t eus = tally_gpu_eus(rig->gpu);
            uint64_t slots = eus * tally_platform_find(revision_name(p))->eu_threads;
            tally_gpu_set_cost(rig->gpu, &cost);
            start_counting(rig);
            batch_begin(&batch, rig);
            batch_walk(&batch, walkers[i].groups, walkers[i].threads, walkers[i].simd,
                       walkers[i].barrier, walkers[i].slm, walkers[i].indirect);
            uint64_t clocks = run_batch(&batch, walkers[i].line, CS_RCS0);
            /* Half of the 8 accesses of a thread miss: 4 reads. */
            uint64_t want = 100 + max_u64(max_u64((threads * 100 + eus - 1) / eus,
                                                  (threads * 300 + slots - 1) / slots),
                                          threads * 4);
            ROW(walkers[i].line, clocks == want, "%s: %u clocks, not %u", revision_name(p),
                (unsigned)clocks, (unsigned)want);
            ROW(walkers[i].line, register64(rig, 0x2290) == walkers[i].invocations,
                "%s: %u invocations", revision_name(p), (unsigned)register64(rig, 0x2290));
            const struct {
                const char *counter;
                unsigned value;
            } counters[] = {
                {flexible ? "a4" : "a20", threads},
                {flexible ? "a30" : "a20", flexible ? 6 * threads * walkers[i].slm : threads},
                {flexible ? "a31" : "a20", flexible ? 5 * threads * walkers[i].slm : threads},
                {flexible ? "a32" : "a20", flexible ? 8 * threads : threads},
                {flexible ? "a33" : "a20", flexible ? 4 * threads : threads},
                {flexible ? "a34" : "a20", flexible ? 2 * threads : threads},
                {flexible ? "a35" : "a20", flexible ? 3 * threads * walkers[i].barrier : threads},
            };
            for (unsigned c = 0; c < COUNT(counters); c++)
                ROW(walkers[i].line, gpu_rig_value(rig, counters[c].counter) == counters[c].value,
                    "%s: %s is %u, not %u", revision_name(p), counters[c].counter,
                    (unsigned)gpu_rig_value(rig, counters[c].counter), counters[c].value);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- blits ----------------------------------------------------------------------------------- */

/* 8 bytes take a clock; each blit takes 100 besides. */
static void test_blits(void **state)
{
    (void)state;
    struct tally_cost cost = test_numbers();
#define DWORDS(...) {__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__}))
    static const struct {
        unsigned line;
        const char *platforms;
        uint32_t dwords[10];
        size_t count;
        unsigned clocks;
    } blits[] = {
        /* XY_COLOR_BLT: 32 bits, 64 by 32 at 8, 4; then 16 and 8 bits; nothing. */
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x54000004, 1u << 24, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 612},
        {__LINE__, ALL, DWORDS(0x54000004, 0, 4 << 16 | 8, 36 << 16 | 72, 0, 0), 356},
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 4 << 16 | 8, 4 << 16 | 72, 0, 0), 100},
        {__LINE__, ALL, DWORDS(0x54000004, 3u << 24, 0, 0xffffffff, 0, 0), 100}, /* to -1, -1 */
        /* XY_SRC_COPY_BLT */
        {__LINE__, ALL, DWORDS(0x54c00006, 3u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0), 1124},
        /* XY_FAST_COPY_BLT: 128 and 32 bits */
        {__LINE__, "skl icl lkf tgl",
         DWORDS(0x50800008, 6u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0, 0, 0), 4196},
        {__LINE__, "skl icl lkf tgl",
         DWORDS(0x50800008, 3u << 24, 0, 32 << 16 | 64, 0, 0, 0, 0, 0, 0), 1124},
        /* COLOR_BLT, SRC_COPY_BLT: 256 bytes by 32 */
        {__LINE__, ALL, DWORDS(0x50000003, 0, 32 << 16 | 256, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x50c00004, 0, 32 << 16 | 256, 0, 0, 0), 1124},
        {__LINE__, ALL, DWORDS(0x4f000000, 0), 100}, /* another */
    };
    for (unsigned p = 0; p < INTEL_REVISIONS; p++)
        for (unsigned i = 0; i < COUNT(blits); i++) {
            if (!strstr(blits[i].platforms, revision_name(p)))
                continue;
            struct gpu_rig *rig = gpu_rig_awake(blits[i].line, revision_name(p));
            struct batch batch;
            tally_gpu_set_cost(rig->gpu, &cost);
            batch_begin(&batch, rig);
            batch_emit(&batch, blits[i].dwords, blits[i].count);
            uint64_t clocks = run_batch(&batch, blits[i].line, CS_BCS0);
            ROW(blits[i].line, clocks == blits[i].clocks, "%s: %u clocks, not %u", revision_name(p),
                (unsigned)clocks, blits[i].clocks);
            gpu_rig_free(rig);
        }
    ROWS_DONE();
}

/* ---- flushes, clears, video ------------------------------------------------------------------ */

static void test_others(void **state)
{
    (void)state;
    struct tally_cost cost = test_numbers();
    for (unsigned p = 0; p < INTEL_REVISIONS; p++) {
        const char *platform = revision_name(p);
        struct gpu_rig *rig = gpu_rig_awake(__LINE__, platform);
        struct batch batch;
        tally_gpu_set_cost(rig->gpu, &cost);
        batch_begin(&batch, rig);
        batch_flush(&batch, 1 << 12 | 1 << 0, 0, BATCH_RESULTS); /* render target, depth */
        uint64_t clocks = run_batch(&batch, __LINE__, CS_RCS0);
        ROW(__LINE__, clocks == 100, "%s: flush of %u clocks", platform, (unsigned)clocks);
        batch_begin(&batch, rig);
        EMIT(&batch, 0x70000002, 0, 0, 0);
        clocks = run_batch(&batch, __LINE__, CS_VCS0);
        ROW(__LINE__, clocks == 64, "%s: video of %u clocks", platform, (unsigned)clocks);
        if (p >= INTEL_BDW) { /* a depth clear of 64 by 32, then nothing */
            start_counting(rig);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x78520003, 1u << 30, 0, 32 << 16 | 64, 0xffff);
            clocks = run_batch(&batch, __LINE__, CS_RCS0);
            ROW(__LINE__, clocks == 100 + 512, "%s: clear of %u clocks", platform,
                (unsigned)clocks);
            ROW(__LINE__, gpu_rig_value(rig, "a21") == 512, "%s: clear", platform);
            batch_begin(&batch, rig);
            EMIT(&batch, 0x78520003, 0, 0, 0, 0);
            ROW(__LINE__, run_batch(&batch, __LINE__, CS_RCS0) == 0, "%s: no clear", platform);
        }
        gpu_rig_free(rig);
    }
    ROWS_DONE();
}

int test_cost(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_draws),
        cmocka_unit_test(test_walkers),
        cmocka_unit_test(test_blits),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests_name("cost", tests, NULL, NULL);
}
