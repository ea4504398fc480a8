/* SPDX-License-Identifier: MIT */
#include "intel/interrupts_plain.h"

#include <string.h>

static const struct {
    unsigned unit_class, instance, dw, bit, enable, enable_low, mask, mask_low;
} wiring[] = {
    {0, 0, 0, 0, 0x30, 16, 0x90, 16},  {3, 0, 0, 15, 0x30, 0, 0xa0, 16},
    {1, 0, 1, 0, 0x34, 16, 0xa8, 16},  {1, 1, 1, 1, 0x34, 16, 0xa8, 0},
    {1, 2, 1, 2, 0x34, 16, 0xac, 16},  {1, 3, 1, 3, 0x34, 16, 0xac, 0},
    {2, 0, 1, 31, 0x34, 0, 0xd0, 16},  {2, 1, 1, 30, 0x34, 0, 0xd0, 0},
    {4, 0, 0, 25, 0x38, 16, 0xe8, 16}, {4, 3, 0, 21, 0x38, 0, 0xe8, 0},
    {4, 1, 0, 16, 0x3c, 16, 0xec, 16}, {4, 2, 0, 20, 0x3c, 0, 0xec, 0},
    {4, 4, 0, 19, 0x40, 16, 0xf0, 16}, {4, 5, 0, 28, 0x44, 16, 0xf4, 16},
    {4, 6, 0, 31, 0x44, 0, 0xf4, 0},
};

static const unsigned enable_addresses[] = {0x30, 0x34, 0x38, 0x3c, 0x40, 0x44};
static const unsigned mask_addresses[] = {0x90, 0xa0, 0xa8, 0xac, 0xd0, 0xe8, 0xec, 0xf0, 0xf4};

static bool is_one_of(unsigned address, const unsigned *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i] == address)
            return true;
    return false;
}

#define IS_ENABLE(a) is_one_of(a, enable_addresses, 6)
#define IS_MASK(a)   is_one_of(a, mask_addresses, 9)

void plain_reset(struct plain_tree *tree)
{
    memset(tree, 0, sizeof *tree);
    for (unsigned i = 0; i < sizeof wiring / sizeof *wiring; i++) {
        struct plain_unit *unit = &tree->units[32 * wiring[i].dw + wiring[i].bit];
        unit->exists = true;
        unit->unit_class = wiring[i].unit_class;
        unit->instance = wiring[i].instance;
        unit->enable_address = wiring[i].enable;
        unit->enable_low = wiring[i].enable_low;
        unit->mask_address = wiring[i].mask;
        unit->mask_low = wiring[i].mask_low;
    }
    for (unsigned i = 0; i < 9; i++)
        tree->memory[mask_addresses[i] / 4] = 0xffffffff;
}

static bool bit_of(const struct plain_tree *tree, unsigned address, unsigned bit)
{
    return tree->memory[address / 4] >> bit & 1;
}

static bool acts(const struct plain_tree *tree, const struct plain_unit *unit, unsigned bit)
{
    return unit->pending[bit] && !bit_of(tree, unit->mask_address, unit->mask_low + bit);
}

static void second_level(struct plain_tree *tree, unsigned number)
{
    struct plain_unit *unit = &tree->units[number];
    for (unsigned bit = 0; bit < 16; bit++)
        if (acts(tree, unit, bit)) {
            if (tree->locked[number / 32])
                unit->in_cr = true;
            else
                unit->in_iir = true;
        }
}

void plain_message(struct plain_tree *tree, unsigned unit_class, unsigned instance,
                   unsigned function, unsigned data)
{
    for (unsigned number = 0; number < PLAIN_UNITS; number++) {
        struct plain_unit *unit = &tree->units[number];
        bool stored = false;
        if (!unit->exists || unit->unit_class != unit_class || unit->instance != instance)
            continue;
        for (unsigned bit = 0; bit < 16; bit++)
            if ((data >> bit & 1) && bit_of(tree, unit->enable_address, unit->enable_low + bit)) {
                unit->pending[bit] = true;
                stored = true;
            }
        if (stored) {
            unit->function = function;
            second_level(tree, number);
        }
    }
}

static uint32_t iir(const struct plain_tree *tree, unsigned dw)
{
    uint32_t value = 0;
    for (unsigned bit = 0; bit < 32; bit++)
        value |= (uint32_t)tree->units[32 * dw + bit].in_iir << bit;
    return value;
}

bool plain_line(const struct plain_tree *tree)
{
    return tree->master && (iir(tree, 0) || iir(tree, 1));
}

uint32_t plain_read(struct plain_tree *tree, uint32_t address)
{
    if (address < 0x190000 || address > 0x1900ff || address % 4)
        return 0;
    unsigned at = address - 0x190000;
    if (at == 0x10)
        return (tree->master ? 0x80000000 : 0) + (iir(tree, 1) ? 2 : 0) + (iir(tree, 0) ? 1 : 0);
    if (at == 0x18 || at == 0x1c) {
        unsigned dw = at == 0x1c;
        if (iir(tree, dw))
            tree->locked[dw] = true;
        return iir(tree, dw);
    }
    if (at == 0x60 || at == 0x64)
        return tree->identity[at == 0x64];
    if (at == 0x70 || at == 0x74)
        return tree->selector[at == 0x74];
    return IS_ENABLE(at) || IS_MASK(at) ? tree->memory[at / 4] : 0;
}

static void clear(struct plain_tree *tree, unsigned dw, uint32_t value)
{
    bool was_cleared[32] = {false};
    for (unsigned bit = 0; bit < 32; bit++) {
        struct plain_unit *unit = &tree->units[32 * dw + bit];
        if ((value >> bit & 1) && unit->in_iir) {
            unit->in_iir = false;
            was_cleared[bit] = true;
        }
    }
    for (unsigned bit = 0; bit < 32; bit++)
        if (was_cleared[bit])
            second_level(tree, 32 * dw + bit);
    if (iir(tree, dw))
        return;
    tree->locked[dw] = false;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct plain_unit *unit = &tree->units[32 * dw + bit];
        unit->in_iir = unit->in_cr;
        unit->in_cr = false;
    }
}

static void select(struct plain_tree *tree, unsigned dw, uint32_t value)
{
    tree->selector[dw] = tree->identity[dw] = 0;
    for (unsigned bit = 0; bit < 32; bit++) {
        struct plain_unit *unit = &tree->units[32 * dw + bit];
        if (value != (uint32_t)1 << bit || !unit->in_iir)
            continue;
        tree->selector[dw] = value;
        tree->identity[dw] = 0x80000000 + unit->function * 0x8000000 + unit->instance * 0x100000 +
                             unit->unit_class * 0x10000;
        for (unsigned k = 0; k < 16; k++)
            if (acts(tree, unit, k)) {
                tree->identity[dw] += (uint32_t)1 << k;
                unit->pending[k] = false;
            }
    }
}

void plain_write(struct plain_tree *tree, uint32_t address, uint32_t value)
{
    if (address < 0x190000 || address > 0x1900ff || address % 4)
        return;
    unsigned at = address - 0x190000;
    if (at == 0x10)
        tree->master = value >> 31;
    else if (at == 0x18 || at == 0x1c)
        clear(tree, at == 0x1c, value);
    else if (at == 0x70 || at == 0x74)
        select(tree, at == 0x74, value);
    else if ((at == 0x60 || at == 0x64) && value >> 31)
        tree->identity[at == 0x64] = tree->selector[at == 0x64] = 0;
    else if (IS_ENABLE(at) || IS_MASK(at))
        tree->memory[at / 4] = value;
    if (IS_MASK(at))
        for (unsigned number = 0; number < PLAIN_UNITS; number++)
            if (tree->units[number].exists && tree->units[number].mask_address == at)
                second_level(tree, number);
}
