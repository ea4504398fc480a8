/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that read a clock or wait. With a free clock (EMULATE_CLOCK) the program's
 * clocks show the GPU's time, which advances while all threads of the program wait. The clock is in
 * the server, which is called for each reading. Timers of the kernel (alarm, timerfd, timed waits
 * of pthreads) use the machine's clock.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define SECOND 1000000000

static bool is_free;
static int64_t real_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
static char variable[sizeof EMULATE_CLOCK + 32];

__attribute__((constructor)) static void find_clock(void)
{
    const char *text = getenv(EMULATE_CLOCK);
    if (!text || !getenv(EMULATE_ENVIRONMENT))
        return;
    real_offset_ns = strtoll(text, NULL, 10);
    snprintf(variable, sizeof variable, EMULATE_CLOCK "=%lld", (long long)real_offset_ns);
    is_free = true;
}

bool time_is_free(void)
{
    return is_free;
}

const char *time_variable(void)
{
    return is_free ? variable : NULL;
}

/* Returns CLOCK_MONOTONIC of the program. Negative: the server is gone; use the machine's clocks.
 */
static int64_t now_ns(void)
{
    struct call call = {.header = {.kind = EMULATE_NOW}};
    int saved = errno;
    int64_t now = channel_call(&call);
    errno = saved;
    return now;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

/* Returns now plus a time, saturating. */
static uint64_t deadline_of(uint64_t now, int64_t seconds, int64_t ns)
{
    if (seconds < 0)
        return now;
    return seconds > INT32_MAX ? UINT64_MAX - 1 : now + (uint64_t)seconds * SECOND + (uint64_t)ns;
}

static bool is_time(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

/* ---- reading a clock ------------------------------------------------------------------------- */

/* Gets the offset of a clock from CLOCK_MONOTONIC. False for CPU clocks and unknown clocks. */
static bool find_offset(clockid_t clock, int64_t *out)
{
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *out = 0;
        return true;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
        *out = real_offset_ns;
        return true;
    default:
        return false;
    }
}

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    int64_t offset, now;
    if (!is_free || !find_offset(clock, &offset) || (now = now_ns()) < 0)
        return NEXT(clock_gettime)(clock, out);
    *out = timespec_of(now + offset);
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    int64_t now;
    if (!is_free || (now = now_ns()) < 0)
        return NEXT(gettimeofday)(out, zone);
    now += real_offset_ns;
    *out = (struct timeval){now / SECOND, now % SECOND / 1000};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    int64_t now;
    if (!is_free || (now = now_ns()) < 0)
        return NEXT(time)(out);
    time_t seconds = (now + real_offset_ns) / SECOND;
    if (out)
        *out = seconds;
    return seconds;
}

EXPORT int timespec_get(struct timespec *out, int base)
{
    if (!is_free || base != TIME_UTC)
        return NEXT(timespec_get)(out, base);
    return clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Returns 0, EINTR with the remaining time in *left, or ENODEV. */
static int sleep_until(uint64_t deadline, struct timespec *left)
{
    struct pollfd none[1];
    int64_t result = channel_poll(none, 0, deadline, NULL);
    if (result == 0)
        return 0;
    int64_t now = now_ns();
    if (left && now >= 0)
        *left = timespec_of(deadline > (uint64_t)now ? (int64_t)(deadline - (uint64_t)now) : 0);
    return (int)-result;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left)
{
    int64_t offset, now;
    if (!is_free || !find_offset(clock, &offset) || !is_time(time) || (now = now_ns()) < 0)
        return NEXT(clock_nanosleep)(clock, flags, time, left);
    bool absolute = flags & TIMER_ABSTIME;
    uint64_t from = (uint64_t)(absolute ? -offset : now);
    int saved = errno;
    int result =
        sleep_until(deadline_of(from, time->tv_sec, time->tv_nsec), absolute ? NULL : left);
    errno = saved;
    return result;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!is_free || !is_time(time))
        return NEXT(nanosleep)(time, left);
    int result = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (result == 0)
        return 0;
    errno = result;
    return -1;
}

EXPORT int usleep(useconds_t us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    return is_free ? nanosleep(&time, NULL) : NEXT(usleep)(us);
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec time = {seconds, 0}, left = {0, 0};
    if (!is_free)
        return NEXT(sleep)(seconds);
    return nanosleep(&time, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

/* ---- waiting for descriptors ----------------------------------------------------------------- */

#define ENTRIES 1024 /* waits for longer lists use the machine's clock */

static bool has_gpu(const struct pollfd *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (descriptor_follows_gpu(entries[i].fd))
            return true;
    return false;
}

/*
 * Waits for entries that were not ready, with the program's clock. `passes`: without a timeout,
 * time advances; set only if the device can end the wait, so that the GPU does not run while a
 * program waits for input. Else, or if the server is gone, waits with the machine's clock. Returns
 * as ppoll().
 */
static int wait_for(struct pollfd *entries, size_t count, const struct timespec *time, bool passes,
                    const sigset_t *mask)
{
    int64_t now = time ? now_ns() : 0, result = -ENODEV;
    uint64_t deadline = time ? deadline_of((uint64_t)now, time->tv_sec, time->tv_nsec) : UINT64_MAX;
    if (now >= 0 && (time || passes))
        result = channel_poll(entries, count, deadline, mask);
    if (result == -ENODEV)
        return NEXT(ppoll)(entries, count, time, mask);
    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}

EXPORT int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *time,
                 const sigset_t *mask)
{
    static const struct timespec none;
    if (!is_free || count > ENTRIES || (time && !is_time(time)))
        return NEXT(ppoll)(entries, count, time, mask);
    int ready = NEXT(ppoll)(entries, count, &none, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    struct pollfd list[ENTRIES + 1];
    memcpy(list, entries, count * sizeof *list);
    ready = wait_for(list, count, time, has_gpu(list, count), mask);
    if (ready >= 0)
        memcpy(entries, list, count * sizeof *entries);
    return ready;
}

EXPORT int poll(struct pollfd *entries, nfds_t count, int timeout_ms)
{
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    if (!is_free)
        return NEXT(poll)(entries, count, timeout_ms);
    return ppoll(entries, count, timeout_ms < 0 ? NULL : &time, NULL);
}

int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t size);
EXPORT int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t size)
{
    if (!is_free || size / sizeof *entries < count)
        return NEXT(__poll_chk)(entries, count, timeout_ms, size);
    return poll(entries, count, timeout_ms);
}

int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *time,
                const sigset_t *mask, size_t size);
EXPORT int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *time,
                       const sigset_t *mask, size_t size)
{
    if (!is_free || size / sizeof *entries < count)
        return NEXT(__ppoll_chk)(entries, count, time, mask, size);
    return ppoll(entries, count, time, mask);
}

/* Waits for an epoll descriptor, which is readable when it has events. Time advances, because it is
 * not known whether it watches the device. */
static int wait_epoll(int fd, struct epoll_event *events, int max, const struct timespec *time,
                      const sigset_t *mask)
{
    struct pollfd list[2];
    int ready = NEXT(epoll_pwait)(fd, events, max, 0, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    list[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (wait_for(list, 1, time, true, mask) < 0)
        return -1;
    return NEXT(epoll_wait)(fd, events, max, 0);
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout_ms,
                       const sigset_t *mask)
{
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    if (!is_free)
        return NEXT(epoll_pwait)(fd, events, max, timeout_ms, mask);
    return wait_epoll(fd, events, max, timeout_ms < 0 ? NULL : &time, mask);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
    return is_free ? epoll_pwait(fd, events, max, timeout_ms, NULL)
                   : NEXT(epoll_wait)(fd, events, max, timeout_ms);
}

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int max, const struct timespec *time,
                        const sigset_t *mask)
{
    if (!is_free || (time && !is_time(time)))
        return NEXT(epoll_pwait2)(fd, events, max, time, mask);
    return wait_epoll(fd, events, max, time, mask);
}

/* ---- select ---------------------------------------------------------------------------------- */

struct sets {
    fd_set in, out, except;
};

static void copy_set(fd_set *to, const fd_set *from)
{
    if (from)
        *to = *from;
    else
        FD_ZERO(to);
}

static size_t entries_of(int count, const struct sets *sets, struct pollfd *list)
{
    size_t used = 0;
    for (int fd = 0; fd < count && fd < FD_SETSIZE; fd++) {
        short events = (short)((FD_ISSET(fd, &sets->in) ? POLLIN : 0) |
                               (FD_ISSET(fd, &sets->out) ? POLLOUT : 0) |
                               (FD_ISSET(fd, &sets->except) ? POLLPRI : 0));
        if (events)
            list[used++] = (struct pollfd){.fd = fd, .events = events};
    }
    return used;
}

EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time,
                   const sigset_t *mask)
{
    static const struct timespec none;
    struct pollfd entries[ENTRIES + 1];
    struct sets sets;
    if (!is_free || count > FD_SETSIZE || (time && !is_time(time)))
        return NEXT(pselect)(count, in, out, except, time, mask);
    copy_set(&sets.in, in);
    copy_set(&sets.out, out);
    copy_set(&sets.except, except);
    int ready = NEXT(pselect)(count, in, out, except, &none, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    size_t entry_count = entries_of(count, &sets, entries);
    if (wait_for(entries, entry_count, time, has_gpu(entries, entry_count), mask) < 0)
        return -1;
    if (in)
        *in = sets.in;
    if (out)
        *out = sets.out;
    if (except)
        *except = sets.except;
    return NEXT(pselect)(count, in, out, except, &none, NULL);
}

/* As on Linux, sets *time to the remaining time. */
EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time)
{
    int64_t now = is_free ? now_ns() : -1;
    if (now < 0 || (time && (time->tv_sec < 0 || time->tv_usec < 0)))
        return NEXT(select)(count, in, out, except, time);
    int64_t seconds = time ? time->tv_sec + time->tv_usec / 1000000 : 0;
    struct timespec wanted = {seconds, time ? time->tv_usec % 1000000 * 1000 : 0};
    int ready = pselect(count, in, out, except, time ? &wanted : NULL, NULL);
    if (time && (wanted.tv_sec || wanted.tv_nsec)) {
        int saved = errno;
        uint64_t end = deadline_of((uint64_t)now, wanted.tv_sec, wanted.tv_nsec);
        int64_t after = now_ns();
        int64_t left = end > (uint64_t)after ? (int64_t)(end - (uint64_t)after) : 0;
        *time = (struct timeval){left / SECOND, left % SECOND / 1000};
        errno = saved;
    }
    return ready;
}
