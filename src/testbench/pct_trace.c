/* SPDX-License-Identifier: MIT */
/* An engine's values, clock by clock, into a value change dump. */
#include "testbench/trace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <tally/vcd.h>

#include "base/buffer.h"
#include "base/error.h"
#include "nvidia/pcounter/engine.h"

enum probe_kind { PROBE_VALUE, PROBE_SOURCE, PROBE_SIGNAL };

/* One variable of the dump; its id there is its place in the list. */
struct probe {
    uint8_t kind; /* enum probe_kind */
    uint8_t domain;
    uint8_t which; /* value, input * 4 + slot, or signal */
};

struct trace {
    struct tally_vcd_writer *writer;
    struct probe *probes;
    size_t count, capacity;
    uint64_t now;
    bool begun;
};

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

/* ---- the variables --------------------------------------------------------------------------- */

static int add(struct trace *trace, const char *name, unsigned width, struct probe probe)
{
    unsigned id;
    struct probe *probes = array_grow(trace->probes, &trace->capacity, trace->count, sizeof probe);
    if (!probes)
        return -ENOMEM;
    trace->probes = probes;
    probes[trace->count++] = probe;
    return tally_vcd_writer_add(trace->writer, name, width, &id);
}

/* "sig200_IDLE": its number, and what it is. */
static void name_signal(const struct tally_pcounter *engine, const struct domain *domain,
                        unsigned signal, char *text, size_t size)
{
    const struct tally_trailer *trailer;
    int length = snprintf(text, size, "sig%u", signal);
    for (size_t i = 0; (trailer = tally_trailer_at(engine->revision, i)); i++)
        if (domain->trailer + trailer->offset == signal && trailer->name[0] != '?')
            snprintf(text + length, size - (size_t)length, "_%s", trailer->name);
    for (char *at = text; *at; at++) /* dots and brackets would be scopes and bits */
        if (strchr(".[] ", *at))
            *at = '_';
}

static bool is_driven(const struct domain *domain, unsigned signal)
{
    const struct tally_wave *wave = &domain->waves[signal].wave;
    uint8_t driver = domain->drivers[signal];
    if (driver == DRIVER_WAVE)
        return wave->kind != TALLY_WAVE_CONSTANT || wave->value;
    return driver != DRIVER_ZERO;
}

static int add_domain(struct trace *trace, const struct tally_pcounter *engine, unsigned number)
{
    static const char *const inputs[] = {"pre", "start", "event", "stop"};
    const struct domain *domain = &engine->domains[number];
    char name[96];
    snprintf(name, sizeof name, "dom%u", number);
    int result = tally_vcd_writer_scope(trace->writer, name);
    for (unsigned i = 0; result == 0 && i < TALLY_PCOUNTER_VALUES; i++) {
        enum tally_pcounter_value value = (enum tally_pcounter_value)i;
        unsigned width = tally_pcounter_value_width(engine->revision, value);
        if (width)
            result = add(trace, tally_pcounter_value_name(value), width,
                         (struct probe){PROBE_VALUE, (uint8_t)number, (uint8_t)i});
    }
    for (unsigned i = 0; result == 0 && i < 16; i++) {
        snprintf(name, sizeof name, "%s_src%u", inputs[i / 4], i % 4);
        result = add(trace, name, 1, (struct probe){PROBE_SOURCE, (uint8_t)number, (uint8_t)i});
    }
    for (unsigned i = 0; result == 0 && i < SIGNALS; i++) {
        if (!is_driven(domain, i))
            continue;
        name_signal(engine, domain, i, name, sizeof name);
        result = add(trace, name, 1, (struct probe){PROBE_SIGNAL, (uint8_t)number, (uint8_t)i});
    }
    return result < 0 ? result : tally_vcd_writer_upscope(trace->writer);
}

static int begin(struct trace *trace, struct tally_pcounter *engine)
{
    int result = tally_vcd_writer_scope(trace->writer, "pcounter");
    for (unsigned i = 0; result == 0 && i < engine->domain_count; i++)
        result = add_domain(trace, engine, i);
    if (result == 0)
        result = tally_vcd_writer_upscope(trace->writer);
    tally_pcounter_observe(engine, true);
    trace->begun = true;
    return result < 0 ? result : tally_vcd_writer_begin(trace->writer);
}

/* ---- their values ---------------------------------------------------------------------------- */

static uint64_t read_probe(const struct tally_pcounter *engine, const struct probe *probe)
{
    const struct domain *domain = &engine->domains[probe->domain];
    uint64_t value = 0;
    switch ((enum probe_kind)probe->kind) {
    case PROBE_VALUE:
        tally_pcounter_peek(engine, probe->domain, (enum tally_pcounter_value)probe->which, &value);
        return value;
    case PROBE_SOURCE:
        return signal_now(domain, source_signal(engine, domain, (enum input)(probe->which / 4),
                                                probe->which % 4));
    case PROBE_SIGNAL:
        return signal_now(domain, probe->which);
    }
    return 0;
}

static int write_values(struct trace *trace, const struct tally_pcounter *engine, uint64_t tick)
{
    int result = tally_vcd_writer_time(trace->writer, tick);
    for (size_t i = 0; result == 0 && i < trace->count; i++)
        result = tally_vcd_writer_value(trace->writer, (unsigned)i,
                                        read_probe(engine, &trace->probes[i]));
    return result;
}

/* The first tick from now on at which a domain has a clock. */
static uint64_t next_tick(const struct tally_pcounter *engine)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < engine->domain_count; i++) {
        const struct domain *domain = &engine->domains[i];
        uint64_t tick = tick_of(domain, edges_before(domain, engine->tick));
        next = tick < next ? tick : next;
    }
    return next;
}

int trace_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
              struct tally_error *error)
{
    struct trace *trace = context;
    int result = trace->begun ? 0 : begin(trace, engine);
    while (result == 0 && ticks) {
        uint64_t now = tally_pcounter_now(engine), until = next_tick(engine) - now;
        uint64_t step = until < ticks ? until + 1 : ticks;
        tally_pcounter_run(engine, step);
        if (until < ticks)
            result = write_values(trace, engine, now + until);
        ticks -= step;
    }
    trace->now = tally_pcounter_now(engine);
    return result < 0 ? fail(error, result, "the dump: %s", strerror(-result)) : 0;
}

int trace_finish(struct trace *trace, struct tally_error *error)
{
    int result = trace->begun ? 0 : tally_vcd_writer_begin(trace->writer);
    if (result == 0)
        result = tally_vcd_writer_finish(trace->writer, trace->now);
    return result < 0 ? fail(error, result, "the dump: %s", strerror(-result)) : 0;
}
