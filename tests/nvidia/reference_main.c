/* SPDX-License-Identifier: MIT */
/*
 * A command line for the reference: `reference < script` runs a script, `reference --program SEED`
 * prints a random one, `reference --bench N CHIPSET` measures.
 */
#ifdef REFERENCE_MAIN

#include "programs.h"
#include "reference.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int run(const char *script, size_t size, FILE *out)
{
    int line = reference_run(script, size, out);
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

/* Quad event mode with a waveform of each kind and all five counters in use. */
static int bench(uint64_t clocks, const char *chipset)
{
    bool nv30 = !strcmp(chipset, "nv30");
    char script[2048];
    FILE *null = fopen("/dev/null", "w");
    if (!null)
        return 1;
    int size = snprintf(script, sizeof script,
                        "chipset %s\n"
                        "sig 0 1 prng 1 128\nsig 0 2 every 3 1\nsig 0 3 pattern 0110101\n"
                        "sig 0 4 once 1\nsig 0 5-8 prng 7 64\n"
                        "%s"
                        "run %" PRIu64 "\n",
                        chipset,
                        nv30 ? "wr 0xa400 0x04030201\nwr 0xa404 0x6996\nwr 0xa408 0x05060708\n"
                               "wr 0xa40c 0xfffe\nwr 0xa410 0x03020108\nwr 0xa414 0x38001\n"
                               "wr 0xa418 0xfffefdfc\nwr 0xa41c 0x8000\nwr 0xa73c 0x10000\n"
                             : "wr 0xa400 0x04030201\nwr 0xa420 0x6996\nwr 0xa440 0x05060708\n"
                               "wr 0xa460 0xfffe\nwr 0xa480 0x03020108\nwr 0xa4a0 0x38001\n"
                               "wr 0xa4c0 0xfffefdfc\nwr 0xa4e0 0x8000\nwr 0xa7c0 0x1\n",
                        clocks);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    int status = run(script, (size_t)size, null);
    clock_gettime(CLOCK_MONOTONIC, &to);
    fclose(null);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    printf("%.0f domain clocks a second\n", (double)clocks / seconds);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return run_input();
    if (argc == 3 && !strcmp(argv[1], "--program")) {
        program_write(strtoull(argv[2], NULL, 0), stdout);
        return 0;
    }
    if (argc == 4 && !strcmp(argv[1], "--bench"))
        return bench(strtoull(argv[2], NULL, 0), argv[3]);
    fprintf(stderr, "usage: %s [--program SEED | --bench N CHIPSET]\n", argv[0]);
    return 2;
}

#else
typedef int reference_main_is_empty; /* a translation unit must not be empty */
#endif
