/* SPDX-License-Identifier: MIT */
/* The clocks of an emulated device. */
#include "base/clock.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "emulation/emulation.h"
#include "intel/gpu/gpu.h"

#define PART_NS 1000000u /* GPU time between two looks at the machine's clock */

static uint64_t gpu_ns(const struct emulation *emulation)
{
    return emulation->model->now_ns(emulation);
}

/* ---- the GPU's time -------------------------------------------------------------------------- */

/* Runs the GPU until `until` or until the next action is due, whichever is first. */
static void run_until(struct emulation *emulation, uint64_t until)
{
    uint64_t now = gpu_ns(emulation);
    if (emulation->act)
        until = min_u64(until, emulation->next_ns(emulation->act_closure));
    emulation->model->run_ns(emulation, until > now ? until - now : 1);
    if (emulation->act && emulation->next_ns(emulation->act_closure) <= gpu_ns(emulation))
        emulation->act(emulation->act_closure);
}

void emulation_run_ns(struct emulation *emulation, uint64_t ns)
{
    uint64_t end = gpu_ns(emulation) + ns;
    while (gpu_ns(emulation) < end) {
        run_until(emulation, min_u64(emulation->driver->next_ns(emulation), end));
        emulation->driver->tick(emulation);
    }
}

/* Lets GPU time pass without the driver's timers, while the driver sleeps. */
static void pass_ns(struct emulation *emulation, uint64_t ns)
{
    uint64_t end = gpu_ns(emulation) + ns;
    while (gpu_ns(emulation) < end)
        run_until(emulation, end);
}

/* ---- the clock ------------------------------------------------------------------------------- */

uint64_t emulation_now_ns(const struct emulation *emulation)
{
    return emulation->origin_ns + gpu_ns(emulation);
}

uint64_t emulation_quiet_ns(const struct emulation *emulation)
{
    return emulation->platform ? gpu_step_ns(emulation->gpu) : 0;
}

uint64_t emulation_next_ns(const struct emulation *emulation)
{
    uint64_t next = emulation->driver->next_ns(emulation);
    return next > UINT64_MAX - emulation->origin_ns ? UINT64_MAX : next + emulation->origin_ns;
}

void emulation_start_clock(struct emulation *emulation)
{
    if (emulation->clock == EMULATION_WALL)
        emulation->origin_ns = clock_ns(CLOCK_MONOTONIC) - gpu_ns(emulation);
}

uint64_t emulation_lag_ns(const struct emulation *emulation)
{
    uint64_t wall = clock_ns(CLOCK_MONOTONIC), now = emulation_now_ns(emulation);
    return emulation->clock == EMULATION_WALL && wall > now ? wall - now : 0;
}

/* Calls `run` for parts of `ns`, until max_run_ns of the machine's time have passed. */
static void run_limited(struct emulation *emulation, uint64_t ns,
                        void (*run)(struct emulation *emulation, uint64_t ns))
{
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    for (uint64_t part; ns; ns -= part) {
        part = emulation->max_run_ns ? min_u64(ns, PART_NS) : ns;
        run(emulation, part);
        if (part < ns && clock_ns(CLOCK_MONOTONIC) - start >= emulation->max_run_ns)
            break;
    }
}

void emulation_catch_up(struct emulation *emulation)
{
    uint64_t lag = emulation_lag_ns(emulation);
    if (lag > emulation->max_lag_ns) {
        emulation->paused_ns += lag - emulation->max_lag_ns;
        emulation->origin_ns += lag - emulation->max_lag_ns;
        lag = emulation->max_lag_ns;
    }
    run_limited(emulation, lag, emulation_run_ns);
}

/* Sleeps by the wall clock while the driver waits for hardware. Signals do not end it. */
static void sleep_by_wall(struct emulation *emulation, uint64_t ns)
{
    uint64_t until = emulation_now_ns(emulation) + ns, wall = clock_ns(CLOCK_MONOTONIC);
    if (until > wall) {
        struct timespec left = timespec_of_ns(until - wall);
        nanosleep(&left, NULL);
    } else if (!ns) { /* catch up with the time that the driver has used */
        run_limited(emulation, min_u64(wall - until, emulation->max_lag_ns), pass_ns);
        return;
    }
    pass_ns(emulation, ns);
}

void emulation_sleep_by_clock(struct emulation *emulation, uint64_t ns)
{
    if (emulation->clock == EMULATION_WALL)
        sleep_by_wall(emulation, ns);
    else
        pass_ns(emulation, ns);
}

int emulation_sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct emulation *emulation = closure;
    if (emulation->sleep_ns)
        return emulation->sleep_ns(emulation->sleep_closure, ns, interruptible);
    emulation_sleep_by_clock(emulation, ns);
    return 0;
}
