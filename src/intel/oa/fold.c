/* SPDX-License-Identifier: MIT */
/*
 * Truth tables over the words of a block, without what is known beforehand: signals that are always
 * 0 or 1, or come twice. Most of what registers can select is not selected, or nobody drives it.
 */
#include <string.h>

#include "intel/oa/unit.h"

/* Tables have sixteen rows here, whether they depend on four arguments or on fewer. */
static const uint16_t argument_tables[4] = {0xaaaa, 0xcccc, 0xf0f0, 0xff00};

/* What is left of a table where an argument is 0, or 1. */
static uint16_t where(uint16_t table, unsigned argument, bool value)
{
    unsigned rows = argument_tables[argument], apart = 1u << argument;
    unsigned half = value ? table & rows : table & ~rows;
    return (uint16_t)(value ? half | half >> apart : half | half << apart);
}

static uint16_t without_known(const struct block *block, uint16_t table, unsigned arity,
                              const uint64_t *const arguments[4])
{
    for (unsigned i = arity; i-- > 0;) {
        unsigned same = 0;
        while (same < i && arguments[same] != arguments[i])
            same++;
        if (arguments[i] == block->zeros || arguments[i] == block->ones)
            table = where(table, i, arguments[i] == block->ones);
        else if (same < i)
            table = (uint16_t)((where(table, i, true) & argument_tables[same]) |
                               (where(table, i, false) & ~argument_tables[same]));
    }
    return table;
}

const uint64_t *block_combine(const struct block *block, uint16_t table, unsigned arity,
                              const uint64_t *const arguments[4], uint64_t *room)
{
    for (unsigned i = arity; i < 4; i++)
        table = (uint16_t)((table & ((1u << (1u << i)) - 1)) * (1u + (1u << (1u << i))));
    table = without_known(block, table, arity, arguments);
    if (table == 0)
        return block->zeros;
    if (table == 0xffff)
        return block->ones;
    for (unsigned i = 0; i < arity; i++)
        if (table == argument_tables[i])
            return arguments[i];
    while (where(table, arity - 1, false) == where(table, arity - 1, true))
        arity--;
    block->kernels->combine(table, arity, arguments, block->words, room);
    return room;
}

const uint64_t *block_keep(const struct block *block, const uint64_t *words, uint64_t *room)
{
    if (words == block->zeros || words == block->ones || words == room)
        return words;
    memcpy(room, words, block->words * sizeof *room);
    return room;
}
