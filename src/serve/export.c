/* SPDX-License-Identifier: MIT */
/* A recording of the folder in one of the formats, by way of a temporary file. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "pipeline/pipeline.h"
#include "serve/serve.h"
#include "sink/write.h"

static atomic_int running;

struct export
{
    const char *name;     /* of the recording */
    const char *counters; /* patterns, or NULL: all */
    const struct sink *sink;
};

static const char *type_of(const char *format)
{
    static const struct {
        const char *format, *type;
    } rows[] = {
        {"csv", "text/csv; charset=utf-8"}, {"jsonl", "application/x-ndjson"},
        {"chrome", "application/json"},     {"html", "text/html; charset=utf-8"},
        {"svg", "image/svg+xml"},           {"table", "text/plain; charset=utf-8"},
    };
    for (size_t i = 0; i < ARRAY_COUNT(rows); i++)
        if (!strcmp(format, rows[i].format))
            return rows[i].type;
    return "application/octet-stream";
}

/* Writes the deltas of the recording `input` to the file `to`. Takes both descriptors. */
static int write_file(const struct serve *serve, const struct export *export, int input, int to,
                      struct tally_error *error)
{
    struct tally_pipeline *pipeline;
    const struct tally_pipeline_options options = {
        .size = sizeof options,
        .metrics = serve->settings.metrics,
        .counters = &export->counters,
        .counter_count = export->counters != NULL,
        .threads = 1,
    };
    struct writing writing = {.sink = export->sink};
    int result = pipeline_open_file(input, export->name, &options, &pipeline, error);
    if (result < 0) {
        close(to);
        return result;
    }
    writing.output = output_open_file(to, export->name, SERVE_OUTPUT_BYTES, error);
    if (writing.output) {
        struct tally_error failure = {0};
        result = write_deltas(&writing, pipeline, error);
        if (output_close(writing.output, &failure) < 0) {
            *error = failure;
            result = failure.code;
        }
    } else {
        result = error->code;
    }
    tally_pipeline_close(pipeline);
    return result;
}

/* Returns a message without the name of the recording in front. */
static const char *without_name(const char *message, const char *name)
{
    size_t size = strlen(name);
    return !strncmp(message, name, size) && !strncmp(message + size, ": ", 2) ? message + size + 2
                                                                              : message;
}

/* A recording that is damaged is written up to there; a header says so. */
static void describe_damage(const char *message, struct serve_reply *reply)
{
    snprintf(reply->damage, sizeof reply->damage, "%s", message);
    for (char *at = reply->damage; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

/* Returns the status of an export that failed. */
static unsigned status_of(int code)
{
    switch (code) {
    case -EDQUOT:
        return 413;
    case -EBADMSG: /* not a recording */
    case -ENODEV:
    case -E2BIG: /* too many counters for a picture */
        return 422;
    case -ENOENT: /* no counter matches */
        return 400;
    default:
        return 500;
    }
}

/* Returns the descriptor of a temporary file without a name, in $TMPDIR or /tmp, or a negative
 * errno. */
static int temporary_file(void)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    int size =
        snprintf(path, sizeof path, "%s/tally-XXXXXX", folder && *folder ? folder : P_tmpdir);
    if (size < 0 || (size_t)size >= sizeof path)
        return -ENAMETOOLONG;
    int fd = mkostemp(path, O_CLOEXEC), code = -errno;
    if (fd < 0)
        return code;
    unlink(path);
    return fd;
}

static void fail_export(const struct export *export, int code, const char *message,
                        struct serve_reply *reply)
{
    if (code == -EDQUOT)
        serve_fail(reply, 413, "%s: more than %d MiB as %s: use tally export", export->name,
                   SERVE_OUTPUT_BYTES >> 20, export->sink->name);
    else
        serve_fail(reply, status_of(code), "%s%s%s", export->name, *message ? ": " : "", message);
}

/* Exports the open recording `input`, which it takes. */
static void export_file(const struct serve *serve, const struct export *export, int input,
                        struct serve_reply *reply)
{
    struct tally_error error = {0};
    struct stat status;
    int file = temporary_file(), to = file < 0 ? file : fcntl(file, F_DUPFD_CLOEXEC, 0);
    if (to < 0) {
        serve_fail(reply, 500, "%s: cannot make a temporary file: %s", export->name,
                   strerror(file < 0 ? -file : errno));
        close(input);
    } else {
        int result = write_file(serve, export, input, to, &error);
        if (fstat(file, &status) < 0)
            status.st_size = 0;
        if (result < 0 && (result != -EBADMSG || !status.st_size))
            fail_export(export, result, without_name(error.message, export->name), reply);
        else
            *reply = (struct serve_reply){.status = 200,
                                          .type = type_of(export->sink->name),
                                          .file = file,
                                          .file_bytes = (uint64_t)status.st_size};
        if (reply->file == file && error.code)
            describe_damage(without_name(error.message, export->name), reply);
    }
    if (file >= 0 && reply->file != file)
        close(file);
}

static void export(const struct serve *serve, const struct export *export,
                   struct serve_reply *reply)
{
    struct tally_error error = {0};
    struct stat status;
    int input = folder_read(&serve->folder, export->name, &error);
    if (input < 0) {
        serve_fail(reply,
                   input == -EINVAL  ? 400
                   : input == -ELOOP ? 403
                                     : 404,
                   "%s", error.message);
        return;
    }
    if (!fstat(input, &status) && status.st_size <= SERVE_EXPORT_BYTES) {
        export_file(serve, export, input, reply);
        return;
    }
    serve_fail(reply, 413, "%s: too large, expected at most %d MiB: use tally export", export->name,
               SERVE_EXPORT_BYTES >> 20);
    close(input);
}

void serve_export(struct serve *serve, const char *name, const char *format, const char *counters,
                  struct serve_reply *reply)
{
    struct tally_error error = {0};
    const struct sink *sink = sink_choose(format, TALLY_RENDER_DELTAS, &error);
    const struct export one = {name, counters, sink};
    if (!sink) {
        serve_fail(reply, 400, "%s", error.message);
        return;
    }
    if (atomic_fetch_add(&running, 1) < SERVE_EXPORTS_MAX)
        export(serve, &one, reply);
    else
        serve_fail(reply, 503, "%d exports are running, which is the limit: try again",
                   SERVE_EXPORTS_MAX);
    atomic_fetch_sub(&running, 1);
}
