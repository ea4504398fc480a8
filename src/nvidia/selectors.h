/* SPDX-License-Identifier: MIT */
#ifndef TALLY_NVIDIA_SELECTORS_H
#define TALLY_NVIDIA_SELECTORS_H

/* The registers that select which of a unit's signals reach PCOUNTER, from selectors.def. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>

/* A selector register of some chipsets. Static data. */
struct nvidia_selector {
    const char *name;        /* "PROP" */
    const char *first, *end; /* names of the first chipset that has it, and of the first one after
                              * it, in the order of documents that does not; "": all have it */
    uint32_t address;        /* byte offset in BAR0 */
    uint32_t mask;           /* the fields */
    uint32_t enable;         /* bit that must be set for the unit to drive the signals; 0: none */
    uint32_t stride;  /* bytes from the register of one GPC or partition to the next one's; 0:
                       * there is only one, or not published */
    const char *unit; /* what it selects from */
};

/* Returns the selector at an index of the table, of whatever chipset; NULL past the end. */
const struct nvidia_selector *nvidia_selector_at(size_t index);

/* Returns whether a chipset has a selector. */
bool nvidia_selector_has(const struct nvidia_selector *selector,
                         const struct tally_chipset *chipset);

/* Finds a selector of a chipset by its name, ignoring case. Returns NULL if there is none. */
const struct nvidia_selector *nvidia_selector_find(const struct tally_chipset *chipset,
                                                   const char *name);

#endif
