/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_TRACE_H
#define TALLY_TESTBENCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <tally/error.h>
#include <tally/vcd.h>

/*
 * Traces a model to a value change dump, for waveform viewers. pct_trace.h and oat_trace.h list the
 * variables of each model, which are determined when the first clocks run.
 */

/* One variable of the dump; its id in the dump is its index in the list. */
struct probe {
    uint8_t kind;  /* defined and read by the model's trace */
    uint8_t index; /* index of a domain, counter or EU */
    uint8_t which; /* number of its signal or value */
    char name[16]; /* name of a value that is read by name */
};

struct trace {
    struct tally_vcd_writer *writer;
    struct probe *probes;
    size_t count, capacity;
    uint64_t now; /* end time of the dump */
    bool begun;   /* the variables have been declared */
};

/* Creates a trace that writes to `file`, which the caller owns. */
int trace_new(FILE *file, struct trace **out, struct tally_error *error);
void trace_free(struct trace *trace);

/* On the first call, begins the dump with a scope of this name and the variables that `add` finds
 * in the model. Later calls do nothing. */
typedef int probe_finder(struct trace *trace, const void *model);
int trace_begin(struct trace *trace, const char *scope, probe_finder *add, const void *model);

/* Adds a variable in the current scope of the writer. */
int trace_add(struct trace *trace, const char *name, unsigned width, struct probe probe);

/* Writes the values of all variables at `time`, which `read` returns. */
typedef uint64_t probe_reader(const void *model, const struct probe *probe);
int trace_values(struct trace *trace, uint64_t time, probe_reader *read, const void *model);

/* Returns the result of a runner: 0, or the write error with a message. */
int trace_result(int result, struct tally_error *error);

/* Ends the dump. Returns 0 or the write error. */
int trace_finish(struct trace *trace, struct tally_error *error);

#endif
