/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_COUNTS_H
#define TALLY_CAPTURE_COUNTS_H

#include "capture/counting.h"
#include "capture/sampled.h"

/* What counts: a session of driver/perfmon, or a kernel driver that has one. */
struct counts_calls {
    int (*start)(void *self, const struct perfmon_plan *plan, unsigned pass,
                 struct tally_error *error);
    int (*sample)(void *self, struct perfmon_sample *sample, struct tally_error *error);
    void (*stop)(void *self);
    uint64_t (*time_ns)(void *self); /* PTIMER */

    /* Whether the chip has a domain of a GPC or partition. */
    bool (*has)(void *self, unsigned domain, unsigned instance);
};

struct counts_source {
    const struct counts_calls *calls;
    void *self;
    const struct driver_io *io; /* its clock and sleep */
};

struct counts_source counts_of_session(struct perfmon_session *session, const struct driver_io *io);

/*
 * A stream of PCOUNTER's counts: samples once a period, pass after pass, and makes records of it
 * (docs/recording-format.md, "PCOUNTER reports").
 */
struct counts {
    struct sampled stream;
    struct counts_source source;
    const struct counting *counting;
    const struct tally_layout *layout;
    uint64_t period_ns;
    uint64_t end_ns; /* of the pass */
    unsigned pass;

    uint64_t values[TALLY_SET_SIGNALS], clocks[TALLY_SET_SIGNALS]; /* since the start */
    uint64_t ticks;                                                /* of the latest report */

    /* Since the latest report: samples of each clock whose counts were lost, by kind. */
    uint64_t lost[3][TALLY_SET_SIGNALS];
};

/*
 * Measures the clocks of the domains that the plan counts, in each pass for some time: hz[i] of
 * clock i of the plan, of one instance; 0: unknown. Returns 0; -EIO with a message: one of them
 * cannot be counted; errors of start().
 */
int counts_measure(const struct counts_source *source, const struct perfmon_plan *plan,
                   uint64_t *hz, struct tally_error *error);

/* Starts counting, and makes the first report. The arguments must remain valid until
 * sampled_stop(). Returns 0, or an error of start(). */
int counts_start(struct counts *counts, const struct counts_source *source,
                 const struct counting *counting, uint64_t period_ns, struct tally_error *error);

#endif
