/* SPDX-License-Identifier: MIT */
/* The files of tracefs: the formats and ids of the tracepoints, and what programs that record them
 * expect beside these. */
#include "preload/server/trace_files.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bits.h"
#include "preload/server/places.h"
#include "preload/server/server.h"
#include "preload/server/trace.h"

#define RO 0440
#define RW 0640

/* The layout of the pages of trace_pipe_raw, and of the entries in them, which record files
 * contain. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
static const char header_event[] = "# compressed entry header\n"
                                   "\ttype_len    :    5 bits\n"
                                   "\ttime_delta  :   27 bits\n"
                                   "\tarray       :   32 bits\n"
                                   "\n"
                                   "\tpadding     : type == 29\n"
                                   "\ttime_extend : type == 30\n"
                                   "\ttime_stamp : type == 31\n"
                                   "\tdata max type_len  == 28\n";

static const struct {
    const char *name;
    mode_t mode;
    const char *text;
} files[] = {
    {"/events/header_page", RO, header_page},
    {"/events/header_event", RO, header_event},
    {"/printk_formats", RO, ""},
    {"/saved_cmdlines", RO, ""},
};

static int add(const struct server *server, const char *name, mode_t mode,
               const struct buffer *text)
{
    char path[128];
    snprintf(path, sizeof path, TRACING "%s", name);
    return text->broken ? -ENOMEM : tree_add(server, path, text->bytes, text->size, mode);
}

static int add_text(const struct server *server, const char *name, mode_t mode, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, TRACING "%s", name);
    return tree_add(server, path, text, strlen(text), mode);
}

static int make_tracepoint(const struct server *server, enum i915_tracepoint tracepoint)
{
    char name[96], id[16];
    struct buffer text = {0};
    const char *called = i915_tracepoint_info(tracepoint)->name;
    snprintf(name, sizeof name, "/events/i915/%s/format", called);
    trace_format_text(tracepoint, &text);
    int result = add(server, name, RO, &text);
    buffer_fini(&text);
    snprintf(name, sizeof name, "/events/i915/%s/id", called);
    snprintf(id, sizeof id, "%" PRIu32 "\n", trace_id(tracepoint));
    return result < 0 ? result : add_text(server, name, RO, id);
}

/* The names of all tracepoints, one a line. */
static int make_list(const struct server *server)
{
    struct buffer text = {0};
    for (unsigned i = 0; i < I915_TRACEPOINTS; i++)
        buffer_printf(&text, "i915:%s\n", i915_tracepoint_info((enum i915_tracepoint)i)->name);
    int result = add(server, "/available_events", RO, &text);
    buffer_fini(&text);
    return result;
}

int trace_files_make(const struct server *server)
{
    int result = make_list(server);
    for (unsigned i = 0; i < I915_TRACEPOINTS && result == 0; i++)
        result = make_tracepoint(server, (enum i915_tracepoint)i);
    for (size_t i = 0; i < ARRAY_COUNT(files) && result == 0; i++)
        result = add_text(server, files[i].name, files[i].mode, files[i].text);
    return result == 0 ? tree_directory_mode(server, TRACING, 0700) : result;
}
