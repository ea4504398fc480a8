/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_INDEX_H
#define TALLY_REGS_INDEX_H

/*
 * An index of all registers of a platform. It maps an address, in constant time, to the register,
 * the array element and the functions that read and write it, and lists addresses in ascending
 * order. It is built from register tables and never changes, so models and threads can share it.
 *
 *     struct reg_request request = {.address = address};
 *     request.row = reg_index_find(index, address, &request.element);
 *     if (reg_check_read(request.row) == REG_DONE)
 *         value = request.row->handler.read(model, &request);
 */

#include "regs/regs.h"

/* An access, as passed to a handler. */
struct reg_request {
    const struct reg_row *row;
    uint32_t address;
    unsigned element; /* index in an array, the last dimension varying fastest; else 0 */

    /* For units with several instances: */
    uint32_t instances; /* mask of the instances that a write reaches */
    unsigned instance;  /* the instance that is read */
};

/* Called only if the register allows the access. */
typedef uint32_t reg_reader(void *context, const struct reg_request *request);
typedef void reg_writer(void *context, const struct reg_request *request, uint32_t value);

struct reg_handler {
    reg_reader *read;
    reg_writer *write;
};

/* A register table with its handlers, defined beside the table. */
struct reg_block {
    const struct reg_map *map;
    struct reg_handler common;         /* default for all registers */
    const struct reg_handler *special; /* by reg.id; NULL members mean `common`. May be NULL */
    size_t special_count;
    uint16_t first_id, end_id; /* only registers with ids in [first_id, end_id); 0, 0: all */
    uint8_t access;            /* only registers with this access (enum reg_access); 0: all */
};

/* A block in an index. `part` is chosen by the caller and identifies the handlers' context. */
struct reg_part {
    const struct reg_block *block;
    unsigned part;
};

struct reg_row {
    const struct reg *reg;
    const struct reg_map *map;
    struct reg_handler handler;
    uint32_t documented; /* bits of the register's fields; the others are reserved */
    uint32_t writable;   /* bits that a write may change */
    uint32_t stored;     /* those of them that can be read back */
    unsigned part;
    unsigned inner; /* array: elements for an index of the first dimension; else 0 */
};

#define REG_PAGE_BYTES 1024u
#define REG_PAGE_SLOTS (REG_PAGE_BYTES / 4)

struct reg_slot {
    uint16_t row; /* index into rows + 1; 0: no register */
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
    uint16_t *page_of; /* by address / REG_PAGE_BYTES: index into pages + 1; 0: no registers */
    size_t page_of_count;
    struct reg_page *pages;
    size_t page_count;

    /* Addresses with more than one register. The first register in the tables is kept. A test
     * checks that there are none. */
    size_t conflicts;
    uint32_t conflict; /* the first such address */
};

/*
 * Builds an index from parts, in order. `revision` and `instances` are as in reg_find(). Returns
 * NULL if out of memory, or if an array or the table has more than 65,535 elements.
 */
struct reg_index *reg_index_new(const struct reg_part *parts, size_t count, uint32_t revision,
                                unsigned instances);
void reg_index_free(struct reg_index *index);

/*
 * Publishes a new index, which may be NULL, as the one that all models of a platform share. If
 * another thread has already published one, frees the new one. Returns the shared index, which is
 * never freed.
 */
const struct reg_index *reg_index_publish(struct reg_index *_Atomic *shared,
                                          struct reg_index *built);

/* Finds the register and the element at a byte address; NULL if there is none. */
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

/* Finds the register at a byte address, in the form that reg_find() returns. */
bool reg_index_place(const struct reg_index *index, uint32_t address, struct reg_place *out);

/*
 * Read or write a register of one block without an index, by a linear search of its table. Return
 * false if there is no register. Write-only registers read 0; writes to read-only registers are
 * ignored. Writes reach all instances, reads the first one.
 */
bool reg_block_read(const struct reg_block *block, uint32_t revision, void *context,
                    uint32_t address, uint32_t *out);
bool reg_block_write(const struct reg_block *block, uint32_t revision, void *context,
                     uint32_t address, uint32_t value);

/* Outcome of an access, as far as the register decides it. */
enum reg_access_outcome {
    REG_DONE,
    REG_UNKNOWN,      /* no register at the address */
    REG_READ_ONLY,    /* the write is ignored */
    REG_WRITE_ONLY,   /* the read returns 0 */
    REG_RESERVED_BITS /* the write is carried out, and sets reserved bits */
};

static inline enum reg_access_outcome reg_check_read(const struct reg_row *row)
{
    return !row ? REG_UNKNOWN : row->reg->access & REG_READ ? REG_DONE : REG_WRITE_ONLY;
}

static inline enum reg_access_outcome reg_check_write(const struct reg_row *row, uint32_t value)
{
    if (!row)
        return REG_UNKNOWN;
    if (!(row->reg->access & REG_WRITE))
        return REG_READ_ONLY;
    return value & ~row->documented ? REG_RESERVED_BITS : REG_DONE;
}

#endif
