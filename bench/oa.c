/* SPDX-License-Identifier: MIT */
/*
 * Intel's OA unit: simulated clocks per second on one core, with a timer report every 82
 * microseconds of GPU time, compared with the reference of the tests. Workloads drive the unit by
 * their phases; patterns are a script, the same for both. The reference is timed on fewer clocks.
 */
#include <stdio.h>

#include "base/bits.h"
#include "intel/oa_reference.h"
#include "models.h"
#include "oa_workloads.h"

/* A report every 1,024 ticks of 80 ns, 82 microseconds; B and C count the NOA bits from the start.
 */
#define HSW_SETUP                                                                                  \
    "wr 0x2368 0x1000000\nwr 0x23b0 0x1000000\nwr 0x2364 0x1000038\n" /* 16 MiB */                 \
    "wr 0x2714 0x00800000\nwr 0x2360 0x275\n"

/* Each B counter counts a different comparison of the bus with a value, so that every clock must be
 * evaluated. */
#define HSW_EVENTS                                                                                 \
    HSW_SETUP                                                                                      \
    "wr 0x2770 0x00000010\nwr 0x2774 0x0000ff0f\nwr 0x2778 0x00080051\nwr 0x277c 0x0000ff00\n"     \
    "wr 0x2780 0x00000012\nwr 0x2784 0x0000fffc\nwr 0x2788 0x00000083\nwr 0x278c 0x000f0000\n"     \
    "wr 0x2790 0x00000024\nwr 0x2794 0x0000ffe0\nwr 0x2798 0x00000015\nwr 0x279c 0x00ff0000\n"     \
    "wr 0x27a0 0x00100086\nwr 0x27a4 0x0000ffc0\nwr 0x27a8 0x00000007\nwr 0x27ac 0x00000000\n"     \
    "wr 0x2714 0xf0800000\nwr 0x2724 0xf0800000\n"

/* The same on Gen8, with the EU events of the public render sets. */
#define CHV_SETUP                                                                                  \
    "wr 0xe458 0x00005004\nwr 0xe558 0x00010003\nwr 0xe658 0x00012011\nwr 0xe758 0x00015014\n"     \
    "wr 0xe45c 0x00051050\nwr 0xe55c 0x00053052\nwr 0xe65c 0x00055054\n"                           \
    "wr 0x2b0c 0x1000000\nwr 0x2b14 0x1000038\nwr 0x2b10 0x1000000\nwr 0x2714 0x00800000\n"        \
    "wr 0x2360 0x27\nwr 0x2b00 0x15\n"

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
    fputs(HSW_SETUP, script);
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
    fputs(CHV_SETUP, script);
}

#define TRIANGLE    "data/workloads/triangle.yaml" /* from the source directory */
#define IDLE_BURSTS "data/workloads/idle-bursts.yaml"

/* Cases with goals. */
static const struct workload_case workloads[] = {
    {"HSW, triangle, at work", TRIANGLE, "hsw", HSW_SETUP, 0, false, 1, 1u << 28, 1, 1 << 18},
    {"HSW, triangle, at work, custom events", TRIANGLE, "hsw", HSW_EVENTS, 0, false, 0, 1u << 28, 1,
     1 << 18},
    {"CHV, 16 EUs, triangle, at work", TRIANGLE, "chv", CHV_SETUP, 16, false, 0.4, 1u << 27, 1,
     1 << 18},
    {"HSW, triangle, whole frames", TRIANGLE, "hsw", HSW_SETUP, 0, true, 1, 1u << 30, 1, 0},
    {"CHV, 16 EUs, triangle, whole frames", TRIANGLE, "chv", CHV_SETUP, 16, true, 0.4, 1u << 29, 1,
     0},
    {"HSW, idle-bursts, a quiet GPU", IDLE_BURSTS, "hsw", HSW_SETUP, 0, true, 10, 1u << 31, 0,
     50000},
};

/* Cases in which every signal changes at random. */
static const struct model_case patterns[] = {
    {"HSW, all 61 inputs pseudo-random", haswell, 1, 1u << 28, 1 << 18},
    {"CHV, 16 EUs, all inputs pseudo-random", cherryview, 0.4, 1u << 27, 1 << 18},
};

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    model_heading("OA");
    workload_bench(workloads, ARRAY_COUNT(workloads), only);
    model_bench(patterns, ARRAY_COUNT(patterns), oa_reference_run, only);
    return 0;
}
