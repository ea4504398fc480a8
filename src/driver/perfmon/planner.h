/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_PERFMON_PLANNER_H
#define TALLY_DRIVER_PERFMON_PLANNER_H

/* A plan while it is made: plan.c has the requests, plan_registers.c the result. */

#include "driver/perfmon/passes.h"

/* What a request resolves to. */
struct resolved {
    struct perfmon_key key;
    int domain, instance;
};

struct planner {
    const struct tally_chipset *chipset;
    const struct perfmon_request *requests;
    size_t count;
    unsigned flags;
    struct resolved *resolved;
    struct problem problem;
    struct perfmon_function *functions;
    struct item *items;
    struct perfmon_setting *settings;
    uint32_t *setting_numbers;
    size_t setting_capacity, number_count, number_capacity;
    uint32_t *order;
    struct bundle *bundles;
    bool *split;
    uint32_t *slots; /* heads of the table of functions, then the next of each function */
    size_t slot_count;
    struct perfmon_plan *plan;
    struct tally_error *error;
};

/* Makes the plan from the passes that were found. Returns 0 or -ENOMEM with a message. */
int planner_finish(struct planner *planner);

#endif
