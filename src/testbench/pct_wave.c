/* SPDX-License-Identifier: MIT */
/* Waveforms of `.pct` scripts. */
#include "testbench/pct_wave.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/vcd.h>

#include "base/bits.h"
#include "base/error.h"

/* ---- memory ---------------------------------------------------------------------------------- */

void wave_store_fini(struct wave_store *store)
{
    for (size_t i = 0; i < store->count; i++)
        free(store->blocks[i]);
    free(store->blocks);
    store->blocks = NULL;
    store->count = store->capacity = 0;
}

int wave_store_keep(struct wave_store *store, uint64_t *block, struct tally_error *error)
{
    if (store->count == store->capacity) {
        size_t capacity = store->capacity ? 2 * store->capacity : 16;
        uint64_t **blocks = realloc(store->blocks, capacity * sizeof *blocks);
        if (!blocks) {
            free(block);
            return fail_memory(error, "a waveform");
        }
        store->blocks = blocks;
        store->capacity = capacity;
    }
    store->blocks[store->count++] = block;
    return 0;
}

/* ---- each kind ------------------------------------------------------------------------------- */

struct context {
    struct wave_store *store;
    const struct word *words; /* after the kind's name */
    unsigned count;
    uint32_t period;
    struct tally_error *error;
};

static int parse_const(const struct context *in, struct wave_text *out)
{
    uint64_t value;
    int result = word_number(&in->words[0], 0, 1, "a value", &value, in->error);
    out->wave = tally_wave_constant(value);
    return result;
}

static int parse_bits(const struct context *in, uint64_t **out)
{
    const struct word *word = &in->words[0];
    uint64_t *bits = calloc((word->size + 63) / 64 + 1, sizeof *bits);
    if (!bits)
        return fail_memory(in->error, "a bit string");
    for (size_t i = 0; i < word->size; i++) {
        if (word->text[i] != '0' && word->text[i] != '1') {
            free(bits);
            return fail(in->error, -EINVAL, "'%c' at bit %zu, expected a string of 0 and 1",
                        word->text[i], i);
        }
        bits[i / 64] |= (uint64_t)(word->text[i] == '1') << (i % 64);
    }
    *out = bits;
    return wave_store_keep(in->store, bits, in->error);
}

static int parse_pattern(const struct context *in, struct wave_text *out)
{
    uint64_t *bits;
    int result = parse_bits(in, &bits);
    if (result == 0)
        out->wave = tally_wave_pattern(bits, in->words[0].size);
    return result;
}

static int parse_once(const struct context *in, struct wave_text *out)
{
    uint64_t *bits;
    int result = parse_bits(in, &bits);
    if (result == 0)
        out->wave = tally_wave_once(bits, in->words[0].size);
    return result;
}

static int parse_every(const struct context *in, struct wave_text *out)
{
    uint64_t period, phase;
    int result =
        word_number(&in->words[0], 1, UINT64_MAX, "a period of 1 or more", &period, in->error);
    if (result < 0 || (result = word_number(&in->words[1], 0, period - 1,
                                            "a phase below the period", &phase, in->error)) < 0)
        return result;
    out->wave = tally_wave_every(period, phase);
    return 0;
}

static int parse_chance(const struct context *in,
                        struct tally_wave (*make)(uint64_t seed, unsigned chance),
                        struct wave_text *out)
{
    uint64_t seed, chance;
    int result = word_number(&in->words[0], 0, UINT64_MAX, "a seed", &seed, in->error);
    if (result < 0 ||
        (result = word_number(&in->words[1], 0, 256, "a chance of 256", &chance, in->error)) < 0)
        return result;
    out->wave = make(seed, (unsigned)chance);
    return 0;
}

static int parse_prng(const struct context *in, struct wave_text *out)
{
    return parse_chance(in, tally_wave_prng, out);
}

static int parse_scatter(const struct context *in, struct wave_text *out)
{
    return parse_chance(in, tally_wave_scatter, out);
}

static int parse_bursts(const struct context *in, struct wave_text *out)
{
    uint64_t seed, frame, length;
    int result = word_number(&in->words[0], 0, UINT64_MAX, "a seed", &seed, in->error);
    if (result < 0 ||
        (result = word_number(&in->words[1], 1, UINT64_MAX, "a frame of 1 clock or more", &frame,
                              in->error)) < 0 ||
        (result = word_number(&in->words[2], 0, frame, "a length of at most the frame", &length,
                              in->error)) < 0)
        return result;
    out->wave = tally_wave_bursts(seed, frame, length);
    return 0;
}

static int parse_user(const struct context *in, struct wave_text *out)
{
    uint64_t user;
    int result = word_number(&in->words[0], 0, 1, "a USER signal", &user, in->error);
    out->user = (unsigned)user + 1;
    return result;
}

/* A bit of a dump, sampled at each clock, every `step` units of time of the dump. The default step
 * is the domain's period, for dumps whose unit of time is a tick. */
static int parse_vcd(const struct context *in, struct wave_text *out)
{
    char path[4096], name[256], text[4608];
    struct tally_vcd_signal signal;
    uint64_t step = in->period, *edges;
    size_t count;
    int result;
    if (!in->store->files)
        return fail(in->error, -EINVAL, "reading files is not allowed here");
    if (in->words[0].size >= sizeof path || in->words[1].size >= sizeof name)
        return fail(in->error, -EINVAL, "the name is too long");
    if (in->count > 2 && (result = word_number(&in->words[2], 1, UINT64_MAX, "a step of 1 or more",
                                               &step, in->error)) < 0)
        return result;
    word_text(&in->words[0], path, sizeof path);
    word_text(&in->words[1], name, sizeof name);
    result = tally_vcd_read(path, name, &signal, in->error);
    if (result == 0 && signal.unknown && in->store->note) {
        snprintf(text, sizeof text, "%s: %.100s: %" PRIu64 " changes to x or z are read as 0", path,
                 name, signal.unknown);
        in->store->note(in->store->note_context, text);
    }
    if (result == 0)
        result = tally_vcd_clocks(&signal, step, &edges, &count);
    tally_vcd_signal_fini(&signal);
    if (result < 0)
        return result;
    out->wave = tally_wave_edges(edges, count);
    return edges ? wave_store_keep(in->store, edges, in->error) : 0;
}

static const struct {
    const char *name, *usage;
    uint8_t min, max;
    int (*parse)(const struct context *in, struct wave_text *out);
} kinds[] = {
    {"const", "0|1", 1, 1, parse_const},
    {"pattern", "<bits>", 1, 1, parse_pattern},
    {"once", "<bits>", 1, 1, parse_once},
    {"every", "<n> <o>", 2, 2, parse_every},
    {"prng", "<seed> <p>", 2, 2, parse_prng},
    {"user", "<u>", 1, 1, parse_user},
    {"bursts", "<seed> <frame> <length>", 3, 3, parse_bursts},
    {"scatter", "<seed> <p>", 2, 2, parse_scatter},
    {"vcd", "<file> <signal> [<step>]", 2, 3, parse_vcd},
};

int wave_parse(struct wave_store *store, const struct words *words, unsigned first, bool has_user,
               uint32_t period, struct wave_text *out, struct tally_error *error)
{
    const struct word *name = &words->at[first];
    struct context in = {store, name + 1, words->count - first - 1, period, error};
    *out = (struct wave_text){.wave = tally_wave_constant(false)};
    for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
        if (!word_is(name, kinds[i].name))
            continue;
        if (in.count < kinds[i].min || in.count > kinds[i].max)
            return fail(error, -EINVAL, "%s takes: %s %s", kinds[i].name, kinds[i].name,
                        kinds[i].usage);
        if (kinds[i].parse == parse_user && !has_user)
            return fail(error, -EINVAL, "user is for gt215 (gf100 has USER in its trailer)");
        return kinds[i].parse(&in, out);
    }
    return word_error(error, name, "a waveform (const, pattern, once, every, prng, ...)");
}
