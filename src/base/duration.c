/* SPDX-License-Identifier: MIT */
#include "base/duration.h"

#include <stdio.h>

const char *duration_text(uint64_t ns, char *text, size_t size)
{
    static const struct {
        double ns;
        const char *unit;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    size_t i = 0;
    while (i < 3 && (double)ns < units[i].ns)
        i++;
    snprintf(text, size, "%.7g %s", (double)ns / units[i].ns, units[i].unit);
    return text;
}
