/* SPDX-License-Identifier: MIT */
#include "emulation/nvidia/device.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "emulation/nvidia/faults.h"

/* Start of the clock with EMULATION_FREE; constant, so that the same run gives the same bytes. */
#define FREE_START_NS UINT64_C(1000000000)

/* ---- time ------------------------------------------------------------------------------------ */

void nvidia_emulation_run_ns(struct nvidia_emulation *emulation, uint64_t ns)
{
    driven_gpu_run(&emulation->driven, ns);
}

uint64_t nvidia_emulation_now_ns(const struct nvidia_emulation *emulation)
{
    return emulation->origin_ns + emulation->driven.gpu->ns;
}

uint64_t nvidia_emulation_lag_ns(const struct nvidia_emulation *emulation)
{
    uint64_t wall = clock_ns(CLOCK_MONOTONIC), now = nvidia_emulation_now_ns(emulation);
    return emulation->clock == EMULATION_WALL && wall > now ? wall - now : 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static int sleep_ns(void *closure, uint64_t ns, bool interruptible)
{
    struct nvidia_emulation *emulation = closure;
    (void)interruptible; /* signals do not end it */
    if (emulation->clock == EMULATION_WALL && !nvidia_emulation_lag_ns(emulation)) {
        struct timespec left = timespec_of_ns(ns);
        nanosleep(&left, NULL);
    }
    nvidia_emulation_run_ns(emulation, ns);
    return 0;
}

struct driver_io nvidia_emulation_io(struct nvidia_emulation *emulation)
{
    return (struct driver_io){driven_gpu_read32, driven_gpu_write32, driven_gpu_now_ns, sleep_ns,
                              emulation};
}

/* ---- construction ---------------------------------------------------------------------------- */

static int build(struct nvidia_emulation *emulation,
                 const struct nvidia_emulation_settings *settings, struct tally_error *error)
{
    int result = driven_gpu_init(&emulation->driven, settings->chipset, error);
    if (result < 0)
        return result;
    nvidia_gpu_set_clocks(emulation->driven.gpu);
    if (settings->workload)
        result = driven_gpu_load(&emulation->driven, settings->workload, settings->note,
                                 settings->closure, error);
    if (result == 0 && settings->faults)
        result = nvidia_faults_bind(settings->faults, emulation, &emulation->faults, error);
    if (result < 0)
        return result;
    if (settings->mmio)
        driven_gpu_trace(&emulation->driven, settings->mmio);
    emulation->clock = settings->clock;
    emulation->origin_ns = settings->clock == EMULATION_WALL
                               ? clock_ns(CLOCK_MONOTONIC) - emulation->driven.gpu->ns
                               : FREE_START_NS;
    return 0;
}

int nvidia_emulation_new(const struct nvidia_emulation_settings *settings,
                         struct nvidia_emulation **out, struct tally_error *error)
{
    struct nvidia_emulation *emulation = calloc(1, sizeof *emulation);
    if (!emulation)
        return fail_memory(error, "a device");
    int result = build(emulation, settings, error);
    if (result < 0)
        nvidia_emulation_free(emulation);
    else
        *out = emulation;
    return result;
}

void nvidia_emulation_free(struct nvidia_emulation *emulation)
{
    if (!emulation)
        return;
    nvidia_faults_free(emulation->faults);
    driven_gpu_fini(&emulation->driven);
    free(emulation);
}
