/* SPDX-License-Identifier: MIT */
/*
 * A thread's connection to the server. The thread's first call opens it, also after fork(). If the
 * program closes it (some programs close all unknown descriptors), the next call opens another.
 *
 * The server may send requests during a call, and serves no other client until they are answered,
 * so signals are blocked during a call. Only a call that waits can be interrupted, because the
 * server sends no requests then; a call from the signal handler uses another connection.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "preload/client/client.h"

#define HIGH 400 /* lowest descriptor of a channel; above those that programs usually use */

struct channel {
    int fd; /* plus 1; 0: none */
    ino_t inode;
    pid_t pid;
    bool busy;
};

static __thread struct channel thread_channel;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int real_close(int fd)
{
    return NEXT(close)(fd);
}

/* ---- connecting ------------------------------------------------------------------------------ */

static void address_of(struct sockaddr_un *out)
{
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(out->sun_path, sizeof out->sun_path, "%s/" EMULATE_SOCKET, tree_directory());
}

/* The server reads and writes the program's memory. */
bool channel_is_trusted(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           ids_trusts((unsigned)peer.uid);
}

static int connect_server(void)
{
    struct sockaddr_un address;
    address_of(&address);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    int result;
    do
        result = connect(fd, (struct sockaddr *)&address, sizeof address);
    while (result < 0 && errno == EINTR);
    if (result < 0 && (errno == ENOENT || errno == ECONNREFUSED))
        time_end();
    if (result < 0 || !channel_is_trusted(fd)) {
        real_close(fd);
        return -ENODEV;
    }
    int high = NEXT(fcntl)(fd, F_DUPFD_CLOEXEC, HIGH);
    if (high >= 0) {
        real_close(fd);
        fd = high;
    }
    descriptor_forget(fd);
    return fd;
}

/* Returns the number that the kernel gives a socket; 0: it is closed. */
static ino_t inode_of(int fd)
{
    struct stat about;
    return NEXT(fstat)(fd, &about) == 0 ? about.st_ino : 0;
}

/* Whether the descriptor is still the connection, and not a file that the program has opened since.
 */
static bool is_connected(const struct channel *channel)
{
    return channel->fd && inode_of(channel->fd - 1) == channel->inode;
}

static void end_thread(void *channel)
{
    (void)channel;
    if (thread_channel.pid == getpid() && is_connected(&thread_channel))
        real_close(thread_channel.fd - 1);
    thread_channel.fd = 0;
}

static void make_key(void)
{
    pthread_key_create(&key, end_thread);
}

static int open_channel(void)
{
    bool connected = is_connected(&thread_channel);
    if (connected && thread_channel.pid == getpid())
        return thread_channel.fd - 1;
    if (connected)
        real_close(thread_channel.fd - 1); /* the connection of the parent */
    thread_channel.fd = 0;
    int fd = connect_server();
    if (fd < 0)
        return fd;
    thread_channel.fd = fd + 1;
    thread_channel.inode = inode_of(fd);
    thread_channel.pid = getpid();
    pthread_once(&once, make_key);
    pthread_setspecific(key, &thread_channel);
    return fd;
}

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

static bool put(int fd, const struct emulate_header *header, const void *bytes)
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
    return put(fd, &header, bytes);
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
        munmap(memory, bytes);
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
        munmap(memory, PIECE);
    return received;
}

static bool copy_out(struct line *line, const struct emulate_header *request)
{
    bool written;
    return receive_to_user(line, request->a, request->bytes, &written) &&
           answer(line->fd, written ? 0 : -EFAULT, NULL, 0);
}

static bool take_descriptor(int fd, struct call *call, const struct emulate_header *request,
                            int received)
{
    if (received < 0)
        return answer(fd, -EMFILE, NULL, 0);
    if (!(request->a & O_CLOEXEC))
        NEXT(fcntl)(received, F_SETFD, 0);
    if (request->a & O_NONBLOCK)
        NEXT(fcntl)(received, F_SETFL, O_RDWR | O_NONBLOCK);
    descriptor_forget(received);
    call->descriptor = received;
    return answer(fd, received, NULL, 0);
}

/* Maps memory for a mmap() call, with its arguments, or for GEM_MMAP. */
static bool map_memory(int fd, struct call *call, const struct emulate_header *request,
                       int received)
{
    if (received < 0)
        return answer(fd, -ENOMEM, NULL, 0);
    int protection = request->c ? call->map_protection : PROT_READ | PROT_WRITE;
    int flags = request->c ? call->map_flags : MAP_SHARED;
    void *memory = NEXT(mmap64)(request->c ? call->map_hint : NULL, (size_t)request->b, protection,
                                flags, received, (off64_t)request->a);
    call->mapped = memory == MAP_FAILED ? -errno : (int64_t)(intptr_t)memory;
    real_close(received);
    return answer(fd, call->mapped, NULL, 0);
}

static bool take_result(struct line *line, struct call *call, const struct emulate_header *header)
{
    bool written;
    size_t direct = call->direct ? line->extra.got : 0;
    call->flags = header->flags;
    if (header->bytes <= direct)
        return header->bytes == direct;
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
        return take_descriptor(fd, call, header, received) ? 0 : -ENODEV;
    case EMULATE_MEMORY:
        return map_memory(fd, call, header, received) ? 0 : -ENODEV;
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
    if (signals)
        pthread_sigmask(SIG_SETMASK, signals, &all);
    int got = get(line->fd, header, sizeof *header, &line->extra, received, signals != NULL);
    if (signals)
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    return got;
}

static int64_t converse(int fd, struct call *call, const sigset_t *signals)
{
    struct emulate_header header;
    struct line line = {.fd = fd};
    bool cancel = call->header.flags & EMULATE_BLOCKING;
    if (!put(fd, &call->header, call->bytes))
        return -ENODEV;
    for (;;) {
        int received = -1;
        int got = get_header(&line, call, &header, &received, cancel ? signals : NULL);
        if (got == -EINTR) { /* the result shows whether the signal or the data came first */
            struct emulate_header stop = {.kind = EMULATE_CANCEL, .target = call->header.target};
            cancel = false;
            if (put(fd, &stop, NULL))
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

/* Makes a call; and again, when it has waited for requests of the GPU. */
static int64_t converse_fully(int fd, struct call *call, const sigset_t *signals)
{
    int64_t result = converse(fd, call, signals);
    while (result >= 0 && call->flags & EMULATE_REPEAT) {
        call->header.flags |= EMULATE_REPEAT;
        result = converse(fd, call, signals);
    }
    return result;
}

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

/* Sends a message that has no result. */
static void send_only(const struct emulate_header *header, const void *bytes)
{
    sigset_t before;
    block_signals(&before);
    bool nested = thread_channel.busy;
    int fd = nested ? connect_server() : open_channel();
    if (fd >= 0)
        put(fd, header, bytes);
    if (fd >= 0 && nested)
        real_close(fd);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void channel_log(const char *line, size_t bytes)
{
    struct emulate_header header = {
        .kind = EMULATE_LINE, .bytes = (uint32_t)bytes, .a = (uint64_t)channel_thread()};
    send_only(&header, line);
}

void channel_wake(long thread, uint64_t number)
{
    struct emulate_header header = {.kind = EMULATE_WAKE, .a = (uint64_t)thread, .b = number};
    send_only(&header, NULL);
}

void channel_executes(void)
{
    int saved = errno;
    struct emulate_header header = {.kind = EMULATE_EXECUTES, .a = (uint64_t)channel_thread()};
    send_only(&header, NULL);
    errno = saved;
}

static __thread long thread_number; /* 0: unknown */

static void forget_thread(void)
{
    thread_number = 0;
}

__attribute__((constructor)) static void find_forks(void)
{
    pthread_atfork(NULL, NULL, forget_thread);
}

/* In a child of vfork() it is the parent's, which the server refuses to use. */
long channel_thread(void)
{
    if (!thread_number)
        thread_number = syscall(SYS_gettid);
    return thread_number;
}

/* nested: on a connection of its own. */
static void end_call(int fd, bool nested, int64_t result)
{
    thread_channel.busy = nested;
    if (nested) {
        real_close(fd);
    } else if (result == -ENODEV) {
        if (is_connected(&thread_channel))
            real_close(fd);
        thread_channel.fd = 0;
    }
}

/* Whether the server checks the privileges of a call's thread. */
static bool needs_privileges(uint16_t kind)
{
    return kind == EMULATE_IOCTL || kind == EMULATE_EVENT || kind == EMULATE_TRACEPOINT ||
           kind == EMULATE_OPEN_FILE || kind == EMULATE_LOAD || kind == EMULATE_STORE;
}

static int64_t call_blocked(struct call *call, const sigset_t *signals)
{
    bool nested = thread_channel.busy;
    int fd = nested ? connect_server() : open_channel();
    call->descriptor = -1;
    if (fd < 0)
        return fd;
    if (needs_privileges(call->header.kind) && ids_privileged())
        call->header.flags |= EMULATE_PRIVILEGED;
    call->header.thread = (uint32_t)channel_thread();
    thread_channel.busy = true;
    int64_t result = converse_fully(fd, call, signals);
    end_call(fd, nested, result);
    return result;
}

/* ---- waiting by the program's clock ---------------------------------------------------------- */

/* Receives the result of a sleep; cancels it before if the server has not ended it yet. *woken: it
 * ended by EMULATE_WAKE. */
static int64_t end_sleep(int fd, bool cancel, bool *woken)
{
    struct emulate_header header = {.kind = EMULATE_CANCEL};
    if (cancel && !put(fd, &header, NULL))
        return -ENODEV;
    if (get(fd, &header, sizeof header, NULL, NULL, false) != 1 || header.kind != EMULATE_RESULT)
        return -ENODEV;
    *woken = header.a == 1;
    return 0;
}

static int64_t poll_blocked(struct pollfd *entries, size_t count, uint64_t deadline_ns,
                            uint64_t number, const sigset_t *mask)
{
    struct emulate_header header = {
        .kind = EMULATE_SLEEP, .thread = (uint32_t)channel_thread(), .a = deadline_ns, .b = number};
    bool woken = false;
    const struct timespec none = {0, 0};
    bool nested = thread_channel.busy;
    int fd = nested ? connect_server() : open_channel();
    if (fd < 0)
        return fd;
    thread_channel.busy = true;
    int64_t result = -ENODEV;
    if (put(fd, &header, NULL)) {
        entries[count] = (struct pollfd){.fd = fd, .events = POLLIN};
        int ready = NEXT(ppoll)(entries, count + 1, NULL, mask);
        int code = ready < 0 ? errno : 0;
        bool over = ready > 0 && entries[count].revents;
        result = end_sleep(fd, !over, &woken);
        if (result == 0)
            result = woken ? 1 : ready < 0 ? -code : over && ready == 1 ? 0 : ready - over;
        if (result == 0) /* entries may have become ready just before the end */
            result = NEXT(ppoll)(entries, count, &none, NULL);
    }
    end_call(fd, nested, result);
    return result;
}

int64_t channel_poll(struct pollfd *entries, size_t count, uint64_t deadline_ns,
                     const sigset_t *mask)
{
    sigset_t before;
    block_signals(&before);
    int64_t result = poll_blocked(entries, count, deadline_ns, 0, mask ? mask : &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

int64_t channel_sleep(uint64_t deadline_ns, uint64_t number)
{
    struct pollfd none[1];
    sigset_t before;
    block_signals(&before);
    int64_t result = poll_blocked(none, 0, deadline_ns, number, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

int64_t channel_call(struct call *call)
{
    sigset_t before;
    block_signals(&before);
    int64_t result = call_blocked(call, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}
