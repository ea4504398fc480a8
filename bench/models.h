/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BENCH_MODELS_H
#define TALLY_BENCH_MODELS_H

#include <stdint.h>
#include <stdio.h>

/* Simulated clocks a second of a model and of its plain reference, on the same script. */

/* A script that sets up a model, and the number of clocks to run. */
struct model_case {
    const char *name;
    void (*put)(FILE *script);
    double goal;               /* G clocks/s; 0: none */
    uint64_t clocks;           /* of one timed run */
    uint64_t reference_clocks; /* 0: the script is not in the reference's language */
};

typedef int model_reference(const char *script, size_t size, FILE *out);

/* 65,536 pseudo-random 0s and 1s, `chance` of 256 of them 1, and the end of the line. */
void model_put_pattern(FILE *script, uint64_t seed, unsigned chance);

/* Clocks a second of the reference on a script that only sets it up; a `run` command is appended.
 */
double model_reference_rate(model_reference *reference, const char *script, uint64_t clocks);

/* Print the heading, and a row: rates in clocks a second; reference 0: no reference; goal as in a
 * case. */
void model_heading(const char *title);
void model_row(const char *name, double rate, double reference, double goal);

/* How often a timed run is repeated. */
#define MODEL_RUNS 9

/* Times the cases whose names contain `only` (NULL: all) and prints a row for each. */
void model_bench(const struct model_case *cases, size_t count, model_reference *reference,
                 const char *only);

#endif
