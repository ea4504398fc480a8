/* SPDX-License-Identifier: MIT */
/* The option --trace mmio, and the warning about invalid accesses at the end of a run. */
#include "cli/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "intel/gpu/trace.h"

/* Returns the file of "mmio=FILE", or NULL for standard error. */
static const char *path_of(const struct arguments *arguments)
{
    const char *equals = strchr(arguments->values[OPTION_TRACE], '=');
    return equals ? equals + 1 : NULL;
}

int open_trace(const char *command, const struct arguments *arguments, FILE **out)
{
    const char *what = arguments->values[OPTION_TRACE];
    struct tally_error error = {0};
    *out = NULL;
    if (!what)
        return EXIT_DONE;
    if (strcmp(what, "mmio") != 0 && (strncmp(what, "mmio=", 5) != 0 || !what[5]))
        return usage_error("%s: --trace %s, expected mmio or mmio=FILE", command, what);
    const char *path = path_of(arguments);
    *out = path ? fopen(path, "we") : stderr;
    if (*out)
        return EXIT_DONE;
    fail(&error, -errno, "%s: %s", path, strerror(errno));
    return report_error(&error);
}

int close_trace(const struct arguments *arguments, FILE *trace, int code)
{
    struct tally_error error = {0};
    if (!trace || trace == stderr)
        return code;
    bool failed = ferror(trace);
    failed |= fclose(trace) != 0;
    if (!failed || code != EXIT_DONE)
        return code;
    fail(&error, -EIO, "%s: the trace could not be written", path_of(arguments));
    return report_error(&error);
}

void warn_accesses(const char *name, const struct reg_outcome *outcomes, size_t count)
{
    const char *separator = ": ";
    for (size_t i = 0; i < count; i++) {
        if (!outcomes[i].count)
            continue;
        if (*separator == ':')
            put_error_text("tally: %s: register accesses", name);
        fprintf(stderr, "%s%" PRIu64 " %s", separator, outcomes[i].count, outcomes[i].name);
        separator = ", ";
    }
    if (*separator == ',')
        fputs("; see --trace mmio\n", stderr);
}

void warn_gpu_accesses(const char *name, const struct tally_gpu_mmio_stats *stats, bool reserved)
{
    struct reg_outcome outcomes[REG_OUTCOMES_MAX];
    struct tally_gpu_mmio_stats shown = *stats;
    if (!reserved)
        shown.reserved_bits = 0;
    warn_accesses(name, outcomes, gpu_trace_outcomes(&shown, outcomes));
}
