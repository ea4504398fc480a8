/* SPDX-License-Identifier: MIT */
/* The driver's access to the calling program during a call: memory and descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "preload/server/server.h"

#define PAGE_BYTES 4096u

/* ---- memory ---------------------------------------------------------------------------------- */

/* Returns the bytes if they are part of the argument that was sent with the call; else NULL. */
static char *in_argument(struct session *session, uint64_t address, size_t bytes)
{
    uint64_t from = address - session->call->b;
    if (from > session->argument.size || bytes > session->argument.size - from)
        return NULL;
    return session->argument.bytes + from;
}

static bool copy_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    struct session *session = closure;
    const char *sent = in_argument(session, from, bytes);
    if (sent) {
        memcpy(to, sent, bytes);
        return true;
    }
    struct emulate_header header = {.kind = EMULATE_COPY_IN, .a = from, .b = bytes};
    struct buffer answer = {0};
    bool done = session_request(session, &header, NULL, -1, &answer) == 0 && answer.size == bytes;
    if (done && bytes)
        memcpy(to, answer.bytes, bytes);
    buffer_fini(&answer);
    return done;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    struct session *session = closure;
    char *sent = in_argument(session, to, bytes);
    if (sent) {
        memcpy(sent, from, bytes);
        session->argument_written = true;
        return true;
    }
    struct emulate_header header = {.bytes = (uint32_t)bytes, .kind = EMULATE_COPY_OUT, .a = to};
    return bytes <= EMULATE_MAX_BYTES && session_request(session, &header, from, -1, NULL) == 0;
}

/* Requests the number of mapped bytes of a read's buffer; the program has only probed its start. */
static void request_mapped(struct session *session)
{
    struct emulate_header header = {.kind = EMULATE_REACH};
    int64_t mapped = session_request(session, &header, NULL, -1, NULL);
    session->mapped_is_min = false;
    if (mapped > (int64_t)session->mapped)
        session->mapped = (size_t)mapped;
}

/* copy_out() of a read: collects the bytes for the result. `to` is an offset in the read's buffer.
 */
static bool collect(void *closure, uint64_t to, const void *from, size_t bytes)
{
    struct session *session = closure;
    if (session->mapped_is_min && to + bytes > session->mapped)
        request_mapped(session);
    if (to > session->mapped || bytes > session->mapped - to)
        return false;
    size_t end = (size_t)to + bytes;
    if (end > session->reply.size) {
        if (!buffer_reserve(&session->reply, end - session->reply.size))
            return false;
        session->reply.size = end;
    }
    memcpy(session->reply.bytes + to, from, bytes);
    return true;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Sends the program its end of a socket pair. Returns the descriptor number in the program. */
static int give(struct session *session, struct descriptor *descriptor, int client_end,
                unsigned flags)
{
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = flags};
    int64_t number = session_request(session, &header, NULL, client_end, NULL);
    close(client_end);
    if (number >= 0 && number <= INT_MAX)
        return (int)number;
    /* The program did not receive it: the caller still owns the stream or file. */
    descriptor->stream = NULL;
    descriptor->file = NULL;
    descriptor_free(session->server, descriptor);
    return -EMFILE;
}

static int open_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    struct session *session = closure;
    struct descriptor *descriptor;
    int client_end;
    int result = descriptor_new(session->server, OF_STREAM, 0, &descriptor, &client_end);
    if (result < 0)
        return result;
    descriptor->stream = stream;
    return give(session, descriptor, client_end,
                (flags & I915_PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0u) |
                    (flags & I915_PERF_FLAG_FD_NONBLOCK ? O_NONBLOCK : 0u));
}

int caller_open_fence(struct session *session, const struct i915_fences *fences, const char *name)
{
    struct descriptor *descriptor;
    int client_end;
    int result = descriptor_new(session->server, OF_FENCE, 0, &descriptor, &client_end);
    if (result < 0)
        return result;
    if (fence_set(session->server, descriptor, fences) < 0) {
        descriptor_free(session->server, descriptor);
        close(client_end);
        return -ENOMEM;
    }
    snprintf(descriptor->name, sizeof descriptor->name, "%s", name);
    return give(session, descriptor, client_end, O_CLOEXEC);
}

static int open_fence(void *closure, const struct i915_fences *fences)
{
    char name[32]; /* of driver, timeline, context and number */
    struct session *session = closure;
    snprintf(name, sizeof name, "%s-i915-%llu", "0000:00:02.0",
             (unsigned long long)session->server->outcome->calls);
    return caller_open_fence(session, fences, name);
}

static int open_syncobj(void *closure, struct i915_syncobj *syncobj)
{
    struct session *session = closure;
    struct descriptor *descriptor;
    int client_end;
    int result = descriptor_new(session->server, OF_SYNCOBJ, 0, &descriptor, &client_end);
    if (result < 0)
        return result;
    descriptor->syncobj = i915_syncobj_hold(syncobj);
    return give(session, descriptor, client_end, O_CLOEXEC);
}

static int open_object(void *closure, struct i915_object *object, unsigned flags)
{
    struct session *session = closure;
    struct descriptor *descriptor;
    int client_end;
    int result =
        descriptor_new(session->server, OF_BUFFER,
                       (unsigned)(i915_object_size(object) / PAGE_BYTES), &descriptor, &client_end);
    if (result < 0)
        return result;
    descriptor->object = i915_object_hold(object);
    return give(session, descriptor, client_end, flags & DRM_CLOEXEC ? O_CLOEXEC : 0u);
}

/* The program has sent the number of the descriptor that it passes. */
static const struct descriptor *find_passed(const struct session *session, enum descriptor_of of)
{
    uint64_t number = session->call->c;
    return number && number <= UINT32_MAX
               ? descriptor_find(session->server, of, (uint32_t)number - 1)
               : NULL;
}

static int find_fence(void *closure, int descriptor, struct i915_fences *fences)
{
    const struct descriptor *found = find_passed(closure, OF_FENCE);
    (void)descriptor;
    if (!found)
        return -EINVAL;
    *fences = found->fences;
    return 0;
}

static int find_syncobj(void *closure, int descriptor, struct i915_syncobj **out)
{
    const struct descriptor *found = find_passed(closure, OF_SYNCOBJ);
    (void)descriptor;
    if (!found)
        return -EINVAL;
    *out = found->syncobj;
    return 0;
}

static int find_object(void *closure, int descriptor, struct i915_object **out)
{
    const struct session *session = closure;
    const struct descriptor *found = find_passed(session, OF_BUFFER);
    (void)descriptor;
    if (!found)
        return session->call->c == EMULATE_CLOSED ? -EBADF : -EINVAL;
    *out = found->object;
    return 0;
}

static struct i915_process *open_process(void *closure)
{
    return process_open(closure);
}

static uint64_t monotonic_ns(void *closure)
{
    const struct session *session = closure;
    return server_monotonic_ns(session->server);
}

static int64_t map(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes)
{
    struct session *session = closure;
    uint64_t size, cookie;
    i915_object_bytes(object, &size, &cookie);
    struct emulate_header header = {.kind = EMULATE_MEMORY, .a = offset, .b = bytes};
    return session_request(session, &header, NULL, (int)cookie, NULL);
}

/* ---- callers --------------------------------------------------------------------------------- */

struct drm_caller drm_caller_of(struct session *session)
{
    return (struct drm_caller){
        .privileged =
            session->call->kind == EMULATE_IOCTL && peer_is_privileged(session, session->call),
        .process = session->pid,
        .copy_in = copy_in,
        .copy_out = copy_out,
        .closure = session,
    };
}

int caller_copy_in(struct session *session, void *to, size_t bytes)
{
    const struct drm_caller caller = drm_caller_of(session);
    return drm_copy_in(&caller, to, session->call->b, bytes);
}

int caller_copy_out(struct session *session, const void *from, size_t bytes)
{
    const struct drm_caller caller = drm_caller_of(session);
    return drm_copy_out(&caller, session->call->b, from, bytes);
}

struct i915_caller caller_of(struct session *session)
{
    return (struct i915_caller){
        .drm = drm_caller_of(session),
        .open_stream = open_stream,
        .open_fence = open_fence,
        .find_fence = find_fence,
        .open_syncobj = open_syncobj,
        .find_syncobj = find_syncobj,
        .open_object = open_object,
        .find_object = find_object,
        .open_process = open_process,
        .monotonic_ns = monotonic_ns,
        .map = map,
    };
}

struct i915_caller reader_of(struct session *session)
{
    struct i915_caller caller = caller_of(session);
    caller.drm.copy_out = collect;
    return caller;
}
