/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_TRACE_H
#define TALLY_INTEL_GPU_TRACE_H

#include <stdio.h>

#include <tally/gpu.h>

#include "intel/model.h"

/*
 * The MMIO trace of a GPU: a line of regs/trace.h for each access, written to a file.
 *
 *     struct gpu_trace trace = {.file = stderr, .platform = INTEL_SKL};
 *     tally_gpu_set_mmio_listener(gpu, gpu_trace_access, &trace);
 */
struct gpu_trace {
    FILE *file; /* the caller's, who checks it for errors */
    enum intel_model platform;
};

/* A listener; context is a struct gpu_trace. */
void gpu_trace_access(void *context, const struct tally_gpu_access *access);

#endif
