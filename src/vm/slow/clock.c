/* SPDX-License-Identifier: MIT */
/*
 * A library that `tally vm --slow N` preloads into QEMU: CLOCK_MONOTONIC runs N times slower, and
 * waiting takes N times longer. The guest's timers follow that clock, and it measures its TSC by
 * them. $TALLY_SLOW is N.
 */
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define API __attribute__((visibility("default")))

#define NS_PER_S 1000000000

static struct {
    int (*clock_gettime)(clockid_t id, struct timespec *out);
    int (*ppoll)(struct pollfd *polled, nfds_t count, const struct timespec *limit,
                 const sigset_t *mask);
    int64_t factor;
    int64_t start_ns; /* of the clock when the library was loaded; later times are slower */
} slow;

static int64_t ns_of(const struct timespec *time)
{
    return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

static struct timespec time_of(int64_t ns)
{
    return (struct timespec){ns / NS_PER_S, ns % NS_PER_S};
}

/* Libraries may use the clock before the constructors of this one run. */
static void __attribute__((constructor)) load(void)
{
    const char *text = getenv("TALLY_SLOW");
    struct timespec now;
    if (slow.factor)
        return;
    /* POSIX defines the conversion of dlsym()'s result that C does not. */
    *(void **)&slow.clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **)&slow.ppoll = dlsym(RTLD_NEXT, "ppoll");
    slow.clock_gettime(CLOCK_MONOTONIC, &now);
    slow.start_ns = ns_of(&now);
    slow.factor = text && atoi(text) > 1 ? atoi(text) : 1;
}

API int clock_gettime(clockid_t id, struct timespec *out)
{
    load();
    int result = slow.clock_gettime(id, out);
    if (result == 0 && id == CLOCK_MONOTONIC)
        *out = time_of(slow.start_ns + (ns_of(out) - slow.start_ns) / slow.factor);
    return result;
}

API int ppoll(struct pollfd *polled, nfds_t count, const struct timespec *limit,
              const sigset_t *mask)
{
    struct timespec longer;
    load();
    if (limit && limit->tv_sec < INT32_MAX) {
        int64_t ns;
        longer = time_of(__builtin_mul_overflow(ns_of(limit), slow.factor, &ns) ? INT64_MAX : ns);
        limit = &longer;
    }
    return slow.ppoll(polled, count, limit, mask);
}
