/* SPDX-License-Identifier: MIT */
#include "emulation/nvidia/driven.h"

#include "base/minmax.h"

/* ---- time ------------------------------------------------------------------------------------ */

void driven_gpu_step(struct driven_gpu *driven, uint64_t ns)
{
    struct nvidia_gpu *gpu = driven->gpu;
    uint64_t until = gpu->ns + ns;
    if (driven->program)
        until = min_u64(until, driven->player.next_ns);
    if (driven->act)
        until = min_u64(until, driven->next_ns(driven->act_closure));
    nvidia_gpu_run(gpu, until > gpu->ns ? until - gpu->ns : 0);
    if (driven->program)
        nvidia_player_act(&driven->player);
    if (driven->act && driven->next_ns(driven->act_closure) <= gpu->ns)
        driven->act(driven->act_closure);
}

void driven_gpu_run(struct driven_gpu *driven, uint64_t ns)
{
    uint64_t end = driven->gpu->ns + ns;
    while (driven->gpu->ns < end)
        driven_gpu_step(driven, end - driven->gpu->ns);
}

/* ---- registers ------------------------------------------------------------------------------- */

uint32_t driven_gpu_read32(void *driven, uint32_t address)
{
    return nvidia_gpu_read32(((struct driven_gpu *)driven)->gpu, address);
}

void driven_gpu_write32(void *driven, uint32_t address, uint32_t value)
{
    nvidia_gpu_write32(((struct driven_gpu *)driven)->gpu, address, value);
}

uint64_t driven_gpu_now_ns(void *driven)
{
    return ((const struct driven_gpu *)driven)->gpu->ns;
}

static void hear_access(void *closure, const struct nvidia_access *access)
{
    const struct driven_gpu *driven = closure;
    char text[REG_TRACE_LINE];
    fputs(nvidia_trace_line(driven->gpu, access, text), driven->trace);
}

void driven_gpu_trace(struct driven_gpu *driven, FILE *trace)
{
    driven->trace = trace;
    nvidia_gpu_listen(driven->gpu, trace ? hear_access : NULL, driven);
}

/* ---- construction ---------------------------------------------------------------------------- */

int driven_gpu_init(struct driven_gpu *driven, const struct tally_chipset *chipset,
                    struct tally_error *error)
{
    *driven = (struct driven_gpu){0};
    return nvidia_gpu_new(chipset, &driven->gpu, error);
}

int driven_gpu_load(struct driven_gpu *driven, const char *workload, tally_workload_found *note,
                    void *closure, struct tally_error *error)
{
    int result = tally_workload_load(workload, &driven->workload, error);
    if (result < 0)
        return result;
    nvidia_gpu_set_clocks(driven->gpu);
    result =
        nvidia_program_new(driven->workload, driven->gpu, note, closure, &driven->program, error);
    if (result == 0)
        nvidia_player_start(&driven->player, driven->program, driven->gpu);
    return result;
}

void driven_gpu_fini(struct driven_gpu *driven)
{
    nvidia_gpu_free(driven->gpu);
    nvidia_program_free(driven->program);
    tally_workload_free(driven->workload);
}
