/* SPDX-License-Identifier: MIT */
/* splice() from trace_pipe_raw to a pipe, as whole pages. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/client/client.h"

#define PAGE      4096u
#define MAX_PAGES 64u /* at once */

/* Returns the space of a pipe, in whole pages. -1 with errno: it is no pipe. */
static ssize_t pipe_space(int fd)
{
    int unread, size = NEXT(fcntl)(fd, F_GETPIPE_SZ);
    if (size < 0) {
        errno = EINVAL;
        return -1;
    }
    if (NEXT(ioctl)(fd, FIONREAD, &unread) < 0)
        return -1;
    int used = (int)((unsigned)unread + PAGE - 1) / (int)PAGE * (int)PAGE;
    return used < size ? size - used : 0;
}

/* Waits until the pipe has space. Returns it; -1 with errno. */
static ssize_t await_space(int fd, unsigned flags)
{
    struct pollfd entry = {.fd = fd, .events = POLLOUT};
    for (;;) {
        ssize_t space = pipe_space(fd);
        if (space)
            return space;
        if (flags & SPLICE_F_NONBLOCK) {
            errno = EAGAIN;
            return -1;
        }
        if (NEXT(poll)(&entry, 1, -1) < 0)
            return -1;
    }
}

/* Reads whole pages. */
static int64_t read_pages(int fd, const struct descriptor *descriptor, void *to, size_t bytes,
                          bool blocks)
{
    struct call call = {
        .header = {.kind = EMULATE_FILE_READ,
                   .flags = blocks ? EMULATE_BLOCKING : 0,
                   .target = descriptor->number,
                   .a = bytes,
                   .b = 1},
        .into = to,
    };
    int64_t result = channel_call(&call);
    request_drain(fd, &call);
    return result;
}

/* What is read of a pipe of tracefs is gone, so it is only read if it can be written. */
int64_t request_splice(int from, const struct descriptor *descriptor, int to, size_t bytes,
                       unsigned flags)
{
    ssize_t space = await_space(to, flags);
    if (space < 0)
        return -errno;
    if (bytes > (size_t)space)
        bytes = (size_t)space;
    if (bytes > MAX_PAGES * PAGE)
        bytes = MAX_PAGES * PAGE;
    void *pages =
        mmap(NULL, MAX_PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return -errno;
    int status = NEXT(fcntl)(from, F_GETFL);
    bool blocks = !(flags & SPLICE_F_NONBLOCK) && status >= 0 && !(status & O_NONBLOCK);
    int64_t got = read_pages(from, descriptor, pages, bytes, blocks);
    if (got > 0 && NEXT(write)(to, pages, (size_t)got) < 0)
        got = -errno;
    NEXT(munmap)(pages, MAX_PAGES * PAGE);
    return got;
}
