/* SPDX-License-Identifier: MIT */
/* perf_event_open(), which programs call with syscall(), because libc has no wrapper; and the other
 * uses of that. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define ARGUMENTS     6
#define KNOWN_FLAGS   (PERF_FLAG_FD_NO_GROUP | PERF_FLAG_FD_OUTPUT | PERF_FLAG_FD_CLOEXEC)
#define KNOWN_FORMATS 0x1fu

#define KNOWN_SAMPLES ((1ull << 25) - 1)
#define MAX_SIZE      4096u /* of the call's struct */
#define KNOWN_SIZE    136u  /* Linux 6.1's */

/* The call's struct; newer and older ones are larger and smaller. */
union attributes {
    struct perf_event_attr attr;
    char bytes[MAX_SIZE];
};

/* True for a real event of the machine. */
static bool is_event(int fd)
{
    char link[32], text[32] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
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
    if (attr->size && (attr->size < PERF_ATTR_SIZE_VER0 || attr->size > MAX_SIZE))
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

static int64_t open_event(const struct perf_event_attr *attr, int pid, int cpu, int group,
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

static bool is_gpu_event(long address, union attributes *out)
{
    memset(out, 0, sizeof *out);
    if (!tree_directory() || !user_read(out, (uint64_t)address, PERF_ATTR_SIZE_VER0) ||
        !is_known(&out->attr))
        return false;
    size_t size = out->attr.size < MAX_SIZE ? out->attr.size : MAX_SIZE;
    return size <= PERF_ATTR_SIZE_VER0 || user_read(out, (uint64_t)address, size);
}

/* Reads six arguments, as libc's function does, however many there are, which AddressSanitizer
 * would report. */
__attribute__((no_sanitize("address"))) EXPORT long syscall(long number, ...)
{
    long a[ARGUMENTS];
    va_list arguments;
    va_start(arguments, number);
    for (unsigned i = 0; i < ARGUMENTS; i++)
        a[i] = va_arg(arguments, long);
    va_end(arguments);
    union attributes attributes;
    int saved = errno;
    long waited;
    if (time_syscall(number, a, &waited))
        return waited;
    if (number != SYS_perf_event_open || !is_gpu_event(a[0], &attributes)) {
        errno = saved;
        return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
    int64_t result =
        open_event(&attributes.attr, (int)a[1], (int)a[2], (int)a[3], (unsigned long)a[4]);
    log_call(result, "perf_event_open({type=%u, config=0x%llx}, %d, %d, %d, 0x%lx)",
             attributes.attr.type, (unsigned long long)attributes.attr.config, (int)a[1], (int)a[2],
             (int)a[3], (unsigned long)a[4]);
    errno = result < 0 ? (int)-result : saved;
    return result < 0 ? -1 : (long)result;
}
