/* SPDX-License-Identifier: MIT */
#include "preload/server/tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reads a small file of /proc as a string. False: it is gone. */
static bool read_text(int directory, const char *name, char *text, size_t size)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, text, size - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

/* proc(5): "pid (name) state ...", where the name may contain any character. */
static char state_of(const char *stat)
{
    const char *end = strrchr(stat, ')');
    return end && end[1] == ' ' ? end[2] : 'X';
}

/* Whether a thread is blocked. Stopped threads (T, t) are; threads in disk sleep (D) will soon run.
 */
static bool is_blocked(char state)
{
    return strchr("STtZX", state) != NULL;
}

/* A scan: the threads that are known to wait are left out. */
struct scan {
    tasks_waits *waits;
    const void *closure;
    struct tasks *out;
};

static void scan_thread(int thread, struct tasks *out)
{
    char text[1024];
    uint64_t cpu, delay, slices;
    if (!read_text(thread, "stat", text, sizeof text))
        return;
    if (!is_blocked(state_of(text)))
        out->blocked = false;
    out->count++;
    if (read_text(thread, "schedstat", text, sizeof text) &&
        sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu, &delay, &slices) == 3) {
        out->cpu_ns += cpu;
        out->slices += slices;
    }
}

static void scan_process(int process, const struct scan *scan);

static void scan_children(int thread, const struct scan *scan)
{
    int fd = openat(thread, "children", O_RDONLY | O_CLOEXEC), child;
    FILE *list = fd < 0 ? NULL : fdopen(fd, "r");
    if (!list) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (fscanf(list, "%d", &child) == 1)
        scan_process(child, scan);
    fclose(list);
}

/* Scans the threads of a process, unless it is this one, and their child processes. */
static void scan_process(int process, const struct scan *scan)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = opendir(path);
    if (!threads)
        return;
    for (const struct dirent *entry; (entry = readdir(threads));) {
        if (*entry->d_name == '.')
            continue;
        int thread = openat(dirfd(threads), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (thread < 0)
            continue;
        if (process != getpid() && !scan->waits(scan->closure, strtol(entry->d_name, NULL, 10)))
            scan_thread(thread, scan->out);
        scan_children(thread, scan);
        close(thread);
    }
    closedir(threads);
}

/* Scans once. Threads that end meanwhile are left out. */
static void tasks_scan(const struct scan *scan)
{
    *scan->out = (struct tasks){.blocked = true};
    scan_process(getpid(), scan);
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* Files of /proc of a program that has one thread and no child processes; -1: not open. */
struct tasks_cache {
    int ours;                     /* children of this process */
    int process;                  /* the program */
    int threads, children, state; /* its threads, children, and state */
};

struct tasks_cache *tasks_cache_new(void)
{
    char path[64];
    struct tasks_cache *cache = malloc(sizeof *cache);
    if (!cache)
        return NULL;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    *cache = (struct tasks_cache){open(path, O_RDONLY | O_CLOEXEC), 0, -1, -1, -1};
    return cache;
}

static void close_file(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_program(struct tasks_cache *cache)
{
    close_file(&cache->threads);
    close_file(&cache->children);
    close_file(&cache->state);
    cache->process = 0;
}

void tasks_cache_free(struct tasks_cache *cache)
{
    if (!cache)
        return;
    close_program(cache);
    close_file(&cache->ours);
    free(cache);
}

static int open_file(int process, const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process, process, name);
    return open(path, flags | O_CLOEXEC);
}

static bool open_program(struct tasks_cache *cache, int process)
{
    if (cache->process == process)
        return true;
    close_program(cache);
    cache->process = process;
    cache->threads = open_file(process, "..", O_PATH);
    cache->children = open_file(process, "children", O_RDONLY);
    cache->state = open_file(process, "stat", O_RDONLY);
    return cache->threads >= 0 && cache->children >= 0 && cache->state >= 0;
}

/* Reads an open file of /proc anew. Returns its size, or -1. */
static ssize_t read_again(int fd, char *text, size_t size)
{
    ssize_t length = fd < 0 ? -1 : pread(fd, text, size - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* Returns the program if it is the only descendant, with one thread; else 0. */
static int alone(struct tasks_cache *cache)
{
    char text[1024], *end;
    struct stat about;
    if (!cache || read_again(cache->ours, text, sizeof text) <= 0)
        return 0;
    long process = strtol(text, &end, 10);
    if (process <= 0 || strspn(end, " \n") != strlen(end))
        return 0;
    return open_program(cache, (int)process) && fstat(cache->threads, &about) == 0 &&
                   about.st_nlink == 3 && read_again(cache->children, text, sizeof text) == 0
               ? (int)process
               : 0;
}

bool tasks_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                struct tasks *out)
{
    struct tasks before = {0};
    char text[1024];
    struct scan scan = {waits, closure, &before};
    int only = alone(cache);
    if (only && waits(closure, only))
        return true;
    /* No other thread can wake it. */
    if (only && read_again(cache->state, text, sizeof text) > 0 && is_blocked(state_of(text)))
        return true;
    tasks_scan(&scan);
    scan.out = out;
    tasks_scan(&scan);
    return before.blocked && out->blocked && before.count == out->count &&
           before.slices == out->slices;
}
