/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_RPS_H
#define TALLY_INTEL_GPU_RPS_H

/*
 * Render P-states (OA-16.15): the frequency of the GT follows what software requests, and load is
 * evaluated in intervals, at whose ends interrupts say that the frequency is too low or too high.
 */

#include <stdbool.h>
#include <stdint.h>

#include "intel/revision.h"
#include "regs/index.h"

struct tally_gpu;

enum rps_register {
    RPS_REQUEST,
    RPS_VIDEO,
    RPS_DOWN_TIMEOUT,
    RPS_LIMITS,
    RPS_CONTROL,
    RPS_UP_THRESHOLD,
    RPS_DOWN_THRESHOLD,
    RPS_UP_EI,
    RPS_DOWN_EI,
    RPS_IDLE_HYSTERESIS,
    RPS_MASK,
    RPS_STORED, /* number of stored words: the ids above */

    RPS_CUR_UP_EI = RPS_STORED,
    RPS_CUR_UP,
    RPS_PREV_UP,
    RPS_CUR_DOWN_EI,
    RPS_CUR_DOWN,
    RPS_PREV_DOWN
};

enum { RPS_UP, RPS_DOWN, RPS_DIRECTIONS };

/* Evaluation in one direction, in ns. */
struct rps_interval {
    uint64_t length;        /* 0: none */
    uint64_t elapsed, busy; /* so far */
    uint64_t previous;      /* busy time of the interval before */
};

struct gpu_rps {
    uint32_t regs[RPS_STORED];
    uint32_t steps; /* requested frequency in effect, in steps of the platform; 0: none yet */
    bool evaluates; /* an interval, or the idle time, is counted */
    struct rps_interval intervals[RPS_DIRECTIONS];
    uint64_t idle;     /* ns since the GT was busy */
    bool is_timed_out; /* the event of this idle time was raised */
};

#define RPS_NEVER UINT64_MAX

/* Power-on, and a reset of the chip: no frequency is requested. */
void rps_init(struct tally_gpu *gpu);

/* Returns the frequency of the GT while no workload drives it: the requested one, within the SKU's
 * range; before the first request the maximum of the configuration. */
uint32_t rps_clock_hz(const struct tally_gpu *gpu);

/* Puts the request of the registers or of the sideband into effect. Call it after a write of one.
 */
void rps_update(struct tally_gpu *gpu);

/* Returns the value of RPNSWREQ that requests a frequency in steps; 0: the revision has none. */
uint32_t rps_request(enum intel_revision revision, uint32_t steps);

/* Returns the clocks until an interval ends; RPS_NEVER if there is none. */
uint64_t rps_horizon(const struct tally_gpu *gpu);

/* Advances the evaluation, which must be in progress, by a time in which the GT was busy or not. */
void rps_advance(struct tally_gpu *gpu, uint64_t ns, bool busy);

/* The registers. The handlers' context is the struct tally_gpu. */
extern const struct reg_map rps_map;
extern const struct reg_block rps_block;

#endif
