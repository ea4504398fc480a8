/* SPDX-License-Identifier: MIT */
/* The lines of an MMIO trace. */
#include "regs/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_COLUMNS 20
#define MARKS        64 /* bytes reserved for marks */

struct line {
    char *text;
    size_t size, length;
};

/* Appends the whole text, or nothing if it does not fit. */
__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t left = line->size - line->length;
    int length = vsnprintf(line->text + line->length, left, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < left)
        line->length += (size_t)length;
    line->text[line->length] = '\0';
}

static void add_fields(struct line *line, const struct reg_trace *trace)
{
    const char *space = "  ";
    const struct reg_field *field = trace->place->reg->fields;
    for (; field && field->name; field++) {
        char number[REG_NUMBER];
        uint32_t bits = reg_field_get(field, trace->value);
        if (!bits || !reg_field_exists(field, trace->revision, trace->instances) ||
            !(field->access & (trace->write ? REG_WRITE : REG_READ)))
            continue;
        const char *name = reg_value_name(field, bits);
        reg_field_number(field, bits, number);
        if (name)
            add(line, "%s%s=%s (%s)", space, field->name, number, name);
        else
            add(line, "%s%s=%s", space, field->name, number);
        space = " ";
    }
}

static void add_marks(struct line *line, const struct reg_trace *trace)
{
    uint32_t reserved = 0;
    if (trace->mark)
        add(line, "  ! %s", trace->mark);
    if (trace->write && trace->place)
        reserved =
            trace->value & ~reg_documented(trace->place->reg, trace->revision, trace->instances);
    if (reserved)
        add(line, "%s reserved bits 0x%08" PRIx32, trace->mark ? "," : "  !", reserved);
}

const char *reg_trace_line(const struct reg_trace *trace, char text[REG_TRACE_LINE])
{
    char name[64];
    struct line line = {text, REG_TRACE_LINE - MARKS, 0};
    if (trace->place)
        reg_element_name(trace->place, name, sizeof name);
    else
        snprintf(name, sizeof name, "%s", trace->name ? trace->name : "-");
    add(&line, "%12" PRIu64 "  %-4s %s  0x%06" PRIx32 "  %-*s  0x%08" PRIx32, trace->clock,
        trace->agent, trace->write ? "wr" : "rd", trace->address, NAME_COLUMNS, name, trace->value);
    if (trace->place)
        add_fields(&line, trace);
    line.size = REG_TRACE_LINE;
    add_marks(&line, trace);
    add(&line, "\n");
    return text;
}
