/* SPDX-License-Identifier: MIT */
#include "store/spool.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "store/database.h"

#define SUFFIX     ".db"
#define NEW_PREFIX "new-" /* new-PID-NUMBER: being written */
#define PATH_BYTES 1024

struct spool {
    char path[PATH_BYTES];
    int fd; /* of the directory */
    uint64_t max_bytes;
    unsigned written; /* by this process */
};

/* A recording that waits. */
struct entry {
    char name[64];
    struct timespec time;
};

struct entries {
    struct entry *entries;
    size_t count, capacity;
};

/* ---- directories ----------------------------------------------------------------------------- */

static int choose_directory(const char *directory, char path[PATH_BYTES])
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int size;
    if (directory)
        size = snprintf(path, PATH_BYTES, "%s", directory);
    else if (state && *state == '/')
        size = snprintf(path, PATH_BYTES, "%s/tally/spool", state);
    else if (geteuid() != 0 && home && *home == '/')
        size = snprintf(path, PATH_BYTES, "%s/.local/state/tally/spool", home);
    else
        size = snprintf(path, PATH_BYTES, "/var/lib/tally/spool");
    return size < PATH_BYTES - 600 ? 0 : -ENAMETOOLONG;
}

/* Creates a directory and those above it. */
static int make_directories(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        int failed = mkdir(path, 0700) < 0 && errno != EEXIST && errno != EACCES && errno != EROFS;
        *slash = '/';
        if (failed)
            return -errno;
    }
    return mkdir(path, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

/* Removes what a process that ended has not completed. */
static void remove_unfinished(struct spool *spool)
{
    DIR *directory = opendir(spool->path);
    struct dirent *file;
    while (directory && (file = readdir(directory))) {
        int pid;
        if (sscanf(file->d_name, NEW_PREFIX "%d-", &pid) == 1 && pid != getpid() &&
            kill(pid, 0) < 0 && errno == ESRCH)
            unlinkat(spool->fd, file->d_name, 0);
    }
    if (directory)
        closedir(directory);
}

int spool_open(const char *directory, const struct clickhouse_url *url, uint64_t max_bytes,
               struct spool **out, struct tally_error *error)
{
    struct spool *spool = calloc(1, sizeof *spool);
    if (!spool)
        return fail_memory(error, "a spool");
    *spool = (struct spool){.fd = -1, .max_bytes = max_bytes ? max_bytes : SPOOL_MAX_DEFAULT};
    int result = choose_directory(directory, spool->path);
    if (!result) {
        size_t used = strlen(spool->path);
        snprintf(spool->path + used, sizeof spool->path - used, "/%s_%u_%s", url->host, url->port,
                 url->database);
        result = make_directories(spool->path);
    }
    if (!result && (spool->fd = open(spool->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        result = -errno;
    if (result < 0) {
        fail(error, result == -EACCES || result == -EPERM ? result : -EIO,
             "%s: cannot use the spool (--spool): %s", spool->path, strerror(-result));
        spool_close(spool);
        return error ? error->code : result;
    }
    remove_unfinished(spool);
    *out = spool;
    return 0;
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->fd >= 0)
        close(spool->fd);
    free(spool);
}

const char *spool_path(const struct spool *spool)
{
    return spool->path;
}

static int fail_file(const struct spool *spool, const char *what, struct tally_error *error)
{
    int code = -errno;
    return fail(error, code, "%s: cannot %s: %s", spool->path, what, strerror(-code));
}

/* ---- entries --------------------------------------------------------------------------------- */

static bool is_entry(const char *name)
{
    size_t size = strlen(name);
    return size == 32 + strlen(SUFFIX) && strspn(name, "0123456789abcdef") == 32 &&
           !strcmp(name + 32, SUFFIX);
}

/* Reads the directory. `entries` may be NULL. */
static int list(const struct spool *spool, struct entries *entries, size_t *count, uint64_t *bytes,
                struct tally_error *error)
{
    DIR *directory = opendir(spool->path);
    struct dirent *file;
    struct stat status;
    int result = 0;
    *count = 0;
    *bytes = 0;
    if (!directory)
        return fail_file(spool, "read the spool", error);
    while (!result && (errno = 0, file = readdir(directory))) {
        if (*file->d_name == '.' ||
            fstatat(spool->fd, file->d_name, &status, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        *bytes += (uint64_t)status.st_size;
        if (!is_entry(file->d_name) || !S_ISREG(status.st_mode))
            continue;
        ++*count;
        if (!entries)
            continue;
        struct entry *grown =
            array_grow(entries->entries, &entries->capacity, entries->count, sizeof *grown);
        if (!grown) {
            result = fail_memory(error, "a spool");
            break;
        }
        entries->entries = grown;
        struct entry *entry = &grown[entries->count++];
        snprintf(entry->name, sizeof entry->name, "%s", file->d_name);
        entry->time = status.st_mtim;
    }
    if (!result && errno)
        result = fail_file(spool, "read the spool", error);
    closedir(directory);
    return result;
}

int spool_usage(const struct spool *spool, size_t *count, uint64_t *bytes,
                struct tally_error *error)
{
    return list(spool, NULL, count, bytes, error);
}

static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    if (a->time.tv_sec != b->time.tv_sec)
        return a->time.tv_sec < b->time.tv_sec ? -1 : 1;
    if (a->time.tv_nsec != b->time.tv_nsec)
        return a->time.tv_nsec < b->time.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static void take_added(void *closure, const struct store_added *added)
{
    *(struct store_added *)closure = *added;
}

/* Writes a store with the recording. */
static int write_entry(const char *path, const char *file, const struct store_add_options *options,
                       struct store_added *added, char hash[64], struct tally_error *error)
{
    struct store *store;
    int result = store_open(path, STORE_CREATE, &store, error);
    if (result < 0)
        return result;
    result = store_add(store, &file, 1, options, take_added, added, error);
    if (!result && !added->error.code)
        result = store_get_text(store, "SELECT hash FROM recordings", 0, hash, 64, error);
    store_close(store);
    return result < 0 ? result : 0;
}

/* Moves a complete file to its place, if the spool may have it. */
static int keep(struct spool *spool, const char *name, const char *hash, struct tally_error *error)
{
    char to[64];
    size_t count;
    uint64_t bytes;
    int result = list(spool, NULL, &count, &bytes, error);
    if (result < 0)
        return result;
    if (bytes > spool->max_bytes)
        return fail(error, -EDQUOT,
                    "%s: the spool is full: %" PRIu64 " bytes with this recording, at most %" PRIu64
                    " (--spool-max)",
                    spool->path, bytes, spool->max_bytes);
    snprintf(to, sizeof to, "%.32s" SUFFIX, hash);
    int fd = openat(spool->fd, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) < 0 || renameat(spool->fd, name, spool->fd, to) < 0 ||
        fsync(spool->fd) < 0)
        result = fail_file(spool, "write the spool", error);
    if (fd >= 0)
        close(fd);
    return result;
}

int spool_add(struct spool *spool, const char *path, const struct store_add_options *options,
              struct store_added *added, char hash[64], struct tally_error *error)
{
    char name[64], full[PATH_BYTES + 64];
    snprintf(name, sizeof name, NEW_PREFIX "%d-%u", (int)getpid(), spool->written++);
    snprintf(full, sizeof full, "%s/%s", spool->path, name);
    unlink(full);
    *added = (struct store_added){.path = path};
    int result = write_entry(full, path, options, added, hash, error);
    added->id = 0;
    if (!result && !added->error.code)
        result = keep(spool, name, hash, error);
    if (result < 0 || added->error.code)
        unlink(full);
    return result;
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Sends an entry, and removes it. */
static int send_entry(struct spool *spool, struct clickhouse *clickhouse, const struct entry *entry,
                      spool_sent_function *on_sent, void *closure, struct tally_error *error)
{
    char path[PATH_BYTES + 64], hash[64], name[512] = "", damaged[80];
    struct store *store = NULL;
    struct spool_sent sent = {.hash = hash, .name = name};
    snprintf(hash, sizeof hash, "%.32s", entry->name);
    snprintf(path, sizeof path, "%s/%s", spool->path, entry->name);
    if (faccessat(spool->fd, entry->name, F_OK, 0) < 0)
        return 0; /* another process has sent it */
    int result = store_open(path, STORE_READ, &store, &sent.error);
    if (!result)
        result =
            store_get_text(store, "SELECT name FROM recordings", 0, name, sizeof name, &sent.error);
    bool is_read = result >= 0;
    if (is_read)
        result = clickhouse_send(clickhouse, store, &sent.id, &sent.is_new, &sent.error);
    store_close(store);
    if (result == -EBADMSG && (!is_read || strstr(sent.error.message, path))) {
        snprintf(damaged, sizeof damaged, "%s.damaged", hash);
        renameat(spool->fd, entry->name, spool->fd, damaged);
        on_sent(closure, &sent);
        return 0; /* the others can be sent */
    }
    if (result < 0) {
        *error = sent.error;
        return result;
    }
    if (unlinkat(spool->fd, entry->name, 0) < 0)
        return fail_file(spool, "remove a recording that was sent", error);
    on_sent(closure, &sent);
    return 0;
}

/* Waits until no other process sends this spool. */
static int take_lock(struct spool *spool, void (*on_wait)(void *closure), void *closure,
                     struct tally_error *error)
{
    if (flock(spool->fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    if (errno == EWOULDBLOCK) {
        if (on_wait)
            on_wait(closure);
        if (flock(spool->fd, LOCK_EX) == 0)
            return 0;
    }
    return fail_file(spool, "lock the spool", error);
}

int spool_send(struct spool *spool, struct clickhouse *clickhouse, spool_sent_function *on_sent,
               void (*on_wait)(void *closure), void *closure, size_t *left,
               struct tally_error *error)
{
    struct entries entries = {0};
    struct tally_error ignored;
    uint64_t bytes;
    int result = take_lock(spool, on_wait, closure, error);
    if (result < 0)
        return result;
    result = list(spool, &entries, left, &bytes, error);
    if (entries.count)
        qsort(entries.entries, entries.count, sizeof *entries.entries, compare_entries);
    for (size_t i = 0; !result && i < entries.count; i++)
        result = send_entry(spool, clickhouse, &entries.entries[i], on_sent, closure, error);
    list(spool, NULL, left, &bytes, &ignored);
    flock(spool->fd, LOCK_UN);
    free(entries.entries);
    return result;
}
