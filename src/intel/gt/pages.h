/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GT_PAGES_H
#define TALLY_INTEL_GT_PAGES_H

/*
 * Page tables: the GGTT's entries, which are in GTTMMADR, and the tables of a PPGTT, which are in
 * memory. Gen6 to Gen7.5 have 32-bit entries and two levels, whose directory lies among the entries
 * of the GGTT; Gen8 and later 64-bit entries and four levels, except that Cherryview's driver uses
 * 32 bits of address: four directories, of two levels each (OA-16.10; public i915 driver,
 * public PRMs).
 *
 *     struct gt_pages pages = {.format = gt_page_format(platform->pages), .entry = ..., ...};
 *     gt_pages_ggtt(&pages, address, &place);             // place.physical
 *     gt_pages_ppgtt(&pages, root, address, &place);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intel/platforms.h"

struct gt_page_format;

/* Returns the format of the tables. */
const struct gt_page_format *gt_page_format(enum intel_page_tables tables);

struct gt_pages {
    const struct gt_page_format *format;

    /* Read an entry of the GGTT, at a byte offset in its table, and memory at a physical address.
     * False: there is none. `bytes`: 4 or 8. */
    bool (*entry)(void *closure, uint64_t offset, void *data, size_t bytes);
    bool (*memory)(void *closure, uint64_t physical, void *data, size_t bytes);
    void *closure;
};

/* A translated address, and the bytes to the end of its page. */
struct gt_page_place {
    uint64_t physical, bytes;
};

/* Sets *index to the number of the root for an address of a PPGTT: 0, on Cherryview up to 3. False:
 * the address is beyond the last one. */
bool gt_pages_root(const struct gt_page_format *format, uint64_t address, unsigned *index);

/* Translate an address of the GGTT, or of the PPGTT with the root for it: the value of PP_DIR_BASE,
 * or from Gen8 on a PDP of the context. False: a page is not present. */
bool gt_pages_ggtt(const struct gt_pages *pages, uint64_t address, struct gt_page_place *place);
bool gt_pages_ppgtt(const struct gt_pages *pages, uint64_t root, uint64_t address,
                    struct gt_page_place *place);

#endif
