/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_PIPE_H
#define TALLY_PRELOAD_TRACE_PIPE_H

/*
 * Readers of tracefs that consume the events: trace_pipe, as text, and trace_pipe_raw of a
 * processor, as pages of the ring buffer.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "preload/server/trace_ring.h"

struct trace_log;
struct trace_pipe;

/* Makes a reader of a file, by its name below TRACING. Returns 0; -ENOENT: it is another file;
 * -ENOMEM. */
int trace_pipe_new(const char *name, struct trace_pipe **out);
void trace_pipe_free(struct trace_pipe *pipe);

/* Whether poll() finds it readable; whether a blocking read or splice (`pages`) of it continues. */
bool trace_pipe_polls(const struct trace_pipe *pipe, const struct trace_log *log);
bool trace_pipe_continues(const struct trace_pipe *pipe, const struct trace_log *log, bool pages);

/* Reads up to `bytes`; `pages`: for splice(), full pages only. Returns the number of bytes appended
 * to *out; -EAGAIN: it is empty; -EINVAL: pages of less than one; -ENOMEM. */
int64_t trace_pipe_read(struct trace_pipe *pipe, struct trace_log *log, uint64_t bytes, bool pages,
                        struct buffer *out);

/* After -EAGAIN, whether a blocking reader gets the end of the file: nothing is recorded any more.
 */
bool trace_pipe_ends(const struct trace_pipe *pipe, const struct trace_log *log, bool pages);

#endif
