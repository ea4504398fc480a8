/* SPDX-License-Identifier: MIT */
/* Functions that take the names of files. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/client/client.h"

#define DRM_MAJOR 226

/* ---- opening --------------------------------------------------------------------------------- */

static int open_device(const char *name, unsigned minor, int flags)
{
    struct call call = {.header = {.kind = EMULATE_OPEN,
                                   .a = minor,
                                   .b = (unsigned)flags & (O_CLOEXEC | O_NONBLOCK)}};
    int saved = errno;
    int64_t result = channel_call(&call);
    log_call(result < 0 ? result : call.descriptor, "open(\"%s\", 0x%x)", name, (unsigned)flags);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    errno = saved;
    return call.descriptor;
}

static void make_anew(const struct path *path)
{
    struct call call = {.header = {.kind = EMULATE_CONTENT, .a = path->content}};
    int saved = errno;
    channel_call(&call);
    errno = saved;
}

static bool is_denied(const struct path *path, bool writes)
{
    return path->sysctl && writes && !ids_privileged();
}

/* True: it is a device, and open, or must not be opened. Else the name to use is in *use. */
static bool opens_device(int at, const char *name, int flags, struct path *path, const char **use,
                         int *fd)
{
    *use = name;
    switch (path_of(at, name, path)) {
    case PATH_REAL:
        return false;
    case PATH_DEVICE:
    case PATH_DESCRIPTOR:
        if (flags & O_PATH)
            break;
        *fd = open_device(name, path->minor, flags);
        return true;
    case PATH_CONTENT:
        make_anew(path);
        break;
    default:
        break;
    }
    *use = path->real;
    if (!is_denied(path, (flags & O_ACCMODE) != O_RDONLY))
        return false;
    log_call(-EACCES, "open(\"%s\", 0x%x)", name, (unsigned)flags);
    errno = EACCES;
    *fd = -1;
    return true;
}

static int log_open(const char *name, const char *use, int fd)
{
    if (use != name && log_is_on())
        log_call(fd < 0 ? -errno : fd, "open(\"%s\")", name);
    return fd;
}

static mode_t mode_of(int flags, va_list arguments)
{
    bool has_mode = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? va_arg(arguments, mode_t) : 0;
}

#define OPEN(function)                                                                             \
    EXPORT int function(const char *name, int flags, ...)                                          \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        if (opens_device(AT_FDCWD, name, flags, &path, &use, &fd))                                 \
            return fd;                                                                             \
        return log_open(name, use, descriptor_opened(NEXT(function)(use, flags, mode)));           \
    }

#define OPENAT(function)                                                                           \
    EXPORT int function(int at, const char *name, int flags, ...)                                  \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = mode_of(flags, arguments);                                                   \
        va_end(arguments);                                                                         \
        if (opens_device(at, name, flags, &path, &use, &fd))                                       \
            return fd;                                                                             \
        return log_open(name, use, descriptor_opened(NEXT(function)(at, use, flags, mode)));       \
    }

/* What the compiler calls in place of open() with _FORTIFY_SOURCE. */
#define OPEN_2(function)                                                                           \
    int function(const char *name, int flags);                                                     \
    EXPORT int function(const char *name, int flags)                                               \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        if (opens_device(AT_FDCWD, name, flags, &path, &use, &fd))                                 \
            return fd;                                                                             \
        return log_open(name, use, descriptor_opened(NEXT(function)(use, flags)));                 \
    }

#define OPENAT_2(function)                                                                         \
    int function(int at, const char *name, int flags);                                             \
    EXPORT int function(int at, const char *name, int flags)                                       \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use;                                                                           \
        int fd;                                                                                    \
        if (opens_device(at, name, flags, &path, &use, &fd))                                       \
            return fd;                                                                             \
        return log_open(name, use, descriptor_opened(NEXT(function)(at, use, flags)));             \
    }

#define FOPEN(function)                                                                            \
    EXPORT FILE *function(const char *name, const char *mode)                                      \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, mode);                                                     \
        if (path.kind == PATH_CONTENT)                                                             \
            make_anew(&path);                                                                      \
        if (is_denied(&path, strpbrk(mode, "wa+"))) {                                              \
            errno = EACCES;                                                                        \
            return NULL;                                                                           \
        }                                                                                          \
        FILE *file = NEXT(function)(path.real, mode);                                              \
        log_call(file ? 0 : -errno, "fopen(\"%s\", \"%s\")", name, mode);                          \
        return file;                                                                               \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
OPEN_2(__open_2)
OPEN_2(__open64_2)
OPENAT_2(__openat_2)
OPENAT_2(__openat64_2)
FOPEN(fopen)
FOPEN(fopen64)

EXPORT int creat(const char *name, mode_t mode)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    return descriptor_opened(NEXT(creat)(real ? name : path.real, mode));
}

EXPORT DIR *opendir(const char *name)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    DIR *directory = NEXT(opendir)(real ? name : path.real);
    if (!real)
        log_call(directory ? 0 : -errno, "opendir(\"%s\")", name);
    return directory;
}

#define SCANDIR(function, entry)                                                                   \
    EXPORT int function(const char *name, struct entry ***list,                                    \
                        int (*filter)(const struct entry *),                                       \
                        int (*compare)(const struct entry **, const struct entry **))              \
    {                                                                                              \
        struct path path;                                                                          \
        bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;                                   \
        return NEXT(function)(real ? name : path.real, list, filter, compare);                     \
    }

SCANDIR(scandir, dirent)
SCANDIR(scandir64, dirent64)

/* ---- what there is --------------------------------------------------------------------------- */

/* A node of the device has the place's inode, and is a character device. */
#define DEVICE_STAT(stat, number)                                                                  \
    do {                                                                                           \
        (stat)->st_mode = S_IFCHR | 0666;                                                          \
        (stat)->st_rdev = makedev(DRM_MAJOR, number);                                              \
        (stat)->st_size = 0;                                                                       \
    } while (0)

/* A test harness takes debugfs for mounted if its root is another file system than /sys. */
static bool is_mount_point(const char *name)
{
    return !strcmp(name, "/sys/kernel/debug/.") || !strcmp(name, "/sys/kernel/debug/");
}

#define STAT(function, type)                                                                       \
    EXPORT int function(const char *name, struct type *out)                                        \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, out);                                                      \
        int result = NEXT(function)(path.real, out);                                               \
        if (result == 0 && (path.kind == PATH_DEVICE || path.kind == PATH_DESCRIPTOR))             \
            DEVICE_STAT(out, path.minor);                                                          \
        if (result == 0 && is_mount_point(name))                                                   \
            out->st_dev ^= 1;                                                                      \
        log_call(result < 0 ? -errno : 0, #function "(\"%s\")", name);                             \
        return result;                                                                             \
    }

STAT(stat, stat)
STAT(stat64, stat64)
STAT(lstat, stat)
STAT(lstat64, stat64)

#define FSTAT(function, type)                                                                      \
    EXPORT int function(int fd, struct type *out)                                                  \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        char place[TREE_ROOM];                                                                     \
        if (!descriptor_is_ours(fd, &descriptor) || descriptor.kind != DESCRIPTOR_DEVICE)          \
            return NEXT(function)(fd, out);                                                        \
        path_of_minor(descriptor.minor, place);                                                    \
        int result = NEXT(type)(place, out);                                                       \
        if (result == 0)                                                                           \
            DEVICE_STAT(out, descriptor.minor);                                                    \
        log_call(result < 0 ? -errno : 0, #function "(%d)", fd);                                   \
        return result;                                                                             \
    }

FSTAT(fstat, stat)
FSTAT(fstat64, stat64)

#define FSTATAT(function, type, by_fd)                                                             \
    EXPORT int function(int at, const char *name, struct type *out, int flags)                     \
    {                                                                                              \
        struct path path;                                                                          \
        if (!*name && (flags & AT_EMPTY_PATH))                                                     \
            return by_fd(at, out);                                                                 \
        if (path_of(at, name, &path) == PATH_REAL)                                                 \
            return NEXT(function)(at, name, out, flags);                                           \
        int result = NEXT(function)(at, path.real, out, flags);                                    \
        if (result == 0 && (path.kind == PATH_DEVICE || path.kind == PATH_DESCRIPTOR))             \
            DEVICE_STAT(out, path.minor);                                                          \
        return result;                                                                             \
    }

FSTATAT(fstatat, stat, fstat)
FSTATAT(fstatat64, stat64, fstat64)

EXPORT int statx(int at, const char *name, int flags, unsigned mask, struct statx *out)
{
    struct path path;
    struct descriptor descriptor;
    bool device = false;
    if (!*name && (flags & AT_EMPTY_PATH) && descriptor_is_ours(at, &descriptor) &&
        descriptor.kind == DESCRIPTOR_DEVICE) {
        path.minor = descriptor.minor;
        path_of_minor(descriptor.minor, path.real);
        flags &= ~AT_EMPTY_PATH;
        device = true;
    } else if (path_of(at, name, &path) == PATH_REAL) {
        return NEXT(statx)(at, name, flags, mask, out);
    }
    int result = NEXT(statx)(AT_FDCWD, path.real, flags, mask, out);
    if (result == 0 && (device || path.kind == PATH_DEVICE || path.kind == PATH_DESCRIPTOR)) {
        out->stx_mode = S_IFCHR | 0666;
        out->stx_rdev_major = DRM_MAJOR;
        out->stx_rdev_minor = path.minor;
        out->stx_size = 0;
    }
    return result;
}

EXPORT int access(const char *name, int mode)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    return NEXT(access)(real ? name : path.real, mode);
}

EXPORT int euidaccess(const char *name, int mode)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    return NEXT(euidaccess)(real ? name : path.real, mode);
}

EXPORT int faccessat(int at, const char *name, int mode, int flags)
{
    struct path path;
    bool real = path_of(at, name, &path) == PATH_REAL;
    return NEXT(faccessat)(at, real ? name : path.real, mode, flags);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* What the kernel says of /proc/self/fd/N, and of the tree's own links. */
static ssize_t link_text(const struct path *path, char *out, size_t size)
{
    const char *text = path->minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128";
    if (path->kind != PATH_DESCRIPTOR)
        return NEXT(readlink)(path->real, out, size);
    size_t length = strlen(text) < size ? strlen(text) : size;
    memcpy(out, text, length);
    return (ssize_t)length;
}

static ssize_t stream_link(char *out, size_t size)
{
    static const char text[] = "anon_inode:[i915_perf]";
    size_t length = sizeof text - 1 < size ? sizeof text - 1 : size;
    memcpy(out, text, length);
    return (ssize_t)length;
}

EXPORT ssize_t readlink(const char *name, char *out, size_t size)
{
    struct path path;
    if (path_is_stream(name))
        return stream_link(out, size);
    if (path_of(AT_FDCWD, name, &path) == PATH_REAL)
        return NEXT(readlink)(name, out, size);
    return link_text(&path, out, size);
}

EXPORT ssize_t readlinkat(int at, const char *name, char *out, size_t size)
{
    struct path path;
    if (path_is_stream(name))
        return stream_link(out, size);
    if (path_of(at, name, &path) == PATH_REAL)
        return NEXT(readlinkat)(at, name, out, size);
    return link_text(&path, out, size);
}

EXPORT char *realpath(const char *name, char *out)
{
    struct path path;
    char text[TREE_ROOM];
    if (path_of(AT_FDCWD, name, &path) == PATH_REAL)
        return NEXT(realpath)(name, out);
    size_t prefix = strlen(tree_directory()) + 1 + strlen(EMULATE_ROOT);
    char *found = NEXT(realpath)(path.real, text);
    if (!found || strlen(found) < prefix)
        return NULL;
    found += prefix; /* as if the tree were the root */
    return out ? strcpy(out, found) : strdup(found);
}

/* ---- attributes: ls asks for them ------------------------------------------------------------ */

#define XATTR_LIST(function)                                                                       \
    EXPORT ssize_t function(const char *name, char *list, size_t size)                             \
    {                                                                                              \
        struct path path;                                                                          \
        bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;                                   \
        return NEXT(function)(real ? name : path.real, list, size);                                \
    }

#define XATTR_GET(function)                                                                        \
    EXPORT ssize_t function(const char *name, const char *attribute, void *value, size_t size)     \
    {                                                                                              \
        struct path path;                                                                          \
        bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;                                   \
        return NEXT(function)(real ? name : path.real, attribute, value, size);                    \
    }

XATTR_LIST(listxattr)
XATTR_LIST(llistxattr)
XATTR_GET(getxattr)
XATTR_GET(lgetxattr)
