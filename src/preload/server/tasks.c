/* SPDX-License-Identifier: MIT */
#include "preload/server/tasks.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
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

bool tasks_is_runnable(long thread, uint64_t *ran_ns)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld", thread);
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    bool known = read_text(directory, "schedstat", text, sizeof text) &&
                 sscanf(text, "%" SCNu64, ran_ns) == 1 &&
                 read_text(directory, "stat", text, sizeof text);
    close(directory);
    return known && state_of(text) == 'R';
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
#define TRIES    3u    /* looks at the threads while they run in between */

/* The files of a thread in /proc, and what they showed. */
struct known {
    int process, thread;
    int threads; /* directory of the threads, of a process's first thread; else -1 */
    int children, stat, schedstat, wchan;
    unsigned doubts; /* scans in which it seemed to be blocked, and `wchan` had nothing */
    nlink_t links;   /* that `threads` has if the threads are those that are known: two more */
    char list[CHILDREN];
    bool waits; /* it is known to wait */
    /* Of a process's first thread: its clock of CPU time; whether there are threads that are not
     * known to wait, and what they had used of it at the latest look; and whether all of those were
     * asleep by then, which is not to wait for a disk. */
    clockid_t clock;
    bool others, asleep;
    uint64_t used_ns;
};

/* All threads of the descendants, and of this process, the first ones; those of a process are
 * together. */
struct tasks_cache {
    struct known known[THREADS];
    unsigned count;
    int self;
    int newest;      /* file that shows the number of the newest thread of the machine, or -1 */
    uint64_t number; /* that of when all threads were known; 0: unknown */
    bool failed;     /* there are more, or they have changed meanwhile */
};

/* Opens /proc/loadavg, unless another file system has taken its place: it may be older. */
static int open_newest(void)
{
    struct statfs about;
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && (fstatfs(fd, &about) < 0 || about.f_type != PROC_SUPER_MAGIC)) {
        close(fd);
        fd = -1;
    }
    return fd;
}

struct tasks_cache *tasks_cache_new(void)
{
    struct tasks_cache *cache = calloc(1, sizeof *cache);
    if (cache) {
        cache->self = getpid();
        cache->newest = open_newest();
    }
    return cache;
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
    cache->number = 0;
}

void tasks_cache_free(struct tasks_cache *cache)
{
    if (!cache)
        return;
    forget(cache);
    close_file(cache->newest);
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

/* Returns the number of the newest process or thread of the machine; 0: unknown. Where it is the
 * same as before, nobody has made one. */
static uint64_t newest_number(const struct tasks_cache *cache)
{
    char text[128];
    if (cache->newest < 0 || !read_again(cache->newest, text, sizeof text))
        return 0;
    const char *last = strrchr(text, ' '); /* proc(5): the last field */
    return last ? strtoull(last, NULL, 10) : 0;
}

static bool learn_process(struct tasks_cache *cache, int process);

/* Opens the files of a thread, and learns its child processes. */
static bool learn_thread(struct tasks_cache *cache, int process, int thread)
{
    if (cache->count == THREADS)
        return false;
    struct known *known = &cache->known[cache->count++];
    *known = (struct known){.process = process, .thread = thread, .threads = -1};
    known->children = open_file(process, thread, "children", O_RDONLY);
    known->stat = open_file(process, thread, "stat", O_RDONLY);
    known->schedstat = open_file(process, thread, "schedstat", O_RDONLY);
    known->wchan = open_file(process, thread, "wchan", O_RDONLY);
    return known->stat >= 0 && known->schedstat >= 0 &&
           read_again(known->children, known->list, sizeof known->list);
}

static bool learn_children(struct tasks_cache *cache, unsigned thread)
{
    char *end;
    for (const char *at = cache->known[thread].list; *at; at = end) {
        long child = strtol(at, &end, 10);
        if (end == at)
            break;
        if (!learn_process(cache, (int)child))
            return false;
    }
    return true;
}

/* Learns the threads of a process. Returns the number of links of their directory; 0: not all. */
static nlink_t learn_threads(struct tasks_cache *cache, int process, DIR *threads)
{
    nlink_t links = 3;
    for (const struct dirent *entry; (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);
        if (thread <= 0 || thread == process)
            continue;
        if (!learn_thread(cache, process, (int)thread))
            return 0;
        links++;
    }
    return links;
}

static bool learn_process(struct tasks_cache *cache, int process)
{
    unsigned first = cache->count;
    int directory = open_file(process, process, "..", O_RDONLY | O_DIRECTORY);
    int copy = directory < 0 ? -1 : dup(directory);
    DIR *threads = copy < 0 ? NULL : fdopendir(copy);
    bool good = threads && learn_thread(cache, process, process);
    if (cache->count > first)
        cache->known[first].threads = directory;
    else
        close_file(directory);
    nlink_t links = good ? learn_threads(cache, process, threads) : 0;
    if (threads)
        closedir(threads);
    else
        close_file(copy);
    if (!links || clock_getcpuclockid(process, &cache->known[first].clock) != 0)
        return false;
    cache->known[first].links = links;
    for (unsigned i = first, end = cache->count; i < end; i++)
        if (!learn_children(cache, i))
            return false;
    return true;
}

/* Whether there are as many threads as are known, and the same child processes. Where a known
 * thread has ended, another one may have taken its place: looking at it notices that. */
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

/* Whether all threads are known, if none of them has run meanwhile; then *number is that of the
 * newest one. A thread that is being made has its number before it is in a list. */
static bool is_complete(const struct tasks_cache *cache, uint64_t *number)
{
    *number = newest_number(cache);
    return (*number && *number == cache->number) || is_current(cache);
}

/* Whether a thread that is to sleep has left its processor. One that lost it before, for example in
 * waitpid() for a child process that has ended, has the state of a sleeping one, and will run. What
 * it sleeps in is not known of all: not without the right to trace it. */
static bool has_left(struct known *known, bool *shown)
{
    char text[128];
    *shown = read_again(known->wchan, text, sizeof text) && *text && strcmp(text, "0") != 0;
    if (*shown)
        known->doubts = 0;
    return *shown || known->doubts > DOUBTS;
}

/* Whether a thread is blocked; asleep: it was so, not in a wait for a disk, and has not run since.
 * *ended: it has ended. */
static bool look(struct known *known, bool asleep, bool *ended)
{
    char text[1024];
    bool shown, left = has_left(known, &shown);
    if (shown && asleep)
        return true;
    if (!read_again(known->stat, text, sizeof text) || !*text) {
        *ended = true;
        return false;
    }
    char state = state_of(text);
    if (state == 'S' && !shown)
        known->doubts++;
    return is_blocked(state) && (state != 'S' || left);
}

/* The threads of a process. */
struct group {
    struct known *first;
    unsigned count;
};

static struct group next_group(struct tasks_cache *cache, unsigned from)
{
    struct group group = {&cache->known[from], 1};
    while (from + group.count < cache->count &&
           cache->known[from + group.count].process == group.first->process)
        group.count++;
    return group;
}

#define FOR_GROUPS(group, cache)                                                                   \
    for (struct group group = next_group(cache, 0);                                                \
         (size_t)(group.first - (cache)->known) < (cache)->count;                                  \
         group = next_group(cache, (unsigned)(group.first - (cache)->known) + group.count))

/* Notes which threads are known to wait. Returns whether others of the process are not. */
static bool mark_waits(const struct tasks_cache *cache, const struct group *group,
                       tasks_waits *waits, const void *closure)
{
    bool others = false;
    for (unsigned i = 0; i < group->count; i++) {
        struct known *known = &group->first[i];
        bool now = known->process == cache->self || waits(closure, known->thread);
        if (now != known->waits)
            group->first->asleep = false; /* the times are of other threads than before */
        known->waits = now;
        others = others || !now;
    }
    return others;
}

/* Returns the CPU time of a process's threads that are not known to wait. */
static uint64_t used_ns(const struct group *group)
{
    struct timespec time;
    char text[128];
    uint64_t waiting = 0;
    for (unsigned i = 0; i < group->count; i++)
        if (group->first[i].waits && read_again(group->first[i].schedstat, text, sizeof text))
            waiting += strtoull(text, NULL, 10);
    if (clock_gettime(group->first->clock, &time) < 0)
        return 0;
    uint64_t all = (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
    return all > waiting ? all - waiting : 0;
}

/* Begins a look at the threads: notes how much CPU time they have used before. */
static void begin_look(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                       struct tasks *out)
{
    *out = (struct tasks){0};
    FOR_GROUPS (group, cache) {
        group.first->others = mark_waits(cache, &group, waits, closure);
        uint64_t used = group.first->others ? used_ns(&group) : 0;
        if (used != group.first->used_ns)
            group.first->asleep = false;
        group.first->used_ns = used;
        out->cpu_ns += used;
    }
}

/* Whether none of the threads has run since begin_look(). Then none can have been woken by another
 * one before it was looked at, or after it. */
static bool end_look(struct tasks_cache *cache)
{
    FOR_GROUPS (group, cache) {
        if (group.first->others && used_ns(&group) != group.first->used_ns)
            return false;
    }
    FOR_GROUPS (group, cache) {
        group.first->asleep = true;
    }
    return true;
}

/* Whether all threads wait. False: *out is their CPU time. */
static bool known_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                       struct tasks *out)
{
    for (unsigned tries = 0; tries < TRIES; tries++) {
        bool blocked = true, ended = false;
        uint64_t number;
        begin_look(cache, waits, closure, out);
        FOR_GROUPS (group, cache) {
            for (unsigned i = 0; blocked && i < group.count; i++)
                if (!group.first[i].waits)
                    blocked = look(&group.first[i], group.first->asleep, &ended);
        }
        cache->failed = ended || (blocked && !is_complete(cache, &number));
        if (!blocked || cache->failed)
            return false;
        if (end_look(cache)) { /* those that have not run have not made others */
            cache->number = number;
            return true;
        }
    }
    return false;
}

bool tasks_runs(struct tasks_cache *cache, long thread)
{
    bool ended = false;
    for (unsigned i = 0; cache && i < cache->count; i++)
        if (cache->known[i].thread == thread)
            return !look(&cache->known[i], false, &ended) && !ended;
    return false;
}

bool tasks_alone(const struct tasks_cache *cache, long thread)
{
    unsigned found = 0;
    for (unsigned i = 0; cache && i < cache->count; i++) {
        if (cache->known[i].process == cache->self)
            continue;
        if (cache->known[i].thread != thread)
            return false;
        found++;
    }
    return found == 1;
}

bool tasks_idle(struct tasks_cache *cache, tasks_waits *waits, const void *closure,
                struct tasks *out)
{
    for (unsigned tries = 0; cache && tries < 2; tries++) {
        if (!cache->count) {
            cache->failed = !learn_process(cache, cache->self);
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
