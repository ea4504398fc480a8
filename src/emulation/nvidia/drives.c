/* SPDX-License-Identifier: MIT */
/*
 * The signals that units drive (docs/workloads.md, "NVIDIA's signals").
 *
 * The published name of a signal says which unit it belongs to; what it means follows from the
 * vendor's events, whose set-ups are published (events-tesla, events-fermi of re-pcounter-tools):
 * the logic operation over the signals must give the event. "(a0 & a1) | (a2 & a3)" is a busy event
 * of two pairs, of which a0 requests and a1 is ready; "(a0 & !a1) | ..." over the same signals
 * counts waiting. The second pair stays 0. What is not published is decided here, and marked
 * "decided".
 */
#include "emulation/nvidia/drives.h"

#include "base/bits.h"

#define ON(selector, value)                                                                        \
    {                                                                                              \
        selector, value, 0                                                                         \
    }
#define BITS(selector, value, mask)                                                                \
    {                                                                                              \
        selector, value, mask                                                                      \
    }

/* Events of a quad of pixels or texels. */
#define QUADS .times = 1, .per = 4

/* A primitive is a triangle of three vertices, none of which is shared (decided). */
#define TRIANGLES .unit = UNIT_VS_THREADS, .times = 1, .per = 3

/* A tile has 4 x 4 pixels (decided). */
#define TILES .times = 1, .per = 16

/* All four bits of the level are 0 for a sample of the base level, 1 without a sample. */
#define TEX_ON BITS("TEX", 1u << 11, 1u << 11)

// clang-format off
const struct drive_row drive_rows[] = {
    /* ---- Curie: core clock, whose signals are not published ---------------------------------- */
    /* Which signals have which index is the model's choice (decided). */
    {OF_NV40, DRIVE_BUSY,    UNIT_GPU_BUSY,       .signal = "/1/00", .source = "decided"},
    {OF_NV40, DRIVE_BUSY,    UNIT_VS_ACTIVE,      .signal = "/1/01", .source = "decided"},
    {OF_NV40, DRIVE_STALLED, UNIT_VS_ACTIVE,      .signal = "/1/02", .source = "decided"},
    {OF_NV40, DRIVE_BUSY,    UNIT_PS_ACTIVE,      .signal = "/1/03", .source = "decided"},
    {OF_NV40, DRIVE_STALLED, UNIT_PS_ACTIVE,      .signal = "/1/04", .source = "decided"},
    {OF_NV40, DRIVE_BUSY,    UNIT_SAMPLER_BUSY,   .signal = "/1/05", .source = "decided"},
    {OF_NV40, DRIVE_EVENTS,  UNIT_VS_THREADS,     .signal = "/1/06", .source = "decided"},
    {OF_NV40, DRIVE_EVENTS,  UNIT_PIXELS_WRITTEN, .signal = "/1/07", QUADS, .source = "decided"},

    /* ---- Tesla: core clock A ---------------------------------------------------------------- */
    {OF_TESLA, DRIVE_IDLE, UNIT_GPU_BUSY, .signal = "PGRAPH.IDLE", .source = "gpu_idle"},

    /* Vertex fetch works while vertex shaders do, and waits for memory while they stall (decided). */
    {OF_G80,  DRIVE_REQUEST, UNIT_VS_ACTIVE, 24, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_busy, a0"},
    {OF_G80,  DRIVE_READY,   UNIT_VS_ACTIVE, 23, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_busy, a1"},
    {OF_G80,  DRIVE_STALLED, UNIT_VS_ACTIVE, 14, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_waits_for_fb"},
    {OF_G200, DRIVE_REQUEST, UNIT_VS_ACTIVE, 21, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_busy, a0"},
    {OF_G200, DRIVE_READY,   UNIT_VS_ACTIVE, 20, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_busy, a1"},
    {OF_G200, DRIVE_STALLED, UNIT_VS_ACTIVE, 11, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "input_assembler_waits_for_fb"},
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .element = 8, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 1)}, .source = "geom_primitive_in_count"},
    {OF_TESLA, DRIVE_NUMBER, UNIT_VS_THREADS, 14, 0, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 0)}, .source = "geom_vertex_in_count, bit 0"},
    {OF_TESLA, DRIVE_NUMBER, UNIT_VS_THREADS, 15, 1, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 0)}, .source = "geom_vertex_in_count, bit 1"},
    {OF_TESLA, DRIVE_NUMBER, UNIT_VS_THREADS, 16, 2, .signal = "VFETCH.MUX", .conditions = {ON("VFETCH", 0)}, .source = "geom_vertex_in_count, bit 2"},
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .signal = "@geom_primitive_out_count", .source = "the event"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_VS_THREADS, .signal = "@geom_vertex_out_count", .source = "the event"},

    /* Set-up: the kind of primitive, and two signals that all kinds share (setup_*_count). */
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .signal = "@setup_primitive_count", .source = "the event"},
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .signal = "@setup_triangle_count[0]", .source = "setup_triangle_count, a0"},
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .signal = "@setup_*_count[1]", .source = "setup_triangle_count, a1"},
    {OF_TESLA, DRIVE_EVENTS, TRIANGLES, .signal = "@setup_*_count[2]", .source = "setup_triangle_count, a2"},

#define TILE_BIT(n) \
    {OF_TESLA, DRIVE_NUMBER, UNIT_PIXELS_RASTERIZED, n, n, TILES, .signal = "@rasterized_tiles_*[0-5]", .conditions = {ON("ZCULL", 0)}, .source = "rasterizer_tiles_in_count"}, \
    {OF_TESLA, DRIVE_NUMBER, UNIT_DEPTH_HIZ_FAIL,    n, n, TILES, .signal = "@rasterized_tiles_*[0-5]", .conditions = {ON("ZCULL", 7)}, .source = "rasterizer_tiles_killed_by_zcull_count"}
    TILE_BIT(0), TILE_BIT(1), TILE_BIT(2), TILE_BIT(3), TILE_BIT(4), TILE_BIT(5),

    /* ---- Tesla: core clock B ---------------------------------------------------------------- */
    /* A packet has a quad of pixels (decided): the number in the bits 0 to 5 is 4. The ROPs are busy for
     * a clock with each quad that is written; they never wait for memory, as on G84 to G98 (PC-E). */
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,    2, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x00)}, .source = "rop_busy, a0"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,    3, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x00)}, .source = "rop_busy, a1"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,    2, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x15)}, .source = "rop_samples_in_count_1, bit 2"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,    6, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x15)}, .source = "rop_samples_in_count_0, a1"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,    7, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x15)}, .source = "rop_samples_in_count_0, a0"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_RASTERIZED, 2, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x16)}, .source = "rasterizer_pixels_out_count_1, bit 2"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_RASTERIZED, 6, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x16)}, .source = "rasterizer_pixels_out_count_0, a1"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_PIXELS_RASTERIZED, 7, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x16)}, .source = "rasterizer_pixels_out_count_0, a0"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_DEPTH_EARLY_FAIL,  2, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x1a)}, .source = "rop_samples_killed_by_earlyz_count, bit 2"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_DEPTH_EARLY_FAIL,  7, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x1a)}, .source = "rop_samples_killed_by_earlyz_count, a0"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_DEPTH_LATE_FAIL,   2, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x1b)}, .source = "rop_samples_killed_by_latez_count, bit 2"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_DEPTH_LATE_FAIL,   7, QUADS, .signal = "PROP.MUX", .conditions = {ON("PROP", 0x1b)}, .source = "rop_samples_killed_by_latez_count, a0"},

    /* The texture cache is accessed once for a quad of texels, and waits a clock for each miss
     * (decided). */
    {OF_TESLA, DRIVE_EVENTS, UNIT_SAMPLER_MISSES, .signal = "@tex_cache_miss", .conditions = {TEX_ON}, .source = "nouveau, tex_cache_miss"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_SAMPLER_TEXELS, .times = 1, .per = 4, .less = UNIT_SAMPLER_MISSES, .signal = "@tex_cache_hit", .conditions = {TEX_ON}, .source = "nouveau, tex_cache_hit"},
    {OF_G80_TEX, DRIVE_EVENTS, UNIT_SAMPLER_MISSES, .signal = "@texture_waits_for_fb", .conditions = {TEX_ON}, .source = "the event"},
    {OF_G84_TEX, DRIVE_EVENTS, UNIT_SAMPLER_MISSES, .signal = "@texture_waits_for_fb", .conditions = {TEX_ON, BITS("TEX.FB", 1u << 11, 1u << 11)}, .source = "the event"},
    {OF_TESLA, DRIVE_NO_EVENT, UNIT_SAMPLER_TEXELS, 0, QUADS, .signal = "@texture_sample_level[0-3]", .conditions = {TEX_ON}, .source = "texture_sample_base_level_rate"},
    {OF_TESLA, DRIVE_NO_EVENT, UNIT_SAMPLER_TEXELS, 1, QUADS, .signal = "@texture_sample_level[0-3]", .conditions = {TEX_ON}, .source = "texture_sample_base_level_rate"},
    {OF_TESLA, DRIVE_NO_EVENT, UNIT_SAMPLER_TEXELS, 2, QUADS, .signal = "@texture_sample_level[0-3]", .conditions = {TEX_ON}, .source = "texture_sample_base_level_rate"},
    {OF_TESLA, DRIVE_NO_EVENT, UNIT_SAMPLER_TEXELS, 3, QUADS, .signal = "@texture_sample_level[0-3]", .conditions = {TEX_ON}, .source = "texture_sample_base_level_rate"},

    /* ---- Tesla: memory ---------------------------------------------------------------------- */
    {OF_TESLA, DRIVE_EVENTS, UNIT_GTI_READS,  .signal = "PFB.READ",  .source = "the name"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_GTI_READS,  .signal = "PFB_READ",  .source = "the name"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_GTI_WRITES, .signal = "PFB.WRITE", .source = "the name"},
    {OF_TESLA, DRIVE_EVENTS, UNIT_GTI_WRITES, .signal = "PFB_WRITE", .source = "the name"},

    /* ---- Tesla: shader clock ---------------------------------------------------------------- */
    /* PM_GROUP_SEL has a byte for each group of four wires: the function, whose wire `element` is. */
#define MPC(value) .signal = "MPC GROUP", .groups = true, .conditions = {ON("MPC", value), ON("MPC.OUT", 1)}
    {OF_G80,  DRIVE_BUSY,    UNIT_EU_ACTIVE,          0, MPC(0x00), .source = "shader_busy, multiprocessor 0"},
    {OF_G80,  DRIVE_BUSY,    UNIT_EU_ACTIVE,          0, MPC(0x01), .source = "shader_busy, multiprocessor 1"},
    {OF_G80,  DRIVE_REQUEST, UNIT_GS_ACTIVE,          0, MPC(0x03), .source = "geom_busy, a0"},
    {OF_G80,  DRIVE_READY,   UNIT_GS_ACTIVE,          1, MPC(0x03), .source = "geom_busy, a1"},
    {OF_G80,  DRIVE_BUSY,    UNIT_GS_BOTTLENECK,      0, MPC(0x04), .source = "shader_waits_for_geom, a0"},
    {OF_G80,  DRIVE_BUSY,    UNIT_SAMPLER_BUSY,       2, MPC(0x10), .source = "texture_busy, a0"},
    {OF_G80,  DRIVE_IDLE,    UNIT_SAMPLER_BOTTLENECK, 3, MPC(0x10), .source = "shader_waits_for_texture, a1"},
    {OF_G200, DRIVE_BUSY,    UNIT_EU_ACTIVE,          0, MPC(0x14), .source = "shader_busy, multiprocessor 0"},
    {OF_G200, DRIVE_BUSY,    UNIT_EU_ACTIVE,          0, MPC(0x28), .source = "shader_busy, multiprocessor 1"},
    {OF_G200, DRIVE_BUSY,    UNIT_EU_ACTIVE,          0, MPC(0x3c), .source = "shader_busy, multiprocessor 2"},
    {OF_G200, DRIVE_REQUEST, UNIT_GS_ACTIVE,          0, MPC(0x16), .source = "geom_busy, a0"},
    {OF_G200, DRIVE_READY,   UNIT_GS_ACTIVE,          1, MPC(0x16), .source = "geom_busy, a1"},
    {OF_G200, DRIVE_BUSY,    UNIT_GS_BOTTLENECK,      2, MPC(0x16), .source = "shader_waits_for_geom, a0"},
    {OF_G200, DRIVE_BUSY,    UNIT_SAMPLER_BUSY,       2, MPC(0x01), .source = "texture_busy, a0"},
    {OF_G200, DRIVE_IDLE,    UNIT_SAMPLER_BOTTLENECK, 3, MPC(0x01), .source = "shader_waits_for_texture, a1"},

    /* ---- Fermi ------------------------------------------------------------------------------ */
    /* Events are spread evenly over the GPCs or partitions (decided). */
    {OF_FERMI, DRIVE_BUSY, UNIT_GPU_BUSY,  .signal = "/HUB6/02", .conditions = {ON("DISPATCH", 7)}, .source = "gpu_busy"},
    {OF_FERMI, DRIVE_BUSY, UNIT_GS_ACTIVE, .signal = "/HUB6/2e", .conditions = {ON("UNK6000", 0xc)}, .source = "geom_busy, a0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_GS_ACTIVE, .signal = "/HUB6/2f", .conditions = {ON("UNK6000", 0xc)}, .source = "geom_busy, a1"},
#define HUB4(family) \
    {family, DRIVE_BUSY, UNIT_GPU_BUSY,  .signal = "/HUB4/02", .conditions = {ON("DISPATCH", 7)}, .source = "gpu_busy"}, \
    {family, DRIVE_BUSY, UNIT_GS_ACTIVE, .signal = "/HUB4/2e", .conditions = {ON("UNK6000", 0xc)}, .source = "geom_busy, a0"}, \
    {family, DRIVE_BUSY, UNIT_GS_ACTIVE, .signal = "/HUB4/2f", .conditions = {ON("UNK6000", 0xc)}, .source = "geom_busy, a1"}
    HUB4(OF_GF108), HUB4(OF_GF119),

    /* Multiprocessor: an instruction at each active clock (decided). */
    {OF_FERMI, DRIVE_BUSY, UNIT_EU_ACTIVE, .signal = "/GPC0/37", .conditions = {ON("MP", 0x00)}, .source = "shader_busy, a0"},
    {OF_FERMI, DRIVE_REQUEST, UNIT_EU_ACTIVE, .signal = "/GPC0/31", .conditions = {ON("MP", 0x1d)}, .source = "active_cycles"},
#define WARPS(index, n) {OF_FERMI, DRIVE_LEVEL, UNIT_EU_OCCUPANCY, 0, n, .signal = index, .conditions = {ON("MP", 0x24)}, .source = "active_warps"}
    WARPS("/GPC0/32", 0), WARPS("/GPC0/33", 1), WARPS("/GPC0/34", 2), WARPS("/GPC0/35", 3), WARPS("/GPC0/36", 4), WARPS("/GPC0/37", 5),
    {OF_FERMI, DRIVE_BUSY, UNIT_EU_ACTIVE, .signal = "/GPC0/31", .conditions = {ON("MP", 0x2d)}, .source = "inst_executed, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_PS_ACTIVE, .signal = "/GPC0/34", .conditions = {ON("MP", 0x2e)}, .source = "inst_executed_ps, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_CS_ACTIVE, .signal = "/GPC0/31", .conditions = {ON("MP", 0x7f)}, .source = "inst_executed_cs, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_VS_ACTIVE, .signal = "/GPC0/31", .conditions = {ON("MP", 0xa1)}, .source = "inst_executed_vs, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_HS_ACTIVE, .signal = "/GPC0/34", .conditions = {ON("MP", 0xa1)}, .source = "inst_executed_tcs, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_DS_ACTIVE, .signal = "/GPC0/31", .conditions = {ON("MP", 0xa2)}, .source = "inst_executed_tes, bit 0"},
    {OF_FERMI, DRIVE_BUSY, UNIT_GS_ACTIVE, .signal = "/GPC0/34", .conditions = {ON("MP", 0xa2)}, .source = "inst_executed_gs, bit 0"},
    /* A warp has 32 threads: bit 5 of the number. */
    {OF_FERMI, DRIVE_EVENTS, ALL_THREADS, .signal = "/GPC0/31", .conditions = {ON("MP", 0x26)}, .source = "warps_launched"},
    {OF_FERMI, DRIVE_EVENTS, ALL_THREADS, .signal = "/GPC0/37", .conditions = {ON("MP", 0x26)}, .source = "threads_launched, bit 5"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SLM_READS,  .signal = "/GPC0/32", .conditions = {ON("MP", 0x64)}, .source = "inst_executed_shared_loads"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SLM_WRITES, .signal = "/GPC0/35", .conditions = {ON("MP", 0x64)}, .source = "inst_executed_shared_stores"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_MEMORY_ACCESSES, .signal = "/GPC0/34", .conditions = {ON("MP", 0x64)}, .source = "inst_executed_global_loads"},

    /* First-level cache. */
    {OF_FERMI, DRIVE_EVENTS, UNIT_SLM_READS,  .signal = "/GPC0/00", .conditions = {ON("L1", 0)}, .source = "l1_shared_load_transactions"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SLM_WRITES, .signal = "/GPC0/01", .conditions = {ON("L1", 0)}, .source = "l1_shared_store_transactions"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_MEMORY_ACCESSES, .less = UNIT_MEMORY_MISSES, .signal = "/GPC0/05", .conditions = {ON("L1", 1)}, .source = "l1_global_load_transactions_hit"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_MEMORY_MISSES,  .signal = "/GPC0/06", .conditions = {ON("L1", 1)}, .source = "l1_global_load_transactions_miss"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_MEMORY_ATOMICS, .signal = "/GPC0/04", .conditions = {ON("L1", 2)}, .source = "inst_executed_atom"},

    /* Textures: in quads. The selector of the texture unit is TEX.UNIT. */
    {OF_FERMI, DRIVE_BUSY,   UNIT_SAMPLER_BUSY,   .signal = "/GPC0/5e", .conditions = {ON("TEX.A", 0x22), ON("TEX.UNIT", 0)}, .source = "texture_busy, a0"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SAMPLER_TEXELS, 0, QUADS, .signal = "/GPC0/0c", .conditions = {ON("TEX.CD", 3)}, .source = "tex0_cache_texel_queries, bit 2"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SAMPLER_MISSES, .signal = "/GPC0/0a", .conditions = {ON("TEX.CD", 4)}, .source = "tex0_cache_sector_misses, bit 0"},
    {OF_FERMI, DRIVE_EVENTS, UNIT_SAMPLER_TEXELS, 0, QUADS, .signal = "/GPC0/0e", .conditions = {ON("TEX.CD", 5)}, .source = "tex0_cache_sector_queries, bit 0"},

    /* Vertices, set-up, pixels. */
    {OF_FERMI, DRIVE_EVENTS, UNIT_VS_THREADS, .signal = "/GPC0/48", .conditions = {ON("POLY", 0x9c)}, .source = "ia_requests"},
    {OF_FERMI, DRIVE_EVENTS, TRIANGLES, .signal = "/GPC0/56", .conditions = {ON("ESETUP", 0)}, .source = "setup_primitive_count"},
#define SHADED(index, n) {OF_FERMI, DRIVE_NUMBER, UNIT_PIXELS_RASTERIZED, 0, n, .signal = index, .conditions = {ON("UNK400", 0xe)}, .source = "shaded_pixel_count"}
    SHADED("/GPC0/20", 0), SHADED("/GPC0/21", 1), SHADED("/GPC0/22", 2), SHADED("/GPC0/23", 3),
    {OF_FERMI, DRIVE_EVENTS, UNIT_CS_THREADS, .signal = "/GPC0/26", .conditions = {ON("UNK400", 0xe)}, .source = "cta_launched"},
#define ROPS(family) \
    {family, DRIVE_EVENTS, UNIT_PIXELS_WRITTEN,   0, QUADS, .signal = "/PART1/03", .conditions = {ON("CROP", 0xf)}, .source = "crop_busy, a0"}, \
    {family, DRIVE_EVENTS, UNIT_DEPTH_EARLY_PASS, 0, QUADS, .signal = "/PART1/1b", .conditions = {ON("ZROP", 0x7)}, .source = "zrop_busy, a0"}
    ROPS(OF_FERMI), ROPS(OF_GF119),

    /* Memory: 64 bytes are a sector of 32 bytes in each of the two subpartitions. */
#define FB(family, reads, writes) \
    {family, DRIVE_EVENTS, UNIT_GTI_READS,  .signal = reads,  .conditions = {ON("PBFB", 0x111)}, .source = "fb_subp0_read_sectors"}, \
    {family, DRIVE_EVENTS, UNIT_GTI_READS,  .signal = reads,  .conditions = {ON("PBFB", 0x121)}, .source = "fb_subp1_read_sectors"}, \
    {family, DRIVE_EVENTS, UNIT_GTI_WRITES, .signal = writes, .conditions = {ON("PBFB", 0x111)}, .source = "fb_subp0_write_sectors"}, \
    {family, DRIVE_EVENTS, UNIT_GTI_WRITES, .signal = writes, .conditions = {ON("PBFB", 0x121)}, .source = "fb_subp1_write_sectors"}
    FB(OF_FERMI, "/PART0/0f", "/PART0/10"),
    FB(OF_GF108, "/PART0/14", "/PART0/15"),
    FB(OF_GF119, "/PART0/00", "/PART0/01"),
};
// clang-format on

const size_t drive_row_count = ARRAY_COUNT(drive_rows);

bool drive_row_is_of(const struct drive_row *row, const struct tally_chipset *chipset)
{
    static const struct {
        uint8_t family;
        const char *first, *end; /* end: the first one after them, "": none */
    } ranges[] = {
        {OF_NV40, "nv40", "g80"},     {OF_TESLA, "g80", "gf100"},   {OF_G80, "g80", "g200"},
        {OF_G200, "g200", "gf100"},   {OF_G80_TEX, "g80", "g84"},   {OF_G84_TEX, "g84", "gf100"},
        {OF_FERMI, "gf100", "gf108"}, {OF_FERMI, "gf110", "gf119"}, {OF_GF108, "gf108", "gf110"},
        {OF_GF119, "gf119", ""},
    };
    for (size_t i = 0; i < ARRAY_COUNT(ranges); i++) {
        const struct tally_chipset *end = tally_chipset_find(ranges[i].end);
        if (ranges[i].family == row->family &&
            chipset->order >= tally_chipset_find(ranges[i].first)->order &&
            (!end || chipset->order < end->order))
            return true;
    }
    return false;
}
