/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_WORKLOADS_H
#define TALLY_CLI_WORKLOADS_H

#include "cli/list.h"

int list_workloads(struct listing *listing);

#endif
