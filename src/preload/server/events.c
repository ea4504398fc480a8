/* SPDX-License-Identifier: MIT */
/*
 * The GPU's counters in perf_event_open(): busy and waiting time of the engines, frequencies,
 * interrupts, RC6, which count for the whole machine; and groups, times and calls of these and of
 * tracepoints (samples.c).
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "intel/gpu/engines.h"
#include "intel/platforms.h"
#include "preload/server/samples.h"
#include "preload/server/server.h"

/* ---- counters -------------------------------------------------------------------------------- */

/* config: class, instance and sample of an engine; from OTHER on, counters of the whole GPU. */
#define OTHER       __I915_PMU_OTHER(0)
#define CLASS_SHIFT (I915_PMU_SAMPLE_BITS + I915_PMU_SAMPLE_INSTANCE_BITS)

enum { ACTUAL_FREQUENCY = OTHER, REQUESTED_FREQUENCY, INTERRUPTS, RC6_RESIDENCY, AWAKE_TIME };

bool event_has_actual_frequency(const struct server *server)
{
    return intel_platform_of(server->emulation->platform)->actual_frequency;
}

uint32_t event_config(const struct i915_engine_name *engine, unsigned sample)
{
    return (uint32_t)engine->engine_class << CLASS_SHIFT |
           (uint32_t)engine->instance << I915_PMU_SAMPLE_BITS | sample;
}

/* Finds the engine and the sample of a counter below OTHER. */
static bool find_engine(const struct server *server, uint64_t config, struct i915_engine_name *out,
                        unsigned *sample)
{
    *sample = (unsigned)config & I915_PMU_SAMPLE_MASK;
    for (size_t i = 0; i915_engine_at(server->emulation->device, i, out); i++)
        if (event_config(out, *sample) == config)
            return true;
    return false;
}

static int check_config(const struct server *server, uint64_t config)
{
    struct i915_engine_name engine;
    unsigned sample;
    if (config < OTHER) {
        if (!find_engine(server, config, &engine, &sample))
            return -ENODEV;
        return sample <= I915_SAMPLE_SEMA ? 0 : -ENOENT;
    }
    switch (config) {
    case ACTUAL_FREQUENCY:
        return event_has_actual_frequency(server) ? 0 : -ENODEV;
    case REQUESTED_FREQUENCY:
    case INTERRUPTS:
    case RC6_RESIDENCY:
    case AWAKE_TIME:
        return 0;
    default:
        return -ENOENT;
    }
}

/* The render engine is busy with a workload, too. */
static uint64_t present_engine(const struct server *server, uint64_t config)
{
    const struct tally_gpu *gpu = server->emulation->gpu;
    struct i915_engine_name engine;
    unsigned sample;
    if (!find_engine(server, config, &engine, &sample))
        return 0;
    if (sample != I915_SAMPLE_BUSY)
        return gpu_engine_wait_ns(gpu, engine.hardware, sample == I915_SAMPLE_SEMA);
    return engine.engine_class == I915_ENGINE_CLASS_RENDER
               ? tally_gpu_busy_ns(gpu)
               : tally_gpu_engine_busy_ns(gpu, engine.hardware);
}

/* Returns a counter's value: a number, or in ns; for frequencies in MHz times seconds, or millions
 * of clocks. */
static uint64_t present(const struct server *server, uint64_t config)
{
    if (config < OTHER)
        return present_engine(server, config);
    uint64_t now = tally_gpu_now_ns(server->emulation->gpu),
             asleep = tally_gpu_rc6_ns(server->emulation->gpu);
    switch (config) {
    case INTERRUPTS:
        return i915_device_interrupts(server->emulation->device);
    case RC6_RESIDENCY:
        return asleep;
    case AWAKE_TIME:
        return now - asleep;
    default:
        return tally_gpu_awake_clocks(server->emulation->gpu) / 1000000;
    }
}

/* ---- one event ------------------------------------------------------------------------------- */

static uint64_t present_of(const struct server *server, const struct event *event)
{
    return event->sampling ? event->sampling->hits : present(server, event->config);
}

static uint64_t count_of(const struct server *server, const struct event *event)
{
    return event->count + (event->counts ? present_of(server, event) - event->base : 0);
}

static uint64_t enabled_ns(const struct server *server, const struct event *event)
{
    uint64_t now = tally_gpu_now_ns(server->emulation->gpu);
    return event->enabled_ns + (event->counts ? now - event->counts_from : 0);
}

static void start(struct server *server, struct event *event)
{
    event->counts = true;
    event->base = present_of(server, event);
    event->counts_from = tally_gpu_now_ns(server->emulation->gpu);
}

static void stop(struct server *server, struct event *event)
{
    event->count = count_of(server, event);
    event->enabled_ns = enabled_ns(server, event);
    event->counts = false;
}

static void reset(struct server *server, struct event *event)
{
    event->count = 0;
    event->base = present_of(server, event);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool is_in_group(const struct descriptor *descriptor, const struct descriptor *leader)
{
    return descriptor == leader ||
           (descriptor->of == OF_EVENT && descriptor->event.leader == leader->number);
}

static struct descriptor *leader_of(struct server *server, struct descriptor *descriptor)
{
    uint32_t leader = descriptor->event.leader;
    return leader ? descriptor_find(server, OF_EVENT, leader) : descriptor;
}

/* Returns the event of a group that was opened next after the one with the id `after`. The leader
 * is the first. */
static struct descriptor *next_in_group(struct server *server, const struct descriptor *leader,
                                        uint64_t after)
{
    struct descriptor *next = NULL;
    for (struct descriptor *d = server->descriptors; d; d = d->next)
        if (is_in_group(d, leader) && d->event.id > after &&
            (!next || d->event.id < next->event.id))
            next = d;
    return next;
}

/* Starts and stops the events of a group: an event counts while it and its leader are enabled. */
static void update_group(struct server *server, const struct descriptor *leader)
{
    for (struct descriptor *d = next_in_group(server, leader, 0); d;
         d = next_in_group(server, leader, d->event.id)) {
        bool counts = d->event.enabled && leader->event.enabled;
        if (counts && !d->event.counts)
            start(server, &d->event);
        else if (!counts && d->event.counts)
            stop(server, &d->event);
    }
}

void event_end(struct server *server, struct descriptor *descriptor)
{
    for (struct descriptor *d = server->descriptors; d; d = d->next) {
        if (d == descriptor || !is_in_group(d, descriptor))
            continue;
        d->event.leader = 0; /* the number will be reused */
        update_group(server, d);
    }
    samples_free(descriptor->event.sampling);
    descriptor->event.sampling = NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void put(struct buffer *out, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void put_times(struct server *server, uint64_t format, const struct event *event,
                      struct buffer *out)
{
    if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        put(out, enabled_ns(server, event));
    if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        put(out, enabled_ns(server, event));
}

#define FORMAT_LOST (1u << 4) /* since Linux 6.0 */

static void put_rest(const struct descriptor *descriptor, uint64_t format, struct buffer *out)
{
    if (format & PERF_FORMAT_ID)
        put(out, descriptor->event.id);
    if (format & FORMAT_LOST)
        put(out, descriptor->event.sampling ? descriptor->event.sampling->lost : 0);
}

/* Appends the values of the group of an event. */
static void put_group(struct server *server, struct descriptor *descriptor, struct buffer *out)
{
    uint64_t count = 0, format = descriptor->event.format;
    const struct descriptor *leader = leader_of(server, descriptor);
    struct descriptor *d;
    for (d = next_in_group(server, leader, 0); d; d = next_in_group(server, leader, d->event.id))
        count++;
    put(out, count);
    put_times(server, format, &leader->event, out);
    for (d = next_in_group(server, leader, 0); d; d = next_in_group(server, leader, d->event.id)) {
        put(out, count_of(server, &d->event));
        put_rest(d, format, out);
    }
}

void event_put_values(struct server *server, struct descriptor *descriptor, struct buffer *out)
{
    const struct event *event = &descriptor->event;
    if (event->format & PERF_FORMAT_GROUP) {
        put_group(server, descriptor, out);
    } else {
        put(out, count_of(server, event));
        put_times(server, event->format, event, out);
        put_rest(descriptor, event->format, out);
    }
}

int event_read(struct server *server, struct descriptor *descriptor, uint64_t bytes,
               struct buffer *out)
{
    out->size = 0;
    event_put_values(server, descriptor, out);
    if (out->broken)
        return -ENOMEM;
    return out->size <= bytes ? (int)out->size : -ENOSPC;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Finds the group leader of a call. `sampling`: of a tracepoint, or NULL. Returns 0 or -EINVAL: the
 * leader is of another kind, processor or thread, or in a group. */
static int find_leader(struct session *session, const struct emulate_header *call,
                       const struct sampling *sampling, uint32_t *leader)
{
    *leader = (uint32_t)(call->c >> EMULATE_EVENT_LEADER_SHIFT);
    if (!*leader)
        return 0;
    const struct descriptor *group = descriptor_find(session->server, OF_EVENT, *leader);
    if (!group || group->event.leader)
        return -EINVAL;
    const struct sampling *other = group->event.sampling;
    if (!sampling || !other)
        return sampling == other ? 0 : -EINVAL;
    return sampling->cpu == other->cpu && sampling->target == other->target ? 0 : -EINVAL;
}

static void begin_event(struct server *server, struct descriptor *descriptor,
                        const struct event *event)
{
    descriptor->event = *event;
    descriptor->event.id = ++server->events;
    update_group(server, leader_of(server, descriptor));
}

int event_new(struct session *session, const struct emulate_header *call, struct descriptor **out,
              int *client_end)
{
    struct server *server = session->server;
    uint32_t leader = 0;
    if (!server->emulation->device)
        return -ENOENT; /* only i915 has events */
    if (!peer_is_privileged(session, call))
        return -EACCES; /* events count for the whole machine */
    int result = check_config(server, call->a);
    if (result == 0 && call->c & EMULATE_EVENT_PROCESS)
        result = -EINVAL;
    if (result == 0)
        result = find_leader(session, call, NULL, &leader);
    if (result == 0)
        result = descriptor_new(server, OF_EVENT, 0, out, client_end);
    if (result < 0)
        return result;
    struct event event = {.config = call->a,
                          .format = call->b,
                          .leader = leader,
                          .enabled = !(call->c & EMULATE_EVENT_DISABLED)};
    begin_event(server, *out, &event);
    return 0;
}

int event_new_tracepoint(struct session *session, const struct emulate_header *call,
                         struct descriptor **out, int *client_end)
{
    struct server *server = session->server;
    struct perf_event_attr attr = {0};
    struct sampling *sampling;
    uint32_t leader;
    if (!server->emulation->device)
        return -EINVAL;
    if (!peer_is_privileged(session, call))
        return -EACCES; /* the kernel's code is observed, and records have its addresses */
    if (session->argument.size)
        memcpy(&attr, session->argument.bytes, min_size(session->argument.size, sizeof attr));
    int result =
        samples_new(session, &attr, (long)(int64_t)call->a, (int)(int64_t)call->b, &sampling);
    if (result < 0)
        return result;
    result = find_leader(session, call, sampling, &leader);
    if (result == 0)
        result = descriptor_new(server, OF_EVENT, 0, out, client_end);
    if (result < 0) {
        samples_free(sampling);
        return result;
    }
    struct event event = {.config = attr.config,
                          .format = attr.read_format,
                          .leader = leader,
                          .enabled = !attr.disabled,
                          .sampling = sampling};
    begin_event(server, *out, &event);
    return 0;
}

static void change(struct server *server, struct descriptor *descriptor, uint32_t request)
{
    if (request == PERF_EVENT_IOC_RESET)
        reset(server, &descriptor->event);
    else
        descriptor->event.enabled = request == PERF_EVENT_IOC_ENABLE;
}

/* Changes an event, or its whole group. */
static int change_all(struct server *server, struct descriptor *descriptor, uint32_t request,
                      bool group)
{
    struct descriptor *leader = leader_of(server, descriptor);
    if (group)
        for (struct descriptor *d = next_in_group(server, leader, 0); d;
             d = next_in_group(server, leader, d->event.id))
            change(server, d, request);
    else
        change(server, descriptor, request);
    update_group(server, leader);
    return 0;
}

void event_enable(struct server *server, struct descriptor *descriptor)
{
    change_all(server, descriptor, PERF_EVENT_IOC_ENABLE, false);
}

void event_disable(struct server *server, struct descriptor *descriptor)
{
    change_all(server, descriptor, PERF_EVENT_IOC_DISABLE, false);
}

/* c: number, plus 1, of the event to whose buffer samples are written. */
static int set_output(struct server *server, struct descriptor *descriptor,
                      const struct emulate_header *call)
{
    if ((int)call->b == -1)
        return descriptor->event.sampling ? samples_set_output(descriptor, NULL) : 0;
    struct descriptor *to = call->c && call->c <= UINT32_MAX
                                ? descriptor_find(server, OF_EVENT, (uint32_t)(call->c - 1))
                                : NULL;
    if (!to || !descriptor->event.sampling)
        return to ? -EINVAL : -EBADF;
    return samples_set_output(descriptor, to);
}

/* Those of sampling. */
static int sampling_ioctl(struct session *session, struct descriptor *descriptor,
                          const struct emulate_header *call)
{
    const struct buffer *argument = &session->argument;
    uint64_t period = 0;
    int result;
    if (!descriptor->event.sampling)
        return -EINVAL;
    switch ((uint32_t)call->a) {
    case PERF_EVENT_IOC_REFRESH:
        result = samples_refresh(descriptor, call->b);
        if (result == 0)
            event_enable(session->server, descriptor);
        return result;
    case PERF_EVENT_IOC_PAUSE_OUTPUT:
        return samples_pause(descriptor, call->b != 0);
    case (uint32_t)PERF_EVENT_IOC_PERIOD:
        memcpy(&period, argument->bytes, min_size(argument->size, sizeof period));
        return samples_set_period(descriptor, period);
    default:
        return samples_set_filter(descriptor, argument->bytes, argument->size);
    }
}

int event_ioctl(struct session *session, struct descriptor *descriptor,
                const struct emulate_header *call, struct buffer *out)
{
    struct server *server = session->server;
    uint32_t request = (uint32_t)call->a;
    out->size = 0;
    switch (request) {
    case PERF_EVENT_IOC_ENABLE:
    case PERF_EVENT_IOC_DISABLE:
    case PERF_EVENT_IOC_RESET:
        return change_all(server, descriptor, request, call->b & PERF_IOC_FLAG_GROUP);
    case (uint32_t)PERF_EVENT_IOC_ID:
        put(out, descriptor->event.id);
        return out->broken ? -ENOMEM : 0;
    case PERF_EVENT_IOC_REFRESH:
    case PERF_EVENT_IOC_PAUSE_OUTPUT:
    case (uint32_t)PERF_EVENT_IOC_PERIOD:
    case (uint32_t)PERF_EVENT_IOC_SET_FILTER:
        return sampling_ioctl(session, descriptor, call);
    case PERF_EVENT_IOC_SET_OUTPUT:
        return set_output(server, descriptor, call);
    case PERF_EVENT_IOC_SET_BPF:
        return -EBADF;
    default:
        return -ENOTTY;
    }
}
