/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_LIST_NAMED_H
#define TALLY_CLI_LIST_NAMED_H

#include "cli/list.h"

int list_workloads(struct listing *listing);
int list_faults(struct listing *listing);
int list_units(struct listing *listing);
int list_options(struct listing *listing);

#endif
