/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_HISTOGRAM_H
#define TALLY_DRIVER_PERFMON_HISTOGRAM_H

/*
 * How long something lasts, or how often an event happens in it: single event mode counts EVENT
 * from START to STOP, and how many of such periods reached THRESHOLD (PCOUNTER, "Single event
 * mode"). Repeated with several thresholds, that is a cumulative histogram.
 *
 *     const uint64_t thresholds[] = {1, 10, 100, 1000};
 *     struct perfmon_histogram_options options = {
 *         .start = "rise(PGRAPH.IDLE)", .stop = "fall(PGRAPH.IDLE)", .event = "1",
 *         .periods = 100000, .timeout_ns = 1000000000, ...};
 *     perfmon_histogram(session, &options, thresholds, 4, bins, &error);
 *     // bins[2].reached of bins[2].periods idle phases lasted 100 clocks or more
 */

#include "driver/perfmon/perfmon.h"

struct perfmon_histogram_options {
    const char *start; /* expressions of one domain: a clock at which it is true begins a period, */
    const char *stop;  /* a later one at which this is true ends it; */
    const char *event; /* the clocks at which this is true are counted, from the one after the
                        * beginning to the end */
    const char *pre;   /* how often this must have been true before the first period: */
    uint32_t pre_count;  /* pre_count + 1 times; NULL: nothing to wait for */
    int domain;          /* TALLY_DOMAIN(), or ANY_DOMAIN: as the expressions say */
    int instance;        /* of the GPC or partition; ALL_INSTANCES: as the expressions say, or 0 */
    uint32_t periods;    /* of each run, at least 1 */
    uint64_t timeout_ns; /* of each run, by the driver's clock */
    const struct perfmon_selector *selectors; /* may be NULL */
    size_t selector_count;
};

/* The result of one run. */
struct perfmon_bin {
    uint64_t threshold;
    uint64_t periods;     /* that ended: fewer than requested if there are flags */
    uint64_t reached;     /* of them, in which the events reached the threshold */
    uint64_t last_events; /* of the last period */
    uint64_t last_cycles; /* its length in clocks */
    uint32_t flags;       /* enum perfmon_flag; STUCK: the timeout, a signal, or no clock;
                           * CHANGED: something else ended the run */
};

/*
 * Runs once for each threshold, one run after the other; the periods of different runs are
 * different ones. What the session counted before is stopped, and its registers are put back at the
 * end. thresholds: 32 bits, before NV30 40.
 *
 * Returns 0, also after a timeout or if something else disturbed a run, which the flags say;
 * -EINVAL with a message: an option is out of range, an expression has a sum or another domain;
 * errors of perfmon_plan_new(); -ENODEV: the GPC or partition is disabled.
 */
int perfmon_histogram(struct perfmon_session *session,
                      const struct perfmon_histogram_options *options, const uint64_t *thresholds,
                      size_t count, struct perfmon_bin *bins, struct tally_error *error);

#endif
