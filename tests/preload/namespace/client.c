/* SPDX-License-Identifier: MIT */
/*
 * A static client of the emulated GPU, which the preloaded library cannot reach. Each argument is a
 * part of the test; each prints a line that begins with its name. Exits with 1 if one fails.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/i915/uapi.h"

#define CARD     "/dev/dri/card0"
#define SAMPLES  64
#define THREADS  16
#define ROUNDS   50
#define EXPONENT 11 /* of the period: 2^12 ticks of 80 ns */

static int failures;

__attribute__((format(printf, 2, 3))) static void check(int holds, const char *format, ...)
{
    va_list arguments;
    if (holds)
        return;
    va_start(arguments, format);
    printf("failed: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    failures++;
}

static int open_card(void)
{
    int fd = open(CARD, O_RDWR | O_CLOEXEC);
    check(fd >= 0, "open: %s", strerror(errno));
    return fd;
}

static int parameter(int fd, int which)
{
    int value = -1;
    struct drm_i915_getparam param = {.param = which, .value = &value};
    int result = ioctl(fd, DRM_IOCTL_I915_GETPARAM, &param);
    check(result == 0, "GETPARAM: %s", strerror(errno));
    return value;
}

/* ---- the device ------------------------------------------------------------------------------ */

static void device(void)
{
    char name[16] = "";
    struct drm_version version = {.name_len = sizeof name - 1, .name = name};
    struct stat by_name, by_fd;
    int fd = open_card();
    check(ioctl(fd, DRM_IOCTL_VERSION, &version) == 0, "VERSION: %s", strerror(errno));
    check(stat(CARD, &by_name) == 0 && fstat(fd, &by_fd) == 0, "stat: %s", strerror(errno));
    check(S_ISCHR(by_name.st_mode) && S_ISCHR(by_fd.st_mode) && by_fd.st_rdev == makedev(226, 0),
          "modes 0%o and 0%o", by_name.st_mode, by_fd.st_mode);
    printf("device: %s 0x%x\n", name, (unsigned)parameter(fd, I915_PARAM_CHIPSET_ID));
    close(fd);
}

static void copies(void)
{
    struct stat about;
    int fd = open_card(), copy = dup(fd), high = fcntl(fd, F_DUPFD_CLOEXEC, 10);
    check(copy >= 0 && high >= 10, "copies %d and %d", copy, high);
    close(fd);
    check(fstat(copy, &about) == 0 && S_ISCHR(about.st_mode), "mode 0%o", about.st_mode);
    check(dup2(copy, 5) == 5 && parameter(5, I915_PARAM_CHIPSET_ID) > 0, "dup2");
    check(parameter(high, I915_PARAM_CHIPSET_ID) > 0, "the copy by fcntl()");
    pid_t child = fork();
    if (child == 0)
        _exit(parameter(copy, I915_PARAM_CHIPSET_ID) > 0 ? 0 : 1);
    int status;
    waitpid(child, &status, 0);
    check(status == 0, "status 0x%x of the child", (unsigned)status);
    printf("copies: done\n");
}

/* ---- files ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(void)
{
    char *names[16];
    unsigned count = 0;
    DIR *directory = opendir("/sys/class/drm");
    check(directory != NULL, "opendir: %s", strerror(errno));
    for (struct dirent *entry; directory && count < 16 && (entry = readdir(directory));)
        if (*entry->d_name != '.')
            names[count++] = strdup(entry->d_name);
    qsort(names, count, sizeof *names, by_name);
    printf("list:");
    for (unsigned i = 0; i < count; i++)
        printf(" %s", names[i]);
    struct statfs system;
    check(statfs("/sys/class/drm/card0", &system) == 0 && system.f_type == 0x62656572,
          "the file system 0x%lx", (long)system.f_type);
    printf("\n");
}

static void elsewhere(void)
{
    char text[16] = "";
    const char *path = getenv("ELSEWHERE");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC, 0644) : -1;
    check(fd >= 0 && write(fd, "written\n", 8) == 8, "%s: %s", path, strerror(errno));
    char *memory = mmap(NULL, 8, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    check(memory != MAP_FAILED, "mmap: %s", strerror(errno));
    if (memory != MAP_FAILED)
        memory[0] = 'W';
    check(pread(fd, text, 15, 0) == 8, "read: %s", strerror(errno));
    printf("elsewhere: %s", text);
    close(fd);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void objects(void)
{
    char text[8] = "";
    int fd = open_card();
    struct drm_i915_gem_create create = {.size = 8192};
    check(ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create) == 0, "GEM_CREATE: %s", strerror(errno));
    struct drm_i915_gem_mmap_offset offset = {.handle = create.handle,
                                              .flags = I915_MMAP_OFFSET_WB};
    struct drm_i915_gem_mmap map = {.handle = create.handle, .size = 8192};
    if (ioctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset) < 0)
        check(0, "GEM_MMAP_OFFSET: %s", strerror(errno));
    char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
    check(memory != MAP_FAILED, "mmap: %s", strerror(errno));
    check(ioctl(fd, DRM_IOCTL_I915_GEM_MMAP, &map) == 0, "GEM_MMAP: %s", strerror(errno));
    if (failures)
        return;
    strcpy(memory + 4096, "shared");
    check(!strcmp((char *)(uintptr_t)map.addr_ptr + 4096, "shared"), "the mappings differ");
    struct drm_i915_gem_pread read = {
        .handle = create.handle, .offset = 4096, .size = 7, .data_ptr = (uintptr_t)text};
    check(ioctl(fd, DRM_IOCTL_I915_GEM_PREAD, &read) == 0, "GEM_PREAD: %s", strerror(errno));
    read.data_ptr = 4096; /* not mapped */
    check(ioctl(fd, DRM_IOCTL_I915_GEM_PREAD, &read) < 0 && errno == EFAULT, "no EFAULT");
    printf("objects: %s\n", text);
    close(fd);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Adds a metric set; one register is enough. Returns its number. */
static uint64_t add_set(int fd)
{
    const uint32_t registers[2] = {0x2710, 0};
    struct drm_i915_perf_oa_config config = {
        .uuid = "12345678-1234-1234-1234-1234567890ab", /* without a NUL */
        .n_boolean_regs = 1,
        .boolean_regs_ptr = (uintptr_t)registers};
    int number = ioctl(fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
    if (number < 0 && errno == EADDRINUSE) { /* of a stream that was opened before */
        FILE *file =
            fopen("/sys/class/drm/card0/metrics/12345678-1234-1234-1234-1234567890ab/id", "r");
        if (!file || fscanf(file, "%d", &number) != 1)
            number = -1;
    }
    check(number > 0, "ADD_CONFIG: %s", strerror(errno));
    return (uint64_t)number;
}

static int open_stream(int fd, unsigned exponent, uint32_t flags)
{
    bool haswell = parameter(fd, I915_PARAM_CHIPSET_ID) >> 8 == 4;
    uint64_t format = haswell ? I915_OA_FORMAT_A45_B8_C8 : I915_OA_FORMAT_A32u40_A4u32_B8_C8;
    const uint64_t properties[][2] = {{DRM_I915_PERF_PROP_SAMPLE_OA, 1},
                                      {DRM_I915_PERF_PROP_OA_METRICS_SET, add_set(fd)},
                                      {DRM_I915_PERF_PROP_OA_FORMAT, format},
                                      {DRM_I915_PERF_PROP_OA_EXPONENT, exponent}};
    struct drm_i915_perf_open_param open = {
        .flags = flags | I915_PERF_FLAG_FD_CLOEXEC,
        .num_properties = sizeof properties / sizeof *properties,
        .properties_ptr = (uintptr_t)properties};
    int stream = ioctl(fd, DRM_IOCTL_I915_PERF_OPEN, &open);
    check(stream >= 0, "PERF_OPEN: %s", strerror(errno));
    return stream;
}

/* Reads reports after poll(), and by reads that wait; and in parts. */
static void record(void)
{
    static uint8_t bytes[1 << 16];
    uint32_t last = 0;
    unsigned samples = 0;
    int fd = open_card(), stream = open_stream(fd, EXPONENT, 0);
    for (unsigned reads = 0; stream >= 0 && samples < SAMPLES; reads++) {
        struct pollfd entry = {.fd = stream, .events = POLLIN};
        struct iovec parts[2] = {{bytes, sizeof bytes / 2},
                                 {bytes + sizeof bytes / 2, sizeof bytes / 2}};
        if (reads % 2)
            check(poll(&entry, 1, 10000) == 1, "poll: %s", strerror(errno));
        ssize_t got = reads % 3 ? read(stream, bytes, sizeof bytes) : readv(stream, parts, 2);
        check(got > 0, "read: %zd %s", got, strerror(errno));
        if (got <= 0)
            break;
        for (ssize_t at = 0; at < got;) {
            struct drm_i915_perf_record_header header;
            memcpy(&header, bytes + at, sizeof header);
            check(header.size >= sizeof header && at + header.size <= got, "record at %zd", at);
            if (header.size < sizeof header)
                break;
            uint32_t time;
            memcpy(&time, bytes + at + sizeof header + 4, sizeof time);
            if (header.type == DRM_I915_PERF_RECORD_SAMPLE) {
                check(!samples || time - last < 1u << 31, "the time decreases");
                last = time;
                samples++;
            }
            at += header.size;
        }
    }
    check(write(stream, bytes, 1) < 0 && errno == EBADF, "write: %s", strerror(errno));
    printf("record: %s\n", samples >= SAMPLES ? "enough" : "too few");
    close(stream);
    close(fd);
}

static volatile sig_atomic_t alarms;

static void take_alarm(int number)
{
    (void)number;
    alarms++;
}

/* A handler interrupts a read that waits. */
static void interrupt(void)
{
    char bytes[4096];
    struct sigaction action = {.sa_handler = take_alarm};
    struct itimerval timer = {.it_value = {.tv_usec = 200000}};
    int fd = open_card(), stream = open_stream(fd, 31, 0); /* hours */
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    ssize_t got = read(stream, bytes, sizeof bytes);
    check(got < 0 && errno == EINTR && alarms == 1, "read: %zd %s", got, strerror(errno));
    printf("interrupt: done\n");
    close(stream);
    close(fd);
}

/* Waits in a read until the program is killed. */
static void wait_in_read(void)
{
    char bytes[4096];
    int fd = open_card(), stream = open_stream(fd, 31, 0);
    printf("wait: begins\n");
    fflush(stdout);
    ssize_t got = read(stream, bytes, sizeof bytes);
    check(0, "read: %zd %s", got, strerror(errno));
}

static void event(void)
{
    uint64_t before = 0, after = 0;
    struct perf_event_attr attr = {.size = sizeof attr, .config = 0x100004}; /* time awake */
    FILE *file = fopen("/sys/bus/event_source/devices/i915/type", "r");
    check(file && fscanf(file, "%u", &attr.type) == 1, "the type of events");
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
    check(fd >= 0, "perf_event_open: %s", strerror(errno));
    check(read(fd, &before, 8) == 8 && read(fd, &after, 8) == 8 && after >= before, "read: %s",
          strerror(errno));
    check(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0) == 0, "disable: %s", strerror(errno));
    printf("event: done\n");
}

/* ---- threads, and system calls without libc ---------------------------------------------------
 */

static void *call(void *closure)
{
    (void)closure;
    for (unsigned round = 0; round < ROUNDS && !failures; round++) {
        long fd = syscall(SYS_openat, AT_FDCWD, CARD, O_RDWR | O_CLOEXEC, 0);
        int value = 0;
        struct drm_i915_getparam param = {.param = I915_PARAM_CHIPSET_ID, .value = &value};
        check(syscall(SYS_ioctl, fd, DRM_IOCTL_I915_GETPARAM, &param) == 0 && value, "GETPARAM");
        struct drm_i915_gem_create create = {.size = 4096};
        check(syscall(SYS_ioctl, fd, DRM_IOCTL_I915_GEM_CREATE, &create) == 0 && create.handle == 1,
              "a handle %u of a new file", create.handle);
        long other = syscall(SYS_openat, AT_FDCWD, "/proc/self/stat", O_RDONLY);
        char byte;
        check(syscall(SYS_read, other, &byte, 1) == 1, "a file of /proc");
        syscall(SYS_close, other);
        syscall(SYS_close, fd);
    }
    return NULL;
}

/* Signals come during the calls, which must not be made twice. */
static void threads(void)
{
    pthread_t list[THREADS];
    struct sigaction action = {.sa_handler = take_alarm, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_interval = {.tv_usec = 1000}, .it_value = {.tv_usec = 1000}},
                     none = {.it_value = {0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&list[i], NULL, call, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(list[i], NULL);
    setitimer(ITIMER_REAL, &none, NULL);
    printf("threads: done\n");
}

/* ---- costs ----------------------------------------------------------------------------------- */

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

/* Prints the times of calls; nothing is checked. */
static void costs(void)
{
    char bytes[16384];
    struct stat about;
    const unsigned count = 1000;
    int fd = open_card(), stream = open_stream(fd, EXPONENT, I915_PERF_FLAG_FD_NONBLOCK);
    double start = now_us();
    for (unsigned i = 0; i < count; i++)
        parameter(fd, I915_PARAM_CHIPSET_ID);
    double ioctls = now_us() - start;
    start = now_us();
    for (unsigned i = 0; i < count; i++) {
        struct pollfd entry = {.fd = stream, .events = POLLIN};
        poll(&entry, 1, 1000);
        if (read(stream, bytes, sizeof bytes) < 0)
            continue;
    }
    double reads = now_us() - start;
    start = now_us();
    for (unsigned i = 0; i < count; i++)
        close(open("/", O_RDONLY));
    double opens = now_us() - start;
    start = now_us();
    for (unsigned i = 0; i < count; i++)
        stat("/etc/passwd", &about);
    double stats = now_us() - start;
    printf("costs: ioctl %.1f us, poll and read %.1f us, open %.1f us, stat %.1f us\n",
           ioctls / count, reads / count, opens / count, stats / count);
    close(stream);
    close(fd);
}

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"device", device},       {"copies", copies},   {"list", list},
                 {"elsewhere", elsewhere}, {"objects", objects}, {"record", record},
                 {"interrupt", interrupt}, {"event", event},     {"threads", threads},
                 {"wait", wait_in_read},   {"costs", costs}};
    for (int i = 1; i < count; i++)
        for (size_t j = 0; j < sizeof parts / sizeof *parts; j++)
            if (!strcmp(arguments[i], parts[j].name))
                parts[j].run();
    return failures ? 1 : 0;
}
