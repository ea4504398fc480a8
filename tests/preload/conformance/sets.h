/* SPDX-License-Identifier: MIT */
#ifndef TESTS_PRELOAD_CONFORMANCE_SETS_H
#define TESTS_PRELOAD_CONFORMANCE_SETS_H

#include "client.h"

struct pair {
    uint32_t address, value;
};

struct pairs {
    const struct pair *list;
    uint32_t count;
};

struct test_set {
    const char *uuid;
    struct pairs mux, boolean, flex;
};

/* Returns a set whose lists are valid until the next call. */
struct test_set test_set_of(enum platform platform);

#endif
