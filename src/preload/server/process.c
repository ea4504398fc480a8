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

/* Whether a part of the memory may be accessed, by its line of maps: "mode offset device inode
 * path". The kernel also reads memory that may only be written, as the processor does. Objects are
 * no memory to the kernel, which has no struct page for them. */
static bool may_access(const char *mode, const char *path, enum i915_reach reach)
{
    if (mode[3] == 's' && !strncmp(path, OBJECT_PATH, sizeof OBJECT_PATH - 1))
        return false;
    return reach == I915_REACH_MAPPED || mode[1] == 'w' ||
           (reach == I915_REACH_READ && mode[0] == 'r');
}

static bool all_may_access(const struct process *process, uint64_t from, uint64_t to,
                           enum i915_reach reach)
{
    char name[32], line[PATH_MAX + 128], mode[5];
    uint64_t first, end;
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process->pid);
    FILE *maps = fopen(name, "re");
    while (maps && from < to && fgets(line, sizeof line, maps)) {
        int path = 0;
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &first, &end, mode, &path) <
                3 ||
            end <= from)
            continue;
        if (first > from || !may_access(mode, line + path, reach))
            break;
        from = end;
    }
    if (maps)
        fclose(maps);
    return from >= to;
}

/* Reads a byte of each page; in the other way those that may not be read. */
static bool has_pages(const struct process *process, uint64_t address, uint64_t pages)
{
    struct iovec remote[PROBES];
    char probes[PROBES];
    for (uint64_t done = 0; done < pages;) {
        unsigned count = 0;
        for (; count < PROBES && done + count < pages; count++)
            remote[count] =
                (struct iovec){(void *)(uintptr_t)(address + (done + count) * PAGE_BYTES), 1};
        struct iovec local = {probes, count};
        ssize_t read = process_vm_readv(process->pid, &local, 1, remote, count, 0);
        done += read > 0 ? (uint64_t)read : 0;
        if (read == (ssize_t)count)
            continue;
        if (!has_byte(process, address + done * PAGE_BYTES))
            return false;
        done++;
    }
    return true;
}

static bool reaches(struct i915_process *base, uint64_t address, uint64_t bytes,
                    enum i915_reach reach)
{
    const struct process *process = (struct process *)base;
    return all_may_access(process, address, address + bytes, reach) &&
           (reach == I915_REACH_MAPPED ||
            (has_byte(process, address) && has_pages(process, address, bytes / PAGE_BYTES)));
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
