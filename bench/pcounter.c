/* SPDX-License-Identifier: MIT */
/*
 * PCOUNTER: simulated clocks a second on one core. Each case is a script that sets the engine up;
 * the engine and the one-clock-at-a-time reference of the tests run the same one. The reference is
 * timed on fewer clocks.
 */
#include <stdio.h>

#include "base/bits.h"
#include "models.h"
#include "nvidia/reference.h"

/* ---- scripts --------------------------------------------------------------------------------- */

/* Drives signals 1 to 16 of a domain with patterns in memory. */
static void put_patterns(FILE *script, unsigned domain)
{
    for (unsigned signal = 1; signal <= 16; signal++) {
        fprintf(script, "sig %u %u pattern ", domain, signal);
        model_put_pattern(script, 16 * domain + signal, 16 * signal);
    }
}

/* SRC registers select signals 1 to 16 in order; the operations depend on all arguments. */
static void put_inputs(FILE *script, unsigned domain, const char *start, const char *stop)
{
    static const char *const sources[] = {"0x04030201", "0x08070605", "0x0c0b0a09", "0x100f0e0d"};
    const char *operations[] = {"0x1ee6", start ? start : "0xca35", "0x7c1b",
                                stop ? stop : "0x9d62"};
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

/* SETFLAG = START_SRC[2] xor START_SRC[3], which is the domain's own FLAG; CLRFLAG is a signal. */
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

/* Cases with several domains count ticks of the engine. */
static const struct model_case cases[] = {
    {"quad event mode, four 4-input operations", quad, 8, 1u << 31, 1 << 19},
    {"all eight domains of a G92, one clock", eight_domains, 0.7, 1u << 28, 1 << 16},
    {"all eight domains of a G92, their own clocks", eight_clocks, 0, 1u << 31, 1 << 20},
    {"single event mode, periods of 1,000 clocks", single, 2, 1u << 30, 1 << 19},
    {"record mode, long packets every 1,000 clocks", record, 2, 1u << 29, 1 << 19},
    {"a FLAG that feeds its own SETFLAG", feedback, 0.15, 1u << 28, 1 << 19},
    {"pseudo-random signals on all sixteen sources", random_signals, 0.3, 1u << 28, 1 << 18},
};

int main(int argc, char **argv)
{
    model_heading("PCOUNTER");
    model_bench(cases, ARRAY_COUNT(cases), reference_run, argc > 1 ? argv[1] : NULL);
    return 0;
}
