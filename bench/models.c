/* SPDX-License-Identifier: MIT */
#include "models.h"

#include <stdlib.h>
#include <string.h>

#include <tally/wave.h>

#include "bench.h"
#include "testbench/script.h"

#define REFERENCE_RUNS 3
#define PATTERN_CLOCKS 65536 /* 8 KB; more than the periods that PCOUNTER counts as a whole */

void model_put_pattern(FILE *script, uint64_t seed, unsigned chance)
{
    struct tally_wave wave = tally_wave_prng(seed, chance);
    for (unsigned clock = 0; clock < PATTERN_CLOCKS; clock++)
        fputc('0' + tally_wave_at(&wave, clock), script);
    fputc('\n', script);
}

static int drop(void *context, const char *text, size_t size)
{
    (void)context, (void)text, (void)size;
    return 0;
}

static void do_line(struct script *script, const char *line, size_t size)
{
    struct tally_error error = {0};
    if (script_line(script, line, size, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
}

/* Parses the script once, then times runs of the given number of clocks. */
static double model_rate(const char *text, size_t size, uint64_t clocks)
{
    struct script_options options = {.output = drop};
    double seconds[MODEL_RUNS];
    char run[40];
    struct script *script;
    if (script_new(&options, &script, NULL) < 0)
        exit(1);
    while (size) {
        size_t length = (size_t)((const char *)memchr(text, '\n', size) - text) + 1;
        do_line(script, text, length);
        text += length;
        size -= length;
    }
    snprintf(run, sizeof run, "run %llu", (unsigned long long)clocks);
    for (unsigned i = 0; i < MODEL_RUNS; i++) {
        double start = bench_now();
        do_line(script, run, strlen(run));
        seconds[i] = bench_now() - start;
    }
    script_free(script);
    return (double)clocks / bench_median(seconds, MODEL_RUNS);
}

static double reference_seconds(model_reference *reference, const char *script, uint64_t clocks)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size), *null = fopen("/dev/null", "w");
    fprintf(file, "%srun %llu\n", script, (unsigned long long)clocks);
    fclose(file);
    double start = bench_now();
    reference(text, size, null);
    double seconds = bench_now() - start;
    fclose(null);
    free(text);
    return seconds;
}

double model_reference_rate(model_reference *reference, const char *script, uint64_t clocks)
{
    double seconds[REFERENCE_RUNS];
    for (unsigned i = 0; i < REFERENCE_RUNS; i++)
        seconds[i] =
            reference_seconds(reference, script, clocks) - reference_seconds(reference, script, 0);
    return (double)clocks / bench_median(seconds, REFERENCE_RUNS);
}

void model_heading(const char *title)
{
    printf("%s on one core (%s), medians of %d runs\n", title, tally_simd(), MODEL_RUNS);
}

void model_row(const char *name, double rate, double reference, double goal)
{
    char plain[64] = "", wanted[48] = "no goal";
    if (reference > 0)
        snprintf(plain, sizeof plain, "reference %8.5f G   x %-6.0f", reference / 1e9,
                 rate / reference);
    if (goal > 0)
        snprintf(wanted, sizeof wanted, "goal %5.2f G %s", goal,
                 rate >= goal * 1e9 ? "met" : "MISSED");
    printf("%-46s %8.3f G clocks/s   %-32s %s\n", name, rate / 1e9, plain, wanted);
    fflush(stdout);
}

static void bench_case(const struct model_case *row, model_reference *reference)
{
    char *script;
    size_t size;
    FILE *file = open_memstream(&script, &size);
    row->put(file);
    fclose(file);
    double rate = model_rate(script, size, row->clocks), slow = 0;
    if (row->reference_clocks)
        slow = model_reference_rate(reference, script, row->reference_clocks);
    model_row(row->name, rate, slow, row->goal);
    free(script);
}

void model_bench(const struct model_case *cases, size_t count, model_reference *reference,
                 const char *only)
{
    for (size_t i = 0; i < count; i++)
        if (!only || strstr(cases[i].name, only))
            bench_case(&cases[i], reference);
}
