/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_SERVED_H
#define TALLY_CLI_SERVED_H

#include "cli/cli.h"
#include "vm/server.h"

struct faults_script;

/* What tally pci and tally vm have in common: the GPU that they serve. `command` is the name for
 * messages. */

/* A GPU to serve. */
struct served {
    const char *command;
    struct vm_server_config config;
    struct faults_script *faults;
};

/* Fills in the configuration from the options, and opens the files of --fault and --trace. `clock`:
 * without --clock. Returns EXIT_DONE; or prints the error and returns its exit code. */
int served_open(struct served *served, const char *command, const struct arguments *arguments,
                enum vm_clock clock);

/* Closes the files. Returns `code`, or the exit code of an error that it prints. */
int served_close(struct served *served, const struct arguments *arguments, int code);

/* Reports what was lost, and writes the file of --unknown. Returns EXIT_DONE, or prints the error
 * and returns its exit code. */
int served_report(const char *command, const struct arguments *arguments,
                  const struct vm_server *server);

#endif
