/* SPDX-License-Identifier: MIT */
/* Traces an OA unit's inputs and values, clock by clock, to a value change dump. */
#include "testbench/oat_trace.h"

#include <string.h>

#include "base/bits.h"
#include "intel/oa/unit.h"
#include "testbench/trace.h"

/* In a probe, `index` is an A counter or an EU, `which` a signal of the EU. */
enum probe_kind { PROBE_NAMED, PROBE_NOA, PROBE_ADDED, PROBE_EU };

/* ---- the variables --------------------------------------------------------------------------- */

/* Values of the unit. count > 0: numbered values, from `first` on. Values that a unit does not have
 * are left out. */
static const struct {
    const char *name;
    uint8_t count, first, width;
} values[] = {
    {"timestamp", 0, 0, 36},  {"ticks", 0, 0, 32},      {"started", 0, 0, 2},
    {"start", 2, 1, 16},      {"report", 2, 1, 16},     {"evq", 0, 0, 8},
    {"inflight", 0, 0, 1},    {"used", 0, 0, 32},       {"wrap", 0, 0, 2},
    {"overrun", 0, 0, 1},     {"b", B_COUNTERS, 0, 32}, {"c", C_COUNTERS, 0, 32},
    {"a", A_COUNTERS, 0, 40}, {"free", 21, 0, 40},
};

static const struct {
    const char *name;
    uint8_t width;
} eu_signals[TALLY_OA_EU_SIGNALS] = {{"fpu0", 1},    {"fpu1", 1}, {"send", 1},
                                     {"threads", 4}, {"ff", 3},   {"kind", 3}};

/* Adds the value of this name, if the unit has it. */
static int add_named(struct trace *trace, const struct tally_oa *unit, const char *name,
                     unsigned width, const char *label)
{
    struct probe probe = {.kind = PROBE_NAMED};
    uint64_t value;
    if (tally_oa_peek(unit, name, &value) < 0)
        return 0;
    memcpy(probe.name, name, strlen(name) + 1);
    return trace_add(trace, label, width, probe);
}

static int add_values(struct trace *trace, const struct tally_oa *unit)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < ARRAY_COUNT(values); i++) {
        char name[16];
        if (!values[i].count)
            result = add_named(trace, unit, values[i].name, values[i].width, values[i].name);
        for (unsigned n = 0; result == 0 && n < values[i].count; n++) {
            snprintf(name, sizeof name, "%s%u", values[i].name, values[i].first + n);
            result = add_named(trace, unit, name, values[i].width, name);
        }
    }
    return result;
}

static int add_inputs(struct trace *trace, const struct tally_oa *unit)
{
    int result = trace_add(trace, "noa", NOA_BITS, (struct probe){.kind = PROBE_NOA});
    for (unsigned i = 0; result == 0 && i < unit->variant->a_count; i++) {
        char name[16];
        if (is_map_c(unit) && i >= FLEX_FIRST && i < FLEX_FIRST + FLEX_COUNT)
            continue;
        snprintf(name, sizeof name, "a%u_in", i);
        result =
            trace_add(trace, name, 32, (struct probe){.kind = PROBE_ADDED, .index = (uint8_t)i});
    }
    return result;
}

static int add_eu(struct trace *trace, const struct tally_oa *unit, unsigned eu)
{
    char name[16];
    snprintf(name, sizeof name, "eu%u", eu);
    int result = tally_vcd_writer_scope(trace->writer, name);
    for (unsigned i = 0; result == 0 && i < TALLY_OA_EU_SIGNALS; i++) {
        struct probe probe = {.kind = PROBE_EU, .index = (uint8_t)eu, .which = (uint8_t)i};
        result = trace_add(trace, eu_signals[i].name, eu_signals[i].width, probe);
    }
    snprintf(name, sizeof name, "occ%u", eu);
    if (result == 0)
        result = add_named(trace, unit, name, 3, "occ");
    return result < 0 ? result : tally_vcd_writer_upscope(trace->writer);
}

static int add_all(struct trace *trace, const void *model)
{
    const struct tally_oa *unit = model;
    int result = add_inputs(trace, unit);
    if (result == 0)
        result = add_values(trace, unit);
    for (unsigned eu = 0; result == 0 && eu < unit->eus; eu++)
        result = add_eu(trace, unit, eu);
    return result;
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t number_at(const struct driven_number *input, uint64_t clock)
{
    return tally_number_at(&input->number, clock - input->origin);
}

static uint64_t noa_at(const struct tally_oa *unit, uint64_t clock)
{
    uint64_t bus = 0;
    for (unsigned bit = 0; bit < NOA_BITS; bit++)
        bus |= (uint64_t)tally_wave_at(&unit->noa[bit].wave, clock - unit->noa[bit].origin) << bit;
    return bus;
}

/* Reads an input at the latest clock, or another value after it. */
static uint64_t read_probe(const void *model, const struct probe *probe)
{
    const struct tally_oa *unit = model;
    uint64_t value = 0, clock = tally_oa_now(unit) - 1;
    switch ((enum probe_kind)probe->kind) {
    case PROBE_NAMED:
        tally_oa_peek(unit, probe->name, &value);
        return value;
    case PROBE_NOA:
        return noa_at(unit, clock);
    case PROBE_ADDED:
        return number_at(&unit->a_input[probe->index], clock);
    case PROBE_EU:
        return number_at(&unit->eu_input[probe->index][probe->which], clock);
    }
    return 0;
}

int oat_trace_run(void *context, const struct tally_oa *unit, oat_advance *advance, void *target,
                  uint64_t clocks, struct tally_error *error)
{
    struct trace *trace = context;
    int result = trace_begin(trace, "oa", add_all, unit);
    for (; result == 0 && clocks; clocks--) {
        advance(target, 1);
        result = trace_values(trace, trace->now++, read_probe, unit);
    }
    return trace_result(result, error);
}
