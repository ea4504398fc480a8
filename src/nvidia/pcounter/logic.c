/* SPDX-License-Identifier: MIT */
/* Truth tables of four arguments: changes, and formulas. */
#include "nvidia/pcounter/logic.h"

#include <stdio.h>
#include <string.h>

#include "base/bits.h"

/* ---- changes --------------------------------------------------------------------------------- */

/* The rows at which an argument is 1. */
static const uint16_t when_one[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};

bool table_depends(uint16_t table, unsigned argument)
{
    return table_inverted(table, argument) != table;
}

uint16_t table_without(uint16_t table, unsigned arity, unsigned argument)
{
    uint16_t result = 0;
    for (unsigned i = 0; i < 1u << (arity - 1); i++) {
        unsigned low = i & ((1u << argument) - 1);
        unsigned from = low | (i & ~((1u << argument) - 1)) << 1;
        result |= (uint16_t)((table >> from & 1) << i);
    }
    return result;
}

uint16_t table_of_four(uint16_t table, unsigned arity)
{
    for (; arity < 4; arity++)
        table |= (uint16_t)(table << (1u << arity));
    return table;
}

uint16_t table_inverted(uint16_t table, unsigned argument)
{
    unsigned shift = 1u << argument, ones = when_one[argument];
    return (uint16_t)((table & ones) >> shift | (table << shift & ones));
}

uint16_t table_with_value(uint16_t table, unsigned argument, bool value)
{
    unsigned rows = value ? when_one[argument] : (uint16_t)~when_one[argument];
    return (uint16_t)((table & rows) | table_inverted(table & (uint16_t)rows, argument));
}

uint16_t table_with_equal(uint16_t table, unsigned argument, unsigned other)
{
    return (uint16_t)((table_with_value(table, other, true) & when_one[argument]) |
                      (table_with_value(table, other, false) & ~when_one[argument]));
}

/* ---- formulas -------------------------------------------------------------------------------- */

/* A product of the arguments in `used`; those without a bit in `positive` are negated. */
struct product {
    uint8_t used, positive;
    uint16_t covers; /* rows of the table where it is 1 */
};

static uint16_t rows_of(uint8_t used, uint8_t positive)
{
    uint16_t rows = 0;
    for (unsigned row = 0; row < 16; row++)
        if ((row & used) == positive)
            rows |= (uint16_t)(1u << row);
    return rows;
}

/* Returns the product that is 1 only where the table is, and covers the largest part of `left`; of
 * several, the simplest. */
static struct product best_product(uint16_t table, uint16_t left)
{
    struct product best = {0};
    unsigned best_gain = 0;
    for (uint8_t used = 0; used < 16; used++)
        for (uint8_t positive = 0; positive < 16; positive++) {
            uint16_t rows = rows_of(used, positive);
            if ((positive & ~used) || (rows & ~table))
                continue;
            unsigned gain = count_bits(rows & left) * 8 + 4 - count_bits(used);
            if ((rows & left) && gain > best_gain) {
                best_gain = gain;
                best = (struct product){used, positive, rows};
            }
        }
    return best;
}

/* If the table is the parity of some arguments, returns them as a mask, with bit 4 if inverted;
 * otherwise 0. */
static unsigned parity_of(uint16_t table)
{
    for (unsigned used = 1; used < 32; used++) {
        uint16_t rows = 0;
        for (unsigned row = 0; row < 16; row++)
            rows |= (uint16_t)(((count_bits(row & used) + (used >> 4)) & 1) << row);
        if (rows == table && count_bits(used & 15) > 1)
            return used;
    }
    return 0;
}

static void append(char *text, size_t size, const char *part)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", part);
}

static void append_arguments(char *text, size_t size, unsigned used, unsigned positive,
                             const char *between)
{
    bool first = true;
    for (unsigned i = 0; i < 4; i++) {
        char part[8];
        if (!(used >> i & 1))
            continue;
        snprintf(part, sizeof part, "%s%sa%u", first ? "" : between, positive >> i & 1 ? "" : "!",
                 i);
        append(text, size, part);
        first = false;
    }
}

const char *logic_formula(uint16_t table, char *text, size_t size)
{
    unsigned parity = parity_of(table);
    text[0] = '\0';
    if (table == 0 || table == 0xffff)
        append(text, size, table ? "1" : "0");
    if (table == 0 || table == 0xffff)
        return text;
    if (parity) {
        append(text, size, parity >> 4 ? "!(" : "");
        append_arguments(text, size, parity & 15, 15, " ^ ");
        append(text, size, parity >> 4 ? ")" : "");
        return text;
    }
    for (uint16_t left = table; left;) {
        struct product product = best_product(table, left);
        append(text, size, left == table ? "" : " | ");
        append_arguments(text, size, product.used, product.positive, " & ");
        left &= (uint16_t)~product.covers;
    }
    return text;
}
