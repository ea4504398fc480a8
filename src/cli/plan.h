/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PLAN_H
#define TALLY_CLI_PLAN_H

#include <tally/chipset.h>

#include "cli/cli.h"

/* Writes how a request of a plan is counted, under the heading `title`. */
struct output;
struct perfmon_plan;
void put_placement(struct output *output, const struct perfmon_plan *plan, size_t request,
                   const char *title);

/* tally explain CHIPSET EXPRESSION... */
int explain_plan(const struct arguments *arguments, const struct tally_chipset *chipset);

#endif
