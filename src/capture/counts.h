/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CAPTURE_COUNTS_H
#define TALLY_CAPTURE_COUNTS_H

#include "base/buffer.h"
#include "capture/counting.h"

/*
 * A stream of PCOUNTER's counts: samples a session once a period, pass after pass, and makes
 * records of it (docs/recording-format.md, "PCOUNTER reports").
 *
 *     counts_start(&counts, session, &counting, period_ns, &error);
 *     if (now >= counts.due_ns)
 *         counts_act(&counts);       // takes samples; counts.records grows
 *     counts_end(&counts);           // reports what was counted since the last sample
 *     counts_stop(&counts);
 */

struct counts {
    struct perfmon_session *session;
    const struct counting *counting;
    const struct tally_layout *layout;
    const struct driver_io *io;
    uint64_t period_ns;
    uint64_t due_ns; /* of the next sample, by the driver's clock; UINT64_MAX: ended */
    uint64_t end_ns; /* of the pass */
    unsigned pass;

    struct buffer records; /* whole records that were not read */
    size_t read;           /* bytes of them that were */

    uint64_t values[TALLY_SET_SIGNALS], clocks[TALLY_SET_SIGNALS]; /* since the start */
    uint64_t ticks;                                                /* of the latest report */

    /* Since the latest report: samples of each clock whose counts were lost, by kind. */
    uint64_t lost[3][TALLY_SET_SIGNALS];
    struct tally_error error; /* that ended the stream; code 0: none */
};

/*
 * Measures the clocks of the domains that the plan counts, in each pass for some time: hz[i] of
 * clock i of the plan, of one instance; 0: unknown. Returns 0; -EIO with a message: one of them
 * cannot be counted; errors of perfmon_session_start().
 */
int counts_measure(struct perfmon_session *session, const struct driver_io *io,
                   const struct perfmon_plan *plan, uint64_t *hz, struct tally_error *error);

/* Starts counting, and makes the first report. The arguments must remain valid until counts_stop().
 * Returns 0, or an error of perfmon_session_start(). */
int counts_start(struct counts *counts, struct perfmon_session *session, const struct driver_io *io,
                 const struct counting *counting, uint64_t period_ns, struct tally_error *error);

/* Takes a sample, starts the next pass, and makes a report after the last one. */
void counts_act(struct counts *counts);

/* Takes the last sample, early, and makes a report of it if there is only one pass. */
void counts_end(struct counts *counts);

/* Copies whole records. Returns their bytes, or 0. */
size_t counts_read(struct counts *counts, void *to, size_t size);
bool counts_has_records(const struct counts *counts);

/* Stops counting, and frees the records. */
void counts_stop(struct counts *counts);

#endif
