/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_REGISTERS_H
#define TALLY_CLI_REGISTERS_H

#include "cli/list.h"

/* tally list registers --chipset C [NAME] */
int list_registers(struct listing *listing);

/* Is it "CHIP:REGISTER" or "CHIP:REGISTER=VALUE", of a chipset? */
bool is_register(const char *text);

/* tally explain CHIP:REGISTER[=VALUE] */
int explain_register(const struct arguments *arguments);

#endif
