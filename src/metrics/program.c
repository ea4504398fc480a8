/* SPDX-License-Identifier: MIT */
#include "metrics/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/names.h"

/* Returns the kernels for cpu_simd(). */
static const struct kernels *choose_kernels(void)
{
#if defined(TALLY_X86_KERNELS)
    switch (cpu_simd()) {
    case SIMD_AVX512:
        return &kernels_avx512;
    case SIMD_AVX2:
        return &kernels_avx2;
    case SIMD_PORTABLE:
        break;
    }
#endif
    return &kernels_portable;
}

const char *tally_counter_state_name(enum tally_counter_state state)
{
    static const char *const names[] = {"ok", "unavailable", "unsupported"};
    return names[state];
}

static int parse_counter(struct tally_program *program, size_t index, const struct name *symbols,
                         struct tally_error *error)
{
    const struct tally_metric_set *set = program->set;
    const struct tally_counter *counter = &set->counters[index];
    struct counter_equations *equations = &program->equations[index];
    const struct {
        const char *text;
        const char *what;
        struct equation *to;
    } all[] = {
        {counter->equation, "equation", &equations->value},
        {counter->max_equation, "max_equation", &equations->maximum},
        {counter->availability, "availability", &equations->availability},
    };
    for (size_t i = 0; i < ARRAY_COUNT(all); i++) {
        if (i > 0 && !*all[i].text)
            continue;
        if (equation_parse_by(all[i].text, set, symbols, all[i].to, error) < 0) {
            fail_in(error, "%s:%u: %s.%s %s", set->file, counter->line, set->symbol,
                    counter->symbol, all[i].what);
            return -EBADMSG;
        }
    }
    return 0;
}

static bool reads_unsupported(const struct tally_program *program, const struct equation *equation)
{
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        if (node->op == OP_READ && read_slot(program->layout, node) < 0)
            return true;
        if (node->op == OP_COUNTER && program->states[node->index] == TALLY_COUNTER_UNSUPPORTED)
            return true;
    }
    return false;
}

static bool is_available(const struct tally_program *program, size_t index)
{
    return is_nonzero_or_empty(&program->equations[index].availability, &program->environment,
                               program->layout);
}

/* Selects the given counters (NULL: all), as far as this GPU has them. */
static void select_counters(struct tally_program *program, const size_t *counters,
                            size_t counter_count)
{
    size_t count = counters ? counter_count : program->set->counter_count;
    for (size_t i = 0; i < count; i++) {
        size_t index = counters ? counters[i] : i;
        program->selected[index] = is_available(program, index);
    }
}

static int prepare(struct tally_program *program, const size_t *counters, size_t counter_count,
                   struct tally_error *error)
{
    const struct tally_metric_set *set = program->set;
    size_t count = set->counter_count, at = 0;
    program->equations = calloc(count + 1, sizeof *program->equations);
    program->order = calloc(count + 1, sizeof *program->order);
    program->states = calloc(count + 1, sizeof *program->states);
    program->results = calloc(count + 1, sizeof *program->results);
    program->counters = calloc(count + 1, sizeof *program->counters);
    program->defined = calloc(count + 1, sizeof *program->defined);
    program->selected = calloc(count + 1, sizeof *program->selected);
    if (!program->equations || !program->order || !program->states || !program->results ||
        !program->counters || !program->defined || !program->selected)
        return fail_memory(error, "a metric set");
    struct name *symbols = symbols_new(set);
    int result = symbols ? 0 : fail_memory(error, "a metric set");
    for (size_t i = 0; i < count && result == 0; i++)
        result = parse_counter(program, i, symbols, error);
    free(symbols);
    if (result < 0)
        return result;
    result = counter_order(program->equations, count, program->order, &at);
    if (result == -ELOOP)
        return fail(error, -EBADMSG, "%s:%u: %s.%s refers to itself", set->file,
                    set->counters[at].line, set->symbol, set->counters[at].symbol);
    if (result < 0)
        return fail_memory(error, "a metric set");

    /* A counter that refers to an unsupported one is unsupported, too; availability is not
     * inherited. */
    for (size_t i = 0; i < count; i++) {
        uint32_t index = program->order[i];
        if (reads_unsupported(program, &program->equations[index].value))
            program->states[index] = TALLY_COUNTER_UNSUPPORTED;
    }
    select_counters(program, counters, counter_count);
    result = program_compile(program, error);
    for (size_t i = 0; i < count; i++)
        if (!is_available(program, i))
            program->states[i] = TALLY_COUNTER_UNAVAILABLE;
    return result;
}

int tally_program_new(const struct tally_metric_set *set,
                      const struct tally_environment *environment,
                      const struct tally_layout *layout, struct tally_program **out,
                      struct tally_error *error)
{
    return program_new_for(set, environment, layout, NULL, 0, out, error);
}

int program_new_for(const struct tally_metric_set *set, const struct tally_environment *environment,
                    const struct tally_layout *layout, const size_t *counters, size_t counter_count,
                    struct tally_program **out, struct tally_error *error)
{
    struct tally_program *program = calloc(1, sizeof *program);
    if (!program)
        return fail_memory(error, "a program");
    program->set = set;
    program->layout = layout;
    program->environment = *environment;
    program->kernels = choose_kernels();
    int result = prepare(program, counters, counter_count, error);
    if (result < 0) {
        tally_program_free(program);
        return result;
    }
    *out = program;
    return 0;
}

void tally_program_free(struct tally_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; program->equations && i < program->set->counter_count; i++) {
        equation_fini(&program->equations[i].value);
        equation_fini(&program->equations[i].maximum);
        equation_fini(&program->equations[i].availability);
    }
    free(program->equations);
    free(program->order);
    free(program->states);
    free(program->steps);
    free(program->results);
    free(program->counters);
    free(program->defined);
    free(program->selected);
    free(program->reads);
    free(program->registers);
    free(program->columns);
    free(program);
}

const struct tally_metric_set *tally_program_set(const struct tally_program *program)
{
    return program->set;
}

enum tally_counter_state tally_program_state(const struct tally_program *program, size_t index)
{
    return (enum tally_counter_state)program->states[index];
}

void tally_program_run(struct tally_program *program, const uint8_t *const *reports, size_t count)
{
    program->kernels->load_columns(reports, count, program->dwords, program->columns);
    program->kernels->run(program->steps, program->step_count, program->registers, program->columns,
                          &program->prefetch);
    program->prefetch.count = 0;
}

void tally_program_prefetch(struct tally_program *program, const uint8_t *const *reports,
                            size_t count)
{
    program->prefetch = (struct prefetch){reports, count, program->layout->size_bytes, 0};
}

const union tally_value *tally_program_values(const struct tally_program *program, size_t index)
{
    if (program->states[index] != TALLY_COUNTER_OK || !program->selected[index])
        return NULL;
    return (const union tally_value *)(const void *)(program->registers +
                                                     (size_t)program->results[index] * TALLY_BLOCK);
}

void program_sum_reads(const struct tally_program *program, size_t from, size_t to,
                       uint64_t sums[TALLY_SLOT_COUNT])
{
    for (size_t i = 0; i < program->read_count; i++) {
        const struct program_read *read = &program->reads[i];
        sums[read->slot] += program->kernels->sum_u64(
            program->registers + (size_t)read->to * TALLY_BLOCK, from, to);
    }
}

const union tally_value *program_evaluate(const struct tally_program *program,
                                          const uint64_t *deltas)
{
    union tally_value nodes[EQUATION_NODES_MAX];
    for (size_t i = 0; i < program->set->counter_count; i++) {
        uint32_t index = program->order[i];
        const struct equation *equation = &program->equations[index].value;
        uint16_t last = (uint16_t)(equation->count - 1);
        equation_evaluate(equation, &program->environment, program->layout, deltas,
                          program->counters, nodes);
        program->counters[index] =
            as_type(nodes[last], equation->nodes[last].type, program->set->counters[index].type);
        program->defined[index] = equation_is_defined(equation, nodes, program->defined);
    }
    return program->counters;
}

void tally_program_evaluate(const struct tally_program *program,
                            const uint64_t deltas[TALLY_SLOT_COUNT], union tally_value *values)
{
    const union tally_value *counters = program_evaluate(program, deltas);
    for (size_t i = 0; i < program->set->counter_count; i++)
        if (program->states[i] == TALLY_COUNTER_OK)
            values[i] =
                program->defined[i] ? counters[i] : undefined_value(program->set->counters[i].type);
}

int tally_program_maximum(const struct tally_program *program, size_t index,
                          const uint64_t deltas[TALLY_SLOT_COUNT], union tally_value *out)
{
    const struct equation *maximum = &program->equations[index].maximum;
    if (!maximum->count || reads_unsupported(program, maximum))
        return -ENODATA;
    union tally_value nodes[EQUATION_NODES_MAX];
    equation_evaluate(maximum, &program->environment, program->layout, deltas,
                      program_evaluate(program, deltas), nodes);
    *out = as_type(nodes[maximum->count - 1], maximum->nodes[maximum->count - 1].type,
                   program->set->counters[index].type);
    return 0;
}
