/* SPDX-License-Identifier: MIT */
#ifndef TESTS_GUEST_TESTS_H
#define TESTS_GUEST_TESTS_H

#include "testing.h"

#include <errno.h>

#include <tally/error.h>

#include "base/bits.h"
#include "base/buffer.h"

/* The group of tests of each file; returns the number of failed tests. */
int test_archives(void);
int test_binaries(void);
int test_lists(void);
int test_streams(void);
int test_copies(void);

#endif
