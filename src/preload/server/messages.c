/* SPDX-License-Identifier: MIT */
/*
 * Messages of a connection. Calls are received as they arrive, so a program that sends half of one
 * delays nobody. During a call the server waits for answers and for space to send, but for
 * PATIENCE_NS in total, without the time in which the program waits for a processor; then the
 * connection is closed. Signals are served meanwhile.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/minmax.h"
#include "preload/server/server.h"
#include "preload/server/tasks.h"

#define PATIENCE_NS 3000000000u
#define LIMIT_NS    UINT64_C(60000000000) /* with the time in which it waits for a processor */
#define LOOK_NS     250000000u            /* time between looks at the program */
#define MAX_CANCELS 2                     /* that may arrive instead of an answer */

/* ---- waiting --------------------------------------------------------------------------------- */

void session_begin(struct session *session)
{
    session->patience_ns = PATIENCE_NS;
    session->limit_ns = LIMIT_NS;
    session->was_runnable = false;
}

/* Takes the time that passed from the server's patience, but for the time in which the program was
 * runnable and had no processor. */
static void lose_patience(struct session *session, uint64_t passed)
{
    uint64_t ran = 0, used = passed;
    if (passed >= LOOK_NS) {
        bool known = session->caller && !session->supervises;
        bool runnable = tasks_is_runnable(known ? session->caller : session->pid, &ran);
        if (runnable && session->was_runnable)
            used = min_u64(ran - session->ran_ns, passed);
        session->was_runnable = runnable;
        session->ran_ns = ran;
    }
    session->patience_ns -= min_u64(used, session->patience_ns);
    session->limit_ns -= min_u64(passed, session->limit_ns);
    session->patience_ns = min_u64(session->patience_ns, session->limit_ns);
}

/* Waits until the connection can be read or written. Returns false, and breaks it, if the program
 * has used up the server's patience. */
static bool await(struct session *session, short events)
{
    struct server *server = session->server;
    struct pollfd entries[2] = {{.fd = session->source.fd, .events = events},
                                {.fd = server_signals(server), .events = POLLIN}};
    while (session->patience_ns) {
        uint64_t start = clock_ns(CLOCK_MONOTONIC);
        struct timespec left = timespec_of_ns(min_u64(session->patience_ns, LOOK_NS));
        int ready = ppoll(entries, 2, &left, NULL);
        lose_patience(session, clock_ns(CLOCK_MONOTONIC) - start);
        if (ready > 0 && entries[1].revents)
            server_take_signals(session->server);
        if (ready > 0 && entries[0].revents)
            return true;
    }
    session->broken = true;
    server->outcome->impatient++;
    return false;
}

/* ---- sending --------------------------------------------------------------------------------- */

void session_put(struct session *session, const struct emulate_header *header, const void *bytes,
                 int descriptor)
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
        ssize_t done = sendmsg(session->source.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done < 0 && (errno == EINTR || (errno == EAGAIN && await(session, POLLOUT))))
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

/* ---- calls ----------------------------------------------------------------------------------- */

/* Receives what has arrived of `bytes`, of which *got are there. Returns true if it is all. */
static bool receive(struct session *session, void *to, size_t bytes, size_t *got)
{
    while (*got < bytes) {
        ssize_t now = recv(session->source.fd, (char *)to + *got, bytes - *got, MSG_DONTWAIT);
        if (now < 0 && errno == EINTR)
            continue;
        if (now < 0 && errno == EAGAIN)
            return false;
        if (now <= 0) {
            session->broken = true;
            return false;
        }
        *got += (size_t)now;
    }
    return true;
}

/* Returns the maximum number of bytes that follow a header. */
static uint32_t max_bytes(uint16_t kind)
{
    return kind == EMULATE_CANCEL ? 0 : kind == EMULATE_LINE ? EMULATE_MAX_LINE : UINT16_MAX;
}

bool session_receive(struct session *session)
{
    struct emulate_header *header = &session->incoming;
    if (!session->has_header) {
        if (!receive(session, header, sizeof *header, &session->got))
            return false;
        if (header->bytes > max_bytes(header->kind)) {
            session->broken = true;
            return false;
        }
        session->has_header = true;
        session->got = 0;
    }
    if (header->bytes) {
        session->argument.size = 0;
        char *space = buffer_reserve(&session->argument, header->bytes);
        if (!space) {
            session->broken = true;
            return false;
        }
        if (!receive(session, space, header->bytes, &session->got))
            return false;
    }
    if (header->kind != EMULATE_CANCEL) /* which ends a call that has an argument */
        session->argument.size = header->bytes;
    session->has_header = false;
    session->got = 0;
    return true;
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool take(struct session *session, void *to, size_t bytes)
{
    size_t got = 0;
    while (!receive(session, to, bytes, &got))
        if (session->broken || !await(session, POLLIN))
            return false;
    return true;
}

int64_t session_request(struct session *session, const struct emulate_header *header,
                        const void *bytes, int descriptor, struct buffer *answer)
{
    struct emulate_header got;
    unsigned cancels = 0;
    session_put(session, header, bytes, descriptor);
    do { /* a signal may have sent a cancel before the answer */
        if (session->broken || !take(session, &got, sizeof got))
            return -EPIPE;
    } while (got.kind == EMULATE_CANCEL && !got.bytes && ++cancels <= MAX_CANCELS);
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
