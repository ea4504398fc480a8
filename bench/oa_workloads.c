/* SPDX-License-Identifier: MIT */
/*
 * The OA unit driven by a workload, as in a program that uses the library. The reference does not
 * support workloads: it runs a script with the same waves written out clock by clock, and must have
 * the same counters at the end.
 */
#include "oa_workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tally/workload.h>

#include "bench.h"
#include "intel/oa/unit.h"
#include "intel/oa_reference.h"
#include "models.h"

#define BUFFER_BYTES (16u << 20)
#define TICK_HZ      12500000 /* TIMESTAMP of Haswell and Cherryview */

struct rig {
    struct tally_workload *workload;
    struct tally_workload_program *program;
    struct tally_oa *unit;
    uint8_t *memory;
    uint32_t tick_clocks;
};

static void die(const char *name, const struct tally_error *error)
{
    fprintf(stderr, "%s: %s\n", name, error->message);
    exit(1);
}

static void write_memory(void *context, uint64_t address, const uint8_t *data, size_t bytes)
{
    uint8_t *memory = context;
    memcpy(memory + address % BUFFER_BYTES, data, bytes); /* lines of 64 bytes */
}

static void write_registers(struct tally_oa *unit, const char *setup)
{
    unsigned address, value;
    for (int length; sscanf(setup, "wr %x %x\n%n", &address, &value, &length) == 2; setup += length)
        tally_oa_write32(unit, address, value);
}

static struct tally_oa *make_unit(const struct workload_case *row, const struct rig *rig)
{
    struct tally_error error = {0};
    struct tally_oa *unit;
    if (tally_oa_new(row->platform, &unit, &error) < 0)
        die(row->name, &error);
    if (row->eus && tally_oa_set_eus(unit, row->eus) < 0)
        exit(1);
    tally_oa_set_timestamp(unit, rig->tick_clocks, 0);
    tally_oa_set_bus(unit, &(struct tally_oa_bus){.write = write_memory, .context = rig->memory});
    write_registers(unit, row->setup);
    return unit;
}

static void make_rig(const struct workload_case *row, struct rig *rig)
{
    struct tally_error error = {0};
    struct tally_workload_target target = {.platform = row->platform, .eus = row->eus};
    if (tally_workload_load(row->workload, &rig->workload, &error) < 0 ||
        tally_workload_bind(rig->workload, &target, NULL, NULL, &rig->program, &error) < 0)
        die(row->name, &error);
    rig->memory = calloc(1, BUFFER_BYTES);
    rig->tick_clocks =
        (uint32_t)(tally_workload_phase_hz(rig->program, row->reference_phase) / TICK_HZ);
    rig->unit = make_unit(row, rig);
}

static void free_rig(struct rig *rig)
{
    tally_oa_free(rig->unit);
    tally_workload_unbind(rig->program);
    tally_workload_free(rig->workload);
    free(rig->memory);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Repeats the phases of the workload, except for an idle last one. */
static void run_busy(const struct rig *rig, struct tally_workload_cursor *cursor, uint64_t clocks)
{
    struct tally_workload_info info;
    tally_workload_describe(rig->workload, &info);
    while (clocks) {
        uint64_t now = cursor->left < clocks ? cursor->left : clocks;
        tally_workload_run(cursor, rig->unit, now);
        clocks -= now;
        if (cursor->phase + 1 == info.phases && !cursor->entered) { /* the last one is idle */
            cursor->phase = 0;
            cursor->repetition++;
            cursor->left = tally_workload_phase_clocks(rig->program, 0);
        }
    }
}

static double model_rate(const struct workload_case *row, const struct rig *rig)
{
    struct tally_workload_cursor cursor;
    double seconds[MODEL_RUNS];
    tally_workload_start(rig->program, &cursor);
    for (unsigned i = 0; i < MODEL_RUNS; i++) {
        double start = bench_now();
        if (row->whole)
            tally_workload_run(&cursor, rig->unit, row->clocks);
        else
            run_busy(rig, &cursor, row->clocks);
        seconds[i] = bench_now() - start;
    }
    return (double)row->clocks / bench_median(seconds, MODEL_RUNS);
}

static uint64_t peek(const struct tally_oa *unit, char letter, unsigned index)
{
    char name[8];
    uint64_t value;
    snprintf(name, sizeof name, "%c%u", letter, index);
    return tally_oa_peek(unit, name, &value) < 0 ? 0 : value;
}

static void put_moved(const struct tally_oa *unit)
{
    static const char letters[] = "abc";
    printf("  counters that moved:");
    for (unsigned l = 0; l < 3; l++) {
        unsigned moved = 0;
        for (unsigned i = 0; i < A_COUNTERS; i++)
            moved += peek(unit, letters[l], i) != 0;
        printf("%s %u %c", l ? "," : "", moved, letters[l] - 'a' + 'A');
    }
    putchar('\n');
}

/* ---- the reference --------------------------------------------------------------------------- */

/* Returns the name of a waveform with a seed and a chance; NULL for others. */
static const char *chance_name(const struct tally_wave *wave)
{
    return wave->kind == TALLY_WAVE_PRNG      ? "prng"
           : wave->kind == TALLY_WAVE_SCATTER ? "scatter"
                                              : NULL;
}

/* Writes a number in the reference's language: its generator, or the value of each clock. */
static void put_number(FILE *script, const struct driven_number *input, uint64_t clocks)
{
    const struct tally_number *number = &input->number;
    const struct tally_wave *wave = &number->wave;
    if (number->kind == TALLY_NUMBER_TIMES && wave->kind == TALLY_WAVE_CONSTANT) {
        fprintf(script, "const %u\n", wave->value ? number->value : 0);
        return;
    }
    if (number->kind == TALLY_NUMBER_TIMES && chance_name(wave)) {
        fprintf(script, "times %u %s %" PRIu64 " %u\n", number->value, chance_name(wave),
                wave->value, wave->chance);
        return;
    }
    fputs("seq ", script);
    for (uint64_t clock = 0; clock < clocks; clock++)
        fprintf(script, "%u%c", tally_number_at(number, clock), clock + 1 < clocks ? ',' : '\n');
}

static void put_wave(FILE *script, const struct driven_wave *input, uint64_t clocks)
{
    if (input->wave.kind == TALLY_WAVE_CONSTANT) {
        fprintf(script, "const %u\n", (unsigned)input->wave.value);
        return;
    }
    fputs("pattern ", script);
    for (uint64_t clock = 0; clock < clocks; clock++)
        fputc('0' + tally_wave_at(&input->wave, clock), script);
    fputc('\n', script);
}

/* Writes the waveforms that drive the unit in its next clocks. */
static void put_inputs(FILE *script, const struct tally_oa *unit, uint64_t clocks)
{
    static const char *const signals[] = {"fpu0", "fpu1", "send", "threads", "ff", "kind"};
    for (unsigned i = 0; i < unit->variant->a_count; i++) {
        if (is_map_c(unit) && i >= FLEX_FIRST && i < FLEX_FIRST + FLEX_COUNT)
            continue;
        fprintf(script, "a %u ", i);
        put_number(script, &unit->a_input[i], clocks);
    }
    for (unsigned bit = 0; bit < NOA_BITS; bit++) {
        fprintf(script, "noa %u ", bit);
        put_wave(script, &unit->noa[bit], clocks);
    }
    for (unsigned eu = 0; eu < unit->eus; eu++)
        for (unsigned signal = 0; signal < TALLY_OA_EU_SIGNALS; signal++) {
            fprintf(script, "eu %u %s ", eu, signals[signal]);
            struct driven_number input = unit->eu_input[eu][signal];
            const struct tally_wave *wave = &input.number.wave;
            if (signal <= TALLY_OA_SEND && chance_name(wave))
                fprintf(script, "%s %" PRIu64 " %u\n", chance_name(wave), wave->value,
                        wave->chance);
            else
                put_number(script, &input, clocks);
        }
}

static char *make_script(const struct workload_case *row, const struct rig *rig,
                         struct tally_oa *unit)
{
    char *text;
    size_t size;
    FILE *script = open_memstream(&text, &size);
    fprintf(script, "platform %s\ntimestamp %u\n", row->platform, rig->tick_clocks);
    if (row->eus)
        fprintf(script, "eus %u\n", row->eus);
    if (tally_workload_apply(rig->program, row->reference_phase, 0, unit) < 0)
        exit(1);
    put_inputs(script, unit, row->reference_clocks);
    fputs(row->setup, script);
    fclose(script);
    return text;
}

/* Compares the counters of both. */
static void check(const struct workload_case *row, struct tally_oa *unit, const char *script)
{
    char *text, *printed, line[48];
    size_t size, printed_size;
    FILE *file = open_memstream(&text, &size);
    fprintf(file, "%srun %" PRIu64 "\n", script, row->reference_clocks);
    for (unsigned i = 0; i < unit->variant->a_count; i++)
        fprintf(file, "peek a%u\n", i);
    for (unsigned i = 0; i < 8; i++)
        fprintf(file, "peek b%u\npeek c%u\n", i, i);
    fclose(file);
    file = open_memstream(&printed, &printed_size);
    int mistake = oa_reference_run(text, size, file);
    fclose(file);
    tally_oa_run(unit, row->reference_clocks);
    for (char *at = printed, letter; !mistake && *at; at = strchr(at, '\n') + 1) {
        unsigned index;
        sscanf(at, "peek %c%u", &letter, &index);
        snprintf(line, sizeof line, "peek %c%u = 0x%010" PRIx64 "\n", letter, index,
                 peek(unit, letter, index));
        if (strncmp(at, line, strlen(line)) != 0) {
            fprintf(stderr, "%s: the reference reads %.*s, the model %s", row->name,
                    (int)strcspn(at, "\n"), at, line);
            exit(1);
        }
    }
    if (mistake) {
        fprintf(stderr, "%s: the reference does not know line %d\n", row->name, mistake);
        exit(1);
    }
    free(printed);
    free(text);
}

/* ---- a case ---------------------------------------------------------------------------------- */

void workload_bench(const struct workload_case *cases, size_t count, const char *only)
{
    for (size_t i = 0; i < count; i++) {
        const struct workload_case *row = &cases[i];
        struct rig rig;
        double slow = 0;
        if (only && !strstr(row->name, only))
            continue;
        make_rig(row, &rig);
        double rate = model_rate(row, &rig);
        if (row->reference_clocks) {
            struct tally_oa *unit = make_unit(row, &rig);
            char *script = make_script(row, &rig, unit);
            check(row, unit, script);
            slow = model_reference_rate(oa_reference_run, script, row->reference_clocks);
            tally_oa_free(unit);
            free(script);
        }
        model_row(row->name, rate, slow, row->goal);
        put_moved(rig.unit);
        free_rig(&rig);
    }
}
