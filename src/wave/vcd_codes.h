/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_VCD_CODES_H
#define TALLY_WAVE_VCD_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

/*
 * The set of identifier codes of a dump, to detect changes of undeclared codes. Codes of up to four
 * characters, nearly all in practice, are bits of a map; longer ones are in a hash table with a
 * random key, so that a hostile dump cannot force collisions.
 */
struct vcd_codes {
    uint64_t *map;
    size_t map_bits;
    struct vcd_code *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;      /* codes in the hash table */
    struct buffer text;
    uint64_t key;
};

/* Maximum number of codes in the hash table, and of characters in them; they limit the memory that
 * a hostile dump can use. */
#define VCD_CODES_MAX      ((size_t)1 << 24)
#define VCD_CODE_BYTES_MAX ((size_t)1 << 28)

/* Adds a code; does nothing if it is present. Returns 0, -ENOMEM, or -E2BIG beyond the limits
 * above. */
int vcd_codes_add(struct vcd_codes *codes, const char *code, size_t size);
bool vcd_codes_have(const struct vcd_codes *codes, const char *code, size_t size);
void vcd_codes_fini(struct vcd_codes *codes);

/* True if the code is one or more of the printable characters ! to ~ (18.2.1). */
bool vcd_code_is_valid(const char *code, size_t size);

#endif
