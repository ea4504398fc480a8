/* SPDX-License-Identifier: MIT */
/* The public interface of the sinks. */
#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/options.h"
#include "base/ratio.h"
#include "sink/write.h"

struct tally_sink {
    struct writing writing;
};

int tally_sink_open(const char *path, const char *format, const struct tally_sink_options *options,
                    struct tally_sink **out, struct tally_error *error)
{
    struct tally_sink_options taken;
    int result = options_copy(&taken, sizeof taken, options, "tally_sink_options", error);
    if (result < 0)
        return result;
    const struct sink *found = sink_choose(format, 0, error);
    if (!found)
        return -ENOENT;
    struct tally_error open_error = {0};
    struct tally_sink *sink = malloc(sizeof *sink);
    if (!sink)
        return fail_memory(error, "a sink");
    sink->writing = (struct writing){
        .output =
            found->whole ? output_open_whole(path, &open_error) : output_open(path, &open_error),
        .sink = found,
        .flush = taken.flush,
    };
    if (!sink->writing.output) {
        free(sink);
        if (error)
            *error = open_error;
        return open_error.code;
    }
    *out = sink;
    return 0;
}

/* Checks that the pipeline has not been read yet and that the format supports `renders`. */
static int check(const struct tally_sink *sink, const struct tally_pipeline *pipeline,
                 unsigned renders, struct tally_error *error)
{
    if (pipeline && (pipeline->feed.on || pipeline->is_read))
        return fail(error, -EINVAL, "a pipeline that %s cannot be written",
                    pipeline->feed.on ? "is fed" : "has been read");
    return sink_choose(sink->writing.sink->name, renders, error) ? 0 : -EINVAL;
}

/* Returns the result of a write_...(); an error of the output replaces *error. */
static int result_of(const struct tally_sink *sink, int result, struct tally_error *error)
{
    if (sink->writing.output->error.code)
        *error = sink->writing.output->error;
    return result;
}

int tally_sink_groups(struct tally_sink *sink, struct tally_pipeline *pipeline,
                      enum tally_group_by by, uint64_t interval_ns, struct tally_error *error)
{
    struct tally_error ignored;
    error = error ? error : &ignored;
    int result = check(sink, pipeline, TALLY_RENDER_GROUPS, error);
    if (result < 0)
        return result;
    uint64_t hz = pipeline->info->recorded.timestamp_hz;
    uint64_t ticks = scale_u64(interval_ns, hz, NS_PER_SECOND);
    if (by == TALLY_BY_INTERVAL && !ticks)
        return fail(error, -EINVAL, "an interval of %llu ns is shorter than a timestamp tick",
                    (unsigned long long)interval_ns);
    return result_of(sink, write_groups(&sink->writing, pipeline, by, ticks, error), error);
}

int tally_sink_deltas(struct tally_sink *sink, struct tally_pipeline *pipeline,
                      struct tally_error *error)
{
    struct tally_error ignored;
    error = error ? error : &ignored;
    int result = check(sink, pipeline, TALLY_RENDER_DELTAS, error);
    return result < 0 ? result
                      : result_of(sink, write_deltas(&sink->writing, pipeline, error), error);
}

int tally_sink_packets(struct tally_sink *sink, struct tally_packets *packets,
                       struct tally_error *error)
{
    struct tally_error ignored;
    const struct plain_input input = {.source = source_of_packets(packets)};
    error = error ? error : &ignored;
    int result = check(sink, NULL, TALLY_RENDER_PACKETS, error);
    return result < 0 ? result
                      : result_of(sink, write_packets(&sink->writing, &input, error), error);
}

int tally_sink_close(struct tally_sink *sink, struct tally_error *error)
{
    int result = sink ? output_close(sink->writing.output, error) : 0;
    free(sink);
    return result;
}
