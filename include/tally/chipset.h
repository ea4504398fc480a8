/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CHIPSET_H
#define TALLY_CHIPSET_H

/*
 * NVIDIA GPUs with PCOUNTER as data: one row a chipset, and the signals that each of its domains
 * can count. Documents: "PCOUNTER" is the hardware document of the engine; pcounter.md is its
 * companion, whose section C is the chipset table and whose AMB-nn are numbered decisions.
 *
 * Everything here is static data or plain values; nothing is to be freed. All functions are pure
 * and may be called from any thread.
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
 * "Introduction"; classes a to i of pcounter.md C). Later ones compare greater, so a feature
 * "[G84-]" is `revision >= TALLY_PCOUNTER_G84`.
 */
enum tally_pcounter_revision {
    TALLY_PCOUNTER_NV10,  /* one domain, single event mode */
    TALLY_PCOUNTER_NV15,  /* counts one period or all */
    TALLY_PCOUNTER_NV20,  /* second domain, memory clock */
    TALLY_PCOUNTER_NV30,  /* 32-bit counters, quad event mode, SETFLAG in logic operations */
    TALLY_PCOUNTER_NV40,  /* up to eight domains, three counter modes more; G80 too (AMB-03) */
    TALLY_PCOUNTER_G84,   /* record mode, SWAP selection, PERIODIC */
    TALLY_PCOUNTER_G92,   /* second delayed argument, record addresses of 40 bits */
    TALLY_PCOUNTER_GT215, /* USER signals */
    TALLY_PCOUNTER_GF100, /* sets of domains: hub, GPCs, partitions */
    TALLY_PCOUNTER_REVISIONS
};

/* Whether a chipset has the engine (AMB-01). An unverified one has its revision's, presumably. */
enum tally_presence { TALLY_PRESENT, TALLY_ABSENT, TALLY_UNVERIFIED };

/* At most so many domains in a set (PCOUNTER, "The PCOUNTER signals"). */
#define TALLY_PCOUNTER_DOMAINS 8

/* One domain: a clock, and counters that run on it. */
struct tally_domain {
    const char *clock;    /* published name; NULL: not published */
    int16_t trailer_base; /* index, a multiple of 20h (AMB-14); -1: not published */
};

struct tally_chipset {
    const char *name;   /* lower case: "g92" */
    const char *title;  /* as documents have it: "G92" */
    const char *remark; /* "" if there is none */
    uint16_t id;        /* GPU id of PMC's boot register: 92h */
    uint8_t order; /* 1 to 56: place in the order in which documents mean "A:B". Ids do not have it:
                      MCP77 is AAh and comes before GT215, A3h (AMB-02) */
    uint8_t revision; /* enum tally_pcounter_revision */
    uint8_t presence; /* enum tally_presence */

    /* NV10:GF100. Domains past the count are { NULL, -1 }. The count is a guess if unverified. */
    uint8_t domain_count; /* 0: no engine, or sets of domains (GF100 on) */
    struct tally_domain domains[TALLY_PCOUNTER_DOMAINS];

    /* GF100 on; 0 and -1 before. Bases are inferred, not published (pcounter.md C). */
    uint8_t gpcs;       /* graphics processing clusters: each is a set of domains */
    uint8_t partitions; /* memory partitions: each is a set */
    int16_t gpc0_base;  /* trailer base of domain 0 of each GPC; -1: not known */
    int16_t part0_base; /* trailer base of domain 0 of each partition; -1: not known */
    int8_t hub_domain;  /* the hub's domain whose base is known; -1: none */
    int16_t hub_base;   /* its trailer base */
};

/* Number of chipsets (56); absent and unverified ones count (pcounter.md C). */
TALLY_API size_t tally_chipset_count(void);

/* A chipset by position, in canonical order: `order` is index + 1. NULL past the end. */
TALLY_API const struct tally_chipset *tally_chipset_at(size_t index);

/*
 * A chipset by its name or title ("g92", "G92"; case does not matter), NULL if there is none. Ids
 * are not names: "0x92" is not found.
 */
TALLY_API const struct tally_chipset *tally_chipset_find(const char *name);

/*
 * The chipset whose boot register (PMC, 000000h) reads so, with the big-endian switch on or off;
 * NULL for values that no chipset of the table has, all ones among them (pcounter.md F.2).
 */
TALLY_API const struct tally_chipset *tally_chipset_from_boot0(uint32_t boot0);

/* The chipsets of a revision as documents write them: "G92:GT215". NULL past the last. */
TALLY_API const char *tally_pcounter_revision_name(enum tally_pcounter_revision revision);

#ifdef __cplusplus
}
#endif

#endif
