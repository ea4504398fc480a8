/* SPDX-License-Identifier: MIT */
#include "base/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/escape.h"

struct finding {
    unsigned line;
    size_t order;
    char message[240];
};

void findings_add(void *closure, unsigned line, const char *message)
{
    struct findings *findings = closure;
    struct finding *grown =
        array_grow(findings->list, &findings->capacity, findings->count, sizeof *findings->list);
    findings->broken |= !grown;
    if (!grown)
        return;
    findings->list = grown;
    struct finding *finding = &grown[findings->count];
    finding->line = line;
    finding->order = findings->count++;
    snprintf(finding->message, sizeof finding->message, "%s", message);
    escape_in_place(finding->message, sizeof finding->message);
}

static int by_line(const void *x, const void *y)
{
    const struct finding *a = x, *b = y;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

size_t findings_report(struct findings *findings, findings_visit *visit, void *closure)
{
    if (findings->count)
        qsort(findings->list, findings->count, sizeof *findings->list, by_line);
    for (size_t i = 0; i < findings->count; i++)
        visit(closure, findings->list[i].line, findings->list[i].message);
    return findings->count;
}

void findings_fini(struct findings *findings)
{
    free(findings->list);
    *findings = (struct findings){0};
}
