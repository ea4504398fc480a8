/* SPDX-License-Identifier: MIT */
#include "preload/server/trace_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "preload/server/trace.h"

#define MAX_DEPTH 64   /* of parentheses and negations */
#define MAX_NODES 1024 /* a comparison has at least 4 characters */

enum operation { EQUAL, NOT_EQUAL, NOT_MORE, NOT_LESS, LESS, GREATER, ANY_BIT, AND, OR, NOT };

struct node {
    uint8_t operation;    /* enum operation */
    uint8_t offset, size; /* of the field; size 0: the processor */
    bool is_signed;
    uint16_t left, right; /* of AND, OR and (left) NOT */
    uint64_t value;
};

struct trace_filter {
    uint16_t root, count;
    struct node nodes[];
};

/* ---- parsing --------------------------------------------------------------------------------- */

struct parser {
    const struct i915_trace_info *info;
    const char *at;
    struct trace_filter *out;
    unsigned depth;
};

static void skip_space(struct parser *parser)
{
    while (isspace((unsigned char)*parser->at))
        parser->at++;
}

static int add(struct parser *parser, struct node node)
{
    struct trace_filter *filter = parser->out;
    if (filter->count == MAX_NODES)
        return -EINVAL;
    filter->nodes[filter->count] = node;
    return filter->count++;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Parses the name of a field, into the node. */
static int parse_field(struct parser *parser, struct node *node)
{
    const char *name = parser->at;
    size_t length = 0;
    while (is_name(name[length]))
        length++;
    parser->at += length;
    struct trace_field field;
    if (length == 3 && (!strncmp(name, "cpu", 3) || !strncmp(name, "CPU", 3)))
        return 0;
    for (unsigned i = 0; trace_field_at(parser->info, i, &field); i++) {
        if (strlen(field.name) != length || strncmp(field.name, name, length) != 0)
            continue;
        node->offset = field.offset;
        node->size = field.bytes;
        node->is_signed = field.is_signed;
        return 0;
    }
    return -EINVAL;
}

static int parse_operation(struct parser *parser, struct node *node)
{
    static const char *const texts[] = {
        [EQUAL] = "==", [NOT_EQUAL] = "!=", [NOT_MORE] = "<=", [NOT_LESS] = ">=",
        [LESS] = "<",   [GREATER] = ">",    [ANY_BIT] = "&"};
    for (unsigned i = 0; i < ARRAY_COUNT(texts); i++) {
        size_t length = strlen(texts[i]);
        if (strncmp(parser->at, texts[i], length) != 0)
            continue;
        parser->at += length;
        node->operation = (uint8_t)i;
        return 0;
    }
    return -EINVAL;
}

/* Parses a number as the kernel's kstrtoll() and kstrtoull(). */
static int parse_value(struct parser *parser, struct node *node)
{
    char *end;
    bool negative = *parser->at == '-';
    bool is_signed = node->is_signed || !node->size;
    if (!isdigit((unsigned char)parser->at[negative]) || (negative && !is_signed))
        return -EINVAL;
    errno = 0;
    node->value =
        is_signed ? (uint64_t)strtoll(parser->at, &end, 0) : strtoull(parser->at, &end, 0);
    if (errno || is_name(*end))
        return -EINVAL;
    parser->at = end;
    return 0;
}

static int parse_or(struct parser *parser);

static int parse_comparison(struct parser *parser)
{
    struct node node = {0};
    int result = parse_field(parser, &node);
    skip_space(parser);
    if (result == 0)
        result = parse_operation(parser, &node);
    skip_space(parser);
    if (result == 0)
        result = parse_value(parser, &node);
    return result < 0 ? result : add(parser, node);
}

/* These return the index of a node. */
static int parse_term(struct parser *parser)
{
    int result;
    if (++parser->depth > MAX_DEPTH)
        return -EINVAL;
    skip_space(parser);
    if (*parser->at == '!') {
        parser->at++;
        result = parse_term(parser);
        if (result >= 0)
            result = add(parser, (struct node){.operation = NOT, .left = (uint16_t)result});
    } else if (*parser->at == '(') {
        parser->at++;
        result = parse_or(parser);
        if (result >= 0 && *parser->at++ != ')')
            result = -EINVAL;
    } else {
        result = parse_comparison(parser);
    }
    parser->depth--;
    if (result >= 0)
        skip_space(parser);
    return result;
}

/* Parses terms with an operator, "&&" or "||", between them. */
static int parse_list(struct parser *parser, int (*part)(struct parser *), const char *text,
                      enum operation operation)
{
    int left = part(parser);
    while (left >= 0 && !strncmp(parser->at, text, 2)) {
        parser->at += 2;
        int right = part(parser);
        left = right < 0 ? right
                         : add(parser, (struct node){.operation = (uint8_t)operation,
                                                     .left = (uint16_t)left,
                                                     .right = (uint16_t)right});
    }
    return left;
}

static int parse_and(struct parser *parser)
{
    return parse_list(parser, parse_term, "&&", AND);
}

static int parse_or(struct parser *parser)
{
    return parse_list(parser, parse_and, "||", OR);
}

int trace_filter_parse(const struct i915_trace_info *info, const char *text,
                       struct trace_filter **out)
{
    struct trace_filter *filter = malloc(sizeof *filter + MAX_NODES * sizeof *filter->nodes);
    if (!filter)
        return -ENOMEM;
    filter->count = 0;
    struct parser parser = {.info = info, .at = text, .out = filter};
    int root = parse_or(&parser);
    if (root < 0 || *parser.at) {
        free(filter);
        return -EINVAL;
    }
    filter->root = (uint16_t)root;
    struct trace_filter *fitted =
        realloc(filter, sizeof *filter + filter->count * sizeof *filter->nodes);
    *out = fitted ? fitted : filter;
    return 0;
}

void trace_filter_free(struct trace_filter *filter)
{
    free(filter);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static bool compare_order(enum operation operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case NOT_MORE:
        return a <= b;
    case NOT_LESS:
        return a >= b;
    case LESS:
        return a < b;
    default:
        return a > b;
    }
}

/* The number is converted to the type of the field, as in the kernel. */
static bool compare(const struct node *node, const uint8_t *record)
{
    uint64_t value = 0, other = node->value;
    bool is_signed = node->is_signed || !node->size;
    unsigned unused = node->size ? 64u - 8u * node->size : 32u;
    for (unsigned i = 0; i < node->size; i++)
        value |= (uint64_t)record[node->offset + i] << 8 * i;
    if (is_signed) {
        value = (uint64_t)((int64_t)(value << unused) >> unused);
        other = (uint64_t)((int64_t)(other << unused) >> unused);
    } else {
        other = other << unused >> unused;
    }
    enum operation operation = (enum operation)node->operation;
    if (operation == EQUAL || operation == NOT_EQUAL)
        return (value == other) == (operation == EQUAL);
    if (operation == ANY_BIT)
        return (value & other) != 0;
    /* With the sign bit inverted, signed numbers have the order of unsigned ones. */
    uint64_t sign = is_signed ? UINT64_C(1) << 63 : 0;
    return compare_order(operation, value ^ sign, other ^ sign);
}

static bool passes(const struct trace_filter *filter, unsigned index, const uint8_t *record)
{
    const struct node *node = &filter->nodes[index];
    switch ((enum operation)node->operation) {
    case NOT:
        return !passes(filter, node->left, record);
    case AND:
        return passes(filter, node->left, record) && passes(filter, node->right, record);
    case OR:
        return passes(filter, node->left, record) || passes(filter, node->right, record);
    default:
        return compare(node, record);
    }
}

bool trace_filter_passes(const struct trace_filter *filter, const uint8_t *record)
{
    return passes(filter, filter->root, record);
}
