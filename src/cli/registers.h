/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_REGISTERS_H
#define TALLY_CLI_REGISTERS_H

#include "cli/list.h"

/* tally list registers [NAME] */
int list_registers(struct listing *listing);

/* True for "CHIP:REGISTER" and "CHIP:REGISTER=VALUE" with a known chip. */
bool is_register(const char *text);

/* tally explain CHIP:REGISTER[=VALUE] */
int explain_register(const struct arguments *arguments);

#endif
