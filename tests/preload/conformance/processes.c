/* SPDX-License-Identifier: MIT */
/* Several processes and threads on one device; signals. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"

static struct properties every_ms(const struct device *device)
{
    return sampling_every(device, 0, exponent_of(device, 1000000));
}

/* ---- processes ------------------------------------------------------------------------------- */

#define CLIENTS 4
#define OBJECTS 16u

/* Each file has its own handles and contexts, which begin with 1. */
static void be_client(struct device *device)
{
    device->fd = open_card();
    CHECK(device->fd >= 0, "%s", strerror(errno));
    CHECK(new_context(device) == 1, "the file has contexts of another");
    for (uint32_t i = 0; i < OBJECTS; i++) {
        struct object object = new_object(device, 4096, true);
        CHECK(object.handle == i + 1, "handle %u", object.handle);
        memset(object.map, (int)getpid(), 4096);
        sleep_ns(1000000);
        for (unsigned j = 0; j < 1024; j++)
            CHECK((uint8_t)object.map[j] == (uint8_t)getpid(), "memory of another process");
    }
    for (unsigned i = 0; i < 200; i++) {
        int chipset;
        WORKS(getparam(device->fd, 4, &chipset));
        CHECK(chipset == device->chipset, "0x%x", (unsigned)chipset);
    }
}

static void several_processes(struct device *device)
{
    pid_t children[CLIENTS];
    for (unsigned i = 0; i < CLIENTS; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            be_client(device);
            _exit(EXIT_SUCCESS);
        }
    }
    for (unsigned i = 0; i < CLIENTS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        CHECK(status == 0, "a client ended with 0x%x", (unsigned)status);
    }
}

/* The unit supports one stream; after its process is killed another can open one. */
static void stream_is_busy(struct device *device)
{
    device->fd = open_card();
    REFUSE(device, 0, every_ms(device), EBUSY);
    REFUSE(device, I915_PERF_FLAG_DISABLED, every_ms(device), EBUSY);
}

static void one_stream(struct device *device)
{
    int ready[2];
    char byte;
    WORKS(pipe(ready));
    pid_t owner = fork();
    if (owner == 0) {
        device->fd = open_card();
        open_stream(device, 0, every_ms(device));
        WORKS(write(ready[1], "", 1));
        for (;;)
            pause();
    }
    WORKS(read(ready[0], &byte, 1));
    in_child(device, false, stream_is_busy);
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    int stream = -1;
    for (unsigned i = 0; i < 500 && stream < 0; i++) {
        struct properties p = every_ms(device);
        stream = try_open(device, 0, &p);
        CHECK(stream >= 0 || errno == EBUSY, "%s", strerror(errno));
        sleep_ns(stream < 0 ? 2000000 : 0);
    }
    CHECK(stream >= 0, "the stream of a killed process still exists");
    in_child(device, false, stream_is_busy);
    close(stream);
}

/* A set added by one process is visible to all, and remains after the process has ended. */
static void set_is_there(struct device *device)
{
    device->fd = open_card();
    CHECK(find_test_set(device) == device->set, "set %llu",
          (unsigned long long)find_test_set(device));
    close(open_stream(device, 0, every_ms(device)));
}

static void shared_sets(struct device *device)
{
    in_child(device, false, set_is_there);
    in_child(device, true, find_device);
}

/* ---- threads --------------------------------------------------------------------------------- */

#define THREADS 8
#define CALLS   200

struct thread {
    pthread_t thread;
    struct device *device;
    unsigned number;
    const char *failed;
};

static void *call_a_lot(void *argument)
{
    struct thread *thread = argument;
    struct device *device = thread->device;
    for (unsigned i = 0; i < CALLS && !thread->failed; i++) {
        struct drm_i915_gem_create create = {.size = 4096};
        struct drm_gem_close gone = {0};
        uint32_t out = thread->number << 16 | i, in = 0;
        if (call(device->fd, DRM_IOCTL_I915_GEM_CREATE, &create) < 0)
            thread->failed = "create";
        struct drm_i915_gem_pread io = {
            .handle = create.handle, .size = 4, .data_ptr = (uintptr_t)&out};
        if (call(device->fd, DRM_IOCTL_I915_GEM_PWRITE, &io) < 0)
            thread->failed = "pwrite";
        io.data_ptr = (uintptr_t)&in;
        if (call(device->fd, DRM_IOCTL_I915_GEM_PREAD, &io) < 0 || in != out)
            thread->failed = "pread";
        gone.handle = create.handle;
        if (call(device->fd, DRM_IOCTL_GEM_CLOSE, &gone) < 0)
            thread->failed = "close";
    }
    return NULL;
}

/* While the main thread waits for reports, other threads make calls. */
static void threads(struct device *device)
{
    struct thread all[THREADS] = {{0}};
    unsigned exponent = exponent_of(device, 1000000);
    uint8_t reports[8 * 256];
    int stream = open_stream(device, 0, every_ms(device));
    for (unsigned i = 0; i < THREADS; i++) {
        all[i] = (struct thread){.device = device, .number = i};
        CHECK(pthread_create(&all[i].thread, NULL, call_a_lot, &all[i]) == 0, "no thread");
    }
    for (unsigned i = 0; i < 5; i++)
        read_reports(device, stream, format_of_all(device), exponent, true, reports, 8);
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(all[i].thread, NULL);
        CHECK(!all[i].failed, "thread %u: %s", i, all[i].failed);
    }
    close(stream);
}

/* One thread waits in read(), while another polls, disables and enables the stream. */
static void *read_one(void *argument)
{
    static uint8_t bytes[1 << 16];
    ssize_t size = read(*(int *)argument, bytes, sizeof bytes);
    return (void *)(intptr_t)size;
}

static void waiting_thread(struct device *device)
{
    void *size;
    pthread_t thread;
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 50000000)));
    CHECK(pthread_create(&thread, NULL, read_one, &stream) == 0, "no thread");
    for (unsigned i = 0; i < 20; i++) {
        struct pollfd entry = {.fd = stream, .events = POLLIN};
        CHECK(poll(&entry, 1, 0) >= 0, "%s", strerror(errno));
        WORKS(call(stream, I915_PERF_IOCTL_ENABLE, NULL));
        read_timestamp(device->fd);
    }
    pthread_join(thread, &size);
    CHECK((intptr_t)size >= 8 + format_of_all(device)->size, "read gave %ld", (long)(intptr_t)size);
    close(stream);
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile sig_atomic_t alarms;

static void count_alarm(int number)
{
    (void)number;
    alarms++;
}

/* A child sends SIGALRM after a time of the program's clock, which can differ from the machine's.
 */
static pid_t set_alarm(int flags, unsigned after_ms)
{
    struct sigaction action = {.sa_handler = count_alarm, .sa_flags = flags};
    pid_t parent = getpid();
    alarms = 0;
    WORKS(sigaction(SIGALRM, &action, NULL));
    pid_t child = fork();
    CHECK(child >= 0, "%s", strerror(errno));
    if (child == 0) {
        sleep_ns(after_ms * UINT64_C(1000000));
        kill(parent, SIGALRM);
        _exit(EXIT_SUCCESS);
    }
    return child;
}

static void interrupted(struct device *device)
{
    static uint8_t bytes[1 << 16];
    unsigned slow = exponent_of(device, 400000000);
    int stream = open_stream(device, 0, sampling_every(device, 0, slow));
    pid_t child = set_alarm(0, 50);
    uint64_t start = wall_ns();
    FAILS(read(stream, bytes, sizeof bytes), EINTR);
    CHECK(alarms == 1 && wall_ns() - start < 200000000, "%d signals, %llu ms", (int)alarms,
          (unsigned long long)(wall_ns() - start) / 1000000);
    waitpid(child, NULL, 0);
    child = set_alarm(SA_RESTART, 50); /* the read continues */
    ssize_t size = read(stream, bytes, sizeof bytes);
    CHECK(alarms == 1 && size > 0, "%d signals, %zd, %s", (int)alarms, size, strerror(errno));
    waitpid(child, NULL, 0);
    close(stream);
}

/* Frequent signals do not interrupt calls. */
static void stormy(struct device *device)
{
    struct sigaction action = {.sa_handler = count_alarm};
    suseconds_t us = clock_is_virtual() ? 10 : 1000;
    struct itimerval often = {{0, us}, {0, us}}, never = {{0, 0}, {0, 0}};
    WORKS(sigaction(SIGALRM, &action, NULL));
    WORKS(setitimer(ITIMER_REAL, &often, NULL));
    struct object object = new_object(device, 1 << 20, true);
    static uint8_t pattern[1 << 20], back[1 << 20];
    for (unsigned i = 0; i < 100; i++) {
        memset(pattern, (int)i + 1, sizeof pattern);
        struct drm_i915_gem_pread io = {
            .handle = object.handle, .size = sizeof pattern, .data_ptr = (uintptr_t)pattern};
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_PWRITE, &io));
        io.data_ptr = (uintptr_t)back;
        WORKS(call(device->fd, DRM_IOCTL_I915_GEM_PREAD, &io));
        CHECK(!memcmp(pattern, back, sizeof back), "round %u", i);
    }
    WORKS(setitimer(ITIMER_REAL, &never, NULL));
    CHECK(alarms > 10, "%d signals", (int)alarms);
}

static struct device *handlers_device;
static volatile sig_atomic_t handled, unhandled;

/* Makes calls while the thread may be in a call itself. */
static void call_in_handler(int number)
{
    int value, saved = errno, fd = open_card();
    (void)number;
    if (fd >= 0 && getparam(fd, 4, &value) == 0 && value == handlers_device->chipset)
        handled++;
    else
        unhandled++;
    close(fd);
    errno = saved;
}

static void calls_in_handlers(struct device *device)
{
    static uint8_t bytes[1 << 16];
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_RESTART};
    suseconds_t us = clock_is_virtual() ? 200 : 2000;
    struct itimerval often = {{0, us}, {0, us}}, never = {{0, 0}, {0, 0}};
    uint64_t start = wall_ns();
    int stream = open_stream(device, 0, sampling_every(device, 0, exponent_of(device, 5000000)));
    handlers_device = device;
    handled = unhandled = 0;
    WORKS(sigaction(SIGALRM, &action, NULL));
    WORKS(setitimer(ITIMER_REAL, &often, NULL));
    while (handled < 50 && wall_ns() - start < 4000000000) {
        close((int)WORKS(open_card()));
        read_timestamp(device->fd);
    }
    while (handled < 100 && wall_ns() - start < 4000000000)
        WORKS(read(stream, bytes, sizeof bytes));
    WORKS(setitimer(ITIMER_REAL, &never, NULL));
    CHECK(handled >= 100 && !unhandled, "%d calls, %d that failed", (int)handled, (int)unhandled);
    close(stream);
}

static const struct subtest rows[] = {
    {"several-processes", ALL, 0, NULL,
     "concurrent processes have their own handles, contexts and memory", several_processes, false,
     false},
    {"one-stream", ALL, 0, NULL,
     "a stream of a second process: EBUSY, enabled or not; it opens after the first process is "
     "killed",
     one_stream, true, false},
    {"shared-sets", ALL, 0, NULL, "a set that one process added is visible to the next",
     shared_sets, false, false},
    {"threads", ALL, 0, NULL, "threads make calls on one descriptor while another reads a stream",
     threads, false, false},
    {"waiting-thread", ALL, 0, NULL, "a blocking read does not delay calls of other threads",
     waiting_thread, false, false},
    {"interrupted-read", ALL, 0, NULL,
     "a signal ends a blocking read with EINTR, unless its handler has SA_RESTART", interrupted,
     false, true},
    {"calls-in-handlers", ALL, 0, NULL,
     "signal handlers can open the device and make calls, whatever their thread is doing",
     calls_in_handlers, true, false},
    {"signal-storm", ALL, 0, NULL,
     "a hundred megabytes are transferred completely with a signal every millisecond", stormy,
     false, false},
};
GROUP(processes_group, rows);
