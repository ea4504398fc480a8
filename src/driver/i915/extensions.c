/* SPDX-License-Identifier: MIT */
/* Chains of extensions in user memory, as in the public i915 driver. */
#include "driver/i915/device.h"

#define MAX_LINKS 512

/* The fields that must be zero in every link. */
static bool is_clean(const struct i915_user_extension *link)
{
    bool clean = !link->flags;
    for (size_t i = 0; i < sizeof link->rsvd / sizeof *link->rsvd; i++)
        clean = clean && !link->rsvd[i];
    return clean;
}

int i915_extensions_apply(const struct i915_caller *caller, uint64_t at,
                          i915_extension *const *table, size_t count, void *closure)
{
    struct i915_user_extension link;
    for (unsigned i = 0; at; at = link.next_extension, i++) {
        if (i == MAX_LINKS)
            return -E2BIG;
        int result = copy_in(caller, &link, at, sizeof link);
        if (result < 0)
            return result;
        if (!is_clean(&link) || link.name >= count || !table[link.name])
            return -EINVAL;
        result = table[link.name](closure, at, caller);
        if (result < 0)
            return result;
    }
    return 0;
}
