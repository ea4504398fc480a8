/* SPDX-License-Identifier: MIT */
/*
 * The GPU's time and the program's: with the wall clock the GPU follows the machine's clock; the
 * virtual clock is in virtual.c. And calls that wait for requests, with both (docs/emulate.md).
 */
#include <errno.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "preload/server/server.h"

#define SLICE_NS  20000000u /* the GPU runs at least this often */
#define STEP_NS   20000u    /* while calls wait for requests */
#define INLINE_NS 5000000u  /* time that a call waits for requests before it is suspended */

int server_wait_ns(const struct server *server, uint64_t ns, struct epoll_event *event)
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

bool sessions_any_wait_is_over(const struct server *server)
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
    return (uint32_t)session->call->a != DRM_IOCTL_I915_PERF_OPEN || !session->attempt.waits ||
           !i915_fence_done(device, session->attempt.before);
}

/* By the clock that is not the program's: with the virtual clock, results must not depend on how
 * fast the model is. */
static uint64_t waited_clock_ns(const struct server *server)
{
    return is_virtual(server) ? emulation_now_ns(server->emulation) : clock_ns(CLOCK_MONOTONIC);
}

void server_begin_waits(struct server *server, struct session *session)
{
    server->calling = session;
    server->calling_from_ns = waited_clock_ns(server);
}

/* Whether the wait may be for a call of another client, which is not served meanwhile. */
static bool waits_for_calls(const struct server *server)
{
    const struct i915_device *device = server->emulation->device;
    return i915_device_wait(device).changes != 0 || i915_device_has_software(device);
}

/* The driver's sleep. Serves signals, and suspends a call that waits for long. */
int server_sleep(void *closure, uint64_t ns, bool interruptible)
{
    struct server *server = closure;
    struct session *session = server->calling;
    server_take_signals(server);
    if (interruptible && session && may_suspend(session) &&
        (waits_for_calls(server) ||
         waited_clock_ns(server) - server->calling_from_ns >= INLINE_NS ||
         (is_virtual(server) && virtual_is_due(server, session, ns)))) {
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
    return server_wait_ns(server, min_u64(left, SLICE_NS), event);
}

/* ---- both ------------------------------------------------------------------------------------ */

void server_begin_call(struct server *server, const struct session *session, uint64_t max_ns)
{
    if (is_virtual(server))
        virtual_begin_call(server, session, max_ns);
    else if (emulation_lag_ns(server->emulation) > max_ns)
        emulation_catch_up(server->emulation);
}

uint64_t server_monotonic_ns(const struct server *server)
{
    return is_virtual(server) ? server_now_ns(server) : clock_ns(CLOCK_MONOTONIC);
}

int server_wait(struct server *server, struct epoll_event *event)
{
    return is_virtual(server) ? virtual_wait(server, event) : wait_by_wall(server, event);
}
