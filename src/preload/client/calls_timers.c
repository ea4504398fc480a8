/* SPDX-License-Identifier: MIT */
/*
 * Interposed functions of timers. With a virtual clock (EMULATE_CLOCK) the server has the timers:
 * it makes a descriptor readable, or sends a signal, when the program's clock reaches the time.
 * Those of CPU clocks, and those that start a thread, are the machine's.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

static int fail(int64_t result, int saved)
{
    errno = result < 0 ? (int)-result : saved;
    return result < 0 ? -1 : (int)result;
}

/* ---- setting and reading any of them --------------------------------------------------------- */

static uint64_t ns_of(const struct timespec *time)
{
    return time_after(0, time);
}

static struct itimerspec spec_of(const struct emulate_timer_state *state)
{
    return (struct itimerspec){.it_value = time_of((int64_t)state->left_ns),
                               .it_interval = time_of((int64_t)state->period_ns)};
}

/* Makes a call that returns the state of a timer. */
static int64_t call_state(struct call *call, struct itimerspec *old)
{
    struct emulate_timer_state state = {0, 0};
    call->argument = (uint64_t)(uintptr_t)&state;
    int64_t result = channel_call(call);
    if (result == 0 && old)
        *old = spec_of(&state);
    return result;
}

/* `kind`: enum emulate_timer of the timer. */
static int64_t set_timer(uint32_t number, uint64_t kind, bool absolute, bool realtime,
                         const struct itimerspec *new, struct itimerspec *old, struct call *call)
{
    int64_t offset = 0;
    if (!time_is_valid(&new->it_value) || !time_is_valid(&new->it_interval))
        return -EINVAL;
    bool armed = new->it_value.tv_sec || new->it_value.tv_nsec;
    time_offset(realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC, &offset);
    *call = (struct call){.header = {.kind = EMULATE_TIMER_SET,
                                     .target = number,
                                     .a = !armed     ? 0
                                          : absolute ? time_deadline(&new->it_value, offset)
                                                     : ns_of(&new->it_value),
                                     .b = ns_of(&new->it_interval),
                                     .c = kind | (absolute ? 0 : EMULATE_TIMER_RELATIVE)}};
    return call_state(call, old);
}

static int64_t get_timer(uint32_t number, uint64_t kind, struct itimerspec *out)
{
    struct call call = {.header = {.kind = EMULATE_TIMER_GET, .target = number, .c = kind}};
    return call_state(&call, out);
}

/* ---- timerfd --------------------------------------------------------------------------------- */

#define FLAGS (TFD_CLOEXEC | TFD_NONBLOCK)

static bool is_timer(int fd, struct descriptor *out)
{
    return time_is_virtual() && descriptor_is_ours(fd, out) && out->kind == DESCRIPTOR_TIMER;
}

EXPORT int timerfd_create(clockid_t clock, int flags)
{
    int64_t offset;
    int saved = errno;
    if (!time_offset(clock, &offset) || flags & ~FLAGS)
        return NEXT(timerfd_create)(clock, flags);
    struct call call = {
        .header = {.kind = EMULATE_TIMER,
                   .a = (uint64_t)flags,
                   .b = EMULATE_TIMER_DESCRIPTOR | (offset ? EMULATE_TIMER_REALTIME : 0u)}};
    int64_t result = channel_call(&call);
    return fail(result < 0 ? result : call.descriptor, saved);
}

EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
    struct descriptor timer;
    struct call call = {.flags = 0};
    int saved = errno;
    if (!is_timer(fd, &timer))
        return NEXT(timerfd_settime)(fd, flags, new, old);
    if (flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET))
        return fail(-EINVAL, saved);
    int64_t result = set_timer(timer.number, EMULATE_TIMER_DESCRIPTOR, flags & TFD_TIMER_ABSTIME,
                               timer.minor, new, old, &call);
    request_drain(fd, &call);
    return fail(result, saved);
}

EXPORT int timerfd_gettime(int fd, struct itimerspec *out)
{
    struct descriptor timer;
    int saved = errno;
    if (!is_timer(fd, &timer))
        return NEXT(timerfd_gettime)(fd, out);
    return fail(get_timer(timer.number, EMULATE_TIMER_DESCRIPTOR, out), saved);
}

int64_t timer_read(int fd, const struct descriptor *descriptor, void *to, size_t bytes)
{
    int flags = NEXT(fcntl)(fd, F_GETFL);
    struct pollfd entry[2] = {{.fd = fd, .events = POLLIN}};
    if (bytes < sizeof(uint64_t))
        return -EINVAL;
    for (;;) {
        struct call call = {.header = {.kind = EMULATE_TIMER_READ, .target = descriptor->number},
                            .argument = (uint64_t)(uintptr_t)to};
        int64_t result = channel_call(&call);
        request_drain(fd, &call);
        if (result != -EAGAIN || flags < 0 || flags & O_NONBLOCK)
            return call.unwritten ? -EFAULT : result;
        result = channel_poll(entry, 1, UINT64_MAX, NULL);
        if (result < 0)
            return result;
    }
}

/* ---- timer_create ---------------------------------------------------------------------------- */

/* A timer_t of ours has these bits; libc's are small numbers, or negative. */
#define OURS     0x54000000l
#define REALTIME 0x00800000l
#define NUMBER   0x007fffffl

static bool is_ours(timer_t timer)
{
    return time_is_virtual() && ((intptr_t)timer & ~(REALTIME | NUMBER)) == OURS;
}

static uint32_t number_of(timer_t timer)
{
    return (uint32_t)((intptr_t)timer & NUMBER);
}

static bool is_known(const struct sigevent *event)
{
    return !event || event->sigev_notify == SIGEV_SIGNAL || event->sigev_notify == SIGEV_NONE ||
           event->sigev_notify == SIGEV_THREAD_ID;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *out)
{
    int64_t offset;
    int saved = errno;
    if (!time_offset(clock, &offset) || !is_known(event))
        return NEXT(timer_create)(clock, event, out);
    int number = event ? event->sigev_signo : SIGALRM;
    bool silent = event && event->sigev_notify == SIGEV_NONE;
    if (!silent && (number < 1 || number > SIGRTMAX))
        return fail(-EINVAL, saved);
    struct call call = {.header = {.kind = EMULATE_TIMER}};
    call.header.b = silent ? EMULATE_TIMER_SILENT : (uint64_t)number << EMULATE_TIMER_SIGNAL_SHIFT;
    if (event && event->sigev_notify == SIGEV_THREAD_ID)
        call.header.b |= (uint64_t)(uint32_t)event->_sigev_un._tid << EMULATE_TIMER_THREAD_SHIFT;
    call.header.c = event ? (uint64_t)(uintptr_t)event->sigev_value.sival_ptr : 0;
    int64_t result = channel_call(&call);
    if (result >= 0)
        *out = (timer_t)(intptr_t)(OURS | (offset ? REALTIME : 0) | (long)result);
    return fail(result < 0 ? result : 0, saved);
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *new,
                         struct itimerspec *old)
{
    struct call call;
    int saved = errno;
    if (!is_ours(timer))
        return NEXT(timer_settime)(timer, flags, new, old);
    return fail(set_timer(number_of(timer), 0, flags & TIMER_ABSTIME, (intptr_t)timer & REALTIME,
                          new, old, &call),
                saved);
}

EXPORT int timer_gettime(timer_t timer, struct itimerspec *out)
{
    int saved = errno;
    if (!is_ours(timer))
        return NEXT(timer_gettime)(timer, out);
    return fail(get_timer(number_of(timer), 0, out), saved);
}

EXPORT int timer_delete(timer_t timer)
{
    struct call call = {.header = {.kind = EMULATE_TIMER_END, .target = number_of(timer)}};
    int saved = errno;
    return is_ours(timer) ? fail(channel_call(&call), saved) : NEXT(timer_delete)(timer);
}

/* A signal that is sent again before it was received counts once, and is not counted. */
EXPORT int timer_getoverrun(timer_t timer)
{
    return is_ours(timer) ? 0 : NEXT(timer_getoverrun)(timer);
}

/* ---- setitimer, alarm ------------------------------------------------------------------------ */

static struct timespec spec_of_timeval(const struct timeval *time)
{
    return (struct timespec){
        time->tv_sec, time->tv_usec < 0 || time->tv_usec > 999999 ? -1 : time->tv_usec * 1000};
}

static struct itimerval val_of(const struct itimerspec *spec)
{
    return (struct itimerval){
        .it_interval = {spec->it_interval.tv_sec, spec->it_interval.tv_nsec / 1000},
        .it_value = {spec->it_value.tv_sec, spec->it_value.tv_nsec / 1000}};
}

EXPORT int setitimer(__itimer_which_t which, const struct itimerval *new, struct itimerval *old)
{
    static const struct itimerval none;
    struct itimerspec before;
    struct call call;
    int saved = errno;
    if (!time_is_virtual() || which != ITIMER_REAL)
        return NEXT(setitimer)(which, new, old);
    new = new ? new : &none;
    struct itimerspec wanted = {spec_of_timeval(&new->it_interval),
                                spec_of_timeval(&new->it_value)};
    int64_t result = set_timer(0, EMULATE_TIMER_PROCESS, false, false, &wanted, &before, &call);
    if (result == 0 && old)
        *old = val_of(&before);
    return fail(result, saved);
}

EXPORT int getitimer(__itimer_which_t which, struct itimerval *out)
{
    struct itimerspec now;
    int saved = errno;
    if (!time_is_virtual() || which != ITIMER_REAL)
        return NEXT(getitimer)(which, out);
    int64_t result = get_timer(0, EMULATE_TIMER_PROCESS, &now);
    if (result == 0)
        *out = val_of(&now);
    return fail(result, saved);
}

/* As the kernel, rounds the seconds that were left to the nearest, but not to 0. */
EXPORT unsigned alarm(unsigned seconds)
{
    struct itimerval old, new = {{0, 0}, {seconds, 0}};
    if (!time_is_virtual())
        return NEXT(alarm)(seconds);
    if (setitimer(ITIMER_REAL, &new, &old) < 0)
        return 0;
    bool up = old.it_value.tv_usec >= 500000 || (!old.it_value.tv_sec && old.it_value.tv_usec);
    return (unsigned)old.it_value.tv_sec + up;
}

EXPORT useconds_t ualarm(useconds_t us, useconds_t period_us)
{
    struct itimerval old,
        new = {{period_us / 1000000, period_us % 1000000}, {us / 1000000, us % 1000000}};
    if (!time_is_virtual())
        return NEXT(ualarm)(us, period_us);
    if (setitimer(ITIMER_REAL, &new, &old) < 0)
        return (useconds_t)-1;
    return (useconds_t)(old.it_value.tv_sec * 1000000 + old.it_value.tv_usec);
}
