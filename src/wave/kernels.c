/* SPDX-License-Identifier: MIT */
/* Loops over words, compiled once for each instruction set; WAVE_KERNELS is the name of the
 * table. */
#include "wave/kernels.h"

#include "base/bits.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define GAMMA UINT64_C(0x9e3779b97f4a7c15)
#define MIX_1 UINT64_C(0xbf58476d1ce4e5b9)
#define MIX_2 UINT64_C(0x94d049bb133111eb)

/* ---- prng ------------------------------------------------------------------------------------ */

/* Eight values of the generator are 64 bytes. Comparing them with `chance` (1 to 256) gives a word:
 * bit 8m + b is 1 if byte b of value m is below `chance`. */

/* head_mask() selects the clocks of a word from `from` on, tail_mask() the clocks of the last word
 * before `to`. */
static inline uint64_t head_mask(uint64_t from)
{
    return UINT64_MAX << (from % 64);
}

static inline uint64_t tail_mask(uint64_t to)
{
    return UINT64_MAX >> (-to % 64);
}

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

/* The generator's states for the eight values from `index` on. STATE_STEP moves them on by one
 * word. */
static inline __m512i state_at(uint64_t seed, uint64_t index)
{
    uint64_t first = seed + (index + 1) * GAMMA;
    return _mm512_add_epi64(_mm512_set1_epi64((long long)first),
                            _mm512_mullo_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                                               _mm512_set1_epi64((long long)GAMMA)));
}

#define STATE_STEP _mm512_set1_epi64((long long)(8 * GAMMA))

static inline __m512i values_of(__m512i z)
{
    const __m512i mix_1 = _mm512_set1_epi64((long long)MIX_1);
    const __m512i mix_2 = _mm512_set1_epi64((long long)MIX_2);
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)), mix_1);
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)), mix_2);
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

static void prng(uint64_t seed, uint32_t chance, uint64_t index, size_t count, uint64_t *out)
{
    const __m512i last = _mm512_set1_epi8((char)(chance - 1));
    __m512i state = state_at(seed, index);
    for (size_t i = 0; i < count; i++) {
        out[i] = _mm512_cmple_epu8_mask(values_of(state), last);
        state = _mm512_add_epi64(state, STATE_STEP);
    }
}

/* Sums whole words. Each clock of a word has a byte as its counter, which limits a pass to 255
 * words. `kinds` is a constant at each call, so that the loops are unrolled. */
static inline __m512i sum_words(unsigned kinds, __m512i state, const __m512i last[4], size_t count,
                                uint64_t sums[])
{
    const __m512i minus_one = _mm512_set1_epi8(-1), zero = _mm512_setzero_si512();
    while (count) {
        __m512i counts[4] = {zero, zero, zero, zero};
        size_t now = count < 255 ? count : 255;
        for (size_t i = 0; i < now; i++) {
            __m512i values = values_of(state);
            for (unsigned k = 0; k < kinds; k++)
                counts[k] = _mm512_mask_sub_epi8(counts[k], _mm512_cmple_epu8_mask(values, last[k]),
                                                 counts[k], minus_one);
            state = _mm512_add_epi64(state, STATE_STEP);
        }
        for (unsigned k = 0; k < kinds; k++)
            sums[k] += (uint64_t)_mm512_reduce_add_epi64(_mm512_sad_epu8(counts[k], zero));
        count -= now;
    }
    return state;
}

static inline void sum_masked(unsigned kinds, __m512i state, const __m512i last[4], uint64_t live,
                              uint64_t sums[])
{
    __m512i values = values_of(state);
    for (unsigned k = 0; k < kinds; k++)
        sums[k] += count_bits(_mm512_mask_cmple_epu8_mask(live, values, last[k]));
}

static void prng_sums(uint64_t seed, const uint16_t chances[], unsigned kinds, uint64_t first,
                      uint64_t clocks, uint64_t sums[])
{
    __m512i last[4], state = state_at(seed, first / 8);
    uint64_t from = first % 8, to = from + clocks; /* counted from the first word */
    uint64_t head = head_mask(from);
    for (unsigned k = 0; k < kinds; k++) {
        last[k] = _mm512_set1_epi8((char)(chances[k] - 1));
        sums[k] = 0;
    }
    if (!clocks)
        return;
    if (to > 64) {
        sum_masked(kinds, state, last, head, sums);
        state = _mm512_add_epi64(state, STATE_STEP);
        size_t whole = (size_t)((to - 1) / 64 - 1);
        if (kinds == 4)
            state = sum_words(4, state, last, whole, sums);
        else if (kinds == 3)
            state = sum_words(3, state, last, whole, sums);
        else if (kinds == 2)
            state = sum_words(2, state, last, whole, sums);
        else
            state = sum_words(1, state, last, whole, sums);
        head = UINT64_MAX;
    }
    sum_masked(kinds, state, last, head & tail_mask(to), sums);
}

#else

#if defined(__AVX2__)

static inline uint64_t below(const uint64_t values[8], uint32_t chance)
{
    const __m256i last = _mm256_set1_epi8((char)(chance - 1));
    uint64_t word = 0;
    for (unsigned half = 0; half < 2; half++) {
        __m256i bytes = _mm256_loadu_si256((const __m256i_u *)(values + 4 * half));
        __m256i lower = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last), bytes);
        word |= (uint64_t)(uint32_t)_mm256_movemask_epi8(lower) << (32 * half);
    }
    return word;
}

#elif defined(__SSE2__)

static inline uint64_t below(const uint64_t values[8], uint32_t chance)
{
    const __m128i last = _mm_set1_epi8((char)(chance - 1));
    uint64_t word = 0;
    for (unsigned quarter = 0; quarter < 4; quarter++) {
        __m128i bytes = _mm_loadu_si128((const __m128i_u *)(values + 2 * quarter));
        __m128i lower = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last), bytes);
        word |= (uint64_t)(uint32_t)_mm_movemask_epi8(lower) << (16 * quarter);
    }
    return word;
}

#else

/* Even and odd bytes are widened to 16 bits, where 0x8000 + chance - 1 - byte keeps its top bit if
 * the byte is below `chance`. One multiplication gathers the four pairs of results. */
static inline uint64_t below(const uint64_t values[8], uint32_t chance)
{
    const uint64_t lanes = UINT64_C(0x0001000100010001), bytes = UINT64_C(0x00ff00ff00ff00ff);
    const uint64_t gather = UINT64_C(1) << 48 | UINT64_C(1) << 34 | UINT64_C(1) << 20 | 1 << 6;
    uint64_t limit = (chance + 0x7fff) * lanes, word = 0;
    for (unsigned m = 0; m < 8; m++) {
        uint64_t even = limit - (values[m] & bytes), odd = limit - (values[m] >> 8 & bytes);
        uint64_t pairs = (even >> 15 & lanes) | (odd >> 14 & lanes << 1);
        word |= (pairs * gather >> 48 & 0xff) << (8 * m);
    }
    return word;
}

#endif

/* Computes eight values from `index` on; the compiler vectorises it. */
static inline void make_values(uint64_t seed, uint64_t index, uint64_t values[8])
{
    for (unsigned m = 0; m < 8; m++) {
        uint64_t z = seed + (index + m + 1) * GAMMA;
        z = (z ^ (z >> 30)) * MIX_1;
        z = (z ^ (z >> 27)) * MIX_2;
        values[m] = z ^ (z >> 31);
    }
}

static void prng(uint64_t seed, uint32_t chance, uint64_t index, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t values[8];
        make_values(seed, index + 8 * i, values);
        out[i] = below(values, chance);
    }
}

static void prng_sums(uint64_t seed, const uint16_t chances[], unsigned kinds, uint64_t first,
                      uint64_t clocks, uint64_t sums[])
{
    uint64_t from = first % 8, to = from + clocks; /* counted from the first word */
    for (unsigned k = 0; k < kinds; k++)
        sums[k] = 0;
    for (uint64_t at = 0; clocks && at < to; at += 64) {
        uint64_t values[8], live = at ? UINT64_MAX : head_mask(from);
        make_values(seed, first / 8 + at / 8, values);
        if (to - at < 64)
            live &= tail_mask(to);
        for (unsigned k = 0; k < kinds; k++)
            sums[k] += count_bits(below(values, chances[k]) & live);
    }
}

#endif

/* ---- rates ------------------------------------------------------------------------------ */

#if defined(__AVX512BW__) && defined(__AVX512DQ__)

/* Computes the rests at the next 64 clocks; the loop below advances each of them by 64 clocks per
 * word. */
static void rests_of(uint64_t rest, uint64_t numerator, uint64_t denominator, uint64_t rests[64])
{
    for (unsigned i = 0; i < 64; i++) {
        rests[i] = rest;
        rest += numerator;
        rest -= rest >= denominator ? denominator : 0;
    }
}

static void rate(uint64_t rest, uint64_t numerator, uint64_t denominator, size_t count,
                 uint64_t *out)
{
    uint64_t start[64], by = 64 * numerator % denominator, from = denominator - numerator;
    rests_of(rest, numerator, denominator, start);
    if (denominator <= UINT64_C(1) << 31) { /* so that the sum of two rests fits */
        const __m512i step = _mm512_set1_epi32((int)by), enough = _mm512_set1_epi32((int)from);
        const __m512i whole = _mm512_set1_epi32((int)denominator);
        __m512i rests[4];
        for (unsigned k = 0; k < 4; k++)
            rests[k] = _mm512_inserti64x4(
                _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_loadu_si512(start + 16 * k))),
                _mm512_cvtepi64_epi32(_mm512_loadu_si512(start + 16 * k + 8)), 1);
        for (size_t i = 0; i < count; i++) {
            uint64_t word = 0;
            for (unsigned k = 0; k < 4; k++) {
                word |= (uint64_t)_mm512_cmpge_epu32_mask(rests[k], enough) << (16 * k);
                __m512i next = _mm512_add_epi32(rests[k], step);
                rests[k] = _mm512_min_epu32(next, _mm512_sub_epi32(next, whole));
            }
            out[i] = word;
        }
        return;
    }
    const __m512i step = _mm512_set1_epi64((long long)by);
    const __m512i whole = _mm512_set1_epi64((long long)denominator);
    const __m512i enough = _mm512_set1_epi64((long long)from);
    __m512i rests[8];
    for (unsigned i = 0; i < 8; i++)
        rests[i] = _mm512_loadu_si512(start + 8 * i);
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (unsigned k = 0; k < 8; k++) {
            word |= (uint64_t)_mm512_cmpge_epu64_mask(rests[k], enough) << (8 * k);
            __m512i next = _mm512_add_epi64(rests[k], step);
            rests[k] = _mm512_min_epu64(next, _mm512_sub_epi64(next, whole));
        }
        out[i] = word;
    }
}

#else

static void rate(uint64_t rest, uint64_t numerator, uint64_t denominator, size_t count,
                 uint64_t *out)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word = 0;
        for (unsigned bit = 0; bit < 64; bit++) {
            rest += numerator;
            uint64_t one = rest >= denominator;
            rest -= denominator & -one;
            word |= one << bit;
        }
        out[i] = word;
    }
}

#endif

/* ---- shifts ---------------------------------------------------------------------------------- */

static void align(const uint64_t *words, unsigned shift, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = words[i] >> shift | words[i + 1] << (64 - shift);
}

static void delay(const uint64_t *restrict words, unsigned by, uint64_t carry, size_t count,
                  uint64_t *restrict out)
{
    out[0] = words[0] << by | carry;
    for (size_t i = 1; i < count; i++)
        out[i] = words[i] << by | words[i - 1] >> (64 - by);
}

/* ---- logic ----------------------------------------------------------------------------------- */

/* Returns all ones if bit `bit` of the table is set, else 0. */
static inline uint64_t leaf(uint16_t table, unsigned bit)
{
    return -(uint64_t)(table >> bit & 1);
}

static inline uint64_t choose(uint64_t which, uint64_t zero, uint64_t one)
{
    return zero ^ (which & (zero ^ one));
}

/*
 * Evaluates a truth table as a tree: the last argument selects one of two tables of the other
 * arguments. The lowest level selects between constants, which takes one AND and one XOR. `arity`
 * is a constant at each call, so that the recursion is unrolled.
 */
static inline uint64_t tree(uint16_t table, unsigned arity, unsigned offset, const uint64_t a[4])
{
    if (arity == 0)
        return leaf(table, offset);
    if (arity == 1)
        return leaf(table, offset) ^ (a[0] & (leaf(table, offset) ^ leaf(table, offset + 1)));
    unsigned half = 1u << (arity - 1);
    return choose(a[arity - 1], tree(table, arity - 1, offset, a),
                  tree(table, arity - 1, offset + half, a));
}

#define COMBINE(ARITY)                                                                             \
    static void combine_##ARITY(uint16_t table, const uint64_t *const arguments[4], size_t count,  \
                                uint64_t *restrict out)                                            \
    {                                                                                              \
        const uint64_t *a0 = arguments[0], *a1 = arguments[ARITY > 1 ? 1 : 0],                     \
                       *a2 = arguments[ARITY > 2 ? 2 : 0], *a3 = arguments[ARITY > 3 ? 3 : 0];     \
        for (size_t i = 0; i < count; i++) {                                                       \
            const uint64_t a[4] = {a0[i], a1[i], a2[i], a3[i]};                                    \
            out[i] = tree(table, ARITY, 0, a);                                                     \
        }                                                                                          \
    }

COMBINE(1)
COMBINE(2)
COMBINE(3)
COMBINE(4)

static void combine(uint16_t table, unsigned arity, const uint64_t *const arguments[4],
                    size_t count, uint64_t *out)
{
    switch (arity) {
    case 0:
        for (size_t i = 0; i < count; i++)
            out[i] = leaf(table, 0);
        break;
    case 1:
        combine_1(table, arguments, count, out);
        break;
    case 2:
        combine_2(table, arguments, count, out);
        break;
    case 3:
        combine_3(table, arguments, count, out);
        break;
    default:
        combine_4(table, arguments, count, out);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Population counts of several words at a time, in the lanes of a vector. */
#if defined(__AVX512VPOPCNTDQ__)

#define LANES 8
typedef __m512i lanes;

static inline lanes load(const uint64_t *words)
{
    return _mm512_loadu_si512(words);
}

static inline lanes load_and(const uint64_t *a, const uint64_t *b)
{
    return _mm512_and_si512(_mm512_loadu_si512(a), _mm512_loadu_si512(b));
}

static inline lanes count_lanes(lanes words)
{
    return _mm512_popcnt_epi64(words);
}

static inline lanes add_lanes(lanes a, lanes b)
{
    return _mm512_add_epi64(a, b);
}

static inline uint64_t sum_lanes(lanes sums)
{
    return (uint64_t)_mm512_reduce_add_epi64(sums);
}

#define NO_LANES _mm512_setzero_si512()

#elif defined(__AVX2__)

#define LANES 4
typedef __m256i lanes;

static inline lanes load(const uint64_t *words)
{
    return _mm256_loadu_si256((const __m256i_u *)words);
}

static inline lanes load_and(const uint64_t *a, const uint64_t *b)
{
    return _mm256_and_si256(load(a), load(b));
}

/* Counts the ones of each byte with a table lookup for each half, and sums groups of eight
 * bytes. */
static inline lanes count_lanes(lanes words)
{
    const lanes table =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const lanes halves = _mm256_set1_epi8(15);
    lanes low = _mm256_shuffle_epi8(table, _mm256_and_si256(words, halves));
    lanes high = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(words, 4), halves));
    return _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256());
}

static inline lanes add_lanes(lanes a, lanes b)
{
    return _mm256_add_epi64(a, b);
}

static inline uint64_t sum_lanes(lanes sums)
{
    uint64_t each[LANES];
    _mm256_storeu_si256((__m256i_u *)each, sums);
    return each[0] + each[1] + each[2] + each[3];
}

#define NO_LANES _mm256_setzero_si256()

#else

#define LANES    1
#define NO_LANES 0
typedef uint64_t lanes;

static inline lanes load(const uint64_t *words)
{
    return *words;
}

static inline lanes load_and(const uint64_t *a, const uint64_t *b)
{
    return *a & *b;
}

static inline lanes count_lanes(lanes words)
{
    return count_bits(words);
}

static inline lanes add_lanes(lanes a, lanes b)
{
    return a + b;
}

static inline uint64_t sum_lanes(lanes sums)
{
    return sums;
}

#endif

/* Minimum number of words for which vectors pay off. */
#define MANY_WORDS (4 * LANES)

static inline uint64_t count_words(const uint64_t *words, size_t count)
{
    uint64_t sum = 0;
    size_t i = 0;
    if (count >= MANY_WORDS) {
        lanes sums = NO_LANES;
        for (; i + LANES <= count; i += LANES)
            sums = add_lanes(sums, count_lanes(load(words + i)));
        sum = sum_lanes(sums);
    }
    for (; i < count; i++)
        sum += count_bits(words[i]);
    return sum;
}

static inline uint64_t count_words_and(const uint64_t *a, const uint64_t *b, size_t count)
{
    uint64_t sum = 0;
    size_t i = 0;
    if (count >= MANY_WORDS) {
        lanes sums = NO_LANES;
        for (; i + LANES <= count; i += LANES)
            sums = add_lanes(sums, count_lanes(load_and(a + i, b + i)));
        sum = sum_lanes(sums);
    }
    for (; i < count; i++)
        sum += count_bits(a[i] & b[i]);
    return sum;
}

static uint64_t count_range(const uint64_t *words, uint64_t from, uint64_t to)
{
    if (from >= to)
        return 0;
    size_t first = from / 64, last = (to - 1) / 64;
    if (first == last)
        return count_bits(words[first] & head_mask(from) & tail_mask(to));
    return count_bits(words[first] & head_mask(from)) + count_bits(words[last] & tail_mask(to)) +
           count_words(words + first + 1, last - first - 1);
}

static uint64_t count_range_and(const uint64_t *a, const uint64_t *b, uint64_t from, uint64_t to)
{
    if (from >= to)
        return 0;
    size_t first = from / 64, last = (to - 1) / 64;
    if (first == last)
        return count_bits(a[first] & b[first] & head_mask(from) & tail_mask(to));
    return count_bits(a[first] & b[first] & head_mask(from)) +
           count_bits(a[last] & b[last] & tail_mask(to)) +
           count_words_and(a + first + 1, b + first + 1, last - first - 1);
}

const struct wave_kernels WAVE_KERNELS = {
    .prng = prng,
    .prng_sums = prng_sums,
    .rate = rate,
    .align = align,
    .delay = delay,
    .combine = combine,
    .count = count_range,
    .count_and = count_range_and,
};
