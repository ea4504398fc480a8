/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VIEW_SOURCE_PARTS_H
#define TALLY_VIEW_SOURCE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/buffer.h"
#include "capture/ring.h"
#include "recording/source.h"
#include "view/clients.h"
#include "view/evaluate.h"
#include "view/source.h"

/* Shared by source.c, live.c and replay.c. */

/* What the view has requested. The texts belong to the struct. */
struct view_requests {
    uint64_t interval_ns; /* 0: none */
    uint64_t period_ns;   /* 0: none */
    char *save;           /* NULL: none */
    char *set;            /* likewise */
};

struct view_source {
    struct view_source_settings settings;
    pthread_t thread;
    bool started;
    int wake; /* an eventfd that is readable when there are requests, or it shall stop */
    atomic_bool stopping;

    /* Shared with the view's thread. */
    pthread_mutex_t mutex;
    pthread_cond_t drained; /* the view has taken events, or it is stopping */
    struct view_event *events;
    size_t first, count, capacity;
    struct view_requests requests;
    bool paused;

    /* Of the source's thread. */
    uint64_t interval_ns;
    struct tally_pipeline_options evaluation;
    struct evaluator *evaluator;
    uint64_t end_ns; /* of the latest sample */

    /* A device. */
    uint64_t reports, missing;               /* of the latest sample */
    uint64_t reports_before, missing_before; /* of the evaluators before this one */
    struct tally_capture_options recording;
    char *set; /* the metric set that was requested, NULL: that of the settings */
    struct buffer head;
    bool has_head;
    struct buffer tail; /* the latest report, and the records after it */
    struct ring ring;
    int records_result; /* of evaluating them */
    struct tally_error records_error;
    uint64_t rc6_ns, rc6_at_ns; /* at the latest sample */
    bool has_rc6;
    double rc6;

    struct clients clients;
    size_t client_count; /* of the latest scan */
    struct view_client shown[VIEW_CLIENTS];

    /* A replay. */
    struct source file;
    bool opened;                    /* `file` is open */
    struct tally_recording *marked; /* the recording once more, for its marks; or NULL */
    uint64_t play_from_ns;          /* time of the recording at `wall_ns` of CLOCK_MONOTONIC */
    uint64_t wall_ns;
};

/* Adds an event for the view, which takes what it owns. Waits while there are many samples that the
 * view has not taken, unless the source is stopping. */
void source_post(struct view_source *source, struct view_event event);

/* Takes the requests. Free the texts. */
struct view_requests source_take_requests(struct view_source *source);

/* Makes the evaluator, whose samples are given to `on_sample` with the source. Returns 0 or an
 * errno. */
int source_begin(struct view_source *source, const char *name,
                 void (*on_sample)(void *closure, struct view_sample *sample),
                 struct tally_error *error);

/* Delivers the samples that are left, and frees the evaluator. Returns the first error. */
int source_end(struct view_source *source, struct tally_error *error);

/* Run until the end. Return 0, or an errno with a message. */
int source_run_live(struct view_source *source, struct tally_error *error);
int source_run_replay(struct view_source *source, struct tally_error *error);

#endif
