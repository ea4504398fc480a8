/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_SCRIPT_H
#define TALLY_TESTBENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <tally/error.h>
#include <tally/gpu.h>

/*
 * A script in whichever language its first command tells: `chipset` begins a `.pct` script, which
 * drives a PCOUNTER, `platform` an `.oat` script, which drives an OA unit.
 */
struct script;

/* Where a script's results go. text: whole lines. Returns 0, or a negative errno, which stops the
 * script. */
typedef int script_output(void *context, const char *text, size_t size);

/* What a person should know, such as unknown values in a dump. */
typedef void script_note(void *context, const char *text);

struct script_options {
    script_output *output;
    void *output_context;
    bool files;        /* the script may read and write files */
    script_note *note; /* may be NULL */
    void *note_context;
    FILE *dump; /* a value change dump goes there; NULL: none */
    FILE *mmio; /* a line for each register access (regs/trace.h) is written there; NULL: none */
};

int script_new(const struct script_options *options, struct script **out,
               struct tally_error *error);
void script_free(struct script *script);

/* Executes one line, with or without its newline. Returns 0; -EINVAL and what was wrong and what
 * was expected (without the line number); another negative errno. */
int script_line(struct script *script, const char *line, size_t size, struct tally_error *error);

/* The accesses of the script so far, by what became of them. */
struct tally_gpu_mmio_stats script_mmio_stats(const struct script *script);

/* The end of the script: what is still to be written is. */
int script_finish(struct script *script, struct tally_error *error);

#endif
