/* SPDX-License-Identifier: MIT */
/* The thread of a source, and what it shares with the view's. */
#include "view/source.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/error.h"
#include "view/source_parts.h"

/* Samples that the view has not taken; then the source waits. */
#define EVENTS_MAX 256

static void notify(int fd)
{
    uint64_t one = 1;
    int before = errno; /* a signal handler must not change it */
    if (fd >= 0 && write(fd, &one, sizeof one) < 0)
        errno = before; /* the counter is full, so it is readable already */
    errno = before;
}

/* ---- events ---------------------------------------------------------------------------------- */

void view_event_fini(struct view_event *event)
{
    view_device_info_free(event->info);
    free(event->sample);
    free(event->path);
    *event = (struct view_event){0};
}

void source_post(struct view_source *source, struct view_event event)
{
    pthread_mutex_lock(&source->mutex);
    while (event.kind == VIEW_SAMPLE && source->count >= EVENTS_MAX &&
           !atomic_load(&source->stopping))
        pthread_cond_wait(&source->drained, &source->mutex);
    if (source->first && source->first + source->count == source->capacity) {
        memmove(source->events, source->events + source->first,
                source->count * sizeof source->events[0]);
        source->first = 0;
    }
    struct view_event *events = array_grow(source->events, &source->capacity,
                                           source->first + source->count, sizeof *events);
    if (events) {
        source->events = events;
        events[source->first + source->count++] = event;
    }
    pthread_mutex_unlock(&source->mutex);
    if (!events)
        view_event_fini(&event);
    notify(source->settings.notify);
}

bool view_source_next(struct view_source *source, struct view_event *event)
{
    pthread_mutex_lock(&source->mutex);
    bool found = source->count != 0;
    if (found) {
        *event = source->events[source->first++];
        source->first = --source->count ? source->first : 0;
        pthread_cond_signal(&source->drained);
    }
    pthread_mutex_unlock(&source->mutex);
    return found;
}

/* ---- requests -------------------------------------------------------------------------------- */

struct view_requests source_take_requests(struct view_source *source)
{
    uint64_t count;
    pthread_mutex_lock(&source->mutex);
    struct view_requests taken = source->requests;
    source->requests = (struct view_requests){0};
    if (!atomic_load(&source->stopping)) {
        ssize_t got = read(source->wake, &count, sizeof count);
        (void)got; /* EAGAIN: nothing was written since */
    }
    pthread_mutex_unlock(&source->mutex);
    return taken;
}

static void request_number(struct view_source *source, uint64_t *number, uint64_t value)
{
    pthread_mutex_lock(&source->mutex);
    *number = value;
    pthread_mutex_unlock(&source->mutex);
    notify(source->wake);
}

void view_source_set_interval(struct view_source *source, uint64_t interval_ns)
{
    request_number(source, &source->requests.interval_ns, interval_ns);
}

void view_source_set_period(struct view_source *source, uint64_t period_ns)
{
    request_number(source, &source->requests.period_ns, period_ns);
}

static bool request_text(struct view_source *source, char **request, const char *text)
{
    pthread_mutex_lock(&source->mutex);
    bool taken = !*request && (*request = strdup(text));
    pthread_mutex_unlock(&source->mutex);
    notify(source->wake);
    return taken;
}

bool view_source_set_metrics(struct view_source *source, const char *symbol)
{
    return request_text(source, &source->requests.set, symbol);
}

bool view_source_save(struct view_source *source, const char *path)
{
    return request_text(source, &source->requests.save, path);
}

void view_source_pause(struct view_source *source, bool paused)
{
    pthread_mutex_lock(&source->mutex);
    source->paused = paused;
    pthread_mutex_unlock(&source->mutex);
    notify(source->wake);
}

void view_source_stop(struct view_source *source)
{
    atomic_store(&source->stopping, true);
    notify(source->wake);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static void on_info(void *closure, struct view_device_info *info)
{
    source_post(closure, (struct view_event){.kind = VIEW_INFO, .info = info});
}

/* Returns the marks of a recording that has sections. */
static const struct tally_recorded_marks *source_marks(const struct view_source *source)
{
    const struct tally_recorded_marks *marks =
        source->marked ? tally_recording_info(source->marked)->marks : NULL;
    return marks && marks->sections ? marks : NULL;
}

int source_begin(struct view_source *source, const char *name,
                 void (*on_sample)(void *closure, struct view_sample *sample),
                 struct tally_error *error)
{
    source->evaluation = *source->settings.evaluation;
    source->evaluation.interval_ns = source->interval_ns;
    if (source->set) /* the counters that were chosen are those of another set */
        source->evaluation.counter_count = 0;
    source->reports_before = source->reports;
    source->missing_before = source->missing;
    const struct evaluator_settings settings = {.name = name,
                                                .is_recorded = !source->settings.capture,
                                                .options = &source->evaluation,
                                                .origin_ns = source->end_ns,
                                                .marks = source_marks(source),
                                                .on_info = on_info,
                                                .on_sample = on_sample,
                                                .closure = source};
    return evaluator_new(&settings, &source->evaluator, error);
}

int source_end(struct view_source *source, struct tally_error *error)
{
    int result = evaluator_feed(source->evaluator, NULL, 0, error);
    evaluator_free(source->evaluator);
    source->evaluator = NULL;
    return result;
}

/* ---- the thread ------------------------------------------------------------------------------ */

static void *run(void *closure)
{
    struct view_source *source = closure;
    struct view_event end = {.kind = VIEW_ENDED};
    int result = source->settings.capture ? source_run_live(source, &end.error)
                                          : source_run_replay(source, &end.error);
    if (result >= 0)
        end.error.code = 0;
    evaluator_free(source->evaluator);
    source->evaluator = NULL;
    source_post(source, end);
    return NULL;
}

static int open_recording(struct view_source *source, struct tally_error *error)
{
    int result = source_open(&source->file, source->settings.path, false, error);
    source->opened = result == 0;
    return result;
}

/* Starts the thread without any signal: the view's handles them. */
static int start_thread(struct view_source *source, struct tally_error *error)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int code = pthread_create(&source->thread, NULL, run, source);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    source->started = code == 0;
    return code ? fail(error, -code, "a thread: %s", strerror(code)) : 0;
}

int view_source_start(const struct view_source_settings *settings, struct view_source **out,
                      struct tally_error *error)
{
    struct view_source *source = calloc(1, sizeof *source);
    if (!source)
        return fail_memory(error, "a view");
    source->settings = *settings;
    source->interval_ns = settings->interval_ns;
    pthread_mutex_init(&source->mutex, NULL);
    pthread_cond_init(&source->drained, NULL);
    source->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int result = source->wake < 0 ? fail(error, -errno, "eventfd: %s", strerror(errno)) : 0;
    if (result == 0 && settings->ring_bytes && ring_init(&source->ring, settings->ring_bytes) < 0)
        result = fail_memory(error, "the latest records");
    if (result == 0 && !settings->capture)
        result = open_recording(source, error);
    if (result == 0)
        result = start_thread(source, error);
    if (result < 0)
        view_source_free(source);
    else
        *out = source;
    return result;
}

void view_source_free(struct view_source *source)
{
    struct view_event event;
    if (!source)
        return;
    if (source->started) {
        view_source_stop(source);
        pthread_mutex_lock(&source->mutex);
        pthread_cond_broadcast(&source->drained);
        pthread_mutex_unlock(&source->mutex);
        pthread_join(source->thread, NULL);
    }
    while (view_source_next(source, &event))
        view_event_fini(&event);
    if (source->wake >= 0)
        close(source->wake);
    tally_recording_close(source->marked);
    if (source->opened)
        source_close(&source->file);
    pthread_mutex_destroy(&source->mutex);
    pthread_cond_destroy(&source->drained);
    free(source->events);
    free(source->requests.save);
    free(source->requests.set);
    free(source->set);
    buffer_fini(&source->head);
    buffer_fini(&source->tail);
    ring_fini(&source->ring);
    free(source);
}
