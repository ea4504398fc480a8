/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

/* Selects the vector path. All paths give the same results; the environment variable TALLY_SIMD
 * ("portable", "avx2", "avx512") can select a lower one. */
enum simd { SIMD_PORTABLE, SIMD_AVX2, SIMD_AVX512 };

enum simd cpu_simd(void);

#endif
