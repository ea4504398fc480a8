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

/* ---- threads that are known -------------------------------------------------------------------
 */

#define THREADS  64u   /* of more, files are opened at each scan */
#define CHILDREN 1024u /* bytes of a list of child processes */
#define DOUBTS   64u   /* scans after which a thread counts as blocked without the kernel's word */

/* The files of a thread in /proc, and what they showed. */
struct known {
    int process, thread;
    int threads; /* directory of the threads, of a process's first thread; else -1 */
    int children, stat, schedstat, wchan;
    unsigned doubts; /* scans in which it seemed to be blocked, and `wchan` had nothing */
    nlink_t links;   /* that `threads` has if the threads are those that are known: two more */
    char list[CHILDREN];
    uint64_t slices; /* at the latest scan */
};

/* All threads of the descendants, and of this process, the first ones. */
struct tasks_cache {
    struct known known[THREADS];
    unsigned count;
    bool failed; /* there are more, or they have changed meanwhile */
};

struct tasks_cache *tasks_cache_new(void)
{
    return calloc(1, sizeof(struct tasks_cache));
}

static void close_file(int fd)
{
    if (fd >= 0)
        close(fd);
}

static void forget(struct tasks_cache *cache)
{
    for (unsigned i = 0; i < cache->count; i++) {
        close_file(cache->known[i].threads);
        close_file(cache->known[i].children);
        close_file(cache->known[i].stat);
        close_file(cache->known[i].schedstat);
        close_file(cache->known[i].wchan);
    }
    cache->count = 0;
}

void tasks_cache_free(struct tasks_cache *cache)
{
    if (cache)
        forget(cache);
    free(cache);
}

static int open_file(int process, int thread, const char *name, int flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", process, thread, name);
    return open(path, flags | O_CLOEXEC);
}

/* Reads an open file of /proc anew. False: the thread has ended, or the text is too long. */
static bool read_again(int fd, char *text, size_t size)
{
    ssize_t length = fd < 0 ? -1 : pread(fd, text, size, 0);
    bool fits = length >= 0 && (size_t)length < size;
    text[fits ? length : 0] = '\0';
    return fits;
}

static bool learn_process(struct tasks_cache *cache, int process);

/* Opens the files of a thread, and learns its child processes. */
static bool learn_thread(struct tasks_cache *cache, int process, int thread, int directory)
{
    if (cache->count == THREADS)
        return false;
    struct known *known = &cache->known[cache->count++];
    *known = (struct known){.process = process, .thread = thread, .threads = directory};
    known->children = open_file(process, thread, "children", O_RDONLY);
    known->stat = open_file(process, thread, "stat", O_RDONLY);
    known->schedstat = open_file(process, thread, "schedstat", O_RDONLY);
    known->wchan = open_file(process, thread, "wchan", O_RDONLY);
    if (known->stat < 0 || known->schedstat < 0 ||
        !read_again(known->children, known->list, sizeof known->list))
        return false;
    char *end;
    for (const char *at = known->list; *at; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        if (!learn_process(cache, (int)child))
            return false;
    }
    return true;
}

static bool learn_process(struct tasks_cache *cache, int process)
{
    int directory = open_file(process, process, "..", O_RDONLY | O_DIRECTORY);
    if (directory < 0)
        return false;
    unsigned first = cache->count;
    int copy = dup(directory);
    bool good = learn_thread(cache, process, process, directory);
    if (cache->count == first)
        close(directory);
    DIR *threads = copy < 0 ? NULL : fdopendir(copy);
    if (!threads) {
        close_file(copy);
        return false;
    }
    nlink_t links = 3;
    for (const struct dirent *entry; good && (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread > 0 && thread != process) {
            good = learn_thread(cache, process, (int)thread, -1);
            links++;
        }
    }
    closedir(threads);
    if (good)
        cache->known[first].links = links;
    return good;
}

/* Whether there are as many threads as are known, and the same child processes. Where a known
 * thread has ended, another one may have taken its place: scan_known() notices that. */
static bool is_current(const struct tasks_cache *cache)
{
    char list[CHILDREN];
    struct stat about;
    for (unsigned i = 0; i < cache->count; i++) {
        const struct known *known = &cache->known[i];
        if (known->threads >= 0 &&
            (fstat(known->threads, &about) < 0 || about.st_nlink != known->links))
            return false;
        if (!read_again(known->children, list, sizeof list) || strcmp(list, known->list) != 0)
            return false;
    }
    return cache->count > 0;
}

/* Whether a thread that is to sleep has left its processor. One that lost it before, for example in
 * waitpid() for a child process that has ended, has the state of a sleeping one, and will run. What
 * it sleeps in is not known of all: not without the right to trace it. */
static bool has_left(struct known *known)
{
    char text[128];
    bool known_place = read_again(known->wchan, text, sizeof text) && *text && strcmp(text, "0");
    known->doubts = known_place ? 0 : known->doubts + 1;
    return known_place || known->doubts > DOUBTS;
}

/* Reads the state of a thread. Returns whether it is blocked. *ended: it has ended. */
static bool scan_known(struct known *known, struct tasks *out, bool *ended)
{
    char text[1024];
    uint64_t cpu, delay, slices;
    if (!read_again(known->stat, text, sizeof text) || !*text) {
        *ended = true;
        return false;
    }
    char state = state_of(text);
    bool blocked = is_blocked(state) && (state != 'S' || has_left(known));
    if (!read_again(known->schedstat, text, sizeof text) ||
        sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu, &delay, &slices) != 3) {
        *ended = true;
        return false;
    }
    out->cpu_ns += cpu;
    known->slices = slices;
    return blocked;
}

/* Whether all threads wait. False: *out is their CPU time. */
static bool known_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                       struct tasks *out)
{
    uint64_t slices[THREADS];
    struct tasks again = {0};
    bool blocked = true, ended = false;
    *out = (struct tasks){0};
    for (unsigned i = 0; i < cache->count; i++) {
        struct known *known = &cache->known[i];
        if (known->process != getpid() && !waits(closure, known->thread))
            blocked = scan_known(known, out, &ended) && blocked;
        slices[i] = known->slices;
    }
    /* Those that were blocked all the time have not made others. */
    cache->failed = ended || !is_current(cache);
    for (unsigned i = 0; blocked && !cache->failed && i < cache->count; i++) {
        struct known *known = &cache->known[i];
        if (known->process != getpid() && !waits(closure, known->thread))
            blocked = scan_known(known, &again, &ended) && known->slices == slices[i];
    }
    return blocked && !cache->failed;
}

bool tasks_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                struct tasks *out)
{
    for (unsigned tries = 0; cache && tries < 2; tries++) {
        if (!cache->count) {
            cache->failed = !learn_process(cache, getpid());
            if (cache->failed) {
                forget(cache);
                break;
            }
        }
        bool idle = known_idle(cache, waits, closure, out);
        if (!cache->failed)
            return idle;
        forget(cache);
    }
    struct tasks before = {0};
    struct scan scan = {waits, closure, &before};
    tasks_scan(&scan);
    scan.out = out;
    tasks_scan(&scan);
    return before.blocked && out->blocked && before.count == out->count &&
           before.slices == out->slices;
}
