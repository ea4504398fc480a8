/* SPDX-License-Identifier: MIT */
/* tally lint of NVIDIA's metric sets, which a file has for several chipsets. */
#include "cli/lint_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/error.h"

/* A finding, and the chipsets that it is about. */
struct merged {
    enum tally_lint_severity severity;
    unsigned line;
    char *message;
    const char *chipset; /* that the message may name */
    const char *set;     /* symbol of the set in which it was first found */
    char chipsets[120];
    size_t chipset_count;
};

struct merging {
    struct merged *list;
    size_t count, capacity;
    const struct tally_metric_set *set; /* which is being checked */
    bool broken;                        /* out of memory */
};

static void name_chipset(struct merged *merged, const char *chipset)
{
    size_t used = strlen(merged->chipsets);
    merged->chipset_count++;
    snprintf(merged->chipsets + used, sizeof merged->chipsets - used, "%s%s", used ? ", " : "",
             chipset);
}

/* Compares messages, except for the chipsets that they name. */
static bool same_message(const char *a, const char *chipset_a, const char *b, const char *chipset_b)
{
    size_t size_a = strlen(chipset_a), size_b = strlen(chipset_b);
    while (*a && *b) {
        if (!strncasecmp(a, chipset_a, size_a) && !strncasecmp(b, chipset_b, size_b)) {
            a += size_a;
            b += size_b;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return *a == *b;
}

static void merge(void *closure, enum tally_lint_severity severity, unsigned line,
                  const char *message)
{
    struct merging *merging = closure;
    const struct tally_metric_set *set = merging->set;
    for (size_t i = 0; i < merging->count; i++) {
        struct merged *other = &merging->list[i];
        if (other->severity != severity || other->line != line ||
            !same_message(other->message, other->chipset, message, set->chipset))
            continue;
        if (!strcmp(other->set, set->symbol))
            name_chipset(other, set->chipset);
        return;
    }
    struct merged *list =
        array_grow(merging->list, &merging->capacity, merging->count, sizeof *list);
    char *copy = strdup(message);
    if (list)
        merging->list = list;
    if (!list || !copy) {
        free(copy);
        merging->broken = true;
        return;
    }
    struct merged *merged = &list[merging->count++];
    *merged = (struct merged){severity, line, copy, set->chipset, set->symbol, "", 0};
    name_chipset(merged, set->chipset);
}

static int by_line(const void *x, const void *y)
{
    const struct merged *a = x, *b = y;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return strcmp(a->message, b->message);
}

/* Returns the number of chipsets that have a set. */
static size_t chipsets_of(const struct tally_metric_set *sets, size_t count, const char *symbol)
{
    size_t chipsets = 0;
    for (size_t i = 0; i < count; i++)
        chipsets += !strcmp(sets[i].symbol, symbol);
    return chipsets;
}

static void put_merged(const struct merged *merged, bool all,
                       void (*found)(void *closure, enum tally_lint_severity severity,
                                     unsigned line, const char *message),
                       void *closure)
{
    char message[1200];
    if (all)
        snprintf(message, sizeof message, "%s", merged->message);
    else
        snprintf(message, sizeof message, "%s (%s)", merged->message, merged->chipsets);
    found(closure, merged->severity, merged->line, message);
}

/* Counts different sets, counters (by their lines) and chipsets. */
static void count_all(const struct tally_metric_set *sets, size_t count, struct lint_totals *out)
{
    *out = (struct lint_totals){0};
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (strcmp(sets[k].symbol, sets[i].symbol) != 0)
            k++;
        out->sets += k == i;
        for (k = 0; strcmp(sets[k].chipset, sets[i].chipset) != 0;)
            k++;
        out->chipsets += k == i;
        for (size_t c = 0; c < sets[i].counter_count; c++) {
            bool seen = false;
            for (k = 0; k <= i && !seen; k++)
                for (size_t d = 0; d < (k < i ? sets[k].counter_count : c) && !seen; d++)
                    seen = sets[k].counters[d].line == sets[i].counters[c].line;
            out->counters += !seen;
        }
    }
}

int lint_sets(const char *path,
              void (*found)(void *closure, enum tally_lint_severity severity, unsigned line,
                            const char *message),
              void *closure, struct lint_totals *totals, struct tally_error *error)
{
    struct tally_metric_file *file;
    const struct tally_metric_set *sets;
    struct merging merging = {0};
    int result = tally_metric_file_load(path, &file, error);
    if (result < 0)
        return result;
    size_t count = tally_metric_file_sets(file, &sets);
    for (size_t i = 0; i < count && !merging.broken; i++) {
        merging.set = &sets[i];
        if (tally_lint(&sets[i], merge, &merging) < 0)
            merging.broken = true;
    }
    if (merging.count)
        qsort(merging.list, merging.count, sizeof *merging.list, by_line);
    for (size_t i = 0; i < merging.count; i++) {
        struct merged *merged = &merging.list[i];
        if (!merging.broken)
            put_merged(merged, merged->chipset_count == chipsets_of(sets, count, merged->set),
                       found, closure);
        free(merged->message);
    }
    free(merging.list);
    count_all(sets, count, totals);
    tally_metric_file_free(file);
    return merging.broken ? fail_memory(error, "a list of findings") : 0;
}
