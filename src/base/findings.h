/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_FINDINGS_H
#define TALLY_BASE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of mistakes in a file, which may be added in any order and are reported by line. {0} is an
 * empty list. */

typedef void findings_visit(void *closure, unsigned line, const char *message);

struct finding;

struct findings {
    struct finding *list;
    size_t count, capacity;
    bool broken; /* out of memory */
};

/* Adds a mistake. closure: a struct findings, so that this can be used as a findings_visit. */
void findings_add(void *closure, unsigned line, const char *message);

/* Visits all mistakes by line, those of one line in the order in which they were added. Returns
 * their number. */
size_t findings_report(struct findings *findings, findings_visit *visit, void *closure);

void findings_fini(struct findings *findings);

#endif
