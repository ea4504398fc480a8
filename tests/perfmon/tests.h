/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PERFMON_TESTS_H
#define TESTS_PERFMON_TESTS_H

/* The test files of this module. Each function returns the number of failed tests. */

int run_expression_tests(void);
int run_plan_tests(void);
int run_session_tests(void);
int run_record_tests(void);
int run_histogram_tests(void);

#endif
