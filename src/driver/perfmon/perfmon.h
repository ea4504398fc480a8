/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_PERFMON_H
#define TALLY_DRIVER_PERFMON_PERFMON_H

/* clang-format off */
/*
 * Counting with NVIDIA's PCOUNTER, by registers and memory only (docs/perfmon.md). Usage:
 *
 *     const struct perfmon_request requests[] = {
 *         {.expression = "PGRAPH.IDLE", .domain = ANY_DOMAIN, .instance = ALL_INSTANCES}};
 *     perfmon_plan_new(tally_chipset_find("g92"), requests, 1, 0, &plan, &error);
 *
 *     perfmon_session_new(chipset, &io, 0, &session, &error);
 *     perfmon_session_start(session, plan, 0, &error);
 *     for (;;) {
 *         ...                                               // let time pass
 *         perfmon_session_sample(session, &sample, &error);
 *         idle = sample.counts[0].value;
 *         clocks = sample.clocks[plan->placements[0].clock].value;
 *         busy = 1 - (double)idle / clocks;
 *     }
 *     perfmon_session_free(session);
 *
 * A request is one number of each sample. A plan says which registers count it: the domain, the
 * counter, its signals and truth table, and in which pass if not all requests can be counted at the
 * same time. It depends on the chipset only, and needs no hardware.
 *
 * Thread rule: a plan does not change and may be shared; a session is used by one thread at a time.
 */
/* clang-format on */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>

#include "driver/io.h"
#include "driver/perfmon/chips.h"
#include "driver/perfmon/expression.h"

/* ---- plans ----------------------------------------------------------------------------------- */

/* A selector of a unit, which decides what its signals mean (PC-B.1, PC-B.2): the bits `mask` of a
 * register must have the value `value` while the request is counted. */
struct perfmon_selector {
    uint32_t address;
    uint32_t mask, value;
    uint32_t stride; /* bytes from one GPC's or partition's register to the next one's; 0: there is
                      * only one */
};

/* The counter mode that a request needs. */
enum perfmon_mode {
    PERFMON_ANY_MODE, /* whichever fits */
    PERFMON_SIMPLE,   /* the others are PCOUNTER_CTR_MODE's values + 1 */
    PERFMON_EVENT_B4,
    PERFMON_EVENT_B6,
    PERFMON_EXTRA_B4,
    PERFMON_EXTRA_B6_EVENT_B2,
    PERFMON_MODES
};

struct perfmon_request {
    const char *expression; /* see expression.h */
    int domain;             /* TALLY_DOMAIN(), or ANY_DOMAIN: as the expression says */
    int instance;           /* of the GPC or partition, from 0; ALL_INSTANCES: the sum over all that
                             * exist, unless the expression names one */
    enum perfmon_mode mode;
    const struct perfmon_selector *selectors; /* may be NULL */
    size_t selector_count;
    unsigned group; /* requests with the same group, not 0, are counted in the same pass */
};

/* Flags of perfmon_plan_new(). */
enum { PERFMON_SPLIT_GROUPS = 1 }; /* groups that do not fit a pass are counted in several */

/* A counter: a slot of a setup. */
struct perfmon_tap {
    uint32_t setup; /* index among the plan's setups */
    uint8_t slot;   /* enum perfmon_slot */
};

/* Where a request is counted. */
struct perfmon_placement {
    struct perfmon_function function;
    uint32_t pass;
    uint32_t clock;     /* index among the plan's clocks */
    uint32_t first_tap; /* its counters, whose sum is the request's count: one for each instance */
    uint32_t tap_count;
    uint8_t domain; /* TALLY_DOMAIN() */
    int instance;   /* or ALL_INSTANCES */
    bool split;     /* its group is counted in several passes */
};

/* The registers of a domain of one instance in a pass. Bytes of `sources`: SRC[0] first. */
struct perfmon_setup {
    uint32_t pass;
    uint8_t domain; /* TALLY_DOMAIN() */
    uint8_t instance;
    uint8_t counter_mode; /* value of PCOUNTER_CTR_MODE */
    uint8_t slots;        /* mask of the slots that count something */
    uint32_t sources[SLOTS];
    uint32_t operations[SLOTS];
};

/* The clocks of a domain in a pass, which are counted beside its signals: those of one instance, or
 * the sum over all. */
struct perfmon_clock {
    uint32_t pass;
    uint8_t domain;
    int instance; /* or ALL_INSTANCES */
};

/* A selector's register in a pass. */
struct perfmon_setting {
    uint32_t pass;
    uint32_t address, mask, value;
};

struct perfmon_plan {
    const struct tally_chipset *chipset;
    struct perfmon_placement *placements; /* one for each request, in their order */
    size_t placement_count;
    struct perfmon_tap *taps;
    size_t tap_count;
    struct perfmon_setup *setups; /* ordered by pass, domain and instance */
    size_t setup_count;
    struct perfmon_clock *clocks; /* ordered by pass and domain */
    size_t clock_count;
    struct perfmon_setting *settings; /* ordered by pass */
    size_t setting_count;
    unsigned passes;
    bool minimal; /* it is proven that no plan has fewer passes */
};

/*
 * Plans requests in the fewest passes. Requests that count the same share a counter. The search is
 * exhaustive for a few dozen requests; beyond, it ends when it has proven that fewer passes are not
 * possible (`minimal`), or after a fixed number of steps.
 *
 * Returns 0 and *out, to be freed with perfmon_plan_free(). Errors, with a message: -EBADMSG: an
 * expression is malformed; -ENOENT, -ENOTUNIQ: as expression_resolve(); -EINVAL: no counter of the
 * chipset counts the request, or its own selectors contradict each other; -E2BIG: the requests of a
 * group do not fit one pass; -ENODEV: the chipset has no PCOUNTER; -ENOMEM.
 */
int perfmon_plan_new(const struct tally_chipset *chipset, const struct perfmon_request *requests,
                     size_t count, unsigned flags, struct perfmon_plan **out,
                     struct tally_error *error);

/* Frees a plan; NULL is allowed. */
void perfmon_plan_free(struct perfmon_plan *plan);

/* Returns the name of a slot's input: "PRE". */
const char *perfmon_slot_name(unsigned slot);

/* ---- sessions -------------------------------------------------------------------------------- */

/*
 * A session saves the registers that it changes before it writes them, and puts their values back
 * when it is stopped. It is the only user of PCOUNTER while it runs; what another one changes is
 * detected and reported.
 *
 * From NV30 on, quad event mode counts four expressions at the same time, and each sample ends a
 * period of the counters: PGRAPH.PM_TRIGGER swaps the counter sets of all domains (before GF100),
 * or a USER signal those of one domain (GF100). Nothing is lost between two samples. Before NV30,
 * single event mode counts one expression of a domain; a sample stops the counting process, reads
 * it and starts it again, so that some clocks between two samples are not counted. Either way the
 * clocks that were counted are known exactly.
 */
struct perfmon_session;

/* Flags of perfmon_session_new(). */
enum {
    PERFMON_NO_PGRAPH = 1, /* write no register of PGRAPH: swap by PRE_OP (G84 to GT215 only), so
                            * that the periods of domains end one after the other */
    PERFMON_ENABLE = 2,    /* set PCOUNTER's bit of PMC.ENABLE if it is not set (GF100) */
    PERFMON_TOLERATE = 4 /* a domain that does not count does not end the session: samples have its
                          * flag */
};

/*
 * Makes a session. Reads registers, and writes none but PMC.ENABLE with PERFMON_ENABLE. `io` is
 * copied; its closure belongs to the caller and outlives the session. Returns 0 and *out; -ENODEV
 * with a message: the chipset has no PCOUNTER, or PMC.ENABLE holds it in reset; -EOPNOTSUPP: it
 * cannot be swapped without PGRAPH; -ENOMEM.
 */
int perfmon_session_new(const struct tally_chipset *chipset, const struct driver_io *io,
                        unsigned flags, struct perfmon_session **out, struct tally_error *error);

/* Stops and frees a session; NULL is allowed. */
void perfmon_session_free(struct perfmon_session *session);

/* Whether the chip has a domain of a GPC or partition (0: of the only set), as its registers show.
 */
bool perfmon_session_has(const struct perfmon_session *session, unsigned domain, unsigned instance);

/* Reads PTIMER: ns. */
uint64_t perfmon_session_time_ns(const struct perfmon_session *session);

/*
 * Programs a pass of a plan and starts counting; a pass that is running ends, and what it counted
 * since its last sample is dropped. The plan outlives its use. Returns 0; -EINVAL with a message:
 * the plan is for another chipset, or has fewer passes; -ENODEV: none of a request's GPCs or
 * partitions exists; -EIO, without PERFMON_TOLERATE: a domain of the pass has no clock, is disabled
 * or does not swap; the session is then stopped; -ENOMEM.
 */
int perfmon_session_start(struct perfmon_session *session, const struct perfmon_plan *plan,
                          uint32_t pass, struct tally_error *error);

/* What is known about a count. Any but NOT_COUNTED makes it unreliable. */
enum perfmon_flag {
    PERFMON_NOT_COUNTED = 1, /* in another pass */
    PERFMON_LOST = 2,        /* QUAD_STATE was OVERFLOW: the counts of one or more periods are lost,
                              * because something else swapped the counter sets */
    PERFMON_SATURATED = 4,   /* the counter has stopped at its maximum: too long between samples */
    PERFMON_STUCK = 8,       /* the domain did not swap: no clock, or hung; nothing was counted */
    PERFMON_CHANGED = 16,    /* something else wrote CTRL */
    PERFMON_DISABLED = 32    /* reads return an error word (PC-F.4): powered down or disabled */
};

/* Writes the names of flags, separated by ", ". Returns `text`. */
#define PERFMON_FLAGS_TEXT 96
const char *perfmon_flags_text(unsigned flags, char text[PERFMON_FLAGS_TEXT]);

struct perfmon_count {
    uint64_t value;
    uint32_t flags; /* enum perfmon_flag */
};

/* One sample. The arrays belong to the session, and are valid until its next call. */
struct perfmon_sample {
    uint32_t pass;
    uint32_t flags;                     /* of all counts of the pass */
    uint64_t start_ns, end_ns;          /* PTIMER's time of the period */
    const struct perfmon_count *counts; /* by request: since the previous sample, or the start */
    const struct perfmon_count *clocks; /* by clock of the plan */
};

/*
 * Ends the present period, and reads its counts. Call it often enough that no counter saturates: at
 * least every 2^32 clocks of the fastest domain. Returns 0, also if something was lost, which the
 * flags say; -EINVAL: the session is not started.
 */
int perfmon_session_sample(struct perfmon_session *session, struct perfmon_sample *sample,
                           struct tally_error *error);

/* Stops counting and puts back the registers. Nothing to do if the session is not started. */
void perfmon_session_stop(struct perfmon_session *session);

#endif
