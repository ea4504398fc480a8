/* SPDX-License-Identifier: MIT */
/* Lakefield's system interface on the whole GPU: the statements that gt_*.c tests for each part,
 * tested by MMIO, the command streamer and interrupt listeners. */
#include "intel/conformance/gpu_check.h"
#include "intel/conformance/lakefield.h"

#include "intel/workload_rig.h"

enum { CTL0 = 0xe458, OACONTROL = 0x2b00, STEER_HOST = 0xfdc, STEER_CS = 0x20cc };

/* MI_LOAD_REGISTER_IMM, MI_STORE_REGISTER_MEM to the GGTT, MI_BATCH_BUFFER_END. */
enum { LRI = 0x11000001, SRM = 0x12400002, END = 0x05000000 };

static bool outcome_is(struct gpu_rig *rig, uint32_t address, bool write, const char *outcome)
{
    return !strcmp(tally_gpu_outcome(rig->gpu, address, write), outcome);
}

/* Runs a batch in the GGTT. */
static bool run_batch(struct gpu_rig *rig, const uint32_t *dwords, size_t count)
{
    gpu_rig_put(rig, TALLY_GPU_GGTT, 0x1000, dwords, count);
    return tally_gpu_submit(rig->gpu, 1, TALLY_GPU_GGTT, 0x1000, true) == 0 && gpu_rig_finish(rig);
}

#define BATCH(rig, ...)                                                                            \
    run_batch(rig, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))

/* ---- interrupts ------------------------------------------------------------------------------ */

/* Enables and unmasks everything through a copy of the registers. */
static void open_tree(struct gpu_rig *rig,
                      void (*write)(struct tally_gpu *gpu, uint32_t address, uint32_t value))
{
    for (uint32_t at = 0x190030; at <= 0x190044; at += 4)
        write(rig->gpu, at, 0xffffffff);
    for (uint32_t at = 0x190090; at <= 0x1900f4; at += 4)
        write(rig->gpu, at, 0);
}

static bool line(struct conformance_fault *fault, struct gpu_rig *rig)
{
    open_tree(rig, tally_gpu_write32);
    tally_gpu_interrupt(rig->gpu, 0, 0, 0, 1);
    HOLDS(rig->rises == 0, "not enabled");
    wr(rig, 0x190010, 0x80000000);
    HOLDS(rig->rises == 1 && rig->falls == 0, "enabled");
    tally_gpu_interrupt(rig->gpu, 1, 2, 0, 1);
    HOLDS(rig->rises == 1, "interrupts too early");
    wr(rig, 0x190010, 0);
    HOLDS(rig->falls == 1, "disabled");
    wr(rig, 0x190010, 0x80000000);
    for (uint32_t dw = 0; dw < 2; dw++) {
        HOLDS(rig->rises == 2 && rig->falls == 1, "DW%" PRIu32 " is left", dw);
        uint32_t bits = rd(rig, 0x190018 + 4 * dw);
        wr(rig, 0x190070 + 4 * dw, bits);
        HOLDS(rd(rig, 0x190060 + 4 * dw) >> 31, "data valid");
        wr(rig, 0x190060 + 4 * dw, 0x80000000);
        wr(rig, 0x190018 + 4 * dw, bits);
    }
    HOLDS(rig->falls == 2, "all is cleared");
    return true;
}

static bool vectors(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_gpu *gpu = rig->gpu;
    open_tree(rig, tally_gpu_scheduler_write32);
    tally_gpu_interrupt(gpu, 0, 0, 0, 0x100);
    tally_gpu_interrupt(gpu, 1, 0, 0, 0x100);
    HOLDS(rig->vectors[0] == 1 && rig->vectors[1] == 1, "one each");
    tally_gpu_interrupt(gpu, 0, 0, 0, 0x100);
    HOLDS(rig->vectors[0] == 1, "event too early");
    HOLDS(tally_gpu_scheduler_read32(gpu, 0x190018) == 1, "DW0");
    tally_gpu_interrupt(gpu, 3, 0, 0, 0x100); /* during service */
    tally_gpu_scheduler_write32(gpu, 0x190070, 1);
    HOLDS(tally_gpu_scheduler_read32(gpu, 0x190060) == 0x80000100, "identity");
    tally_gpu_scheduler_write32(gpu, 0x190060, 0x80000000);
    HOLDS(rig->vectors[0] == 1, "second event too early");
    tally_gpu_scheduler_write32(gpu, 0x190018, 1);
    HOLDS(rig->vectors[0] == 2 && rig->vectors[1] == 1, "no second event");
    HOLDS(rig->rises == 0 && rd(rig, 0x190018) == 0, "the host was interrupted");
    return true;
}

/* The render engine's own events are messages of class 0. */
static bool render_events(struct conformance_fault *fault, struct gpu_rig *rig)
{
    open_tree(rig, tally_gpu_write32);
    HOLDS(BATCH(rig, 0x01000000 /* MI_USER_INTERRUPT */, END), "batch");
    HOLDS(rd(rig, 0x190018) & 1, "RCS0");
    wr(rig, 0x190070, 1);
    HOLDS((rd(rig, 0x190060) & 0xffff0001) == 0x80000001, "%08" PRIx32, rd(rig, 0x190060));
    return true;
}

static bool half_full(struct conformance_fault *fault, struct gpu_rig *rig)
{
    wr(rig, 0x19003c, 0x0000ffff); /* WDOAPerf */
    wr(rig, 0x1900ec, 0xffff0000);
    wr(rig, 0x190010, 0x80000000);
    wr(rig, 0x2b20, 0xefffffff); /* OA_IMR */
    wr(rig, 0x2b14, 1);          /* OABUFFER: 128 KiB in the GGTT */
    wr(rig, 0x2744, 0x80800000); /* a report of 64 bytes at every second clock (OA-D47) */
    wr(rig, 0x2360, 1);
    wr(rig, OACONTROL, 1);
    tally_gpu_run(rig->gpu, 2 * 1023);
    HOLDS(rig->rises == 0, "below half");
    tally_gpu_run(rig->gpu, 2);
    HOLDS(rig->rises == 1, "half");
    wr(rig, 0x190070, 1u << 20);
    HOLDS(rd(rig, 0x190060) == 0x80241000, "%08" PRIx32, rd(rig, 0x190060));
    return true;
}

/* ---- wake ------------------------------------------------------------------------------------ */

/* Accesses all 170 ranges by MMIO: asleep, then with every domain of LKF awake. */
static bool ranges_asleep(struct conformance_fault *fault, struct gpu_rig *rig)
{
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        bool sleeps = row->wake > W_AON || row->first == 0x5400;
        HOLDS(outcome_is(rig, row->first, false, "asleep") == sleeps, "%06" PRIx32 ": %s",
              row->first, tally_gpu_outcome(rig->gpu, row->first, false));
        HOLDS(!sleeps || rd(rig, row->first) == 0, "%06" PRIx32 " reads", row->first);
    }
    return true;
}

static bool ranges_awake(struct conformance_fault *fault, struct gpu_rig *rig)
{
    for (size_t i = 0; i < LKF_RANGES; i++) {
        const struct lkf_range *row = &lkf_ranges[i];
        bool reserved = row->wake == W_NONE && row->first != 0x5400;
        HOLDS(!outcome_is(rig, row->first, true, "asleep"), "%06" PRIx32, row->first);
        HOLDS(!reserved || outcome_is(rig, row->first, true, "unimplemented"), "%06" PRIx32 ": %s",
              row->first, tally_gpu_outcome(rig->gpu, row->first, true));
        HOLDS(!reserved || rd(rig, row->first) == 0, "%06" PRIx32 " reads", row->first);
    }
    return true;
}

/* The OA unit's range belongs to GTI, its flexible EU registers to RENDER. */
static bool oa_domains(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const struct {
        uint32_t request;
        bool gti, render;
    } rows[] = {{0xa188, true, false}, {0xa278, false, true}, {0xa540, false, false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        wr(rig, rows[i].request, 0x00010001);
        wr(rig, OACONTROL, 0x14);
        wr(rig, CTL0, 0x1234);
        HOLDS((rd(rig, OACONTROL) == 0x14) == rows[i].gti, "OACONTROL with %05" PRIx32,
              rows[i].request);
        HOLDS((rd(rig, CTL0) == 0x1234) == rows[i].render, "CTL0 with %05" PRIx32, rows[i].request);
        wr(rig, rows[i].request, 0x00010000);
        HOLDS(rd(rig, OACONTROL) == 0 && rd(rig, CTL0) == 0, "released");
    }
    return true;
}

/* Requests a domain, waits for the acknowledge, accesses a register. */
static bool protocol(struct conformance_fault *fault, struct gpu_rig *rig)
{
    wr(rig, 0xa188, 0x00000001); /* no request without the mask bit */
    tally_gpu_run(rig->gpu, 100);
    HOLDS(rd(rig, 0x130044) == 0, "no mask");
    wr(rig, 0xa188, 0x00010001);
    tally_gpu_run(rig->gpu, 49);
    wr(rig, OACONTROL, 0x14);
    HOLDS(rd(rig, 0x130044) == 0 && rd(rig, OACONTROL) == 0, "too early");
    tally_gpu_run(rig->gpu, 1);
    HOLDS(rd(rig, 0x130044) == 1, "acknowledge");
    HOLDS(rd(rig, OACONTROL) == 0, "the early write was not dropped");
    wr(rig, OACONTROL, 0x14);
    HOLDS(rd(rig, OACONTROL) == 0x14, "access");
    wr(rig, 0xa188, 0x00010000);
    HOLDS(rd(rig, 0x130044) == 0 && rd(rig, OACONTROL) == 0, "released");
    return true;
}

/* A list is written to the submission queue and submitted while all domains sleep: 2510h to 2550h
 * are shadowed (OA-4.3, OA-10.2). The work wakes the domains that it needs. */
static bool shadowed(struct conformance_fault *fault, struct gpu_rig *rig)
{
    gpu_rig_context(rig, 0, 8, 0x35);
    PUT(rig, TALLY_GPU_GGTT, RIG_RING(0), 0, 0);
    wr(rig, 0x2550, 1);
    HOLDS(gpu_rig_finish(rig) && rig->completions == 0, "an empty list");
    HOLDS(outcome_is(rig, 0x2510, true, "reached") && outcome_is(rig, 0x2550, true, "reached") &&
              outcome_is(rig, 0x2510, false, "asleep"),
          "outcomes");
    wr(rig, 0x2510, RIG_LRCA(0) | 1);
    wr(rig, 0x2514, 0x111);
    wr(rig, 0x2550, 1);
    HOLDS(gpu_rig_finish(rig) && rig->completions == 1 && rig->id == 0x111, "%u", rig->completions);
    return true;
}

/* ---- steering -------------------------------------------------------------------------------- */

/* Checks each subslice's copy of a register. */
static bool holds(struct conformance_fault *fault, struct gpu_rig *rig, const uint32_t *expected)
{
    for (uint32_t i = 0; i < 8; i++) {
        wr(rig, STEER_HOST, i << 24);
        HOLDS(rd(rig, CTL0) == expected[i], "subslice %" PRIu32 " has %08" PRIx32, i,
              rd(rig, CTL0));
        wr(rig, STEER_HOST, 0x80000000 | i << 24);
        HOLDS(rd(rig, CTL0) == expected[i], "subslice %" PRIu32 ", multicast", i);
    }
    wr(rig, STEER_HOST, 0x80000000);
    return true;
}

static bool own_storage(struct conformance_fault *fault, struct gpu_rig *rig)
{
    uint32_t expected[8];
    wr(rig, CTL0, 0x77);
    for (uint32_t i = 0; i < 8; i++)
        expected[i] = 0x77;
    if (!holds(fault, rig, expected))
        return false;
    for (uint32_t i = 0; i < 8; i++) {
        wr(rig, STEER_HOST, i << 24);
        wr(rig, CTL0, expected[i] = 0x100 + i);
    }
    if (!holds(fault, rig, expected))
        return false;
    wr(rig, STEER_HOST, 0x05000000); /* has no effect on a register that is not replicated */
    wr(rig, OACONTROL, 0x14);
    HOLDS(rd(rig, OACONTROL) == 0x14, "OACONTROL");
    wr(rig, STEER_HOST, 0x02000000);
    HOLDS(rd(rig, OACONTROL) == 0x14, "OACONTROL");
    return true;
}

/* With six subslices the other two drop accesses; 913Ch shows which. */
static bool fused_off(struct conformance_fault *fault, struct gpu_rig *rig)
{
    HOLDS(rd(rig, 0x913c) == 0xc0, "913Ch is %08" PRIx32, rd(rig, 0x913c));
    wr(rig, CTL0, 0x77);
    return holds(fault, rig, (const uint32_t[]){0x77, 0x77, 0x77, 0x77, 0x77, 0x77, 0, 0});
}

/* Only 20CCh steers the command streamer's accesses. */
static bool by_commands(struct conformance_fault *fault, struct gpu_rig *rig)
{
    wr(rig, STEER_HOST, 0x06000000);
    wr(rig, STEER_CS, 0x03000000);
    HOLDS(BATCH(rig, LRI, CTL0, 0x1234, SRM, CTL0, 0x4000, 0, END), "batch");
    HOLDS(gpu_rig_peek(rig, 0, 0x4000) == 0x1234, "it reads %08" PRIx32,
          gpu_rig_peek(rig, 0, 0x4000));
    wr(rig, STEER_HOST, 0x80000000);
    if (!holds(fault, rig, (const uint32_t[]){0, 0, 0, 0x1234, 0, 0, 0, 0}))
        return false;
    wr(rig, STEER_CS, 0x84000000); /* multicast; reads of subslice 4 */
    HOLDS(BATCH(rig, LRI, CTL0, 0x5678, SRM, CTL0, 0x4000, 0, END), "batch");
    HOLDS(gpu_rig_peek(rig, 0, 0x4000) == 0x5678, "multicast");
    uint32_t all[8];
    for (int i = 0; i < 8; i++)
        all[i] = 0x5678;
    return holds(fault, rig, all);
}

/* A flexible counter adds each EU as its own subslice is programmed. The document does not support
 * unicast programming, but the storage belongs to the instance. */
static bool counts_per_instance(struct conformance_fault *fault, struct gpu_rig *rig)
{
    struct tally_number one = tally_number_constant(1);
    for (unsigned eu = 0; eu < 64; eu++)
        tally_oa_drive_eu(tally_gpu_oa(rig->gpu), eu, TALLY_OA_FPU0, &one);
    wr(rig, CTL0, 0xf); /* A7: no event */
    wr(rig, STEER_HOST, 0x02000000);
    wr(rig, CTL0, 0); /* FPU0 */
    wr(rig, 0x2360, 1);
    wr(rig, OACONTROL, 1);
    tally_gpu_run(rig->gpu, 10);
    HOLDS(gpu_rig_value(rig, "a7") == 80, "%" PRIu64, gpu_rig_value(rig, "a7"));
    return true;
}

/* ---- aliases --------------------------------------------------------------------------------- */

static bool mchbar(struct conformance_fault *fault, struct gpu_rig *rig)
{
    uint64_t value = 0;
    HOLDS(tally_gpu_set_mchbar(rig->gpu, 0x145998, 8, UINT64_C(0x1122334455667788)) == 0, "set");
    HOLDS(rd(rig, 0x145998) == 0x55667788 && rd(rig, 0x14599c) == 0x11223344, "dwords");
    HOLDS(!tally_gpu_read(rig->gpu, 0x14599a, 2, &value) && value == 0x5566, "word");
    HOLDS(!tally_gpu_read(rig->gpu, 0x145998, 8, &value) && value == UINT64_C(0x1122334455667788),
          "qword");
    HOLDS(tally_gpu_read(rig->gpu, 0x145999, 2, &value) == -EINVAL, "not aligned");
    HOLDS(tally_gpu_read(rig->gpu, 0x145998, 1, &value) == -EINVAL, "a byte");
    wr(rig, 0x145998, 0);
    HOLDS(rd(rig, 0x145998) == 0x55667788, "written");
    HOLDS(BATCH(rig, SRM, 0x145998, 0x4000, 0, LRI, 0x145998, 7, END), "batch");
    HOLDS(gpu_rig_peek(rig, 0, 0x4000) == 0x55667788, "the GT cannot read it");
    HOLDS(rd(rig, 0x145998) == 0x55667788, "the GT can write it");
    HOLDS(rd(rig, 0x14c000) == 0, "beyond the alias (OA-E25)");
    return true;
}

static uint32_t answer(void *context, uint32_t address)
{
    return *(const uint32_t *)context + address;
}

static bool hypervisor(struct conformance_fault *fault, struct gpu_rig *rig)
{
    uint32_t key = 0x40000000;
    for (int guest = 0; guest < 2; guest++) {
        if (guest)
            tally_gpu_set_hypervisor(rig->gpu, answer, &key);
        for (uint32_t at = 0x178000; at < 0x179000; at += 0x7c) {
            wr(rig, at, 0xffffffff);
            HOLDS(rd(rig, at) == (guest ? key + at : 0), "%06" PRIx32, at);
        }
    }
    HOLDS(rd(rig, 0x179000) == 0 && rd(rig, 0x177ffc) == 0, "outside the range");
    return true;
}

/* ---- reports --------------------------------------------------------------------------------- */

static void count_reports(struct gpu_rig *rig)
{
    wr(rig, 0x2b14, 0x20001); /* 128 KiB at 128 KiB of the GGTT */
    wr(rig, 0x2b0c, 0x20000);
    wr(rig, 0x2b10, 0x20000);
    wr(rig, 0x2360, 1);
    wr(rig, OACONTROL, 0x15);
}

/* The engine loads two contexts in turn. */
static bool context_loads(struct conformance_fault *fault, struct gpu_rig *rig)
{
    count_reports(rig);
    for (unsigned n = 0; n < 2; n++) {
        gpu_rig_context(rig, n, 8, 1);
        PUT(rig, TALLY_GPU_GGTT, RIG_RING(n), 0, 0);
    }
    gpu_rig_submit(rig, 0, 0x77000005, 1, 0x77000006);
    HOLDS(gpu_rig_finish(rig), "contexts");
    tally_gpu_run(rig->gpu, 1);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t id = gpu_rig_peek(rig, 0, 0x20000 + 0x100 * i);
        HOLDS(id == 0x02400000, "RPT_ID %" PRIu32 " is %08" PRIx32, i, id);
        HOLDS(gpu_rig_peek(rig, 0, 0x20008 + 0x100 * i) == 0x77000005 + i, "context %" PRIu32, i);
    }
    return true;
}

/* Runs phases of a workload at different frequencies. */
static bool frequency_changes(struct conformance_fault *fault, struct gpu_rig *rig)
{
    static const char text[] = "name: w\ndescription: d\nphases:\n"
                               "  - {duration: 10 us, clock: 100 MHz, context: 1}\n"
                               "  - {duration: 10 us, clock: 400 MHz, context: 1}\n";
    struct rig workload;
    count_reports(rig);
    wr(rig, 0x2b04, 0x00420042); /* frequencies in RPT_ID, no context switch reports */
    HOLDS(rig_init(&workload, __LINE__, text, "lkf", 0), "workload");
    bool suits = tally_gpu_set_workload(rig->gpu, workload.program) == 0;
    tally_gpu_run_ns(rig->gpu, 35000);
    tally_gpu_set_workload(rig->gpu, NULL);
    rig_fini(&workload);
    uint32_t tail = rd(rig, 0x2b10), first = gpu_rig_peek(rig, 0, 0x20000);
    HOLDS(suits && tail == 0x20400, "tail %08" PRIx32, tail);
    /* 100 MHz is 6, 400 MHz 24 of 16 2/3 MHz; both frequencies, reason bit 24, context valid. */
    HOLDS(first == (6u << 25 | 1u << 24 | 1u << 16 | 6), "%08" PRIx32, first);
    HOLDS(gpu_rig_peek(rig, 0, 0x20100) == (24u << 25 | 1u << 24 | 1u << 16 | 24), "400 MHz");
    HOLDS(gpu_rig_peek(rig, 0, 0x20200) == first, "and back");
    return true;
}

#define DOCUMENT  "004"
#define FILE_NAME "gpu_world.c"
#define SCHEDULER "Hardware Scheduler/MinIA SW Interface"
#define HOST      "Host SW Interface"
#define ENGINES   "GT Engine Interrupts"
#define TABLE     "Force Wake and Steering Table"
#define STEERING  "Multicast Steering and Die Recovery"
#define UNCORE    "Uncore Registers"
#define RESERVED  "SW Virtualization Reserved MMIO range"

/* clang-format off */
const struct conformance_case gpu_world_cases[] = {
    CHECKED_ROW("004-INT-14", ENGINES, "Engines report interrupts by messages, as the render engine does", "lkf", on_gpu, AWAKE(render_events)),
    CHECKED_ROW("004-INT-17", SCHEDULER, "Each DW-level event sends one interrupt on its vector", "lkf", on_gpu, AWAKE(vectors)),
    CHECKED_ROW("004-INT-27", HOST, "The CPU is interrupted while an interrupt bit and Enable are set", "lkf", on_gpu, AWAKE(line)),
    CHECKED_ROW("004-OAIRQ-07", "OA Interrupt Control Registers", "On the whole GPU the half-full interrupt reaches the CPU", "lkf", on_gpu, AWAKE(half_full)),
    CHECKED_ROW("004-RANGE-13", TABLE, "By MMIO with all domains asleep, every range with a wake target reads 0", "lkf", on_gpu, ASLEEP(ranges_asleep)),
    CHECKED_ROW("004-RANGE-14", TABLE, "By MMIO with all domains awake, reserved ranges store nothing", "lkf", on_gpu, AWAKE(ranges_awake)),
    CHECKED_ROW("004-RANGE-15", TABLE, "The OA unit's registers need GTI awake, the flexible EU registers RENDER", "lkf", on_gpu, ASLEEP(oa_domains)),
    CHECKED_ROW("004-WAKE-07", TABLE, "After a request and its acknowledge, accesses reach the domain's registers (OA-4.2)", "lkf", on_gpu, ON_GPU(protocol, .wake_clocks = 50)),
    CHECKED_ROW("004-WAKE-08", TABLE, "Shadow registers accept writes while all domains sleep, so work can be submitted", "lkf", on_gpu, ASLEEP(shadowed)),
    CHECKED_ROW("004-STEER-15", STEERING, "Each of eight subslices has its own storage for the flexible EU registers", "lkf", on_gpu, AWAKE(own_storage)),
    CHECKED_ROW("004-STEER-16", STEERING, "With six subslices, the other two read 0 and drop writes", "lkf", on_gpu, ON_GPU(fused_off, .eus = 48, .always_awake = true)),
    CHECKED_ROW("004-STEER-17", STEERING, "20CCh steers loads and stores of the command streamer", "lkf", on_gpu, AWAKE(by_commands)),
    CHECKED_ROW("004-STEER-18", STEERING, "Each instance acts on its own storage", "lkf", on_gpu, AWAKE(counts_per_instance)),
    CHECKED_ROW("004-MCH-05", UNCORE, "On the whole GPU the CPU and the GT read the memory controller's registers and cannot write them", "lkf", on_gpu, AWAKE(mchbar)),
    CHECKED_ROW("004-VIRT-03", RESERVED, "On the whole GPU MMIO reads of the range return 0, or the hypervisor's values", "lkf", on_gpu, AWAKE(hypervisor)),
    CHECKED_ROW("004-CTX-03", "Context Switch Triggered Reports", "On the whole GPU the contexts that the render engine loads write reports", "lkf", on_gpu, AWAKE(context_loads)),
    CHECKED_ROW("004-FREQ-03", "Frequency Change Triggered Reports", "On the whole GPU changes of the render clock write reports", "lkf", on_gpu, AWAKE(frequency_changes)),
};
/* clang-format on */
const size_t gpu_world_case_count = COUNT(gpu_world_cases);
