/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_SERVED_H
#define TALLY_CLI_SERVED_H

#include "cli/cli.h"
#include "vm/server.h"

/* What tally pci and tally vm report about a GPU that they have served. `command` is the name for
 * messages. */

/* Writes the file of --unknown, if it was given. Returns EXIT_DONE, or prints the error and returns
 * its exit code. */
int write_unknown(const struct arguments *arguments, const struct vm_server *server);

/* Warns about time that the GPU did not run. */
void warn_lost_time(const char *command, const struct vm_server_stats *stats);

/* Parses --clock wall|guest. Returns EXIT_DONE or EXIT_USAGE, and prints the error. */
int parse_server_clock(const char *command, const char *text, enum vm_clock *clock);

#endif
