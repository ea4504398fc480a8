/* SPDX-License-Identifier: MIT */
#ifndef TALLY_PRELOAD_TRACE_FILTER_H
#define TALLY_PRELOAD_TRACE_FILTER_H

/*
 * Filters of tracepoints, as Documentation/trace/events.rst has them: comparisons of a field with a
 * number, "seqno >= 2 && (class == 0 || !(flags & 1))". Fields of the tracepoints are numbers;
 * `comm`, which the kernel compares with strings, is not supported.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "driver/i915/tracepoints.h"

#define TRACE_FILTER_BYTES 4096u /* maximum length of a text, with its end */

struct trace_filter;

/* Parses a filter for records of a tracepoint. Returns 0; -EINVAL: invalid, or an unknown field;
 * -ENOMEM. */
int trace_filter_parse(const struct i915_trace_info *info, const char *text,
                       struct trace_filter **out);
void trace_filter_free(struct trace_filter *filter);

/* Whether a record, with its common fields, passes. All happens on processor 0. */
bool trace_filter_passes(const struct trace_filter *filter, const uint8_t *record);

#endif
