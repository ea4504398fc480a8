/* SPDX-License-Identifier: MIT */
/* Accesses the program's memory with process_vm_readv() and process_vm_writev() on the own process,
 * which return an error where memcpy() would fault. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/client/client.h"

#define PAGE   4096u
#define PROBES 256 /* pages at a time */

/* The process's number, in a page that the kernel clears in a child of fork(), also of one that
 * libc does not know. A child of vfork() has its parent's, and its parent's memory. NULL: none. */
static pid_t *known_process;

__attribute__((constructor)) static void make_known(void)
{
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, PAGE, MADV_WIPEONFORK) == 0)
        known_process = page;
    else if (page != MAP_FAILED)
        munmap(page, PAGE);
}

static pid_t this_process(void)
{
    if (!known_process)
        return getpid();
    pid_t process = __atomic_load_n(known_process, __ATOMIC_RELAXED);
    if (!process) {
        process = getpid();
        __atomic_store_n(known_process, process, __ATOMIC_RELAXED);
    }
    return process;
}

/* Whether the kernel denies these calls, as in some sandboxes; then memory is accessed directly. */
static bool is_refused(void)
{
    return errno == ENOSYS || errno == EPERM;
}

bool user_read(void *to, uint64_t from, size_t bytes)
{
    struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)from, bytes};
    if (!bytes)
        return true;
    ssize_t done = process_vm_readv(this_process(), &local, 1, &remote, 1, 0);
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
    ssize_t done = process_vm_writev(this_process(), &local, 1, &remote, 1, 0);
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
        ssize_t done = process_vm_readv(this_process(), local, count, remote, count, 0);
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
