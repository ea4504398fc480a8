/* SPDX-License-Identifier: MIT */
/* Accesses the program's memory with process_vm_readv() and process_vm_writev(), also on the own
 * process, which return an error where memcpy() would fault. */
#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/client/client.h"

#define PAGE   4096u
#define PROBES 256 /* pages at a time */

/* Whether the kernel denies these calls, as in some sandboxes; then a program's own memory is
 * accessed directly. */
static bool is_refused(void)
{
    return (errno == ENOSYS || errno == EPERM) && user_process() == getpid();
}

bool user_read(void *to, uint64_t from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    if (!bytes)
        return true;
    ssize_t done = process_vm_readv(user_process(), &local, 1, &remote, 1, 0);
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
    ssize_t done = process_vm_writev(user_process(), &local, 1, &remote, 1, 0);
    if (done < 0 && is_refused()) {
        memcpy((void *)(uintptr_t)to, from, bytes);
        return true;
    }
    return done == (ssize_t)bytes;
}

size_t user_mapped(uint64_t address, size_t bytes)
{
    size_t mapped = 0;
    while (mapped < bytes) {
        struct iovec local[PROBES], remote[PROBES];
        char probes[PROBES];
        unsigned count = 0;
        size_t at = mapped;
        for (; count < PROBES && at < bytes; count++) { /* one byte of each page */
            local[count] = (struct iovec){&probes[count], 1};
            remote[count] = (struct iovec){(void *)(uintptr_t)(address + at), 1};
            at += PAGE - (size_t)((address + at) % PAGE);
        }
        ssize_t done = process_vm_readv(user_process(), local, count, remote, count, 0);
        if (done < 0 && is_refused())
            return bytes;
        if (done == (ssize_t)count) {
            mapped = at < bytes ? at : bytes;
            continue;
        }
        for (ssize_t i = 0; i < done; i++)
            mapped += PAGE - (size_t)((address + mapped) % PAGE);
        break;
    }
    return mapped < bytes ? mapped : bytes;
}
