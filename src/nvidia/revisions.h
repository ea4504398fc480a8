/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_REVISIONS_H
#define TALLY_NVIDIA_REVISIONS_H

/*
 * The capabilities of PCOUNTER's revisions, one row each, used by the engine, the register tables
 * and the command. No other code compares revisions.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>

/* Register layouts; pcounter_registers() returns the map of each. */
enum pcounter_layout { LAYOUT_NV10, LAYOUT_NV40, LAYOUT_GF100 };

/* The source of the SWAP input of quad event mode (PC-D30). */
enum pcounter_swap {
    SWAP_NONE,
    SWAP_PM_TRIGGER, /* wired to the trailer's PGRAPH.PM_TRIGGER */
    SWAP_SELECTED    /* any signal: SPEC_SRC, SWAP_SRC */
};

/* The driver of a trailer signal. */
enum trailer_source {
    TRAILER_OUTSIDE, /* driven from outside the engine: a wave, or 0 */
    TRAILER_ZERO,
    TRAILER_PERIODIC,
    TRAILER_PM_TRIGGER, /* as TRAILER_OUTSIDE; SWAP may be wired to it */
    TRAILER_EVENT,      /* EVENT of the domain `number` */
    TRAILER_FLAG,       /* FLAG of the domain `number` */
    TRAILER_USER        /* USER_`number` of the same domain */
};

struct trailer_signal {
    struct tally_trailer published;
    uint8_t source; /* enum trailer_source */
    uint8_t number;
};

struct trailer {
    const struct trailer_signal *signals;
    size_t count;
};

extern const struct trailer nv10_trailer, nv20_trailer, nv40_trailer, g84_trailer, gf100_trailer;

struct pcounter_features {
    const char *range; /* range of chipsets in the documents' notation: "G92:GT215" */
    const struct trailer *trailer;
    uint8_t layout;        /* enum pcounter_layout */
    uint8_t domains;       /* maximum number in a set */
    uint8_t trailer_size;  /* number of signals from the trailer base on */
    uint8_t counter_width; /* bits of CTR_CYCLES, CTR_EVENT and CTR_START */
    uint8_t swap;          /* enum pcounter_swap */
    uint8_t users;         /* number of USER signals per domain */
    bool users_in_trailer; /* otherwise a script attaches them (PC-D22) */
    bool sets;             /* sets of domains for the hub, GPCs and partitions, behind PMC.ENABLE */
    bool single, quad, record; /* modes */
    bool shared_flag_sources;  /* SETFLAG and CLRFLAG use the signals of PRE_SRC and START_SRC */
    bool pulse_imports;        /* EVENT_IMPORT_MODE and FLAG_IMPORT_MODE */
    bool pre_op_swaps;         /* a write to PRE_OP swaps in quad event mode */
    bool periodic;             /* has a PERIODIC generator */
    bool shows_state;          /* STATE shows all inputs, and whether EVENT has risen */
};

extern const struct pcounter_features pcounter_features[TALLY_PCOUNTER_REVISIONS];

/* Returns the highest trailer base; the signals of a domain are numbered 0 to FFh. */
static inline unsigned pcounter_highest_trailer(const struct pcounter_features *features)
{
    return 0x100u - features->trailer_size;
}

/* Whether USER signals must be attached to the signals that they drive. */
static inline bool pcounter_attaches_users(const struct pcounter_features *features)
{
    return features->users && !features->users_in_trailer;
}

/* Returns the oldest chipset of a revision, whose name denotes the revision in .pct scripts. */
const struct tally_chipset *pcounter_oldest_chipset(enum tally_pcounter_revision revision);

/* Writes the names of the oldest chipsets, separated by ", ", for messages. Returns
 * `text`. */
#define REVISION_NAMES 80
const char *pcounter_revision_names(char text[REVISION_NAMES]);

#endif
