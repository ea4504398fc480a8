/* SPDX-License-Identifier: MIT */
/*
 * Compiles equations to steps. All equations of a set are translated to one graph, with common
 * subexpression elimination (value numbering) and constant folding. Then each value is assigned a
 * register, which is reused after the last use of the value.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/minmax.h"
#include "metrics/program.h"

/* A node of the graph. Operands precede the values that use them. */
struct value {
    uint16_t kernel; /* enum kernel */
    uint8_t type;    /* enum tally_data_type */
    bool pinned;     /* its register is never reused: the result of a counter, or a read */
    uint32_t a, b;   /* operands: indices of values; for reads: columns */
    uint16_t slot;   /* for reads: the slot of the report */
    union tally_value imm;
    uint32_t last_use; /* index + 1 of the last value that uses this one; 0: none */
    uint16_t to;       /* register */
};

struct graph {
    struct value *values;
    size_t count, capacity;
    uint32_t *buckets; /* hash table of index + 1; 0: empty */
    size_t bucket_count;
    uint32_t guard; /* of the current counter; NO_GUARD: always defined */
    bool broken;    /* out of memory */
};

#define NO_GUARD UINT32_MAX

static uint64_t hash_value(const struct value *value)
{
    uint64_t hash = value->kernel * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ value->a) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ value->b ^ value->type) * UINT64_C(0x94d049bb133111eb);
    hash = (hash ^ value->imm.u) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static bool same_value(const struct value *x, const struct value *y)
{
    return x->kernel == y->kernel && x->type == y->type && x->a == y->a && x->b == y->b &&
           x->imm.u == y->imm.u;
}

static bool rehash(struct graph *graph)
{
    size_t bucket_count = graph->bucket_count ? graph->bucket_count * 2 : 1024;
    uint32_t *buckets = calloc(bucket_count, sizeof *buckets);
    if (!buckets)
        return false;
    for (size_t i = 0; i < graph->count; i++) {
        size_t at = hash_value(&graph->values[i]) & (bucket_count - 1);
        while (buckets[at])
            at = (at + 1) & (bucket_count - 1);
        buckets[at] = (uint32_t)i + 1;
    }
    free(graph->buckets);
    graph->buckets = buckets;
    graph->bucket_count = bucket_count;
    return true;
}

/* Returns the index of the value equal to this one, which is added if there is none. */
static uint32_t intern(struct graph *graph, struct value value)
{
    if (graph->broken)
        return 0;
    if (graph->count * 2 >= graph->bucket_count && !rehash(graph)) {
        graph->broken = true;
        return 0;
    }
    size_t at = hash_value(&value) & (graph->bucket_count - 1);
    for (; graph->buckets[at]; at = (at + 1) & (graph->bucket_count - 1))
        if (same_value(&graph->values[graph->buckets[at] - 1], &value))
            return graph->buckets[at] - 1;
    struct value *values =
        array_grow(graph->values, &graph->capacity, graph->count, sizeof *values);
    if (!values) {
        graph->broken = true;
        return 0;
    }
    graph->values = values;
    values[graph->count] = value;
    graph->buckets[at] = (uint32_t)graph->count + 1;
    return (uint32_t)graph->count++;
}

static uint32_t constant(struct graph *graph, union tally_value imm, enum tally_data_type type)
{
    return intern(graph,
                  (struct value){.kernel = KERNEL_CONSTANT, .type = (uint8_t)type, .imm = imm});
}

/* Returns a value converted to a type. */
static uint32_t convert(struct graph *graph, uint32_t from, enum tally_data_type type)
{
    if (graph->broken || graph->values[from].type == type)
        return from;
    if (graph->values[from].kernel == KERNEL_CONSTANT)
        return constant(graph, as_type(graph->values[from].imm, graph->values[from].type, type),
                        type);
    return intern(graph, (struct value){
                             .kernel = type == TALLY_DOUBLE ? KERNEL_TO_DOUBLE : KERNEL_TO_U64,
                             .type = (uint8_t)type,
                             .a = from,
                             .b = from,
                         });
}

/* Returns the value that reads the delta of a slot; the constant 0 if the layout does not have it.
 */
static uint32_t read_value(struct graph *graph, const struct tally_layout *layout, unsigned slot)
{
    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        if (slot < field->slot || slot - field->slot >= field->count)
            continue;
        unsigned i = slot - field->slot;
        uint32_t dword = (uint32_t)(field->offset + (int)i * field->stride) / 4;
        struct value value = {
            .kernel = KERNEL_READ_32, .type = TALLY_UINT64, .a = dword, .slot = (uint16_t)slot};
        if (field->width == 40) {
            value.kernel = KERNEL_READ_40;
            value.b = (field->high + i) / 4;
            value.imm.u = (field->high + i) % 4 * 8;
        } else if (field->width == 64) {
            value.kernel = KERNEL_READ_64;
            value.b = dword + 1;
        }
        return intern(graph, value);
    }
    return constant(graph, (union tally_value){0}, TALLY_UINT64);
}

/* The kernels of each operation, for integer and for double operands. < and <= use those of > and
 * >= with swapped operands. */
static const struct {
    uint8_t integer;
    uint8_t floating;
    bool swap;
} op_kernels[OP_COUNT] = {
    [OP_UADD] = {KERNEL_ADD, KERNEL_FADD, false},
    [OP_FADD] = {KERNEL_ADD, KERNEL_FADD, false},
    [OP_USUB] = {KERNEL_SUB, KERNEL_FSUB, false},
    [OP_FSUB] = {KERNEL_SUB, KERNEL_FSUB, false},
    [OP_UMUL] = {KERNEL_MUL, KERNEL_FMUL, false},
    [OP_FMUL] = {KERNEL_MUL, KERNEL_FMUL, false},
    [OP_UDIV] = {KERNEL_DIV, KERNEL_DIV, false},
    [OP_FDIV] = {KERNEL_FDIV, KERNEL_FDIV, false},
    [OP_UMIN] = {KERNEL_MIN, KERNEL_FMIN, false},
    [OP_FMAX] = {KERNEL_FMAX, KERNEL_FMAX, false},
    [OP_AND] = {KERNEL_AND, KERNEL_AND, false},
    [OP_SHL] = {KERNEL_SHL, KERNEL_SHL, false},
    [OP_SHR] = {KERNEL_SHR, KERNEL_SHR, false},
    [OP_UGT] = {KERNEL_GT, KERNEL_FGT, false},
    [OP_UGTE] = {KERNEL_GTE, KERNEL_FGTE, false},
    [OP_ULT] = {KERNEL_GT, KERNEL_FGT, true},
    [OP_ULTE] = {KERNEL_GTE, KERNEL_FGTE, true},
    [OP_LAND] = {KERNEL_LAND, KERNEL_FLAND, false},
    [OP_RATIO] = {KERNEL_RATIO, KERNEL_RATIO, false},
};

/* Adds a condition of the current counter, which is defined where all its conditions are not 0. */
static void add_guard(struct graph *graph, uint32_t condition)
{
    if (graph->broken)
        return;
    if (graph->values[condition].type == TALLY_DOUBLE)
        condition = intern(
            graph,
            (struct value){
                .kernel = KERNEL_FLAND, .type = TALLY_UINT64, .a = condition, .b = condition});
    if (graph->guard == NO_GUARD)
        graph->guard = condition;
    else if (graph->guard != condition)
        graph->guard = intern(
            graph,
            (struct value){
                .kernel = KERNEL_LAND, .type = TALLY_UINT64, .a = graph->guard, .b = condition});
}

/* Adds the divisor of an operation as a condition, if it is a division whose divisor may be 0. */
static void guard_division(struct graph *graph, enum op op, uint32_t divisor)
{
    if (graph->broken || (op != OP_UDIV && op != OP_FDIV))
        return;
    if (op == OP_UDIV)
        divisor = convert(graph, divisor, TALLY_UINT64);
    if (graph->broken)
        return;
    struct value value = graph->values[divisor];
    if (value.kernel != KERNEL_CONSTANT)
        add_guard(graph, divisor);
    else if (value.type == TALLY_DOUBLE ? value.imm.f == 0 : value.imm.u == 0)
        add_guard(graph, constant(graph, (union tally_value){0}, TALLY_UINT64));
}

/* Returns the value of a counter where it is defined. */
static uint32_t guarded(struct graph *graph, uint32_t value, enum tally_data_type type)
{
    if (graph->broken || graph->guard == NO_GUARD)
        return value;
    return intern(graph, (struct value){.kernel = KERNEL_DEFINED,
                                        .type = (uint8_t)type,
                                        .a = value,
                                        .b = graph->guard,
                                        .imm = undefined_value(type)});
}

/* Returns the value of an operation. */
static uint32_t operation(struct graph *graph, enum op op, uint32_t left, uint32_t right)
{
    guard_division(graph, op, right);
    if (graph->broken)
        return 0;
    struct value a = graph->values[left], b = graph->values[right];
    if (a.kernel == KERNEL_CONSTANT && b.kernel == KERNEL_CONSTANT)
        return constant(graph, op_apply(op, a.imm, a.type, b.imm, b.type), op_result_type(op));

    enum tally_data_type type = op_operand_type(op, a.type, b.type);
    left = convert(graph, left, type);
    right = convert(graph, right, type);
    if (graph->broken)
        return 0;
    struct value value = {
        .kernel = type == TALLY_DOUBLE ? op_kernels[op].floating : op_kernels[op].integer,
        .a = op_kernels[op].swap ? right : left,
        .b = op_kernels[op].swap ? left : right,
    };
    /* Comparisons always return integers; other operations return the type of their operands. */
    bool compares = op >= OP_UGT && op <= OP_LAND;
    value.type = (uint8_t)(compares ? TALLY_UINT64 : type);
    if (value.kernel == KERNEL_DIV && graph->values[right].kernel == KERNEL_CONSTANT) {
        value.imm = graph->values[right].imm;
        if (!value.imm.u)
            return constant(graph, (union tally_value){0}, TALLY_UINT64);
        value.kernel = KERNEL_DIV_CONSTANT;
        value.b = left;
    }
    return convert(graph, intern(graph, value), op_result_type(op));
}

/* A counter in the graph. */
struct compiled {
    uint32_t value; /* for counters that refer to it */
    uint32_t guard; /* it is defined where this is not 0; NO_GUARD: everywhere */
    uint32_t result;
};

/* Returns the value of an equation, and its conditions in graph->guard. `counters` are the set's
 * counters; `nodes` is scratch space for EQUATION_NODES_MAX values. */
static uint32_t equation_value(struct graph *graph, const struct tally_program *program,
                               const struct equation *equation, const struct compiled *counters,
                               uint32_t *nodes)
{
    graph->guard = NO_GUARD;
    for (size_t i = 0; i < equation->count; i++) {
        const struct node *node = &equation->nodes[i];
        union tally_value imm = node->number;
        switch ((enum op)node->op) {
        case OP_NUMBER_U:
        case OP_NUMBER_F:
            nodes[i] = constant(graph, imm, node->type);
            break;
        case OP_VARIABLE:
            imm.u = 0;
            tally_environment_get(&program->environment, node->variable, &imm.u);
            nodes[i] = constant(graph, imm, TALLY_UINT64);
            break;
        case OP_READ:
            nodes[i] =
                read_value(graph, program->layout, (unsigned)read_slot(program->layout, node));
            break;
        case OP_COUNTER:
            nodes[i] = counters[node->index].value;
            if (counters[node->index].guard != NO_GUARD)
                add_guard(graph, counters[node->index].guard);
            break;
        default:
            nodes[i] = operation(graph, (enum op)node->op, nodes[node->left], nodes[node->right]);
        }
    }
    return nodes[equation->count - 1];
}

static bool is_read(const struct value *value)
{
    return value->kernel <= KERNEL_READ_64;
}

static bool is_leaf(const struct value *value)
{
    return value->kernel <= KERNEL_CONSTANT;
}

/* Drops unused values, assigns registers, and writes the steps. Returns the number of registers, or
 * -ENOMEM, or -E2BIG if there are too many. */
static int schedule(struct tally_program *program, struct graph *graph)
{
    for (size_t i = graph->count; i-- > 0;) {
        struct value *value = &graph->values[i];
        if (!value->pinned && !value->last_use)
            continue;
        if (!is_leaf(value)) {
            uint32_t operands[] = {value->a, value->b};
            for (size_t o = 0; o < ARRAY_COUNT(operands); o++)
                if (!graph->values[operands[o]].last_use)
                    graph->values[operands[o]].last_use = (uint32_t)i + 1;
        }
    }

    uint16_t *free_registers = malloc((graph->count + 1) * sizeof *free_registers);
    program->steps = calloc(graph->count + 1, sizeof *program->steps);
    program->reads = calloc(graph->count + 1, sizeof *program->reads);
    if (!free_registers || !program->steps || !program->reads) {
        free(free_registers);
        return -ENOMEM;
    }
    size_t free_count = 0, used = 0, dwords = 0;
    for (size_t i = 0; i < graph->count; i++) {
        struct value *value = &graph->values[i];
        if (!value->pinned && !value->last_use)
            continue;
        value->pinned |= is_read(value);
        struct step step = {.kernel = value->kernel, .imm = value->imm};
        /* The result gets its register before those of the operands are freed, so a step never
         * overwrites its operands. Constants are stored once for all runs, so their registers are
         * not shared. */
        bool reuse = free_count && value->kernel != KERNEL_CONSTANT;
        value->to = reuse ? free_registers[--free_count] : (uint16_t)used++;
        step.to = value->to;
        if (is_read(value)) {
            program->reads[program->read_count++] = (struct program_read){value->slot, value->to};
            step.a = (uint16_t)value->a;
            step.b = (uint16_t)value->b;
            dwords = max_size(dwords, max_size(value->a, value->b) + 1);
        } else if (!is_leaf(value)) {
            const struct value *a = &graph->values[value->a], *b = &graph->values[value->b];
            step.a = a->to;
            step.b = b->to;
            if (a->last_use == i + 1 && !a->pinned && a->kernel != KERNEL_CONSTANT)
                free_registers[free_count++] = a->to;
            if (b != a && b->last_use == i + 1 && !b->pinned && b->kernel != KERNEL_CONSTANT)
                free_registers[free_count++] = b->to;
        }
        program->steps[program->step_count++] = step;
    }
    free(free_registers);
    if (used > UINT16_MAX)
        return -E2BIG;
    program->dwords = (dwords + 7) & ~(size_t)7;
    return (int)used;
}

/* Allocates registers and columns, and stores the constants, whose steps are then removed. */
static int allocate(struct tally_program *program, size_t registers)
{
    size_t columns = program->dwords * COLUMN_STRIDE * sizeof *program->columns;
    program->registers = aligned_alloc(64, (registers + 1) * TALLY_BLOCK * sizeof(uint64_t));
    program->columns = aligned_alloc(64, (columns + 63 + 64) & ~(size_t)63);
    if (!program->registers || !program->columns)
        return -ENOMEM;
    memset(program->registers, 0, (registers + 1) * TALLY_BLOCK * sizeof(uint64_t));
    memset(program->columns, 0, columns);
    size_t kept = 0;
    for (size_t i = 0; i < program->step_count; i++) {
        if (program->steps[i].kernel == KERNEL_CONSTANT)
            program->kernels->run(&program->steps[i], 1, program->registers, program->columns,
                                  &program->prefetch);
        else
            program->steps[kept++] = program->steps[i];
    }
    program->step_count = kept;
    return 0;
}

int program_compile(struct tally_program *program, struct tally_error *error)
{
    const struct tally_metric_set *set = program->set;
    struct graph graph = {0};
    uint32_t *nodes = malloc(EQUATION_NODES_MAX * sizeof *nodes);
    struct compiled *counters = calloc(set->counter_count + 1, sizeof *counters);
    int result = nodes && counters ? 0 : -ENOMEM;

    for (size_t i = 0; i < set->counter_count && !result; i++) {
        uint32_t index = program->order[i];
        struct compiled *counter = &counters[index];
        counter->guard = NO_GUARD;
        if (program->states[index] == TALLY_COUNTER_UNSUPPORTED)
            continue;
        uint32_t value =
            equation_value(&graph, program, &program->equations[index].value, counters, nodes);
        counter->value = convert(&graph, value, set->counters[index].type);
        counter->guard = graph.guard;
        counter->result = guarded(&graph, counter->value, set->counters[index].type);
        if (graph.broken)
            result = -ENOMEM;
        else if (program->selected[index])
            graph.values[counter->result].pinned = true;
        if (graph.count > UINT16_MAX)
            result = -E2BIG;
    }
    if (!result)
        result = schedule(program, &graph);
    if (result >= 0)
        result = allocate(program, (size_t)result);
    for (size_t i = 0; i < set->counter_count && !result; i++)
        if (program->states[i] != TALLY_COUNTER_UNSUPPORTED && program->selected[i])
            program->results[i] = graph.values[counters[i].result].to;
    free(graph.values);
    free(graph.buckets);
    free(nodes);
    free(counters);
    if (result == -E2BIG)
        return fail(error, -EBADMSG, "%s: set %s is too large to compile", set->file, set->symbol);
    return result < 0 ? fail_memory(error, "a metric set") : 0;
}
