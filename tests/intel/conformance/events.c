/* SPDX-License-Identifier: MIT */
/* What each aggregating counter counts: a workload of one thing, and the counter after it. */
#include "intel/conformance/rows.h"

#include <inttypes.h>

#include "intel/conformance/document.h"
#include "intel/conformance/language.h"
#include "intel/workload_rig.h"

enum { CLOCKS = 4096 };

/* How much: half an event a clock; a quarter of the time, of one unit or of every EU. */
enum size { HALF, FOURTH, FOURTH_OF_EUS };

struct event {
    unsigned counter;
    const char *does; /* NULL: all there is */
    enum size size;
    unsigned times, by; /* of what happens it counts times / by */
};

/* Of every stage, and what comes after them, on Gen7. */
#define STAGE(stage) RATE(stage ".threads") ",{unit: " stage ".stalled, share: 0.125},"
#define STAGES       STAGE("vs") STAGE("hs") STAGE("ds") STAGE("gs") STAGE("cs") STAGE("ps")
#define EVERYTHING                                                                                 \
    STAGES SHARE("gpu.busy") "," SHARE("ps.active") "," RATE("depth.hiz-pass") "," RATE(           \
        "depth.early-fail") "," RATE("pixels.written")

static uint64_t expected(const struct event *event, const char *platform)
{
    uint64_t clocks = event->size == HALF ? CLOCKS / 2 : CLOCKS / 4;
    if (event->size == FOURTH_OF_EUS)
        clocks *= tally_platform_find(platform)->example_eus;
    return clocks * event->times / event->by;
}

static bool counts(struct conformance_fault *fault, const struct conformance_case *row)
{
    const struct event *event = row->facts;
    char text[1024];
    snprintf(text, sizeof text, HEAD "%s" TAIL, event->does ? event->does : EVERYTHING);
    for (unsigned p = 0; p < OA_PLATFORMS; p++) {
        const char *platform = oa_platform_names[p];
        struct rig rig;
        if (!case_covers(&oa_language, row->variants, p))
            continue;
        if (!rig_init(&rig, row->line, text, platform, 100000000))
            return conformance_tell(fault, "no such workload on %s", platform), false;
        tally_workload_run(&rig.cursor, rig.unit, CLOCKS);
        uint64_t got = rig_peek(rig.unit, 'a', event->counter);
        rig_fini(&rig);
        if (!CONFORMS(fault, got == expected(event, platform),
                      "%s: A%u is %" PRIu64 ", expected %" PRIu64, platform, event->counter, got,
                      expected(event, platform)))
            return false;
    }
    return true;
}

#define FILE_NAME "events.c"
#define SECTION   "Aggregating Counters"
#define ROW_OF(id, says, variants, ...)                                                            \
    CHECKED_ROW(id, SECTION, says, variants, counts, (&(const struct event){__VA_ARGS__}))
#define EVENTS(counter, unit)  counter, RATE(unit), HALF, 1, 1
#define BLOCKS(counter, unit)  counter, RATE(unit), HALF, 1, 4 /* of 2x2 */
#define SPAN(counter, unit)    counter, SHARE(unit), FOURTH, 1, 1
#define CORES(counter, unit)   counter, SHARE(unit), FOURTH_OF_EUS, 1, 1
#define NOTHING(counter, unit) counter, unit, HALF, 0, 1

/* ---- Sandy Bridge -------------------------------------------------------------------------- */

#define DOCUMENT "000"

/* clang-format off */
const struct conformance_case event_cases_000[] = {
    ROW_OF("000-A6-00", "[SNB] A0: cycles of all cores that execute instructions", "snb", CORES(0, "eu.active")),
    ROW_OF("000-A6-01", "[SNB] A1: cycles of all cores that are stalled", "snb", CORES(1, "eu.stalled")),
    ROW_OF("000-A6-02", "[SNB] A2: clocks of the vertex shader on all cores", "snb", CORES(2, "vs.active")),
    ROW_OF("000-A6-03", "[SNB] A3: vertex shader stalls are not supported", "snb", NOTHING(3, SHARE("vs.stalled"))),
    ROW_OF("000-A6-04", "[SNB] A4: clocks that it is stalled and the core is, too", "snb", CORES(4, "vs.stalled")),
    ROW_OF("000-A6-05", "[SNB] A5: VS threads loaded", "snb", EVENTS(5, "vs.threads")),
    ROW_OF("000-A6-06", "[SNB] A6: clocks that the vertex shader is ready but not running", "snb", CORES(6, "vs.ready")),
    ROW_OF("000-A6-07", "[SNB] A7: clocks of geometry shader or GPGPU", "snb", CORES(7, "gs.active")),
    ROW_OF("000-A6-08", "[SNB] A8: their stalls are not supported", "snb", NOTHING(8, SHARE("gs.stalled"))),
    ROW_OF("000-A6-09", "[SNB] A9: clocks that they are stalled and the core is, too", "snb", CORES(9, "gs.stalled")),
    ROW_OF("000-A6-10", "[SNB] A10: GS or GPGPU threads loaded", "snb", EVENTS(10, "gs.threads")),
    ROW_OF("000-A6-11", "[SNB] A11: clocks that they are ready but not running", "snb", CORES(11, "gs.ready")),
    ROW_OF("000-A6-12", "[SNB] A12: clocks of the pixel shader", "snb", CORES(12, "ps.active")),
    ROW_OF("000-A6-13", "[SNB] A13: its stalls are not supported", "snb", NOTHING(13, SHARE("ps.stalled"))),
    ROW_OF("000-A6-14", "[SNB] A14: clocks that it is stalled and the core is, too", "snb", CORES(14, "ps.stalled")),
    ROW_OF("000-A6-15", "[SNB] A15: PS threads loaded", "snb", EVENTS(15, "ps.threads")),
    ROW_OF("000-A6-16", "[SNB] A16: clocks that the pixel shader is ready but not running", "snb", CORES(16, "ps.ready")),
    ROW_OF("000-A6-21", "[SNB] A21: pixels killed in the pixel shader; twice the count", "snb", 21, RATE("pixels.killed"), HALF, 2, 1),
    ROW_OF("000-A6-22", "[SNB] A22: pixels that fail the alpha test", "snb", EVENTS(22, "pixels.alpha-fail")),
    ROW_OF("000-A6-23", "[SNB] A23: pixels that fail the late stencil test", "snb", EVENTS(23, "stencil.late-fail")),
    ROW_OF("000-A6-24", "[SNB] A24: pixels that fail the late Z test", "snb", EVENTS(24, "depth.late-fail")),
    ROW_OF("000-A6-25", "[SNB] A25: pixels written", "snb", EVENTS(25, "pixels.written")),
    ROW_OF("000-A6-26", "[SNB] A26: the GPU is busy (OA-E29: not idle)", "snb", SPAN(26, "gpu.busy")),
    ROW_OF("000-A6-27", "[SNB] A27: the clipper is active and not stalled", "snb", SPAN(27, "clipper.active")),
    ROW_OF("000-A6-28", "[SNB] A28: SF is active and not stalled (OA-E29)", "snb", SPAN(28, "setup.active")),

    ROW_OF("000-A7-00", "[IVB on] A0: cycles of all cores that execute instructions", "ivb..hsw", CORES(0, "eu.active")),
    ROW_OF("000-A7-01", "[IVB on] A1: cycles of all cores that are neither idle nor executing", "ivb..hsw", CORES(1, "eu.stalled")),
    ROW_OF("000-A7-02", "[IVB on] A2: clocks of the vertex shader on all cores", "ivb..hsw", CORES(2, "vs.active")),
    ROW_OF("000-A7-04", "[IVB on] A4: clocks that it is stalled and the core is, too", "ivb..hsw", CORES(4, "vs.stalled")),
    ROW_OF("000-A7-05", "[IVB on] A5: VS threads loaded", "ivb..hsw", EVENTS(5, "vs.threads")),
    ROW_OF("000-A7-07", "[IVB on] A7: clocks of the hull shader", "ivb..hsw", CORES(7, "hs.active")),
    ROW_OF("000-A7-09", "[IVB on] A9: its core stalls", "ivb..hsw", CORES(9, "hs.stalled")),
    ROW_OF("000-A7-10", "[IVB on] A10: HS threads loaded", "ivb..hsw", EVENTS(10, "hs.threads")),
    ROW_OF("000-A7-12", "[IVB on] A12: clocks of the domain shader", "ivb..hsw", CORES(12, "ds.active")),
    ROW_OF("000-A7-14", "[IVB on] A14: its core stalls", "ivb..hsw", CORES(14, "ds.stalled")),
    ROW_OF("000-A7-15", "[IVB on] A15: DS threads loaded", "ivb..hsw", EVENTS(15, "ds.threads")),
    ROW_OF("000-A7-17", "[IVB on] A17: clocks of the compute shader", "ivb..hsw", CORES(17, "cs.active")),
    ROW_OF("000-A7-19", "[IVB on] A19: its core stalls", "ivb..hsw", CORES(19, "cs.stalled")),
    ROW_OF("000-A7-20", "[IVB on] A20: CS threads loaded", "ivb..hsw", EVENTS(20, "cs.threads")),
    ROW_OF("000-A7-22", "[IVB on] A22: clocks of the geometry shader", "ivb..hsw", CORES(22, "gs.active")),
    ROW_OF("000-A7-24", "[IVB on] A24: its core stalls", "ivb..hsw", CORES(24, "gs.stalled")),
    ROW_OF("000-A7-25", "[IVB on] A25: GS threads loaded", "ivb..hsw", EVENTS(25, "gs.threads")),
    ROW_OF("000-A7-27", "[IVB on] A27: clocks of the pixel shader", "ivb..hsw", CORES(27, "ps.active")),
    ROW_OF("000-A7-29", "[IVB on] A29: its core stalls", "ivb..hsw", CORES(29, "ps.stalled")),
    ROW_OF("000-A7-30", "[IVB on] A30: PS threads loaded", "ivb..hsw", EVENTS(30, "ps.threads")),
    ROW_OF("000-A7-03", "[IVB] A3: reserved; nothing counts", "ivb,vlv", NOTHING(3, NULL)),
    ROW_OF("000-A7-08", "[IVB] A8: reserved; nothing counts", "ivb,vlv", NOTHING(8, NULL)),
    ROW_OF("000-A7-13", "[IVB] A13: reserved; nothing counts", "ivb,vlv", NOTHING(13, NULL)),
    ROW_OF("000-A7-18", "[IVB] A18: reserved; nothing counts", "ivb,vlv", NOTHING(18, NULL)),
    ROW_OF("000-A7-23", "[IVB] A23: reserved; nothing counts", "ivb,vlv", NOTHING(23, NULL)),
    ROW_OF("000-A7-28", "[IVB] A28: reserved; nothing counts", "ivb,vlv", NOTHING(28, NULL)),
    ROW_OF("000-A7-06", "[IVB on] A6: reserved; nothing counts", "ivb..hsw", NOTHING(6, NULL)),
    ROW_OF("000-A7-11", "[IVB on] A11: reserved; nothing counts", "ivb..hsw", NOTHING(11, NULL)),
    ROW_OF("000-A7-16", "[IVB on] A16: reserved; nothing counts", "ivb..hsw", NOTHING(16, NULL)),
    ROW_OF("000-A7-21", "[IVB on] A21: reserved; nothing counts", "ivb..hsw", NOTHING(21, NULL)),
    ROW_OF("000-A7-26", "[IVB on] A26: reserved; nothing counts", "ivb..hsw", NOTHING(26, NULL)),
    ROW_OF("000-A7-31", "[IVB on] A31: reserved; nothing counts", "ivb..hsw", NOTHING(31, NULL)),
    ROW_OF("000-A7-32", "[IVB on] A32: pixels that pass the fast check of HiZ", "ivb..hsw", EVENTS(32, "depth.hiz-pass")),
    ROW_OF("000-A7-33", "[IVB on] A33: pixels that fail it; reserved on IVB GT2, where it counts here all the same", "ivb..hsw", EVENTS(33, "depth.hiz-fail")),
    ROW_OF("000-A7-34", "[IVB] A34: pixels that pass the slow check", "ivb", EVENTS(34, "depth.early-pass")),
    ROW_OF("000-A7-34h", "[HSW] A34: reserved; nothing counts", "hsw", NOTHING(34, NULL)),
    ROW_OF("000-A7-35", "[IVB on] A35: pixels that fail the slow check", "ivb..hsw", EVENTS(35, "depth.early-fail")),
    ROW_OF("000-A7-36", "[IVB on] A36: pixels killed in the pixel shader", "ivb..hsw", EVENTS(36, "pixels.killed")),
    ROW_OF("000-A7-37", "[IVB on] A37: pixels that fail the alpha test", "ivb..hsw", EVENTS(37, "pixels.alpha-fail")),
    ROW_OF("000-A7-38", "[IVB on] A38: pixels that fail stencil after the pixel shader", "ivb..hsw", EVENTS(38, "stencil.late-fail")),
    ROW_OF("000-A7-39", "[IVB on] A39: pixels that fail Z after the pixel shader", "ivb..hsw", EVENTS(39, "depth.late-fail")),
    ROW_OF("000-A7-40", "[IVB on] A40: render target writes", "ivb..hsw", EVENTS(40, "pixels.written")),
    ROW_OF("000-A7-41", "[IVB on] A41: the render engine is not idle", "ivb..hsw", SPAN(41, "gpu.busy")),
    ROW_OF("000-A7-42", "[IVB on] A42: VS stalls VF and starves HS", "ivb..hsw", SPAN(42, "vs.bottleneck")),
    ROW_OF("000-A7-43", "[IVB on] A43: GS stalls DS and starves SOL", "ivb..hsw", SPAN(43, "gs.bottleneck")),
    ROW_OF("000-A7-44", "[IVB on] A44: reserved; nothing counts", "ivb..hsw", NOTHING(44, NULL)),
};
/* clang-format on */
const size_t event_case_count_000 = sizeof event_cases_000 / sizeof *event_cases_000;

/* ---- Broadwell on -------------------------------------------------------------------------- */

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case event_cases_002[] = {
    ROW_OF("002-A-00", "A0: the render engine is not idle", "bdw..lkf", SPAN(0, "gpu.busy")),
    ROW_OF("002-A-01", "A1: VS threads dispatched", "bdw..lkf", EVENTS(1, "vs.threads")),
    ROW_OF("002-A-02", "A2: HS threads dispatched", "bdw..lkf", EVENTS(2, "hs.threads")),
    ROW_OF("002-A-03", "A3: DS threads dispatched", "bdw..lkf", EVENTS(3, "ds.threads")),
    ROW_OF("002-A-04", "A4: GPGPU threads dispatched", "bdw..lkf", EVENTS(4, "cs.threads")),
    ROW_OF("002-A-05", "A5: GS threads dispatched", "bdw..lkf", EVENTS(5, "gs.threads")),
    ROW_OF("002-A-06", "A6: PS threads dispatched", "bdw..lkf", EVENTS(6, "ps.threads")),
    ROW_OF("002-A-21", "A21: 2x2s rasterized", "bdw..lkf", BLOCKS(21, "pixels.rasterized")),
    ROW_OF("002-A-22", "A22: 2x2s that fail fast tests before the pixel shader", "bdw..lkf", BLOCKS(22, "depth.hiz-fail")),
    ROW_OF("002-A-23", "A23: 2x2s that fail slow tests before the pixel shader", "bdw..lkf", BLOCKS(23, "depth.early-fail")),
    ROW_OF("002-A-24", "A24: 2x2s killed in the pixel shader", "bdw..lkf", BLOCKS(24, "pixels.killed")),
    ROW_OF("002-A-25", "A25: 2x2s that fail late tests", "bdw..lkf", BLOCKS(25, "depth.late-fail")),
    ROW_OF("002-A-25s", "A25: ... of Z and of stencil", "bdw..lkf", BLOCKS(25, "stencil.late-fail")),
    ROW_OF("002-A-26", "A26: 2x2s written to render targets", "bdw..lkf", BLOCKS(26, "pixels.written")),
    ROW_OF("002-A-27", "A27: 2x2s blended and written", "bdw..lkf", BLOCKS(27, "pixels.blended")),
    ROW_OF("002-A-28", "A28: 2x2s requested from samplers", "bdw..lkf", BLOCKS(28, "sampler.texels")),
    ROW_OF("002-A-29", "A29: misses of all sampler L1 caches", "bdw..lkf", EVENTS(29, "sampler.misses")),
    ROW_OF("002-A-30", "A30: SLM reads", "bdw..lkf", EVENTS(30, "slm.reads")),
    ROW_OF("002-A-31", "A31: SLM writes", "bdw..lkf", EVENTS(31, "slm.writes")),
    ROW_OF("002-A-32", "A32: accesses to memory that is neither render target nor texture (OA-E13)", "bdw..lkf", EVENTS(32, "memory.accesses")),
    ROW_OF("002-A-33", "A33 is missing: those that miss the first-level cache, as on LKF (OA-E13)", "bdw..lkf", EVENTS(33, "memory.misses")),
    ROW_OF("002-A-34", "A34: atomic accesses", "bdw..lkf", EVENTS(34, "memory.atomics")),
    ROW_OF("002-A-35", "A35: barrier messages, one a thread (OA-E16)", "bdw..lkf", EVENTS(35, "eu.barriers")),
};
/* clang-format on */
const size_t event_case_count_002 = sizeof event_cases_002 / sizeof *event_cases_002;
