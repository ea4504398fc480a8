/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NVIDIA_TESTS_H
#define TESTS_NVIDIA_TESTS_H

#include "testing.h"

/* Each file's group of tests; returns how many failed. */
int test_packet(void);

#endif
