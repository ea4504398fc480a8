/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_H
#define TALLY_WAVE_H

/*
 * Waves: the value of a signal over time.
 *
 *     struct tally_wave busy = tally_wave_bursts(1, 5000, 1800);   // 1800 of every 5000 clocks
 *     tally_pcounter_attach(engine, 1, 0xc8, &busy);               // <tally/pcounter.h>
 *     struct tally_number pixels = tally_number_times(8, &busy);   // 8 per clock in a burst
 *     tally_oa_drive_a(unit, 26, &pixels);                         // <tally/oa.h>
 *
 * A signal is one wire, sampled at every clock of its domain. It is processed in words of 64
 * clocks: bit i of a word is the value i clocks after the word's first clock, so that logic on
 * signals is logic on words, and events are counted with a population count.
 *
 * A `struct tally_wave` describes the value of a signal at the clocks 0, 1, 2, ... without end. It
 * is plain data of 40 bytes, made by one of the functions below, and may be copied freely. Waves
 * are pure functions: the value at a clock depends on the clock only, so clocks can be read in any
 * order and repeatedly, and a copy of a model that holds waves is a snapshot.
 *
 * Arguments out of the stated ranges (a period, frame or length of 0) are not checked.
 *
 * Memory that a wave points to (the bits of a pattern, a list of edges, the context of a source)
 * belongs to the caller, must outlive the wave, and must not change while it is in use. All
 * functions may be called from any thread.
 *
 * Source: PCT-3 (const, pattern, once, every, prng).
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A callback that supplies the words of a signal: from a trace, another simulator, a shared ring
 * buffer.
 *
 * Returns `count` (at least 1) words, the first of which starts at clock `first`: bit i of word j
 * is the value at clock first + 64 * j + i. `first` may be any clock. Either fill `buffer`, which
 * holds `count` words, and return it, or return a pointer to other words, which must stay unchanged
 * until the next call.
 *
 * A model requests clocks in any order and may request a clock twice; it must get the same value.
 * It never uses bits beyond the clocks that it runs, so these need not be known yet. It
 * may request the last clock that it ran again (to show a signal's present value), but no older
 * ones. Called on the thread that runs the model.
 */
typedef const uint64_t *tally_wave_source(void *context, uint64_t first, size_t count,
                                          uint64_t *buffer);

/* Kinds of waves, each made by the function of the same name. */
enum tally_wave_kind {
    TALLY_WAVE_CONSTANT,
    TALLY_WAVE_PATTERN,
    TALLY_WAVE_ONCE,
    TALLY_WAVE_EVERY,
    TALLY_WAVE_PRNG,
    TALLY_WAVE_BURSTS,
    TALLY_WAVE_EDGES,
    TALLY_WAVE_SOURCE, /* tally_wave_custom() */
    TALLY_WAVE_RATE,
    TALLY_WAVE_SCATTER,
    TALLY_WAVE_INVERSE
};

/* A wave. Only the functions below set its members; all zero is the constant 0. */
struct tally_wave {
    uint32_t kind;   /* enum tally_wave_kind */
    uint32_t chance; /* PRNG, SCATTER: of 256 */
    uint64_t length; /* bits, clocks or entries */
    uint64_t value;  /* seed, phase, or the first bits */
    union {
        const uint64_t *words;
        tally_wave_source *source;
        const struct tally_wave *wave;
        uint64_t number;
    } data;
    void *context;
};

/* The following functions return waves. Their comments give the value at clock k. */

/* Always `value`. */
TALLY_API struct tally_wave tally_wave_constant(bool value);

/*
 * Bit k mod `length` of `bits`. bits: little-endian bit order, bit i is bit i % 64 of word i / 64,
 * (length + 63) / 64 words, kept by the caller. length: 1 or more; multiples of 64 are fastest,
 * since the words are then used without copying.
 */
TALLY_API struct tally_wave tally_wave_pattern(const uint64_t *bits, uint64_t length);

/* Bit k of `bits`, which has the format of tally_wave_pattern(); 0 from clock `length` on. length:
 * any. */
TALLY_API struct tally_wave tally_wave_once(const uint64_t *bits, uint64_t length);

/* 1 if k mod `period` is `phase`, else 0. period: 1 or more; phase: below period. */
TALLY_API struct tally_wave tally_wave_every(uint64_t period, uint64_t phase);

/*
 * Pseudo-random: 1 with probability `chance` / 256 at each clock (0: never, 256: always). Output m
 * of splitmix64 seeded with `seed` gives the clocks 8m to 8m + 7, one byte each, lowest byte first;
 * a clock is 1 if its byte is below `chance` (PCT-3, "prng").
 */
TALLY_API struct tally_wave tally_wave_prng(uint64_t seed, unsigned chance);

/*
 * Exactly `chance` ones (0 to 256) in each block of 256 clocks, scattered over the block. The
 * blocks start at clocks 256 i. In block i, a clock at offset j is 1 if 157 (j + r) mod 256 is
 * below `chance`, where r is splitmix64(seed, i) mod 256. With the same seed, the ones of a lower
 * chance are a subset of those of a higher one. Counting takes the same time for any number of
 * clocks.
 */
TALLY_API struct tally_wave tally_wave_scatter(uint64_t seed, unsigned chance);

/*
 * A burst of `length` ones in every frame of `frame` clocks, at a pseudo-random offset: in frame i,
 * which starts at clock i * frame, the burst begins splitmix64(seed, i) mod (frame - length + 1)
 * clocks after the start of the frame. frame: 1 or more; length: at most frame.
 */
TALLY_API struct tally_wave tally_wave_bursts(uint64_t seed, uint64_t frame, uint64_t length);

/*
 * `numerator` ones in every `denominator` clocks, spread as evenly as whole clocks allow: there are
 * k * numerator / denominator ones, rounded down, before clock k. denominator: 1 to 2^32. If the
 * numerator is at least the denominator, the wave is always 1.
 */
TALLY_API struct tally_wave tally_wave_rate(uint64_t numerator, uint64_t denominator);

/*
 * 0 at first, and inverted at each of the clocks `edges[0]` to `edges[count - 1]`, which must
 * ascend strictly. The caller keeps the list. tally_vcd_clocks() of <tally/vcd.h> makes such lists.
 */
TALLY_API struct tally_wave tally_wave_edges(const uint64_t *edges, size_t count);

/* 1 where `wave` is 0, which the caller keeps. */
TALLY_API struct tally_wave tally_wave_inverse(const struct tally_wave *wave);

/* The words that the callback `source` supplies; `context` is passed to it. */
TALLY_API struct tally_wave tally_wave_custom(tally_wave_source *source, void *context);

/*
 * Computes `count` words of a wave from clock `first` on, in the format of tally_wave_source.
 * Returns `buffer`, for which the caller provides count + 1 words, or a pointer into memory that
 * the wave points to. The words are valid until the next call with the same buffer, or until that
 * memory changes.
 */
TALLY_API const uint64_t *tally_wave_words(const struct tally_wave *wave, uint64_t first,
                                           size_t count, uint64_t *buffer);

/* Returns the value at one clock. */
TALLY_API bool tally_wave_at(const struct tally_wave *wave, uint64_t clock);

/* Returns the number of ones among `count` clocks from `first` on. */
TALLY_API uint64_t tally_wave_count(const struct tally_wave *wave, uint64_t first, uint64_t count);

/*
 * Returns a lower bound (1 or more) of the number of clocks, from `clock` on, for which the wave
 * keeps its value; UINT64_MAX means forever. It is 1 for waves whose next value is not known in
 * advance. A model whose inputs are all constant can skip this time in one step.
 */
TALLY_API uint64_t tally_wave_steady(const struct tally_wave *wave, uint64_t clock);

/* ---- numbers --------------------------------------------------------------------------------- */

/* Kinds of numbers, each made by the function of the same name; a constant is of kind TIMES. */
enum tally_number_kind {
    TALLY_NUMBER_TIMES,
    TALLY_NUMBER_SEQUENCE,
    TALLY_NUMBER_UNIFORM,
    TALLY_NUMBER_RATE
};

/* A number at each clock, such as the increment of a counter or the number of loaded threads. Plain
 * data like a wave; only the functions below set its members; all zero is the constant 0. */
struct tally_number {
    uint32_t kind;  /* enum tally_number_kind */
    uint32_t value; /* TIMES: the value; UNIFORM: the maximum */
    uint64_t length;
    uint64_t seed;
    const uint32_t *items;
    struct tally_wave wave;
};

/* The following functions return numbers. Their comments give the value at clock k. */

/* Always `value`. */
TALLY_API struct tally_number tally_number_constant(uint32_t value);

/* `value` where the wave is 1, else 0. The wave is copied. */
TALLY_API struct tally_number tally_number_times(uint32_t value, const struct tally_wave *wave);

/* Item k mod `count` of a list, which the caller keeps. count: 1 or more. */
TALLY_API struct tally_number tally_number_sequence(const uint32_t *items, size_t count);

/* (splitmix64(seed, k) >> 32) mod (max + 1). (OAT-3, "uni".) */
TALLY_API struct tally_number tally_number_uniform(uint64_t seed, uint32_t max);

/*
 * `numerator` per `denominator` clocks, spread as evenly as whole numbers allow: the values of the
 * clocks before k add up to k * numerator / denominator, rounded down. denominator: 1 to 2^32; the
 * value of one clock must fit in 32 bits.
 */
TALLY_API struct tally_number tally_number_rate(uint64_t numerator, uint64_t denominator);

/* Returns the number at one clock. */
TALLY_API uint32_t tally_number_at(const struct tally_number *number, uint64_t clock);

/* Returns the sum over `count` clocks from `first` on, modulo 2^64. */
TALLY_API uint64_t tally_number_sum(const struct tally_number *number, uint64_t first,
                                    uint64_t count);

/*
 * Computes the numbers of 64 * `count` clocks from `first` on as bit planes: bit i of word j of
 * planes[b] is bit b of the number at clock first + 64 * j + i, for b below `bits` (1 to 32).
 * planes[b] is set to buffers[b], which holds count + 1 words, or to memory that the number's wave
 * points to.
 */
TALLY_API void tally_number_planes(const struct tally_number *number, uint64_t first, size_t count,
                                   unsigned bits, uint64_t *const buffers[],
                                   const uint64_t *planes[]);

/* Same as tally_wave_steady(), for a number. */
TALLY_API uint64_t tally_number_steady(const struct tally_number *number, uint64_t clock);

/* Returns output m (0, 1, ...) of the generator splitmix64 seeded with `seed`. */
TALLY_API uint64_t tally_splitmix64(uint64_t seed, uint64_t m);

#ifdef __cplusplus
}
#endif

#endif
