/* SPDX-License-Identifier: MIT */
/* Waveforms of numbers in `.oat` scripts. */
#include "testbench/oat_wave.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static int parse_const(const struct words *words, unsigned first, uint32_t max,
                       struct tally_number *out, struct tally_error *error)
{
    uint64_t value;
    if (words->count != first + 2)
        return fail(error, -EINVAL, "const takes: const <v>");
    int result = word_number(&words->at[first + 1], 0, max, "a value", &value, error);
    *out = tally_number_constant((uint32_t)value);
    return result;
}

static int parse_uni(const struct words *words, unsigned first, uint32_t max,
                     struct tally_number *out, struct tally_error *error)
{
    uint64_t seed, largest;
    if (words->count != first + 3)
        return fail(error, -EINVAL, "uni takes: uni <seed> <m>");
    int result = word_number(&words->at[first + 1], 0, UINT64_MAX, "a seed", &seed, error);
    if (result < 0 || (result = word_number(&words->at[first + 2], 0, max, "a maximum value",
                                            &largest, error)) < 0)
        return result;
    *out = tally_number_uniform(seed, (uint32_t)largest);
    return 0;
}

static int parse_items(struct wave_store *store, const struct word *list, uint32_t max,
                       struct tally_number *out, struct tally_error *error)
{
    size_t count = 1, at = 0;
    for (size_t i = 0; i < list->size; i++)
        count += list->text[i] == ',';
    uint64_t *block = calloc(count / 2 + 1, sizeof *block); /* the store has words of 64 bits */
    uint32_t *items = (uint32_t *)(void *)block;
    if (!block)
        return fail_memory(error, "a sequence");
    for (struct word rest = *list; at < count; at++) {
        uint64_t value;
        const char *comma = memchr(rest.text, ',', rest.size);
        struct word one = {rest.text, comma ? (size_t)(comma - rest.text) : rest.size};
        int result = word_number(&one, 0, max, "a value", &value, error);
        if (result < 0) {
            free(block);
            return result;
        }
        items[at] = (uint32_t)value;
        rest.text += one.size + 1;
        rest.size -= comma ? one.size + 1 : one.size;
    }
    *out = tally_number_sequence(items, count);
    return wave_store_keep(store, block, error);
}

static int parse_bits(struct wave_store *store, const struct words *words, unsigned first,
                      uint32_t value, struct tally_number *out, struct tally_error *error)
{
    struct wave_text wave;
    int result = wave_parse(store, words, first, false, 1, &wave, error);
    *out = tally_number_times(value, &wave.wave);
    return result;
}

int number_parse(struct wave_store *store, const struct words *words, unsigned first, uint32_t max,
                 struct tally_number *out, struct tally_error *error)
{
    const struct word *name = &words->at[first];
    uint64_t value;
    if (word_is(name, "const"))
        return parse_const(words, first, max, out, error);
    if (word_is(name, "uni"))
        return parse_uni(words, first, max, out, error);
    if (word_is(name, "seq")) {
        if (words->count != first + 2)
            return fail(error, -EINVAL, "seq takes: seq <v>,<v>,...");
        return parse_items(store, &words->at[first + 1], max, out, error);
    }
    if (!word_is(name, "times"))
        return parse_bits(store, words, first, 1, out, error);
    if (words->count < first + 4)
        return fail(error, -EINVAL, "times takes: times <v> <bit waveform>");
    int result = word_number(&words->at[first + 1], 0, max, "a value", &value, error);
    return result < 0 ? result : parse_bits(store, words, first + 2, (uint32_t)value, out, error);
}

struct tally_number number_at_place(const struct tally_number *number, unsigned place)
{
    struct tally_number shifted = *number;
    if (number->kind == TALLY_NUMBER_UNIFORM)
        shifted.seed += place;
    if (number->wave.kind == TALLY_WAVE_PRNG || number->wave.kind == TALLY_WAVE_SCATTER)
        shifted.wave.value += place;
    return shifted;
}
