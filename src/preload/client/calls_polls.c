/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions that wait for descriptors. With a virtual clock (EMULATE_CLOCK) their
 * timeouts are of the program's clock. Each call reads that clock first, whatever it finds: so one
 * that polls gives way to other threads, and finds what they have done. Descriptors that are ready
 * are found then; waits without a timeout for descriptors that only the machine can make ready are
 * the machine's. With any clock, an event that was found readable is not again until there is news
 * (descriptor_polled()).
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define ENTRIES 1024 /* waits for longer lists use the machine's clock */

static bool has_gpu(const struct pollfd *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (descriptor_follows_gpu(entries[i].fd))
            return true;
    return false;
}

/*
 * Waits for entries that were not ready at `now` of the program's clock. `passes`: without a
 * timeout, time advances; set only if the device can end the wait, so that the GPU does not run
 * while a program waits for input. Else, or if the server is gone, waits with the machine's clock.
 * Returns as ppoll().
 */
static int wait_for(struct pollfd *entries, size_t count, int64_t now, const struct timespec *time,
                    bool passes, const sigset_t *mask)
{
    int64_t result = -ENODEV;
    uint64_t deadline = time ? time_after((uint64_t)now, time) : UINT64_MAX;
    if (now >= 0 && (time || passes))
        result = channel_poll(entries, count, deadline, mask);
    if (result == -ENODEV)
        return NEXT(ppoll)(entries, count, time, mask);
    if (result >= 0)
        return (int)result;
    errno = (int)-result;
    return -1;
}

/* Notes the entries that a poll has found readable. Returns their number, as given. */
static int polled(const struct pollfd *entries, size_t count, int ready)
{
    for (size_t i = 0; ready > 0 && i < count; i++)
        if (entries[i].revents & POLLIN)
            descriptor_polled(entries[i].fd);
    return ready;
}

static int ppoll_by_clock(struct pollfd *entries, nfds_t count, const struct timespec *time,
                          const sigset_t *mask)
{
    static const struct timespec none;
    if (!time_is_virtual() || count > ENTRIES || (time && !time_is_valid(time)))
        return NEXT(ppoll)(entries, count, time, mask);
    int64_t now = time_now_ns();
    int ready = NEXT(ppoll)(entries, count, &none, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    struct pollfd list[ENTRIES + 1];
    memcpy(list, entries, count * sizeof *list);
    ready = wait_for(list, count, now, time, has_gpu(list, count), mask);
    if (ready >= 0)
        memcpy(entries, list, count * sizeof *entries);
    return ready;
}

EXPORT int ppoll(struct pollfd *entries, nfds_t count, const struct timespec *time,
                 const sigset_t *mask)
{
    return polled(entries, count, ppoll_by_clock(entries, count, time, mask));
}

EXPORT int poll(struct pollfd *entries, nfds_t count, int timeout_ms)
{
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    if (!time_is_virtual())
        return polled(entries, count, NEXT(poll)(entries, count, timeout_ms));
    return ppoll(entries, count, timeout_ms < 0 ? NULL : &time, NULL);
}

int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t size);
EXPORT int __poll_chk(struct pollfd *entries, nfds_t count, int timeout_ms, size_t size)
{
    if (!time_is_virtual() || size / sizeof *entries < count)
        return polled(entries, count, NEXT(__poll_chk)(entries, count, timeout_ms, size));
    return poll(entries, count, timeout_ms);
}

int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *time,
                const sigset_t *mask, size_t size);
EXPORT int __ppoll_chk(struct pollfd *entries, nfds_t count, const struct timespec *time,
                       const sigset_t *mask, size_t size)
{
    if (!time_is_virtual() || size / sizeof *entries < count)
        return polled(entries, count, NEXT(__ppoll_chk)(entries, count, time, mask, size));
    return ppoll(entries, count, time, mask);
}

/* Waits for an epoll descriptor, which is readable when it has events. Time advances, because it is
 * not known whether it watches the device. */
static int wait_epoll(int fd, struct epoll_event *events, int max, const struct timespec *time,
                      const sigset_t *mask)
{
    struct pollfd list[2];
    int64_t now = time_now_ns();
    int ready = NEXT(epoll_pwait)(fd, events, max, 0, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    list[0] = (struct pollfd){.fd = fd, .events = POLLIN};
    if (wait_for(list, 1, now, time, true, mask) < 0)
        return -1;
    return NEXT(epoll_wait)(fd, events, max, 0);
}

/* Notes what was found in an epoll set. Returns its number, as given. */
static int reported(int fd, const struct epoll_event *events, int ready)
{
    for (int i = 0; i < ready; i++)
        if (events[i].events & EPOLLIN)
            descriptor_reported(fd, events[i].data.u64);
    return ready;
}

EXPORT int epoll_ctl(int fd, int operation, int watched, struct epoll_event *event)
{
    int result = NEXT(epoll_ctl)(fd, operation, watched, event);
    if (result == 0 && tree_directory())
        descriptor_watched(fd, operation, watched, event ? event->data.u64 : 0);
    return result;
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int timeout_ms,
                       const sigset_t *mask)
{
    struct timespec time = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
    if (!time_is_virtual())
        return reported(fd, events, NEXT(epoll_pwait)(fd, events, max, timeout_ms, mask));
    return reported(fd, events, wait_epoll(fd, events, max, timeout_ms < 0 ? NULL : &time, mask));
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int timeout_ms)
{
    return time_is_virtual() ? epoll_pwait(fd, events, max, timeout_ms, NULL)
                             : reported(fd, events, NEXT(epoll_wait)(fd, events, max, timeout_ms));
}

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int max, const struct timespec *time,
                        const sigset_t *mask)
{
    if (!time_is_virtual() || (time && !time_is_valid(time)))
        return reported(fd, events, NEXT(epoll_pwait2)(fd, events, max, time, mask));
    return reported(fd, events, wait_epoll(fd, events, max, time, mask));
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

/* Notes the descriptors that a select has found readable. Returns their number, as given. */
static int selected(int count, const fd_set *in, int ready)
{
    for (int fd = 0; ready > 0 && in && fd < count && fd < FD_SETSIZE; fd++)
        if (FD_ISSET(fd, in))
            descriptor_polled(fd);
    return ready;
}

static int pselect_by_clock(int count, fd_set *in, fd_set *out, fd_set *except,
                            const struct timespec *time, const sigset_t *mask)
{
    static const struct timespec none;
    struct pollfd entries[ENTRIES + 1];
    struct sets sets;
    if (!time_is_virtual() || count > FD_SETSIZE || (time && !time_is_valid(time)))
        return NEXT(pselect)(count, in, out, except, time, mask);
    int64_t now = time_now_ns();
    copy_set(&sets.in, in);
    copy_set(&sets.out, out);
    copy_set(&sets.except, except);
    int ready = NEXT(pselect)(count, in, out, except, &none, mask);
    if (ready || (time && !time->tv_sec && !time->tv_nsec))
        return ready;
    size_t entry_count = entries_of(count, &sets, entries);
    if (wait_for(entries, entry_count, now, time, has_gpu(entries, entry_count), mask) < 0)
        return -1;
    if (in)
        *in = sets.in;
    if (out)
        *out = sets.out;
    if (except)
        *except = sets.except;
    return NEXT(pselect)(count, in, out, except, &none, NULL);
}

EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *time,
                   const sigset_t *mask)
{
    return selected(count, in, pselect_by_clock(count, in, out, except, time, mask));
}

/* As on Linux, sets *time to the remaining time. */
EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *time)
{
    int64_t now = time_now_ns();
    if (now < 0 || (time && (time->tv_sec < 0 || time->tv_usec < 0)))
        return selected(count, in, NEXT(select)(count, in, out, except, time));
    int64_t seconds = time ? time->tv_sec + time->tv_usec / 1000000 : 0;
    struct timespec wanted = {seconds, time ? time->tv_usec % 1000000 * 1000 : 0};
    int ready = pselect(count, in, out, except, time ? &wanted : NULL, NULL);
    if (time && (wanted.tv_sec || wanted.tv_nsec)) {
        int saved = errno;
        uint64_t end = time_after((uint64_t)now, &wanted);
        int64_t after = time_now_ns();
        int64_t left = end > (uint64_t)after ? (int64_t)(end - (uint64_t)after) : 0;
        *time = (struct timeval){left / SECOND, left % SECOND / 1000};
        errno = saved;
    }
    return ready;
}
