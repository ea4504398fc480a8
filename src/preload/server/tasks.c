/* SPDX-License-Identifier: MIT */
#include "preload/server/tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Reads a small file of /proc as a string. False: its thread is gone. */
static bool read_text(int fd, char *text, size_t size)
{
    ssize_t length = pread(fd, text, size - 1, 0);
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

/* A stopped thread (T, t) does not run by itself; one in D is about to. */
static bool is_blocked(char state)
{
    return strchr("STtZX", state) != NULL;
}

/* Adds a thread to *out. False: it is gone. */
static bool add_thread(const struct task_files *files, struct tasks *out)
{
    char text[1024];
    uint64_t cpu, delay, slices;
    if (!read_text(files->stat, text, sizeof text))
        return false;
    if (!is_blocked(state_of(text)))
        out->blocked = false;
    out->count++;
    if (read_text(files->schedstat, text, sizeof text) &&
        sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu, &delay, &slices) == 3) {
        out->cpu_ns += cpu;
        out->slices += slices;
    }
    return true;
}

static void close_files(const struct task_files *files)
{
    if (files->stat >= 0)
        close(files->stat);
    if (files->schedstat >= 0)
        close(files->schedstat);
}

static void scan_thread(int thread, struct tasks *out)
{
    struct task_files files = {
        .stat = openat(thread, "stat", O_RDONLY | O_CLOEXEC),
        .schedstat = openat(thread, "schedstat", O_RDONLY | O_CLOEXEC),
    };
    if (add_thread(&files, out) && out->kept < TASKS_KEPT)
        out->files[out->kept++] = files;
    else
        close_files(&files);
}

static void scan_process(int process, struct tasks *out);

static void scan_children(int thread, struct tasks *out)
{
    int fd = openat(thread, "children", O_RDONLY | O_CLOEXEC), child;
    FILE *list = fd < 0 ? NULL : fdopen(fd, "r");
    if (!list) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (fscanf(list, "%d", &child) == 1)
        scan_process(child, out);
    fclose(list);
}

/* Scans the threads of a process, unless it is this one, and their child processes. */
static void scan_process(int process, struct tasks *out)
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
        if (process != getpid())
            scan_thread(thread, out);
        scan_children(thread, out);
        close(thread);
    }
    closedir(threads);
}

void tasks_fini(struct tasks *tasks)
{
    for (unsigned i = 0; i < tasks->kept; i++)
        close_files(&tasks->files[i]);
    tasks->kept = 0;
}

/* Scans all threads. */
static void scan(struct tasks *tasks)
{
    tasks_fini(tasks);
    tasks->slices = tasks->cpu_ns = tasks->count = 0;
    tasks->blocked = true;
    scan_process(getpid(), tasks);
}

/* Scans the threads that were idle. True: they still are, and none has run. */
static bool remain_idle(const struct tasks *tasks)
{
    struct tasks now;
    now.slices = now.cpu_ns = now.count = 0;
    now.blocked = true;
    for (unsigned i = 0; i < tasks->kept; i++)
        if (!add_thread(&tasks->files[i], &now))
            return false;
    return now.blocked && now.slices == tasks->slices;
}

bool tasks_idle(struct tasks *tasks)
{
    if (tasks->idle && remain_idle(tasks))
        return true;
    scan(tasks);
    bool idle = tasks->blocked;
    if (idle) {
        uint64_t slices = tasks->slices;
        unsigned count = tasks->count;
        scan(tasks);
        idle = tasks->blocked && tasks->slices == slices && tasks->count == count;
    }
    /* No slices: this kernel does not count them. */
    tasks->idle = idle && tasks->kept == tasks->count && tasks->slices;
    return idle;
}
