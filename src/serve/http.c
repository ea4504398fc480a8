/* SPDX-License-Identifier: MIT */
/* The server, by libmicrohttpd: a thread for each connection, so that none waits for another. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/minmax.h"
#include "base/ratio.h"
#include "serve/serve.h"

const char *serve_missing(void)
{
    return NULL;
}

static atomic_int streams;
static atomic_bool ending;

/* ---- streams of values
 * ------------------------------------------------------------------------------- */

struct stream {
    const struct serve *serve;
    struct serve_device *device;
    uint64_t sequence; /* of the latest event */
    struct buffer bytes;
    size_t at;
};

/* Delivers events; waits for the next one, or for a second, after which a comment shows that the
 * connection is alive. A reader that is too slow misses events. */
static ssize_t read_stream(void *closure, uint64_t position, char *to, size_t size)
{
    struct stream *stream = closure;
    (void)position;
    if (stream->at == stream->bytes.size) {
        stream->at = stream->bytes.size = 0;
        uint64_t latest = live_wait(stream->device, stream->sequence, NS_PER_SECOND);
        if (atomic_load(&ending))
            return MHD_CONTENT_READER_END_OF_STREAM;
        if (latest > stream->sequence)
            stream->sequence = serve_event(stream->serve, stream->device, &stream->bytes);
        else
            buffer_text(&stream->bytes, ":\n\n");
        if (stream->bytes.broken)
            return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    size_t part = min_size(size, stream->bytes.size - stream->at);
    memcpy(to, stream->bytes.bytes + stream->at, part);
    stream->at += part;
    return (ssize_t)part;
}

static void free_stream(void *closure)
{
    struct stream *stream = closure;
    buffer_fini(&stream->bytes);
    free(stream);
    atomic_fetch_sub(&streams, 1);
}

static struct MHD_Response *open_stream(const struct serve *serve, struct serve_device *device)
{
    struct stream *stream = NULL;
    if (atomic_fetch_add(&streams, 1) < SERVE_STREAMS_MAX)
        stream = calloc(1, sizeof *stream);
    if (!stream) {
        atomic_fetch_sub(&streams, 1);
        return NULL;
    }
    stream->serve = serve;
    stream->device = device;
    struct MHD_Response *response = MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, 16 << 10, read_stream, stream, free_stream);
    if (!response)
        free_stream(stream);
    return response;
}

/* ---- requests
 * ------------------------------------------------------------------------------------------ */

/* A value with a NUL within is not that in front of the NUL: it becomes one that nothing accepts.
 */
static const char *get(void *closure, enum serve_source source, const char *name)
{
    const char *value = NULL;
    size_t size = 0;
    enum MHD_ValueKind kind = source == SERVE_HEADER ? MHD_HEADER_KIND : MHD_GET_ARGUMENT_KIND;
    if (MHD_lookup_connection_value_n(closure, kind, name, strlen(name), &value, &size) != MHD_YES)
        return NULL;
    return value && strlen(value) != size ? "\x7f" : value;
}

static struct MHD_Response *response_of(const struct serve *serve, struct serve_reply *reply)
{
    struct MHD_Response *response = NULL;
    if (reply->stream && !(response = open_stream(serve, reply->stream)))
        serve_fail(reply, 503, "%d streams are open, which is the limit", SERVE_STREAMS_MAX);
    if (response)
        return response;
    if (reply->file >= 0) /* closes the file */
        return MHD_create_response_from_fd64(reply->file_bytes, reply->file);
    response =
        MHD_create_response_from_buffer(reply->body.size, reply->body.bytes, MHD_RESPMEM_MUST_COPY);
    buffer_fini(&reply->body);
    return response;
}

/* Nothing is loaded from elsewhere, and no other page may show or read this one. */
static void add_headers(struct MHD_Response *response, const struct serve_reply *reply)
{
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, reply->type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "X-Frame-Options", "DENY");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    MHD_add_response_header(response, "Content-Security-Policy",
                            "default-src 'self'; style-src 'unsafe-inline'; script-src "
                            "'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'");
    if (reply->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    if (reply->allowed)
        MHD_add_response_header(response, "Allow", reply->allowed);
    if (*reply->damage)
        MHD_add_response_header(response, "X-Tally-Error", reply->damage);
}

static enum MHD_Result send_reply(const struct serve *serve, struct MHD_Connection *connection,
                                  struct serve_reply *reply)
{
    struct MHD_Response *response = response_of(serve, reply);
    if (!response)
        return MHD_NO;
    add_headers(response, reply);
    enum MHD_Result result = MHD_queue_response(connection, reply->status, response);
    MHD_destroy_response(response);
    return result;
}

/* Called first without a body, then for each part of it, then without. */
static enum MHD_Result handle(void *closure, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    const struct serve_request request = {method, url, get, connection};
    struct serve_reply reply = {.file = -1};
    size_t body = (size_t)(uintptr_t)*state;
    (void)version;
    (void)upload;
    if (!*state) {
        *state = (void *)(uintptr_t)1;
        const char *length = get(connection, SERVE_HEADER, "Content-Length");
        if (!length || strtoull(length, NULL, 10) <= SERVE_BODY_BYTES)
            return MHD_YES;
        serve_fail(&reply, 413, "the body is too large, expected at most %d bytes",
                   SERVE_BODY_BYTES);
        return send_reply(closure, connection, &reply);
    }
    if (*upload_size) { /* is ignored */
        *state = (void *)(uintptr_t)(body + *upload_size);
        *upload_size = 0;
        return body > SERVE_BODY_BYTES ? MHD_NO : MHD_YES;
    }
    serve_answer(closure, &request, &reply);
    return send_reply(closure, connection, &reply);
}

/* libmicrohttpd's own messages, of malformed requests. */
static void ignore_message(void *closure, const char *format, va_list arguments)
{
    (void)closure;
    (void)format;
    (void)arguments;
}

/* ---- the server
 * ------------------------------------------------------------------------------------------ */

bool serve_is_local(const char *address)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, address, &v4) == 1)
        return ntohl(v4.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

static int listen_on(const struct serve *serve, struct tally_error *error)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(serve->port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(serve->port)};
    bool is_v4 = inet_pton(AF_INET, serve->address, &v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, serve->address, &v6.sin6_addr) != 1)
        return fail(error, -EINVAL, "address \"%s\", expected one such as 127.0.0.1 or ::1",
                    serve->address);
    int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (fd >= 0 &&
        !bind(fd, is_v4 ? (const struct sockaddr *)&v4 : (const struct sockaddr *)&v6,
              is_v4 ? sizeof v4 : sizeof v6) &&
        !listen(fd, SERVE_CONNECTIONS_MAX))
        return fd;
    int code = -errno;
    if (fd >= 0)
        close(fd);
    return fail(error, code, "cannot listen on %s port %u: %s", serve->address, serve->port,
                strerror(-code));
}

static uint16_t port_of(int fd)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(fd, (struct sockaddr *)&address, &size) < 0)
        return 0;
    return ntohs(address.ss_family == AF_INET ? ((struct sockaddr_in *)&address)->sin_port
                                              : ((struct sockaddr_in6 *)&address)->sin6_port);
}

int serve_run(struct serve *serve, struct tally_error *error)
{
    int fd = listen_on(serve, error);
    if (fd < 0)
        return fd;
    serve->port = port_of(fd);
    serve->started_ms = rows_now_ms();
    atomic_store(&ending, false);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
            MHD_USE_ERROR_LOG,
        0, NULL, NULL, handle, serve, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CONNECTIONS_MAX,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVE_TIMEOUT_S,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_HEADER_BYTES + (16 << 10),
        MHD_OPTION_THREAD_STACK_SIZE, (size_t)1 << 20, MHD_OPTION_END);
    if (!daemon) {
        close(fd);
        return fail(error, -EIO, "cannot start the server");
    }
    serve->ready(serve);
    struct pollfd stop = {.fd = serve->stop_fd, .events = POLLIN};
    while (poll(&stop, 1, -1) < 0 && errno == EINTR)
        ;
    atomic_store(&ending, true);
    MHD_stop_daemon(daemon);
    return 0;
}
