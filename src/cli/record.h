/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_RECORD_H
#define TALLY_CLI_RECORD_H

#include <signal.h>
#include <sys/types.h>

#include <tally/metrics.h>

#include "capture/emulated.h"
#include "capture/recorder.h"
#include "cli/cli.h"

/* The parts of tally record. Functions tell what is wrong and return EXIT_... */

/* ---- the device (record_device.c) ------------------------------------------------------------ */

struct picked_device {
    struct device machine;
    struct gpu gpu;
    bool modelled;
    char name[300]; /* as -d names it */
    const char *workload;
    enum emulated_clock clock;
};

int list_devices(const struct arguments *arguments);

/* By -d, --workload and --clock. release_device() is right after success and failure. */
int pick_device(const struct arguments *arguments, struct picked_device *picked);
void release_device(struct picked_device *picked);

/* ---- the metric set (record_set.c) ----------------------------------------------------------- */

struct picked_set {
    struct tally_catalog *catalog;
    const struct tally_metric_set *metrics;
    struct set set;
    struct set_write *writes[SET_LISTS];
};

int list_sets_of(const struct arguments *arguments, const struct gpu *gpu);

/* By -m and -M. release_set() is right after success and failure. */
int pick_set(const struct arguments *arguments, const struct gpu *gpu, struct picked_set *picked);
void release_set(struct picked_set *picked);

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
enum recorder_order command_signals(struct command_run *run);

/* Waits for the command's end, and gives the signals back. */
void command_finish(struct command_run *run);

#endif
