/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_WORKLOAD_TREE_H
#define TALLY_INTEL_WORKLOAD_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include <cyaml/cyaml.h>
#include <yaml.h>

#include <tally/error.h>
#include <tally/workload.h>

/*
 * A YAML file with its lines. libcyaml fills structs by a schema, but stops at the first mistake
 * and keeps no lines; so the same schema is walked over libyaml's tree as well.
 */
struct tree {
    yaml_document_t document;
};

/* Returns 0; -EBADMSG and line and reason if it is not one YAML document; -ENOMEM. */
int tree_init(struct tree *tree, const void *bytes, size_t size, const char *name,
              struct tally_error *error);
void tree_fini(struct tree *tree);

/*
 * Tells what does not fit the schema: other kinds of values, unknown keys, keys given twice, lists
 * and texts that are too long. Returns whether libcyaml can load the rest (it skips keys it does
 * not know).
 */
bool tree_check(const struct tree *tree, const cyaml_schema_value_t *schema,
                tally_workload_found *found, void *closure);

/* Lines of a place: of phase `phase` (from 0; negative: of the whole), of its activity `activity`
 * (likewise), of the value of `key` in that (NULL: of itself). What is not there has its parent's.
 */
unsigned tree_line(const struct tree *tree, ptrdiff_t phase, ptrdiff_t activity, const char *key);

#endif
