/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_SAMPLE_H
#define TALLY_VIEW_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a view shows of one interval of a device, and what it knows of the device. */

/* Maximum number of contexts of a sample; those with the least time share the last element. */
#define VIEW_CONTEXTS 32

/* The id of the element for all other contexts. */
#define VIEW_OTHERS (UINT32_MAX - 1)

struct view_context {
    uint32_t id;  /* TALLY_CONTEXT_IDLE: none; VIEW_OTHERS */
    double share; /* of the sample's evaluated time, 0 to 1 */
};

/* Maximum number of sections of a sample; those beyond share the last element. */
#define VIEW_SECTIONS 8

/* A section of marks, and its share of the sample's evaluated time, 0 to 1. */
struct view_section {
    char name[136]; /* as `tally report --by mark` prints it */
    double share;
};

/* Maximum number of processes of a sample, and of those that are watched. */
#define VIEW_CLIENTS     8
#define VIEW_CLIENTS_MAX 256

/* A process that used the GPU. */
struct view_client {
    int pid;
    char name[32];
    double share; /* of the time that it had the render engine, 0 to 1 */
};

struct view_sample {
    uint64_t start_ns;     /* GPU time since the first sample of the device */
    uint64_t end_ns;       /* of the last report */
    uint64_t evaluated_ns; /* GPU time of the evaluated deltas */
    bool has_values;       /* false: nothing could be evaluated because of losses */
    uint64_t deltas;       /* evaluated */
    uint64_t lost;         /* left out because their state is not OK */
    double rc6;            /* share of the time in RC6, 0 to 1; NaN: unknown */

    /* Since the stream began: reports read, and reports that are missing. */
    uint64_t reports, missing;

    size_t context_count; /* sorted by share, the largest first */
    struct view_context contexts[VIEW_CONTEXTS];
    size_t section_count; /* likewise; 0: the recording has no marks */
    struct view_section sections[VIEW_SECTIONS];
    size_t client_count; /* as the kernel reports them; 0 also if it does not */
    struct view_client clients[VIEW_CLIENTS];
    size_t value_count; /* one for each counter of the device; NaN: not defined */
    double values[];
};

struct view_counter {
    char *symbol, *name, *description, *units, *group;
    bool is_rate; /* a number of events, which is shown per second */
};

/* A device, or a recording of one, with a metric set. */
struct view_device_info {
    char *name;       /* "sim:skl", "/dev/dri/renderD128", the path of a recording */
    char *title;      /* "modelled Skylake GT2" */
    char *set;        /* symbol of the metric set, or "expressions" */
    bool modelled;    /* the GPU is a model */
    bool is_recorded; /* a recording is replayed */
    bool has_rc6;     /* the GPU has RC6: Intel's */
    bool has_contexts;
    bool has_marks;
    uint64_t period_ns;    /* of the reports; 0: unknown */
    uint64_t interval_ns;  /* of samples */
    double min_hz, max_hz; /* range of the GPU's clock; 0: unknown */
    size_t counter_count;
    struct view_counter *counters;
};

/* Frees an info; accepts NULL. */
void view_device_info_free(struct view_device_info *info);

#endif
