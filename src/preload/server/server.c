/* SPDX-License-Identifier: MIT */
/* The event loop, and starting and ending the program. */
#include "preload/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "emulation/faults/faults.h"
#include "preload/namespace/namespace.h"
#include "preload/server/trace.h"

/* Maximum lag of the GPU's clock; beyond it the clock pauses instead of catching up. An NVIDIA
 * GPU's model costs more for each nanosecond, and no program waits for it. */
#define MAX_LAG_NS        200000000u
#define MAX_LAG_NVIDIA_NS 20000000u
#define MAX_RUN_NS        20000000u /* after it other clients are served, if the model is too slow */

/* ---- memory of objects ----------------------------------------------------------------------- */

/* Maximum size of objects whose pages are allocated immediately. This includes report buffers,
 * because enabling a stream clears the whole buffer. */
#define POPULATED (32u << 20)

#define SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* Programs get descriptors of these files. Without the seals they could truncate them, and accesses
 * here would fault. */
static void *allocate(void *closure, size_t bytes, uint64_t *cookie)
{
    (void)closure;
    int fd = memfd_create(OBJECT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0 && fcntl(fd, F_ADD_SEALS, SEALS) == 0)
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (bytes <= POPULATED ? MAP_POPULATE : 0), fd, 0);
    if (memory == MAP_FAILED) {
        close(fd);
        return NULL;
    }
    *cookie = (uint64_t)fd;
    return memory;
}

static void release(void *closure, void *memory, size_t bytes, uint64_t cookie)
{
    (void)closure;
    munmap(memory, bytes);
    close((int)cookie);
}

/* ---- the loop -------------------------------------------------------------------------------- */

int server_watch(struct server *server, struct source *source)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP, .data.ptr = source};
    return epoll_ctl(server->epoll, EPOLL_CTL_ADD, source->fd, &event) < 0 ? -errno : 0;
}

static void accept_sessions(struct server *server)
{
    int fd = accept4(server->listener.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0)
        session_new(server, fd);
}

/* Handles an event of a descriptor: all copies are closed, or a program has written to it without
 * write(), as stdio does; only files take that. */
static void serve_descriptor(struct server *server, struct descriptor *descriptor, uint32_t events)
{
    char text[4096];
    ssize_t got = recv(descriptor->source.fd, text, sizeof text, MSG_DONTWAIT);
    if (got > 0 && descriptor->of == OF_FILE && descriptor->path)
        control_write(server, descriptor->control, descriptor->path, text, (size_t)got);
    else if (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
        descriptor_free(server, descriptor);
}

static void serve_session(struct session *session)
{
    session_serve(session);
    if (session->broken)
        session_free(session);
}

static void serve(struct server *server, struct source *source, uint32_t events)
{
    switch (source->kind) {
    case SOURCE_LISTENER:
        accept_sessions(server);
        break;
    case SOURCE_SIGNAL:
        server_take_signals(server);
        break;
    case SOURCE_SESSION:
        serve_session(source->owner);
        break;
    case SOURCE_DESCRIPTOR:
        serve_descriptor(server, source->owner, events);
        break;
    }
}

static void loop(struct server *server)
{
    /* One event at a time, because handling it may free the source of another. */
    while (!server->stopping && (server->child || server->sessions)) {
        struct epoll_event event;
        if (server_wait(server, &event) == 1)
            serve(server, event.data.ptr, event.events);
        if (!is_virtual(server))
            emulation_catch_up(server->emulation);
        descriptors_update(server);
        if (!is_virtual(server))
            sessions_retry(server);
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

static int watch_at_start(struct server *server, struct source *source, const char *what,
                          struct tally_error *error)
{
    int result = server_watch(server, source);
    return result < 0 ? fail(error, result, "%s: epoll: %s", what, strerror(-result)) : 0;
}

/* Binds a socket to a name in the server's directory. /proc/net/unix shows all users the name as it
 * is given here, so it is not that of the directory, which nobody shall know. */
static int bind_here(const struct server *server, int fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int directory = open(server->directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return -errno;
    snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/" EMULATE_SOCKET,
             directory);
    int result = bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
    close(directory);
    return result;
}

static int listen_here(struct server *server, struct tally_error *error)
{
    char path[sizeof server->directory + sizeof EMULATE_SOCKET];
    snprintf(path, sizeof path, "%s/" EMULATE_SOCKET, server->directory);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int result = fd < 0 ? -errno : bind_here(server, fd);
    if (result == 0 && listen(fd, 128) < 0)
        result = -errno;
    if (result < 0) {
        if (fd >= 0)
            close(fd);
        return fail(error, result, "%s: %s", path, strerror(-result));
    }
    if (geteuid() == 0) /* programs may change their user; peer_accept() checks who connects */
        chmod(path, 0666);
    server->listener = (struct source){SOURCE_LISTENER, fd, NULL};
    return watch_at_start(server, &server->listener, path, error);
}

/* Passes the offset of CLOCK_REALTIME from CLOCK_MONOTONIC to the program. */
static void set_clock(const struct server *server)
{
    char text[32];
    if (!is_virtual(server)) {
        unsetenv(EMULATE_CLOCK);
        return;
    }
    snprintf(text, sizeof text, "%" PRId64, virtual_offset_ns(server));
    setenv(EMULATE_CLOCK, text, 1);
}

static void preload(const struct server *server)
{
    const char *before = getenv("LD_PRELOAD"), *library = server->settings->library;
    char *list;
    if (asprintf(&list, "%s" EMULATE_ALSO "%s%s", library, before && *before ? ":" : "",
                 before ? before : "") >= 0)
        setenv("LD_PRELOAD", list, 1);
    else
        setenv("LD_PRELOAD", library, 1);
}

static void set_environment(const struct server *server)
{
    if (!server->settings->by_namespace)
        preload(server);
    setenv(EMULATE_ENVIRONMENT, server->directory, 1);
    if (server->settings->log)
        setenv(EMULATE_LOG, "1", 1);
    else
        unsetenv(EMULATE_LOG);
    set_clock(server);
    if (server->settings->as_root)
        setenv(EMULATE_IDS, "0:0", 1);
    else
        unsetenv(EMULATE_IDS);
}

/* Returns the signal that a child gets when the server has been killed: SIGHUP, because its device
 * is gone; if the program would ignore that, as under nohup, SIGTERM or SIGKILL. */
static int signal_of_death(void)
{
    static const int numbers[] = {SIGHUP, SIGTERM};
    struct sigaction action;
    for (size_t i = 0; i < ARRAY_COUNT(numbers); i++)
        if (sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            return numbers[i];
    return SIGKILL;
}

/* Executes the program, in a child. */
static _Noreturn void run_program(const struct server *server, char *const arguments[],
                                  const sigset_t *signals, int report)
{
    set_environment(server);
    if (server->settings->by_namespace) {
        const struct namespace_settings settings = {.directory = server->directory,
                                                    .notice = server->notice,
                                                    .as_root = server->settings->as_root,
                                                    .logs = server->settings->log != NULL,
                                                    .files = server->files,
                                                    .signals = *signals,
                                                    .death = signal_of_death()};
        namespace_run(&settings, arguments, report);
    }
    sigprocmask(SIG_SETMASK, signals, NULL);
    setrlimit(RLIMIT_NOFILE, &server->files);
    execvp(arguments[0], arguments);
    struct start_failure failure = {.code = errno};
    if (write(report, &failure, sizeof failure) < 0)
        _exit(126);
    _exit(127);
}

/* Starts the program. If that fails, the reason comes through a pipe, which a successful exec
 * closes. */
static int start(struct server *server, char *const arguments[], const sigset_t *signals,
                 struct tally_error *error)
{
    int report[2];
    pid_t server_pid = getpid();
    struct start_failure failure = {0};
    if (pipe2(report, O_CLOEXEC) < 0)
        return fail(error, -errno, "a pipe: %s", strerror(errno));
    int child = fork();
    if (child == 0) {
        /* It ends with the server, which may be killed. */
        int death = server->settings->by_namespace ? SIGKILL : signal_of_death();
        if (prctl(PR_SET_PDEATHSIG, death) < 0 || getppid() != server_pid)
            _exit(127);
        run_program(server, arguments, signals, report[1]);
    }
    int code = errno;
    close(report[1]);
    bool failed = child > 0 && read(report[0], &failure, sizeof failure) == sizeof failure;
    close(report[0]);
    if (child < 0)
        return fail(error, -code, "a process: %s", strerror(code));
    if (failed) {
        waitpid(child, NULL, 0);
        server->outcome->program_failed = !*failure.what;
        return fail(error, -failure.code, "%s: %s", *failure.what ? failure.what : arguments[0],
                    strerror(failure.code));
    }
    server->child = child;
    return 0;
}

/* Raises the limit of open files: each object and each connection needs a descriptor. */
static void raise_files(struct server *server)
{
    getrlimit(RLIMIT_NOFILE, &server->files);
    struct rlimit max = {server->files.rlim_max, server->files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &max);
}

static int make_device(struct server *server, struct tally_error *error)
{
    struct emulation_settings device = server->settings->device;
    device.max_lag_ns = tally_chipset_find(device.gpu.platform) ? MAX_LAG_NVIDIA_NS : MAX_LAG_NS;
    device.driver.allocate = allocate;
    device.driver.release = release;
    device.max_run_ns = MAX_RUN_NS;
    int result = emulation_new(&device, &server->emulation, error);
    if (result == 0) {
        server->emulation->sleep_ns = server_sleep;
        server->emulation->sleep_closure = server;
    }
    return result;
}

static void end(struct server *server)
{
    while (server->sessions)
        session_free(server->sessions);
    descriptors_end(server);
    virtual_end(server);
    if (server->emulation) {
        server->outcome->paused_ns = server->emulation->paused_ns;
        server->outcome->stops = server->emulation->stops;
        server->outcome->first_stop = server->emulation->first_stop;
        server->outcome->mmio = emulation_mmio_stats(server->emulation);
    }
    for (unsigned kind = 0;
         server->emulation && server->emulation->faults && faults_kind_name(kind); kind++)
        server->outcome->faults += faults_happened(server->emulation->faults, kind);
    emulation_free(server->emulation);
    directory_remove(server);
    if (server->listener.fd >= 0)
        close(server->listener.fd);
    if (server->signals.fd >= 0)
        close(server->signals.fd);
    if (server->epoll >= 0)
        close(server->epoll);
    if (server->hangups >= 0)
        close(server->hangups);
    log_close(server);
    notice_free(server);
    free(server->metrics);
    trace_log_fini(&server->trace_log);
}

/* Prepares everything except the program. */
static int prepare(struct server *server, struct tally_error *error)
{
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    server->hangups = epoll_create1(EPOLL_CLOEXEC);
    if (server->epoll < 0 || server->hangups < 0)
        return fail(error, -errno, "epoll: %s", strerror(errno));
    int result = log_open(server, error);
    if (result == 0)
        result = directory_make(server, error);
    if (result == 0)
        result = notice_make(server, error);
    if (result == 0)
        result = make_device(server, error);
    if (result == 0)
        trace_start(server);
    if (result == 0)
        result = tree_make(server, error);
    return result == 0 ? listen_here(server, error) : result;
}

int emulate_run(const struct emulate_settings *settings, char *const arguments[],
                struct emulate_outcome *out, struct tally_error *error)
{
    struct server server = {.settings = settings, .outcome = out};
    sigset_t before;
    *out = (struct emulate_outcome){0};
    server.listener.fd = server.signals.fd = server.log = server.epoll = server.hangups =
        server.lock = -1;
    raise_files(&server);
    server_block_signals(&before);
    int result = prepare(&server, error);
    if (result == 0) {
        prctl(PR_SET_TIMERSLACK, 1); /* for exact timers of the driver */
        /* Orphans stay descendants: see tasks.h and peer.c. */
        if (is_virtual(&server) || geteuid() == 0)
            prctl(PR_SET_CHILD_SUBREAPER, 1);
        emulation_start_clock(server.emulation);
        virtual_start(&server);
        result = server_listen_signals(&server, error);
        if (result == 0)
            result = start(&server, arguments, &before, error);
        if (result == 0)
            loop(&server);
    }
    end(&server);
    server_unblock_signals(&before);
    setrlimit(RLIMIT_NOFILE, &server.files);
    return result;
}
