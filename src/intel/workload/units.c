/* SPDX-License-Identifier: MIT */
/*
 * The units of a GPU by name, and the counters for them on each platform.
 *
 * Sources: OA-2.12 and OA-2.13; PERF-4.9 and PERF-4.10. NOA bits are those of the platform's public
 * metric set RenderBasic (C counter i is bit 8 + i on maps B and C).
 */
#include "intel/workload/units.h"

#include <string.h>

#include "base/bits.h"
#include "intel/platforms.h"

// clang-format off
static const struct unit_info infos[UNITS] = {
    [UNIT_GPU_BUSY]           = {"gpu.busy",           CLASS_FLAG},
    [UNIT_EU_ACTIVE]          = {"eu.active",          CLASS_ARRAY},
    [UNIT_EU_STALLED]         = {"eu.stalled",         CLASS_ARRAY},
    [UNIT_EU_OCCUPANCY]       = {"eu.occupancy",       CLASS_LEVEL},
    [UNIT_EU_FPU0]            = {"eu.fpu0",            CLASS_PIPE},
    [UNIT_EU_FPU1]            = {"eu.fpu1",            CLASS_PIPE},
    [UNIT_EU_SEND]            = {"eu.send",            CLASS_PIPE},
    [UNIT_EU_HYBRID]          = {"eu.hybrid",          CLASS_KIND},
    [UNIT_EU_TERNARY]         = {"eu.ternary",         CLASS_KIND},
    [UNIT_EU_BINARY]          = {"eu.binary",          CLASS_KIND},
    [UNIT_EU_MOV]             = {"eu.mov",             CLASS_KIND},
    [UNIT_EU_SEND_START]      = {"eu.send-start",      CLASS_KIND},
    [UNIT_EU_BARRIERS]        = {"eu.barriers",        CLASS_EVENTS},
    [UNIT_VS_ACTIVE]          = {"vs.active",          CLASS_ARRAY},
    [UNIT_VS_STALLED]         = {"vs.stalled",         CLASS_ARRAY},
    [UNIT_VS_READY]           = {"vs.ready",           CLASS_ARRAY},
    [UNIT_VS_THREADS]         = {"vs.threads",         CLASS_EVENTS},
    [UNIT_HS_ACTIVE]          = {"hs.active",          CLASS_ARRAY},
    [UNIT_HS_STALLED]         = {"hs.stalled",         CLASS_ARRAY},
    [UNIT_HS_READY]           = {"hs.ready",           CLASS_ARRAY},
    [UNIT_HS_THREADS]         = {"hs.threads",         CLASS_EVENTS},
    [UNIT_DS_ACTIVE]          = {"ds.active",          CLASS_ARRAY},
    [UNIT_DS_STALLED]         = {"ds.stalled",         CLASS_ARRAY},
    [UNIT_DS_READY]           = {"ds.ready",           CLASS_ARRAY},
    [UNIT_DS_THREADS]         = {"ds.threads",         CLASS_EVENTS},
    [UNIT_GS_ACTIVE]          = {"gs.active",          CLASS_ARRAY},
    [UNIT_GS_STALLED]         = {"gs.stalled",         CLASS_ARRAY},
    [UNIT_GS_READY]           = {"gs.ready",           CLASS_ARRAY},
    [UNIT_GS_THREADS]         = {"gs.threads",         CLASS_EVENTS},
    [UNIT_PS_ACTIVE]          = {"ps.active",          CLASS_ARRAY},
    [UNIT_PS_STALLED]         = {"ps.stalled",         CLASS_ARRAY},
    [UNIT_PS_READY]           = {"ps.ready",           CLASS_ARRAY},
    [UNIT_PS_THREADS]         = {"ps.threads",         CLASS_EVENTS},
    [UNIT_CS_ACTIVE]          = {"cs.active",          CLASS_ARRAY},
    [UNIT_CS_STALLED]         = {"cs.stalled",         CLASS_ARRAY},
    [UNIT_CS_READY]           = {"cs.ready",           CLASS_ARRAY},
    [UNIT_CS_THREADS]         = {"cs.threads",         CLASS_EVENTS},
    [UNIT_VS_BOTTLENECK]      = {"vs.bottleneck",      CLASS_FLAG},
    [UNIT_GS_BOTTLENECK]      = {"gs.bottleneck",      CLASS_FLAG},
    [UNIT_CLIPPER_ACTIVE]     = {"clipper.active",     CLASS_FLAG},
    [UNIT_SETUP_ACTIVE]       = {"setup.active",       CLASS_FLAG},
    [UNIT_DEPTH_HIZ_PASS]     = {"depth.hiz-pass",     CLASS_EVENTS},
    [UNIT_DEPTH_HIZ_FAIL]     = {"depth.hiz-fail",     CLASS_EVENTS},
    [UNIT_DEPTH_EARLY_PASS]   = {"depth.early-pass",   CLASS_EVENTS},
    [UNIT_DEPTH_EARLY_FAIL]   = {"depth.early-fail",   CLASS_EVENTS},
    [UNIT_DEPTH_LATE_FAIL]    = {"depth.late-fail",    CLASS_EVENTS},
    [UNIT_STENCIL_EARLY_PASS] = {"stencil.early-pass", CLASS_EVENTS},
    [UNIT_STENCIL_EARLY_FAIL] = {"stencil.early-fail", CLASS_EVENTS},
    [UNIT_STENCIL_LATE_FAIL]  = {"stencil.late-fail",  CLASS_EVENTS},
    [UNIT_PIXELS_RASTERIZED]  = {"pixels.rasterized",  CLASS_EVENTS},
    [UNIT_PIXELS_KILLED]      = {"pixels.killed",      CLASS_EVENTS},
    [UNIT_PIXELS_ALPHA_FAIL]  = {"pixels.alpha-fail",  CLASS_EVENTS},
    [UNIT_PIXELS_WRITTEN]     = {"pixels.written",     CLASS_EVENTS},
    [UNIT_PIXELS_BLENDED]     = {"pixels.blended",     CLASS_EVENTS},
    [UNIT_SAMPLER_BUSY]       = {"sampler.busy",       CLASS_FLAG},
    [UNIT_SAMPLER_BOTTLENECK] = {"sampler.bottleneck", CLASS_FLAG},
    [UNIT_SAMPLER_TEXELS]     = {"sampler.texels",     CLASS_EVENTS},
    [UNIT_SAMPLER_MISSES]     = {"sampler.misses",     CLASS_EVENTS},
    [UNIT_SLM_READS]          = {"slm.reads",          CLASS_EVENTS},
    [UNIT_SLM_WRITES]         = {"slm.writes",         CLASS_EVENTS},
    [UNIT_MEMORY_ACCESSES]    = {"memory.accesses",    CLASS_EVENTS},
    [UNIT_MEMORY_MISSES]      = {"memory.misses",      CLASS_EVENTS},
    [UNIT_MEMORY_ATOMICS]     = {"memory.atomics",     CLASS_EVENTS},
    [UNIT_GTI_READS]          = {"gti.reads",          CLASS_EVENTS},
    [UNIT_GTI_WRITES]         = {"gti.writes",         CLASS_EVENTS},
    [UNIT_NOA + 0]  = {"noa.0",  CLASS_NOA}, [UNIT_NOA + 1]  = {"noa.1",  CLASS_NOA},
    [UNIT_NOA + 2]  = {"noa.2",  CLASS_NOA}, [UNIT_NOA + 3]  = {"noa.3",  CLASS_NOA},
    [UNIT_NOA + 4]  = {"noa.4",  CLASS_NOA}, [UNIT_NOA + 5]  = {"noa.5",  CLASS_NOA},
    [UNIT_NOA + 6]  = {"noa.6",  CLASS_NOA}, [UNIT_NOA + 7]  = {"noa.7",  CLASS_NOA},
    [UNIT_NOA + 8]  = {"noa.8",  CLASS_NOA}, [UNIT_NOA + 9]  = {"noa.9",  CLASS_NOA},
    [UNIT_NOA + 10] = {"noa.10", CLASS_NOA}, [UNIT_NOA + 11] = {"noa.11", CLASS_NOA},
    [UNIT_NOA + 12] = {"noa.12", CLASS_NOA}, [UNIT_NOA + 13] = {"noa.13", CLASS_NOA},
    [UNIT_NOA + 14] = {"noa.14", CLASS_NOA}, [UNIT_NOA + 15] = {"noa.15", CLASS_NOA},
};

#define SNB  INTEL_BIT(INTEL_SNB)
#define IVB  INTEL_BIT(INTEL_IVB)
#define HSW  INTEL_BIT(INTEL_HSW)
#define GEN7 (INTEL_BIT(INTEL_IVB) | INTEL_BIT(INTEL_VLV) | INTEL_BIT(INTEL_HSW))
#define GEN8 (INTEL_BIT(INTEL_BDW) | INTEL_BIT(INTEL_CHV) | INTEL_BIT(INTEL_SKL) | INTEL_BIT(INTEL_ICL) | INTEL_BIT(INTEL_LKF) | INTEL_BIT(INTEL_TGL))
#define LONG_RENDER (HSW | INTEL_BIT(INTEL_BDW) | INTEL_BIT(INTEL_CHV) | INTEL_BIT(INTEL_SKL)) /* with similar RenderBasic sets */
#define ICL  INTEL_BIT(INTEL_ICL)
#define LKF  INTEL_BIT(INTEL_LKF)
#define TGL  INTEL_BIT(INTEL_TGL)

#define A(n)   PLACE_A, n
#define N(bit) PLACE_NOA, bit
#define EU     PLACE_EU, 0

const struct unit_row unit_rows[] = {
    /* Sandy Bridge: OA-2.13, first paragraph. A21 counts killed samples twice (RenderBasic divides
     * it by 2). A7 to A11 count the geometry shader and GPGPU. */
    {SNB, UNIT_GPU_BUSY, A(26), 0, 0},
    {SNB, UNIT_EU_ACTIVE, A(0), 0, 0},        {SNB, UNIT_EU_STALLED, A(1), 0, 0},
    {SNB, UNIT_VS_ACTIVE, A(2), 0, 0},        {SNB, UNIT_VS_STALLED, A(4), 0, 0},
    {SNB, UNIT_VS_THREADS, A(5), 0, 0},       {SNB, UNIT_VS_READY, A(6), 0, 0},
    {SNB, UNIT_GS_ACTIVE, A(7), 0, 0},        {SNB, UNIT_GS_STALLED, A(9), 0, 0},
    {SNB, UNIT_GS_THREADS, A(10), 0, 0},      {SNB, UNIT_GS_READY, A(11), 0, 0},
    {SNB, UNIT_CS_ACTIVE, A(7), 0, 0},        {SNB, UNIT_CS_STALLED, A(9), 0, 0},
    {SNB, UNIT_CS_THREADS, A(10), 0, 0},      {SNB, UNIT_CS_READY, A(11), 0, 0},
    {SNB, UNIT_PS_ACTIVE, A(12), 0, 0},       {SNB, UNIT_PS_STALLED, A(14), 0, 0},
    {SNB, UNIT_PS_THREADS, A(15), 0, 0},      {SNB, UNIT_PS_READY, A(16), 0, 0},
    {SNB, UNIT_DEPTH_EARLY_PASS, A(17), 0, 0},   {SNB, UNIT_DEPTH_EARLY_FAIL, A(18), 0, 0},
    {SNB, UNIT_STENCIL_EARLY_PASS, A(19), 0, 0}, {SNB, UNIT_STENCIL_EARLY_FAIL, A(20), 0, 0},
    {SNB, UNIT_PIXELS_KILLED, A(21), 2, 1},   {SNB, UNIT_PIXELS_ALPHA_FAIL, A(22), 0, 0},
    {SNB, UNIT_STENCIL_LATE_FAIL, A(23), 0, 0},  {SNB, UNIT_DEPTH_LATE_FAIL, A(24), 0, 0},
    {SNB, UNIT_PIXELS_WRITTEN, A(25), 0, 0},
    {SNB, UNIT_CLIPPER_ACTIVE, A(27), 0, 0},  {SNB, UNIT_SETUP_ACTIVE, A(28), 0, 0},

    /* Ivy Bridge, Valleyview, Haswell: five counters per stage. For Haswell the manual documents a
     * stage's stalls as its third counter, but public metric sets read the second: both count. */
    {GEN7, UNIT_GPU_BUSY, A(41), 0, 0},
    {GEN7, UNIT_EU_ACTIVE, A(0), 0, 0},       {GEN7, UNIT_EU_STALLED, A(1), 0, 0},
    {GEN7, UNIT_VS_ACTIVE, A(2), 0, 0},       {GEN7, UNIT_VS_STALLED, A(4), 0, 0},
    {HSW,  UNIT_VS_STALLED, A(3), 0, 0},      {GEN7, UNIT_VS_THREADS, A(5), 0, 0},
    {GEN7, UNIT_HS_ACTIVE, A(7), 0, 0},       {GEN7, UNIT_HS_STALLED, A(9), 0, 0},
    {HSW,  UNIT_HS_STALLED, A(8), 0, 0},      {GEN7, UNIT_HS_THREADS, A(10), 0, 0},
    {GEN7, UNIT_DS_ACTIVE, A(12), 0, 0},      {GEN7, UNIT_DS_STALLED, A(14), 0, 0},
    {HSW,  UNIT_DS_STALLED, A(13), 0, 0},     {GEN7, UNIT_DS_THREADS, A(15), 0, 0},
    {GEN7, UNIT_CS_ACTIVE, A(17), 0, 0},      {GEN7, UNIT_CS_STALLED, A(19), 0, 0},
    {HSW,  UNIT_CS_STALLED, A(18), 0, 0},     {GEN7, UNIT_CS_THREADS, A(20), 0, 0},
    {GEN7, UNIT_GS_ACTIVE, A(22), 0, 0},      {GEN7, UNIT_GS_STALLED, A(24), 0, 0},
    {HSW,  UNIT_GS_STALLED, A(23), 0, 0},     {GEN7, UNIT_GS_THREADS, A(25), 0, 0},
    {GEN7, UNIT_PS_ACTIVE, A(27), 0, 0},      {GEN7, UNIT_PS_STALLED, A(29), 0, 0},
    {HSW,  UNIT_PS_STALLED, A(28), 0, 0},     {GEN7, UNIT_PS_THREADS, A(30), 0, 0},
    {GEN7, UNIT_DEPTH_HIZ_PASS, A(32), 0, 0}, {GEN7, UNIT_DEPTH_HIZ_FAIL, A(33), 0, 0},
    {IVB,  UNIT_DEPTH_EARLY_PASS, A(34), 0, 0}, {GEN7, UNIT_DEPTH_EARLY_FAIL, A(35), 0, 0},
    {GEN7, UNIT_PIXELS_KILLED, A(36), 0, 0},  {GEN7, UNIT_PIXELS_ALPHA_FAIL, A(37), 0, 0},
    {GEN7, UNIT_STENCIL_LATE_FAIL, A(38), 0, 0}, {GEN7, UNIT_DEPTH_LATE_FAIL, A(39), 0, 0},
    {GEN7, UNIT_PIXELS_WRITTEN, A(40), 0, 0},
    {GEN7, UNIT_VS_BOTTLENECK, A(42), 0, 0},  {GEN7, UNIT_GS_BOTTLENECK, A(43), 0, 0},

    /* Gen8 to Gen12.0: pixels and texels in blocks of 2x2; A7 to A20 count the EU array. */
    {GEN8, UNIT_GPU_BUSY, A(0), 0, 0},
    {GEN8, UNIT_VS_THREADS, A(1), 0, 0},      {GEN8, UNIT_HS_THREADS, A(2), 0, 0},
    {GEN8, UNIT_DS_THREADS, A(3), 0, 0},      {GEN8, UNIT_CS_THREADS, A(4), 0, 0},
    {GEN8, UNIT_GS_THREADS, A(5), 0, 0},      {GEN8, UNIT_PS_THREADS, A(6), 0, 0},
    {GEN8, UNIT_PIXELS_RASTERIZED, A(21), 1, 4},
    {GEN8, UNIT_DEPTH_HIZ_FAIL, A(22), 1, 4}, {GEN8, UNIT_DEPTH_EARLY_FAIL, A(23), 1, 4},
    {GEN8, UNIT_PIXELS_KILLED, A(24), 1, 4},
    {GEN8, UNIT_DEPTH_LATE_FAIL, A(25), 1, 4}, {GEN8, UNIT_STENCIL_LATE_FAIL, A(25), 1, 4},
    {GEN8, UNIT_PIXELS_WRITTEN, A(26), 1, 4}, {GEN8, UNIT_PIXELS_BLENDED, A(27), 1, 4},
    {GEN8, UNIT_SAMPLER_TEXELS, A(28), 1, 4}, {GEN8, UNIT_SAMPLER_MISSES, A(29), 0, 0},
    {GEN8, UNIT_SLM_READS, A(30), 0, 0},      {GEN8, UNIT_SLM_WRITES, A(31), 0, 0},
    {GEN8, UNIT_MEMORY_ACCESSES, A(32), 0, 0}, {GEN8, UNIT_MEMORY_MISSES, A(33), 0, 0},
    {GEN8, UNIT_MEMORY_ATOMICS, A(34), 0, 0}, {GEN8, UNIT_EU_BARRIERS, A(35), 0, 0},
    {GEN8, UNIT_EU_ACTIVE, EU, 0, 0},         {GEN8, UNIT_EU_STALLED, EU, 0, 0},
    {GEN8, UNIT_EU_OCCUPANCY, EU, 0, 0},      {GEN8, UNIT_EU_FPU0, EU, 0, 0},
    {GEN8, UNIT_EU_FPU1, EU, 0, 0},           {GEN8, UNIT_EU_SEND, EU, 0, 0},
    {GEN8, UNIT_EU_HYBRID, EU, 0, 0},         {GEN8, UNIT_EU_TERNARY, EU, 0, 0},
    {GEN8, UNIT_EU_BINARY, EU, 0, 0},         {GEN8, UNIT_EU_MOV, EU, 0, 0},
    {GEN8, UNIT_EU_SEND_START, EU, 0, 0},
    {GEN8, UNIT_VS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_VS_STALLED, EU, 0, 0},
    {GEN8, UNIT_HS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_HS_STALLED, EU, 0, 0},
    {GEN8, UNIT_DS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_DS_STALLED, EU, 0, 0},
    {GEN8, UNIT_GS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_GS_STALLED, EU, 0, 0},
    {GEN8, UNIT_PS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_PS_STALLED, EU, 0, 0},
    {GEN8, UNIT_CS_ACTIVE, EU, 0, 0},         {GEN8, UNIT_CS_STALLED, EU, 0, 0},

    /* Units without an A counter: NOA bits of RenderBasic. HSW: a GTI read is 128 bytes. */
    {LONG_RENDER, UNIT_SAMPLER_BUSY, N(0), 0, 0},
    {LONG_RENDER, UNIT_SAMPLER_BOTTLENECK, N(2), 0, 0},
    {LONG_RENDER, UNIT_GTI_READS, N(14), 0, 0}, {LONG_RENDER, UNIT_GTI_WRITES, N(15), 0, 0},
    {HSW, UNIT_SAMPLER_TEXELS, N(4), 1, 4},   {HSW, UNIT_PIXELS_BLENDED, N(13), 1, 4},
    {ICL | LKF, UNIT_SAMPLER_BUSY, N(9), 0, 0}, {ICL | LKF, UNIT_SAMPLER_BOTTLENECK, N(8), 0, 0},
    {ICL, UNIT_GTI_READS, N(1), 0, 0},        {LKF, UNIT_GTI_READS, N(4), 0, 0},
    {ICL | LKF, UNIT_GTI_WRITES, N(0), 0, 0},
    {TGL, UNIT_SAMPLER_BUSY, N(0), 0, 0},     {TGL, UNIT_SAMPLER_BOTTLENECK, N(2), 0, 0},
    {TGL, UNIT_GTI_READS, N(10), 0, 0},       {TGL, UNIT_GTI_WRITES, N(8), 0, 0},
};
// clang-format on

const size_t unit_row_count = ARRAY_COUNT(unit_rows);

const struct unit_info *unit_info(unsigned unit)
{
    return &infos[unit];
}

unsigned unit_find(const char *name)
{
    for (unsigned unit = 0; unit < UNITS; unit++)
        if (!strcmp(infos[unit].name, name))
            return unit;
    return UNITS;
}

bool unit_row_is_of(const struct unit_row *row, const struct intel_sku *sku,
                    enum intel_revision revision)
{
    return (row->revisions & INTEL_BIT(revision)) &&
           !(row->place == PLACE_A && intel_sku_reserves(sku, row->index));
}

bool unit_is_counted(const struct intel_sku *sku, unsigned unit)
{
    enum intel_revision revision = intel_sku_platform(sku)->revision;
    if (unit >= UNIT_NOA)
        return true;
    for (size_t i = 0; i < unit_row_count; i++)
        if (unit_rows[i].unit == unit && unit_row_is_of(&unit_rows[i], sku, revision))
            return true;
    return false;
}
