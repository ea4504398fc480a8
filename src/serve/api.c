/* SPDX-License-Identifier: MIT */
/* The API: which request gets which answer (docs/serve.md). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/clock.h"
#include "base/minmax.h"
#include "serve/serve.h"
#include "sink/json.h"

#define JSON "application/json"

/* ---- JSON
 * ------------------------------------------------------------------------------------------ */

static void put_u64_member(struct output *output, const char *key, uint64_t value)
{
    output_printf(output, ",\"%s\":%" PRIu64, key, value);
}

/* Begins a body in JSON; returns NULL if out of memory. */
static struct output *begin_json(struct serve_reply *reply)
{
    reply->status = 200;
    reply->type = JSON;
    return output_to_memory(&reply->body);
}

void serve_fail(struct serve_reply *reply, unsigned status, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    buffer_fini(&reply->body);
    struct output *output = begin_json(reply);
    reply->status = status;
    if (!output)
        return;
    output_text(output, "{\"error\":");
    json_text(output, text);
    output_text(output, "}\n");
    output_close(output, NULL);
}

/* ---- devices
 * --------------------------------------------------------------------------------------- */

static void put_counters(struct output *output, const struct serve_device *device)
{
    output_text(output, ",\"counters\":[");
    for (size_t i = 0; i < device->counter_count; i++) {
        const struct serve_counter *counter = &device->counters[i];
        output_text(output, i ? ",{\"symbol\":" : "{\"symbol\":");
        json_text(output, counter->symbol);
        json_member(output, "name", counter->name);
        json_member(output, "group", counter->group);
        json_member(output, "units", counter->units);
        json_member(output, "description", counter->description);
        json_member(output, "equation", counter->equation);
        if (*counter->formula)
            json_member(output, "formula", counter->formula);
        output_printf(output, ",\"series\":\"%s%s\",\"value\":", counter->series,
                      counter->is_total ? "_total" : "");
        json_number(output, counter->value);
        output_text(output, ",\"total\":");
        json_number(output, counter->is_total ? counter->overall : (double)NAN);
        output_text(output, ",\"overall\":");
        json_number(output, counter->overall);
        output_text(output, "}");
    }
    output_text(output, "]");
}

static void put_device(struct output *output, struct serve *serve, size_t index, bool counters)
{
    struct serve_device *device = &serve->devices[index];
    static const char *const states[] = {"stopped", "starting", "counting", "failed"};
    pthread_mutex_lock(&device->lock);
    const struct serve_now *now = &device->now;
    output_printf(output, "{\"device\":%zu,\"name\":", index);
    json_text(output, device->name);
    json_member(output, "title", now->title);
    output_printf(output, ",\"modelled\":%s,\"state\":\"%s\"", now->modelled ? "true" : "false",
                  states[now->state]);
    json_member(output, "set", now->set);
    json_member(output, "file", now->file);
    json_member(output, "error", now->error.code ? now->error.message : "");
    put_u64_member(output, "session", now->session);
    put_u64_member(output, "sequence", now->sequence);
    put_u64_member(output, "period_ns", now->period_ns);
    put_u64_member(output, "started_ms", now->started_ms);
    put_u64_member(output, "server_ms", serve->started_ms);
    output_printf(output, ",\"contexts\":%s", device->history.has_contexts ? "true" : "false");
    output_text(output, ",\"sample_age_ms\":");
    json_number(output, now->sampled_ns
                            ? (double)((clock_ns(CLOCK_MONOTONIC) - now->sampled_ns) / 1000000)
                            : (double)NAN);
    put_u64_member(output, "reports", now->reports);
    put_u64_member(output, "missing_reports", now->missing);
    put_u64_member(output, "lost_deltas", now->lost_deltas);
    put_u64_member(output, "bytes", now->bytes);
    if (counters)
        put_counters(output, device);
    output_text(output, "}");
    pthread_mutex_unlock(&device->lock);
}

static void list_devices(struct serve *serve, struct serve_reply *reply)
{
    struct output *output = begin_json(reply);
    if (!output)
        return;
    output_text(output, "{\"devices\":[");
    for (size_t i = 0; i < serve->device_count; i++) {
        output_text(output, i ? "," : "");
        put_device(output, serve, i, false);
    }
    output_text(output, "]}\n");
    output_close(output, NULL);
}

static void show_device(struct serve *serve, size_t index, struct serve_reply *reply)
{
    struct output *output = begin_json(reply);
    if (!output)
        return;
    put_device(output, serve, index, true);
    output_text(output, "\n");
    output_close(output, NULL);
}

/* Reads an argument that is a number. It is left unchanged if the argument is missing. */
static bool read_number(const struct serve_request *request, const char *name, const char *what,
                        uint64_t *number, struct serve_reply *reply)
{
    const char *text = request->get(request->closure, SERVE_ARGUMENT, name);
    char *end = NULL;
    if (!text)
        return true;
    if (*text >= '0' && *text <= '9')
        *number = strtoull(text, &end, 10);
    if (!end || *end)
        serve_fail(reply, 400, "%s=\"%s\", expected %s", name, text, what);
    return end && !*end;
}

/* Writes the rows after the one with the number of the argument `after`, or all: also if that
 * number is of another server than this one, by the argument `server`. */
static void show_history(const struct serve *serve, struct serve_device *device,
                         const struct serve_request *request, struct serve_reply *reply)
{
    uint64_t number = 0, started_ms = serve->started_ms;
    if (!read_number(request, "after", "the number of a row", &number, reply) ||
        !read_number(request, "server", "the server_ms of a server", &started_ms, reply))
        return;
    if (started_ms != serve->started_ms)
        number = 0;
    struct output *output = begin_json(reply);
    if (!output)
        return;
    pthread_mutex_lock(&device->lock);
    uint64_t first = device->history.first_sequence, last = device->now.sequence;
    if (first)
        first = max_u64(first, min_u64(number, last) + 1);
    output_printf(output, "{\"server_ms\":%" PRIu64 ",\"rows\":[", serve->started_ms);
    for (uint64_t sequence = first; first && sequence <= last; sequence++) {
        output_text(output, sequence > first ? "," : "");
        rows_put(output, device, sequence);
    }
    output_text(output, "]}\n");
    pthread_mutex_unlock(&device->lock);
    output_close(output, NULL);
}

uint64_t serve_event(const struct serve *serve, struct serve_device *device, struct buffer *to)
{
    struct output *output = output_to_memory(to);
    if (!output)
        return 0;
    pthread_mutex_lock(&device->lock);
    uint64_t sequence = device->now.sequence;
    if (device->history.first_sequence) {
        output_printf(output, "id: %" PRIu64 "-%" PRIu64 "\ndata: ", serve->started_ms, sequence);
        rows_put(output, device, sequence);
        output_text(output, "\n\n");
    }
    pthread_mutex_unlock(&device->lock);
    output_close(output, NULL);
    return sequence;
}

static unsigned status_of(int code)
{
    switch (code) {
    case -EEXIST:
        return 409;
    case -EINVAL:
    case -ENAMETOOLONG:
        return 400;
    case -ENOENT:
        return 404;
    case -ELOOP:
    case -EXDEV:
    case -EACCES:
        return 403;
    case -ETIMEDOUT:
        return 504;
    default:
        return 500;
    }
}

static void change_device(struct serve *serve, size_t index, bool start,
                          const struct serve_request *request, struct serve_reply *reply)
{
    struct tally_error error = {0};
    const char *file = request->get(request->closure, SERVE_ARGUMENT, "file");
    int result;
    file = file ? file : "";
    if (start && *file && serve->folder.fd < 0)
        serve_fail(reply, 404, "no folder is served: tally serve FOLDER");
    else if (start && *file && !folder_is_name(file))
        serve_fail(reply, 400, "\"%s\", expected the name of a file without / and a . in front",
                   file);
    else if ((result = start ? live_count(&serve->devices[index], file, &error)
                             : live_stop(&serve->devices[index], &error)) < 0)
        serve_fail(reply, status_of(result), "%s", error.message);
    else
        show_device(serve, index, reply);
}

/* ---- recordings
 * -------------------------------------------------------------------------------------- */

struct listing {
    struct output *output;
    size_t count;
};

static void put_entry(void *closure, const struct folder_entry *entry)
{
    struct listing *listing = closure;
    output_text(listing->output, listing->count++ ? ",{\"name\":" : "{\"name\":");
    json_text(listing->output, entry->name);
    put_u64_member(listing->output, "bytes", entry->size_bytes);
    put_u64_member(listing->output, "modified_ms", entry->modified_ms);
    output_text(listing->output, "}");
}

static void list_recordings(struct serve *serve, struct serve_reply *reply)
{
    struct listing listing = {begin_json(reply), 0};
    if (!listing.output)
        return;
    output_text(listing.output, "{\"recordings\":[");
    folder_list(&serve->folder, put_entry, &listing);
    output_text(listing.output, "]}\n");
    output_close(listing.output, NULL);
}

static void send_recording(struct serve *serve, const char *name, struct serve_reply *reply)
{
    struct tally_error error = {0};
    struct stat status;
    int fd = folder_read(&serve->folder, name, &error);
    if (fd < 0 || fstat(fd, &status) < 0) {
        serve_fail(reply, status_of(fd), "%s", error.message);
        return;
    }
    reply->status = 200;
    reply->type = "application/octet-stream";
    reply->file = fd;
    reply->file_bytes = (uint64_t)status.st_size;
}

/* ---- requests
 * ---------------------------------------------------------------------------------------- */

/* Compares a token in a time that depends on the length of `given` only. */
static bool is_token(const char *token, const char *given)
{
    size_t size = strlen(token), length = given ? strlen(given) : 0;
    unsigned difference = size != length;
    for (size_t i = 0; i < length; i++)
        difference |= (unsigned char)token[i % (size + 1)] ^ (unsigned char)given[i];
    return !difference && length;
}

static bool is_allowed(const struct serve *serve, const struct serve_request *request)
{
    const char *header = request->get(request->closure, SERVE_HEADER, "Authorization");
    if (!serve->token)
        return true;
    if (header && !strncasecmp(header, "Bearer ", 7))
        return is_token(serve->token, header + 7);
    return is_token(serve->token, request->get(request->closure, SERVE_ARGUMENT, "token"));
}

/* A page of another site whose name leads to this machine must not read from the server: without a
 * token, the Host has to be local. */
static bool is_host(const struct serve *serve, const struct serve_request *request)
{
    const char *host = request->get(request->closure, SERVE_HEADER, "Host");
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    if (serve->token || !host)
        return true;
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        size_t size = strlen(names[i]);
        if (!strncasecmp(host, names[i], size) && (!host[size] || host[size] == ':'))
            return true;
    }
    size_t size = strlen(serve->address);
    return !strncmp(host, serve->address, size) && (!host[size] || host[size] == ':');
}

/* Splits "/api/devices/0/start" after a prefix: *index 0, *rest "start". */
static bool split_device(const struct serve *serve, const char *path, size_t *index,
                         const char **rest)
{
    char *end;
    if (*path < '0' || *path > '9')
        return false;
    *index = strtoul(path, &end, 10);
    if (*end && *end != '/')
        return false;
    *rest = *end ? end + 1 : end;
    return *index < serve->device_count;
}

static bool is_method(const struct serve_request *request, const char *method,
                      struct serve_reply *reply)
{
    if (!strcmp(request->method, method) ||
        (!strcmp(method, "GET") && !strcmp(request->method, "HEAD")))
        return true;
    serve_fail(reply, 405, "method %s, expected %s", request->method, method);
    reply->allowed = method;
    return false;
}

static void answer_device(struct serve *serve, const char *path,
                          const struct serve_request *request, struct serve_reply *reply)
{
    size_t index;
    const char *rest;
    if (!split_device(serve, path, &index, &rest)) {
        serve_fail(reply, 404, "device \"%s\", expected 0 to %zu", path, serve->device_count - 1);
        return;
    }
    bool start = !strcmp(rest, "start");
    if (start || !strcmp(rest, "stop")) {
        if (!is_method(request, "POST", reply))
            return;
        /* Pages of other sites cannot set a header of this name. */
        if (!request->get(request->closure, SERVE_HEADER, "X-Tally"))
            serve_fail(reply, 403, "expected the header X-Tally: 1");
        else
            change_device(serve, index, start, request, reply);
        return;
    }
    if (!is_method(request, "GET", reply))
        return;
    if (!*rest) {
        show_device(serve, index, reply);
    } else if (!strcmp(rest, "history")) {
        show_history(serve, &serve->devices[index], request, reply);
    } else if (!strcmp(rest, "events")) {
        reply->status = 200;
        reply->type = "text/event-stream";
        reply->stream = &serve->devices[index];
    } else {
        serve_fail(reply, 404, "\"%s\", expected history, events, start or stop", rest);
    }
}

static void answer_recording(struct serve *serve, const char *name,
                             const struct serve_request *request, struct serve_reply *reply)
{
    const char *format = request->get(request->closure, SERVE_ARGUMENT, "format");
    if (!is_method(request, "GET", reply))
        return;
    if (format)
        serve_export(serve, name, format, request->get(request->closure, SERVE_ARGUMENT, "c"),
                     reply);
    else
        send_recording(serve, name, reply);
}

static void send_metrics(struct serve *serve, const struct serve_request *request,
                         struct serve_reply *reply)
{
    const char *accept = request->get(request->closure, SERVE_HEADER, "Accept");
    bool open = accept && strstr(accept, "application/openmetrics-text");
    reply->status = 200;
    reply->type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                       : "text/plain; version=0.0.4; charset=utf-8";
    serve_metrics(serve, open, &reply->body);
}

static void send_page(struct serve_reply *reply)
{
    reply->status = 200;
    reply->type = "text/html; charset=utf-8";
    buffer_append(&reply->body, serve_page, serve_page_bytes);
}

/* Returns what follows a prefix of the path, or NULL. */
static const char *after(const char *path, const char *prefix)
{
    size_t size = strlen(prefix);
    return !strncmp(path, prefix, size) ? path + size : NULL;
}

void serve_answer(struct serve *serve, const struct serve_request *request,
                  struct serve_reply *reply)
{
    const char *path = request->path, *rest;
    *reply = (struct serve_reply){.file = -1};
    if (!is_host(serve, request))
        serve_fail(reply, 421, "unknown Host, expected localhost or a server with --token");
    else if (!is_allowed(serve, request))
        serve_fail(reply, 401, "expected the header Authorization: Bearer TOKEN");
    else if (serve->put_series && strcmp(path, "/metrics") != 0)
        serve_fail(reply, 404, "path \"%s\", expected /metrics", path);
    else if ((rest = after(path, "/api/devices/")))
        answer_device(serve, rest, request, reply);
    else if ((rest = after(path, "/api/recordings/")))
        answer_recording(serve, rest, request, reply);
    else if (!is_method(request, "GET", reply))
        return;
    else if (!strcmp(path, "/"))
        send_page(reply);
    else if (!strcmp(path, "/metrics"))
        send_metrics(serve, request, reply);
    else if (!strcmp(path, "/api/devices"))
        list_devices(serve, reply);
    else if (!strcmp(path, "/api/recordings"))
        list_recordings(serve, reply);
    else
        serve_fail(reply, 404,
                   "unknown path, expected /, /metrics, /api/devices or "
                   "/api/recordings");
    if (reply->body.broken)
        serve_fail(reply, 503, "out of memory");
}
