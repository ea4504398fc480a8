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
    lease_forget();
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

/* ---- what the server requests during a call ---------------------------------------------------
 */

int64_t call_take_descriptor(struct call *call, unsigned flags, int received)
{
    if (received < 0)
        return -EMFILE;
    if (!(flags & O_CLOEXEC))
        NEXT(fcntl)(received, F_SETFD, 0);
    if (flags & O_NONBLOCK)
        NEXT(fcntl)(received, F_SETFL, O_RDWR | O_NONBLOCK);
    descriptor_forget(received);
    call->descriptor = received;
    return received;
}

int64_t call_map_memory(struct call *call, const struct emulate_header *request, int received)
{
    if (received < 0)
        return -ENOMEM;
    int protection = request->c ? call->map_protection : PROT_READ | PROT_WRITE;
    int flags = request->c ? call->map_flags : MAP_SHARED;
    void *memory = NEXT(mmap64)(request->c ? call->map_hint : NULL, (size_t)request->b, protection,
                                flags, received, (off64_t)request->a);
    int64_t mapped = memory == MAP_FAILED ? -errno : (int64_t)(intptr_t)memory;
    real_close(received);
    return mapped;
}

/* signals: the program's mask, used during the wait. */
int call_begin_wait(int fd, const sigset_t *signals, sigset_t *before)
{
    (void)fd;
    pthread_sigmask(SIG_SETMASK, signals, before);
    return 0;
}

void call_end_wait(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

int call_let_signals(const sigset_t *signals)
{
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, signals, &before);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return 0;
}

#define KNOWN_BYTES 4096u

/* The process's number, in a page that the kernel clears in a child of fork(), also of one that
 * libc does not know. A child of vfork() has its parent's, and its parent's memory. NULL: none. */
static pid_t *known_process;

__attribute__((constructor)) static void make_known(void)
{
    void *page =
        mmap(NULL, KNOWN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, KNOWN_BYTES, MADV_WIPEONFORK) == 0)
        known_process = page;
    else if (page != MAP_FAILED)
        NEXT(munmap)(page, KNOWN_BYTES);
}

pid_t user_process(void)
{
    if (!known_process)
        return getpid();
    pid_t process = __atomic_load_n(known_process, __ATOMIC_RELAXED);
    if (!process) {
        process = getpid();
        __atomic_store_n(known_process, process, __ATOMIC_RELAXED);
    }
    return process;
}

bool user_is_own(void)
{
    return true;
}

/* ---- a call ---------------------------------------------------------------------------------- */

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
        conversation_put(fd, header, bytes);
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

void channel_executes(const char *path, bool starts)
{
    struct emulate_header header = {.kind = EMULATE_EXECUTES,
                                    .bytes = (uint32_t)strlen(path),
                                    .a = starts ? 0 : (uint64_t)channel_thread()};
    send_only(&header, path);
}

bool channel_is_busy(void)
{
    return thread_channel.busy;
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

static int64_t call_blocked(struct call *call, const sigset_t *signals)
{
    bool nested = thread_channel.busy;
    int fd = nested ? connect_server() : open_channel();
    call->descriptor = -1;
    if (fd < 0)
        return fd;
    if (call_needs_privileges(call->header.kind) && ids_privileged())
        call->header.flags |= EMULATE_PRIVILEGED;
    call->header.thread = (uint32_t)channel_thread();
    thread_channel.busy = true;
    int64_t result = conversation_of(fd, call, signals);
    end_call(fd, nested, result);
    return result;
}

/* ---- waiting by the program's clock ---------------------------------------------------------- */

/* Receives the result of a sleep; cancels it before if the server has not ended it yet. *woken: it
 * ended by EMULATE_WAKE. */
static int64_t end_sleep(int fd, bool cancel, bool *woken)
{
    struct emulate_header header = {.kind = EMULATE_CANCEL};
    if (cancel && !conversation_put(fd, &header, NULL))
        return -ENODEV;
    if (conversation_get(fd, &header, sizeof header, NULL) != 1 || header.kind != EMULATE_RESULT)
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
    if (conversation_put(fd, &header, NULL)) {
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
