/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_SET_H
#define TALLY_CAPTURE_SET_H

#include "capture/gpu.h"

/* An address and what is written there: as the kernel takes them, so nothing else stands between.
 */
struct set_write {
    uint32_t address, value;
};

/* The three lists of a configuration (PERF-3.2). */
enum set_list { SET_MUX, SET_BOOLEAN, SET_FLEX, SET_LISTS };

/* A metric set, as far as it is programmed. The texts and lists are the caller's. */
struct set {
    const char *symbol;
    const char *uuid;
    struct {
        const struct set_write *writes;
        uint32_t count;
    } lists[SET_LISTS];
};

/* A set that the kernel has. */
struct set_in_kernel {
    uint64_t id;
    bool added; /* by us: it is removed again */
};

/*
 * Finds a set in the kernel, or adds it. -EACCES, -EINVAL and others of ADD_CONFIG, with a message
 * that says what is missing.
 */
int set_upload(const struct gpu *gpu, const struct set *set, struct set_in_kernel *out,
               struct tally_error *error);

/* Removes what set_upload() added. */
void set_remove(const struct gpu *gpu, struct set_in_kernel *set);

#endif
