/* SPDX-License-Identifier: MIT */
/*
 * A call, as messages on a connection to the server, which may send requests until it sends the
 * result. What a request does to the program depends on who makes the call: channel.c, in the
 * program itself, or namespace/target.c, for a thread of another process.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

/* ---- messages -------------------------------------------------------------------------------- */

#define RETRY_NS  1000000
#define RETRY_MAX 1000 /* of the system calls of a message */

/* Whether a system call shall be made again: it was interrupted, or the kernel lacked memory. */
static bool retries(unsigned *count)
{
    const struct timespec pause = {0, RETRY_NS};
    if (errno == EINTR)
        return true;
    if ((errno != ENOBUFS && errno != ENOMEM) || (*count)++ == RETRY_MAX)
        return false;
    NEXT(nanosleep)(&pause, NULL);
    return true;
}

bool conversation_put(int fd, const struct emulate_header *header, const void *bytes)
{
    struct iovec parts[2] = {{(void *)header, sizeof *header},
                             {(void *)(bytes ? bytes : ""), header->bytes}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    size_t left = sizeof *header + header->bytes;
    unsigned failed = 0;
    while (left) {
        ssize_t done = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (done < 0 && retries(&failed))
            continue;
        if (done < 0)
            return false;
        left -= (size_t)done;
        for (unsigned i = 0; i < 2; i++) {
            size_t part = (size_t)done < parts[i].iov_len ? (size_t)done : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            done -= (ssize_t)part;
        }
    }
    return true;
}

/* Bytes that may follow what is received, and how many did. */
struct extra {
    void *to;
    size_t bytes, got;
};

/* Receives exactly `bytes`, with what follows into `extra` unless that is NULL, and a descriptor if
 * one is attached. Returns 1; 0: the server is gone; -EINTR: with `cancel`, a signal came before
 * the first byte. */
static int get(int fd, void *to, size_t bytes, struct extra *extra, int *descriptor, bool cancel)
{
    char *at = to;
    unsigned failed = 0;
    while (bytes) {
        union {
            struct cmsghdr header;
            char bytes[CMSG_SPACE(sizeof(int))];
        } control;
        struct iovec parts[2] = {{at, bytes}, {0}};
        struct msghdr message = {.msg_iov = parts,
                                 .msg_iovlen = 1,
                                 .msg_control = control.bytes,
                                 .msg_controllen = sizeof control.bytes};
        if (extra && extra->bytes) {
            parts[1] = (struct iovec){extra->to, extra->bytes};
            message.msg_iovlen = 2;
        }
        ssize_t done = NEXT(recvmsg)(fd, &message, MSG_CMSG_CLOEXEC);
        if (done < 0 && errno == EINTR && cancel && at == to)
            return -EINTR;
        if (done < 0 && errno == EFAULT && message.msg_iovlen == 2) {
            extra->bytes = 0; /* the program's memory has changed since it was probed */
            continue;
        }
        if (done < 0 && retries(&failed))
            continue;
        if (done <= 0)
            return 0;
        for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
            if (descriptor && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
                memcpy(descriptor, CMSG_DATA(c), sizeof *descriptor);
        if ((size_t)done > bytes) {
            extra->got = (size_t)done - bytes;
            return 1;
        }
        at += done;
        bytes -= (size_t)done;
    }
    return 1;
}

int conversation_get(int fd, void *to, size_t bytes, int *descriptor)
{
    return get(fd, to, bytes, NULL, descriptor, false);
}

/* A channel during a call, and what was received behind a header. */
struct line {
    int fd;
    struct extra extra; /* to: the call's memory if it has `direct`, else `ahead` */
    char ahead[512];
    size_t taken; /* bytes of `ahead` */
};

static size_t ahead_bytes(const struct line *line)
{
    return line->extra.to == line->ahead ? line->extra.got - line->taken : 0;
}

/* Receives bytes, first those that are here already. */
static bool get_bytes(struct line *line, void *to, size_t bytes)
{
    size_t ahead = ahead_bytes(line), now = ahead < bytes ? ahead : bytes;
    memcpy(to, line->ahead + line->taken, now);
    line->taken += now;
    return get(line->fd, (char *)to + now, bytes - now, NULL, NULL, false) == 1;
}

static bool answer(int fd, int64_t value, const void *bytes, size_t size)
{
    struct emulate_header header = {
        .bytes = (uint32_t)size, .kind = EMULATE_ANSWER, .a = (uint64_t)value};
    return conversation_put(fd, &header, bytes);
}

/* ---- requests of the server during a call ---------------------------------------------------- */

#define PIECE 65536u

static void *scratch(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool copy_in(int fd, const struct emulate_header *request)
{
    char small[1024];
    size_t bytes = (size_t)request->b;
    void *memory = bytes <= sizeof small ? small : scratch(bytes);
    bool read = memory && user_read(memory, request->a, bytes);
    bool sent = answer(fd, read ? 0 : -EFAULT, memory, read ? bytes : 0);
    if (memory && memory != small)
        NEXT(munmap)(memory, bytes);
    return sent;
}

/* Receives bytes into the program's memory, in pieces. Returns false if the server is gone. Sets
 * *written if all bytes could be written. */
static bool receive_to_user(struct line *line, uint64_t address, size_t bytes, bool *written)
{
    char small[4096];
    void *memory = bytes <= sizeof small ? small : scratch(PIECE);
    size_t capacity = memory == small ? sizeof small : PIECE;
    bool received = memory != NULL;
    *written = received;
    for (size_t done = 0, now; received && done < bytes; done += now) {
        now = bytes - done < capacity ? bytes - done : capacity;
        received = get_bytes(line, memory, now);
        if (received && *written)
            *written = user_write(address + done, memory, now);
    }
    if (memory && memory != small)
        NEXT(munmap)(memory, PIECE);
    return received;
}

static bool copy_out(struct line *line, const struct emulate_header *request)
{
    bool written;
    return receive_to_user(line, request->a, request->bytes, &written) &&
           answer(line->fd, written ? 0 : -EFAULT, NULL, 0);
}

static bool take_result(struct line *line, struct call *call, const struct emulate_header *header)
{
    bool written;
    size_t direct = call->direct ? line->extra.got : 0;
    call->flags = header->flags;
    if (header->bytes <= direct)
        return header->bytes == direct;
    if (call->into)
        return get_bytes(line, call->into, header->bytes);
    bool received =
        receive_to_user(line, call->argument + direct, header->bytes - direct, &written);
    call->unwritten = !written;
    return received;
}

/* ---- a call ---------------------------------------------------------------------------------- */

/* Handles a message of the server. Returns 1: it was the result; 0: a request; negative: the server
 * is gone. */
static int handle(struct line *line, struct call *call, struct emulate_header *header, int received)
{
    int fd = line->fd;
    switch (header->kind) {
    case EMULATE_COPY_IN:
        return copy_in(fd, header) ? 0 : -ENODEV;
    case EMULATE_COPY_OUT:
        return copy_out(line, header) ? 0 : -ENODEV;
    case EMULATE_DESCRIPTOR:
        return answer(fd, call_take_descriptor(call, (unsigned)header->a, received), NULL, 0)
                   ? 0
                   : -ENODEV;
    case EMULATE_MEMORY:
        call->mapped = call_map_memory(call, header, received);
        return answer(fd, call->mapped, NULL, 0) ? 0 : -ENODEV;
    case EMULATE_REACH:
        return answer(fd, (int64_t)user_mapped(call->argument, (size_t)call->header.a), NULL, 0)
                   ? 0
                   : -ENODEV;
    case EMULATE_WAITS:
        return 0;
    case EMULATE_RESULT:
        return take_result(line, call, header) ? 1 : -ENODEV;
    default:
        return -ENODEV;
    }
}

/* Receives the next header, and bytes that follow it. signals: the program's mask, used during the
 * wait; NULL: all blocked. */
static int get_header(struct line *line, const struct call *call, struct emulate_header *header,
                      int *received, const sigset_t *signals)
{
    sigset_t all;
    bool direct = call->direct;
    if (ahead_bytes(line)) /* the result behind EMULATE_WAITS */
        return get_bytes(line, header, sizeof *header);
    line->extra = (struct extra){direct ? (void *)(uintptr_t)call->argument : line->ahead,
                                 direct ? call->direct : sizeof line->ahead, 0};
    line->taken = 0;
    if (signals && call_begin_wait(line->fd, signals, &all) < 0)
        return -EINTR;
    int got = get(line->fd, header, sizeof *header, &line->extra, received, signals != NULL);
    if (signals)
        call_end_wait(&all);
    return got;
}

static int64_t converse(int fd, struct call *call, const sigset_t *signals)
{
    struct emulate_header header;
    struct line line = {.fd = fd};
    bool cancel = call->header.flags & EMULATE_BLOCKING;
    if (!conversation_put(fd, &call->header, call->bytes))
        return -ENODEV;
    for (;;) {
        int received = -1;
        int got = get_header(&line, call, &header, &received, cancel ? signals : NULL);
        if (got == -EINTR) { /* the result shows whether the signal or the data came first */
            struct emulate_header stop = {.kind = EMULATE_CANCEL, .target = call->header.target};
            cancel = false;
            if (conversation_put(fd, &stop, NULL))
                continue;
        }
        if (got != 1)
            return -ENODEV;
        int done = handle(&line, call, &header, received);
        cancel = header.kind == EMULATE_WAITS;
        if (done)
            return done < 0 ? done : (int64_t)header.a;
    }
}

#define REPEATS 16 /* without a wait in which signals can come */

int64_t conversation_of(int fd, struct call *call, const sigset_t *signals)
{
    int64_t result = converse(fd, call, signals);
    for (unsigned repeats = 0; result >= 0 && call->flags & EMULATE_REPEAT; repeats++) {
        call->header.flags |= EMULATE_REPEAT;
        if (repeats >= REPEATS && signals && call_let_signals(signals) < 0)
            result = -EINTR;
        else
            result = converse(fd, call, signals);
    }
    call->header.flags &= (uint16_t)~EMULATE_REPEAT;
    return result;
}

bool call_needs_privileges(uint16_t kind)
{
    return kind == EMULATE_IOCTL || kind == EMULATE_EVENT || kind == EMULATE_TRACEPOINT ||
           kind == EMULATE_OPEN_FILE || kind == EMULATE_LOAD || kind == EMULATE_STORE;
}
