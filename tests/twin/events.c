/* SPDX-License-Identifier: MIT */
/* perf_event_open() on the counters of the driver: configurations, arguments, groups, reading.
 * Counts are compared by kind only: none, some, and whether they grow. */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

typedef struct perf_event_attr attr;

static uint32_t type_of_events(void)
{
    unsigned type = 0;
    FILE *file = fopen("/sys/bus/event_source/devices/i915/type", "re");
    if (!file)
        return 0;
    if (fscanf(file, "%u", &type) != 1)
        type = 0;
    fclose(file);
    return type;
}

/* perf_event_open(): the attributes of the row, process a, CPU b, flags: request, the leader: fd.
 */
static void open_event(const struct call *call)
{
    union {
        attr attr;
        char bytes[8192]; /* a longer struct has zeros, and where .text says so, others */
    } attributes = {.bytes = ""};
    memcpy(&attributes.attr, call->args, sizeof attributes.attr);
    attributes.attr.type = type_of_events();
    if (call->text)
        memset(attributes.bytes + 1024, *call->text, 1024);
    errno = 0;
    long fd = syscall(SYS_perf_event_open, &attributes, call->a, call->b,
                      call->fd ? (int)slots[call->fd] : -1, call->request);
    print_result(call, fd, DESCRIPTOR);
    print_end();
    if (call->keep)
        slots[call->keep] = (uint32_t)fd;
    else if (fd >= 0)
        close((int)fd);
}
static const struct kind attr_kind = {.make = open_event};

/* read() of a bytes: words of b, of which the bits of .request are counts or times: 0 or some. */
static void read_event(const struct call *call)
{
    uint64_t values[16] = {0};
    errno = 0;
    ssize_t got = read((int)slots[call->fd], values, (size_t)call->a);
    print_result(call, got, PLAIN);
    for (ssize_t i = 0; i < got / 8; i++)
        print_field("value", values[i], call->request >> i & 1 ? HIDDEN : PLAIN);
    print_end();
}
static const struct kind read_kind = {.make = read_event};

static uint64_t count_of(enum slot slot)
{
    uint64_t value = 0;
    return read((int)slots[slot], &value, sizeof value) == sizeof value ? value : 0;
}

/* Runs the batch a times, and prints whether a counter grew meanwhile; without a batch time passes.
 */
static void watch_event(const struct call *call)
{
    uint64_t before = count_of(call->fd);
    for (long i = 0; i < call->a; i++) {
        struct drm_i915_gem_exec_object2 object = {.handle = slots[BATCH]};
        exec batch = {.buffers_ptr = (uintptr_t)&object, .buffer_count = 1};
        wait_ until = {.bo_handle = slots[BATCH], .timeout_ns = -1};
        ioctl((int)slots[CARD], DRM_IOCTL_I915_GEM_EXECBUFFER2, &batch);
        ioctl((int)slots[CARD], DRM_IOCTL_I915_GEM_WAIT, &until);
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    errno = 0;
    print_result(call, 0, PLAIN);
    print_field("grows", count_of(call->fd) > before, PLAIN);
    print_end();
}
static const struct kind watch_kind = {.make = watch_event};

enum other { MAP, MAP_PAGES, WRITE, SEEK, FLAGS, CLOSE };

static void make_other(const struct call *call)
{
    int fd = (int)slots[call->fd];
    long result = 0;
    void *at = NULL;
    errno = 0;
    switch ((enum other)call->a) {
    case MAP:
    case MAP_PAGES:
        at = mmap(NULL, call->a == MAP ? 4096 : 3 * 4096, PROT_READ, MAP_SHARED, fd, 0);
        result = at == MAP_FAILED ? -1 : munmap(at, call->a == MAP ? 4096 : 3 * 4096);
        break;
    case WRITE:
        result = write(fd, "12345678", 8);
        break;
    case SEEK:
        result = lseek(fd, 8, SEEK_SET);
        break;
    case FLAGS:
        result = (fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK)) | (fcntl(fd, F_GETFD) & FD_CLOEXEC)
                                                                       << 16;
        break;
    case CLOSE:
        result = close(fd);
        break;
    }
    print_result(call, result, call->a == FLAGS ? HEX : PLAIN);
    print_end();
}
static const struct kind other_kind = {.make = make_other};

/* An event of all processes on CPU 0, and others. */
#define OPEN_AT(name, process, processor, fields, ...)                                             \
    {                                                                                              \
        "event/" name, &attr_kind, &(attr){.size = sizeof(attr), fields},                          \
            .a = process, .b = processor, ##__VA_ARGS__                                            \
    }
#define OPEN(name, number, ...)         OPEN_AT(name, -1, 0, WITH(.config = number), ##__VA_ARGS__)
#define OPEN_WITH(name, fields, ...)    OPEN_AT(name, -1, 0, WITH(fields), ##__VA_ARGS__)
#define ENGINE(class, instance, sample) ((class) << 12 | (instance) << 4 | (sample))
#define OTHER(number)                   (0x100000 + (number))
#define ALL_FORMATS                     0x1f
#define READ(name, slot, bytes, hidden)                                                            \
    {                                                                                              \
        "event/" name, &read_kind, .fd = slot, .a = bytes, .request = hidden                       \
    }
#define WATCH(name, batches)                                                                       \
    {                                                                                              \
        "event/" name, &watch_kind, .fd = EVENT, .a = batches                                      \
    }
#define IOCTL(name, slot, request_, ...)                                                           \
    {                                                                                              \
        "event/" name, &value_kind, .fd = slot, .request = request_, ##__VA_ARGS__                 \
    }
#define DO(name, slot, what)                                                                       \
    {                                                                                              \
        "event/" name, &other_kind, .fd = slot, .a = what                                          \
    }
/* Opens, watches and closes a counter. */
#define COUNTER(name, number, batches)                                                             \
    OPEN(name "/open", number, .keep = EVENT), WATCH(name, batches), DO(name "/close", EVENT, CLOSE)

static const struct call calls[] = {
    /* clang-format off */
    CALL("event/create-batch", gem_create, WITH(.size = LASTING_BYTES), .keep = BATCH),
    {"event/write-batch", &batch_kind, .a = LASTS},
    OPEN("rcs0-busy", ENGINE(0, 0, 0)), OPEN("rcs0-wait", ENGINE(0, 0, 1)), OPEN("rcs0-sema", ENGINE(0, 0, 2)),
    OPEN("rcs0-3", ENGINE(0, 0, 3)), OPEN("rcs0-15", ENGINE(0, 0, 15)), OPEN("rcs1-busy", ENGINE(0, 1, 0)), OPEN("rcs255-busy", ENGINE(0, 255, 0)),
    OPEN("bcs0-busy", ENGINE(1, 0, 0)), OPEN("bcs0-wait", ENGINE(1, 0, 1)), OPEN("bcs0-sema", ENGINE(1, 0, 2)), OPEN("bcs0-7", ENGINE(1, 0, 7)),
    OPEN("vcs0-busy", ENGINE(2, 0, 0)), OPEN("vcs0-sema", ENGINE(2, 0, 2)), OPEN("vcs1-busy", ENGINE(2, 1, 0)), OPEN("vcs2-busy", ENGINE(2, 2, 0)),
    OPEN("vecs0-busy", ENGINE(3, 0, 0)), OPEN("vecs0-wait", ENGINE(3, 0, 1)), OPEN("vecs1-busy", ENGINE(3, 1, 0)),
    OPEN("class-4", ENGINE(4, 0, 0)), OPEN("class-255", ENGINE(255, 0, 0)), OPEN("class-255-3", ENGINE(255, 0, 3)),
    OPEN("actual", OTHER(0)), OPEN("requested", OTHER(1)), OPEN("interrupts", OTHER(2)), OPEN("rc6", OTHER(3)), OPEN("awake", OTHER(4)),
    OPEN("other-5", OTHER(5)), OPEN("other-16", OTHER(16)), OPEN("bit-21", 0x200000), OPEN("bit-40", 1ull << 40), OPEN("all-bits", UINT64_MAX),

    OPEN_AT("process-0", 0, 0, WITH(0)), OPEN_AT("process-0-any-cpu", 0, -1, WITH(0)), OPEN_AT("process-1", 1, 0, WITH(0)),
    OPEN_AT("any-cpu", -1, -1, WITH(0)), OPEN_AT("cpu-1", -1, 1, WITH(0)), OPEN_AT("cpu-9999", -1, 9999, WITH(0)),
    OPEN_AT("cpu-1-unknown", -1, 1, WITH(.config = OTHER(5))), OPEN_AT("process-0-unknown", 0, 0, WITH(.config = OTHER(5))),
    OPEN_WITH("period", .sample_period = 1000), OPEN_WITH("frequency", WITH(.freq = 1, .sample_freq = 100)),
    OPEN_WITH("period-unknown", WITH(.sample_period = 1000, .config = OTHER(5))),
    OPEN_WITH("size-0", .size = 0), OPEN_WITH("size-32", .size = 32), OPEN_WITH("size-64", .size = 64), OPEN_WITH("size-4096", .size = 4096), OPEN_AT("size-4096-used", -1, 0, WITH(.size = 4096), .text = "x"), OPEN_WITH("size-5000", .size = 5000),
    OPEN_WITH("format-all", .read_format = ALL_FORMATS), OPEN_WITH("format-5", .read_format = 1 << 5), OPEN_WITH("format-63", .read_format = 1ull << 63),
    OPEN_WITH("disabled", .disabled = 1), OPEN_WITH("inherit", .inherit = 1), OPEN_WITH("pinned", .pinned = 1), OPEN_WITH("exclusive", .exclusive = 1),
    OPEN_WITH("exclude-user", .exclude_user = 1), OPEN_WITH("exclude-kernel", .exclude_kernel = 1), OPEN_WITH("exclude-idle", .exclude_idle = 1),
    OPEN_WITH("config1", .config1 = 1), OPEN_WITH("config2", .config2 = 1), OPEN_WITH("branches", .sample_type = 1 << 11),
    OPEN_WITH("reserved", .__reserved_2 = 1), OPEN_WITH("clock", WITH(.use_clockid = 1, .clockid = 1)), OPEN_WITH("bad-clock", WITH(.use_clockid = 1, .clockid = 99)),
    OPEN("cloexec", 0, .request = PERF_FLAG_FD_CLOEXEC), OPEN("no-group", 0, .request = PERF_FLAG_FD_NO_GROUP), OPEN("output", 0, .request = PERF_FLAG_FD_OUTPUT),
    OPEN("cgroup", 0, .request = PERF_FLAG_PID_CGROUP), OPEN("flag-4", 0, .request = 1 << 4), OPEN("flag-63", 0, .request = 1ul << 63),
    OPEN("leader-card", 0, .fd = CARD), OPEN("leader-unknown", 0, .fd = FENCE),
    OPEN("as-user", 0, .as_user = true), OPEN("as-user-unknown", OTHER(5), .as_user = true),

    OPEN("open", 0, .keep = EVENT, .request = PERF_FLAG_FD_CLOEXEC),
    DO("flags", EVENT, FLAGS),
    READ("read", EVENT, 8, 1), READ("read-16", EVENT, 16, 1), READ("read-7", EVENT, 7, 1), READ("read-0", EVENT, 0, 1),
    {"event/poll", &poll_kind, .fd = EVENT, .a = 0, .b = 1},
    DO("map", EVENT, MAP), DO("map-pages", EVENT, MAP_PAGES), DO("write", EVENT, WRITE), DO("seek", EVENT, SEEK),
    IOCTL("disable", EVENT, PERF_EVENT_IOC_DISABLE), IOCTL("disable-again", EVENT, PERF_EVENT_IOC_DISABLE), READ("read-disabled", EVENT, 8, 1),
    IOCTL("enable", EVENT, PERF_EVENT_IOC_ENABLE), IOCTL("reset", EVENT, PERF_EVENT_IOC_RESET), IOCTL("id", EVENT, PERF_EVENT_IOC_ID, .a = 0x1000),
    IOCTL("refresh", EVENT, PERF_EVENT_IOC_REFRESH, .a = 1), IOCTL("period-fault", EVENT, PERF_EVENT_IOC_PERIOD, .a = 0x1000),
    IOCTL("set-output", EVENT, PERF_EVENT_IOC_SET_OUTPUT, .a = -1), IOCTL("set-bpf", EVENT, PERF_EVENT_IOC_SET_BPF, .a = -1),
    IOCTL("pause", EVENT, PERF_EVENT_IOC_PAUSE_OUTPUT, .a = 1), IOCTL("unknown", EVENT, _IO('$', 99)), IOCTL("type", EVENT, _IO('d', 1)),
    OPEN("member", ENGINE(1, 0, 0), .fd = EVENT, .keep = EVENT_2), READ("read-member", EVENT_2, 8, 1),
    OPEN("member-of-member", ENGINE(2, 0, 0), .fd = EVENT_2),
    OPEN_WITH("member-disabled", WITH(.config = ENGINE(3, 0, 0), .disabled = 1), .fd = EVENT),
    DO("close-leader", EVENT, CLOSE), READ("read-alone", EVENT_2, 8, 1), DO("close-member", EVENT_2, CLOSE),

    OPEN_WITH("group/open", WITH(.config = OTHER(4), .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING, .disabled = 1), .keep = EVENT),
    OPEN_WITH("group/member", WITH(.config = OTHER(2), .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING), .fd = EVENT, .keep = EVENT_2),
    OPEN_WITH("group/member-other-format", WITH(.config = OTHER(1)), .fd = EVENT),
    READ("group/read-disabled", EVENT, 40, 0x1e), READ("group/read-short", EVENT, 39, 0x1e), READ("group/read-more", EVENT, 64, 0x1e), READ("group/read-member", EVENT_2, 40, 0x1e),
    IOCTL("group/enable", EVENT, PERF_EVENT_IOC_ENABLE, .a = PERF_IOC_FLAG_GROUP), READ("group/read", EVENT, 40, 0x1e),
    IOCTL("group/reset", EVENT, PERF_EVENT_IOC_RESET, .a = PERF_IOC_FLAG_GROUP), IOCTL("group/disable", EVENT, PERF_EVENT_IOC_DISABLE, .a = PERF_IOC_FLAG_GROUP),
    DO("group/close-member", EVENT_2, CLOSE), READ("group/read-alone", EVENT, 32, 0xe), DO("group/close", EVENT, CLOSE),

    COUNTER("grows/bcs0-busy", ENGINE(1, 0, 0), 20), COUNTER("grows/rcs0-sema", ENGINE(0, 0, 2), 20),
    COUNTER("grows/interrupts", OTHER(2), 20), COUNTER("grows/awake", OTHER(4), 20),
    CALL("event/close-batch", gem_close, WITH(.handle = SLOT(BATCH))),
    /* clang-format on */
};

GROUP(events_group, calls);
