/* SPDX-License-Identifier: MIT */
/* A source that records a device. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "capture/capture.h"
#include "capture/file.h"
#include "capture/residency.h"
#include "recording/format.h"
#include "view/source_parts.h"

/* ---- records --------------------------------------------------------------------------------- */

/* Sets the share of the time since the previous sample that the GPU was in RC6. */
static double rc6_share(struct view_source *source)
{
    uint64_t rc6_ns = 0, now_ns = 0;
    bool known = capture_rc6_ns(source->settings.capture, &rc6_ns, &now_ns) == 0;
    uint64_t passed_ns = now_ns - source->rc6_at_ns;
    if (!known || !source->has_rc6) {
        source->rc6 = (double)NAN;
    } else if (passed_ns < source->interval_ns / 2) {
        return source->rc6; /* of samples that arrive together, the first one's */
    } else {
        double share = (double)(rc6_ns - source->rc6_ns) / (double)passed_ns;
        source->rc6 = share < 1 ? share : 1;
    }
    source->has_rc6 = known;
    source->rc6_ns = rc6_ns;
    source->rc6_at_ns = now_ns;
    return source->rc6;
}

/* Looks for the processes that use the GPU once a second: there may be many. */
static void add_clients(struct view_source *source, struct view_sample *sample)
{
    uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    if (now_ns - source->clients.scanned_ns >= NS_PER_SECOND)
        source->client_count = clients_scan(&source->clients, "/proc", now_ns, source->shown);
    sample->client_count = source->client_count;
    memcpy(sample->clients, source->shown, sizeof sample->clients);
}

static void on_sample(void *closure, struct view_sample *sample)
{
    struct view_source *source = closure;
    source->end_ns = sample->end_ns;
    source->reports = sample->reports += source->reports_before;
    source->missing = sample->missing += source->missing_before;
    sample->rc6 = rc6_share(source);
    add_clients(source, sample);
    source_post(source, (struct view_event){.kind = VIEW_SAMPLE, .sample = sample});
}

/* Keeps the latest report, with which a delta begins that other intervals start with. Packets of
 * record mode have the previous one themselves. */
static void keep_tail(struct view_source *source, const uint8_t *records, size_t size)
{
    size_t from = size;
    for (size_t at = 0; at < size; at += record_header_load(records + at).size)
        if (record_header_load(records + at).type == TALLY_RECORD_SAMPLE)
            from = at;
    if (from < size)
        source->tail.size = 0;
    else if (source->tail.size)
        from = 0;
    buffer_append(&source->tail, records + from, size - from);
}

/* Takes the head, which comes first, and then records. */
static int take_records(void *closure, const void *records, size_t size)
{
    struct view_source *source = closure;
    if (!source->has_head) {
        source->has_head = true;
        buffer_append(&source->head, records, size);
    } else {
        keep_tail(source, records, size);
        if (source->ring.size)
            ring_put(&source->ring, records, size);
    }
    int result = source->head.broken || source->tail.broken
                     ? -ENOMEM
                     : evaluator_feed(source->evaluator, records, size, &source->records_error);
    source->records_result = result;
    return result;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static void save(struct view_source *source, char *path)
{
    struct view_event event = {.kind = VIEW_SAVED, .path = path};
    struct record_file file;
    size_t size = 0;
    uint64_t disk_bytes = faults_disk_bytes(source->settings.capture->faults);
    uint8_t *records = ring_copy(&source->ring, &size);
    int result = records ? record_file_open(&file, path, &event.error)
                         : fail_memory(&event.error, "a copy of the latest records");
    if (result < 0) {
        free(records);
        source_post(source, event);
        return;
    }
    result = record_file_begin_bytes(&file, source->head.bytes, source->head.size, disk_bytes,
                                     &event.error);
    file.expected = source->ring.reports;
    if (result == 0)
        result = record_file_append(&file, records, size, &event.error);
    event.reports = file.reports;
    record_file_close(&file, result == 0 ? &event.error : NULL);
    free(records);
    source_post(source, event);
}

/* ---- the recording --------------------------------------------------------------------------- */

static int start(struct view_source *source, struct tally_error *error)
{
    source->has_head = source->has_rc6 = false;
    source->head.size = source->tail.size = 0;
    source->ring.start = source->ring.used = 0;
    source->ring.reports = 0;
    source->ring.has_correlation = false;
    source->records_result = 0;
    source->recording.records = take_records;
    source->recording.closure = source;
    source->recording.wake_fd = source->wake;
    int result =
        source_begin(source, tally_capture_info(source->settings.capture)->name, on_sample, error);
    if (result == 0)
        result = tally_capture_start(source->settings.capture, &source->recording, error);
    if (result < 0) {
        evaluator_free(source->evaluator);
        source->evaluator = NULL;
        return result;
    }
    source->has_rc6 =
        capture_rc6_ns(source->settings.capture, &source->rc6_ns, &source->rc6_at_ns) == 0;
    source->rc6 = (double)NAN;
    return 0;
}

/* Ends the recording; its last samples are delivered. Returns the first error. */
static int finish(struct view_source *source, int result, struct tally_error *error)
{
    struct tally_error second = {0};
    int finished = tally_capture_finish(source->settings.capture, &second);
    if (source->records_result < 0) { /* the cause, where the capture's message has the errno */
        *error = source->records_error;
        return source->records_result;
    }
    if (result >= 0 && finished < 0) {
        *error = second;
        result = finished;
    }
    int ended = source_end(source, &second);
    if (result >= 0 && ended < 0) {
        *error = second;
        result = ended;
    }
    return result;
}

/* Evaluates from now on by other intervals: the head, the latest report, and what follows. */
static int change_interval(struct view_source *source, uint64_t interval_ns,
                           struct tally_error *error)
{
    source->interval_ns = interval_ns;
    int result = source_end(source, error);
    if (result == 0)
        result = source_begin(source, tally_capture_info(source->settings.capture)->name, on_sample,
                              error);
    if (result == 0)
        result = evaluator_feed(source->evaluator, source->head.bytes, source->head.size, error);
    if (result == 0)
        result = evaluator_feed(source->evaluator, source->tail.bytes, source->tail.size, error);
    if (result == 0) { /* which the evaluator before has counted */
        struct tally_recording_totals again = evaluator_totals(source->evaluator);
        source->reports_before -= again.reports;
        source->missing_before -= again.missing;
    }
    return result;
}

/* Records from now on with another period. If that fails, as before. */
static int change_period(struct view_source *source, uint64_t period_ns, struct tally_error *error)
{
    struct view_event kept = {.kind = VIEW_KEPT};
    uint64_t before_ns = source->recording.period_ns;
    int result = finish(source, 0, error);
    if (result < 0)
        return result;
    source->recording.period_ns = period_ns;
    if (start(source, &kept.error) == 0)
        return 0;
    source->recording.period_ns = before_ns;
    source_post(source, kept);
    return start(source, error);
}

/* Records from now on another metric set, whose symbol the source then owns. If that fails, the
 * former one. */
static int change_set(struct view_source *source, char *symbol, struct tally_error *error)
{
    struct view_event kept = {.kind = VIEW_KEPT};
    const char *before = source->recording.metric_set;
    char *set = source->set;
    int result = finish(source, 0, error);
    if (result < 0) {
        free(symbol);
        return result;
    }
    source->set = symbol;
    source->recording.metric_set = symbol;
    if (start(source, &kept.error) == 0) {
        free(set);
        return 0;
    }
    free(symbol);
    source->set = set;
    source->recording.metric_set = before;
    source_post(source, kept);
    return start(source, error);
}

static int handle_requests(struct view_source *source, struct tally_error *error)
{
    struct view_requests requests = source_take_requests(source);
    int result = 0;
    if (requests.save)
        save(source, requests.save); /* which is the event's now */
    if (requests.interval_ns && requests.interval_ns != source->interval_ns)
        result = change_interval(source, requests.interval_ns, error);
    if (result == 0 && requests.period_ns)
        result = change_period(source, requests.period_ns, error);
    if (result == 0 && requests.set)
        result = change_set(source, requests.set, error);
    else
        free(requests.set);
    return result;
}

int source_run_live(struct view_source *source, struct tally_error *error)
{
    source->recording = *source->settings.recording;
    clients_start(&source->clients, tally_capture_info(source->settings.capture)->name);
    int result = start(source, error);
    if (result < 0)
        return result;
    do {
        if (atomic_load(&source->stopping))
            tally_capture_stop(source->settings.capture);
        result = tally_capture_step(source->settings.capture, UINT64_MAX, error);
        int handled = result > 0 ? handle_requests(source, error) : 0;
        result = handled < 0 ? handled : result;
    } while (result > 0);
    return source->evaluator ? finish(source, result, error) : result;
}
