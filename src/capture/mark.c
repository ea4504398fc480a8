/* SPDX-License-Identifier: MIT */
/* <tally/mark.h>: marks of the recorded program. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tally/mark.h>

#include "base/clock.h"
#include "capture/mark_lines.h"

/* The descriptor, and the file that it must be of: the program may have closed it and opened
 * another one in its place. */
static atomic_int descriptor = -1;
static dev_t device;
static ino_t inode;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_ours(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

static void find_descriptor(void)
{
    const char *number = getenv(MARK_FD_VARIABLE), *id = getenv(MARK_ID_VARIABLE);
    unsigned long long numbers[2];
    char *end;
    if (!number || !id || sscanf(id, "%llu:%llu", &numbers[0], &numbers[1]) != 2)
        return;
    long fd = strtol(number, &end, 10);
    device = (dev_t)numbers[0];
    inode = (ino_t)numbers[1];
    if (end != number && !*end && fd >= 0 && fd <= INT32_MAX && is_ours((int)fd))
        atomic_store(&descriptor, (int)fd);
}

/* Writes a line, which is short enough to be written at once. Returns false if nobody reads. */
static bool write_line(int fd, const char *line, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    ssize_t put;
    while ((put = write(fd, line, size)) < 0 && (errno == EINTR || errno == EAGAIN))
        if (errno == EAGAIN)
            poll(&ready, 1, -1);
    return put == (ssize_t)size;
}

/* Writes without the signal of a pipe that nobody reads. */
static void send_line(int fd, const char *line, size_t size)
{
    sigset_t pipe, before, pending;
    const struct timespec now = {0, 0};
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    sigpending(&pending);
    if (!is_ours(fd) || !write_line(fd, line, size)) {
        atomic_store(&descriptor, -1);
        if (!sigismember(&pending, SIGPIPE))
            while (sigtimedwait(&pipe, NULL, &now) < 0 && errno == EINTR)
                ;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Returns the descriptor to write to, or -1. */
static int find_open(void)
{
    pthread_once(&once, find_descriptor);
    return atomic_load(&descriptor);
}

static void make_mark(const char *word, const char *name)
{
    int before = errno, fd = find_open();
    char line[64 + TALLY_MARK_NAME_MAX];
    if (fd >= 0) {
        size_t kept = mark_name_size(name, strnlen(name, TALLY_MARK_NAME_MAX + 1));
        int size = snprintf(line, sizeof line, "@%" PRIu64 " %s%s%.*s", clock_ns(CLOCK_MONOTONIC),
                            word, kept ? " " : "", (int)kept, name);
        for (int i = 0; i < size; i++)
            if ((unsigned char)line[i] < ' ')
                line[i] = ' ';
        line[size] = '\n';
        send_line(fd, line, (size_t)size + 1);
    }
    errno = before;
}

bool tally_mark_enabled(void)
{
    int before = errno;
    bool enabled = find_open() >= 0;
    errno = before;
    return enabled;
}

void tally_mark(const char *name)
{
    make_mark("mark", name);
}

void tally_mark_begin(const char *name)
{
    make_mark("begin", name);
}

void tally_mark_end(const char *name)
{
    make_mark("end", name);
}

void tally_mark_frame(void)
{
    make_mark("frame", "");
}
