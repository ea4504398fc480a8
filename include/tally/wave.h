/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WAVE_H
#define TALLY_WAVE_H

/*
 * Waves: what a signal does over time.
 *
 * A signal is one wire, sampled at every clock of its domain. It travels in words of 64 clocks:
 * bit i of a word is the value i clocks on, so that logic on signals is logic on words and counting
 * is counting ones.
 *
 * A `struct tally_wave` says what a signal does at clock 0, 1, 2, ... without end. It is plain
 * data, 40 bytes, made by one of the functions below and copied freely. Waves are pure: the value
 * at a clock depends on nothing but the clock, so any clock can be asked at any time, twice, and
 * the copy of a model that holds waves is a snapshot.
 *
 * Arguments out of the stated ranges (a period, frame or length of 0) are not looked for.
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
 * A source of words of your own: a trace, another simulator, a shared ring buffer.
 *
 * Returns `count` (at least 1) words, the first of which starts at clock `first`: bit i of word j
 * is the value at clock first + 64 * j + i. `first` may be any clock. Either fill `room`, which
 * holds `count` words, and return it, or return a pointer to words of your own that stay as they
 * are until the next call.
 *
 * A model asks in no fixed order, and may ask the same clock twice; it must get the same answer.
 * It never uses bits past the clocks that it was told to run, so these need not be known yet. It
 * may ask again for the last clock it ran (to show a signal's present value), never for older
 * ones. Called on the thread that runs the model.
 */
typedef const uint64_t *tally_wave_source(void *context, uint64_t first, size_t count,
                                          uint64_t *room);

enum tally_wave_kind {
    TALLY_WAVE_CONSTANT,
    TALLY_WAVE_PATTERN,
    TALLY_WAVE_ONCE,
    TALLY_WAVE_EVERY,
    TALLY_WAVE_PRNG,
    TALLY_WAVE_BURSTS,
    TALLY_WAVE_EDGES,
    TALLY_WAVE_SOURCE,
    TALLY_WAVE_RATE
};

/* Make it with the functions below; all zero is the constant 0. */
struct tally_wave {
    uint32_t kind;   /* enum tally_wave_kind */
    uint32_t chance; /* PRNG: of 256 */
    uint64_t length; /* bits, clocks or entries */
    uint64_t value;  /* seed, phase, or the first bits */
    union {
        const uint64_t *words;
        tally_wave_source *source;
        uint64_t number;
    } data;
    void *context;
};

/* Always `value`. */
TALLY_API struct tally_wave tally_wave_constant(bool value);

/*
 * Clock k has bit k mod `length` of `bits`. bits: little-endian bit order, bit i is bit i % 64 of
 * word i / 64, (length + 63) / 64 words, kept by the caller. length: 1 or more.
 *
 * The quickest wave for a model is one whose length is a multiple of 64: its words are used where
 * they lie.
 */
TALLY_API struct tally_wave tally_wave_pattern(const uint64_t *bits, uint64_t length);

/* Clock k has bit k of `bits`, laid out as for a pattern; 0 from clock `length` on. length: any. */
TALLY_API struct tally_wave tally_wave_once(const uint64_t *bits, uint64_t length);

/* 1 when k mod `period` is `phase`. period: 1 or more; phase: below period. */
TALLY_API struct tally_wave tally_wave_every(uint64_t period, uint64_t phase);

/*
 * Pseudo-random: 1 with a chance of `chance` / 256 at each clock (0 is never, 256 always). The
 * generator is splitmix64; its m-th value from `seed` serves the clocks 8m to 8m + 7, lowest byte
 * first, and a clock is 1 when its byte is below `chance`. (PCT-3, "prng".)
 */
TALLY_API struct tally_wave tally_wave_prng(uint64_t seed, unsigned chance);

/*
 * One burst of `length` ones in every `frame` clocks, at a pseudo-random place in it: in frame
 * number i (clocks i * frame on) it starts splitmix64(seed, i) mod (frame - length + 1) clocks
 * after the frame does. frame: 1 or more; length: at most frame.
 */
TALLY_API struct tally_wave tally_wave_bursts(uint64_t seed, uint64_t frame, uint64_t length);

/*
 * `numerator` ones in `denominator` clocks, as evenly as whole clocks allow: the ones before clock
 * k are k * numerator / denominator, rounded down. denominator: 1 to 2^32; from numerator ==
 * denominator on it is always 1.
 */
TALLY_API struct tally_wave tally_wave_rate(uint64_t numerator, uint64_t denominator);

/*
 * 0, inverted at each of the clocks `edges[0]` to `edges[count - 1]`, which ascend. The list is the
 * caller's. This is how a dump (<tally/vcd.h>) drives a signal.
 */
TALLY_API struct tally_wave tally_wave_edges(const uint64_t *edges, size_t count);

/* A source of your own. context: handed to it, not looked at. */
TALLY_API struct tally_wave tally_wave_custom(tally_wave_source *source, void *context);

/*
 * The words of a wave, laid out as tally_wave_source says: `count` words from clock `first` on. The
 * result is `room` (count + 1 words long, the caller's) or memory that the wave points to; it is
 * good until the next call with the same room or a change of that memory.
 */
TALLY_API const uint64_t *tally_wave_words(const struct tally_wave *wave, uint64_t first,
                                           size_t count, uint64_t *room);

/* The value at one clock. */
TALLY_API bool tally_wave_at(const struct tally_wave *wave, uint64_t clock);

/* Ones among `count` clocks from `first` on. */
TALLY_API uint64_t tally_wave_count(const struct tally_wave *wave, uint64_t first, uint64_t count);

/*
 * For how many clocks from `clock` on (1 or more) the wave surely keeps its value there. A model
 * that finds all its inputs quiet can pass the time in one step. UINT64_MAX: for ever. May be less
 * than the truth; 1 for waves whose next value is not known beforehand.
 */
TALLY_API uint64_t tally_wave_steady(const struct tally_wave *wave, uint64_t clock);

/* ---- numbers --------------------------------------------------------------------------------- */

enum tally_number_kind {
    TALLY_NUMBER_TIMES, /* a value where a wave is 1; with the constant wave: always */
    TALLY_NUMBER_SEQUENCE,
    TALLY_NUMBER_UNIFORM,
    TALLY_NUMBER_RATE
};

/* A number at each clock: how much a counter grows, how many threads are loaded. Plain data as a
 * wave is; all zero is always 0. */
struct tally_number {
    uint32_t kind;  /* enum tally_number_kind */
    uint32_t value; /* TIMES: the value; UNIFORM: the largest */
    uint64_t length;
    uint64_t seed;
    const uint32_t *items;
    struct tally_wave wave;
};

/* Always `value`. */
TALLY_API struct tally_number tally_number_constant(uint32_t value);

/* `value` where the wave is 1, else 0. */
TALLY_API struct tally_number tally_number_times(uint32_t value, const struct tally_wave *wave);

/* Item k mod `count` of a list that is the caller's. count: 1 or more. */
TALLY_API struct tally_number tally_number_sequence(const uint32_t *items, size_t count);

/* (splitmix64(seed, k) >> 32) mod (most + 1). (OAT-3, "uni".) */
TALLY_API struct tally_number tally_number_uniform(uint64_t seed, uint32_t most);

/*
 * A steady flow of `numerator` in `denominator` clocks, as evenly as whole numbers allow: the
 * values of the clocks before k add up to k * numerator / denominator, rounded down. denominator: 1
 * to 2^32; a clock's share must fit 32 bits.
 */
TALLY_API struct tally_number tally_number_rate(uint64_t numerator, uint64_t denominator);

/* The number at one clock. */
TALLY_API uint32_t tally_number_at(const struct tally_number *number, uint64_t clock);

/* Sum over `count` clocks from `first` on, modulo 2^64. */
TALLY_API uint64_t tally_number_sum(const struct tally_number *number, uint64_t first,
                                    uint64_t count);

/*
 * The numbers of 64 * `count` clocks from `first` on as bits: bit i of word j of planes[b] is bit b
 * of the number at clock first + 64 * j + i, for b below `bits` (1 to 32). planes[b] becomes
 * rooms[b], which has room for count + 1 words, or memory that the number's wave points to.
 */
TALLY_API void tally_number_planes(const struct tally_number *number, uint64_t first, size_t count,
                                   unsigned bits, uint64_t *const rooms[],
                                   const uint64_t *planes[]);

/* As tally_wave_steady(). */
TALLY_API uint64_t tally_number_steady(const struct tally_number *number, uint64_t clock);

/* The m-th output (m = 0, 1, ...) of the generator splitmix64 started at `seed`. */
TALLY_API uint64_t tally_splitmix64(uint64_t seed, uint64_t m);

#ifdef __cplusplus
}
#endif

#endif
