/* SPDX-License-Identifier: MIT */
#include "view/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/error.h"

/* ---- signals --------------------------------------------------------------------------------- */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction before[ARRAY_COUNT(ending)];
static int interrupt = -1; /* an eventfd, readable after one of the signals */

static void on_signal(int number)
{
    uint64_t one = 1;
    int kept = errno;
    (void)number;
    ssize_t written = write(interrupt, &one, sizeof one);
    (void)written; /* the counter is full: it is readable already */
    errno = kept;
}

static int catch_signals(struct tally_error *error)
{
    struct sigaction action = {.sa_handler = on_signal};
    interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (interrupt < 0)
        return fail(error, -errno, "eventfd: %s", strerror(errno));
    signal(SIGXFSZ, SIG_IGN); /* write(2) returns EFBIG instead */
    for (size_t i = 0; i < ARRAY_COUNT(ending); i++)
        sigaction(ending[i], &action, &before[i]);
    return 0;
}

static void restore_signals(void)
{
    if (interrupt < 0)
        return;
    for (size_t i = 0; i < ARRAY_COUNT(ending); i++)
        sigaction(ending[i], &before[i], NULL);
    close(interrupt);
    interrupt = -1;
}

/* ---- start and end --------------------------------------------------------------------------- */

static const char *name_of(const struct view_source_settings *source)
{
    return source->capture ? tally_capture_info(source->capture)->name : source->path;
}

int loop_start(struct loop *loop, const struct top_settings *settings, struct top_result *result,
               struct tally_error *error)
{
    *loop = (struct loop){.settings = settings, .result = result};
    loop->events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int code = loop->events < 0 ? fail(error, -errno, "eventfd: %s", strerror(errno))
                                : catch_signals(error);
    for (size_t i = 0; i < settings->source_count && code == 0; i++) {
        struct view_source_settings *source = &loop->source_settings[i];
        *source = settings->sources[i];
        source->notify = loop->events;
        if (model_add_device(&loop->model, name_of(source)) < 0)
            code = fail_memory(error, "a view");
        if (code == 0)
            code = view_source_start(source, &loop->sources[i], error);
    }
    return code;
}

static void note_loss(struct loop *loop, const struct view_sample *sample)
{
    loop->result->lost |= sample->lost || sample->missing;
}

static void note_saved(struct loop *loop, const struct view_event *event)
{
    struct top_result *result = loop->result;
    if (result->note_count == TOP_NOTES_MAX)
        return;
    struct top_note *note = &result->notes[result->note_count++];
    *note = (struct top_note){.reports = event->reports, .error = event->error};
    snprintf(note->path, sizeof note->path, "%s", event->path);
}

static void end_device(struct loop *loop, size_t at, const struct tally_error *error)
{
    loop->model.devices[at].ended = true;
    loop->model.devices[at].error = *error;
    if (error->code)
        loop->result->errors[loop->result->error_count++] = *error;
}

/* Applies an event to the model, which takes what the event owns. */
static bool apply(struct loop *loop, size_t at, struct view_event *event, loop_sample *on_sample,
                  void *closure)
{
    bool go_on = true;
    switch (event->kind) {
    case VIEW_INFO:
        model_info(&loop->model, at, event->info);
        event->info = NULL;
        break;
    case VIEW_SAMPLE:
        note_loss(loop, event->sample);
        go_on = !on_sample || on_sample(closure, at, event->sample);
        model_sample(&loop->model, at, event->sample, clock_ns(CLOCK_MONOTONIC));
        event->sample = NULL;
        break;
    case VIEW_SAVED:
        note_saved(loop, event);
        if (event->error.code)
            model_message(&loop->model, true, "%s", event->error.message);
        else
            model_message(&loop->model, false, "saved the latest %llu reports to %s",
                          (unsigned long long)event->reports, event->path);
        break;
    case VIEW_KEPT:
        model_message(&loop->model, true, "%s", event->error.message);
        break;
    case VIEW_ENDED:
        end_device(loop, at, &event->error);
        break;
    }
    view_event_fini(event);
    return go_on;
}

/* Applies the events of all sources. */
static bool take_events(struct loop *loop, loop_sample *on_sample, void *closure)
{
    bool go_on = true;
    for (size_t i = 0; i < loop->model.device_count; i++) {
        struct view_event event;
        while (go_on && loop->sources[i] && view_source_next(loop->sources[i], &event))
            go_on = apply(loop, i, &event, on_sample, closure);
    }
    return go_on;
}

void loop_end(struct loop *loop)
{
    for (size_t i = 0; i < loop->model.device_count; i++)
        if (loop->sources[i])
            view_source_stop(loop->sources[i]);
    /* What was requested before is still done: a file that is being saved. */
    for (size_t i = 0; i < loop->model.device_count; i++) {
        struct pollfd fd = {.fd = loop->events, .events = POLLIN};
        while (loop->sources[i] && !loop->model.devices[i].ended) {
            uint64_t count;
            take_events(loop, NULL, NULL);
            if (!loop->model.devices[i].ended && poll(&fd, 1, 1000) > 0 &&
                read(loop->events, &count, sizeof count) < 0)
                break;
        }
    }
    for (size_t i = 0; i < loop->model.device_count; i++)
        view_source_free(loop->sources[i]);
    if (loop->events >= 0)
        close(loop->events);
    restore_signals();
    model_fini(&loop->model);
}

/* ---- waiting --------------------------------------------------------------------------------- */

static bool has_ended(const struct loop *loop)
{
    bool ended = true;
    for (size_t i = 0; i < loop->model.device_count; i++)
        ended &= loop->model.devices[i].ended;
    return ended;
}

/* A recording that has ended stays on the screen; devices do not. */
static bool has_device(const struct loop *loop)
{
    return loop->settings->sources[0].capture != NULL;
}

bool loop_wait(struct loop *loop, bool keyboard, int timeout_ms, loop_sample *on_sample,
               void *closure)
{
    struct pollfd fds[] = {{.fd = interrupt, .events = POLLIN},
                           {.fd = loop->events, .events = POLLIN},
                           {.fd = keyboard ? STDIN_FILENO : -1, .events = POLLIN}};
    uint64_t count;
    if (poll(fds, ARRAY_COUNT(fds), timeout_ms) < 0)
        return errno == EINTR || errno == EAGAIN; /* SIGWINCH: the size has changed */
    if (fds[0].revents || (fds[2].revents & (POLLHUP | POLLERR | POLLNVAL)))
        return false;
    if (fds[1].revents && read(loop->events, &count, sizeof count) < 0 && errno != EAGAIN)
        return false;
    if (!take_events(loop, on_sample, closure))
        return false;
    return !has_ended(loop) || (keyboard && !has_device(loop));
}
