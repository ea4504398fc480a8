/* SPDX-License-Identifier: MIT */
/*
 * The timers of programs by the virtual clock: those of timerfd_create(), timer_create(), and the
 * one that each process has for setitimer() and alarm().
 */
#include "preload/server/timers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/minmax.h"

#define MAX_TIMERS    1024u /* of all programs */
#define MIN_PERIOD_NS 1000u

struct timer {
    struct timer *next;
    struct descriptor *descriptor; /* NULL: it sends a signal */
    uint32_t number;               /* of a timer without descriptor, in its process */
    uint64_t flags, value;         /* enum emulate_timer; the signal's value */
    pid_t pid;
    int process;         /* pidfd of the process that gets the signal, or -1 */
    uint64_t expires_ns; /* 0: disarmed */
    uint64_t period_ns;
    uint64_t count; /* expirations since the last read */
};

/* ---- creation and destruction ---------------------------------------------------------------- */

static bool is_of_process(const struct timer *timer)
{
    return timer->flags & EMULATE_TIMER_PROCESS;
}

static struct timer *find(const struct session *session, const struct emulate_header *call)
{
    bool descriptor = call->c & EMULATE_TIMER_DESCRIPTOR || call->kind == EMULATE_TIMER_READ;
    bool process = call->c & EMULATE_TIMER_PROCESS;
    for (struct timer *t = session->server->timers; t; t = t->next)
        if (descriptor ? t->descriptor && t->descriptor->number == call->target
                       : !t->descriptor && t->pid == session->pid && is_of_process(t) == process &&
                             t->number == call->target)
            return t;
    return NULL;
}

static void remove_timer(struct server *server, struct timer *timer)
{
    struct timer **at = &server->timers;
    while (*at != timer)
        at = &(*at)->next;
    *at = timer->next;
    if (timer->process >= 0)
        close(timer->process);
    free(timer);
}

void timers_free(struct server *server)
{
    while (server->timers)
        remove_timer(server, server->timers);
}

void timer_descriptor_ends(struct server *server, const struct descriptor *descriptor)
{
    for (struct timer *t = server->timers; t; t = t->next)
        if (t->descriptor == descriptor) {
            remove_timer(server, t);
            return;
        }
}

/* Makes a timer. Returns its number, or an errno. */
static int64_t new_timer(struct session *session, uint64_t flags, uint64_t value,
                         struct timer **out)
{
    struct server *server = session->server;
    uint32_t number = 1, count = 0;
    for (const struct timer *t = server->timers; t; t = t->next) {
        count++;
        if (!t->descriptor && t->pid == session->pid && t->number >= number)
            number = t->number + 1;
    }
    struct timer *timer = count < MAX_TIMERS ? calloc(1, sizeof *timer) : NULL;
    if (!timer)
        return -EAGAIN;
    *timer = (struct timer){.next = server->timers,
                            .number = flags & EMULATE_TIMER_PROCESS ? 0 : number,
                            .flags = flags,
                            .value = value,
                            .pid = session->pid,
                            .process = -1};
    if (!(flags & (EMULATE_TIMER_DESCRIPTOR | EMULATE_TIMER_SILENT))) {
        timer->process = (int)syscall(SYS_pidfd_open, session->pid, 0);
        if (timer->process < 0) {
            free(timer);
            return -EAGAIN;
        }
    }
    server->timers = timer;
    *out = timer;
    return timer->number;
}

int64_t timer_new(struct session *session, const struct emulate_header *call, int *client_end)
{
    struct descriptor *descriptor;
    struct timer *timer;
    uint64_t signal = (call->b & EMULATE_TIMER_SIGNAL) >> EMULATE_TIMER_SIGNAL_SHIFT;
    *client_end = -1;
    if (!is_virtual(session->server))
        return -ENOSYS;
    if (signal > (uint64_t)SIGRTMAX || call->b & EMULATE_TIMER_PROCESS)
        return -EINVAL;
    if (!(call->b & EMULATE_TIMER_DESCRIPTOR))
        return new_timer(session, call->b, call->c, &timer);
    int result = descriptor_new(session->server, OF_TIMER, call->b & EMULATE_TIMER_REALTIME ? 1 : 0,
                                &descriptor, client_end);
    if (result < 0)
        return result;
    int64_t number = new_timer(session, EMULATE_TIMER_DESCRIPTOR, 0, &timer);
    if (number < 0) {
        close(*client_end);
        *client_end = -1;
        descriptor_free(session->server, descriptor);
        return number;
    }
    timer->descriptor = descriptor;
    return 0;
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void get_state(const struct session *session, const struct timer *timer, struct buffer *out)
{
    struct emulate_timer_state state = {0};
    if (timer) {
        uint64_t now = server_now_ns(session->server);
        state.period_ns = timer->period_ns;
        if (timer->expires_ns > now)
            state.left_ns = timer->expires_ns - now;
        else if (timer->expires_ns && timer->period_ns)
            state.left_ns = timer->period_ns - (now - timer->expires_ns) % timer->period_ns;
    }
    buffer_append(out, (const char *)&state, sizeof state);
}

static int64_t set(struct session *session, struct timer *timer, const struct emulate_header *call)
{
    struct server *server = session->server;
    bool process = call->c & EMULATE_TIMER_PROCESS;
    get_state(session, timer, &session->reply);
    if (!timer && process) {
        if (!call->a)
            return 0;
        int64_t made = new_timer(
            session, EMULATE_TIMER_PROCESS | (uint64_t)SIGALRM << EMULATE_TIMER_SIGNAL_SHIFT, 0,
            &timer);
        if (made < 0)
            return made;
    }
    uint64_t from = call->a && call->c & EMULATE_TIMER_RELATIVE ? server_now_ns(server) : 0;
    timer->expires_ns = call->a > UINT64_MAX - from ? UINT64_MAX : from + call->a;
    timer->period_ns = call->b ? max_u64(call->b, MIN_PERIOD_NS) : 0;
    timer->count = 0;
    if (process && !call->a)
        remove_timer(server, timer);
    return 0;
}

/* Counts the expirations up to now. */
static void expire(struct timer *timer, uint64_t now_ns)
{
    if (!timer->expires_ns || timer->expires_ns > now_ns)
        return;
    uint64_t period = timer->period_ns;
    uint64_t count = period ? (now_ns - timer->expires_ns) / period + 1 : 1;
    timer->expires_ns = !period                        ? 0
                        : period > UINT64_MAX - now_ns ? UINT64_MAX
                                                       : timer->expires_ns + count * period;
    timer->count += count;
}

/* Takes the number of expirations; *drained: the program must read the byte of the socket. */
static int64_t take(struct timer *timer, uint64_t now_ns, struct buffer *out, bool *drained)
{
    expire(timer, now_ns);
    if (!timer->count)
        return -EAGAIN;
    buffer_append(out, (const char *)&timer->count, sizeof timer->count);
    timer->count = 0;
    *drained = timer->descriptor->readable;
    timer->descriptor->readable = false;
    return (int64_t)sizeof timer->count;
}

int64_t timer_call(struct session *session, const struct emulate_header *call, bool *drained)
{
    struct timer *timer = find(session, call);
    bool process = call->c & EMULATE_TIMER_PROCESS;
    *drained = false;
    session->reply.size = 0;
    if (!timer && !process)
        return call->c & EMULATE_TIMER_DESCRIPTOR || call->kind == EMULATE_TIMER_READ ? -EBADF
                                                                                      : -EINVAL;
    switch (call->kind) {
    case EMULATE_TIMER_SET:
        if (timer && timer->descriptor) { /* the byte of an earlier expiration is taken back */
            *drained = timer->descriptor->readable;
            timer->descriptor->readable = false;
        }
        return set(session, timer, call);
    case EMULATE_TIMER_GET:
        get_state(session, timer, &session->reply);
        return 0;
    case EMULATE_TIMER_READ:
        return !timer || !timer->descriptor
                   ? -EBADF
                   : take(timer, server_now_ns(session->server), &session->reply, drained);
    default:
        if (timer && !timer->descriptor && !process)
            remove_timer(session->server, timer);
        return 0;
    }
}

/* ---- expiration ------------------------------------------------------------------------------ */

bool timer_is_readable(const struct server *server, const struct descriptor *descriptor)
{
    for (const struct timer *t = server->timers; t; t = t->next)
        if (t->descriptor == descriptor)
            return t->count > 0;
    return false;
}

/* Whether a program can notice that a timer expires; a descriptor that is readable stays so. */
static bool is_noticed(const struct timer *timer)
{
    return timer->expires_ns && !(timer->flags & EMULATE_TIMER_SILENT) &&
           !(timer->descriptor && timer->count);
}

uint64_t timers_next_ns(const struct server *server)
{
    uint64_t next = UINT64_MAX;
    for (const struct timer *t = server->timers; t; t = t->next)
        if (is_noticed(t))
            next = min_u64(next, t->expires_ns);
    return next;
}

static bool has_ended(const struct timer *timer)
{
    struct pollfd ended = {.fd = timer->process, .events = POLLIN};
    return timer->process >= 0 && poll(&ended, 1, 0) != 0;
}

void timers_reap(struct server *server)
{
    struct timer *next;
    for (struct timer *timer = server->timers; timer; timer = next) {
        next = timer->next;
        if (has_ended(timer))
            remove_timer(server, timer);
    }
}

/* Sends the signal. Returns false if the process has ended. */
static bool send_signal(const struct timer *timer)
{
    int number = (int)((timer->flags & EMULATE_TIMER_SIGNAL) >> EMULATE_TIMER_SIGNAL_SHIFT);
    long thread = (long)(timer->flags >> EMULATE_TIMER_THREAD_SHIFT);
    siginfo_t info;
    if (has_ended(timer))
        return false;
    memset(&info, 0, sizeof info);
    info.si_signo = number;
    info.si_code = SI_TIMER;
    info.si_value.sival_ptr = (void *)(uintptr_t)timer->value;
    if (is_of_process(timer))
        syscall(SYS_pidfd_send_signal, timer->process, number, NULL, 0);
    else if (thread)
        syscall(SYS_rt_tgsigqueueinfo, timer->pid, thread, number, &info);
    else
        syscall(SYS_pidfd_send_signal, timer->process, number, &info, 0);
    return true;
}

void timers_expire(struct server *server, uint64_t now_ns)
{
    struct timer *first = NULL;
    for (struct timer *t = server->timers; t; t = t->next)
        if (is_noticed(t) && t->expires_ns <= now_ns &&
            (!first || t->expires_ns < first->expires_ns))
            first = t;
    if (!first)
        return;
    expire(first, now_ns);
    if (first->process >= 0 && !send_signal(first))
        remove_timer(server, first);
}
