/* SPDX-License-Identifier: MIT */
/* Waves: the words of each kind of signal. */
#include <stdatomic.h>
#include <string.h>

#include <tally/wave.h>

#include "base/cpu.h"
#include "base/ratio.h"
#include "wave/kernels.h"
#include "wave/scatter.h"

static const struct wave_kernels *choose_kernels(void)
{
#if defined(TALLY_X86_KERNELS)
    switch (cpu_simd()) {
    case SIMD_AVX512:
        return &wave_kernels_avx512;
    case SIMD_AVX2:
        return &wave_kernels_avx2;
    case SIMD_PORTABLE:
        break;
    }
#endif
    return &wave_kernels_portable;
}

const struct wave_kernels *wave_kernels(void)
{
    static _Atomic(const struct wave_kernels *) chosen; /* called often, result never changes */
    const struct wave_kernels *kernels = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (!kernels) {
        kernels = choose_kernels();
        atomic_store_explicit(&chosen, kernels, memory_order_relaxed);
    }
    return kernels;
}

/* ---- constructors ---------------------------------------------------------------------------- */

struct tally_wave tally_wave_constant(bool value)
{
    return (struct tally_wave){.kind = TALLY_WAVE_CONSTANT, .value = value};
}

/* Returns the bits first to first + 63 of a bit array; bits from `length` on read as 0. */
static uint64_t bits_at(const uint64_t *bits, uint64_t length, uint64_t first)
{
    if (first >= length)
        return 0;
    uint64_t index = first / 64, left = length - first;
    unsigned shift = first % 64;
    uint64_t word = bits[index] >> shift;
    if (shift && left > 64 - shift)
        word |= bits[index + 1] << (64 - shift);
    return left < 64 ? word & ((UINT64_C(1) << left) - 1) : word;
}

/* Returns a word of `unit` repeated every `period` (1 to 64) bits, starting with bit `phase` of
 * it. */
static uint64_t repeat(uint64_t unit, unsigned period, unsigned phase)
{
    uint64_t word = phase ? unit >> phase | unit << (period - phase) : unit;
    if (period < 64)
        word &= (UINT64_C(1) << period) - 1;
    for (unsigned have = period; have < 64; have *= 2)
        word |= word << have;
    return word;
}

struct tally_wave tally_wave_pattern(const uint64_t *bits, uint64_t length)
{
    /* A short pattern is stored in the wave itself. */
    return (struct tally_wave){.kind = TALLY_WAVE_PATTERN,
                               .length = length,
                               .value = length < 64 ? bits_at(bits, length, 0) : 0,
                               .data.words = bits};
}

struct tally_wave tally_wave_once(const uint64_t *bits, uint64_t length)
{
    return (struct tally_wave){.kind = TALLY_WAVE_ONCE, .length = length, .data.words = bits};
}

struct tally_wave tally_wave_every(uint64_t period, uint64_t phase)
{
    return (struct tally_wave){.kind = TALLY_WAVE_EVERY, .length = period, .value = phase};
}

struct tally_wave tally_wave_prng(uint64_t seed, unsigned chance)
{
    if (chance == 0 || chance >= 256)
        return tally_wave_constant(chance != 0);
    return (struct tally_wave){.kind = TALLY_WAVE_PRNG, .chance = chance, .value = seed};
}

struct tally_wave tally_wave_bursts(uint64_t seed, uint64_t frame, uint64_t length)
{
    if (!length) /* frame - length + 1 may be 2^64 */
        return tally_wave_constant(false);
    return (struct tally_wave){
        .kind = TALLY_WAVE_BURSTS, .length = length, .value = seed, .data.number = frame};
}

struct tally_wave tally_wave_rate(uint64_t numerator, uint64_t denominator)
{
    if (!numerator || numerator >= denominator)
        return tally_wave_constant(numerator != 0);
    return (struct tally_wave){.kind = TALLY_WAVE_RATE, .length = denominator, .value = numerator};
}

struct tally_wave tally_wave_edges(const uint64_t *edges, size_t count)
{
    return (struct tally_wave){.kind = TALLY_WAVE_EDGES, .length = count, .data.words = edges};
}

struct tally_wave tally_wave_inverse(const struct tally_wave *wave)
{
    return (struct tally_wave){.kind = TALLY_WAVE_INVERSE, .data.wave = wave};
}

struct tally_wave tally_wave_custom(tally_wave_source *source, void *context)
{
    return (struct tally_wave){
        .kind = TALLY_WAVE_SOURCE, .data.source = source, .context = context};
}

uint64_t tally_splitmix64(uint64_t seed, uint64_t m)
{
    uint64_t z = seed + (m + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* ---- words ----------------------------------------------------------------------------------- */

/* Sets the bits [start, end), counted from bit 0 of `buffer`. */
static void set_range(uint64_t *buffer, uint64_t start, uint64_t end)
{
    while (start < end) {
        uint64_t until = (start | 63) + 1;
        uint64_t mask = UINT64_MAX << (start % 64);
        if (end < until) {
            mask &= UINT64_MAX >> (until - end);
            until = end;
        }
        buffer[start / 64] |= mask;
        start = until;
    }
}

static const uint64_t *pattern_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                     uint64_t *buffer)
{
    uint64_t length = wave->length, at = first % length;
    const uint64_t *bits = wave->data.words;
    if (length < 64) {
        unsigned period = (unsigned)length, step = 64 % period;
        for (size_t i = 0; i < count; i++) {
            buffer[i] = repeat(wave->value, period, (unsigned)at);
            at = (at + step) % period;
        }
        return buffer;
    }
    if (at % 64 == 0 && (length - at) / 64 >= count)
        return bits + at / 64; /* without copying */
    if (at % 64 && length - at > 64 * ((uint64_t)count + 1)) {
        wave_kernels()->align(bits + at / 64, at % 64, count, buffer);
        return buffer;
    }
    for (size_t i = 0; i < count; i++) {
        if (at % 64 == 0 && length - at >= 64) {
            buffer[i] = bits[at / 64];
        } else {
            buffer[i] = bits_at(bits, length, at);
            if (length - at < 64) /* the pattern ends in this word and restarts */
                buffer[i] |= bits_at(bits, length, 0) << (length - at);
        }
        at += 64;
        if (at >= length)
            at -= length;
    }
    return buffer;
}

static const uint64_t *once_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                  uint64_t *buffer)
{
    for (size_t i = 0; i < count; i++)
        buffer[i] = first > UINT64_MAX - 64 * i
                        ? 0
                        : bits_at(wave->data.words, wave->length, first + 64 * i);
    return buffer;
}

static const uint64_t *every_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                   uint64_t *buffer)
{
    uint64_t period = wave->length, clocks = 64 * (uint64_t)count, phase = first % period;
    /* Clocks from `first` to the next one. */
    uint64_t at = wave->value >= phase ? wave->value - phase : period - (phase - wave->value);
    if (period < 64) {
        unsigned short_period = (unsigned)period;
        for (size_t i = 0; i < count; i++) {
            buffer[i] = repeat(1, short_period, (unsigned)((period - at) % period));
            at = (at + period - 64 % period) % period;
        }
        return buffer;
    }
    memset(buffer, 0, count * sizeof *buffer);
    for (; at < clocks; at += period) {
        buffer[at / 64] |= UINT64_C(1) << (at % 64);
        if (period >= clocks)
            break;
    }
    return buffer;
}

static const uint64_t *bursts_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                    uint64_t *buffer)
{
    uint64_t frame = wave->data.number, length = wave->length, clocks = 64 * (uint64_t)count;
    memset(buffer, 0, count * sizeof *buffer);
    uint64_t number = first / frame, offset = first % frame; /* of `first` in its frame */
    for (uint64_t base = 0;; number++) {                     /* base: bit of `buffer` at `offset` */
        uint64_t start = tally_splitmix64(wave->value, number) % (frame - length + 1);
        uint64_t end = start + length;
        if (end > offset) {
            uint64_t from = base + (start > offset ? start - offset : 0);
            uint64_t to = base + (end - offset);
            if (from < clocks)
                set_range(buffer, from, to < clocks ? to : clocks);
        }
        if (frame - offset >= clocks - base)
            return buffer;
        base += frame - offset;
        offset = 0;
    }
}

static const uint64_t *edges_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                   uint64_t *buffer)
{
    const uint64_t *edges = wave->data.words;
    uint64_t clocks = 64 * (uint64_t)count;
    size_t low = 0, high = wave->length; /* find the first edge after clock `first` */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle] <= first)
            low = middle + 1;
        else
            high = middle;
    }
    memset(buffer, 0, count * sizeof *buffer);
    uint64_t at = 0;
    for (bool value = low % 2;; value = !value, low++) {
        uint64_t end = clocks;
        if (low < wave->length && edges[low] - first < clocks)
            end = edges[low] - first;
        if (value)
            set_range(buffer, at, end);
        if (end == clocks)
            return buffer;
        at = end;
    }
}

static const uint64_t *prng_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                  uint64_t *buffer)
{
    const struct wave_kernels *kernels = wave_kernels();
    unsigned shift = first % 8; /* a value of the generator covers eight clocks */
    kernels->prng(wave->value, wave->chance, first / 8, count + (shift != 0), buffer);
    if (shift)
        kernels->align(buffer, shift, count, buffer);
    return buffer;
}

static const uint64_t *rate_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                  uint64_t *buffer)
{
    uint64_t rest = (uint64_t)((uint128)first * wave->value % wave->length);
    wave_kernels()->rate(rest, wave->value, wave->length, count, buffer);
    return buffer;
}

static const uint64_t *inverse_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                     uint64_t *buffer)
{
    const uint64_t *words = tally_wave_words(wave->data.wave, first, count, buffer);
    for (size_t i = 0; i < count; i++)
        buffer[i] = ~words[i];
    return buffer;
}

const uint64_t *tally_wave_words(const struct tally_wave *wave, uint64_t first, size_t count,
                                 uint64_t *buffer)
{
    switch ((enum tally_wave_kind)wave->kind) {
    case TALLY_WAVE_CONSTANT:
        memset(buffer, wave->value ? 0xff : 0, count * sizeof *buffer);
        return buffer;
    case TALLY_WAVE_PATTERN:
        return pattern_words(wave, first, count, buffer);
    case TALLY_WAVE_ONCE:
        return once_words(wave, first, count, buffer);
    case TALLY_WAVE_EVERY:
        return every_words(wave, first, count, buffer);
    case TALLY_WAVE_PRNG:
        return prng_words(wave, first, count, buffer);
    case TALLY_WAVE_BURSTS:
        return bursts_words(wave, first, count, buffer);
    case TALLY_WAVE_EDGES:
        return edges_words(wave, first, count, buffer);
    case TALLY_WAVE_SOURCE:
        return wave->data.source(wave->context, first, count, buffer);
    case TALLY_WAVE_RATE:
        return rate_words(wave, first, count, buffer);
    case TALLY_WAVE_SCATTER:
        return scatter_words(wave, first, count, buffer);
    case TALLY_WAVE_INVERSE:
        return inverse_words(wave, first, count, buffer);
    }
    memset(buffer, 0, count * sizeof *buffer);
    return buffer;
}

bool tally_wave_at(const struct tally_wave *wave, uint64_t clock)
{
    uint64_t buffer[2], length = wave->length;
    switch ((enum tally_wave_kind)wave->kind) {
    case TALLY_WAVE_CONSTANT:
        return wave->value;
    case TALLY_WAVE_PATTERN:
        return wave->data.words[clock % length / 64] >> clock % length % 64 & 1;
    case TALLY_WAVE_ONCE:
        return clock < length && (wave->data.words[clock / 64] >> clock % 64 & 1);
    case TALLY_WAVE_EVERY:
        return clock % length == wave->value;
    case TALLY_WAVE_RATE: /* at most 2^32 clocks, of which fewer are ones */
        return clock % length * wave->value % length >= length - wave->value;
    case TALLY_WAVE_INVERSE:
        return !tally_wave_at(wave->data.wave, clock);
    case TALLY_WAVE_PRNG:
    case TALLY_WAVE_BURSTS:
    case TALLY_WAVE_EDGES:
    case TALLY_WAVE_SOURCE:
    case TALLY_WAVE_SCATTER:
        break;
    }
    return tally_wave_words(wave, clock, 1, buffer)[0] & 1;
}

/* ---- steady values --------------------------------------------------------------------------- */

/* Looks one word ahead. A longer run of equal bits takes more than one call. */
static uint64_t steady_bits(const struct tally_wave *wave, uint64_t clock)
{
    uint64_t buffer[2];
    uint64_t word = tally_wave_words(wave, clock, 1, buffer)[0];
    uint64_t changes = word & 1 ? ~word : word;
    return changes ? (uint64_t)__builtin_ctzll(changes) : 64;
}

static uint64_t steady_edges(const struct tally_wave *wave, uint64_t clock)
{
    const uint64_t *edges = wave->data.words;
    size_t low = 0, high = wave->length;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges[middle] <= clock)
            low = middle + 1;
        else
            high = middle;
    }
    return low < wave->length ? edges[low] - clock : UINT64_MAX;
}

static uint64_t steady_bursts(const struct tally_wave *wave, uint64_t clock)
{
    uint64_t frame = wave->data.number, length = wave->length, offset = clock % frame;
    if (!length || length == frame)
        return UINT64_MAX;
    uint64_t start = tally_splitmix64(wave->value, clock / frame) % (frame - length + 1);
    if (offset < start)
        return start - offset;
    /* The next burst may follow immediately; the next call handles that. */
    return (offset < start + length ? start + length : frame) - offset;
}

uint64_t tally_wave_steady(const struct tally_wave *wave, uint64_t clock)
{
    switch ((enum tally_wave_kind)wave->kind) {
    case TALLY_WAVE_CONSTANT:
        return UINT64_MAX;
    case TALLY_WAVE_ONCE:
        return clock >= wave->length ? UINT64_MAX : steady_bits(wave, clock);
    case TALLY_WAVE_EVERY: {
        uint64_t at = clock % wave->length;
        if (wave->length == 1)
            return UINT64_MAX;
        if (at == wave->value)
            return 1;
        return at < wave->value ? wave->value - at : wave->length - at + wave->value;
    }
    case TALLY_WAVE_BURSTS:
        return steady_bursts(wave, clock);
    case TALLY_WAVE_EDGES:
        return steady_edges(wave, clock);
    case TALLY_WAVE_PATTERN:
        return steady_bits(wave, clock);
    case TALLY_WAVE_INVERSE:
        return tally_wave_steady(wave->data.wave, clock);
    case TALLY_WAVE_PRNG:
    case TALLY_WAVE_SOURCE:
    case TALLY_WAVE_RATE:
    case TALLY_WAVE_SCATTER:
        return 1;
    }
    return 1;
}
