/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COMPARE_H
#define TESTS_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A model, as those know it who compare it: random scripts, and what the plain reference prints. */
struct comparison {
    const char *name;
    void (*write)(uint64_t seed, FILE *out);
    int (*reference)(const char *script, size_t size, FILE *out);
};

extern const struct comparison compare_pcounter; /* nvidia/reference.h, programs.h */
extern const struct comparison compare_oa;       /* intel/oa_reference.h, oa_programs.h */

/* Runs a script on the model; appends what it prints to out. 0, or the number of the line that it
 * does not understand. */
int engine_run(const char *script, size_t size, FILE *out);

/* Runs the random program of a seed on both. 0 if they agree; else the first difference is told on
 * standard error. */
int compare_program(const struct comparison *comparison, uint64_t seed);

/* Runs data/scripts/NAME on the model. 0 if it prints what NAME.out has; else that is told. */
int compare_example(const char *source, const char *name);

#endif
