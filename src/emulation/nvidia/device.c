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
    struct nvidia_gpu *gpu = emulation->gpu;
    uint64_t end = gpu->ns + ns;
    while (gpu->ns < end) {
        uint64_t until = end;
        if (emulation->program)
            until = min_u64(until, emulation->player.next_ns);
        if (emulation->act)
            until = min_u64(until, emulation->next_ns(emulation->act_closure));
        nvidia_gpu_run(gpu, until > gpu->ns ? until - gpu->ns : 0);
        if (emulation->program)
            nvidia_player_act(&emulation->player);
        if (emulation->act && emulation->next_ns(emulation->act_closure) <= gpu->ns)
            emulation->act(emulation->act_closure);
    }
}

uint64_t nvidia_emulation_now_ns(const struct nvidia_emulation *emulation)
{
    return emulation->origin_ns + emulation->gpu->ns;
}

uint64_t nvidia_emulation_lag_ns(const struct nvidia_emulation *emulation)
{
    uint64_t wall = clock_ns(CLOCK_MONOTONIC), now = nvidia_emulation_now_ns(emulation);
    return emulation->clock == EMULATION_WALL && wall > now ? wall - now : 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t read32(void *closure, uint32_t address)
{
    return nvidia_gpu_read32(((struct nvidia_emulation *)closure)->gpu, address);
}

static void write32(void *closure, uint32_t address, uint32_t value)
{
    nvidia_gpu_write32(((struct nvidia_emulation *)closure)->gpu, address, value);
}

static uint64_t now_ns(void *closure)
{
    return ((const struct nvidia_emulation *)closure)->gpu->ns;
}

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
    return (struct driver_io){read32, write32, now_ns, sleep_ns, emulation};
}

static void hear_access(void *closure, const struct nvidia_access *access)
{
    const struct nvidia_emulation *emulation = closure;
    char text[REG_TRACE_LINE];
    fputs(nvidia_trace_line(emulation->gpu, access, text), emulation->trace);
}

/* ---- construction ---------------------------------------------------------------------------- */

static int build(struct nvidia_emulation *emulation,
                 const struct nvidia_emulation_settings *settings, struct tally_error *error)
{
    int result = nvidia_gpu_new(settings->chipset, &emulation->gpu, error);
    if (result < 0)
        return result;
    nvidia_gpu_set_clocks(emulation->gpu);
    if (settings->workload) {
        result = tally_workload_load(settings->workload, &emulation->workload, error);
        if (result == 0)
            result = nvidia_program_new(emulation->workload, emulation->gpu, settings->note,
                                        settings->closure, &emulation->program, error);
    }
    if (result == 0 && settings->faults)
        result = nvidia_faults_bind(settings->faults, emulation, &emulation->faults, error);
    if (result < 0)
        return result;
    if (emulation->program)
        nvidia_player_start(&emulation->player, emulation->program, emulation->gpu);
    emulation->trace = settings->mmio;
    if (settings->mmio)
        nvidia_gpu_listen(emulation->gpu, hear_access, emulation);
    emulation->clock = settings->clock;
    emulation->origin_ns = settings->clock == EMULATION_WALL
                               ? clock_ns(CLOCK_MONOTONIC) - emulation->gpu->ns
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
    nvidia_gpu_free(emulation->gpu);
    nvidia_program_free(emulation->program);
    tally_workload_free(emulation->workload);
    free(emulation);
}
