/* SPDX-License-Identifier: MIT */
/* The `.pct` language: a table of commands, each of which parses its words and acts on the
 * engine. */
#include "testbench/pct.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "nvidia/pcounter/engine.h"
#include "regs/trace.h"
#include "testbench/memory.h"
#include "testbench/pct_wave.h"
#include "testbench/words.h"

struct pct {
    script_output *output;
    void *output_context;
    FILE *mmio; /* file for a line per register access; NULL: none */
    pct_runner *runner;
    void *runner_context;
    enum { SETUP_CHIPSET, SETUP_DOMAINS, SETUP_CLOCKS, RUNNING } stage;
    enum tally_pcounter_revision revision;
    const struct tally_chipset *chipset;
    struct tally_pcounter *engine;
    struct memory memory;
    struct wave_store waves;
};

/* ---- output ---------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static int put(struct pct *pct, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pct->output(pct->output_context, text, (size_t)length);
}

/* ---- setup ----------------------------------------------------------------------------------- */

static int memory_faults_callback(void *context, uint64_t address, size_t bytes)
{
    return memory_faults(context, address, bytes);
}

static void memory_write_callback(void *context, uint64_t address, const uint8_t *data,
                                  size_t bytes)
{
    memory_write(context, address, data, bytes);
}

static void trace_access(void *context, const struct tally_pcounter_access *access)
{
    const struct pct *pct = context;
    struct pcounter_target target =
        pcounter_locate(pct->engine, access->address, access->write ? REG_WRITE : REG_READ);
    struct reg_trace line = {
        .clock = access->tick,
        .agent = "cpu",
        .write = access->write,
        .address = access->address,
        .value = access->value,
        .place = target.place.reg ? &target.place : NULL,
        .revision = pcounter_revision_bit(pct->engine),
        .instances = pct->engine->domain_count,
    };
    char text[REG_TRACE_LINE];
    if (access->outcome != TALLY_PCOUNTER_DONE && access->outcome != TALLY_PCOUNTER_RESERVED_BITS)
        line.mark = tally_pcounter_access_outcome_name(access->outcome);
    fputs(reg_trace_line(&line, text), pct->mmio);
}

/* Creates the engine, once the number of domains is known. */
static int make_engine(struct pct *pct, unsigned domains, struct tally_error *error)
{
    int result = pct->chipset
                     ? tally_pcounter_new(pct->chipset, &pct->engine, error)
                     : tally_pcounter_new_bare(pct->revision, domains, &pct->engine, error);
    if (result < 0)
        return result;
    tally_pcounter_set_memory(
        pct->engine, &(struct tally_pcounter_memory){memory_faults_callback, memory_write_callback,
                                                     &pct->memory});
    if (pct->mmio)
        tally_pcounter_set_mmio_listener(pct->engine, trace_access, pct);
    return 0;
}

/* Returns the revision named by the word (any number of domains), or -1. */
static int revision_named(const struct word *name)
{
    for (int i = 0; i < TALLY_PCOUNTER_REVISIONS; i++)
        if (word_is_nocase(name, pcounter_oldest_chipset((enum tally_pcounter_revision)i)->name))
            return i;
    return -1;
}

static int command_chipset(struct pct *pct, const struct words *words, struct tally_error *error)
{
    const struct word *name = &words->at[1];
    if (pct->stage != SETUP_CHIPSET)
        return fail(error, -EINVAL, "chipset given twice");
    pct->stage = SETUP_DOMAINS;
    int revision = revision_named(name);
    if (revision >= 0) {
        pct->revision = (enum tally_pcounter_revision)revision;
        return 0;
    }
    char text[32];
    const struct tally_chipset *chipset = tally_chipset_find(word_text(name, text, sizeof text));
    if (!chipset || chipset->presence == TALLY_ABSENT) {
        pct->stage = SETUP_CHIPSET;
        return chipset ? fail(error, -EINVAL, "%s has no PCOUNTER", chipset->title)
                       : word_error(error, name, "a chipset (nv10, nv15, ... gf100)");
    }
    pct->chipset = chipset;
    pct->revision = (enum tally_pcounter_revision)pct->chipset->revision;
    return 0;
}

static int command_domains(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t count;
    if (pct->stage != SETUP_DOMAINS)
        return fail(error, -EINVAL, "domains given twice, or not right after chipset");
    char names[REVISION_NAMES];
    if (pct->chipset)
        return fail(error, -EINVAL, "%s has a fixed number of domains, expected one of %s",
                    pct->chipset->title, pcounter_revision_names(names));
    int result =
        word_number(&words->at[1], 1, TALLY_PCOUNTER_DOMAINS, "a number of domains", &count, error);
    if (result < 0 || (result = make_engine(pct, (unsigned)count, error)) < 0)
        return result;
    pct->stage = SETUP_CLOCKS;
    return 0;
}

static int finish_setup(struct pct *pct, struct tally_error *error)
{
    return pct->engine ? 0 : make_engine(pct, 1, error);
}

static int take_domain(struct pct *pct, const struct word *word, unsigned *domain,
                       struct tally_error *error)
{
    uint64_t number;
    int result =
        word_number(word, 0, tally_pcounter_domains(pct->engine) - 1, "a domain", &number, error);
    *domain = (unsigned)number;
    return result;
}

static int command_clock(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain;
    uint64_t period, phase = 0;
    int result = take_domain(pct, &words->at[1], &domain, error);
    if (result < 0)
        return result;
    result = word_number(&words->at[2], 1, UINT32_MAX, "a period in ticks", &period, error);
    if (result < 0)
        return result;
    if (words->count > 3 && (result = word_number(&words->at[3], 0, period - 1,
                                                  "a phase below the period", &phase, error)) < 0)
        return result;
    return tally_pcounter_set_clock(pct->engine, domain, (uint32_t)period, (uint32_t)phase);
}

static int command_trailer(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain;
    uint64_t base;
    int result = take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT8_MAX, "a trailer base", &base, error)) < 0)
        return result;
    if (tally_pcounter_set_trailer(pct->engine, domain, (unsigned)base) < 0)
        return word_error(error, &words->at[2], "a multiple of 0x20, at most 0x%x",
                          pcounter_highest_trailer(&pcounter_features[pct->revision]));
    return 0;
}

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
    if (shifted.kind == TALLY_WAVE_PRNG) /* each signal of a range has a different seed */
        shifted.value += offset;
    return tally_pcounter_attach(pct->engine, domain, signal, &shifted);
}

static int command_sig(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain, first, last;
    struct wave_text wave;
    struct tally_pcounter_domain about;
    int result = take_domain(pct, &words->at[1], &domain, error);
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
    struct pcounter_target target = pcounter_locate(engine, (uint32_t)address, REG_WRITE);
    if (!target.place.reg || target.pmc)
        return -1;
    uint16_t id = target.place.reg->id;
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
    if (result == 0 && address <= UINT32_MAX) /* no registers at higher addresses */
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
    return put(pct, "rd 0x%06" PRIx64 " = 0x%08" PRIx32 "\n", address, value);
}

static int command_reset(struct pct *pct, const struct words *words, struct tally_error *error)
{
    (void)words, (void)error;
    tally_pcounter_reset(pct->engine);
    return 0;
}

/* ---- time and memory ------------------------------------------------------------------------- */

static int command_latency(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t clocks;
    int result = word_number(&words->at[1], 1, UINT32_MAX, "a latency in clocks", &clocks, error);
    return result < 0 ? result : tally_pcounter_set_latency(pct->engine, (uint32_t)clocks);
}

static int command_run(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t ticks;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "a number of ticks", &ticks, error);
    if (result < 0)
        return result;
    if (pct->runner)
        result = pct->runner(pct->runner_context, pct->engine, ticks, error);
    else
        tally_pcounter_run(pct->engine, ticks);
    if (result == 0 && pct->memory.exhausted)
        return fail_memory(error, "the record buffer's memory");
    return result;
}

#define ADDRESS_MAX ((UINT64_C(1) << 40) - 1)

static int command_mem(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address, length;
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, 1 << 20, "a length", &length, error)) < 0)
        return result;
    for (uint64_t done = 0; result == 0 && done < length; done += 16) {
        uint8_t bytes[16];
        char text[40];
        unsigned count = length - done < 16 ? (unsigned)(length - done) : 16;
        for (unsigned i = 0; i < count; i++) { /* addresses wrap */
            memory_read(&pct->memory, (address + done + i) & ADDRESS_MAX, &bytes[i], 1);
            snprintf(text + 2 * i, 3, "%02x", bytes[i]);
        }
        result = put(pct, "mem 0x%010" PRIx64 " = %s\n", (address + done) & ADDRESS_MAX, text);
    }
    return result;
}

/* Writes the bytes of a record buffer to a file, for tally decode. */
static int command_save(struct pct *pct, const struct words *words, struct tally_error *error)
{
    uint64_t address, length;
    char path[4096];
    const struct word *name = &words->at[3];
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT32_MAX, "a length", &length, error)) < 0)
        return result;
    if (!pct->waves.files)
        return fail(error, -EINVAL, "writing files is not allowed here");
    if (name->size >= sizeof path)
        return fail(error, -EINVAL, "the file name is too long");
    FILE *file = fopen(word_text(name, path, sizeof path), "wbe");
    if (!file)
        return fail(error, -errno, "%s: %s", path, strerror(errno));
    bool written = true;
    for (uint64_t done = 0; written && done < length;) {
        uint8_t bytes[MEMORY_PAGE];
        uint64_t at = (address + done) & ADDRESS_MAX, space = ADDRESS_MAX + 1 - at;
        size_t count = length - done < sizeof bytes ? (size_t)(length - done) : sizeof bytes;
        count = count < space ? count : (size_t)space;
        memory_read(&pct->memory, at, bytes, count);
        written = fwrite(bytes, 1, count, file) == count;
        done += count;
    }
    int code = written ? 0 : errno;
    if (fclose(file) != 0 && !code)
        code = errno;
    return code ? fail(error, -code, "%s: %s", path, strerror(code)) : 0;
}

static int set_fault(struct pct *pct, const struct words *words, bool faults,
                     struct tally_error *error)
{
    uint64_t address;
    int result = word_number(&words->at[1], 0, ADDRESS_MAX, "a 40-bit address", &address, error);
    if (result < 0)
        return result;
    result = memory_set_fault(&pct->memory, address, faults);
    return result < 0 ? fail_memory(error, "a page") : 0;
}

static int command_fault(struct pct *pct, const struct words *words, struct tally_error *error)
{
    return set_fault(pct, words, true, error);
}

static int command_unfault(struct pct *pct, const struct words *words, struct tally_error *error)
{
    return set_fault(pct, words, false, error);
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
    int result = take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = take_value(pct, &words->at[2], TALLY_PCOUNTER_VALUES, &value, error)) < 0)
        return result;
    tally_pcounter_peek(pct->engine, domain, value, &bits);
    return put(pct, "peek %u %s = 0x%012" PRIx64 "\n", domain, tally_pcounter_value_name(value),
               bits);
}

static int command_poke(struct pct *pct, const struct words *words, struct tally_error *error)
{
    unsigned domain;
    enum tally_pcounter_value value;
    uint64_t bits;
    int result = take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = take_value(pct, &words->at[2], TALLY_PCOUNTER_FLAG, &value, error)) < 0 ||
        (result = word_number(&words->at[3], 0, UINT64_MAX, "a value", &bits, error)) < 0)
        return result;
    return tally_pcounter_poke(pct->engine, domain, value, bits);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct command {
    const char *name;
    const char *usage;
    uint8_t min, max; /* words after the name */
    bool setup;
    int (*run)(struct pct *pct, const struct words *words, struct tally_error *error);
} commands[] = {
    {"chipset", "<name>", 1, 1, true, command_chipset},
    {"domains", "<n>", 1, 1, true, command_domains},
    {"clock", "<dom> <period> [<phase>]", 2, 3, true, command_clock},
    {"trailer", "<dom> <base>", 2, 2, true, command_trailer},
    {"sig", "<dom> <signal>[-<last>] <waveform>", 3, 6, false, command_sig},
    {"latency", "<n>", 1, 1, false, command_latency},
    {"wr", "<addr> <value>", 2, 2, false, command_wr},
    {"rd", "<addr>", 1, 1, false, command_rd},
    {"run", "<n>", 1, 1, false, command_run},
    {"mem", "<addr> <len>", 2, 2, false, command_mem},
    {"save", "<addr> <len> <file>", 3, 3, false, command_save},
    {"fault", "<addr>", 1, 1, false, command_fault},
    {"unfault", "<addr>", 1, 1, false, command_unfault},
    {"poke", "<dom> <name> <value>", 3, 3, false, command_poke},
    {"peek", "<dom> <name>", 2, 2, false, command_peek},
    {"reset", "", 0, 0, false, command_reset},
};

static const struct command *find_command(const struct word *name)
{
    for (size_t i = 0; i < ARRAY_COUNT(commands); i++)
        if (word_is(name, commands[i].name))
            return &commands[i];
    return NULL;
}

int pct_line(struct pct *pct, const char *line, size_t size, struct tally_error *error)
{
    struct words words;
    int result = words_split(line, size, &words, error);
    if (result < 0 || !words.count)
        return result;
    const struct command *command = find_command(&words.at[0]);
    if (!command)
        return word_error(error, &words.at[0], "a command (chipset, sig, wr, rd, run, ...)");
    if (words.count - 1u < command->min || words.count - 1u > command->max)
        return fail(error, -EINVAL, "%s takes: %s%s%s", command->name, command->name,
                    *command->usage ? " " : "", command->usage);
    if (pct->stage == SETUP_CHIPSET && command->run != command_chipset)
        return fail(error, -EINVAL, "%s before chipset, expected chipset first", command->name);
    if (command->setup && pct->stage == RUNNING && command->run != command_chipset)
        return fail(error, -EINVAL, "%s is a setup command, expected before all others",
                    command->name);
    if (command->run != command_chipset && command->run != command_domains) {
        if ((result = finish_setup(pct, error)) < 0)
            return result;
        pct->stage = command->setup ? SETUP_CLOCKS : RUNNING;
    }
    result = command->run(pct, &words, error);
    if (result < 0)
        fail_in(error, "%s", command->name);
    return result; /* without a message if the output failed */
}

void pct_allow_files(struct pct *pct, script_note *note, void *context)
{
    pct->waves.files = true;
    pct->waves.note = note;
    pct->waves.note_context = context;
}

int pct_new(script_output *output, void *context, struct pct **out, struct tally_error *error)
{
    struct pct *pct = calloc(1, sizeof *pct);
    if (!pct)
        return fail_memory(error, "a script");
    pct->output = output;
    pct->output_context = context;
    *out = pct;
    return 0;
}

void pct_free(struct pct *pct)
{
    if (!pct)
        return;
    tally_pcounter_free(pct->engine);
    memory_fini(&pct->memory);
    wave_store_fini(&pct->waves);
    free(pct);
}

void pct_set_mmio_trace(struct pct *pct, FILE *file)
{
    pct->mmio = file;
}

struct tally_pcounter *pct_engine(struct pct *pct)
{
    return pct->engine;
}

void pct_set_runner(struct pct *pct, pct_runner *runner, void *context)
{
    pct->runner = runner;
    pct->runner_context = context;
}
