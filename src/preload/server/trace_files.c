/* SPDX-License-Identifier: MIT */
/* The files of tracefs: the formats and ids of the tracepoints, and what programs that record them
 * expect beside these. */
#include "preload/server/trace_files.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "preload/server/places.h"
#include "preload/server/server.h"
#include "preload/server/trace.h"

#define RO 0440
#define RW 0640

/* The layout of the pages of trace_pipe_raw, and of the entries in them, which record files
 * contain. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n"
                                   "\n"
                                   "\tpadding     : type == 29\n"
                                   "\ttime_extend : type == 30\n"
                                   "\ttime_stamp : type == 31\n"
                                   "\tdata max type_len  == 28\n";

static const struct {
    const char *name;
    mode_t mode;
    const char *text;
} files[] = {
    {"/events/header_page", RO, header_page},
    {"/events/header_event", RO, header_event},
    {"/printk_formats", RO, ""},
    {"/saved_cmdlines", RO, ""},
    {"/available_tracers", RO, "nop\n"},
    {"/current_tracer", RW, "nop\n"},
    {"/tracing_on", RW, "1\n"},
    {"/trace_clock", RW, "[local] global uptime perf mono mono_raw boot\n"},
    {"/buffer_size_kb", RW, "1408\n"},
    {"/trace", RW, ""},
    {"/events/enable", RW, "0\n"},
    {"/events/i915/enable", RW, "0\n"},
};

static int add(const struct server *server, const char *name, mode_t mode,
               const struct buffer *text)
{
    char path[128];
    snprintf(path, sizeof path, TRACING "%s", name);
    return text->broken ? -ENOMEM : tree_add(server, path, text->bytes, text->size, mode);
}

static int add_text(const struct server *server, const char *name, mode_t mode, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, TRACING "%s", name);
    return tree_add(server, path, text, strlen(text), mode);
}

#define NAME_BYTES 96

/* Writes the name of a tracepoint's file. */
static void name_file(enum i915_tracepoint tracepoint, const char *file, char out[NAME_BYTES])
{
    snprintf(out, NAME_BYTES, "/events/i915/%s/%s", i915_tracepoint_info(tracepoint)->name, file);
}

static int make_tracepoint(const struct server *server, enum i915_tracepoint tracepoint)
{
    char name[NAME_BYTES], id[16];
    struct buffer text = {0};
    name_file(tracepoint, "format", name);
    trace_format_text(tracepoint, &text);
    int result = add(server, name, RO, &text);
    buffer_fini(&text);
    name_file(tracepoint, "id", name);
    snprintf(id, sizeof id, "%" PRIu32 "\n", trace_id(tracepoint));
    if (result == 0)
        result = add_text(server, name, RO, id);
    name_file(tracepoint, "enable", name);
    if (result == 0)
        result = add_text(server, name, RW, "0\n");
    name_file(tracepoint, "filter", name);
    return result < 0 ? result : add_text(server, name, RW, "none\n");
}

/* The names of all tracepoints, one a line. */
static int make_list(const struct server *server)
{
    struct buffer text = {0};
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        buffer_printf(&text, "i915:%s\n", i915_tracepoint_info((enum i915_tracepoint)i)->name);
    int result = add(server, "/available_events", RO, &text);
    buffer_fini(&text);
    return result;
}

int trace_files_make(const struct server *server)
{
    int result = make_list(server);
    for (unsigned i = 0; i < I915_TRACEPOINTS && result == 0; i++)
        result = make_tracepoint(server, (enum i915_tracepoint)i);
    for (size_t i = 0; i < ARRAY_COUNT(files) && result == 0; i++)
        result = add_text(server, files[i].name, files[i].mode, files[i].text);
    return result == 0 ? tree_directory_mode(server, TRACING, 0700) : result;
}

/* ---- changes --------------------------------------------------------------------------------- */

void trace_files_update(const struct server *server)
{
    struct buffer text = {0};
    trace_log_text(&server->trace_log, &text);
    add(server, "/trace", RW, &text);
    buffer_fini(&text);
}

void trace_files_truncated(struct server *server, const char *path)
{
    if (!strcmp(path, "/trace"))
        trace_log_clear(&server->trace_log);
}

/* Parses a number as the kernel's kstrtoul() with base 10. */
static int parse_number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    if (!isdigit((unsigned char)text[*text == '+']))
        return -EINVAL;
    *out = strtoull(text, &end, 10);
    return *end ? -EINVAL : errno ? -ERANGE : 0;
}

/* Shows in all files which tracepoints are enabled: "X" for some of several. */
static void show_enabled(const struct server *server)
{
    char name[NAME_BYTES];
    unsigned enabled = 0;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        bool is_enabled = server->trace_log.enabled[i];
        name_file((enum i915_tracepoint)i, "enable", name);
        add_text(server, name, RW, is_enabled ? "1\n" : "0\n");
        enabled += is_enabled;
    }
    const char *all = !enabled ? "0\n" : enabled == I915_TRACEPOINTS ? "1\n" : "X\n";
    add_text(server, "/events/i915/enable", RW, all);
    add_text(server, "/events/enable", RW, all);
}

/* Enables the tracepoint of a file "/events/i915/NAME/enable", or all. */
static int write_enable(struct server *server, const char *path, const char *text)
{
    char name[NAME_BYTES];
    uint64_t value;
    int result = parse_number(text, &value);
    if (result < 0 || value > 1)
        return result < 0 ? result : -EINVAL;
    bool all = !strcmp(path, "/events/enable") || !strcmp(path, "/events/i915/enable");
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        name_file((enum i915_tracepoint)i, "enable", name);
        if (all || !strcmp(path, name))
            server->trace_log.enabled[i] = value;
    }
    show_enabled(server);
    return 0;
}

static int write_filter(struct server *server, const char *path, const char *text)
{
    char name[NAME_BYTES], shown[TRACE_FILES_MAX + 2];
    int result = -ENOENT;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        name_file((enum i915_tracepoint)i, "filter", name);
        if (strcmp(path, name) != 0)
            continue;
        result = trace_log_filter(&server->trace_log, (enum i915_tracepoint)i, text);
        snprintf(shown, sizeof shown, "%s\n", server->trace_log.filters[i] ? text : "none");
        add_text(server, path, RW, shown);
    }
    return result;
}

static int write_on(struct server *server, const char *path, const char *text)
{
    uint64_t value;
    int result = parse_number(text, &value);
    if (result < 0)
        return result;
    server->trace_log.stopped = !value;
    return add_text(server, path, RW, value ? "1\n" : "0\n");
}

static int write_size(struct server *server, const char *path, const char *text)
{
    char shown[32];
    uint64_t kib = 0;
    int result = parse_number(text, &kib);
    if (result == 0)
        result = trace_log_resize(&server->trace_log, kib);
    snprintf(shown, sizeof shown, "%" PRIu64 "\n", kib);
    return result < 0 ? result : add_text(server, path, RW, shown);
}

static int write_tracer(struct server *server, const char *path, const char *text)
{
    (void)server;
    (void)path;
    return strcmp(text, "nop") ? -EINVAL : 0;
}

/* All clocks are the program's CLOCK_MONOTONIC. A change clears the log. */
static int write_clock(struct server *server, const char *path, const char *text)
{
    static const char *const names[] = {"local", "global",   "uptime", "perf",
                                        "mono",  "mono_raw", "boot"};
    char shown[128] = "";
    bool found = false;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        bool chosen = !strcmp(text, names[i]);
        found = found || chosen;
        snprintf(shown + strlen(shown), sizeof shown - strlen(shown), "%s%s%s%s", i ? " " : "",
                 chosen ? "[" : "", names[i], chosen ? "]" : "");
    }
    if (!found)
        return -EINVAL;
    strcat(shown, "\n");
    trace_log_clear(&server->trace_log);
    return add_text(server, path, RW, shown);
}

/* What is written to it is ignored. */
static int write_trace(struct server *server, const char *path, const char *text)
{
    (void)server;
    (void)path;
    (void)text;
    return 0;
}

int trace_files_write(struct server *server, const char *path, const char *text)
{
    static const struct {
        const char *path; /* its end */
        int (*write)(struct server *server, const char *path, const char *text);
    } rows[] = {
        {"/enable", write_enable},         {"/filter", write_filter},
        {"/tracing_on", write_on},         {"/buffer_size_kb", write_size},
        {"/current_tracer", write_tracer}, {"/trace_clock", write_clock},
        {"/trace", write_trace},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
        size_t length = strlen(path), tail = strlen(rows[i].path);
        if (length >= tail && !strcmp(path + length - tail, rows[i].path))
            return rows[i].write(server, path, text);
    }
    return -EINVAL;
}
