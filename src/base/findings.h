/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_FINDINGS_H
#define TALLY_BASE_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Mistakes in a file, as they are found in no order, told by line. {0} is none. */

typedef void findings_visit(void *closure, unsigned line, const char *message);

struct finding;

struct findings {
    struct finding *list;
    size_t count, capacity;
    bool broken; /* out of memory */
};

/* closure: a struct findings. */
void findings_add(void *closure, unsigned line, const char *message);

/* Tells all of them, those of a line in the order in which they were found. How many. */
size_t findings_tell(struct findings *findings, findings_visit *visit, void *closure);

void findings_fini(struct findings *findings);

#endif
