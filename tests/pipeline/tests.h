/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PIPELINE_TESTS_H
#define TESTS_PIPELINE_TESTS_H

#include "testing.h"

/* The group of tests of each file; returns the number of failed tests. */
int test_columns(void);
int test_runs(void);
int test_samples(void);
int test_streams(void);

#endif
