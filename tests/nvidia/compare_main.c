/* SPDX-License-Identifier: MIT */
/* The long test: compare_pcounter [COUNT [FIRST]] runs random programs on engine and reference. */
#include <stdlib.h>

#include "nvidia/compare.h"

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 0) : 0, different = 0;
    for (uint64_t seed = first; seed < first + count && different < 20; seed++)
        different += (uint64_t)compare_program(seed);
    printf("%llu programs from %llu on: %llu differ\n", (unsigned long long)count,
           (unsigned long long)first, (unsigned long long)different);
    return different != 0;
}
