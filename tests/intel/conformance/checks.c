/* SPDX-License-Identifier: MIT */
/* Sentences about the counter unit that a script cannot say: options, stopped clocks, power. */
#include "intel/conformance/rows.h"

#include <tally/oa.h>

#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "intel/conformance/document.h"
#include "intel/conformance/language.h"
#include "intel/gt/power.h"

/* The unit of a platform, or NULL and the fault is told. */
static struct tally_oa *new_unit(struct conformance_fault *fault, const char *platform)
{
    struct tally_error error = {0};
    struct tally_oa *unit = NULL;
    if (tally_oa_new(platform, &unit, &error))
        conformance_tell(fault, "%s", error.message);
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

/* A report is asked for at clock 8, and its lines are written at 28 and 48. */
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

/* Ten clocks, a hundred without the render clock, ten. Timer reports at every second one. */
static bool stopped_clock(struct conformance_fault *fault, const struct conformance_case *row)
{
    struct tally_number one = tally_number_constant(1);
    struct tally_wave high = tally_wave_constant(true);
    bool good = true;
    for (unsigned p = 0; good && p < OA_PLATFORMS; p++) {
        if (!case_covers(&oa_language, row->variants, p))
            continue;
        struct tally_oa *unit = new_unit(fault, oa_platform_names[p]);
        if (!unit)
            return false;
        tally_oa_drive_a(unit, 0, &one);
        tally_oa_drive_noa(unit, 0, &high);
        tally_oa_write32(unit, p == HSW ? 0x2714 : 0x2388, 0x00800000); /* start */
        tally_oa_write32(unit, 0x2360, 1);
        tally_oa_run(unit, 10);
        tally_oa_pause(unit, 100);
        good = CONFORMS(fault, peek(unit, "a0") == 10 && peek(unit, "b0") == 10, "%s counted",
                        oa_platform_names[p]) &&
               CONFORMS(fault, peek(unit, "timestamp") == 110, "%s: TIME_STAMP stopped",
                        oa_platform_names[p]);
        tally_oa_run(unit, 10);
        good = good &&
               CONFORMS(fault, peek(unit, "a0") == 20, "%s does not go on", oa_platform_names[p]);
        tally_oa_free(unit);
    }
    return good;
}

#define DOCUMENT  "000"
#define FILE_NAME "checks.c"

/* clang-format off */
const struct conformance_case check_cases_000[] = {
    CHECKED("000-RPT-04", "Performance Counter Reporting", "[SNB] With much memory traffic the counters of a report may be of different instants (option TALLY_OA_INCOHERENT)", "snb", incoherent),
    CHECKED_ROW("000-RPT-11", "Performance Counter Reporting", "The unit runs on the render clock: while that is gated it counts nothing", "snb..hsw", stopped_clock, NULL),
};
/* clang-format on */
const size_t check_case_count_000 = sizeof check_cases_000 / sizeof *check_cases_000;

/* ---- 002 ----------------------------------------------------------------------------------- */

/* Every register of the document's list is saved before RC6 and comes back. */
static bool power_context(struct conformance_fault *fault)
{
    char name[32];
    uint32_t address;
    for (unsigned i = 0; i < 36 + 32 + 8; i++) {
        if (i < 36)
            snprintf(name, sizeof name, "OAPERF_A%u", i);
        else if (i < 68)
            snprintf(name, sizeof name, "OAPERF_A%u_UPPER", i - 36);
        else
            snprintf(name, sizeof name, "OAPERF_B%u", i - 68);
        if (!CONFORMS(fault, oa_document_find(name, CHV, &address), "no %s", name) ||
            !CONFORMS(fault, gt_power_fate(GT_EVENT_RC6, address) == GT_FATE_SAVED, "%s is %s",
                      name, gt_fate_name(gt_power_fate(GT_EVENT_RC6, address))))
            return false;
    }
    return true;
}

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case check_cases_002[] = {
    CHECKED("002-CTR-01", "Performance Counter Registers", "OAPERF_A0 to A35, the upper dwords of A0 to A31 and OAPERF_B0 to B7 are in the power context: saved before RC6, restored after", "chv", power_context),
};
/* clang-format on */
const size_t check_case_count_002 = sizeof check_cases_002 / sizeof *check_cases_002;
