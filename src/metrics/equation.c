/* SPDX-License-Identifier: MIT */
#include "metrics/equation.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "base/names.h"

const char *const op_names[OP_COUNT] = {
    [OP_UADD] = "UADD", [OP_USUB] = "USUB", [OP_UMUL] = "UMUL",    [OP_UDIV] = "UDIV",
    [OP_UMIN] = "UMIN", [OP_AND] = "AND",   [OP_SHL] = "<<",       [OP_SHR] = ">>",
    [OP_UGT] = "UGT",   [OP_UGTE] = "UGTE", [OP_ULT] = "ULT",      [OP_ULTE] = "ULTE",
    [OP_LAND] = "&&",   [OP_FADD] = "FADD", [OP_FSUB] = "FSUB",    [OP_FMUL] = "FMUL",
    [OP_FDIV] = "FDIV", [OP_FMAX] = "FMAX", [OP_RATIO] = "FRATIO",
};

const char *const source_names[SOURCE_COUNT] = {
    "A", "B", "C", "GPU_TIME", "GPU_CLOCK", "PERFCNT", "CLOCKS",
};

enum tally_data_type op_result_type(enum op op)
{
    return op >= OP_FADD ? TALLY_DOUBLE : TALLY_UINT64;
}

enum tally_data_type op_operand_type(enum op op, enum tally_data_type left,
                                     enum tally_data_type right)
{
    switch (op) {
    case OP_UDIV:
    case OP_AND:
    case OP_SHL:
    case OP_SHR:
        return TALLY_UINT64;
    case OP_FDIV:
    case OP_FMAX:
    case OP_RATIO:
        return TALLY_DOUBLE;
    default: /* the usual arithmetic conversions: double if either is */
        return left == TALLY_DOUBLE || right == TALLY_DOUBLE ? TALLY_DOUBLE : TALLY_UINT64;
    }
}

uint64_t double_to_u64(double value)
{
    if (value < 0x1p63)
        return value > -0x1p63 ? (uint64_t)(int64_t)value : 0;
    if (value < 0x1p64)
        return (uint64_t)(int64_t)(value - 0x1p63) + (UINT64_C(1) << 63);
    return value >= 0x1p64 ? UINT64_MAX : 0; /* 0: NaN */
}

union tally_value as_type(union tally_value value, enum tally_data_type from,
                          enum tally_data_type to)
{
    if (from == to)
        return value;
    if (to == TALLY_DOUBLE)
        return (union tally_value){.f = (double)value.u};
    return (union tally_value){.u = double_to_u64(value.f)};
}

union tally_value undefined_value(enum tally_data_type type)
{
    return type == TALLY_DOUBLE ? (union tally_value){.f = (double)NAN}
                                : (union tally_value){.u = TALLY_UNDEFINED};
}

static uint64_t apply_u64(enum op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case OP_UADD:
    case OP_FADD:
        return a + b;
    case OP_USUB:
    case OP_FSUB:
        return a - b;
    case OP_UMUL:
    case OP_FMUL:
        return a * b;
    case OP_UDIV:
        return b ? a / b : 0;
    case OP_UMIN:
        return min_u64(a, b);
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

/* Comparisons return 0.0 or 1.0, which the caller converts to 0 or 1. */
static double apply_double(enum op op, double a, double b)
{
    switch (op) {
    case OP_UADD:
    case OP_FADD:
        return a + b;
    case OP_USUB:
    case OP_FSUB:
        return a - b;
    case OP_UMUL:
    case OP_FMUL:
        return a * b;
    case OP_FDIV:
        return b != 0 ? a / b : 0;
    case OP_RATIO:
        return b != 0 ? a / b : (double)NAN;
    case OP_UMIN:
        return a < b ? a : b;
    case OP_FMAX:
        return a > b ? a : b;
    case OP_UGT:
        return a > b;
    case OP_UGTE:
        return a >= b;
    case OP_ULT:
        return a < b;
    case OP_ULTE:
        return a <= b;
    case OP_LAND:
        return a != 0 && b != 0;
    default:
        return 0;
    }
}

union tally_value op_apply(enum op op, union tally_value left, enum tally_data_type left_type,
                           union tally_value right, enum tally_data_type right_type)
{
    enum tally_data_type type = op_operand_type(op, left_type, right_type);
    union tally_value a = as_type(left, left_type, type), b = as_type(right, right_type, type);
    union tally_value result;
    if (type == TALLY_UINT64)
        result.u = apply_u64(op, a.u, b.u);
    else
        result.f = apply_double(op, a.f, b.f);
    return as_type(result, type, op_result_type(op));
}

/* A token of an equation. */
struct token {
    const char *text; /* not NUL terminated */
    size_t size;
    unsigned number; /* for messages, from 1 */
};

static bool next_token(const char **at, struct token *token)
{
    while (isspace((unsigned char)**at))
        (*at)++;
    token->text = *at;
    while (**at && !isspace((unsigned char)**at))
        (*at)++;
    token->size = (size_t)(*at - token->text);
    token->number++;
    return token->size != 0;
}

static bool token_is(const struct token *token, const char *text)
{
    return strlen(text) == token->size && !memcmp(text, token->text, token->size);
}

static int bad_token(struct tally_error *error, const struct token *token, const char *what)
{
    int shown = token->size < 40 ? (int)token->size : 40;
    return fail(error, -EBADMSG, "token %u \"%.*s\": %s", token->number, shown, token->text, what);
}

static bool parse_number(const struct token *token, struct node *node)
{
    char text[48];
    char *end;
    if (token->size >= sizeof text || !isdigit((unsigned char)token->text[0]))
        return false;
    memcpy(text, token->text, token->size);
    text[token->size] = '\0';
    errno = 0;
    node->op = OP_NUMBER_U;
    node->type = TALLY_UINT64;
    node->number.u = strtoull(text, &end, text[0] == '0' && (text[1] | 32) == 'x' ? 16 : 10);
    if (*end == '\0')
        return errno == 0;
    errno = 0; /* strtoull() fails if more than 2^64 is before the point, which a double may have */
    node->op = OP_NUMBER_F;
    node->type = TALLY_DOUBLE;
    node->number.f = strtod(text, &end);
    return *end == '\0' && errno == 0;
}

ptrdiff_t tally_metric_set_counter(const struct tally_metric_set *set, const char *symbol)
{
    for (size_t i = 0; i < set->counter_count; i++)
        if (!strcmp(set->counters[i].symbol, symbol))
            return (ptrdiff_t)i;
    return -ENOENT;
}

/* An entry of the parser's stack: a node, or the source of a READ that follows. */
struct operand {
    bool is_source;
    uint8_t source;
    uint16_t node;
};

struct parser {
    const struct tally_metric_set *set; /* NULL: no counters are known */
    const struct name *symbols;         /* of the set; NULL: not sorted */
    struct equation *out;
    struct operand stack[256];
    size_t depth;
    size_t capacity;
    struct tally_error *error;
};

struct name *symbols_new(const struct tally_metric_set *set)
{
    struct name *symbols = calloc(set->counter_count + 1, sizeof *symbols);
    for (size_t i = 0; symbols && i < set->counter_count; i++)
        symbols[i] = (struct name){set->counters[i].symbol, (uint32_t)i};
    if (symbols)
        names_sort(symbols, set->counter_count, strcmp);
    return symbols;
}

static ptrdiff_t find_counter(const struct parser *parser, const char *symbol)
{
    const struct tally_metric_set *set = parser->set;
    if (parser->symbols)
        return names_find(parser->symbols, set->counter_count, symbol);
    return set ? tally_metric_set_counter(set, symbol) : -ENOENT;
}

static int parse_dollar(const struct parser *parser, const struct token *token, struct node *node)
{
    const struct tally_metric_set *set = parser->set;
    struct tally_error *error = parser->error;
    char name[128];
    if (token->size >= sizeof name)
        return bad_token(error, token, "name is too long");
    memcpy(name, token->text, token->size);
    name[token->size] = '\0';
    if (variable_known(name)) {
        node->op = OP_VARIABLE;
        node->type = TALLY_UINT64;
        memcpy(node->variable, name, token->size + 1);
        return 0;
    }
    ptrdiff_t counter = find_counter(parser, name + 1);
    if (counter < 0)
        return bad_token(error, token, "neither a variable nor a counter of this set");
    node->op = OP_COUNTER;
    node->type = (uint8_t)set->counters[counter].type;
    node->index = (uint32_t)counter;
    return 0;
}

static int push(struct parser *parser, const struct token *token, struct operand operand)
{
    if (parser->depth == ARRAY_COUNT(parser->stack))
        return bad_token(parser->error, token, "more than 256 operands without an operator");
    parser->stack[parser->depth++] = operand;
    return 0;
}

static int add_node(struct parser *parser, const struct token *token, const struct node *node)
{
    struct equation *equation = parser->out;
    if (equation->count == EQUATION_NODES_MAX)
        return bad_token(parser->error, token, "equation is too long");
    if (equation->count == parser->capacity) {
        size_t capacity = parser->capacity ? parser->capacity * 2 : 16;
        struct node *nodes = realloc(equation->nodes, capacity * sizeof *nodes);
        if (!nodes)
            return fail_memory(parser->error, "an equation");
        equation->nodes = nodes;
        parser->capacity = capacity;
    }
    equation->nodes[equation->count] = *node;
    return push(parser, token, (struct operand){.node = equation->count++});
}

static int parse_read(struct parser *parser, const struct token *token)
{
    if (parser->depth < 2 || !parser->stack[parser->depth - 2].is_source ||
        parser->stack[parser->depth - 1].is_source)
        return bad_token(parser->error, token, "expected a source and a number before it");
    struct node *number = &parser->out->nodes[parser->stack[parser->depth - 1].node];
    if (number->op != OP_NUMBER_U || number->number.u > 255)
        return bad_token(parser->error, token, "expected a counter number from 0 to 255 before it");
    uint8_t source = parser->stack[parser->depth - 2].source;
    *number = (struct node){
        .op = OP_READ, .type = TALLY_UINT64, .source = source, .index = (uint32_t)number->number.u};
    parser->stack[parser->depth - 2] = parser->stack[parser->depth - 1];
    parser->depth--;
    return 0;
}

static int parse_operator(struct parser *parser, const struct token *token, enum op op)
{
    if (parser->depth < 2)
        return bad_token(parser->error, token, "expected two operands before it");
    struct operand *left = &parser->stack[parser->depth - 2];
    struct operand *right = &parser->stack[parser->depth - 1];
    if (left->is_source || right->is_source)
        return bad_token(parser->error, token, "expected READ after a source");
    struct node node = {
        .op = (uint8_t)op,
        .type = (uint8_t)op_result_type(op),
        .left = left->node,
        .right = right->node,
    };
    parser->depth -= 2;
    return add_node(parser, token, &node);
}

static int parse_token(struct parser *parser, const struct token *token)
{
    struct node node = {0};
    if (token_is(token, "READ"))
        return parse_read(parser, token);
    for (enum op op = OP_UADD; op < OP_COUNT; op++)
        if (token_is(token, op_names[op]))
            return parse_operator(parser, token, op);
    for (unsigned source = 0; source < SOURCE_COUNT; source++)
        if (token_is(token, source_names[source]))
            return push(parser, token,
                        (struct operand){.is_source = true, .source = (uint8_t)source});
    if (token_is(token, "true") || token_is(token, "false")) {
        node.op = OP_NUMBER_U;
        node.number.u = token->text[0] == 't';
        return add_node(parser, token, &node);
    }
    if (token->text[0] == '$') {
        int result = parse_dollar(parser, token, &node);
        return result < 0 ? result : add_node(parser, token, &node);
    }
    if (parse_number(token, &node))
        return add_node(parser, token, &node);
    return bad_token(parser->error, token, "not a number, source, operator, variable or counter");
}

int equation_parse_by(const char *text, const struct tally_metric_set *set,
                      const struct name *symbols, struct equation *out, struct tally_error *error)
{
    struct parser parser = {.set = set, .symbols = symbols, .out = out, .error = error};
    struct token token = {0};
    int result = 0;
    *out = (struct equation){0};
    while (!result && next_token(&text, &token))
        result = parse_token(&parser, &token);
    if (!result && parser.depth != 1)
        result = fail(error, -EBADMSG, "%zu values are left at the end, expected 1", parser.depth);
    if (!result && parser.stack[0].is_source)
        result = fail(error, -EBADMSG, "a source without READ is left at the end");
    if (!result && parser.stack[0].node != out->count - 1)
        result = fail(error, -EBADMSG, "the result is not the last value");
    if (result < 0)
        equation_fini(out);
    return result;
}

int equation_parse(const char *text, const struct tally_metric_set *set, struct equation *out,
                   struct tally_error *error)
{
    return equation_parse_by(text, set, NULL, out, error);
}

void equation_fini(struct equation *equation)
{
    free(equation->nodes);
    *equation = (struct equation){0};
}
