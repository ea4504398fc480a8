/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_LOAD_H
#define TALLY_STORE_LOAD_H

#include "pipeline/pipeline.h"
#include "store/block.h"
#include "store/import.h"
#include "store/store.h"

/* Reads a recording: packs its bytes, and evaluates its counters in the groups that stores have. */

#define LOAD_WIDTHS_MAX 3

/* A group of a summary and the statistics of all counters of the set, which `statistics` owns. */
struct loaded_group {
    struct tally_group public;
    struct tally_statistic *statistics;
};

struct loaded_groups {
    enum tally_group_by by;
    uint64_t width_ns; /* of intervals */
    struct loaded_group *groups;
    size_t count, capacity;
    size_t counter_count; /* of the set */
    bool failed;          /* out of memory */
};

struct loaded {
    struct tally_pipeline *pipeline;   /* NULL: no values, or it cannot be read */
    struct tally_recording *recording; /* that of the pipeline, if there is one */
    /* Of the output of another program, which is not loaded but imported by the caller; or NULL. */
    const struct import_format *import;
    struct loaded_groups groups[3 + LOAD_WIDTHS_MAX];
    size_t grouping_count;
    char hash[BLOCK_HASH_BYTES];
    uint64_t size_bytes;
    char date[STORE_DATE_BYTES];   /* empty: unknown */
    struct tally_error error;      /* it cannot be added */
    struct tally_error incomplete; /* it can, but without values, or without later ones */
};

/* What a thread keeps from one recording to the next. */
struct loader {
    const struct store_add_options *options;
    struct tally_catalog *catalog;
    struct packer *packer;
    uint8_t *bytes;
};

int loader_init(struct loader *loader, const struct store_add_options *options);
void loader_fini(struct loader *loader);

/* Loads a recording; `put` receives its blocks meanwhile. loaded->error has the result, or the
 * code with which `put` has stopped. loaded_fini() frees what is loaded. */
void load_recording(struct loader *loader, const char *path, block_function *put, void *closure,
                    struct loaded *loaded);
void loaded_fini(struct loaded *loaded);

#endif
