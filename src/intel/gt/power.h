/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_POWER_H
#define TALLY_INTEL_GT_POWER_H

/*
 * Power wells, and what power-down and resets do to registers (documents 000: "Performance
 * Statistics Registers"; 002: "Performance Counter Registers"; 004: "Observability Overview", "OA
 * Programming Guidelines", "Performance Counter Registers", "DFD Configuration Restore"; OA-1.6,
 * OA-2.7, OA-2.14, OA-14; OA-D46).
 *
 * The GT has a well for itself and, on platforms with separate wells, one for render and one for
 * each media slice. In RC6 all are down. A table for each generation (power_tables.c) has the
 * groups of registers, the well that powers each group, and what losing power does to it. The
 * functions apply it to the caller's registers and counters through callbacks:
 *
 *     gt_power_down(&power, GT_WELL_GT, &io);   // saves the power context
 *     ...counts from here on are in the blind spot...
 *     gt_power_up(&power, GT_WELL_GT, &io);     // overwrites the counters with saved values
 *     power.blind[...]                          // counts that each counter lost
 *
 * Then the caller runs the workaround batches that software has set up to restore lost registers.
 * The models implement resets themselves; tests compare them with the table.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intel/revision.h"

/* ---- wells ----------------------------------------------------------------------------------- */

enum gt_well {
    GT_WELL_NONE,   /* always on, or no register */
    GT_WELL_GT,     /* off in RC6 only */
    GT_WELL_RENDER, /* also off while render is released and idle */
    GT_WELL_MEDIA,  /* of media slice 0: VDBOX0, VDBOX1, VEBOX0 */
    GT_WELL_MEDIA1, /* of media slice 1: VDBOX2, VDBOX3, VEBOX1 */
    GT_WELLS
};

/* Returns the force wake domains that keep a well on: a mask of GT_DOMAIN_BIT(). */
uint32_t gt_well_domains(enum gt_well well);

/* Returns the well that powers the registers at a byte address of GTTMMADR. Platforms without
 * separate wells have only GT_WELL_GT. */
enum gt_well gt_well_at(enum intel_revision revision, uint32_t address);

/* Returns the wells other than the GT's, a mask of 1 << enum gt_well: VLV, CHV, SKL and from Gen11
 * on. */
uint8_t gt_wells(enum intel_revision revision);

/* Returns the well of the OA unit's counters. */
enum gt_well gt_oa_well(enum intel_revision revision);

/* ---- the table ------------------------------------------------------------------------------- */

enum gt_event {
    GT_EVENT_RC6,          /* all wells lose power */
    GT_EVENT_RENDER_DOWN,  /* only the render well does */
    GT_EVENT_MEDIA_DOWN,   /* only media wells do */
    GT_EVENT_ENGINE_RESET, /* of one engine */
    GT_EVENT_GT_RESET,     /* GT global reset */
    GT_EVENT_CHIP_RESET,
    GT_EVENTS
};

enum gt_retention {
    GT_RETENTION_KEPT,
    GT_RETENTION_LOST,    /* set to the reset value */
    GT_RETENTION_SAVED,   /* saved before and restored afterwards, as part of the power context */
    GT_RETENTION_CONTEXT, /* lost until the next render context is loaded */
    GT_RETENTION_UNSTATED /* not documented; left unchanged */
};

enum gt_counter {
    GT_COUNTER_A,         /* A0 to A35; before Gen8, A0 to A44 */
    GT_COUNTER_B,         /* B0 to B7 */
    GT_COUNTER_C,         /* C0 to C7; before HSW, C0 to C11 */
    GT_COUNTER_FREE,      /* the free-running A4, A6, A19, A20, in this order */
    GT_COUNTER_TICKS,     /* GPU_TICKS */
    GT_COUNTER_TIMESTAMP, /* TIMESTAMP */
    GT_COUNTER_KINDS      /* not a counter */
};

#define GT_COUNTERS (45 + 8 + 12 + 4 + 1 + 1)

/* Return the maximum number of counters of a kind on any platform, and the width of a counter in
 * bits from Gen8 on. 0 for other kinds. */
unsigned gt_counter_count(enum gt_counter kind);
unsigned gt_counter_width(enum gt_counter kind, unsigned index);

/* Returns the index of a counter in arrays of GT_COUNTERS, ordered by kind. index: below
 * gt_counter_count(). */
unsigned gt_counter_place(enum gt_counter kind, unsigned index);

struct gt_power_span {
    uint32_t first, last; /* byte addresses of the first and the last register; 0, 0: end of list */
    uint32_t reset;       /* reset value of each register */
};

struct gt_power_group {
    const char *name;
    const struct gt_power_span *spans;
    uint8_t counter;   /* enum gt_counter: the registers show counters of this kind */
    uint8_t well;      /* enum gt_well */
    uint8_t down;      /* enum gt_retention: when the well loses power */
    uint8_t reset[3];  /* enum gt_retention: engine, GT and chip reset */
    const char *model; /* function of another model in this folder that saves and resets the
                          registers; NULL: the functions below do */
    const char *source;
};

/* Returns the groups of a revision. */
const struct gt_power_group *gt_power_groups(enum intel_revision revision, size_t *count);

/* Returns the group of the register that contains a byte address; NULL if there is none. */
const struct gt_power_group *gt_power_find(enum intel_revision revision, uint32_t address);

/* Returns what an event does to a register. event: below GT_EVENTS. */
enum gt_retention gt_power_retention(enum intel_revision revision, enum gt_event event,
                                     uint32_t address);

/* Return names for messages, such as "rc6" and "saved"; NULL for other values. */
const char *gt_event_name(enum gt_event event);
const char *gt_retention_name(enum gt_retention retention);

/* ---- the model ------------------------------------------------------------------------------- */

/*
 * Raw access to the caller's registers and counters, without side effects and without force wake.
 * Registers of counters and of groups with `model` are never accessed. If both functions of a pair
 * are NULL, registers or counters are left unchanged.
 */
struct gt_power_io {
    uint32_t (*read)(void *context, uint32_t address);
    void (*write)(void *context, uint32_t address, uint32_t value);
    uint64_t (*count)(void *context, enum gt_counter kind, unsigned index);
    void (*set_count)(void *context, enum gt_counter kind, unsigned index, uint64_t value);
    void *context;
    bool narrow;      /* counters have 32 bits, as before Gen8 */
    uint8_t revision; /* enum intel_revision: selects the groups */
};

#define GT_POWER_REGISTERS 180 /* capacity; at least the size of any power context */

struct gt_power {
    uint8_t down;                           /* mask of the wells that are down: 1 << enum gt_well */
    uint32_t registers[GT_POWER_REGISTERS]; /* the power context, in the table's order */
    uint64_t counters[GT_COUNTERS];
    uint64_t blind[GT_COUNTERS]; /* counts that the latest gt_power_up() of their well overwrote,
                                    modulo the counter's width */
};

/* Power-on: all wells are on, nothing is saved. */
void gt_power_init(struct gt_power *power);

/* Whether a well is down. */
static inline bool gt_power_is_down(const struct gt_power *power, enum gt_well well)
{
    return power->down >> well & 1;
}

/*
 * Powers down a well: saves its part of the power context. The caller decides how long counters
 * still count; GPU_TICKS stops with its clock. Returns 0; -EALREADY if the well is down.
 */
int gt_power_down(struct gt_power *power, enum gt_well well, const struct gt_power_io *io);

/* Resets what a well that is down does not keep. Otherwise gt_power_up() does. */
void gt_power_lose(struct gt_power *power, enum gt_well well, const struct gt_power_io *io);

/* Powers up a well: restores what was saved and resets what was lost. Returns 0; -EALREADY if the
 * well is up. */
int gt_power_up(struct gt_power *power, enum gt_well well, const struct gt_power_io *io);

/* ---- workaround batches ---------------------------------------------------------------------- */

/*
 * The configuration of internal node tracing (the NOA multiplexers) is never saved. Batch
 * buffers can restore parts of it, but none runs at the power-up of the whole GT (RC6 exit); the
 * document recommends to disable power management (document: "DFD Configuration Restore").
 */
enum gt_batch {
    GT_BATCH_RENDER,  /* RC6 workaround batch of the render command streamer */
    GT_BATCH_CONTEXT, /* per-context workaround batch, run at every context load */
    GT_BATCH_MEDIA,   /* RC6 workaround batches of the media command streamers */
    GT_BATCHES
};

/* Whether a batch can restore a register: whether it runs when the register's well powers up. */
bool gt_power_batch_covers(enum intel_revision revision, enum gt_batch batch, uint32_t address);

#endif
