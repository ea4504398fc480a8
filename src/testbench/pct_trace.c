/* SPDX-License-Identifier: MIT */
/* Traces an engine's values, clock by clock, to a value change dump. */
#include "testbench/pct_trace.h"

#include <string.h>

#include "base/minmax.h"
#include "nvidia/pcounter/engine.h"
#include "testbench/trace.h"

/* In a probe, `index` is the domain, `which` a value, input * 4 + slot, or a signal. */
enum probe_kind { PROBE_VALUE, PROBE_SOURCE, PROBE_SIGNAL };

/* ---- the variables --------------------------------------------------------------------------- */

/* Formats the name of a signal: its number and its meaning, as in "sig200_IDLE". */
static void name_signal(const struct tally_pcounter *engine, const struct domain *domain,
                        unsigned signal, char *text, size_t size)
{
    const struct tally_trailer *trailer;
    int length = snprintf(text, size, "sig%u", signal);
    for (size_t i = 0; (trailer = tally_trailer_at(engine->revision, i)); i++)
        if (domain->trailer + trailer->offset == signal && trailer->name[0] != '?')
            snprintf(text + length, size - (size_t)length, "_%s", trailer->name);
    for (char *at = text; *at; at++) /* dots and brackets would be read as scopes and bits */
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

static struct probe probe_of(enum probe_kind kind, unsigned domain, unsigned which)
{
    return (struct probe){.kind = (uint8_t)kind, .index = (uint8_t)domain, .which = (uint8_t)which};
}

static int add_domain(struct trace *trace, const struct tally_pcounter *engine, unsigned number)
{
    static const char *const inputs[] = {"pre", "start", "event", "stop"};
    const struct domain *domain = &engine->domains[number];
    char name[96];
    snprintf(name, sizeof name, "dom%u", domain->number);
    int result = tally_vcd_writer_scope(trace->writer, name);
    for (unsigned i = 0; result == 0 && i < TALLY_PCOUNTER_VALUES; i++) {
        enum tally_pcounter_value value = (enum tally_pcounter_value)i;
        unsigned width = tally_pcounter_value_width(engine->revision, value);
        if (width)
            result = trace_add(trace, tally_pcounter_value_name(value), width,
                               probe_of(PROBE_VALUE, number, i));
    }
    for (unsigned i = 0; result == 0 && i < 16; i++) {
        snprintf(name, sizeof name, "%s_src%u", inputs[i / 4], i % 4);
        result = trace_add(trace, name, 1, probe_of(PROBE_SOURCE, number, i));
    }
    for (unsigned i = 0; result == 0 && i < SIGNALS; i++) {
        if (!is_driven(domain, i))
            continue;
        name_signal(engine, domain, i, name, sizeof name);
        result = trace_add(trace, name, 1, probe_of(PROBE_SIGNAL, number, i));
    }
    return result < 0 ? result : tally_vcd_writer_upscope(trace->writer);
}

/* Opens the scope of a set of domains, named as in scripts: gpc1, part0, hub. */
static int open_set(struct trace *trace, const struct domain *first)
{
    char name[16];
    snprintf(name, sizeof name, first->kind == TALLY_SET_HUB ? "%s" : "%s%u",
             gf100_set_spaces[first->kind].name, first->instance);
    return tally_vcd_writer_scope(trace->writer, name);
}

static int add_all(struct trace *trace, const void *model)
{
    const struct tally_pcounter *engine = model;
    int result = 0;
    for (unsigned set = 0; result == 0 && set < engine->set_count; set++) {
        bool scoped = engine->set_count > 1;
        if (scoped)
            result = open_set(trace, &engine->domains[engine->set_first[set]]);
        for (unsigned i = engine->set_first[set]; result == 0 && i < engine->set_first[set + 1];
             i++)
            result = add_domain(trace, engine, i);
        if (scoped && result == 0)
            result = tally_vcd_writer_upscope(trace->writer);
    }
    return result;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t read_probe(const void *model, const struct probe *probe)
{
    const struct tally_pcounter *engine = model;
    const struct domain *domain = &engine->domains[probe->index];
    uint64_t value = 0;
    switch ((enum probe_kind)probe->kind) {
    case PROBE_VALUE:
        tally_pcounter_peek(engine, probe->index, (enum tally_pcounter_value)probe->which, &value);
        return value;
    case PROBE_SOURCE:
        return signal_now(domain, source_signal(engine, domain, (enum input)(probe->which / 4),
                                                probe->which % 4));
    case PROBE_SIGNAL:
        return signal_now(domain, probe->which);
    }
    return 0;
}

/* Returns the first tick from now on at which a domain has a clock. */
static uint64_t next_tick(const struct tally_pcounter *engine)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < engine->domain_count; i++) {
        const struct domain *domain = &engine->domains[i];
        next = min_u64(next, tick_of(domain, edges_before(domain, engine->tick)));
    }
    return next;
}

int pct_trace_run(void *context, struct tally_pcounter *engine, uint64_t ticks,
                  struct tally_error *error)
{
    struct trace *trace = context;
    if (!trace->begun)
        tally_pcounter_observe(engine, true);
    int result = trace_begin(trace, "pcounter", add_all, engine);
    while (result == 0 && ticks) {
        uint64_t now = tally_pcounter_now(engine), until = next_tick(engine) - now;
        uint64_t step = until < ticks ? until + 1 : ticks;
        tally_pcounter_run(engine, step);
        if (until < ticks)
            result = trace_values(trace, now + until, read_probe, engine);
        ticks -= step;
    }
    trace->now = tally_pcounter_now(engine);
    return trace_result(result, error);
}
