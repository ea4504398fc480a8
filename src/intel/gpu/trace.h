/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_TRACE_H
#define TALLY_INTEL_GPU_TRACE_H

#include <stdio.h>

#include <tally/gpu.h>

#include "intel/revision.h"
#include "regs/trace.h"

/*
 * The MMIO trace of a GPU: a line of regs/trace.h for each access, written to a file.
 *
 *     gpu_trace_start(&trace, stderr, gpu);
 */
struct gpu_trace {
    FILE *file; /* owned by the caller, who also checks it for errors */
    enum intel_revision revision;
};

/* Traces all accesses of a GPU from now on. `trace` must stay valid until the GPU is freed. */
void gpu_trace_start(struct gpu_trace *trace, FILE *file, struct tally_gpu *gpu);

/* The listener of tally_gpu_set_mmio_listener(); context is a struct gpu_trace. */
void gpu_trace_access(void *context, const struct tally_gpu_access *access);

/* Writes the numbers of accesses that were not plainly carried out, by outcome. Returns the number
 * of outcomes. */
size_t gpu_trace_outcomes(const struct tally_gpu_mmio_stats *stats,
                          struct reg_outcome outcomes[REG_OUTCOMES_MAX]);

#endif
