/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_PASSES_H
#define TALLY_DRIVER_PERFMON_PASSES_H

/*
 * The search for the fewest passes. A place is a domain's counters of one instance, or those of all
 * instances, where they count the same. An item is a request; a bundle is items that must be in the
 * same pass.
 */

#include "driver/perfmon/place.h"

#define PLACES_MAX 64 /* as TALLY_PCOUNTER_DOMAINS_TOTAL */

struct place {
    struct place_limits limits;
    uint8_t domain;
    int instance; /* or ALL_INSTANCES */
};

struct item {
    uint32_t function;                     /* index */
    uint16_t first_place, place_count;     /* places are consecutive */
    uint8_t modes;                         /* mask of the counter modes that the request allows */
    uint32_t first_setting, setting_count; /* among the problem's `setting_numbers` */
};

struct bundle {
    uint32_t first, count; /* among the problem's `order` */
    uint32_t pass;         /* the result */
    uint32_t request;      /* the first one */
};

struct problem {
    const struct perfmon_function *functions;
    size_t function_count;
    const struct perfmon_setting *settings; /* different ones; `pass` is not used */
    size_t setting_count;
    const uint32_t *setting_numbers; /* of items */
    struct place places[PLACES_MAX];
    unsigned place_count;
    bool shared_mode; /* one counter mode for all places */
    const struct item *items;
    size_t item_count;
    const uint32_t *order; /* items by bundle */
    struct bundle *bundles;
    size_t bundle_count;
    /* result */
    uint32_t passes;
    bool minimal;
};

/* Why items do not fit one pass. */
enum conflict { CONFLICT_NONE, CONFLICT_COUNTERS, CONFLICT_SELECTOR, CONFLICT_MODE };
struct conflict_report {
    enum conflict conflict;
    unsigned place;                               /* CONFLICT_COUNTERS */
    unsigned functions;                           /* what would have to be counted there */
    const struct perfmon_setting *first, *second; /* CONFLICT_SELECTOR */
};

/* Whether a bundle fits a pass of its own. Returns 1, or 0 with a report; -ENOMEM. */
int passes_fit(const struct problem *problem, const struct bundle *bundle,
               struct conflict_report *report);

/* Finds the passes of all bundles, each of which fits one. Returns 0 or -ENOMEM. */
int passes_find(struct problem *problem);

/* Returns a number of passes that no solution is below. */
uint32_t passes_bound(const struct problem *problem);

/* The state of one pass: what each place counts. */
struct pass_place {
    uint8_t count, modes;
    uint32_t functions[SLOTS];
};

/* The functions of a place in a pass: their counter mode, slots and registers. `modes`: mask of
 * those that the pass may use. */
bool passes_place(const struct problem *problem, unsigned place, const struct pass_place *state,
                  uint8_t modes, struct place_result *result);

/* The places of a pass of the result, and the mask of the counter modes for all of them. */
uint8_t passes_state(const struct problem *problem, uint32_t pass,
                     struct pass_place places[PLACES_MAX]);

#endif
