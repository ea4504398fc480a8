/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_MODELS_H
#define TALLY_BENCH_MODELS_H

#include <stdint.h>
#include <stdio.h>

/* Simulated clocks per second of a model and of its reference, on the same script. */

/* A script that sets up a model, and the number of clocks to run. */
struct model_case {
    const char *name;
    void (*put)(FILE *script);
    double goal;               /* G clocks/s; 0: none */
    uint64_t clocks;           /* clocks of a timed run */
    uint64_t reference_clocks; /* 0: the reference does not support the script */
};

typedef int model_reference(const char *script, size_t size, FILE *out);

/* Writes 65,536 pseudo-random bits and a newline. chance: probability of a 1, in 256ths. */
void model_put_pattern(FILE *script, uint64_t seed, unsigned chance);

/* Returns the clocks per second of the reference on a script with its setup, to which a `run`
 * command is appended. */
double model_reference_rate(model_reference *reference, const char *script, uint64_t clocks);

/* Print the heading, and a row. Rates are in clocks per second; reference: 0 for none; goal: as in
 * model_case. */
void model_heading(const char *title);
void model_row(const char *name, double rate, double reference, double goal);

/* Number of timed runs. */
#define MODEL_RUNS 9

/* Times the cases whose names contain `only` (NULL: all) and prints a row for each. */
void model_bench(const struct model_case *cases, size_t count, model_reference *reference,
                 const char *only);

#endif
