/* SPDX-License-Identifier: MIT */
#ifndef TESTS_WAVE_TESTS_H
#define TESTS_WAVE_TESTS_H

#include "testing.h"

/* Each file's group of tests; returns how many failed. */
int test_kernels(void);
int test_wave(void);

#endif
