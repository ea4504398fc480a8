/* SPDX-License-Identifier: MIT */
#include "store/column.h"

#include "base/bits.h"
#include "base/minmax.h"

/* The first byte of a column. */
enum { COLUMN_CONSTANT = 0, COLUMN_PACKED = 1 };

/* The first byte of a group: bits of a number, and whether the numbers are the words. */
#define GROUP_WIDTH_MASK 0x3fu
#define GROUP_IS_WORDS   0x40u

uint8_t *varint_put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

bool varint_get(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = *(*at)++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

/* Signed differences as small unsigned numbers: 0, -1, 1, -2, ... become 0, 1, 2, 3. */
static uint32_t zigzag(uint32_t value)
{
    return value << 1 ^ (0 - (value >> 31));
}

static uint32_t unzigzag(uint32_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

static unsigned width_of(uint32_t value)
{
    return value ? 32 - (unsigned)__builtin_clz(value) : 0;
}

/* ---- packing --------------------------------------------------------------------------------- */

static bool is_constant(const uint32_t *words, size_t count)
{
    uint32_t differs = 0;
    for (size_t i = 0; i < count; i++)
        differs |= words[i] ^ words[0];
    return !differs;
}

/* Stores the low `width` bits of each number less `base`, without gaps. */
static uint8_t *pack_bits(uint8_t *to, const uint32_t *numbers, size_t count, uint32_t base,
                          unsigned width)
{
    uint64_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < count; i++) {
        bits |= (uint64_t)(numbers[i] - base) << have;
        have += width;
        if (have >= 32) {
            store_le32(to, (uint32_t)bits);
            to += 4;
            bits >>= 32;
            have -= 32;
        }
    }
    store_le32(to, (uint32_t)bits);
    return to + (have + 7) / 8;
}

/* The numbers of a group, and what packing them needs. */
struct numbers {
    uint32_t base;
    unsigned width;
};

/* Finds the range of numbers that are compared as if `bias` were added. */
static struct numbers range_of(const uint32_t *numbers, size_t count, uint32_t bias)
{
    uint32_t low = numbers[0] + bias, high = low;
    for (size_t i = 1; i < count; i++) {
        uint32_t number = numbers[i] + bias;
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    return (struct numbers){low - bias, width_of(high - low)};
}

static uint8_t *pack_group(uint8_t *to, const uint32_t *words, size_t count, uint32_t before)
{
    uint32_t deltas[COLUMN_GROUP];
    deltas[0] = words[0] - before;
    for (size_t i = 1; i < count; i++)
        deltas[i] = words[i] - words[i - 1];
    /* Differences are signed: the lowest one is that nearest to -2^31. */
    struct numbers by_delta = range_of(deltas, count, UINT32_C(1) << 31);
    struct numbers by_word = range_of(words, count, 0);
    bool is_words = by_word.width < by_delta.width;
    struct numbers chosen = is_words ? by_word : by_delta;
    *to++ = (uint8_t)(chosen.width | (is_words ? GROUP_IS_WORDS : 0));
    to = varint_put(to, is_words ? chosen.base : zigzag(chosen.base));
    if (!chosen.width)
        return to;
    return pack_bits(to, is_words ? words : deltas, count, chosen.base, chosen.width);
}

uint8_t *column_pack(uint8_t *to, const uint32_t *words, size_t count)
{
    if (is_constant(words, count)) {
        *to++ = COLUMN_CONSTANT;
        store_le32(to, words[0]);
        return to + 4;
    }
    *to++ = COLUMN_PACKED;
    store_le32(to, words[0]);
    to += 4;
    uint32_t before = words[0];
    for (size_t i = 1; i < count; i += COLUMN_GROUP) {
        size_t size = min_size(COLUMN_GROUP, count - i);
        to = pack_group(to, words + i, size, before);
        before = words[i + size - 1];
    }
    return to;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

static void unpack_bits(const uint8_t *from, uint32_t *numbers, size_t count, uint32_t base,
                        unsigned width)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;
    for (size_t i = 0, bit = 0; i < count; i++, bit += width)
        numbers[i] = base + (uint32_t)(load_le64(from + bit / 8) >> bit % 8 & mask);
}

static bool unpack_group(const uint8_t **at, const uint8_t *end, uint32_t *words, size_t count,
                         uint32_t before)
{
    uint64_t base;
    if (*at >= end)
        return false;
    unsigned head = *(*at)++, width = head & GROUP_WIDTH_MASK;
    bool is_words = head & GROUP_IS_WORDS;
    size_t bytes = (count * width + 7) / 8;
    if (head > (GROUP_IS_WORDS | GROUP_WIDTH_MASK) || width > 32 || !varint_get(at, end, &base) ||
        base > UINT32_MAX || bytes > (size_t)(end - *at))
        return false;
    unpack_bits(*at, words, count, is_words ? (uint32_t)base : unzigzag((uint32_t)base), width);
    *at += bytes;
    for (size_t i = 0; !is_words && i < count; i++)
        before = words[i] += before;
    return true;
}

bool column_unpack(const uint8_t **at, const uint8_t *end, uint32_t *words, size_t count)
{
    if (end - *at < 5 || **at > COLUMN_PACKED)
        return false;
    bool packed = **at == COLUMN_PACKED;
    words[0] = load_le32(*at + 1);
    *at += 5;
    for (size_t i = 1; !packed && i < count; i++)
        words[i] = words[0];
    for (size_t i = 1; packed && i < count; i += COLUMN_GROUP)
        if (!unpack_group(at, end, words + i, min_size(COLUMN_GROUP, count - i), words[i - 1]))
            return false;
    return true;
}
