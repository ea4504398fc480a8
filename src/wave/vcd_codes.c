/* SPDX-License-Identifier: MIT */
#include "wave/vcd_codes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/minmax.h"
#include "base/ratio.h"

/* A code is a number to the base 94 with the digits ! to ~. MAP_SMALL and MAP_LARGE: number of
 * codes with up to three and up to four digits. */
#define DIGITS    ((size_t)94)
#define MAP_SMALL (DIGITS * (1 + DIGITS * (1 + DIGITS)))
#define MAP_LARGE (DIGITS * (1 + DIGITS * (1 + DIGITS * (1 + DIGITS))))
#define SHORT_MAX 4

struct vcd_code {
    size_t offset; /* in `text` */
    size_t size;   /* 0: the slot is free */
    uint64_t hash;
};

bool vcd_code_is_valid(const char *code, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (code[i] < '!' || code[i] > '~')
            return false;
    return size > 0;
}

/* Returns the index of a short code in the map, or MAP_LARGE if it has an invalid character.
 * Shorter codes come first. */
static inline size_t short_index(const char *code, size_t size)
{
    size_t index = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned digit = (unsigned)(uint8_t)code[i] - '!';
        if (digit >= DIGITS)
            return MAP_LARGE;
        index = index * DIGITS + digit + 1;
    }
    return index - 1;
}

/*
 * Polynomial hash in a random base, modulo the prime 2^61 - 1, over groups of seven bytes; the last
 * group is multiplied too. Two different codes of n groups collide with a probability of at most n
 * in 2^61, and their low bits with about the probability of random numbers.
 */
static uint64_t hash_code(const struct vcd_codes *codes, const char *code, size_t size)
{
    const uint64_t prime = (UINT64_C(1) << 61) - 1;
    uint64_t hash = size;
    for (size_t i = 0; i < size; i += 7) {
        uint64_t group = 0;
        memcpy(&group, code + i, min_size(size - i, 7));
        uint128 product = (uint128)(hash + group) * codes->key;
        hash = (uint64_t)(product & prime) + (uint64_t)(product >> 61);
        hash = (hash & prime) + (hash >> 61);
    }
    return hash;
}

static struct vcd_code *find_slot(const struct vcd_codes *codes, const char *code, size_t size,
                                  uint64_t hash)
{
    size_t mask = codes->slot_count - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct vcd_code *slot = &codes->slots[i];
        if (!slot->size || (slot->hash == hash && slot->size == size &&
                            !memcmp(codes->text.bytes + slot->offset, code, size)))
            return slot;
    }
}

/* Doubles the table before it is three quarters full. */
static int grow_table(struct vcd_codes *codes)
{
    if (codes->slot_count && codes->count < codes->slot_count / 4 * 3)
        return 0;
    struct vcd_codes grown = *codes;
    grown.slot_count = codes->slot_count ? codes->slot_count * 2 : 64;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return -ENOMEM;
    for (size_t i = 0; i < codes->slot_count; i++) {
        const struct vcd_code *old = &codes->slots[i];
        if (old->size)
            *find_slot(&grown, codes->text.bytes + old->offset, old->size, old->hash) = *old;
    }
    free(codes->slots);
    *codes = grown;
    return 0;
}

static int add_long(struct vcd_codes *codes, const char *code, size_t size)
{
    /* The random key affects only the slots of the codes, not the result of a lookup. */
    if (!codes->key && getrandom(&codes->key, sizeof codes->key, GRND_NONBLOCK) < 0)
        codes->key = (uint64_t)(uintptr_t)codes * UINT64_C(0x9e3779b97f4a7c15);
    codes->key = (codes->key & ((UINT64_C(1) << 61) - 1)) | 1;
    int result = grow_table(codes);
    if (result < 0)
        return result;
    uint64_t hash = hash_code(codes, code, size);
    struct vcd_code *slot = find_slot(codes, code, size, hash);
    if (slot->size)
        return 0;
    if (codes->count >= VCD_CODES_MAX || size > VCD_CODE_BYTES_MAX - codes->text.size)
        return -E2BIG;
    size_t offset = codes->text.size;
    buffer_append(&codes->text, code, size);
    if (codes->text.broken)
        return -ENOMEM;
    *slot = (struct vcd_code){.offset = offset, .size = size, .hash = hash};
    codes->count++;
    return 0;
}

/* Starts with the small map; the first code of four characters replaces it with the large one.
 * Untouched pages of it take no memory. */
static int add_short(struct vcd_codes *codes, size_t index)
{
    if (index >= codes->map_bits) {
        size_t bits = index < MAP_SMALL ? MAP_SMALL : MAP_LARGE;
        uint64_t *map = calloc(bits / 64 + 1, sizeof *map);
        if (!map)
            return -ENOMEM;
        if (codes->map)
            memcpy(map, codes->map, (codes->map_bits / 64 + 1) * sizeof *map);
        free(codes->map);
        codes->map = map;
        codes->map_bits = bits;
    }
    codes->map[index / 64] |= UINT64_C(1) << index % 64;
    return 0;
}

int vcd_codes_add(struct vcd_codes *codes, const char *code, size_t size)
{
    return size > SHORT_MAX ? add_long(codes, code, size)
                            : add_short(codes, short_index(code, size));
}

bool vcd_codes_have(const struct vcd_codes *codes, const char *code, size_t size)
{
    if (size > SHORT_MAX)
        return codes->slots && find_slot(codes, code, size, hash_code(codes, code, size))->size;
    size_t index = size ? short_index(code, size) : MAP_LARGE;
    return index < codes->map_bits && codes->map[index / 64] >> index % 64 & 1;
}

void vcd_codes_fini(struct vcd_codes *codes)
{
    free(codes->map);
    free(codes->slots);
    buffer_fini(&codes->text);
    *codes = (struct vcd_codes){0};
}
