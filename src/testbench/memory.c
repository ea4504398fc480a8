/* SPDX-License-Identifier: MIT */
/* Sparse memory: a hash table of pages. */
#include "testbench/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

void memory_fini(struct memory *memory)
{
    for (size_t i = 0; i < memory->capacity; i++)
        free(memory->slots[i].bytes);
    free(memory->slots);
    *memory = (struct memory){0};
}

static size_t home(const struct memory *memory, uint64_t number)
{
    return (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (memory->capacity - 1);
}

/* Returns the slot of a page, or the free slot for it. The table is never full. */
static struct memory_page *find(const struct memory *memory, uint64_t number)
{
    size_t at = home(memory, number);
    while (memory->slots[at].number && memory->slots[at].number != number)
        at = (at + 1) & (memory->capacity - 1);
    return &memory->slots[at];
}

static const struct memory_page *look_up(const struct memory *memory, uint64_t address)
{
    if (!memory->capacity)
        return NULL;
    const struct memory_page *page = find(memory, address / MEMORY_PAGE + 1);
    return page->number ? page : NULL;
}

static int grow(struct memory *memory)
{
    struct memory larger = {.capacity = memory->capacity ? 2 * memory->capacity : 64,
                            .count = memory->count};
    larger.slots = calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < memory->capacity; i++)
        if (memory->slots[i].number)
            *find(&larger, memory->slots[i].number) = memory->slots[i];
    free(memory->slots);
    larger.exhausted = memory->exhausted;
    *memory = larger;
    return 0;
}

static struct memory_page *make(struct memory *memory, uint64_t address)
{
    uint64_t number = address / MEMORY_PAGE + 1;
    if (2 * memory->count >= memory->capacity && grow(memory) < 0)
        return NULL;
    struct memory_page *page = find(memory, number);
    if (!page->number) {
        page->number = number;
        memory->count++;
    }
    return page;
}

int memory_set_fault(struct memory *memory, uint64_t address, bool faults)
{
    if (!faults && !look_up(memory, address))
        return 0;
    struct memory_page *page = make(memory, address);
    if (!page)
        return -ENOMEM;
    page->faults = faults;
    return 0;
}

/* Returns the number of bytes of a range that are in its first page. */
static size_t part(uint64_t address, size_t bytes)
{
    return min_size(bytes, MEMORY_PAGE - (size_t)(address % MEMORY_PAGE));
}

bool memory_faults(const struct memory *memory, uint64_t address, size_t bytes)
{
    while (bytes) {
        size_t now = part(address, bytes);
        const struct memory_page *page = look_up(memory, address);
        if (page && page->faults)
            return true;
        address += now, bytes -= now;
    }
    return false;
}

void memory_write(struct memory *memory, uint64_t address, const uint8_t *data, size_t bytes)
{
    while (bytes) {
        size_t now = part(address, bytes);
        struct memory_page *page = make(memory, address);
        if (page && !page->bytes)
            page->bytes = calloc(1, MEMORY_PAGE);
        if (page && page->bytes)
            memcpy(page->bytes + address % MEMORY_PAGE, data, now);
        else
            memory->exhausted = true;
        address += now, data += now, bytes -= now;
    }
}

void memory_read(const struct memory *memory, uint64_t address, uint8_t *data, size_t bytes)
{
    while (bytes) {
        size_t now = part(address, bytes);
        const struct memory_page *page = look_up(memory, address);
        if (page && page->bytes)
            memcpy(data, page->bytes + address % MEMORY_PAGE, now);
        else
            memset(data, 0, now);
        address += now, data += now, bytes -= now;
    }
}
