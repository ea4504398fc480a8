/* SPDX-License-Identifier: MIT */
#include "preload/server/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "preload/server/ring.h"
#include "preload/server/server.h"
#include "preload/server/trace_filter.h"

/* What a sample may contain. The kernel would also accept a stack of branches of other events, and
 * parts of an AUX area. */
#define LAST_SAMPLE (PERF_SAMPLE_WEIGHT_STRUCT << 1)
#define REFUSED     (PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_AUX)

#define NAME_BYTES 16u /* of a thread, with its end */

/* ---- creation -------------------------------------------------------------------------------- */

static bool exists(long thread)
{
    char path[32];
    struct stat about;
    snprintf(path, sizeof path, "/proc/%ld", thread);
    return stat(path, &about) == 0;
}

/* In the kernel's order; the program has checked what concerns all events. */
static int check(const struct perf_event_attr *attr, long target, int cpu)
{
    if (target == -1 && cpu == -1)
        return -EINVAL;
    if (attr->sample_type >= LAST_SAMPLE)
        return -EINVAL;
    if (attr->inherit && attr->sample_type & PERF_SAMPLE_READ)
        return -EINVAL;
    if (attr->write_backward) /* not supported */
        return -EINVAL;
    if (cpu < -1 || cpu >= sysconf(_SC_NPROCESSORS_CONF))
        return -EINVAL;
    if (target != -1 && !exists(target))
        return -ESRCH;
    if (attr->sample_type & REFUSED)
        return -EOPNOTSUPP;
    return 0;
}

int samples_new(struct session *session, const struct perf_event_attr *attr, long target, int cpu,
                struct sampling **out)
{
    enum i915_tracepoint tracepoint;
    if (target == 0)
        target = session->caller ? session->caller : session->pid;
    int result = check(attr, target, cpu);
    bool names_only = attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY;
    if (names_only)
        tracepoint = I915_TRACEPOINTS;
    else if (result == 0 && !trace_find(attr->config, &tracepoint))
        result = -EINVAL;
    if (result < 0)
        return result;
    struct sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling)
        return -ENOMEM;
    sampling->tracepoint = tracepoint;
    sampling->attr = *attr;
    sampling->target = target;
    sampling->cpu = cpu;
    sampling->until = attr->freq ? 1 : attr->sample_period;
    sampling->wakes_on_exec = attr->enable_on_exec;
    *out = sampling;
    return 0;
}

void samples_free(struct sampling *sampling)
{
    if (!sampling)
        return;
    ring_drop(sampling->ring);
    trace_filter_free(sampling->filter);
    free(sampling);
}

/* ---- records --------------------------------------------------------------------------------- */

static void put16(struct buffer *out, uint16_t value)
{
    uint8_t bytes[2];
    store_le16(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void put32(struct buffer *out, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void put64(struct buffer *out, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void put_task(struct buffer *out, const struct trace_event *event)
{
    put32(out, (uint32_t)event->process);
    put32(out, (uint32_t)event->thread);
}

/* Begins a record; end_record() sets its size. */
static void begin_record(struct buffer *out, uint32_t type, uint16_t misc)
{
    out->size = 0;
    put32(out, type);
    put16(out, misc);
    put16(out, 0);
}

static void end_record(const struct buffer *out)
{
    if (!out->broken)
        store_le16(out->bytes + 6, (uint16_t)out->size);
}

/* The end of records other than samples. */
static void put_identity(struct buffer *out, const struct descriptor *descriptor,
                         const struct trace_event *event)
{
    const struct perf_event_attr *attr = &descriptor->event.sampling->attr;
    uint64_t id = descriptor->event.id;
    if (!attr->sample_id_all)
        return;
    if (attr->sample_type & PERF_SAMPLE_TID)
        put_task(out, event);
    if (attr->sample_type & PERF_SAMPLE_TIME)
        put64(out, event->ns);
    if (attr->sample_type & PERF_SAMPLE_ID)
        put64(out, id);
    if (attr->sample_type & PERF_SAMPLE_STREAM_ID)
        put64(out, id);
    if (attr->sample_type & PERF_SAMPLE_CPU)
        put64(out, 0);
    if (attr->sample_type & PERF_SAMPLE_IDENTIFIER)
        put64(out, id);
}

/* The record of the tracepoint ends at a multiple of 8 bytes, with its size in front. */
static void put_raw(struct buffer *out, const struct trace_event *event)
{
    static const uint8_t zeros[8];
    uint32_t bytes = (event->bytes + 4 + 7) / 8 * 8 - 4;
    put32(out, bytes);
    buffer_append(out, event->record, event->bytes);
    buffer_append(out, zeros, bytes - event->bytes);
}

/* The parts in their order; those that no tracepoint of the kernel's code has are empty. */
static void put_sample(struct server *server, struct buffer *out, struct descriptor *descriptor,
                       const struct trace_event *event)
{
    const struct perf_event_attr *attr = &descriptor->event.sampling->attr;
    static const uint64_t parts[] = {
        PERF_SAMPLE_IDENTIFIER,    PERF_SAMPLE_IP,          PERF_SAMPLE_TID,
        PERF_SAMPLE_TIME,          PERF_SAMPLE_ADDR,        PERF_SAMPLE_ID,
        PERF_SAMPLE_STREAM_ID,     PERF_SAMPLE_CPU,         PERF_SAMPLE_PERIOD,
        PERF_SAMPLE_READ,          PERF_SAMPLE_CALLCHAIN,   PERF_SAMPLE_RAW,
        PERF_SAMPLE_REGS_USER,     PERF_SAMPLE_STACK_USER,  PERF_SAMPLE_WEIGHT_TYPE,
        PERF_SAMPLE_DATA_SRC,      PERF_SAMPLE_TRANSACTION, PERF_SAMPLE_REGS_INTR,
        PERF_SAMPLE_PHYS_ADDR,     PERF_SAMPLE_CGROUP,      PERF_SAMPLE_DATA_PAGE_SIZE,
        PERF_SAMPLE_CODE_PAGE_SIZE};
    begin_record(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
    for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
        if (!(attr->sample_type & parts[i]))
            continue;
        switch (parts[i]) {
        case PERF_SAMPLE_IDENTIFIER:
        case PERF_SAMPLE_ID:
        case PERF_SAMPLE_STREAM_ID:
            put64(out, descriptor->event.id);
            break;
        case PERF_SAMPLE_TID:
            put_task(out, event);
            break;
        case PERF_SAMPLE_TIME:
            put64(out, event->ns);
            break;
        case PERF_SAMPLE_PERIOD:
            put64(out, attr->freq ? 1 : attr->sample_period);
            break;
        case PERF_SAMPLE_READ:
            event_put_values(server, descriptor, out);
            break;
        case PERF_SAMPLE_RAW:
            put_raw(out, event);
            break;
        default:
            put64(out, 0);
            break;
        }
    }
    end_record(out);
}

/* ---- writing to the ring --------------------------------------------------------------------- */

static void wake(struct server *server, const struct ring *ring)
{
    for (struct descriptor *d = server->descriptors; d; d = d->next)
        if (d->of == OF_EVENT && d->event.sampling && d->event.sampling->ring == ring)
            d->event.sampling->woken = true;
}

/* Appends a record, after one that shows how many were lost before. Returns false if it is lost. */
static bool append(struct server *server, struct descriptor *descriptor,
                   const struct trace_event *event, const struct buffer *record)
{
    struct sampling *sampling = descriptor->event.sampling;
    struct ring *ring = sampling->ring;
    struct buffer lost = {0};
    bool wakes = false;
    if (ring->lost) {
        begin_record(&lost, PERF_RECORD_LOST, 0);
        put64(&lost, descriptor->event.id);
        put64(&lost, ring->lost);
        put_identity(&lost, descriptor, event);
        end_record(&lost);
    }
    bool fits = !record->broken && !lost.broken && ring_has_space(ring, lost.size + record->size);
    if (fits && lost.size) {
        wakes = ring_append(ring, lost.bytes, lost.size);
        ring->lost = 0;
    }
    if (fits)
        wakes = ring_append(ring, record->bytes, record->size) || wakes;
    else
        ring->lost++;
    buffer_fini(&lost);
    if (wakes)
        wake(server, ring);
    return fits;
}

/* Finds the event of a ring that shows the names of threads, or NULL. */
static struct descriptor *find_namer(const struct server *server, const struct ring *ring)
{
    struct descriptor *found = NULL;
    for (struct descriptor *d = server->descriptors; d; d = d->next)
        if (d->of == OF_EVENT && d->event.sampling && d->event.sampling->ring == ring &&
            d->event.sampling->attr.comm && d->event.counts)
            found = d;
    return found;
}

/* Writes the name of a thread before its first sample. The kernel writes it when it changes. */
static void name_thread(struct server *server, struct ring *ring, const struct trace_event *event,
                        struct buffer *record)
{
    char name[NAME_BYTES] = "";
    struct descriptor *descriptor = event->thread ? find_namer(server, ring) : NULL;
    if (!descriptor || ring_names(ring, event->thread))
        return;
    peer_name(server->serving, event->thread, name, sizeof name);
    begin_record(record, PERF_RECORD_COMM, 0);
    put_task(record, event);
    buffer_append(record, name, sizeof name);
    put_identity(record, descriptor, event);
    end_record(record);
    if (!append(server, descriptor, event, record))
        ring_forget_name(ring, event->thread);
}

static void sample(struct server *server, struct descriptor *descriptor,
                   const struct trace_event *event)
{
    struct sampling *sampling = descriptor->event.sampling;
    struct ring *ring = sampling->ring;
    const struct perf_event_attr *attr = &sampling->attr;
    if (sampling->limit && --sampling->limit == 0) {
        event_disable(server, descriptor);
        sampling->woken = true;
    }
    if (!ring || ring->paused || !ring->bytes)
        return;
    struct buffer record = {0};
    name_thread(server, ring, event, &record);
    put_sample(server, &record, descriptor, event);
    if (!append(server, descriptor, event, &record)) {
        sampling->lost++;
    } else if (!attr->watermark && attr->wakeup_events && ++ring->events >= attr->wakeup_events) {
        ring->events = 0;
        wake(server, ring);
    }
    buffer_fini(&record);
}

/* ---- hearing --------------------------------------------------------------------------------- */

static bool is_of_target(const struct server *server, const struct sampling *sampling,
                         const struct trace_event *event)
{
    if (sampling->target == -1 || sampling->target == event->thread)
        return true;
    return sampling->attr.inherit && server->serving &&
           peer_descends(server->serving, sampling->target);
}

static bool concerns(const struct server *server, const struct descriptor *descriptor,
                     const struct trace_event *event)
{
    const struct sampling *sampling = descriptor->event.sampling;
    return descriptor->of == OF_EVENT && sampling && descriptor->event.counts &&
           sampling->tracepoint == event->tracepoint && sampling->cpu <= 0 &&
           !sampling->attr.exclude_kernel && is_of_target(server, sampling, event) &&
           (!sampling->filter || trace_filter_passes(sampling->filter, event->record));
}

void samples_hear(struct server *server, const struct trace_event *event)
{
    for (struct descriptor *d = server->descriptors; d; d = d->next) {
        struct sampling *sampling = d->event.sampling;
        if (!concerns(server, d, event))
            continue;
        sampling->hits++;
        if (!sampling->until || --sampling->until)
            continue;
        sampling->until = sampling->attr.freq ? 1 : sampling->attr.sample_period;
        sample(server, d, event);
    }
}

void samples_executes(struct session *session)
{
    struct server *server = session->server;
    long thread = session->caller_given;
    for (struct descriptor *d = server->descriptors; d; d = d->next) {
        struct sampling *sampling = d->of == OF_EVENT ? d->event.sampling : NULL;
        if (!sampling || !peer_has_thread(session, thread))
            continue;
        if (sampling->ring)
            ring_forget_name(sampling->ring, thread);
        if (sampling->wakes_on_exec && sampling->target == thread) {
            sampling->wakes_on_exec = false;
            event_enable(server, d);
        }
    }
}

/* ---- calls ----------------------------------------------------------------------------------- */

int samples_map(struct descriptor *descriptor, uint64_t offset, uint64_t bytes, bool writable)
{
    struct sampling *sampling = descriptor->event.sampling;
    if (!sampling)
        return -ENODEV;
    if (offset || (sampling->attr.inherit && sampling->cpu == -1))
        return -EINVAL;
    if (sampling->ring && sampling->is_mapped)
        return bytes == ring_mapping(sampling->ring) ? sampling->ring->fd : -EINVAL;
    struct ring *ring;
    int result = ring_new(bytes, !writable,
                          sampling->attr.watermark ? sampling->attr.wakeup_watermark : 0, &ring);
    if (result < 0)
        return result;
    ring_drop(sampling->ring);
    sampling->ring = ring;
    sampling->is_mapped = true;
    return ring->fd;
}

int samples_set_output(struct descriptor *descriptor, struct descriptor *to)
{
    struct sampling *from = descriptor->event.sampling, *other = to ? to->event.sampling : NULL;
    if (!to) {
        if (from->is_mapped)
            return -EINVAL;
        ring_drop(from->ring);
        from->ring = NULL;
        return 0;
    }
    if (!other || from == other || from->cpu != other->cpu ||
        (from->cpu == -1 && from->target != other->target) ||
        from->attr.use_clockid != other->attr.use_clockid ||
        from->attr.clockid != other->attr.clockid || from->is_mapped || !other->ring)
        return -EINVAL;
    ring_drop(from->ring);
    from->ring = ring_hold(other->ring);
    return 0;
}

int samples_set_filter(struct descriptor *descriptor, const char *text, size_t size)
{
    struct sampling *sampling = descriptor->event.sampling;
    struct trace_filter *filter;
    char copy[TRACE_FILTER_BYTES];
    if (size >= sizeof copy || sampling->tracepoint == I915_TRACEPOINTS)
        return -EINVAL;
    memcpy(copy, text ? text : "", size);
    copy[size] = '\0';
    int result = trace_filter_parse(i915_tracepoint_info(sampling->tracepoint), copy, &filter);
    if (result < 0)
        return result;
    trace_filter_free(sampling->filter);
    sampling->filter = filter;
    return 0;
}

static bool is_sampling(const struct sampling *sampling)
{
    return sampling->attr.sample_period != 0;
}

int samples_set_period(struct descriptor *descriptor, uint64_t period)
{
    struct sampling *sampling = descriptor->event.sampling;
    if (!is_sampling(sampling) || !period || period >> 63)
        return -EINVAL;
    sampling->attr.sample_period = period;
    sampling->until = sampling->attr.freq ? 1 : period;
    return 0;
}

int samples_refresh(struct descriptor *descriptor, uint64_t count)
{
    struct sampling *sampling = descriptor->event.sampling;
    if (sampling->attr.inherit || !is_sampling(sampling))
        return -EINVAL;
    sampling->limit += count;
    return 0;
}

int samples_pause(struct descriptor *descriptor, bool paused)
{
    struct ring *ring = descriptor->event.sampling->ring;
    if (!ring || !ring->bytes)
        return -EINVAL;
    ring->paused = paused;
    return 0;
}
