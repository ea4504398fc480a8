/* SPDX-License-Identifier: MIT */
/* Filters of tracepoints. The first byte selects the tracepoint. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "preload/server/trace.h"
#include "preload/server/trace_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > TRACE_FILTER_BYTES)
        return 0;
    char text[TRACE_FILTER_BYTES];
    uint8_t record[TRACE_MAX_BYTES];
    struct trace_filter *filter;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (trace_filter_parse(i915_tracepoint_info((enum i915_tracepoint)(data[0] % I915_TRACEPOINTS)),
                           text, &filter) < 0)
        return 0;
    for (size_t i = 0; i < sizeof record; i++)
        record[i] = data[i % size];
    trace_filter_passes(filter, record);
    trace_filter_free(filter);
    return 0;
}
