/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_RECORD_H
#define TALLY_CLI_RECORD_H

#include <signal.h>
#include <stdio.h>
#include <sys/types.h>

#include <tally/capture.h>

#include "cli/cli.h"

/* The parts of tally record. Functions print errors and return an exit code. */

/* ---- the device (record_device.c) ------------------------------------------------------------ */

/* Prints the devices that can be recorded. */
int list_devices(const struct arguments *arguments);

/* Opens the device `name`, as of -d (NULL: not given), with --workload, --clock and --fault, and
 * the file of --trace, if that is for this device: *mmio, else NULL. `command` is for messages.
 * Whatever it returns, the caller closes both, *out first. *uncounted is set to the number of
 * activities of the workload that no counter of the GPU counts. */
int pick_device(const struct arguments *arguments, const char *command, const char *name,
                FILE **mmio, unsigned *uncounted, struct tally_capture **out);

/* Warns of activities of the workload without a counter, unless --quiet is given. */
void warn_uncounted(const struct arguments *arguments, const struct tally_capture *capture,
                    unsigned uncounted);

/* Prints the metric sets of the device. */
int list_sets_of(const struct arguments *arguments, const struct tally_capture *capture);

/* ---- signals and the recorded command (record_command.c) ------------------------------------- */

struct command_run {
    char **argv;            /* the command, or NULL */
    int signals;            /* signalfd: readable when a signal has arrived */
    bool stop_requested;    /* an earlier signal has requested to stop */
    bool exited;            /* the command has exited */
    int code;               /* its exit status, as a shell reports it */
    pid_t pid;              /* the child, or -1 */
    int start, failure;     /* pipes: parent to child, and errno of exec back; -1 if closed */
    sigset_t original_mask; /* signal mask to restore */
};

/* Blocks the signals and forks the command, which waits for command_start(). */
int command_prepare(struct command_run *run, char **argv);

/* Lets the command begin. Prints the error and returns an exit code if it cannot be executed. */
int command_start(struct command_run *run);

/* Handles the signals that have arrived. Returns the action for the recorder. */
enum record_action { RECORD_CONTINUE, RECORD_STOP, RECORD_DUMP };
enum record_action command_signals(struct command_run *run);

/* Waits for the command to exit, and restores the signal mask. */
void command_finish(struct command_run *run);

#endif
