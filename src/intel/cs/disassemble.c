/* SPDX-License-Identifier: MIT */
/* Disassembles commands, one line each. */
#include <inttypes.h>

#include "intel/cs/commands.h"

static const char *value_name(const struct cs_field *field, uint64_t value)
{
    for (const struct reg_value *v = field->values; v && v->name; v++)
        if (v->value == value)
            return v->name;
    return NULL;
}

static void show_field(const struct cs_field *field, uint64_t value, struct buffer *text)
{
    unsigned bits = field->high - field->low + 1u;
    int digits = (int)(field->kind == CS_PLACE ? bits + field->low % 32 : bits);
    const char *name = value_name(field, value);
    if (field->kind == CS_NUMBER)
        buffer_printf(text, "%s %" PRIu64, field->name, value);
    else if (field->kind == CS_FLAG)
        buffer_text(text, field->name);
    else if (name)
        buffer_printf(text, "%s %s", field->name, name);
    else
        buffer_printf(text, "%s 0x%0*" PRIx64, field->name, (digits + 3) / 4, value);
}

static bool is_hidden(const struct cs_field *field, uint64_t value)
{
    return field->kind == CS_RESERVED ||
           (!value && (field->kind == CS_FLAG || field->kind == CS_UNUSUAL));
}

/* Shows the fields except those past the end, and flags that are 0. */
static void show_fields(const struct cs_field *fields, unsigned version, const uint32_t *dwords,
                        size_t count, const char **between, struct buffer *text)
{
    for (const struct cs_field *f = fields; f && f->name; f++) {
        uint64_t value = cs_field_get(f, dwords, count);
        if (version < f->first || version > f->last || f->low / 32u >= count || is_hidden(f, value))
            continue;
        buffer_text(text, *between);
        show_field(f, value, text);
        *between = ", ";
    }
}

static void show_command(const struct cs_command *command, unsigned version, const uint32_t *dwords,
                         size_t length, struct buffer *text)
{
    const char *between = "  ";
    buffer_text(text, command->name);
    show_fields(command->fields, version, dwords, length, &between, text);
    for (size_t at = command->group_at; command->group_size && at + command->group_size <= length;
         at += command->group_size) {
        between = between[0] == ' ' ? between : "; ";
        show_fields(command->group, version, dwords + at, command->group_size, &between, text);
    }
}

size_t cs_disassemble(const struct tally_platform *platform, const uint32_t *dwords, size_t count,
                      uint64_t base, struct buffer *text)
{
    size_t complete = 0;
    for (size_t at = 0; at < count;) {
        const struct cs_command *command =
            cs_supports(platform) ? cs_find_any(platform->version, dwords[at]) : NULL;
        uint32_t length = command ? cs_length(command, dwords[at]) : 1;
        buffer_printf(text, "%08" PRIx64 "  %08" PRIx32 "  ", base + at * 4, dwords[at]);
        if (!command) {
            buffer_text(text, "unknown command");
        } else if (length < command->min_dwords || length > command->max_dwords) {
            buffer_printf(text, "%s  length %" PRIu32 " dwords, expected %" PRIu32, command->name,
                          length, command->min_dwords);
            if (command->max_dwords > command->min_dwords)
                buffer_printf(text, " to %" PRIu32, command->max_dwords);
            length = 1; /* the next command could be anywhere */
        } else if (length > count - at) {
            buffer_printf(text, "%s  truncated: %zu of %" PRIu32 " dwords", command->name,
                          count - at, length);
            length = (uint32_t)(count - at);
        } else {
            show_command(command, platform->version, dwords + at, length, text);
            complete++;
        }
        buffer_char(text, '\n');
        at += length;
    }
    return complete;
}
