/* SPDX-License-Identifier: MIT */
/*
 * Which descriptors are the device's. A table remembers those that have been asked once and were
 * the program's own, so that its reads cost a load and a compare; what is ours is asked each time.
 * A descriptor that the program closes behind our back (fclose, close_range) is forgotten when
 * ours takes its number, or is received.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "preload/client/client.h"

#define TABLE 65536

/* 1: the program's own. */
static uint8_t known[TABLE];

void descriptor_forget(int fd)
{
    if (fd >= 0 && fd < TABLE)
        __atomic_store_n(&known[fd], 0, __ATOMIC_RELAXED);
}

void descriptor_copied(int from, int to)
{
    if (from >= 0 && from < TABLE && to >= 0 && to < TABLE)
        __atomic_store_n(&known[to], __atomic_load_n(&known[from], __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
    else
        descriptor_forget(to);
}

/* "tally-emulate/123/device/7/128" */
static bool parse(const char *name, struct descriptor *out)
{
    unsigned server, number, minor;
    if (sscanf(name, EMULATE_MARK "%u/device/%u/%u", &server, &number, &minor) == 3) {
        *out = (struct descriptor){DESCRIPTOR_DEVICE, number, minor};
        return true;
    }
    if (sscanf(name, EMULATE_MARK "%u/stream/%u", &server, &number) == 2) {
        *out = (struct descriptor){DESCRIPTOR_STREAM, number, 0};
        return true;
    }
    return false;
}

static bool ask(int fd, struct descriptor *out)
{
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    char name[sizeof address.sun_path + 1];
    size_t start = offsetof(struct sockaddr_un, sun_path) + 1;
    if (getpeername(fd, (struct sockaddr *)&address, &size) < 0 || size <= start ||
        address.sun_family != AF_UNIX || address.sun_path[0])
        return false;
    size_t length = size - start < sizeof name - 1 ? size - start : sizeof name - 1;
    memcpy(name, address.sun_path + 1, length);
    name[length] = '\0';
    return parse(name, out);
}

bool descriptor_is_ours(int fd, struct descriptor *out)
{
    if (!tree_directory() || fd < 0)
        return false;
    if (fd < TABLE && __atomic_load_n(&known[fd], __ATOMIC_RELAXED))
        return false;
    int saved = errno;
    bool ours = ask(fd, out);
    /* What is not open at all is not remembered. */
    if (!ours && fd < TABLE && errno != EBADF)
        __atomic_store_n(&known[fd], 1, __ATOMIC_RELAXED);
    errno = saved;
    return ours;
}
