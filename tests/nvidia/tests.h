/* SPDX-License-Identifier: MIT */
#ifndef TESTS_NVIDIA_TESTS_H
#define TESTS_NVIDIA_TESTS_H

#include "testing.h"

#include <errno.h>

#include <tally/chipset.h>

/* The group of tests of each file; returns the number of failed tests. */
int test_callbacks(void);
int test_chipsets(void);
int test_conformance(void);
int test_embedding(void);
int test_gpu(void);
int test_interrupts(void);
int test_logic(void);
int test_memory(void);
int test_packet(void);
int test_pcounter(void);
int test_properties(void);
int test_registers(void);
int test_signals(void);
int test_selectors(void);
int test_sources(void);

#endif
