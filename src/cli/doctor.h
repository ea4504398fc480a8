/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_DOCTOR_H
#define TALLY_CLI_DOCTOR_H

#include "cli/cli.h"

/* Writes a line: "yes" or "no", what was checked, and a detail. */
void put_check(struct output *output, bool good, const char *what, const char *detail);

/* Checks the GPUs that are PCI devices, and changes that killed processes have left on them. */
void check_cards(struct output *output);

/* tally doctor --restore */
int restore_cards(const struct arguments *arguments);

#endif
