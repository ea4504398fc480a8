/* SPDX-License-Identifier: MIT */
#include "intel/gt/pages.h"

#include "base/bits.h"
#include "intel/symbols.h"

#define PAGE_BITS       12
#define LARGE_PAGE_BITS 16 /* 64 KB */
#define PRESENT         1u

struct level {
    uint8_t low, bits;      /* of the address: the index */
    uint64_t page;          /* entry bit: maps a page instead of a table */
    uint64_t large_entries; /* entry bit: the table below maps pages of 64 KB, with each 16th entry
                               valid */
};

struct gt_page_format {
    uint8_t entry_bytes;
    uint64_t address;       /* bits of an entry: the address, in place */
    uint64_t high;          /* bits of an entry: the address from bit 32 on */
    bool directory_in_ggtt; /* the root is PP_DIR_BASE */
    struct level levels[4]; /* from the root */
    unsigned level_count;
    unsigned roots, root_low; /* number of roots, and the bit of the address that numbers them */
};

// clang-format off
static const struct gt_page_format formats[] = {
    [PAGES_GEN6] = {4, 0xfffff000, 0xff0, true, {{22, 9, 0, 0}, {12, 10, 0, 0}}, 2, 1, 31},
    [PAGES_HSW]  = {4, 0xfffff000, 0x7f0, true, {{22, 9, 0, 0}, {12, 10, 0, 0}}, 2, 1, 31},
    [PAGES_GEN8] = {8, UINT64_C(0x0000fffffffff000), 0, false,
                    {{39, 9, 0, 0}, {30, 9, 0x80, 0}, {21, 9, 0x80, 0x800}, {12, 9, 0, 0}}, 4, 1, 48},
    [PAGES_CHV]  = {8, UINT64_C(0x0000fffffffff000), 0, false, {{21, 9, 0, 0}, {12, 9, 0, 0}}, 2, 4, 30},
};
// clang-format on

const struct gt_page_format *gt_page_format(enum intel_page_tables tables)
{
    return &formats[tables];
}

/* ---- entries --------------------------------------------------------------------------------- */

static uint64_t value_of(const uint8_t *data, unsigned bytes)
{
    return bytes == 8 ? load_le64(data) : load_le32(data);
}

/* Returns the address in an entry. */
static uint64_t address_of(const struct gt_page_format *format, uint64_t entry)
{
    uint64_t address = entry & format->address;
    if (format->high)
        address |= (entry & format->high) / (format->high & -format->high) << 32;
    return address;
}

static bool set_place(uint64_t page, unsigned bits, uint64_t address, struct gt_page_place *place)
{
    uint64_t bytes = UINT64_C(1) << bits, offset = address & (bytes - 1);
    *place = (struct gt_page_place){(page & ~(bytes - 1)) + offset, bytes - offset};
    return true;
}

bool gt_pages_ggtt(const struct gt_pages *pages, uint64_t address, struct gt_page_place *place)
{
    const struct gt_page_format *format = pages->format;
    uint8_t data[8];
    if (!pages->entry(pages->closure, (address >> PAGE_BITS) * format->entry_bytes, data,
                      format->entry_bytes))
        return false;
    uint64_t entry = value_of(data, format->entry_bytes);
    return (entry & PRESENT) && set_place(address_of(format, entry), PAGE_BITS, address, place);
}

/* ---- tables in memory ------------------------------------------------------------------------ */

/* PP_DIR_BASE has the directory's offset in the GGTT's table in 31:16, in units of 64 bytes. */
static uint64_t directory_offset(uint64_t root)
{
    return REG_GET(RING_PP_DIR_BASE, OFFSET, root) * UINT64_C(64);
}

static bool read_entry(const struct gt_pages *pages, bool in_ggtt, uint64_t table, unsigned index,
                       uint64_t *entry)
{
    unsigned bytes = pages->format->entry_bytes;
    uint8_t data[8];
    bool (*read)(void *, uint64_t, void *, size_t) = in_ggtt ? pages->entry : pages->memory;
    if (!read(pages->closure, table + (uint64_t)index * bytes, data, bytes))
        return false;
    *entry = value_of(data, bytes);
    return *entry & PRESENT;
}

bool gt_pages_root(const struct gt_page_format *format, uint64_t address, unsigned *index)
{
    *index = (unsigned)(address >> format->root_low);
    return address >> format->root_low < format->roots;
}

bool gt_pages_ppgtt(const struct gt_pages *pages, uint64_t root, uint64_t address,
                    struct gt_page_place *place)
{
    const struct gt_page_format *format = pages->format;
    bool in_ggtt = format->directory_in_ggtt;
    uint64_t table = in_ggtt ? directory_offset(root) : root & format->address, entry = 0;
    unsigned large = 0; /* bits of the last index that pages of 64 KB do not use */
    for (unsigned i = 0; i < format->level_count; i++) {
        const struct level *level = &format->levels[i];
        unsigned index = (unsigned)(address >> level->low) & ((1u << level->bits) - 1);
        index &= ~((1u << large) - 1);
        if (!read_entry(pages, in_ggtt, table, index, &entry))
            return false;
        if (entry & level->page)
            return set_place(address_of(format, entry), level->low, address, place);
        if (entry & level->large_entries)
            large = LARGE_PAGE_BITS - PAGE_BITS;
        table = address_of(format, entry);
        in_ggtt = false;
    }
    return set_place(table, PAGE_BITS + large, address, place);
}
