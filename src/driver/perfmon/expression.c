/* SPDX-License-Identifier: MIT */
/* Parses expressions over signals. Truth tables are computed on the way: those of the four
 * arguments are constants, and an operator combines two tables. */
#include "driver/perfmon/expression.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/bits.h"
#include "base/error.h"

#define NESTING_MAX 64
#define ALWAYS      UINT16_MAX

struct parser {
    const char *text;
    size_t at;
    unsigned nesting;
    struct expression *out;
    struct tally_error *error;
};

/* ---- text ------------------------------------------------------------------------------------ */

const char *expression_shown(const char *text, char shown[EXPRESSION_SHOWN])
{
    size_t i = 0;
    for (; text[i] && i + 4 < EXPRESSION_SHOWN; i++)
        shown[i] =
            isascii((unsigned char)text[i]) && isprint((unsigned char)text[i]) ? text[i] : '?';
    strcpy(shown + i, text[i] ? "..." : "");
    return shown;
}

/* What is wrong, after the expression and "at 7: ". */
#define WRONG(parser, position, ...)                                                               \
    (fail((parser)->error, -EBADMSG, __VA_ARGS__), wrong(parser, (position)))
static int wrong(const struct parser *parser, size_t position)
{
    char shown[EXPRESSION_SHOWN];
    fail_in(parser->error, "expression \"%s\", at %zu", expression_shown(parser->text, shown),
            position);
    return -EBADMSG;
}

static void skip_spaces(struct parser *parser)
{
    while (isspace((unsigned char)parser->text[parser->at]))
        parser->at++;
}

static const char *rest(struct parser *parser)
{
    skip_spaces(parser);
    return parser->text + parser->at;
}

/* Consumes a punctuation mark. */
static bool accept(struct parser *parser, const char *mark)
{
    size_t size = strlen(mark);
    if (strncmp(rest(parser), mark, size) != 0)
        return false;
    parser->at += size;
    return true;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || (c && strchr("_.[]?", c));
}

/* Returns the length of the word at the present position. */
static size_t word_size(struct parser *parser)
{
    const char *text = rest(parser);
    size_t size = 0;
    while (in_word(text[size]))
        size++;
    return size;
}

/* Consumes a keyword in front of a parenthesis, or a keyword that is a whole word (`mark` 0). */
static bool accept_keyword(struct parser *parser, const char *keyword, char mark)
{
    size_t size = word_size(parser);
    const char *text = rest(parser), *after = text + size;
    if (size != strlen(keyword) || strncasecmp(text, keyword, size) != 0)
        return false;
    while (isspace((unsigned char)*after))
        after++;
    if (mark && *after != mark)
        return false;
    parser->at = (size_t)(after - parser->text) + (mark != 0);
    return true;
}

/* Describes what is at the present position, for messages. */
#define FOUND_BYTES 40
static const char *found(struct parser *parser, char text[FOUND_BYTES])
{
    const char *at = rest(parser);
    size_t size = word_size(parser);
    size = size > 30 ? 30 : size;
    if (!*at)
        strcpy(text, "the end");
    else if (size || (isascii((unsigned char)*at) && isprint((unsigned char)*at)))
        snprintf(text, FOUND_BYTES, "\"%.*s\"", (int)(size ? size : 1), at);
    else
        snprintf(text, FOUND_BYTES, "character 0x%02x", (unsigned char)*at);
    return text;
}

static int expected(struct parser *parser, const char *what)
{
    char text[FOUND_BYTES];
    return WRONG(parser, (rest(parser), parser->at + 1), "%s, expected %s", found(parser, text),
                 what);
}

static int close_parenthesis(struct parser *parser)
{
    return accept(parser, ")") ? 0 : expected(parser, "an operator or \")\"");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Adds a signal. Returns its number among the names, or -EBADMSG. */
static int add_name(struct parser *parser, const char *text, size_t size, int index,
                    size_t position)
{
    struct expression *out = parser->out;
    for (size_t i = 0; i < size; i++)
        if (!isascii((unsigned char)text[i]) || !isprint((unsigned char)text[i]))
            return WRONG(parser, position, "a name with the character 0x%02x",
                         (unsigned char)text[i]);
    if (size >= EXPRESSION_NAME)
        return WRONG(parser, position, "a name of %zu characters, expected at most %d", size,
                     EXPRESSION_NAME - 1);
    for (unsigned i = 0; i < out->name_count; i++) {
        const struct expression_name *name = &out->names[i];
        if (name->index == index && strlen(name->text) == size &&
            !strncasecmp(name->text, text, size))
            return (int)i;
    }
    if (out->name_count == EXPRESSION_NAMES)
        return WRONG(parser, position, "more than %d signals", EXPRESSION_NAMES);
    struct expression_name *name = &out->names[out->name_count];
    memcpy(name->text, text, size);
    name->text[size] = '\0';
    name->index = index;
    name->position = position;
    return (int)out->name_count++;
}

/* Takes the domain of a prefix, "1" or "GPC0[2]". */
static int take_prefix(struct parser *parser, const char *text, size_t size, size_t position)
{
    struct expression *out = parser->out;
    char name[16] = "";
    int instance = ALL_INSTANCES, domain = -ENOENT;
    const char *bracket = memchr(text, '[', size);
    size_t length = bracket ? (size_t)(bracket - text) : size;
    if (length < sizeof name) {
        memcpy(name, text, length);
        domain = tally_domain_find(name);
    }
    if (bracket && domain >= 0) {
        char *end;
        unsigned long number = strtoul(bracket + 1, &end, 10);
        if (!isdigit((unsigned char)bracket[1]) || end + 1 != text + size || *end != ']' ||
            number > UINT8_MAX)
            domain = -ENOENT;
        instance = (int)number;
    }
    if (domain < 0)
        return WRONG(parser, position,
                     "domain \"%.*s\", expected 0 to 7, GPC0, GPC0[2], PART1 or "
                     "HUB6 (see tally list signals)",
                     (int)(size > 30 ? 30 : size), text);
    if (out->domain != ANY_DOMAIN && (out->domain != domain || out->instance != instance))
        return WRONG(parser, position, "two domains: a counter counts signals of one");
    out->domain = domain;
    out->instance = instance;
    return 0;
}

/* Consumes "1:" if it is there. Returns 1 if it was, 0, or -EBADMSG. */
static int accept_prefix(struct parser *parser)
{
    size_t size = word_size(parser);
    const char *text = rest(parser);
    if (!size || text[size] != ':')
        return 0;
    int result = take_prefix(parser, text, size, parser->at + 1);
    parser->at += size + 1;
    return result < 0 ? result : 1;
}

/* Parses a signal without its prefix. Returns its number among the names, or -EBADMSG. */
static int parse_bare_signal(struct parser *parser)
{
    const char *text = rest(parser);
    size_t size = word_size(parser), position = parser->at + 1;
    if (*text == '"') {
        const char *end = strchr(text + 1, '"');
        if (!end || end == text + 1)
            return expected(parser, "a name in quotation marks");
        parser->at += (size_t)(end - text) + 1;
        return add_name(parser, text + 1, (size_t)(end - text) - 1, -1, position);
    }
    if (!size)
        return expected(parser, "a signal");
    parser->at += size;
    if (!strncasecmp(text, "0x", 2)) {
        char *end;
        unsigned long index = strtoul(text, &end, 16);
        if (end != text + size || size < 3 || index > UINT8_MAX)
            return WRONG(parser, position, "\"%.*s\", expected an index from 0x00 to 0xff",
                         (int)(size > 30 ? 30 : size), text);
        return add_name(parser, "", 0, (int)index, position);
    }
    return add_name(parser, text, size, -1, position);
}

static int parse_signal(struct parser *parser)
{
    int result = accept_prefix(parser);
    return result < 0 ? result : parse_bare_signal(parser);
}

/* ---- logic ----------------------------------------------------------------------------------- */

/* Returns the table of an argument: the bits of all numbers that have bit `argument` set. */
static uint16_t argument_table(unsigned argument)
{
    uint16_t table = 0;
    for (unsigned i = 0; i < 16; i++)
        table |= (uint16_t)((i >> argument & 1) << i);
    return table;
}

/* Adds a signal of a logic operation, and sets *table to that of its argument. */
static int add_leaf(struct parser *parser, int name, bool delayed, size_t position, uint16_t *table)
{
    struct expression *out = parser->out;
    unsigned delays = delayed;
    if (name < 0)
        return name;
    for (unsigned i = 0; i < out->leaf_count; i++) {
        if (out->leaves[i] == name && out->delayed[i] == delayed) {
            *table = argument_table(i);
            return 0;
        }
        delays += out->delayed[i];
    }
    if (out->leaf_count == EXPRESSION_LEAVES)
        return WRONG(parser, position, "a fifth signal, expected at most %d different ones%s",
                     EXPRESSION_LEAVES, delays ? "; rise(), fall() and last() add one" : "");
    if (delays > EXPRESSION_DELAYED)
        return WRONG(parser, position,
                     "a third signal as of the previous clock, expected at most %d",
                     EXPRESSION_DELAYED);
    out->leaves[out->leaf_count] = (uint8_t)name;
    out->delayed[out->leaf_count] = delayed;
    *table = argument_table(out->leaf_count++);
    return 0;
}

/* rise(A): A and not its last value; fall(A); last(A). */
static int parse_change(struct parser *parser, bool rises, bool falls, uint16_t *table)
{
    size_t position = (rest(parser), parser->at + 1);
    uint16_t now = 0, before = 0;
    int name = parse_signal(parser), result = 0;
    if (name < 0)
        return name;
    if (rises || falls)
        result = add_leaf(parser, name, false, position, &now);
    if (!result)
        result = add_leaf(parser, name, true, position, &before);
    if (rises)
        *table = (uint16_t)(now & ~before);
    else if (falls)
        *table = (uint16_t)(before & ~now);
    else
        *table = before;
    return result ? result : close_parenthesis(parser);
}

static int parse_logic(struct parser *parser, unsigned level, uint16_t *table);

static int parse_parenthesis(struct parser *parser, uint16_t *table)
{
    if (++parser->nesting > NESTING_MAX)
        return WRONG(parser, parser->at, "more than %d nested parentheses", NESTING_MAX);
    int result = parse_logic(parser, 0, table);
    parser->nesting--;
    return result ? result : close_parenthesis(parser);
}

static int parse_primary(struct parser *parser, uint16_t *table)
{
    int result = accept_prefix(parser);
    if (result < 0)
        return result;
    const char *text = rest(parser);
    size_t size = word_size(parser), position = parser->at + 1;
    if (accept(parser, "("))
        return parse_parenthesis(parser, table);
    if (accept_keyword(parser, "rise", '('))
        return parse_change(parser, true, false, table);
    if (accept_keyword(parser, "fall", '('))
        return parse_change(parser, false, true, table);
    if (accept_keyword(parser, "last", '('))
        return parse_change(parser, false, false, table);
    if (size == 1 && (*text == '0' || *text == '1')) {
        parser->at++;
        *table = *text == '1' ? ALWAYS : 0;
        return 0;
    }
    return add_leaf(parser, parse_bare_signal(parser), false, position, table);
}

static int parse_unary(struct parser *parser, uint16_t *table)
{
    bool inverted = false;
    int result = accept_prefix(parser);
    while (accept(parser, "!"))
        inverted = !inverted;
    if (result >= 0)
        result = parse_primary(parser, table);
    if (inverted)
        *table = (uint16_t) ~*table;
    return result;
}

/* Binary operators as in C, the weakest first; && and & differ in precedence only. */
static const char *const operators[] = {"||", "&&", "|", "^", "&"};

/* Consumes an operator of a level. "|" is not the first half of "||". */
static bool accept_operator(struct parser *parser, unsigned level)
{
    const char *mark = operators[level], *text = rest(parser);
    if (!mark[1] && text[0] == mark[0] && text[1] == mark[0])
        return false;
    return accept(parser, mark);
}

static int parse_logic(struct parser *parser, unsigned level, uint16_t *table)
{
    if (level == ARRAY_COUNT(operators))
        return parse_unary(parser, table);
    int result = parse_logic(parser, level + 1, table);
    while (!result && accept_operator(parser, level)) {
        uint16_t right = 0;
        result = parse_logic(parser, level + 1, &right);
        if (operators[level][0] == '|')
            *table |= right;
        else if (operators[level][0] == '^')
            *table ^= right;
        else
            *table &= right;
    }
    return result;
}

/* ---- integers -------------------------------------------------------------------------------- */

/* sum(A, B, ...) if LOGIC, after the first parenthesis. */
static int parse_sum(struct parser *parser)
{
    struct expression *out = parser->out;
    do {
        if (out->bit_count == EXPRESSION_BITS)
            return WRONG(parser, parser->at, "a seventh bit, expected at most %d", EXPRESSION_BITS);
        int name = parse_signal(parser);
        if (name < 0)
            return name;
        out->bits[out->bit_count++] = (uint8_t)name;
    } while (accept(parser, ","));
    if (!accept(parser, ")"))
        return expected(parser, "\",\" or \")\"");
    if (out->bit_count < 2)
        return WRONG(parser, parser->at, "a sum of one signal, expected 2 to %d", EXPRESSION_BITS);
    out->table = ALWAYS;
    return accept_keyword(parser, "if", 0) ? parse_logic(parser, 0, &out->table) : 0;
}

int expression_parse(const char *text, struct expression *out, struct tally_error *error)
{
    struct parser parser = {.text = text, .out = out, .error = error};
    *out = (struct expression){.text = text, .domain = ANY_DOMAIN, .instance = ALL_INSTANCES};
    size_t start = parser.at;
    int result = accept_prefix(&parser);
    if (result < 0)
        return result;
    if (accept_keyword(&parser, "sum", '(')) {
        result = parse_sum(&parser);
    } else {
        parser.at = start;
        result = parse_logic(&parser, 0, &out->table);
    }
    if (!result && *rest(&parser))
        result = expected(&parser, "an operator");
    return result;
}

/* ---- functions ------------------------------------------------------------------------------- */

uint16_t perfmon_table_reorder(uint16_t table, const uint8_t *order, unsigned count)
{
    uint16_t result = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned from = 0;
        for (unsigned argument = 0; argument < count; argument++)
            from |= (i >> argument & 1) << order[argument];
        result |= (uint16_t)((table >> from & 1) << i);
    }
    return result;
}

/* Returns whether a table depends on an argument. */
static bool depends(uint16_t table, unsigned argument)
{
    for (unsigned i = 0; i < 16; i++)
        if ((table >> i & 1) != (table >> (i ^ 1u << argument) & 1))
            return true;
    return false;
}

/* Makes argument `b`, which always equals argument `a`, unused. */
static uint16_t merge(uint16_t table, unsigned a, unsigned b)
{
    uint16_t result = 0;
    for (unsigned i = 0; i < 16; i++) {
        unsigned from = (i & ~(1u << b)) | (i >> a & 1) << b;
        result |= (uint16_t)((table >> from & 1) << i);
    }
    return result;
}

void perfmon_logic_reduce(struct perfmon_logic *logic)
{
    uint8_t order[EXPRESSION_LEAVES];
    struct perfmon_logic result = {0};
    for (unsigned b = 1; b < logic->count; b++)
        for (unsigned a = 0; a < b; a++)
            if (logic->signals[a] == logic->signals[b] && logic->delayed[a] == logic->delayed[b])
                logic->table = merge(logic->table, a, b);
    for (uint8_t i = 0; i < logic->count; i++) {
        if (!depends(logic->table, i))
            continue;
        result.signals[result.count] = logic->signals[i];
        result.delayed[result.count] = logic->delayed[i];
        order[result.count++] = i;
    }
    result.table = perfmon_table_reorder(logic->table, order, result.count);
    *logic = result;
}

/* Returns the arguments of a reduced function in a unique order. */
static void sort_arguments(const struct perfmon_logic *logic, uint8_t order[EXPRESSION_LEAVES])
{
    for (uint8_t i = 0; i < logic->count; i++) {
        unsigned at = i;
        unsigned value = logic->signals[i] + (logic->delayed[i] ? UINT8_MAX + 1u : 0);
        for (; at; at--) {
            uint8_t other = order[at - 1];
            if (logic->signals[other] + (logic->delayed[other] ? UINT8_MAX + 1u : 0) < value)
                break;
            order[at] = other;
        }
        order[at] = i;
    }
}

struct perfmon_key perfmon_function_key(const struct perfmon_function *function)
{
    struct perfmon_key key = {{0}};
    uint8_t order[EXPRESSION_LEAVES], *at = key.bytes;
    const struct perfmon_logic *logic = &function->logic;
    sort_arguments(logic, order);
    *at++ = function->bit_count;
    memcpy(at, function->bits, function->bit_count);
    at += EXPRESSION_BITS;
    *at++ = logic->count;
    for (unsigned i = 0; i < logic->count; i++) {
        *at++ = logic->signals[order[i]];
        *at++ = logic->delayed[order[i]];
    }
    store_le16(key.bytes + PERFMON_KEY_BYTES - 2,
               perfmon_table_reorder(logic->table, order, logic->count));
    return key;
}
