/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TESTBENCH_TESTS_H
#define TESTS_TESTBENCH_TESTS_H

#include "testing.h"

#include <errno.h>

/* The group of tests of each file; returns the number of failed tests. */
int test_memory(void);
int test_pct(void);

#endif
