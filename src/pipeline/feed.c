/* SPDX-License-Identifier: MIT */
/* Streams fed to a pipeline by the caller or by a device that is being recorded. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/options.h"
#include "pipeline/pipeline.h"

static int feed_append(struct feed *feed, const void *bytes, size_t size)
{
    buffer_append(&feed->bytes, bytes, size);
    return feed->bytes.broken ? -ENOMEM : 0;
}

/* Discards the bytes that have been read. */
static void feed_drop(struct feed *feed)
{
    if (feed->at)
        memmove(feed->bytes.bytes, feed->bytes.bytes + feed->at, feed->bytes.size - feed->at);
    feed->bytes.size -= feed->at;
    feed->at = 0;
}

int tally_pipeline_open_fed(const char *name, const struct tally_pipeline_options *options,
                            struct tally_pipeline **out, struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    int result = pipeline_new(options, &pipeline, error);
    if (result < 0)
        return result;
    pipeline->called = pipeline->feed.on = true;
    if (!(pipeline->name = strdup(name)))
        result = fail_memory(error, "a pipeline");
    return pipeline_finish_open(pipeline, result, out);
}

int tally_pipeline_feed(struct tally_pipeline *pipeline, const void *bytes, size_t size)
{
    struct feed *feed = &pipeline->feed;
    if (!feed->on || feed->ended)
        return -EINVAL;
    if (feed->opened)
        feed_drop(feed);
    feed->ended = size == 0;
    return size ? feed_append(feed, bytes, size) : 0;
}

static ptrdiff_t read_feed(void *closure, void *to, size_t size)
{
    struct feed *feed = closure;
    size_t left = feed->bytes.size - feed->at;
    if (!left)
        return feed->ended ? 0 : -EAGAIN;
    if (size > left)
        size = left;
    memcpy(to, feed->bytes.bytes + feed->at, size);
    feed->at += size;
    return (ptrdiff_t)size;
}

int pipeline_open_when_fed(struct tally_pipeline *pipeline, struct tally_error *error)
{
    struct feed *feed = &pipeline->feed;
    if (!feed->on || feed->opened)
        return 0;
    feed->at = 0; /* retry from the start with more bytes */
    int result = tally_recording_open_stream(
        read_feed, feed, pipeline->name, pipeline->options.recording, &pipeline->recording, error);
    if (result == -EAGAIN)
        return result;
    feed->opened = true;
    return pipeline_open_rest(pipeline, result, error);
}

/* ---- devices --------------------------------------------------------------------------------- */

static int take_records(void *closure, const void *records, size_t size)
{
    return feed_append(closure, records, size);
}

/* Finishes the capture, which delivers its last records, and ends the stream. */
static int end_capture(struct feed *feed, int result)
{
    int finished = tally_capture_finish(feed->capture, result < 0 ? NULL : &feed->error);
    feed->ended = true;
    return result < 0 ? result : finished;
}

static ptrdiff_t read_capture(void *closure, void *to, size_t size)
{
    struct feed *feed = closure;
    feed_drop(feed);
    while (!feed->ended && feed->at == feed->bytes.size) {
        int result = tally_capture_step(feed->capture, UINT64_MAX, &feed->error);
        if (result <= 0)
            result = end_capture(feed, result);
        if (result < 0)
            return result;
    }
    return read_feed(feed, to, size);
}

int tally_pipeline_open_capture(struct tally_capture *capture,
                                const struct tally_capture_options *recording,
                                const struct tally_pipeline_options *options,
                                struct tally_pipeline **out, struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    struct tally_capture_options taken;
    int result = options_copy(&taken, sizeof taken, recording, "tally_capture_options", error);
    if (!result && (taken.output || taken.records || taken.ring_bytes || taken.closure))
        result = fail(error, -EINVAL,
                      "capture options of a pipeline: output, records, ring_bytes and closure "
                      "must be zero");
    if (!result)
        result = pipeline_new(options, &pipeline, error);
    if (result < 0)
        return result;
    struct feed *feed = &pipeline->feed;
    pipeline->called = true;
    taken.records = take_records;
    taken.closure = feed;
    result = tally_capture_start(capture, &taken, error);
    if (!result) {
        feed->capture = capture;
        result =
            tally_recording_open_stream(read_capture, feed, tally_capture_info(capture)->name,
                                        pipeline->options.recording, &pipeline->recording, error);
        if (result < 0 && feed->error.code && error)
            *error = feed->error;
    }
    return pipeline_finish_open(pipeline, pipeline_open_rest(pipeline, result, error), out);
}

void feed_fini(struct feed *feed)
{
    if (feed->capture && !feed->ended)
        tally_capture_finish(feed->capture, NULL);
    buffer_fini(&feed->bytes);
}
