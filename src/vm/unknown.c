/* SPDX-License-Identifier: MIT */
#include "vm/unknown.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Returns the place of an address in the list, or where to insert it. */
static size_t place_of(const struct vm_unknown *unknown, uint32_t address)
{
    size_t low = 0, high = unknown->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (unknown->registers[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct vm_unknown *unknown, size_t place, uint32_t address)
{
    if (unknown->count == unknown->capacity) {
        size_t capacity = unknown->capacity ? 2 * unknown->capacity : 256;
        struct vm_unknown_register *grown =
            realloc(unknown->registers, capacity * sizeof *unknown->registers);
        if (!grown)
            return false;
        unknown->registers = grown;
        unknown->capacity = capacity;
    }
    memmove(&unknown->registers[place + 1], &unknown->registers[place],
            (unknown->count - place) * sizeof *unknown->registers);
    unknown->registers[place] = (struct vm_unknown_register){.address = address};
    unknown->count++;
    return true;
}

void vm_unknown_add(struct vm_unknown *unknown, uint32_t address, bool write)
{
    size_t place = place_of(unknown, address);
    bool found = place < unknown->count && unknown->registers[place].address == address;
    if (!found && !insert(unknown, place, address)) {
        unknown->lost++;
        return;
    }
    unknown->registers[place].read |= !write;
    unknown->registers[place].written |= write;
}

size_t vm_unknown_read(const struct vm_unknown *unknown)
{
    size_t count = 0;
    for (size_t i = 0; i < unknown->count; i++)
        count += unknown->registers[i].read;
    return count;
}

void vm_unknown_write(const struct vm_unknown *unknown, FILE *file)
{
    for (size_t i = 0; i < unknown->count; i++) {
        const struct vm_unknown_register *reg = &unknown->registers[i];
        fprintf(file, "0x%06" PRIx32 " %c%c\n", reg->address, reg->read ? 'r' : '-',
                reg->written ? 'w' : '-');
    }
}

void vm_unknown_free(struct vm_unknown *unknown)
{
    free(unknown->registers);
    *unknown = (struct vm_unknown){0};
}
