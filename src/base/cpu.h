/* SPDX-License-Identifier: MIT */
#ifndef TALLY_BASE_CPU_H
#define TALLY_BASE_CPU_H

/* Vector paths, in ascending order. All give the same results. */
enum simd { SIMD_PORTABLE, SIMD_AVX2, SIMD_AVX512 };

/* Returns the highest vector path that the processor supports, or a lower one that the environment
 * variable TALLY_SIMD names ("portable", "avx2", "avx512"). */
enum simd cpu_simd(void);

#endif
