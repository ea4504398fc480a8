/* SPDX-License-Identifier: MIT */
/* Descriptors that programs hold: socket pairs, of which the server keeps the named end. */
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/server/node.h"

static int name_end(const struct descriptor *descriptor, unsigned minor)
{
    static const char *const kinds[] = {
        [OF_STREAM] = "stream", [OF_FENCE] = "fence", [OF_EVENT] = "event", [OF_FILE] = "file"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char *name = address.sun_path + 1; /* the abstract namespace */
    size_t space = sizeof address.sun_path - 1;
    int length;
    if (descriptor->of == OF_DEVICE)
        length = snprintf(name, space, EMULATE_MARK "%d/device/%u/%u", (int)getpid(),
                          descriptor->number, minor);
    else
        length = snprintf(name, space, EMULATE_MARK "%d/%s/%u", (int)getpid(),
                          kinds[descriptor->of], descriptor->number);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    return bind(descriptor->source.fd, (struct sockaddr *)&address, size) < 0 ? -errno : 0;
}

int descriptor_new(struct server *server, enum descriptor_of of, unsigned minor,
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
    int result = name_end(descriptor, minor);
    if (result == 0)
        result = server_watch(server, &descriptor->source);
    if (result < 0) {
        close(ends[0]);
        close(ends[1]);
        free(descriptor);
        return result;
    }
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

void descriptor_free(struct server *server, struct descriptor *descriptor)
{
    struct descriptor **at = &server->descriptors;
    while (*at != descriptor)
        at = &(*at)->next;
    *at = descriptor->next;
    if (descriptor->of == OF_STREAM && descriptor->number < EMULATE_STREAMS)
        server->empty[descriptor->number] = 0;
    if (descriptor->of == OF_EVENT)
        event_end(server, descriptor);
    if (descriptor->stream)
        i915_stream_close(descriptor->stream);
    if (descriptor->file)
        node_of(server)->close(descriptor->file);
    close(descriptor->source.fd);
    free(descriptor->path);
    free(descriptor);
}

static bool is_readable(const struct server *server, const struct descriptor *descriptor)
{
    if (descriptor->of == OF_STREAM)
        return descriptor->stream && i915_stream_poll(descriptor->stream);
    return descriptor->of == OF_FENCE &&
           i915_fence_done(server->emulation->device, descriptor->fence);
}

/* Order: a program that reads the byte must not find the stream marked as empty. */
void descriptors_update(struct server *server)
{
    for (struct descriptor *d = server->descriptors; d; d = d->next) {
        if (d->of == OF_STREAM && d->number < EMULATE_STREAMS)
            __atomic_store_n(&server->empty[d->number],
                             d->stream && i915_stream_is_empty(d->stream), __ATOMIC_RELEASE);
        if (!d->readable && is_readable(server, d))
            d->readable = send(d->source.fd, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
    }
}

static bool is_abandoned(const struct descriptor *descriptor)
{
    struct pollfd entry = {.fd = descriptor->source.fd, .events = POLLRDHUP};
    return poll(&entry, 1, 0) == 1 && entry.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

void descriptors_reap(struct server *server)
{
    struct descriptor *next;
    for (struct descriptor *d = server->descriptors; d; d = next) {
        next = d->next;
        if (is_abandoned(d))
            descriptor_free(server, d);
    }
}

bool descriptor_drained(struct descriptor *descriptor)
{
    if (!descriptor->readable || i915_stream_poll(descriptor->stream))
        return false;
    descriptor->readable = false;
    return true;
}
