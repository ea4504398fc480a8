/* SPDX-License-Identifier: MIT */
/* MI_REPORT_PERF_COUNT as the command streamer takes it. The log is that of cs_machine.h. */
#include "intel/conformance/rows.h"

#include <string.h>

#include "intel/cs_machine.h"

enum { END = 0x05000000 }; /* MI_BATCH_BUFFER_END */

/* Runs a batch of dwords on each platform of the list; true if the log is so on all. */
static bool logs(struct conformance_fault *fault, const char *platforms, bool privileged,
                 const uint32_t *dwords, size_t count, const char *expected)
{
    struct machine *machine = malloc(sizeof *machine);
    char names[64], *save = NULL;
    bool good = machine != NULL;
    snprintf(names, sizeof names, "%s", platforms);
    for (char *name = strtok_r(names, " ", &save); good && name;
         name = strtok_r(NULL, " ", &save)) {
        machine_init(machine, name);
        machine->quiet_contexts = true;
        machine_load(machine, 1, MACHINE_CODE, dwords, count);
        machine_run_batch(machine, 1, privileged);
        good = CONFORMS(fault, !strcmp(machine->log, expected), "%s: '%s', expected '%s'", name,
                        machine->log, expected);
    }
    free(machine);
    return good;
}

#define LOGS(fault, platforms, privileged, expected, ...)                                          \
    logs(fault, platforms, privileged, (const uint32_t[]){__VA_ARGS__},                            \
         sizeof((const uint32_t[]){__VA_ARGS__}) / 4, expected)

static bool three_dwords(struct conformance_fault *fault)
{
    return LOGS(fault, "snb ivb vlv hsw", true, "report 0:123440 cafe", 0x14000001, 0x00123441,
                0x0000cafe, END);
}

#define DOCUMENT  "000"
#define FILE_NAME "commands.c"
#define SECTION   "MI_REPORT_PERF_COUNT"

/* clang-format off */
const struct conformance_case command_cases_000[] = {
    CHECKED("000-MI-01", SECTION, "Three dwords: opcode 28h, length 1; address and Use Global GTT; Report ID", "snb..hsw", three_dwords),
};
/* clang-format on */
const size_t command_case_count_000 = sizeof command_cases_000 / sizeof *command_cases_000;
