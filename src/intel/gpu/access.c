/* SPDX-License-Identifier: MIT */
/* Counts MMIO accesses by outcome and reports them to a listener. */
#include "intel/gpu/gpu.h"

/* The outcomes of regs/index.h come first. */
_Static_assert((int)TALLY_GPU_DONE == (int)REG_DONE &&
                   (int)TALLY_GPU_UNKNOWN_REGISTER == (int)REG_UNKNOWN &&
                   (int)TALLY_GPU_READ_ONLY == (int)REG_READ_ONLY &&
                   (int)TALLY_GPU_WRITE_ONLY == (int)REG_WRITE_ONLY &&
                   (int)TALLY_GPU_RESERVED_BITS == (int)REG_RESERVED_BITS,
               "begins with the outcomes of regs/index.h");

const char *tally_gpu_access_outcome_name(enum tally_gpu_access_outcome outcome)
{
    static const char *const names[TALLY_GPU_OUTCOMES] = {
        "done",   "unknown register", "read-only", "write-only", "reserved bits",
        "asleep", "fused off",        "denied",    "not decoded"};
    return (unsigned)outcome < TALLY_GPU_OUTCOMES ? names[outcome] : NULL;
}

void tally_gpu_set_mmio_listener(struct tally_gpu *gpu,
                                 void (*listener)(void *context,
                                                  const struct tally_gpu_access *access),
                                 void *context)
{
    gpu->listener = listener;
    gpu->listener_context = context;
    gpu->listener_of_unknown = false;
}

void gpu_set_unknown_listener(struct tally_gpu *gpu,
                              void (*listener)(void *context,
                                               const struct tally_gpu_access *access),
                              void *context)
{
    tally_gpu_set_mmio_listener(gpu, listener, context);
    gpu->listener_of_unknown = true;
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
        .not_decoded = count_of(gpu, TALLY_GPU_NOT_DECODED),
    };
}

/* Returns the name of a range that routing handles without registers; NULL for other addresses. */
static const char *range_name(uint32_t address)
{
    if (GT_IS_MCHBAR(address))
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
        access.name = range_name(address);
    if (row && write)
        access.reserved = value & ~row->documented;
    gpu->listener(gpu->listener_context, &access);
}
