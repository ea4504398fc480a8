/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_HASH_H
#define TALLY_STORE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * A hash of 128 bits that finds equal recordings. It is fast, the same on every machine, and not
 * cryptographic: who uses it compares the bytes of recordings whose hashes are equal.
 */
struct hash {
    uint64_t lanes[4];
    uint64_t size;     /* bytes so far */
    uint8_t block[32]; /* those that do not fill a block yet */
};

void hash_init(struct hash *hash);
void hash_add(struct hash *hash, const uint8_t *bytes, size_t size);
void hash_finish(const struct hash *hash, uint64_t digest[2]);

/* Same as 32 hexadecimal digits. */
#define HASH_TEXT_BYTES 33
void hash_text(const struct hash *hash, char text[HASH_TEXT_BYTES]);

#endif
