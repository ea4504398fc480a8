/* SPDX-License-Identifier: MIT */
#ifndef TESTS_METRICS_REFERENCE_H
#define TESTS_METRICS_REFERENCE_H

#include <tally/metrics.h>

/*
 * Equations evaluated the plain way: their text is read token by token on a stack, for one delta at
 * a time, with C's own arithmetic. Slow and simple; what the compiled programs are compared with.
 * It knows the meaning of equations from tally/metrics.h and PERF-9.2, and shares no code
 * with the product but for tally_layout_width().
 */
struct reference_value {
    bool is_double;
    uint64_t u;
    double f;
};

struct reference {
    const struct tally_metric_set *set;
    const struct tally_environment *environment;
    const struct tally_layout *layout;
    const uint64_t *deltas;         /* by slot */
    struct reference_value *values; /* one a counter, where `known` */
    bool *known;
    bool missing; /* something was read that the layout does not hold */
};

void reference_init(struct reference *reference, const struct tally_metric_set *set,
                    const struct tally_environment *environment, const struct tally_layout *layout);
void reference_fini(struct reference *reference);

/* From here on, values are of these deltas. */
void reference_take(struct reference *reference, const uint64_t *deltas);

/* Whether a counter is there, for this GPU and layout. */
enum tally_counter_state reference_state(struct reference *reference, size_t counter);

/* The value of a counter, and of any equation in a counter's type. */
union tally_value reference_counter(struct reference *reference, size_t counter);
union tally_value reference_equation(struct reference *reference, const char *text,
                                     enum tally_data_type type);

/* C's conversion; above -2^63 modulo 2^64, lower values and NaN 0, others cut to the range. */
uint64_t reference_to_u64(double value);

#endif
