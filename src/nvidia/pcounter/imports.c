/* SPDX-License-Identifier: MIT */
/*
 * Synchronizers: EVENT and FLAG of the other domains, brought to a domain's own clock (PC-D7,
 * PC-D8).
 *
 * At each of its clocks a domain samples every other domain: the level of the signal at the
 * source's latest clock, and the pulse, which is 1 if the signal has risen since the previous
 * sample; several rises are one pulse (PC-E13). The domain sees a sample two clocks later. Samples
 * within a chunk are read from the sources' histories; of the time before the chunk the last two
 * samples are kept.
 */
#include <string.h>

#include "base/bits.h"
#include "nvidia/pcounter/engine.h"

/* ---- clocks and ticks ------------------------------------------------------------------------ */

uint64_t edges_before(const struct domain *domain, uint64_t tick)
{
    return tick > domain->phase ? (tick - domain->phase - 1) / domain->period + 1 : 0;
}

/* Returns the tick of a clock, or UINT64_MAX if it is beyond the end of time. */
uint64_t tick_of(const struct domain *domain, uint64_t edge)
{
    return edge > (UINT64_MAX - domain->phase) / domain->period
               ? UINT64_MAX
               : domain->phase + edge * domain->period;
}

/* A source as an importing domain sees it in a chunk. */
struct source {
    const uint64_t *words; /* its signal, from its first clock in the chunk on */
    bool before;           /* its signal at the clock before */
    uint64_t first_edge;   /* number of its first clock in the chunk */
    uint32_t period, phase;
};

/* Returns the number of the source's clocks in this chunk up to and including a tick. */
static uint64_t clocks_at(const struct source *source, uint64_t tick)
{
    if (tick < source->phase)
        return 0;
    uint64_t edges = (tick - source->phase) / source->period + 1;
    return edges > source->first_edge ? edges - source->first_edge : 0;
}

static bool level_after(const struct source *source, uint64_t clocks)
{
    return clocks ? bit_at(source->words, clocks - 1) : source->before;
}

/* Whether the signal rises at one of the source's clocks [from, to) of the chunk. */
static bool rises(const struct source *source, uint64_t from, uint64_t to)
{
    bool value = level_after(source, from);
    while (from < to) {
        if (!value) {
            return next_one(source->words, from, to) < to;
        }
        uint64_t word = ~source->words[from / 64] >> (from % 64); /* look for a 0 */
        if (to - from < 64)
            word &= low_bits((unsigned)(to - from));
        if (word) {
            from += (uint64_t)__builtin_ctzll(word);
            value = false;
        } else {
            from = (from | 63) + 1;
        }
    }
    return false;
}

static struct source source_of(const struct domain *domain, const struct history *history,
                               enum import_kind kind, uint64_t chunk_tick)
{
    return (struct source){history->words[kind], history->before[kind],
                           edges_before(domain, chunk_tick), domain->period, domain->phase};
}

/* ---- the words of imported signals ----------------------------------------------------------- */

/* An imported signal: a level or pulses, and the two samples before the chunk. */
struct import {
    struct source source;
    bool pulse;
    bool risen;          /* since the clock before the chunk */
    bool earlier, later; /* samples of the last two clocks before the chunk */
};

/* Imports from a domain on the same clock, whose history is the samples. Fills `count` clocks,
 * starting with clock `first` of the chunk. */
static void import_same_clock(const struct import *import, uint64_t first, uint64_t count,
                              uint64_t *out)
{
    const uint64_t *words = import->source.words;
    for (size_t i = 0; i < words_of(count); i++) {
        /* The samples that these clocks see are those of the clocks two before. */
        uint64_t at = first + 64 * i, value, previous;
        if (at >= 2) {
            uint64_t from = at - 2;
            value = words[from / 64] >> (from % 64);
            if (from % 64)
                value |= words[from / 64 + 1] << (64 - from % 64);
            previous = from ? bit_at(words, from - 1) : import->source.before;
            if (import->pulse)
                value &= ~(value << 1 | previous);
        } else {
            uint64_t samples = words[0]; /* the first bits are from before the chunk */
            if (import->pulse)
                samples &= ~(samples << 1 | import->source.before);
            value = at == 0 ? samples << 2 | (uint64_t)import->later << 1 | import->earlier
                            : samples << 1 | import->later;
        }
        out[i] = value;
    }
}

/* Imports from a domain on any clock, sample by sample. */
static void import_any_clock(const struct domain *domain, const struct import *import,
                             uint64_t first_edge, uint64_t first, uint64_t count, uint64_t *out)
{
    memset(out, 0, words_of(count) * sizeof *out);
    uint64_t passed = 0; /* clocks of the source up to the sample before */
    if (first > 2)
        passed = clocks_at(&import->source, tick_of(domain, first_edge + first - 3));
    for (uint64_t i = 0; i < count; i++) {
        uint64_t clock = first + i; /* of the chunk; it sees the sample of clock - 2 */
        bool value;
        if (clock < 2) {
            value = clock ? import->later : import->earlier;
        } else {
            uint64_t now = clocks_at(&import->source, tick_of(domain, first_edge + clock - 2));
            if (import->pulse)
                value = rises(&import->source, passed, now) || (clock == 2 && import->risen);
            else
                value = level_after(&import->source, now);
            passed = now;
        }
        out[i / 64] |= (uint64_t)value << (i % 64);
    }
}

static void import_words(const struct domain *domain, const struct import *import,
                         uint64_t first_edge, uint64_t first, uint64_t count, uint64_t *out)
{
    if (import->source.period == domain->period && import->source.phase == domain->phase &&
        !import->risen)
        import_same_clock(import, first, count, out);
    else
        import_any_clock(domain, import, first_edge, first, count, out);
}

static bool one_of(uint8_t mask, unsigned domain)
{
    return mask >> domain & 1;
}

void imports_prepare(const struct tally_pcounter *engine, const struct domain *domain,
                     const struct history *histories, uint64_t chunk_tick, uint64_t done,
                     uint64_t clocks, struct workspace *w)
{
    const struct domain *set = &engine->domains[engine->set_first[domain->set]];
    unsigned count = engine->set_first[domain->set + 1] - engine->set_first[domain->set];
    uint64_t first_edge = edges_before(domain, chunk_tick);
    for (enum import_kind kind = 0; kind < IMPORT_KINDS; kind++) {
        const struct synchronizer *synchronizer = &domain->synchronizers[kind];
        bool pulse = domain->plan.pulses[kind];
        const uint8_t *samples = pulse ? synchronizer->pulse : synchronizer->level;
        for (unsigned i = 0; i < DOMAINS; i++) {
            if (!one_of(domain->plan.imports[kind], i))
                continue;
            if (i >= count) { /* domains that do not exist are 0 */
                memset(w->imports[kind][i], 0, words_of(clocks) * sizeof(uint64_t));
                continue;
            }
            struct import import = {source_of(&set[i], &histories[i], kind, chunk_tick), pulse,
                                    one_of(synchronizer->risen, i), one_of(samples[1], i),
                                    one_of(samples[0], i)};
            import_words(domain, &import, first_edge, done, clocks, w->imports[kind][i]);
        }
    }
}

/* ---- samples kept after a chunk -------------------------------------------------------------- */

/* The samples of a pair of domains at the last three clocks of a chunk; [0] is the latest. */
struct pair {
    bool level[3], pulse[3], risen;
};

static struct pair sample_pair(const struct domain *domain, const struct source *source,
                               uint64_t first_edge, uint64_t clocks, uint64_t source_clocks,
                               const struct pair *before)
{
    struct pair after = *before;
    uint64_t passed = 0, start = clocks > 3 ? clocks - 3 : 0;
    if (start)
        passed = clocks_at(source, tick_of(domain, first_edge + start - 1));
    for (uint64_t i = start; i < clocks; i++) {
        uint64_t now = clocks_at(source, tick_of(domain, first_edge + i));
        bool risen = rises(source, passed, now) || (i == 0 && before->risen);
        after.level[2] = after.level[1], after.level[1] = after.level[0];
        after.pulse[2] = after.pulse[1], after.pulse[1] = after.pulse[0];
        after.level[0] = level_after(source, now);
        after.pulse[0] = risen;
        passed = now;
    }
    after.risen = rises(source, passed, source_clocks) || (!clocks && before->risen);
    return after;
}

static void put(uint8_t *mask, unsigned bit, bool value)
{
    *mask = (uint8_t)((*mask & ~(1u << bit)) | (unsigned)value << bit);
}

static void sample_source(struct synchronizer *synchronizer, unsigned number, bool pulses,
                          const struct domain *domain, const struct source *source,
                          uint64_t first_edge, uint64_t clocks, uint64_t source_clocks)
{
    struct pair before = {
        {one_of(synchronizer->level[0], number), one_of(synchronizer->level[1], number)},
        {one_of(synchronizer->pulse[0], number), one_of(synchronizer->pulse[1], number)},
        one_of(synchronizer->risen, number)};
    struct pair after = sample_pair(domain, source, first_edge, clocks, source_clocks, &before);
    for (unsigned i = 0; i < 2; i++) {
        put(&synchronizer->level[i], number, after.level[i]);
        put(&synchronizer->pulse[i], number, after.pulse[i]);
    }
    put(&synchronizer->risen, number, after.risen);
    if (clocks)
        put(&synchronizer->now, number, pulses ? after.pulse[2] : after.level[2]);
}

/* Samples domains that are all on the same clock: their samples are equal and computed once. A
 * domain's own bit is not used. */
static void sample_in_step(struct domain *domains, unsigned count, const struct history *histories,
                           enum import_kind kind)
{
    uint64_t clocks = histories[0].clocks;
    for (uint64_t at = clocks > 3 ? clocks - 3 : 0; at < clocks; at++) {
        uint8_t level = 0, pulse = 0;
        for (unsigned from = 0; from < count; from++) {
            const struct history *history = &histories[from];
            bool value = bit_at(history->words[kind], at);
            bool before = at ? bit_at(history->words[kind], at - 1) : history->before[kind];
            put(&level, from, value);
            put(&pulse, from, value && !before);
        }
        for (unsigned to = 0; to < count; to++) {
            struct synchronizer *synchronizer = &domains[to].synchronizers[kind];
            bool pulses = domains[to].plan.pulses[kind];
            synchronizer->now = pulses ? synchronizer->pulse[1] : synchronizer->level[1];
            synchronizer->level[1] = synchronizer->level[0], synchronizer->level[0] = level;
            synchronizer->pulse[1] = synchronizer->pulse[0], synchronizer->pulse[0] = pulse;
        }
    }
}

static bool in_step(const struct domain *domains, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (domains[i].hung || domains[i].period != domains[0].period ||
            domains[i].phase != domains[0].phase)
            return false;
    return true;
}

void imports_sample(struct tally_pcounter *engine, unsigned set, const struct history *histories,
                    uint64_t from_tick, uint64_t to_tick)
{
    struct domain *domains = &engine->domains[engine->set_first[set]];
    unsigned count = engine->set_first[set + 1] - engine->set_first[set];
    bool together = in_step(domains, count);
    for (enum import_kind kind = 0; kind < IMPORT_KINDS; kind++) {
        if (together) {
            sample_in_step(domains, count, histories, kind);
            continue;
        }
        for (unsigned to = 0; to < count; to++) {
            struct domain *domain = &domains[to];
            bool pulses = domain->plan.pulses[kind];
            uint64_t first_edge = edges_before(domain, from_tick);
            uint64_t clocks = histories[to].alive;
            if (domain->hung && !clocks)
                continue; /* its imports keep their values (PC-D29) */
            for (unsigned from = 0; from < count; from++) {
                struct source source = source_of(&domains[from], &histories[from], kind, from_tick);
                uint64_t source_clocks = edges_before(&domains[from], to_tick) - source.first_edge;
                if (from != to)
                    sample_source(&domain->synchronizers[kind], from, pulses, domain, &source,
                                  first_edge, clocks, source_clocks);
            }
        }
    }
}
