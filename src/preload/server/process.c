/* SPDX-License-Identifier: MIT */
/*
 * The memory of programs, at any time, for objects of GEM_USERPTR. It is that of the process that
 * made the object, until it executes another program or ends: /proc/PID/mem keeps it, and reads
 * nothing after that. Writing is left to process_vm_writev(), which respects the protection of
 * pages.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/server/server.h"

#define PAGE_BYTES 4096u
#define PROBES     512 /* pages at a time */

struct process {
    struct i915_process base; /* must be first */
    pid_t pid;
    int memory;
};

/* Whether the process has the same memory as at first, and a byte at the address. */
static bool has_byte(const struct process *process, uint64_t address)
{
    char byte;
    return pread(process->memory, &byte, 1, (off_t)address) == 1;
}

static bool access_memory(struct i915_process *base, uint64_t address, void *data, size_t bytes,
                          bool write)
{
    const struct process *process = (struct process *)base;
    struct iovec local = {data, bytes}, remote = {(void *)(uintptr_t)address, bytes};
    if (!write)
        return pread(process->memory, data, bytes, (off_t)address) == (ssize_t)bytes;
    return has_byte(process, address) &&
           process_vm_writev(process->pid, &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}

/* Reads a byte of each page. */
static bool reaches(struct i915_process *base, uint64_t address, uint64_t bytes)
{
    const struct process *process = (struct process *)base;
    struct iovec remote[PROBES];
    char probes[PROBES];
    uint64_t pages = bytes / PAGE_BYTES;
    if (!has_byte(process, address))
        return false;
    for (uint64_t done = 0; done < pages;) {
        unsigned count = 0;
        for (; count < PROBES && done < pages; count++, done++)
            remote[count] = (struct iovec){(void *)(uintptr_t)(address + done * PAGE_BYTES), 1};
        struct iovec local = {probes, count};
        if (process_vm_readv(process->pid, &local, 1, remote, count, 0) != (ssize_t)count)
            return false;
    }
    return true;
}

static void release(struct i915_process *base)
{
    struct process *process = (struct process *)base;
    close(process->memory);
    free(process);
}

struct i915_process *process_open(const struct session *session)
{
    struct process *process = malloc(sizeof *process);
    if (!process)
        return NULL;
    *process = (struct process){{access_memory, reaches, release},
                                peer_process(session),
                                openat(session->process, "mem", O_RDWR | O_CLOEXEC)};
    if (process->memory >= 0)
        return &process->base;
    free(process);
    return NULL;
}
