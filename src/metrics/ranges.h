/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_RANGES_H
#define TALLY_METRICS_RANGES_H

#include "metrics/program.h"

/*
 * Determines the possible values of an equation on all GPUs of a platform, by abstract
 * interpretation. For each node it computes an interval, and an upper bound in units ("at most 8 x
 * clocks x EUs"). 64-bit sums and products are assumed not to overflow.
 */

/* Units of bounds. Each is at least 1 for a delta in which something was counted. */
enum range_unit { UNIT_CLOCKS, UNIT_EUS, UNIT_THREADS, UNIT_SLICES, UNIT_SUBSLICES, UNIT_COUNT };

/* Whether the divisor of a division can be 0. */
enum range_divisor {
    DIVISOR_NONE,   /* not a division */
    DIVISOR_NEVER,  /* the divisor is never 0 */
    DIVISOR_CLOCKS, /* it is 0 only if almost no time passed */
    DIVISOR_MAYBE,  /* it can be 0 */
    DIVISOR_ZERO    /* it is always 0 */
};

/* The possible values of a node. */
struct range {
    double low, high; /* smallest and largest value */
    double scale;     /* bound: value <= scale x product of unit^power; INFINITY: no bound */
    int powers[UNIT_COUNT];
    bool exact;      /* the value equals the bound */
    bool loose;      /* the bound may be much larger than the values of real GPUs */
    bool integer;    /* the value is an integer, even if its type is double */
    bool clocks;     /* the value is 0 only if almost no time passed */
    bool wraps;      /* an integer subtraction whose result can be negative */
    uint8_t divisor; /* enum range_divisor */
};

/* Events that FLEX registers select for A7 to A20 (OA-2.12). */
#define RANGE_FLEX_FIRST   7
#define RANGE_FLEX_COUNT   14
#define RANGE_FLEX_UNKNOWN UINT16_MAX

struct range_model {
    const struct tally_metric_set *set;
    const struct tally_platform *platform; /* NULL: unknown */
    uint16_t flex[RANGE_FLEX_COUNT]; /* event that FLEX registers select for each counter from A7 */
    const struct node *clock;        /* the READ of the set's counter GpuCoreClocks, or NULL */
    struct range *counters;          /* of each counter of the set, in its type */
    struct range *nodes;             /* of the latest equation */
};

/*
 * Computes the ranges of all counters of a set. `order` is from counter_order(). Equations without
 * nodes, which could not be parsed, can have any value. `platform` may be NULL. Returns 0 or
 * -ENOMEM; call range_model_fini() in either case.
 */
int range_model_init(struct range_model *model, const struct tally_metric_set *set,
                     const struct tally_platform *platform,
                     const struct counter_equations *equations, const uint32_t *order);
void range_model_fini(struct range_model *model);

/* Computes the ranges of an equation's nodes, which are kept until the next call. */
const struct range *range_equation(struct range_model *model, const struct equation *equation);

/* Formats a bound: "800 x clocks x EUs". Returns `text`. */
char *range_bound_text(const struct range *range, char *text, size_t size);

#endif
