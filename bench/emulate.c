/* SPDX-License-Identifier: MIT */
/*
 * `tally emulate` under load, with this program as the client: sixteen processes that share a
 * stream and read it every millisecond, with the wall clock, and what they take without a stream;
 * one that polls and reads it all the time; a batch that spins, as IGT's do, while the program
 * sleeps; and a program that reads and opens regular files, with and without the preloaded library.
 *
 *     bench_emulate TALLY
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver/i915/uapi.h"

extern char **environ;

#define NODE     "/dev/dri/renderD128"
#define CLIENTS  16
#define SECONDS  3
#define PAIRS    100000 /* of poll() and read() */
#define TICK_NS  1000000
#define EXPONENT 9 /* HSW: 81.92 us */
#define PERIOD   (80e-9 * 1024)

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double cpu_s(int who)
{
    struct rusage usage;
    getrusage(who, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* ---- clients --------------------------------------------------------------------------------- */

struct totals {
    uint64_t reads, samples, losses;
};

static int open_stream(int device)
{
    struct drm_i915_perf_oa_config config = {.n_mux_regs = 1};
    uint32_t mux[2] = {0x9888, 0};
    memcpy(config.uuid, "01234567-0123-0123-0123-0123456789ab", UUID_STRING_LEN);
    config.mux_regs_ptr = (uint64_t)(uintptr_t)mux;
    int id = ioctl(device, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
    uint64_t properties[] = {
        DRM_I915_PERF_PROP_SAMPLE_OA,      1,       DRM_I915_PERF_PROP_OA_METRICS_SET, (uint64_t)id,
        DRM_I915_PERF_PROP_OA_FORMAT,      5,       DRM_I915_PERF_PROP_OA_EXPONENT,    EXPONENT,
        DRM_I915_PERF_PROP_POLL_OA_PERIOD, TICK_NS,
    };
    struct drm_i915_perf_open_param open = {
        .flags = I915_PERF_FLAG_FD_NONBLOCK | I915_PERF_FLAG_FD_CLOEXEC,
        .num_properties = 5,
        .properties_ptr = (uint64_t)(uintptr_t)properties};
    return id < 0 ? -1 : ioctl(device, DRM_IOCTL_I915_PERF_OPEN, &open);
}

static void count_records(const char *bytes, ssize_t size, struct totals *totals)
{
    struct drm_i915_perf_record_header header;
    for (ssize_t at = 0; at + (ssize_t)sizeof header <= size; at += header.size) {
        memcpy(&header, bytes + at, sizeof header);
        totals->samples += header.type == DRM_I915_PERF_RECORD_SAMPLE;
        totals->losses += header.type != DRM_I915_PERF_RECORD_SAMPLE;
    }
}

/* Reads at 1 kHz, even if another process has already read the reports. */
static void read_at_1khz(int stream, struct totals *totals)
{
    static char bytes[65536];
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned i = 0; i < SECONDS * 1000; i++) {
        next.tv_nsec += TICK_NS;
        if (next.tv_nsec >= 1000000000) {
            next.tv_nsec -= 1000000000;
            next.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        ssize_t got = read(stream, bytes, sizeof bytes);
        totals->reads++;
        if (got > 0)
            count_records(bytes, got, totals);
    }
}

/* Starts the clients of a stream, or of /dev/null, and prints what they have read. */
static int be_clients(bool emulated)
{
    struct totals *totals = mmap(NULL, CLIENTS * sizeof *totals, PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int device = open(emulated ? NODE : "/dev/null", O_RDWR | O_CLOEXEC);
    double from = now_s();
    int stream = device < 0 || !emulated ? device : open_stream(device);
    if (stream < 0 || totals == MAP_FAILED) {
        perror("bench_emulate: a stream");
        return 1;
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        if (fork() == 0) {
            read_at_1khz(stream, &totals[i]);
            _exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    double seconds = now_s() - from;
    struct totals all = {0};
    for (unsigned i = 0; i < CLIENTS; i++) {
        all.reads += totals[i].reads;
        all.samples += totals[i].samples;
        all.losses += totals[i].losses;
    }
    printf("%f %llu %llu %llu\n", seconds, (unsigned long long)all.reads,
           (unsigned long long)all.samples, (unsigned long long)all.losses);
    return 0;
}

/* Polls and reads a stream without waiting. */
static int be_poller(unsigned pairs)
{
    static char bytes[65536];
    struct totals totals = {0};
    int device = open(NODE, O_RDWR | O_CLOEXEC);
    struct pollfd stream = {device < 0 ? -1 : open_stream(device), POLLIN, 0};
    for (unsigned i = 0; i < pairs && stream.fd >= 0; i++) {
        if (poll(&stream, 1, 0) < 0)
            return 1;
        ssize_t got = read(stream.fd, bytes, sizeof bytes);
        if (got < 0 && errno != EAGAIN)
            return 1;
        if (got > 0)
            count_records(bytes, got, &totals);
    }
    printf("%llu\n", (unsigned long long)totals.losses);
    return stream.fd < 0;
}

/* Runs a batch of 960 MI_NOOP and a jump to their beginning while the program sleeps. */
static int be_spinner(unsigned seconds)
{
    enum { NOOPS = 960, JUMP = 0x31 << 23 | 1 << 8 | 1 }; /* MI_BATCH_BUFFER_START, PPGTT */
    static uint32_t batch[1024];
    int heartbeat = open("/sys/class/drm/card0/engine/rcs0/heartbeat_interval_ms", O_WRONLY),
        device = open(NODE, O_RDWR | O_CLOEXEC);
    struct drm_i915_gem_create create = {.size = sizeof batch};
    if (heartbeat < 0 || write(heartbeat, "0", 1) != 1 || device < 0 ||
        ioctl(device, DRM_IOCTL_I915_GEM_CREATE, &create) < 0)
        return 1;
    batch[NOOPS] = JUMP;
    struct drm_i915_gem_relocation_entry target = {
        .target_handle = create.handle, .offset = 4 * (NOOPS + 1), .presumed_offset = UINT64_MAX};
    struct drm_i915_gem_pwrite write_it = {
        .handle = create.handle, .size = sizeof batch, .data_ptr = (uintptr_t)batch};
    struct drm_i915_gem_exec_object2 object = {
        .handle = create.handle, .relocation_count = 1, .relocs_ptr = (uintptr_t)&target};
    struct drm_i915_gem_execbuffer2 exec = {
        .buffers_ptr = (uintptr_t)&object, .buffer_count = 1, .batch_len = sizeof batch};
    struct drm_i915_gem_busy busy = {.handle = create.handle};
    if (ioctl(device, DRM_IOCTL_I915_GEM_PWRITE, &write_it) < 0 ||
        ioctl(device, DRM_IOCTL_I915_GEM_EXECBUFFER2, &exec) < 0)
        return 1;
    double from = now_s();
    sleep(seconds);
    printf("%f\n", now_s() - from);
    return ioctl(device, DRM_IOCTL_I915_GEM_BUSY, &busy) < 0 || !busy.busy;
}

#define PASSES 16
#define BLOCKS 16384 /* of 4 KiB */

/* Reads 4 KiB of a regular file at a time, and reopens it at intervals. Prints the time of the
 * fastest pass: the owner's start runs beside the first ones. */
static int be_reader(void)
{
    static char bytes[4096];
    char name[] = "/tmp/bench-emulate-XXXXXX";
    int fd = mkstemp(name);
    double fastest = 1e9;
    if (fd < 0 || ftruncate(fd, BLOCKS * sizeof bytes) < 0)
        return 1;
    for (unsigned pass = 0; pass < PASSES; pass++) {
        double from = now_s();
        for (unsigned i = 0; i < BLOCKS; i++) {
            if (i % 64 == 0) {
                close(fd);
                fd = open(name, O_RDONLY | O_CLOEXEC);
                lseek(fd, (off_t)(i * sizeof bytes), SEEK_SET);
            }
            if (read(fd, bytes, sizeof bytes) != sizeof bytes)
                return 1;
        }
        double seconds = now_s() - from;
        fastest = seconds < fastest ? seconds : fastest;
    }
    printf("%f\n", fastest);
    close(fd);
    unlink(name);
    return 0;
}

/* ---- measuring ------------------------------------------------------------------------------- */

/* Runs a command and reads a line of its output. Returns false if it failed. */
static bool line_of(const char *const arguments[], char *line, size_t size)
{
    int ends[2], status;
    pid_t child;
    posix_spawn_file_actions_t actions;
    if (pipe(ends) < 0)
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    int result =
        posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    ssize_t got = result ? 0 : read(ends[0], line, size - 1);
    close(ends[0]);
    if (result || waitpid(child, &status, 0) < 0)
        return false;
    line[got > 0 ? got : 0] = '\0';
    return got > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

#define ROUNDS 11

/* Runs clients. Returns their share of a core in percent, or a negative number if that failed. */
static double share_of(const char *const arguments[], bool details)
{
    char line[256];
    double before = cpu_s(RUSAGE_CHILDREN), seconds;
    unsigned long long reads, samples, losses;
    if (!line_of(arguments, line, sizeof line) ||
        sscanf(line, "%lf %llu %llu %llu", &seconds, &reads, &samples, &losses) != 4)
        return -1;
    if (details)
        printf("  %.0f reads/s, %llu reports of %.0f, %llu losses%s\n", (double)reads / seconds,
               samples, seconds / PERIOD, losses, losses ? " MISSED" : "");
    return 100 * (cpu_s(RUSAGE_CHILDREN) - before) / seconds;
}

static bool bench_clients(const char *tally, const char *self)
{
    const char *const emulated[] = {tally,      "emulate", "--gpu", "hsw",     "--workload",
                                    "triangle", "--",      self,    "clients", NULL};
    const char *const plain[] = {self, "sleepers", NULL};
    double share = share_of(emulated, true), floor = share_of(plain, false);
    if (share < 0 || floor < 0)
        return false;
    printf("%-46s %7.1f %% of a core   goal 20.0 %% %s\n", "16 clients read a stream at 1 kHz",
           share, share < 20 ? "met" : "MISSED");
    printf("%-46s %7.1f %% of a core\n", "  16 that read /dev/null, without tally", floor);
    return true;
}

/* Returns the CPU time of a run of the poller, or a negative number. */
static double polled_s(const char *tally, const char *self, const char *pairs)
{
    const char *const arguments[] = {tally, "emulate", "--gpu", "hsw", "--",
                                     self,  "poller",  pairs,   NULL};
    char line[64];
    double before = cpu_s(RUSAGE_CHILDREN);
    return line_of(arguments, line, sizeof line) ? cpu_s(RUSAGE_CHILDREN) - before : -1;
}

static bool bench_polls(const char *tally, const char *self)
{
    char pairs[16];
    double each[ROUNDS];
    snprintf(pairs, sizeof pairs, "%d", PAIRS);
    for (unsigned i = 0; i < ROUNDS; i++) {
        double start = polled_s(tally, self, "0"), all = polled_s(tally, self, pairs);
        if (start < 0 || all < 0)
            return false;
        each[i] = 1e6 * (all - start) / PAIRS;
    }
    qsort(each, ROUNDS, sizeof *each, compare);
    printf("%-46s %7.1f us of CPU       goal  8.0 us %s\n", "a poll() and a read()",
           each[ROUNDS / 2], each[ROUNDS / 2] < 8 ? "met" : "MISSED");
    return true;
}

/* Returns the CPU time of a run of the spinner, or a negative number. */
static double spun_s(const char *tally, const char *self, const char *seconds)
{
    const char *const arguments[] = {tally, "emulate", "--root",  "--gpu", "icl",
                                     "--",  self,      "spinner", seconds, NULL};
    char line[64];
    double before = cpu_s(RUSAGE_CHILDREN);
    return line_of(arguments, line, sizeof line) ? cpu_s(RUSAGE_CHILDREN) - before : -1;
}

static bool bench_spinner(const char *tally, const char *self)
{
    char seconds[16];
    double shares[ROUNDS / 2];
    const unsigned rounds = ROUNDS / 2;
    snprintf(seconds, sizeof seconds, "%d", SECONDS);
    for (unsigned i = 0; i < rounds; i++) {
        double start = spun_s(tally, self, "0"), all = spun_s(tally, self, seconds);
        if (start < 0 || all < 0)
            return false;
        shares[i] = 100 * (all - start) / SECONDS;
    }
    qsort(shares, rounds, sizeof *shares, compare);
    double share = shares[rounds / 2];
    printf("%-46s %7.1f %% of a core   goal  5.0 %% %s\n", "a batch that spins", share,
           share < 5 ? "met" : "MISSED");
    return true;
}

/* Compares both within each round, so that they run under the same load. */
static bool bench_files(const char *tally, const char *self)
{
    const char *const plain[] = {self, "reader", NULL};
    const char *const emulated[] = {tally, "emulate", "--", self, "reader", NULL};
    char line[64];
    double ratios[ROUNDS];
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!line_of(plain, line, sizeof line))
            return false;
        double alone = atof(line);
        if (!line_of(emulated, line, sizeof line))
            return false;
        ratios[i] = atof(line) / alone;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, compare);
    double more = 100 * (ratios[ROUNDS / 2] - 1);
    printf("%-46s %+7.1f %%              goal +2.0 %% %s\n", "file I/O of a program's own", more,
           more < 2 ? "met" : "MISSED");
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "clients"))
        return be_clients(true);
    if (argc > 1 && !strcmp(argv[1], "sleepers"))
        return be_clients(false);
    if (argc > 2 && !strcmp(argv[1], "poller"))
        return be_poller((unsigned)strtoul(argv[2], NULL, 10));
    if (argc > 2 && !strcmp(argv[1], "spinner"))
        return be_spinner((unsigned)strtoul(argv[2], NULL, 10));
    if (argc > 1 && !strcmp(argv[1], "reader"))
        return be_reader();
    if (argc != 2) {
        fputs("usage: bench_emulate TALLY\n", stderr);
        return 2;
    }
    puts("Emulation, wall clock, medians of 11 runs");
    bool done = bench_clients(argv[1], argv[0]) && bench_polls(argv[1], argv[0]) &&
                bench_spinner(argv[1], argv[0]) && bench_files(argv[1], argv[0]);
    return done ? 0 : 1;
}
