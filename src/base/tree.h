/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_TREE_H
#define TALLY_BASE_TREE_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include <tally/error.h>

#include "base/findings.h"

/*
 * A YAML file with line numbers. libcyaml fills structs by a schema, but stops at the first mistake
 * and does not store line numbers. Therefore libyaml's tree of the file is checked against the same
 * schema first.
 */
struct tree {
    yaml_document_t document;
};

/* Parses a document. `what` names the expected content for messages: "a workload". Returns 0;
 * -EBADMSG with the line and the reason if it is not exactly one YAML document; -ENOMEM. */
int tree_init(struct tree *tree, const void *bytes, size_t size, const char *name, const char *what,
              struct tally_error *error);
void tree_fini(struct tree *tree);

/*
 * Reports violations of the schema: wrong kinds of values, unknown keys, duplicate keys, lists and
 * texts that are too long. Returns whether libcyaml can load the document nevertheless (it skips
 * unknown keys).
 */
bool tree_check(const struct tree *tree, const cyaml_schema_value_t *schema, const char *what,
                findings_visit *found, void *closure);

/*
 * A step of a path into the document: entry `index` (from 0) of the list with the key `list`. The
 * first step starts at the root, the others at the entry of the previous step. A negative index
 * ends the path.
 */
struct tree_step {
    const char *list;
    ptrdiff_t index;
};

/*
 * Returns the line of the value of `key` in the mapping at the end of a path (key NULL: of the
 * mapping itself). If a step or the key does not exist, returns the line of the last node that
 * does.
 */
unsigned tree_line(const struct tree *tree, const struct tree_step *steps, size_t count,
                   const char *key);

/* Returns the line of the first alias of a document, or 0 if it has none. */
unsigned tree_alias(const void *bytes, size_t size);

/* Parses a document up to a key of the root, and copies its text; an empty text if there is none
 * or it does not fit into `text_size` bytes. */
void tree_sniff(const void *bytes, size_t size, const char *key, char *text, size_t text_size);

/* True if the root is a mapping with this key. */
bool tree_has(const struct tree *tree, const char *key);

#endif
