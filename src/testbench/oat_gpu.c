/* SPDX-License-Identifier: MIT */
/* `.oat` scripts that drive a whole GPU (docs/oat.md, "gpu"): setup, memory, commands, power. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "base/error.h"
#include "intel/cs/commands.h"
#include "intel/oa/unit.h"
#include "testbench/oat_state.h"

#define SPACES    16
#define REGISTERS 64

/* An address space other than the GGTT, created by the first `store` to it. */
struct space {
    uint32_t number;
    struct memory memory;
};

struct oat_gpu {
    struct oat *oat;
    struct tally_gpu *gpu;
    struct tally_fuses fuses;
    struct tally_cost *cost; /* or NULL */
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct space spaces[SPACES];
    unsigned space_count;
    struct tally_gpu_register batches[TALLY_GPU_BATCHES][REGISTERS];
    size_t batch_counts[TALLY_GPU_BATCHES];
    uint64_t work_clocks; /* clocks that each command of work takes */
    /* Interrupts and completions so far. */
    uint64_t line, vectors[2], completions, works;
    uint64_t messages, message_function, message_address, message_data; /* the latest one */
    uint64_t firmware_calls[2];                                         /* by SMI and SCI */
    struct memory page_table;                                           /* of the GGTT */
};

struct tally_gpu *oat_gpu_model(const struct oat *oat)
{
    return oat->gpu->gpu;
}

/* ---- memory and events ----------------------------------------------------------------------- */

static struct memory *find_space(struct oat_gpu *gpu, uint32_t number)
{
    if (number == TALLY_GPU_GGTT)
        return &gpu->oat->memory;
    for (unsigned i = 0; i < gpu->space_count; i++)
        if (gpu->spaces[i].number == number)
            return &gpu->spaces[i].memory;
    return NULL;
}

static struct memory *make_space(struct oat_gpu *gpu, uint32_t number)
{
    struct memory *memory = find_space(gpu, number);
    if (memory || gpu->space_count == SPACES)
        return memory;
    gpu->spaces[gpu->space_count].number = number;
    return &gpu->spaces[gpu->space_count++].memory;
}

static bool read_memory(void *context, uint32_t space, uint64_t address, void *data, size_t bytes)
{
    const struct memory *memory = find_space(context, space);
    if (memory)
        memory_read(memory, address, data, bytes);
    return memory != NULL;
}

static bool write_memory(void *context, uint32_t space, uint64_t address, const void *data,
                         size_t bytes)
{
    struct memory *memory = find_space(context, space);
    if (memory)
        memory_write(memory, address, data, bytes);
    return memory != NULL;
}

static void hear_line(void *context, bool level)
{
    ((struct oat_gpu *)context)->line = level;
}

static void hear_vector(void *context, unsigned vector)
{
    ((struct oat_gpu *)context)->vectors[vector]++;
}

static void hear_message(void *context, unsigned function, uint64_t address, uint32_t data)
{
    struct oat_gpu *gpu = context;
    gpu->messages++;
    gpu->message_function = function;
    gpu->message_address = address;
    gpu->message_data = data;
}

static void hear_firmware(void *context, bool sci)
{
    ((struct oat_gpu *)context)->firmware_calls[sci]++;
}

static bool read_page_table(void *context, uint64_t offset, void *data, size_t bytes)
{
    memory_read(&((const struct oat_gpu *)context)->page_table, offset, data, bytes);
    return true;
}

static bool write_page_table(void *context, uint64_t offset, const void *data, size_t bytes)
{
    memory_write(&((struct oat_gpu *)context)->page_table, offset, data, bytes);
    return true;
}

static void hear_complete(void *context, uint32_t id, uint32_t head)
{
    (void)id, (void)head;
    ((struct oat_gpu *)context)->completions++;
}

static uint64_t hear_work(void *context, enum tally_gpu_work_kind kind,
                          const struct tally_gpu_command *command)
{
    struct oat_gpu *gpu = context;
    (void)kind, (void)command;
    gpu->works++;
    return gpu->work_clocks;
}

/* ---- setup ----------------------------------------------------------------------------------- */

void oat_gpu_free(struct oat_gpu *gpu)
{
    tally_gpu_free(gpu->gpu);
    tally_cost_free(gpu->cost);
    tally_workload_unbind(gpu->program);
    tally_workload_free(gpu->workload);
    for (unsigned i = 0; i < gpu->space_count; i++)
        memory_fini(&gpu->spaces[i].memory);
    memory_fini(&gpu->page_table);
    free(gpu);
}

static int take_parameters(const struct words *words, struct tally_gpu_config *config,
                           struct tally_error *error)
{
    const struct {
        const char *name;
        bool *flag;      /* of a parameter without a value */
        uint32_t *value; /* of the others */
    } parameters[] = {
        {"awake", .flag = &config->always_awake},
        {"gating", .flag = &config->clock_gating},
        {"nofirmware", .flag = &config->no_firmware},
        {"eus", .value = &config->eus},
        {"clock", .value = &config->clock_hz},
        {"timestamp", .value = &config->timestamp_hz},
        {"wake", .value = &config->wake_clocks},
        {"rc6", .value = &config->rc6_after_clocks},
        {"blind", .value = &config->rc6_blind_clocks},
        {"l3_disable", .value = &config->l3_disable},
        {"vdbox_disable", .value = &config->vdbox_disable},
        {"vebox_disable", .value = &config->vebox_disable},
    };
    for (unsigned i = 1; i < words->count; i++) {
        char text[256];
        uint64_t number;
        size_t k = 0;
        if (word_is(&words->at[i], "fuses")) {
            if (++i == words->count)
                return fail(error, -EINVAL, "fuses without their masks");
            if (words->at[i].size >= sizeof text)
                return fail(error, -EINVAL, "fuses of %zu bytes, expected at most %zu",
                            words->at[i].size, sizeof text - 1);
            int result =
                intel_fuses_parse(word_text(&words->at[i], text, sizeof text), config, error);
            if (result < 0)
                return result;
            continue;
        }
        while (k < ARRAY_COUNT(parameters) && !word_is(&words->at[i], parameters[k].name))
            k++;
        if (k == ARRAY_COUNT(parameters))
            return word_error(error, &words->at[i],
                              "awake, nofirmware, eus, clock, timestamp, wake, rc6, blind, gating, "
                              "fuses, l3_disable, vdbox_disable or vebox_disable");
        if (parameters[k].flag) {
            *parameters[k].flag = true;
            continue;
        }
        if (++i == words->count)
            return fail(error, -EINVAL, "%s without its value", parameters[k].name);
        int result = word_number(&words->at[i], 0, UINT32_MAX, parameters[k].name, &number, error);
        if (result < 0)
            return result;
        *parameters[k].value = (uint32_t)number;
    }
    return 0;
}

static void hear_fault(void *context, const struct tally_error *error)
{
    const struct oat *oat = ((const struct oat_gpu *)context)->oat;
    if (oat->waves.note)
        oat->waves.note(oat->waves.note_context, error->message);
}

int oat_command_gpu(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char sku[SKU_NAME_BYTES];
    struct tally_gpu_config config = {.platform = intel_sku_name(oat->unit->sku, sku)};
    if (oat->gpu)
        return fail(error, -EINVAL, "gpu given twice");
    int result = take_parameters(words, &config, error);
    if (result < 0)
        return result;
    struct oat_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu)
        return fail_memory(error, "a GPU");
    result = tally_gpu_new(&config, &gpu->gpu, error);
    if (result == 0 && oat->cost)
        result = tally_cost_load(oat->cost, config.platform, &gpu->cost, error);
    if (result < 0) {
        oat_gpu_free(gpu);
        return result;
    }
    if (gpu->cost)
        tally_gpu_set_cost(gpu->gpu, gpu->cost);
    gpu->oat = oat;
    gpu->fuses = config.fuses;
    tally_gpu_set_fault_listener(gpu->gpu, hear_fault, gpu);
    tally_gpu_set_bus(gpu->gpu, &(struct tally_gpu_bus){.read = read_memory,
                                                        .write = write_memory,
                                                        .interrupt = hear_line,
                                                        .scheduler = hear_vector,
                                                        .work = hear_work,
                                                        .complete = hear_complete,
                                                        .message = hear_message,
                                                        .firmware = hear_firmware,
                                                        .read_page_table = read_page_table,
                                                        .write_page_table = write_page_table,
                                                        .context = gpu});
    if (oat->trace.file)
        gpu_trace_start(&oat->trace, oat->trace.file, gpu->gpu);
    tally_oa_free(oat->unit);
    oat->unit = tally_gpu_oa(gpu->gpu);
    oat->gpu = gpu;
    return 0;
}

static int command_not_here(struct oat *oat, const struct words *words, struct tally_error *error)
{
    (void)oat;
    return word_error(error, &words->at[0], "parameters of gpu: timestamp HZ, eus N");
}

static int command_workload(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[256], sku[SKU_NAME_BYTES];
    struct oat_gpu *gpu = oat->gpu;
    struct tally_workload_target target = {
        .platform = intel_sku_name(oat->unit->sku, sku),
        .eus = tally_gpu_eus(gpu->gpu),
        .clock_hz = tally_gpu_clock_hz(gpu->gpu),
        .fuses = &gpu->fuses,
    };
    if (gpu->workload)
        return fail(error, -EINVAL, "workload given twice");
    if (!oat->waves.files)
        return fail(error, -EINVAL, "reading files is not allowed here");
    int result =
        tally_workload_load(word_text(&words->at[1], name, sizeof name), &gpu->workload, error);
    if (result == 0)
        result = tally_workload_bind(gpu->workload, &target, NULL, NULL, &gpu->program, error);
    if (result < 0)
        return result;
    return tally_gpu_set_workload(gpu->gpu, gpu->program) == 0
               ? 0
               : fail(error, -EINVAL, "workload %s: clock below the TIMESTAMP frequency", name);
}

/* ---- memory and commands --------------------------------------------------------------------- */

int oat_take_space(const struct word *word, uint32_t *space, struct tally_error *error)
{
    uint64_t number = TALLY_GPU_GGTT;
    int result = word_is(word, "ggtt")
                     ? 0
                     : word_number(word, 0, UINT32_MAX, "ggtt or a space", &number, error);
    *space = (uint32_t)number;
    return result;
}

static int command_store(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint32_t space, value;
    uint64_t address;
    int result = oat_take_space(&words->at[1], &space, error);
    if (result < 0 ||
        (result = word_number(&words->at[2], 0, UINT64_MAX, "an address", &address, error)) < 0)
        return result;
    struct memory *memory = make_space(oat->gpu, space);
    if (!memory)
        return word_error(error, &words->at[1], "at most %d spaces", SPACES);
    for (unsigned i = 3; i < words->count; i++, address += 4) {
        uint8_t bytes[4];
        if ((result = oat_take_value(&words->at[i], &value, error)) < 0)
            return result;
        store_le32(bytes, value);
        write_memory(oat->gpu, space, address, bytes, sizeof bytes);
    }
    return memory->exhausted ? fail_memory(error, "a space's memory") : 0;
}

/* Finds the space of words->at[i], the GGTT if there is no such word. Returns 0 or -EINVAL. */
static int take_memory(struct oat *oat, const struct words *words, unsigned i, bool given,
                       const struct memory **memory, struct tally_error *error)
{
    uint32_t space = TALLY_GPU_GGTT;
    int result = given ? oat_take_space(&words->at[i], &space, error) : 0;
    if (result < 0)
        return result;
    *memory = find_space(oat->gpu, space);
    return *memory ? 0 : word_error(error, &words->at[i], "a space in which something is stored");
}

struct range {
    const struct memory *memory;
    uint64_t address, length;
};

/* Reads `<addr> <len> [<space>]`, the words after the command. Returns 0 or -EINVAL. */
static int take_range(struct oat *oat, const struct words *words, struct range *range,
                      struct tally_error *error)
{
    int result = word_number(&words->at[1], 0, UINT64_MAX, "an address", &range->address, error);
    if (result == 0)
        result = word_number(&words->at[2], 0, OAT_MEM_MAX, "a length", &range->length, error);
    return result < 0 ? result
                      : take_memory(oat, words, 3, words->count > 3, &range->memory, error);
}

static int command_mem(struct oat *oat, const struct words *words, struct tally_error *error)
{
    struct range range;
    int result = take_range(oat, words, &range, error);
    return result < 0 ? result : oat_print_memory(oat, range.memory, range.address, range.length);
}

static int command_save(struct oat *oat, const struct words *words, struct tally_error *error)
{
    const struct memory *memory;
    int result = take_memory(oat, words, 3, words->count > 4, &memory, error);
    return result < 0 ? result : oat_save_memory(oat, memory, words, error);
}

/* Prints the lines of a text. */
static int put_lines(struct oat *oat, const struct buffer *text)
{
    int result = 0;
    for (size_t from = 0, end; result == 0 && from < text->size; from = end) {
        const char *line = text->bytes + from;
        const char *stop = memchr(line, '\n', text->size - from);
        end = stop ? (size_t)(stop - text->bytes) + 1 : text->size;
        result = results_put(&oat->results, line, end - from);
    }
    return result;
}

/* Prints the commands in memory, as the command streamers of the platform see them. */
static int command_disassemble(struct oat *oat, const struct words *words,
                               struct tally_error *error)
{
    struct range range;
    int result = take_range(oat, words, &range, error);
    if (result < 0)
        return result;
    if (range.address % 4)
        return word_error(error, &words->at[1], "a multiple of 4");
    if (range.length % 4)
        return word_error(error, &words->at[2], "a multiple of 4");
    struct buffer text = {0};
    uint32_t *dwords = malloc(range.length ? range.length : 4);
    if (!dwords)
        return fail(error, -ENOMEM, "no memory for %" PRIu64 " bytes of commands", range.length);
    memory_read(range.memory, range.address, (uint8_t *)dwords, range.length);
    for (size_t i = 0; i < range.length / 4; i++)
        dwords[i] = load_le32(&dwords[i]);
    cs_disassemble(&oat->unit->platform->info, dwords, range.length / 4, range.address, &text);
    result = text.broken ? fail(error, -ENOMEM, "no memory for the text of the commands")
                         : put_lines(oat, &text);
    buffer_fini(&text);
    free(dwords);
    return result;
}

static int command_work(struct oat *oat, const struct words *words, struct tally_error *error)
{
    return word_number(&words->at[1], 0, UINT32_MAX, "clocks", &oat->gpu->work_clocks, error);
}

/* ---- power and time -------------------------------------------------------------------------- */

static int command_rc6(struct oat *oat, const struct words *words, struct tally_error *error)
{
    if (word_is(&words->at[1], "exit")) {
        tally_gpu_exit_rc6(oat_gpu_model(oat));
        return 0;
    }
    if (!word_is(&words->at[1], "enter"))
        return word_error(error, &words->at[1], "enter or exit");
    static const char *const states[] = {"entered", "busy", "already"};
    for (size_t i = 0; i < ARRAY_COUNT(states); i++)
        results_allow(&oat->results, states[i]);
    int result = tally_gpu_enter_rc6(oat_gpu_model(oat));
    return oat_put(oat, "rc6 = %s\n", states[result == 0 ? 0 : result == -EBUSY ? 1 : 2]);
}

static int command_batch(struct oat *oat, const struct words *words, struct tally_error *error)
{
    struct oat_gpu *gpu = oat->gpu;
    static const char *const names[TALLY_GPU_BATCHES] = {[TALLY_GPU_BATCH_RENDER] = "render",
                                                         [TALLY_GPU_BATCH_CONTEXT] = "context",
                                                         [TALLY_GPU_BATCH_MEDIA] = "media"};
    unsigned batch = 0;
    while (batch < TALLY_GPU_BATCHES && !word_is(&words->at[1], names[batch]))
        batch++;
    if (batch == TALLY_GPU_BATCHES)
        return word_error(error, &words->at[1], "render, media or context");
    if (gpu->batch_counts[batch] == REGISTERS)
        return fail(error, -EINVAL, "a batch of more than %d registers", REGISTERS);
    struct tally_gpu_register *r = &gpu->batches[batch][gpu->batch_counts[batch]];
    int result = oat_take_address(&words->at[2], &r->address, error);
    if (result < 0 || (result = oat_take_value(&words->at[3], &r->value, error)) < 0)
        return result;
    tally_gpu_set_batch(gpu->gpu, (enum tally_gpu_batch)batch, gpu->batches[batch],
                        ++gpu->batch_counts[batch]);
    return 0;
}

static int exhausted(const struct oat_gpu *gpu, struct tally_error *error)
{
    bool all = gpu->oat->memory.exhausted || gpu->page_table.exhausted;
    for (unsigned i = 0; i < gpu->space_count; i++)
        all |= gpu->spaces[i].memory.exhausted;
    return all ? fail_memory(error, "the GPU's memory") : 0;
}

static void move_gpu(void *gpu, uint64_t clocks)
{
    tally_gpu_run(gpu, clocks);
}

static int command_run(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t clocks;
    int result = word_number(&words->at[1], 0, UINT64_MAX, "a number of clocks", &clocks, error);
    if (result < 0)
        return result;
    result = oat_pass(oat, move_gpu, oat_gpu_model(oat), clocks, error);
    return result < 0 ? result : exhausted(oat->gpu, error);
}

struct ns_run {
    struct oat *oat;
    uint64_t end;
};

static int run_ns_piece(void *closure, uint64_t ns, struct tally_error *error)
{
    struct ns_run *run = closure;
    struct tally_gpu *gpu = oat_gpu_model(run->oat);
    int result = 0;
    run->end += ns;
    if (!run->oat->runner && tally_gpu_now_ns(gpu) < run->end)
        tally_gpu_run_ns(gpu, run->end - tally_gpu_now_ns(gpu));
    while (result == 0 && tally_gpu_now_ns(gpu) < run->end)
        result = oat_pass(run->oat, move_gpu, gpu, 1, error);
    return result;
}

static int command_runns(struct oat *oat, const struct words *words, struct tally_error *error)
{
    uint64_t ns;
    int result = word_number(&words->at[1], 0, UINT64_MAX / 2, "nanoseconds", &ns, error);
    if (result < 0)
        return result;
    struct ns_run run = {oat, tally_gpu_now_ns(oat_gpu_model(oat))};
    result = pace_run(&oat->pace, ns, run_ns_piece, &run, error);
    return result < 0 ? result : exhausted(oat->gpu, error);
}

/* ---- peek ------------------------------------------------------------------------------------ */

static bool peek_gpu(const struct oat_gpu *gpu, const char *name, uint64_t *out)
{
    const struct {
        const char *name;
        uint64_t value;
    } values[] = {
        {"irq", gpu->line},
        {"vector0", gpu->vectors[0]},
        {"vector1", gpu->vectors[1]},
        {"messages", gpu->messages},
        {"message_function", gpu->message_function},
        {"message_address", gpu->message_address},
        {"message_data", gpu->message_data},
        {"smi", gpu->firmware_calls[false]},
        {"sci", gpu->firmware_calls[true]},
        {"completions", gpu->completions},
        {"works", gpu->works},
        {"idle", tally_gpu_is_idle(gpu->gpu)},
        {"rc6", tally_gpu_in_rc6(gpu->gpu)},
        {"now", tally_gpu_now(gpu->gpu)},
        {"ns", tally_gpu_now_ns(gpu->gpu)},
        {"clock", tally_gpu_clock_hz(gpu->gpu)},
    };
    for (size_t i = 0; i < ARRAY_COUNT(values); i++)
        if (!strcmp(name, values[i].name)) {
            *out = values[i].value;
            return true;
        }
    if (!strncmp(name, "well.", 5) && tally_gpu_has_well(gpu->gpu, name + 5)) {
        *out = !tally_gpu_well_is_down(gpu->gpu, name + 5);
        return true;
    }
    if (strncmp(name, "blind.", 6) || tally_oa_peek(gpu->oat->unit, name + 6, out) < 0)
        return false;
    *out = tally_gpu_blind(gpu->gpu, name + 6);
    return true;
}

static int command_peek(struct oat *oat, const struct words *words, struct tally_error *error)
{
    char name[32];
    uint64_t value;
    word_text(&words->at[1], name, sizeof name);
    if (!peek_gpu(oat->gpu, name, &value) && tally_oa_peek(oat->unit, name, &value) < 0)
        return word_error(
            error, &words->at[1],
            "a value of the GPU (irq, idle, rc6, well.render, blind.a0, a0, ticks, ...)");
    return oat_put(oat, "peek %s = 0x%010" PRIx64 "\n", name, value);
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct oat_command oat_gpu_commands[] = {
    {"workload", "<name or file>", 1, 1, true, 0, command_workload},
    {"timestamp", "", 0, 2, true, 0, command_not_here},
    {"eus", "", 0, 1, true, 0, command_not_here},
    {"store", "<space> <addr> <dword>...", 3, 15, false, 0, command_store},
    {"mem", "<addr> <len> [<space>]", 2, 3, false, 0, command_mem},
    {"save", "<addr> <len> [<space>] <file>", 3, 4, false, 0, command_save},
    {"disassemble", "<addr> <len> [<space>]", 2, 3, false, 0, command_disassemble},
    {"work", "<clocks>", 1, 1, false, 0, command_work},
    {"rc6", "enter|exit", 1, 1, false, 0, command_rc6},
    {"batch", "render|media|context <addr> <value>", 3, 3, false, 0, command_batch},
    {"run", "<n>", 1, 1, false, 0, command_run},
    {"runns", "<n>", 1, 1, false, 0, command_runns},
    {"peek", "<name>", 1, 1, false, 0, command_peek},
};

const size_t oat_gpu_command_count = ARRAY_COUNT(oat_gpu_commands);
