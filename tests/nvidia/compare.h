/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NVIDIA_COMPARE_H
#define TESTS_NVIDIA_COMPARE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Runs a script on the engine; appends what it prints to out. 0, or the number of the line that it
 * does not understand. */
int engine_run(const char *script, size_t size, FILE *out);

/* Runs the random program of a seed on the engine and on the reference. 0 if they agree; else the
 * first difference and the program are told on standard error. */
int compare_program(uint64_t seed);

#endif
