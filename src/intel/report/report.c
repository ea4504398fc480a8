/* SPDX-License-Identifier: MIT */
/* Finds layouts by number; packs and unpacks reports. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <tally/platform.h>
#include <tally/report.h>

#include "base/bits.h"
#include "intel/report/layouts.h"

uint32_t tally_layout_format(const struct tally_layout *layout)
{
    return layout->kernel_format ? layout->kernel_format
                                 : TALLY_FORMAT_SELECT + layout->counter_select;
}

const struct tally_layout *tally_layout_for_kernel(const struct tally_platform *platform,
                                                   unsigned kernel_format)
{
    bool of_kernel = kernel_format < TALLY_FORMAT_SELECT;
    if (of_kernel && (kernel_format > 15 || !(platform->kernel_formats >> kernel_format & 1)))
        return NULL;
    for (size_t i = 0; i < report_layout_count; i++) {
        const struct tally_layout *layout = &report_layouts[i];
        if (tally_layout_format(layout) == kernel_format &&
            !strcmp(layout->family, platform->layout_family))
            return layout;
    }
    return NULL;
}

const struct tally_layout *tally_layout_default(const struct tally_platform *platform)
{
    const struct tally_layout *largest =
        tally_layout_for_kernel(platform, platform->default_format);
    for (size_t i = 0; !platform->default_format && i < report_layout_count; i++) {
        const struct tally_layout *layout = &report_layouts[i];
        if (!strcmp(layout->family, platform->layout_family) &&
            (!largest || layout->size_bytes > largest->size_bytes))
            largest = layout;
    }
    return largest;
}

void tally_report_unpack(const struct tally_layout *layout, const void *report,
                         uint64_t slots[TALLY_SLOT_COUNT])
{
    const uint8_t *bytes = report;
    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        for (int i = 0; i < field->count; i++) {
            const uint8_t *at = bytes + field->offset + i * field->stride;
            uint64_t value = field->width == 64 ? load_le64(at) : load_le32(at);
            if (field->width == 40)
                value |= (uint64_t)bytes[field->high + i] << 32;
            slots[field->slot + i] = value;
        }
    }
}

void tally_report_pack(const struct tally_layout *layout, const uint64_t slots[TALLY_SLOT_COUNT],
                       void *report)
{
    uint8_t *bytes = report;
    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        for (int i = 0; i < field->count; i++) {
            uint8_t *at = bytes + field->offset + i * field->stride;
            uint64_t value = slots[field->slot + i];
            if (field->width == 64)
                store_le64(at, value);
            else
                store_le32(at, (uint32_t)value);
            if (field->width == 40)
                bytes[field->high + i] = (uint8_t)(value >> 32);
        }
    }
}

unsigned tally_layout_width(const struct tally_layout *layout, unsigned slot)
{
    for (size_t f = 0; f < layout->field_count; f++) {
        const struct tally_field *field = &layout->fields[f];
        if (slot >= field->slot && slot - field->slot < field->count)
            return field->width;
    }
    return 0;
}

uint64_t tally_counter_delta(uint64_t start, uint64_t end, unsigned width_bits)
{
    return (end - start) & low_bits(width_bits);
}

char *tally_slot_name(unsigned slot, char *name, size_t size)
{
    static const struct {
        unsigned first;
        const char *text;
        int numbered;
    } names[] = {
        {TALLY_SLOT_RESERVED, "reserved", 1},
        {TALLY_SLOT_PEC, "PEC", 1},
        {TALLY_SLOT_C, "C", 1},
        {TALLY_SLOT_B, "B", 1},
        {TALLY_SLOT_A, "A", 1},
        {TALLY_SLOT_INSTRUCTION, "INST_ADD", 0},
        {TALLY_SLOT_TICKS, "GPU_TICKS", 0},
        {TALLY_SLOT_CONTEXT, "CTX_ID", 0},
        {TALLY_SLOT_TIMESTAMP_UPPER, "TIME_STAMP_UPPER", 0},
        {TALLY_SLOT_TIMESTAMP, "TIME_STAMP", 0},
        {TALLY_SLOT_ID, "RPT_ID", 0},
    };
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        if (slot < names[i].first)
            continue;
        if (names[i].numbered)
            snprintf(name, size, "%s%u", names[i].text, slot - names[i].first);
        else
            snprintf(name, size, "%s", names[i].text);
        break;
    }
    return name;
}
