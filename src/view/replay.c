/* SPDX-License-Identifier: MIT */
/* A source that replays a recording. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "view/source_parts.h"

#define READ_BYTES (64u << 10)

/* Waits for requests, at most `timeout_ns`. */
static void wait_for_requests(struct view_source *source, uint64_t timeout_ns)
{
    struct pollfd fd = {.fd = source->wake, .events = POLLIN};
    struct timespec timeout = timespec_of_ns(timeout_ns);
    ppoll(&fd, 1, timeout_ns == UINT64_MAX ? NULL : &timeout, NULL);
    struct view_requests requests = source_take_requests(source);
    free(requests.save); /* a recording is in a file already */
    free(requests.set);  /* and has its set */
}

static bool is_paused(struct view_source *source)
{
    pthread_mutex_lock(&source->mutex);
    bool paused = source->paused;
    pthread_mutex_unlock(&source->mutex);
    return paused;
}

/* Waits until the replay reaches a time of the recording. */
static void wait_until(struct view_source *source, uint64_t time_ns)
{
    double speed = source->settings.speed;
    if (!source->wall_ns)
        source->wall_ns = clock_ns(CLOCK_MONOTONIC);
    while (!atomic_load(&source->stopping)) {
        uint64_t now = clock_ns(CLOCK_MONOTONIC);
        if (is_paused(source)) {
            source->play_from_ns += (uint64_t)((double)(now - source->wall_ns) * speed);
            wait_for_requests(source, UINT64_MAX);
            source->wall_ns = clock_ns(CLOCK_MONOTONIC);
            continue;
        }
        double left_ns = (double)time_ns - (double)source->play_from_ns -
                         (double)(now - source->wall_ns) * speed;
        if (left_ns <= 0)
            return;
        wait_for_requests(source, (uint64_t)(left_ns / speed) + 1);
    }
}

static void on_sample(void *closure, struct view_sample *sample)
{
    struct view_source *source = closure;
    source->end_ns = sample->end_ns;
    if (source->settings.speed > 0)
        wait_until(source, sample->end_ns);
    source_post(source, (struct view_event){.kind = VIEW_SAMPLE, .sample = sample});
}

/* Waits until a pipe has data, or the source shall stop. */
static void wait_for_input(struct view_source *source)
{
    struct pollfd fds[] = {{.fd = source->file.fd, .events = POLLIN},
                           {.fd = source->wake, .events = POLLIN}};
    if (source->file.file.calls) /* never waits */
        return;
    while (!atomic_load(&source->stopping) && poll(fds, 2, -1) >= 0 && !fds[0].revents)
        wait_for_requests(source, 0);
}

int source_run_replay(struct view_source *source, struct tally_error *error)
{
    const char *path = source->settings.path;
    struct tally_error none; /* what is wrong is found when the reports are read */
    if (strcmp(path, "-") != 0)
        tally_recording_open(path, source->settings.evaluation->recording, &source->marked, &none);
    ptrdiff_t got = 0;
    char *bytes = malloc(READ_BYTES);
    int result =
        bytes ? source_begin(source, path, on_sample, error) : fail_memory(error, "a recording");
    while (result == 0 && !atomic_load(&source->stopping)) {
        wait_for_input(source);
        if (atomic_load(&source->stopping))
            break;
        got = source_read(&source->file, bytes, READ_BYTES);
        if (got < 0)
            result = fail(error, (int)got, "%s: %s", path, source_reason(&source->file, (int)-got));
        if (got <= 0)
            break;
        result = evaluator_feed(source->evaluator, bytes, (size_t)got, error);
    }
    free(bytes);
    if (result < 0 || atomic_load(&source->stopping))
        return result;
    return source_end(source, error);
}
