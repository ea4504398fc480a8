/* SPDX-License-Identifier: MIT */
#ifndef TALLY_METRICS_SIGNAL_SETS_H
#define TALLY_METRICS_SIGNAL_SETS_H

#include "base/yaml.h"
#include "metrics/set.h"

/*
 * Metric sets of NVIDIA's chipsets, in YAML (docs/metric-sets.md): signals and counters are written
 * once for all chipsets of a file, and a set is a list of counters. A set has the signals that its
 * counters use, in the order of first use.
 */

/* Limits of a file. The last one is for all sets of all chipsets together. */
#define FILE_SIGNALS_MAX  512
#define FILE_COUNTERS_MAX 256
#define FILE_SETS_MAX     64
#define SET_COUNTERS_MAX  64
#define SELECTORS_MAX     8
#define EXPANDED_MAX      16384

/* Chipsets as a set: bit `order` - 1 of each. */
typedef uint64_t chipset_mask;

/* A signal or counter of a file before it is bound to a chipset. Texts are never NULL. */
struct file_signal {
    const char *symbol, *expression, *select;
    int domain;
    chipset_mask chipsets;
    unsigned line;
};

struct file_counter {
    struct tally_counter counter; /* without equation */
    chipset_mask chipsets;        /* those that have all its signals */
};

struct file_set {
    const char *symbol, *name;
    uint16_t counters[SET_COUNTERS_MAX]; /* indices */
    unsigned counter_count;
    unsigned line, counters_line;
};

/* The contents of a file. */
struct set_contents {
    struct arena *arena;
    chipset_mask chipsets;
    bool modelled; /* for modelled GPUs only */
    struct file_signal *signals;
    struct file_counter *counters;
    struct file_set *sets;
    size_t signal_count, counter_count, set_count;
};

/*
 * Reads a file, and adds its sets to `file`, one for each chipset. Reports every mistake as
 * yaml_read(), and returns as it does.
 */
int signal_sets_read(const struct yaml_source *source, struct tally_metric_file *file,
                     findings_visit *found, void *closure, struct tally_error *error);

/* Returns whether a YAML file is one of metric sets. */
bool signal_sets_is(const char *path);

/* Checks a file: passes every mistake to `found`. Returns their number, or a negative errno as
 * yaml_read(). */
int signal_sets_lint(const struct yaml_source *source, findings_visit *found, void *closure,
                     struct tally_error *error);

/* Adds the sets of `contents` to `file`, one for each chipset. Reports mistakes in equations and
 * selectors. Returns false if out of memory (signal_bind.c). */
bool signal_sets_bind(struct yaml *yaml, const struct set_contents *contents,
                      struct tally_metric_file *file);

/* Reports a mistake in a line of the file. */
__attribute__((format(printf, 3, 4))) void sets_mistake(struct yaml *yaml, unsigned line,
                                                        const char *format, ...);

/* Returns whether the chipsets of a file, as it lists them, include one. */
bool chipsets_include(const char *chipsets, const char *name);

/* Returns whether the name of a file is that of a YAML file. */
bool is_yaml_name(const char *path);

#endif
