/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_NAMES_H
#define TALLY_BASE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Names in sorted order, to find duplicates, and a name among many. A file may have 100,000 names,
 * and choose them so that a hash table is slow.
 */
struct name {
    const char *text;
    uint32_t index; /* in the list that the name is from */
};

/* Compares two texts, as strcmp() and strcasecmp() do. */
typedef int name_compare(const char *a, const char *b);

/* Sorts names by text, equal ones by index. */
void names_sort(struct name *names, size_t count, name_compare *compare);

/* Of sorted names: sets first[i] to the lowest index with the text of index i, which may be i. */
void names_first(const struct name *names, size_t count, name_compare *compare, uint32_t *first);

/* Returns the lowest index of a text among names sorted by strcmp(), or -1. */
ptrdiff_t names_find(const struct name *names, size_t count, const char *text);

#endif
