/* SPDX-License-Identifier: MIT */
/* The table of commands (commands.def), and functions that search it. */
#include "intel/cs/commands.h"

#include "base/bits.h"
#include "intel/cs/symbols.h"

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

/* ---- engines (OA-11.10) ---------------------------------------------------------------------- */

#define ALL_CLASSES (CS_CLASS_BIT(CS_CLASSES) - 1)

/* Memory interface commands that only the render engine has, up to a version. */
static const struct {
    uint32_t opcode;
    uint8_t last;
} render_only[] = {
    {MI_FLUSH, 75},
    {MI_RS_CONTROL, CS_LAST},
    {MI_URB_ATOMIC_ALLOC, CS_LAST},
    {MI_TOPOLOGY_FILTER, CS_LAST},
    {MI_RS_CONTEXT, CS_LAST},
    {MI_SET_CONTEXT, CS_LAST},
    {MI_URB_CLEAR, CS_LAST},
    {MI_CLFLUSH, CS_LAST},
    {MI_REPORT_PERF_COUNT, CS_LAST},
    {MI_RS_STORE_DATA_IMM, CS_LAST},
    {MI_LOAD_URB_MEM, CS_LAST},
    {MI_STORE_URB_MEM, CS_LAST},
    {MI_PREDICATE, 100},
    {MI_MATH, 75},
};

static bool is_render_only(uint32_t opcode, unsigned version)
{
    for (size_t i = 0; i < ARRAY_COUNT(render_only); i++)
        if (render_only[i].opcode == opcode && version <= render_only[i].last)
            return true;
    return false;
}

/* Opcodes are in the order of their types: memory interface, blitter, pipelines. */
unsigned cs_classes(const struct cs_command *command, unsigned version)
{
    if (command->opcode < (uint32_t)BLT_ANY)
        return is_render_only(command->opcode, version) ? CS_CLASS_BIT(CS_RENDER) : ALL_CLASSES;
    if (command->opcode < (uint32_t)VIDEO_COMMON)
        return CS_CLASS_BIT(CS_COPY);
    return command->action == CS_VIDEO_WORK
               ? CS_CLASS_BIT(CS_VIDEO) | CS_CLASS_BIT(CS_VIDEO_ENHANCE)
               : CS_CLASS_BIT(CS_RENDER);
}

/* ---- searching ------------------------------------------------------------------------------- */

/* Render has all memory interface commands, which are looked up most often. */
static bool has_command(enum cs_class engine, const struct cs_command *command, unsigned version)
{
    return (engine == CS_RENDER && command->opcode < (uint32_t)BLT_ANY) ||
           cs_classes(command, version) & CS_CLASS_BIT(engine);
}

const struct cs_command *cs_find(unsigned version, enum cs_class engine, uint32_t dword)
{
    for (size_t i = 0; i < cs_command_count; i++)
        if ((dword & cs_commands[i].mask) == cs_commands[i].opcode &&
            version >= cs_commands[i].first && version <= cs_commands[i].last &&
            has_command(engine, &cs_commands[i], version))
            return &cs_commands[i];
    return NULL;
}

const struct cs_command *cs_find_any(unsigned version, uint32_t dword)
{
    const struct cs_command *command = NULL;
    for (unsigned engine = 0; engine < CS_CLASSES && !command; engine++)
        command = cs_find(version, (enum cs_class)engine, dword);
    return command;
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
