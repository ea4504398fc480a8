/* SPDX-License-Identifier: MIT */
#include "preload/server/tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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

/* Scans once. Threads that end meanwhile are left out. */
static void tasks_scan(struct tasks *out)
{
    *out = (struct tasks){.blocked = true};
    scan_process(getpid(), out);
}

bool tasks_idle(struct tasks *out)
{
    struct tasks before;
    tasks_scan(&before);
    tasks_scan(out);
    return before.blocked && out->blocked && before.count == out->count &&
           before.slices == out->slices;
}
