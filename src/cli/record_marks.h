/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_RECORD_MARKS_H
#define TALLY_CLI_RECORD_MARKS_H

#include <sys/types.h>

#include "capture/mark_lines.h"
#include "cli/cli.h"

/*
 * What tally record reads while it records: marks of the program, and commands of --control. Both
 * are lines (capture/mark_lines.h). `wake` becomes readable when there is something to read, or
 * when `signals` does.
 */
struct record_inputs {
    struct tally_capture *capture;
    bool quiet, ring;
    int wake; /* epoll */

    int marks; /* descriptor to read, -1: none */
    bool owned, is_file;
    int for_command;   /* what the command inherits, -1: none; */
    int number;        /* as this descriptor */
    uint64_t empty_ns; /* when the descriptor was last seen to be empty */
    uint64_t late;     /* marks that came after the end of the recording */
    struct mark_lines mark_lines;

    int control, acknowledge; /* -1: none */
    bool control_owned, acknowledge_owned;
    bool acknowledge_failed;
    uint64_t control_empty_ns; /* as empty_ns */
    struct mark_lines control_lines;
    bool stop; /* a command has requested it */

    int result; /* 0, or the first error */
    struct tally_error error;
};

/* Opens what the options name. Prints the error and returns an exit code if that fails; call
 * record_inputs_close() in either case. without_time: the clock of the recording is not that of the
 * command, which can make no marks. */
int record_inputs_open(struct record_inputs *inputs, const struct arguments *arguments,
                       bool without_time);
void record_inputs_close(struct record_inputs *inputs);

/* Makes the pipe for a run of the command; record_inputs_end() follows. Prints errors. */
int record_inputs_begin(struct record_inputs *inputs, bool has_command);
void record_inputs_end(struct record_inputs *inputs);

/* Makes `wake` also watch `signals`. */
int record_inputs_watch(struct record_inputs *inputs, int signals);

/* Called in the child process before the command is executed: gives it the descriptor and its
 * environment. */
void record_inputs_in_child(const struct record_inputs *inputs);

/* Reads and executes the lines that have arrived: at most 64 KiB of marks and 4 KiB of commands, so
 * that a writer who does not stop cannot hold up the recording. */
void record_inputs_read(struct record_inputs *inputs);

/* Reads and drops marks, so that a command that still runs does not wait; the recording has
 * ended. */
void record_inputs_drop(struct record_inputs *inputs);

/* Warns of lines that were not understood, and of marks that came too late. */
void record_inputs_warn(const struct record_inputs *inputs);

#endif
