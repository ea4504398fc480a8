/* SPDX-License-Identifier: MIT */
#include "base/cpu.h"

#include <stdlib.h>
#include <string.h>

#include <tally/version.h>

#include "base/bits.h"

static const char *const names[] = {"portable", "avx2", "avx512"};

static enum simd detect(void)
{
#if defined(TALLY_X86_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return SIMD_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return SIMD_AVX2;
#endif
    return SIMD_PORTABLE;
}

enum simd cpu_simd(void)
{
    enum simd best = detect();
    const char *requested = getenv("TALLY_SIMD");
    for (unsigned i = 0; requested && i < ARRAY_COUNT(names); i++)
        if (!strcmp(requested, names[i]) && (enum simd)i < best)
            return (enum simd)i;
    return best;
}

const char *tally_simd(void)
{
    return names[cpu_simd()];
}
