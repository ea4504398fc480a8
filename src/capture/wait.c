/* SPDX-License-Identifier: MIT */
/* Waiting for an emulated device, whose time passes meanwhile. */
#include <poll.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "capture/emulated.h"

/* Maximum model time that runs before `wake` is polled again. */
#define SLICE_NS UINT64_C(20000000)

/* Waits up to timeout_ns for a descriptor of this process. Returns true if it is readable. */
static bool wait_readable(int wake, uint64_t timeout_ns)
{
    struct pollfd fd = {.fd = wake, .events = POLLIN};
    struct timespec timeout = timespec_of_ns(timeout_ns);
    return (wake >= 0 || timeout_ns) && ppoll(&fd, wake >= 0, &timeout, NULL) > 0;
}

/* Returns for how many ns the GPU may run now. 0: it has caught up with the wall clock, and the
 * caller should look again after *sleep_ns. */
static uint64_t time_to_run(const struct emulation *emulation, uint64_t end, uint64_t *sleep_ns)
{
    uint64_t now = emulation_now_ns(emulation), next = emulation_next_ns(emulation);
    uint64_t run = min_u64(end - now, SLICE_NS);
    if (emulation->clock == EMULATION_WALL) {
        uint64_t lag = emulation_lag_ns(emulation);
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
int emulated_wait(struct emulation *emulation, bool (*has_records)(void *closure), void *closure,
                  int wake, uint64_t timeout_ns)
{
    uint64_t start = emulation_now_ns(emulation), sleep_ns = 0;
    uint64_t end = timeout_ns > UINT64_MAX - start ? UINT64_MAX : start + timeout_ns;
    for (;;) {
        int ready = (has_records && has_records(closure) ? DEVICE_STREAM : 0) |
                    (wait_readable(wake, sleep_ns) ? DEVICE_WAKE : 0);
        sleep_ns = 0;
        if (ready || emulation_now_ns(emulation) >= end)
            return ready;
        uint64_t run = time_to_run(emulation, end, &sleep_ns);
        if (run)
            emulation_run_ns(emulation, run);
    }
}
