/* SPDX-License-Identifier: MIT */
#ifndef TALLY_SERVE_DEVICE_H
#define TALLY_SERVE_DEVICE_H

#include <pthread.h>

#include <tally/capture.h>
#include <tally/pipeline.h>

#include "base/buffer.h"
#include "serve/folder.h"

/*
 * A device that is counted in a thread of its own. Everything that other threads need is in `now`,
 * which the thread replaces once an interval, so that no reader can delay it.
 */

#define SERVE_INTERVAL_NS UINT64_C(100000000) /* between two values that are shown */
#define SERVE_HISTORY     3000                /* rows kept: five minutes */
#define SERVE_CONTEXTS    8                   /* of a row */
#define SERVE_LOSSES      4096                /* entries of the ledger kept */
#define SERVE_ROW_LOSSES  64                  /* of these, of one row */
#define SERVE_LOSS_KINDS  (TALLY_LOSS_PACKETS + 1)
#define SERVE_NAME_MAX    160

/* A counter of a device, with the name of its time series. */
struct serve_counter {
    char *symbol, *name, *description, *units, *group, *equation, *formula;
    char series[SERVE_NAME_MAX]; /* "gpu_eu_array_eu_active_ratio", without _total */
    double scale;                /* from the counter's units to those of the series */
    bool is_total;               /* a sum over time; else the value of the latest interval */
    double value, overall;       /* of the latest interval, of the session; NaN: not defined */
};

/* The values of an interval. A context has the part of the time that it ran. */
struct serve_row {
    uint64_t from_ms, to_ms; /* CLOCK_REALTIME at the start of the server, plus CLOCK_MONOTONIC */
    uint32_t session;
    uint32_t lost; /* deltas without values */
    size_t context_count;
    struct {
        uint32_t context;
        double share;
    } contexts[SERVE_CONTEXTS];
};

/* An entry of the ledger, which belongs to the row in which it ended. */
struct serve_loss {
    uint64_t sequence; /* of the row */
    enum tally_loss_kind kind;
    uint64_t records, reports; /* reports 0: unknown */
    double from_ms, to_ms;
    bool exact;
};

/* The latest rows. */
struct serve_history {
    double *values;         /* SERVE_HISTORY rows; row `sequence % SERVE_HISTORY` */
    struct serve_row *rows; /* likewise */
    struct serve_loss *losses;
    uint64_t loss_count;     /* since the start; loss i is at i % SERVE_LOSSES */
    uint64_t first_sequence; /* 0: none */
    bool has_contexts;
};

enum serve_state { SERVE_STOPPED, SERVE_STARTING, SERVE_COUNTING, SERVE_FAILED };

struct serve_now {
    enum serve_state state;
    char file[SERVE_FILE_MAX]; /* of the recording that is being written; empty: none */
    struct tally_error error;  /* of the latest session */
    char set[128], title[96];
    bool modelled;
    uint64_t period_ns;
    uint64_t started_ms; /* as in struct serve_row, at the start of the session */
    uint64_t sampled_ns; /* CLOCK_MONOTONIC when the latest report was read; 0: none */
    uint64_t reports, missing, lost_deltas, bytes;
    uint64_t losses[SERVE_LOSS_KINDS]; /* records of the ledger, by kind */
    uint64_t sequence;                 /* number of the latest values, from 1; 0: none */
    uint32_t session;                  /* number of the session, from 1 */
};

struct serve_device {
    const char *name; /* "sim:icl" */
    struct tally_capture *capture;
    const struct serve_settings *settings;
    const struct serve_folder *folder;
    pthread_t thread;
    bool has_thread;
    int wake;                 /* eventfd: the thread is to look at what is wanted */
    pthread_mutex_t requests; /* one request at a time; taken before the lock */

    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t changed;
    bool quit, change; /* the thread has not yet done what is wanted */
    bool wanted;       /* to count */
    char wanted_file[SERVE_FILE_MAX];
    int wanted_fd; /* of that file, until the thread takes it; else -1 */
    struct serve_now now;
    struct serve_counter *counters;
    size_t counter_count;
    struct serve_history history;
    struct tally_error unwritten; /* of the first recording that lacks a part; code 0: none */
};

struct serve_settings {
    const char *set, *metrics;
    uint64_t period_ns;
    const char *const *counters;
    size_t counter_count;
};

/* Initializes a device with `name` and `capture` set, and starts its thread. Returns 0 or a
 * negative errno. */
int live_start(struct serve_device *device, struct tally_error *error);

/* Ends the thread, finishing a recording; device->unwritten may be read afterwards. Leaves the
 * capture open. */
void live_end(struct serve_device *device);

/*
 * Counts (again) from zero, with a recording to `file` in the folder unless that is empty; or
 * stops. Waits until that is done, one request after the other. Returns 0, or a negative errno with
 * *error: -ETIMEDOUT; or -EEXIST, -EACCES and others of creating the file, after which the session
 * that is running continues.
 */
int live_count(struct serve_device *device, const char *file, struct tally_error *error);
int live_stop(struct serve_device *device, struct tally_error *error);

/* Waits until there are values after `sequence` or the time has passed. Returns the number of the
 * latest values. */
uint64_t live_wait(struct serve_device *device, uint64_t sequence, uint64_t timeout_ns);

/* The counters of a device (counters.c): frees them, copies those of a pipeline, and returns
 * whether they have the same symbols. counters_copy() returns false if out of memory. */
void counters_free(struct serve_device *device);
bool counters_copy(struct serve_device *device, const struct tally_pipeline *pipeline);
bool counters_are_those(const struct serve_device *device, const struct tally_pipeline *pipeline);

/*
 * The history of a device with `count` counters (rows.c), below its lock. rows_begin() makes
 * or keeps it: if the counters are those of the session before, so do its rows. rows_add() adds
 * a row with the current values of the counters. rows_put() writes the row with this sequence:
 * {"t": ms, "n": number, "v": [...], ...}.
 */
bool rows_begin(struct serve_device *device, bool same, bool has_contexts);
void rows_add(struct serve_device *device, const struct serve_row *row);
void rows_add_loss(struct serve_device *device, const struct serve_loss *loss);
void rows_free(struct serve_history *history);
struct output;
void rows_put(struct output *output, const struct serve_device *device, uint64_t sequence);

/* Returns the time of rows: milliseconds since 1970, which never decrease. */
uint64_t rows_now_ms(void);

/* Fills in the series, scale and kind of a counter (series.c). */
void series_name(struct serve_counter *counter, const char *semantic);

#endif
