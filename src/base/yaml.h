/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_YAML_H
#define TALLY_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include <cyaml/cyaml.h>

#include <tally/error.h>

#include "base/findings.h"
#include "base/tree.h"

/*
 * YAML files of one kind, read whole: tree.h finds what does not fit the schema, libcyaml fills the
 * schema's structs, and `read` makes of those what the kind is, telling every mistake with its
 * line.
 */
struct yaml;

#define YAML_DEPTH 2

struct yaml_kind {
    const char *what;                   /* "a workload" */
    const cyaml_schema_value_t *schema; /* of a mapping by pointer, all its values optional */
    const char *lists[YAML_DEPTH];      /* the root's list, the list in its entries, if any */

    /* raw: the structs; NULL: an empty mapping. False: out of memory. */
    bool (*read)(struct yaml *yaml, const void *raw, void *out);
};

/* All texts in schemas are pointers, at most so long, and may be missing. */
#define YAML_TEXT(key, type, member, most)                                                         \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, 0,  \
                           most)

/* A file that is being read. */
struct yaml {
    const struct yaml_kind *kind;
    struct tree tree;
    ptrdiff_t place[YAML_DEPTH]; /* entries of the kind's lists; negative: above them */
    struct findings findings;
};

/* The line of the present place's value of `key`; NULL: of the place. */
unsigned yaml_line(const struct yaml *yaml, const char *key);

/* Tells a mistake in that line. */
__attribute__((format(printf, 3, 4))) void yaml_mistake(struct yaml *yaml, const char *key,
                                                        const char *format, ...);

/* Tells what was expected instead of a value; NULL: it is right. Returns whether it is. */
bool yaml_right(struct yaml *yaml, const char *key, const char *text, const char *expected);

/* Where a document is: in memory, and called so; without bytes: in the file of that name. */
struct yaml_source {
    const char *name;
    const void *bytes;
    size_t size;
};

static inline struct yaml_source yaml_in(const void *bytes, size_t size, const char *name)
{
    return (struct yaml_source){name, bytes ? bytes : "", size};
}

/*
 * Fills *out as far as it goes, and returns how many mistakes there are, having told them by line;
 * without `found`, -EBADMSG and the first of them. A negative errno and a message, too: it cannot
 * be read, is no YAML, or there is no memory.
 */
int yaml_read(const struct yaml_kind *kind, const struct yaml_source *source, void *out,
              findings_visit *found, void *closure, struct tally_error *error);

/* Is the file a mapping with the one key, and without the other? */
bool yaml_has(const char *path, const char *key, const char *not_key);

#endif
