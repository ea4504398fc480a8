/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_SOURCE_H
#define TALLY_VIEW_SOURCE_H

#include <tally/capture.h>
#include <tally/pipeline.h>

#include "view/sample.h"

/*
 * A source of samples: a device that is recorded, or a recording that is replayed, in a thread of
 * its own, so that a view stays responsive whatever the device does. The functions belong to the
 * thread of the view.
 */

/* Limits of the interval of samples, and its default. */
#define VIEW_INTERVAL_MIN_NS     UINT64_C(50000000)
#define VIEW_INTERVAL_MAX_NS     UINT64_C(10000000000)
#define VIEW_INTERVAL_DEFAULT_NS UINT64_C(500000000)

struct view_source_settings {
    /* A device, which the caller closes after the source, with the options for recording it
     * (`output`, `records`, `ring_bytes`, `wake_fd` and `closure` are the source's); or NULL: */
    struct tally_capture *capture;
    const struct tally_capture_options *recording;
    const char *path; /* a recording; "-": standard input */

    const struct tally_pipeline_options *evaluation;
    uint64_t interval_ns; /* of samples */
    double speed;         /* of a replay; 0: as fast as possible */
    uint64_t ring_bytes;  /* latest records to keep for view_source_save(); 0: none */
    int notify;           /* an eventfd, written when there is an event */
};

enum view_event_kind {
    VIEW_INFO,   /* a stream has begun; its samples follow */
    VIEW_SAMPLE, /* a sample */
    VIEW_SAVED,  /* view_source_save() has written a file, or failed: error.code */
    VIEW_KEPT,   /* a change of period or metric set has failed: the former one is kept */
    VIEW_ENDED   /* the last event: the end of the recording, or error.code */
};

struct view_event {
    enum view_event_kind kind;
    struct view_device_info *info; /* the receiver's */
    struct view_sample *sample;    /* the receiver's */
    char *path;                    /* of VIEW_SAVED; the receiver's */
    uint64_t reports;              /* in the file */
    struct tally_error error;
};

struct view_source;

/* Starts the thread. The settings and what they point to must outlive the source. Returns 0, or an
 * errno with a message: the recording cannot be opened, or no thread can be started. Errors of the
 * device are events. */
int view_source_start(const struct view_source_settings *settings, struct view_source **out,
                      struct tally_error *error);

/* Gets the next event. Returns false if there is none at present. */
bool view_source_next(struct view_source *source, struct view_event *event);

/* Frees what an event owns. */
void view_event_fini(struct view_event *event);

/* Requests: other intervals or another period of the reports of a device; another metric set, by
 * its symbol; a file of its latest records (false: the one before has not been begun, or out of
 * memory); to pause or continue a replay. */
void view_source_set_interval(struct view_source *source, uint64_t interval_ns);
void view_source_set_period(struct view_source *source, uint64_t period_ns);
bool view_source_set_metrics(struct view_source *source, const char *symbol);
bool view_source_save(struct view_source *source, const char *path);
void view_source_pause(struct view_source *source, bool paused);

/* Ends the recording or replay: VIEW_ENDED follows. May be called from a signal handler. */
void view_source_stop(struct view_source *source);

/* Stops the thread, waits for it and frees the source; accepts NULL. */
void view_source_free(struct view_source *source);

#endif
