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
 * What goes on inside a model as a value change dump, for a wave viewer. pct_trace.h and
 * oat_trace.h say what of which model; each looks at what there is when the first clocks pass.
 */

/* One variable of the dump; its id there is its place in the list. */
struct probe {
    uint8_t kind;  /* as the model has it, which reads it */
    uint8_t index; /* of a domain, counter or EU */
    uint8_t which; /* of its signals or values */
    char name[16]; /* of a value that is read by name */
};

struct trace {
    struct tally_vcd_writer *writer;
    struct probe *probes;
    size_t count, capacity;
    uint64_t now; /* when the dump ends */
    bool begun;   /* the variables are there */
};

/* The dump goes to `file`, the caller's. */
int trace_new(FILE *file, struct trace **out, struct tally_error *error);
void trace_free(struct trace *trace);

/* At the first call: begins the dump with the variables that `add` finds in the model, in a scope
 * of this name. */
typedef int probe_finder(struct trace *trace, const void *model);
int trace_begin(struct trace *trace, const char *scope, probe_finder *add, const void *model);

/* A variable, in the scope that the writer is in. */
int trace_add(struct trace *trace, const char *name, unsigned width, struct probe probe);

/* Writes down what all of them are at that time, which `read` finds out. */
typedef uint64_t probe_reader(const void *model, const struct probe *probe);
int trace_values(struct trace *trace, uint64_t time, probe_reader *read, const void *model);

/* What a runner returns: 0, or the error of writing, said. */
int trace_result(int result, struct tally_error *error);

/* Ends the dump. 0, or the error of writing. */
int trace_finish(struct trace *trace, struct tally_error *error);

#endif
