/* SPDX-License-Identifier: MIT */
#include "base/names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int by_text(const void *a, const void *b, void *closure)
{
    const struct name *left = a, *right = b;
    name_compare *const *compare = closure;
    int result = (*compare)(left->text, right->text);
    return result ? result : (left->index > right->index) - (left->index < right->index);
}

void names_sort(struct name *names, size_t count, name_compare *compare)
{
    if (count)
        qsort_r(names, count, sizeof *names, by_text, &compare);
}

void names_first(const struct name *names, size_t count, name_compare *compare, uint32_t *first)
{
    for (size_t i = 0; i < count; i++) {
        bool repeats = i > 0 && !compare(names[i].text, names[i - 1].text);
        first[names[i].index] = repeats ? first[names[i - 1].index] : names[i].index;
    }
}

ptrdiff_t names_find(const struct name *names, size_t count, const char *text)
{
    size_t low = 0, high = count; /* the first name that is not below `text` is in [low, high] */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(names[middle].text, text) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && !strcmp(names[low].text, text) ? (ptrdiff_t)names[low].index : -1;
}
