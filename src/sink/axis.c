/* SPDX-License-Identifier: MIT */
#include "sink/axis.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "sink/number.h"

double axis_step(double rough)
{
    double power = pow(10, floor(log10(rough)));
    static const double factors[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i + 1 < ARRAY_COUNT(factors) && factors[i] * power < rough * (1 - 1e-9))
        i++;
    return factors[i] * power;
}

void axis_mark(char *text, size_t size, double value, const char *units)
{
    format_quantity(text, size, value, units);
    char *unit = text + strcspn(text, " "), *end = unit;
    if (memchr(text, '.', (size_t)(unit - text))) {
        while (end[-1] == '0')
            end--;
        end -= end[-1] == '.';
    }
    memmove(end, unit, strlen(unit) + 1);
}
