/* SPDX-License-Identifier: MIT */
#include "metrics/amounts.h"

#include <string.h>

#include "base/bits.h"

static bool divides(const struct tally_counter *counter)
{
    static const char *const operations[] = {"DIV", "RATIO", "MIN", "MAX", "/"};
    for (size_t i = 0; i < ARRAY_COUNT(operations); i++)
        if (strstr(counter->equation, operations[i]))
            return true;
    return false;
}

bool counter_is_number(const struct tally_counter *counter)
{
    static const char *const units[] = {"bytes",  "cycles", "events", "messages",
                                        "number", "pixels", "texels", "threads"};
    for (size_t i = 0; i < ARRAY_COUNT(units); i++)
        if (!strcmp(counter->units, units[i]))
            return !divides(counter);
    return false;
}

unsigned counter_time_ns(const struct tally_counter *counter)
{
    unsigned ns = !strcmp(counter->units, "ns") ? 1 : !strcmp(counter->units, "us") ? 1000 : 0;
    /* Ticks become time by a quotient of constants, so the equation says nothing. */
    return strcmp(counter->semantic, "duration") == 0 ? ns : 0;
}
