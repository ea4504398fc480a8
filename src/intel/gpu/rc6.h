/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_RC6_H
#define TALLY_INTEL_GPU_RC6_H

/*
 * When the GT and its wells power down, by RC_CONTROL, RC_STATE, PG_ENABLE and the times that the
 * driver sets, and the counters of the time in RC6 (OA-16.12). power.c powers them down and up.
 */

#include <stdbool.h>
#include <stdint.h>

#include "intel/gt/power.h"
#include "regs/index.h"

struct tally_gpu;

/* The counters, in ns. VLV and CHV have those of wells, other platforms those of states. */
enum rc6_counter {
    RC6_LOCKED,
    RC6_PLAIN,   /* RC6 */
    RC6_DEEP,    /* RC6p */
    RC6_DEEPEST, /* RC6pp */
    RC6_RENDER,
    RC6_MEDIA,
    RC6_RENDER_AWAKE,
    RC6_MEDIA_AWAKE,
    RC6_COUNTERS
};

enum rc6_register {
    RC6_EVALUATION_INTERVAL,
    RC6_IDLE_HYSTERESIS,
    RC6_THRESHOLD,
    RC6_MEDIA_HYSTERESIS,
    RC6_RENDER_HYSTERESIS,
    RC6_COUNTER_CONTROL,
    RC6_STORED, /* number of stored words: the ids above */

    RC6_COUNTER = RC6_STORED /* + enum rc6_counter */
};

#define RC6_NEVER UINT64_MAX

struct gpu_rc6 {
    uint32_t regs[RC6_STORED];
    uint64_t ns[RC6_COUNTERS];
    uint8_t state; /* enum rc6_counter: of the present RC6 */

    /* ---- what the registers say, in clocks; see rc6_update() */
    uint64_t delay;                /* idle clocks before RC6 */
    uint64_t well_delay[GT_WELLS]; /* the same before a well powers down */
    uint64_t interval, threshold;  /* of the evaluation */

    /* ---- the evaluation interval */
    bool evaluates;         /* idle time in intervals decides about RC6 */
    uint64_t elapsed, idle; /* clocks */
    bool allowed;           /* the last interval was idle enough */
};

/* Power-on, and a reset of the chip. */
void rc6_init(struct tally_gpu *gpu);

/* Computes the times again. Call it after changes of RC_CONTROL, RC_STATE, PG_ENABLE, the registers
 * above or the clock. */
void rc6_update(struct tally_gpu *gpu);

/* The state that RC6 is entered with. */
enum rc6_counter rc6_state(const struct tally_gpu *gpu);

/* Adds time to the counters. */
void rc6_count(struct tally_gpu *gpu, uint64_t ns);

/* Advances the evaluation, which must be in progress, by clocks, at most rc6_horizon(), in which
 * the GT was idle or not. */
void rc6_advance(struct tally_gpu *gpu, uint64_t clocks, bool idle);

/* Returns the clocks until the end of the evaluation interval; RC6_NEVER if there is none. */
uint64_t rc6_horizon(const struct tally_gpu *gpu);

/* The registers. The handlers' context is the struct tally_gpu. */
extern const struct reg_map rc6_map;
extern const struct reg_block rc6_block;

#endif
