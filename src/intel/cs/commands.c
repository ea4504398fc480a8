/* SPDX-License-Identifier: MIT */
/* The table of commands (commands.def), and functions that search it. */
#include "intel/cs/commands.h"

#include "base/bits.h"

// clang-format off
#define NONE_values NULL
#define NONE_fields NULL

#define VALUES(set)                     static const struct reg_value set##_values[] = {
#define VALUE(set, symbol, value, name) {value, name},
#define VALUES_END                      {0, NULL}};
#define FIELDS(set)                     static const struct cs_field set##_fields[] = {
#define FIELD(set, symbol, name, low, high, kind, operand, first, last, values) \
    {name, low, high, kind, operand, first, last, values##_values},
#define FIELDS_END                      {0}};
#include "intel/cs/commands.def"

const struct cs_command cs_commands[] = {
#define COMMAND(symbol, name, first, last, action, privilege, opcode, shift, length_bits, clocks, \
                group_clocks, group_start, group_size, min, max, set, group_set, source) \
    {name, first, last, action, privilege, opcode, UINT32_MAX << (shift), length_bits, clocks, \
     group_clocks, group_start, group_size, min, max, set##_fields, group_set##_fields, source},
#include "intel/cs/commands.def"
};
// clang-format on

const size_t cs_command_count = ARRAY_COUNT(cs_commands);

const struct cs_command *cs_find(unsigned version, uint32_t dword)
{
    for (size_t i = 0; i < ARRAY_COUNT(cs_commands); i++)
        if ((dword & cs_commands[i].mask) == cs_commands[i].opcode &&
            version >= cs_commands[i].first && version <= cs_commands[i].last)
            return &cs_commands[i];
    return NULL;
}

uint32_t cs_length(const struct cs_command *command, uint32_t dword)
{
    /* The field is the number of dwords after the second one ("length - 2"). */
    return command->length_bits ? (dword & (uint32_t)low_bits(command->length_bits)) + 2
                                : command->min_dwords;
}

uint64_t cs_field_get(const struct cs_field *field, const uint32_t *dwords, size_t count)
{
    uint64_t value = 0;
    unsigned first = field->low / 32, shift = field->low % 32;
    for (unsigned i = first; i <= field->high / 32u && i < count; i++) {
        unsigned to = (i - first) * 32;
        value |= to < shift ? dwords[i] >> shift : (uint64_t)dwords[i] << (to - shift);
    }
    value &= low_bits(field->high - field->low + 1u);
    return field->kind == CS_PLACE ? value << shift : value;
}

const struct cs_field *cs_field_find(const struct cs_field *fields, unsigned version,
                                     enum cs_operand operand)
{
    for (; fields && fields->name; fields++)
        if (fields->operand == operand && version >= fields->first && version <= fields->last)
            return fields;
    return NULL;
}
