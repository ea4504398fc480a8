/* SPDX-License-Identifier: MIT */
#include "nvidia/selectors.h"

#include <strings.h>

#include "base/bits.h"

// clang-format off
static const struct nvidia_selector selectors[] = {
#define SELECTOR(...) {__VA_ARGS__},
#include "nvidia/selectors.def"
#undef SELECTOR
};
// clang-format on

const struct nvidia_selector *nvidia_selector_at(size_t index)
{
    return index < ARRAY_COUNT(selectors) ? &selectors[index] : NULL;
}

bool nvidia_selector_has(const struct nvidia_selector *selector,
                         const struct tally_chipset *chipset)
{
    const struct tally_chipset *first = tally_chipset_find(selector->first);
    const struct tally_chipset *end = tally_chipset_find(selector->end);
    return chipset->order >= first->order && (!end || chipset->order < end->order);
}

const struct nvidia_selector *nvidia_selector_find(const struct tally_chipset *chipset,
                                                   const char *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(selectors); i++)
        if (!strcasecmp(selectors[i].name, name) && nvidia_selector_has(&selectors[i], chipset))
            return &selectors[i];
    return NULL;
}
