/* SPDX-License-Identifier: MIT */
/* Builds the index of a platform's registers. */
#include "regs/index.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define LIMIT UINT16_MAX

/* ---- elements -------------------------------------------------------------------------------- */

/* Returns the number of elements of an array; 1 for a single register. */
static size_t element_count(const struct reg *reg, unsigned instances)
{
    size_t count = 1;
    for (unsigned d = 0; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        count *= reg_extent(&reg->dimensions[d], instances);
    return count;
}

/* Returns the indices of an element. The last dimension varies fastest. */
static struct reg_place place_of(const struct reg *reg, unsigned instances, size_t element)
{
    struct reg_place place = {.reg = reg};
    unsigned dimensions = 0;
    while (dimensions < REG_DIMENSIONS && reg->dimensions[dimensions].count)
        dimensions++;
    for (unsigned d = dimensions; d-- > 0;) {
        unsigned extent = reg_extent(&reg->dimensions[d], instances);
        place.index[d] = (unsigned)(element % extent);
        element /= extent;
    }
    return place;
}

/* ---- building -------------------------------------------------------------------------------- */

static bool is_part_of(const struct reg_block *block, const struct reg *reg, uint32_t revision)
{
    return (reg->revisions & revision) && (!block->access || (reg->access & block->access)) &&
           (!block->end_id || (reg->id >= block->first_id && reg->id < block->end_id));
}

/* Whether an address is inside the map; reg_find() finds no others. */
static bool is_in(const struct reg_map *map, uint32_t address)
{
    return address - map->base < map->size;
}

struct sizes {
    size_t rows;
    uint32_t end; /* last address + 4 */
};

static struct sizes measure(const struct reg_part *parts, size_t count, uint32_t revision,
                            unsigned instances)
{
    struct sizes sizes = {0};
    for (size_t p = 0; p < count; p++) {
        const struct reg_map *map = parts[p].block->map;
        for (size_t r = 0; r < map->count; r++) {
            const struct reg *reg = &map->regs[r];
            if (!is_part_of(parts[p].block, reg, revision))
                continue;
            sizes.rows++;
            size_t elements = element_count(reg, instances);
            if (!elements)
                continue;
            struct reg_place last = place_of(reg, instances, elements - 1);
            uint32_t address = reg_address(map, &last);
            if (address >= sizes.end)
                sizes.end = address + 4;
        }
    }
    return sizes;
}

static struct reg_page *page_at(struct reg_index *index, uint32_t address)
{
    uint16_t *page = &index->page_of[address / REG_PAGE_BYTES];
    if (!*page) {
        struct reg_page *pages =
            realloc(index->pages, (index->page_count + 1) * sizeof *index->pages);
        if (!pages)
            return NULL;
        index->pages = pages;
        memset(&pages[index->page_count], 0, sizeof *pages);
        *page = (uint16_t)++index->page_count;
    }
    return &index->pages[*page - 1];
}

/* Enters every element of the last row into its slot. */
static bool place_row(struct reg_index *index)
{
    const struct reg_row *row = &index->rows[index->row_count - 1];
    size_t elements = element_count(row->reg, index->instances);
    if (elements > LIMIT)
        return false;
    for (size_t i = 0; i < elements; i++) {
        struct reg_place place = place_of(row->reg, index->instances, i);
        uint32_t address = reg_address(row->map, &place);
        if (!is_in(row->map, address))
            continue;
        struct reg_page *page = page_at(index, address);
        if (!page)
            return false;
        struct reg_slot *slot = &page->slots[address % REG_PAGE_BYTES / 4];
        if (!slot->row)
            *slot = (struct reg_slot){(uint16_t)index->row_count, (uint16_t)i};
        else if (!index->conflicts++)
            index->conflict = address;
    }
    return true;
}

static struct reg_handler handler_of(const struct reg_block *block, const struct reg *reg)
{
    struct reg_handler handler = block->common;
    if (reg->id < block->special_count) {
        const struct reg_handler *special = &block->special[reg->id];
        handler.read = special->read ? special->read : handler.read;
        handler.write = special->write ? special->write : handler.write;
    }
    return handler;
}

/* Returns the number of elements for an index of the first dimension; 0 for a single register. */
static unsigned inner_count(const struct reg *reg, unsigned instances)
{
    unsigned count = reg->dimensions[0].count != 0;
    for (unsigned d = 1; d < REG_DIMENSIONS && reg->dimensions[d].count; d++)
        count *= reg_extent(&reg->dimensions[d], instances);
    return count;
}

static struct reg_row row_of(const struct reg_block *block, const struct reg *reg,
                             uint32_t revision, unsigned instances)
{
    return (struct reg_row){
        .reg = reg,
        .map = block->map,
        .handler = handler_of(block, reg),
        .documented = reg_documented(reg, revision, instances),
        .writable = reg_mask(reg, revision, instances, REG_WRITE),
        .stored = reg_storage(reg, revision, instances),
        .inner = inner_count(reg, instances),
    };
}

static bool add_part(struct reg_index *index, const struct reg_part *part)
{
    const struct reg_block *block = part->block;
    for (size_t r = 0; r < block->map->count; r++) {
        const struct reg *reg = &block->map->regs[r];
        if (!is_part_of(block, reg, index->revision))
            continue;
        struct reg_row *row = &index->rows[index->row_count++];
        *row = row_of(block, reg, index->revision, index->instances);
        row->part = part->part;
        if (!place_row(index))
            return false;
    }
    return true;
}

struct reg_index *reg_index_new(const struct reg_part *parts, size_t count, uint32_t revision,
                                unsigned instances)
{
    struct sizes sizes = measure(parts, count, revision, instances);
    struct reg_index *index = calloc(1, sizeof *index);
    if (!index || sizes.rows > LIMIT)
        goto failed;
    index->revision = revision;
    index->instances = instances;
    index->page_of_count = (sizes.end + REG_PAGE_BYTES - 1) / REG_PAGE_BYTES;
    index->page_of = calloc(index->page_of_count + 1, sizeof *index->page_of);
    index->rows = calloc(sizes.rows + 1, sizeof *index->rows);
    if (!index->page_of || !index->rows)
        goto failed;
    for (size_t p = 0; p < count; p++)
        if (!add_part(index, &parts[p]))
            goto failed;
    return index;
failed:
    reg_index_free(index);
    return NULL;
}

void reg_index_free(struct reg_index *index)
{
    if (!index)
        return;
    free(index->rows);
    free(index->page_of);
    free(index->pages);
    free(index);
}

const struct reg_index *reg_index_publish(struct reg_index *_Atomic *shared,
                                          struct reg_index *built)
{
    struct reg_index *first = NULL;
    if (!built || atomic_compare_exchange_strong(shared, &first, built))
        return built;
    reg_index_free(built);
    return first;
}

/* ---- walking --------------------------------------------------------------------------------- */

bool reg_index_place(const struct reg_index *index, uint32_t address, struct reg_place *out)
{
    unsigned element;
    const struct reg_row *row = reg_index_find(index, address, &element);
    if (row)
        *out = place_of(row->reg, index->instances, element);
    return row;
}

/* ---- without an index ------------------------------------------------------------------------ */

/* Returns the element number of a place; the inverse of place_of(). */
static unsigned element_of(const struct reg_place *place)
{
    unsigned element = 0;
    for (unsigned d = 0; d < REG_DIMENSIONS && place->reg->dimensions[d].count; d++)
        element = element * place->reg->dimensions[d].count + place->index[d];
    return element;
}

static bool find_in_block(const struct reg_block *block, uint32_t revision, uint32_t address,
                          enum reg_access access, struct reg_row *row, struct reg_request *request)
{
    struct reg_place place;
    if (!reg_find(block->map, revision, UINT_MAX, address, access, &place) ||
        !is_part_of(block, place.reg, revision))
        return false;
    *row = row_of(block, place.reg, revision, UINT_MAX);
    *request = (struct reg_request){row, address, element_of(&place), UINT32_MAX, 0};
    return true;
}

bool reg_block_read(const struct reg_block *block, uint32_t revision, void *context,
                    uint32_t address, uint32_t *out)
{
    struct reg_row row;
    struct reg_request request;
    if (!find_in_block(block, revision, address, REG_READ, &row, &request))
        return false;
    *out = row.reg->access & REG_READ ? row.handler.read(context, &request) : 0;
    return true;
}

bool reg_block_write(const struct reg_block *block, uint32_t revision, void *context,
                     uint32_t address, uint32_t value)
{
    struct reg_row row;
    struct reg_request request;
    if (!find_in_block(block, revision, address, REG_WRITE, &row, &request))
        return false;
    if (row.reg->access & REG_WRITE)
        row.handler.write(context, &request, value);
    return true;
}
