/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PIPELINE_TESTS_H
#define TESTS_PIPELINE_TESTS_H

#include "testing.h"

/* Each file's group of tests; returns how many failed. */
int test_runs(void);
int test_samples(void);
int test_streams(void);

#endif
