/* SPDX-License-Identifier: MIT */
/*
 * Truth tables over the words of a block, simplified by inputs that are constant or equal.
 * Registers usually select few inputs, and most NOA bits are not driven.
 */
#include <string.h>

#include "intel/oa/unit.h"

/* Truth tables of the arguments themselves. Tables have sixteen rows here, for any arity. */
static const uint16_t argument_tables[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};

/* Returns the table for a constant argument. */
static uint16_t fix_argument(uint16_t table, unsigned argument, bool value)
{
    unsigned rows = argument_tables[argument], apart = 1u << argument;
    unsigned half = value ? table & rows : table & ~rows;
    return (uint16_t)(value ? half | half >> apart : half | half << apart);
}

static uint16_t fold_known(const struct block *block, uint16_t table, unsigned arity,
                           const uint64_t *const arguments[4])
{
    for (unsigned i = arity; i-- > 0;) {
        unsigned same = 0;
        while (same < i && arguments[same] != arguments[i])
            same++;
        if (arguments[i] == block->zeros || arguments[i] == block->ones)
            table = fix_argument(table, i, arguments[i] == block->ones);
        else if (same < i)
            table = (uint16_t)((fix_argument(table, i, true) & argument_tables[same]) |
                               (fix_argument(table, i, false) & ~argument_tables[same]));
    }
    return table;
}

const uint64_t *block_combine(const struct block *block, uint16_t table, unsigned arity,
                              const uint64_t *const arguments[4], uint64_t *buffer)
{
    for (unsigned i = arity; i < 4; i++)
        table = (uint16_t)((table & ((1u << (1u << i)) - 1)) * (1u + (1u << (1u << i))));
    table = fold_known(block, table, arity, arguments);
    if (table == 0)
        return block->zeros;
    if (table == 0xffff)
        return block->ones;
    for (unsigned i = 0; i < arity; i++)
        if (table == argument_tables[i])
            return arguments[i];
    while (fix_argument(table, arity - 1, false) == fix_argument(table, arity - 1, true))
        arity--;
    block->kernels->combine(table, arity, arguments, block->words, buffer);
    return buffer;
}

const uint64_t *block_keep(const struct block *block, const uint64_t *words, uint64_t *buffer)
{
    if (words == block->zeros || words == block->ones || words == buffer)
        return words;
    memcpy(buffer, words, block->words * sizeof *buffer);
    return buffer;
}
