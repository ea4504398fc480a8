/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_RECORD_H
#define TALLY_CLI_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include <tally/capture.h>

#include "cli/cli.h"

/* The parts of tally record. Functions tell what is wrong and return EXIT_... */

/* ---- the device (record_device.c) ------------------------------------------------------------ */

int list_devices(const struct arguments *arguments);

/* By -d, --workload, --clock and --fault. On success *out is the caller's. */
int pick_device(const struct arguments *arguments, struct tally_capture **out);

/* The metric sets for it. */
int list_sets_of(const struct arguments *arguments, const struct tally_capture *capture);

/* ---- signals, and the command that runs meanwhile (record_command.c) ------------------------- */

struct command_run {
    char **argv; /* NULL: none */
    int signals; /* a descriptor that is readable when a signal came */
    bool asked_to_stop;
    bool over; /* the command has ended */
    int code;  /* and its exit status, as a shell tells it */
    pid_t pid;
    int go, failure; /* pipes */
    sigset_t before; /* the mask of signals */
};

/* Takes over the signals, and starts the command, which waits until command_go(). */
int command_prepare(struct command_run *run, char **argv);
int command_go(struct command_run *run);

/* What the signals that came want done. */
enum record_order { RECORD_GO_ON, RECORD_STOP, RECORD_DUMP };
enum record_order command_signals(struct command_run *run);

/* Waits for the command's end, and gives the signals back. */
void command_finish(struct command_run *run);

#endif
