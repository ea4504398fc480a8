/* SPDX-License-Identifier: MIT */
/* The GPU's counters of perf_event_open(), by which the field's tests learn of engines. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "client.h"

#define DIRECTORY "/sys/bus/event_source/devices/i915"

#define ENGINE_BUSY   0u
#define ENGINE_WAIT   1u
#define COPY_BUSY     0x1000u
#define RC6_RESIDENCY 0x100003u
#define NOT_KNOWN     0x200000u

static int open_event(uint64_t config, uint64_t format, int group, bool disabled)
{
    struct perf_event_attr attr = {.type = (uint32_t)read_number(DIRECTORY "/type"),
                                   .size = sizeof attr,
                                   .config = config,
                                   .read_format = format,
                                   .disabled = disabled};
    return (int)syscall(SYS_perf_event_open, &attr, -1, 0, group, PERF_FLAG_FD_CLOEXEC);
}

struct sample {
    uint64_t value, enabled_ns;
};

static struct sample read_event(int event)
{
    struct sample sample;
    CHECK(read(event, &sample, sizeof sample) == sizeof sample, "%s", strerror(errno));
    return sample;
}

/* ---- what they count ------------------------------------------------------------------------- */

static void busy(struct device *device)
{
    struct surface from = new_surface(device, 1920, 1080), to = new_surface(device, 1920, 1080);
    uint32_t context = new_context(device);
    int event = (int)WORKS(open_event(ENGINE_BUSY, PERF_FORMAT_TOTAL_TIME_ENABLED, -1, false));
    struct sample before = read_event(event), after;
    sleep_ns(20000000);
    after = read_event(event);
    CHECK(after.value == before.value, "busy without work");
    CHECK(after.enabled_ns - before.enabled_ns >= 20000000, "%llu ns of 20 ms",
          (unsigned long long)(after.enabled_ns - before.enabled_ns));
    before = after;
    copy_surface(device, context, &from, &to, true);
    after = read_event(event);
    uint64_t spent = after.value - before.value, passed = after.enabled_ns - before.enabled_ns;
    CHECK(spent > 10000 && spent <= passed, "busy for %llu of %llu ns", (unsigned long long)spent,
          (unsigned long long)passed);
    WORKS(ioctl(event, PERF_EVENT_IOC_DISABLE, 0));
    before = read_event(event);
    copy_surface(device, context, &from, &to, true);
    after = read_event(event);
    CHECK(after.value == before.value && after.enabled_ns == before.enabled_ns,
          "it counts while it is disabled");
    WORKS(ioctl(event, PERF_EVENT_IOC_RESET, 0));
    CHECK(read_event(event).value == 0, "it is not reset");
    close(event);
}

static void groups(struct device *device)
{
    const uint64_t format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_GROUP;
    uint64_t group[4], again[4];
    (void)device;
    int leader = (int)WORKS(open_event(ENGINE_BUSY, format, -1, false));
    int member = (int)WORKS(open_event(RC6_RESIDENCY, format, leader, false));
    sleep_ns(20000000); /* it falls asleep */
    CHECK(read(leader, group, sizeof group) == sizeof group, "%s", strerror(errno));
    sleep_ns(20000000);
    CHECK(read(leader, again, sizeof again) == sizeof again, "%s", strerror(errno));
    CHECK(group[0] == 2 && again[0] == 2, "a group of %llu", (unsigned long long)group[0]);
    uint64_t passed = again[1] - group[1], slept = again[3] - group[3];
    CHECK(again[2] == group[2] && slept && slept <= passed, "busy %llu, asleep %llu of %llu ns",
          (unsigned long long)(again[2] - group[2]), (unsigned long long)slept,
          (unsigned long long)passed);
    FAILS(read(leader, group, sizeof group - 1), ENOSPC);
    close(member);
    CHECK(read(leader, group, sizeof group) == 3 * 8 && group[0] == 1, "the member stays");
    close(leader);
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void denied(struct device *device)
{
    (void)device;
    FAILS(open_event(ENGINE_BUSY, 0, -1, false), EACCES);
}

static void refused(struct device *device)
{
    struct perf_event_attr attr = {.type = (uint32_t)read_number(DIRECTORY "/type"),
                                   .size = sizeof attr};
    FAILS(open_event(ENGINE_WAIT, 0, -1, false), ENODEV);
    FAILS(open_event(COPY_BUSY, 0, -1, false), ENODEV);
    FAILS(open_event(NOT_KNOWN, 0, -1, false), ENOENT);
    FAILS(open_event(ENGINE_BUSY, 0, device->fd, false), EINVAL);
    FAILS(syscall(SYS_perf_event_open, &attr, 0, 0, -1, 0), EINVAL);  /* of a process */
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 1, -1, 0), EINVAL); /* another CPU */
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 1u << 30), EINVAL);
    FAILS(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0), EFAULT);
    attr.sample_period = 1;
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0), EINVAL);
    in_child(device, true, denied);
    int event = (int)WORKS(open_event(ENGINE_BUSY, 0, -1, false));
    FAILS(ioctl(event, UAPI_STREAM_CONFIG, 1), ENOTTY);
    close(event);
}

static const struct subtest rows[] = {
    {"engine-busy-event", ALL, 0, NULL,
     "the render engine's time counts while something is drawn, not while nothing is, nor while "
     "the "
     "event is disabled; it can be reset",
     busy, false, false},
    {"event-groups", ALL, 0, NULL,
     "a leader gives its group's counts and time; RC6 counts while nothing is to be done", groups,
     false, false},
    {"events-refused", ALL, 0, NULL,
     "engines and samples that are not there: ENODEV; unknown ones: ENOENT; those of a process, of "
     "another CPU, with samples, in a group of something else: EINVAL; for others than root: "
     "EACCES",
     refused, false, false},
};
GROUP(events_group, rows);
