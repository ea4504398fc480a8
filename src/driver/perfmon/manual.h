/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_MANUAL_H
#define TALLY_DRIVER_PERFMON_MANUAL_H

/*
 * Counting without a plan: a caller chooses the registers of each domain, and adds domains while
 * others count. Quad event mode only, from NV30 on.
 *
 *     perfmon_manual_start(session, &setup, &error);
 *     for (;;) {
 *         perfmon_manual_sample(session);                    // ends a period in all domains
 *         perfmon_manual_read(session, domain, instance, &counts);
 *     }
 *     perfmon_session_stop(session);
 *
 * A session is used either with a plan or like this.
 */

#include "driver/perfmon/perfmon.h"

/* The counts of a domain in a period. */
struct perfmon_manual_counts {
    uint64_t counts[SLOTS], clocks;
    uint32_t flags;    /* enum perfmon_flag, but for PERFMON_SATURATED */
    uint8_t saturated; /* mask of slots; the clocks: all of them */
};

/*
 * Programs a domain as `setup` says, which outlives its use, and begins a period in it; what it
 * counted before is dropped. Of the other domains nothing is lost: their periods go on. Returns 0;
 * -ENODEV with a message: the domain does not exist; -EIO: its signal that ends a period was not
 * found.
 */
int perfmon_manual_start(struct perfmon_session *session, const struct perfmon_setup *setup,
                         struct tally_error *error);

/* Ends the periods of all domains that were started, and begins the next ones. */
void perfmon_manual_sample(struct perfmon_session *session);

/* Stops using a setup, which then may be freed. Its domain counts no more, unless it was started
 * with another one since. */
void perfmon_manual_forget(struct perfmon_session *session, const struct perfmon_setup *setup);

/* Returns the counts of a domain in the period that ended last. Returns false if it was not
 * started, or no period has ended. */
bool perfmon_manual_read(const struct perfmon_session *session, uint8_t domain, uint8_t instance,
                         struct perfmon_manual_counts *counts);

#endif
