/* SPDX-License-Identifier: MIT */
/* A connection of a thread of a program, and its calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/minmax.h"
#include "emulation/faults/faults.h"
#include "preload/server/node.h"

/* Maximum lag of the GPU at which reads and clock readings do not catch up. A read takes longer
 * here than in the kernel; if the GPU caught up, a program that immediately reads again would get
 * the reports of that time, instead of waiting for the timer as in the kernel. */
#define MAX_READ_LAG_NS 2000000u

#define ANSWER_TIMEOUT_S 5 /* time limit for a program's answer; then the connection is closed */

/* ---- messages -------------------------------------------------------------------------------- */

static bool take(struct session *session, void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        ssize_t got = recv(session->source.fd, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            session->broken = true;
            return false;
        }
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

/* Sends a message, with a descriptor unless it is -1. */
static void session_put(struct session *session, const struct emulate_header *header,
                        const void *bytes, int descriptor)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof descriptor)];
    } control;
    struct iovec parts[2] = {{(void *)header, sizeof *header},
                             {(void *)(bytes ? bytes : ""), header->bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    size_t left = sizeof *header + header->bytes;
    if (descriptor >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *c = CMSG_FIRSTHDR(&message);
        *c = (struct cmsghdr){CMSG_LEN(sizeof descriptor), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(c), &descriptor, sizeof descriptor);
    }
    while (left && !session->broken) {
        ssize_t done = sendmsg(session->source.fd, &message, MSG_NOSIGNAL);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            session->broken = true;
            return;
        }
        message.msg_control = NULL;
        message.msg_controllen = 0;
        left -= (size_t)done;
        for (unsigned i = 0; i < 2; i++) {
            size_t part = min_size((size_t)done, parts[i].iov_len);
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            done -= (ssize_t)part;
        }
    }
}

int64_t session_request(struct session *session, const struct emulate_header *header,
                        const void *bytes, int descriptor, struct buffer *answer)
{
    struct emulate_header got;
    session_put(session, header, bytes, descriptor);
    do { /* a signal may have sent a cancel before the answer */
        if (session->broken || !take(session, &got, sizeof got))
            return -EPIPE;
    } while (got.kind == EMULATE_CANCEL);
    if (got.kind != EMULATE_ANSWER || got.bytes > EMULATE_MAX_BYTES || (got.bytes && !answer)) {
        session->broken = true;
        return -EPIPE;
    }
    if (got.bytes) {
        char *space = buffer_reserve(answer, got.bytes);
        if (!space || !take(session, space, got.bytes)) {
            session->broken = true;
            return -EPIPE;
        }
        answer->size += got.bytes;
    }
    return (int64_t)got.a;
}

static void put_result(struct session *session, int64_t result, const struct buffer *bytes,
                       uint16_t flags)
{
    struct emulate_header header = {
        .bytes = bytes ? (uint32_t)bytes->size : 0,
        .kind = EMULATE_RESULT,
        .flags = flags,
        .a = (uint64_t)result,
    };
    session_put(session, &header, bytes ? bytes->bytes : NULL, -1);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void call_open(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    struct descriptor *descriptor;
    void *file;
    int client_end;
    descriptors_reap(server); /* a closed file is no longer the master */
    int result = node_of(server)->open(server, call->a >= 128, &file);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    result = descriptor_new(server, OF_DEVICE, (unsigned)call->a, &descriptor, &client_end);
    if (result < 0) {
        node_of(server)->close(file);
        put_result(session, result, NULL, 0);
        return;
    }
    descriptor->file = file;
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = call->b};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end); /* if the program did not receive it, the loop closes the file */
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

/* perf_event_open(). Closed events are freed first, so that they are in no group. */
static void call_event(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor;
    descriptors_reap(session->server);
    int client_end, result = event_new(session->server, call, &descriptor, &client_end);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR,
                                    .a = call->c & EMULATE_EVENT_CLOEXEC ? O_CLOEXEC : 0};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end);
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

/* A virtual file is opened for writing. */
static void call_open_file(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    struct descriptor *descriptor;
    char path[PATH_MAX];
    int client_end;
    buffer_append(&session->argument, "", 1);
    int control =
        session->argument.broken ? -ENOMEM : control_find(server, session->argument.bytes, path);
    int result =
        control < 0 ? control : descriptor_new(server, OF_FILE, 0, &descriptor, &client_end);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    descriptor->control = (unsigned)control;
    descriptor->path = strdup(path);
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = call->a};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end);
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

static void call_write(struct session *session, const struct emulate_header *call)
{
    const struct descriptor *descriptor = descriptor_find(session->server, OF_FILE, call->target);
    const struct buffer *text = &session->argument;
    put_result(session,
               descriptor && descriptor->path
                   ? control_write(session->server, descriptor->control, descriptor->path,
                                   text->bytes, text->size)
                   : -EBADF,
               NULL, 0);
}

static void call_of_event(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    descriptors_reap(server);
    struct descriptor *descriptor = descriptor_find(server, OF_EVENT, call->target);
    bool reads = call->kind == EMULATE_EVENT_READ;
    session->reply.size = 0;
    int result = !descriptor ? -EBADF
                 : reads
                     ? event_read(server, descriptor, call->a, &session->reply)
                     : event_ioctl(server, descriptor, (uint32_t)call->a, call->b, &session->reply);
    put_result(session, result, result < 0 ? NULL : &session->reply, 0);
}

static void call_ioctl(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    uint32_t request = (uint32_t)call->a;
    if (request == DRM_IOCTL_I915_PERF_OPEN)
        descriptors_reap(server);
    struct descriptor *descriptor = descriptor_find(server, OF_DEVICE, call->target);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return;
    }
    session->argument_written = false;
    int result = node_of(server)->ioctl(session, descriptor->file, request, call->b);
    put_result(session, result, session->argument_written ? &session->argument : NULL, 0);
}

/* Reads a stream. Returns true if the result was sent; false: the read waits. */
static bool try_read(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    struct descriptor *descriptor = descriptor_find(server, OF_STREAM, call->target);
    struct i915_caller caller = reader_of(session);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return true;
    }
    session->reply.size = 0;
    session->mapped = (size_t)call->b;
    session->mapped_is_min = call->flags & EMULATE_MORE;
    bool blocking = call->flags & EMULATE_BLOCKING;
    int64_t result = i915_stream_read(descriptor->stream, &caller, 0, call->a, blocking);
    if (result == -EAGAIN && blocking)
        return false;
    session->reply.size = result > 0 ? (size_t)result : 0;
    server->outcome->reads++;
    uint16_t flags = descriptor_drained(descriptor) ? EMULATE_DRAINED : 0;
    put_result(session, result, &session->reply, flags);
    return true;
}

static void call_read(struct session *session, const struct emulate_header *call)
{
    if (try_read(session, call))
        return;
    session->waits = true;
    session->waiting = *call;
}

static void call_stream_ioctl(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor = descriptor_find(session->server, OF_STREAM, call->target);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return;
    }
    uint32_t request = (uint32_t)call->a;
    int result = faults_call(session->server->emulation->faults, request);
    if (result == 0)
        result = i915_stream_ioctl(descriptor->stream, request, call->b);
    faults_called(session->server->emulation->faults, request, result);
    put_result(session, result, NULL, descriptor_drained(descriptor) ? EMULATE_DRAINED : 0);
}

static void call_map(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor = descriptor_find(session->server, OF_DEVICE, call->target);
    int found =
        descriptor ? node_of(session->server)->mapping(descriptor->file, call->a, call->b) : -EBADF;
    if (found < 0) {
        put_result(session, found, NULL, 0);
        return;
    }
    struct emulate_header header = {.kind = EMULATE_MEMORY, .b = call->b, .c = 1};
    int64_t result = session_request(session, &header, NULL, found, NULL);
    put_result(session, result < 0 && result > -4096 ? result : 0, NULL, 0);
}

static void call_cancel(struct session *session)
{
    if (!session->waits && !session->sleeps)
        return; /* the result was sent already */
    session->waits = session->sleeps = false;
    put_result(session, -EINTR, NULL, 0);
}

static void call_content(struct session *session, const struct emulate_header *call)
{
    descriptors_reap(session->server);
    tree_update(session->server, (enum emulate_content)call->a);
    put_result(session, 0, NULL, 0);
}

static void answer_call(struct session *session, const struct emulate_header *call)
{
    session->call = call;
    session->server->outcome->calls++;
    bool reads = call->kind == EMULATE_READ || call->kind == EMULATE_NOW;
    server_begin_call(session->server, reads ? MAX_READ_LAG_NS : 0);
    switch (call->kind) {
    case EMULATE_OPEN:
        call_open(session, call);
        break;
    case EMULATE_IOCTL:
        call_ioctl(session, call);
        break;
    case EMULATE_READ:
        call_read(session, call);
        break;
    case EMULATE_STREAM_IOCTL:
        call_stream_ioctl(session, call);
        break;
    case EMULATE_MAP:
        call_map(session, call);
        break;
    case EMULATE_EVENT:
        call_event(session, call);
        break;
    case EMULATE_EVENT_READ:
    case EMULATE_EVENT_IOCTL:
        call_of_event(session, call);
        break;
    case EMULATE_OPEN_FILE:
        call_open_file(session, call);
        break;
    case EMULATE_WRITE:
        call_write(session, call);
        break;
    case EMULATE_CONTENT:
        call_content(session, call);
        break;
    case EMULATE_NOW:
        put_result(session, (int64_t)server_now_ns(session->server), NULL, 0);
        break;
    case EMULATE_SLEEP:
        session->sleeps = true; /* completed by sessions_retry() */
        session->wake_ns = call->a;
        break;
    default:
        session->broken = true;
        break;
    }
}

/* Writes a line of the log in one write(), so that lines do not mix. */
static void take_line(struct session *session, uint32_t bytes)
{
    char line[EMULATE_MAX_LINE];
    struct server *server = session->server;
    if (bytes > sizeof line || server->log < 0)
        session->broken = true;
    else if (take(session, line, bytes) && write(server->log, line, bytes) != (ssize_t)bytes)
        server->outcome->lines_lost++;
}

void session_serve(struct session *session)
{
    struct emulate_header call;
    if (!take(session, &call, sizeof call))
        return;
    if (call.kind == EMULATE_CANCEL) {
        call_cancel(session);
        return;
    }
    if (call.kind == EMULATE_LINE) {
        take_line(session, call.bytes);
        return;
    }
    session->argument.size = 0;
    char *space = call.bytes && call.bytes <= UINT16_MAX
                      ? buffer_reserve(&session->argument, call.bytes)
                      : NULL;
    if (session->waits || session->sleeps ||
        (call.bytes && (!space || !take(session, space, call.bytes)))) {
        session->broken = true;
        return;
    }
    session->argument.size = call.bytes;
    answer_call(session, &call);
}

/* As in the kernel, only the stream's poll timer wakes waiting reads. */
static bool is_woken(const struct session *session)
{
    const struct descriptor *descriptor =
        descriptor_find(session->server, OF_STREAM, session->waiting.target);
    return !descriptor || i915_stream_poll(descriptor->stream);
}

void sessions_retry(struct server *server)
{
    for (struct session *session = server->sessions; session; session = session->next) {
        struct emulate_header call = session->waiting;
        if (session->sleeps && session->wake_ns <= server_now_ns(server)) {
            session->sleeps = false;
            put_result(session, 0, NULL, 0);
        }
        if (!session->waits || !is_woken(session))
            continue;
        session->call = &call;
        session->waits = !try_read(session, &call);
    }
}

/* ---- creation and destruction ---------------------------------------------------------------- */

int session_new(struct server *server, int fd)
{
    struct session *session = calloc(1, sizeof *session);
    struct timeval timeout = {.tv_sec = ANSWER_TIMEOUT_S};
    if (!session) {
        close(fd);
        return -ENOMEM;
    }
    session->source = (struct source){SOURCE_SESSION, fd, session};
    session->server = server;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    int result = server_watch(server, &session->source);
    if (result < 0) {
        close(fd);
        free(session);
        return result;
    }
    session->next = server->sessions;
    server->sessions = session;
    return 0;
}

void session_free(struct session *session)
{
    struct session **at = &session->server->sessions;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    close(session->source.fd);
    buffer_fini(&session->argument);
    buffer_fini(&session->reply);
    free(session);
}
