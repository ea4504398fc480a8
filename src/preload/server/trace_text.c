/* SPDX-License-Identifier: MIT */
/* The ring buffer of tracefs as text. */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "preload/server/server.h"
#include "preload/server/trace_log.h"

static const char columns[] = "#\n"
                              "#                                _-----=> irqs-off/BH-disabled\n"
                              "#                               / _----=> need-resched\n"
                              "#                              | / _---=> hardirq/softirq\n"
                              "#                              || / _--=> preempt-depth\n"
                              "#                              ||| / _-=> migrate-disable\n"
                              "#                              |||| /     delay\n"
                              "#           TASK-PID     CPU#  |||||  TIMESTAMP  FUNCTION\n"
                              "#              | |         |   |||||     |         |\n";

static const char *name_of(const struct trace_log *log, long thread)
{
    const struct trace_name *name;
    for (size_t i = 0; (name = trace_log_name(log, i)); i++)
        if (name->thread == thread)
            return name->name;
    return thread ? "<...>" : "<idle>";
}

/* A marker's text has its own newline. */
static void put_marker(const struct trace_item *item, struct buffer *out)
{
    size_t head = TRACE_COMMON_BYTES + 8;
    const char *text = (const char *)item->record + head;
    size_t length = item->bytes > head ? strnlen(text, item->bytes - head) : 0;
    buffer_text(out, "tracing_mark_write: ");
    buffer_append(out, text, length);
}

void trace_log_line(const struct trace_log *log, const struct trace_item *item, struct buffer *out)
{
    long thread = (long)load_le32(item->record + 4);
    uint64_t us = (item->ns + 500) / 1000;
    unsigned id = item->record[0] | (unsigned)item->record[1] << 8;
    enum i915_tracepoint tracepoint;
    buffer_printf(out, "%16s-%-7ld [000] ..... %5" PRIu64 ".%06" PRIu64 ": ", name_of(log, thread),
                  thread, us / 1000000, us % 1000000);
    if (!trace_find(id, &tracepoint)) {
        put_marker(item, out);
        return;
    }
    buffer_printf(out, "%s: ", i915_tracepoint_info(tracepoint)->name);
    trace_event_text(tracepoint, item->record, out);
    buffer_text(out, "\n");
}

void trace_log_text(const struct trace_log *log, int processor, struct buffer *out)
{
    bool shown = processor <= 0;
    buffer_printf(out,
                  "# tracer: nop\n#\n# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64
                  "   #P:%ld\n",
                  shown ? trace_ring_entries(&log->ring) : 0,
                  shown ? log->ring.written - log->ring.read : 0, sysconf(_SC_NPROCESSORS_ONLN));
    buffer_text(out, columns);
    struct trace_place place = {0};
    struct trace_item item;
    while (shown && trace_ring_next(&log->ring, &place, &item))
        trace_log_line(log, &item, out);
}

void trace_log_names(const struct trace_log *log, struct buffer *out)
{
    const struct trace_name *name;
    for (size_t i = 0; (name = trace_log_name(log, i)); i++)
        buffer_printf(out, "%ld %s\n", name->thread, name->name);
}

static void put_time(const char *what, uint64_t ns, struct buffer *out)
{
    uint64_t us = (ns + 500) / 1000;
    buffer_printf(out, "%s ts: %5" PRIu64 ".%06" PRIu64 "\n", what, us / 1000000, us % 1000000);
}

void trace_log_stats(const struct trace_log *log, int processor, uint64_t now_ns,
                     struct buffer *out)
{
    static const struct trace_ring none;
    const struct trace_ring *ring = processor ? &none : &log->ring;
    struct trace_place place = {0};
    struct trace_item oldest = {0};
    trace_ring_next(ring, &place, &oldest);
    buffer_printf(
        out, "entries: %" PRIu64 "\noverrun: %" PRIu64 "\ncommit overrun: 0\nbytes: %" PRIu64 "\n",
        trace_ring_entries(ring), ring->overrun, ring->bytes);
    put_time("oldest event", oldest.ns, out);
    put_time("now", now_ns, out);
    buffer_printf(out, "dropped events: %" PRIu64 "\nread events: %" PRIu64 "\n", ring->dropped,
                  ring->read);
}
