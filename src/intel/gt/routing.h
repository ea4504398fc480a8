/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_ROUTING_H
#define TALLY_INTEL_GT_ROUTING_H

/*
 * Routes MMIO accesses from Gen11 on: finds the unit that an access is for, and whether it reaches
 * the unit (document 004: "Force Wake and Steering Table", "Multicast Steering and Die Recovery",
 * "Uncore Registers", "SW Virtualization Reserved MMIO range"; OA-4.3 to OA-4.5). The ranges are
 * Lakefield's; some of Tiger Lake's differ (PERF-5.6).
 *
 * A bus calls gt_routing_read() or gt_routing_write() first. The result names the range with its
 * unit, the outcome of the access and, in replicated ranges, the instances that it reaches:
 *
 *     struct gt_route route = gt_routing_write(&routing, &wake, GT_AGENT_HOST, address);
 *     if (route.outcome == GT_REACHED)
 *         for (each instance in route.instances) ...store...
 *
 * gt_routing_block has the routing registers themselves: steering and fuses.
 *
 * Addresses are byte addresses in GTTMMADR; an access is to the register that contains the byte.
 */

#include "intel/gt/forcewake.h"

struct intel_topology;

/* ---- ranges ---------------------------------------------------------------------------------- */

/* The domain that must be awake for an access. */
enum gt_wake {
    GT_WAKE_NONE,   /* reserved range, without registers */
    GT_WAKE_AON,    /* INF/COH: always on */
    GT_WAKE_GTI,    /* domain GT */
    GT_WAKE_RENDER, /* domain render */
    GT_WAKE_MEDIA0, /* VDBOX0; in VEBOX0's ranges, VDBOX0 or VEBOX0 (OA-4.4) */
    GT_WAKE_MEDIA2  /* VDBOX2 */
};

/* Replication groups; all except NONE are steered. */
enum gt_group {
    GT_GROUP_NONE,
    GT_GROUP_SLICE,    /* instance: slice id */
    GT_GROUP_SUBSLICE, /* instance: subslice id, 0 to 7; the slice id is ignored (OA-4.4) */
    GT_GROUP_L3BANK,   /* instance: bank 0 to 7, given as the subslice id (OA-4.4) */
    GT_GROUPS
};

/* A row of data/lkf/mmio-ranges.csv. */
struct gt_range {
    uint32_t first, last; /* byte addresses, inclusive */
    const char *section;  /* "gtgti"; "" if the document prints none */
    const char *unit;     /* "OA"; "reserved" */
    uint8_t wake;         /* enum gt_wake */
    uint8_t group;        /* enum gt_group */
    uint8_t count;        /* instances in the document; 0: not given. See gt_routing_instances() */
    const char *note;
};

extern const struct gt_range gt_ranges[]; /* ascending, without overlap */
extern const size_t gt_range_count;

/* Finds the range of an address by binary search; NULL if there is none (C000h-C7FFh,
 * 40000h-1BFFFFh, from 240000h on). */
const struct gt_range *gt_range_find(uint32_t address);

/* The same for a revision, whose own ranges take precedence over Lakefield's. */
const struct gt_range *gt_range_on(enum intel_revision revision, uint32_t address);

/* ---- the model ------------------------------------------------------------------------------- */

/* Origin of an access, which selects the steering register. */
enum gt_agent {
    GT_AGENT_HOST, /* from outside the GT, through MGSR: FDCh */
    GT_AGENT_CS,   /* the render command streamer: 20CCh (OA-U19) */
    GT_AGENTS
};

/* Media engines that exist unless fuses disable them. */
#define GT_VDBOXES 0x5u
#define GT_VEBOXES 0x1u

#define GT_MCHBAR_FIRST     0x140000u
#define GT_HYPERVISOR_FIRST 0x178000u
#define GT_HYPERVISOR_BYTES 0x1000u
#define GT_MCHBAR_BYTES     0x8000u /* OA-E25: 148000h-14FFFFh read as zero */
#define GT_IS_MCHBAR(at)    ((at)-GT_MCHBAR_FIRST < GT_MCHBAR_BYTES)

struct gt_routing {
    uint8_t revision; /* enum intel_revision; initially INTEL_LKF. Change it only before use */

    /* Fuses as shown in the registers (OA-4.5). A 1 disables, except in slice_enable. Change them
     * only before use. */
    uint8_t l3_disable; /* 9118h[3:0]: bank b and b + 4 follow bit b */
    uint8_t eu_disable; /* 9134h[7:0] */
    uint8_t slice_enable;
    uint8_t subslice_disable;
    uint8_t vdbox_disable, vebox_disable;

    uint32_t steering[GT_AGENTS];

    /* Returns data that a hypervisor passes to its guest (178000h-178FFFh); NULL: reads return 0.
     * Snapshots contain the pointers. */
    uint32_t (*hypervisor_read)(void *context, uint32_t address);
    void *hypervisor_context;

    /* Registers of the memory controller, as seen through the alias; little-endian. Filled in by
     * the caller, directly or with gt_routing_set_mchbar(). */
    uint8_t mchbar[GT_MCHBAR_BYTES];
};

/*
 * Power-on of a Lakefield with 1 to 8 subslices (8: GT2, 6: GT1.5): one slice, all L3 banks and
 * EUs, VDBOX0, VDBOX2 and VEBOX0; steering 80000000h; MCHBAR all 0; no hypervisor. Set `revision`
 * afterwards for other platforms from Gen11 on.
 */
void gt_routing_init(struct gt_routing *routing, unsigned subslices);

/* Sets revision and fuses of slices, subslices and EUs to those of a GPU's topology. Call it before
 * use. */
void gt_routing_fuse(struct gt_routing *routing, enum intel_revision revision,
                     const struct intel_topology *topology);

/* GT global reset: sets steering to 80000000h (OA-D46) and keeps everything else. */
void gt_routing_reset(struct gt_routing *routing);

/* ---- outcome of an access -------------------------------------------------------------------- */

enum gt_outcome {
    GT_REACHED,       /* the access reaches the unit */
    GT_ASLEEP,        /* the domain is asleep: reads return 0, writes are dropped */
    GT_FUSED_OFF,     /* no selected instance is enabled: reads 0, writes dropped */
    GT_UNIMPLEMENTED, /* reserved, or no register: reads return 0, writes are dropped */
    GT_MCHBAR,        /* use gt_routing_read_mchbar(); writes are ignored */
    GT_HYPERVISOR,    /* use gt_routing_read_hypervisor(); writes are ignored */
    GT_ELSEWHERE      /* outside the GT's table (display, uncore, interrupts): passed on */
};

/* Returns a name for messages, such as "asleep"; NULL for other values. */
const char *gt_outcome_name(enum gt_outcome outcome);

struct gt_route {
    const struct gt_range *range; /* or NULL */
    enum gt_outcome outcome;
    /* With GT_REACHED: mask of the instances that the access reaches; bit 0 in ranges without
     * replication. A read reaches exactly one, `instance`. */
    uint32_t instances;
    unsigned instance; /* the instance that is read */
    bool shadowed;     /* the write reaches a sleeping domain: OA-4.3 "shadowed registers" */
};

/*
 * Find the route of a read or a write, without side effects. The registers of force wake are always
 * reached: A188h, which wakes domain GT, is itself in a range of domain GT (our decision).
 */
struct gt_route gt_routing_read(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                enum gt_agent agent, uint32_t address);
struct gt_route gt_routing_write(const struct gt_routing *routing, const struct gt_forcewake *wake,
                                 enum gt_agent agent, uint32_t address);

/* Returns a mask of the instances of a group that are enabled by fuses; 1 for
 * GT_GROUP_NONE. */
uint32_t gt_routing_instances(const struct gt_routing *routing, enum gt_group group);

/* Returns the instance that an agent's steering register selects; it may not exist. */
unsigned gt_routing_steered(const struct gt_routing *routing, enum gt_agent agent,
                            enum gt_group group);

/* Returns the first enabled instance, which context save reads (document: "General rules"); 0 if
 * none is enabled. */
unsigned gt_routing_first(const struct gt_routing *routing, enum gt_group group);

/* Returns a mask of the force wake domains that are not fused off, for gt_forcewake.present. */
uint32_t gt_routing_present(const struct gt_routing *routing);

/* ---- contents -------------------------------------------------------------------------------- */

/*
 * The alias of the memory controller's registers, 140000h to 147FFFh. _read reads 2, 4 or 8 aligned
 * bytes; _set sets 1, 2, 4 or 8 aligned bytes from the memory controller's side. Return 0; -EINVAL
 * for other addresses and sizes, with *out unchanged.
 */
int gt_routing_read_mchbar(const struct gt_routing *routing, uint32_t address, unsigned bytes,
                           uint64_t *out);
int gt_routing_set_mchbar(struct gt_routing *routing, uint32_t address, unsigned bytes,
                          uint64_t value);

/* Reads 178000h to 178FFFh from the hypervisor; 0 without one. */
uint32_t gt_routing_read_hypervisor(const struct gt_routing *routing, uint32_t address);

/* Steering and fuse registers. */
extern const struct reg_map gt_routing_map;

/* The map with its handlers, whose context is a struct gt_routing. */
extern const struct reg_block gt_routing_block;

#endif
