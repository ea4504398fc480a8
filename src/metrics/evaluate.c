/* SPDX-License-Identifier: MIT */
/*
 * Evaluates equations node by node, without compiling them: for single deltas, maxima and
 * explanations, and as the reference for the compiled form.
 */
#include <errno.h>
#include <stdlib.h>

#include "metrics/program.h"

int read_slot(const struct tally_layout *layout, const struct node *node)
{
    static const struct {
        uint8_t slot;
        uint8_t limit;
    } slots[] = {
        [SOURCE_A] = {TALLY_SLOT_A, 64},
        [SOURCE_B] = {TALLY_SLOT_B, 8},
        [SOURCE_C] = {TALLY_SLOT_C, 16},
        [SOURCE_GPU_TIME] = {TALLY_SLOT_TIMESTAMP, 1},
        [SOURCE_GPU_CLOCK] = {TALLY_SLOT_TICKS, 1},
        [SOURCE_PERFCNT] = {0, 0},
        [SOURCE_CLOCKS] = {TALLY_SLOT_PEC, 64},
    };
    if (node->index >= slots[node->source].limit)
        return -1;
    unsigned slot = slots[node->source].slot + node->index;
    /* Layouts of media and PEC units have no A counters; metric-set files read PEC counters as A.
     */
    if (node->source == SOURCE_A && !tally_layout_width(layout, TALLY_SLOT_A) &&
        tally_layout_width(layout, TALLY_SLOT_PEC))
        slot = TALLY_SLOT_PEC + node->index;
    return tally_layout_width(layout, slot) ? (int)slot : -1;
}

void equation_evaluate(const struct equation *equation, const struct tally_environment *environment,
                       const struct tally_layout *layout, const uint64_t *deltas,
                       const union tally_value *counters, union tally_value *values)
{
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        union tally_value *value = &values[i];
        int slot;
        value->u = 0;
        switch ((enum op)node->op) {
        case OP_NUMBER_U:
        case OP_NUMBER_F:
            *value = node->number;
            break;
        case OP_READ:
            slot = read_slot(layout, node);
            if (slot >= 0 && deltas)
                value->u = deltas[slot];
            break;
        case OP_VARIABLE:
            tally_environment_get(environment, node->variable, &value->u);
            break;
        case OP_COUNTER:
            if (counters)
                *value = counters[node->index];
            break;
        default:
            *value =
                op_apply((enum op)node->op, values[node->left], equation->nodes[node->left].type,
                         values[node->right], equation->nodes[node->right].type);
        }
    }
}

bool is_division_by_0(const struct equation *equation, const union tally_value *values,
                      const struct node *node)
{
    if (node->op != OP_UDIV && node->op != OP_FDIV)
        return false;
    enum tally_data_type to = node->op == OP_UDIV ? TALLY_UINT64 : TALLY_DOUBLE;
    union tally_value divisor = as_type(values[node->right], equation->nodes[node->right].type, to);
    return to == TALLY_DOUBLE ? divisor.f == 0 : divisor.u == 0;
}

bool equation_is_defined(const struct equation *equation, const union tally_value *values,
                         const bool *defined)
{
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        if (node->op == OP_COUNTER && !defined[node->index])
            return false;
        if (is_division_by_0(equation, values, node))
            return false;
    }
    return true;
}

bool is_nonzero_or_empty(const struct equation *availability,
                         const struct tally_environment *environment,
                         const struct tally_layout *layout)
{
    union tally_value values[EQUATION_NODES_MAX];
    if (!availability->count)
        return true;
    equation_evaluate(availability, environment, layout, NULL, NULL, values);
    const struct node *last = &availability->nodes[availability->count - 1];
    return last->type == TALLY_DOUBLE ? values[availability->count - 1].f != 0
                                      : values[availability->count - 1].u != 0;
}

/* Depth-first search with an explicit stack, since an untrusted file may nest deeply. */
int counter_order(const struct counter_equations *equations, size_t count, uint32_t *order,
                  size_t *at)
{
    struct frame {
        uint32_t counter;
        uint16_t node;
    } *stack = malloc((count + 1) * sizeof *stack);
    uint8_t *seen = calloc(count + 1, 1); /* 0: not visited, 1: on the stack, 2: done */
    size_t done = 0;
    int result = stack && seen ? 0 : -ENOMEM;
    for (size_t start = 0; start < count && !result; start++) {
        size_t depth = 0;
        if (seen[start])
            continue;
        seen[start] = 1;
        stack[depth++] = (struct frame){(uint32_t)start, 0};
        while (depth && !result) {
            struct frame *top = &stack[depth - 1];
            const struct equation *equation = &equations[top->counter].value;
            while (top->node < equation->count && equation->nodes[top->node].op != OP_COUNTER)
                top->node++;
            if (top->node == equation->count) {
                seen[top->counter] = 2;
                order[done++] = top->counter;
                depth--;
                continue;
            }
            uint32_t next = equation->nodes[top->node++].index;
            if (seen[next] == 1) {
                *at = next;
                result = -ELOOP;
            } else if (!seen[next]) {
                seen[next] = 1;
                stack[depth++] = (struct frame){next, 0};
            }
        }
    }
    free(stack);
    free(seen);
    return result;
}
