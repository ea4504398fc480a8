/* SPDX-License-Identifier: MIT */
/*
 * Runs the parts of the test of the kernel's i915 that are given as arguments, in a guest.
 * test_gpu.py runs it.
 */
#include "client.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    void (*run)(struct gpu *gpu);
} parts[] = {{"requests", test_requests},
             {"hangs", test_hangs},
             {"hang", test_hang},
             {"reports", test_reports},
             {"recorded", test_recorded}};

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
            if (!strcmp(argv[i], parts[part].name)) {
                struct gpu gpu;
                gpu_open(&gpu);
                printf("engines");
                for (unsigned e = 0; e < gpu.engine_count; e++)
                    printf(" %s", gpu.engines[e].name);
                putchar('\n');
                parts[part].run(&gpu);
                gpu_close(&gpu);
            }
    return failures() != 0;
}
