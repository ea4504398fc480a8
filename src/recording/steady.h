/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_STEADY_H
#define TALLY_RECORDING_STEADY_H

#include "recording/slots.h"

/*
 * Finds regularities of a record buffer, from which missing packets are inferred: the period of
 * STOP, and signals that are always 1.
 */

/* Number of slots examined to find them, and number of slots examined to decide whether they have
 * changed. */
#define STEADY_WINDOW 4096
#define STEADY_AHEAD  16

/* Regularities of a sequence of slots. */
struct steady_result {
    uint64_t period;    /* period of STOP in cycles; 0: most distances between STOPs disagree */
    bool jitters;       /* the distances that agree with the period differ slightly */
    uint64_t votes;     /* number of distances that agree with the period */
    uint64_t distances; /* number of distances */
    uint64_t packets;   /* number of packets in which the signals were examined */
    uint16_t always_on; /* bit i: signal i was 1 in all cycles of seven in eight packets or more */
    uint16_t often_on;  /* same, in half of the packets or more */
};

/*
 * Examines the slots from a packet on, at most STEADY_WINDOW of them, up to a restart. `distances`
 * is scratch space for STEADY_WINDOW numbers.
 */
void steady_learn(const uint8_t *bytes, size_t slots, bool long_format, uint64_t *distances,
                  struct steady_result *out);

/* True if a distance equals the period, except for the jitter of clocks. */
bool steady_near(uint64_t distance, uint64_t period);

/* Predicts STOP pulses, from a pulse whose time is known: the anchor. */
struct stop_clock {
    uint64_t period; /* in cycles; 0: unknown */
    bool jitters;
    bool anchored;
    uint64_t anchor;   /* cycle at which STOP was certainly 1 */
    uint64_t seen;     /* pulses counted since the anchor */
    uint64_t reported; /* missing pulses reported since the anchor */
};

/*
 * Processes the next packet, at `cycles` (unwrapped), which counted `stop` pulses. Returns the
 * number of missing pulses since the anchor that were not reported before. *early is set to whether
 * there are more pulses than the period allows.
 */
uint64_t stop_clock_take(struct stop_clock *clock, uint64_t cycles, unsigned stop, bool *early);

/*
 * Returns the number of cycles that the packet of a slot with a delta does not cover: the counts of
 * all signals of `always_on` are too small by this number, and no other count contradicts it.
 * Returns 0 if there are none, or if the signals disagree.
 */
uint64_t steady_deficit(const struct slot *slot, uint16_t always_on);

#endif
