/* SPDX-License-Identifier: MIT */
/* A recording of the folder in one of the formats, by way of a temporary file. */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "serve/serve.h"
#include "sink/write.h"

static atomic_int running;

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

/* Writes the deltas of the recording `input` to the file `to`. */
static int write_file(const struct serve *serve, const struct sink *sink, int input, int to,
                      struct tally_error *error)
{
    char path[64];
    struct tally_pipeline *pipeline;
    const struct tally_pipeline_options options = {
        .size = sizeof options, .metrics = serve->settings.metrics, .threads = 1};
    struct writing writing = {.sink = sink};
    snprintf(path, sizeof path, "/proc/self/fd/%d", input);
    int result = tally_pipeline_open(path, &options, &pipeline, error);
    if (result < 0)
        return result;
    snprintf(path, sizeof path, "/proc/self/fd/%d", to);
    if (!(writing.output = output_open(path, error)))
        result = error->code;
    if (!result) {
        result = write_deltas(&writing, pipeline, error);
        struct tally_error failure = {0};
        if (output_close(writing.output, &failure) < 0) {
            *error = failure;
            result = failure.code;
        }
    }
    tally_pipeline_close(pipeline);
    return result;
}

/* A recording that is damaged is written up to there; a header says so. The message begins with the
 * path, which is the server's own. */
static void describe_damage(const struct tally_error *error, struct serve_reply *reply)
{
    const char *text = strstr(error->message, ": ");
    snprintf(reply->damage, sizeof reply->damage, "%s", text ? text + 2 : error->message);
    for (char *at = reply->damage; *at; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

static void export(struct serve *serve, const char *name, const struct sink *sink,
                   struct serve_reply *reply)
{
    struct tally_error error = {0};
    struct stat status;
    int input = folder_read(&serve->folder, name, &error);
    if (input < 0) {
        serve_fail(reply,
                   input == -EINVAL  ? 400
                   : input == -ELOOP ? 403
                                     : 404,
                   "%s", error.message);
        return;
    }
    FILE *file =
        fstat(input, &status) < 0 || status.st_size > SERVE_EXPORT_BYTES ? NULL : tmpfile();
    int to = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    if (to < 0)
        serve_fail(reply, 413, "%s: too large, expected at most %d MiB: use tally export", name,
                   SERVE_EXPORT_BYTES >> 20);
    else if (write_file(serve, sink, input, to, &error) < 0 && error.code != -EBADMSG)
        serve_fail(reply, 500, "%s: %s", name, error.message);
    else if (fstat(to, &status) < 0 || !status.st_size)
        serve_fail(reply, 422, "%s: %s", name, error.code ? error.message : "empty");
    else
        *reply = (struct serve_reply){.status = 200,
                                      .type = type_of(sink->name),
                                      .file = to,
                                      .file_bytes = (uint64_t)status.st_size};
    if (to >= 0 && reply->file == to && error.code)
        describe_damage(&error, reply);
    if (to >= 0 && reply->file != to)
        close(to);
    close(input);
}

void serve_export(struct serve *serve, const char *name, const char *format,
                  struct serve_reply *reply)
{
    struct tally_error error = {0};
    const struct sink *sink = sink_choose(format, TALLY_RENDER_DELTAS, &error);
    if (!sink) {
        serve_fail(reply, 400, "%s", error.message);
        return;
    }
    if (atomic_fetch_add(&running, 1) < SERVE_EXPORTS_MAX)
        export(serve, name, sink, reply);
    else
        serve_fail(reply, 503, "%d exports are running, which is the limit: try again",
                   SERVE_EXPORTS_MAX);
    atomic_fetch_sub(&running, 1);
}
