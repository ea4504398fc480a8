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

struct record_inputs;

struct command_run {
    struct record_inputs *inputs; /* of marks and --control */
    char **argv;                  /* the command, or NULL */
    int signals;                  /* signalfd: readable when a signal has arrived */
    bool stop_requested;          /* an earlier signal has requested to stop */
    int stop_signal;              /* which */
    bool exited;                  /* the command has exited */
    int code;                     /* its exit status, as a shell reports it */
    pid_t pid;                    /* the child, or -1 */
    int start, failure;           /* pipes: parent to child, and errno of exec back; -1 if closed */
    sigset_t original_mask;       /* signal mask to restore */
    sigset_t command_mask;
};

/* Blocks the signals and forks the command, which waits for command_start(). mask: signal mask of
 * the command; NULL: that of this process. */
int command_prepare(struct command_run *run, char **argv, struct record_inputs *inputs,
                    const sigset_t *mask);

/* Lets the command begin. Prints the error and returns an exit code if it cannot be executed. */
int command_start(struct command_run *run);

/* Handles the signals that have arrived. Returns the action for the recorder. */
enum record_action { RECORD_CONTINUE, RECORD_STOP, RECORD_DUMP };
enum record_action command_signals(struct command_run *run);

/* Waits for the command to exit, and restores the signal mask. */
void command_finish(struct command_run *run);

/* ---- --repeat (record_repeat.c) -------------------------------------------------------------- */

#define REPEAT_MAX 1000

/* Parses --repeat. */
int repeat_parse(const struct arguments *arguments, unsigned *count);

/* Formats the path of a run, from 1. Returns false if it is too long. */
bool repeat_path(char *path, size_t size, const char *output, unsigned run, unsigned count);

/* Keeps the signals that end a recording pending, between the runs. */
void repeat_block(sigset_t *before);

/* Returns a pending signal that ends the recording, which it takes; 0: none. */
int repeat_pending(void);

#endif
