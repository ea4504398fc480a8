/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_AMOUNTS_H
#define TALLY_METRICS_AMOUNTS_H

#include <stdbool.h>

#include <tally/metrics.h>

/* Returns whether a counter is a number of events: the value of several intervals is the sum of
 * their values, so that a rate has a meaning. Its equation does not divide. */
bool counter_is_number(const struct tally_counter *counter);

/* Returns the nanoseconds of a unit of time, "ns" or "us", if the counter sums up time; else 0. */
unsigned counter_time_ns(const struct tally_counter *counter);

#endif
