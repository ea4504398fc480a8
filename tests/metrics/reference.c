/* SPDX-License-Identifier: MIT */
#include "metrics/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t reference_to_u64(double value)
{
    if (isnan(value) || value <= -0x1p63)
        return 0;
    value = trunc(value);
    if (value >= 0x1p64)
        return UINT64_MAX;
    if (value >= 0)
        return (uint64_t)value;
    return -(uint64_t)-value;
}

static uint64_t whole(struct reference_value value)
{
    return value.is_double ? reference_to_u64(value.f) : value.u;
}

static double number(struct reference_value value)
{
    return value.is_double ? value.f : (double)value.u;
}

static struct reference_value integer(uint64_t u)
{
    return (struct reference_value){.u = u};
}

static struct reference_value real(double f)
{
    return (struct reference_value){.is_double = true, .f = f};
}

/* ---- operations ---------------------------------------------------------------------------- */

static bool is(const char *token, const char *text)
{
    return strcmp(token, text) == 0;
}

/* If either operand is a double, both are converted: C's usual arithmetic conversions. */
static struct reference_value compute(const char *op, struct reference_value a,
                                      struct reference_value b)
{
    bool doubles = a.is_double || b.is_double;
    double x = number(a), y = number(b);

    if (is(op, "FDIV"))
        return real(y != 0 ? x / y : 0);
    if (is(op, "FRATIO"))
        return real(y != 0 ? x / y : (double)NAN);
    if (is(op, "FMAX"))
        return real(x > y ? x : y);
    if (is(op, "UDIV") || is(op, "AND") || is(op, "<<") || is(op, ">>")) {
        uint64_t m = whole(a), n = whole(b);
        if (is(op, "UDIV"))
            return integer(n ? m / n : 0);
        if (is(op, "AND"))
            return integer(m & n);
        if (is(op, "<<"))
            return integer(n < 64 ? m << n : 0);
        return integer(n < 64 ? m >> n : 0);
    }
    if (is(op, "UGT"))
        return integer(doubles ? x > y : a.u > b.u);
    if (is(op, "UGTE"))
        return integer(doubles ? x >= y : a.u >= b.u);
    if (is(op, "ULT"))
        return integer(doubles ? x < y : a.u < b.u);
    if (is(op, "ULTE"))
        return integer(doubles ? x <= y : a.u <= b.u);
    if (is(op, "&&"))
        return integer(doubles ? x != 0 && y != 0 : a.u && b.u);

    struct reference_value result = {.is_double = doubles};
    if (is(op, "UADD") || is(op, "FADD")) {
        result.u = a.u + b.u;
        result.f = x + y;
    } else if (is(op, "USUB") || is(op, "FSUB")) {
        result.u = a.u - b.u;
        result.f = x - y;
    } else if (is(op, "UMUL") || is(op, "FMUL")) {
        result.u = a.u * b.u;
        result.f = x * y;
    } else if (is(op, "UMIN")) {
        result.u = a.u < b.u ? a.u : b.u;
        result.f = x < y ? x : y;
    } else {
        fprintf(stderr, "reference: unknown operation %s\n", op);
        abort();
    }
    return op[0] == 'F' ? real(number(result)) : integer(whole(result));
}

/* What divides by 0 anywhere is undefined as a whole. */
static struct reference_value apply(const char *op, struct reference_value a,
                                    struct reference_value b)
{
    struct reference_value result = compute(op, a, b);
    result.undefined = a.undefined || b.undefined || (is(op, "FDIV") && number(b) == 0) ||
                       (is(op, "UDIV") && whole(b) == 0);
    return result;
}

static bool is_operation(const char *token)
{
    static const char *const names[] = {"UADD", "USUB", "UMUL", "UDIV", "UMIN",  "AND", "<<",
                                        ">>",   "UGT",  "UGTE", "ULT",  "ULTE",  "&&",  "FADD",
                                        "FSUB", "FMUL", "FDIV", "FMAX", "FRATIO"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is(token, names[i]))
            return true;
    return false;
}

/* ---- operands ------------------------------------------------------------------------------ */

static uint64_t variable(const struct tally_environment *environment, const char *name, bool *found)
{
    const struct tally_topology *topology = &environment->topology;
    unsigned slice, core;
    int end = 0;
    *found = true;
    if (is(name, "$GpuTimestampFrequency"))
        return environment->timestamp_hz;
    if (is(name, "$GpuMinFrequency"))
        return environment->gt_min_hz;
    if (is(name, "$GpuMaxFrequency"))
        return environment->gt_max_hz;
    if (is(name, "$EuCoresTotalCount") || is(name, "$VectorEngineTotalCount"))
        return topology->eus;
    if (is(name, "$EuSlicesTotalCount"))
        return topology->slices;
    if (is(name, "$EuSubslicesTotalCount") || is(name, "$XeCoreTotalCount"))
        return topology->subslices;
    if (is(name, "$EuThreadsCount") || is(name, "$VectorEngineThreadsCount"))
        return environment->platform->eu_threads;
    if (is(name, "$SliceMask"))
        return topology->slice_mask;
    if (is(name, "$SubsliceMask") || is(name, "$DualSubsliceMask") || is(name, "$XeCoreMask"))
        return topology->subslice_mask;
    if (is(name, "$SkuRevisionId"))
        return environment->revision;
    if (is(name, "$QueryMode"))
        return environment->query_mode;
    if (sscanf(name, "$GtSlice%uXeCore%u%n", &slice, &core, &end) == 2 && !name[end])
        return topology->subslice_mask >> (4 * slice + core) & 1;
    end = 0;
    if (sscanf(name, "$GtSlice%u%n", &slice, &end) == 1 && end && !name[end])
        return topology->slice_mask >> slice & 1;
    *found = false;
    return 0;
}

static struct reference_value dollar(struct reference *reference, const char *name)
{
    bool found;
    uint64_t value = variable(reference->environment, name, &found);
    if (found)
        return integer(value);
    for (size_t i = 0; i < reference->set->counter_count; i++) {
        if (!is(reference->set->counters[i].symbol, name + 1))
            continue;
        reference_counter(reference, i);
        return reference->values[i];
    }
    fprintf(stderr, "reference: unknown name %s\n", name);
    abort();
}

/* "A 7 READ": the delta of A7, at its place in the layout. */
static struct reference_value read_source(struct reference *reference, const char *source,
                                          uint64_t index)
{
    const struct tally_layout *layout = reference->layout;
    uint64_t slot = TALLY_SLOT_COUNT;
    if (is(source, "A") && index < 64) {
        /* Media and PEC reports have no A counters; in their files A counters are the unit's own.
         */
        bool own =
            !tally_layout_width(layout, TALLY_SLOT_A) && tally_layout_width(layout, TALLY_SLOT_PEC);
        slot = (own ? TALLY_SLOT_PEC : TALLY_SLOT_A) + index;
    } else if (is(source, "B") && index < 8) {
        slot = TALLY_SLOT_B + index;
    } else if (is(source, "C") && index < 16) {
        slot = TALLY_SLOT_C + index;
    } else if (is(source, "CLOCKS") && index < 64) {
        slot = TALLY_SLOT_PEC + index;
    } else if (is(source, "GPU_TIME") && index == 0) {
        slot = TALLY_SLOT_TIMESTAMP;
    } else if (is(source, "GPU_CLOCK") && index == 0) {
        slot = TALLY_SLOT_TICKS;
    }
    if (slot == TALLY_SLOT_COUNT || !tally_layout_width(layout, (unsigned)slot)) {
        reference->missing = true;
        return integer(0);
    }
    return integer(reference->deltas ? reference->deltas[slot] : 0);
}

static bool is_source(const char *token)
{
    return is(token, "A") || is(token, "B") || is(token, "C") || is(token, "GPU_TIME") ||
           is(token, "GPU_CLOCK") || is(token, "PERFCNT") || is(token, "CLOCKS");
}

/* ---- equations ----------------------------------------------------------------------------- */

static struct reference_value evaluate(struct reference *reference, const char *text)
{
    struct reference_value stack[300] = {{0}};
    size_t depth = 0;
    char token[128], source[16] = "";
    int used;
    for (; sscanf(text, "%127s%n", token, &used) == 1; text += used) {
        if (is_source(token)) {
            strcpy(source, token);
        } else if (is(token, "READ")) {
            stack[depth - 1] = read_source(reference, source, stack[depth - 1].u);
        } else if (is_operation(token)) {
            depth--;
            stack[depth - 1] = apply(token, stack[depth - 1], stack[depth]);
        } else if (token[0] == '$') {
            stack[depth++] = dollar(reference, token);
        } else if (is(token, "true") || is(token, "false")) {
            stack[depth++] = integer(is(token, "true"));
        } else if (token[0] == '0' && (token[1] == 'x' || token[1] == 'X') &&
                   !strpbrk(token, ".pP")) {
            stack[depth++] = integer(strtoull(token, NULL, 16));
        } else if (token[strspn(token, "0123456789")] == '\0') {
            stack[depth++] = integer(strtoull(token, NULL, 10));
        } else {
            stack[depth++] = real(strtod(token, NULL));
        }
    }
    return stack[0];
}

union tally_value reference_equation(struct reference *reference, const char *text,
                                     enum tally_data_type type)
{
    struct reference_value value = evaluate(reference, text);
    if (type == TALLY_DOUBLE)
        return (union tally_value){.f = number(value)};
    return (union tally_value){.u = whole(value)};
}

union tally_value reference_counter(struct reference *reference, size_t counter)
{
    const struct tally_counter *about = &reference->set->counters[counter];
    struct reference_value *value = &reference->values[counter];
    if (!reference->known[counter]) {
        struct reference_value fresh = evaluate(reference, about->equation);
        *value = about->type == TALLY_DOUBLE ? real(number(fresh)) : integer(whole(fresh));
        value->undefined = fresh.undefined;
        reference->known[counter] = true;
    }
    if (value->undefined)
        return about->type == TALLY_DOUBLE ? (union tally_value){.f = (double)NAN}
                                           : (union tally_value){.u = UINT64_MAX};
    return about->type == TALLY_DOUBLE ? (union tally_value){.f = value->f}
                                       : (union tally_value){.u = value->u};
}

enum tally_counter_state reference_state(struct reference *reference, size_t counter)
{
    const struct tally_counter *about = &reference->set->counters[counter];
    reference_take(reference, NULL);
    if (*about->availability && number(evaluate(reference, about->availability)) == 0)
        return TALLY_COUNTER_UNAVAILABLE;
    reference_take(reference, NULL);
    reference_counter(reference, counter);
    return reference->missing ? TALLY_COUNTER_UNSUPPORTED : TALLY_COUNTER_OK;
}

void reference_take(struct reference *reference, const uint64_t *deltas)
{
    reference->deltas = deltas;
    reference->missing = false;
    memset(reference->known, 0, reference->set->counter_count * sizeof *reference->known);
}

void reference_init(struct reference *reference, const struct tally_metric_set *set,
                    const struct tally_environment *environment, const struct tally_layout *layout)
{
    *reference = (struct reference){
        .set = set,
        .environment = environment,
        .layout = layout,
        .values = calloc(set->counter_count + 1, sizeof *reference->values),
        .known = calloc(set->counter_count + 1, sizeof *reference->known),
    };
    if (!reference->values || !reference->known)
        abort();
}

void reference_fini(struct reference *reference)
{
    free(reference->values);
    free(reference->known);
}
