/* SPDX-License-Identifier: MIT */
/* The files of tracefs: the table, and their contents. Those of the tree are rewritten before a
 * program opens them. */
#include "preload/server/trace_files.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "preload/server/places.h"
#include "preload/server/server.h"
#include "preload/server/trace.h"

#define RO 0440
#define RW 0640
#define WO 0220

#define ALL (-1) /* processors */

/* ---- contents -------------------------------------------------------------------------------- */

/* The layout of the pages of trace_pipe_raw, and of the entries in them: see trace_ring.c. */
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

/* What the filter of a system of events shows. */
static const char all_filters[] = "### global filter ###\n"
                                  "# Use this to set filters for multiple events.\n"
                                  "# Only events with the given fields will be affected.\n"
                                  "# If no events are modified, an error message will be displayed "
                                  "here\n";

typedef void show_fn(const struct trace_target *target, struct buffer *out);

static void show_events(const struct trace_target *target, struct buffer *out)
{
    (void)target;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        buffer_printf(out, "i915:%s\n", i915_tracepoint_info((enum i915_tracepoint)i)->name);
}

static void show_set_events(const struct trace_target *target, struct buffer *out)
{
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        if (target->server->trace_log.enabled[i])
            buffer_printf(out, "i915:%s\n", i915_tracepoint_info((enum i915_tracepoint)i)->name);
}

/* "X": some of several are enabled. */
static void show_enabled(const struct trace_target *target, struct buffer *out)
{
    unsigned enabled = 0, count = 0;
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        bool counts = target->tracepoint == I915_TRACEPOINTS || target->tracepoint == i;
        count += counts;
        enabled += counts && target->server->trace_log.enabled[i];
    }
    buffer_text(out, !enabled ? "0\n" : enabled == count ? "1\n" : "X\n");
}

static void show_filter(const struct trace_target *target, struct buffer *out)
{
    const char *text = target->server->trace_log.filter_texts[target->tracepoint];
    buffer_printf(out, "%s\n", text ? text : "none");
}

static void show_format(const struct trace_target *target, struct buffer *out)
{
    trace_format_text(target->tracepoint, out);
}

static void show_marker_format(const struct trace_target *target, struct buffer *out)
{
    (void)target;
    trace_marker_format_text(out);
}

static void show_id(const struct trace_target *target, struct buffer *out)
{
    buffer_printf(out, "%" PRIu32 "\n", trace_id(target->tracepoint));
}

static void show_on(const struct trace_target *target, struct buffer *out)
{
    buffer_text(out, target->server->trace_log.stopped ? "0\n" : "1\n");
}

static void show_clock(const struct trace_target *target, struct buffer *out)
{
    for (unsigned i = 0; i < TRACE_CLOCKS; i++) {
        bool chosen = target->server->trace_log.clock == i;
        buffer_printf(out, "%s%s%s%s", i ? " " : "", chosen ? "[" : "", trace_clocks[i],
                      chosen ? "]" : "");
    }
    buffer_text(out, "\n");
}

static uint64_t kib_of(const struct trace_log *log, unsigned processor)
{
    return processor ? log->other_kib[processor] : trace_ring_kib(&log->ring);
}

/* "X": the processors have different sizes. */
static void show_size(const struct trace_target *target, struct buffer *out)
{
    const struct trace_log *log = &target->server->trace_log;
    unsigned first = target->processor == ALL ? 0 : (unsigned)target->processor;
    bool differ = false;
    for (unsigned i = 1; i < log->processors; i++)
        differ = differ || kib_of(log, i) != kib_of(log, 0);
    if (target->processor == ALL && differ)
        buffer_text(out, "X\n");
    else
        buffer_printf(out, "%" PRIu64 "\n", kib_of(log, first));
}

static void show_sum(const struct trace_target *target, struct buffer *out)
{
    const struct trace_log *log = &target->server->trace_log;
    uint64_t sum = 0;
    for (unsigned i = 0; i < log->processors; i++)
        sum += kib_of(log, i);
    buffer_printf(out, "%" PRIu64 "\n", sum);
}

static void show_percent(const struct trace_target *target, struct buffer *out)
{
    buffer_printf(out, "%u\n", target->server->trace_log.percent);
}

static void show_names(const struct trace_target *target, struct buffer *out)
{
    trace_log_names(&target->server->trace_log, out);
}

static void show_name_count(const struct trace_target *target, struct buffer *out)
{
    buffer_printf(out, "%zu\n", target->server->trace_log.names.capacity);
}

static void show_pids(const struct trace_target *target, struct buffer *out)
{
    const struct trace_log *log = &target->server->trace_log;
    for (size_t i = 0; i < log->pid_count; i++)
        buffer_printf(out, "%" PRIu32 "\n", log->pids[i]);
}

static void show_option(const struct trace_target *target, struct buffer *out)
{
    buffer_text(out, target->server->trace_log.options[target->index] ? "1\n" : "0\n");
}

static void show_options(const struct trace_target *target, struct buffer *out)
{
    for (unsigned i = 0; i < TRACE_OPTIONS; i++)
        buffer_printf(out, "%s%s\n", target->server->trace_log.options[i] ? "" : "no",
                      trace_options[i]);
}

static void show_log(const struct trace_target *target, struct buffer *out)
{
    trace_log_text(&target->server->trace_log, target->processor, out);
}

static void show_stats(const struct trace_target *target, struct buffer *out)
{
    trace_log_stats(&target->server->trace_log, target->processor,
                    server_monotonic_ns(target->server), out);
}

static int64_t write_marker(const struct trace_target *target, const char *text, size_t size)
{
    return trace_log_mark(target->server, text, size);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* The name of a file, where "*" is a tracepoint or the number of a processor; its mode; its
 * contents, as a text or by a function; what writing does. The first row that matches counts. */
static const struct trace_file {
    const char *name;
    mode_t mode;
    const char *text;
    show_fn *show;
    trace_write_fn *write;
    unsigned index; /* of an option */
} files[] = {
    {"/available_events", RO, NULL, show_events, NULL, 0},
    {"/available_tracers", RO, "nop\n", NULL, NULL, 0},
    {"/buffer_percent", RW, NULL, show_percent, trace_set_percent, 0},
    {"/buffer_size_kb", RW, NULL, show_size, trace_set_size, 0},
    {"/buffer_total_size_kb", RO, NULL, show_sum, NULL, 0},
    {"/current_tracer", RW, "nop\n", NULL, trace_set_tracer, 0},
    {"/events/enable", RW, NULL, show_enabled, trace_set_enable, 0},
    {"/events/header_page", RO, header_page, NULL, NULL, 0},
    {"/events/header_event", RO, header_event, NULL, NULL, 0},
    {"/events/ftrace/print/format", RO, NULL, show_marker_format, NULL, 0},
    {"/events/i915/enable", RW, NULL, show_enabled, trace_set_enable, 0},
    {"/events/i915/filter", RW, all_filters, NULL, trace_set_filter, 0},
    {"/events/i915/*/enable", RW, NULL, show_enabled, trace_set_enable, 0},
    {"/events/i915/*/filter", RW, NULL, show_filter, trace_set_filter, 0},
    {"/events/i915/*/format", RO, NULL, show_format, NULL, 0},
    {"/events/i915/*/id", RO, NULL, show_id, NULL, 0},
    {"/options/overwrite", RW, NULL, show_option, trace_set_option, TRACE_OVERWRITE},
    {"/options/markers", RW, NULL, show_option, trace_set_option, TRACE_MARKERS},
    {"/options/record-cmd", RW, NULL, show_option, trace_set_option, TRACE_RECORD_NAMES},
    {"/per_cpu/cpu*/buffer_size_kb", RW, NULL, show_size, trace_set_size, 0},
    {"/per_cpu/cpu*/stats", RO, NULL, show_stats, NULL, 0},
    {"/per_cpu/cpu*/trace", RW, NULL, show_log, trace_set_nothing, 0},
    {"/per_cpu/cpu*/trace_pipe", RO, "", NULL, NULL, 0},
    {"/per_cpu/cpu*/trace_pipe_raw", RO, "", NULL, NULL, 0},
    {"/printk_formats", RO, "", NULL, NULL, 0},
    {"/saved_cmdlines", RO, NULL, show_names, NULL, 0},
    {"/saved_cmdlines_size", RW, NULL, show_name_count, trace_set_names, 0},
    {"/saved_tgids", RO, "", NULL, NULL, 0},
    {"/set_event", RW, NULL, show_set_events, trace_set_events, 0},
    {"/set_event_pid", RW, NULL, show_pids, trace_set_pids, 0},
    {"/timestamp_mode", RO, "[delta] absolute\n", NULL, NULL, 0},
    {"/trace", RW, NULL, show_log, trace_set_nothing, 0},
    {"/trace_clock", RW, NULL, show_clock, trace_set_clock, 0},
    {"/trace_marker", WO, "", NULL, write_marker, 0},
    {"/trace_options", RW, NULL, show_options, trace_set_options, 0},
    {"/trace_pipe", RO, "", NULL, NULL, 0},
    {"/tracing_on", RW, NULL, show_on, trace_set_on, 0},
};

#define NAME_BYTES 96

/* Writes what "*" is for the index-th file of a row. Returns false if there is none. */
static bool part_at(const struct server *server, const struct trace_file *file, unsigned index,
                    char out[NAME_BYTES])
{
    bool processors = strstr(file->name, "cpu*") != NULL;
    if (processors)
        snprintf(out, NAME_BYTES, "%u", index);
    else if (index < I915_TRACEPOINTS)
        snprintf(out, NAME_BYTES, "%s", i915_tracepoint_info((enum i915_tracepoint)index)->name);
    return index < (processors ? server->trace_log.processors : (unsigned)I915_TRACEPOINTS);
}

/* Writes the name of the index-th file of a row. Returns false if there is none. */
static bool name_at(const struct server *server, const struct trace_file *file, unsigned index,
                    char out[NAME_BYTES])
{
    char part[NAME_BYTES];
    const char *star = strchr(file->name, '*');
    if (!star) {
        snprintf(out, NAME_BYTES, "%s", file->name);
        return index == 0;
    }
    if (!part_at(server, file, index, part))
        return false;
    snprintf(out, NAME_BYTES, "%.*s%.48s%s", (int)(star - file->name), file->name, part, star + 1);
    return true;
}

/* Finds a file and its target. NULL: it is unknown. */
static const struct trace_file *find(struct server *server, const char *name,
                                     struct trace_target *target)
{
    char known[NAME_BYTES];
    for (size_t i = 0; i < ARRAY_COUNT(files); i++) {
        if (fnmatch(files[i].name, name, FNM_PATHNAME) != 0)
            continue;
        bool processors = strstr(files[i].name, "cpu*") != NULL;
        bool has_star = strchr(files[i].name, '*') != NULL;
        for (unsigned at = 0; name_at(server, &files[i], at, known); at++) {
            if (strcmp(known, name) != 0)
                continue;
            *target = (struct trace_target){server, I915_TRACEPOINTS, ALL, files[i].index};
            if (processors)
                target->processor = (int)at;
            else if (has_star)
                target->tracepoint = (enum i915_tracepoint)at;
            return &files[i];
        }
    }
    return NULL;
}

/* ---- the tree -------------------------------------------------------------------------------- */

static void show(const struct trace_file *file, const struct trace_target *target,
                 struct buffer *out)
{
    if (file->show)
        file->show(target, out);
    else
        buffer_text(out, file->text);
}

int trace_files_read(struct server *server, const char *name, struct buffer *out)
{
    struct trace_target target;
    const struct trace_file *file = find(server, name, &target);
    if (!file)
        return -ENOENT;
    show(file, &target, out);
    return out->broken ? -ENOMEM : 0;
}

/* Makes a file, or replaces it if its contents change. */
static int make(struct server *server, const char *name, bool first)
{
    char path[NAME_BYTES + sizeof TRACING];
    struct buffer text = {0};
    struct trace_target target;
    const struct trace_file *file = find(server, name, &target);
    if (!file)
        return -ENOENT;
    if (!first && !file->show)
        return 0;
    int result = trace_files_read(server, name, &text);
    snprintf(path, sizeof path, TRACING "%s", name);
    if (result == 0)
        result = first ? tree_add(server, path, text.bytes, text.size, file->mode)
                       : tree_replace(server, path, text.bytes, text.size, file->mode);
    buffer_fini(&text);
    return result;
}

int trace_files_make(struct server *server)
{
    char name[NAME_BYTES];
    int result = 0;
    for (size_t i = 0; i < ARRAY_COUNT(files); i++)
        for (unsigned at = 0; result == 0 && name_at(server, &files[i], at, name); at++)
            result = make(server, name, true);
    return result == 0 ? tree_directory_mode(server, TRACING, 0700) : result;
}

void trace_files_update(struct server *server, const char *name)
{
    make(server, name, false);
}

/* ---- calls ----------------------------------------------------------------------------------- */

int64_t trace_files_write(struct server *server, const char *name, const char *bytes, size_t size)
{
    char text[TRACE_FILES_MAX + 1];
    struct trace_target target;
    const struct trace_file *file = find(server, name, &target);
    if (!file || !file->write)
        return -EINVAL;
    if (file->write == write_marker)
        return write_marker(&target, bytes, size);
    if (size > TRACE_FILES_MAX)
        return -EINVAL;
    if (size)
        memcpy(text, bytes, size);
    text[size] = '\0';
    return file->write(&target, text, size);
}

void trace_files_truncated(struct server *server, const char *name)
{
    struct trace_log *log = &server->trace_log;
    struct trace_target target;
    const struct trace_file *file = find(server, name, &target);
    if (!file)
        return;
    if (file->show == show_log && target.processor <= 0)
        trace_ring_clear(&log->ring);
    if (file->show == show_set_events)
        memset(log->enabled, 0, sizeof log->enabled);
    if (file->show == show_pids)
        log->pid_count = 0;
}
