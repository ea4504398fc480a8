/* SPDX-License-Identifier: MIT */
/* perf_event_open() of the GPU's events. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define KNOWN_FLAGS   (PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_CLOEXEC)
#define KNOWN_FORMATS 0x1fu

#define KNOWN_SAMPLES ((1ull << 25) - 1)
#define KNOWN_SIZE    136u /* Linux 6.1's */

/* True for a real event of the machine. */
static bool is_event(int fd)
{
    char link[48], text[32] = "";
    snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)user_process(), fd);
    return NEXT(readlink)(link, text, sizeof text - 1) > 0 &&
           !strcmp(text, "anon_inode:[perf_event]");
}

/* Finds the group leader. -EINVAL: an event that is not of the GPU; -EBADF: not an event. */
static int find_leader(int group, struct descriptor *out)
{
    if (group == -1 || (descriptor_is_ours(group, out) && out->kind == DESCRIPTOR_EVENT))
        return 0;
    return is_event(group) ? -EINVAL : -EBADF;
}

/* Checks what the kernel checks of all events, in its order. */
static int check(const struct perf_event_attr *attr, int group, unsigned long flags,
                 struct descriptor *leader)
{
    if (flags & ~(unsigned long)KNOWN_FLAGS)
        return -EINVAL;
    if (attr->size && (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > EVENT_MAX_SIZE))
        return -E2BIG;
    for (uint32_t i = KNOWN_SIZE; i < attr->size; i++)
        if (((const char *)attr)[i])
            return -E2BIG;
    if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3 ||
        attr->sample_type & ~(uint64_t)KNOWN_SAMPLES)
        return -EINVAL;
    if (attr->sample_type & PERF_SAMPLE_BRANCH_STACK)
        return attr->branch_sample_type & ~7ull ? -EOPNOTSUPP : -EINVAL;
    if (!attr->freq && attr->sample_period >> 63)
        return -EINVAL;
    if (attr->use_clockid && attr->clockid != CLOCK_MONOTONIC &&
        attr->clockid != CLOCK_MONOTONIC_RAW)
        return -EINVAL;
    if (attr->read_format & ~(uint64_t)KNOWN_FORMATS)
        return -EINVAL;
    return find_leader(group, leader);
}

/* The process has an event of a tracepoint. */
static bool has_tracepoint;

int64_t event_open(const struct perf_event_attr *attr, int pid, int cpu, int group,
                   unsigned long flags)
{
    struct descriptor leader = {DESCRIPTOR_OTHER, 0, 0};
    bool traces = attr->type != EMULATE_EVENT_TYPE;
    int result = check(attr, group, flags, &leader);
    if (result < 0)
        return result;
    if (!traces && (cpu != 0 || attr->sample_period)) /* only on CPU 0, and without sampling */
        return -EINVAL;
    struct call call = {
        .header = {.kind = EMULATE_EVENT, .a = attr->config, .b = attr->read_format}};
    if (traces) {
        call.header = (struct emulate_header){.kind = EMULATE_TRACEPOINT,
                                              .bytes = sizeof *attr,
                                              .a = (uint64_t)(int64_t)pid,
                                              .b = (uint64_t)(int64_t)cpu};
        call.bytes = attr;
    }
    call.header.c = (uint64_t)leader.number << EMULATE_EVENT_LEADER_SHIFT;
    if (pid != -1)
        call.header.c |= EMULATE_EVENT_PROCESS;
    if (attr->disabled)
        call.header.c |= EMULATE_EVENT_DISABLED;
    if (flags & PERF_FLAG_FD_CLOEXEC)
        call.header.c |= EMULATE_EVENT_CLOEXEC;
    int64_t opened = channel_call(&call);
    if (opened >= 0 && traces)
        __atomic_store_n(&has_tracepoint, true, __ATOMIC_RELAXED);
    return opened < 0 ? opened : call.descriptor;
}

/* Whether the server has an event. A dummy one must be able to use the buffer of a tracepoint. */
static bool is_known(const struct perf_event_attr *attr)
{
    return attr->type == EMULATE_EVENT_TYPE || attr->type == PERF_TYPE_TRACEPOINT ||
           (attr->type == PERF_TYPE_SOFTWARE && attr->config == PERF_COUNT_SW_DUMMY &&
            __atomic_load_n(&has_tracepoint, __ATOMIC_RELAXED));
}

bool event_is_gpu(uint64_t address, union event_attributes *out)
{
    memset(out, 0, sizeof *out);
    if (!tree_directory() || !user_read(out, address, PERF_ATTR_SIZE_VER0) || !is_known(&out->attr))
        return false;
    size_t size = out->attr.size < EVENT_MAX_SIZE ? out->attr.size : EVENT_MAX_SIZE;
    return size <= PERF_ATTR_SIZE_VER0 || user_read(out, address, size);
}
