/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CHIPSET_H
#define TALLY_CHIPSET_H

/*
 * NVIDIA GPUs with PCOUNTER as data: one row per chipset, and the signals that each of its domains
 * can count. Documents: "PCOUNTER" is the hardware document of the engine (document 001);
 * docs/reference/pcounter.md is its companion: PC-C is the table of chipsets, PC-AMB-01 and the
 * following say how ambiguous passages are read.
 *
 * Everything here is static data or plain values; nothing needs to be freed. All functions are pure
 * and may be called from any thread. Pointer arguments must not be NULL; texts are NUL terminated.
 */

#include <stddef.h>
#include <stdint.h>

#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- chipsets ------------------------------------------------------------------------------ */

/*
 * The revisions of the engine, each named after the first chipset that has it (PCOUNTER,
 * "Introduction"; classes a to i of PC-C). Later ones compare greater, so a feature "[G84-]" is
 * `revision >= TALLY_PCOUNTER_G84`.
 */
enum tally_pcounter_revision {
    TALLY_PCOUNTER_NV10,  /* one domain, single event mode */
    TALLY_PCOUNTER_NV15,  /* counts one period or all */
    TALLY_PCOUNTER_NV20,  /* second domain, memory clock */
    TALLY_PCOUNTER_NV30,  /* 32-bit counters, quad event mode, SETFLAG in logic operations */
    TALLY_PCOUNTER_NV40,  /* up to eight domains, three more counter modes; also G80 (PC-AMB-03) */
    TALLY_PCOUNTER_G84,   /* record mode, SWAP selection, PERIODIC */
    TALLY_PCOUNTER_G92,   /* second delayed argument, record addresses of 40 bits */
    TALLY_PCOUNTER_GT215, /* USER signals */
    TALLY_PCOUNTER_GF100, /* sets of domains: hub, GPCs, partitions */
    TALLY_PCOUNTER_REVISIONS
};

/* Whether a chipset has the engine (PC-AMB-01). An unverified chipset is assumed to have the engine
 * of its revision. */
enum tally_presence { TALLY_PRESENT, TALLY_ABSENT, TALLY_UNVERIFIED };

/* Maximum number of domains in a set (PCOUNTER, "The PCOUNTER signals"). */
#define TALLY_PCOUNTER_DOMAINS 8

/* One domain: a clock, and counters that run on it. */
struct tally_domain {
    const char *clock;    /* published name; NULL: not published */
    int16_t trailer_base; /* index, a multiple of 20h (PC-AMB-14); -1: not published */
};

/* A row of the table of chipsets. Static data. */
struct tally_chipset {
    const char *name;   /* lower case: "g92" */
    const char *title;  /* as in documents: "G92" */
    const char *remark; /* "" if there is none */
    uint16_t id;        /* GPU id of PMC's boot register: 92h */
    uint8_t order;    /* from 1 on: position in the order of "A:B" ranges in documents. Ids are not
                       * in this order: MCP77 is AAh and comes before GT215, A3h (PC-AMB-02). A new
                       * chipset is inserted, and the later ones move up */
    uint8_t revision; /* enum tally_pcounter_revision */
    uint8_t presence; /* enum tally_presence */

    /* NV10:GF100. Domains past the count are { NULL, -1 }. The count of an unverified chipset is
     * assumed. */
    uint8_t domain_count; /* 0: no engine, or sets of domains (GF100 on) */
    struct tally_domain domains[TALLY_PCOUNTER_DOMAINS];

    /* GF100 on; 0 and -1 before. Bases are inferred, not published (PC-C). */
    uint8_t gpcs;       /* graphics processing clusters: each is a set of domains */
    uint8_t partitions; /* memory partitions: each is a set */
    uint8_t gpc_domains, partition_domains, hub_domains; /* domains per set of each kind */
    int16_t gpc0_base;  /* trailer base of domain 0 of each GPC; -1: unknown */
    int16_t part0_base; /* trailer base of domain 0 of each partition; -1: unknown */
    int8_t hub_domain;  /* domain of the hub whose trailer base is known; -1: none */
    int16_t hub_base;   /* its trailer base */
};

/* Returns the number of chipsets, including those with absent and unverified engines (PC-C). */
TALLY_API size_t tally_chipset_count(void);

/* Returns the chipset at an index, in the order of the documents: its `order` is index + 1. NULL
 * past the end. */
TALLY_API const struct tally_chipset *tally_chipset_at(size_t index);

/*
 * Finds a chipset by its name or title ("g92", "G92"; ignoring case). Returns NULL if there is
 * none. Ids are not names: "0x92" is not found.
 */
TALLY_API const struct tally_chipset *tally_chipset_find(const char *name);

/*
 * Finds a chipset by the value of its boot register (PMC, 000000h), with the big-endian switch on
 * or off. Returns NULL for values of no chipset in the table, including all ones (PC-F.2).
 */
TALLY_API const struct tally_chipset *tally_chipset_from_boot0(uint32_t boot0);

/* Returns the range of chipsets of a revision in the documents' notation: "G92:GT215". NULL past
 * the last revision. */
TALLY_API const char *tally_pcounter_revision_name(enum tally_pcounter_revision revision);

/* ---- signals ------------------------------------------------------------------------------- */

/*
 * Domains by number. NV10:GF100 have one set, whose domains are 0 to 7. From GF100 on there is a
 * set for each GPC, for each partition, and for the hub. The published data are the same for every
 * GPC and partition, so TALLY_DOMAIN(TALLY_SET_GPC, 0), "GPC0" in the documents' tables, is domain
 * 0 of any GPC.
 */
enum tally_domain_set { TALLY_SET_ONLY, TALLY_SET_GPC, TALLY_SET_PART, TALLY_SET_HUB };

#define TALLY_DOMAIN(set, number) ((unsigned)(set)*TALLY_PCOUNTER_DOMAINS + (number))
#define TALLY_DOMAINS             (4 * TALLY_PCOUNTER_DOMAINS) /* above the largest domain */

/* Returns the name of a domain in the documents' notation: "3", "GPC0", "PART1", "HUB6". NULL from
 * TALLY_DOMAINS on. */
TALLY_API const char *tally_domain_name(unsigned domain);

/* Returns the domain of a name, ignoring case, or -ENOENT if there is none. */
TALLY_API int tally_domain_find(const char *name);

/*
 * Returns 1 if a chipset can have a domain, a TALLY_DOMAIN() number, else 0. Before GF100 these are
 * the domains below its count; from GF100 on, those of the three kinds of sets.
 */
TALLY_API int tally_chipset_has_domain(const struct tally_chipset *chipset, unsigned domain);

/*
 * Returns the trailer base of a domain, or -1 if it is not published or the chipset lacks the
 * domain. A domain has base + 20h signals, from GF100 on base + 40h (PC-AMB-14).
 */
TALLY_API int tally_chipset_trailer_base(const struct tally_chipset *chipset, unsigned domain);

/* One trailer signal of a revision (PCOUNTER, "Trailer signals"). Its index is base + offset. */
struct tally_trailer {
    uint8_t offset;
    const char *name;  /* as published: "PCOUNTER.DOM[3].FLAG"; two of GF100 are "???" */
    const char *alias; /* probable meaning of "???" (PC-AMB-17), or "" */
    const char *note;  /* "" if there is none */
};

/* Returns the trailer signal of a revision at a position, from 0, in the order of offsets; NULL
 * past the last. */
TALLY_API const struct tally_trailer *tally_trailer_at(enum tally_pcounter_revision revision,
                                                       size_t position);

/* One signal of a domain. Plain data; the texts are static. */
struct tally_signal {
    const char *name;    /* as published: "VFETCH.MUX"; "???": wired, but of unknown meaning */
    const char *alias;   /* another name: nouveau's, or the probable meaning of a trailer's "???";
                          * or "" */
    const char *note;    /* "" if there is none */
    uint8_t domain;      /* TALLY_DOMAIN() */
    uint8_t index;       /* value for a field of a SRC register */
    uint8_t group_first; /* first index of the group with this name */
    uint8_t group_last;  /* last index; both are `index` if this is not a group. Element k is
                          * group_first + k */
    uint8_t trailer;     /* 1: a trailer signal; the index depends on the trailer base */
};

/*
 * Returns the number of signals of a chipset with published indices: those of its units, and the
 * trailers of every domain whose base is known. 0 if there is no engine, or no index is published.
 */
TALLY_API size_t tally_signal_count(const struct tally_chipset *chipset);

/* Returns the number of them that are not trailer signals. 0: no unit signals are published. */
TALLY_API size_t tally_signal_unit_count(const struct tally_chipset *chipset);

/*
 * Gets the signal at a position, from 0. Signals are ordered by domain, and in each domain the
 * trailer is last. Fills *out and returns 0, or -ENOENT past the end.
 */
TALLY_API int tally_signal_at(const struct tally_chipset *chipset, size_t position,
                              struct tally_signal *out);

/*
 * Finds a signal of a domain by its published name or its alias, ignoring case. An element of a
 * group is "VFETCH.MUX[3]" (elements are decimal, from 0). Names with "???" are never found.
 * Returns the index, 0 to 255; -EINVAL: the chipset does not have the domain, or no engine;
 * -ENOENT: unknown signal; -ENOTUNIQ: the name is ambiguous, since it is a group without an
 * element, or published more than once; -ENODATA: a trailer signal of a domain whose trailer base
 * is not published.
 */
TALLY_API int tally_signal_find(const struct tally_chipset *chipset, unsigned domain,
                                const char *name);

#ifdef __cplusplus
}
#endif

#endif
