/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_PROGRAM_H
#define TALLY_METRICS_PROGRAM_H

#include "metrics/equation.h"
#include "metrics/kernels.h"

/* The equations of a counter. `maximum` and `availability` are empty if the file does not have
 * them. */
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

    /* Arrays with an element for each counter of the set. */
    struct counter_equations *equations;
    uint32_t *order;   /* indices of the counters, each after those that it refers to */
    uint8_t *states;   /* enum tally_counter_state */
    uint8_t *selected; /* 1: a run evaluates the counter; others have no values */
    uint16_t *results; /* register of the values */
    /* Of program_evaluate() and program_evaluate_wide(): values, which are computed with 0 in place
     * of a quotient by 0, and whether they are defined. */
    union tally_value *counters;
    bool *defined;

    /* The compiled form: the steps of all counters. */
    struct step *steps;
    size_t step_count;
    /* Raw counters that the steps read. Their deltas are kept in registers for
     * program_sum_reads(). */
    struct program_read {
        uint16_t slot;
        uint16_t to; /* register */
    } * reads;
    size_t read_count;
    uint64_t *registers; /* TALLY_BLOCK values each */
    uint32_t *columns;
    size_t dwords; /* number of columns to load: dwords of each report */
    struct prefetch prefetch;
};

/*
 * Compiles only some counters of a set: the `counter_count` counters with the indices `counters`
 * (NULL: all), and those that they refer to. For others tally_program_values() returns NULL, and
 * their statistics are not set. Returns as tally_program_new().
 */
int program_new_for(const struct tally_metric_set *set, const struct tally_environment *environment,
                    const struct tally_layout *layout, const size_t *counters, size_t counter_count,
                    struct tally_program **out, struct tally_error *error);

/*
 * Adds the deltas `from` to `to` - 1 of the latest run to sums by slot, as tally_accumulate() does,
 * for those raw counters that the program reads.
 */
void program_sum_reads(const struct tally_program *program, size_t from, size_t to,
                       uint64_t sums[TALLY_SLOT_COUNT]);

/*
 * Orders the counters of a set so that each comes after those that it refers to. Returns 0; -ELOOP
 * with *at set to a counter that refers to itself, directly or indirectly; -ENOMEM.
 */
int counter_order(const struct counter_equations *equations, size_t count, uint32_t *order,
                  size_t *at);

/* Returns the slot that a READ node reads, or -1 if the layout does not have it. */
int read_slot(const struct tally_layout *layout, const struct node *node);

/*
 * Evaluates all nodes of an equation to `values`. Reads return deltas by slot (NULL: 0), counters
 * their values in `counters` (NULL: 0).
 */
void equation_evaluate(const struct equation *equation, const struct tally_environment *environment,
                       const struct tally_layout *layout, const uint64_t *deltas,
                       const union tally_value *counters, union tally_value *values);

/* Returns whether a node of an evaluated equation is a UDIV or FDIV by 0. */
bool is_division_by_0(const struct equation *equation, const union tally_value *values,
                      const struct node *node);

/* Returns whether no node of an evaluated equation divides by 0, nor refers to a counter that is
 * not in `defined`. */
bool equation_is_defined(const struct equation *equation, const union tally_value *values,
                         const bool *defined);

/* Returns whether an availability is empty or its value is not 0. `layout` may be NULL if it reads
 * no raw counter. */
bool is_nonzero_or_empty(const struct equation *availability,
                         const struct tally_environment *environment,
                         const struct tally_layout *layout);

/*
 * Evaluates all counters for deltas by slot, including those that this GPU does not have, since
 * others may refer to them. Returns their values, which are kept until the next evaluation, as is
 * `defined`.
 */
const union tally_value *program_evaluate(const struct tally_program *program,
                                          const uint64_t *deltas);

/*
 * Evaluates all counters for deltas summed over many reports. Same as tally_program_evaluate(), but
 * with 128-bit integers, since the products of sums and 10^9 exceed 64 bits after seconds (wide.c).
 */
void program_evaluate_wide(const struct tally_program *program, const uint64_t *deltas,
                           union tally_value *values);

/* Compiles the equations of the selected counters to steps (compile.c). */
int program_compile(struct tally_program *program, struct tally_error *error);

#endif
