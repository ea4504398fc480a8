/* SPDX-License-Identifier: MIT */
/* The program's memory: the kernel copies to and from our own process, and says when it cannot. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/client/client.h"

#define PAGE   4096u
#define PROBES 256 /* pages at a time */

/* Where the kernel does not offer it (some sandboxes), memory is taken on trust. */
static bool is_refused(void)
{
    return errno == ENOSYS || errno == EPERM;
}

bool user_read(void *to, uint64_t from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    if (!bytes)
        return true;
    ssize_t done = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
    if (done < 0 && is_refused()) {
        memcpy(to, (const void *)(uintptr_t)from, bytes);
        return true;
    }
    return done == (ssize_t)bytes;
}

bool user_write(uint64_t to, const void *from, size_t bytes)
{
    struct iovec local = {(void *)(uintptr_t)from, bytes}, remote = {(void *)(uintptr_t)to, bytes};
    if (!bytes)
        return true;
    ssize_t done = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
    if (done < 0 && is_refused()) {
        memcpy((void *)(uintptr_t)to, from, bytes);
        return true;
    }
    return done == (ssize_t)bytes;
}

size_t user_reach(uint64_t address, size_t bytes)
{
    size_t reached = 0;
    while (reached < bytes) {
        struct iovec local[PROBES], remote[PROBES];
        char probes[PROBES];
        unsigned count = 0;
        size_t at = reached;
        for (; count < PROBES && at < bytes; count++) { /* a byte of each page */
            local[count] = (struct iovec){&probes[count], 1};
            remote[count] = (struct iovec){(void *)(uintptr_t)(address + at), 1};
            at += PAGE - (size_t)((address + at) % PAGE);
        }
        ssize_t done = process_vm_readv(getpid(), local, count, remote, count, 0);
        if (done < 0 && is_refused())
            return bytes;
        if (done == (ssize_t)count) {
            reached = at < bytes ? at : bytes;
            continue;
        }
        for (ssize_t i = 0; i < done; i++)
            reached += PAGE - (size_t)((address + reached) % PAGE);
        break;
    }
    return reached < bytes ? reached : bytes;
}
