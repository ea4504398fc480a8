/* SPDX-License-Identifier: MIT */
#include "preload/server/trace_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "preload/server/server.h"
#include "preload/server/trace_filter.h"

void trace_log_start(struct trace_log *log)
{
    long processors = sysconf(_SC_NPROCESSORS_CONF);
    log->options[TRACE_OVERWRITE] = log->options[TRACE_MARKERS] = true;
    log->options[TRACE_RECORD_NAMES] = true;
    log->percent = 50;
    log->names.capacity = TRACE_NAMES;
    log->processors = processors > 1 ? (unsigned)processors : 1;
    log->other_kib = calloc(log->processors, sizeof *log->other_kib);
    if (!log->other_kib)
        log->processors = 1;
    for (unsigned i = 1; i < log->processors; i++)
        log->other_kib[i] = TRACE_RING_KIB;
}

void trace_log_fini(struct trace_log *log)
{
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++) {
        trace_filter_free(log->filters[i]);
        free(log->filter_texts[i]);
    }
    trace_ring_fini(&log->ring);
    free(log->other_kib);
    free(log->pids);
    free(log->names.list);
}

/* ---- names ----------------------------------------------------------------------------------- */

static struct trace_name *name_at(const struct trace_names *names, size_t index)
{
    return &names->list[(names->first + index) % names->capacity];
}

const struct trace_name *trace_log_name(const struct trace_log *log, size_t index)
{
    return index < log->names.count ? name_at(&log->names, index) : NULL;
}

/* Finds the entry of a thread, or makes one in place of the oldest. */
static struct trace_name *find_name(struct trace_names *names, long thread)
{
    for (size_t i = names->count; i-- > 0;)
        if (name_at(names, i)->thread == thread)
            return name_at(names, i);
    if (!names->list)
        names->list = calloc(names->capacity, sizeof *names->list);
    if (!names->list)
        return NULL;
    if (names->count < names->capacity)
        names->count++;
    else
        names->first = (names->first + 1) % names->capacity;
    return name_at(names, names->count - 1);
}

static void note_name(struct server *server, long thread)
{
    struct trace_log *log = &server->trace_log;
    struct trace_name *name =
        thread && log->options[TRACE_RECORD_NAMES] ? find_name(&log->names, thread) : NULL;
    if (!name)
        return;
    name->thread = thread;
    peer_name(server->serving, thread, name->name, sizeof name->name);
}

int trace_log_resize_names(struct trace_log *log, uint64_t count)
{
    if (!count || count > TRACE_MAX_NAMES)
        return -EINVAL;
    free(log->names.list);
    log->names = (struct trace_names){.capacity = (size_t)count};
    return 0;
}

/* ---- recording ------------------------------------------------------------------------------- */

/* Returns the place of a thread in the list, or where it would be. */
static size_t find_pid(const struct trace_log *log, uint32_t pid)
{
    size_t low = 0, high = log->pid_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (log->pids[middle] < pid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int trace_log_add_pid(struct trace_log *log, uint32_t pid)
{
    size_t at = find_pid(log, pid);
    if (at < log->pid_count && log->pids[at] == pid)
        return 0;
    uint32_t *more = array_grow(log->pids, &log->pid_capacity, log->pid_count, sizeof *more);
    if (!more)
        return -ENOMEM;
    memmove(more + at + 1, more + at, (log->pid_count - at) * sizeof *more);
    more[at] = pid;
    log->pids = more;
    log->pid_count++;
    return 0;
}

static bool is_traced(const struct trace_log *log, long thread)
{
    size_t at = find_pid(log, (uint32_t)thread);
    return !log->pid_count || (at < log->pid_count && log->pids[at] == (uint32_t)thread);
}

void trace_log_hear(struct server *server, const struct trace_event *event)
{
    struct trace_log *log = &server->trace_log;
    const struct trace_filter *filter = log->filters[event->tracepoint];
    if (log->stopped || !log->enabled[event->tracepoint] || !is_traced(log, event->thread) ||
        (filter && !trace_filter_passes(filter, event->record)))
        return;
    if (trace_ring_write(&log->ring, event->ns, event->record, event->bytes,
                         log->options[TRACE_OVERWRITE]))
        note_name(server, event->thread);
}

/* The record of a text has an address, of the kernel's code that has written it, and ends with a
 * newline. */
int trace_log_mark(struct server *server, const char *text, size_t size)
{
    struct trace_log *log = &server->trace_log;
    const struct session *session = server->serving;
    uint8_t record[TRACE_COMMON_BYTES + 8 + TRACE_MARKER_BYTES + 2] = {0};
    char *to = (char *)record + TRACE_COMMON_BYTES + 8;
    if (!log->options[TRACE_MARKERS])
        return -EINVAL;
    size_t taken = min_size(size, TRACE_MARKER_BYTES), length = taken;
    if (!taken)
        return 0;
    if (log->stopped)
        return -EBADF;
    long thread = !session ? 0 : session->caller ? session->caller : session->pid;
    store_le16(record, TRACE_MARKER_ID);
    store_le32(record + 4, (uint32_t)thread);
    memcpy(to, text, taken);
    if (to[length - 1] != '\n')
        to[length++] = '\n';
    if (trace_ring_write(&log->ring, trace_now_ns(server), record,
                         (size_t)(to - (char *)record) + length + 1, log->options[TRACE_OVERWRITE]))
        note_name(server, thread);
    return (int)taken;
}

int trace_log_filter(struct trace_log *log, enum i915_tracepoint tracepoint, const char *text)
{
    struct trace_filter *filter = NULL;
    char *copy = NULL;
    int result =
        strcmp(text, "0") ? trace_filter_parse(i915_tracepoint_info(tracepoint), text, &filter) : 0;
    if (filter && !(copy = strdup(text))) {
        trace_filter_free(filter);
        filter = NULL;
        result = -ENOMEM;
    }
    trace_filter_free(log->filters[tracepoint]);
    free(log->filter_texts[tracepoint]);
    log->filters[tracepoint] = filter;
    log->filter_texts[tracepoint] = copy;
    return result;
}
