/* SPDX-License-Identifier: MIT */
/*
 * The server's directory, which only its user can enter:
 *
 *     /dev/shm/tally-emulate-XXXXXX/      locked by flock() while the server lives
 *         session                         number of the server's session
 *         0123456789abcdef.../            128 random bits: socket, root, empty
 *
 * Under root, other users may pass through both directories but not list them: programs that root
 * starts may change their user, and know the name. Directories whose lock is free are left by
 * servers that were killed; the next one removes them, and ends the programs that are still there.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "preload/server/server.h"

#define PREFIX        "tally-emulate-"
#define SESSION       "session"
#define MAX_DIRECTORY 40 /* length of a directory for temporary files */
#define TRIES         16
#define PRIVATE_BYTES 16
#define OWNER_BYTES   48  /* of the file with session and process */
#define LOCK_TRIES    100 /* of 10 ms */

/* ---- removing -------------------------------------------------------------------------------- */

static int remove_entry(const char *path, const struct stat *about, int flag, struct FTW *where)
{
    (void)about, (void)flag, (void)where;
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

static void remove_all(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void tree_remove(struct server *server)
{
    if (*server->directory)
        remove_all(server->directory);
}

void directory_remove(struct server *server)
{
    tree_remove(server);
    if (*server->outer)
        remove_all(server->outer);
    if (server->lock >= 0)
        close(server->lock);
    server->lock = -1;
}

/* ---- programs of a server that was killed ---------------------------------------------------- */

/* Reads a small file; names are relative to `directory`. Returns its size, 0 if it cannot be read.
 */
static size_t read_small(int directory, const char *name, char *out, size_t size)
{
    int fd = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    ssize_t got = fd < 0 ? 0 : read(fd, out, size - 1);
    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got > 0 ? (size_t)got : 0;
}

/* Whether a process has the variable that names a directory below `path`. */
static bool has_variable(int process, const char *path)
{
    char *list = NULL;
    size_t capacity = 0, length = strlen(path);
    int fd = openat(process, "environ", O_RDONLY | O_CLOEXEC);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    bool found = false;
    if (!file) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    while (!found && getdelim(&list, &capacity, '\0', file) > 0)
        found = !strncmp(list, EMULATE_ENVIRONMENT "=", sizeof EMULATE_ENVIRONMENT) &&
                !strncmp(list + sizeof EMULATE_ENVIRONMENT, path, length) &&
                list[sizeof EMULATE_ENVIRONMENT + length] == '/';
    free(list);
    fclose(file);
    return found;
}

/* Ends a process of this user if it is of the session, and a program of the server that had the
 * directory. Programs that have left the session, such as daemons, stay. */
static void end_program(int processes, const char *name, long session, const char *path)
{
    char *end;
    long pid = strtol(name, &end, 10);
    struct stat about;
    int process = *end ? -1 : openat(processes, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (process < 0)
        return;
    if (fstat(process, &about) == 0 && about.st_uid == geteuid() && pid != getpid() &&
        getsid((pid_t)pid) == session && has_variable(process, path))
        kill((pid_t)pid, SIGKILL);
    close(process);
}

static void end_programs(int directory, const char *path)
{
    char text[OWNER_BYTES];
    DIR *processes;
    long session = read_small(directory, SESSION, text, sizeof text) ? strtol(text, NULL, 10) : 0;
    if (session <= 0 || !(processes = opendir("/proc")))
        return;
    for (const struct dirent *entry; (entry = readdir(processes));)
        if (isdigit((unsigned char)*entry->d_name))
            end_program(dirfd(processes), entry->d_name, session, path);
    closedir(processes);
}

/* ---- directories of servers that were killed --------------------------------------------------
 */

/* Opens a directory of this user without following a link. -1: it is none. */
static int open_own(int place, const char *name)
{
    struct stat about;
    int fd = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &about) < 0 || about.st_uid != geteuid())) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Whether the process that made a directory has ended. */
static bool has_ended(int directory)
{
    char text[OWNER_BYTES];
    long session, owner = 0;
    return read_small(directory, SESSION, text, sizeof text) &&
           sscanf(text, "%ld %ld", &session, &owner) == 2 && owner > 0 &&
           kill((pid_t)owner, 0) < 0 && errno == ESRCH;
}

/* Locks a directory if its server has ended. One that was killed while it started the program has a
 * child for a moment that has the lock too. */
static bool lock_left(int directory)
{
    const struct timespec wait = {.tv_nsec = 10000000};
    for (unsigned try = 0; flock(directory, LOCK_EX | LOCK_NB) < 0; try++) {
        if (errno != EWOULDBLOCK || try == LOCK_TRIES || !has_ended(directory))
            return false;
        nanosleep(&wait, NULL);
    }
    return true;
}

static void clean(const char *place)
{
    char path[PATH_MAX];
    DIR *entries = opendir(place);
    if (!entries)
        return;
    for (const struct dirent *entry; (entry = readdir(entries));) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0 ||
            strlen(entry->d_name) != sizeof PREFIX - 1 + 6)
            continue;
        int fd = open_own(dirfd(entries), entry->d_name);
        if (fd < 0)
            continue;
        if (lock_left(fd)) {
            snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
            end_programs(fd, path);
            remove_all(path);
        }
        close(fd);
    }
    closedir(entries);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* Notes the session of the programs, and the process that has the lock. */
static int write_session(int directory)
{
    int fd = openat(directory, SESSION, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int result = dprintf(fd, "%ld %ld\n", (long)getsid(0), (long)getpid()) < 0 ? -errno : 0;
    close(fd);
    return result;
}

static int make_inner(struct server *server, mode_t mode)
{
    unsigned char random[PRIVATE_BYTES];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -EIO;
    size_t used =
        (size_t)snprintf(server->directory, sizeof server->directory, "%s/", server->outer);
    for (size_t i = 0; i < sizeof random; i++)
        used += (size_t)snprintf(server->directory + used, sizeof server->directory - used, "%02x",
                                 random[i]);
    return mkdir(server->directory, mode) < 0 || chmod(server->directory, mode) < 0 ? -errno : 0;
}

/* Makes the directories in a place. -EAGAIN: another server has taken the new one for one of a
 * server that was killed, before it was locked. */
static int make_in(struct server *server, const char *place)
{
    struct stat about;
    mode_t mode = geteuid() == 0 ? 0711 : 0700;
    snprintf(server->outer, sizeof server->outer, "%s/" PREFIX "XXXXXX", place);
    if (!mkdtemp(server->outer)) {
        *server->outer = '\0';
        return -errno;
    }
    server->lock = open(server->outer, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool locked =
        server->lock >= 0 && (flock(server->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
    int result = -errno;
    if (locked && fstat(server->lock, &about) == 0 && about.st_nlink) {
        result = write_session(server->lock);
        if (result == 0)
            result = make_inner(server, mode);
        if (result == 0 && fchmod(server->lock, mode) < 0)
            result = -errno;
    } else if (server->lock < 0 ? errno == ENOENT : !locked || !about.st_nlink) {
        result = -EAGAIN;
    }
    if (result < 0) {
        if (result != -EAGAIN)
            remove_all(server->outer);
        if (server->lock >= 0)
            close(server->lock);
        server->lock = -1;
        *server->outer = '\0';
    }
    return result;
}

int directory_make(struct server *server, struct tally_error *error)
{
    /* tmpfs lists "." and ".." first, as sysfs does. sysctl relies on it. */
    const char *places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp", "/var/tmp"};
    char absolute[PATH_MAX];
    int result = 0;
    for (size_t i = 0; i < ARRAY_COUNT(places); i++) {
        /* The name must be absolute, since a program may change its directory, and short enough for
         * the address of a socket. */
        const char *place = places[i] ? realpath(places[i], absolute) : NULL;
        if (!place || strlen(place) > MAX_DIRECTORY)
            continue;
        clean(place);
        int made = -EAGAIN;
        for (unsigned try = 0; try < TRIES && made == -EAGAIN; try++)
            made = make_in(server, place);
        if (made == 0)
            return 0;
        result = made;
    }
    *server->directory = '\0';
    result = result ? result : -ENOENT;
    return fail(error, result, "cannot make a directory in $TMPDIR, /dev/shm, /tmp or /var/tmp: %s",
                strerror(-result));
}
