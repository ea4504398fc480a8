/* SPDX-License-Identifier: MIT */
#include "store/hash.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/minmax.h"

/* Odd constants with about as many ones as zeros: fractions of the square roots of 2, 3, 5, 7. */
static const uint64_t factors[4] = {UINT64_C(0x6a09e667f3bcc909), UINT64_C(0xbb67ae8584caa73b),
                                    UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1)};

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (-bits & 63);
}

/* One step is a bijection of the lane for each word, and of the word for each lane. */
static void add_block(uint64_t lanes[4], const uint8_t *block)
{
    for (unsigned i = 0; i < 4; i++)
        lanes[i] = rotate((lanes[i] ^ load_le64(block + 8 * i)) * factors[i], 29);
}

void hash_init(struct hash *hash)
{
    *hash = (struct hash){.lanes = {1, 2, 3, 4}};
}

void hash_add(struct hash *hash, const uint8_t *bytes, size_t size)
{
    size_t have = hash->size % sizeof hash->block;
    if (!size)
        return;
    hash->size += size;
    if (have) {
        size_t n = min_size(size, sizeof hash->block - have);
        memcpy(hash->block + have, bytes, n);
        bytes += n;
        size -= n;
        if (have + n < sizeof hash->block)
            return;
        add_block(hash->lanes, hash->block);
    }
    uint64_t lanes[4];
    memcpy(lanes, hash->lanes, sizeof lanes);
    for (; size >= sizeof hash->block; size -= sizeof hash->block, bytes += sizeof hash->block)
        add_block(lanes, bytes);
    memcpy(hash->lanes, lanes, sizeof lanes);
    if (size)
        memcpy(hash->block, bytes, size);
}

/* Mixes all bits of a word into each other. */
static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * factors[0];
    value = (value ^ value >> 29) * factors[1];
    return value ^ value >> 32;
}

void hash_finish(const struct hash *hash, uint64_t digest[2])
{
    uint8_t last[32] = {0};
    uint64_t lanes[4];
    memcpy(lanes, hash->lanes, sizeof lanes);
    memcpy(last, hash->block, hash->size % sizeof last);
    add_block(lanes, last);
    for (unsigned d = 0; d < 2; d++) {
        digest[d] = mix(hash->size + d);
        for (unsigned i = 0; i < 4; i++)
            digest[d] = mix(digest[d] ^ rotate(lanes[i], 17 * d * (i + 1) % 64)) * factors[3 - d];
    }
}

void hash_text(const struct hash *hash, char text[HASH_TEXT_BYTES])
{
    uint64_t digest[2];
    hash_finish(hash, digest);
    snprintf(text, HASH_TEXT_BYTES, "%016" PRIx64 "%016" PRIx64, digest[0], digest[1]);
}
