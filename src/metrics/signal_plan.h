/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_SIGNAL_PLAN_H
#define TALLY_METRICS_SIGNAL_PLAN_H

#include <tally/chipset.h>
#include <tally/metrics.h>

#include "driver/perfmon/perfmon.h"

/* How the signals of a set are counted: the bridge from sets to plans of the driver. */

/*
 * Plans some signals of a set of an NVIDIA chipset: those whose bit is set in `signals`, in their
 * order. Returns 0 and *out, which the caller frees with perfmon_plan_free(); otherwise the error
 * of perfmon_plan_new().
 */
int signal_set_plan(const struct tally_metric_set *set, uint64_t signals, unsigned flags,
                    struct perfmon_plan **out, struct tally_error *error);

/* Returns the bits of all signals of a set. */
uint64_t signal_set_all(const struct tally_metric_set *set);

/*
 * Finds the signals, as bits, to whose counts or clocks each counter's value is proportional:
 * exposed[i] of counter i. A ratio is proportional to none. If `signals` is not NULL, joins the
 * signals of each ratio to one group: sets signals[i].group. The equations must be valid. Returns 0
 * or -ENOMEM.
 */
int signal_set_exposed(const struct tally_metric_set *set, struct tally_metric_signal *signals,
                       uint64_t *exposed);

/*
 * Checks that the signals of a set can be counted, and those of each ratio at the same time; warns
 * of counters that only cover a part of the time. Calls `found` for each finding, with the line and
 * the symbol of the signal or counter. Returns 0 or -ENOMEM.
 */
int signal_set_check(const struct tally_metric_set *set,
                     void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                                   const char *symbol, const char *attribute, const char *what),
                     void *closure);

#endif
