/* SPDX-License-Identifier: MIT */
/*
 * Intel's OA unit: simulated clocks a second on one core. Each case is a script that sets the unit
 * up; the unit and the one-clock-at-a-time reference of the tests run the same one. The reference
 * is timed on fewer clocks.
 */
#include <stdio.h>

#include "base/bits.h"
#include "intel/oa_reference.h"
#include "models.h"

static void put_pattern(FILE *script, unsigned seed)
{
    model_put_pattern(script, seed, 20 + seed % 200);
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

static const struct model_case cases[] = {
    {"HSW, all counters, timer reports every 82 us", haswell, 1, 1u << 28, 1 << 18},
    {"CHV, 16 EUs, 14 flexible counters", cherryview, 0.4, 1u << 27, 1 << 18},
    {"HSW, a quiet GPU, timer reports", quiet, 10, UINT64_C(1) << 34, 0},
};

int main(int argc, char **argv)
{
    model_bench("OA", cases, ARRAY_COUNT(cases), oa_reference_run, argc > 1 ? argv[1] : NULL);
    return 0;
}
