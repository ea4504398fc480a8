/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_CS_SYMBOLS_H
#define TALLY_INTEL_CS_SYMBOLS_H

/*
 * Commands of the command streamer by name, as constants from commands.def:
 *
 *     MI_STORE_DATA_IMM                            opcode, in place
 *     MI_STORE_DATA_IMM__SHIFT                     lowest bit of the opcode
 *     MI_STORE_DATA_IMM__LENGTH_BITS               width of the length field; 0: none
 *     MI_STORE_DATA_IMM__DWORDS                    length in dwords, or the minimum if it varies
 *     MI_STORE_DATA_IMM__USE_GLOBAL_GTT_LOW, _HIGH first and last bit of a field, counted from the
 *                                                  command's first dword: see CS_PUT(), CS_GET()
 *     ALU_OPCODE__ADD                              named value
 *
 * If a command or field differs between generations, its symbol has a prefix:
 * GEN8_MI_STORE_DATA_IMM, MI_STORE_DATA_IMM__GEN8_ADDRESS_LOW. The opcode is the same on all
 * generations.
 */

#include <stdint.h>

enum {
#define VALUES(set)
#define VALUE(set, symbol, value, name) set##__##symbol = (value),
#define VALUES_END
#define FIELDS(set)
#define FIELD(set, symbol, name, low, high, ...)                                                   \
    set##__##symbol##_LOW = (low), set##__##symbol##_HIGH = (high),
#define FIELDS_END
#define COMMAND(symbol, name, first, last, action, privilege, opcode, shift, length_bits, clocks,  \
                group_clocks, group_start, group_size, min, ...)                                   \
    symbol = (opcode), symbol##__SHIFT = (shift), symbol##__LENGTH_BITS = (length_bits),           \
    symbol##__DWORDS = (min),
#include "intel/cs/commands.def"
};

/* Whether `dword` is the first dword of the command. */
#define CS_IS(command, dword) ((uint32_t)(dword) >> command##__SHIFT == command >> command##__SHIFT)

/* The first dword of a command of `dwords` dwords, with all fields 0. */
#define CS_HEADER(command, dwords)                                                                 \
    ((uint32_t)command | (command##__LENGTH_BITS ? (uint32_t)(dwords)-2 : 0))

/* The length in dwords of a command with a length field, from its first dword. */
#define CS_DWORDS(command, dword)                                                                  \
    (((uint32_t)(dword)&UINT32_MAX >> (32 - command##__LENGTH_BITS)) + 2)

/* The mask of a field in its dword. The field must not cross dwords. */
#define CS_MASK(set, field)                                                                        \
    (UINT32_MAX >> (31 - (set##__##field##_HIGH - set##__##field##_LOW))                           \
                       << set##__##field##_LOW % 32)

/* The value of a field in its dword. */
#define CS_GET(set, field, dword)                                                                  \
    (((uint32_t)(dword)&CS_MASK(set, field)) >> set##__##field##_LOW % 32)

/* The value of a field, shifted into place in its dword and truncated to the width of the field. */
#define CS_PUT(set, field, value)                                                                  \
    (((uint32_t)(value) << set##__##field##_LOW % 32) & CS_MASK(set, field))

#endif
