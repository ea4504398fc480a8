/* SPDX-License-Identifier: MIT */
/*
 * Identifies descriptors of the virtual device. A table marks descriptors that do not belong to the
 * device, so that read() of these costs a load and a compare; those of the device are identified on
 * each call. A marked descriptor that is closed unnoticed (fclose, close_range) is unmarked when a
 * descriptor of the device, or a received descriptor, gets its number.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload/client/client.h"

uint8_t descriptor_others[DESCRIPTORS];

/* The process that may write the table. A child of vfork() shares the memory, but not the
 * descriptors. */
static pid_t owner;

static void own(void)
{
    owner = getpid();
}

__attribute__((constructor)) static void find_owner(void)
{
    own();
    pthread_atfork(NULL, NULL, own);
}

static void remember(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS && getpid() == owner)
        __atomic_store_n(&descriptor_others[fd], 1, __ATOMIC_RELAXED);
}

int descriptor_opened(int fd)
{
    remember(fd);
    return fd;
}

void descriptor_forget(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        __atomic_store_n(&descriptor_others[fd], 0, __ATOMIC_RELAXED);
}

void descriptor_copied(int from, int to)
{
    descriptor_forget(to);
    if (descriptor_is_other(from))
        remember(to);
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
    if (sscanf(name, EMULATE_MARK "%u/event/%u", &server, &number) == 2) {
        *out = (struct descriptor){DESCRIPTOR_EVENT, number, 0};
        return true;
    }
    if (sscanf(name, EMULATE_MARK "%u/file/%u", &server, &number) == 2) {
        *out = (struct descriptor){DESCRIPTOR_FILE, number, 0};
        return true;
    }
    return false;
}

/* Gets the name in the abstract namespace that a socket is connected to. False for other
 * descriptors. */
#define NAME_BYTES (sizeof((struct sockaddr_un *)0)->sun_path + 1)
static bool peer_name(int fd, char name[NAME_BYTES])
{
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    size_t start = offsetof(struct sockaddr_un, sun_path) + 1;
    if (getpeername(fd, (struct sockaddr *)&address, &size) < 0 || size <= start ||
        address.sun_family != AF_UNIX || address.sun_path[0])
        return false;
    size_t length = size - start < NAME_BYTES - 1 ? size - start : NAME_BYTES - 1;
    memcpy(name, address.sun_path + 1, length);
    name[length] = '\0';
    return true;
}

static bool identify(int fd, struct descriptor *out)
{
    char name[NAME_BYTES];
    return peer_name(fd, name) && parse(name, out);
}

bool descriptor_is_fence(int fd, uint32_t *number)
{
    char name[NAME_BYTES];
    unsigned server;
    int saved = errno;
    bool fence = fd >= 0 && peer_name(fd, name) &&
                 sscanf(name, EMULATE_MARK "%u/fence/%u", &server, number) == 2;
    errno = saved;
    return fence;
}

bool descriptor_follows_gpu(int fd)
{
    char name[NAME_BYTES];
    int saved = errno;
    bool follows =
        fd >= 0 && peer_name(fd, name) && !strncmp(name, EMULATE_MARK, sizeof EMULATE_MARK - 1);
    errno = saved;
    return follows;
}

bool descriptor_is_ours(int fd, struct descriptor *out)
{
    if (!tree_directory() || fd < 0 || descriptor_is_other(fd))
        return false;
    int saved = errno;
    bool ours = identify(fd, out);
    /* A closed descriptor is not marked. */
    if (!ours && errno != EBADF)
        remember(fd);
    errno = saved;
    return ours;
}

/* ---- empty streams --------------------------------------------------------------------------- */

static const uint8_t *map_empty(void)
{
    char name[160];
    snprintf(name, sizeof name, "%s/" EMULATE_EMPTY, tree_directory());
    int fd = NEXT(open)(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    void *memory = NEXT(mmap)(NULL, EMULATE_STREAMS, PROT_READ, MAP_SHARED, fd, 0);
    NEXT(close)(fd);
    return memory == MAP_FAILED ? NULL : memory;
}

bool descriptor_is_empty(const struct descriptor *descriptor)
{
    static const uint8_t *empty;
    const uint8_t *mapped = __atomic_load_n(&empty, __ATOMIC_ACQUIRE);
    if (!mapped && (mapped = map_empty()))
        __atomic_store_n(&empty, mapped, __ATOMIC_RELEASE); /* two threads may both map it */
    return mapped && descriptor->number < EMULATE_STREAMS &&
           __atomic_load_n(&mapped[descriptor->number], __ATOMIC_RELAXED);
}
