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
/* The same for the platform or chipset in "hsw:OACONTROL". */
int unknown_chip(const char *text);

int unknown_layout(const char *name);

/* The same for an emulated device, "sim:" and a name. */
int unknown_model(const char *device);

/* Prints an error of opening a file. If there is none, names the one in its directory whose name is
 * similar. Returns the exit code of the error. */
struct tally_error;
int report_file_error(const struct tally_error *error, const char *path);

#endif
