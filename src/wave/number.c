/* SPDX-License-Identifier: MIT */
/* Numbers at each clock: sums over a range, and bit planes. */
#include <string.h>

#include <tally/wave.h>

#include "base/minmax.h"
#include "base/ratio.h"
#include "wave/kernels.h"
#include "wave/scatter.h"

struct tally_number tally_number_constant(uint32_t value)
{
    return (struct tally_number){
        .kind = TALLY_NUMBER_TIMES, .value = value, .wave = tally_wave_constant(true)};
}

struct tally_number tally_number_times(uint32_t value, const struct tally_wave *wave)
{
    return (struct tally_number){.kind = TALLY_NUMBER_TIMES, .value = value, .wave = *wave};
}

struct tally_number tally_number_sequence(const uint32_t *items, size_t count)
{
    return (struct tally_number){.kind = TALLY_NUMBER_SEQUENCE, .length = count, .items = items};
}

struct tally_number tally_number_uniform(uint64_t seed, uint32_t max)
{
    return (struct tally_number){.kind = TALLY_NUMBER_UNIFORM, .value = max, .seed = seed};
}

struct tally_number tally_number_rate(uint64_t numerator, uint64_t denominator)
{
    return (struct tally_number){
        .kind = TALLY_NUMBER_RATE, .length = denominator, .seed = numerator};
}

/* ---- values and sums ------------------------------------------------------------------------- */

/* Returns the sum of a rate: floor((first + count) n / d) - floor(first n / d), modulo 2^64. */
static uint64_t rate_sum(uint64_t numerator, uint64_t denominator, uint64_t first, uint64_t count)
{
    uint128 before = (uint128)first * numerator;
    return (uint64_t)((before + (uint128)count * numerator) / denominator) -
           (uint64_t)(before / denominator);
}

uint32_t tally_number_at(const struct tally_number *number, uint64_t clock)
{
    switch ((enum tally_number_kind)number->kind) {
    case TALLY_NUMBER_TIMES:
        return number->value && tally_wave_at(&number->wave, clock) ? number->value : 0;
    case TALLY_NUMBER_SEQUENCE:
        return number->items[clock % number->length];
    case TALLY_NUMBER_UNIFORM:
        return (uint32_t)((tally_splitmix64(number->seed, clock) >> 32) %
                          ((uint64_t)number->value + 1));
    case TALLY_NUMBER_RATE:
        return (uint32_t)rate_sum(number->seed, number->length, clock, 1);
    }
    return 0;
}

/* Counts the ones of a frame's burst in the clocks [from, to) of the frame. */
static uint64_t count_burst(const struct tally_wave *wave, uint64_t number, uint64_t from,
                            uint64_t to)
{
    uint64_t start = tally_splitmix64(wave->value, number) % (wave->data.number - wave->length + 1);
    uint64_t end = min_u64(start + wave->length, to);
    start = max_u64(start, from);
    return end > start ? end - start : 0;
}

/* Counts the ones of bursts. A whole frame contains its whole burst. */
static uint64_t count_bursts(const struct tally_wave *wave, uint64_t first, uint64_t count)
{
    uint64_t frame = wave->data.number, number = first / frame, offset = first % frame;
    uint64_t here = min_u64(frame - offset, count);
    uint64_t sum = count_burst(wave, number, offset, offset + here);
    uint64_t whole = (count - here) / frame;
    return sum + whole * wave->length +
           count_burst(wave, number + 1 + whole, 0, (count - here) % frame);
}

/* Counts the ones of a pattern in place. */
static uint64_t count_pattern(const struct tally_wave *wave, uint64_t first, uint64_t count)
{
    const struct wave_kernels *kernels = wave_kernels();
    uint64_t length = wave->length, at = first % length, sum = 0;
    if (count >= length) { /* whole repetitions */
        sum = count / length * kernels->count(wave->data.words, 0, length);
        count %= length;
    }
    uint64_t now = min_u64(count, length - at);
    return sum + kernels->count(wave->data.words, at, at + now) +
           kernels->count(wave->data.words, 0, count - now);
}

/* In closed form for most kinds; the others are counted 64 words at a time. */
uint64_t tally_wave_count(const struct tally_wave *wave, uint64_t first, uint64_t count)
{
    const struct wave_kernels *kernels = wave_kernels();
    uint64_t sum = 0, buffer[65];
    if (wave->kind == TALLY_WAVE_CONSTANT)
        return wave->value ? count : 0;
    if (wave->kind == TALLY_WAVE_EVERY) {
        uint64_t phase = first % wave->length;
        uint64_t next =
            wave->value >= phase ? wave->value - phase : wave->length - (phase - wave->value);
        return next < count ? (count - next - 1) / wave->length + 1 : 0;
    }
    if (wave->kind == TALLY_WAVE_BURSTS && wave->data.number - wave->length != UINT64_MAX)
        return count_bursts(wave, first, count);
    if (wave->kind == TALLY_WAVE_PATTERN)
        return count_pattern(wave, first, count);
    if (wave->kind == TALLY_WAVE_RATE)
        return rate_sum(wave->value, wave->length, first, count);
    if (wave->kind == TALLY_WAVE_SCATTER)
        return scatter_count(wave, first, count);
    if (wave->kind == TALLY_WAVE_INVERSE)
        return count - tally_wave_count(wave->data.wave, first, count);
    if (wave->kind == TALLY_WAVE_PRNG) {
        uint16_t chance = (uint16_t)wave->chance;
        kernels->prng_sums(wave->value, &chance, 1, first, count, &sum);
        return sum;
    }
    while (count) {
        uint64_t now = min_u64(count, 4096);
        const uint64_t *words = tally_wave_words(wave, first, (size_t)((now + 63) / 64), buffer);
        sum += kernels->count(words, 0, now);
        first += now;
        count -= now;
    }
    return sum;
}

static uint64_t sum_items(const struct tally_number *number, uint64_t first, uint64_t count)
{
    uint64_t whole = count / number->length, sum = 0;
    for (uint64_t i = 0; whole && i < number->length; i++)
        sum += number->items[i];
    sum *= whole;
    for (uint64_t i = 0, at = first % number->length; i < count % number->length; i++) {
        sum += number->items[at];
        at = at + 1 == number->length ? 0 : at + 1;
    }
    return sum;
}

uint64_t tally_number_sum(const struct tally_number *number, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    switch ((enum tally_number_kind)number->kind) {
    case TALLY_NUMBER_TIMES:
        return number->value ? number->value * tally_wave_count(&number->wave, first, count) : 0;
    case TALLY_NUMBER_SEQUENCE:
        return sum_items(number, first, count);
    case TALLY_NUMBER_UNIFORM:
        for (uint64_t i = 0; i < count; i++)
            sum += tally_number_at(number, first + i);
        return sum;
    case TALLY_NUMBER_RATE:
        return rate_sum(number->seed, number->length, first, count);
    }
    return 0;
}

/* ---- bits ------------------------------------------------------------------------------------ */

void tally_number_planes(const struct tally_number *number, uint64_t first, size_t count,
                         unsigned bits, uint64_t *const buffers[], const uint64_t *planes[])
{
    if (number->kind == TALLY_NUMBER_TIMES) { /* each plane is the wave, or 0 */
        const uint64_t *words = NULL;
        for (unsigned bit = 0; bit < bits; bit++) {
            planes[bit] = buffers[bit];
            if (!(number->value >> bit & 1))
                memset(buffers[bit], 0, count * sizeof *buffers[bit]);
            else
                planes[bit] = words =
                    words ? words : tally_wave_words(&number->wave, first, count, buffers[bit]);
        }
        return;
    }
    for (unsigned bit = 0; bit < bits; bit++) {
        planes[bit] = buffers[bit];
        memset(buffers[bit], 0, count * sizeof *buffers[bit]);
    }
    for (uint64_t clock = 0; clock < 64 * (uint64_t)count; clock++) {
        uint64_t value = tally_number_at(number, first + clock);
        for (unsigned bit = 0; bit < bits; bit++)
            buffers[bit][clock / 64] |= (value >> bit & 1) << (clock % 64);
    }
}

uint64_t tally_number_steady(const struct tally_number *number, uint64_t clock)
{
    switch ((enum tally_number_kind)number->kind) {
    case TALLY_NUMBER_TIMES:
        return number->value ? tally_wave_steady(&number->wave, clock) : UINT64_MAX;
    case TALLY_NUMBER_SEQUENCE:
        return number->length == 1 ? UINT64_MAX : 1;
    case TALLY_NUMBER_UNIFORM:
        return number->value ? 1 : UINT64_MAX;
    case TALLY_NUMBER_RATE:
        return number->seed ? 1 : UINT64_MAX;
    }
    return 1;
}
