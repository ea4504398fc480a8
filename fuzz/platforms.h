/* SPDX-License-Identifier: MIT */
/* The platform that a byte of an input selects, from the table of platforms. */
#ifndef TALLY_FUZZ_PLATFORMS_H
#define TALLY_FUZZ_PLATFORMS_H

#include <string.h>

#include "fuzz.h"
#include "intel/platforms.h"

/* Returns one of the modelled platforms; `perf`: of those with a perf interface. */
static inline const char *modelled_platform(uint8_t byte, bool perf)
{
    size_t count = 0;
    while (intel_modelled_at(count, perf))
        count++;
    return intel_modelled_at(byte % count, perf)->info.name;
}

/* Returns one of the platforms for which the kernel has a perf interface. */
static inline const struct tally_platform *kernel_platform(uint8_t byte)
{
    size_t left = byte;
    for (size_t i = 0;; i = (i + 1) % tally_platform_count())
        if (tally_platform_at(i)->default_format && left-- == 0)
            return tally_platform_at(i);
}

static inline const struct tally_platform *newest_platform(void)
{
    return tally_platform_at(tally_platform_count() - 1);
}

/* Returns the first platform with the layouts of a family; NULL: none of the table. */
static inline const struct tally_platform *family_platform(const char *family)
{
    for (size_t i = 0; i < tally_platform_count(); i++)
        if (!strcmp(tally_platform_at(i)->layout_family, family))
            return tally_platform_at(i);
    return NULL;
}

#endif
