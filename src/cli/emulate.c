/* SPDX-License-Identifier: MIT */
/* tally emulate: runs a program on an emulated GPU. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/installed.h"
#include "cli/emulate_program.h"
#include "cli/input.h"
#include "cli/model.h"
#include "cli/trace.h"
#include "emulation/faults/faults.h"
#include "intel/platforms.h"
#include "preload/namespace/namespace.h"
#include "preload/protocol.h"
#include "preload/server/emulate.h"

#define LIBRARY "libtally-preload.so"

/* ---- the GPU --------------------------------------------------------------------------------- */

#define MEMORY_MIN (UINT64_C(256) << 20)
#define MEMORY_MAX (UINT64_C(64) << 30)

/* The default date, 2020-01-01, and where dates end, in seconds since 1970. */
#define START_S INT64_C(1577836800)
#define END_S   (INT64_MAX / 2 / 1000000000)

/* Exit codes of a program that does not exist or cannot be executed, as of env and sh. */
#define EXIT_UNKNOWN 127
#define EXIT_UNFIT   126

struct emulated {
    struct emulate_settings settings;
    struct emulate_unseen unseen;
    struct faults_script *faults;
};

/* Finds the date at which the virtual clock starts. */
static int parse_date(struct emulated *emulated)
{
    const char *text = getenv("SOURCE_DATE_EPOCH");
    char *end;
    errno = 0;
    emulated->settings.start_s = START_S;
    if (!text || !*text)
        return EXIT_DONE;
    unsigned long long seconds = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || seconds >= END_S)
        return usage_error("emulate: SOURCE_DATE_EPOCH \"%s\", expected seconds since 1970", text);
    emulated->settings.start_s = (int64_t)seconds;
    return EXIT_DONE;
}

static int parse_clock(const char *text, struct emulated *emulated)
{
    bool is_virtual = text && (!strcmp(text, "virtual") || !strcmp(text, "free"));
    if (text && !is_virtual && strcmp(text, "wall") != 0)
        return usage_error("emulate: --clock %s, expected wall or virtual", text);
    emulated->settings.device.clock = is_virtual ? EMULATION_FREE : EMULATION_WALL;
    return is_virtual ? parse_date(emulated) : EXIT_DONE;
}

static int parse_way(const char *text, struct emulated *emulated)
{
    emulated->settings.by_namespace = text && !strcmp(text, "namespace");
    if (text && !emulated->settings.by_namespace && strcmp(text, "preload") != 0)
        return usage_error("emulate: --by %s, expected preload or namespace", text);
    if (emulated->settings.by_namespace && emulated->settings.device.clock == EMULATION_FREE)
        return usage_error("emulate: --by namespace needs --clock wall: the clocks of the program "
                           "are the machine's");
    if (emulated->settings.by_namespace && getenv(EMULATE_ENVIRONMENT))
        return usage_error("emulate: --by namespace is not possible under another tally emulate");
    if (emulated->settings.by_namespace && !namespace_is_supported())
        return usage_error("emulate: --by namespace is for x86-64, expected --by preload");
    return EXIT_DONE;
}

static int parse_revision(const char *text, struct emulated *emulated)
{
    char *end;
    unsigned long revision = strtoul(text, &end, 10);
    if (!*text || *end || revision < 1 || revision > 7)
        return usage_error("emulate: --perf-revision %s, expected 1 to 7", text);
    emulated->settings.device.driver.perf_revision = (unsigned)revision;
    return EXIT_DONE;
}

static int parse_memory(const char *text, struct emulated *emulated)
{
    uint64_t bytes = parse_size(text);
    if (bytes < MEMORY_MIN || bytes > MEMORY_MAX)
        return usage_error("emulate: --memory \"%s\", expected 256M to 64G", text);
    emulated->settings.device.driver.memory_bytes = bytes;
    return EXIT_DONE;
}

static int load_faults(const char *path, bool quiet, struct emulated *emulated)
{
    struct tally_error error = {0};
    if (faults_load(path, &emulated->faults, &error) < 0)
        return report_error(&error);
    if (faults_disk_bytes(emulated->faults) != UINT64_MAX && !quiet)
        warn("%s: disk-full has no effect: the program writes its files itself", path);
    emulated->settings.device.faults = emulated->faults;
    return EXIT_DONE;
}

/* Warns about commands that the streamer could not execute. */
static void warn_stops(const struct emulate_outcome *outcome)
{
    if (outcome->stops == 1)
        warn("emulate: %s", outcome->first_stop.message);
    else if (outcome->stops)
        warn("emulate: %s (first of %" PRIu64 " faults)", outcome->first_stop.message,
             outcome->stops);
}

/* Refuses what is for Intel's GPUs only. */
static int check_nvidia(const struct arguments *arguments, const struct tally_chipset *chipset)
{
    static const enum option_id intel[] = {OPTION_COST, OPTION_FAULT, OPTION_FUSES, OPTION_MEMORY,
                                           OPTION_PERF_REVISION};
    for (size_t i = 0; i < ARRAY_COUNT(intel); i++)
        if (arguments->values[intel[i]])
            return usage_error("emulate: --%s is for GPUs of Intel, and %s is not one",
                               option_rows[intel[i]].name, chipset->name);
    return EXIT_DONE;
}

static void hear_executed(void *emulated, const char *program)
{
    emulate_warn_unseen(&((struct emulated *)emulated)->unseen, program);
}

static int run(struct emulated *emulated, const struct arguments *arguments)
{
    struct tally_error error = {0};
    struct emulate_outcome outcome;
    if (!emulated->settings.by_namespace)
        emulate_warn_unseen(&emulated->unseen, arguments->operands[0]);
    int result = emulate_run(&emulated->settings, arguments->operands, &outcome, &error);
    if (result < 0) {
        int code = report_error(&error);
        return !outcome.program_failed ? code : result == -ENOENT ? EXIT_UNKNOWN : EXIT_UNFIT;
    }
    if (outcome.paused_ns && !arguments->values[OPTION_QUIET])
        warn("the model was slower than the clock: the GPU is %" PRIu64 " ms behind",
             outcome.paused_ns / 1000000);
    if (outcome.lines_lost)
        warn("%s: %" PRIu64 " lines could not be written", emulated->settings.log,
             outcome.lines_lost);
    if (outcome.lines_refused)
        warn("%s: %" PRIu64 " lines are missing: they came at more than 16 MB/s",
             emulated->settings.log, outcome.lines_refused);
    if (outcome.impatient)
        warn("emulate: calls that failed with ENODEV, because the program did not answer for 3 s: "
             "%" PRIu64,
             outcome.impatient);
    if (outcome.computed && !arguments->values[OPTION_QUIET])
        warn("time passed while a thread computed for long: another run may differ");
    if (emulated->faults && !outcome.faults && !arguments->values[OPTION_QUIET])
        warn("no fault was triggered");
    if (!arguments->values[OPTION_QUIET])
        warn_stops(&outcome);
    if (!arguments->values[OPTION_QUIET])
        warn_gpu_accesses("emulate", &outcome.mmio, arguments->values[OPTION_TRACE] != NULL);
    return WIFSIGNALED(outcome.status) ? 128 + WTERMSIG(outcome.status)
                                       : WEXITSTATUS(outcome.status);
}

int command_emulate(const struct arguments *arguments)
{
    char library[1200];
    const char *platform;
    const char *revision = arguments->values[OPTION_PERF_REVISION];
    const char *memory = arguments->values[OPTION_MEMORY];
    const char *fault = arguments->values[OPTION_FAULT];
    const char *fuses = arguments->values[OPTION_FUSES];
    struct tally_error error = {0};
    int code = model_option("emulate", arguments, OPTION_EMULATED_DEVICE, "hsw", &platform);
    if (code != EXIT_DONE)
        return code;
    struct emulated emulated = {
        .settings = {
            .device = {.gpu = {.platform = platform,
                               .rc6_after_clocks = EMULATION_RC6_AFTER_CLOCKS,
                               .rc6_blind_clocks = EMULATION_RC6_BLIND_CLOCKS},
                       .workload = arguments->values[OPTION_WORKLOAD],
                       .cost = arguments->values[OPTION_COST]},
            .library = library,
            .log = arguments->values[OPTION_LOG],
            .as_root = arguments->values[OPTION_ROOT] != NULL,
            .executed = hear_executed,
            .closure = &emulated,
        }};
    if (installed_library(LIBRARY, library, sizeof library, &error) < 0)
        return report_error(&error);
    const struct tally_chipset *chipset = tally_chipset_find(platform);
    code = parse_clock(arguments->values[OPTION_EMULATED_CLOCK], &emulated);
    if (code == EXIT_DONE)
        code = parse_way(arguments->values[OPTION_WAY], &emulated);
    if (code == EXIT_DONE && chipset)
        code = check_nvidia(arguments, chipset);
    if (code == EXIT_DONE && fuses &&
        intel_fuses_parse(fuses, &emulated.settings.device.gpu, &error) < 0)
        code = report_error(&error);
    if (code == EXIT_DONE && revision)
        code = parse_revision(revision, &emulated);
    if (code == EXIT_DONE && memory)
        code = parse_memory(memory, &emulated);
    if (code == EXIT_DONE && fault)
        code = load_faults(fault, arguments->values[OPTION_QUIET] != NULL, &emulated);
    const struct tally_sku *sku = tally_sku_find(platform);
    const struct intel_platform *model = sku ? intel_modelled(sku->platform) : NULL;
    if (code == EXIT_DONE && model && !intel_has_perf(model)) {
        fail(&error, -ENODEV,
             "emulate: the kernel has no counter interface for %s, expected another --device, or "
             "tally record -d sim:%s",
             model->info.title, platform);
        code = report_error(&error);
    }
    FILE *mmio = NULL;
    if (code == EXIT_DONE)
        code = open_trace("emulate", arguments, &mmio);
    emulated.settings.device.mmio = mmio;
    if (code == EXIT_DONE)
        code = close_trace(arguments, mmio, run(&emulated, arguments));
    faults_script_free(emulated.faults);
    return code;
}
