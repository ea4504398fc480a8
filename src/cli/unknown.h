/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_UNKNOWN_H
#define TALLY_CLI_UNKNOWN_H

/*
 * Print that a name is unknown, with the nearest valid one and the command that lists all. Return
 * EXIT_USAGE.
 */
int unknown_command(const char *name);
int unknown_platform(const char *name);

/* The same for the platform or the SKU in a name such as "hsw/gt3". */
int unknown_sku(const char *name);

int unknown_chipset(const char *name);
int unknown_layout(const char *name);

/* The same for an emulated device, "sim:" and a name. */
int unknown_model(const char *device);

#endif
