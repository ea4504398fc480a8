/* SPDX-License-Identifier: MIT */
#ifndef TESTS_CAPTURE_TESTS_H
#define TESTS_CAPTURE_TESTS_H

#include "testing.h"

/* Each returns the number of its failed tests. */
int run_gpu_tests(void);
int run_set_tests(void);
int run_stream_tests(void);
int run_parts_tests(void);
int run_recorder_tests(void);
int run_emulated_tests(void);
int run_stats_tests(void);
int run_real_tests(void);
int run_capture_tests(void);
int run_registers_tests(void);
int run_packets_tests(void);

#endif
