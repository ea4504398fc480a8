/* SPDX-License-Identifier: MIT */
#include "cli/served.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/model.h"
#include "cli/trace.h"
#include "emulation/faults/faults.h"

#define DEFAULT_GPU "icl"

/* ---- options --------------------------------------------------------------------------------- */

static void print_note(void *closure, const char *text)
{
    const struct served *served = closure;
    warn("%s: %s", served->command, text);
}

static int parse_clock(const char *command, const char *text, enum vm_clock *clock)
{
    bool is_guest = text && !strcmp(text, "guest");
    if (text && !is_guest && strcmp(text, "wall") != 0)
        return usage_error("%s: --clock %s, expected wall or guest", command, text);
    if (text)
        *clock = is_guest ? VM_CLOCK_GUEST : VM_CLOCK_WALL;
    return EXIT_DONE;
}

int served_open(struct served *served, const char *command, const struct arguments *arguments,
                enum vm_clock clock)
{
    const char *const *values = arguments->values;
    struct tally_error error = {0};
    *served = (struct served){.command = command,
                              .config = {.workload = values[OPTION_WORKLOAD],
                                         .fuses = values[OPTION_FUSES],
                                         .cost = values[OPTION_COST],
                                         .signals = values[OPTION_SIGNALS],
                                         .clock = clock,
                                         .qtest = values[OPTION_QTEST],
                                         .qmp = values[OPTION_QMP],
                                         .note = values[OPTION_QUIET] ? NULL : print_note,
                                         .closure = served}};
    int code =
        model_option(command, arguments, OPTION_SERVED_DEVICE, DEFAULT_GPU, &served->config.gpu);
    if (code == EXIT_DONE)
        code = parse_clock(command, values[OPTION_CLOCK], &served->config.clock);
    if (code == EXIT_DONE && values[OPTION_FAULT] &&
        faults_load(values[OPTION_FAULT], &served->faults, &error) < 0)
        code = report_error(&error);
    served->config.faults = served->faults;
    if (code == EXIT_DONE)
        code = open_trace(command, arguments, &served->config.mmio);
    if (code != EXIT_DONE)
        faults_script_free(served->faults);
    return code;
}

int served_close(struct served *served, const struct arguments *arguments, int code)
{
    code = close_trace(arguments, served->config.mmio, code);
    faults_script_free(served->faults);
    return code;
}

/* ---- the end --------------------------------------------------------------------------------- */

static int write_unknown(const char *path, const struct vm_server *server)
{
    struct tally_error error;
    FILE *file = fopen(path, "w");
    if (file)
        vm_server_write_unknown(server, file);
    bool failed = !file || ferror(file);
    if ((file && fclose(file) != 0) || failed) {
        fail(&error, -EIO, "%s: %s", path, strerror(errno));
        return report_error(&error);
    }
    return EXIT_DONE;
}

int served_report(const char *command, const struct arguments *arguments,
                  const struct vm_server *server)
{
    const char *path = arguments->values[OPTION_UNKNOWN];
    struct vm_server_stats stats = vm_server_stats(server);
    if (stats.lost_ns && !arguments->values[OPTION_QUIET])
        warn("%s: the model was slower than the clock: the GPU lost %" PRIu64 " ms", command,
             stats.lost_ns / 1000000);
    if (stats.unknown_lost && path)
        warn("%s: memory was short: %s lacks registers of %" PRIu64 " accesses", command, path,
             stats.unknown_lost);
    return path ? write_unknown(path, server) : EXIT_DONE;
}
