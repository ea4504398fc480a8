/* SPDX-License-Identifier: MIT */
/*
 * PCOUNTER: simulated clocks a second on one core. Each case is a script that sets the engine up;
 * the engine and the one-clock-at-a-time reference of the tests run the same one. The reference is
 * timed on fewer clocks.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "bench.h"
#include "nvidia/reference.h"
#include "testbench/pct.h"

#define RUNS 9
#define PATTERN_CLOCKS 65536 /* of each signal: 8 KB */

/* ---- scripts --------------------------------------------------------------------------------- */

/* Sixteen signals that lie in memory, on signals 1 to 16 of a domain. */
static void put_patterns(FILE *script, unsigned domain)
{
    for (unsigned signal = 1; signal <= 16; signal++) {
        fprintf(script, "sig %u %u pattern ", domain, signal);
        struct tally_wave wave = tally_wave_prng(16 * domain + signal, 16 * signal);
        for (unsigned clock = 0; clock < PATTERN_CLOCKS; clock++)
            fputc('0' + tally_wave_at(&wave, clock), script);
        fputc('\n', script);
    }
}

/* SRC registers select signals 1 to 16 in order; the operations depend on all arguments. */
static void put_inputs(FILE *script, unsigned domain, const char *start, const char *stop)
{
    static const char *const sources[] = {"0x04030201", "0x08070605", "0x0c0b0a09", "0x100f0e0d"};
    const char *operations[] = {"0x1ee6", start ? start : "0xca35", "0x7c1b", stop ? stop : "0x9d62"};
    for (unsigned input = 0; input < 4; input++) {
        fprintf(script, "wr 0x%x %s\n", 0xa400 + 0x40 * input + 4 * domain, sources[input]);
        if (input)
            fprintf(script, "wr 0x%x %s\n", 0xa420 + 0x40 * input + 4 * domain, operations[input]);
    }
    fprintf(script, "wr 0x%x %s\n", 0xa420 + 4 * domain, operations[0]);
}

static void put_control(FILE *script, unsigned domain, unsigned value)
{
    fprintf(script, "wr 0x%x 0x%x\n", 0xa7c0 + 4 * domain, value);
}

static void quad(FILE *script)
{
    fputs("chipset g92\n", script);
    put_patterns(script, 0);
    put_inputs(script, 0, NULL, NULL);
    put_control(script, 0, 1);
}

static void eight_domains(FILE *script)
{
    fputs("chipset g92\ndomains 8\n", script);
    for (unsigned domain = 0; domain < 8; domain++) {
        put_patterns(script, domain);
        put_inputs(script, domain, NULL, NULL);
        put_control(script, domain, 1);
    }
}

/* Host 270 MHz, core 600, shader 1500, memory 900, video 450: periods in ticks of 18 GHz / 2. */
static void eight_clocks(FILE *script)
{
    static const unsigned periods[8] = {33, 15, 15, 6, 10, 15, 20, 15};
    fputs("chipset g92\ndomains 8\n", script);
    for (unsigned domain = 0; domain < 8; domain++)
        fprintf(script, "clock %u %u\n", domain, periods[domain]);
    for (unsigned domain = 0; domain < 8; domain++) {
        put_patterns(script, domain);
        put_inputs(script, domain, NULL, NULL);
        put_control(script, domain, 1);
    }
}

static void single(FILE *script)
{
    fputs("chipset g92\n", script);
    put_patterns(script, 0);
    fputs("sig 0 5 every 1000 0\nsig 0 13 every 1000 999\n", script);
    put_control(script, 0, 0);
    fputs("wr 0xa740 0xffffffff\nwr 0xa780 100\n", script); /* CTR_STOP, THRESHOLD */
    put_inputs(script, 0, "0xaaaa", "0xaaaa");
}

static void record(FILE *script)
{
    fputs("chipset g92\n", script);
    put_patterns(script, 0);
    fputs("sig 0 13 every 1000 999\nwr 0xa7a4 1\nwr 0xa7a0 0x80000000\n", script);
    put_inputs(script, 0, NULL, "0xaaaa");
    put_control(script, 0, 2);
    fputs("wr 0xa720 0xffffffe0\nwr 0xa760 0\n", script);
}

/* SETFLAG = START_SRC[2] xor START_SRC[3], which is the own FLAG; CLRFLAG a signal. */
static void feedback(FILE *script)
{
    fputs("chipset g92\n", script);
    put_patterns(script, 0);
    put_inputs(script, 0, NULL, NULL);
    put_control(script, 0, 1);
    fputs("wr 0xa440 0xff070605\nwr 0xa500 0x6666\nwr 0xa520 0xaaaa\n", script);
}

static void random_signals(FILE *script)
{
    fputs("chipset g92\nsig 0 1-16 prng 1 77\n", script);
    put_inputs(script, 0, NULL, NULL);
    put_control(script, 0, 1);
}

static const struct {
    const char *name;
    void (*put)(FILE *script);
    unsigned domains; /* domain-clocks a tick, to the nearest whole for the reference */
    double goal;      /* G ticks/s; 0: none */
    uint64_t ticks, reference_ticks;
} cases[] = {
    {"quad event mode, four 4-input operations", quad, 1, 8, 1u << 31, 1 << 19},
    {"all eight domains of a G92, one clock", eight_domains, 8, 0.7, 1u << 28, 1 << 16},
    {"all eight domains of a G92, their own clocks", eight_clocks, 0, 0, 1u << 31, 1 << 20},
    {"single event mode, periods of 1,000 clocks", single, 1, 2, 1u << 30, 1 << 19},
    {"record mode, long packets every 1,000 clocks", record, 1, 2, 1u << 29, 1 << 19},
    {"a FLAG that feeds its own SETFLAG", feedback, 1, 0.15, 1u << 28, 1 << 19},
    {"pseudo-random signals on all sixteen sources", random_signals, 1, 0.3, 1u << 28, 1 << 18},
};

/* ---- timing ---------------------------------------------------------------------------------- */

static int drop(void *context, const char *text, size_t size)
{
    (void)context, (void)text, (void)size;
    return 0;
}

static double engine_rate(const char *script, size_t size, uint64_t ticks)
{
    double seconds[RUNS];
    struct tally_error error;
    struct pct *pct;
    pct_new(drop, NULL, &pct, &error);
    while (size) {
        size_t length = (size_t)((const char *)memchr(script, '\n', size) - script) + 1;
        if (pct_line(pct, script, length, &error) < 0) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        script += length;
        size -= length;
    }
    for (unsigned run = 0; run < RUNS; run++) {
        double start = bench_now();
        tally_pcounter_run(pct_engine(pct), ticks);
        seconds[run] = bench_now() - start;
    }
    pct_free(pct);
    return (double)ticks / bench_median(seconds, RUNS);
}

static double reference_rate(const char *script, uint64_t ticks)
{
    double seconds[3];
    for (unsigned run = 0; run < 3; run++) {
        char *text;
        size_t size;
        FILE *file = open_memstream(&text, &size), *null = fopen("/dev/null", "w");
        fprintf(file, "%srun %llu\n", script, (unsigned long long)ticks);
        fclose(file);
        double start = bench_now();
        reference_run(text, size, null);
        double whole = bench_now() - start;
        file = open_memstream(&text, &size);
        fputs(script, file);
        fclose(file);
        start = bench_now();
        reference_run(text, size, null);
        seconds[run] = whole - (bench_now() - start);
        free(text);
        fclose(null);
    }
    return (double)ticks / bench_median(seconds, 3);
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    printf("PCOUNTER on one core (%s), medians of %d runs\n", tally_simd(), RUNS);
    for (size_t i = 0; i < ARRAY_COUNT(cases); i++) {
        char *script, goal[48] = "no goal";
        size_t size;
        if (only && !strstr(cases[i].name, only))
            continue;
        FILE *file = open_memstream(&script, &size);
        cases[i].put(file);
        fclose(file);
        double engine = engine_rate(script, size, cases[i].ticks);
        double reference = reference_rate(script, cases[i].reference_ticks);
        if (cases[i].goal > 0)
            snprintf(goal, sizeof goal, "goal %4.2f G %s", cases[i].goal,
                     engine >= cases[i].goal * 1e9 ? "met" : "MISSED");
        printf("%-46s %8.3f G clocks/s   reference %8.5f G   x %-6.0f %s\n", cases[i].name,
               engine / 1e9, reference / 1e9, engine / reference, goal);
        free(script);
    }
    return 0;
}
