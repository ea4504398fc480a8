/* SPDX-License-Identifier: MIT */
#include "preload/server/trace_log.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/server/server.h"
#include "preload/server/trace_filter.h"

struct trace_entry {
    struct trace_event event;
    char name[16]; /* of the thread */
};

/* ---- recording ------------------------------------------------------------------------------- */

static size_t capacity_of(uint64_t kib)
{
    return (size_t)(kib * 1024 / sizeof(struct trace_entry));
}

static struct trace_entry *next_entry(struct trace_log *log)
{
    if (!log->capacity)
        log->capacity = capacity_of(TRACE_LOG_KIB);
    if (!log->entries)
        log->entries = calloc(log->capacity, sizeof *log->entries);
    if (!log->entries)
        return NULL;
    log->written++;
    if (log->count < log->capacity)
        return &log->entries[(log->first + log->count++) % log->capacity];
    struct trace_entry *oldest = &log->entries[log->first];
    log->first = (log->first + 1) % log->capacity;
    return oldest;
}

void trace_log_hear(struct server *server, const struct trace_event *event)
{
    struct trace_log *log = &server->trace_log;
    const struct trace_filter *filter = log->filters[event->tracepoint];
    if (log->stopped || !log->enabled[event->tracepoint] ||
        (filter && !trace_filter_passes(filter, event->record)))
        return;
    struct trace_entry *entry = next_entry(log);
    if (!entry)
        return;
    entry->event = *event;
    strcpy(entry->name, "<idle>");
    if (event->thread)
        peer_name(server->serving, event->thread, entry->name, sizeof entry->name);
}

void trace_log_clear(struct trace_log *log)
{
    log->first = log->count = 0;
    log->written = 0;
}

void trace_log_fini(struct trace_log *log)
{
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        trace_filter_free(log->filters[i]);
    free(log->entries);
}

/* ---- settings -------------------------------------------------------------------------------- */

int trace_log_resize(struct trace_log *log, uint64_t kib)
{
    if (!kib)
        return -EINVAL;
    if (kib > TRACE_LOG_MAX_KIB)
        return -ENOMEM;
    free(log->entries);
    log->entries = NULL;
    log->capacity = capacity_of(kib);
    trace_log_clear(log);
    return 0;
}

int trace_log_filter(struct trace_log *log, enum i915_tracepoint tracepoint, const char *text)
{
    struct trace_filter *filter = NULL;
    int result =
        strcmp(text, "0") ? trace_filter_parse(i915_tracepoint_info(tracepoint), text, &filter) : 0;
    trace_filter_free(log->filters[tracepoint]);
    log->filters[tracepoint] = filter;
    return result;
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char columns[] = "#\n"
                              "#                                _-----=> irqs-off/BH-disabled\n"
                              "#                               / _----=> need-resched\n"
                              "#                              | / _---=> hardirq/softirq\n"
                              "#                              || / _--=> preempt-depth\n"
                              "#                              ||| / _-=> migrate-disable\n"
                              "#                              |||| /     delay\n"
                              "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
                              "#              | |         |   |||||     |         |\n";

void trace_log_text(const struct trace_log *log, struct buffer *out)
{
    buffer_printf(
        out, "# tracer: nop\n#\n# entries-in-buffer/entries-written: %zu/%" PRIu64 "   #P:%ld\n",
        log->count, log->written, sysconf(_SC_NPROCESSORS_ONLN));
    buffer_text(out, columns);
    for (size_t i = 0; i < log->count; i++) {
        const struct trace_entry *entry = &log->entries[(log->first + i) % log->capacity];
        uint64_t us = entry->event.ns / 1000;
        buffer_printf(out, "%16s-%-7ld [000] ..... %5" PRIu64 ".%06" PRIu64 ": %s: ", entry->name,
                      entry->event.thread, us / 1000000, us % 1000000,
                      i915_tracepoint_info(entry->event.tracepoint)->name);
        trace_event_text(&entry->event, out);
        buffer_text(out, "\n");
    }
}
