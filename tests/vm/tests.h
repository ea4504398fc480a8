/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_TESTS_H
#define TESTS_VM_TESTS_H

#include "testing.h"

int run_transport_tests(void);
int run_server_tests(void);
int run_time_tests(void);
int run_nvidia_tests(void);

#endif
