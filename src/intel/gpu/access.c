/* SPDX-License-Identifier: MIT */
/* MMIO accesses as others see them: counted by outcome, and reported to a listener. */
#include "intel/gpu/gpu.h"

/* The verdicts of the index are the first outcomes. */
_Static_assert((int)TALLY_GPU_DONE == (int)REG_DONE &&
                   (int)TALLY_GPU_UNKNOWN_REGISTER == (int)REG_UNKNOWN &&
                   (int)TALLY_GPU_READ_ONLY == (int)REG_READ_ONLY &&
                   (int)TALLY_GPU_WRITE_ONLY == (int)REG_WRITE_ONLY &&
                   (int)TALLY_GPU_RESERVED_BITS == (int)REG_RESERVED_BITS,
               "outcomes begin with the verdicts of regs/index.h");

const char *tally_gpu_access_outcome_name(enum tally_gpu_access_outcome outcome)
{
    static const char *const names[TALLY_GPU_OUTCOMES] = {
        "done",          "unknown register", "read-only", "write-only",
        "reserved bits", "asleep",           "fused off", "denied"};
    return (unsigned)outcome < TALLY_GPU_OUTCOMES ? names[outcome] : NULL;
}

void tally_gpu_set_mmio_listener(struct tally_gpu *gpu,
                                 void (*listener)(void *context,
                                                  const struct tally_gpu_access *access),
                                 void *context)
{
    gpu->listener = listener;
    gpu->listener_context = context;
}

static uint64_t count_of(const struct tally_gpu *gpu, enum tally_gpu_access_outcome outcome)
{
    return gpu->accesses[false][outcome] + gpu->accesses[true][outcome];
}

static uint64_t count_all(const struct tally_gpu *gpu, bool write)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < TALLY_GPU_OUTCOMES; i++)
        count += gpu->accesses[write][i];
    return count;
}

struct tally_gpu_mmio_stats tally_gpu_mmio_stats(const struct tally_gpu *gpu)
{
    return (struct tally_gpu_mmio_stats){
        .reads = count_all(gpu, false),
        .writes = count_all(gpu, true),
        .unknown_register = count_of(gpu, TALLY_GPU_UNKNOWN_REGISTER),
        .read_only = count_of(gpu, TALLY_GPU_READ_ONLY),
        .write_only = count_of(gpu, TALLY_GPU_WRITE_ONLY),
        .reserved_bits = count_of(gpu, TALLY_GPU_RESERVED_BITS),
        .asleep = count_of(gpu, TALLY_GPU_ASLEEP),
        .fused_off = count_of(gpu, TALLY_GPU_FUSED_OFF),
        .denied = count_of(gpu, TALLY_GPU_DENIED),
    };
}

/* What routing alone answers has no register. */
static const char *name_beside(uint32_t address)
{
    if (address - GT_MCHBAR_FIRST < GT_MCHBAR_BYTES)
        return "MCHBAR";
    return address - GT_HYPERVISOR_FIRST < GT_HYPERVISOR_BYTES ? "HYPERVISOR" : NULL;
}

void gpu_report_access(const struct tally_gpu *gpu, enum tally_gpu_agent agent, bool write,
                       uint32_t address, uint32_t value, enum tally_gpu_access_outcome outcome)
{
    char name[64];
    unsigned element;
    struct reg_place place;
    struct tally_gpu_access access = {
        .clock = gpu_now(gpu),
        .ns = gpu->ns,
        .address = address,
        .value = value,
        .agent = agent,
        .write = write,
        .outcome = outcome,
    };
    const struct reg_row *row = reg_index_find(gpu->index, address, &element);
    if (reg_index_place(gpu->index, address, &place))
        access.name = reg_element_name(&place, name, sizeof name);
    else if (has_steering(gpu))
        access.name = name_beside(address);
    if (row && write)
        access.reserved = value & ~row->documented;
    gpu->listener(gpu->listener_context, &access);
}
