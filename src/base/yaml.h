/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_YAML_H
#define TALLY_BASE_YAML_H

#include <cyaml/cyaml.h>
#include <stdbool.h>
#include <stddef.h>

#include <tally/error.h>

#include "base/findings.h"
#include "base/tree.h"

/*
 * Reads YAML files of one kind: tree.h reports violations of the schema, libcyaml fills the
 * schema's structs, and `read` converts these to the final object, reporting every mistake with its
 * line.
 */
struct yaml;

#define YAML_DEPTH 2

struct yaml_kind {
    const char *what;                   /* "a workload" */
    const cyaml_schema_value_t *schema; /* a pointer to a mapping, all values optional */
    const char *lists[YAML_DEPTH];      /* key of a list in the root, and of a list in its entries;
                                           NULL: none */

    /* Converts the structs `raw` (NULL: an empty mapping). Returns false if out of memory. */
    bool (*read)(struct yaml *yaml, const void *raw, void *out);

    bool no_aliases; /* an alias is a mistake */
};

/* A text of at most `max` characters. All texts in schemas are pointers and optional. */
#define YAML_TEXT(key, type, member, max)                                                          \
    CYAML_FIELD_STRING_PTR(key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct type, member, 0,  \
                           max)

/* A file while it is being read. */
struct yaml {
    const struct yaml_kind *kind;
    struct tree tree;
    ptrdiff_t place[YAML_DEPTH]; /* current entries of the kind's lists; negative: none */
    struct findings findings;
};

/* Returns the line of the value of `key` in the current entry; NULL: of the entry itself. */
unsigned yaml_line(const struct yaml *yaml, const char *key);

/* Reports a mistake in the line of `key` in the current entry. */
__attribute__((format(printf, 3, 4))) void yaml_mistake(struct yaml *yaml, const char *key,
                                                        const char *format, ...);

/* Checks the result of parsing the value `text`: `expected` NULL means that it is valid; otherwise
 * reports what was expected. Returns whether the value is valid. */
bool yaml_expect(struct yaml *yaml, const char *key, const char *text, const char *expected);

/* A document: in memory, where `name` is for messages, or, if `bytes` is NULL, in the file
 * `name`. */
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
 * Fills *out as far as possible and returns the number of mistakes, which are passed to `found` by
 * line; if `found` is NULL and there are any, returns -EBADMSG with the first one. Returns another
 * negative errno with a message if the file cannot be read, is not YAML, or memory is short.
 */
int yaml_read(const struct yaml_kind *kind, const struct yaml_source *source, void *out,
              findings_visit *found, void *closure, struct tally_error *error);

/* Returns the path of a file that a document names: from the document's directory, unless it is
 * absolute. The caller frees it. NULL: out of memory. */
char *yaml_path(const struct yaml_source *source, const char *path);

/* Reads the text of a key of the root, up to that key, into `text`; an empty text if the file does
 * not have it or it does not fit into `size` bytes. Returns 0, or a negative errno if the file
 * cannot be read. */
int yaml_text_of(const char *path, const char *key, char *text, size_t size,
                 struct tally_error *error);

/* True if the file is a mapping with the key `key` and without the key `not_key`. */
bool yaml_has(const char *path, const char *key, const char *not_key);

#endif
