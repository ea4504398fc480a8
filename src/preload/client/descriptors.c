/* SPDX-License-Identifier: MIT */
/*
 * Identifies descriptors of the virtual device. A table marks descriptors that do not belong to the
 * device, so that read() of these costs a load and a compare; those of the device are identified on
 * each call. The mark of a real file stays when it is closed, also unnoticed (fclose, close_range),
 * so that the next file with its number need not be marked. A number is unmarked when a descriptor
 * of the device, a copy, or a received descriptor gets it.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
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

static void remember(int fd, uint8_t what)
{
    if (fd < 0 || fd >= DESCRIPTORS ||
        __atomic_load_n(&descriptor_others[fd], __ATOMIC_RELAXED) == what)
        return;
    if (getpid() == owner)
        __atomic_store_n(&descriptor_others[fd], what, __ATOMIC_RELAXED);
}

int descriptor_opened(int fd)
{
    remember(fd, DESCRIPTOR_REAL);
    return fd;
}

int descriptor_of_tree(int fd)
{
    remember(fd, DESCRIPTOR_TREE);
    return fd;
}

void descriptor_forget(int fd)
{
    if (fd >= 0 && fd < DESCRIPTORS)
        __atomic_store_n(&descriptor_others[fd], 0, __ATOMIC_RELAXED);
}

void descriptor_closed(int fd)
{
    if (!descriptor_is_real(fd))
        descriptor_forget(fd);
}

void descriptor_copied(int from, int to)
{
    descriptor_forget(to);
    if (descriptor_is_other(from))
        remember(to, __atomic_load_n(&descriptor_others[from], __ATOMIC_RELAXED));
}

bool descriptor_is_ours(int fd, struct descriptor *out)
{
    if (!tree_directory() || fd < 0 || descriptor_is_other(fd))
        return false;
    int saved = errno;
    bool ours = descriptor_identify(fd, out);
    /* A closed descriptor is not marked. */
    if (!ours && errno != EBADF)
        remember(fd, DESCRIPTOR_REAL);
    errno = saved;
    return ours;
}

bool descriptor_is_file(int fd, struct descriptor *out)
{
    return !descriptor_is_other(fd) && descriptor_is_ours(fd, out) && out->kind == DESCRIPTOR_FILE;
}

bool descriptor_follows_gpu(int fd)
{
    struct descriptor descriptor;
    int saved = errno;
    bool follows = fd >= 0 && descriptor_identify(fd, &descriptor);
    errno = saved;
    return follows;
}

bool descriptor_is_open(int fd)
{
    return NEXT(fcntl)(fd, F_GETFD) >= 0;
}

/* ---- the notice ------------------------------------------------------------------------------ */

static const struct emulate_notice *map_notice(void)
{
    struct call call = {
        .header = {.kind = EMULATE_NOTICE}, .map_protection = PROT_READ, .map_flags = MAP_SHARED};
    int64_t result = channel_call(&call);
    return result < 0 || call.mapped < 0 ? NULL : (const void *)(intptr_t)call.mapped;
}

const struct emulate_notice *notice_read(void)
{
    static const struct emulate_notice *notice;
    const struct emulate_notice *mapped = __atomic_load_n(&notice, __ATOMIC_ACQUIRE);
    if (!mapped && (mapped = map_notice()))
        __atomic_store_n(&notice, mapped, __ATOMIC_RELEASE); /* two threads may both map it */
    return mapped;
}

bool descriptor_is_empty(const struct descriptor *descriptor)
{
    const struct emulate_notice *mapped = notice_read();
    return mapped && descriptor->number < EMULATE_STREAMS &&
           __atomic_load_n(&mapped->empty[descriptor->number], __ATOMIC_RELAXED);
}

/* ---- events with a buffer -------------------------------------------------------------------- */

#define WATCHES 64 /* more events in epoll sets stay readable */

static bool has_ring;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct watch {
    int epoll, fd; /* fd -1: free */
    uint64_t data;
} watches[WATCHES];
static size_t watch_count;

void descriptor_has_ring(void)
{
    __atomic_store_n(&has_ring, true, __ATOMIC_RELAXED);
}

void descriptor_polled(int fd)
{
    struct descriptor descriptor;
    char byte;
    if (!__atomic_load_n(&has_ring, __ATOMIC_RELAXED) || !descriptor_is_ours(fd, &descriptor) ||
        descriptor.kind != DESCRIPTOR_EVENT)
        return;
    int saved = errno;
    NEXT(recv)(fd, &byte, 1, MSG_DONTWAIT);
    errno = saved;
}

static struct watch *find_watch(int epoll, int fd)
{
    for (size_t i = 0; i < watch_count; i++)
        if (watches[i].epoll == epoll && watches[i].fd == fd)
            return &watches[i];
    return NULL;
}

void descriptor_watched(int epoll, int operation, int fd, uint64_t data)
{
    struct descriptor descriptor;
    if (!descriptor_is_ours(fd, &descriptor) || descriptor.kind != DESCRIPTOR_EVENT)
        return;
    pthread_mutex_lock(&lock);
    struct watch *watch = find_watch(epoll, fd);
    if (!watch)
        watch = find_watch(-1, -1);
    if (!watch && watch_count < WATCHES)
        watch = &watches[watch_count++];
    if (watch && operation == EPOLL_CTL_DEL)
        *watch = (struct watch){-1, -1, 0};
    else if (watch)
        *watch = (struct watch){epoll, fd, data};
    pthread_mutex_unlock(&lock);
}

/* Descriptors that were closed meanwhile are no events, or have another's number. */
void descriptor_reported(int epoll, uint64_t data)
{
    if (!__atomic_load_n(&has_ring, __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < watch_count; i++)
        if (watches[i].epoll == epoll && watches[i].data == data && watches[i].fd >= 0)
            descriptor_polled(watches[i].fd);
    pthread_mutex_unlock(&lock);
}
