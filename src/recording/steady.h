/* SPDX-License-Identifier: MIT */
#ifndef TALLY_RECORDING_STEADY_H
#define TALLY_RECORDING_STEADY_H

#include "recording/slots.h"

/*
 * What is steady in a record buffer, and so tells of packets that are missing: the period of STOP,
 * and signals that are always 1.
 */

/* Slots that are looked at to find out, and those that decide whether something has changed. */
#define STEADY_WINDOW 4096
#define STEADY_AHEAD  16

/* What a row of slots shows. */
struct findings {
    uint64_t period;    /* 0: most distances from STOP to STOP do not agree */
    bool jitters;       /* those that agree are not all the same */
    uint64_t votes;     /* distances that agree with it, */
    uint64_t distances; /* of so many */
    uint64_t packets;   /* that the signals were looked at in */
    uint16_t always_on; /* bit i: signal i was 1 in all cycles of seven in eight packets or more */
    uint16_t often_on;  /* of half of them or more */
};

/*
 * Looks at slots from a packet on, at most STEADY_WINDOW of them, up to a restart. `distances` is
 * room for STEADY_WINDOW numbers.
 */
void steady_learn(const uint8_t *bytes, size_t slots, bool long_format, uint64_t *distances,
                  struct findings *out);

/* Are two distances the same but for the jitter of clocks? */
bool steady_near(uint64_t distance, uint64_t period);

/* STOP pulses expected since one whose time is known. */
struct stop_clock {
    uint64_t period; /* 0: not known */
    bool jitters;
    bool anchored;
    uint64_t anchor;  /* cycles at which STOP was 1 for sure */
    uint64_t seen;    /* pulses counted since then */
    uint64_t claimed; /* pulses said to be missing since then */
};

/*
 * The next packet, at `cycles` (unwrapped), with so many pulses in it. Returns how many pulses the
 * packets since the anchor lack, as far as that was not said before. *early becomes whether there
 * are more pulses than the period has room for.
 */
uint64_t stop_clock_take(struct stop_clock *clock, uint64_t cycles, unsigned stop, bool *early);

/*
 * Cycles that the packet of a slot with a delta does not account for: the signals of `always_on`
 * lack them all, and no other count needs them. 0 if there are none, or if the signals disagree.
 */
uint64_t steady_deficit(const struct slot *slot, uint16_t always_on);

#endif
