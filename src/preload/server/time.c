/* SPDX-License-Identifier: MIT */
/*
 * The GPU's time and the program's: with the wall clock the GPU follows the machine's clock; with
 * the free clock the program's clocks follow the GPU (docs/emulate.md).
 */
#include <errno.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "preload/server/server.h"
#include "preload/server/tasks.h"

#define SLICE_NS  20000000u  /* the GPU runs at least this often */
#define CALL_NS   1000u      /* free clock: duration of a call */
#define SCAN_NS   50000u     /* free clock: period of scans while threads run */
#define SPIN_NS   100000000u /* free clock: CPU time without calls that does not advance the GPU */
#define STEP_NS   20000u     /* while calls wait for requests */
#define PART_NS   1000000u   /* GPU time between two looks at signals */
#define INLINE_NS 5000000u   /* time that a call waits for requests before it is suspended */

/* Waits for an event for up to `ns`, less than a second. Returns 1 with an event, else 0 or -1. */
static int wait_ns(const struct server *server, uint64_t ns, struct epoll_event *event)
{
    struct timespec timeout = {0, (long)ns};
    int count = epoll_pwait2(server->epoll, event, 1, &timeout, NULL);
    if (count < 0 && errno == ENOSYS) /* before Linux 5.11 */
        count = epoll_wait(server->epoll, event, 1, (int)((ns + 999999) / 1000000));
    return count;
}

/* ---- waits for requests ---------------------------------------------------------------------- */

static bool any_suspended(const struct server *server)
{
    for (const struct session *session = server->sessions; session; session = session->next)
        if (session->suspended)
            return true;
    return false;
}

static bool any_wait_is_over(const struct server *server)
{
    for (const struct session *session = server->sessions; session; session = session->next)
        if (session->suspended && session_wait_is_over(session))
            return true;
    return false;
}

/* Whether the wait of a call may be interrupted, so that the program makes the call again later.
 * PERF_OPEN would start anew. */
static bool may_suspend(const struct session *session)
{
    const struct i915_device *device = session->server->emulation->device;
    return (uint32_t)session->call->a != DRM_IOCTL_I915_PERF_OPEN || !session->attempt.settled ||
           !i915_fence_done(device, session->attempt.settled);
}

/* By the clock that is not the program's: with the free clock, results must not depend on how fast
 * the model is. */
static uint64_t waited_clock_ns(const struct server *server)
{
    return is_free(server) ? emulation_now_ns(server->emulation) : clock_ns(CLOCK_MONOTONIC);
}

void server_begin_waits(struct server *server, struct session *session)
{
    server->calling = session;
    server->calling_from_ns = waited_clock_ns(server);
}

/* Whether the wait may be for a call of another client, which is not served meanwhile. */
static bool waits_for_calls(const struct server *server)
{
    return i915_device_wait(server->emulation->device).changes != 0;
}

/* The driver's sleep. Serves signals, and suspends a call that waits for long. */
int server_sleep(void *closure, uint64_t ns, bool interruptible)
{
    struct server *server = closure;
    struct session *session = server->calling;
    server_take_signals(server);
    if (interruptible && session && may_suspend(session) &&
        (waits_for_calls(server) ||
         waited_clock_ns(server) - server->calling_from_ns >= INLINE_NS)) {
        session->interrupted = true;
        return -EINTR;
    }
    emulation_sleep_by_clock(server->emulation, ns);
    return 0;
}

/* ---- the wall clock -------------------------------------------------------------------------- */

/* Waits for an event until the driver's next timer. */
static int wait_by_wall(const struct server *server, struct epoll_event *event)
{
    uint64_t now = emulation_now_ns(server->emulation);
    uint64_t lag = emulation_lag_ns(server->emulation);
    uint64_t next = emulation_next_ns(server->emulation);
    uint64_t left = next == UINT64_MAX ? SLICE_NS : next > now + lag ? next - now - lag : 0;
    if (any_suspended(server))
        left = min_u64(left, STEP_NS);
    return wait_ns(server, min_u64(left, SLICE_NS), event);
}

/* ---- the free clock -------------------------------------------------------------------------- */

static uint64_t device_ns(const struct server *server)
{
    return server->origin_ns + emulation_now_ns(server->emulation);
}

uint64_t server_now_ns(const struct server *server)
{
    return max_u64(server->program_ns, device_ns(server));
}

uint64_t server_monotonic_ns(const struct server *server)
{
    return is_free(server) ? server_now_ns(server) : clock_ns(CLOCK_MONOTONIC);
}

static void pass_ns(struct server *server, uint64_t ns)
{
    server->program_ns = server_now_ns(server) + ns;
}

/* Runs the GPU in parts, between which signals are served. */
static void run_ns(struct server *server, uint64_t ns)
{
    for (uint64_t part; ns; ns -= part) {
        part = min_u64(ns, PART_NS);
        emulation_run_ns(server->emulation, part);
        if (part < ns)
            server_take_signals(server);
    }
}

/* Runs the GPU up to the program's clock if it is more than `max_ns` behind. */
static void follow_program(struct server *server, uint64_t max_ns)
{
    uint64_t device = device_ns(server);
    if (server->program_ns > device + max_ns)
        run_ns(server, server->program_ns - device);
}

/* Lets time pass: with calls that wait for requests, until one of them is complete. */
static void pass_idle_ns(struct server *server, uint64_t ns)
{
    uint64_t step = any_suspended(server) ? min_u64(ns, STEP_NS) : ns;
    for (uint64_t passed = 0; passed < ns; passed += step) {
        step = min_u64(step, ns - passed);
        pass_ns(server, step);
        follow_program(server, 0);
        if (any_wait_is_over(server))
            break;
    }
}

/* Returns the time that may pass in one step: until the end of a sleep, or until the driver's next
 * timer, which wakes reads. 0: no client waits for time. */
static uint64_t idle_ns(const struct server *server)
{
    uint64_t now = server_now_ns(server), end = now + SLICE_NS;
    uint64_t next = emulation_next_ns(server->emulation);
    bool waits = false;
    for (const struct session *session = server->sessions; session; session = session->next) {
        waits = waits || session->waits || session->sleeps || session->suspended;
        if (session->sleeps && session->wake_ns < end)
            end = session->wake_ns;
    }
    if (next < end - server->origin_ns)
        end = next + server->origin_ns;
    return waits ? end > now ? end - now : 1 : 0;
}

/* Returns the CPU time since the latest call beyond SPIN_NS by which the GPU must still advance. */
static uint64_t spent_ns(struct server *server, const struct tasks *tasks)
{
    if (!server->seen_cpu_ns || tasks->cpu_ns < server->seen_cpu_ns)
        server->seen_cpu_ns = tasks->cpu_ns;
    uint64_t spent = tasks->cpu_ns - server->seen_cpu_ns;
    if (spent <= SPIN_NS)
        return 0;
    spent = min_u64(spent - SPIN_NS, SLICE_NS);
    server->seen_cpu_ns += spent;
    return spent;
}

/*
 * Waits for an event. Time advances while no thread of the program can run, independent of other
 * load on the machine. A program that uses CPU time without calls may be polling memory, so after
 * SPIN_NS the GPU's time follows the CPU time.
 */
static int wait_freely(struct server *server, struct epoll_event *event)
{
    struct tasks tasks;
    if (wait_ns(server, 0, event) == 1)
        return 1;
    bool idle = tasks_idle(&tasks);
    if (wait_ns(server, 0, event) == 1)
        return 1;
    uint64_t ns = idle ? idle_ns(server) : spent_ns(server, &tasks);
    if (!ns)
        return wait_ns(server, idle ? SLICE_NS : SCAN_NS, event);
    pass_idle_ns(server, ns);
    return 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

void server_start_clock(struct server *server)
{
    emulation_start_clock(server->emulation);
    server->program_ns = clock_ns(CLOCK_MONOTONIC);
    server->origin_ns = server->program_ns - emulation_now_ns(server->emulation);
}

void server_begin_call(struct server *server, uint64_t max_ns)
{
    if (is_free(server)) {
        pass_ns(server, CALL_NS);
        follow_program(server, max_ns);
    } else if (emulation_lag_ns(server->emulation) > max_ns) {
        emulation_catch_up(server->emulation);
    }
}

int server_wait(struct server *server, struct epoll_event *event)
{
    int count = is_free(server) ? wait_freely(server, event) : wait_by_wall(server, event);
    if (count == 1)
        server->seen_cpu_ns = 0;
    return count;
}
