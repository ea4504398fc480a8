/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_H
#define TALLY_METRICS_H

/*
 * Metrics: evaluate the raw counters of reports with metric sets.
 *
 * A metric set is a list of counters, each with an equation over the deltas of raw counters between
 * two reports, and what must be programmed to count them. Intel's sets are loaded at run time from
 * XML files in the format of IGT GPU Tools, NVIDIA's from YAML files (docs/metric-sets.md), which
 * name signals of PCOUNTER in place of registers. A program is a set compiled for one GPU and one
 * report layout; it evaluates up to TALLY_BLOCK deltas per call.
 *
 *     struct tally_catalog *catalog = tally_catalog_new(NULL);
 *     const struct tally_metric_set *set;
 *     struct tally_environment environment;
 *     struct tally_program *program;
 *     tally_catalog_find(catalog, "SKLGT2", NULL, "RenderBasic", &set, &error);
 *     tally_environment_default(tally_platform_find("skl"), &environment);
 *     tally_program_new(set, &environment, layout, &program, &error);
 *     tally_program_run(program, reports, 1);     // two pointers to raw reports: one delta
 *     index = tally_metric_set_counter(set, "GpuBusy");
 *     busy = tally_program_values(program, index)[0].f;
 *
 * <tally/pipeline.h> does all this for a recording.
 *
 * Equations are in reverse Polish notation (PERF-9.2). Operands are numbers, "A n READ" (likewise B
 * and C; GPU_TIME and GPU_CLOCK with n = 0), variables ("$EuCoresTotalCount") and other counters
 * of the set ("$GpuBusy"). The results of UADD USUB UMUL UDIV UMIN AND << >> UGT UGTE ULT ULTE &&
 * are 64-bit integers, those of FADD FSUB FMUL FDIV FMAX are doubles; operands are converted as in
 * C. Division by zero gives 0.
 *
 * The equations of NVIDIA's sets are written in infix over the set's signals and counters; the
 * loader translates them. Signal n is "A n READ", its clocks "CLOCKS n READ", and a quotient is
 * FRATIO, a double: if the divisor is 0, it has no value, which is a NaN. Such values are excluded
 * from minima, maxima and means, and written as missing.
 *
 * Where C leaves a conversion from double to uint64_t undefined,
 * values above -2^63 wrap modulo 2^64, lower ones and NaN give 0, and values of 2^64 and more give
 * UINT64_MAX.
 *
 * Threads: files and sets may be read by any number of threads. A catalog, which loads files on
 * demand, and a program, which has working memory, belong to one thread at a time.
 */

#include <math.h>
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

/* ---- metric sets ----------------------------------------------------------------------------- */

/* The type of a counter's values. */
enum tally_data_type { TALLY_UINT64, TALLY_DOUBLE };

/* A value, whose type is known from its counter. An integer that is TALLY_UNDEFINED and a double
 * that is NaN are not defined: the equation, or that of a counter it refers to, divided by 0. */
union tally_value {
    uint64_t u; /* TALLY_UINT64 */
    double f;   /* TALLY_DOUBLE */
};

#define TALLY_UNDEFINED UINT64_MAX

/* Returns whether a value is defined. */
static inline bool tally_value_is_defined(union tally_value value, enum tally_data_type type)
{
    return type == TALLY_DOUBLE ? value.f == value.f : value.u != TALLY_UNDEFINED;
}

/* Returns a value as a double; NaN if it is not defined. */
static inline double tally_value_double(union tally_value value, enum tally_data_type type)
{
    return type == TALLY_DOUBLE         ? value.f
           : value.u == TALLY_UNDEFINED ? (double)NAN
                                        : (double)value.u;
}

/* A counter of a metric-set file. Texts are never NULL; they are empty if the attribute is
 * missing. */
struct tally_counter {
    const char *symbol; /* "EuActive": the name that equations and -c use */
    const char *name;   /* "EU Active" */
    const char *description;
    const char *units;        /* "percent", "cycles", "ns", ... */
    const char *semantic;     /* "event", "duration", "throughput", "ratio" */
    const char *group;        /* "EU Array/Vertex Shader" */
    const char *equation;     /* of its value */
    const char *formula;      /* the equation as the file has it, in infix; empty in XML files */
    const char *max_equation; /* of its maximum, or empty */
    const char *availability; /* nonzero on GPUs that have the counter; empty: all have it */
    enum tally_data_type type;
    unsigned line; /* in the file, from 1 */
};

/* A <register>: an MMIO write of 32 bits. */
struct tally_register_write {
    uint32_t address; /* byte offset in GTTMMADR */
    uint32_t value;
    unsigned line; /* in the file, from 1 */
};

/* A <register_config>: registers that must be programmed to count the set's counters. */
struct tally_register_config {
    const char *type;         /* "NOA", "OA", "FLEX" */
    const char *availability; /* nonzero on GPUs that need these writes; empty: all need them */
    unsigned priority;        /* configs of one type are written in ascending order */
    const struct tally_register_write *writes;
    size_t write_count;
};

/* A write to a register that selects which of a unit's signals reach PCOUNTER: the bits of the mask
 * become those of the value, the others stay. */
struct tally_selector_write {
    uint32_t address; /* byte offset in BAR0 */
    uint32_t mask;
    uint32_t value;  /* 0 outside of the mask */
    uint32_t stride; /* bytes from the register of one GPC or partition to that of the next one; 0:
                      * there is only one */
};

/* Maximum number of signals of a set: those that a report holds (A0 to A63). */
#define TALLY_SET_SIGNALS 64

/* A signal of an NVIDIA set: what one hardware counter counts. Texts are never NULL. */
struct tally_metric_signal {
    const char *symbol;     /* "GPU_IDLE": the name that equations use */
    const char *expression; /* what it counts: "PGRAPH.IDLE", "A && !B", "sum(A, B, C) if D" */
    int domain;             /* TALLY_DOMAIN(), or -1: the only one that has the signals */
    const struct tally_selector_write *selectors; /* to be written in this order */
    size_t selector_count;
    unsigned group; /* signals with the same group, not 0, are terms of one ratio, and must be
                     * counted at the same time */
    unsigned line;  /* in the file, from 1 */
};

/* A set of counters. Texts are never NULL. */
struct tally_metric_set {
    const char *symbol;    /* "RenderBasic" */
    const char *name;      /* "Render Metrics Basic set" */
    const char *chipset;   /* "HSW", "SKLGT2"; NVIDIA: "g92" */
    const char *uuid;      /* hw_config_guid: 36 characters; NVIDIA: empty */
    const char *oa_format; /* report format, or empty */
    const char *file;      /* path of the file */
    unsigned line;         /* in the file, from 1 */
    const struct tally_counter *counters;
    size_t counter_count;
    const struct tally_register_config *configs; /* Intel's sets */
    size_t config_count;
    const struct tally_metric_signal *signals; /* NVIDIA's sets; signal n is A n of equations */
    size_t signal_count;
    bool modelled; /* its signals are decisions of the model: real GPUs have others */
};

/* Finds a counter of a set by its symbol. Returns its index, or -ENOENT. */
TALLY_API ptrdiff_t tally_metric_set_counter(const struct tally_metric_set *set,
                                             const char *symbol);

/* A loaded metric-set file, with its sets. */
struct tally_metric_file;

/*
 * Loads a metric-set file: YAML if its name ends with .yaml or .yml, else XML. Returns 0 and *out,
 * which the caller frees with tally_metric_file_free(); errors of open(2) and read(2); -EBADMSG
 * with the line: not well-formed, or a required element is missing or wrong; -ENOMEM.
 */
TALLY_API int tally_metric_file_load(const char *path, struct tally_metric_file **out,
                                     struct tally_error *error);

/* Loads a metric-set file from `size` bytes in memory, which are not used afterwards. `name` is the
 * path in messages and in the sets. Returns as tally_metric_file_load(). */
TALLY_API int tally_metric_file_load_memory(const void *bytes, size_t size, const char *name,
                                            struct tally_metric_file **out,
                                            struct tally_error *error);

/* Frees a file and its sets; accepts NULL. */
TALLY_API void tally_metric_file_free(struct tally_metric_file *file);

/* Returns the number of sets of a file, and points *out at them: of a YAML file, which may be for
 * several chipsets, one for each chipset that has the set. The file owns them. */
TALLY_API size_t tally_metric_file_sets(const struct tally_metric_file *file,
                                        const struct tally_metric_set **out);

/* ---- catalogs -------------------------------------------------------------------------------- */

/* A search path of metric-set files. Files are loaded on demand, and kept. */
struct tally_catalog;

/*
 * Creates a catalog of these directories, in this order: `directory` (NULL: none), those of
 * $TALLY_METRICS_PATH, $XDG_DATA_HOME/tally/metrics, tally/metrics in each of $XDG_DATA_DIRS, and
 * that of the project's own sets. Returns NULL if out of memory. If a file or directory of these
 * cannot be read, although it is there and readable by its permissions (EIO, EMFILE), searches of
 * the catalog return that error.
 */
TALLY_API struct tally_catalog *tally_catalog_new(const char *directory);

/* Frees a catalog and all its sets; accepts NULL. */
TALLY_API void tally_catalog_free(struct tally_catalog *catalog);

/* Returns the number of directories of a catalog that exist, and points *out at their paths, in
 * search order. The catalog owns them. */
TALLY_API size_t tally_catalog_directories(const struct tally_catalog *catalog,
                                           const char *const **out);

/*
 * Finds a set for a chipset: by UUID, or, if no set has this UUID, by symbol name. `uuid` or
 * `symbol` may be NULL or empty. `chipset` is a name as in files ("SKLGT2", "g92"); files for its
 * platform ("SKL") are searched after those for the chipset. Returns 0 and *out, which the catalog
 * owns; -ENOENT and a message with the directories searched; or an error of
 * tally_metric_file_load().
 */
TALLY_API int tally_catalog_find(struct tally_catalog *catalog, const char *chipset,
                                 const char *uuid, const char *symbol,
                                 const struct tally_metric_set **out, struct tally_error *error);

/*
 * Lists the sets for a chipset or platform ("HSW", "SKLGT2", "g92"), or those of all files if
 * `chipset` is NULL, in search order. Returns their number, and points *out at a list of pointers,
 * which the catalog owns and keeps until the next call; or returns an error of
 * tally_metric_file_load().
 */
TALLY_API ptrdiff_t tally_catalog_sets(struct tally_catalog *catalog, const char *chipset,
                                       const struct tally_metric_set *const **out,
                                       struct tally_error *error);

/* ---- environments ---------------------------------------------------------------------------- */

/* Properties of a GPU, from which the values of $Variables follow. Plain data. */
struct tally_environment {
    const struct tally_platform *platform; /* NULL: an NVIDIA GPU */
    struct tally_topology topology;
    uint64_t timestamp_hz; /* frequency of the reports' timestamp */
    uint64_t gt_min_hz;    /* range of the render clock */
    uint64_t gt_max_hz;
    uint32_t revision;   /* PCI revision */
    bool query_mode;     /* the OA_PERFCNT registers were read at the start and the end of a query;
                            false   for streams */
    uint32_t eu_threads; /* hardware threads of one EU; 0: as on the platform's common SKU */
};

/* Fills in the environment of a recording. */
TALLY_API void tally_environment_of(const struct tally_recording_info *info,
                                    struct tally_environment *out);

/* Fills in the environment of a SKU with all its EUs, and that of a platform's common SKU. */
TALLY_API void tally_environment_of_sku(const struct tally_sku *sku, struct tally_environment *out);
TALLY_API void tally_environment_default(const struct tally_platform *platform,
                                         struct tally_environment *out);

/* Gets the value of a variable, whose name includes the $ ("$EuCoresTotalCount"). Returns 0, or
 * -ENOENT if it is unknown. */
TALLY_API int tally_environment_get(const struct tally_environment *environment, const char *name,
                                    uint64_t *out);

/* ---- programs -------------------------------------------------------------------------------- */

/* Maximum number of deltas that one call evaluates. */
#define TALLY_BLOCK 64

/* Whether a program can evaluate a counter. */
enum tally_counter_state {
    TALLY_COUNTER_OK,
    TALLY_COUNTER_UNAVAILABLE, /* this GPU does not have the counter, by its availability */
    TALLY_COUNTER_UNSUPPORTED  /* the counter reads a field that the report layout does not have */
};

/* Returns "ok", "unavailable" or "unsupported". Static text. */
TALLY_API const char *tally_counter_state_name(enum tally_counter_state state);

/* A compiled metric set. */
struct tally_program;

/*
 * Compiles a set. The set and the layout must outlive the program; the environment is copied.
 * Returns 0 and *out, which the caller frees with tally_program_free(); -EBADMSG and a message with
 * the counter and the error in its equation; -ENOMEM. Counters that cannot be evaluated are not an
 * error: see tally_program_state().
 */
TALLY_API int tally_program_new(const struct tally_metric_set *set,
                                const struct tally_environment *environment,
                                const struct tally_layout *layout, struct tally_program **out,
                                struct tally_error *error);

/* Frees a program; accepts NULL. */
TALLY_API void tally_program_free(struct tally_program *program);

/* Returns the set of a program. */
TALLY_API const struct tally_metric_set *tally_program_set(const struct tally_program *program);

/* Returns the state of counter `index` of the set. */
TALLY_API enum tally_counter_state tally_program_state(const struct tally_program *program,
                                                       size_t index);

/*
 * Evaluates all counters for `count` deltas, 1 to TALLY_BLOCK. `reports` are `count` + 1 pointers
 * to raw reports of the program's layout, at any alignment; delta i is from report i to report i
 * + 1. tally_program_values() returns the results, which are kept until the next run.
 */
TALLY_API void tally_program_run(struct tally_program *program, const uint8_t *const *reports,
                                 size_t count);

/*
 * Optional: names the reports of the run after the next one, which the next run then prefetches
 * into the processor's cache. The `count` pointers and the reports must remain valid until after
 * the next run.
 */
TALLY_API void tally_program_prefetch(struct tally_program *program, const uint8_t *const *reports,
                                      size_t count);

/* Returns the values of counter `index` in the latest run, one per delta; NULL if its state is not
 * TALLY_COUNTER_OK. The program owns them. */
TALLY_API const union tally_value *tally_program_values(const struct tally_program *program,
                                                        size_t index);

/*
 * Evaluates all counters once, for the deltas by slot that tally_accumulate() sums. `values` has an
 * element for each counter of the set; those of counters whose state is not TALLY_COUNTER_OK are
 * not changed.
 */
TALLY_API void tally_program_evaluate(const struct tally_program *program,
                                      const uint64_t deltas[TALLY_SLOT_COUNT],
                                      union tally_value *values);

/* Evaluates the maximum (max_equation) of counter `index` for deltas by slot. Returns 0, or
 * -ENODATA if the counter has none or it cannot be evaluated. */
TALLY_API int tally_program_maximum(const struct tally_program *program, size_t index,
                                    const uint64_t deltas[TALLY_SLOT_COUNT],
                                    union tally_value *out);

/*
 * Draws the equation of counter `index` as a tree, a node per line, with the value of each node for
 * deltas by slot; `deltas` NULL: without values. `write` is called with pieces of the text. Returns
 * 0 or -ENOMEM.
 */
TALLY_API int tally_program_explain(const struct tally_program *program, size_t index,
                                    const uint64_t *deltas,
                                    void (*write)(void *closure, const char *text), void *closure,
                                    struct tally_error *error);

/* ---- register writes and checks -------------------------------------------------------------- */

/*
 * Gets the register writes of one type ("NOA", "OA", "FLEX") that must be made on a GPU to count
 * the set's counters: those of the configs that are available on it, in ascending order of
 * priority. Returns their number and *out, which the caller frees with free() (NULL if there are
 * none); -EBADMSG and a message with the line of an invalid availability; -ENOMEM.
 */
TALLY_API ptrdiff_t tally_metric_set_writes(const struct tally_metric_set *set, const char *type,
                                            const struct tally_environment *environment,
                                            struct tally_register_write **out,
                                            struct tally_error *error);

/* Severity of a finding. */
enum tally_lint_severity { TALLY_LINT_ERROR, TALLY_LINT_WARNING, TALLY_LINT_NOTE };

/*
 * Checks a set: syntax of all equations, unknown variables and counters, cycles, duplicate or
 * invalid symbols, names and UUIDs, units, reads of counters that the platform does not have,
 * possible divisions by zero, percentages that can exceed 100, and, for platforms with a model,
 * writes to addresses without a register. Calls `found` for each finding, with its line in the
 * file. Returns the number of errors, without warnings and notes, or -ENOMEM.
 */
TALLY_API int tally_lint(const struct tally_metric_set *set,
                         void (*found)(void *closure, enum tally_lint_severity severity,
                                       unsigned line, const char *message),
                         void *closure);

#ifdef __cplusplus
}
#endif

#endif
