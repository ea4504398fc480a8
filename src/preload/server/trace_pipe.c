/* SPDX-License-Identifier: MIT */
#include "preload/server/trace_pipe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "preload/server/trace_log.h"

#define ALL (-1) /* processors */

struct trace_pipe {
    bool raw, has_read;
    int processor;
    struct buffer rest; /* what was taken, and not read yet, */
    size_t rest_at;     /* from here on */
};

int trace_pipe_new(const char *name, struct trace_pipe **out)
{
    int processor = ALL, used = 0;
    bool raw = false;
    if (strcmp(name, "/trace_pipe") != 0) {
        if (sscanf(name, "/per_cpu/cpu%d/trace_pipe%n", &processor, &used) != 1 || !used)
            return -ENOENT;
        raw = !strcmp(name + used, "_raw");
        if (!raw && name[used])
            return -ENOENT;
    }
    struct trace_pipe *pipe = calloc(1, sizeof *pipe);
    if (!pipe)
        return -ENOMEM;
    pipe->raw = raw;
    pipe->processor = processor;
    *out = pipe;
    return 0;
}

void trace_pipe_free(struct trace_pipe *pipe)
{
    if (pipe)
        buffer_fini(&pipe->rest);
    free(pipe);
}

static bool is_empty(const struct trace_pipe *pipe, const struct trace_log *log)
{
    return pipe->processor > 0 || trace_ring_is_empty(&log->ring);
}

/* Whether there are events, on this part of the pages, or a rest. */
static bool has_events(const struct trace_pipe *pipe, const struct trace_log *log, unsigned percent)
{
    return pipe->rest_at < pipe->rest.size ||
           (!is_empty(pipe, log) && trace_ring_is_filled(&log->ring, percent));
}

bool trace_pipe_polls(const struct trace_pipe *pipe, const struct trace_log *log)
{
    return has_events(pipe, log, pipe->processor == ALL ? 0 : log->percent);
}

bool trace_pipe_ends(const struct trace_pipe *pipe, const struct trace_log *log, bool pages)
{
    return log->stopped && (pipe->raw ? pages : pipe->has_read);
}

bool trace_pipe_continues(const struct trace_pipe *pipe, const struct trace_log *log, bool pages)
{
    if (trace_pipe_ends(pipe, log, pages))
        return true;
    if (pipe->raw && pages)
        return !is_empty(pipe, log) && trace_ring_has_page(&log->ring) &&
               trace_ring_is_filled(&log->ring, log->percent);
    return has_events(pipe, log, 0);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Takes lines, of a page at most. */
static void take_lines(struct trace_pipe *pipe, struct trace_log *log, uint64_t bytes)
{
    struct trace_item item;
    uint64_t missed;
    bytes = min_u64(bytes, TRACE_PAGE_BYTES - 1);
    while (pipe->rest.size < bytes && trace_ring_take(&log->ring, &item, &missed)) {
        if (missed)
            buffer_printf(&pipe->rest, "CPU:0 [LOST %" PRIu64 " EVENTS]\n", missed);
        trace_log_line(log, &item, &pipe->rest);
        pipe->has_read = true;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

static void take_page(struct trace_pipe *pipe, struct trace_log *log, bool full)
{
    uint8_t page[TRACE_PAGE_BYTES];
    if (trace_ring_take_page(&log->ring, full, page))
        buffer_append(&pipe->rest, page, sizeof page);
}

static int64_t read_pages(struct trace_log *log, uint64_t bytes, struct buffer *out)
{
    uint8_t page[TRACE_PAGE_BYTES];
    size_t before = out->size;
    if (bytes < sizeof page)
        return -EINVAL;
    while (out->size - before + sizeof page <= bytes &&
           trace_ring_take_page(&log->ring, true, page))
        buffer_append(out, page, sizeof page);
    return out->size > before ? (int64_t)(out->size - before) : -EAGAIN;
}

int64_t trace_pipe_read(struct trace_pipe *pipe, struct trace_log *log, uint64_t bytes, bool pages,
                        struct buffer *out)
{
    bool empty = is_empty(pipe, log);
    if (pipe->raw && pages)
        return bytes < TRACE_PAGE_BYTES ? -EINVAL : empty ? -EAGAIN : read_pages(log, bytes, out);
    if (!bytes)
        return 0;
    if (pipe->rest_at == pipe->rest.size) {
        pipe->rest.size = pipe->rest_at = 0;
        if (!empty && pipe->raw)
            take_page(pipe, log, false);
        else if (!empty)
            take_lines(pipe, log, bytes);
    }
    if (pipe->rest.broken || out->broken)
        return -ENOMEM;
    size_t now = (size_t)min_u64(bytes, pipe->rest.size - pipe->rest_at);
    buffer_append(out, pipe->rest.bytes + pipe->rest_at, now);
    pipe->rest_at += now;
    return now ? (int64_t)now : -EAGAIN;
}
