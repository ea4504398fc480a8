/* SPDX-License-Identifier: MIT */
/* Descriptors that programs hold: socket pairs, of which the server keeps the named end. */
#include <errno.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/server/node.h"
#include "preload/server/samples.h"
#include "preload/server/timers.h"
#include "preload/server/trace_pipe.h"

#define TRIES 8 /* names */

/* Binds the server's end to a name of the abstract namespace, which all users share: its random
 * part cannot be taken before. */
static int name_end(const struct descriptor *descriptor, unsigned detail)
{
    uint64_t random;
    static const char *const kinds[] = {
        [OF_DEVICE] = "device",   [OF_STREAM] = "stream", [OF_FENCE] = "fence",
        [OF_SYNCOBJ] = "syncobj", [OF_BUFFER] = "buffer", [OF_EVENT] = "event",
        [OF_FILE] = "file",       [OF_TIMER] = "timer"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *name = address.sun_path + 1; /* the abstract namespace */
    size_t space = sizeof address.sun_path - 1;
    int length;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -EIO;
    if (descriptor->of == OF_DEVICE || descriptor->of == OF_BUFFER || descriptor->of == OF_TIMER)
        length = snprintf(name, space, EMULATE_MARK "%016" PRIx64 "/%s/%u/%u", random,
                          kinds[descriptor->of], descriptor->number, detail);
    else
        length = snprintf(name, space, EMULATE_MARK "%016" PRIx64 "/%s/%u", random,
                          kinds[descriptor->of], descriptor->number);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    return bind(descriptor->source.fd, (struct sockaddr *)&address, size) < 0 ? -errno : 0;
}

int descriptor_new(struct server *server, enum descriptor_of of, unsigned detail,
                   struct descriptor **out, int *client_end)
{
    int ends[2];
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    if (!descriptor)
        return -ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) {
        free(descriptor);
        return -errno;
    }
    descriptor->source = (struct source){SOURCE_DESCRIPTOR, ends[0], descriptor};
    descriptor->of = of;
    descriptor->number = 1;
    while (descriptor_find(server, of, descriptor->number))
        descriptor->number++;
    int result = -EADDRINUSE;
    for (unsigned try = 0; try < TRIES && result == -EADDRINUSE; try++)
        result = name_end(descriptor, detail);
    if (result == 0)
        result = server_watch(server, &descriptor->source);
    struct epoll_event end = {.events = EPOLLRDHUP, .data.ptr = descriptor};
    if (result == 0 && epoll_ctl(server->hangups, EPOLL_CTL_ADD, ends[0], &end) < 0)
        result = -errno;
    if (result < 0) {
        close(ends[0]);
        close(ends[1]);
        free(descriptor);
        return result;
    }
    struct stat about;
    descriptor->inode = fstat(ends[1], &about) == 0 ? about.st_ino : 0;
    descriptor->detail = detail;
    if (of == OF_DEVICE)
        notice_add_device(server, descriptor->inode);
    descriptor->next = server->descriptors;
    server->descriptors = descriptor;
    *out = descriptor;
    *client_end = ends[1];
    return 0;
}

struct descriptor *descriptor_find(struct server *server, enum descriptor_of of, uint32_t number)
{
    struct descriptor *descriptor = server->descriptors;
    while (descriptor && !(descriptor->of == of && descriptor->number == number))
        descriptor = descriptor->next;
    return descriptor;
}

struct descriptor *descriptor_at(struct server *server, enum descriptor_of of, uint64_t inode)
{
    struct descriptor *descriptor = server->descriptors;
    while (descriptor && !(descriptor->of == of && descriptor->inode == inode))
        descriptor = descriptor->next;
    return descriptor;
}

/* ---- closing --------------------------------------------------------------------------------- */

static void unlink_from(struct descriptor **at, const struct descriptor *descriptor)
{
    while (*at != descriptor)
        at = &(*at)->next;
    *at = descriptor->next;
}

/* Whether closing a stream would wait for requests of other clients. */
static bool would_wait(const struct server *server, struct descriptor *descriptor)
{
    if (!descriptor->stream)
        return false;
    descriptor->fence = i915_stream_last(descriptor->stream);
    return !i915_fence_done(server->emulation->device, descriptor->fence);
}

static void free_descriptor(const struct server *server, struct descriptor *descriptor)
{
    if (descriptor->stream)
        i915_stream_close(descriptor->stream);
    if (descriptor->file)
        node_of(server)->close(descriptor->file);
    i915_syncobj_drop(descriptor->syncobj);
    i915_object_drop(descriptor->object);
    close(descriptor->source.fd);
    free(descriptor->path);
    free(descriptor->parts);
    trace_pipe_free(descriptor->pipe);
    i915_timeline_close(descriptor->timeline);
    free(descriptor);
}

/* Closes streams that no longer wait. */
static void close_streams(struct server *server)
{
    struct descriptor *next;
    for (struct descriptor *d = server->closing; d; d = next) {
        next = d->next;
        if (!i915_fence_done(server->emulation->device, d->fence))
            continue;
        unlink_from(&server->closing, d);
        free_descriptor(server, d);
    }
}

void descriptors_end(struct server *server)
{
    while (server->descriptors)
        descriptor_free(server, server->descriptors);
    if (server->closing) { /* ends the requests for which they wait */
        i915_device_set_reset(server->emulation->device, I915_RESET_NONE);
        i915_device_reset(server->emulation->device, UINT64_MAX);
    }
    while (server->closing) {
        struct descriptor *descriptor = server->closing;
        server->closing = descriptor->next;
        free_descriptor(server, descriptor);
    }
}

void descriptor_free(struct server *server, struct descriptor *descriptor)
{
    unlink_from(&server->descriptors, descriptor);
    if (descriptor->of == OF_STREAM && descriptor->number < EMULATE_STREAMS)
        server->notice->empty[descriptor->number] = 0;
    if (descriptor->of == OF_DEVICE)
        notice_remove_device(server, descriptor->inode);
    if (descriptor->of == OF_EVENT)
        event_end(server, descriptor);
    if (descriptor->of == OF_TIMER)
        timer_descriptor_ends(server, descriptor);
    if (descriptor->of == OF_FILE)
        control_closed(server, descriptor->control);
    if (!would_wait(server, descriptor)) {
        free_descriptor(server, descriptor);
        return;
    }
    epoll_ctl(server->epoll, EPOLL_CTL_DEL, descriptor->source.fd, NULL);
    epoll_ctl(server->hangups, EPOLL_CTL_DEL, descriptor->source.fd, NULL);
    descriptor->next = server->closing;
    server->closing = descriptor;
}

static bool is_readable(const struct server *server, const struct descriptor *descriptor)
{
    if (descriptor->of == OF_STREAM)
        return descriptor->stream && i915_stream_poll(descriptor->stream);
    if (descriptor->of == OF_FILE)
        return file_is_readable(server, descriptor);
    if (descriptor->of == OF_TIMER)
        return timer_is_readable(server, descriptor);
    if (descriptor->of == OF_EVENT)
        return descriptor->event.sampling && descriptor->event.sampling->woken;
    struct i915_fences fences = descriptor->fences;
    if (descriptor->of == OF_BUFFER) /* as poll() for POLLIN, once */
        fences = i915_object_fences(descriptor->object, true);
    return (descriptor->of == OF_FENCE || descriptor->of == OF_BUFFER) &&
           i915_fences_done(server->emulation->device, &fences);
}

/* The program takes the byte after poll(), without a call. */
static void wake_event(struct descriptor *descriptor)
{
    int unread = 0;
    descriptor->event.sampling->woken = false;
    if (ioctl(descriptor->source.fd, SIOCOUTQ, &unread) == 0 && unread == 0)
        send(descriptor->source.fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void make_readable(const struct server *server, struct descriptor *descriptor)
{
    descriptor->readable = send(descriptor->source.fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
    descriptor->readable_ns = server_monotonic_ns(server);
}

void descriptors_signal(const struct server *server)
{
    for (struct descriptor *d = server->descriptors; d; d = d->next)
        if ((d->of == OF_FENCE || d->of == OF_BUFFER) && !d->readable && is_readable(server, d))
            make_readable(server, d);
}

/* Order: a program that reads the byte must not find the stream marked as empty. */
void descriptors_update(struct server *server)
{
    close_streams(server);
    for (struct descriptor *d = server->descriptors; d; d = d->next) {
        if (d->of == OF_STREAM && d->number < EMULATE_STREAMS)
            __atomic_store_n(&server->notice->empty[d->number],
                             d->stream && i915_stream_is_empty(d->stream), __ATOMIC_RELEASE);
        if (d->readable || !is_readable(server, d))
            continue;
        if (d->of == OF_EVENT) {
            wake_event(d);
            continue;
        }
        make_readable(server, d);
    }
}

void descriptors_reap(struct server *server)
{
    /* One at a time, because freeing one may free another. */
    for (struct epoll_event event; epoll_wait(server->hangups, &event, 1, 0) == 1;)
        descriptor_free(server, event.data.ptr);
    close_streams(server);
}

bool server_is_busy(const struct server *server)
{
    return server->emulation->device && !i915_device_is_idle(server->emulation->device);
}

bool descriptors_may_wake(const struct server *server, bool *fences)
{
    bool streams = false;
    *fences = false;
    for (const struct descriptor *d = server->descriptors; d; d = d->next) {
        streams = streams || (d->of == OF_STREAM && !d->readable);
        *fences = *fences || ((d->of == OF_FENCE || d->of == OF_BUFFER) && !d->readable) ||
                  (d->of == OF_EVENT && d->event.sampling && d->event.sampling->ring);
    }
    return streams || *fences;
}

bool descriptors_have_news(const struct server *server)
{
    for (const struct descriptor *d = server->descriptors; d; d = d->next)
        if (!d->readable && is_readable(server, d))
            return true;
    return false;
}

bool descriptor_drained(const struct server *server, struct descriptor *descriptor)
{
    if (!descriptor->readable || is_readable(server, descriptor))
        return false;
    descriptor->readable = false;
    return true;
}
