/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_REFERENCE_H
#define TESTS_METRICS_REFERENCE_H

#include <tally/metrics.h>

/*
 * The reference for equations: evaluates their text token by token on a stack, for one delta at a
 * time, in C's arithmetic. Slow and simple; the compiled programs are compared with it.
 * It knows the meaning of equations from tally/metrics.h and PERF-9.2, and shares no code
 * with the product except tally_layout_width().
 */
struct reference_value {
    bool is_double;
    uint64_t u;
    double f;
    bool undefined; /* UDIV or FDIV has divided by 0 on the way, which gave 0 */
};

struct reference {
    const struct tally_metric_set *set;
    const struct tally_environment *environment;
    const struct tally_layout *layout;
    const uint64_t *deltas;         /* by slot */
    struct reference_value *values; /* one per counter, valid if `known` */
    bool *known;
    bool missing; /* a field was read that the layout lacks */
};

void reference_init(struct reference *reference, const struct tally_metric_set *set,
                    const struct tally_environment *environment, const struct tally_layout *layout);
void reference_fini(struct reference *reference);

/* Selects the deltas that the following calls use. */
void reference_take(struct reference *reference, const uint64_t *deltas);

/* Returns whether a counter is available on this GPU and in this layout. */
enum tally_counter_state reference_state(struct reference *reference, size_t counter);

/* Return the value of a counter, which may be undefined, and of any equation in a counter's type,
 * with 0 for quotients by 0. */
union tally_value reference_counter(struct reference *reference, size_t counter);
union tally_value reference_equation(struct reference *reference, const char *text,
                                     enum tally_data_type type);

/* C's conversion; above -2^63 modulo 2^64, lower values and NaN 0, others cut to the range. */
uint64_t reference_to_u64(double value);

#endif
