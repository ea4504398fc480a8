/* SPDX-License-Identifier: MIT */
#ifndef TALLY_REGS_REGS_H
#define TALLY_REGS_REGS_H

/*
 * Registers as data.
 *
 * A `reg_map` is a table of the registers of one hardware block in one layout: the address of each
 * register, the revisions that have it, its fields with their access, and the source document. The
 * model's reads and writes, `tally explain`, `tally list registers` and the tests use the same
 * table.
 *
 * An entry may describe an array of up to three dimensions. A revision is a bit in a mask; the
 * module that defines the map also defines the bits.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REG_DIMENSIONS 3

enum reg_access { REG_READ = 1 << 0, REG_WRITE = 1 << 1, REG_READ_WRITE = REG_READ | REG_WRITE };

/* A named value of a field. */
struct reg_value {
    uint32_t value;
    const char *name;
};

struct reg_field {
    const char *name;
    uint8_t low, high; /* bits, inclusive */
    uint8_t access;    /* enum reg_access */
    uint8_t instance;  /* domain that the field belongs to; exists only if the chip has it */
    uint32_t revisions;
    const struct reg_value *values; /* ends with a NULL name; may be NULL */
    const char *meaning;            /* a phrase, or NULL */
};

struct reg_dimension {
    const char *letter; /* the document's name of the index: "dom", "i" */
    uint16_t count;     /* elements; 0: unused dimension */
    uint32_t stride;    /* bytes */
};

struct reg {
    const char *name;
    uint32_t offset; /* bytes from the map's base */
    struct reg_dimension dimensions[REG_DIMENSIONS];
    uint32_t revisions;
    uint16_t id;    /* identifies the register in all layouts; defined by the map's module */
    uint8_t access; /* enum reg_access */
    uint8_t flags;  /* defined by the map's module */
    uint32_t reset;
    const struct reg_field *fields; /* ends with a NULL name; NULL: one value of 32 bits */
    const char *meaning;
    const char *source;
};

/* On what a row is based, in bits 1:0 of the flags of a map with `has_basis`. */
enum reg_basis {
    REG_DOCUMENTED, /* a document says what the register does */
    REG_OBSERVED,   /* a public driver depends on what the row says */
    REG_ASSUMED,    /* nothing shows that it is more, or less, than stored */
    REG_BASES
};
#define REG_BASIS(flags) ((enum reg_basis)((flags)&3u))

struct reg_map {
    const char *name;     /* "nv40-pcounter" */
    const char *document; /* source of all registers of the map */
    uint32_t base;        /* byte address */
    uint32_t size;        /* bytes */
    const struct reg *regs;
    size_t count;
    bool has_basis; /* bits 1:0 of the flags are enum reg_basis */
};

/* A register, or an element of an array of registers. */
struct reg_place {
    const struct reg *reg;
    unsigned index[REG_DIMENSIONS];
};

/*
 * Finds the register at a byte address for an access (REG_READ or REG_WRITE). If two registers
 * share the address, returns the first one in the table that allows the access, or else the first.
 * `instances` is the number of domains of the chip: it limits dimensions whose letter is "dom".
 * Returns false if there is no register.
 */
bool reg_find(const struct reg_map *map, uint32_t revision, unsigned instances, uint32_t address,
              enum reg_access access, struct reg_place *out);

/* Returns the byte address of an element. */
uint32_t reg_address(const struct reg_map *map, const struct reg_place *place);

/* Returns the mask of the bits that allow an access on a revision. A register without fields
 * returns all 32 bits or none. */
uint32_t reg_mask(const struct reg *reg, uint32_t revision, unsigned instances,
                  enum reg_access access);

/* Returns the mask of the bits that can be written and read back. */
uint32_t reg_storage(const struct reg *reg, uint32_t revision, unsigned instances);

/* Returns the mask of all fields, with any access; the other bits are reserved. */
uint32_t reg_documented(const struct reg *reg, uint32_t revision, unsigned instances);

/* Returns the number of elements of a dimension on a chip with this many domains. */
unsigned reg_extent(const struct reg_dimension *dimension, unsigned instances);

/* Writes a name such as "PRE_SRC[3]" to `text`. Returns `text`. */
const char *reg_element_name(const struct reg_place *place, char *text, size_t size);

/* Returns the bits of a field in its register. */
uint32_t reg_field_mask(const struct reg_field *field);

/* Extracts a field from the value of its register. */
uint32_t reg_field_get(const struct reg_field *field, uint32_t value);

/* Returns the name of a field's value, or NULL. */
const char *reg_value_name(const struct reg_field *field, uint32_t bits);

/* Writes a field's value to `text`: in decimal if the field has up to four bits, else in
 * hexadecimal. Returns `text`. */
#define REG_NUMBER 12
const char *reg_field_number(const struct reg_field *field, uint32_t bits, char text[REG_NUMBER]);

/* Whether the field exists on a revision, on a chip with this many domains. */
bool reg_field_exists(const struct reg_field *field, uint32_t revision, unsigned instances);

#endif
