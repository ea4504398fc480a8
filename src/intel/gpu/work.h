/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_WORK_H
#define TALLY_INTEL_GPU_WORK_H

/*
 * The work of commands: how long the cost model lets an engine be busy, and what it adds to the
 * counters, the NOA bits, the EU array and the pipeline's statistics. The work of an engine is done
 * in the order of its commands.
 */

#include "intel/cost/cost.h"
#include "intel/oa/spread.h"
#include "regs/index.h"

#define GPU_SO_OFFSETS          9 /* of SO_WRITE_OFFSET, behind 3DPRIM_* and GPGPU_DISPATCHDIM* */
#define GPU_PIPELINE_PARAMETERS (GPU_SO_OFFSETS + COST_SO_BUFFERS)

struct gpu_statistic {
    uint64_t value;     /* without the work below */
    struct spread work; /* in progress or done */
};

/* The render pipeline's state. */
struct gpu_pipeline {
    struct cost_state state;
    struct gpu_statistic statistics[COST_STATISTICS]; /* by enum cost_statistic */
    uint32_t parameters[GPU_PIPELINE_PARAMETERS];     /* by reg.id: see pipeline.def */
};

/* The pipeline's registers (pipeline.def). The handlers' context is the struct tally_gpu. */
extern const struct reg_map gpu_pipeline_map;
extern const struct reg_block gpu_pipeline_block;

struct gpu_engine;
struct tally_gpu;

/* The reset values: nothing is bound, all counts are 0, no work is in progress. */
void gpu_pipeline_reset(struct tally_gpu *gpu);

/* Read or write a register of the pipeline; false if it does not have the address. */
bool gpu_pipeline_read(struct tally_gpu *gpu, uint32_t address, uint32_t *out);
bool gpu_pipeline_write(struct tally_gpu *gpu, uint32_t address, uint32_t value);

/* Adds what has been counted to the values of the statistics; no work is in progress. */
void gpu_pipeline_finish(struct tally_gpu *gpu);

/* A command binds state. */
void gpu_bind_state(struct tally_gpu *gpu, const struct streamer_work *work);

/* Starts the work of a command, behind that in progress. `clocks` is its duration, during which
 * only statistics are counted; 0: the cost model decides on it, and counts everything. */
void gpu_start_work(struct tally_gpu *gpu, struct gpu_engine *engine,
                    const struct streamer_work *work, uint64_t clocks);

#endif
