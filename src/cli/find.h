/* SPDX-License-Identifier: MIT */
#ifndef TALLY_CLI_FIND_H
#define TALLY_CLI_FIND_H

/* Registers of a chip by address and by name, and the text of their fields' values, for tally
 * explain and tally mmio. */

#include <tally/error.h>

#include "cli/chip.h"

struct tally_pcounter;

/* A chip whose registers are looked up, and the register that was found last. */
struct found {
    struct chip chip;
    struct tally_pcounter *engine; /* locates NVIDIA registers; NULL for Intel */
    const struct reg_map *map;
    struct reg_place place;
    unsigned domain; /* of a PCOUNTER register */
    uint32_t address;
};

/* Prepares a chip for lookups. Returns 0; -ENODEV and an error: the chipset has no PCOUNTER;
 * -ENOMEM. */
int found_init(struct found *found, const struct chip *chip, struct tally_error *error);
void found_fini(struct found *found);

/* Finds the register at an address. If reads and writes access different registers, the one that is
 * written is meant (PC-D20). */
bool find_by_address(struct found *found, uint32_t address);

/*
 * Finds a register by name, in any case: "CTRL[0]", "SIG_STATUS[1][0][2]", "HOST_MEM.PMEM". A
 * prefix selects the map, "pmc.ENABLE", "vcs0.RING_TAIL"; from GF100 on also the set of domains and
 * the domain: "part3.dom1.CTRL", "hub.DSET_CTRL". Without one it is the first register of the name.
 */
bool find_by_name(struct found *found, const char *name);

/* Whether a name, of `size` bytes, is that of a map or a part of it: "nv40-pcounter", "pcounter".
 */
bool is_map_name(const struct reg_map *map, const char *name, size_t size);

/* Writes the name of the register that was found, with set and domain: "part3.dom1.CTRL". Returns
 * `text`. */
const char *found_name(const struct found *found, char *text, size_t size);

/* Writes what a value of a field means: its name, a signal, a formula; "" if nothing is known.
 * Returns `text`. */
const char *found_value_text(const struct found *found, const struct reg_field *field,
                             uint32_t bits, char *text, size_t size);

/* Writes a line for each field of the register with its part of a value, and one for bits that are
 * not defined; or only the line of a field. */
void put_value_lines(struct output *output, const struct found *found, uint32_t value,
                     const struct reg_field *only);

/* Prints the error for a register that was not found: an array needs indices. Returns EXIT_USAGE.
 */
int register_not_found(const char *command, const struct found *found, const char *what);

#endif
