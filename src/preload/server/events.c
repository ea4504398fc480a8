/* SPDX-License-Identifier: MIT */
/*
 * The counters that the kernel offers of the GPU by perf_event_open(): how long the render engine
 * was busy, frequencies, RC6. They count for the whole machine.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/bits.h"
#include "preload/server/server.h"

/* ---- what there is --------------------------------------------------------------------------- */

/* config: class, instance and sample of an engine; from OTHER on the GPU's own. */
#define OTHER       0x100000u
#define ENGINE_BUSY 0x0u

enum { ACTUAL_FREQUENCY = OTHER, REQUESTED_FREQUENCY, INTERRUPTS, RC6_RESIDENCY, AWAKE_TIME };

static int check_config(uint64_t config)
{
    switch (config) {
    case ENGINE_BUSY:
    case ACTUAL_FREQUENCY:
    case REQUESTED_FREQUENCY:
    case RC6_RESIDENCY:
    case AWAKE_TIME:
        return 0;
    default:
        return config <= AWAKE_TIME ? -ENODEV : -ENOENT; /* not modelled; not known */
    }
}

/* Nanoseconds; of frequencies the sum of MHz and seconds, which is millions of clocks. */
static uint64_t present(const struct server *server, uint64_t config)
{
    uint64_t now = tally_gpu_now_ns(server->gpu), asleep = tally_gpu_rc6_ns(server->gpu);
    switch (config) {
    case ENGINE_BUSY:
        return tally_gpu_busy_ns(server->gpu);
    case RC6_RESIDENCY:
        return asleep;
    case AWAKE_TIME:
        return now - asleep;
    default:
        return tally_gpu_awake_clocks(server->gpu) / 1000000;
    }
}

/* ---- one event ------------------------------------------------------------------------------- */

static uint64_t count_of(const struct server *server, const struct event *event)
{
    return event->count + (event->enabled ? present(server, event->config) - event->base : 0);
}

static uint64_t enabled_ns(const struct server *server, const struct event *event)
{
    uint64_t now = tally_gpu_now_ns(server->gpu);
    return event->enabled_ns + (event->enabled ? now - event->enabled_from : 0);
}

static void enable(struct server *server, struct event *event)
{
    if (event->enabled)
        return;
    event->enabled = true;
    event->base = present(server, event->config);
    event->enabled_from = tally_gpu_now_ns(server->gpu);
}

static void disable(struct server *server, struct event *event)
{
    event->count = count_of(server, event);
    event->enabled_ns = enabled_ns(server, event);
    event->enabled = false;
}

static void reset(struct server *server, struct event *event)
{
    event->count = 0;
    event->base = present(server, event->config);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool is_in_group(const struct descriptor *descriptor, const struct descriptor *leader)
{
    return descriptor == leader ||
           (descriptor->of == OF_EVENT && descriptor->event.leader == leader->number);
}

/* The next of a group in the order in which they were opened; the leader was the first. */
static struct descriptor *next_in_group(struct server *server, const struct descriptor *leader,
                                        uint64_t after)
{
    struct descriptor *next = NULL;
    for (struct descriptor *d = server->descriptors; d; d = d->next)
        if (is_in_group(d, leader) && d->event.born > after &&
            (!next || d->event.born < next->event.born))
            next = d;
    return next;
}

/* ---- reading --------------------------------------------------------------------------------- */

static void put(struct buffer *out, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    buffer_append(out, bytes, sizeof bytes);
}

static void put_times(struct server *server, const struct event *event, struct buffer *out)
{
    if (event->format & PERF_FORMAT_TOTAL_TIME_ENABLED)
        put(out, enabled_ns(server, event));
    if (event->format & PERF_FORMAT_TOTAL_TIME_RUNNING)
        put(out, enabled_ns(server, event));
}

#define FORMAT_LOST (1u << 4) /* since Linux 6.0 */

static void put_rest(const struct descriptor *descriptor, uint64_t format, struct buffer *out)
{
    if (format & PERF_FORMAT_ID)
        put(out, descriptor->number);
    if (format & FORMAT_LOST)
        put(out, 0);
}

static void put_group(struct server *server, const struct descriptor *leader, struct buffer *out)
{
    uint64_t count = 0, format = leader->event.format;
    struct descriptor *d;
    for (d = next_in_group(server, leader, 0); d; d = next_in_group(server, leader, d->event.born))
        count++;
    put(out, count);
    put_times(server, &leader->event, out);
    for (d = next_in_group(server, leader, 0); d;
         d = next_in_group(server, leader, d->event.born)) {
        put(out, count_of(server, &d->event));
        put_rest(d, format, out);
    }
}

int event_read(struct server *server, const struct descriptor *descriptor, uint64_t bytes,
               struct buffer *out)
{
    const struct event *event = &descriptor->event;
    out->size = 0;
    if (event->format & PERF_FORMAT_GROUP) {
        put_group(server, descriptor, out);
    } else {
        put(out, count_of(server, event));
        put_times(server, event, out);
        put_rest(descriptor, event->format, out);
    }
    if (out->broken)
        return -ENOMEM;
    return out->size <= bytes ? (int)out->size : -ENOSPC;
}

/* ---- calls ----------------------------------------------------------------------------------- */

int event_new(struct server *server, const struct emulate_header *call, struct descriptor **out,
              int *theirs)
{
    static uint64_t born;
    uint32_t leader = (uint32_t)(call->c >> EMULATE_EVENT_LEADER_SHIFT);
    if (!(call->flags & EMULATE_PRIVILEGED))
        return -EACCES; /* it is of the whole machine */
    int result = check_config(call->a);
    const struct descriptor *group = leader ? descriptor_find(server, OF_EVENT, leader) : NULL;
    if (result == 0 && leader && (!group || group->event.leader))
        result = -EINVAL;
    if (result == 0)
        result = descriptor_new(server, OF_EVENT, 0, out, theirs);
    if (result < 0)
        return result;
    (*out)->event =
        (struct event){.config = call->a, .format = call->b, .born = ++born, .leader = leader};
    if (!(call->c & EMULATE_EVENT_DISABLED))
        enable(server, &(*out)->event);
    return 0;
}

int event_ioctl(struct server *server, struct descriptor *descriptor, uint32_t request)
{
    switch (request) {
    case PERF_EVENT_IOC_ENABLE:
        enable(server, &descriptor->event);
        return 0;
    case PERF_EVENT_IOC_DISABLE:
        disable(server, &descriptor->event);
        return 0;
    case PERF_EVENT_IOC_RESET:
        reset(server, &descriptor->event);
        return 0;
    default:
        return -ENOTTY;
    }
}
