/* SPDX-License-Identifier: MIT */
/* Statements about the unit in its GPU: commands that write to memory, RC6, contexts of a ring. */
#include "intel/conformance/gpu_check.h"

#include <errno.h>
#include <inttypes.h>

#include "intel/conformance/document.h"

enum { BATCH_AT = 0x1000, REPORT_AT = 0x23440, BUFFER_AT = 0x20000, END = 0x05000000 };

static const char *name_of(const struct gpu_rig *rig)
{
    return oa_platform_names[rig->model];
}

static bool run_batch(struct conformance_fault *fault, struct gpu_rig *rig, uint32_t id)
{
    return CONFORMS(fault,
                    !tally_gpu_submit(rig->gpu, id, TALLY_GPU_GGTT, BATCH_AT, true) &&
                        gpu_rig_finish(rig) && !tally_gpu_fault(rig->gpu, NULL),
                    "%s: the batch does not end", name_of(rig));
}

/* ---- the command --------------------------------------------------------------------------- */

static bool reports(struct conformance_fault *fault, struct gpu_rig *rig)
{
    bool new = rig->model >= INTEL_BDW;
    unsigned a0 = new ? 16 : rig->model == INTEL_SNB ? 28 : 12;
    gpu_rig_count(rig);
    tally_gpu_run(rig->gpu, 1000);
    if (new)
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x14000002, REPORT_AT | 1, 0, 0xcafe, END);
    else
        PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x14000001, REPORT_AT | 1, 0xcafe, END);
    if (!run_batch(fault, rig, 77))
        return false;
    uint32_t id = gpu_rig_peek(rig, 0, REPORT_AT), counted = gpu_rig_peek(rig, 0, REPORT_AT + a0);
    uint32_t time = gpu_rig_peek(rig, 0, REPORT_AT + 4);
    return CONFORMS(fault, id == 0xcafe, "%s: id %" PRIx32, name_of(rig), id) &&
           CONFORMS(fault, counted >= 1000 && counted < tally_gpu_now(rig->gpu), "%s: A0 %" PRIu32,
                    name_of(rig), counted) &&
           CONFORMS(fault, time > 0 && time <= gpu_rig_value(rig, "timestamp"), "%s: time %" PRIu32,
                    name_of(rig), time) &&
           CONFORMS(fault, !new || gpu_rig_peek(rig, 0, REPORT_AT + 8) == 77, "%s: context",
                    name_of(rig));
}

/* Sets up the buffer by MI_LOAD_REGISTER_IMM: disable, head, buffer, tail, a report every clock,
 * enable. */
static bool loads_buffer(struct conformance_fault *fault, struct gpu_rig *rig)
{
    PUT(rig, TALLY_GPU_GGTT, BATCH_AT, 0x1100000b, 0x2360, 0, 0x2368, BUFFER_AT, 0x23b0, BUFFER_AT,
        0x2364, BUFFER_AT, 0x2378, 0x80800000, 0x2360, 1, END);
    if (!run_batch(fault, rig, 1))
        return false;
    tally_gpu_run(rig->gpu, 20);
    tally_gpu_write32(rig->gpu, 0x2360, 0);
    uint32_t lines = (tally_gpu_read32(rig->gpu, 0x2364) - BUFFER_AT) / 64;
    if (!CONFORMS(fault, lines >= 20 && lines < 256, "%" PRIu32 " reports", lines))
        return false;
    for (uint32_t i = 0; i <= lines; i++) {
        uint32_t id = gpu_rig_peek(rig, 0, BUFFER_AT + 64 * i);
        if (!CONFORMS(fault, id == (i < lines ? 0x800 : 0), "report %" PRIu32 ": %" PRIx32, i, id))
            return false;
    }
    return true;
}

/* OACONTROL's filter compares bits 31:12 of the address that MI_SET_CONTEXT loads. */
static bool filters(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_gpu *gpu = rig->gpu;
    gpu_rig_count(rig);
    PUT(rig, TALLY_GPU_GGTT, 0x8000, 0x0c000000, 0x00020100, 0, 0);
    tally_gpu_write32(gpu, 0x2038, 0x8000);
    tally_gpu_write32(gpu, 0x203c, 1);
    tally_gpu_write32(gpu, 0x2030, 16);
    if (!CONFORMS(fault, gpu_rig_finish(rig), "%s: the ring does not become empty", name_of(rig)))
        return false;
    uint64_t before = gpu_rig_value(rig, "a0");
    tally_gpu_write32(gpu, 0x2360, 0x00020000 | 1 << 1 | 1);
    tally_gpu_run(gpu, 100);
    uint64_t own = gpu_rig_value(rig, "a0") - before;
    tally_gpu_write32(gpu, 0x2360, 0x00021000 | 1 << 1 | 1);
    tally_gpu_run(gpu, 100);
    uint64_t other = gpu_rig_value(rig, "a0") - before - own;
    return CONFORMS(fault, own == 100 && other == 0, "%s: %" PRIu64 ", another's %" PRIu64,
                    name_of(rig), own, other);
}

/* ---- RC6 ----------------------------------------------------------------------------------- */

/* Runs a thousand clocks while nothing needs the GT. Returns what A0 counts. */
static uint64_t count_idle(struct gpu_rig *rig, int *entered)
{
    uint64_t before = gpu_rig_value(rig, "a0");
    gpu_rig_wake(rig, false);
    *entered = tally_gpu_enter_rc6(rig->gpu);
    tally_gpu_run(rig->gpu, 1000);
    gpu_rig_wake(rig, true);
    return gpu_rig_value(rig, "a0") - before;
}

static bool forbids(struct conformance_fault *fault, struct gpu_rig *rig)
{
    int entered;
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    uint64_t counted = count_idle(rig, &entered);
    if (!CONFORMS(fault, entered == 0 && counted == 0, "%s: RC6 counts %" PRIu64, name_of(rig),
                  counted))
        return false;
    tally_gpu_write32(rig->gpu, 0xa094, 0);
    tally_gpu_write32(rig->gpu, 0xa090, 0x80000000);
    gpu_rig_count(rig); /* before HSW, RC6 has lost OACONTROL */
    counted = count_idle(rig, &entered);
    return CONFORMS(fault, entered == -EBUSY && counted == 1000,
                    "%s: without RC6 %" PRIu64 " are counted", name_of(rig), counted);
}

static bool counts_on(struct conformance_fault *fault, struct gpu_rig *rig)
{
    int entered;
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    tally_gpu_run(rig->gpu, 500);
    uint64_t lost = count_idle(rig, &entered);
    tally_gpu_run(rig->gpu, 500);
    return CONFORMS(fault, entered == 0 && lost == 0 && gpu_rig_value(rig, "a0") == 1000,
                    "A0 %" PRIu64, gpu_rig_value(rig, "a0"));
}

/* Every OAPERF register of the document's list has a different value, and keeps it. */
static bool comes_back(struct conformance_fault *fault, struct gpu_rig *rig)
{
    int entered;
    gpu_rig_wake(rig, true);
    for (unsigned round = 0; round < 2; round++) {
        for (size_t i = 0; i < oa_document_register_count; i++) {
            const struct oa_document_register *reg = &oa_document_registers[i];
            bool counter = !strncmp(reg->name, "OAPERF_", 7) && reg->writable;
            if (!counter || (unsigned)rig->model < reg->first || (unsigned)rig->model > reg->last)
                continue;
            for (unsigned n = 0; n < reg->count; n++) {
                uint32_t at = reg->address + (uint32_t)((int)n * reg->stride);
                uint32_t value = (at * 2654435761u) & reg->writable;
                if (round == 0)
                    tally_gpu_write32(rig->gpu, at, value);
                else if (!CONFORMS(fault, tally_gpu_read32(rig->gpu, at) == value,
                                   "%s: %05" PRIx32 "h reads %08" PRIx32 ", was %08" PRIx32,
                                   name_of(rig), at, tally_gpu_read32(rig->gpu, at), value))
                    return false;
            }
        }
        if (round == 0)
            count_idle(rig, &entered);
    }
    return CONFORMS(fault, entered == 0, "%s: no RC6", name_of(rig));
}

/* ---- the buffer ------------------------------------------------------------------------------ */

/* Our reading of "approaching full": half full, reported by bit 9 of the render engine's interrupts
 * (OA-3.5). Writes a report of 64 bytes at every clock, then reads all of them. */
enum { IMR = 0x44014, IIR = 0x44018, IER = 0x4401c, DEIER = 0x4400c, HALF_FULL = 1 << 9 };

/* Unmasks all interrupts of the render engine, and starts a report of 64 bytes at every second
 * clock (OA-D47). */
static void fill_buffer(struct gpu_rig *rig)
{
    uint32_t trigger = 0;
    oa_document_find("OAREPORTTRIG2", (enum oa_platform)rig->model, &trigger);
    wr(rig, IMR, 0);
    wr(rig, IER, 0xffffffff);
    wr(rig, DEIER, 0x80000000);
    wr(rig, 0x2368, BUFFER_AT | 1); /* the head, in the GGTT */
    wr(rig, 0x23b0, BUFFER_AT);
    wr(rig, 0x2364, BUFFER_AT);
    wr(rig, trigger, 0x80800000);
    wr(rig, 0x2360, 1);
}

static bool approaches_full(struct conformance_fault *fault, struct gpu_rig *rig)
{
    uint32_t half = rig->model == INTEL_HSW ? 0x10000 : 0x2000;
    fill_buffer(rig);
    for (unsigned times = 1; times <= 2; times++) {
        tally_gpu_run(rig->gpu, 2 * (half / 64 - 1));
        HOLDS(rig->rises == times - 1, "%s: below half", name_of(rig));
        tally_gpu_run(rig->gpu, 2);
        HOLDS(rig->rises == times && rd(rig, IIR) == HALF_FULL, "%s: half", name_of(rig));
        wr(rig, IIR, HALF_FULL);
        HOLDS(rig->falls == times, "%s: cleared", name_of(rig));
        wr(rig, 0x2368, (BUFFER_AT + half * times) | 1);
    }
    return true;
}

/* Writes four reports to the buffer, which Memory Select puts into an address space, and checks
 * that they are there and in no other. */
static bool reports_to(struct conformance_fault *fault, struct gpu_rig *rig, uint32_t select,
                       uint32_t space)
{
    static const uint32_t nothing[64];
    uint32_t trigger = 0;
    oa_document_find("OAREPORTTRIG2", (enum oa_platform)rig->model, &trigger);
    for (unsigned i = 0; i < rig->space_count; i++)
        gpu_rig_put(rig, rig->spaces[i].space, BUFFER_AT, nothing, COUNT(nothing));
    wr(rig, 0x2368, BUFFER_AT | select);
    HOLDS((rd(rig, 0x2368) & 1) == (select || rig->model == INTEL_HSW), "%s: OASTATUS2 %08" PRIx32,
          name_of(rig), rd(rig, 0x2368));
    wr(rig, 0x23b0, BUFFER_AT);
    wr(rig, 0x2364, BUFFER_AT);
    wr(rig, trigger, 0x80800000);
    wr(rig, 0x2360, 1);
    tally_gpu_run(rig->gpu, 8); /* one every other clock */
    wr(rig, 0x2360, 0);
    for (unsigned i = 0; i < rig->space_count; i++)
        for (uint32_t line = 0; line < 5; line++) {
            uint32_t id = gpu_rig_peek(rig, rig->spaces[i].space, BUFFER_AT + 64 * line);
            bool expected = rig->spaces[i].space == space && line < 4;
            HOLDS((id != 0) == expected,
                  "%s: Memory Select %" PRIu32 ", address space %" PRIu32 ": report %" PRIu32
                  " is %08" PRIx32,
                  name_of(rig), select, rig->spaces[i].space, line, id);
        }
    return true;
}

/* In the PPGTT of the running context, which changes with the context; or in the GGTT. */
static bool selects_memory(struct conformance_fault *fault, struct gpu_rig *rig)
{
    enum { FIRST = 5, SECOND = 6 };
    bool always = rig->model == INTEL_HSW;
    HOLDS((rd(rig, 0x2368) & 1) == always, "%s: the default is %08" PRIx32, name_of(rig),
          rd(rig, 0x2368));
    gpu_rig_map(rig, FIRST);
    gpu_rig_map(rig, SECOND);
    tally_gpu_set_ppgtt(rig->gpu, FIRST);
    if (!reports_to(fault, rig, 0, always ? TALLY_GPU_GGTT : FIRST) ||
        !reports_to(fault, rig, 1, TALLY_GPU_GGTT))
        return false;
    PUT(rig, SECOND, BATCH_AT, END);
    HOLDS(!tally_gpu_submit(rig->gpu, 2, SECOND, BATCH_AT, true) && gpu_rig_finish(rig),
          "%s: the context does not end", name_of(rig));
    return reports_to(fault, rig, 0, always ? TALLY_GPU_GGTT : SECOND) &&
           reports_to(fault, rig, 1, TALLY_GPU_GGTT);
}

/* The whole buffer of 16 KiB is filled, and more. */
static bool never_warns(struct conformance_fault *fault, struct gpu_rig *rig)
{
    fill_buffer(rig);
    tally_gpu_run(rig->gpu, 2 * 300);
    HOLDS(rd(rig, 0x2364) & 2, "%s: no overflow", name_of(rig));
    HOLDS(rig->rises == 0 && rd(rig, IIR) == 0, "%s: %08" PRIx32, name_of(rig), rd(rig, IIR));
    return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

#define FILE_NAME "whole.c"
#define DOCUMENT  "000"

/* clang-format off */
const struct conformance_case whole_cases_000[] = {
    CHECKED_ROW("000-EVT-04", "Performance Event Counting", "An interrupt reports that the buffer is half full (OA-D34), by bit 9 of the render engine's interrupts", "ivb,vlv,hsw", on_gpu, AWAKE(approaches_full)),
    CHECKED_ROW("000-EVT-11", "Performance Event Counting", "The interrupt came with IVB: SNB does not raise it", "snb", on_gpu, AWAKE(never_warns)),
    CHECKED_ROW("000-EVT-06", "Performance Event Counting", "HSW keeps the counts across RC6 and continues to count afterwards", "hsw", on_gpu, ASLEEP(counts_on)),
    CHECKED_ROW("000-RPT-13", "Performance Counter Reporting", "On the whole GPU a buffer that commands set up receives reports", "snb", on_gpu, AWAKE(loads_buffer)),
    CHECKED_ROW("000-MI-30", "MI_REPORT_PERF_COUNT", "On the whole GPU, a batch with the command writes counters, time and Report ID to memory", "snb..hsw", on_gpu, AWAKE(reports)),
    CHECKED_ROW("000-CTL-15", "OACONTROL", "A094h = 0 and A090h bit 31 = 1 keep the GPU out of RC6, which coherent counts require", "snb..hsw", on_gpu, ASLEEP(forbids)),
    CHECKED_ROW("000-CTL-19", "OACONTROL", "Select Context ID is matched with bits 31:12 of the context that MI_SET_CONTEXT loaded", "snb..hsw", on_gpu, AWAKE(filters)),
    CHECKED_ROW("000-ST2-09", "OASTATUS2", "Memory Select is R/W: 0, by default, puts the buffer into the PPGTT of the context, 1 into the GGTT", "snb..vlv", on_gpu, AWAKE(selects_memory)),
    CHECKED_ROW("000-ST2-10", "OASTATUS2", "HSW's buffer is in the GGTT, whatever is written to Memory Select", "hsw", on_gpu, AWAKE(selects_memory)),
    CHECKED_ROW("000-LIVE-06", "OAPERF_A0 to OAPERF_B7", "The registers are part of the power context: each is restored after RC6", "hsw", on_gpu, ASLEEP(comes_back)),
};
/* clang-format on */
const size_t whole_case_count_000 = sizeof whole_cases_000 / sizeof *whole_cases_000;

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case whole_cases_002[] = {
    CHECKED_ROW("002-CTR-06", "Performance Counter Registers", "On the whole GPU each counter is restored after RC6", "bdw..lkf", on_gpu, ASLEEP(comes_back)),
    CHECKED_ROW("002-MI-10", "MI_REPORT_PERF_COUNT", "On the whole GPU, a batch with the command writes counters, time, context and Report ID to memory", "bdw..lkf", on_gpu, AWAKE(reports)),
};
/* clang-format on */
const size_t whole_case_count_002 = sizeof whole_cases_002 / sizeof *whole_cases_002;
