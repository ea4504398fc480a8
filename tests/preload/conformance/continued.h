/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PRELOAD_CONFORMANCE_CONTINUED_H
#define TESTS_PRELOAD_CONFORMANCE_CONTINUED_H

/* The second part of a subtest of descriptors.c, in an executed program. Returns its exit status.
 */
int continue_subtest(const char *name, int fd);

#endif
