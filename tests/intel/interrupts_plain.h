/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_INTERRUPTS_PLAIN_H
#define TESTS_INTEL_INTERRUPTS_PLAIN_H

/*
 * The interrupt tree once more, bit by bit, written from the text alone: OA-3.1
 * to OA-3.5, OA-D41 to OA-D46. One copy; every unit is a cell with its own bits.
 */

#include <stdbool.h>
#include <stdint.h>

#define PLAIN_UNITS 64 /* DW n, bit b: unit 32 n + b */

struct plain_unit {
    bool exists;
    unsigned unit_class, instance;
    unsigned enable_address, enable_low, mask_address, mask_low;
    bool pending[16]; /* INST_CR */
    bool in_iir, in_cr;
    unsigned function;
};

struct plain_tree {
    struct plain_unit units[PLAIN_UNITS];
    uint32_t memory[64]; /* enables and masks, by (address - 190000h) / 4 */
    bool locked[2];
    uint32_t selector[2], identity[2];
    bool master;
};

void plain_reset(struct plain_tree *tree);
void plain_message(struct plain_tree *tree, unsigned unit_class, unsigned instance,
                   unsigned function, unsigned data);
uint32_t plain_read(struct plain_tree *tree, uint32_t address);
void plain_write(struct plain_tree *tree, uint32_t address, uint32_t value);
bool plain_line(const struct plain_tree *tree);

#endif
