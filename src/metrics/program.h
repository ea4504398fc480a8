/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_PROGRAM_H
#define TALLY_METRICS_PROGRAM_H

#include "metrics/equation.h"
#include "metrics/kernels.h"

/* The equations of one counter. `max` and `availability` are empty where the file has none. */
struct counter_equations {
    struct equation value;
    struct equation maximum;
    struct equation availability;
};

struct tally_program {
    const struct tally_metric_set *set;
    const struct tally_layout *layout;
    struct tally_environment environment;
    const struct kernels *kernels;

    struct counter_equations *equations; /* one a counter */
    uint32_t *order;                     /* counters, each after those that it refers to */
    uint8_t *states;                     /* enum tally_counter_state */

    /* The compiled form: steps over registers, shared by all counters. */
    struct step *steps;
    size_t step_count;
    uint16_t *results; /* register of each counter */
    /* Raw counters that the steps read: their deltas stay in registers, for sums. */
    struct program_read {
        uint16_t slot;
        uint16_t to;
    } * reads;
    size_t read_count;
    uint8_t *wanted; /* counters that are evaluated; others have no values */
    uint64_t *registers;
    uint32_t *columns;
    size_t dwords;
    struct ahead ahead;          /* reports announced with tally_program_expect() */
    union tally_value *counters; /* values of all counters in one evaluation */
};

/*
 * tally_program_new() for some counters of a set: those of `counters` (NULL: all) and what they
 * refer to. tally_program_values() is NULL for others, and so are their statistics.
 */
int program_new_for(const struct tally_metric_set *set, const struct tally_environment *environment,
                    const struct tally_layout *layout, const size_t *counters, size_t counter_count,
                    struct tally_program **out, struct tally_error *error);

/*
 * Adds the raw counters' deltas from `from` up to `to` of the block that was run last to sums by
 * slot: of those that the program reads, as tally_accumulate() does.
 */
void program_sum_reads(const struct tally_program *program, size_t from, size_t to,
                       uint64_t sums[TALLY_SLOT_COUNT]);

/*
 * Orders the counters of a set so that each comes after those that it refers to. Returns 0, or
 * -ELOOP with *at a counter that refers to itself by way of others.
 */
int counter_order(const struct counter_equations *equations, size_t count, uint32_t *order,
                  size_t *at);

/* Slot that a READ node reads in a layout, or -1 if the layout does not hold it. */
int read_slot(const struct tally_layout *layout, const struct node *node);

/*
 * Values of all nodes of an equation, for deltas by slot (NULL: all reads are 0) and values of the
 * set's counters (NULL: all 0).
 */
void equation_evaluate(const struct equation *equation, const struct tally_environment *environment,
                       const struct tally_layout *layout, const uint64_t *deltas,
                       const union tally_value *counters, union tally_value *values);

/* Is an availability, of which every GPU has it if it is empty, other than 0? `layout` may be NULL
 * for one that reads no counter. */
bool equation_holds(const struct equation *availability,
                    const struct tally_environment *environment, const struct tally_layout *layout);

/*
 * Evaluates all counters, also those that this GPU does not have, on which others may depend.
 * Returns their values, which stay until the next evaluation.
 */
const union tally_value *program_evaluate(const struct tally_program *program,
                                          const uint64_t *deltas);

/*
 * Evaluates all counters for deltas summed over many reports: as tally_program_evaluate(), but with
 * integers of 128 bits, since sums times 10^9 pass 2^64 within seconds (wide.c).
 */
void program_evaluate_wide(const struct tally_program *program, const uint64_t *deltas,
                           union tally_value *values);

/* Translates the equations of all counters that are OK to steps (compile.c). */
int program_compile(struct tally_program *program, struct tally_error *error);

#endif
