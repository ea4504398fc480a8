/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COMPARE_H
#define TESTS_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A model and its reference, for comparison by random scripts. */
struct comparison {
    const char *name;
    void (*write)(uint64_t seed, FILE *out);
    int (*reference)(const char *script, size_t size, FILE *out);
};

extern const struct comparison compare_pcounter; /* nvidia/reference.h, programs.h */
extern const struct comparison compare_oa;       /* intel/oa_reference.h, oa_programs.h */

/* Runs a script on the model and appends its output to `out`. Returns 0, or the number of the first
 * invalid line. */
int engine_run(const char *script, size_t size, FILE *out);

/* The same, without a message about an invalid line. */
int engine_try(const char *script, size_t size, FILE *out);

/* Runs the random program of a seed on both. Returns 0 if they agree; else prints the first
 * difference to standard error. */
int compare_program(const struct comparison *comparison, uint64_t seed);

/* Runs data/scripts/NAME on the model. Returns 0 if the output equals NAME.out; else prints the
 * difference. */
int compare_example(const char *source, const char *name);

#endif
