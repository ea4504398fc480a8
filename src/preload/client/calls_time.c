/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that read a clock or sleep. With a virtual clock (EMULATE_CLOCK) the
 * program's clocks show the GPU's time, which advances while all threads of the program wait. The
 * clock is in the server, which is called for each reading.
 */
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

static bool is_virtual;
static int64_t real_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
static char variable[sizeof EMULATE_CLOCK + 32];

__attribute__((constructor)) static void find_clock(void)
{
    const char *text = getenv(EMULATE_CLOCK);
    if (!text || !getenv(EMULATE_ENVIRONMENT))
        return;
    real_offset_ns = strtoll(text, NULL, 10);
    snprintf(variable, sizeof variable, EMULATE_CLOCK "=%lld", (long long)real_offset_ns);
    is_virtual = true;
}

bool time_is_virtual(void)
{
    return is_virtual;
}

void time_end(void)
{
    is_virtual = false;
}

const char *time_variable(void)
{
    return is_virtual ? variable : NULL;
}

int64_t time_now_ns(void)
{
    struct call call = {.header = {.kind = EMULATE_NOW}};
    if (!is_virtual)
        return -1;
    int64_t now = lease_now_ns();
    if (now >= 0)
        return now;
    int saved = errno;
    now = channel_call(&call);
    if (now >= 0)
        lease_called();
    errno = saved;
    return now;
}

struct timespec time_of(int64_t ns)
{
    return (struct timespec){ns / SECOND, ns % SECOND};
}

bool time_is_valid(const struct timespec *time)
{
    return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < SECOND;
}

uint64_t time_after(uint64_t from_ns, const struct timespec *time)
{
    if (time->tv_sec < 0)
        return from_ns;
    return time->tv_sec > INT32_MAX
               ? UINT64_MAX - 1
               : from_ns + (uint64_t)time->tv_sec * SECOND + (uint64_t)time->tv_nsec;
}

uint64_t time_deadline(const struct timespec *time, int64_t offset_ns)
{
    if (time->tv_sec < 0)
        return 1;
    if (time->tv_sec > INT64_MAX / SECOND - 1)
        return UINT64_MAX - 1;
    int64_t ns = (int64_t)time->tv_sec * SECOND + time->tv_nsec - offset_ns;
    return ns > 0 ? (uint64_t)ns : 1;
}

bool time_offset(clockid_t clock, int64_t *out)
{
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        *out = 0;
        return is_virtual;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        *out = real_offset_ns;
        return is_virtual;
    default:
        return false;
    }
}

/* ---- reading a clock ------------------------------------------------------------------------- */

EXPORT int clock_gettime(clockid_t clock, struct timespec *out)
{
    int64_t offset, now;
    if (!time_offset(clock, &offset) || (now = time_now_ns()) < 0)
        return NEXT(clock_gettime)(clock, out);
    *out = time_of(now + offset);
    return 0;
}

EXPORT int gettimeofday(struct timeval *restrict out, void *restrict zone)
{
    int64_t now;
    if ((now = time_now_ns()) < 0)
        return NEXT(gettimeofday)(out, zone);
    now += real_offset_ns;
    *out = (struct timeval){now / SECOND, now % SECOND / 1000};
    return 0;
}

EXPORT time_t time(time_t *out)
{
    int64_t now;
    if ((now = time_now_ns()) < 0)
        return NEXT(time)(out);
    time_t seconds = (now + real_offset_ns) / SECOND;
    if (out)
        *out = seconds;
    return seconds;
}

EXPORT int timespec_get(struct timespec *out, int base)
{
    if (!is_virtual || base != TIME_UTC)
        return NEXT(timespec_get)(out, base);
    return clock_gettime(CLOCK_REALTIME, out) == 0 ? base : 0;
}

/* Returns the clock ticks since the machine started; the CPU times are the machine's. */
EXPORT clock_t times(struct tms *out)
{
    clock_t ticks = NEXT(times)(out);
    int64_t now = ticks == (clock_t)-1 ? -1 : time_now_ns();
    return now < 0 ? ticks : (clock_t)(now / (SECOND / sysconf(_SC_CLK_TCK)));
}

/* Takes the time of a call, so that a loop that waits for another thread ends. */
EXPORT int sched_yield(void)
{
    time_now_ns();
    return NEXT(sched_yield)();
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Returns 0, EINTR with the remaining time in *left, or ENODEV. */
static int sleep_until(uint64_t deadline, struct timespec *left)
{
    struct pollfd none[1];
    int64_t result = channel_poll(none, 0, deadline, NULL);
    if (result == 0)
        return 0;
    int64_t now = time_now_ns();
    if (left && now >= 0)
        *left = time_of(deadline > (uint64_t)now ? (int64_t)(deadline - (uint64_t)now) : 0);
    return (int)-result;
}

EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                           struct timespec *left)
{
    int64_t offset, now;
    if (!time_offset(clock, &offset) || !time_is_valid(time) || (now = time_now_ns()) < 0)
        return NEXT(clock_nanosleep)(clock, flags, time, left);
    bool absolute = flags & TIMER_ABSTIME;
    uint64_t end = absolute ? time_deadline(time, offset) : time_after((uint64_t)now, time);
    int saved = errno;
    int result = sleep_until(end, absolute ? NULL : left);
    errno = saved;
    return result;
}

EXPORT int nanosleep(const struct timespec *time, struct timespec *left)
{
    if (!is_virtual || !time_is_valid(time))
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
    return is_virtual ? nanosleep(&time, NULL) : NEXT(usleep)(us);
}

EXPORT unsigned sleep(unsigned seconds)
{
    struct timespec time = {seconds, 0}, left = {0, 0};
    if (!is_virtual)
        return NEXT(sleep)(seconds);
    return nanosleep(&time, &left) == 0 ? 0 : (unsigned)left.tv_sec + (left.tv_nsec > 0);
}

EXPORT int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    if (!is_virtual)
        return NEXT(thrd_sleep)(time, left);
    int result = clock_nanosleep(CLOCK_REALTIME, 0, time, left);
    return result == 0 ? 0 : result == EINTR ? -1 : -2;
}
