/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_POWER_H
#define TALLY_INTEL_GT_POWER_H

/*
 * What the OA units of Lakefield and Tiger Lake keep and lose in power-down and in resets
 * (document: "Observability Overview", "OA Programming Guidelines", "Performance Counter
 * Registers"; OA-1.6, OA-2.7, OA-2.14; OA-D46).
 *
 * A table has register groups and events. The functions apply it to an embedder's
 * registers and counters through small callbacks:
 *
 *     gt_power_down(&power, GT_EVENT_RC6, &io);   // the power context is saved
 *     ...clocks that still count here are the blind spot...
 *     gt_power_up(&power, &io);                   // saved values overwrite: they are gone
 *     power.blind[...]                            // and this is how many each counter lost
 *
 * After that the embedder runs the workaround batches, as software would have set them up, to get
 * back what was lost. Resets are the models' own; tests hold them to the table.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intel/revision.h"

/* ---- the table ------------------------------------------------------------------------------- */

enum gt_event {
    GT_EVENT_RC6,          /* the GT loses power: all but the always-on part */
    GT_EVENT_RENDER_DOWN,  /* only the render well does */
    GT_EVENT_MEDIA_DOWN,   /* only media wells do */
    GT_EVENT_ENGINE_RESET, /* of one engine */
    GT_EVENT_GT_RESET,     /* GT global reset */
    GT_EVENT_CHIP_RESET,
    GT_EVENTS
};

enum gt_fate {
    GT_FATE_KEPT,
    GT_FATE_LOST,    /* the reset value afterwards */
    GT_FATE_SAVED,   /* lost, but saved before and restored after: the power context */
    GT_FATE_CONTEXT, /* lost until the next render context that is loaded brings its own */
    GT_FATE_UNSTATED /* the documents do not say; left alone */
};

enum gt_counter {
    GT_COUNTER_A,         /* A0 to A35; before Gen8 to A44 */
    GT_COUNTER_B,         /* B0 to B7 */
    GT_COUNTER_C,         /* C0 to C7; before HSW to C11 */
    GT_COUNTER_FREE,      /* the free-running A4, A6, A19, A20, in this order */
    GT_COUNTER_TICKS,     /* GPU_TICKS */
    GT_COUNTER_TIMESTAMP, /* TIMESTAMP */
    GT_COUNTER_KINDS      /* not a counter */
};

#define GT_COUNTERS (45 + 8 + 12 + 4 + 1 + 1)

/* How many counters of a kind any platform has, and bits of one from Gen8 on. 0 for other kinds. */
unsigned gt_counter_count(enum gt_counter kind);
unsigned gt_counter_width(enum gt_counter kind, unsigned index);

/* Place of a counter in arrays of GT_COUNTERS, kind by kind. index below gt_counter_count(). */
unsigned gt_counter_place(enum gt_counter kind, unsigned index);

struct gt_power_span {
    uint32_t first, last; /* byte addresses of the first and the last register; 0, 0 ends */
    uint32_t reset;       /* value of each after reset */
};

struct gt_power_group {
    const char *name;
    const struct gt_power_span *spans;
    uint8_t counter;          /* enum gt_counter: its registers show counters of this kind */
    uint8_t fates[GT_EVENTS]; /* enum gt_fate */
    const char *model;        /* the function that resets it, where a model of this folder holds
                                 these registers; NULL: gt_power_... does */
    const char *source;
};

/* The groups of a revision: Lakefield's, which hold for all that have no groups of their own, or
 * those of OAG and OAR, whose registers lie elsewhere; what becomes of them is taken to be the
 * same. */
const struct gt_power_group *gt_power_groups(enum intel_revision revision, size_t *count);

/* The group of a register's byte address (of any byte of it); NULL: none. */
const struct gt_power_group *gt_power_find(enum intel_revision revision, uint32_t address);

/* What becomes of a register. event: below GT_EVENTS. */
enum gt_fate gt_power_fate(enum intel_revision revision, enum gt_event event, uint32_t address);

/* "rc6", "saved": names for people; NULL if there is no such event or fate. */
const char *gt_event_name(enum gt_event event);
const char *gt_fate_name(enum gt_fate fate);

/* ---- the model ------------------------------------------------------------------------------- */

/*
 * Raw access to the embedder's registers and counters: it has no side effects and needs no force
 * wake. Registers of counters, and of groups with `model`, are never accessed. A NULL pair leaves
 * registers, or counters, out.
 */
struct gt_power_io {
    uint32_t (*read)(void *context, uint32_t address);
    void (*write)(void *context, uint32_t address, uint32_t value);
    uint64_t (*count)(void *context, enum gt_counter kind, unsigned index);
    void (*set_count)(void *context, enum gt_counter kind, unsigned index, uint64_t value);
    void *context;
    bool narrow;      /* counters have 32 bits, as before Gen8 */
    uint8_t revision; /* enum intel_revision, of whose groups */
};

#define GT_POWER_REGISTERS 80 /* capacity: at least the registers of the power context */

struct gt_power {
    bool is_down;
    uint8_t event;                          /* enum gt_event that took it down */
    uint32_t registers[GT_POWER_REGISTERS]; /* the power context, in the table's order */
    uint64_t counters[GT_COUNTERS];
    uint64_t blind[GT_COUNTERS]; /* counts that the latest gt_power_up() overwrote, modulo the
                                    counter's width */
};

/* Power on, nothing saved. */
void gt_power_init(struct gt_power *power);

/*
 * RC6 entry, or that of a part: saves the power context. event: RC6, RENDER_DOWN or MEDIA_DOWN.
 * Counters go on as long as the embedder lets them; GPU_TICKS stops (its clock does).
 * Returns 0; -EINVAL for other events; -EALREADY if it is down.
 */
int gt_power_down(struct gt_power *power, enum gt_event event, const struct gt_power_io *io);

/* RC6 exit, or power-up of a part: restores what was saved, and resets what was lost. Returns 0;
 * -EALREADY if it is not down. */
int gt_power_up(struct gt_power *power, const struct gt_power_io *io);

/* ---- workaround batches ---------------------------------------------------------------------- */

/*
 * "DFD Configuration Restore": configuration of internal node tracing (the NOA multiplexers) is
 * never saved. Three batch buffers can restore parts of it. For a whole GT power-up (RC6 exit)
 * there is none: the document's advice is to do without power management.
 */
enum gt_batch {
    GT_BATCH_RENDER,  /* the render command streamer's RC6 workaround batch */
    GT_BATCH_MEDIA,   /* that of a media command streamer */
    GT_BATCH_CONTEXT, /* the per-context workaround batch, at every context load */
    GT_BATCHES
};

/* Does a batch write this register: is it in a well that the batch is for? */
bool gt_power_batch_covers(enum intel_revision revision, enum gt_batch batch, uint32_t address);

#endif
