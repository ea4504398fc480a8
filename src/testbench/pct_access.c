/* SPDX-License-Identifier: MIT */
/* Commands of `.pct` scripts for signals, registers, and values that are peeked and poked. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/bits.h"
#include "testbench/pct_state.h"

/* ---- signals --------------------------------------------------------------------------------- */

/* Signal names: those of the chipset's domains, with trailers at the base given in the script. */
static const struct tally_chipset *chipset_of(const struct pct *pct)
{
    return pct->chipset ? pct->chipset : pcounter_oldest_chipset(pct->revision);
}

static int named_signal(struct pct *pct, unsigned domain, const struct word *word, unsigned *signal,
                        struct tally_error *error)
{
    char name[128];
    struct tally_pcounter_domain about;
    const struct tally_trailer *trailer;
    tally_pcounter_domain(pct->engine, domain, &about);
    word_text(word, name, sizeof name);
    for (size_t i = 0; (trailer = tally_trailer_at(pct->revision, i)); i++)
        if (trailer->name[0] != '?' &&
            (word_is_nocase(word, trailer->name) || word_is_nocase(word, trailer->alias))) {
            *signal = about.trailer_base + trailer->offset;
            return 0;
        }
    int found = tally_signal_find(chipset_of(pct), TALLY_DOMAIN(about.set, about.number), name);
    if (found == -ENOTUNIQ)
        return word_error(error, word,
                          "one signal; this name is a group's, or not unique: "
                          "NAME[element], or its number");
    if (found < 0)
        return word_error(error, word, "a signal, 0 to 255 or a name of %s's domain %u",
                          chipset_of(pct)->name, domain);
    *signal = (unsigned)found;
    return 0;
}

static int take_signal(struct pct *pct, unsigned domain, const struct word *word, unsigned *signal,
                       struct tally_error *error)
{
    uint64_t number;
    if (!word_is_number(word))
        return named_signal(pct, domain, word, signal, error);
    int result = word_number(word, 0, 255, "a signal", &number, error);
    *signal = (unsigned)number;
    return result;
}

/* Parses "5", "5-9", or a name. */
static int take_range(struct pct *pct, unsigned domain, const struct word *word, unsigned *first,
                      unsigned *last, struct tally_error *error)
{
    struct word from = *word, to = *word;
    const char *dash = memchr(word->text, '-', word->size);
    if (dash && word_is_number(word)) {
        from.size = (size_t)(dash - word->text);
        to.text = dash + 1;
        to.size = word->size - from.size - 1;
    }
    int result = take_signal(pct, domain, &from, first, error);
    if (result < 0 || (result = take_signal(pct, domain, &to, last, error)) < 0)
        return result;
    if (*last < *first)
        return word_error(error, word, "an ascending range");
    return 0;
}

static int attach(struct pct *pct, unsigned domain, unsigned signal, unsigned offset,
                  const struct wave_text *wave)
{
    if (wave->user)
        return tally_pcounter_attach_user(pct->engine, domain, signal, wave->user - 1);
    struct tally_wave shifted = wave->wave;
    if (shifted.kind == TALLY_WAVE_PRNG ||
        shifted.kind == TALLY_WAVE_SCATTER) /* each signal of a range has a different seed */
        shifted.value += offset;
    /* The script's waves remain valid. */
    pcounter_attach_from(pct->engine, domain, signal, &shifted, pct->engine->domains[domain].edges);
    return 0;
}

static int command_sig(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain, first, last;
    struct wave_text wave;
    struct tally_pcounter_domain about;
    int result = pct_take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 || (result = take_range(pct, domain, &words->at[2], &first, &last, error)) < 0)
        return result;
    tally_pcounter_domain(pct->engine, domain, &about);
    result = wave_parse(&pct->waves, words, 3,
                        pcounter_attaches_users(&pcounter_features[pct->revision]), about.period,
                        &wave, error);
    for (unsigned signal = first; result == 0 && signal <= last; signal++)
        result = attach(pct, domain, signal, signal - first, &wave);
    return result;
}

/* ---- registers ------------------------------------------------------------------------------- */

static int take_address(const struct word *word, uint64_t *address, struct tally_error *error)
{
    int result = word_number(word, 0, UINT64_MAX, "an address", address, error);
    if (result == 0 && *address % 4)
        return word_error(error, word, "an address that is a multiple of 4");
    return result;
}

/* Returns the domain of a SRC register, or -1 for other registers. */
static int source_domain(const struct tally_pcounter *engine, uint64_t address)
{
    if (address > UINT32_MAX)
        return -1;
    struct pcounter_target target = pcounter_find(engine, (uint32_t)address, REG_WRITE);
    if (!target.row || pcounter_is_pmc(&target))
        return -1;
    uint16_t id = target.row->reg->id;
    return id <= REG_CLRFLAG_SRC || id == REG_SPEC_SRC ? (int)target.domain : -1;
}

/* Parses the value of a SRC register given as signals: up to four, separated by commas, signal 0
 * first. */
static int take_signals(struct pct *pct, uint64_t address, const struct word *word, uint64_t *value,
                        struct tally_error *error)
{
    int domain = source_domain(pct->engine, address);
    struct word rest = *word;
    if (domain < 0)
        return word_error(error, word,
                          "a value (only PRE_SRC, START_SRC, EVENT_SRC, STOP_SRC and "
                          "similar registers take names of signals)");
    *value = 0;
    for (unsigned i = 0; rest.text; i++) {
        unsigned signal;
        const char *comma = memchr(rest.text, ',', rest.size);
        struct word one = {rest.text, comma ? (size_t)(comma - rest.text) : rest.size};
        if (i == 4)
            return word_error(error, word, "at most four signals");
        int result = take_signal(pct, (unsigned)domain, &one, &signal, error);
        if (result < 0)
            return result;
        *value |= (uint64_t)signal << (i * REG_WIDTH(PCOUNTER_SRC, SIGNAL0));
        rest.size -= one.size + (comma != NULL);
        rest.text = comma ? comma + 1 : NULL;
    }
    return 0;
}

static int command_wr(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address, value;
    const struct word *word = &words->at[2];
    int result = take_address(&words->at[1], &address, error);
    if (result < 0)
        return result;
    if (word_is_number(word) && !memchr(word->text, ',', word->size))
        result = word_number(word, 0, UINT32_MAX, "a 32-bit value", &value, error);
    else
        result = take_signals(pct, address, word, &value, error);
    if (result == 0 && address <= UINT32_MAX) /* there are no registers beyond */
        tally_pcounter_write32(pct->engine, (uint32_t)address, (uint32_t)value);
    return result;
}

static int command_rd(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address;
    int result = take_address(&words->at[1], &address, error);
    if (result < 0)
        return result;
    uint32_t value =
        address <= UINT32_MAX ? tally_pcounter_read32(pct->engine, (uint32_t)address) : 0;
    return pct_put(pct, "rd 0x%06" PRIx64 " = 0x%08" PRIx32 "\n", address, value);
}

static int command_reset(struct pct *pct, const struct words *words, struct tally_error *error)
{
    (void)words, (void)error;
    tally_pcounter_reset(pct->engine);
    return 0;
}

/* ---- peek and poke --------------------------------------------------------------------------- */

static int take_value(struct pct *pct, const struct word *word, enum tally_pcounter_value end,
                      enum tally_pcounter_value *value, struct tally_error *error)
{
    for (unsigned i = 0; i < TALLY_PCOUNTER_VALUES; i++) {
        *value = (enum tally_pcounter_value)i;
        if (!word_is(word, tally_pcounter_value_name(*value)))
            continue;
        if (!tally_pcounter_value_width(pct->revision, *value))
            return word_error(error, word, "a value that %s has", chipset_of(pct)->name);
        if (*value >= end)
            return word_error(error, word, "a counter; this can only be peeked at");
        return 0;
    }
    return word_error(error, word, "the name of a value (cycles, sh_event, rec0, flag, ...)");
}

static int command_peek(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain;
    enum tally_pcounter_value value;
    uint64_t bits = 0;
    int result = pct_take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = take_value(pct, &words->at[2], TALLY_PCOUNTER_VALUES, &value, error)) < 0)
        return result;
    tally_pcounter_peek(pct->engine, domain, value, &bits);
    return pct_put(pct, "peek %u %s = 0x%012" PRIx64 "\n", domain, tally_pcounter_value_name(value),
                   bits);
}

static int command_poke(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain;
    enum tally_pcounter_value value;
    uint64_t bits;
    int result = pct_take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = take_value(pct, &words->at[2], TALLY_PCOUNTER_FLAG, &value, error)) < 0 ||
        (result = word_number(&words->at[3], 0, UINT64_MAX, "a value", &bits, error)) < 0)
        return result;
    return tally_pcounter_poke(pct->engine, domain, value, bits);
}

const struct pct_command pct_access_commands[] = {
    {"sig", "<dom> <signal>[-<last>] <waveform>", 3, 6, false, true, command_sig},
    {"wr", "<addr> <value>", 2, 2, false, false, command_wr},
    {"rd", "<addr>", 1, 1, false, false, command_rd},
    {"poke", "<dom> <name> <value>", 3, 3, false, false, command_poke},
    {"peek", "<dom> <name>", 2, 2, false, false, command_peek},
    {"reset", "", 0, 0, false, false, command_reset},
};
const size_t pct_access_command_count = ARRAY_COUNT(pct_access_commands);
