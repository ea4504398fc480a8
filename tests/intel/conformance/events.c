/* SPDX-License-Identifier: MIT */
/* What each aggregating counter counts: runs a workload of one kind of event, then checks it. */
#include "intel/conformance/gpu_check.h"

#include <inttypes.h>

#include "intel/conformance/document.h"
#include "intel/conformance/language.h"
#include "intel/skus.h"
#include "intel/workload_rig.h"

enum { CLOCKS = 4096, HZ = 100000000 };

/* Amount of work: half an event per clock; or a quarter of the time, of one unit or of every EU. */
enum size { HALF, FOURTH, FOURTH_OF_EUS };

struct event {
    unsigned counter;
    const char *does; /* the workload; NULL: everything */
    enum size size;
    unsigned times, by; /* the counter advances by events * times / by */
    const char *sku;    /* the GPU; NULL: that of the platform */
};

/* Events of every stage, and of the units after them, on Gen7. */
#define STAGE(stage) RATE(stage ".threads") ",{unit: " stage ".stalled, share: 0.125},"
#define STAGES       STAGE("vs") STAGE("hs") STAGE("ds") STAGE("gs") STAGE("cs") STAGE("ps")
#define EVERYTHING                                                                                 \
    STAGES SHARE("gpu.busy") "," SHARE("ps.active") "," RATE("depth.hiz-pass") "," RATE(           \
        "depth.early-fail") "," RATE("pixels.written")

static uint64_t expected(const struct event *event, const char *platform)
{
    uint64_t clocks = event->size == HALF ? CLOCKS / 2 : CLOCKS / 4;
    if (event->size == FOURTH_OF_EUS)
        clocks *= sku_eus(tally_sku_find(platform));
    return clocks * event->times / event->by;
}

static void write_gpu(void *context, uint32_t address, uint32_t value)
{
    tally_gpu_write32(context, address, value);
}

/* Returns what a counter of the assembled GPU counts of the workload. */
static uint64_t count_in_gpu(const struct rig *rig, unsigned line, const char *platform,
                             unsigned counter)
{
    struct gpu_rig *gpu = gpu_rig_new(
        line,
        &(struct tally_gpu_config){.platform = platform, .always_awake = true, .clock_hz = HZ});
    rig_start(platform, write_gpu, gpu->gpu);
    assert_int_equal(tally_gpu_set_workload(gpu->gpu, rig->program), 0);
    tally_gpu_run(gpu->gpu, CLOCKS);
    uint64_t count = rig_peek(tally_gpu_oa(gpu->gpu), 'a', counter);
    gpu_rig_free(gpu);
    return count;
}

/* Runs the workload on the unit alone and in its GPU. */
bool event_counts(struct conformance_fault *fault, const struct conformance_case *row)
{
    const struct event *event = row->params;
    char text[1024];
    snprintf(text, sizeof text, HEAD "%s" TAIL, event->does ? event->does : EVERYTHING);
    for (unsigned p = 0; p < OA_PLATFORMS; p++) {
        const char *platform = event->sku ? event->sku : oa_sku_names[p];
        struct rig rig;
        if (!case_covers(&oa_language, row->variants, p))
            continue;
        if (!rig_init(&rig, row->line, text, platform, HZ))
            return conformance_fail(fault, "no workload on %s", platform), false;
        tally_workload_run(&rig.cursor, rig.unit, CLOCKS);
        uint64_t got = rig_peek(rig.unit, 'a', event->counter);
        uint64_t in_gpu = count_in_gpu(&rig, row->line, platform, event->counter);
        rig_fini(&rig);
        if (!CONFORMS(fault, got == expected(event, platform) && in_gpu == got,
                      "%s: A%u is %" PRIu64 ", in the GPU %" PRIu64 ", expected %" PRIu64, platform,
                      event->counter, got, in_gpu, expected(event, platform)))
            return false;
    }
    return true;
}

#define FILE_NAME "events.c"
#define SECTION   "Aggregating Counters"
#define ROW_OF(id, says, variants, ...)                                                            \
    CHECKED_ROW(id, SECTION, says, variants, event_counts, (&(const struct event){__VA_ARGS__}))
#define EVENTS(counter, unit)  counter, RATE(unit), HALF, 1, 1, NULL
#define BLOCKS(counter, unit)  counter, RATE(unit), HALF, 1, 4, NULL /* of 2x2 */
#define SPAN(counter, unit)    counter, SHARE(unit), FOURTH, 1, 1, NULL
#define CORES(counter, unit)   counter, SHARE(unit), FOURTH_OF_EUS, 1, 1, NULL
#define NOTHING(counter, unit) counter, unit, HALF, 0, 1, NULL

/* ---- Sandy Bridge -------------------------------------------------------------------------- */

#define DOCUMENT "000"

/* clang-format off */
const struct conformance_case event_cases_000[] = {
    ROW_OF("000-A6-00", "A0 counts the clocks in which a core executes instructions, summed over the cores", "snb", CORES(0, "eu.active")),
    ROW_OF("000-A6-01", "A1 counts the clocks in which a core is stalled, summed over the cores", "snb", CORES(1, "eu.stalled")),
    ROW_OF("000-A6-02", "A2 counts the clocks in which a core runs the vertex shader, summed over the cores", "snb", CORES(2, "vs.active")),
    ROW_OF("000-A6-03", "A3, vertex shader stalls, is not supported and stays 0", "snb", NOTHING(3, SHARE("vs.stalled"))),
    ROW_OF("000-A6-04", "A4 counts the clocks in which the vertex shader and its core are stalled, summed over the cores", "snb", CORES(4, "vs.stalled")),
    ROW_OF("000-A6-05", "A5 counts the VS threads that are loaded", "snb", EVENTS(5, "vs.threads")),
    ROW_OF("000-A6-06", "A6 counts the clocks in which the vertex shader is ready but does not run, summed over the cores", "snb", CORES(6, "vs.ready")),
    ROW_OF("000-A6-07", "A7 counts the clocks in which a core runs the geometry shader or GPGPU, summed over the cores", "snb", CORES(7, "gs.active")),
    ROW_OF("000-A6-07g", "A7 counts GPGPU as it counts the geometry shader", "snb", CORES(7, "cs.active")),
    ROW_OF("000-A6-08", "A8, stalls of the geometry shader or GPGPU, is not supported and stays 0", "snb", NOTHING(8, SHARE("gs.stalled"))),
    ROW_OF("000-A6-09", "A9 counts the clocks in which the geometry shader or GPGPU and its core are stalled, summed over the cores", "snb", CORES(9, "gs.stalled")),
    ROW_OF("000-A6-09g", "A9 counts GPGPU as it counts the geometry shader", "snb", CORES(9, "cs.stalled")),
    ROW_OF("000-A6-10", "A10 counts the GS or GPGPU threads that are loaded", "snb", EVENTS(10, "gs.threads")),
    ROW_OF("000-A6-10g", "A10 counts GPGPU as it counts the geometry shader", "snb", EVENTS(10, "cs.threads")),
    ROW_OF("000-A6-11", "A11 counts the clocks in which the geometry shader or GPGPU is ready but does not run, summed over the cores", "snb", CORES(11, "gs.ready")),
    ROW_OF("000-A6-11g", "A11 counts GPGPU as it counts the geometry shader", "snb", CORES(11, "cs.ready")),
    ROW_OF("000-A6-12", "A12 counts the clocks in which a core runs the pixel shader, summed over the cores", "snb", CORES(12, "ps.active")),
    ROW_OF("000-A6-13", "A13, pixel shader stalls, is not supported and stays 0", "snb", NOTHING(13, SHARE("ps.stalled"))),
    ROW_OF("000-A6-14", "A14 counts the clocks in which the pixel shader and its core are stalled, summed over the cores", "snb", CORES(14, "ps.stalled")),
    ROW_OF("000-A6-15", "A15 counts the PS threads that are loaded", "snb", EVENTS(15, "ps.threads")),
    ROW_OF("000-A6-16", "A16 counts the clocks in which the pixel shader is ready but does not run, summed over the cores", "snb", CORES(16, "ps.ready")),
    ROW_OF("000-A6-21", "A21 counts each pixel that is killed in the pixel shader twice", "snb", 21, RATE("pixels.killed"), HALF, 2, 1, NULL),
    ROW_OF("000-A6-22", "A22 counts the pixels that fail the alpha test", "snb", EVENTS(22, "pixels.alpha-fail")),
    ROW_OF("000-A6-23", "A23 counts the pixels that fail the late stencil test", "snb", EVENTS(23, "stencil.late-fail")),
    ROW_OF("000-A6-24", "A24 counts the pixels that fail the late Z test", "snb", EVENTS(24, "depth.late-fail")),
    ROW_OF("000-A6-25", "A25 counts the pixels that are written", "snb", EVENTS(25, "pixels.written")),
    ROW_OF("000-A6-26", "A26 counts the clocks in which the GPU is busy, not those in which the ring is idle (OA-E29)", "snb", SPAN(26, "gpu.busy")),
    ROW_OF("000-A6-27", "A27 counts the clocks in which the clipper is active and not stalled", "snb", SPAN(27, "clipper.active")),
    ROW_OF("000-A6-28", "A28 counts the clocks in which SF is active and not stalled (OA-E29)", "snb", SPAN(28, "setup.active")),

    ROW_OF("000-A7-00", "A0 counts the clocks in which a core executes instructions, summed over the cores", "ivb..hsw", CORES(0, "eu.active")),
    ROW_OF("000-A7-01", "A1 counts the clocks in which a core is neither idle nor executing, summed over the cores", "ivb..hsw", CORES(1, "eu.stalled")),
    ROW_OF("000-A7-02", "A2 counts the clocks in which a core runs the vertex shader, summed over the cores", "ivb..hsw", CORES(2, "vs.active")),
    ROW_OF("000-A7-04", "A4 counts the clocks in which the vertex shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(4, "vs.stalled")),
    ROW_OF("000-A7-05", "A5 counts the VS threads that are loaded", "ivb..hsw", EVENTS(5, "vs.threads")),
    ROW_OF("000-A7-07", "A7 counts the clocks in which a core runs the hull shader, summed over the cores", "ivb..hsw", CORES(7, "hs.active")),
    ROW_OF("000-A7-09", "A9 counts the clocks in which the hull shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(9, "hs.stalled")),
    ROW_OF("000-A7-10", "A10 counts the HS threads that are loaded", "ivb..hsw", EVENTS(10, "hs.threads")),
    ROW_OF("000-A7-12", "A12 counts the clocks in which a core runs the domain shader, summed over the cores", "ivb..hsw", CORES(12, "ds.active")),
    ROW_OF("000-A7-14", "A14 counts the clocks in which the domain shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(14, "ds.stalled")),
    ROW_OF("000-A7-15", "A15 counts the DS threads that are loaded", "ivb..hsw", EVENTS(15, "ds.threads")),
    ROW_OF("000-A7-17", "A17 counts the clocks in which a core runs the compute shader, summed over the cores", "ivb..hsw", CORES(17, "cs.active")),
    ROW_OF("000-A7-19", "A19 counts the clocks in which the compute shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(19, "cs.stalled")),
    ROW_OF("000-A7-20", "A20 counts the CS threads that are loaded", "ivb..hsw", EVENTS(20, "cs.threads")),
    ROW_OF("000-A7-22", "A22 counts the clocks in which a core runs the geometry shader, summed over the cores", "ivb..hsw", CORES(22, "gs.active")),
    ROW_OF("000-A7-24", "A24 counts the clocks in which the geometry shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(24, "gs.stalled")),
    ROW_OF("000-A7-25", "A25 counts the GS threads that are loaded", "ivb..hsw", EVENTS(25, "gs.threads")),
    ROW_OF("000-A7-27", "A27 counts the clocks in which a core runs the pixel shader, summed over the cores", "ivb..hsw", CORES(27, "ps.active")),
    ROW_OF("000-A7-29", "A29 counts the clocks in which the pixel shader and its core are stalled, summed over the cores", "ivb..hsw", CORES(29, "ps.stalled")),
    ROW_OF("000-A7-30", "A30 counts the PS threads that are loaded", "ivb..hsw", EVENTS(30, "ps.threads")),
    ROW_OF("000-A7-03", "A3 is reserved and stays 0", "ivb,vlv", NOTHING(3, NULL)),
    ROW_OF("000-A7-08", "A8 is reserved and stays 0", "ivb,vlv", NOTHING(8, NULL)),
    ROW_OF("000-A7-13", "A13 is reserved and stays 0", "ivb,vlv", NOTHING(13, NULL)),
    ROW_OF("000-A7-18", "A18 is reserved and stays 0", "ivb,vlv", NOTHING(18, NULL)),
    ROW_OF("000-A7-23", "A23 is reserved and stays 0", "ivb,vlv", NOTHING(23, NULL)),
    ROW_OF("000-A7-28", "A28 is reserved and stays 0", "ivb,vlv", NOTHING(28, NULL)),
    ROW_OF("000-A7-06", "A6 is reserved and stays 0", "ivb..hsw", NOTHING(6, NULL)),
    ROW_OF("000-A7-11", "A11 is reserved and stays 0", "ivb..hsw", NOTHING(11, NULL)),
    ROW_OF("000-A7-16", "A16 is reserved and stays 0", "ivb..hsw", NOTHING(16, NULL)),
    ROW_OF("000-A7-21", "A21 is reserved and stays 0", "ivb..hsw", NOTHING(21, NULL)),
    ROW_OF("000-A7-26", "A26 is reserved and stays 0", "ivb..hsw", NOTHING(26, NULL)),
    ROW_OF("000-A7-31", "A31 is reserved and stays 0", "ivb..hsw", NOTHING(31, NULL)),
    ROW_OF("000-A7-32", "A32 counts the pixels that pass the fast HiZ test", "ivb..hsw", EVENTS(32, "depth.hiz-pass")),
    ROW_OF("000-A7-33", "A33 counts the pixels that fail the fast HiZ test, on IVB on GT1 (OA-E33)", "ivb..hsw", EVENTS(33, "depth.hiz-fail")),
    ROW_OF("000-A7-33g", "A33 is reserved on IVB GT2 and stays 0 (OA-E33)", "ivb", 33, RATE("depth.hiz-fail"), HALF, 0, 1, "ivb/gt2"),
    ROW_OF("000-A7-34", "A34 counts the pixels that pass the slow HiZ test", "ivb", EVENTS(34, "depth.early-pass")),
    ROW_OF("000-A7-34h", "A34 is reserved and stays 0", "hsw", NOTHING(34, NULL)),
    ROW_OF("000-A7-35", "A35 counts the pixels that fail the slow HiZ test", "ivb..hsw", EVENTS(35, "depth.early-fail")),
    ROW_OF("000-A7-36", "A36 counts the pixels that are killed in the pixel shader", "ivb..hsw", EVENTS(36, "pixels.killed")),
    ROW_OF("000-A7-37", "A37 counts the pixels that fail the alpha test", "ivb..hsw", EVENTS(37, "pixels.alpha-fail")),
    ROW_OF("000-A7-38", "A38 counts the pixels that fail the stencil test after the pixel shader", "ivb..hsw", EVENTS(38, "stencil.late-fail")),
    ROW_OF("000-A7-39k", "A39 does not count the pixels that the pixel shader kills (OA-D48)", "ivb..hsw", NOTHING(39, RATE("pixels.killed"))),
    ROW_OF("000-A7-39", "A39 counts the pixels that fail the Z test after the pixel shader", "ivb..hsw", EVENTS(39, "depth.late-fail")),
    ROW_OF("000-A7-40", "A40 counts the writes to render targets", "ivb..hsw", EVENTS(40, "pixels.written")),
    ROW_OF("000-A7-41", "A41 counts the clocks in which the render engine is not idle", "ivb..hsw", SPAN(41, "gpu.busy")),
    ROW_OF("000-A7-42", "A42 counts the clocks in which VS stalls VF and starves HS", "ivb..hsw", SPAN(42, "vs.bottleneck")),
    ROW_OF("000-A7-43", "A43 counts the clocks in which GS stalls DS and starves SOL", "ivb..hsw", SPAN(43, "gs.bottleneck")),
    ROW_OF("000-A7-44", "A44 is reserved and stays 0", "ivb..hsw", NOTHING(44, NULL)),
};
/* clang-format on */
const size_t event_case_count_000 = sizeof event_cases_000 / sizeof *event_cases_000;

/* ---- Broadwell on -------------------------------------------------------------------------- */

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case event_cases_002[] = {
    ROW_OF("002-A-00", "A0 counts the clocks in which the render engine is not idle", "bdw..lkf", SPAN(0, "gpu.busy")),
    ROW_OF("002-A-01", "A1 counts the VS threads that are dispatched", "bdw..lkf", EVENTS(1, "vs.threads")),
    ROW_OF("002-A-02", "A2 counts the HS threads that are dispatched", "bdw..lkf", EVENTS(2, "hs.threads")),
    ROW_OF("002-A-03", "A3 counts the DS threads that are dispatched", "bdw..lkf", EVENTS(3, "ds.threads")),
    ROW_OF("002-A-04", "A4 counts the GPGPU threads that are dispatched", "bdw..lkf", EVENTS(4, "cs.threads")),
    ROW_OF("002-A-05", "A5 counts the GS threads that are dispatched", "bdw..lkf", EVENTS(5, "gs.threads")),
    ROW_OF("002-A-06", "A6 counts the PS threads that are dispatched", "bdw..lkf", EVENTS(6, "ps.threads")),
    ROW_OF("002-A-21", "A21 counts the 2x2s that are rasterized", "bdw..lkf", BLOCKS(21, "pixels.rasterized")),
    ROW_OF("002-A-22", "A22 counts the 2x2s that fail fast tests before the pixel shader", "bdw..lkf", BLOCKS(22, "depth.hiz-fail")),
    ROW_OF("002-A-23", "A23 counts the 2x2s that fail slow tests before the pixel shader", "bdw..lkf", BLOCKS(23, "depth.early-fail")),
    ROW_OF("002-A-24", "A24 counts the 2x2s that are killed in the pixel shader", "bdw..lkf", BLOCKS(24, "pixels.killed")),
    ROW_OF("002-A-25", "A25 counts the 2x2s that fail the late Z test", "bdw..lkf", BLOCKS(25, "depth.late-fail")),
    ROW_OF("002-A-25s", "A25 counts the 2x2s that fail the late stencil test", "bdw..lkf", BLOCKS(25, "stencil.late-fail")),
    ROW_OF("002-A-26", "A26 counts the 2x2s that are written to render targets", "bdw..lkf", BLOCKS(26, "pixels.written")),
    ROW_OF("002-A-27", "A27 counts the 2x2s that are blended and written", "bdw..lkf", BLOCKS(27, "pixels.blended")),
    ROW_OF("002-A-28", "A28 counts the 2x2s that are requested from samplers", "bdw..lkf", BLOCKS(28, "sampler.texels")),
    ROW_OF("002-A-29", "A29 counts the misses of all sampler L1 caches", "bdw..lkf", EVENTS(29, "sampler.misses")),
    ROW_OF("002-A-30", "A30 counts the reads of SLM", "bdw..lkf", EVENTS(30, "slm.reads")),
    ROW_OF("002-A-31", "A31 counts the writes to SLM", "bdw..lkf", EVENTS(31, "slm.writes")),
    ROW_OF("002-A-32", "A32 counts the accesses to memory that is neither render target nor texture (OA-E13)", "bdw..lkf", EVENTS(32, "memory.accesses")),
    ROW_OF("002-A-33", "A33, which the document omits, counts the accesses that miss the first-level cache, as on LKF (OA-E13)", "bdw..lkf", EVENTS(33, "memory.misses")),
    ROW_OF("002-A-34", "A34 counts the atomic accesses", "bdw..lkf", EVENTS(34, "memory.atomics")),
    ROW_OF("002-A-35", "A35 counts the barrier messages, one per thread (OA-E16)", "bdw..lkf", EVENTS(35, "eu.barriers")),
};
/* clang-format on */
const size_t event_case_count_002 = sizeof event_cases_002 / sizeof *event_cases_002;
