/* SPDX-License-Identifier: MIT */
/*
 * A command line for the reference: `reference < script` runs a script, `reference --program SEED`
 * prints a random one, `reference --bench N PLATFORM` measures.
 */
#ifdef REFERENCE_MAIN

#include "oa_programs.h"
#include "oa_reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int run(const char *script, size_t size, FILE *out)
{
    int line = oa_reference_run(script, size, out);
    if (line)
        fprintf(stderr, "line %d is not understood\n", line);
    return line ? 2 : 0;
}

static int run_input(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return 1;
    for (int c; (c = getchar()) != EOF;)
        fputc(c, memory);
    fclose(memory);
    int status = run(text, size, stdout);
    free(text);
    return status;
}

/* Random NOA bits, events on B counters, a report for every 1024 clocks. */
static const char bench_map_a[] =
    "wr 0x2368 0x80000\nwr 0x23b0 0x80000\nwr 0x2364 0x80000\n"
    "wr 0x2388 0xf0800000\nwr 0x2390 0x0007f81a\nwr 0x2394 0x0000fe00\nwr 0x2360 0x269\n";
static const char bench_hsw[] =
    "wr 0x2368 0x1000000\nwr 0x23b0 0x1000000\nwr 0x2364 0x1000000\n"
    "wr 0x2714 0xf0800000\nwr 0x2770 0x0007f81a\nwr 0x2774 0x0000fe00\nwr 0x2360 0x275\n";
static const char bench_map_c[] =
    "wr 0x2b08 0\nwr 0x2b0c 0\nwr 0x2b14 0\nwr 0x2b10 0\n"
    "wr 0x2714 0xf0800000\nwr 0x2770 0x0007f81a\nwr 0x2774 0x0000fe00\nwr 0x2360 0x27\n"
    "wr 0x2b00 0x15\n";

static int bench(uint64_t clocks, const char *platform)
{
    bool map_a = !strcmp(platform, "snb") || !strcmp(platform, "ivb") || !strcmp(platform, "vlv");
    const char *setup = map_a ? bench_map_a : !strcmp(platform, "hsw") ? bench_hsw : bench_map_c;
    char script[2048];
    FILE *null = fopen("/dev/null", "w");
    if (!null)
        return 1;
    int size = snprintf(script, sizeof script,
                        "platform %s\nnoa 0-7 prng 7 64\nnoa 8 every 3 1\na 0 const 1\n"
                        "a 1-6 uni 1 8\n%srun %" PRIu64 "\n",
                        platform, setup, clocks);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    int status = run(script, (size_t)size, null);
    clock_gettime(CLOCK_MONOTONIC, &to);
    fclose(null);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    printf("%.0f clocks a second\n", (double)clocks / seconds);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_input();
    if (argc == 3 && !strcmp(argv[1], "--program")) {
        oa_program_write(strtoull(argv[2], NULL, 0), stdout);
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--bench"))
        return bench(strtoull(argv[2], NULL, 0), argv[3]);
    fprintf(stderr, "usage: %s [--program SEED | --bench N PLATFORM]\n", argv[0]);
    return 2;
}

#else
typedef int oa_reference_main_is_empty; /* a translation unit must not be */
#endif
