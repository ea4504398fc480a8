/* SPDX-License-Identifier: MIT */
/* "Aggregating Counters" of the Lakefield PRM: workloads, and the counters that count them; also
 * MI_REPORT_PERF_COUNT. */
#include "intel/conformance/rows.h"

#include "intel/cs_machine.h"
#include "intel/workload_rig.h"

/* The document's table, in units of docs/workloads.md. per: units in one count. */
static const struct {
    const char *unit;
    unsigned counter, per;
} rows[] = {
    {"vs.threads", 1, 1},         {"hs.threads", 2, 1},       {"ds.threads", 3, 1},
    {"cs.threads", 4, 1},         {"gs.threads", 5, 1},       {"ps.threads", 6, 1},
    {"pixels.rasterized", 21, 4}, {"depth.hiz-fail", 22, 4},  {"depth.early-fail", 23, 4},
    {"pixels.killed", 24, 4},     {"depth.late-fail", 25, 4}, {"stencil.late-fail", 25, 4},
    {"pixels.written", 26, 4},    {"pixels.blended", 27, 4},  {"sampler.texels", 28, 4},
    {"sampler.misses", 29, 1},    {"slm.reads", 30, 1},       {"slm.writes", 31, 1},
    {"memory.accesses", 32, 1},   {"memory.misses", 33, 1},   {"memory.atomics", 34, 1},
    {"eu.barriers", 35, 1},
};

enum { CLOCKS = 4096 };

/* Runs one unit at half an event per clock, and checks every fixed counter. */
static bool run_unit(struct conformance_fault *fault, const char *activity, unsigned counter,
                     uint64_t expected)
{
    struct rig rig;
    char text[256];
    bool good = true;
    snprintf(text, sizeof text, HEAD "%s" TAIL, activity);
    if (!rig_init(&rig, __LINE__, text, "lkf", 100000000))
        return false;
    tally_workload_run(&rig.cursor, rig.unit, CLOCKS);
    for (unsigned i = 0; i < 36 && good; i++) {
        uint64_t value = rig_peek(rig.unit, 'a', i);
        if (i < 7 || i > 20)
            good = CONFORMS(fault, value == (i == counter ? expected : 0), "%s: A%u is %" PRIu64,
                            activity, i, value);
    }
    rig_fini(&rig);
    return good;
}

static bool table(struct conformance_fault *fault)
{
    char activity[64];
    for (size_t i = 0; i < COUNT(rows); i++) {
        snprintf(activity, sizeof activity, "{unit: %s, rate: 0.5/clock}", rows[i].unit);
        if (!run_unit(fault, activity, rows[i].counter, CLOCKS / 2 / rows[i].per))
            return false;
    }
    return true;
}

/* OA-E30: nothing is excluded from "busy", which is what a workload states. */
static bool busy_of_workload(struct conformance_fault *fault)
{
    return run_unit(fault, "{unit: gpu.busy, share: 0.25}", 0, CLOCKS / 4) &&
           run_unit(fault, "{unit: gpu.busy, constant: 1}", 0, CLOCKS) &&
           run_unit(fault, "{unit: gti.reads, rate: 0.5/clock}", 36, 0);
}

/* OA-E31: atomics of shared local memory count as its reads and writes, not in A34. */
static bool atomics(struct conformance_fault *fault)
{
    return run_unit(fault, "{unit: memory.atomics, rate: 0.5/clock}", 34, CLOCKS / 2) &&
           run_unit(fault, "{unit: slm.reads, rate: 0.5/clock}", 30, CLOCKS / 2) &&
           run_unit(fault, "{unit: slm.writes, rate: 0.5/clock}", 31, CLOCKS / 2);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool command(struct conformance_fault *fault)
{
    static const uint32_t batch[] = {0x14000002, 0x00123441, 0x00000005, 0x0000cafe, 0x05000000};
    struct machine *machine = malloc(sizeof *machine);
    if (!CONFORMS(fault, machine, "no memory"))
        return false;
    machine_init(machine, "lkf");
    machine->quiet_contexts = true;
    machine_load(machine, 1, MACHINE_CODE, batch, COUNT(batch));
    machine_run_batch(machine, 1, true);
    bool good =
        CONFORMS(fault, !strcmp(machine->log, "report 0:500123440 cafe"), "'%s'", machine->log);
    free(machine);
    return good;
}

#define DOCUMENT  "004"
#define FILE_NAME "aggregates.c"
#define TABLE     "Aggregating Counters"

/* clang-format off */
const struct conformance_case aggregate_cases[] = {
    CHECKED("004-AGG-04", TABLE, "A1 to A6 and A21 to A35 each count the event that the table gives, in 2x2s where it states so", "lkf", table),
    CHECKED("004-AGG-05w", TABLE, "A0 counts the busy clocks of a workload (OA-E30)", "lkf", busy_of_workload),
    CHECKED("004-AGG-06", TABLE, "A34 counts global atomics only, as its workaround states (OA-E31)", "lkf", atomics),
    CHECKED("004-MI-01", "MI_REPORT_PERF_COUNT", "The command has four dwords: header, an address of two dwords whose bit 0 selects the GGTT, and Report ID", "lkf", command),
};
/* clang-format on */
const size_t aggregate_case_count = COUNT(aggregate_cases);
