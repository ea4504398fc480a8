/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_EXPLAIN_SIGNALS_H
#define TALLY_CLI_EXPLAIN_SIGNALS_H

#include <tally/metrics.h>

#include "cli/cli.h"

/* Writes how the signals are counted that a counter of an NVIDIA set uses, directly or through
 * other counters, in the plan of the whole set. Prints errors; returns an exit code. */
int explain_signals(struct output *output, const struct tally_metric_set *set, size_t counter);

#endif
