/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VERSION_H
#define TALLY_VERSION_H

/*
 * The library's version and its build options.
 *
 * All functions here return pointers to static storage; they never fail and may be called from
 * any thread.
 */

#ifdef __cplusplus
extern "C" {
#endif

#ifndef TALLY_API
#define TALLY_API __attribute__((visibility("default")))
#endif

/* Returns the library's version, "MAJOR.MINOR.PATCH". */
TALLY_API const char *tally_version(void);

/*
 * Returns the build options, one line each ("name: value"), newline separated: compiler,
 * instruction sets, optional parts, installation directories.
 */
TALLY_API const char *tally_build_options(void);

/*
 * Returns the name of the vector code path in use: "portable", "avx2" or "avx512". It is the best
 * one that the processor supports, unless the environment variable TALLY_SIMD names a lower one.
 * All paths give the same results, bit by bit.
 */
TALLY_API const char *tally_simd(void);

#ifdef __cplusplus
}
#endif

#endif
