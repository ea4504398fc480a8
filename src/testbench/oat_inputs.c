/* SPDX-License-Identifier: MIT */
/* Commands of `.oat` scripts for the inputs of the OA unit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/nearest.h"
#include "intel/oa/options.h"
#include "intel/oa/unit.h"
#include "testbench/oat_state.h"

#define CONTEXT_MAX UINT32_MAX

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Parses "3" or "3-7", numbers below `count`. */
static int take_range(const struct word *word, unsigned count, const char *what, unsigned *first,
                      unsigned *last, struct tally_error *error)
{
    struct word from = *word, to = *word;
    uint64_t low, high;
    const char *dash = memchr(word->text, '-', word->size);
    if (!count)
        return fail(error, -EINVAL, "expected %s, but the platform has none", what);
    if (dash) {
        from.size = (size_t)(dash - word->text);
        to = (struct word){dash + 1, word->size - from.size - 1};
    }
    int result = word_number(&from, 0, count - 1, what, &low, error);
    if (result < 0 || (result = word_number(&to, 0, count - 1, what, &high, error)) < 0)
        return result;
    if (high < low)
        return word_error(error, word, "an ascending range");
    *first = (unsigned)low;
    *last = (unsigned)high;
    return 0;
}

static int command_noa(struct oat *oat, const struct words *words, struct tally_error *error)
{
    unsigned first, last;
    struct wave_text wave;
    int result = take_range(&words->at[1], 16, "a NOA bit", &first, &last, error);
    if (result < 0 || (result = wave_parse(&oat->waves, words, 2, false, 1, &wave, error)) < 0)
        return result;
    for (unsigned bit = first; bit <= last; bit++) {
        struct tally_wave shifted = wave.wave;
        if (shifted.kind == TALLY_WAVE_PRNG || shifted.kind == TALLY_WAVE_SCATTER)
            shifted.value += bit - first;
        tally_oa_drive_noa(oat->unit, bit, &shifted);
    }
    return 0;
}

static void note_reserved(const struct oat *oat, unsigned counter)
{
    char text[80], sku[SKU_NAME_BYTES];
    snprintf(text, sizeof text, "A%u is reserved on %s: it counts nothing", counter,
             intel_sku_name(oat->unit->sku, sku));
    if (oat->waves.note)
        oat->waves.note(oat->waves.note_context, text);
}

static int command_a(struct oat *oat, const struct words *words, struct tally_error *error)
{
    unsigned first, last;
    struct tally_number number;
    int result = take_range(&words->at[1], oat->unit->variant->a_count, "an A counter", &first,
                            &last, error);
    if (result < 0 ||
        (result = number_parse(&oat->waves, words, 2, UINT32_MAX, &number, error)) < 0)
        return result;
    for (unsigned i = first; i <= last; i++) {
        struct tally_number shifted = number_at_place(&number, i - first);
        if (intel_sku_reserves(oat->unit->sku, i))
            note_reserved(oat, i);
        if (tally_oa_drive_a(oat->unit, i, &shifted) < 0)
            return word_error(error, &words->at[1], "no flexible counter (A7 to A20)");
    }
    return 0;
}

static int command_eu(struct oat *oat, const struct words *words, struct tally_error *error)
{
    static const struct {
        const char *name;
        uint8_t max;
    } signals[TALLY_OA_EU_SIGNALS] = {{"fpu0", 1},    {"fpu1", 1}, {"send", 1},
                                      {"threads", 8}, {"ff", 6},   {"kind", 5}};
    unsigned first, last, signal = 0;
    struct tally_number number;
    int result = take_range(&words->at[1], oat->unit->eus, "an EU", &first, &last, error);
    if (result < 0)
        return result;
    while (signal < TALLY_OA_EU_SIGNALS && !word_is(&words->at[2], signals[signal].name))
        signal++;
    if (signal == TALLY_OA_EU_SIGNALS)
        return word_error(error, &words->at[2], "fpu0, fpu1, send, threads, ff or kind");
    result = number_parse(&oat->waves, words, 3, signals[signal].max, &number, error);
    for (unsigned eu = first; result == 0 && eu <= last; eu++) {
        struct tally_number shifted = number_at_place(&number, eu - first);
        result = tally_oa_drive_eu(oat->unit, eu, (enum tally_oa_eu_signal)signal, &shifted);
    }
    return result;
}

static int command_csource(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t counter;
    bool tap = word_is(&words->at[2], "tap");
    int result = word_number(&words->at[1], 0, oat->unit->variant->c_count - 1u, "a C counter",
                             &counter, error);
    if (result < 0)
        return result;
    if (!tap && !word_is(&words->at[2], "noa"))
        return word_error(error, &words->at[2], "tap or noa");
    return tally_oa_select_tap(oat->unit, (unsigned)counter, tap) < 0
               ? word_error(error, &words->at[1], "a counter that has a tap")
               : 0;
}

static int command_context(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t id = 0;
    bool none = word_is(&words->at[1], "none");
    int result = none ? 0 : word_number(&words->at[1], 0, CONTEXT_MAX, "a context id", &id, error);
    if (result == 0)
        tally_oa_switch_context(oat->unit, !none, (uint32_t)id);
    return result;
}

static int command_go(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t level;
    int result = word_number(&words->at[1], 0, 1, "a level", &level, error);
    if (result == 0)
        tally_oa_set_go(oat->unit, level);
    return result;
}

static int command_freq(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t slice, unslice;
    int result = word_number(&words->at[1], 0, 511, "a ratio", &slice, error);
    if (result < 0 || (result = word_number(&words->at[2], 0, 511, "a ratio", &unslice, error)) < 0)
        return result;
    tally_oa_set_ratios(oat->unit, (unsigned)slice, (unsigned)unslice);
    return 0;
}

static int command_instaddr(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t value;
    int result = word_number(&words->at[1], 0, UINT32_MAX, "an address", &value, error);
    if (result == 0)
        tally_oa_set_instruction(oat->unit, (uint32_t)value);
    return result;
}

static int command_linetime(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t value;
    int result = word_number(&words->at[1], 0, UINT32_MAX, "clocks a line", &value, error);
    if (result == 0)
        tally_oa_set_line_time(oat->unit, (uint32_t)value);
    return result;
}

static int command_irq(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t engine_class, instance, data;
    int result = word_number(&words->at[1], 0, 7, "a class", &engine_class, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, 63, "an instance", &instance, error)) < 0 ||
        (result = word_number(&words->at[3], 0, 0xffff, "16 bits of data", &data, error)) < 0)
        return result;
    if (gt_interrupts_message(&oat->interrupts, (unsigned)engine_class, (unsigned)instance, 0,
                              (uint16_t)data) < 0)
        return word_error(error, &words->at[1], "an engine's class and instance");
    return 0;
}

static int command_spacing(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t value;
    int result = word_number(&words->at[1], 0, UINT32_MAX, "clocks a line", &value, error);
    if (result == 0)
        tally_oa_set_spacing(oat->unit, (uint32_t)value);
    return result;
}

static int command_option(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[32];
    const char *names[TALLY_OA_OPTIONS], *nearest;
    const struct oa_option_row *row = oa_option_find(word_text(&words->at[1], name, sizeof name));
    bool on = word_is(&words->at[2], "on");
    for (unsigned i = 0; i < TALLY_OA_OPTIONS; i++)
        names[i] = oa_option_rows[i].name;
    if (!row) {
        nearest = nearest_word(name, names, TALLY_OA_OPTIONS);
        return word_error(error, &words->at[1], "%s (see tally list options)",
                          nearest ? nearest : "an option");
    }
    if (!on && !word_is(&words->at[2], "off"))
        return word_error(error, &words->at[2], "on or off");
    return tally_oa_set_option(oat->unit, (enum tally_oa_option)(row - oa_option_rows), on) < 0
               ? word_error(error, &words->at[1], "an option of %s (see tally list options)",
                            oat->unit->platform->info.name)
               : 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct oat_command oat_input_commands[] = {
    {"noa", "<bit>[-<last>] <waveform>", 3, 5, false, 0, command_noa},
    {"a", "<i>[-<last>] <waveform>", 3, 7, false, 0, command_a},
    {"eu", "<n>[-<last>] <signal> <waveform>", 4, 8, false, OAT_EUS, command_eu},
    {"csource", "<i> tap|noa", 2, 2, false, OAT_TAPS, command_csource},
    {"context", "<id>|none", 1, 1, false, 0, command_context},
    {"go", "0|1", 1, 1, false, OAT_GO, command_go},
    {"freq", "<slice> <unslice>", 2, 2, false, OAT_RATIOS, command_freq},
    {"instaddr", "<value>", 1, 1, false, 0, command_instaddr},
    {"spacing", "<n>", 1, 1, false, 0, command_spacing},
    {"option", "<name> on|off", 2, 2, false, 0, command_option},
    {"linetime", "<n>", 1, 1, false, 0, command_linetime},
    {"irq", "<class> <instance> <data>", 3, 3, false, OAT_OA_INTERRUPT, command_irq},
};

const size_t oat_input_command_count = ARRAY_COUNT(oat_input_commands);
