/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_INDEX_H
#define TALLY_REGS_INDEX_H

/*
 * All registers of a platform in one index: an address leads to its register, to the element of its
 * array, and to the functions that read and write it, in constant time and in ascending order of
 * addresses. An index is built from register tables and never changes, so any number of models and
 * threads can share it.
 *
 *     struct reg_request request = {.address = address};
 *     request.row = reg_index_find(index, address, &request.element);
 *     if (reg_judge_read(request.row) == REG_DONE)
 *         value = request.row->handler.read(model, &request);
 */

#include "regs/regs.h"

/* One access, as a handler sees it. */
struct reg_request {
    const struct reg_row *row;
    uint32_t address;
    unsigned element; /* of an array, the last dimension first; else 0 */

    /* Units of which there are several: those that a write reaches (a bit each), and the one that
     * is read. */
    uint32_t instances;
    unsigned instance;
};

/* They are called only for accesses that the register has. */
typedef uint32_t reg_reader(void *context, const struct reg_request *request);
typedef void reg_writer(void *context, const struct reg_request *request, uint32_t value);

struct reg_handler {
    reg_reader *read;
    reg_writer *write;
};

/* A table with its handlers, defined beside the table. */
struct reg_block {
    const struct reg_map *map;
    struct reg_handler common;         /* of all its registers, except for those below */
    const struct reg_handler *special; /* by reg.id; NULL members: the common one. May be NULL */
    size_t special_count;
    uint16_t first_id, end_id; /* only registers with ids in [first_id, end_id); 0, 0: all */
};

/* A block in an index. `part` is the caller's: which context the handlers take. */
struct reg_part {
    const struct reg_block *block;
    unsigned part;
};

struct reg_row {
    const struct reg *reg;
    const struct reg_map *map;
    struct reg_handler handler;
    uint32_t documented; /* bits of the register's fields; the others are reserved */
    uint32_t writable;   /* those that a write may change */
    unsigned part;
};

#define REG_PAGE_BYTES 1024u
#define REG_PAGE_SLOTS (REG_PAGE_BYTES / 4)

struct reg_slot {
    uint16_t row; /* 1 for rows[0]; 0: no register */
    uint16_t element;
};

struct reg_page {
    struct reg_slot slots[REG_PAGE_SLOTS];
};

struct reg_index {
    uint32_t revision;
    unsigned instances;
    struct reg_row *rows;
    size_t row_count;
    uint16_t *page_of; /* by address / REG_PAGE_BYTES: 1 for pages[0]; 0: no register there */
    size_t page_of_count;
    struct reg_page *pages;
    size_t page_count;

    /* Addresses with more than one register, of which the first in the tables is kept. A test makes
     * sure that there are none. */
    size_t conflicts;
    uint32_t conflict; /* the first of these addresses */
};

/*
 * Builds the index of a revision with so many instances (as reg_find() takes them) from parts in
 * order. Returns NULL without memory, or if an array or the table is too large (65,535).
 */
struct reg_index *reg_index_new(const struct reg_part *parts, size_t count, uint32_t revision,
                                unsigned instances);
void reg_index_free(struct reg_index *index);

/*
 * Makes an index that was just built (NULL: it was not) the one that a platform's models share, or
 * frees it, if another thread was first. Returns the shared one; it is never freed.
 */
const struct reg_index *reg_index_publish(struct reg_index *_Atomic *shared,
                                          struct reg_index *built);

/* The register at a byte address, and its element; NULL: there is none. */
static inline const struct reg_row *reg_index_find(const struct reg_index *index, uint32_t address,
                                                   unsigned *element)
{
    size_t page = address / REG_PAGE_BYTES;
    if (address % 4 || page >= index->page_of_count || !index->page_of[page])
        return NULL;
    struct reg_slot slot =
        index->pages[index->page_of[page] - 1].slots[address % REG_PAGE_BYTES / 4];
    *element = slot.element;
    return slot.row ? &index->rows[slot.row - 1] : NULL;
}

/* The address of the first register at `from` or above; false: there is none. */
bool reg_index_next(const struct reg_index *index, uint32_t from, uint32_t *out);

/* The register at a byte address as reg_find() gives it, for names and fields. */
bool reg_index_place(const struct reg_index *index, uint32_t address, struct reg_place *out);

/*
 * A part by itself, without an index: the register is found by a walk over the block's table. False
 * if there is none. What a register does not have reads 0 and ignores writes. Writes reach all
 * instances, reads the first one.
 */
bool reg_block_read(const struct reg_block *block, uint32_t revision, void *context,
                    uint32_t address, uint32_t *out);
bool reg_block_write(const struct reg_block *block, uint32_t revision, void *context,
                     uint32_t address, uint32_t value);

/* What an access comes to, as far as the register knows. */
enum reg_verdict {
    REG_DONE,
    REG_UNKNOWN,      /* no register there */
    REG_READ_ONLY,    /* a write that is ignored */
    REG_WRITE_ONLY,   /* a read that gives 0 */
    REG_RESERVED_BITS /* a write that is done, of bits that the register has not */
};

static inline enum reg_verdict reg_judge_read(const struct reg_row *row)
{
    return !row ? REG_UNKNOWN : row->reg->access & REG_READ ? REG_DONE : REG_WRITE_ONLY;
}

static inline enum reg_verdict reg_judge_write(const struct reg_row *row, uint32_t value)
{
    if (!row)
        return REG_UNKNOWN;
    if (!(row->reg->access & REG_WRITE))
        return REG_READ_ONLY;
    return value & ~row->documented ? REG_RESERVED_BITS : REG_DONE;
}

#endif
