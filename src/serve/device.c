/* SPDX-License-Identifier: MIT */
/* Counts a device in a thread: records, evaluates and shows. */
#include "serve/device.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "pipeline/pipeline.h"
#include "sink/sink.h"

/* What one session, from a start to a stop, has: all of the device's thread. */
struct session {
    struct serve_device *device;
    struct tally_pipeline *pipeline;
    struct tally_batch *batch;
    struct tally_error error; /* the first one */
    struct tally_recording_options reading;
    int file;                                                /* of the recording, or -1 */
    bool created;                                            /* there was one */
    uint64_t bytes;                                          /* in the file, of whole records */
    bool opened;                                             /* the counters are known */
    uint64_t sums[TALLY_SLOT_COUNT], part[TALLY_SLOT_COUNT]; /* of the session, of the interval */
    bool any, any_part;                                      /* deltas are in them */
    uint64_t sampled_ns, shown_ns, shown_ms;
    size_t losses;          /* entries of the ledger that are in the history */
    uint64_t lost_deltas;   /* likewise */
    uint64_t context_ticks; /* time of all deltas of the interval */
    uint64_t ticks_of[SERVE_CONTEXTS];
    struct serve_row row; /* the interval: its contexts so far */
    union tally_value *values;
};

static void keep_error(struct session *session, const struct tally_error *error)
{
    if (!session->error.code)
        session->error = *error;
}

/* Keeps the error of a recording that lacks a part, for the end of the server. */
static void keep_unwritten(struct serve_device *device, const struct tally_error *error)
{
    pthread_mutex_lock(&device->lock);
    if (!device->unwritten.code)
        device->unwritten = *error;
    pthread_mutex_unlock(&device->lock);
}

/* ---- the file ----------------------------------------------------------------------------------
 */

/* Appends records to the file. If the disk is full, the file ends with the last whole records, and
 * counting continues. */
static void write_records(struct session *session, const char *bytes, size_t size)
{
    struct tally_error error;
    size_t done = 0;
    while (session->file >= 0 && done < size) {
        ssize_t n = write(session->file, bytes + done, size - done);
        if (n > 0) {
            done += (size_t)n;
        } else if (n < 0 && errno != EINTR) {
            fail(&error, -errno, "%s: cannot write: %s", session->device->now.file,
                 strerror(errno));
            keep_error(session, &error);
            if (ftruncate(session->file, (off_t)session->bytes) < 0)
                errno = 0; /* the reader finds the last whole record */
            close(session->file);
            session->file = -1;
            keep_unwritten(session->device, &error);
        }
    }
    if (session->file >= 0)
        session->bytes += size;
}

static int take_records(void *closure, const void *records, size_t size)
{
    struct session *session = closure;
    write_records(session, records, size);
    return tally_pipeline_feed(session->pipeline, records, size);
}

/* ---- values ------------------------------------------------------------------------------------
 */

/* Describes the counters when the head of the recording has arrived. */
static int describe(struct session *session)
{
    struct serve_device *device = session->device;
    const struct tally_pipeline *pipeline = session->pipeline;
    const struct tally_capture_info *info = tally_capture_info(device->capture);
    bool made;
    session->values = calloc(pipeline->set->counter_count + 1, sizeof *session->values);
    pthread_mutex_lock(&device->lock);
    bool same = counters_are_those(device, pipeline);
    counters_free(device);
    made = counters_copy(device, pipeline) && session->values;
    snprintf(device->now.set, sizeof device->now.set, "%s", pipeline->set->symbol);
    sink_device_title(device->now.title, pipeline->info);
    device->now.modelled = info->modelled;
    device->now.period_ns = info->period_ns;
    made = made && rows_begin(device, same,
                              tally_layout_width(pipeline->info->layout, TALLY_SLOT_CONTEXT) != 0);
    pthread_mutex_unlock(&device->lock);
    session->opened = made;
    session->shown_ns = clock_ns(CLOCK_MONOTONIC);
    session->shown_ms = rows_now_ms();
    return made ? 0 : fail_memory(&session->error, "counters");
}

/* Adds the time of a delta to that of its context; beyond SERVE_CONTEXTS it is only in the sum. */
static void add_context(struct session *session, uint32_t context, uint64_t ticks)
{
    struct serve_row *row = &session->row;
    size_t i = 0;
    session->context_ticks += ticks;
    while (i < row->context_count && row->contexts[i].context != context)
        i++;
    if (i == SERVE_CONTEXTS)
        return;
    if (i == row->context_count) {
        row->contexts[row->context_count++].context = context;
        session->ticks_of[i] = 0;
    }
    session->ticks_of[i] += ticks;
}

/* Adds the deltas of a batch that can be trusted, in runs. */
static void add_batch(struct session *session)
{
    const struct tally_batch *batch = session->batch;
    for (size_t i = 0; i + 1 < batch->count; i++)
        if (batch->states[i] == TALLY_STATE_OK)
            add_context(session, batch->contexts[i], batch->gpu_ticks[i + 1] - batch->gpu_ticks[i]);
    const struct tally_layout *layout = session->pipeline->info->layout;
    for (size_t i = 0, count; i + 1 < batch->count; i += count + 1) {
        count = 0;
        while (i + count + 1 < batch->count && batch->states[i + count] == TALLY_STATE_OK)
            count++;
        if (!count)
            continue;
        tally_accumulate(layout, batch->reports + i, count, session->part);
        session->any_part = true;
    }
    session->sampled_ns = clock_ns(CLOCK_MONOTONIC);
}

static void show_totals(const struct session *session, struct serve_now *now)
{
    const struct tally_recording *recording = session->pipeline->recording;
    struct tally_recording_totals totals = tally_recording_totals(recording);
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(recording, &losses);
    now->reports = totals.reports;
    now->missing = totals.missing;
    now->lost_deltas = totals.lost_deltas;
    now->sampled_ns = session->sampled_ns;
    now->bytes = session->bytes;
    memset(now->losses, 0, sizeof now->losses);
    for (size_t i = 0; i < count; i++)
        if (losses[i].kind < SERVE_LOSS_KINDS)
            now->losses[losses[i].kind] += losses[i].records;
}

/* Evaluates sums, and returns the values in session->values; NaN if there are none. */
static double value_of(const struct session *session, size_t i, bool any)
{
    size_t counter = session->pipeline->counters[i];
    return any ? tally_value_double(session->values[counter],
                                    session->pipeline->set->counters[counter].type)
               : (double)NAN;
}

/* Adds the entries of the ledger that are new, but the last one as long as it may grow: until the
 * next report. Their times are relative to the latest report, which has just been read. */
static void add_losses(struct session *session, uint64_t now_ms)
{
    const struct tally_recording *recording = session->pipeline->recording;
    uint64_t hz = session->pipeline->info->recorded.timestamp_hz;
    uint64_t last = tally_recording_totals(recording).last_ticks;
    const struct tally_loss *losses;
    size_t count = tally_recording_losses(recording, &losses);
    for (; session->losses < count && losses[session->losses].gpu_end; session->losses++) {
        const struct tally_loss *loss = &losses[session->losses];
        uint64_t start = loss->gpu_start ? loss->gpu_start : loss->gpu_end;
        const struct serve_loss shown = {
            .sequence = session->device->now.sequence + 1,
            .kind = loss->kind,
            .records = loss->records,
            .reports = loss->estimated,
            .from_ms = (double)now_ms - (double)(last - start) * 1000 / (double)hz,
            .to_ms = (double)now_ms - (double)(last - loss->gpu_end) * 1000 / (double)hz,
            .exact = loss->exact,
        };
        rows_add_loss(session->device, &shown);
    }
}

/* Adds the row of the interval since the last one to the history. */
static void add_row(struct session *session)
{
    struct serve_row *row = &session->row;
    uint64_t lost = tally_recording_totals(session->pipeline->recording).lost_deltas;
    row->session = session->device->now.session;
    row->from_ms = session->shown_ms;
    row->to_ms = session->shown_ms = max_u64(rows_now_ms(), row->from_ms + 1);
    row->lost = (uint32_t)(lost - session->lost_deltas);
    session->lost_deltas = lost;
    for (size_t i = 0; i < row->context_count; i++)
        row->contexts[i].share = session->context_ticks
                                     ? (double)session->ticks_of[i] / (double)session->context_ticks
                                     : 0;
    add_losses(session, row->to_ms);
    rows_add(session->device, row);
    session->context_ticks = 0;
    row->context_count = 0;
}

/* Shows the values since the last call, and the totals. */
static void show(struct session *session)
{
    struct serve_device *device = session->device;
    pthread_mutex_lock(&device->lock);
    tally_program_evaluate(session->pipeline->program, session->part, session->values);
    for (size_t i = 0; i < device->counter_count; i++)
        device->counters[i].value = value_of(session, i, session->any_part);
    for (size_t slot = 0; slot < TALLY_SLOT_COUNT; slot++)
        session->sums[slot] += session->part[slot];
    session->any |= session->any_part;
    session->any_part = false;
    memset(session->part, 0, sizeof session->part);
    tally_program_evaluate(session->pipeline->program, session->sums, session->values);
    for (size_t i = 0; i < device->counter_count; i++)
        device->counters[i].overall = value_of(session, i, session->any);
    add_row(session);
    show_totals(session, &device->now);
    if (session->error.code)
        device->now.error = session->error;
    if (session->created && session->file < 0) /* it has ended early */
        device->now.file[0] = '\0';
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
    session->shown_ns = clock_ns(CLOCK_MONOTONIC);
}

/* Reads what has been fed. Returns 0 or a negative errno. */
static int evaluate(struct session *session)
{
    struct tally_error opening = {0};
    int result = pipeline_open_when_fed(session->pipeline, &opening);
    if (result == -EAGAIN)
        return 0;
    if (result < 0)
        keep_error(session, &opening);
    if (!result && !session->opened)
        result = describe(session);
    while (!result) {
        struct tally_error error;
        int read = tally_recording_read(session->pipeline->recording, session->batch, &error);
        if (read <= 0) {
            if (read < 0 && read != -EAGAIN)
                keep_error(session, &error);
            return read == -EAGAIN ? 0 : read;
        }
        add_batch(session);
    }
    return result;
}

/* ---- sessions ----------------------------------------------------------------------------------
 */

static bool is_changed(struct serve_device *device)
{
    pthread_mutex_lock(&device->lock);
    bool changed = device->change || device->quit;
    pthread_mutex_unlock(&device->lock);
    return changed;
}

static void drain_wake(const struct serve_device *device)
{
    uint64_t ignored;
    if (read(device->wake, &ignored, sizeof ignored) < 0)
        errno = 0; /* nothing to read */
}

static int open_session(struct session *session)
{
    const struct serve_settings *settings = session->device->settings;
    const struct tally_pipeline_options options = {
        .size = sizeof options,
        .metrics = settings->metrics,
        .set = NULL,
        .counters = settings->counters,
        .counter_count = settings->counter_count,
        .recording = &session->reading, /* used until the head has arrived */
    };
    session->reading =
        (struct tally_recording_options){.size = sizeof session->reading, .live = true};
    session->batch = tally_batch_new();
    if (!session->batch)
        return fail_memory(&session->error, "a batch");
    return tally_pipeline_open_fed(session->device->name, &options, &session->pipeline,
                                   &session->error);
}

/* Shows how a session started or ended. */
static void announce(struct serve_device *device, enum serve_state state,
                     const struct tally_error *error)
{
    pthread_mutex_lock(&device->lock);
    device->now.state = state;
    device->now.error = *error;
    if (state != SERVE_COUNTING) {
        device->now.file[0] = '\0';
        for (size_t i = 0; i < device->counter_count; i++) /* there is no latest interval */
            device->counters[i].value = (double)NAN;
    }
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
}

static int count(struct session *session)
{
    struct serve_device *device = session->device;
    const struct tally_capture_options options = {
        .size = sizeof options,
        .metric_set = device->settings->set,
        .metrics = device->settings->metrics,
        .period_ns = device->settings->period_ns,
        .records = take_records,
        .closure = session,
        .wake_fd = device->wake,
        .comment = ", by tally serve",
    };
    int result = tally_capture_start(device->capture, &options, &session->error);
    if (result < 0)
        return result;
    result = evaluate(session);
    if (!result)
        announce(device, SERVE_COUNTING, &session->error);
    while (!result && !is_changed(device)) {
        result = tally_capture_step(device->capture, SERVE_INTERVAL_NS / 2, &session->error);
        if (!result)
            break;
        result = result > 0 ? evaluate(session) : result;
        if (session->opened && clock_ns(CLOCK_MONOTONIC) - session->shown_ns >= SERVE_INTERVAL_NS)
            show(session);
        drain_wake(device);
    }
    struct tally_error error = {0};
    if (tally_capture_finish(device->capture, &error) < 0)
        keep_error(session, &error);
    tally_pipeline_feed(session->pipeline, NULL, 0);
    if (!result)
        result = evaluate(session);
    if (session->opened)
        show(session);
    return result;
}

static void run_session(struct serve_device *device, int file)
{
    struct session session = {.device = device, .file = file, .created = file >= 0};
    int result = open_session(&session);
    if (!result)
        result = count(&session);
    if (session.file >= 0 && close(session.file) < 0) {
        fail(&session.error, -errno, "%s: cannot write: %s", device->now.file, strerror(errno));
        keep_unwritten(device, &session.error);
    }
    if (session.created && !session.opened) /* nothing was recorded */
        unlinkat(device->folder->fd, device->now.file, 0);
    tally_pipeline_close(session.pipeline);
    tally_batch_free(session.batch);
    free(session.values);
    announce(device, result < 0 ? SERVE_FAILED : SERVE_STOPPED, &session.error);
}

/* Begins to show a session: nothing of the one before. The lock is held. */
static void clear_session(struct serve_device *device)
{
    struct serve_now *now = &device->now;
    now->state = SERVE_STARTING;
    now->started_ms = rows_now_ms();
    now->sampled_ns = 0;
    now->reports = now->missing = now->lost_deltas = now->bytes = 0;
    memset(now->losses, 0, sizeof now->losses);
    now->session++;
    for (size_t i = 0; i < device->counter_count; i++)
        device->counters[i].value = device->counters[i].overall = (double)NAN;
}

static void *run(void *closure)
{
    struct serve_device *device = closure;
    pthread_mutex_lock(&device->lock);
    while (!device->quit) {
        if (!device->change) {
            pthread_cond_wait(&device->changed, &device->lock);
            continue;
        }
        device->change = false;
        bool wanted = device->wanted;
        int file = device->wanted_fd;
        device->wanted_fd = -1;
        memcpy(device->now.file, device->wanted_file, sizeof device->now.file);
        if (wanted)
            clear_session(device);
        else
            device->now.state = SERVE_STOPPED; /* the error of the session is still shown */
        pthread_cond_broadcast(&device->changed);
        pthread_mutex_unlock(&device->lock);
        if (wanted)
            run_session(device, file);
        pthread_mutex_lock(&device->lock);
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

int live_start(struct serve_device *device, struct tally_error *error)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&device->requests, NULL);
    pthread_mutex_init(&device->lock, NULL);
    device->wanted_fd = -1;
    pthread_cond_init(&device->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    device->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    device->has_thread = device->wake >= 0 && !pthread_create(&device->thread, NULL, run, device);
    return device->has_thread ? 0
                              : fail(error, -EAGAIN, "%s: cannot create a thread", device->name);
}

static void wake(const struct serve_device *device)
{
    uint64_t one = 1;
    if (write(device->wake, &one, sizeof one) < 0)
        errno = 0; /* it is readable already */
}

/* Removes a file that the thread has not taken: the device did not answer. The lock is held. */
static void drop_wanted_file(struct serve_device *device)
{
    if (device->wanted_fd < 0)
        return;
    close(device->wanted_fd);
    unlinkat(device->folder->fd, device->wanted_file, 0);
    device->wanted_fd = -1;
}

void live_end(struct serve_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->quit = true;
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
    wake(device);
    if (device->has_thread)
        pthread_join(device->thread, NULL);
    if (device->wake >= 0)
        close(device->wake);
    drop_wanted_file(device);
    counters_free(device);
    rows_free(&device->history);
    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->requests);
}

/* ---- requests of other threads
 * ------------------------------------------------------------------- */

#define REQUEST_NS (10 * NS_PER_SECOND)

static int request(struct serve_device *device, bool wanted, const char *file, int fd,
                   struct tally_error *error)
{
    struct timespec end = timespec_of_ns(clock_ns(CLOCK_MONOTONIC) + REQUEST_NS);
    int result = 0;
    pthread_mutex_lock(&device->lock);
    uint32_t session = device->now.session;
    drop_wanted_file(device);
    device->wanted = wanted;
    device->wanted_fd = fd;
    snprintf(device->wanted_file, sizeof device->wanted_file, "%s", file);
    device->change = true;
    pthread_cond_broadcast(&device->changed);
    wake(device);
    for (;;) {
        bool done = wanted ? device->now.session != session && device->now.state != SERVE_STARTING
                           : device->now.state != SERVE_COUNTING;
        if (!device->change && done)
            break;
        if (pthread_cond_timedwait(&device->changed, &device->lock, &end)) {
            result = fail(error, -ETIMEDOUT, "%s: does not answer", device->name);
            break;
        }
    }
    if (!result && wanted && device->now.state == SERVE_FAILED) {
        *error = device->now.error;
        result = error->code;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

int live_count(struct serve_device *device, const char *file, struct tally_error *error)
{
    pthread_mutex_lock(&device->requests);
    int fd = *file ? folder_create(device->folder, file, error) : -1;
    int result = *file && fd < 0 ? fd : request(device, true, file, fd, error);
    pthread_mutex_unlock(&device->requests);
    return result;
}

int live_stop(struct serve_device *device, struct tally_error *error)
{
    pthread_mutex_lock(&device->requests);
    int result = request(device, false, "", -1, error);
    pthread_mutex_unlock(&device->requests);
    return result;
}

uint64_t live_wait(struct serve_device *device, uint64_t sequence, uint64_t timeout_ns)
{
    struct timespec end = timespec_of_ns(clock_ns(CLOCK_MONOTONIC) + timeout_ns);
    pthread_mutex_lock(&device->lock);
    while (device->now.sequence <= sequence && !device->quit)
        if (pthread_cond_timedwait(&device->changed, &device->lock, &end))
            break;
    uint64_t latest = device->now.sequence;
    pthread_mutex_unlock(&device->lock);
    return latest;
}
