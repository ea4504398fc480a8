/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_PLAN_H
#define TALLY_CLI_PLAN_H

#include <tally/chipset.h>

#include "cli/cli.h"

/* tally explain CHIPSET EXPRESSION... */
int explain_plan(const struct arguments *arguments, const struct tally_chipset *chipset);

#endif
