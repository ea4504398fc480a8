/* SPDX-License-Identifier: MIT */
/*
 * Accesses a program's memory with process_vm_readv() and process_vm_writev(), also on the own
 * process, which return an error where memcpy() would fault. The memory of the own process is the
 * local side, which the kernel accesses as in any system call: what may only be written can be
 * read, too, where the machine allows that, as on x86.
 */
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
    return (errno == ENOSYS || errno == EPERM) && user_is_own();
}

/* Copy between parts of the program's memory and ours. Return as process_vm_readv(). */
static ssize_t copy_in(const struct iovec *ours, const struct iovec *theirs, unsigned count)
{
    return user_is_own() ? process_vm_writev(user_process(), theirs, count, ours, 1, 0)
                         : process_vm_readv(user_process(), ours, 1, theirs, count, 0);
}

static ssize_t copy_out(const struct iovec *ours, const struct iovec *theirs)
{
    return user_is_own() ? process_vm_readv(user_process(), theirs, 1, ours, 1, 0)
                         : process_vm_writev(user_process(), ours, 1, theirs, 1, 0);
}

bool user_read(void *to, uint64_t from, size_t bytes)
{
    struct iovec theirs = {(void *)(uintptr_t)from, bytes}, ours = {to, bytes};
    if (!bytes)
        return true;
    ssize_t done = copy_in(&ours, &theirs, 1);
    if (done < 0 && is_refused()) {
        memcpy(to, (const void *)(uintptr_t)from, bytes);
        return true;
    }
    return done == (ssize_t)bytes;
}

bool user_write(uint64_t to, const void *from, size_t bytes)
{
    struct iovec theirs = {(void *)(uintptr_t)to, bytes}, ours = {(void *)from, bytes};
    if (!bytes)
        return true;
    ssize_t done = copy_out(&ours, &theirs);
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
        struct iovec theirs[PROBES], ours;
        char probes[PROBES];
        unsigned count = 0;
        size_t at = mapped;
        for (; count < PROBES && at < bytes; count++) { /* one byte of each page */
            theirs[count] = (struct iovec){(void *)(uintptr_t)(address + at), 1};
            at += PAGE - (size_t)((address + at) % PAGE);
        }
        ours = (struct iovec){probes, count};
        ssize_t done = copy_in(&ours, theirs, count);
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
