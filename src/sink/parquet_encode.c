/* SPDX-License-Identifier: MIT */
#include "sink/parquet_encode.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "sink/thrift.h"

/* ---- bits ------------------------------------------------------------------------------------ */

/* Numbers back to back, the lowest bits first. */
struct bits {
    uint8_t *to;
    uint64_t word;
    unsigned used; /* of `word`, less than 64 */
};

static unsigned bit_width(uint64_t value)
{
    return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

static void put_bits(struct bits *bits, uint64_t value, unsigned width)
{
    if (!width)
        return;
    bits->word |= value << bits->used;
    if (bits->used + width < 64) {
        bits->used += width;
        return;
    }
    for (unsigned i = 0; i < 8; i++)
        *bits->to++ = (uint8_t)(bits->word >> 8 * i);
    unsigned taken = 64 - bits->used;
    bits->word = taken < 64 ? value >> taken : 0;
    bits->used = width - taken;
}

/* Writes the rest, of whole bytes: the numbers were a multiple of 8. */
static void end_bits(struct bits *bits)
{
    for (unsigned i = 0; i < bits->used; i += 8)
        *bits->to++ = (uint8_t)(bits->word >> i);
}

/* ---- runs ------------------------------------------------------------------------------------ */

#define GROUP 8

/* Returns how many values from the first on are equal. */
static size_t run_length(const uint32_t *values, size_t count)
{
    size_t length = 1;
    while (length < count && values[length] == values[0])
        length++;
    return length;
}

static bool is_run(const uint32_t *values, size_t count)
{
    return count >= GROUP && run_length(values, GROUP) == GROUP;
}

static void put_run(struct buffer *to, uint32_t value, size_t length, unsigned bits)
{
    thrift_varint(to, (uint64_t)length << 1);
    for (unsigned i = 0; i < bits; i += 8)
        buffer_char(to, (char)(value >> i));
}

/* Appends whole groups; the last one is filled with zeros. */
static void put_groups(struct buffer *to, const uint32_t *values, size_t count, unsigned bits)
{
    size_t groups = (count + GROUP - 1) / GROUP, size = groups * bits;
    thrift_varint(to, (uint64_t)groups << 1 | 1);
    uint8_t *bytes = (uint8_t *)buffer_reserve(to, size);
    if (!bytes)
        return;
    struct bits packed = {.to = bytes};
    for (size_t i = 0; i < groups * GROUP; i++)
        put_bits(&packed, i < count ? values[i] : 0, bits);
    end_bits(&packed);
    to->size += size;
}

void parquet_put_runs(struct buffer *to, const uint32_t *values, size_t count, unsigned bits)
{
    for (size_t i = 0; i < count;) {
        if (is_run(values + i, count - i)) {
            size_t length = run_length(values + i, count - i);
            put_run(to, values[i], length, bits);
            i += length;
            continue;
        }
        size_t end = i;
        while (end < count && !is_run(values + end, count - end))
            end += min_size(GROUP, count - end);
        put_groups(to, values + i, end - i, bits);
        i = end;
    }
}

/* ---- differences ----------------------------------------------------------------------------- */

#define BLOCK      128
#define MINIBLOCKS 4
#define MINIBLOCK  (BLOCK / MINIBLOCKS)

bool parquet_fits_deltas(const uint64_t *values, size_t count)
{
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (values[i] > INT64_MAX)
            return false;
        int64_t delta = i ? (int64_t)(values[i] - values[i - 1]) : 0;
        min = delta < min ? delta : min;
        max = delta > max ? delta : max;
    }
    return !count || (uint64_t)max - (uint64_t)min <= INT64_MAX;
}

/* Appends a block of up to BLOCK differences: the lowest one, the width of each miniblock, and the
 * miniblocks with the distances to the lowest. */
static void put_block(struct buffer *to, const int64_t *deltas, size_t count)
{
    uint8_t widths[MINIBLOCKS] = {0};
    int64_t min = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        min = deltas[i] < min ? deltas[i] : min;
    for (size_t i = 0; i < count; i++) {
        unsigned width = bit_width((uint64_t)deltas[i] - (uint64_t)min);
        if (width > widths[i / MINIBLOCK])
            widths[i / MINIBLOCK] = (uint8_t)width;
    }
    thrift_zigzag(to, min);
    buffer_append(to, widths, sizeof widths);
    for (size_t m = 0; m * MINIBLOCK < count; m++) {
        size_t size = (size_t)widths[m] * MINIBLOCK / 8;
        struct bits packed = {.to = (uint8_t *)buffer_reserve(to, size + 1)};
        if (!packed.to)
            return;
        for (size_t i = m * MINIBLOCK; i < (m + 1) * MINIBLOCK; i++)
            put_bits(&packed, i < count ? (uint64_t)deltas[i] - (uint64_t)min : 0, widths[m]);
        end_bits(&packed);
        to->size += size;
    }
}

void parquet_put_deltas(struct buffer *to, const uint64_t *values, size_t count)
{
    int64_t deltas[BLOCK];
    thrift_varint(to, BLOCK);
    thrift_varint(to, MINIBLOCKS);
    thrift_varint(to, count);
    thrift_zigzag(to, count ? (int64_t)values[0] : 0);
    for (size_t first = 1; first < count; first += BLOCK) {
        size_t of_block = min_size(BLOCK, count - first);
        for (size_t i = 0; i < of_block; i++)
            deltas[i] = (int64_t)(values[first + i] - values[first + i - 1]);
        put_block(to, deltas, of_block);
    }
}

/* ---- plain ----------------------------------------------------------------------------------- */

void parquet_put_words(struct buffer *to, const uint64_t *values, size_t count)
{
    uint8_t *bytes = (uint8_t *)buffer_reserve(to, 8 * count);
    if (!bytes)
        return;
    for (size_t i = 0; i < count; i++)
        for (unsigned b = 0; b < 8; b++)
            bytes[8 * i + b] = (uint8_t)(values[i] >> 8 * b);
    to->size += 8 * count;
}

void parquet_put_booleans(struct buffer *to, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (size_t b = 0; b < 8 && i + b < count; b++)
            byte |= (unsigned)(values[i + b] != 0) << b;
        buffer_char(to, (char)byte);
    }
}

/* ---- dictionaries ---------------------------------------------------------------------------- */

bool dictionary_init(struct dictionary *dictionary, size_t capacity)
{
    size_t slots = 16;
    while (slots < 2 * capacity)
        slots *= 2;
    *dictionary = (struct dictionary){
        .values = malloc(capacity * sizeof *dictionary->values),
        .indices = malloc(capacity * sizeof *dictionary->indices),
        .slots = malloc(slots * sizeof *dictionary->slots),
        .capacity = capacity,
        .slot_count = slots,
    };
    return dictionary->values && dictionary->indices && dictionary->slots;
}

void dictionary_fini(struct dictionary *dictionary)
{
    free(dictionary->values);
    free(dictionary->indices);
    free(dictionary->slots);
    *dictionary = (struct dictionary){0};
}

static size_t slot_of(uint64_t value, size_t mask)
{
    value *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(value ^ value >> 32) & mask;
}

bool dictionary_build(struct dictionary *dictionary, const uint64_t *values, size_t count,
                      size_t max)
{
    size_t slots = 16;
    while (slots < 2 * min_size(max, count) + 2)
        slots *= 2; /* up to `slot_count` */
    memset(dictionary->slots, 0, slots * sizeof *dictionary->slots);
    dictionary->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && values[i] == values[i - 1]) {
            dictionary->indices[i] = dictionary->indices[i - 1];
            continue;
        }
        size_t at = slot_of(values[i], slots - 1);
        while (dictionary->slots[at] && dictionary->values[dictionary->slots[at] - 1] != values[i])
            at = (at + 1) & (slots - 1);
        if (!dictionary->slots[at]) {
            if (dictionary->count == max)
                return false;
            dictionary->values[dictionary->count++] = values[i];
            dictionary->slots[at] = (uint32_t)dictionary->count;
        }
        dictionary->indices[i] = dictionary->slots[at] - 1;
    }
    return true;
}

unsigned dictionary_bits(const struct dictionary *dictionary)
{
    return dictionary->count > 2 ? bit_width(dictionary->count - 1) : 1;
}
