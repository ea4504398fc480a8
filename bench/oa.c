/* SPDX-License-Identifier: MIT */
/*
 * Intel's OA unit: simulated clocks a second on one core. Each case is a script that sets the unit
 * up; the unit and the one-clock-at-a-time reference of the tests run the same one. The reference
 * is timed on fewer clocks.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "intel/oa_reference.h"
#include "testbench/oat.h"

#define RUNS           9
#define PATTERN_CLOCKS 65536 /* of each signal: 8 KB */

static void put_pattern(FILE *script, unsigned seed)
{
    struct tally_wave wave = tally_wave_prng(seed, 20 + seed % 200);
    for (unsigned clock = 0; clock < PATTERN_CLOCKS; clock++)
        fputc('0' + tally_wave_at(&wave, clock), script);
    fputc('\n', script);
}

/* 1 GHz, a timestamp tick every 80 clocks, a report every 1,024 ticks, 82 microseconds. */
static void haswell(FILE *script)
{
    fputs("platform hsw\ntimestamp 80\n", script);
    for (unsigned i = 0; i < 45; i++) {
        fprintf(script, "a %u times %u pattern ", i, 1 + i % 20);
        put_pattern(script, i);
    }
    for (unsigned i = 0; i < 16; i++) {
        fprintf(script, "noa %u pattern ", i);
        put_pattern(script, 100 + i);
    }
    fputs("wr 0x2368 0x1000000\nwr 0x23b0 0x1000000\nwr 0x2364 0x1000038\n" /* 16 MiB */
          "wr 0x2714 0x00800000\nwr 0x2360 0x275\n",
          script);
}

static void cherryview(FILE *script)
{
    static const char *const signals[] = {"fpu0", "fpu1", "send"};
    fputs("platform chv\ntimestamp 80\neus 16\n", script);
    for (unsigned eu = 0; eu < 16; eu++) {
        for (unsigned i = 0; i < 3; i++) {
            fprintf(script, "eu %u %s pattern ", eu, signals[i]);
            put_pattern(script, 3 * eu + i);
        }
        fprintf(script, "eu %u threads times 7 pattern ", eu);
        put_pattern(script, 200 + eu);
        fprintf(script, "eu %u ff times 5 pattern ", eu); /* PS */
        put_pattern(script, 300 + eu);
    }
    /* The events of the public render sets: pipes, both, stages, occupancy, any, loaded. */
    fputs("wr 0xe458 0x00005004\nwr 0xe558 0x00010003\nwr 0xe658 0x00012011\nwr 0xe758 0x00015014\n"
          "wr 0xe45c 0x00051050\nwr 0xe55c 0x00053052\nwr 0xe65c 0x00055054\n"
          "wr 0x2b0c 0x1000000\nwr 0x2b14 0x1000038\nwr 0x2b10 0x1000000\nwr 0x2714 0x00800000\n"
          "wr 0x2360 0x27\nwr 0x2b00 0x15\n",
          script);
}

/* A GPU that does something for a few thousand clocks every few milliseconds. */
static void quiet(FILE *script)
{
    fputs("platform hsw\ntimestamp 80\n", script);
    for (unsigned i = 0; i < 45; i++)
        fprintf(script, "a %u times 3 bursts %u 4000000 5000\n", i, i);
    for (unsigned i = 0; i < 16; i++)
        fprintf(script, "noa %u bursts %u 4000000 5000\n", i, 50);
    fputs("wr 0x2368 0x1000000\nwr 0x23b0 0x1000000\nwr 0x2364 0x1000038\n"
          "wr 0x2714 0x00800000\nwr 0x2360 0x275\n",
          script);
}

static const struct {
    const char *name;
    void (*put)(FILE *script);
    double goal;                       /* G clocks/s */
    uint64_t clocks, reference_clocks; /* 0: the script is not in the reference's language */
} cases[] = {
    {"HSW, all counters, timer reports every 82 us", haswell, 1, 1u << 28, 1 << 18},
    {"CHV, 16 EUs, 14 flexible counters", cherryview, 0.4, 1u << 27, 1 << 18},
    {"HSW, a quiet GPU, timer reports", quiet, 10, UINT64_C(1) << 34, 0},
};

static int drop(void *context, const char *text, size_t size)
{
    (void)context, (void)text, (void)size;
    return 0;
}

static void do_line(struct oat *oat, const char *line, size_t size)
{
    struct tally_error error;
    if (oat_line(oat, line, size, &error) < 0) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
}

static double unit_rate(const char *script, size_t size, uint64_t clocks)
{
    double seconds[RUNS];
    char run[40];
    struct oat *oat;
    oat_new(drop, NULL, &oat, NULL);
    while (size) {
        size_t length = (size_t)((const char *)memchr(script, '\n', size) - script) + 1;
        do_line(oat, script, length);
        script += length;
        size -= length;
    }
    snprintf(run, sizeof run, "run %llu", (unsigned long long)clocks);
    for (unsigned i = 0; i < RUNS; i++) {
        double start = bench_now();
        do_line(oat, run, strlen(run));
        seconds[i] = bench_now() - start;
    }
    oat_free(oat);
    return (double)clocks / bench_median(seconds, RUNS);
}

static double reference_seconds(const char *script, uint64_t clocks)
{
    char *text;
    size_t size;
    FILE *file = open_memstream(&text, &size), *null = fopen("/dev/null", "w");
    fprintf(file, "%srun %llu\n", script, (unsigned long long)clocks);
    fclose(file);
    double start = bench_now();
    oa_reference_run(text, size, null);
    double seconds = bench_now() - start;
    fclose(null);
    free(text);
    return seconds;
}

static double reference_rate(const char *script, uint64_t clocks)
{
    double seconds[3];
    for (unsigned i = 0; i < 3; i++)
        seconds[i] = reference_seconds(script, clocks) - reference_seconds(script, 0);
    return (double)clocks / bench_median(seconds, 3);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    printf("OA on one core (%s), medians of %d runs\n", tally_simd(), RUNS);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char *script, reference[64] = "";
        size_t size;
        if (only && !strstr(cases[i].name, only))
            continue;
        FILE *file = open_memstream(&script, &size);
        cases[i].put(file);
        fclose(file);
        double unit = unit_rate(script, size, cases[i].clocks);
        if (cases[i].reference_clocks) {
            double plain = reference_rate(script, cases[i].reference_clocks);
            snprintf(reference, sizeof reference, "reference %8.5f G   x %-6.0f", plain / 1e9,
                     unit / plain);
        }
        printf("%-46s %8.3f G clocks/s   %-32s goal %4.2f G %s\n", cases[i].name, unit / 1e9,
               reference, cases[i].goal, unit >= cases[i].goal * 1e9 ? "met" : "MISSED");
        free(script);
    }
    return 0;
}
