/* SPDX-License-Identifier: MIT */
#ifndef TALLY_WORKLOAD_H
#define TALLY_WORKLOAD_H

/*
 * Workloads: what a modelled Intel GPU does, as a YAML file (docs/workloads.md), and a runner that
 * lets it drive a unit of <tally/oa.h>.
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
 * A file names units of the GPU ("ps.threads"), never counters; which counter of which platform
 * counts a unit is a table (src/intel/workload/units.c). The same file, platform and clock give the
 * same bits everywhere, however the runs are cut.
 *
 * Workloads and programs do not change once made and may be used by many threads; a cursor and its
 * unit belong to one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/oa.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- files ----------------------------------------------------------------------------------- */

struct tally_workload;

/* A mistake or a remark; line: from 1, or 0 where there is none. */
typedef void tally_workload_found(void *closure, unsigned line, const char *message);

/*
 * Loads a workload: the file at `name` if that has a slash or ends with ".yaml", else NAME.yaml of
 * the search path (TALLY_WORKLOADS_PATH, XDG data directories, the source tree or installation that
 * the program is of). Returns 0; -EBADMSG and the file, line and nature of its first mistake;
 * -ENOENT or another errno if it cannot be read; -ENOMEM. *out is the caller's, to be freed.
 */
TALLY_API int tally_workload_load(const char *name, struct tally_workload **out,
                                  struct tally_error *error);

/* The same from `size` bytes in memory; `name` stands for the file in messages. */
TALLY_API int tally_workload_load_memory(const void *bytes, size_t size, const char *name,
                                         struct tally_workload **out, struct tally_error *error);

/* Frees it; NULL is allowed. Programs of it must be freed before. */
TALLY_API void tally_workload_free(struct tally_workload *workload);

/*
 * Tells every mistake of a file, by line. Returns how many there are; -EBADMSG and a message if
 * the file is no YAML at all; another negative errno if it cannot be read.
 */
TALLY_API int tally_workload_lint(const char *path, tally_workload_found *found, void *closure,
                                  struct tally_error *error);
TALLY_API int tally_workload_lint_memory(const void *bytes, size_t size, const char *name,
                                         tally_workload_found *found, void *closure,
                                         struct tally_error *error);

/* What a workload says of itself. Texts live as long as it does. */
struct tally_workload_info {
    const char *name;
    const char *description; /* one line */
    const char *file;
    uint64_t seed;
    size_t phases;
    uint64_t duration_ns; /* of one repetition */
};

TALLY_API void tally_workload_describe(const struct tally_workload *workload,
                                       struct tally_workload_info *out);

/*
 * Visits the workload files of the search path, by directory and name, without those whose name an
 * earlier directory has. Returns how many there are, or -ENOMEM.
 */
TALLY_API int tally_workload_list(void (*visit)(void *closure, const char *path), void *closure);

/* ---- on a platform --------------------------------------------------------------------------- */

/* Which GPU a workload is to run on. */
struct tally_workload_target {
    const char *platform; /* "snb" ... "tgl", as tally_oa_new() has them */
    unsigned eus;         /* 0: the common configuration. From Gen8 on the EUs of the model:
                             as many as tally_oa_set_eus() got */
    uint64_t clock_hz;    /* for phases that state none; 0: the platform's highest */
};

struct tally_workload_program;

/*
 * A workload on one platform: its units turned into counters, its times into clocks. `note` (may be
 * NULL) hears which units the platform lacks; they are left out. Returns 0; -EINVAL and a message
 * if the platform has no model, or the target's numbers are out of range; -ENOMEM. *out is the
 * caller's, to be freed before the workload.
 */
TALLY_API int tally_workload_bind(const struct tally_workload *workload,
                                  const struct tally_workload_target *target,
                                  tally_workload_found *note, void *closure,
                                  struct tally_workload_program **out, struct tally_error *error);

/* Frees it; NULL is allowed. No unit that it drove may be run afterwards, but after new inputs. */
TALLY_API void tally_workload_unbind(struct tally_workload_program *program);

/* Clocks of a phase (0 if there is no such one), and its clock in Hz. */
TALLY_API uint64_t tally_workload_phase_clocks(const struct tally_workload_program *program,
                                               size_t phase);
TALLY_API uint64_t tally_workload_phase_hz(const struct tally_workload_program *program,
                                           size_t phase);

/*
 * Drives all inputs of a unit that the program knows as they are in a phase, in its `repetition`-th
 * visit, from the unit's next clock on: A counters, EU signals, and those NOA bits that any phase
 * of the workload names. The runner does this by itself. 0, or -EINVAL: another platform's unit,
 * another number of EUs, or no such phase.
 */
TALLY_API int tally_workload_apply(const struct tally_workload_program *program, size_t phase,
                                   uint64_t repetition, struct tally_oa *unit);

/* ---- running --------------------------------------------------------------------------------- */

/* Where a run is. Plain data: a copy, with a copy of the unit, is a snapshot. */
struct tally_workload_cursor {
    const struct tally_workload_program *program;
    uint64_t left;       /* clocks to the end of the phase */
    uint64_t repetition; /* of the whole workload */
    size_t phase;        /* the present one */
    bool entered;        /* its inputs are driven */
};

/* Puts a cursor in front of the first clock. */
TALLY_API void tally_workload_start(const struct tally_workload_program *program,
                                    struct tally_workload_cursor *cursor);

/*
 * Runs the unit for `clocks`, from phase to phase and round again. At a phase's first clock its
 * inputs are driven, the render context switches if it is another one than before (`idle`: none),
 * and from Gen9 on the clock ratios change if its clock does. Nothing is allocated. 0, or -EINVAL
 * as tally_workload_apply(); no clock has passed then.
 */
TALLY_API int tally_workload_run(struct tally_workload_cursor *cursor, struct tally_oa *unit,
                                 uint64_t clocks);

/* ---- known answers --------------------------------------------------------------------------- */

#define TALLY_WORKLOAD_A   45
#define TALLY_WORKLOAD_NOA 16

/* What an input adds up to. deviation: 0 where the count is exact, else the standard deviation of
 * the true count from this one, the mean. */
struct tally_workload_count {
    double mean;
    double deviation;
    uint64_t exact; /* mean as a whole number, if deviation is 0 */
};

struct tally_workload_answer {
    uint64_t clocks;
    struct tally_workload_count a[TALLY_WORKLOAD_A];
    struct tally_workload_count noa[TALLY_WORKLOAD_NOA]; /* clocks at which the bit is 1 */
};

/*
 * What a run of `clocks` from a cursor (which does not move) adds to each A counter that is neither
 * stopped nor filtered, before it wraps; computed apart from the unit, from rates and chances.
 * `flexible` are the values of EU_PERF_CNT_CTL0 to 6 for A7 to A20 of Gen8 on; NULL: all 0.
 */
TALLY_API void tally_workload_expect(const struct tally_workload_cursor *cursor, uint64_t clocks,
                                     const uint32_t flexible[7], struct tally_workload_answer *out);

#ifdef __cplusplus
}
#endif

#endif
