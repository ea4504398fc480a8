/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_SET_H
#define TALLY_CAPTURE_SET_H

#include "capture/gpu.h"

/* A register write, in the layout that the kernel expects. */
struct set_write {
    uint32_t address, value;
};

/* The three lists of a configuration (PERF-3.2). */
enum set_list { SET_MUX, SET_BOOLEAN, SET_FLEX, SET_LISTS };

struct counting;

/* The registers to program for a metric set. The caller owns the strings and lists. */
struct set {
    const char *symbol;
    const char *uuid;
    struct {
        const struct set_write *writes;
        uint32_t count;
    } lists[SET_LISTS];
    const struct counting *counting; /* of an NVIDIA GPU, in place of the lists */
};

/* A metric set that was added to a driver (struct gpu_driver). */
struct set_in_driver {
    const struct set *set;
    uint64_t id; /* in the kernel */
    bool added;  /* by set_upload(), so set_remove() removes it */
};

/*
 * Finds a set in the kernel, or adds it. Returns 0; -EACCES, -EINVAL or another errno of
 * ADD_CONFIG, with a message that explains what is missing.
 */
int set_upload(const struct gpu *gpu, const struct set *set, struct set_in_driver *out,
               struct tally_error *error);

/* Removes what set_upload() added. */
void set_remove(const struct gpu *gpu, struct set_in_driver *set);

#endif
