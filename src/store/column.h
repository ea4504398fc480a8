/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_COLUMN_H
#define TALLY_STORE_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Columns of 32-bit words, packed without loss (docs/store.md). A column in which all words are
 * equal is one word. Others are groups of COLUMN_GROUP words; a group has either the differences of
 * its words to the words before, or the words, whichever needs fewer bits, each less the smallest
 * one, in as many bits as the largest one needs.
 */
#define COLUMN_GROUP 128

/* Maximum number of packed bytes of a column, with the padding that column_pack() may overwrite. */
#define COLUMN_BYTES_MAX(count) (16 + (count)*4 + ((count) / COLUMN_GROUP + 1) * 8)

/* Packs `count` words, at least 1. Returns the end of the packed bytes. */
uint8_t *column_pack(uint8_t *to, const uint32_t *words, size_t count);

/* Bytes after `end` that column_unpack() may read. */
#define COLUMN_PADDING 8

/* Unpacks `count` words, at least 1, and moves *at to the end of their bytes. Returns false if the
 * bytes are malformed, or do not end before `end`. */
bool column_unpack(const uint8_t **at, const uint8_t *end, uint32_t *words, size_t count);

/* Stores a number in 7 bits a byte, the lowest first; at most 10 bytes. Returns the end. */
uint8_t *varint_put(uint8_t *to, uint64_t value);

/* Loads such a number of at most 64 bits. Returns false if it is malformed or does not end before
 * `end`. */
bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value);

#endif
