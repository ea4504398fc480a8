/* SPDX-License-Identifier: MIT */
/* Interposed functions that take file names: open, stat, access and readlink. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "preload/client/client.h"

#define DRM_MAJOR 226

/* ---- opening --------------------------------------------------------------------------------- */

/* Whether the library makes the contents of a file; opens it. */
static bool is_made(const struct path *path)
{
    return path->kind == PATH_STATUS || path->kind == PATH_FDINFO || path->kind == PATH_MOUNTS;
}

static int open_made(const struct path *path)
{
    return path->kind == PATH_STATUS   ? ids_status()
           : path->kind == PATH_FDINFO ? proc_fdinfo(path->real)
                                       : proc_mounts(path->real);
}

/* Opens a special file. Returns true if the call is complete, with its result in *fd; else *use is
 * the name to open. */
static bool opens_special(int at, const char *name, int flags, struct path *path, const char **use,
                          int *fd)
{
    char reopened[TREE_PATH_SIZE];
    const char *given = name;
    if (!(flags & O_NOFOLLOW))
        name = path_reopened(name, reopened);
    if (flags & O_NOFOLLOW)
        path_of_link(at, name, path);
    else
        path_of(at, name, path);
    if (!is_made(path)) {
        bool complete = open_special(name, flags, path, use, fd);
        if (*use == name)
            *use = given;
        return complete;
    }
    *fd = descriptor_opened(open_made(path));
    return true;
}

static int opened(const char *name, const char *use, int flags, int fd)
{
    if (use == name)
        return descriptor_opened(fd);
    open_log(fd < 0 ? -errno : fd, name, flags);
    return descriptor_of_tree(fd);
}

static mode_t mode_of(int flags, va_list arguments)
{
    bool has_mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? va_arg(arguments, mode_t) : 0;
}

/* Defines an open function. parameters: of the function; `...`: the arguments for libc's function,
 * with `use` instead of `name`. The mode is read only if the flags require it. */
#define OPEN(function, at, parameters, ...)                                                        \
    EXPORT int function parameters                                                                 \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        if (opens_special(at, name, flags, &path, &use, &fd))                                      \
            return fd;                                                                             \
        return opened(name, use, flags, NEXT(function)(__VA_ARGS__, mode));                        \
    }

/* Functions that _FORTIFY_SOURCE calls instead of open(). */
#define OPEN_PLAIN(function, at, parameters, ...)                                                  \
    int function parameters;                                                                       \
    EXPORT int function parameters                                                                 \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        if (opens_special(at, name, flags, &path, &use, &fd))                                      \
            return fd;                                                                             \
        return opened(name, use, flags, NEXT(function)(__VA_ARGS__));                              \
    }

OPEN(open, AT_FDCWD, (const char *name, int flags, ...), use, flags)
OPEN(open64, AT_FDCWD, (const char *name, int flags, ...), use, flags)
OPEN(openat, at, (int at, const char *name, int flags, ...), at, use, flags)
OPEN(openat64, at, (int at, const char *name, int flags, ...), at, use, flags)
OPEN_PLAIN(__open_2, AT_FDCWD, (const char *name, int flags), use, flags)
OPEN_PLAIN(__open64_2, AT_FDCWD, (const char *name, int flags), use, flags)
OPEN_PLAIN(__openat_2, at, (int at, const char *name, int flags), at, use, flags)
OPEN_PLAIN(__openat64_2, at, (int at, const char *name, int flags), at, use, flags)

#define CREAT(function)                                                                            \
    EXPORT int function(const char *name, mode_t mode)                                             \
    {                                                                                              \
        const int flags = O_CREAT | O_WRONLY | O_TRUNC;                                            \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        if (opens_special(AT_FDCWD, name, flags, &path, &use, &fd))                                \
            return fd;                                                                             \
        return opened(name, use, flags, NEXT(function)(use, mode));                                \
    }

CREAT(creat)
CREAT(creat64)

/* ---- stdio ----------------------------------------------------------------------------------- */

/* Opens a FILE by a descriptor. The FILE of a device is only useful for ioctl(fileno()). */
static FILE *open_by_descriptor(const struct path *path, const char *name, const char *mode)
{
    int flags = O_RDWR | (strchr(mode, 'e') ? O_CLOEXEC : 0);
    int fd = is_made(path) ? open_made(path) : open_device(name, path->minor, flags);
    FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
    if (fd >= 0 && !file)
        close(fd);
    return file;
}

/* Checks fopen() of a virtual file; updates its contents. Returns true, with errno, if denied. */
static bool is_refused(const struct path *path, const char *mode)
{
    bool denied = open_is_denied(path, strpbrk(mode, "wa+")) ||
                  (strpbrk(mode, "wa") && open_would_make(path));
    if (path->kind == PATH_CONTENT)
        open_update(path);
    if (denied)
        errno = EACCES;
    return denied;
}

/* Opens a file that the server reads and writes. Returns false for others. */
static bool opens_served(const struct path *path, const char *mode, FILE **file)
{
    int saved = errno;
    int access = strchr(mode, '+') ? O_RDWR : strpbrk(mode, "wa") ? O_WRONLY : O_RDONLY;
    int64_t control = open_served(path, O_CLOEXEC | access | (strchr(mode, 'w') ? O_TRUNC : 0));
    errno = saved;
    if (control >= 0)
        *file = written_open((int)control, mode);
    return control >= 0;
}

#define FOPEN(function)                                                                            \
    EXPORT FILE *function(const char *name, const char *mode)                                      \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, mode);                                                     \
        if (path_is_node(&path) || is_made(&path))                                                 \
            return open_by_descriptor(&path, name, mode);                                          \
        FILE *file = NULL;                                                                         \
        if (!is_refused(&path, mode) && !opens_served(&path, mode, &file))                         \
            file = NEXT(function)(path.real, mode);                                                \
        log_call(file ? 0 : -errno, "fopen(\"%s\", \"%s\")", name, mode);                          \
        return file;                                                                               \
    }

FOPEN(fopen)
FOPEN(fopen64)

/* stdio would write to the socket, and the server find it only later. */
EXPORT FILE *fdopen(int fd, const char *mode)
{
    struct descriptor descriptor;
    if (!descriptor_is_file(fd, &descriptor))
        return NEXT(fdopen)(fd, mode);
    FILE *file = written_stream(fd, mode);
    log_call(file ? 0 : -errno, "fdopen(%d, \"%s\")", fd, mode);
    return file;
}

#define FREOPEN(function)                                                                          \
    EXPORT FILE *function(const char *name, const char *mode, FILE *file)                          \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, mode, file);                                               \
        file = is_refused(&path, mode) ? NULL : NEXT(function)(path.real, mode, file);             \
        log_call(file ? 0 : -errno, "freopen(\"%s\", \"%s\")", name, mode);                        \
        return file;                                                                               \
    }

FREOPEN(freopen)
FREOPEN(freopen64)

/* ---- status ---------------------------------------------------------------------------------- */

/* Changes the status of a node's regular file to that of a character device. */
#define DEVICE_STAT(stat, number)                                                                  \
    do {                                                                                           \
        (stat)->st_mode = S_IFCHR | 0666;                                                          \
        (stat)->st_rdev = makedev(DRM_MAJOR, number);                                              \
        (stat)->st_size = 0;                                                                       \
    } while (0)

/* IGT GPU Tools regards debugfs as mounted if its root has another device number than /sys. */
static bool is_mount_point(const char *name)
{
    return !strcmp(name, "/sys/kernel/debug/.") || !strcmp(name, "/sys/kernel/debug/");
}

#define STAT(function, type, find)                                                                 \
    EXPORT int function(const char *name, struct type *out)                                        \
    {                                                                                              \
        struct path path;                                                                          \
        if (find(AT_FDCWD, name, &path) == PATH_REAL)                                              \
            return NEXT(function)(name, out);                                                      \
        int result = NEXT(function)(path.real, out);                                               \
        if (result == 0 && path_is_node(&path))                                                    \
            DEVICE_STAT(out, path.minor);                                                          \
        if (result == 0 && is_mount_point(name))                                                   \
            out->st_dev ^= 1;                                                                      \
        log_call(result < 0 ? -errno : 0, #function "(\"%s\")", name);                             \
        return result;                                                                             \
    }

STAT(stat, stat, path_of)
STAT(stat64, stat64, path_of)
STAT(lstat, stat, path_of_link)
STAT(lstat64, stat64, path_of_link)

#define FSTAT(function, type)                                                                      \
    EXPORT int function(int fd, struct type *out)                                                  \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        char place[TREE_PATH_SIZE];                                                                \
        if (!descriptor_is_ours(fd, &descriptor))                                                  \
            return NEXT(function)(fd, out);                                                        \
        if (descriptor.kind != DESCRIPTOR_DEVICE) {                                                \
            int known = NEXT(function)(fd, out);                                                   \
            if (known == 0)                                                                        \
                out->st_mode = descriptor_mode(&descriptor, &out->st_size);                        \
            return known;                                                                          \
        }                                                                                          \
        path_of_minor(descriptor.minor, place);                                                    \
        int result = NEXT(type)(place, out);                                                       \
        if (result == 0)                                                                           \
            DEVICE_STAT(out, descriptor.minor);                                                    \
        log_call(result < 0 ? -errno : 0, #function "(%d)", fd);                                   \
        return result;                                                                             \
    }

FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

/* Whether a call is for the descriptor itself: the name is "" or NULL. */
static bool is_by_fd(const char *name, int flags)
{
    const char *volatile given = name; /* libc's headers declare it nonnull */
    return (flags & AT_EMPTY_PATH) && !(given && *name);
}

static enum path_kind find(int at, const char *name, int flags, struct path *out)
{
    return flags & AT_SYMLINK_NOFOLLOW ? path_of_link(at, name, out) : path_of(at, name, out);
}

#define FSTATAT(function, type, by_fd)                                                             \
    EXPORT int function(int at, const char *name, struct type *out, int flags)                     \
    {                                                                                              \
        struct path path;                                                                          \
        if (is_by_fd(name, flags) && at >= 0)                                                      \
            return by_fd(at, out);                                                                 \
        if (find(at, name, flags, &path) == PATH_REAL)                                             \
            return NEXT(function)(at, name, out, flags);                                           \
        int result = NEXT(function)(at, path.real, out, flags);                                    \
        if (result == 0 && path_is_node(&path))                                                    \
            DEVICE_STAT(out, path.minor);                                                          \
        if (result == 0 && is_mount_point(name))                                                   \
            out->st_dev ^= 1;                                                                      \
        log_call(result < 0 ? -errno : 0, #function "(%d, \"%s\", 0x%x)", at, name,                \
                 (unsigned)flags);                                                                 \
        return result;                                                                             \
    }

FSTATAT(fstatat, stat, fstat)
FSTATAT(fstatat64, stat64, fstat64)

static int statx_socket(int fd, int flags, unsigned mask, const struct descriptor *descriptor,
                        struct statx *out)
{
    off_t size;
    int result = NEXT(statx)(fd, "", flags | AT_EMPTY_PATH, mask, out);
    if (result == 0) {
        out->stx_mode = (uint16_t)descriptor_mode(descriptor, &size);
        out->stx_size = (uint64_t)size;
    }
    return result;
}

EXPORT int statx(int at, const char *name, int flags, unsigned mask, struct statx *out)
{
    struct path path = {.kind = PATH_REAL};
    struct descriptor descriptor;
    if (is_by_fd(name, flags)) {
        bool ours = descriptor_is_ours(at, &descriptor);
        if (ours && descriptor.kind != DESCRIPTOR_DEVICE)
            return statx_socket(at, flags, mask, &descriptor, out);
        if (ours) {
            path.kind = PATH_DEVICE;
            path.minor = descriptor.minor;
            path_of_minor(descriptor.minor, path.real);
        }
    } else {
        find(at, name, flags, &path);
    }
    if (path.kind == PATH_REAL)
        return NEXT(statx)(at, name, flags, mask, out);
    int result = NEXT(statx)(AT_FDCWD, path.real, flags & ~AT_EMPTY_PATH, mask, out);
    if (result == 0 && path_is_node(&path)) {
        out->stx_mode = S_IFCHR | 0666;
        out->stx_rdev_major = DRM_MAJOR;
        out->stx_rdev_minor = path.minor;
        out->stx_size = 0;
    }
    if (result == 0 && path.kind == PATH_VIRTUAL && is_mount_point(name))
        out->stx_dev_minor ^= 1;
    log_call(result < 0 ? -errno : 0, "statx(%d, \"%s\", 0x%x)", at,
             is_by_fd(name, flags) ? "" : name, (unsigned)flags);
    return result;
}

/* Called by programs that were built with glibc before 2.33. */
#define OLD_STAT(function, type, now)                                                              \
    int function(int version, const char *name, struct type *out);                                 \
    EXPORT int function(int version, const char *name, struct type *out)                           \
    {                                                                                              \
        (void)version;                                                                             \
        return now(name, out);                                                                     \
    }

OLD_STAT(__xstat, stat, stat)
OLD_STAT(__xstat64, stat64, stat64)
OLD_STAT(__lxstat, stat, lstat)
OLD_STAT(__lxstat64, stat64, lstat64)

#define OLD_FSTAT(function, type, now)                                                             \
    int function(int version, int fd, struct type *out);                                           \
    EXPORT int function(int version, int fd, struct type *out)                                     \
    {                                                                                              \
        (void)version;                                                                             \
        return now(fd, out);                                                                       \
    }

OLD_FSTAT(__fxstat, stat, fstat)
OLD_FSTAT(__fxstat64, stat64, fstat64)

#define OLD_FSTATAT(function, type, now)                                                           \
    int function(int version, int at, const char *name, struct type *out, int flags);              \
    EXPORT int function(int version, int at, const char *name, struct type *out, int flags)        \
    {                                                                                              \
        (void)version;                                                                             \
        return now(at, name, out, flags);                                                          \
    }

OLD_FSTATAT(__fxstatat, stat, fstatat)
OLD_FSTATAT(__fxstatat64, stat64, fstatat64)

/* ---- access ---------------------------------------------------------------------------------- */

static bool deny_access(const struct path *path, int mode)
{
    bool denied = open_is_denied(path, mode & W_OK);
    if (denied)
        errno = EACCES;
    return denied;
}

#define ACCESS(function)                                                                           \
    EXPORT int function(const char *name, int mode)                                                \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, mode);                                                     \
        int result = deny_access(&path, mode) ? -1 : NEXT(function)(path.real, mode);              \
        log_call(result < 0 ? -errno : 0, #function "(\"%s\", %d)", name, mode);                   \
        return result;                                                                             \
    }

ACCESS(access)
ACCESS(euidaccess)
ACCESS(eaccess)

EXPORT int faccessat(int at, const char *name, int mode, int flags)
{
    struct path path;
    if (find(at, name, flags, &path) == PATH_REAL)
        return NEXT(faccessat)(at, name, mode, flags);
    int result = deny_access(&path, mode) ? -1 : NEXT(faccessat)(at, path.real, mode, flags);
    log_call(result < 0 ? -errno : 0, "faccessat(%d, \"%s\", %d, 0x%x)", at, name, mode,
             (unsigned)flags);
    return result;
}

/* ---- links ----------------------------------------------------------------------------------- */

static ssize_t copy_target(const char *text, char *out, size_t size)
{
    size_t length = strlen(text) < size ? strlen(text) : size;
    memcpy(out, text, length);
    return (ssize_t)length;
}

/* Reads a link. /proc/self/fd/N of the device's descriptors reads as in the kernel; targets in the
 * tree are replaced by the names that the program sees. */
static ssize_t read_link(int at, const char *name, char *out, size_t size)
{
    struct path path;
    char place[TREE_PATH_SIZE];
    const char *text = path_link_text(name);
    if (text && size)
        return copy_target(text, out, size);
    if (path_of(at, name, &path) == PATH_DESCRIPTOR && size)
        return copy_target(path.minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128", out, size);
    if (path.kind != PATH_REAL && path_of_link(at, name, &path) != PATH_REAL)
        return NEXT(readlink)(path.real, out, size);
    if (!tree_directory() || !size) /* size 0: the kernel returns EINVAL */
        return NEXT(readlinkat)(at, name, out, size);
    ssize_t length = NEXT(readlinkat)(at, name, place, sizeof place - 1);
    if (length < 0)
        return length;
    place[length] = '\0';
    const char *outside = path_outside(place);
    return copy_target(outside ? outside : place, out, size);
}

static ssize_t log_link(int at, const char *name, char *out, size_t size)
{
    ssize_t length = read_link(at, name, out, size);
    struct path path;
    if (log_is_on() && path_of(at, name, &path) != PATH_REAL)
        log_call(length < 0 ? -errno : length, "readlink(\"%s\")", name);
    return length;
}

EXPORT ssize_t readlink(const char *name, char *out, size_t size)
{
    return log_link(AT_FDCWD, name, out, size);
}

EXPORT ssize_t readlinkat(int at, const char *name, char *out, size_t size)
{
    return log_link(at, name, out, size);
}

EXPORT char *realpath(const char *name, char *out)
{
    struct path path;
    char text[TREE_PATH_SIZE];
    if (path_of(AT_FDCWD, name, &path) == PATH_REAL)
        return NEXT(realpath)(name, out);
    const char *found = NEXT(realpath)(path.real, text);
    log_call(found ? 0 : -errno, "realpath(\"%s\")", name);
    if (!found)
        return NULL;
    const char *outside = path_outside(found);
    found = outside ? outside : found;
    return out ? strcpy(out, found) : strdup(found);
}

EXPORT char *canonicalize_file_name(const char *name)
{
    return realpath(name, NULL);
}

/* Functions for _FORTIFY_SOURCE. libc's versions abort the program if the buffer is too small. */
ssize_t __readlink_chk(const char *name, char *out, size_t size, size_t capacity);
EXPORT ssize_t __readlink_chk(const char *name, char *out, size_t size, size_t capacity)
{
    return size > capacity ? NEXT(__readlink_chk)(name, out, size, capacity)
                           : readlink(name, out, size);
}

ssize_t __readlinkat_chk(int at, const char *name, char *out, size_t size, size_t capacity);
EXPORT ssize_t __readlinkat_chk(int at, const char *name, char *out, size_t size, size_t capacity)
{
    return size > capacity ? NEXT(__readlinkat_chk)(at, name, out, size, capacity)
                           : readlinkat(at, name, out, size);
}

char *__realpath_chk(const char *name, char *out, size_t capacity);
EXPORT char *__realpath_chk(const char *name, char *out, size_t capacity)
{
    return capacity < PATH_MAX ? NEXT(__realpath_chk)(name, out, capacity) : realpath(name, out);
}
