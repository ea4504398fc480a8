/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_RANGES_H
#define TALLY_METRICS_RANGES_H

#include "metrics/program.h"

/*
 * Computes the values that an equation can have on any GPU of a platform, by abstract
 * interpretation. Each node gets an interval, and a bound in units ("at most 8 x clocks x EUs").
 * Sums and products of 64 bits are assumed not to overflow.
 */

/* Numbers that are at least 1 wherever something was counted, and that bounds are made of. */
enum range_unit { UNIT_CLOCKS, UNIT_EUS, UNIT_THREADS, UNIT_SLICES, UNIT_SUBSLICES, UNIT_COUNT };

/* Of a division: can its divisor be 0? */
enum range_divisor {
    DIVISOR_NONE,   /* this node is no division */
    DIVISOR_NEVER,  /* never 0 */
    DIVISOR_CLOCKS, /* 0 only if hardly a clock passed */
    DIVISOR_MAYBE,
    DIVISOR_ZERO /* always 0 */
};

struct range {
    double low, high;
    double scale; /* value <= scale x units to their powers; INFINITY: not known */
    int powers[UNIT_COUNT];
    bool exact;      /* the value is that product */
    bool loose;      /* the bound was rounded up by more than documents give reason for */
    bool whole;      /* an integer, whatever its type */
    bool clocks;     /* 0 only if hardly a clock passed */
    bool wraps;      /* this subtraction can go below zero, in integers */
    uint8_t divisor; /* enum range_divisor of this node */
};

/* Events that FLEX registers select for A7 to A20 (OA-2.12). */
#define RANGE_FLEX_FIRST   7
#define RANGE_FLEX_COUNT   14
#define RANGE_FLEX_UNKNOWN UINT16_MAX

struct range_model {
    const struct tally_metric_set *set;
    const struct tally_platform *platform; /* NULL: not known */
    uint16_t flex[RANGE_FLEX_COUNT];
    const struct node *clock; /* the read that the set counts its clocks by */
    struct range *counters;   /* one a counter, of its type */
    struct range *nodes;      /* those of the latest equation */
};

/*
 * Finds the ranges of all counters of a set. `order` is counter_order()'s; equations without nodes
 * (they did not parse) can be anything. `platform` may be NULL. Returns 0 or -ENOMEM; the model is
 * to be freed with range_model_fini() in either case.
 */
int range_model_init(struct range_model *model, const struct tally_metric_set *set,
                     const struct tally_platform *platform,
                     const struct counter_equations *equations, const uint32_t *order);
void range_model_fini(struct range_model *model);

/* Ranges of an equation's nodes; they stay until the next call. */
const struct range *range_equation(struct range_model *model, const struct equation *equation);

/* Writes a bound for people: "800 x clocks x EUs". Returns `text`. */
char *range_bound_text(const struct range *range, char *text, size_t size);

#endif
