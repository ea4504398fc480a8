/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_FINDINGS_H
#define TALLY_BASE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

/* A list of mistakes in a file. They may be added in any order, and are reported in the order of
 * lines. {0} is an empty list. */

typedef void findings_visit(void *closure, unsigned line, const char *message);

struct finding;

struct findings {
    struct finding *list;
    size_t count, capacity;
    bool broken; /* out of memory */
};

/* Adds a mistake to `closure`, a struct findings; control characters are escaped. The signature is
 * that of findings_visit. */
void findings_add(void *closure, unsigned line, const char *message);

/* Visits all mistakes in the order of lines, and those of a line in the order in which they were
 * added. Returns their number. */
size_t findings_report(struct findings *findings, findings_visit *visit, void *closure);

void findings_fini(struct findings *findings);

#endif
