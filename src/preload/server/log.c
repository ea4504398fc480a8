/* SPDX-License-Identifier: MIT */
/*
 * The log of calls. Clients send its lines, so the server writes the number of the thread itself,
 * keeps only printable ASCII, and limits how much is written: a client cannot forge another's
 * lines, control a terminal, or fill a disk at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/minmax.h"
#include "preload/server/server.h"

#define PREFIX          32        /* "[thread] " */
#define BYTES_PER_S     16000000u /* a busy program writes less than a tenth */
#define MAX_CREDIT      (4 * BYTES_PER_S)
#define READER_DELAY_MS 100

/* A FIFO is opened and written without blocking, because its reader may be missing or slow. */
int log_open(struct server *server, struct tally_error *error)
{
    const char *name = server->settings->log;
    if (!name)
        return 0;
    server->log = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    server->log_credit = MAX_CREDIT;
    server->log_ns = clock_ns(CLOCK_MONOTONIC);
    if (server->log >= 0)
        return 0;
    int code = errno;
    struct stat about;
    if (code == ENXIO && stat(name, &about) == 0 && S_ISFIFO(about.st_mode))
        return fail(error, -ENXIO, "%s: a FIFO that no process reads, expected its reader first",
                    name);
    return fail(error, -code, "%s: %s", name, strerror(code));
}

void log_close(struct server *server)
{
    if (server->log >= 0)
        close(server->log);
}

/* Whether a line may be written: credit for lines grows with time. */
static bool spend(struct server *server, size_t bytes)
{
    uint64_t now = clock_ns(CLOCK_MONOTONIC);
    uint64_t passed_us = min_u64((now - server->log_ns) / 1000, 4 * UINT64_C(1000000));
    server->log_ns += (now - server->log_ns) / 1000 * 1000;
    server->log_credit =
        min_u64(server->log_credit + passed_us * (BYTES_PER_S / 1000000), MAX_CREDIT);
    if (server->log_credit < bytes)
        return false;
    server->log_credit -= bytes;
    return true;
}

/* Writes all bytes. A slow reader of a pipe gets some time, but once only while it does not read.
 */
static bool put(struct server *server, const char *bytes, size_t size)
{
    while (size) {
        ssize_t done = write(server->log, bytes, size);
        if (done >= 0) {
            bytes += done;
            size -= (size_t)done;
            server->log_is_stuck = false;
            continue;
        }
        struct pollfd entry = {.fd = server->log, .events = POLLOUT};
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN || server->log_is_stuck)
            return false;
        server->log_is_stuck = poll(&entry, 1, READER_DELAY_MS) != 1;
    }
    return true;
}

void log_line(struct session *session, const char *text, size_t size)
{
    struct server *server = session->server;
    char line[PREFIX + EMULATE_MAX_LINE + 1];
    if (server->log < 0 || size > EMULATE_MAX_LINE) {
        session->broken = true;
        return;
    }
    size_t used =
        (size_t)snprintf(line, PREFIX, "[%ld] ", peer_thread(session, (long)session->incoming.a));
    for (size_t i = 0; i < size; i++)
        line[used++] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    line[used++] = '\n';
    if (!spend(server, used))
        server->outcome->lines_refused++;
    else if (!put(server, line, used))
        server->outcome->lines_lost++;
}
