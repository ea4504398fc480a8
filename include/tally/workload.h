/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WORKLOAD_H
#define TALLY_WORKLOAD_H

/*
 * Workloads: YAML files that describe what a modelled GPU does (docs/workloads.md), and a
 * runner that drives a unit of <tally/oa.h> with them.
 *
 *     struct tally_workload *workload;
 *     struct tally_workload_program *program;
 *     struct tally_workload_cursor cursor;
 *     tally_workload_load("triangle", &workload, &error);
 *     tally_workload_bind(workload, &(struct tally_workload_target){.platform = "hsw"}, NULL, NULL,
 *                         &program, &error);
 *     tally_workload_start(program, &cursor);
 *     tally_workload_run(&cursor, unit, 1000000);
 *
 * A file names units of the GPU ("ps.threads"), not counters; src/intel/workload/units.c maps units
 * to the counters of each platform. The same file, platform and clock produce the same bits on
 * every machine, independent of how the time is divided into calls.
 *
 * Workloads and programs are immutable and may be used by several threads; a cursor and its unit by
 * one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/oa.h>
#include <tally/platform.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files ----------------------------------------------------------------------------------- */

struct tally_workload;

/* Called for each mistake or note. line: in the file, from 1; 0 if it belongs to no line. */
typedef void tally_workload_found(void *closure, unsigned line, const char *message);

/*
 * Loads a workload: the file at `name` if that contains a slash or ends with ".yaml", else the
 * first NAME.yaml of the search path (TALLY_WORKLOADS_PATH, XDG data directories, the program's
 * source tree or installation). Returns 0; -EBADMSG and a message with file, line and cause of the
 * first mistake; -ENOENT or another errno if the file cannot be read; -ENOMEM. The caller frees
 * *out.
 */
TALLY_API int tally_workload_load(const char *name, struct tally_workload **out,
                                  struct tally_error *error);

/* The same for `size` bytes in memory; `name` is the file name in messages. */
TALLY_API int tally_workload_load_memory(const void *bytes, size_t size, const char *name,
                                         struct tally_workload **out, struct tally_error *error);

/* Frees a workload; NULL is allowed. Free its programs before. */
TALLY_API void tally_workload_free(struct tally_workload *workload);

/*
 * Reports every mistake of a file, or of `size` bytes in memory, in order of lines. Returns their
 * number; -EBADMSG and a message if it is not YAML; another negative errno if it cannot be read.
 */
TALLY_API int tally_workload_lint(const char *path, tally_workload_found *found, void *closure,
                                  struct tally_error *error);
TALLY_API int tally_workload_lint_memory(const void *bytes, size_t size, const char *name,
                                         tally_workload_found *found, void *closure,
                                         struct tally_error *error);

/* Properties of a workload. The strings belong to it. */
struct tally_workload_info {
    const char *name;
    const char *description; /* one line */
    const char *file;
    uint64_t seed;
    size_t phases;
    uint64_t duration_ns; /* of one repetition */
};

/* Gets the properties of a workload. */
TALLY_API void tally_workload_describe(const struct tally_workload *workload,
                                       struct tally_workload_info *out);

/*
 * Visits the workload files of the search path, by directory and name; of files with the same name
 * only the first. Returns their number, -ENOMEM, or the error of a directory that cannot be read.
 */
TALLY_API int tally_workload_list(void (*visit)(void *closure, const char *path), void *closure);

/* ---- on a platform --------------------------------------------------------------------------- */

/* The GPU that a workload is bound to. */
struct tally_workload_target {
    const char *platform; /* a name that tally_oa_new() accepts: "hsw", "hsw/gt3" */
    unsigned eus;         /* 0: all of the SKU. From Gen8 on it must equal the
                             number passed to tally_oa_set_eus() */
    uint64_t clock_hz;    /* of phases without a clock; 0: the platform's maximum */
    /* Fuses of the GPU: which EUs are left matters to events that are filtered by the EU's place.
     * NULL: none. Not with `eus`, unless that is their number */
    const struct tally_fuses *fuses;
};

struct tally_workload_program;

/*
 * Binds a workload to a platform: maps its units to counters, and its times to clocks. `note` (may
 * be NULL) is called for each unit that no counter of the platform counts; such units are ignored.
 * Returns 0; -EINVAL and a message if the platform has no model, or a number of the target is out
 * of range; -ENOMEM. The caller frees *out, before the workload.
 */
TALLY_API int tally_workload_bind(const struct tally_workload *workload,
                                  const struct tally_workload_target *target,
                                  tally_workload_found *note, void *closure,
                                  struct tally_workload_program **out, struct tally_error *error);

/* Frees a program; NULL is allowed. Units that it has driven need new inputs before they run again.
 */
TALLY_API void tally_workload_unbind(struct tally_workload_program *program);

/* Return the length of a phase (from 0) in clocks, and its clock frequency in Hz; 0 if the phase
 * does not exist. */
TALLY_API uint64_t tally_workload_phase_clocks(const struct tally_workload_program *program,
                                               size_t phase);
TALLY_API uint64_t tally_workload_phase_hz(const struct tally_workload_program *program,
                                           size_t phase);

/*
 * Drives the inputs of a unit with a phase from the next clock on: A counters, EU signals, and the
 * NOA bits that any phase of the workload drives. `repetition` (from 0) selects the random numbers.
 * tally_workload_run() calls it at the start of each phase. Returns 0; -EINVAL if the unit is of
 * another SKU or has another number of EUs, or the phase does not exist.
 */
TALLY_API int tally_workload_apply(const struct tally_workload_program *program, size_t phase,
                                   uint64_t repetition, struct tally_oa *unit);

/* ---- running --------------------------------------------------------------------------------- */

/* Position of a run. Plain data: copies of the cursor and of the unit are a snapshot. */
struct tally_workload_cursor {
    const struct tally_workload_program *program;
    uint64_t left;       /* clocks to the end of the phase */
    uint64_t repetition; /* of the whole workload */
    size_t phase;        /* current phase */
    bool entered;        /* the inputs of the phase are driven */
};

/* Sets a cursor to the first clock of the first phase. */
TALLY_API void tally_workload_start(const struct tally_workload_program *program,
                                    struct tally_workload_cursor *cursor);

/*
 * Runs the unit for `clocks`, phase by phase; the first phase follows the last one. At the first
 * clock of a phase its inputs are driven, the render context is switched if it differs from that of
 * the previous phase (`idle`: none), and from Gen9 on the clock ratios are set if the clock
 * differs. Does not allocate memory. Returns 0, or -EINVAL as tally_workload_apply(), before any
 * clock has passed.
 */
TALLY_API int tally_workload_run(struct tally_workload_cursor *cursor, struct tally_oa *unit,
                                 uint64_t clocks);

/* ---- expected counts ------------------------------------------------------------------------- */

/* Numbers of A counters and of NOA bits. */
#define TALLY_WORKLOAD_A   45
#define TALLY_WORKLOAD_NOA 16

/* Expected count of an input: exact if `deviation` is 0, else the mean and the standard deviation.
 */
struct tally_workload_count {
    double mean;
    double deviation;
    uint64_t exact; /* the mean as an integer, if deviation is 0 */
};

/* Expected counts of a run. */
struct tally_workload_counts {
    uint64_t clocks;                                     /* length of the run */
    struct tally_workload_count a[TALLY_WORKLOAD_A];     /* of A0, A1, ... */
    struct tally_workload_count noa[TALLY_WORKLOAD_NOA]; /* clocks at which the bit is 1 */
};

/*
 * Computes the expected counts of a run of `clocks` clocks from a cursor, which is not moved: what
 * the run adds to each A counter that is neither stopped nor filtered, before wrap-around, and the
 * clocks at which each NOA bit is 1. The counts are derived from the rates and probabilities of the
 * workload, independently of the model. `flexible` are the values of EU_PERF_CNT_CTL0 to 6 for A7
 * to A20 (Gen8 on); NULL: all 0.
 */
TALLY_API void tally_workload_expect(const struct tally_workload_cursor *cursor, uint64_t clocks,
                                     const uint32_t flexible[7], struct tally_workload_counts *out);

#ifdef __cplusplus
}
#endif

#endif
