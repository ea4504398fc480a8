/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_CODES_H
#define TALLY_WAVE_VCD_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The identifier codes of a dump, so that a change of none of them is noticed. Those of up to four
 * characters, which are nearly all of them, are bits of a map; the others lie in a hash table
 * whose hash a hostile dump cannot foresee.
 */
struct vcd_codes {
    uint64_t *map;
    size_t map_bits;
    struct vcd_code *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;      /* in the table */
    struct buffer text;
    uint64_t key;
};

/* Codes beyond four characters, and characters in all of them: what a hostile dump can cost. */
#define VCD_CODES_MAX      ((size_t)1 << 24)
#define VCD_CODE_BYTES_MAX ((size_t)1 << 28)

/* Returns 0, -ENOMEM, or -E2BIG: more than the limits above. A code that is there is fine. */
int vcd_codes_add(struct vcd_codes *codes, const char *code, size_t size);
bool vcd_codes_have(const struct vcd_codes *codes, const char *code, size_t size);
void vcd_codes_fini(struct vcd_codes *codes);

/* 18.2.1: one or more of the printable characters ! to ~. */
bool vcd_code_is_valid(const char *code, size_t size);

#endif
