/* SPDX-License-Identifier: MIT */
#ifndef TESTS_WAVE_TESTS_H
#define TESTS_WAVE_TESTS_H

#include "testing.h"

/* Each file's group of tests; returns how many failed. */
int test_vcd_read(void);
int test_vcd_names(void);
int test_vcd_errors(void);
int test_vcd_write(void);
int test_kernels(void);
int test_wave(void);
int test_number(void);

#endif
