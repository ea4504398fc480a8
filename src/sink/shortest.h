/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_SHORTEST_H
#define TALLY_SINK_SHORTEST_H

#include <stdint.h>

/* digits * 10^exponent */
struct decimal {
    uint64_t digits; /* at most 17; may end with zeros */
    int exponent;
};

/* Returns the shortest decimal that reads back as `value`, which is finite and above 0; of several,
 * the nearest to it. */
struct decimal shortest_decimal(double value);

#endif
