/* SPDX-License-Identifier: MIT */
/* Searches and describes tables of registers. */
#include "regs/regs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"

unsigned reg_extent(const struct reg_dimension *dimension, unsigned instances)
{
    return !strcmp(dimension->letter, "dom") ? min_u32(instances, dimension->count)
                                             : dimension->count;
}

/*
 * Whether `offset` is an element of the array; its indices are returned in `index`. Dimensions are
 * in the document's order, in which a later one may have a larger stride, so each index of the
 * first dimension is tried with the remaining dimensions.
 */
static bool is_element(const struct reg *reg, unsigned dimension, uint32_t offset,
                       unsigned instances, unsigned index[REG_DIMENSIONS])
{
    if (dimension == REG_DIMENSIONS || !reg->dimensions[dimension].count)
        return offset == 0;
    const struct reg_dimension *d = &reg->dimensions[dimension];
    bool last = dimension + 1 == REG_DIMENSIONS || !reg->dimensions[dimension + 1].count;
    unsigned count = reg_extent(d, instances);
    if (last) {
        index[dimension] = offset / d->stride;
        return offset % d->stride == 0 && index[dimension] < count;
    }
    for (unsigned i = 0; i < count && i * d->stride <= offset; i++) {
        index[dimension] = i;
        if (is_element(reg, dimension + 1, offset - i * d->stride, instances, index))
            return true;
    }
    return false;
}

bool reg_find(const struct reg_map *map, uint32_t revision, unsigned instances, uint32_t address,
              enum reg_access access, struct reg_place *out)
{
    bool found = false;
    if (address % 4 || address < map->base || address - map->base >= map->size)
        return false;
    uint32_t offset = address - map->base;
    for (size_t i = 0; i < map->count; i++) {
        const struct reg *reg = &map->regs[i];
        if (offset < reg->offset || !(reg->revisions & revision))
            continue;
        if (offset != reg->offset && !reg->dimensions[0].count)
            continue;
        struct reg_place place = {.reg = reg};
        if (!is_element(reg, 0, offset - reg->offset, instances, place.index))
            continue;
        if (reg->access & access) {
            *out = place;
            return true;
        }
        if (!found)
            *out = place;
        found = true;
    }
    return found;
}

uint32_t reg_address(const struct reg_map *map, const struct reg_place *place)
{
    uint32_t address = map->base + place->reg->offset;
    for (unsigned d = 0; d < REG_DIMENSIONS && place->reg->dimensions[d].count; d++)
        address += place->index[d] * place->reg->dimensions[d].stride;
    return address;
}

bool reg_field_exists(const struct reg_field *field, uint32_t revision, unsigned instances)
{
    return (field->revisions & revision) && field->instance < instances;
}

uint32_t reg_field_mask(const struct reg_field *field)
{
    return UINT32_MAX >> (31 - (field->high - field->low)) << field->low;
}

uint32_t reg_mask(const struct reg *reg, uint32_t revision, unsigned instances,
                  enum reg_access access)
{
    uint32_t mask = 0;
    if (!(reg->access & access))
        return 0;
    if (!reg->fields)
        return UINT32_MAX;
    for (const struct reg_field *field = reg->fields; field->name; field++)
        if ((field->access & access) && reg_field_exists(field, revision, instances))
            mask |= reg_field_mask(field);
    return mask;
}

uint32_t reg_storage(const struct reg *reg, uint32_t revision, unsigned instances)
{
    return reg_mask(reg, revision, instances, REG_READ) &
           reg_mask(reg, revision, instances, REG_WRITE);
}

uint32_t reg_documented(const struct reg *reg, uint32_t revision, unsigned instances)
{
    return reg_mask(reg, revision, instances, REG_READ) |
           reg_mask(reg, revision, instances, REG_WRITE);
}

const char *reg_element_name(const struct reg_place *place, char *text, size_t size)
{
    int length = snprintf(text, size, "%s", place->reg->name);
    for (unsigned d = 0; d < REG_DIMENSIONS && place->reg->dimensions[d].count; d++)
        if (length >= 0 && (size_t)length < size)
            length += snprintf(text + length, size - (size_t)length, "[%u]", place->index[d]);
    return text;
}

uint32_t reg_field_get(const struct reg_field *field, uint32_t value)
{
    return (value & reg_field_mask(field)) >> field->low;
}

const char *reg_value_name(const struct reg_field *field, uint32_t bits)
{
    for (const struct reg_value *value = field->values; value && value->name; value++)
        if (value->value == bits)
            return value->name;
    return NULL;
}

const char *reg_field_number(const struct reg_field *field, uint32_t bits, char text[REG_NUMBER])
{
    bool narrow = field->high - field->low < 4;
    snprintf(text, REG_NUMBER, narrow ? "%" PRIu32 : "0x%" PRIx32, bits);
    return text;
}
