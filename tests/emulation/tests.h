/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EMULATION_TESTS_H
#define TESTS_EMULATION_TESTS_H

#include "testing.h"

/* Each returns the number of its failed tests. */
int run_copy_tests(void);
int run_blit_tests(void);
int run_clock_tests(void);
int run_fault_file_tests(void);
int run_fault_tests(void);
int run_nvidia_workload_tests(void);

#endif
