/* SPDX-License-Identifier: MIT */
/* The MMIO trace of a GPU. */
#include "intel/gpu/trace.h"

#include <assert.h>
#include <limits.h>

#include "base/bits.h"
#include "intel/gpu/gpu.h"
#include "intel/registers.h"

/* Returns the mark of an outcome. Reserved bits are marked by reg_trace_line(). */
static const char *mark_of(enum tally_gpu_access_outcome outcome)
{
    bool marked = outcome != TALLY_GPU_DONE && outcome != TALLY_GPU_RESERVED_BITS;
    return marked ? tally_gpu_access_outcome_name(outcome) : NULL;
}

void gpu_trace_access(void *context, const struct tally_gpu_access *access)
{
    static const char *const agents[] = {
        [TALLY_GPU_CPU] = "cpu",
        [TALLY_GPU_STREAMER] = "cs",
        [TALLY_GPU_SCHEDULER] = "guc",
        [TALLY_GPU_FUNCTION] = "vf",
    };
    const struct gpu_trace *trace = context;
    const struct reg_index *index = intel_register_index(trace->revision);
    char text[REG_TRACE_LINE];
    struct reg_place place;
    bool found = index && reg_index_place(index, access->address, &place);
    struct reg_trace line = {
        .clock = access->clock,
        .agent = agents[access->agent],
        .write = access->write,
        .address = access->address,
        .value = access->value,
        .place = found ? &place : NULL,
        .name = access->name,
        .revision = INTEL_BIT(trace->revision),
        .instances = UINT_MAX,
        .mark = mark_of(access->outcome),
    };
    fputs(reg_trace_line(&line, text), trace->file);
}

void gpu_trace_start(struct gpu_trace *trace, FILE *file, struct tally_gpu *gpu)
{
    *trace = (struct gpu_trace){file, gpu->platform->revision};
    tally_gpu_set_mmio_listener(gpu, gpu_trace_access, trace);
}

size_t gpu_trace_outcomes(const struct tally_gpu_mmio_stats *stats,
                          struct reg_outcome outcomes[REG_OUTCOMES_MAX])
{
    const struct {
        enum tally_gpu_access_outcome outcome;
        uint64_t count;
    } rows[] = {
        {TALLY_GPU_UNKNOWN_REGISTER, stats->unknown_register},
        {TALLY_GPU_READ_ONLY, stats->read_only},
        {TALLY_GPU_WRITE_ONLY, stats->write_only},
        {TALLY_GPU_RESERVED_BITS, stats->reserved_bits},
        {TALLY_GPU_ASLEEP, stats->asleep},
        {TALLY_GPU_FUSED_OFF, stats->fused_off},
        {TALLY_GPU_DENIED, stats->denied},
        {TALLY_GPU_NOT_DECODED, stats->not_decoded},
    };
    static_assert(ARRAY_COUNT(rows) == TALLY_GPU_OUTCOMES - 1, "all outcomes but done");
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        outcomes[i] =
            (struct reg_outcome){tally_gpu_access_outcome_name(rows[i].outcome), rows[i].count};
    return ARRAY_COUNT(rows);
}
