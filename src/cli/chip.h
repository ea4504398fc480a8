/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_CHIP_H
#define TALLY_CLI_CHIP_H

#include <tally/chipset.h>

#include "intel/platforms.h"
#include "regs/regs.h"
#include "sink/output.h"

#define CHIP_MAPS_MAX 16

/* The register maps of an NVIDIA chipset or an Intel platform. */
struct chip {
    const char *name, *title;
    const struct tally_chipset *chipset;   /* NVIDIA, or NULL */
    const struct intel_platform *platform; /* Intel, or NULL */
    const struct reg_map *maps[CHIP_MAPS_MAX];
    unsigned map_count;
    uint32_t revision; /* bit of the revision in reg.revisions */
    unsigned domains;
};

/* Returns the registers of a chipset: PCOUNTER, and those around it. */
struct chip chip_of_chipset(const struct tally_chipset *chipset);

/* Fills in the registers of an Intel platform: of the OA unit, of its signal selection and of the
 * GT. Returns false if the platform has no model. */
bool chip_of_platform(const char *name, struct chip *out);

/* Fills in the registers of a chipset, of an Intel platform, or of the platform of a SKU. Returns
 * false if the name is unknown, or the platform has no model. */
bool chip_of_name(const char *name, struct chip *out);

/* Returns "ro", "wo", "rw" or "-". */
const char *access_name(unsigned access);

/* True for the registers of a domain and of a set of domains from GF100 on, which have a base per
 * domain and per set. */
bool is_relative(const struct chip *chip, const struct reg_map *map);

/* Formats the name of a register and its address: "PRE_SRC[dom]", "0x00a400 + dom*0x4". */
void describe_array(const struct chip *chip, const struct reg_map *map, const struct reg *reg,
                    char *name, char *address, size_t size);

/* True if the chip has the register and `wanted` is its name or NULL. */
bool is_listed(const struct chip *chip, const struct reg *reg, const char *wanted);

/* Formats the bits of a field: "7" or "15:8". */
void describe_bits(char *text, size_t size, const struct reg_field *field);

/* Writes a line for a field: bits, name, access, meaning, named values. */
void put_field_line(struct output *output, const struct reg_field *field);

/* Prints that the chip does not have a register of this name, with the nearest one. Returns
 * EXIT_USAGE. */
int unknown_register(const char *command, const struct chip *chip, const char *name);

#endif
