/* SPDX-License-Identifier: MIT */
/* What is written to the settings of tracefs, one after the other: a byte selects the file, and the
 * text ends with another 0xff. Then all of them are read. */
#include <string.h>

#include "fuzz.h"
#include "preload/server/server.h"
#include "preload/server/trace_files.h"

#define END 0xff

static const char *const names[] = {
    "/set_event",           "/set_event_pid",
    "/buffer_size_kb",      "/per_cpu/cpu0/buffer_size_kb",
    "/saved_cmdlines_size", "/trace_options",
    "/trace_clock",         "/buffer_percent",
    "/tracing_on",          "/current_tracer",
    "/events/i915/filter",  "/events/i915/i915_request_add/filter",
    "/options/overwrite",   "/events/i915/i915_request_queue/enable",
    "/events/enable",       "/trace",
};
#define NAMES (sizeof names / sizeof *names)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct server server = {0};
    struct buffer text = {0};
    trace_log_start(&server.trace_log);
    while (size > 1) {
        const char *name = names[*data % NAMES];
        const uint8_t *end = memchr(data + 1, END, size - 1);
        size_t length = end ? (size_t)(end - data) - 1 : size - 1;
        trace_files_write(&server, name, (const char *)data + 1, length);
        data += length + 1 + (end != NULL);
        size -= length + 1 + (end != NULL);
    }
    for (size_t i = 0; i < NAMES; i++)
        CHECK(trace_files_read(&server, names[i], &text) == 0);
    buffer_fini(&text);
    trace_log_fini(&server.trace_log);
    return 0;
}
