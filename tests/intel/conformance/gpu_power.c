/* SPDX-License-Identifier: MIT */
/* Power and resets of Lakefield's counter unit, on the whole GPU. */
#include "intel/conformance/document.h"
#include "intel/conformance/gpu_check.h"
#include "intel/conformance/lakefield.h"
#include "intel/workload_rig.h"

#define BLIND 100

enum { OACTXCONTROL = 0x2360, OACONTROL = 0x2b00, OA_TAIL = 0x2b10 };

static uint64_t value(struct gpu_rig *rig, const char *name)
{
    return gpu_rig_value(rig, name);
}

/* Enters RC6 for some clocks and leaves it; afterwards all domains that OA needs are awake. */
static bool sleep_for(struct conformance_fault *fault, struct gpu_rig *rig, uint64_t clocks)
{
    gpu_rig_wake(rig, false);
    HOLDS(tally_gpu_enter_rc6(rig->gpu) == 0, "no RC6");
    tally_gpu_run(rig->gpu, clocks);
    HOLDS(tally_gpu_in_rc6(rig->gpu), "RC6 has ended");
    gpu_rig_wake(rig, true);
    HOLDS(!tally_gpu_in_rc6(rig->gpu), "RC6 has not ended");
    return true;
}

/* ---- resets ---------------------------------------------------------------------------------- */

/* What each_register() does: writes all registers of a list, or compares them with the values
 * written or with the reset values. */
enum what { WRITE, EXPECT, EXPECT_RESET };

static bool each_register(struct conformance_fault *fault, struct gpu_rig *rig,
                          const char *const *names, enum what what)
{
    for (uint32_t i = 0; names[i]; i++) {
        uint32_t address = 0, mark = 0x5a5a5a00 + i * 0x01010101;
        const struct oa_document_register *row = oa_document_find(names[i], LKF, &address);
        HOLDS(row, "%s is in no table", names[i]);
        if (what == WRITE) {
            wr(rig, address, mark);
            continue;
        }
        uint32_t expected = what == EXPECT ? mark & row->writable : row->reset;
        HOLDS(rd(rig, address) == expected, "%s is %08" PRIx32 " and not %08" PRIx32, names[i],
              rd(rig, address), expected);
    }
    return true;
}

static const char *const flexible[] = {
    "EU_PERF_CNT_CTL0", "EU_PERF_CNT_CTL1", "EU_PERF_CNT_CTL2", "EU_PERF_CNT_CTL3",
    "EU_PERF_CNT_CTL4", "EU_PERF_CNT_CTL5", "EU_PERF_CNT_CTL6", NULL};

static bool all_registers(struct conformance_fault *fault, struct gpu_rig *rig, enum what what)
{
    return each_register(fault, rig, lkf_oa_listed, what) &&
           each_register(fault, rig, lkf_oa_left_out, what) &&
           each_register(fault, rig, flexible, what);
}

static bool engine_reset(struct conformance_fault *fault, struct gpu_rig *rig)
{
    all_registers(fault, rig, WRITE);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
    return all_registers(fault, rig, EXPECT);
}

static bool gt_reset(struct conformance_fault *fault, struct gpu_rig *rig)
{
    all_registers(fault, rig, WRITE);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    return all_registers(fault, rig, EXPECT_RESET);
}

/* Counting continues through an engine reset. */
static bool counting_continues(struct conformance_fault *fault, struct gpu_rig *rig)
{
    gpu_rig_count(rig);
    tally_gpu_run(rig->gpu, 100);
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_ENGINE);
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == 200, "A0 is %" PRIu64, value(rig, "a0"));
    tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == 0, "A0 is %" PRIu64, value(rig, "a0"));
    return true;
}

/* ---- what RC6 keeps -------------------------------------------------------------------------- */

static bool rc6_counting(struct conformance_fault *fault, struct gpu_rig *rig)
{
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    tally_gpu_run(rig->gpu, 1000);
    for (uint64_t round = 1; round <= 3; round++) {
        if (!sleep_for(fault, rig, 5000))
            return false;
        wr(rig, OACTXCONTROL, 1);
        tally_gpu_run(rig->gpu, 1000);
        HOLDS(value(rig, "a0") == 1000 * (round + 1), "A0 is %" PRIu64, value(rig, "a0"));
    }
    return true;
}

/* The document's second list: OAPERF_A0 to A35 with their upper dwords, the free-running copies, B0
 * to B7, and EU_PERF_CNT_CTL, all while counting is enabled. */
static bool saved_registers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char *const copies[] = {"free4", "free6", "free19", "free20"};
    char name[24];
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    wr(rig, 0x2714, 0x00800000); /* B counters count too */
    for (unsigned i = 0; i < 36; i++) {
        snprintf(name, sizeof name, "a%u", i);
        tally_oa_poke(tally_gpu_oa(rig->gpu), name, UINT64_C(0x1100000000) + 0x1111111 * i);
    }
    for (unsigned i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "b%u", i);
        tally_oa_poke(tally_gpu_oa(rig->gpu), name, 0x2222222 * i);
    }
    for (unsigned i = 0; i < 4; i++)
        tally_oa_poke(tally_gpu_oa(rig->gpu), copies[i], UINT64_C(0x3300000000) + i);
    each_register(fault, rig, flexible, WRITE);
    if (!sleep_for(fault, rig, 1000))
        return false;
    for (uint32_t i = 0; i < 36; i++) {
        uint32_t at = i < 32 ? 0x2800 + 8 * i : 0x2900 + 4 * (i - 32);
        HOLDS(rd(rig, at) == 0x1111111 * i, "A%" PRIu32 " is %08" PRIx32, i, rd(rig, at));
        HOLDS(i > 31 || rd(rig, at + 4) == 0x11, "A%" PRIu32 "_UPPER", i);
    }
    for (uint32_t i = 0; i < 8; i++)
        HOLDS(rd(rig, 0x2920 + 4 * i) == 0x2222222 * i, "B%" PRIu32, i);
    for (uint32_t i = 0; i < 4; i++)
        HOLDS(rd(rig, 0x2960 + 8 * i) == i && rd(rig, 0x2964 + 8 * i) == 0x33, "%s", copies[i]);
    return each_register(fault, rig, flexible, EXPECT);
}

/* Not on the list, but needed to continue counting: our reading (gt/power.c). OA_DEBUG is lost [K].
 */
static bool other_registers(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char *const kept[] = {
        "OA_IMR",    "OAHEADPTR",    "OATAILPTR",     "OASTATUS",      "OABUFFER", "OABUFFER_UDW",
        "OACONTROL", "OASTARTTRIG2", "OAREPORTTRIG2", "OAREPORTTRIG7", "CEC0-0",   "CEC7-1",
        NULL};
    gpu_rig_wake(rig, true);
    each_register(fault, rig, kept, WRITE);
    wr(rig, 0x2b04, 0x00400040);
    if (!sleep_for(fault, rig, 1000))
        return false;
    HOLDS(rd(rig, 0x2b04) == 0, "OA_DEBUG is %08" PRIx32, rd(rig, 0x2b04));
    return each_register(fault, rig, kept, EXPECT);
}

/* ---- programming guidelines ------------------------------------------------------------------ */

/* Runs an empty batch in a context whose image has this value of OACTXCONTROL. */
static bool load_context(struct gpu_rig *rig, unsigned n, uint32_t control)
{
    gpu_rig_context(rig, n, 8, control);
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), 0, 0);
    gpu_rig_submit(rig, n, 0x70 + n, 0, 0);
    return gpu_rig_finish(rig);
}

static bool context_with_the_bit(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_number one = tally_number_constant(1);
    gpu_rig_wake(rig, true);
    tally_oa_drive_a(tally_gpu_oa(rig->gpu), 0, &one);
    wr(rig, OACONTROL, 0x15);
    HOLDS(load_context(rig, 0, 0), "context without the bit");
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == 0, "it counts without the bit");
    HOLDS(load_context(rig, 1, 1), "context with the bit");
    uint64_t before = value(rig, "a0");
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == before + 100, "it does not count with the bit");
    return true;
}

/* RC6 unloads the context: after it nothing counts until a context is loaded. */
static bool context_after_rc6(struct conformance_fault *fault, struct gpu_rig *rig)
{
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    tally_gpu_run(rig->gpu, 100);
    if (!sleep_for(fault, rig, 1000))
        return false;
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == 100, "it counts without a context");
    HOLDS(load_context(rig, 0, 1), "context");
    uint64_t before = value(rig, "a0");
    tally_gpu_run(rig->gpu, 100);
    HOLDS(value(rig, "a0") == before + 100, "it does not count");
    return true;
}

/* Starts a workload that is idle, then busy. */
static bool begin_work(struct conformance_fault *fault, struct gpu_rig *rig, struct rig *workload)
{
    static const char text[] =
        "name: w\ndescription: d\nphases:\n"
        "  - {duration: 100 us, context: idle}\n"
        "  - {duration: 100 us, context: 1, does: [{unit: gpu.busy, constant: 1}]}\n";
    HOLDS(rig_init(workload, __LINE__, text, "lkf", 0), "workload");
    gpu_rig_wake(rig, true);
    wr(rig, OACONTROL, 0x15);
    tally_gpu_set_workload(rig->gpu, workload->program);
    return true;
}

/* Runs the busy phase, which is counted if OACTXCONTROL enables counting. */
static bool end_work(struct conformance_fault *fault, struct gpu_rig *rig, struct rig *workload,
                     uint32_t control)
{
    tally_gpu_run(rig->gpu, 60000);
    uint32_t present = rd(rig, OACTXCONTROL);
    uint64_t busy = value(rig, "a0");
    tally_gpu_set_workload(rig->gpu, NULL);
    rig_fini(workload);
    HOLDS(present == control, "OACTXCONTROL is %" PRIu32, present);
    HOLDS((busy > 0) == (control & 1), "A0 is %" PRIu64, busy);
    return true;
}

/* Enters RC6 `times` times while idle, optionally resets, and checks the context's OACTXCONTROL. */
static bool own_context(struct conformance_fault *fault, struct gpu_rig *rig, int times, bool reset,
                        uint32_t control)
{
    struct rig workload;
    bool good = true;
    gpu_rig_wake(rig, true);
    wr(rig, OACTXCONTROL, 1);
    if (!begin_work(fault, rig, &workload))
        return false;
    for (int i = 0; i < times && good; i++)
        good = sleep_for(fault, rig, 1000);
    if (reset)
        tally_gpu_reset(rig->gpu, TALLY_GPU_RESET_GT);
    gpu_rig_wake(rig, true);
    return end_work(fault, rig, &workload, control) && good;
}

static bool after_rc6(struct conformance_fault *fault, bool reset, uint32_t control)
{
    bool good = true;
    for (int times = 0; times < 4 && good; times++) {
        struct gpu_rig *rig = gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = "lkf"});
        good = own_context(fault, rig, times, reset, control);
        gpu_rig_free(rig);
    }
    return good;
}

static bool context_restores_bit(struct conformance_fault *fault)
{
    return after_rc6(fault, false, 1);
}

static bool reset_clears_bit(struct conformance_fault *fault)
{
    return after_rc6(fault, true, 0);
}

/* After RC6 a context with the bit is loaded, then one that never set it. */
static bool latest_context(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct rig workload;
    if (!begin_work(fault, rig, &workload))
        return false;
    bool good = sleep_for(fault, rig, 1000) && load_context(rig, 0, 1);
    return end_work(fault, rig, &workload, 1) && CONFORMS(fault, good, "RC6, or the context");
}

/* Render's force wake prevents RC6, and so does an active context; without either the GT enters it.
 */
static bool the_window(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct rig workload;
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    wr(rig, 0xa188, 0x00010000); /* only render's request */
    tally_gpu_run(rig->gpu, 5000);
    HOLDS(value(rig, "a0") == 5000 && !tally_gpu_in_rc6(rig->gpu), "force wake");
    HOLDS(rig_init(&workload, __LINE__, HEAD "{unit: gpu.busy, constant: 1}" TAIL, "lkf", 0),
          "workload");
    bool suits = tally_gpu_set_workload(rig->gpu, workload.program) == 0;
    tally_gpu_run(rig->gpu, 1);
    gpu_rig_wake(rig, false);
    tally_gpu_run(rig->gpu, 5000);
    bool active = value(rig, "a0") == 10001 && !tally_gpu_in_rc6(rig->gpu);
    tally_gpu_set_workload(rig->gpu, NULL);
    tally_gpu_run(rig->gpu, 5000);
    rig_fini(&workload);
    HOLDS(suits && active, "the active context: A0 is %" PRIu64, value(rig, "a0"));
    HOLDS(tally_gpu_in_rc6(rig->gpu), "neither");
    return true;
}

static bool blind_spot(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char *const names[] = {"a0", "b0", "c7"};
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    wr(rig, 0x2714, 0x00800000);
    tally_gpu_run(rig->gpu, 1000);
    gpu_rig_wake(rig, false);
    HOLDS(tally_gpu_enter_rc6(rig->gpu) == 0, "RC6");
    tally_gpu_run(rig->gpu, 60);
    for (size_t i = 0; i < COUNT(names); i++)
        HOLDS(value(rig, names[i]) == 1060, "%s does not count after the save", names[i]);
    tally_gpu_run(rig->gpu, 10000);
    for (size_t i = 0; i < COUNT(names); i++)
        HOLDS(value(rig, names[i]) == 1000 + BLIND, "%s does not stop with the clocks", names[i]);
    gpu_rig_wake(rig, true);
    for (size_t i = 0; i < COUNT(names); i++) {
        HOLDS(value(rig, names[i]) == 1000, "%s is not overwritten", names[i]);
        HOLDS(tally_gpu_blind(rig->gpu, names[i]) == BLIND, "%s: wrong number of missed counts",
              names[i]);
    }
    HOLDS(tally_gpu_blind(rig->gpu, "a1") == 0, "A1 missed counts");
    return true;
}

/* The length depends on the device: here it is configured. */
static bool blind_spot_lengths(struct conformance_fault *fault)
{
    static const uint32_t sizes[] = {0, 1, 77, 5000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct gpu_rig *rig = gpu_rig_new(
            __LINE__, &(struct tally_gpu_config){.platform = "lkf", .rc6_blind_clocks = sizes[i]});
        gpu_rig_wake(rig, true);
        gpu_rig_count(rig);
        tally_gpu_run(rig->gpu, 10);
        bool good = sleep_for(fault, rig, 10000);
        uint64_t blind = tally_gpu_blind(rig->gpu, "a0");
        gpu_rig_free(rig);
        if (!good || !CONFORMS(fault, blind == sizes[i], "%" PRIu64 " clocks", blind))
            return false;
    }
    return true;
}

/* ---- ticks and time -------------------------------------------------------------------------- */

static bool ticks_in_rc6(struct conformance_fault *fault, struct gpu_rig *rig)
{
    gpu_rig_wake(rig, true);
    tally_gpu_run(rig->gpu, 1234);
    HOLDS(rd(rig, 0x2910) == 1234, "before");
    if (!sleep_for(fault, rig, 100000))
        return false;
    HOLDS(rd(rig, 0x2910) == 1234, "GPU_TICKS is %" PRIu32, rd(rig, 0x2910));
    tally_gpu_run(rig->gpu, 10);
    HOLDS(rd(rig, 0x2910) == 1244, "it does not continue");
    return true;
}

/* Two phases of a workload, 1 ms each, at 100 and at 400 MHz. */
static bool ticks_and_time(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char text[] = "name: w\ndescription: d\nphases:\n"
                               "  - {duration: 1 ms, clock: 100 MHz, context: 1}\n"
                               "  - {duration: 1 ms, clock: 400 MHz, context: 1}\n";
    struct rig workload;
    uint64_t ticks[3] = {0}, time[3] = {0};
    HOLDS(rig_init(&workload, __LINE__, text, "lkf", 0), "workload");
    bool suits = tally_gpu_set_workload(rig->gpu, workload.program) == 0;
    for (int i = 1; i < 3; i++) {
        tally_gpu_run_ns(rig->gpu, 1000000);
        ticks[i] = value(rig, "ticks");
        time[i] = value(rig, "timestamp");
    }
    tally_gpu_set_workload(rig->gpu, NULL);
    rig_fini(&workload);
    HOLDS(suits && ticks[1] == 100000 && ticks[2] == 500000, "%" PRIu64 ", %" PRIu64 " ticks",
          ticks[1], ticks[2]);
    HOLDS(time[1] == 19200 && time[2] == 38400, "TIMESTAMP is %" PRIu64 ", %" PRIu64, time[1],
          time[2]);
    return true;
}

static bool time_in_rc6(struct conformance_fault *fault, struct gpu_rig *rig)
{
    uint64_t clocks = tally_gpu_clock_hz(rig->gpu) / 1000;
    tally_gpu_run(rig->gpu, clocks);
    HOLDS(tally_gpu_enter_rc6(rig->gpu) == 0, "RC6");
    tally_gpu_run(rig->gpu, clocks);
    HOLDS(value(rig, "timestamp") == 2 * 19200, "%" PRIu64, value(rig, "timestamp"));
    return true;
}

/* ---- DFD configuration ----------------------------------------------------------------------- */

enum { GDT_CHICKEN_BITS = 0x9840, HALF_SLICE_CHICKEN2 = 0xe180 };

/* What is in GTI is lost, and no batch reaches it. Without RC6 it stays. */
static bool whole_gt(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct tally_gpu_register batch[] = {{GDT_CHICKEN_BITS, 0x80}};
    for (int i = 0; i < TALLY_GPU_BATCHES; i++)
        HOLDS(tally_gpu_set_batch(rig->gpu, (enum tally_gpu_batch)i, batch, 1) == 0, "batch %d", i);
    gpu_rig_wake(rig, true);
    wr(rig, GDT_CHICKEN_BITS, 0x80);
    if (!sleep_for(fault, rig, 100))
        return false;
    HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0, "it is kept");
    wr(rig, GDT_CHICKEN_BITS, 0x80);
    wr(rig, 0xa094, 0); /* RC6 off (OA-1.5) */
    wr(rig, 0xa090, 0x80000000);
    gpu_rig_wake(rig, false);
    HOLDS(tally_gpu_enter_rc6(rig->gpu) == -EBUSY, "RC6");
    tally_gpu_run(rig->gpu, 100000);
    gpu_rig_wake(rig, true);
    HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0x80, "without power management it is lost, too");
    return true;
}

static bool render_batch(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct tally_gpu_register batch[] = {
        {GDT_CHICKEN_BITS, 0x80}, {HALF_SLICE_CHICKEN2, 0x00ff0033}, {0x1c0080, 1}};
    HOLDS(tally_gpu_set_batch(rig->gpu, TALLY_GPU_BATCH_RENDER, batch, 3) == 1, "render's only");
    gpu_rig_wake(rig, true);
    HOLDS(rd(rig, HALF_SLICE_CHICKEN2) == 0, "it has run already");
    if (!sleep_for(fault, rig, 100))
        return false;
    HOLDS(rd(rig, HALF_SLICE_CHICKEN2) == 0x33, "%08" PRIx32, rd(rig, HALF_SLICE_CHICKEN2));
    HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0, "and nothing else");
    return true;
}

enum {
    PG_ENABLE = 0xa210, /* CPD: bit 0 render, bit 1 media */
    WELLS = 0xa2a0,     /* status: bit 1 render, bits 0 and 2 media slices 0 and 1 */
    VDBOX0 = 0xa540,    /* force wake requests */
    VDBOX2 = 0xa548,
    RENDER = 0xa278,
    MEDIA0_DFD = 0x1c3f10,
    MEDIA1_DFD = 0x1d3f10
};

static void request(struct gpu_rig *rig, uint32_t domain, bool on)
{
    wr(rig, domain, 0x00010000 | on);
}

/* With CPD on, wakes everything. */
static void partial_power_down(struct gpu_rig *rig)
{
    gpu_rig_wake(rig, true);
    request(rig, VDBOX0, true);
    request(rig, VDBOX2, true);
    wr(rig, PG_ENABLE, 3);
}

/* Writes the configuration of GTI, render and both media slices. */
static void configure(struct gpu_rig *rig)
{
    wr(rig, GDT_CHICKEN_BITS, 0x80);
    wr(rig, HALF_SLICE_CHICKEN2, 0x00ff0011);
    wr(rig, MEDIA0_DFD, 0x22);
    wr(rig, MEDIA1_DFD, 0x33);
}

static bool is_configured(struct conformance_fault *fault, struct gpu_rig *rig, uint32_t render,
                          uint32_t media0, uint32_t media1)
{
    HOLDS(rd(rig, HALF_SLICE_CHICKEN2) == render, "render: %" PRIx32, rd(rig, HALF_SLICE_CHICKEN2));
    HOLDS(rd(rig, MEDIA0_DFD) == media0, "media 0: %" PRIx32, rd(rig, MEDIA0_DFD));
    HOLDS(rd(rig, MEDIA1_DFD) == media1, "media 1: %" PRIx32, rd(rig, MEDIA1_DFD));
    return true;
}

/* Media's batch restores the slice that was down, not the other one, nor render or GTI; render's
 * batch does not restore media. */
static bool media_batch(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct tally_gpu_register batch[] = {{MEDIA0_DFD, 0xa0},
                                                      {MEDIA1_DFD, 0xa1},
                                                      {HALF_SLICE_CHICKEN2, 0x00ff00aa},
                                                      {GDT_CHICKEN_BITS, 0}};
    HOLDS(tally_gpu_set_batch(rig->gpu, TALLY_GPU_BATCH_MEDIA, batch, 4) == 2, "media's only");
    partial_power_down(rig);
    configure(rig);
    request(rig, VDBOX0, false);
    HOLDS(rd(rig, WELLS) == 6 && rd(rig, MEDIA0_DFD) == 0, "slice 0 is not down");
    tally_gpu_run(rig->gpu, 100);
    request(rig, VDBOX0, true);
    if (!is_configured(fault, rig, 0x11, 0xa0, 0x33))
        return false;
    request(rig, VDBOX2, false);
    request(rig, VDBOX2, true);
    if (!is_configured(fault, rig, 0x11, 0xa0, 0xa1))
        return false;
    HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0x80, "GTI");
    /* Without media's batch, render's restores nothing of media. */
    tally_gpu_set_batch(rig->gpu, TALLY_GPU_BATCH_MEDIA, NULL, 0);
    HOLDS(tally_gpu_set_batch(rig->gpu, TALLY_GPU_BATCH_RENDER, batch, 4) == 1, "render's only");
    request(rig, VDBOX0, false);
    request(rig, RENDER, false);
    request(rig, VDBOX0, true);
    request(rig, RENDER, true);
    return is_configured(fault, rig, 0xaa, 0, 0xa1);
}

/* CPD of render (bit 0) and of media (bit 1): only what may power down loses its configuration. */
static bool each_cpd(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const uint32_t domains[] = {RENDER, VDBOX0, VDBOX2};
    for (uint32_t cpd = 0; cpd < 4; cpd++) {
        partial_power_down(rig);
        wr(rig, PG_ENABLE, cpd);
        configure(rig);
        for (size_t i = 0; i < COUNT(domains); i++)
            request(rig, domains[i], false);
        tally_gpu_run(rig->gpu, 10);
        for (size_t i = 0; i < COUNT(domains); i++)
            request(rig, domains[i], true);
        bool render = cpd & 1, media = cpd & 2;
        if (!is_configured(fault, rig, render ? 0 : 0x11, media ? 0 : 0x22, media ? 0 : 0x33))
            return false;
    }
    return true;
}

/* Software that follows the wells in A2A0h writes what was lost, and finds the rest as it was. */
static bool aware_software(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint32_t domain, well, render, media0, media1;
    } rows[] = {{RENDER, 2, 0, 0x22, 0x33}, {VDBOX0, 1, 0x11, 0, 0x33}, {VDBOX2, 4, 0x11, 0x22, 0}};
    if (!each_cpd(fault, rig))
        return false;
    partial_power_down(rig);
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        size_t n = i % COUNT(rows);
        configure(rig);
        if (!is_configured(fault, rig, 0x11, 0x22, 0x33))
            return false;
        request(rig, rows[n].domain, false);
        HOLDS(rd(rig, WELLS) == (7 & ~rows[n].well), "wells: %" PRIx32, rd(rig, WELLS));
        tally_gpu_run(rig->gpu, 10);
        request(rig, rows[n].domain, true);
        HOLDS(rd(rig, WELLS) == 7, "wells: %" PRIx32, rd(rig, WELLS));
        if (!is_configured(fault, rig, rows[n].render, rows[n].media0, rows[n].media1))
            return false;
        HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0x80, "GTI is always on here");
    }
    configure(rig);
    request(rig, VDBOX0, false);
    request(rig, VDBOX2, false);
    if (!sleep_for(fault, rig, 100)) /* the whole GT */
        return false;
    partial_power_down(rig);
    HOLDS(rd(rig, GDT_CHICKEN_BITS) == 0, "GTI");
    return is_configured(fault, rig, 0, 0, 0);
}

/* CPD: while render is released and idle it is down, and counting stops until a context with the
 * bit is loaded. Without CPD the same program counts all the time. */
static bool cpd_undercounts(struct conformance_fault *fault)
{
    for (uint32_t cpd = 0; cpd < 2; cpd++) {
        struct gpu_rig *rig = gpu_rig_new(__LINE__, &(struct tally_gpu_config){.platform = "lkf"});
        gpu_rig_wake(rig, true);
        gpu_rig_count(rig);
        wr(rig, PG_ENABLE, cpd);
        tally_gpu_run(rig->gpu, 1000);
        request(rig, RENDER, false);
        tally_gpu_run(rig->gpu, 500);
        bool down = tally_gpu_well_is_down(rig->gpu, "render");
        request(rig, RENDER, true);
        tally_gpu_run(rig->gpu, 250);
        uint64_t counted = value(rig, "a0");
        bool loads = load_context(rig, 0, 1);
        uint64_t before = value(rig, "a0");
        tally_gpu_run(rig->gpu, 100);
        uint64_t after = value(rig, "a0") - before;
        gpu_rig_free(rig);
        HOLDS(down == cpd, "CPD %" PRIu32 ": render is %s", cpd, down ? "down" : "up");
        HOLDS(counted == (cpd ? 1000 : 1750), "CPD %" PRIu32 ": A0 is %" PRIu64, cpd, counted);
        HOLDS(loads && after == 100, "CPD %" PRIu32 ": %" PRIu64 " with a context", cpd, after);
    }
    return true;
}

static bool context_batch(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct tally_gpu_register batch[] = {{HALF_SLICE_CHICKEN2, 0x00ff0044}};
    HOLDS(tally_gpu_set_batch(rig->gpu, TALLY_GPU_BATCH_CONTEXT, batch, 1) == 1, "batch");
    gpu_rig_wake(rig, true);
    if (!sleep_for(fault, rig, 100))
        return false;
    HOLDS(rd(rig, HALF_SLICE_CHICKEN2) == 0, "without a context");
    for (unsigned n = 0; n < 2; n++) {
        HOLDS(load_context(rig, n, 1), "context");
        HOLDS(rd(rig, HALF_SLICE_CHICKEN2) == 0x44, "context %u", n);
        wr(rig, HALF_SLICE_CHICKEN2, 0x00ff0000);
    }
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gpu_power.c"
#define EVENTS    "Performance Event Counting"
#define GUIDE     "OA Programming Guidelines"
#define REGISTERS "Performance Counter Registers"
#define FORMATS   "Performance Counter Report Formats"
#define DFD       "DFD Configuration Restore"

#define SLEEPY(check_) ON_GPU(check_, .rc6_blind_clocks = BLIND)
#define TIRED(check_)  ON_GPU(check_, .rc6_after_clocks = 100)

/* clang-format off */
const struct conformance_case gpu_power_cases[] = {
    CHECKED_ROW("004-DFD-01", DFD, "At GT power-up and RC6 exit no batch restores the configuration in GTI, which is kept without power management", "lkf", on_gpu, SLEEPY(whole_gt)),
    CHECKED_ROW("004-DFD-02", DFD, "At render power-up, render's workaround batch restores the configuration of render only", "lkf", on_gpu, SLEEPY(render_batch)),
    CHECKED_ROW("004-DFD-03", DFD, "At media power-up, media's workaround batch restores the configuration of media only", "lkf", on_gpu, SLEEPY(media_batch)),
    CHECKED_ROW("004-DFD-04", DFD, "After a partial power-down, software that tracks the wells writes the configuration again", "lkf", on_gpu, SLEEPY(aware_software)),
    CHECKED_ROW("004-DFD-05", DFD, "For software that does not track the wells, the per-context batch writes the configuration at every context load", "lkf", on_gpu, SLEEPY(context_batch)),
    CHECKED_ROW("004-EVENT-06", EVENTS, "The counters count with RC6 enabled", "lkf", on_gpu, SLEEPY(rc6_counting)),
    CHECKED_ROW("004-EVENT-07", EVENTS, "An engine reset does not affect the OA configuration registers", "lkf", on_gpu, AWAKE(engine_reset)),
    CHECKED_ROW("004-EVENT-08", EVENTS, "The GT global reset resets the OA configuration registers", "lkf", on_gpu, AWAKE(gt_reset)),
    CHECKED_ROW("004-EVENT-09", EVENTS, "Counting continues through a render reset and ends with a GT reset", "lkf", on_gpu, AWAKE(counting_continues)),
    CHECKED_ROW("004-GUIDE-04", GUIDE, "Loading a render context loads Counter Stop-Resume", "lkf", on_gpu, SLEEPY(context_with_the_bit)),
    CHECKED_ROW("004-GUIDE-05", GUIDE, "RC6 clears Counter Stop-Resume until a context with the bit is loaded", "lkf", on_gpu, SLEEPY(context_after_rc6)),
    CHECKED_ROW("004-GUIDE-06", GUIDE, "Counting a window requires render's force wake or an active context", "lkf", on_gpu, TIRED(the_window)),
    CHECKED_ROW("004-GUIDE-07", GUIDE, "The restore at RC6 exit overwrites what was counted since the save before RC6", "lkf", on_gpu, SLEEPY(blind_spot)),
    CHECKED("004-GUIDE-09", GUIDE, "CPD must be off while counting, else counts are missing", "lkf", cpd_undercounts),
    CHECKED("004-GUIDE-10", GUIDE, "A context that stays loaded restores its bit after any number of RC6 entries", "lkf", context_restores_bit),
    CHECKED_ROW("004-GUIDE-11", GUIDE, "After RC6 the context that was loaded last determines the bit", "lkf", on_gpu, SLEEPY(latest_context)),
    CHECKED("004-EVENT-11", EVENTS, "A GT reset resets OACTXCONTROL permanently: RC6 does not restore it", "lkf", reset_clears_bit),
    CHECKED("004-GUIDE-08", GUIDE, "The length of this uncounted interval varies", "lkf", blind_spot_lengths),
    CHECKED_ROW("004-REG-04", REGISTERS, "The power context saves and restores OAPERF_A0 to A35, upper dwords, free-running copies, B0 to B7 and EU_PERF_CNT_CTL0 to 6", "lkf", on_gpu, SLEEPY(saved_registers)),
    CHECKED_ROW("004-REG-05", REGISTERS, "The other registers that counting needs are restored too (our reading); OA_DEBUG is not", "lkf", on_gpu, SLEEPY(other_registers)),
    CHECKED_ROW("004-FMT-14", FORMATS, "GPU_TICKS stops in RC6 and keeps its value", "lkf", on_gpu, SLEEPY(ticks_in_rc6)),
    CHECKED_ROW("004-FMT-15", FORMATS, "GPU_TICKS advances with the clock frequency, TIME_STAMP with real time", "lkf", on_gpu, AWAKE(ticks_and_time)),
    CHECKED_ROW("004-FMT-16", FORMATS, "TIME_STAMP advances in RC6", "lkf", on_gpu, SLEEPY(time_in_rc6)),
};
/* clang-format on */
const size_t gpu_power_case_count = COUNT(gpu_power_cases);
