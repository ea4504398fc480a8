/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SINK_PARQUET_ENCODE_H
#define TALLY_SINK_PARQUET_ENCODE_H

#include "base/buffer.h"

/* The encodings of Parquet's pages that its writer uses. */

/* Appends numbers of `bits` (1 to 32) bits each: runs of a number that is repeated, and groups of 8
 * numbers back to back (RLE). */
void parquet_put_runs(struct buffer *to, const uint32_t *values, size_t count, unsigned bits);

/* Appends numbers as their differences in blocks of 128 (DELTA_BINARY_PACKED). Neither a number nor
 * the distance of two differences exceeds INT64_MAX: see parquet_fits_deltas(). */
void parquet_put_deltas(struct buffer *to, const uint64_t *values, size_t count);
bool parquet_fits_deltas(const uint64_t *values, size_t count);

/* Appends 64-bit words, lowest byte first (PLAIN). */
void parquet_put_words(struct buffer *to, const uint64_t *values, size_t count);

/* Appends booleans, 8 in a byte (PLAIN). */
void parquet_put_booleans(struct buffer *to, const uint64_t *values, size_t count);

/* The different values of a column and where they occur. {0} is an empty one. */
struct dictionary {
    uint64_t *values;  /* in the order of their first occurrence */
    uint32_t *indices; /* of each value of the column in `values` */
    uint32_t *slots;   /* a hash table: indices + 1; 0: none */
    size_t count, capacity, slot_count;
};

/* Allocates a dictionary for columns of up to `capacity` values. */
bool dictionary_init(struct dictionary *dictionary, size_t capacity);
void dictionary_fini(struct dictionary *dictionary);

/* Finds the different values. Returns false as soon as there are more than `max`. */
bool dictionary_build(struct dictionary *dictionary, const uint64_t *values, size_t count,
                      size_t max);

/* Returns how many bits an index has: at least 1. */
unsigned dictionary_bits(const struct dictionary *dictionary);

#endif
