/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_TREE_H
#define TALLY_BASE_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <cyaml/cyaml.h>
#include <yaml.h>

#include <tally/error.h>

#include "base/findings.h"

/*
 * A YAML file with its lines. libcyaml fills structs by a schema, but stops at the first mistake
 * and keeps no lines; so the same schema is walked over libyaml's tree as well.
 */
struct tree {
    yaml_document_t document;
};

/* `what` it should be: "a workload". Returns 0; -EBADMSG and line and reason if it is not one YAML
 * document; -ENOMEM. */
int tree_init(struct tree *tree, const void *bytes, size_t size, const char *name, const char *what,
              struct tally_error *error);
void tree_fini(struct tree *tree);

/*
 * Tells what does not fit the schema: other kinds of values, unknown keys, keys given twice, lists
 * and texts that are too long. Returns whether libcyaml can load the rest (it skips keys it does
 * not know).
 */
bool tree_check(const struct tree *tree, const cyaml_schema_value_t *schema, const char *what,
                findings_visit *found, void *closure);

/* A place: in the root's list of that name the entry of that index (from 0; negative: the root
 * itself), in that a list, and so on. */
struct tree_step {
    const char *list;
    ptrdiff_t index;
};

/* The line of a place's value of `key` (NULL: of the place). What is not there has its parent's. */
unsigned tree_line(const struct tree *tree, const struct tree_step *steps, size_t count,
                   const char *key);

/* Has the root such a key? */
bool tree_has(const struct tree *tree, const char *key);

#endif
