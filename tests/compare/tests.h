/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COMPARE_TESTS_H
#define TESTS_COMPARE_TESTS_H

#include "testing.h"

/* The tests of each file. */
void test_ranks(void **state);
void test_holm(void **state);
void test_inflated(void **state);
void test_blocks(void **state);
void test_results(void **state);
void test_false_findings(void **state);
void test_power(void **state);
void test_conditions(void **state);
void test_public_comparison(void **state);
void test_public_changes(void **state);
void test_public_checks(void **state);

#endif
