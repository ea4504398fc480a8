/* SPDX-License-Identifier: MIT */
/* What the driver asks of a program while it works on a call of it: memory and descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "preload/server/server.h"

/* ---- memory ---------------------------------------------------------------------------------- */

/* The bytes of the call's argument, which came with it; NULL: they lie elsewhere. */
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
    const char *here = in_argument(session, from, bytes);
    if (here) {
        memcpy(to, here, bytes);
        return true;
    }
    struct emulate_header header = {.kind = EMULATE_COPY_IN, .a = from, .b = bytes};
    struct buffer answer = {0};
    bool done = session_ask(session, &header, NULL, -1, &answer) == 0 && answer.size == bytes;
    if (done && bytes)
        memcpy(to, answer.bytes, bytes);
    buffer_fini(&answer);
    return done;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    struct session *session = closure;
    char *here = in_argument(session, to, bytes);
    if (here) {
        memcpy(here, from, bytes);
        session->argument_written = true;
        return true;
    }
    struct emulate_header header = {.bytes = (uint32_t)bytes, .kind = EMULATE_COPY_OUT, .a = to};
    return bytes <= EMULATE_MOST && session_ask(session, &header, from, -1, NULL) == 0;
}

/* How far a read's buffer can be written: the program has looked at its beginning only. */
static void look_further(struct session *session)
{
    struct emulate_header header = {.kind = EMULATE_REACH};
    int64_t reach = session_ask(session, &header, NULL, -1, NULL);
    session->reach_is_least = false;
    if (reach > (int64_t)session->reach)
        session->reach = (size_t)reach;
}

/* A read's bytes are collected: their addresses are places in its buffer. */
static bool collect(void *closure, uint64_t to, const void *from, size_t bytes)
{
    struct session *session = closure;
    if (session->reach_is_least && to + bytes > session->reach)
        look_further(session);
    if (to > session->reach || bytes > session->reach - to)
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

/* Gives the other end of a pair to the program; the number that it has there. */
static int give(struct session *session, struct descriptor *descriptor, int theirs, unsigned flags)
{
    struct emulate_header header = {.kind = EMULATE_DESCRIPTOR, .a = flags};
    int64_t number = session_ask(session, &header, NULL, theirs, NULL);
    close(theirs);
    if (number >= 0 && number <= INT_MAX)
        return (int)number;
    /* Nobody has it: what it stands for stays the caller's. */
    descriptor->stream = NULL;
    descriptor->file = NULL;
    descriptor_free(session->server, descriptor);
    return -EMFILE;
}

static int open_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    struct session *session = closure;
    struct descriptor *descriptor;
    int theirs, result = descriptor_new(session->server, OF_STREAM, 0, &descriptor, &theirs);
    if (result < 0)
        return result;
    descriptor->stream = stream;
    return give(session, descriptor, theirs,
                (flags & I915_PERF_FLAG_FD_CLOEXEC ? O_CLOEXEC : 0u) |
                    (flags & I915_PERF_FLAG_FD_NONBLOCK ? O_NONBLOCK : 0u));
}

static int open_fence(void *closure, uint64_t fence)
{
    struct session *session = closure;
    struct descriptor *descriptor;
    int theirs, result = descriptor_new(session->server, OF_FENCE, 0, &descriptor, &theirs);
    if (result < 0)
        return result;
    descriptor->fence = fence;
    return give(session, descriptor, theirs, O_CLOEXEC);
}

static int64_t map(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes)
{
    struct session *session = closure;
    uint64_t size, cookie;
    i915_object_bytes(object, &size, &cookie);
    struct emulate_header header = {.kind = EMULATE_MEMORY, .a = offset, .b = bytes};
    return session_ask(session, &header, NULL, (int)cookie, NULL);
}

/* ---- callers --------------------------------------------------------------------------------- */

struct i915_caller caller_of(struct session *session)
{
    return (struct i915_caller){
        .privileged = session->call->flags & EMULATE_PRIVILEGED,
        .copy_in = copy_in,
        .copy_out = copy_out,
        .open_stream = open_stream,
        .open_fence = open_fence,
        .map = map,
        .closure = session,
    };
}

struct i915_caller reader_of(struct session *session)
{
    struct i915_caller caller = caller_of(session);
    caller.copy_out = collect;
    return caller;
}
