/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_ROUTING_H
#define TALLY_INTEL_GT_ROUTING_H

/*
 * Routes MMIO accesses from Gen11 on: which unit an access is for, and whether it arrives
 * (document 004: "Force Wake and Steering Table", "Multicast Steering and Die Recovery", "Uncore
 * Registers", "SW Virtualization Reserved MMIO range"; OA-4.3 to OA-4.5). The ranges are
 * Lakefield's; Tiger Lake differs in some (PERF-5.6).
 *
 * A bus calls gt_routing_read() or gt_routing_write() first. The result names the range with its
 * unit, the outcome of the access and, in replicated ranges, the instances that it reaches:
 *
 *     struct gt_route route = gt_routing_write(&routing, &wake, GT_AGENT_HOST, address);
 *     if (route.outcome == GT_REACHED)
 *         for (each instance in route.instances) ...store...
 *
 * Registers that the struct itself holds (steering, fuses) are read and written by
 * gt_routing_read32 and _write32, which do not check force wake.
 *
 * Addresses are byte addresses in GTTMMADR; an access is of the register that holds the byte.
 */

#include "intel/gt/forcewake.h"

/* ---- ranges ---------------------------------------------------------------------------------- */

/* Which domain must be awake. */
enum gt_wake {
    GT_WAKE_NONE,   /* reserved range: nothing there */
    GT_WAKE_AON,    /* INF/COH: always on */
    GT_WAKE_GTI,    /* domain GT */
    GT_WAKE_RENDER, /* domain render */
    GT_WAKE_MEDIA0, /* VDBOX0; of VEBOX0's ranges VDBOX0 or VEBOX0 (OA-4.4) */
    GT_WAKE_MEDIA2  /* VDBOX2 */
};

/* Replication groups; all but NONE are steered. */
enum gt_group {
    GT_GROUP_NONE,
    GT_GROUP_SLICE,    /* instance: slice id */
    GT_GROUP_SUBSLICE, /* instance: subslice id, 0 to 7; the slice id is ignored (OA-4.4) */
    GT_GROUP_L3BANK,   /* instance: bank 0 to 7 by subslice id (OA-4.4) */
    GT_GROUPS
};

/* A row of data/lkf/mmio-ranges.csv. */
struct gt_range {
    uint32_t first, last; /* byte addresses, inclusive */
    const char *section;  /* "gtgti"; "" where nothing is printed */
    const char *unit;     /* "OA"; "reserved" */
    uint8_t wake;         /* enum gt_wake */
    uint8_t group;        /* enum gt_group */
    uint8_t count;        /* instances as printed, 0: not printed; see gt_routing_instances() */
    const char *note;
};

extern const struct gt_range gt_ranges[]; /* ascending, without overlap */
extern const size_t gt_range_count;

/* The range of an address, by halving; NULL: in none (C000h-C7FFh, 40000h-1BFFFFh, from 240000h).
 */
const struct gt_range *gt_range_find(uint32_t address);

/* The same, where a revision's own ranges go before those of Lakefield. */
const struct gt_range *gt_range_on(enum intel_revision revision, uint32_t address);

/* ---- the model ------------------------------------------------------------------------------- */

/* Who accesses: which steering register counts. */
enum gt_agent {
    GT_AGENT_HOST, /* from outside the GT, through MGSR: FDCh */
    GT_AGENT_CS,   /* the render command streamer: 20CCh (OA-U19) */
    GT_AGENTS
};

#define GT_MCHBAR_FIRST     0x140000u
#define GT_HYPERVISOR_FIRST 0x178000u
#define GT_HYPERVISOR_BYTES 0x1000u
#define GT_MCHBAR_BYTES     0x8000u /* OA-E25: 148000h-14FFFFh read as zero */

struct gt_routing {
    uint8_t revision; /* enum intel_revision; Lakefield's at first. Change it only before use */

    /* Fuses (OA-4.5), as the registers show them; 1 disables, but enables in slice_enable. Change
     * them only before use. */
    uint8_t l3_disable; /* 9118h[3:0]: bank b and b + 4 follow bit b */
    uint8_t eu_disable; /* 9134h[7:0] */
    uint8_t slice_enable;
    uint8_t subslice_disable;
    uint8_t vdbox_disable, vebox_disable;

    uint8_t powered[GT_GROUPS]; /* instances with power: the embedder's to change (render power
                                   gating); all at first */

    uint32_t steering[GT_AGENTS];

    /* What a hypervisor passes to its guest (178000h-178FFFh); NULL: there is none, reads give 0.
     * A snapshot keeps the pointers. */
    uint32_t (*hypervisor_read)(void *context, uint32_t address);
    void *hypervisor_context;

    /* Memory controller registers as the alias shows them, little-endian. The embedder's to fill,
     * also with gt_routing_set_mchbar(). */
    uint8_t mchbar[GT_MCHBAR_BYTES];
};

/*
 * Power-on of a Lakefield with `subslices` subslices, 1 to 8 (8: GT2, 6: GT1.5), of which
 * `revision` may make another one of Gen11 on: one slice, all L3 banks and EUs, VDBOX0, VDBOX2 and
 * VEBOX0; steering 80000000h; MCHBAR all 0; no hypervisor.
 */
void gt_routing_init(struct gt_routing *routing, unsigned subslices);

/* GT global reset: steering becomes 80000000h again (OA-D46). Fuses, power and the rest stay. */
void gt_routing_reset(struct gt_routing *routing);

/* ---- outcome of an access -------------------------------------------------------------------- */

enum gt_outcome {
    GT_REACHED,       /* it reaches the unit */
    GT_ASLEEP,        /* the domain sleeps: reads 0, writes dropped */
    GT_FUSED_OFF,     /* none of the selected instances is enabled and powered: the same */
    GT_UNIMPLEMENTED, /* reserved, or without a register: the same */
    GT_MCHBAR,        /* gt_routing_read_mchbar(); writes ignored */
    GT_HYPERVISOR,    /* gt_routing_read_hypervisor(); writes ignored */
    GT_ELSEWHERE      /* outside the GT's table (display, uncore, interrupts): it is passed on */
};

/* Name in our words: "asleep"; NULL if there is no such outcome. */
const char *gt_outcome_name(enum gt_outcome outcome);

struct gt_route {
    const struct gt_range *range; /* or NULL */
    enum gt_outcome outcome;
    /* Of GT_REACHED: the instances concerned, a bit each; in a range that is not replicated bit 0.
     * A write reaches all of them; a read has exactly one, which is `instance`. */
    uint32_t instances;
    unsigned instance; /* of a read */
    bool shadowed;     /* it arrives although the domain sleeps: OA-4.3 "shadowed registers" */
};

/*
 * The routes of a read and a write. Both change nothing. `wake`: of Gen11. The registers of
 * force wake themselves are always reached (our decision: how else would one wake GT, whose range
 * A188h is in).
 */
struct gt_route gt_routing_read(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                enum gt_agent agent, uint32_t address);
struct gt_route gt_routing_write(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                 enum gt_agent agent, uint32_t address);

/* Is the domain of a range awake? Reserved ranges: false. */
bool gt_routing_awake(const struct gt_forcewake *wake, const struct gt_range *range);

/* Instances of a group that are enabled by fuses and have power, a bit each; of GT_GROUP_NONE 1. */
uint32_t gt_routing_instances(const struct gt_routing *routing, enum gt_group group);

/* Which instance the steering of an agent names; may be one that is not there. */
unsigned gt_routing_steered(const struct gt_routing *routing, enum gt_agent agent,
                            enum gt_group group);

/* The instance that context save reads: the first one enabled (document: "General rules"). 0 if
 * none is. */
unsigned gt_routing_first(const struct gt_routing *routing, enum gt_group group);

/* Force wake domains that the fuses leave: for gt_forcewake.present. */
uint32_t gt_routing_present(const struct gt_routing *routing);

/* ---- contents -------------------------------------------------------------------------------- */

/* Steering registers (FDCh, 20CCh: bits 31:24) and fuse registers (9118h, 9134h, 9138h, 913Ch,
 * 9140h: read only), 32 bits; elsewhere 0 and ignored. _owns: is it one of them? */
bool gt_routing_owns(uint32_t address);
uint32_t gt_routing_read32(const struct gt_routing *routing, uint32_t address);
void gt_routing_write32(struct gt_routing *routing, uint32_t address, uint32_t value);

/*
 * The alias of the memory controller's registers, 140000h to 147FFFh: aligned 2, 4 or 8 bytes.
 * _read: 0 and *out, or -EINVAL, *out untouched. _set is the memory controller's side, with 1, 2,
 * 4 or 8 bytes: 0 or -EINVAL.
 */
int gt_routing_read_mchbar(const struct gt_routing *routing, uint32_t address, unsigned bytes,
                           uint64_t *out);
int gt_routing_set_mchbar(struct gt_routing *routing, uint32_t address, unsigned bytes,
                          uint64_t value);

/* 178000h to 178FFFh: what the hypervisor answers, or 0. */
uint32_t gt_routing_read_hypervisor(const struct gt_routing *routing, uint32_t address);

/* Steering and fuse registers. */
extern const struct reg_map gt_routing_map;

/* The same with its handlers, whose context is a struct gt_routing. */
extern const struct reg_block gt_routing_block;

#endif
