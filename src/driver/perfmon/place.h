/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_PLACE_H
#define TALLY_DRIVER_PERFMON_PLACE_H

/* How the four counters of a domain count up to four functions at the same time. */

#include "driver/perfmon/perfmon.h"

/* What the counters of a domain can do. */
struct place_limits {
    uint8_t slots; /* mask of enum perfmon_slot */
    uint8_t modes; /* mask of PCOUNTER_CTR_MODE's values */
    int zero;      /* index of a signal that is always 0, or -1 */
};

/* The functions' counter mode, slots and registers. */
struct place_result {
    uint8_t mode;
    uint8_t slots[SLOTS]; /* of each function */
    uint32_t sources[SLOTS];
    uint32_t operations[SLOTS];
};

/*
 * Finds slots for `count` functions, in the lowest counter mode of the mask `modes` that has them.
 * result may be NULL. Returns false if there are none.
 */
bool place_functions(const struct place_limits *limits, uint8_t modes,
                     const struct perfmon_function *const *functions, unsigned count,
                     struct place_result *result);

/* Returns the modes in which a function alone has a slot. */
uint8_t place_modes(const struct place_limits *limits, const struct perfmon_function *function);

#endif
