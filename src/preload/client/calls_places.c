/* SPDX-License-Identifier: MIT */
/* Interposed functions for the working directory, for searches, and functions that only need the
 * path in the tree. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "preload/client/client.h"

/* ---- the working directory ------------------------------------------------------------------- */

EXPORT int chdir(const char *name)
{
    struct path path;
    bool real = path_of(AT_FDCWD, name, &path) == PATH_REAL;
    int result = NEXT(chdir)(real ? name : path.real);
    if (!real)
        log_call(result < 0 ? -errno : 0, "chdir(\"%s\")", name);
    if (result == 0)
        path_moved();
    return result;
}

EXPORT int fchdir(int fd)
{
    int result = NEXT(fchdir)(fd);
    if (result == 0)
        path_moved();
    return result;
}

/* Replaces a path in the tree by the name that the program sees, which is shorter. */
static char *to_visible_path(char *place)
{
    const char *outside = place ? path_outside(place) : NULL;
    if (outside)
        memmove(place, outside, strlen(outside) + 1);
    return place;
}

EXPORT char *getcwd(char *out, size_t size)
{
    return to_visible_path(NEXT(getcwd)(out, size));
}

EXPORT char *get_current_dir_name(void)
{
    return to_visible_path(NEXT(get_current_dir_name)());
}

char *__getcwd_chk(char *out, size_t size, size_t capacity);
EXPORT char *__getcwd_chk(char *out, size_t size, size_t capacity)
{
    return to_visible_path(NEXT(__getcwd_chk)(out, size, capacity));
}

/* ---- searches: libc's own do not call our opendir() and stat() ------------------------------- */

static void *open_directory(const char *name)
{
    return opendir(name);
}

static void close_directory(void *directory)
{
    closedir(directory);
}

#define GLOB(function, list, entry, status, read_entry, status_of, link_status_of)                 \
    static struct entry *function##_entry(void *directory)                                         \
    {                                                                                              \
        return read_entry(directory);                                                              \
    }                                                                                              \
                                                                                                   \
    EXPORT int function(const char *pattern, int flags, int (*fails)(const char *, int),           \
                        list *out)                                                                 \
    {                                                                                              \
        if (path_is_real(AT_FDCWD, pattern) || flags & GLOB_ALTDIRFUNC)                            \
            return NEXT(function)(pattern, flags, fails, out);                                     \
        out->gl_opendir = open_directory;                                                          \
        out->gl_closedir = close_directory;                                                        \
        out->gl_readdir = function##_entry;                                                        \
        out->gl_stat = status_of;                                                                  \
        out->gl_lstat = link_status_of;                                                            \
        int result = NEXT(function)(pattern, flags | GLOB_ALTDIRFUNC, fails, out);                 \
        out->gl_flags &= ~GLOB_ALTDIRFUNC;                                                         \
        log_call(result ? -ENOENT : 0, #function "(\"%s\")", pattern);                             \
        return result;                                                                             \
    }

GLOB(glob, glob_t, dirent, stat, readdir, stat, lstat)
GLOB(glob64, glob64_t, dirent64, stat64, readdir64, stat64, lstat64)

/* Walks the tree; the visitor receives the names that the program sees. */
#define NFTW(function, type, visit_type, status_of)                                                \
    static __thread visit_type function##_visit;                                                   \
                                                                                                   \
    static int function##_rename(const char *place, const struct type *about, int kind,            \
                                 struct FTW *where)                                                \
    {                                                                                              \
        const char *name = path_outside(place);                                                    \
        struct FTW shifted = *where;                                                               \
        struct type status = *about;                                                               \
        if (!name)                                                                                 \
            return function##_visit(place, about, kind, where);                                    \
        shifted.base -= (int)(name - place);                                                       \
        if (kind == FTW_F)                                                                         \
            status_of(name, &status);                                                              \
        return function##_visit(name, &status, kind, &shifted);                                    \
    }                                                                                              \
                                                                                                   \
    EXPORT int function(const char *name, visit_type visit, int max_open, int flags)               \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, visit, max_open, flags);                                   \
        visit_type outer = function##_visit; /* a visitor may start a walk itself */               \
        function##_visit = visit;                                                                  \
        int result = NEXT(function)(path.real, function##_rename, max_open, flags);                \
        function##_visit = outer;                                                                  \
        log_call(result < 0 ? -errno : result, #function "(\"%s\")", name);                        \
        return result;                                                                             \
    }

NFTW(nftw, stat, __nftw_func_t, stat)
NFTW(nftw64, stat64, __nftw64_func_t, stat64)

/* ---- functions that get the path in the tree ------------------------------------------------- */

/* `parameters` are the function's; `...` are the arguments, with `use` in place of `name`. */
#define QUERY(type, function, find, at, parameters, ...)                                           \
    EXPORT type function parameters                                                                \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use = find(at, name, &path) == PATH_REAL ? name : path.real;                   \
        type result = NEXT(function)(__VA_ARGS__);                                                 \
        if (use != name)                                                                           \
            log_call(result < 0 ? -errno : (int64_t)result, #function "(\"%s\")", name);           \
        return result;                                                                             \
    }

QUERY(int, statvfs, path_of, AT_FDCWD, (const char *name, struct statvfs *out), use, out)
QUERY(int, statvfs64, path_of, AT_FDCWD, (const char *name, struct statvfs64 *out), use, out)
QUERY(int, inotify_add_watch, path_of, AT_FDCWD, (int fd, const char *name, uint32_t mask), fd, use,
      mask)
QUERY(ssize_t, listxattr, path_of, AT_FDCWD, (const char *name, char *list, size_t size), use, list,
      size)
QUERY(ssize_t, llistxattr, path_of_link, AT_FDCWD, (const char *name, char *list, size_t size), use,
      list, size)
QUERY(ssize_t, getxattr, path_of, AT_FDCWD,
      (const char *name, const char *attribute, void *value, size_t size), use, attribute, value,
      size)
QUERY(ssize_t, lgetxattr, path_of_link, AT_FDCWD,
      (const char *name, const char *attribute, void *value, size_t size), use, attribute, value,
      size)

/* ---- file systems ---------------------------------------------------------------------------- */

/* Programs check that a file is in sysfs or debugfs. */
static const struct {
    const char *directory;
    long type;
} systems[] = {
    {"/sys/kernel/debug", DEBUGFS_MAGIC},
    {"/sys/kernel/tracing", TRACEFS_MAGIC},
    {"/sys", SYSFS_MAGIC},
    {"/proc", PROC_SUPER_MAGIC},
    {"/dev", TMPFS_MAGIC},
};

/* Returns the type of the file system that the program sees a file of the tree in. */
static long system_of(const char *place, long otherwise)
{
    const char *name = path_outside(place);
    for (size_t i = 0; name && i < sizeof systems / sizeof *systems; i++) {
        size_t length = strlen(systems[i].directory);
        if (!strncmp(name, systems[i].directory, length) && (!name[length] || name[length] == '/'))
            return systems[i].type;
    }
    return otherwise;
}

#define STATFS(function, type)                                                                     \
    EXPORT int function(const char *name, struct type *out)                                        \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, out);                                                      \
        int result = NEXT(function)(path.real, out);                                               \
        if (result == 0)                                                                           \
            out->f_type = system_of(path.real, out->f_type);                                       \
        log_call(result < 0 ? -errno : 0, #function "(\"%s\")", name);                             \
        return result;                                                                             \
    }                                                                                              \
                                                                                                   \
    EXPORT int f##function(int fd, struct type *out)                                               \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        char place[TREE_PATH_SIZE];                                                                \
        if (!tree_directory())                                                                     \
            return NEXT(f##function)(fd, out);                                                     \
        if (descriptor_is_ours(fd, &descriptor) && descriptor.kind == DESCRIPTOR_DEVICE) {         \
            path_of_minor(descriptor.minor, place);                                                \
            int result = NEXT(function)(place, out);                                               \
            if (result == 0)                                                                       \
                out->f_type = system_of(place, out->f_type);                                       \
            return result;                                                                         \
        }                                                                                          \
        int result = NEXT(f##function)(fd, out);                                                   \
        if (result == 0 && path_of_descriptor(fd, place))                                          \
            out->f_type = system_of(place, out->f_type);                                           \
        return result;                                                                             \
    }

STATFS(statfs, statfs)
STATFS(statfs64, statfs64)

/* ---- changes --------------------------------------------------------------------------------- */

/* Returns why a change of a file is refused; 0: it is not, or it is real. Only root may change one
 * of the tree, which belongs to the user, and nobody makes or removes one of the kernel's: then
 * `always` is the reason; 0: root may. */
static int refusal_of(const struct path *path, int reason, int always)
{
    if (path->kind == PATH_REAL || !path_outside(path->real))
        return 0;
    return !ids_privileged() ? reason : path->root_writes ? always : 0;
}

#define CHANGES(function, reason, always, find, at, parameters, ...)                               \
    EXPORT int function parameters                                                                 \
    {                                                                                              \
        struct path path;                                                                          \
        const char *use = find(at, name, &path) == PATH_REAL ? name : path.real;                   \
        int refusal = refusal_of(&path, reason, always);                                           \
        if (refusal)                                                                               \
            errno = refusal;                                                                       \
        int result = refusal ? -1 : NEXT(function)(__VA_ARGS__);                                   \
        if (use != name)                                                                           \
            log_call(result < 0 ? -errno : 0, #function "(\"%s\")", name);                         \
        return result;                                                                             \
    }

CHANGES(chmod, EPERM, 0, path_of, AT_FDCWD, (const char *name, mode_t mode), use, mode)
CHANGES(chown, EPERM, 0, path_of, AT_FDCWD, (const char *name, uid_t user, gid_t group), use, user,
        group)
CHANGES(lchown, EPERM, 0, path_of_link, AT_FDCWD, (const char *name, uid_t user, gid_t group), use,
        user, group)
/* Files of the kernel have no length that could change. */
#define TRUNCATE(function, type)                                                                   \
    EXPORT int function(const char *name, type size)                                               \
    {                                                                                              \
        struct path path;                                                                          \
        if (path_of(AT_FDCWD, name, &path) == PATH_REAL)                                           \
            return NEXT(function)(name, size);                                                     \
        int refusal = refusal_of(&path, EACCES, 0), result = -1;                                   \
        if (refusal)                                                                               \
            errno = refusal;                                                                       \
        else if (size < 0 || !path.root_writes)                                                    \
            result = NEXT(function)(path.real, size);                                              \
        else                                                                                       \
            result = NEXT(access)(path.real, W_OK);                                                \
        log_call(result < 0 ? -errno : 0, #function "(\"%s\")", name);                             \
        return result;                                                                             \
    }

TRUNCATE(truncate, off_t)
TRUNCATE(truncate64, off64_t)

CHANGES(unlink, EACCES, EPERM, path_of_link, AT_FDCWD, (const char *name), use)
CHANGES(rmdir, EACCES, EPERM, path_of, AT_FDCWD, (const char *name), use)
CHANGES(mkdir, EACCES, EPERM, path_of, AT_FDCWD, (const char *name, mode_t mode), use, mode)
CHANGES(fchmodat, EPERM, 0, path_of, at, (int at, const char *name, mode_t mode, int flags), at,
        use, mode, flags)
CHANGES(fchownat, EPERM, 0, path_of, at,
        (int at, const char *name, uid_t user, gid_t group, int flags), at, use, user, group, flags)
CHANGES(utimensat, EACCES, 0, path_of, at,
        (int at, const char *name, const struct timespec times[2], int flags), at, use, times,
        flags)
CHANGES(unlinkat, EACCES, EPERM, path_of_link, at, (int at, const char *name, int flags), at, use,
        flags)
CHANGES(mkdirat, EACCES, EPERM, path_of, at, (int at, const char *name, mode_t mode), at, use, mode)
