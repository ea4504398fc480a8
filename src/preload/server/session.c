/* SPDX-License-Identifier: MIT */
/* A connection of a thread of a program, and its calls. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "emulation/faults/faults.h"
#include "preload/server/node.h"
#include "preload/server/samples.h"
#include "preload/server/timers.h"

/* Maximum lag of the GPU at which reads and clock readings do not catch up. A read takes longer
 * here than in the kernel; if the GPU caught up, a program that immediately reads again would get
 * the reports of that time, instead of waiting for the timer as in the kernel. */
#define MAX_READ_LAG_NS 2000000u

/* ---- results --------------------------------------------------------------------------------- */

/* A fence that was complete before the result must not be found pending after it. */
static void put_result(struct session *session, int64_t result, const struct buffer *bytes,
                       uint16_t flags)
{
    struct emulate_header header = {
        .bytes = bytes ? (uint32_t)bytes->size : 0,
        .kind = EMULATE_RESULT,
        .flags = flags,
        .a = (uint64_t)result,
    };
    descriptors_signal(session->server);
    if (session->server->serving == session)
        lease_begin(session, server_device_ns(session->server) + MAX_READ_LAG_NS);
    session_put(session, &header, bytes ? bytes->bytes : NULL, -1);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void call_open(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    struct descriptor *descriptor;
    void *file;
    int client_end;
    descriptors_reap(server); /* a closed file is no longer the master */
    int result = node_of(server)->open(server, call->a >= 128, &file);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    result = descriptor_new(server, OF_DEVICE, call->a >= 128 ? 128 : 0, &descriptor, &client_end);
    if (result < 0) {
        node_of(server)->close(file);
        put_result(session, result, NULL, 0);
        return;
    }
    descriptor->file = file;
    peer_opens(session, file); /* all files begin with struct drm_file */
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = call->b};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end); /* if the program did not receive it, the loop closes the file */
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

/* perf_event_open(). Closed events are freed first, so that they are in no group. */
static void call_event(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor;
    descriptors_reap(session->server);
    int client_end;
    int result = call->kind == EMULATE_EVENT
                     ? event_new(session, call, &descriptor, &client_end)
                     : event_new_tracepoint(session, call, &descriptor, &client_end);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR,
                                    .a = call->c & EMULATE_EVENT_CLOEXEC ? O_CLOEXEC : 0};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end);
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

/* Opens a virtual file that is not plain. */
static void call_open_file(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor;
    int client_end;
    int result = file_open(session, call, &descriptor, &client_end);
    if (result < 0) {
        put_result(session, result, NULL, 0);
        return;
    }
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = call->a};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end);
    put_result(session, number < 0 ? number : 0, NULL, 0);
}

static void call_of_event(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    descriptors_reap(server);
    struct descriptor *descriptor = descriptor_find(server, OF_EVENT, call->target);
    bool reads = call->kind == EMULATE_EVENT_READ;
    session->reply.size = 0;
    int result = !descriptor ? -EBADF
                 : reads     ? event_read(server, descriptor, call->a, &session->reply)
                             : event_ioctl(session, descriptor, call, &session->reply);
    put_result(session, result, result < 0 ? NULL : &session->reply, 0);
}

static bool changes_configurations(uint32_t request)
{
    return request == DRM_IOCTL_I915_PERF_ADD_CONFIG ||
           request == DRM_IOCTL_I915_PERF_REMOVE_CONFIG;
}

/* Makes the call in the driver. Waits that take long are interrupted: see time.c. */
static int try_ioctl(struct session *session, struct descriptor *descriptor, uint32_t request)
{
    struct server *server = session->server;
    struct i915_caller caller = caller_of(session);
    server_begin_waits(server, session);
    session->interrupted = false;
    bool repeated = session->call->flags & EMULATE_REPEAT;
    int result = repeated ? 0 : faults_call(server->emulation->faults, request);
    if (result == 0)
        result = i915_ioctl_again(descriptor->file, request, session->call->b, &caller,
                                  &session->attempt);
    server->calling = NULL;
    session->interrupted = session->interrupted && result == -EINTR;
    if (!session->interrupted)
        faults_called(server->emulation->faults, request, result);
    return result;
}

/* Shows the program that the call waits. It makes the call again when the wait is over. */
static void suspend(struct session *session, struct i915_wait wait)
{
    struct emulate_header header = {.kind = EMULATE_WAITS};
    session->suspended = true;
    session->wait = wait;
    session_put(session, &header, NULL, -1);
}

/* Ends a call with a result and the argument if it was written; -EINPROGRESS: suspends it. */
static void end_or_suspend(struct session *session, int64_t result, const struct i915_wait *wait)
{
    if (result == -EINPROGRESS)
        suspend(session, *wait);
    else
        put_result(session, result, session->argument_written ? &session->argument : NULL, 0);
}

/* The call is complete, or is not made again. */
static void end_attempt(struct session *session)
{
    struct server *server = session->server;
    struct session *before = server->serving;
    server->serving = session;
    if (server->emulation->device)
        i915_attempt_end(server->emulation->device, &session->attempt);
    server->serving = before;
}

static void call_ioctl(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    uint32_t request = (uint32_t)call->a;
    if (request == DRM_IOCTL_I915_PERF_OPEN)
        descriptors_reap(server);
    struct descriptor *descriptor = descriptor_find(server, OF_DEVICE, call->target);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return;
    }
    if (node_of(server)->ioctl) {
        session->argument_written = false;
        int done = node_of(server)->ioctl(session, descriptor->file, request, call->b);
        put_result(session, done, session->argument_written ? &session->argument : NULL, 0);
        return;
    }
    if (!(call->flags & EMULATE_REPEAT))
        session->attempt = (struct i915_attempt){0};
    if (request == DRM_IOCTL_I915_PERF_OPEN || changes_configurations(request))
        tree_read_sysctls(server);
    session->argument_written = false;
    if (request == DRM_IOCTL_I915_PERF_OPEN && server->closing) {
        suspend(session, i915_wait_for(server->closing->fence));
        return;
    }
    int result = try_ioctl(session, descriptor, request);
    if (session->interrupted) {
        suspend(session, i915_device_wait(server->emulation->device));
        return;
    }
    end_attempt(session);
    if (changes_configurations(request))
        tree_update_metrics(server);
    put_result(session, result, session->argument_written ? &session->argument : NULL, 0);
}

static void call_shared(struct session *session, const struct emulate_header *call)
{
    enum descriptor_of of = call->kind == EMULATE_FENCE_IOCTL  ? OF_FENCE
                            : call->kind == EMULATE_FILE_IOCTL ? OF_FILE
                                                               : OF_BUFFER;
    struct descriptor *descriptor = descriptor_find(session->server, of, call->target);
    uint32_t request = (uint32_t)call->a;
    struct i915_wait wait;
    session->argument_written = false;
    int result = !descriptor      ? -EBADF
                 : of == OF_FENCE ? fence_ioctl(session, descriptor, request)
                 : of == OF_FILE  ? file_ioctl(session, descriptor, request)
                                  : buffer_ioctl(session, descriptor, request, &wait);
    end_or_suspend(session, result, &wait);
}

static void call_write(struct session *session, const struct emulate_header *call)
{
    struct i915_wait wait;
    if (!(call->flags & EMULATE_REPEAT))
        session->attempt.begun_ns = emulation_now_ns(session->server->emulation);
    session->argument_written = false;
    end_or_suspend(session, file_write(session, call, &wait), &wait);
}

/* The kernel's munmap() waits for the GPU, which may use the memory (GEM_USERPTR). */
static void call_unmap(struct session *session, const struct emulate_header *call)
{
    struct i915_device *device = session->server->emulation->device;
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    if (device)
        wait = i915_wait_for_memory(device, peer_process(session), call->a, call->b);
    session->argument_written = false;
    bool waits = device && !i915_wait_over(device, &wait);
    end_or_suspend(session, waits ? -EINPROGRESS : 0, &wait);
}

/* Reads a virtual file. Returns as try_read(). */
static bool try_read_file(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    struct descriptor *descriptor = descriptor_find(server, OF_FILE, call->target);
    session->reply.size = 0;
    int64_t result = descriptor ? file_read(session, call, &session->reply) : -EBADF;
    if (result == -EAGAIN && call->flags & EMULATE_BLOCKING && !file_ends(server, descriptor, call))
        return false;
    if (result == -EAGAIN && call->flags & EMULATE_BLOCKING)
        result = 0;
    bool drained = descriptor && descriptor_drained(server, descriptor);
    put_result(session, result, result > 0 ? &session->reply : NULL, drained ? EMULATE_DRAINED : 0);
    return true;
}

/* Reads a stream. Returns true if the result was sent; false: the read waits. */
static bool try_read(struct session *session, const struct emulate_header *call)
{
    if (call->kind == EMULATE_FILE_READ)
        return try_read_file(session, call);
    struct server *server = session->server;
    struct descriptor *descriptor = descriptor_find(server, OF_STREAM, call->target);
    struct i915_caller caller = reader_of(session);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return true;
    }
    session->reply.size = 0;
    session->mapped = (size_t)call->b;
    session->mapped_is_min = call->flags & EMULATE_MORE;
    bool blocking = call->flags & EMULATE_BLOCKING;
    int64_t result = i915_stream_read(descriptor->stream, &caller, 0, call->a, blocking);
    if (result == -EAGAIN && blocking)
        return false;
    session->reply.size = result > 0 ? (size_t)result : 0;
    server->outcome->reads++;
    uint16_t flags = descriptor_drained(server, descriptor) ? EMULATE_DRAINED : 0;
    put_result(session, result, &session->reply, flags);
    return true;
}

static void call_read(struct session *session, const struct emulate_header *call)
{
    if (try_read(session, call))
        return;
    session->waits = true;
    session->waiting = *call;
}

static void call_stream_ioctl(struct session *session, const struct emulate_header *call)
{
    struct descriptor *descriptor = descriptor_find(session->server, OF_STREAM, call->target);
    if (!descriptor) {
        put_result(session, -EBADF, NULL, 0);
        return;
    }
    uint32_t request = (uint32_t)call->a;
    int result = faults_call(session->server->emulation->faults, request);
    if (result == 0)
        result = i915_stream_ioctl(descriptor->stream, request, call->b);
    faults_called(session->server->emulation->faults, request, result);
    put_result(session, result, NULL,
               descriptor_drained(session->server, descriptor) ? EMULATE_DRAINED : 0);
}

static void call_map(struct session *session, const struct emulate_header *call)
{
    enum descriptor_of of = call->c == EMULATE_MAP_DEVICE   ? OF_DEVICE
                            : call->c == EMULATE_MAP_BUFFER ? OF_BUFFER
                                                            : OF_EVENT;
    struct descriptor *descriptor = descriptor_find(session->server, of, call->target);
    int found = !descriptor                      ? -EBADF
                : of == OF_BUFFER                ? buffer_mapping(descriptor, call->a, call->b)
                : call->c >= EMULATE_MAP_PRIVATE ? -EINVAL
                : of == OF_EVENT
                    ? samples_map(descriptor, call->a, call->b, call->c == EMULATE_MAP_RING)
                    : node_of(session->server)->mapping(descriptor->file, call->a, call->b);
    if (found < 0) {
        put_result(session, found, NULL, 0);
        return;
    }
    struct emulate_header header = {
        .kind = EMULATE_MEMORY, .a = of == OF_BUFFER ? call->a : 0, .b = call->b, .c = 1};
    int64_t result = session_request(session, &header, NULL, found, NULL);
    put_result(session, result < 0 && result > -4096 ? result : 0, NULL, 0);
}

static void call_notice(struct session *session)
{
    struct emulate_header header = {
        .kind = EMULATE_MEMORY, .b = sizeof(struct emulate_notice), .c = 1};
    int64_t result = session_request(session, &header, NULL, session->server->notice_fd, NULL);
    put_result(session, result < 0 && result > -4096 ? result : 0, NULL, 0);
}

/* Gives the thread the memory of its lease, at once: this is no turn. */
static void call_lease(struct session *session)
{
    session_begin(session);
    struct emulate_header header = {.kind = EMULATE_MEMORY, .b = EMULATE_LEASE_BYTES, .c = 1};
    int64_t result = lease_new(session);
    if (result >= 0) {
        int fd = (int)result;
        result = session_request(session, &header, NULL, fd, NULL);
        close(fd);
    }
    put_result(session, result < 0 && result > -4096 ? result : 0, NULL, 0);
}

/* Makes a timer, or makes a call of one. */
static void call_timer(struct session *session, const struct emulate_header *call)
{
    int client_end;
    int64_t result = timer_new(session, call, &client_end);
    if (client_end >= 0) {
        struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = call->a};
        int64_t number = session_request(session, &header, NULL, client_end, NULL);
        close(client_end);
        result = number < 0 ? number : 0;
    }
    put_result(session, result, NULL, 0);
}

static void call_of_timer(struct session *session, const struct emulate_header *call)
{
    bool drained;
    int64_t result = timer_call(session, call, &drained);
    put_result(session, result, result < 0 ? NULL : &session->reply, drained ? EMULATE_DRAINED : 0);
}

static void call_cancel(struct session *session)
{
    const struct buffer *argument =
        session->suspended && session->argument_written ? &session->argument : NULL;
    if (!session->waits && !session->sleeps && !session->suspended && !session->held)
        return; /* the result was sent already */
    if (session->suspended)
        end_attempt(session);
    session->waits = session->sleeps = session->suspended = session->held = false;
    put_result(session, -EINTR, argument, 0);
}

/* Finds a device by the inode of a process's descriptor; the reply is what fdinfo shows of it. */
static void call_describe(struct session *session, const struct emulate_header *call)
{
    struct server *server = session->server;
    descriptors_reap(server);
    const struct descriptor *device = descriptor_at(server, OF_DEVICE, call->a);
    session->reply.size = 0;
    if (device && call->b && node_of(server)->describe)
        node_of(server)->describe(server, device->file, &session->reply);
    bool fits = !session->reply.broken && session->reply.size <= call->b;
    put_result(session, device ? (int64_t)device->detail : -ENOENT, fits ? &session->reply : NULL,
               0);
}

/* Accesses BAR 0, whose file only root may open. */
static void call_register(struct session *session, const struct emulate_header *call)
{
    struct emulation *emulation = session->server->emulation;
    bool is_valid = call->b && call->b <= 8 && !(call->b & (call->b - 1)) && call->a < UINT32_MAX;
    int result = !peer_is_privileged(session, call) ? -EACCES : is_valid ? (int)call->b : -EINVAL;
    session->reply.size = 0;
    if (result > 0 && call->kind == EMULATE_STORE) {
        emulation_bar_write(emulation, (uint32_t)call->a, (unsigned)call->b, call->c);
    } else if (result > 0) {
        uint64_t value = emulation_bar_read(emulation, (uint32_t)call->a, (unsigned)call->b);
        uint8_t bytes[8];
        store_le64(bytes, value);
        buffer_append(&session->reply, bytes, (size_t)call->b);
    }
    put_result(session, result, session->reply.size ? &session->reply : NULL, 0);
}

static void call_content(struct session *session, const struct emulate_header *call)
{
    descriptors_reap(session->server);
    buffer_append(&session->argument, "", 1);
    tree_update(session->server, (enum emulate_content)call->a,
                session->argument.broken ? NULL : session->argument.bytes);
    put_result(session, 0, NULL, 0);
}

static void answer_call(struct session *session, const struct emulate_header *call)
{
    bool reads = call->kind == EMULATE_READ || call->kind == EMULATE_NOW;
    session->held = false;
    session->call = call;
    session_begin(session);
    if (!(call->flags & EMULATE_REPEAT)) {
        session->server->outcome->calls++;
        server_begin_call(session->server, session, reads ? MAX_READ_LAG_NS : 0);
    }
    session->server->serving = session;
    switch (call->kind) {
    case EMULATE_OPEN:
        call_open(session, call);
        break;
    case EMULATE_IOCTL:
        call_ioctl(session, call);
        break;
    case EMULATE_FENCE_IOCTL:
    case EMULATE_BUFFER_IOCTL:
    case EMULATE_FILE_IOCTL:
        call_shared(session, call);
        break;
    case EMULATE_READ:
    case EMULATE_FILE_READ:
        call_read(session, call);
        break;
    case EMULATE_STREAM_IOCTL:
        call_stream_ioctl(session, call);
        break;
    case EMULATE_MAP:
        call_map(session, call);
        break;
    case EMULATE_EVENT:
    case EMULATE_TRACEPOINT:
        call_event(session, call);
        break;
    case EMULATE_EVENT_READ:
    case EMULATE_EVENT_IOCTL:
        call_of_event(session, call);
        break;
    case EMULATE_OPEN_FILE:
        call_open_file(session, call);
        break;
    case EMULATE_WRITE:
        call_write(session, call);
        break;
    case EMULATE_REAP:
        descriptors_reap(session->server);
        put_result(session, 0, NULL, 0);
        break;
    case EMULATE_UNMAP:
        call_unmap(session, call);
        break;
    case EMULATE_SEEK:
        put_result(session, file_seek(session, call), NULL, 0);
        break;
    case EMULATE_DESCRIBE:
        call_describe(session, call);
        break;
    case EMULATE_CONTENT:
        call_content(session, call);
        break;
    case EMULATE_LOAD:
    case EMULATE_STORE:
        call_register(session, call);
        break;
    case EMULATE_NOW:
        put_result(session, (int64_t)server_now_ns(session->server), NULL, 0);
        break;
    case EMULATE_NOTICE:
        call_notice(session);
        break;
    case EMULATE_TIMER:
        call_timer(session, call);
        break;
    case EMULATE_TIMER_SET:
    case EMULATE_TIMER_GET:
    case EMULATE_TIMER_READ:
    case EMULATE_TIMER_END:
        call_of_timer(session, call);
        break;
    default:
        session->broken = true;
        break;
    }
    session->server->serving = NULL;
    session->since_ns = server_now_ns(session->server);
}

/* A sleep takes no time by itself. It is completed by session_continue(). */
static void begin_sleep(struct session *session, const struct emulate_header *call)
{
    session->sleeps = true;
    session->wake_ns = call->a;
    session->sleep_number = call->b ? call->b : UINT64_MAX;
    session->since_ns = server_now_ns(session->server);
}

/* Wakes a thread of the same process. */
static void call_wake(struct session *session, const struct emulate_header *call)
{
    for (struct session *other = session->server->sessions; other; other = other->next)
        if (other->pid == session->pid && other->caller_given == (long)call->a)
            other->woken_number = call->b;
}

static void call_executes(struct session *session, const struct emulate_header *call)
{
    const struct emulate_settings *settings = session->server->settings;
    char path[PATH_MAX];
    if (settings->executed && call->bytes && call->bytes < sizeof path) {
        memcpy(path, session->argument.bytes, call->bytes);
        path[call->bytes] = '\0';
        settings->executed(settings->closure, path);
    }
    if (!call->a)
        return;
    session->caller_given = (long)call->a;
    session->caller = peer_has_thread(session, session->caller_given) ? session->caller_given : 0;
    samples_executes(session);
}

static void begin_call(struct session *session, const struct emulate_header *call)
{
    if (session->caller_given != (long)call->thread) {
        session->caller_given = (long)call->thread;
        if (session->supervises)
            peer_change(session, session->caller_given);
        session->caller = peer_has_thread(session, call->thread) ? (long)call->thread : 0;
    }
    if (session->server->turn == session->caller)
        session->server->turn = 0;
    if (call->kind == EMULATE_SLEEP) {
        begin_sleep(session, call);
    } else if (call->kind == EMULATE_LEASE) {
        call_lease(session);
    } else if (is_virtual(session->server)) {
        session->held = true;
        session->held_call = *call;
    } else {
        answer_call(session, call);
    }
}

void session_serve(struct session *session)
{
    if (!session_receive(session))
        return;
    struct emulate_header call = session->incoming;
    if (session->server->leased == session)
        lease_end(session->server);
    if (call.kind == EMULATE_CANCEL)
        call_cancel(session);
    else if (call.kind == EMULATE_LINE)
        log_line(session, session->argument.bytes, session->argument.size);
    else if (call.kind == EMULATE_WAKE)
        call_wake(session, &call);
    else if (call.kind == EMULATE_EXECUTES)
        call_executes(session, &call);
    else if (session->waits || session->sleeps || session->suspended || session->held)
        session->broken = true;
    else
        begin_call(session, &call);
}

/* As in the kernel, only the stream's poll timer wakes waiting reads. */
static bool is_woken(const struct session *session)
{
    if (session->waiting.kind == EMULATE_FILE_READ)
        return file_continues(session->server, &session->waiting);
    const struct descriptor *descriptor =
        descriptor_find(session->server, OF_STREAM, session->waiting.target);
    return !descriptor || i915_stream_poll(descriptor->stream);
}

bool session_wait_is_over(const struct session *session)
{
    return i915_wait_over(session->server->emulation->device, &session->wait);
}

static bool sleep_is_over(const struct session *session)
{
    return session->sleeps && (session->sleep_number == session->woken_number ||
                               session->wake_ns <= server_now_ns(session->server));
}

bool session_is_ready(const struct session *session)
{
    return session->held || sleep_is_over(session) ||
           (session->suspended && session_wait_is_over(session)) ||
           (session->waits && is_woken(session));
}

bool session_continue(struct session *session)
{
    struct emulate_header call = session->held ? session->held_call : session->waiting;
    session_begin(session);
    if (session->held) {
        answer_call(session, &call);
    } else if (session->sleeps) {
        session->sleeps = false;
        lease_begin(session, server_device_ns(session->server) + MAX_READ_LAG_NS);
        put_result(session, session->sleep_number == session->woken_number, NULL, 0);
    } else if (session->suspended) {
        session->suspended = false;
        put_result(session, 0, NULL, EMULATE_REPEAT);
    } else {
        session->call = &call;
        session->waits = !try_read(session, &call);
        return !session->waits;
    }
    return true;
}

void sessions_retry(struct server *server)
{
    for (struct session *session = server->sessions; session; session = session->next)
        if (session_is_ready(session))
            session_continue(session);
}

/* ---- creation and destruction ---------------------------------------------------------------- */

int session_new(struct server *server, int fd)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session) {
        close(fd);
        return -ENOMEM;
    }
    session->source = (struct source){SOURCE_SESSION, fd, session};
    session->server = server;
    session->process = -1;
    int result = peer_accept(session);
    if (result == 0)
        result = server_watch(server, &session->source);
    session->next = server->sessions;
    server->sessions = session;
    if (result < 0)
        session_free(session);
    return result;
}

void session_free(struct session *session)
{
    struct session **at = &session->server->sessions;
    while (*at != session)
        at = &(*at)->next;
    *at = session->next;
    lease_free(session);
    close(session->source.fd);
    if (session->process >= 0)
        close(session->process);
    buffer_fini(&session->argument);
    buffer_fini(&session->reply);
    free(session);
}
