/* SPDX-License-Identifier: MIT */
/* Waiting for a device, whose time passes meanwhile. */
#include "capture/wait.h"

#include <poll.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "capture/emulated.h"

/* Maximum model time that runs at once, and after which `wake` is polled again. */
#define SLICE_NS UINT64_C(20000000)
#define POLL_NS  UINT64_C(5000000)

/* Waits up to timeout_ns for a descriptor of this process. Returns true if it is readable. */
static bool wait_readable(int wake, uint64_t timeout_ns)
{
    struct pollfd fd = {.fd = wake, .events = POLLIN};
    struct timespec timeout = timespec_of_ns(timeout_ns);
    return (wake >= 0 || timeout_ns) && ppoll(&fd, wake >= 0, &timeout, NULL) > 0;
}

/* Returns for how many ns the GPU may run now. 0: it has caught up with the wall clock, and the
 * caller should look again after *sleep_ns. */
static uint64_t time_to_run(const struct waiting *waiting, uint64_t end, uint64_t *sleep_ns)
{
    const struct waiting_calls *calls = waiting->calls;
    uint64_t now = calls->now_ns(waiting->closure), next = calls->next_ns(waiting->closure);
    uint64_t run = min_u64(end - now, SLICE_NS);
    if (waiting->wall) {
        uint64_t lag = calls->lag_ns ? calls->lag_ns(waiting->closure) : 0;
        if (!lag) {
            uint64_t until = min_u64(min_u64(next, end), now + SLICE_NS);
            *sleep_ns = until > now ? until - now : 1000;
            return 0;
        }
        run = min_u64(run, lag);
    }
    return next > now && next != UINT64_MAX ? min_u64(run, next - now) : run;
}

/*
 * With the free clock the GPU runs without waiting. With the wall clock it runs up to the present
 * and then sleeps until the driver's next timer or the timeout; a model slower than real time lags
 * behind.
 */
int device_wait(const struct waiting *waiting, int wake, uint64_t timeout_ns)
{
    const struct waiting_calls *calls = waiting->calls;
    uint64_t start = calls->now_ns(waiting->closure), sleep_ns = 0;
    uint64_t end = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;
    uint64_t poll_ns = start;
    for (;;) {
        int ready =
            waiting->has_records && waiting->has_records(waiting->stream) ? DEVICE_STREAM : 0;
        uint64_t now = calls->now_ns(waiting->closure);
        if (now >= poll_ns) {
            ready |= wait_readable(wake, sleep_ns) ? DEVICE_WAKE : 0;
            poll_ns = waiting->wall ? 0 : now + POLL_NS;
        }
        sleep_ns = 0;
        if (ready || calls->now_ns(waiting->closure) >= end)
            return ready;
        uint64_t run = time_to_run(waiting, end, &sleep_ns);
        if (run)
            calls->run_ns(waiting->closure, run);
    }
}

/* ---- an emulated GPU of Intel ---------------------------------------------------------------- */

static uint64_t now_ns(void *closure)
{
    return emulation_now_ns(closure);
}

static uint64_t next_ns(void *closure)
{
    return emulation_next_ns(closure);
}

static uint64_t lag_ns(void *closure)
{
    return emulation_lag_ns(closure);
}

static void run_ns(void *closure, uint64_t ns)
{
    emulation_run_ns(closure, ns);
}

int emulated_wait(struct emulation *emulation, bool (*has_records)(void *closure), void *closure,
                  int wake, uint64_t timeout_ns)
{
    static const struct waiting_calls calls = {now_ns, next_ns, lag_ns, run_ns};
    const struct waiting waiting = {&calls, emulation, emulation->clock == EMULATION_WALL,
                                    has_records, closure};
    return device_wait(&waiting, wake, timeout_ns);
}
