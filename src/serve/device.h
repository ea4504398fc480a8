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
#define SERVE_HISTORY     600                 /* values kept: a minute */
#define SERVE_LOSS_KINDS  (TALLY_LOSS_PACKETS + 1)
#define SERVE_NAME_MAX    160

/* A counter of a device, with the name of its time series. */
struct serve_counter {
    char *symbol, *name, *description, *units, *group;
    char series[SERVE_NAME_MAX]; /* "gpu_eu_array_eu_active_ratio", without _total */
    double scale;                /* from the counter's units to those of the series */
    bool is_total;               /* a sum over time; else the value of the latest interval */
    double value, total;         /* NaN: not defined */
};

enum serve_state { SERVE_STOPPED, SERVE_STARTING, SERVE_COUNTING, SERVE_FAILED };

struct serve_now {
    enum serve_state state;
    char file[SERVE_FILE_MAX]; /* of the recording that is being written; empty: none */
    struct tally_error error;  /* of the latest session */
    char set[128], title[96];
    bool modelled;
    uint64_t period_ns;
    uint64_t started_ns; /* CLOCK_REALTIME at the start of the session */
    uint64_t sampled_ns; /* CLOCK_MONOTONIC when the latest report was read; 0: none */
    uint64_t reports, missing, lost_deltas, bytes;
    uint64_t losses[SERVE_LOSS_KINDS]; /* records of the ledger, by kind */
    uint64_t sequence;                 /* number of the latest values, from 1; 0: none */
    uint64_t first_sequence;           /* of the session; 0: none yet */
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
    double *history; /* SERVE_HISTORY rows of values; row `sequence % SERVE_HISTORY` */
    uint64_t history_ms[SERVE_HISTORY]; /* CLOCK_REALTIME of each */
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

/* Ends the thread, finishing a recording. Leaves the capture open. */
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

/* Fills in the series, scale and kind of a counter (series.c). */
void series_name(struct serve_counter *counter, const char *semantic);

#endif
