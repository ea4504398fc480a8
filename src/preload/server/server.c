/* SPDX-License-Identifier: MIT */
/* The loop, the GPU's time, and the life of the program. */
#include <errno.h>
#include <fcntl.h>
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
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "preload/server/server.h"
#include "preload/server/tasks.h"

#define SLICE_NS 20000000u /* the GPU runs at least so often */
#define DEEPEST  40        /* characters of a directory for temporary files */
#define BEHIND_NS                                                                                  \
    200000000u            /* maximum lag; beyond it the GPU clock pauses instead of catching up */
#define CALL_NS 1000u     /* with a free clock: what a call takes */
#define SCAN_NS 50000u    /* with a free clock: how often a program that runs is looked at */
#define SPIN_NS 10000000u /* with a free clock: CPU time without a call that takes no time */

/* ---- time ------------------------------------------------------------------------------------ */

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t server_now_ns(const struct server *server)
{
    return server->settings->free_clock ? server->program_ns : wall_ns();
}

/* The GPU's time catches up with the program's clock. */
static void catch_up(struct server *server)
{
    uint64_t now = server_now_ns(server) - server->started_ns, gpu = tally_gpu_now_ns(server->gpu);
    if (now <= gpu)
        return;
    if (!server->settings->free_clock && now - gpu > BEHIND_NS) {
        uint64_t slip = now - gpu - BEHIND_NS;
        server->outcome->slipped_ns += slip;
        server->started_ns += slip;
        now -= slip;
    }
    i915_modelled_run_ns(&server->modelled, now - gpu);
}

void server_begin_call(struct server *server, uint64_t soon_ns)
{
    if (server->settings->free_clock)
        server->program_ns += CALL_NS;
    if (server_now_ns(server) - server->started_ns > tally_gpu_now_ns(server->gpu) + soon_ns)
        catch_up(server);
}

/* The driver waits for hardware: the program's clock follows the GPU's. */
static int sleep_freely(void *closure, uint64_t ns, bool interruptible)
{
    struct server *server = closure;
    (void)interruptible;
    i915_modelled_pass_ns(&server->modelled, ns ? ns : CALL_NS);
    uint64_t now = server->started_ns + tally_gpu_now_ns(server->gpu);
    if (server->program_ns < now)
        server->program_ns = now;
    return 0;
}

/* The driver waits for hardware: so does the wall. */
static int sleep_by_wall(void *closure, uint64_t ns, bool interruptible)
{
    struct server *server = closure;
    (void)interruptible; /* a program's signals reach it when its call has ended */
    uint64_t until = tally_gpu_now_ns(server->gpu) + ns;
    uint64_t wall = wall_ns() - server->started_ns;
    if (until > wall) {
        struct timespec left = {(time_t)((until - wall) / 1000000000u),
                                (long)((until - wall) % 1000000000u)};
        nanosleep(&left, NULL);
    } else if (!ns) { /* what the driver has done until now took its time */
        uint64_t behind = wall - until;
        ns = behind < BEHIND_NS ? behind : BEHIND_NS;
    }
    i915_modelled_pass_ns(&server->modelled, ns);
    return 0;
}

/* Waits for an event, up to `ns` below a second. Returns 1 with an event, 0 or -1 without. */
static int wait_ns(const struct server *server, uint64_t ns, struct epoll_event *event)
{
    struct timespec timeout = {0, (long)ns};
    int count = epoll_pwait2(server->epoll, event, 1, &timeout, NULL);
    if (count < 0 && errno == ENOSYS) /* before Linux 5.11 */
        count = epoll_wait(server->epoll, event, 1, (int)((ns + 999999) / 1000000));
    return count;
}

/* Waits for an event until the driver's next timer, and lets the GPU catch up. */
static int wait_by_wall(struct server *server, struct epoll_event *event)
{
    uint64_t next = i915_device_next_ns(server->modelled.device);
    uint64_t wall = wall_ns() - server->started_ns;
    uint64_t left = next == UINT64_MAX ? SLICE_NS : next > wall ? next - wall : 0;
    return wait_ns(server, left < SLICE_NS ? left : SLICE_NS, event);
}

/* ---- the free clock -------------------------------------------------------------------------- */

/* How far time may pass at once: to the end of a sleep, or to the driver's next timer, which wakes
 * reads. 0: nothing waits for time, so none passes. */
static uint64_t idle_ns(const struct server *server)
{
    uint64_t now = server_now_ns(server), end = now + SLICE_NS;
    uint64_t next = i915_device_next_ns(server->modelled.device);
    bool waits = false;
    for (const struct session *session = server->sessions; session; session = session->next) {
        waits = waits || session->waits || session->sleeps;
        if (session->sleeps && session->wake_ns < end)
            end = session->wake_ns;
    }
    if (next < end - server->started_ns)
        end = next + server->started_ns;
    return waits ? end > now ? end - now : 1 : 0;
}

/*
 * Time passes when no thread of the program can run, whatever else the machine does. A program that
 * computes for long without a call may be waiting for memory to change: after SPIN_NS of CPU time
 * the GPU's time follows its CPU time.
 */
static int wait_freely(struct server *server, struct epoll_event *event)
{
    struct tasks tasks;
    if (wait_ns(server, 0, event) == 1)
        return 1;
    bool idle = tasks_idle(&tasks);
    if (wait_ns(server, 0, event) == 1)
        return 1;
    uint64_t ns = idle ? idle_ns(server) : 0;
    if (!server->seen_cpu_ns || tasks.cpu_ns < server->seen_cpu_ns)
        server->seen_cpu_ns = tasks.cpu_ns;
    if (!idle && tasks.cpu_ns - server->seen_cpu_ns > SPIN_NS) {
        ns = tasks.cpu_ns - server->seen_cpu_ns - SPIN_NS;
        ns = ns < SLICE_NS ? ns : SLICE_NS;
        server->seen_cpu_ns += ns;
    }
    if (!ns)
        return wait_ns(server, idle ? SLICE_NS : SCAN_NS, event);
    server->program_ns += ns;
    catch_up(server);
    return 0;
}

/* ---- memory of objects ----------------------------------------------------------------------- */

/* A report buffer's pages are there when it is made: enabling a stream wipes all of them. */
#define POPULATED (32u << 20)

static void *allocate(void *closure, size_t bytes, uint64_t *cookie)
{
    (void)closure;
    int fd = memfd_create("i915", MFD_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *memory = MAP_FAILED;
    if (ftruncate(fd, (off_t)bytes) == 0)
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

/* All copies of a descriptor are gone, or somebody has written to it, which a device ignores. */
static void serve_descriptor(struct server *server, struct descriptor *descriptor, uint32_t events)
{
    char discarded[256];
    if (events & (EPOLLHUP | EPOLLRDHUP | EPOLLERR))
        descriptor_free(server, descriptor);
    else if (recv(descriptor->source.fd, discarded, sizeof discarded, MSG_DONTWAIT) < 0)
        return;
}

/* Then the program has got it, too; of what a process sends, only we know. */
static bool is_from_terminal(const struct signalfd_siginfo *info)
{
    return (info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT) && info->ssi_code == SI_KERNEL;
}

static void take_signals(struct server *server)
{
    struct signalfd_siginfo info;
    int status;
    while (read(server->signals.fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo != SIGCHLD) {
            server->stopping = !server->child;
            if (server->child && !is_from_terminal(&info))
                kill(server->child, (int)info.ssi_signo);
            continue;
        }
        for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (ended != server->child)
                continue; /* an orphan of the program: see PR_SET_CHILD_SUBREAPER */
            server->outcome->status = status;
            server->child = 0;
        }
    }
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
        take_signals(server);
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
    /* One event at a time: what it does may free another's source. */
    while (!server->stopping && (server->child || server->sessions)) {
        struct epoll_event event;
        bool is_free = server->settings->free_clock;
        if ((is_free ? wait_freely(server, &event) : wait_by_wall(server, &event)) == 1) {
            serve(server, event.data.ptr, event.events);
            server->seen_cpu_ns = 0;
        }
        if (!is_free)
            catch_up(server);
        descriptors_show(server);
        sessions_retry(server);
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

static int listen_here(struct server *server, struct tally_error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/" EMULATE_SOCKET, server->directory);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ||
        listen(fd, 128) < 0) {
        int code = -errno;
        if (fd >= 0)
            close(fd);
        return fail(error, code, "%s: %s", address.sun_path, strerror(-code));
    }
    chmod(address.sun_path, 0666); /* a program may drop its privileges */
    server->listener = (struct source){SOURCE_LISTENER, fd, NULL};
    return server_watch(server, &server->listener);
}

static int listen_signals(struct server *server, sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGQUIT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, before);
    server->signals =
        (struct source){SOURCE_SIGNAL, signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK), NULL};
    return server->signals.fd < 0 ? -errno : server_watch(server, &server->signals);
}

/* The program's CLOCK_REALTIME keeps the distance that it has now from CLOCK_MONOTONIC. */
static void set_clock(const struct server *server)
{
    struct timespec now;
    char text[32];
    if (!server->settings->free_clock) {
        unsetenv(EMULATE_CLOCK);
        return;
    }
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t real = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    snprintf(text, sizeof text, "%lld", (long long)(real - (int64_t)wall_ns()));
    setenv(EMULATE_CLOCK, text, 1);
}

static void set_environment(const struct server *server)
{
    const char *before = getenv("LD_PRELOAD"), *library = server->settings->library;
    char *list;
    if (before && *before && asprintf(&list, "%s:%s", library, before) >= 0)
        setenv("LD_PRELOAD", list, 1);
    else
        setenv("LD_PRELOAD", library, 1);
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

/* The program; a pipe that execution closes says why it could not be started. */
static int start(struct server *server, char *const arguments[], const sigset_t *signals,
                 struct tally_error *error)
{
    int report[2], why = 0;
    if (pipe2(report, O_CLOEXEC) < 0)
        return fail(error, -errno, "a pipe: %s", strerror(errno));
    int child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, signals, NULL);
        setrlimit(RLIMIT_NOFILE, &server->files);
        set_environment(server);
        execvp(arguments[0], arguments);
        why = errno;
        if (write(report[1], &why, sizeof why) < 0)
            why = 0;
        _exit(127);
    }
    int code = errno;
    close(report[1]);
    bool failed = child > 0 && read(report[0], &why, sizeof why) == sizeof why;
    close(report[0]);
    if (child < 0)
        return fail(error, -code, "a process: %s", strerror(code));
    if (failed) {
        waitpid(child, NULL, 0);
        return fail(error, -why, "%s: %s", arguments[0], strerror(why));
    }
    server->child = child;
    return 0;
}

/* Each object has a descriptor here, and so has each connection: more than a program may have. */
static void raise_files(struct server *server)
{
    getrlimit(RLIMIT_NOFILE, &server->files);
    struct rlimit most = {server->files.rlim_max, server->files.rlim_max};
    setrlimit(RLIMIT_NOFILE, &most);
}

/* Where a directory can be made. Not too deep: a socket's name has little room. */
static int make_directory(struct server *server, struct tally_error *error)
{
    const char *places[] = {getenv("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm"};
    char whole[PATH_MAX];
    int code = 0;
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        /* A program may go elsewhere: no name of ours may be relative. */
        const char *place = places[i] ? realpath(places[i], whole) : NULL;
        if (!place || strlen(place) > DEEPEST)
            continue;
        snprintf(server->directory, sizeof server->directory, "%s/tally-XXXXXX", place);
        if (mkdtemp(server->directory))
            return chmod(server->directory, 0755) < 0 ? -errno : 0;
        code = errno;
    }
    *server->directory = '\0';
    code = code ? code : ENOENT;
    return fail(error, -code, "no directory can be made in $TMPDIR, /tmp, /var/tmp or /dev/shm: %s",
                strerror(code));
}

static int open_log(struct server *server, struct tally_error *error)
{
    const char *name = server->settings->log;
    if (!name)
        return 0;
    server->log = open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    return server->log < 0 ? fail(error, -errno, "%s: %s", name, strerror(errno)) : 0;
}

static int make_dry(struct server *server, struct tally_error *error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/" EMULATE_DRY, server->directory);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, EMULATE_STREAMS) == 0)
        memory = mmap(NULL, EMULATE_STREAMS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int code = errno;
    if (fd >= 0)
        close(fd);
    if (memory == MAP_FAILED)
        return fail(error, -code, "%s: %s", path, strerror(code));
    server->dry = memory;
    return 0;
}

static int make_gpu(struct server *server, struct tally_error *error)
{
    const struct emulate_settings *settings = server->settings;
    struct i915_settings driver = settings->driver;
    driver.allocate = allocate;
    driver.release = release;
    int result = tally_gpu_new(&settings->gpu, &server->gpu, error);
    if (result < 0)
        return result;
    result =
        i915_modelled_init(&server->modelled, server->gpu, settings->gpu.platform, &driver, error);
    if (result < 0)
        return result;
    server->modelled.sleep_ns = settings->free_clock ? sleep_freely : sleep_by_wall;
    server->modelled.sleep_closure = server;
    if (settings->faults)
        result =
            faults_bind(settings->faults, server->gpu, &server->modelled, &server->faults, error);
    if (result < 0)
        return result;
    return settings->program ? tally_gpu_set_workload(server->gpu, settings->program) : 0;
}

static void end(struct server *server)
{
    while (server->sessions)
        session_free(server->sessions);
    while (server->descriptors)
        descriptor_free(server, server->descriptors);
    for (unsigned kind = 0; server->faults && faults_kind_name(kind); kind++)
        server->outcome->faults += faults_happened(server->faults, kind);
    faults_free(server->faults);
    if (server->modelled.device)
        i915_modelled_fini(&server->modelled);
    tally_gpu_free(server->gpu);
    if (*server->directory)
        tree_remove(server);
    if (server->listener.fd >= 0)
        close(server->listener.fd);
    if (server->signals.fd >= 0)
        close(server->signals.fd);
    if (server->epoll >= 0)
        close(server->epoll);
    if (server->log >= 0)
        close(server->log);
    if (server->dry)
        munmap(server->dry, EMULATE_STREAMS);
    free(server->metrics);
}

int emulate_run(const struct emulate_settings *settings, char *const arguments[],
                struct emulate_outcome *out, struct tally_error *error)
{
    struct server server = {.settings = settings, .outcome = out};
    sigset_t before;
    *out = (struct emulate_outcome){0};
    server.listener.fd = server.signals.fd = server.log = -1;
    server.epoll = epoll_create1(EPOLL_CLOEXEC);
    raise_files(&server);
    int result = open_log(&server, error);
    if (result == 0)
        result = make_directory(&server, error);
    if (result == 0)
        result = make_dry(&server, error);
    if (result == 0)
        result = make_gpu(&server, error);
    if (result == 0)
        result = tree_make(&server, error);
    if (result == 0)
        result = listen_here(&server, error);
    if (result == 0) {
        prctl(PR_SET_TIMERSLACK, 1); /* the driver's timers shall be on time */
        if (settings->free_clock)
            prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans stay descendants: see tasks.h */
        server.program_ns = wall_ns();
        server.started_ns = server.program_ns - tally_gpu_now_ns(server.gpu);
        listen_signals(&server, &before);
        result = start(&server, arguments, &before, error);
        if (result == 0)
            loop(&server);
        sigprocmask(SIG_SETMASK, &before, NULL);
    }
    end(&server);
    setrlimit(RLIMIT_NOFILE, &server.files);
    return result;
}
