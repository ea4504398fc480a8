/* SPDX-License-Identifier: MIT */
/* Statements about the OA unit that a script cannot test: options, stopped clocks, power. */
#include "intel/conformance/gpu_check.h"

#include <tally/oa.h>
#include <tally/platform.h>

#include <inttypes.h>

#include "base/bits.h"
#include "intel/conformance/document.h"
#include "intel/conformance/language.h"
#include "intel/gt/power.h"
#include "intel/gt/routing.h"
#include "intel/parts.h"

/* Creates the unit of a platform; on failure sets the fault and returns NULL. */
static struct tally_oa *new_unit(struct conformance_fault *fault, const char *platform)
{
    struct tally_error error = {0};
    struct tally_oa *unit = NULL;
    if (tally_oa_new(platform, &unit, &error))
        conformance_fail(fault, "%s", error.message);
    return unit;
}

static uint64_t peek(const struct tally_oa *unit, const char *name)
{
    uint64_t value = UINT64_MAX;
    tally_oa_peek(unit, name, &value);
    return value;
}

/* ---- 000 ----------------------------------------------------------------------------------- */

struct lines {
    uint32_t first, second;
};

/* On Sandy Bridge A2 is dword 5, A17 dword 19 (byte 12 of the second line). */
static void keep_line(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    struct lines *lines = context;
    (void)bytes;
    if (address % 128 == 0)
        lines->first = load_le32(data + 20);
    else
        lines->second = load_le32(data + 12);
}

/* The report is triggered at clock 8; its lines are written at clocks 28 and 48. */
static bool incoherent(struct conformance_fault *fault)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_oa *unit = new_unit(fault, "snb");
    struct lines lines = {0};
    struct tally_oa_bus bus = {.write = keep_line, .context = &lines};
    if (!unit)
        return false;
    tally_oa_set_bus(unit, &bus);
    tally_oa_drive_a(unit, 2, &one);
    tally_oa_drive_a(unit, 17, &one);
    tally_oa_set_option(unit, TALLY_OA_INCOHERENT, true);
    tally_oa_set_line_time(unit, 20);
    tally_oa_write32(unit, 0x2360, 1 | 1 << 2 | 1 << 5);
    tally_oa_run(unit, 60);
    tally_oa_free(unit);
    return CONFORMS(fault, lines.first == 28 && lines.second == 48, "A2 %u, A17 %u", lines.first,
                    lines.second);
}

#define DOCUMENT  "000"
#define FILE_NAME "checks.c"

/* clang-format off */
const struct conformance_case check_cases_000[] = {
    CHECKED("000-RPT-04", "Performance Counter Reporting", "With heavy memory traffic the counters of a SNB report may be from different times (option TALLY_OA_INCOHERENT)", "snb", incoherent),
};
/* clang-format on */
const size_t check_case_count_000 = sizeof check_cases_000 / sizeof *check_cases_000;

/* ---- 002 ----------------------------------------------------------------------------------- */

/* The list of document 002 on a Cherryview: RC6 saves these registers and restores them, although
 * they change in between. */
static bool power_context(struct conformance_fault *fault, struct gpu_rig *rig)
{
    char name[32];
    uint32_t address[36 + 32 + 8];
    gpu_rig_wake(rig, true);
    gpu_rig_count(rig);
    tally_gpu_write32(rig->gpu, 0x2714, 0x00800000); /* B counters count too */
    for (unsigned i = 0; i < COUNT(address); i++) {
        if (i < 36)
            snprintf(name, sizeof name, "OAPERF_A%u", i);
        else if (i < 68)
            snprintf(name, sizeof name, "OAPERF_A%u_UPPER", i - 36);
        else
            snprintf(name, sizeof name, "OAPERF_B%u", i - 68);
        HOLDS(oa_document_find(name, CHV, &address[i]), "no %s", name);
        tally_gpu_write32(rig->gpu, address[i], 0x11 + i);
    }
    gpu_rig_wake(rig, false);
    HOLDS(tally_gpu_enter_rc6(rig->gpu) == 0, "no RC6");
    tally_gpu_run(rig->gpu, 1000);
    for (unsigned i = 0; i < 8; i++) { /* the registers lose their values */
        snprintf(name, sizeof name, "b%u", i);
        HOLDS(gpu_rig_value(rig, name) != 0x11 + 68 + i, "%s does not change", name);
    }
    for (unsigned i = 0; i < 36; i++) {
        snprintf(name, sizeof name, "a%u", i);
        tally_oa_poke(tally_gpu_oa(rig->gpu), name, 0);
    }
    gpu_rig_wake(rig, true);
    for (unsigned i = 0; i < COUNT(address); i++)
        HOLDS(tally_gpu_read32(rig->gpu, address[i]) == 0x11 + i, "%05" PRIx32 " is %" PRIx32,
              address[i], tally_gpu_read32(rig->gpu, address[i]));
    return true;
}

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case check_cases_002[] = {
    CHECKED_ROW("002-CTR-01", "Performance Counter Registers", "The power context saves OAPERF_A0 to A35, the upper dwords of A0 to A31 and OAPERF_B0 to B7 before RC6 and restores them afterwards", "chv", on_gpu, ON_GPU(power_context, .rc6_blind_clocks = 100)),
};
/* clang-format on */
const size_t check_case_count_002 = sizeof check_cases_002 / sizeof *check_cases_002;

/* ---- decisions ----------------------------------------------------------------------------- */

/* All NOA bits are 1 except bit 0, which the start blocks use; everything is enabled. */
static struct tally_oa *counting_unit(struct conformance_fault *fault, unsigned platform)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_wave high = tally_wave_constant(true);
    struct tally_oa *unit = new_unit(fault, oa_platform_names[platform]);
    if (!unit)
        return NULL;
    tally_oa_drive_a(unit, 0, &one);
    for (unsigned bit = 1; bit < 16; bit++)
        tally_oa_drive_noa(unit, bit, &high);
    tally_oa_write32(unit, 0x2360, 1);
    tally_oa_write32(unit, 0x2b00, 0x15);
    return unit;
}

/* Checks A0 and B1 after ten clocks before the start and five after it. */
static bool start_holds(struct conformance_fault *fault, const struct conformance_case *row)
{
    bool good = true;
    for (unsigned p = 0; good && p < OA_PLATFORMS; p++) {
        struct tally_oa *unit = counting_unit(fault, p);
        uint32_t address = 0;
        if (!unit)
            return false;
        oa_document_find("OASTARTTRIG2", p, &address);
        tally_oa_set_option(unit, TALLY_OA_START_HOLDS_A, true);
        tally_oa_run(unit, 10);
        tally_oa_write32(unit, address, 0x00800000);
        tally_oa_run(unit, 5);
        good = CONFORMS(fault, peek(unit, "a0") == 5 && peek(unit, "b1") == 5,
                        "%s, %s: A0 %" PRIu64 ", B1 %" PRIu64, row->id, oa_platform_names[p],
                        peek(unit, "a0"), peek(unit, "b1"));
        tally_oa_free(unit);
    }
    return good;
}

/* Block 1 starts immediately, block 2 ten clocks later. */
static bool start_halves(struct conformance_fault *fault)
{
    bool good = true;
    for (unsigned p = HSW; good && p < OA_PLATFORMS; p++) {
        struct tally_oa *unit = counting_unit(fault, p);
        if (!unit)
            return false;
        tally_oa_set_option(unit, TALLY_OA_START_HALVES, true);
        tally_oa_write32(unit, 0x2714, 0x00800000);
        tally_oa_run(unit, 10);
        tally_oa_write32(unit, 0x2724, 0x00800000);
        tally_oa_run(unit, 5);
        good = CONFORMS(fault,
                        peek(unit, "b1") == 15 && peek(unit, "b3") == 15 && peek(unit, "b4") == 5 &&
                            peek(unit, "b7") == 5,
                        "%s: B1 %" PRIu64 ", B4 %" PRIu64, oa_platform_names[p], peek(unit, "b1"),
                        peek(unit, "b4"));
        tally_oa_free(unit);
    }
    return good;
}

/* Both steering registers store bits 31:24, and each steers its own agent. */
static bool steering_of_streamer(struct conformance_fault *fault)
{
    struct gt_routing routing;
    gt_routing_init(&routing, 8);
    for (unsigned k = 0; k < 2; k++) {
        uint32_t address = k ? 0x20cc : 0xfdc;
        enum gt_agent agent = k ? GT_AGENT_CS : GT_AGENT_HOST;
        uint32_t reset = gt_routing_read32(&routing, address);
        gt_routing_write32(&routing, address, 0xd5ffffff); /* multicast, slice 10, subslice 5 */
        uint32_t kept = gt_routing_read32(&routing, address);
        if (!CONFORMS(fault, reset == 0x80000000 && kept == 0xd5000000,
                      "%04" PRIx32 "h: %08" PRIx32 ", then %08" PRIx32, address, reset, kept) ||
            !CONFORMS(fault,
                      gt_routing_steered(&routing, agent, GT_GROUP_SLICE) == 10 &&
                          gt_routing_steered(&routing, agent, GT_GROUP_SUBSLICE) == 5,
                      "%04" PRIx32 "h does not steer", address))
            return false;
        if (!k &&
            !CONFORMS(fault, gt_routing_steered(&routing, GT_AGENT_CS, GT_GROUP_SUBSLICE) == 0,
                      "FDCh steers the command streamer"))
            return false;
    }
    return true;
}

static bool threads_of_snb(struct conformance_fault *fault)
{
    const struct tally_platform *snb = tally_platform_find("snb");
    return CONFORMS(fault, snb && snb->eu_threads == 5, "%u threads", snb ? snb->eu_threads : 0u);
}

static bool time_of_lkf(struct conformance_fault *fault)
{
    const struct tally_platform *lkf = tally_platform_find("lkf");
    return CONFORMS(fault, lkf && lkf->timestamp_hz == 19200000, "%" PRIu32 " Hz",
                    lkf ? lkf->timestamp_hz : 0u);
}

static bool no_event_at_reset(struct conformance_fault *fault)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_oa *unit = new_unit(fault, "lkf");
    if (!unit)
        return false;
    tally_oa_set_option(unit, TALLY_OA_NO_EU_EVENTS, true);
    tally_oa_reset(unit);
    tally_oa_set_eus(unit, 1);
    tally_oa_drive_eu(unit, 0, TALLY_OA_FPU0, &one);
    tally_oa_write32(unit, 0x2360, 1);
    tally_oa_write32(unit, 0x2b00, 0x15);
    tally_oa_run(unit, 10);
    bool good = CONFORMS(fault, tally_oa_read32(unit, 0xe458) == UINT32_MAX, "not all ones") &&
                CONFORMS(fault, peek(unit, "a7") == 0 && peek(unit, "a20") == 0, "it counts");
    tally_oa_free(unit);
    return good;
}

#undef DOCUMENT
#define DOCUMENT "decisions"

/* clang-format off */
const struct conformance_case check_cases_decisions[] = {
    CHECKED_ROW("U01-02", "OA-U1", "With TALLY_OA_START_HOLDS_A, A counters also wait for the start trigger", "all", start_holds, NULL),
    CHECKED("U02-02", "OA-U2", "With TALLY_OA_START_HALVES, block 1 starts B0 to B3 and block 2 starts B4 to B7", "hsw..lkf", start_halves),
    CHECKED("U19-01", "OA-U19", "20CCh has the multicast, slice and subslice fields of FDCh, for accesses of the command streamer", "lkf", steering_of_streamer),
    CHECKED("U21-01", "OA-U21", "An EU of Sandy Bridge has 5 threads", "snb", threads_of_snb),
    CHECKED("U22-01", "OA-U22", "The timestamp of Lakefield runs at 19.2 MHz", "lkf", time_of_lkf),
    CHECKED("U23-01", "OA-U23", "With TALLY_OA_NO_EU_EVENTS, EU_PERF_CNT_CTL0 to 6 are all ones after a reset and count nothing", "lkf", no_event_at_reset),
};
/* clang-format on */
const size_t check_case_count_decisions =
    sizeof check_cases_decisions / sizeof *check_cases_decisions;
