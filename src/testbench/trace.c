/* SPDX-License-Identifier: MIT */
/* Traces a model to a value change dump: the part common to all models. */
#include "testbench/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/error.h"

int trace_new(FILE *file, struct trace **out, struct tally_error *error)
{
    struct trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return fail_memory(error, "a trace");
    int result = tally_vcd_writer_new(file, "1 ns", &trace->writer, error);
    if (result < 0) {
        free(trace);
        return result;
    }
    *out = trace;
    return 0;
}

void trace_free(struct trace *trace)
{
    if (!trace)
        return;
    tally_vcd_writer_free(trace->writer);
    free(trace->probes);
    free(trace);
}

int trace_add(struct trace *trace, const char *name, unsigned width, struct probe probe)
{
    unsigned id;
    struct probe *probes = array_grow(trace->probes, &trace->capacity, trace->count, sizeof probe);
    if (!probes)
        return -ENOMEM;
    trace->probes = probes;
    probes[trace->count++] = probe;
    return tally_vcd_writer_add(trace->writer, name, width, &id);
}

int trace_begin(struct trace *trace, const char *scope, probe_finder *add, const void *model)
{
    if (trace->begun)
        return 0;
    trace->begun = true;
    int result = tally_vcd_writer_scope(trace->writer, scope);
    if (result == 0)
        result = add(trace, model);
    if (result == 0)
        result = tally_vcd_writer_upscope(trace->writer);
    return result < 0 ? result : tally_vcd_writer_begin(trace->writer);
}

int trace_values(struct trace *trace, uint64_t time, probe_reader *read, const void *model)
{
    int result = tally_vcd_writer_time(trace->writer, time);
    for (size_t i = 0; result == 0 && i < trace->count; i++)
        result = tally_vcd_writer_value(trace->writer, (unsigned)i, read(model, &trace->probes[i]));
    return result;
}

int trace_result(int result, struct tally_error *error)
{
    return result < 0 ? fail(error, result, "the dump: %s", strerror(-result)) : 0;
}

int trace_finish(struct trace *trace, struct tally_error *error)
{
    int result = trace->begun ? 0 : tally_vcd_writer_begin(trace->writer);
    if (result == 0)
        result = tally_vcd_writer_finish(trace->writer, trace->now);
    return trace_result(result, error);
}
