/* SPDX-License-Identifier: MIT */
/*
 * Evaluates equations over sums of many deltas, with 128-bit integers. The equations of metric-set
 * files assume the deltas of single reports, for which 64 bits suffice; with the sums over minutes,
 * products with 10^9 would overflow. A negative difference wraps around to 64 bits, as in the
 * evaluation of single deltas.
 */
#include "base/ratio.h"
#include "metrics/program.h"

/* A value: f if is_double, else u; the other member is 0. */
struct wide {
    bool is_double;
    uint128 u;
    double f;
};

static double wide_double(struct wide value)
{
    return value.is_double ? value.f : (double)value.u;
}

static uint128 wide_integer(struct wide value)
{
    return value.is_double ? double_to_u64(value.f) : value.u;
}

static uint128 apply(enum op op, uint128 a, uint128 b)
{
    switch (op) {
    case OP_UADD:
    case OP_FADD:
        return a + b;
    case OP_USUB:
    case OP_FSUB:
        return a >= b ? a - b : (uint64_t)(a - b);
    case OP_UMUL:
    case OP_FMUL:
        return a * b;
    case OP_UDIV:
        return b ? a / b : 0;
    case OP_UMIN:
        return a < b ? a : b;
    case OP_AND:
        return a & b;
    case OP_SHL:
        return b < 64 ? a << b : 0;
    case OP_SHR:
        return b < 64 ? a >> b : 0;
    case OP_UGT:
        return a > b;
    case OP_UGTE:
        return a >= b;
    case OP_ULT:
        return a < b;
    case OP_ULTE:
        return a <= b;
    case OP_LAND:
        return a && b;
    default:
        return 0;
    }
}

static struct wide operate(enum op op, struct wide left, struct wide right)
{
    enum tally_data_type left_type = left.is_double ? TALLY_DOUBLE : TALLY_UINT64;
    enum tally_data_type right_type = right.is_double ? TALLY_DOUBLE : TALLY_UINT64;
    bool is_double = op_result_type(op) == TALLY_DOUBLE;
    if (op_operand_type(op, left_type, right_type) == TALLY_UINT64) {
        uint128 result = apply(op, wide_integer(left), wide_integer(right));
        return (struct wide){is_double, is_double ? 0 : result, is_double ? (double)result : 0};
    }
    union tally_value result =
        op_apply(op, (union tally_value){.f = wide_double(left)}, TALLY_DOUBLE,
                 (union tally_value){.f = wide_double(right)}, TALLY_DOUBLE);
    return (struct wide){is_double, is_double ? 0 : result.u, is_double ? result.f : 0};
}

static bool divides_by_0(enum op op, struct wide divisor)
{
    return (op == OP_UDIV && !wide_integer(divisor)) ||
           (op == OP_FDIV && wide_double(divisor) == 0);
}

static struct wide evaluate(const struct tally_program *program, const struct equation *equation,
                            const uint64_t *deltas, const union tally_value *counters,
                            struct wide *nodes, bool *defined)
{
    *defined = true;
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        union tally_value value = node->number;
        int slot;
        switch ((enum op)node->op) {
        case OP_NUMBER_U:
        case OP_NUMBER_F:
            break;
        case OP_READ:
            slot = read_slot(program->layout, node);
            value.u = slot >= 0 ? deltas[slot] : 0;
            break;
        case OP_VARIABLE:
            value.u = 0;
            tally_environment_get(&program->environment, node->variable, &value.u);
            break;
        case OP_COUNTER:
            value = counters[node->index];
            *defined &= program->defined[node->index];
            break;
        default:
            *defined &= !divides_by_0((enum op)node->op, nodes[node->right]);
            nodes[i] = operate((enum op)node->op, nodes[node->left], nodes[node->right]);
            continue;
        }
        bool is_double = node->type == TALLY_DOUBLE;
        nodes[i] = (struct wide){is_double, is_double ? 0 : value.u, is_double ? value.f : 0};
    }
    return nodes[equation->count - 1];
}

void program_evaluate_wide(const struct tally_program *program, const uint64_t *deltas,
                           union tally_value *values)
{
    struct wide nodes[EQUATION_NODES_MAX];
    for (size_t i = 0; i < program->set->counter_count; i++) {
        uint32_t index = program->order[i];
        struct wide value = evaluate(program, &program->equations[index].value, deltas,
                                     program->counters, nodes, &program->defined[index]);
        union tally_value *counter = &program->counters[index];
        uint128 whole = wide_integer(value);
        if (program->set->counters[index].type == TALLY_DOUBLE)
            counter->f = wide_double(value);
        else
            counter->u = whole > UINT64_MAX ? UINT64_MAX : (uint64_t)whole;
    }
    for (size_t i = 0; i < program->set->counter_count; i++)
        if (program->states[i] == TALLY_COUNTER_OK)
            values[i] = program->defined[i] ? program->counters[i]
                                            : undefined_value(program->set->counters[i].type);
}
