/* SPDX-License-Identifier: MIT */
/* The option --trace mmio, and the warning about invalid accesses at the end of a run. */
#include "cli/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/whole.h"
#include "intel/gpu/trace.h"

/* Returns the file of "mmio=FILE", or NULL for standard error. */
static const char *path_of(const struct arguments *arguments)
{
    const char *equals = strchr(arguments->values[OPTION_TRACE], '=');
    return equals ? equals + 1 : NULL;
}

/* The errno of the first write to the trace that failed, which stdio does not keep; 0: none. */
static int write_error;

static ssize_t write_trace(void *closure, const char *bytes, size_t size)
{
    const int *fd = closure;
    size_t done;
    int result = write_whole(*fd, bytes, size, &done);
    if (result < 0 && !write_error)
        write_error = -result;
    return (ssize_t)done;
}

static int end_trace(void *closure)
{
    int *fd = closure;
    int result = close(*fd);
    if (result < 0 && !write_error)
        write_error = errno;
    free(fd);
    return result;
}

/* Opens the file of a trace. Returns NULL, with errno, on failure. */
static FILE *open_file(const char *path)
{
    static const cookie_io_functions_t calls = {.write = write_trace, .close = end_trace};
    int *fd = malloc(sizeof *fd);
    if (fd && (*fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) >= 0) {
        FILE *file = fopencookie(fd, "w", calls);
        if (file)
            return file;
        close(*fd);
    }
    free(fd);
    return NULL;
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
    *out = path ? open_file(path) : stderr;
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
    int code_of_write = write_error ? write_error : EIO;
    fail(&error, -code_of_write, "%s: the trace could not be written: %s", path_of(arguments),
         strerror(code_of_write));
    return report_error(&error);
}

void warn_accesses(const char *name, const struct reg_outcome *outcomes, size_t count)
{
    const char *separator = ": ";
    struct buffer text = {0};
    for (size_t i = 0; i < count; i++) {
        if (!outcomes[i].count)
            continue;
        if (*separator == ':')
            add_error_text(&text, "tally: %s: register accesses", name);
        add_error_text(&text, "%s%" PRIu64 " %s", separator, outcomes[i].count, outcomes[i].name);
        separator = ", ";
    }
    if (*separator == ',')
        buffer_text(&text, "; see --trace mmio\n");
    print_error_text(&text);
}

void warn_gpu_accesses(const char *name, const struct tally_gpu_mmio_stats *stats, bool reserved)
{
    struct reg_outcome outcomes[REG_OUTCOMES_MAX];
    struct tally_gpu_mmio_stats shown = *stats;
    if (!reserved)
        shown.reserved_bits = 0;
    warn_accesses(name, outcomes, gpu_trace_outcomes(&shown, outcomes));
}
