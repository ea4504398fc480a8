/* SPDX-License-Identifier: MIT */
/* The threads that serve calls. Each has a connection to the server; while all are busy, one more
 * is started, because a call may wait. */
#include <dlfcn.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/namespace/namespace.h"

#define STACK_BYTES (1u << 20)
#define MAX_THREADS 4096

/* Since Linux 6.6: the thread that is answered continues on this processor. */
#define SET_FLAGS SECCOMP_IOW(4, __u64)
#define SYNC_WAKE 1u

static struct supervisor common;
static atomic_int idle, threads;

static _Thread_local int connection = -1;

/* ---- calls of the server --------------------------------------------------------------------- */

static int connect_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/" EMULATE_SOCKET, common.directory);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* The server is the process that has started the supervisor. */
bool channel_is_trusted(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getppid();
}

int64_t channel_call(struct call *call)
{
    static const sigset_t none;
    if (connection < 0)
        connection = connect_server();
    call->descriptor = -1;
    call->header.thread = (uint32_t)target_thread();
    call->direct = 0; /* the address is the target's */
    if (call_needs_privileges(call->header.kind) && ids_privileged())
        call->header.flags |= EMULATE_PRIVILEGED;
    int64_t result = connection < 0 ? -ENODEV : conversation_of(connection, call, &none);
    if (result == -ENODEV && connection >= 0) {
        close(connection);
        connection = -1;
    }
    return result;
}

void channel_log(const char *line, size_t bytes)
{
    struct emulate_header header = {
        .kind = EMULATE_LINE, .bytes = (uint32_t)bytes, .a = (uint64_t)target_thread()};
    if (connection < 0)
        connection = connect_server();
    if (connection >= 0)
        conversation_put(connection, &header, line);
}

/* client/next.c's, where nothing is interposed. */
void *next_function(void **cache, const char *name)
{
    void *function = dlsym(RTLD_DEFAULT, name);
    __atomic_store_n(cache, function, __ATOMIC_RELAXED);
    return function;
}

/* ---- threads --------------------------------------------------------------------------------- */

static int64_t perform(const struct seccomp_data *data)
{
    for (const struct trap *trap = traps; trap->number >= 0; trap++)
        if (trap->number == data->nr)
            return trap->perform((const uint64_t *)data->args);
    return TRAP_CONTINUE;
}

static int start_thread(void);

/* Whether the last process with the filter has ended. Since Linux 6.11, NOTIF_RECV then fails with
 * ENOENT at once, as it does for a call that ended while it was received. */
static bool is_over(void)
{
    struct pollfd entry = {.fd = common.listener};
    return poll(&entry, 1, 0) > 0;
}

static void *serve(void *closure)
{
    (void)closure;
    for (;;) {
        struct seccomp_notif call = {0};
        atomic_fetch_add(&idle, 1);
        int got = ioctl(common.listener, SECCOMP_IOCTL_NOTIF_RECV, &call);
        bool last = atomic_fetch_sub(&idle, 1) == 1;
        if (got < 0 && !(errno == EINTR || (errno == ENOENT && !is_over())))
            return NULL;
        if (got < 0)
            continue;
        if (last)
            start_thread();
        if (target_begin(call.id, (pid_t)call.pid))
            target_end(perform(&call.data));
        else
            target_end(TRAP_CONTINUE);
    }
}

/* If there is no memory for a thread, calls wait for the others. */
static int start_thread(void)
{
    pthread_t thread;
    pthread_attr_t attributes;
    if (atomic_load(&threads) >= MAX_THREADS)
        return -EAGAIN;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int result = -pthread_create(&thread, &attributes, serve, NULL);
    pthread_attr_destroy(&attributes);
    if (result == 0)
        atomic_fetch_add(&threads, 1);
    return result;
}

int supervisor_start(const struct supervisor *supervisor)
{
    common = *supervisor;
    target_settings(supervisor);
    ioctl(common.listener, SET_FLAGS, SYNC_WAKE);
    return start_thread();
}
