/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_H
#define TALLY_METRICS_H

/*
 * Metrics: what raw counters mean.
 *
 * A metric set is a list of counters, each with an equation in reverse Polish notation over the raw
 * counters of two reports; sets come from the ecosystem's own XML files, loaded at run time. A
 * program is a set compiled for one GPU and one report layout; it evaluates whole blocks of
 * reports.
 *
 * Equations (PERF-9.2): operands are numbers, "A n READ" (B, C, GPU_TIME, GPU_CLOCK
 * likewise), $Variables and other counters as $Symbol. UADD USUB UMUL UDIV UMIN AND << >> UGT UGTE
 * ULT ULTE && give integers of 64 bits, FADD FSUB FMUL FDIV FMAX give doubles, with C's conversions
 * between them; division by zero gives 0. Where C leaves a conversion from double to uint64_t
 * undefined, values above -2^63 wrap modulo 2^64, lower ones and NaN give 0, and values of 2^64 and
 * more the largest integer.
 *
 * Threads: files, sets and catalogs may be read by any number of threads once loaded. A program
 * has working memory and belongs to one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>
#include <tally/platform.h>
#include <tally/recording.h>
#include <tally/report.h>
#include <tally/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tally_data_type { TALLY_UINT64, TALLY_DOUBLE };

union tally_value {
    uint64_t u;
    double f;
};

/* A counter as its file states it. Texts are never NULL; they are empty where the file has none. */
struct tally_counter {
    const char *symbol; /* "EuActive": the name that equations and -c use */
    const char *name;   /* "EU Active" */
    const char *description;
    const char *units;        /* "percent", "cycles", "ns", ... */
    const char *semantic;     /* "event", "duration", "throughput", "ratio" */
    const char *group;        /* "EU Array/Vertex Shader" */
    const char *equation;     /* reverse Polish */
    const char *max_equation; /* its largest possible value, or empty */
    const char *availability; /* on which GPUs it exists, or empty: on all */
    enum tally_data_type type;
    unsigned line; /* in its file */
};

struct tally_register_write {
    uint32_t address;
    uint32_t value;
    unsigned line; /* in its file */
};

/* Registers to program before the set's counters count. */
struct tally_register_config {
    const char *type; /* "NOA", "OA", "FLEX" */
    const char *availability;
    unsigned priority;
    const struct tally_register_write *writes;
    size_t write_count;
};

struct tally_metric_set {
    const char *symbol;  /* "RenderBasic" */
    const char *name;    /* "Render Metrics Basic set" */
    const char *chipset; /* "HSW", "SKLGT2" */
    const char *uuid;
    const char *oa_format; /* as some files state it, or empty */
    const char *file;      /* path it was loaded from */
    unsigned line;
    const struct tally_counter *counters;
    size_t counter_count;
    const struct tally_register_config *configs;
    size_t config_count;
};

/* One metric-set file. */
struct tally_metric_file;

/*
 * Loads a file. On success *out is the caller's, to be freed with tally_metric_file_free() (which
 * accepts NULL); its sets live as long. Errors: those of open(2); -EBADMSG with the line: not
 * well-formed XML, or an element or attribute that must be there is missing; -ENOMEM.
 */
TALLY_API int tally_metric_file_load(const char *path, struct tally_metric_file **out,
                                     struct tally_error *error);

/* The same from memory; `name` is for messages. */
TALLY_API int tally_metric_file_load_memory(const void *bytes, size_t size, const char *name,
                                            struct tally_metric_file **out,
                                            struct tally_error *error);
TALLY_API void tally_metric_file_free(struct tally_metric_file *file);
TALLY_API size_t tally_metric_file_sets(const struct tally_metric_file *file,
                                        const struct tally_metric_set **out);

/*
 * A catalog finds sets in directories, in order: `directory` (may be NULL), each of
 * $TALLY_METRICS_PATH, $XDG_DATA_HOME/tally/metrics, each of $XDG_DATA_DIRS with /tally/metrics,
 * then the project's own. Files are loaded when they are needed and kept.
 */
struct tally_catalog;
TALLY_API struct tally_catalog *tally_catalog_new(const char *directory);
TALLY_API void tally_catalog_free(struct tally_catalog *catalog);

/* The directories searched, in order, that exist. */
TALLY_API size_t tally_catalog_directories(const struct tally_catalog *catalog,
                                           const char *const **out);

/*
 * Finds the set of a recording: by UUID in any file for the chipset, else by symbol name. Either
 * of `uuid` and `symbol` may be NULL or empty. `chipset` is a name as in files ("SKLGT2"); files
 * for the platform alone ("SKL") are looked at after those. Returns 0; -ENOENT with *error telling
 * where was searched; or an error of loading.
 */
TALLY_API int tally_catalog_find(struct tally_catalog *catalog, const char *chipset,
                                 const char *uuid, const char *symbol,
                                 const struct tally_metric_set **out, struct tally_error *error);

/*
 * All sets for a chipset or platform name ("HSW", "SKLGT2"), or of every file if it is NULL, in
 * search order. *out stays the catalog's, valid until the next call. Returns the number of sets, or
 * a negative errno if a file could not be loaded.
 */
TALLY_API ptrdiff_t tally_catalog_sets(struct tally_catalog *catalog, const char *chipset,
                                       const struct tally_metric_set *const **out,
                                       struct tally_error *error);

/* What the $Variables of equations stand for on one GPU. Plain data. */
struct tally_environment {
    const struct tally_platform *platform;
    struct tally_topology topology;
    uint64_t timestamp_hz;
    uint64_t gt_min_hz;
    uint64_t gt_max_hz;
    uint32_t revision;
    bool query_mode; /* registers read around a query are at hand; false for streams */
};

/* The environment of a recording. */
TALLY_API void tally_environment_of(const struct tally_recording_info *info,
                                    struct tally_environment *out);

/* The environment of a platform's common configuration. */
TALLY_API void tally_environment_default(const struct tally_platform *platform,
                                         struct tally_environment *out);

/* Value of a variable by name ("$EuCoresTotalCount"). Returns 0, or -ENOENT. */
TALLY_API int tally_environment_get(const struct tally_environment *environment, const char *name,
                                    uint64_t *out);

/* How many reports' deltas one call evaluates at most. */
#define TALLY_BLOCK 64

/* Why a counter of a set has no value here. */
enum tally_counter_state {
    TALLY_COUNTER_OK,
    TALLY_COUNTER_UNAVAILABLE, /* its availability says that this GPU does not have it */
    TALLY_COUNTER_UNSUPPORTED  /* it reads what this report layout does not hold */
};
TALLY_API const char *tally_counter_state_name(enum tally_counter_state state);

struct tally_program;

/*
 * Compiles a set. The set and layout must outlive the program. Returns 0, or -EBADMSG with *error
 * naming the counter and what is wrong with its equation. A counter that this GPU does not have
 * is not an error: see tally_program_state().
 */
TALLY_API int tally_program_new(const struct tally_metric_set *set,
                                const struct tally_environment *environment,
                                const struct tally_layout *layout, struct tally_program **out,
                                struct tally_error *error);
TALLY_API void tally_program_free(struct tally_program *program);
TALLY_API const struct tally_metric_set *tally_program_set(const struct tally_program *program);

/* State of counter `index` of the set. */
TALLY_API enum tally_counter_state tally_program_state(const struct tally_program *program,
                                                       size_t index);

/*
 * Evaluates every counter for each pair of consecutive reports: `reports` are `count` + 1 pointers
 * to raw reports, `count` is 1 to TALLY_BLOCK. Results are read with tally_program_values() and
 * stay until the next run.
 */
TALLY_API void tally_program_run(struct tally_program *program, const uint8_t *const *reports,
                                 size_t count);

/*
 * Announces the reports of the run after the next one: `count` pointers, which must stay valid
 * until then. The next run prefetches them into the processor's cache. This is optional, and useful
 * for reports that are not in the cache.
 */
TALLY_API void tally_program_expect(struct tally_program *program, const uint8_t *const *reports,
                                    size_t count);

/* The values of counter `index` of the latest run, one a delta; NULL unless its state is OK. */
TALLY_API const union tally_value *tally_program_values(const struct tally_program *program,
                                                        size_t index);

/*
 * Evaluates every counter once, from deltas that have been summed up (tally_accumulate()).
 * `values` has an element for each counter of the set; those whose state is not OK are left alone.
 */
TALLY_API void tally_program_evaluate(const struct tally_program *program,
                                      const uint64_t deltas[TALLY_SLOT_COUNT],
                                      union tally_value *values);

/* The largest possible value of a counter for such deltas. Returns 0, or -ENODATA if not stated. */
TALLY_API int tally_program_maximum(const struct tally_program *program, size_t index,
                                    const uint64_t deltas[TALLY_SLOT_COUNT],
                                    union tally_value *out);

/* Finds a counter of a set by symbol. Returns its index, or -ENOENT. */
TALLY_API ptrdiff_t tally_metric_set_counter(const struct tally_metric_set *set,
                                             const char *symbol);

/*
 * Writes an equation as a tree for people, every node with its value for `deltas` (pass NULL for
 * values of none). `write` gets pieces of text.
 */
TALLY_API int tally_program_explain(const struct tally_program *program, size_t index,
                                    const uint64_t *deltas,
                                    void (*write)(void *closure, const char *text), void *closure,
                                    struct tally_error *error);

/*
 * The register writes of a set that a GPU needs before the set's counters count: those of its
 * configs of one type ("NOA", "OA", "FLEX"), lowest priority number first, without the configs
 * whose availability says that they are for another GPU. Returns how many there are, with *out (the
 * caller's to free(); NULL if there are none); -EBADMSG with the line of an availability that is no
 * equation; -ENOMEM.
 */
TALLY_API ptrdiff_t tally_metric_set_writes(const struct tally_metric_set *set, const char *type,
                                            const struct tally_environment *environment,
                                            struct tally_register_write **out,
                                            struct tally_error *error);

/* What lint finds. */
enum tally_lint_severity { TALLY_LINT_ERROR, TALLY_LINT_WARNING, TALLY_LINT_NOTE };

/*
 * Checks a set: syntax and stack of every equation, unknown variables and counters, cycles,
 * duplicate symbols, names and UUIDs, units, reads of counters that the platform does not have,
 * possible division by zero, percentages that can pass 100, and, for the modelled platforms,
 * writes where there is no register. `found` is called for each finding with the line of the file.
 * Returns the number of errors (not warnings), or -ENOMEM.
 */
TALLY_API int tally_lint(const struct tally_metric_set *set,
                         void (*found)(void *closure, enum tally_lint_severity severity,
                                       unsigned line, const char *message),
                         void *closure);

#ifdef __cplusplus
}
#endif

#endif
