/* SPDX-License-Identifier: MIT */
/* MI_REPORT_PERF_COUNT in the command streamer. The log is that of cs_machine.h: a report is
 * written to "space:address", where space 0 is the GGTT and 1 the PPGTT. */
#include "intel/conformance/rows.h"

#include <string.h>

#include "intel/conformance/document.h"
#include "intel/conformance/language.h"
#include "intel/cs_machine.h"

enum {
    END = 0x05000000,  /* MI_BATCH_BUFFER_END */
    USER = 0x01000000, /* MI_USER_INTERRUPT: shows that the batch continues */
    MAX_DWORDS = 16
};

struct batch {
    bool privileged;
    enum streamer_fault fault;
    const char *log;
    uint32_t dwords[MAX_DWORDS];
};

/* Runs the batch of a row on each of its platforms. */
static bool logs(struct conformance_fault *fault, const struct conformance_case *row)
{
    const struct batch *batch = row->params;
    struct machine *machine = malloc(sizeof *machine);
    bool good = machine != NULL;
    for (unsigned p = 0; good && p < OA_PLATFORMS; p++) {
        if (!case_covers(&oa_language, row->variants, p))
            continue;
        machine_init(machine, oa_platform_names[p]);
        machine->quiet_contexts = true;
        machine_load(machine, 1, MACHINE_CODE, batch->dwords, MAX_DWORDS);
        machine_run_batch(machine, 1, batch->privileged);
        good = CONFORMS(fault, !strcmp(machine->log, batch->log), "%s: '%s', expected '%s'",
                        oa_platform_names[p], machine->log, batch->log) &&
               CONFORMS(fault, machine->streamer.fault == batch->fault, "%s: fault %u, expected %u",
                        oa_platform_names[p], machine->streamer.fault, batch->fault);
    }
    free(machine);
    return good;
}

#define BATCH(privileged, log, ...)                                                                \
    (&(const struct batch){privileged, STREAMER_NO_FAULT, log, {__VA_ARGS__}})
#define STOPS(fault, log, ...) (&(const struct batch){true, fault, log, {__VA_ARGS__}})
#define AT_CODE                "command streamer rcs0 at 0x00001000 (PPGTT 1), dword "

/* ---- 000 ----------------------------------------------------------------------------------- */

#define DOCUMENT  "000"
#define FILE_NAME "commands.c"
#define SECTION   "MI_REPORT_PERF_COUNT"

/* clang-format off */
const struct conformance_case command_cases_000[] = {
    CHECKED_ROW("000-RPT-10", "Performance Counter Reporting", "MI_LOAD_REGISTER_IMM can set up the buffer: it disables OA, writes head, buffer and tail, and enables OA", "snb", logs,
        BATCH(true, "r2360=0; r2368=80000; r23b0=80000; r2364=80000; r2360=1",
              0x11000009, 0x2360, 0, 0x2368, 0x80000, 0x23b0, 0x80000, 0x2364, 0x80000, 0x2360, 1, END)),
    CHECKED_ROW("000-MI-01", SECTION, "The command has three dwords, opcode 28h with length 1, address and Report ID, on SNB too (OA-E11)", "snb..hsw", logs,
        BATCH(true, "report 0:123440 cafe", 0x14000001, 0x00123441, 0x0000cafe, END)),
    CHECKED_ROW("000-MI-02", SECTION, "The length field is the number of dwords minus 2; no other value is valid", "snb..hsw", logs,
        STOPS(STREAMER_LENGTH, AT_CODE "0x14000002: MI_REPORT_PERF_COUNT of 4 dwords, expected 3", 0x14000002, 0x00123441, 0, 0x0000cafe, USER, END)),
    CHECKED_ROW("000-MI-03", SECTION, "GTT Select 1 selects an address in the GGTT", "snb..hsw", logs,
        BATCH(true, "report 0:40 1", 0x14000001, 0x41, 1, END)),
    CHECKED_ROW("000-MI-04", SECTION, "GTT Select 0, the default, selects an address in the PPGTT", "snb..hsw", logs,
        BATCH(true, "report 1:40 1", 0x14000001, 0x40, 1, END)),
    CHECKED_ROW("000-MI-05", SECTION, "In a batch that is not privileged, the command with GTT Select 1 does nothing", "snb..hsw", logs,
        BATCH(false, "user interrupt", 0x14000001, 0x41, 1, USER, END)),
    CHECKED_ROW("000-MI-06", SECTION, "A batch that is not privileged may use GTT Select 0", "snb..hsw", logs,
        BATCH(false, "report 1:40 1; user interrupt", 0x14000001, 0x40, 1, USER, END)),
    CHECKED_ROW("000-MI-07", SECTION, "Bits 31:6 hold the address, which is aligned to 64 bytes", "snb..vlv", logs,
        BATCH(true, "report 0:ffffffc0 1", 0x14000001, 0xffffffff, 1, END)),
    CHECKED_ROW("000-MI-08", SECTION, "Bit 4, Core Mode, offsets the address by the core, which is 0 with a single core (OA-E11)", "hsw", logs,
        BATCH(true, "report 0:ffffffc0 1 core; report 0:ffffffc0 2", 0x14000001, 0xffffffff, 1, 0x14000001, 0xffffffef, 2, END)),
    CHECKED_ROW("000-MI-09", SECTION, "Software gives each command its own Report ID of 32 bits", "snb..hsw", logs,
        BATCH(true, "report 1:1000 ffffffff; report 1:2000 12345678; report 1:1000 0",
              0x14000001, 0x1000, 0xffffffff, 0x14000001, 0x2000, 0x12345678, 0x14000001, 0x1000, 0, END)),
};
/* clang-format on */
const size_t command_case_count_000 = sizeof command_cases_000 / sizeof *command_cases_000;

/* ---- 002 ----------------------------------------------------------------------------------- */

#undef DOCUMENT
#define DOCUMENT "002"

/* clang-format off */
const struct conformance_case command_cases_002[] = {
    CHECKED_ROW("002-MI-01", SECTION, "The command has four dwords: opcode 28h with length 2, an address of 64 bits, and Report ID", "bdw..lkf", logs,
        BATCH(true, "report 0:7f00123440 cafe", 0x14000002, 0x00123441, 0x7f, 0x0000cafe, END)),
    CHECKED_ROW("002-MI-02", SECTION, "No length other than 2 is valid", "bdw..lkf", logs,
        STOPS(STREAMER_LENGTH, AT_CODE "0x14000001: MI_REPORT_PERF_COUNT of 3 dwords, expected 4", 0x14000001, 0x00123441, 0x0000cafe, USER, END)),
    CHECKED_ROW("002-MI-03", SECTION, "GTT Select 0 selects the PPGTT in any batch; GTT Select 1 does nothing in a batch that is not privileged", "bdw..lkf", logs,
        BATCH(false, "report 1:40 1; user interrupt", 0x14000002, 0x40, 0, 1, 0x14000002, 0x41, 0, 2, USER, END)),
    CHECKED_ROW("002-MI-04", SECTION, "Bit 4 is Core Mode", "bdw..lkf", logs,
        BATCH(true, "report 1:40 1 core", 0x14000002, 0x50, 0, 1, END)),
};
/* clang-format on */
const size_t command_case_count_002 = sizeof command_cases_002 / sizeof *command_cases_002;

/* ---- golden vectors ------------------------------------------------------------------------ */

#undef DOCUMENT
#define DOCUMENT "vectors"

/* clang-format off */
const struct conformance_case command_cases_vectors[] = {
    CHECKED_ROW("V-MI-01", "8", "MI_REPORT_PERF_COUNT to GGTT address 123440h with Report ID CAFEh is 14000001h 00123441h 0000CAFEh", "snb..hsw", logs,
        BATCH(true, "report 0:123440 cafe", 0x14000001, 0x00123441, 0x0000cafe, END)),
    CHECKED_ROW("V-MI-02", "8", "From Gen8 on MI_REPORT_PERF_COUNT to GGTT address 123440h with Report ID CAFEh is 14000002h 00123441h 00000000h 0000CAFEh", "bdw..lkf", logs,
        BATCH(true, "report 0:123440 cafe", 0x14000002, 0x00123441, 0x00000000, 0x0000cafe, END)),
};
/* clang-format on */
const size_t command_case_count_vectors =
    sizeof command_cases_vectors / sizeof *command_cases_vectors;
