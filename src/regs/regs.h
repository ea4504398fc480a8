/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_REGS_H
#define TALLY_REGS_REGS_H

/*
 * Registers as data.
 *
 * A `reg_map` is a table of the registers of one block of hardware in one layout: where each one
 * is, on which revisions it exists, what its fields are and who may access them, and the document
 * that says so. The model's reads and writes, `tally explain`, `tally list registers` and the tests
 * all walk the same table.
 *
 * A register may stand for an array of up to three dimensions. A revision is a bit in a mask that
 * the owner of the map defines.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REG_DIMENSIONS 3

enum reg_access { REG_READ = 1 << 0, REG_WRITE = 1 << 1, REG_READ_WRITE = REG_READ | REG_WRITE };

/* One value of a field that has a name. */
struct reg_value {
    uint32_t value;
    const char *name;
};

struct reg_field {
    const char *name;
    uint8_t low, high; /* bits, inclusive */
    uint8_t access;    /* enum reg_access */
    uint8_t instance;  /* the field is about this domain, and missing where there is none */
    uint32_t revisions;
    const struct reg_value *values; /* ended by a NULL name, or NULL */
    const char *meaning;            /* a phrase, or NULL */
};

struct reg_dimension {
    const char *letter; /* as the document calls the index: "dom", "i" */
    uint16_t count;     /* 0: no such dimension */
    uint32_t stride;    /* bytes */
};

struct reg {
    const char *name;
    uint32_t offset; /* bytes from the map's base */
    struct reg_dimension dimensions[REG_DIMENSIONS];
    uint32_t revisions;
    uint16_t id;    /* the owner's name for it, the same in all layouts */
    uint8_t access; /* enum reg_access */
    uint8_t flags;  /* the owner's */
    uint32_t reset;
    const struct reg_field *fields; /* ended by a NULL name; NULL: the 32 bits are one value */
    const char *meaning;
    const char *source;
};

struct reg_map {
    const char *name;     /* "nv40-pcounter" */
    const char *document; /* of all its registers */
    uint32_t base;        /* byte address */
    uint32_t size;        /* bytes */
    const struct reg *regs;
    size_t count;
};

/* Where an address leads. */
struct reg_place {
    const struct reg *reg;
    unsigned index[REG_DIMENSIONS];
};

/*
 * Finds the register at a byte address, for an access (REG_READ or REG_WRITE). Where two registers
 * share an address, the first in the table that has this access is taken, or else the first.
 * `instances` limits dimension 0 of arrays whose letter is "dom". False if there is none.
 */
bool reg_find(const struct reg_map *map, uint32_t revision, unsigned instances, uint32_t address,
              enum reg_access access, struct reg_place *out);

/* Address of an element. */
uint32_t reg_address(const struct reg_map *map, const struct reg_place *place);

/* The bits that the fields of a revision give an access to; all 32 if it has no fields but has the
 * access. */
uint32_t reg_mask(const struct reg *reg, uint32_t revision, unsigned instances,
                  enum reg_access access);

/* The bits that a write leaves in the register: those that can be written and read back. */
uint32_t reg_storage(const struct reg *reg, uint32_t revision, unsigned instances);

/* The bits of its fields, whatever the access; the others are reserved. */
uint32_t reg_documented(const struct reg *reg, uint32_t revision, unsigned instances);

/* Elements of a dimension that exist: one domain has one register of each array over domains. */
unsigned reg_extent(const struct reg_dimension *dimension, unsigned instances);

/* "PRE_SRC[3]" into text; returns text. */
const char *reg_element_name(const struct reg_place *place, char *text, size_t size);

/* A field's bits of a register value, and the name of such a value, or NULL. */
uint32_t reg_field_get(const struct reg_field *field, uint32_t value);
const char *reg_value_name(const struct reg_field *field, uint32_t bits);

/* A field's bits as a number for people: decimal up to four bits wide, hexadecimal above. Returns
 * text. */
#define REG_NUMBER 12
const char *reg_field_number(const struct reg_field *field, uint32_t bits, char text[REG_NUMBER]);

/* Is the field there on this revision, with so many instances? */
bool reg_field_exists(const struct reg_field *field, uint32_t revision, unsigned instances);

#endif
