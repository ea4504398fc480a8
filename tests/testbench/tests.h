/* SPDX-License-Identifier: MIT */
#ifndef TESTS_TESTBENCH_TESTS_H
#define TESTS_TESTBENCH_TESTS_H

#include "testing.h"

#include <errno.h>

/* Each file's group of tests; returns how many failed. */
int test_memory(void);
int test_pct(void);

#endif
