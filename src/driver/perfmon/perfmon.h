/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_PERFMON_H
#define TALLY_DRIVER_PERFMON_PERFMON_H

/*
 * Counting with NVIDIA's PCOUNTER, by registers and memory only (docs/perfmon.md). Usage:
 *
 *     const struct perfmon_request requests[] = {{.expression = "PGRAPH.IDLE", .domain =
 * ANY_DOMAIN, .instance = ALL_INSTANCES}}; perfmon_plan_new(tally_chipset_find("g92"), requests, 1,
 * 0, &plan, &error);
 *
 * A request is one number of each sample. A plan says which registers count it: the domain, the
 * counter, its signals and truth table, and in which pass if not all requests can be counted at the
 * same time. It depends on the chipset only, and needs no hardware.
 *
 * Thread rule: a plan does not change and may be shared.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>

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

#endif
