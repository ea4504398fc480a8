/* SPDX-License-Identifier: MIT */
/*
 * The memory of programs, at any time, for objects of GEM_USERPTR. It is that of the process that
 * made the object, until it executes another program or ends: /proc/PID/mem keeps it, and reads
 * nothing after that. Writing is left to process_vm_writev(), which respects the protection of
 * pages.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Returns the end of the memory at an address that may be written but not read; 0: it is other
 * memory. The machine's processor reads such memory, and so does the kernel for GEM_USERPTR. */
static uint64_t end_of_written(const struct process *process, uint64_t address)
{
    char name[32], line[PATH_MAX + 128], mode[5];
    uint64_t first, end, found = 0;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process->pid);
    FILE *maps = fopen(name, "re");
    while (maps && !found && fgets(line, sizeof line, maps))
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &first, &end, mode) == 3 &&
            address >= first && address < end && !strncmp(mode, "-w", 2))
            found = end;
    if (maps)
        fclose(maps);
    return found;
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
        ssize_t read = process_vm_readv(process->pid, &local, 1, remote, count, 0);
        if (read == (ssize_t)count)
            continue;
        done -= count - (read > 0 ? (uint64_t)read : 0);
        uint64_t at = address + done * PAGE_BYTES, end = end_of_written(process, at);
        for (; at < end && done < pages && has_byte(process, at); done++)
            at += PAGE_BYTES;
        if (!end || (at < end && done < pages))
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
    pid_t pid = peer_process(session);
    *process = (struct process){{access_memory, reaches, release, pid},
                                pid,
                                openat(session->process, "mem", O_RDWR | O_CLOEXEC)};
    if (process->memory >= 0)
        return &process->base;
    free(process);
    return NULL;
}
