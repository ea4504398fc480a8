/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

/* Which vector path to take. Every path gives the same bits; the environment variable TALLY_SIMD
 * ("portable", "avx2", "avx512") can ask for a lower one. */
enum simd { SIMD_PORTABLE, SIMD_AVX2, SIMD_AVX512 };

enum simd cpu_simd(void);

#endif
