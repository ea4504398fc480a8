/* SPDX-License-Identifier: MIT */
/* The `.oat` language: a table of commands, each of which parses its words and acts on the unit. */
#include "testbench/oat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/minmax.h"
#include "intel/oa/unit.h"
#include "intel/registers.h"
#include "testbench/oat_state.h"
#include "testbench/save.h"

#define SCRIPT_EUS 16 /* maximum in the language; a unit may have more */

#define COMMANDS_MAX 128 /* of the language, for messages */

int oat_put(struct oat *oat, const char *format, ...)
{
    char text[512]; /* the message of an error and more */
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return results_put(&oat->results, text, (size_t)length);
}

/* ---- setup ----------------------------------------------------------------------------------- */

static void write_memory(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    memory_write(&((struct oat *)context)->memory, address, data, bytes);
}

static void half_full(void *context)
{
    struct oat *oat = context;
    gt_interrupts_message(&oat->interrupts, GT_HALF_FULL_CLASS, GT_HALF_FULL_INSTANCE, 0,
                          GT_HALF_FULL_DATA);
}

static int command_platform(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[32];
    if (oat->unit)
        return fail(error, -EINVAL, "platform given twice");
    int result = tally_oa_new(word_text(&words->at[1], name, sizeof name), &oat->unit, error);
    if (result < 0)
        return result;
    oat->trace.revision = oat->unit->platform->revision;
    gt_interrupts_reset(&oat->interrupts);
    /* Only documented interrupts are modelled here (OA-D34). */
    bool interrupts = oat->unit->platform->documented_oa_interrupt;
    struct tally_oa_bus bus = {
        .write = write_memory, .half_full = interrupts ? half_full : NULL, .context = oat};
    tally_oa_set_bus(oat->unit, &bus);
    return 0;
}

static int command_timestamp(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t clocks, start = 0;
    int result = word_number(&words->at[1], 1, UINT32_MAX, "clocks a tick", &clocks, error);
    if (result == 0 && words->count > 2)
        result = word_number(&words->at[2], 0, low_bits(36), "a 36-bit start", &start, error);
    return result < 0 ? result : tally_oa_set_timestamp(oat->unit, (uint32_t)clocks, start);
}

static int command_eus(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t count;
    int result = word_number(&words->at[1], 0, SCRIPT_EUS, "a number of EUs", &count, error);
    return result < 0 ? result : tally_oa_set_eus(oat->unit, (unsigned)count);
}

/* ---- registers, memory, time ----------------------------------------------------------------- */

static bool is_interrupt_register(const struct oat *oat, uint32_t address)
{
    return oat->unit->platform->documented_oa_interrupt && address >= 0x190000 &&
           address < 0x190100;
}

/* Finds a register of an OA unit without a GPU: its own registers, and those of its interrupts. */
static const struct reg_row *find_row(const struct oat *oat, uint32_t address)
{
    unsigned element;
    const struct reg_index *index = is_interrupt_register(oat, address)
                                        ? intel_register_index(oat->unit->platform->revision)
                                        : oat->unit->index;
    return index ? reg_index_find(index, address, &element) : NULL;
}

/* Counts and traces an access of a unit without a GPU, as a GPU does. */
static void count_access(struct oat *oat, bool write, uint32_t address, uint32_t value)
{
    const struct reg_row *row = find_row(oat, address);
    enum reg_access_outcome outcome = write ? reg_check_write(row, value) : reg_check_read(row);
    struct tally_gpu_mmio_stats *stats = &oat->stats;
    struct tally_gpu_access access = {
        .clock = tally_oa_now(oat->unit),
        .address = address,
        .value = value,
        .agent = TALLY_GPU_CPU,
        .write = write,
        .outcome = (enum tally_gpu_access_outcome)outcome,
    };
    *(write ? &stats->writes : &stats->reads) += 1;
    stats->unknown_register += outcome == REG_UNKNOWN;
    stats->read_only += outcome == REG_READ_ONLY;
    stats->write_only += outcome == REG_WRITE_ONLY;
    stats->reserved_bits += outcome == REG_RESERVED_BITS;
    if (oat->trace.file)
        gpu_trace_access(&oat->trace, &access);
}

int oat_take_address(const struct word *word, uint32_t *address, struct tally_error *error)
{
    uint64_t number;
    int result = word_number(word, 0, UINT32_MAX, "an address", &number, error);
    if (result == 0 && number % 4)
        return word_error(error, word, "an address that is a multiple of 4");
    *address = (uint32_t)number;
    return result;
}

int oat_take_value(const struct word *word, uint32_t *value, struct tally_error *error)
{
    uint64_t number;
    int result = word_number(word, 0, UINT32_MAX, "a 32-bit value", &number, error);
    *value = (uint32_t)number;
    return result;
}

static int command_wr(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t address, value;
    int result = oat_take_address(&words->at[1], &address, error);
    if (result < 0 || (result = oat_take_value(&words->at[2], &value, error)) < 0)
        return result;
    count_access(oat, true, address, value);
    if (is_interrupt_register(oat, address))
        gt_interrupts_write32(&oat->interrupts.host[0], address, value);
    else
        tally_oa_write32(oat->unit, address, value);
    return 0;
}

static int command_rd(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t address;
    int result = oat_take_address(&words->at[1], &address, error);
    if (result < 0)
        return result;
    uint32_t value = is_interrupt_register(oat, address)
                         ? gt_interrupts_read32(&oat->interrupts.host[0], address)
                         : tally_oa_read32(oat->unit, address);
    count_access(oat, false, address, value);
    return oat_put(oat, "rd 0x%06" PRIx32 " = 0x%08" PRIx32 "\n", address, value);
}

static int command_mirpc(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t address, id, max = is_map_c(oat->unit) ? UINT64_MAX : UINT32_MAX;
    int result = word_number(&words->at[1], 0, max, "an address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT32_MAX, "a report id", &id, error)) < 0)
        return result;
    tally_oa_report(oat->unit, address, (uint32_t)id);
    return 0;
}

struct pass {
    struct oat *oat;
    oat_advance *advance;
    void *target;
};

static int pass_piece(void *closure, uint64_t clocks, struct tally_error *error)
{
    const struct pass *pass = closure;
    const struct oat *oat = pass->oat;
    if (oat->runner)
        return oat->runner(oat->runner_context, oat->unit, pass->advance, pass->target, clocks,
                           error);
    pass->advance(pass->target, clocks);
    return 0;
}

int oat_pass(struct oat *oat, oat_advance *advance, void *target, uint64_t clocks,
             struct tally_error *error)
{
    struct pass pass = {oat, advance, target};
    return pace_run(&oat->pace, clocks, pass_piece, &pass, error);
}

static void move_unit(void *unit, uint64_t clocks)
{
    tally_oa_run(unit, clocks);
}

static int command_run(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t clocks;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "a number of clocks", &clocks, error);
    if (result < 0)
        return result;
    result = oat_pass(oat, move_unit, oat->unit, clocks, error);
    if (result < 0)
        return result;
    return oat->memory.exhausted ? fail_memory(error, "the report buffer's memory") : 0;
}

int oat_print_memory(struct oat *oat, const struct memory *memory, uint64_t address,
                     uint64_t length)
{
    int result = 0;
    for (uint64_t done = 0; result == 0 && done < length; done += 16) {
        char text[40];
        uint8_t bytes[16];
        unsigned count = (unsigned)min_u64(length - done, 16);
        memory_read(memory, address + done, bytes, count);
        for (unsigned i = 0; i < count; i++)
            snprintf(text + 2 * i, 3, "%02x", bytes[i]);
        result = oat_put(oat, "mem 0x%016" PRIx64 " = %s\n", address + done, text);
    }
    return result;
}

static int command_mem(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t address, length;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "an address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, OAT_MEM_MAX, "a length", &length, error)) < 0)
        return result;
    return oat_print_memory(oat, &oat->memory, address, length);
}

int oat_save_memory(const struct oat *oat, const struct memory *memory, const struct words *words,
                    struct tally_error *error)
{
    uint64_t address, length;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "an address", &address, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT32_MAX, "a length", &length, error)) < 0)
        return result;
    const struct save save = {.memory = memory,
                              .address = address,
                              .length = length,
                              .last = UINT64_MAX,
                              .files = oat->waves.files,
                              .note = oat->waves.note,
                              .note_context = oat->waves.note_context};
    return save_to_file(&save, &words->at[words->count - 1], error);
}

static int command_save(struct oat *oat, const struct words *words, struct tally_error *error)
{
    return oat_save_memory(oat, &oat->memory, words, error);
}

static int command_poke(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[32];
    uint64_t value;
    int result = word_number(&words->at[2], 0, UINT64_MAX, "a value", &value, error);
    if (result < 0)
        return result;
    char sku[SKU_NAME_BYTES];
    word_text(&words->at[1], name, sizeof name);
    return tally_oa_poke(oat->unit, name, value) < 0
               ? word_error(error, &words->at[1], "a counter or state of %s that can be set",
                            intel_sku_name(oat->unit->sku, sku))
               : 0;
}

static int command_peek(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[32];
    uint64_t value;
    word_text(&words->at[1], name, sizeof name);
    if (!strcmp(name, "irq") && oat->unit->platform->documented_oa_interrupt)
        value = gt_interrupts_line(&oat->interrupts.host[0]);
    else if (tally_oa_peek(oat->unit, name, &value) < 0)
        return word_error(error, &words->at[1], "a value of %s (a0, b0, ticks, wrap, ...)",
                          oat->unit->platform->info.name);
    return oat_put(oat, "peek %s = 0x%010" PRIx64 "\n", name, value);
}

static int command_reset(struct oat *oat, const struct words *words, struct tally_error *error)
{
    (void)words, (void)error;
    tally_oa_reset(oat->unit);
    gt_interrupts_reset(&oat->interrupts);
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static const struct oat_command commands[] = {
    {"platform", "<name>", 1, 1, true, 0, command_platform},
    {"timestamp", "<n> [<start>]", 1, 2, true, 0, command_timestamp},
    {"eus", "<n>", 1, 1, true, OAT_EUS, command_eus},
    {"gpu", "[awake] [nofirmware] [<parameter> <value>]...", 0, 15, true, 0, oat_command_gpu},
    {"wr", "<addr> <value>", 2, 2, false, 0, command_wr},
    {"rd", "<addr>", 1, 1, false, 0, command_rd},
    {"mirpc", "<address> <id>", 2, 2, false, 0, command_mirpc},
    {"run", "<n>", 1, 1, false, 0, command_run},
    {"mem", "<addr> <len>", 2, 2, false, 0, command_mem},
    {"save", "<addr> <len> <file>", 3, 3, false, 0, command_save},
    {"poke", "<name> <value>", 2, 2, false, 0, command_poke},
    {"peek", "<name>", 1, 1, false, 0, command_peek},
    {"reset", "", 0, 0, false, 0, command_reset},
};

/* Finds the command, or reports the nearest one. Returns NULL if it is unknown. */
static const struct oat_command *find_command(const struct oat *oat, const struct word *name,
                                              struct tally_error *error)
{
    const struct {
        const struct oat_command *commands;
        size_t count;
    } tables[] = {
        {commands, ARRAY_COUNT(commands)},
        {oat_input_commands, oat_input_command_count},
        {oat_access_commands, oat_access_command_count}, /* from here on those of a GPU */
        {oat_engine_commands, oat_engine_command_count},
        {oat_pci_commands, oat_pci_command_count},
        {oat_gpu_commands, oat_gpu_command_count},
    };
    const char *names[COMMANDS_MAX] = {"expect"};
    size_t count = 1;
    for (size_t t = oat->gpu ? ARRAY_COUNT(tables) : 2; t-- > 0;)
        for (size_t i = 0; i < tables[t].count; i++) {
            if (word_is(name, tables[t].commands[i].name))
                return &tables[t].commands[i];
            if (count < COMMANDS_MAX)
                names[count++] = tables[t].commands[i].name;
        }
    word_unknown_command(error, name, names, count, "platform, noa, wr, rd, run");
    return NULL;
}

/* Returns the platform's capabilities as enum oat_need bits. */
static unsigned capabilities(const struct oat *oat)
{
    const struct intel_platform *platform = oat->unit->platform;
    const struct oa_variant *variant = oat->unit->variant;
    unsigned taps = 0;
    for (unsigned i = 0; i < C_COUNTERS; i++)
        taps |= variant->taps[i];
    return (taps ? OAT_TAPS : 0) | (variant->subslices ? OAT_EUS : 0) |
           (is_map_c(oat->unit) ? OAT_GO : 0) | (variant->ratio_reports ? OAT_RATIOS : 0) |
           (platform->documented_oa_interrupt ? OAT_OA_INTERRUPT : 0) |
           (platform->interrupts == INTERRUPTS_TREE ? OAT_INTERRUPT_TREE : 0) |
           (platform->steering ? OAT_STEERING : 0);
}

/* Executes the words of a line other than `expect`; a results_command. */
static int run_words(void *context, const struct words *line, struct tally_error *error)
{
    struct oat *oat = context;
    const struct words words = *line;
    const struct oat_command *command = find_command(oat, &words.at[0], error);
    if (!command)
        return -EINVAL;
    if (words.count - 1u < command->min || words.count - 1u > command->max)
        return fail(error, -EINVAL, "%s takes: %s %s", command->name, command->name,
                    command->usage);
    if (!oat->unit && command->run != command_platform)
        return fail(error, -EINVAL, "%s before platform, expected platform first", command->name);
    if (oat->unit && command->needs & ~capabilities(oat))
        return fail(error, -EINVAL, "%s is not available on %s", command->name,
                    oat->unit->platform->info.name);
    if (command->setup && oat->running)
        return fail(error, -EINVAL, "%s is a setup command, expected before all others",
                    command->name);
    oat->running |= !command->setup;
    int result = command->run(oat, &words, error);
    if (result < 0)
        fail_in(error, "%s", command->name);
    return result; /* without a message if the output failed */
}

int oat_line(struct oat *oat, const char *line, size_t size, struct tally_error *error)
{
    struct words words;
    int result = words_split(line, size, &words, error);
    if (result < 0 || !words.count)
        return result;
    return word_is(&words.at[0], "expect")
               ? results_expect(&oat->results, &words, line, size, run_words, oat, error)
               : run_words(oat, &words, error);
}

int oat_new(script_output *output, void *context, struct oat **out, struct tally_error *error)
{
    struct oat *oat = calloc(1, sizeof *oat);
    if (!oat)
        return fail_memory(error, "a script");
    oat->results.output = output;
    oat->results.output_context = context;
    *out = oat;
    return 0;
}

void oat_set_expected(struct oat *oat, script_expected *expected, void *context)
{
    oat->results.expected = expected;
    oat->results.expected_context = context;
}

void oat_allow_files(struct oat *oat, script_note *note, void *context)
{
    oat->waves.files = true;
    oat->waves.note = note;
    oat->waves.note_context = context;
}

void oat_set_mmio_trace(struct oat *oat, FILE *file)
{
    oat->trace.file = file;
}

void oat_set_cost(struct oat *oat, const char *path)
{
    oat->cost = path;
}

bool oat_has_gpu(const struct oat *oat)
{
    return oat->gpu != NULL;
}

struct tally_gpu_mmio_stats oat_mmio_stats(const struct oat *oat)
{
    return oat->gpu ? tally_gpu_mmio_stats(oat_gpu_model(oat)) : oat->stats;
}

void oat_set_pace(struct oat *oat, const struct pace *pace)
{
    oat->pace = *pace;
}

void oat_set_runner(struct oat *oat, oat_runner *runner, void *context)
{
    oat->runner = runner;
    oat->runner_context = context;
}

void oat_free(struct oat *oat)
{
    if (!oat)
        return;
    if (oat->gpu)
        oat_gpu_free(oat->gpu);
    else
        tally_oa_free(oat->unit);
    memory_fini(&oat->memory);
    wave_store_fini(&oat->waves);
    free(oat);
}
