/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_BITS_H
#define TALLY_BASE_BITS_H

#include <stdint.h>
#include <string.h>

/*
 * Little-endian loads and stores at any alignment, and bit fields. Files and reports are little
 * endian on any host; bytes are never cast to structs.
 */

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LITTLE_16(value) __builtin_bswap16(value)
#define LITTLE_32(value) __builtin_bswap32(value)
#define LITTLE_64(value) __builtin_bswap64(value)
#else
#define LITTLE_16(value) (value)
#define LITTLE_32(value) (value)
#define LITTLE_64(value) (value)
#endif

static inline uint16_t load_le16(const void *from)
{
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return LITTLE_16(value);
}

static inline uint32_t load_le32(const void *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return LITTLE_32(value);
}

static inline uint64_t load_le64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return LITTLE_64(value);
}

static inline void store_le16(void *to, uint16_t value)
{
    value = LITTLE_16(value);
    memcpy(to, &value, sizeof value);
}

static inline void store_le32(void *to, uint32_t value)
{
    value = LITTLE_32(value);
    memcpy(to, &value, sizeof value);
}

static inline void store_le64(void *to, uint64_t value)
{
    value = LITTLE_64(value);
    memcpy(to, &value, sizeof value);
}

/* Load and store the lower `bytes` bytes of a value, 1 to 8. */
static inline uint64_t load_le(const uint8_t *from, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

static inline void store_le(uint8_t *to, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Returns a mask of the low `width` bits; width: 1 to 64. */
static inline uint64_t low_bits(unsigned width)
{
    return UINT64_MAX >> (64 - width);
}

/* Returns the bits high:low of a value, in the notation of the hardware documents. */
static inline uint32_t field32(uint32_t value, unsigned high, unsigned low)
{
    return (value >> low) & (uint32_t)low_bits(high - low + 1);
}

/* Returns the number of ones in a word. */
static inline unsigned count_bits(uint64_t word)
{
#if defined(__POPCNT__)
    return (unsigned)__builtin_popcountll(word);
#else /* faster than the compiler's fallback without the instruction */
    word -= word >> 1 & UINT64_C(0x5555555555555555);
    word = (word & UINT64_C(0x3333333333333333)) + (word >> 2 & UINT64_C(0x3333333333333333));
    word = (word + (word >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(word * UINT64_C(0x0101010101010101) >> 56);
#endif
}

#define ARRAY_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
