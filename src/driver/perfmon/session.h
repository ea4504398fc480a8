/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_SESSION_H
#define TALLY_DRIVER_PERFMON_SESSION_H

/* The driver's internal interface: session.c (passes, samples), units.c (a domain's registers,
 * saved and restored), quad.c and single.c (what they count), swap.c (what ends a period),
 * histogram.c and record.c. */

#include "driver/perfmon/manual.h"
#include "driver/perfmon/perfmon.h"
#include "driver/perfmon/registers.h"

#define UNITS_MAX    64 /* as TALLY_PCOUNTER_DOMAINS_TOTAL */
#define REGISTER_IDS (REG_DSET_CTRL + 1)

/* Waiting for a domain: one with a clock of 1 MHz or more takes one step. */
#define WAIT_STEP_NS 1000u
#define WAIT_STEPS   10000u

/* How the counter sets are swapped. */
enum swap_method {
    SWAP_BY_TRIGGER, /* PGRAPH.PM_TRIGGER: all domains */
    SWAP_BY_PRE_OP,  /* a write to PRE_OP */
    SWAP_BY_USER     /* a pulse of the domain's signal USER_0 */
};

/* A domain of one instance that the session uses. */
struct session_unit {
    struct perfmon_unit unit;
    const struct perfmon_control *control;
    uint32_t addresses[REGISTER_IDS]; /* 0: the revision does not have it */
    uint32_t saved[REGS_OF_A_DOMAIN]; /* values before the session */
    uint32_t written;                 /* mask of those that the session has written */
    int swap_signal;                  /* index; -1: not yet known */
    bool present;

    /* The present pass. */
    const struct perfmon_setup *setup; /* NULL: the unit is not in it */
    uint32_t ctrl;                     /* as written */
    bool begun;                        /* quad event mode: the first period has begun */

    /* The present sample. */
    uint64_t counts[SLOTS], cycles;
    uint32_t flags;    /* enum perfmon_flag */
    uint8_t saturated; /* mask of slots; the clocks: all of them */

    /* Of manual.c: the period that ended last. */
    struct perfmon_manual_counts ended;
    bool has_ended;
};

/* A selector's register that the session has changed. */
struct session_setting {
    uint32_t address, before;
    bool needed; /* by the present pass */
};

struct perfmon_session {
    const struct tally_chipset *chipset;
    const struct pcounter_features *features;
    struct driver_io io;
    unsigned flags;
    enum swap_method swap_method;
    uint32_t gpcs, partitions; /* masks of those that exist */
    bool enabled_engine;       /* PMC.ENABLE's bit was set by the session */

    struct session_unit units[UNITS_MAX];
    unsigned unit_count;
    struct session_setting *settings;
    size_t setting_count, setting_capacity;

    const struct perfmon_plan *plan; /* NULL: not started */
    uint32_t pass;
    uint32_t *setup_units; /* index of the unit of each setup of the plan; UINT32_MAX: absent */
    struct perfmon_count *counts, *clocks;
    uint64_t start_ns, end_ns; /* of the present sample */
    uint64_t next_ns;          /* start of the next one */
};

static inline uint32_t unit_read(const struct perfmon_session *session,
                                 const struct session_unit *unit, enum register_id id)
{
    return driver_read32(&session->io, unit->addresses[id]);
}

/* Writes a register that the revision has; otherwise does nothing. */
static inline void unit_write(const struct perfmon_session *session, struct session_unit *unit,
                              enum register_id id, uint32_t value)
{
    if (!unit->addresses[id])
        return;
    if (id < REGS_OF_A_DOMAIN)
        unit->written |= 1u << id;
    driver_write32(&session->io, unit->addresses[id], value);
}

/* ---- units.c --------------------------------------------------------------------------------- */

/* Finds which GPCs and partitions exist. */
void session_find_units(struct perfmon_session *session);

/* Returns a unit, whose registers are saved when it is first used; NULL: it does not exist, or too
 * many. */
struct session_unit *session_unit(struct perfmon_session *session, uint8_t domain,
                                  uint8_t instance);

/* Restores all registers of all units. */
void session_restore(struct perfmon_session *session);

/* Sets the mode, the counter mode and the fields of `mask` in CTRL; the other bits are kept. Makes
 * FLAG 0. */
void unit_set_mode(const struct perfmon_session *session, struct session_unit *unit, uint32_t mode,
                   uint32_t counter_mode, uint32_t mask, uint32_t fields);

/* Reads CTRL, and adds to the unit's flags if it is not as written. */
uint32_t unit_check(const struct perfmon_session *session, struct session_unit *unit);

/* Writes SRC and OP of all inputs, PRE_OP last. */
void unit_set_inputs(const struct perfmon_session *session, struct session_unit *unit,
                     const uint32_t sources[SLOTS], const uint32_t operations[SLOTS]);

/*
 * Finds a unit for counting without a plan, with the selectors that this needs. Stops what runs.
 * Returns 0; -ENODEV with a message: the GPC or partition is disabled; -EINVAL; -ENOMEM.
 */
int session_take_unit(struct perfmon_session *session, int domain, int instance,
                      const struct perfmon_selector *selectors, size_t count,
                      struct session_unit **out, struct tally_error *error);

/* Parses an expression, and returns the SRC and OP registers of a slot that counts it in counter
 * mode SIMPLE. *domain and *instance as for expression_resolve(). Returns 0, or an error of
 * perfmon_plan_new(). */
int session_compile(const struct perfmon_session *session, const char *text, unsigned slot,
                    int *domain, int *instance, uint32_t *source, uint32_t *operation,
                    struct tally_error *error);

/* Writes a register that is not a domain's, and saves it to be restored. Returns 0 or -ENOMEM. */
int session_write_setting(struct perfmon_session *session, uint32_t address, uint32_t value,
                          struct tally_error *error);

/* Reads a counter in two halves, of which the upper one may change in between (PC-AMB-12). */
uint64_t session_read_wide(const struct perfmon_session *session, uint32_t low_address,
                           uint32_t high_address);

/* ---- swap.c ---------------------------------------------------------------------------------- */

/* Finds how the counter sets are swapped. Returns 0 or -EOPNOTSUPP with a message. */
int swap_choose(struct perfmon_session *session, struct tally_error *error);

/* Selects the signal that swaps a unit's counters. Returns 0, or -EIO: it cannot be found. */
int swap_select(const struct perfmon_session *session, struct session_unit *unit,
                struct tally_error *error);

/* Swaps the counter sets of all units of the pass. */
void swap_all(struct perfmon_session *session);

/* ---- quad.c, single.c ------------------------------------------------------------------------ */

/* The steps of counting in quad or single event mode. */
struct counting {
    /* Programs a unit by its setup; then all units begin. */
    int (*program)(struct perfmon_session *session, struct session_unit *unit,
                   struct tally_error *error);
    int (*begin)(struct perfmon_session *session, struct tally_error *error);

    /* Ends the period of all units, sets their counts, cycles and flags, and begins the next. */
    void (*sample)(struct perfmon_session *session);
};
extern const struct counting quad_counting, single_counting;

/* Describes a unit for messages: "domain GPC0[2]". */
#define UNIT_TEXT 24
const char *unit_text(const struct session_unit *unit, char text[UNIT_TEXT]);

#endif
