/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_SCRIPT_H
#define TALLY_TESTBENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tally/error.h>

#include "regs/trace.h"
#include "testbench/pace.h"

/*
 * A script in either language. The first command determines which: `chipset` begins a `.pct`
 * script, which drives a PCOUNTER; `platform` begins an `.oat` script, which drives an OA unit.
 */
struct script;

/* Receives the output of a script. text: whole lines. Returns 0, or a negative errno, which stops
 * the script. */
typedef int script_output(void *context, const char *text, size_t size);

/* Receives notes for the user, such as about unknown values in a dump. */
typedef void script_note(void *context, const char *text);

/* The result of an `expect` command. */
struct script_expectation {
    bool met;
    const char *description; /* the comment of the line, or "" */
    const char *command;     /* "peek a0", "0x2360 & 0xff" */
    const char *expected;    /* ">= 5" */
    const char *got;         /* the value as printed */
};

/* Receives the result of each `expect` command. The texts are valid during the call. */
typedef void script_expected(void *context, const struct script_expectation *expectation);

struct script_options {
    script_output *output;
    void *output_context;
    script_expected *expected; /* may be NULL */
    void *expected_context;
    bool files;        /* the script may read and write files */
    script_note *note; /* may be NULL */
    void *note_context;
    FILE *dump;       /* file for a value change dump; NULL: none */
    FILE *mmio;       /* file for a line per register access (regs/trace.h); NULL: none */
    const char *cost; /* file of tally_cost_load() for a whole GPU; NULL: the built-in costs */
    struct pace pace; /* of `run` commands */
};

int script_new(const struct script_options *options, struct script **out,
               struct tally_error *error);
void script_free(struct script *script);

/* Executes one line, with or without its newline. Returns 0; -EINVAL with a message (without the
 * line number); -ECANCELED with a message if options.pace ended a run; another negative errno. */
int script_line(struct script *script, const char *line, size_t size, struct tally_error *error);

/* Writes the numbers of the script's register accesses that were not simply carried out, by
 * outcome. Returns the number of outcomes. */
size_t script_outcomes(const struct script *script, struct reg_outcome outcomes[REG_OUTCOMES_MAX]);

/* Returns whether the script has created a whole GPU. */
bool script_has_gpu(const struct script *script);

/* Ends the script and completes the dump. Returns 0 or a negative errno. */
int script_finish(struct script *script, struct tally_error *error);

#endif
