/* SPDX-License-Identifier: MIT */
#ifndef TESTS_REGS_TESTS_H
#define TESTS_REGS_TESTS_H

#include "testing.h"

void test_symbols(void **state);

#endif
