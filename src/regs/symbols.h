/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_SYMBOLS_H
#define TALLY_REGS_SYMBOLS_H

/*
 * Registers by name.
 *
 * A block of registers is described once, in a .def file of rows:
 *
 *     FIELDS(GEN8_OACONTROL)
 *     FIELD(GEN8_OACONTROL, ENABLE, 0, 0, RW, ALL, "Counter Enable")
 *     FIELD(GEN8_OACONTROL, COUNTER_SELECT, 2, 4, RW, ALL, "report format")
 *     FIELDS_END
 *     REG(GEN8_OACONTROL, "OACONTROL", 0x2b00, MAP_C, OA_CONTROL, RW, 0, 0, GEN8_OACONTROL,
 *         "observation control", "OA-1.4 OACONTROL, map C")
 *
 * The file is included three times, each time between a header of regs/pass/ and
 * regs/pass/end.h:
 *
 *     pass/symbols.h   in an enum, in the block's header: the constants listed below
 *     pass/fields.h    at file scope: the tables of fields and of named values (regs.h)
 *     pass/rows.h      in an array of struct reg
 *
 * The rows; `symbol` and `set` are C names, `name` is the document's name:
 *
 *     VALUES(set) VALUE(set, symbol, value, "text")... VALUES_END
 *         names of a field's values
 *     FIELDS(set) FIELD(set, name, low, high, access, revisions, "meaning")... FIELDS_END
 *         the fields of one or more registers. Instead of FIELD:
 *     CHOICE(set, name, low, high, access, revisions, values, "meaning")
 *         a field whose values have names; `values` is their set
 *     OTHER(set, low, high, access, revisions, "meaning")
 *         bits without a documented name: listed as OTHER, no symbol
 *     FIELD_OF(set, instance, name, ...), CHOICE_OF(set, instance, name, ...)
 *         a field of one domain (reg_field.instance)
 *     REG(symbol, "name", address, revisions, id, access, flags, reset, set, "meaning", "source")
 *         a register; the set WHOLE is 32 bits without fields
 *     REG_ARRAY(symbol, "name", address, letter, count, stride, revisions, ...)
 *     REG_ARRAY2(symbol, "name", address, letter, count, stride, letter, count, stride, ...)
 *     REG_ARRAY3(...)
 *         arrays of one to three dimensions; the rest is as in REG
 *
 * access is RW, RO or WO. An argument may be a macro, which may expand to several arguments.
 *
 * The constants are named
 *
 *     GEN8_OACONTROL                        address
 *     GEN8_OACONTROL__COUNT, __STRIDE       size of an array; __COUNT2, __STRIDE2, ... for
 *                                           further dimensions
 *     GEN8_OACONTROL__RESET_LOW, _HIGH      reset value, 16 bits each: see REG_RESET()
 *     GEN8_OACONTROL__ENABLE_LOW, _HIGH     first and last bit of a field: see REG_GET(), REG_PUT()
 *     CEC_FUNCTION__EQUAL                   a named value
 *
 * All macros below are constant expressions if their arguments are.
 */

#include <stdint.h>

/* The mask of a field. */
#define REG_MASK(set, field)                                                                       \
    (UINT32_MAX >> (31 - (set##__##field##_HIGH - set##__##field##_LOW)) << set##__##field##_LOW)

/* The value of a field, extracted from the value of its register. */
#define REG_GET(set, field, value)                                                                 \
    (((uint32_t)(value)&REG_MASK(set, field)) >> set##__##field##_LOW)

/* The value of a field, shifted into place and truncated to the width of the field. */
#define REG_PUT(set, field, bits)                                                                  \
    (((uint32_t)(bits) << set##__##field##_LOW) & REG_MASK(set, field))

/* The value of a register with one field replaced. */
#define REG_SET(set, field, value, bits)                                                           \
    (((uint32_t)(value) & ~REG_MASK(set, field)) | REG_PUT(set, field, bits))

/* The value to write to a masked register, whose bits 31:16 are write enables for bits 15:0, to
 * set one field. */
#define REG_MASKED(set, field, bits) (REG_MASK(set, field) << 16 | REG_PUT(set, field, bits))

/* Returns the value of a masked register after a write. */
static inline uint32_t reg_write_masked(uint32_t before, uint32_t value)
{
    return (before & ~(value >> 16)) | (value & value >> 16);
}

/* The value to write to a masked register to change the bits of `enable` to those of `bits`. */
#define REG_MASKED_BITS(enable, bits) ((uint32_t)(enable) << 16 | (uint32_t)(bits))

/* The width of a field in bits. */
#define REG_WIDTH(set, field) (set##__##field##_HIGH - set##__##field##_LOW + 1)

/* As REG_GET(), for the n-th of adjacent fields of the same width; `field` is the first. */
#define REG_GET_NTH(set, field, n, value)                                                          \
    REG_GET(set, field, (uint32_t)(value) >> (n)*REG_WIDTH(set, field))

/* The reset value of a register. */
#define REG_RESET(reg) ((uint32_t)reg##__RESET_HIGH << 16 | (uint32_t)reg##__RESET_LOW)

/* The addresses of an array's i-th and last elements. */
#define REG_ELEMENT(reg, i) ((uint32_t)reg + (uint32_t)(i)*reg##__STRIDE)
#define REG_LAST(reg)       REG_ELEMENT(reg, reg##__COUNT - 1)

#endif
