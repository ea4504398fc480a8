/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_WORKLOAD_H
#define TALLY_INTEL_WORKLOAD_WORKLOAD_H

#include <tally/workload.h>

#include "intel/topology.h"
#include "intel/workload/units.h"

/* 1 as it is stored: decimal numbers are in billionths. */
#define ONE UINT64_C(1000000000)

#define WORKLOAD_PHASES_MAX 256

enum activity_kind {
    DOES_SHARE,    /* steady: value is the share */
    DOES_RATE,     /* steady: value is events per `per` */
    DOES_RANDOM,   /* value is the probability at each clock */
    DOES_BURSTS,   /* `length` clocks in each `frame` */
    DOES_CONSTANT, /* value at each clock */
    ACTIVITY_KINDS
};

enum rate_per { PER_SECOND, PER_MS, PER_US, PER_CLOCK };

struct activity {
    uint8_t unit, kind, per;
    uint64_t value; /* billionths */
    uint64_t frame, length;
    uint32_t times; /* DOES_RANDOM, DOES_BURSTS: events per active clock */
    unsigned line;
};

struct phase {
    uint64_t duration_ns;
    uint64_t clock_hz; /* 0: the clock of the target */
    bool idle;
    uint32_t context;
    struct activity *activities;
    size_t activity_count;
};

struct tally_workload {
    char *name, *description, *file;
    uint64_t seed;
    struct phase *phases;
    size_t phase_count;
};

/* Returns the activity of a unit in a phase; NULL if it has none. */
const struct activity *phase_activity(const struct phase *phase, unsigned unit);

/* ---- bound to a platform (program.c) --------------------------------------------------------- */

/* How an EU is driven (Gen8 on). Probabilities are in 256ths. */
struct eu_plan {
    uint64_t seed;
    uint16_t active, loaded, pipes[3]; /* levels of one generator; lower ones are subsets */
    uint8_t threads, dispatcher, kind;
};

struct bound_phase {
    uint64_t clocks, hz;
    bool idle;
    uint32_t context;
    struct tally_number a[TALLY_WORKLOAD_A]; /* seeds of repetition 0 */
    struct tally_wave noa[TALLY_WORKLOAD_NOA];
    struct eu_plan eus[TALLY_OA_EUS];
};

struct tally_workload_program {
    const struct intel_sku *sku;
    const struct intel_platform *platform;
    unsigned a_count, eus;
    struct eu_place places[TALLY_OA_EUS]; /* of the EUs, from Gen8 on */
    uint16_t noa_driven;
    bool ratios; /* Gen9 on */
    size_t phase_count;
    struct bound_phase phases[];
};

/* run.c: moves a cursor to the first clock of the next phase. */
void workload_next_phase(struct tally_workload_cursor *cursor);

/* array.c: distributes the work of the stages among the EUs. */
void plan_eus(const struct tally_workload *workload, size_t phase, unsigned eus, unsigned threads,
              struct eu_plan out[TALLY_OA_EUS]);

/* Returns the seed of a wave in a repetition. */
uint64_t repeated_seed(uint64_t seed, uint64_t repetition);

/* Returns the seed of a unit's wave. */
uint64_t unit_seed(const struct tally_workload *workload, size_t phase, unsigned unit, unsigned eu);

/* Returns the mean share of an activity, in billionths of the EUs or of time. */
uint64_t mean_share(const struct activity *activity);

/* Returns the share of the EU array that is active or stalled in a phase, in billionths: as given,
 * else the sum of the stages. */
uint64_t array_share(const struct phase *phase, unsigned unit);

#endif
