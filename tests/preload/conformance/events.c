/* SPDX-License-Identifier: MIT */
/* The GPU's perf_event_open() counters, by which IGT GPU Tools detects the engines. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

#define DIRECTORY "/sys/bus/event_source/devices/i915"

#define ENGINE_BUSY   0u
#define ENGINE_OTHER  3u
#define RENDER_1_BUSY 0x10u
#define ACTUAL_MHZ    0x100000u
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

int open_gpu_event(uint64_t config)
{
    return (int)WORKS(open_event(config, PERF_FORMAT_TOTAL_TIME_ENABLED, -1, false));
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

/* ---- counting -------------------------------------------------------------------------------- */

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
          "a disabled event counts");
    WORKS(ioctl(event, PERF_EVENT_IOC_RESET, 0));
    CHECK(read_event(event).value == 0, "the event is not reset");
    close(event);
}

static void groups(struct device *device)
{
    const uint64_t format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_GROUP;
    uint64_t group[4], again[4];
    (void)device;
    int leader = (int)WORKS(open_event(ENGINE_BUSY, format, -1, false));
    int member = (int)WORKS(open_event(RC6_RESIDENCY, format, leader, false));
    sleep_ns(20000000); /* the GPU enters RC6 */
    CHECK(read(leader, group, sizeof group) == sizeof group, "%s", strerror(errno));
    sleep_ns(20000000);
    CHECK(read(leader, again, sizeof again) == sizeof again, "%s", strerror(errno));
    CHECK(group[0] == 2 && again[0] == 2, "a group of %llu", (unsigned long long)group[0]);
    uint64_t passed = again[1] - group[1], slept = again[3] - group[3];
    CHECK(again[2] == group[2] && slept && slept <= passed, "busy %llu, asleep %llu of %llu ns",
          (unsigned long long)(again[2] - group[2]), (unsigned long long)slept,
          (unsigned long long)passed);
    FAILS(read(leader, group, sizeof group - 1), ENOSPC);
    CHECK(read(member, group, sizeof group) == sizeof group && group[0] == 2,
          "a member gives %llu of the group", (unsigned long long)group[0]);
    close(member);
    for (unsigned i = 0; i < 100; i++) { /* takes effect at once, whatever else happens */
        CHECK(read(leader, group, sizeof group) == 3 * 8 && group[0] == 1,
              "a closed member is still in the group");
        member = (int)WORKS(open_event(RC6_RESIDENCY, 0, leader, false));
        CHECK(read(leader, group, sizeof group) == 4 * 8 && group[0] == 2,
              "a new member is not in the group");
        close(member);
    }
    close(leader);
}

/* Returns how long the event and its leader were enabled. */
static uint64_t enabled_ns(int event)
{
    uint64_t group[2 + 2];
    CHECK(read(event, group, sizeof group) >= 3 * 8, "%s", strerror(errno));
    return group[1];
}

static void enabling_groups(struct device *device)
{
    const uint64_t format = PERF_FORMAT_TOTAL_TIME_ENABLED;
    (void)device;
    int leader = (int)WORKS(open_event(ENGINE_BUSY, format | PERF_FORMAT_GROUP, -1, true));
    int member = (int)WORKS(open_event(RC6_RESIDENCY, format, leader, false));
    sleep_ns(2000000);
    CHECK(read_event(member).enabled_ns == 0, "a member counts without its leader");
    WORKS(ioctl(leader, PERF_EVENT_IOC_ENABLE, 0));
    sleep_ns(2000000);
    WORKS(ioctl(member, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP));
    struct sample sample = read_event(member);
    uint64_t group_ns = enabled_ns(leader);
    CHECK(sample.enabled_ns >= 2000000, "%llu ns of 2 ms", (unsigned long long)sample.enabled_ns);
    sleep_ns(2000000);
    CHECK(read_event(member).enabled_ns == sample.enabled_ns && enabled_ns(leader) == group_ns,
          "the group is not disabled");
    WORKS(ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
    CHECK(read_event(member).value == 0, "the group is not reset");
    close(member);
    close(leader);
}

/* After a leader is closed, another event may get its descriptor number. */
static void orphans(struct device *device)
{
    const uint64_t format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
    uint64_t group[1 + 2 * 2], id, old;
    (void)device;
    int leader = (int)WORKS(open_event(ENGINE_BUSY, format, -1, true));
    int member =
        (int)WORKS(open_event(RC6_RESIDENCY, PERF_FORMAT_TOTAL_TIME_ENABLED, leader, false));
    WORKS(ioctl(leader, PERF_EVENT_IOC_ID, &old));
    FAILS(ioctl(leader, PERF_EVENT_IOC_ID, NULL), EFAULT);
    close(leader);
    (void)read_event(member);
    sleep_ns(2000000);
    CHECK(read_event(member).enabled_ns, "the member still waits for its closed leader");
    int other = (int)WORKS(open_event(ENGINE_BUSY, format, -1, false));
    WORKS(ioctl(other, PERF_EVENT_IOC_ID, &id));
    CHECK(id != old, "id %llu again", (unsigned long long)id);
    CHECK(read(other, group, sizeof group) == 3 * 8 && group[0] == 1 && group[2] == id,
          "a group of %llu", (unsigned long long)group[0]);
    close(other);
    close(member);
}

/* ---- copies ---------------------------------------------------------------------------------- */

static void send_copy(int socket, int event)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof event)];
    } control = {.header = {CMSG_LEN(sizeof event), SOL_SOCKET, SCM_RIGHTS}};
    char bytes[1] = "";
    struct iovec byte = {bytes, 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    memcpy(CMSG_DATA(&control.header), &event, sizeof event);
    WORKS(sendmsg(socket, &message, 0));
}

static int receive_copy(int socket)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    char bytes[1];
    int event;
    struct iovec byte = {bytes, 1};
    struct msghdr message = {.msg_iov = &byte,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    CHECK(recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message), "no descriptor received");
    memcpy(&event, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof event);
    return event;
}

/* The child opens an event, uses a copy that it inherited, and sends its own to the parent. */
static void be_child(int inherited, int socket)
{
    (void)read_event(inherited);
    WORKS(ioctl(inherited, PERF_EVENT_IOC_DISABLE, 0));
    send_copy(socket,
              (int)WORKS(open_event(RC6_RESIDENCY, PERF_FORMAT_TOTAL_TIME_ENABLED, -1, false)));
    _exit(EXIT_SUCCESS);
}

static void copies(struct device *device)
{
    const uint64_t format = PERF_FORMAT_TOTAL_TIME_ENABLED;
    int sockets[2], status;
    char link[64], text[64] = "";
    (void)device;
    int event = (int)WORKS(open_event(ENGINE_BUSY, format, -1, false)), copy = dup(event);
    close(event);
    snprintf(link, sizeof link, "/proc/self/fd/%d", copy);
    WORKS(readlink(link, text, sizeof text - 1));
    CHECK(!strcmp(text, "anon_inode:[perf_event]"), "%s", text);
    FAILS(readlink(link, text, 0), EINVAL);
    (void)read_event(copy);
    WORKS(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    pid_t child = fork();
    if (child == 0)
        be_child(copy, sockets[1]);
    int received = receive_copy(sockets[0]);
    waitpid(child, &status, 0);
    CHECK(status == 0, "the child ended with 0x%x", (unsigned)status);
    uint64_t before = read_event(copy).enabled_ns, other = read_event(received).enabled_ns;
    sleep_ns(2000000);
    CHECK(read_event(copy).enabled_ns == before, "the child disabled another event");
    CHECK(read_event(received).enabled_ns > other, "the event ended with its process");
    close(received);
    close(copy);
    close(sockets[0]);
    close(sockets[1]);
}

/* ---- rejected events ------------------------------------------------------------------------- */

static void denied(struct device *device)
{
    (void)device;
    FAILS(open_event(ENGINE_BUSY, 0, -1, false), EACCES);
}

static void refused(struct device *device)
{
    struct perf_event_attr attr = {.type = (uint32_t)read_number(DIRECTORY "/type"),
                                   .size = sizeof attr};
    FAILS(open_event(ENGINE_OTHER, 0, -1, false), ENOENT);
    FAILS(open_event(RENDER_1_BUSY, 0, -1, false), ENODEV);
    FAILS(open_event(NOT_KNOWN, 0, -1, false), ENOENT);
    bool has_actual = access(DIRECTORY "/events/actual-frequency", F_OK) == 0;
    CHECK(has_actual == (device->platform != CHV), "the actual frequency is listed: %d",
          has_actual);
    if (has_actual)
        close((int)WORKS(open_event(ACTUAL_MHZ, 0, -1, false)));
    else
        FAILS(open_event(ACTUAL_MHZ, 0, -1, false), ENODEV);
    FAILS(open_event(ENGINE_BUSY, 0, device->fd, false), EBADF);
    FAILS(open_event(ENGINE_BUSY, 0, STDIN_FILENO, false), EBADF);
    FAILS(open_event(ENGINE_BUSY, 0, 1000000, false), EBADF);
    FAILS(syscall(SYS_perf_event_open, &attr, 0, 0, -1, 0), EINVAL);  /* of a process */
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 1, -1, 0), EINVAL); /* another CPU */
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 1u << 30), EINVAL);
    FAILS(syscall(SYS_perf_event_open, NULL, -1, 0, -1, 0), EFAULT);
    attr.sample_period = 1;
    FAILS(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0), EINVAL);
    in_child(device, true, denied);
    int event = (int)WORKS(open_event(ENGINE_BUSY, 0, -1, false));
    FAILS(ioctl(event, I915_PERF_IOCTL_CONFIG, 1), ENOTTY);
    close(event);
}

/* ---- engines --------------------------------------------------------------------------------- */

#define MAX_ENGINES 8
enum { BUSY, WAIT, SEMAPHORE, SAMPLES };

/* The engines that the device lists, with their events. */
struct engines {
    unsigned count;
    struct i915_engine_class_instance names[MAX_ENGINES];
    int events[MAX_ENGINES][SAMPLES];
};

static uint32_t config_in(const char *engine, const char *sample)
{
    char path[128], text[32] = "", unit[8] = "";
    unsigned config = 0;
    snprintf(path, sizeof path, DIRECTORY "/events/%s-%s", engine, sample);
    WORKS(read_text(path, text, sizeof text - 1));
    CHECK(sscanf(text, "config=%x", &config) == 1, "%s: %s", path, text);
    strcat(path, ".unit");
    WORKS(read_text(path, unit, sizeof unit - 1));
    CHECK(!strcmp(unit, "ns\n"), "%s: %s", path, unit);
    return config;
}

static void open_engine(struct engines *engines, const struct i915_engine_class_instance *name)
{
    static const char *const classes[] = {"rcs", "bcs", "vcs", "vecs"};
    static const char *const samples[] = {"busy", "wait", "sema"};
    char text[16];
    snprintf(text, sizeof text, "%s%u", classes[name->engine_class], name->engine_instance);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t config = config_in(text, samples[i]);
        CHECK(config == __I915_PMU_ENGINE((uint32_t)name->engine_class,
                                          (uint32_t)name->engine_instance, i),
              "%s-%s: %x", text, samples[i], config);
        engines->events[engines->count][i] =
            (int)WORKS(open_event(config, PERF_FORMAT_TOTAL_TIME_ENABLED, -1, false));
    }
    engines->names[engines->count++] = *name;
}

static struct engines open_engines(const struct device *device)
{
    union {
        struct drm_i915_query_engine_info info;
        uint8_t bytes[2048];
    } reply = {{0}};
    struct drm_i915_query_item item = {.query_id = DRM_I915_QUERY_ENGINE_INFO,
                                       .length = sizeof reply,
                                       .data_ptr = (uintptr_t)&reply};
    struct drm_i915_query query = {.num_items = 1, .items_ptr = (uintptr_t)&item};
    struct engines engines = {0};
    WORKS(call(device->fd, DRM_IOCTL_I915_QUERY, &query));
    CHECK(item.length > 0 && reply.info.num_engines >= 4 && reply.info.num_engines <= MAX_ENGINES,
          "%u engines", reply.info.num_engines);
    for (unsigned i = 0; i < reply.info.num_engines; i++)
        open_engine(&engines, &reply.info.engines[i].engine);
    return engines;
}

static void close_engines(struct engines *engines)
{
    for (unsigned i = 0; i < engines->count; i++)
        for (unsigned s = 0; s < SAMPLES; s++)
            close(engines->events[i][s]);
}

/* Returns the ring of EXECBUFFER2 that is an engine. */
static uint64_t ring_of(const struct i915_engine_class_instance *name)
{
    static const uint64_t rings[] = {I915_EXEC_RENDER, I915_EXEC_BLT, I915_EXEC_BSD,
                                     I915_EXEC_VEBOX};
    uint64_t ring = rings[name->engine_class];
    return ring == I915_EXEC_BSD ? ring | (name->engine_instance + 1u) << I915_EXEC_BSD_SHIFT
                                 : ring;
}

#define NOOPS_NS 500 /* at least, for a batch of 2000 commands */

static void engine_events(struct device *device)
{
    struct engines engines = open_engines(device);
    for (unsigned e = 0; e < engines.count; e++) {
        struct sample before[MAX_ENGINES], after;
        static struct batch batch;
        for (unsigned i = 0; i < engines.count; i++)
            before[i] = read_event(engines.events[i][BUSY]);
        batch_begin(&batch, device);
        while (batch.count < BATCH_DWORDS - 2)
            batch_emit(&batch, 0); /* MI_NOOP */
        batch_run(&batch, 0, ring_of(&engines.names[e]), true);
        for (unsigned i = 0; i < engines.count; i++) {
            after = read_event(engines.events[i][BUSY]);
            uint64_t spent = after.value - before[i].value;
            CHECK(i == e ? spent >= NOOPS_NS && spent <= after.enabled_ns - before[i].enabled_ns
                         : !spent,
                  "work on engine %u: engine %u was busy for %llu ns", e, i,
                  (unsigned long long)spent);
        }
    }
    close_engines(&engines);
}

static void semaphore_events(struct device *device)
{
    struct engines engines = open_engines(device);
    struct object flag = new_object(device, 4096, true);
    for (unsigned e = 0; e < engines.count; e++) {
        static struct batch batch;
        uint64_t before[SAMPLES], spent[SAMPLES];
        for (unsigned s = 0; s < SAMPLES; s++)
            before[s] = read_event(engines.events[e][s]).value;
        flag.map[0] = 0;
        batch_begin(&batch, device);
        emit_gate(&batch, &flag, 0);
        batch_run(&batch, 0, ring_of(&engines.names[e]), false);
        sleep_ns(5000000);
        flag.map[0] = 1;
        set_domain(device, &flag);
        for (unsigned s = 0; s < SAMPLES; s++)
            spent[s] = read_event(engines.events[e][s]).value - before[s];
        CHECK(spent[SEMAPHORE] > 4000000 && spent[SEMAPHORE] <= spent[BUSY] && !spent[WAIT],
              "engine %u: %llu ns of %llu, and %llu for events", e,
              (unsigned long long)spent[SEMAPHORE], (unsigned long long)spent[BUSY],
              (unsigned long long)spent[WAIT]);
    }
    free_object(device, &flag);
    close_engines(&engines);
}

/* Each request ends with an interrupt. */
static void interrupts(struct device *device)
{
    enum { REQUESTS = 10 };
    int event =
        (int)WORKS(open_event(I915_PMU_INTERRUPTS, PERF_FORMAT_TOTAL_TIME_ENABLED, -1, false));
    uint64_t before = read_event(event).value;
    for (unsigned i = 0; i < REQUESTS; i++) {
        static struct batch batch;
        batch_begin(&batch, device);
        batch_run(&batch, 0, i % 2 ? I915_EXEC_BLT : I915_EXEC_RENDER, true);
    }
    uint64_t count = read_event(event).value - before;
    CHECK(count == REQUESTS, "%llu interrupts", (unsigned long long)count);
    close(event);
}

static const struct subtest rows[] = {
    {"engine-busy-event", ALL, 0, NULL,
     "the event of the render engine counts busy time while something is drawn, but not while idle "
     "or while the event is disabled; it can be reset",
     busy, false, false},
    {"engine-events", ALL, 0, NULL,
     "each engine of the query has events of its busy, waiting and semaphore time; a batch is busy "
     "time "
     "of its engine only",
     engine_events, false, false},
    {"semaphore-events", GEN8_UP, 0, NULL,
     "while a batch polls a semaphore, its engine's time for semaphores counts, as part of its "
     "busy "
     "time",
     semaphore_events, false, false},
    {"interrupt-event", ALL, 0, NULL, "each request of each engine ends with an interrupt",
     interrupts, false, false},
    {"event-groups", ALL, 0, NULL,
     "reads of the leader and of each member return the counts and the time of the group; RC6 "
     "counts while "
     "idle",
     groups, false, false},
    {"event-groups-enabled", ALL, 0, NULL,
     "a member counts while its leader does; a group is enabled, disabled and reset as a unit",
     enabling_groups, false, false},
    {"event-groups-ended", ALL, 0, NULL,
     "after its leader is closed a member counts by itself and joins no later group; ids are never "
     "reused",
     orphans, false, false},
    {"event-copies", ALL, 0, NULL,
     "copies of a descriptor, inherited ones and ones sent by another process are the same event, "
     "until the last is closed; /proc/self/fd links to anon_inode:[perf_event]",
     copies, false, false},
    {"events-refused", ALL, 0, NULL,
     "absent engines: ENODEV; unknown samples and counters: ENOENT; events of a process, of "
     "another "
     "CPU, or with sampling: EINVAL; in a group with an event of another kind: EBADF; without "
     "root: EACCES",
     refused, false, false},
};
GROUP(events_group, rows);
