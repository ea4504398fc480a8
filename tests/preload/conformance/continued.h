/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PRELOAD_CONFORMANCE_CONTINUED_H
#define TESTS_PRELOAD_CONFORMANCE_CONTINUED_H

/* What goes on in a program that a subtest of descriptors.c has executed: its exit status. */
int continue_subtest(const char *name, int fd);

#endif
