/* SPDX-License-Identifier: MIT */
/* The long test: compare_models pcounter|oa [COUNT [FIRST]] runs random programs on a model and on
 * its reference. */
#include <stdlib.h>
#include <string.h>

#include "compare.h"

int main(int argc, char **argv)
{
    const struct comparison *comparison =
        argc > 1 && !strcmp(argv[1], "oa") ? &compare_oa : &compare_pcounter;
    uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 100000;
    uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 0) : 0, different = 0;
    for (uint64_t seed = first; seed < first + count && different < 20; seed++)
        different += (uint64_t)compare_program(comparison, seed);
    printf("%s: %llu programs from %llu on: %llu differ\n", comparison->name,
           (unsigned long long)count, (unsigned long long)first, (unsigned long long)different);
    return different != 0;
}
