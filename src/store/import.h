/* SPDX-License-Identifier: MIT */
#ifndef TALLY_STORE_IMPORT_H
#define TALLY_STORE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

/*
 * Reads what other programs print about GPUs (docs/store.md): the JSON of intel_gpu_top -J, the
 * table of dcgmi dmon, and the metrics of dcgm-exporter. A file is a sequence of samples, each with
 * values of counters. Files are read in pieces of any size, in constant memory but for the names of
 * counters and sources.
 */
struct import;

struct import_format {
    const char *name;   /* of the program: also the kind of the recording in a store */
    const char *vendor; /* of the GPUs */
    /* Returns whether a file with this beginning, a text, has the format. */
    bool (*begins)(const char *head);
    size_t state_bytes;
    int (*take)(struct import *import, const char *bytes, size_t size, struct tally_error *error);
    /* Ends the last sample. *complete is set to false if a part of it is missing. */
    int (*end)(struct import *import, bool *complete, struct tally_error *error);
};

/* Returns the format of a file by its first bytes, or NULL: it is none of these. */
#define IMPORT_HEAD_BYTES 4096
const struct import_format *import_detect(const char *head, size_t size);

/* A name and its number, in the order of occurrence. */
struct import_name {
    char *name;
    uint32_t index;
    uint64_t mark;             /* number + 1 of the latest sample with it; 0: none */
    char *units, *description; /* of a counter; NULL: none */
    uint32_t first_source;     /* of a counter: the first in this sample */
};

struct import_names {
    struct import_name **list;
    size_t count, capacity;
    void *tree;
};

struct import_value {
    uint32_t counter, source; /* indices */
    bool is_integer;
    int64_t integer;
    double real; /* finite */
};

#define IMPORT_UNKNOWN (-1)

struct import_sample {
    uint64_t number;                   /* from 0 */
    int64_t start_ns, duration_ns;     /* from the first one on, or IMPORT_UNKNOWN */
    const struct import_value *values; /* sorted by counter and source, each pair once */
    size_t count;
};

struct import {
    const struct import_format *format;
    struct import_names counters, sources; /* a source without a name is the whole GPU */
    char device[128];                      /* name of the GPU; empty: unknown */
    struct import_value *values;           /* of the current sample */
    size_t value_count, value_capacity;
    uint64_t samples; /* so far */
    /* Returns 0 or a negative errno, which ends reading. */
    int (*put)(void *closure, const struct import *import, const struct import_sample *sample,
               struct tally_error *error);
    void *closure;
    void *state; /* of the format */
};

int import_init(struct import *import, const struct import_format *format,
                struct tally_error *error);
void import_fini(struct import *import);

/* Read a piece of the file; its end. Errors: -EBADMSG with the line, -ENOMEM, those of `put`. */
int import_take(struct import *import, const char *bytes, size_t size, struct tally_error *error);
int import_end(struct import *import, bool *complete, struct tally_error *error);

/* ---- for formats ----------------------------------------------------------------------------- */

/* Finds a name or adds it. Returns NULL with *error if there are too many, or memory is exhausted.
 */
struct import_name *import_name(struct import_names *names, const char *name,
                                struct tally_error *error);

/* Parses a number. Returns false if it is none; *out has no counter and source. A number that is
 * not finite is not defined: *defined is false. */
bool import_number(const char *text, struct import_value *out, bool *defined);

/* Adds a value to the current sample. */
int import_add(struct import *import, const struct import_value *value, struct tally_error *error);

/* Ends the current sample. */
int import_end_sample(struct import *import, int64_t start_ns, int64_t duration_ns,
                      struct tally_error *error);

extern const struct import_format import_intel_gpu_top, import_dcgmi_dmon, import_dcgm_exporter;

#endif
