/* SPDX-License-Identifier: MIT */
/* A YAML file as a tree with line numbers, and its check against a schema. */
#include "base/tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define DEPTH_MAX    16
#define EXPANDED_MAX (1u << 20)

/*
 * Checks the depth of nesting before parsing, since libyaml takes time quadratic in the depth.
 * Returns false with a message if it is too deep. Other faults are found later, when the tree is
 * built.
 */
static bool is_shallow(const void *bytes, size_t size, const char *name, struct tally_error *error)
{
    yaml_parser_t parser;
    yaml_event_t event;
    unsigned depth = 0;
    bool more = yaml_parser_initialize(&parser);
    if (!more)
        return true;
    yaml_parser_set_input_string(&parser, bytes, size);
    while (more && depth <= DEPTH_MAX && yaml_parser_parse(&parser, &event)) {
        more = event.type != YAML_STREAM_END_EVENT;
        if (event.type == YAML_MAPPING_START_EVENT || event.type == YAML_SEQUENCE_START_EVENT)
            depth++;
        if (event.type == YAML_MAPPING_END_EVENT || event.type == YAML_SEQUENCE_END_EVENT)
            depth--;
        if (depth > DEPTH_MAX)
            fail(error, -EBADMSG, "%s:%zu: nested more than %d times", name,
                 event.start_mark.line + 1, DEPTH_MAX);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return depth <= DEPTH_MAX;
}

/* ---- aliases --------------------------------------------------------------------------------- */

/* The sizes of nodes with their aliases replaced by copies: texts count their bytes, and every node
 * one more. The parser numbers nodes in the order of the document, so an alias is a child whose
 * number is not above that of its parent. */
struct expansion {
    yaml_document_t *document;
    uint64_t *sizes; /* by number of the node; 0: not complete */
    size_t line;     /* of the list or mapping with an alias that is too large; 0: none */
};

static uint64_t expand(struct expansion *expansion, int number);

/* Returns the size of a child, or more than EXPANDED_MAX if it contains itself. */
static uint64_t expand_child(struct expansion *expansion, int parent, int child)
{
    if (child > parent && !expansion->sizes[child])
        return expand(expansion, child);
    return expansion->sizes[child] ? expansion->sizes[child] : EXPANDED_MAX + 1;
}

/* Returns the size of a node; EXPANDED_MAX + 1 for more than that. */
static uint64_t expand(struct expansion *expansion, int number)
{
    const yaml_node_t *node = yaml_document_get_node(expansion->document, number);
    uint64_t size = 1;
    if (node->type == YAML_SCALAR_NODE)
        size += node->data.scalar.length;
    if (node->type == YAML_SEQUENCE_NODE)
        for (const yaml_node_item_t *item = node->data.sequence.items.start;
             item < node->data.sequence.items.top && size <= EXPANDED_MAX; item++)
            size += expand_child(expansion, number, *item);
    if (node->type == YAML_MAPPING_NODE)
        for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
             pair < node->data.mapping.pairs.top && size <= EXPANDED_MAX; pair++)
            size += expand_child(expansion, number, pair->key) +
                    expand_child(expansion, number, pair->value);
    if (size > EXPANDED_MAX) {
        size = EXPANDED_MAX + 1;
        if (!expansion->line)
            expansion->line = node->start_mark.line + 1;
    }
    return expansion->sizes[number] = size;
}

/* Checks what the aliases of a document expand to, before anything expands them. */
static int check_aliases(yaml_document_t *document, const char *name, struct tally_error *error)
{
    size_t nodes = (size_t)(document->nodes.top - document->nodes.start);
    struct expansion expansion = {document, calloc(nodes + 1, sizeof(uint64_t)), 0};
    if (!expansion.sizes)
        return fail_memory(error, "a YAML tree");
    uint64_t size = expand(&expansion, 1);
    free(expansion.sizes);
    if (size <= EXPANDED_MAX)
        return 0;
    return fail(error, -EBADMSG, "%s:%zu: aliases expand to more than %u bytes", name,
                expansion.line, EXPANDED_MAX);
}

int tree_init(struct tree *tree, const void *bytes, size_t size, const char *name, const char *what,
              struct tally_error *error)
{
    yaml_parser_t parser;
    yaml_document_t second;
    if (!is_shallow(bytes, size, name, error))
        return -EBADMSG;
    if (!yaml_parser_initialize(&parser))
        return fail_memory(error, "a YAML parser");
    yaml_parser_set_input_string(&parser, bytes, size);
    int result = 0;
    if (!yaml_parser_load(&parser, &tree->document)) {
        result = -EBADMSG;
    } else {
        bool empty = !yaml_document_get_root_node(&tree->document);
        size_t line = parser.mark.line + 1;
        if (empty)
            result = fail(error, -EBADMSG, "%s:1: empty, expected %s", name, what);
        else if (!yaml_parser_load(&parser, &second))
            result = -EBADMSG;
        else {
            if (yaml_document_get_root_node(&second))
                result =
                    fail(error, -EBADMSG, "%s:%zu: a second document, expected one", name, line);
            yaml_document_delete(&second);
        }
        if (!result && tree_alias(bytes, size))
            result = check_aliases(&tree->document, name, error);
        if (result)
            yaml_document_delete(&tree->document);
    }
    if (result == -EBADMSG && parser.error == YAML_MEMORY_ERROR)
        result = fail_memory(error, "a YAML tree");
    else if (parser.error != YAML_NO_ERROR)
        result = fail(error, -EBADMSG, "%s:%zu: %s%s%s", name, parser.problem_mark.line + 1,
                      parser.context ? parser.context : "", parser.context ? ": " : "",
                      parser.problem ? parser.problem : "not valid YAML");
    yaml_parser_delete(&parser);
    return result;
}

void tree_fini(struct tree *tree)
{
    yaml_document_delete(&tree->document);
}

/* ---- events ------------------------------------------------------------------------------- */

/* Parses a document event by event until `visit` returns false. */
static void visit_events(const void *bytes, size_t size,
                         bool (*visit)(void *closure, const yaml_event_t *event), void *closure)
{
    yaml_parser_t parser;
    yaml_event_t event;
    bool more = yaml_parser_initialize(&parser);
    if (!more)
        return;
    yaml_parser_set_input_string(&parser, bytes, size);
    while (more && yaml_parser_parse(&parser, &event)) {
        more = event.type != YAML_STREAM_END_EVENT && visit(closure, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

static bool find_alias(void *closure, const yaml_event_t *event)
{
    unsigned *line = closure;
    if (event->type == YAML_ALIAS_EVENT)
        *line = (unsigned)event->start_mark.line + 1;
    return !*line;
}

unsigned tree_alias(const void *bytes, size_t size)
{
    unsigned line = 0;
    visit_events(bytes, size, find_alias, &line);
    return line;
}

/* State of tree_sniff(). */
struct sniffer {
    const char *key;
    char *text;
    size_t size;
    unsigned depth;
    bool at_value; /* the next event is the value of a key of the root */
    bool found;    /* and of the wanted key */
};

static bool sniff(void *closure, const yaml_event_t *event)
{
    struct sniffer *sniffer = closure;
    bool scalar = event->type == YAML_SCALAR_EVENT;
    const char *text = scalar ? (const char *)event->data.scalar.value : "";
    bool starts =
        event->type == YAML_MAPPING_START_EVENT || event->type == YAML_SEQUENCE_START_EVENT;
    bool ends = event->type == YAML_MAPPING_END_EVENT || event->type == YAML_SEQUENCE_END_EVENT;
    if (!sniffer->depth && event->type == YAML_SEQUENCE_START_EVENT)
        return false; /* no key */
    sniffer->depth -= ends;
    if (sniffer->depth == 1 && (scalar || ends || event->type == YAML_ALIAS_EVENT)) {
        if (sniffer->at_value && sniffer->found) {
            if (scalar && strlen(text) < sniffer->size)
                strcpy(sniffer->text, text);
            return false;
        }
        sniffer->found = !sniffer->at_value && scalar && !strcmp(text, sniffer->key);
        sniffer->at_value = !sniffer->at_value;
    }
    sniffer->depth += starts;
    return sniffer->depth <= DEPTH_MAX;
}

void tree_sniff(const void *bytes, size_t size, const char *key, char *text, size_t text_size)
{
    struct sniffer sniffer = {.key = key, .text = text, .size = text_size};
    visit_events(bytes, size, sniff, &sniffer);
}

/* ---- lookup ---------------------------------------------------------------------------------- */

/* libyaml takes a non-const document even where it does not change it. */
static const yaml_node_t *node_at(const struct tree *tree, int index)
{
    return yaml_document_get_node((yaml_document_t *)&tree->document, index);
}

static bool is_text(const yaml_node_t *node, const char *text)
{
    return node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(text) &&
           !memcmp(node->data.scalar.value, text, node->data.scalar.length);
}

static const yaml_node_t *member(const struct tree *tree, const yaml_node_t *node, const char *key)
{
    if (!node || node->type != YAML_MAPPING_NODE)
        return NULL;
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++)
        if (is_text(node_at(tree, pair->key), key))
            return node_at(tree, pair->value);
    return NULL;
}

static const yaml_node_t *item(const struct tree *tree, const yaml_node_t *node, ptrdiff_t index)
{
    if (!node || node->type != YAML_SEQUENCE_NODE || index < 0 ||
        node->data.sequence.items.top - node->data.sequence.items.start <= index)
        return NULL;
    return node_at(tree, node->data.sequence.items.start[index]);
}

static unsigned line_of(const yaml_node_t *node)
{
    return (unsigned)node->start_mark.line + 1;
}

unsigned tree_line(const struct tree *tree, const struct tree_step *steps, size_t count,
                   const char *key)
{
    const yaml_node_t *place = node_at(tree, 1), *next;
    for (size_t i = 0; i < count; i++) {
        next = item(tree, member(tree, place, steps[i].list), steps[i].index);
        if (!next)
            break;
        place = next;
    }
    if (key && (next = member(tree, place, key)))
        place = next;
    return place ? line_of(place) : 1;
}

bool tree_has(const struct tree *tree, const char *key)
{
    return member(tree, node_at(tree, 1), key) != NULL;
}

/* ---- schema check ---------------------------------------------------------------------------- */

struct walk {
    const struct tree *tree;
    findings_visit *found;
    void *closure;
    bool loads;
};

__attribute__((format(printf, 4, 5))) static void report(struct walk *walk, const yaml_node_t *node,
                                                         bool loads, const char *format, ...)
{
    char message[240];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    walk->loads &= loads;
    walk->found(walk->closure, line_of(node), message);
}

static const cyaml_schema_field_t *find_field(const cyaml_schema_field_t *fields,
                                              const yaml_node_t *key)
{
    for (; fields->key; fields++)
        if (is_text(key, fields->key))
            return fields;
    return NULL;
}

static void report_unknown(struct walk *walk, const yaml_node_t *key,
                           const cyaml_schema_field_t *fields)
{
    char known[160] = "";
    size_t used = 0;
    for (; fields->key && used < sizeof known; fields++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "",
                                 fields->key);
    bool scalar = key->type == YAML_SCALAR_NODE; /* libcyaml can skip scalar keys only */
    report(walk, key, scalar, "unknown key \"%.40s\", expected %s",
           scalar ? (const char *)key->data.scalar.value : "a list or mapping", known);
}

static void check_value(struct walk *walk, const yaml_node_t *node,
                        const cyaml_schema_value_t *schema, const char *what);

static void check_mapping(struct walk *walk, const yaml_node_t *node,
                          const cyaml_schema_field_t *fields, const char *what)
{
    if (node->type != YAML_MAPPING_NODE) {
        report(walk, node, false, "%s: expected a mapping", what);
        return;
    }
    const yaml_node_pair_t *first = node->data.mapping.pairs.start, *pair = first;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = node_at(walk->tree, pair->key);
        const cyaml_schema_field_t *field = find_field(fields, key);
        bool twice = false;
        if (!field) {
            report_unknown(walk, key, fields);
            continue;
        }
        for (const yaml_node_pair_t *other = first; other < pair && !twice; other++)
            twice = is_text(node_at(walk->tree, other->key), field->key);
        if (twice)
            report(walk, key, false, "\"%s\" is given twice", field->key);
        else
            check_value(walk, node_at(walk->tree, pair->value), &field->value, field->key);
    }
}

static void check_sequence(struct walk *walk, const yaml_node_t *node,
                           const cyaml_schema_value_t *schema, const char *what)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        report(walk, node, false, "%s: expected a list", what);
        return;
    }
    ptrdiff_t count = node->data.sequence.items.top - node->data.sequence.items.start;
    if (count > (ptrdiff_t)schema->sequence.max) {
        report(walk, node, false, "%s: %td entries, expected at most %" PRIu32, what, count,
               schema->sequence.max);
        return;
    }
    for (ptrdiff_t i = 0; i < count; i++)
        check_value(walk, item(walk->tree, node, i), schema->sequence.entry, what);
}

static void check_text(struct walk *walk, const yaml_node_t *node,
                       const cyaml_schema_value_t *schema, const char *what)
{
    if (node->type != YAML_SCALAR_NODE) {
        report(walk, node, false, "%s: expected one value", what);
        return;
    }
    const yaml_char_t *text = node->data.scalar.value;
    for (size_t i = 0; i < node->data.scalar.length; i++) {
        if (text[i] >= ' ' && text[i] != 0x7f)
            continue;
        report(walk, node, false, "%s: more than one line, or a control character", what);
        return;
    }
    if (node->data.scalar.length > schema->string.max)
        report(walk, node, false, "%s: %zu characters, expected at most %" PRIu32, what,
               node->data.scalar.length, schema->string.max);
}

static void check_value(struct walk *walk, const yaml_node_t *node,
                        const cyaml_schema_value_t *schema, const char *what)
{
    switch (schema->type) {
    case CYAML_MAPPING:
        check_mapping(walk, node, schema->mapping.fields, what);
        break;
    case CYAML_SEQUENCE:
        check_sequence(walk, node, schema, what);
        break;
    default:
        check_text(walk, node, schema, what);
        break;
    }
}

bool tree_check(const struct tree *tree, const cyaml_schema_value_t *schema, const char *what,
                findings_visit *found, void *closure)
{
    struct walk walk = {tree, found, closure, true};
    check_value(&walk, node_at(tree, 1), schema, what);
    return walk.loads;
}
