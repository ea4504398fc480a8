/* SPDX-License-Identifier: MIT */
/* tally vm: runs a command in a virtual machine with a modelled GPU. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/served.h"
#include "vm/machine.h"

#define MEMORY_MIB     1024
#define MEMORY_MIB_MIN 256
#define MEMORY_MIB_MAX 65536

static void note(const char *text)
{
    warn("vm: %s", text);
}

static void ignore(const char *text)
{
    (void)text;
}

/* ---- options --------------------------------------------------------------------------------- */

static int parse_memory(const char *text, struct machine_settings *settings)
{
    settings->memory_mib = text ? parse_size(text) >> 20 : MEMORY_MIB;
    if (settings->memory_mib < MEMORY_MIB_MIN || settings->memory_mib > MEMORY_MIB_MAX)
        return usage_error("vm: --memory \"%s\", expected 256M to 64G", text);
    return EXIT_DONE;
}

static int parse_timeout(const char *text, struct machine_settings *settings)
{
    settings->timeout_ns = text ? parse_time_ns(text) : 0;
    if (text && !settings->timeout_ns)
        return usage_error("vm: --timeout \"%s\", expected a time such as 90s or 5m", text);
    return EXIT_DONE;
}

static int parse_slow(const char *text, struct machine_settings *settings)
{
    char *end;
    unsigned long slow = text ? strtoul(text, &end, 10) : 1;
    if (text && (!isdigit((unsigned char)*text) || *end || slow < 1 || slow > VM_SLOW_MAX))
        return usage_error("vm: --slow %s, expected 1 to %d", text, VM_SLOW_MAX);
    settings->slow = (unsigned)slow;
    return EXIT_DONE;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void report_log(const struct machine_outcome *outcome, const struct arguments *arguments)
{
    const struct kernel_log *log = &outcome->log;
    struct log_line first = {"", 0};
    size_t problems = kernel_log_problems(log, &first);
    if (arguments->values[OPTION_DMESG])
        fwrite(log->text.bytes, 1, log->text.size, stderr);
    if (log->file_error)
        warn("vm: cannot write %s: %s", arguments->values[OPTION_LOG], strerror(log->file_error));
    if (problems && !arguments->values[OPTION_QUIET])
        warn("vm: the kernel reported %zu problem%s: %.*s", problems,
             problems == 1 ? "" : "s, the first is", (int)first.size, first.at);
}

static int run(const struct machine_settings *settings, const struct arguments *arguments)
{
    struct machine_outcome outcome;
    struct tally_error error = {0};
    int result = machine_run(settings, &outcome, &error);
    int code = outcome.status;
    report_log(&outcome, arguments);
    if (result < 0) {
        fail_in(&error, "vm");
        report_error(&error);
        code = EXIT_FAILED;
    }
    kernel_log_close(&outcome.log);
    return code;
}

/* ---- the GPU --------------------------------------------------------------------------------- */

#define NO_GPU "none"

static int run_with_gpu(struct machine_settings *settings, const struct vm_server_config *config,
                        const struct arguments *arguments)
{
    struct tally_error error = {0};
    if (vm_server_new(config, &settings->gpu, &error) < 0) {
        fail_in(&error, "vm");
        return report_error(&error);
    }
    int code = run(settings, arguments);
    int reported = served_report("vm", arguments, settings->gpu);
    vm_server_free(settings->gpu);
    return code == EXIT_DONE ? reported : code;
}

static int run_gpu(struct machine_settings *settings, const struct arguments *arguments)
{
    const char *device = arguments->values[OPTION_SERVED_DEVICE];
    struct served served;
    if (device && !strcmp(device, NO_GPU))
        return run(settings, arguments);
    int code = served_open(&served, "vm", arguments, VM_CLOCK_GUEST);
    served.config.slow = settings->slow;
    return code == EXIT_DONE
               ? served_close(&served, arguments, run_with_gpu(settings, &served.config, arguments))
               : code;
}

int command_vm(const struct arguments *arguments)
{
    static char name[] = "sh", *const shell[] = {name, NULL};
    struct machine_settings settings = {
        .kernel = arguments->values[OPTION_KERNEL],
        .modules = arguments->values[OPTION_MODULES],
        .append = arguments->values[OPTION_APPEND],
        .qemu = arguments->values[OPTION_QEMU],
        .files = arguments->added,
        .file_count = arguments->added_count,
        .command = arguments->operand_count ? arguments->operands : shell,
        .log = arguments->values[OPTION_LOG],
        .no_driver = arguments->values[OPTION_NO_DRIVER] != NULL,
        .note = arguments->values[OPTION_QUIET] ? ignore : note,
    };
    int code = parse_memory(arguments->values[OPTION_MEMORY], &settings);
    if (code == EXIT_DONE)
        code = parse_timeout(arguments->values[OPTION_TIMEOUT], &settings);
    if (code == EXIT_DONE)
        code = parse_slow(arguments->values[OPTION_SLOW], &settings);
    return code == EXIT_DONE ? run_gpu(&settings, arguments) : code;
}
