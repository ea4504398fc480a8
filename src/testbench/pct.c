/* SPDX-License-Identifier: MIT */
/* The `.pct` language: a table of commands, each of which parses its words and acts on the engine;
 * here those of the setup. */
#include "testbench/pct.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "regs/trace.h"
#include "testbench/pct_state.h"

#define COMMANDS_MAX 64 /* of the language, for messages */

/* ---- output ---------------------------------------------------------------------------------- */

int pct_put(struct pct *pct, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return results_put(&pct->results, text, (size_t)length);
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
    struct reg_place place =
        pcounter_locate(pct->engine, access->address, access->write ? REG_WRITE : REG_READ);
    char text[REG_TRACE_LINE];
    fputs(pcounter_trace_line(pct->engine, access, &place, text), pct->mmio);
}

/* Creates the engine, once its domains are known. */
static int make_engine(struct pct *pct, struct tally_error *error)
{
    int result = pct->chipset     ? tally_pcounter_new(pct->chipset, &pct->engine, error)
                 : pct->set_count ? tally_pcounter_new_sets(pct->revision, pct->sets,
                                                            pct->set_count, &pct->engine, error)
                                  : tally_pcounter_new_bare(pct->revision, 1, &pct->engine, error);
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

/* Checks the words of a script that drives an engine. */
static int check_driven(const struct pct *pct, const struct words *words, struct tally_error *error)
{
    const struct word *word = &words->at[1];
    unsigned domains = tally_pcounter_domains(pct->engine);
    uint64_t count;
    if (word_is(&words->at[0], "chipset"))
        return word_is_nocase(word, pct->chipset->name)
                   ? 0
                   : word_error(error, word, "%s, the chipset of the GPU", pct->chipset->name);
    int result = word_number(word, 1, UINT32_MAX, "a number of domains", &count, error);
    return result < 0 || count == domains
               ? result
               : word_error(error, word, "%u, the domains of %s", domains, pct->chipset->name);
}

static int command_chipset(struct pct *pct, const struct words *words, struct tally_error *error)
{
    const struct word *name = &words->at[1];
    if (pct->driven)
        return check_driven(pct, words, error);
    if (pct->stage != SETUP_CHIPSET)
        return fail(error, -EINVAL, "chipset given twice");
    pct->stage = SETUP_DOMAINS;
    int revision = revision_named(name);
    if (revision >= 0) {
        pct->revision = (enum tally_pcounter_revision)revision;
        return 0;
    }
    char text[32], names[REVISION_NAMES];
    const struct tally_chipset *chipset = tally_chipset_find(word_text(name, text, sizeof text));
    if (!chipset || chipset->presence == TALLY_ABSENT) {
        pct->stage = SETUP_CHIPSET;
        return chipset ? fail(error, -EINVAL, "%s has no PCOUNTER", chipset->title)
                       : word_error(error, name, "a chipset such as %s",
                                    pcounter_revision_names(names));
    }
    pct->chipset = chipset;
    pct->revision = (enum tally_pcounter_revision)pct->chipset->revision;
    return 0;
}

/* Parses the name of a set of domains: gpc0, part3, hub. */
static int take_set(const struct word *word, struct tally_pcounter_set *set,
                    struct tally_error *error)
{
    char text[16], name[16];
    word_text(word, text, sizeof text);
    for (unsigned kind = TALLY_SET_GPC; kind <= TALLY_SET_HUB; kind++)
        for (unsigned i = 0; i < gf100_set_spaces[kind].count; i++) {
            snprintf(name, sizeof name, kind == TALLY_SET_HUB ? "%s" : "%s%u",
                     gf100_set_spaces[kind].name, i);
            if (strcmp(text, name) != 0)
                continue;
            set->set = (enum tally_domain_set)kind;
            set->instance = i;
            return 0;
        }
    return word_error(error, word, "a set of domains: gpc0 to gpc%u, part0 to part%u or hub",
                      gf100_set_spaces[TALLY_SET_GPC].count - 1,
                      gf100_set_spaces[TALLY_SET_PART].count - 1);
}

static bool has_set(const struct pct *pct, const struct tally_pcounter_set *set)
{
    for (unsigned i = 0; i < pct->set_count; i++)
        if (pct->sets[i].set == set->set && pct->sets[i].instance == set->instance)
            return true;
    return false;
}

/* Takes the name of a set, which must be another one than those before. */
static int take_new_set(const struct pct *pct, const struct word *word,
                        struct tally_pcounter_set *set, struct tally_error *error)
{
    int result = take_set(word, set, error);
    if (result == 0 && has_set(pct, set))
        result = word_error(error, word, "another set, which has no domains yet");
    return result;
}

static int command_domains(struct pct *pct, const struct words *words, struct tally_error *error)
{
    const struct pcounter_features *features = &pcounter_features[pct->revision];
    struct tally_pcounter_set set = {features->sets ? TALLY_SET_GPC : TALLY_SET_ONLY, 0, 0};
    uint64_t count;
    int result;
    if (pct->driven)
        return check_driven(pct, words, error);
    if (pct->stage != SETUP_DOMAINS)
        return fail(error, -EINVAL, "domains given twice, or not right after chipset");
    char names[REVISION_NAMES];
    if (pct->chipset)
        return fail(error, -EINVAL, "%s has a fixed number of domains, expected one of %s",
                    pct->chipset->title, pcounter_revision_names(names));
    if ((result = word_number(&words->at[1], 1, features->domains, "a number of domains", &count,
                              error)) < 0)
        return result;
    if (words->count > 2 && !features->sets)
        return fail(error, -EINVAL, "%s has one set of domains, expected no name of a set",
                    features->range);
    if (words->count > 2 && (result = take_new_set(pct, &words->at[2], &set, error)) < 0)
        return result;
    if (words->count == 2 && has_set(pct, &set))
        return fail(error, -EINVAL, "domains given twice, expected the name of another set");
    if (pct->domain_count + count > TALLY_PCOUNTER_DOMAINS_TOTAL)
        return word_error(error, &words->at[1], "%u domains at most, %u in all",
                          TALLY_PCOUNTER_DOMAINS_TOTAL - pct->domain_count,
                          TALLY_PCOUNTER_DOMAINS_TOTAL);
    set.domains = (unsigned)count;
    pct->sets[pct->set_count++] = set;
    pct->domain_count += set.domains;
    if (!features->sets)
        pct->stage = SETUP_CLOCKS;
    return 0;
}

static int finish_setup(struct pct *pct, struct tally_error *error)
{
    return pct->engine ? 0 : make_engine(pct, error);
}

int pct_take_domain(struct pct *pct, const struct word *word, unsigned *domain,
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
    int result = pct_take_domain(pct, &words->at[1], &domain, error);
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
    int result = pct_take_domain(pct, &words->at[1], &domain, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT8_MAX, "a trailer base", &base, error)) < 0)
        return result;
    if (tally_pcounter_set_trailer(pct->engine, domain, (unsigned)base) < 0)
        return word_error(error, &words->at[2], "a multiple of 0x20, at most 0x%x",
                          pcounter_highest_trailer(&pcounter_features[pct->revision]));
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct pct_command setup_commands[] = {
    {"chipset", "<name>", 1, 1, true, true, command_chipset},
    {"domains", "<n> [<set>]", 1, 2, true, true, command_domains},
    {"clock", "<dom> <period> [<phase>]", 2, 3, true, true, command_clock},
    {"trailer", "<dom> <base>", 2, 2, true, true, command_trailer},
};

/* Finds the command, or reports the nearest one. Returns NULL if it is unknown. */
static const struct pct_command *find_command(const struct word *name, struct tally_error *error)
{
    const struct {
        const struct pct_command *commands;
        size_t count;
    } tables[] = {{setup_commands, ARRAY_COUNT(setup_commands)},
                  {pct_access_commands, pct_access_command_count},
                  {pct_memory_commands, pct_memory_command_count}};
    const char *names[COMMANDS_MAX] = {"expect"};
    size_t count = 1;
    for (size_t table = 0; table < ARRAY_COUNT(tables); table++)
        for (size_t i = 0; i < tables[table].count; i++) {
            if (word_is(name, tables[table].commands[i].name))
                return &tables[table].commands[i];
            if (count < COMMANDS_MAX)
                names[count++] = tables[table].commands[i].name;
        }
    word_unknown_command(error, name, names, count, "chipset, sig, wr, rd, run");
    return NULL;
}

/* Executes the words of a line other than `expect`; a results_command. */
static int run_words(void *context, const struct words *line, struct tally_error *error)
{
    struct pct *pct = context;
    const struct words words = *line;
    int result;
    const struct pct_command *command = find_command(&words.at[0], error);
    if (!command)
        return -EINVAL;
    if (words.count - 1u < command->min || words.count - 1u > command->max)
        return fail(error, -EINVAL, "%s takes: %s%s%s", command->name, command->name,
                    *command->usage ? " " : "", command->usage);
    if (pct->driven && !command->drives)
        return fail(error, -EINVAL,
                    "%s is not for a script of signals, expected clock, trailer, sig, latency, run",
                    command->name);
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

int pct_line(struct pct *pct, const char *line, size_t size, struct tally_error *error)
{
    struct words words;
    int result = words_split(line, size, &words, error);
    if (result < 0 || !words.count)
        return result;
    return word_is(&words.at[0], "expect")
               ? results_expect(&pct->results, &words, line, size, run_words, pct, error)
               : run_words(pct, &words, error);
}

void pct_set_expected(struct pct *pct, script_expected *expected, void *context)
{
    pct->results.expected = expected;
    pct->results.expected_context = context;
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
    pct->results.output = output;
    pct->results.output_context = context;
    *out = pct;
    return 0;
}

void pct_drive(struct pct *pct, const struct tally_chipset *chipset, struct tally_pcounter *engine)
{
    pct->driven = true;
    pct->chipset = chipset;
    pct->revision = tally_pcounter_revision(engine);
    pct->engine = engine;
    pct->stage = SETUP_CLOCKS;
}

void pct_free(struct pct *pct)
{
    if (!pct)
        return;
    if (!pct->driven)
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

void pct_set_pace(struct pct *pct, const struct pace *pace)
{
    pct->pace = *pace;
}

void pct_set_runner(struct pct *pct, pct_runner *runner, void *context)
{
    pct->runner = runner;
    pct->runner_context = context;
}
