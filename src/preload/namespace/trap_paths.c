/* SPDX-License-Identifier: MIT */
/* System calls that have the name of a file. Those of files that the machine has, and of virtual
 * files that are plain, the kernel performs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/namespace/namespace.h"

#define DRM_MAJOR 226

/* ---- opening --------------------------------------------------------------------------------- */

#define NEW_TERMINAL "/dev/ptmx"

/* Where /dev is replaced, the kernel does not find the terminals beside this file, which is a
 * mount.
 */
static int64_t open_terminal(int flags)
{
    int fd = open(NEW_TERMINAL, (flags & (O_ACCMODE | O_NONBLOCK)) | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -errno : target_give(fd, flags & O_CLOEXEC, 0);
}

static int64_t open_at(int at, uint64_t name, int flags)
{
    struct path path;
    char text[4096];
    const char *use;
    int fd = -1;
    if (!target_path(at, name, !(flags & O_NOFOLLOW), &path, text))
        return TRAP_CONTINUE;
    if (path.kind == PATH_REAL && !(flags & O_PATH) && !strcmp(text, NEW_TERMINAL))
        return open_terminal(flags);
    errno = 0;
    if (path.kind == PATH_FDINFO || path.kind == PATH_STATUS || path.kind == PATH_MOUNTS) {
        if (path.kind == PATH_STATUS)
            open_update(&path);
        fd = path.kind == PATH_FDINFO   ? proc_fdinfo(path.real)
             : path.kind == PATH_MOUNTS ? proc_mounts(path.real)
                                        : open(path.real, O_RDONLY | O_CLOEXEC);
        return fd < 0 ? -errno : target_give(fd, flags & O_CLOEXEC, 0);
    }
    if (!open_special(text, flags, &path, &use, &fd))
        return TRAP_CONTINUE;
    return fd < 0 ? -errno : fd;
}

int64_t trap_open(const uint64_t a[6])
{
    return open_at(AT_FDCWD, a[0], (int)a[1]);
}

int64_t trap_creat(const uint64_t a[6])
{
    return open_at(AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC);
}

int64_t trap_openat(const uint64_t a[6])
{
    return open_at((int)a[0], a[1], (int)a[2]);
}

int64_t trap_openat2(const uint64_t a[6])
{
    struct open_how how;
    return user_read(&how, a[2], sizeof how) ? open_at((int)a[0], a[1], (int)how.flags)
                                             : TRAP_CONTINUE;
}

/* ---- status ---------------------------------------------------------------------------------- */

/* Finds the minor number of a node of the device. Returns false for other files. */
static bool is_node(int at, uint64_t name, bool follow, unsigned *minor)
{
    struct path path;
    char text[4096];
    if (!target_path(at, name, follow, &path, text) ||
        (path.kind != PATH_DEVICE && path.kind != PATH_DESCRIPTOR))
        return false;
    *minor = path.minor;
    return true;
}

static bool is_device(int fd, unsigned *minor)
{
    struct descriptor descriptor;
    if (!descriptor_is_ours(fd, &descriptor) || descriptor.kind != DESCRIPTOR_DEVICE)
        return false;
    *minor = descriptor.minor;
    return true;
}

/* Whether a call is for the descriptor itself: the name is "" or NULL. */
static bool is_by_fd(uint64_t name, int flags)
{
    char first;
    return flags & AT_EMPTY_PATH && (!name || (user_read(&first, name, 1) && !first));
}

static int64_t show_node(unsigned minor, uint64_t address)
{
    char place[TREE_PATH_SIZE];
    struct stat about;
    path_of_minor(minor, place);
    if (stat(place, &about) < 0)
        return -errno;
    about.st_mode = S_IFCHR | 0666;
    about.st_rdev = makedev(DRM_MAJOR, minor);
    about.st_size = 0;
    return user_write(address, &about, sizeof about) ? 0 : -EFAULT;
}

int64_t trap_stat(const uint64_t a[6])
{
    unsigned minor;
    return is_node(AT_FDCWD, a[0], true, &minor) ? show_node(minor, a[1]) : TRAP_CONTINUE;
}

int64_t trap_lstat(const uint64_t a[6])
{
    unsigned minor;
    return is_node(AT_FDCWD, a[0], false, &minor) ? show_node(minor, a[1]) : TRAP_CONTINUE;
}

/* A descriptor that is a socket here. */
static int64_t show_socket(int fd, uint64_t address)
{
    struct descriptor descriptor;
    struct stat about;
    int copy;
    if (!target_is_ours(fd, &descriptor, &copy))
        return TRAP_CONTINUE;
    int64_t result = fstat(copy, &about) < 0 ? -errno : 0;
    close(copy);
    if (result < 0)
        return result;
    about.st_mode = descriptor_mode(&descriptor, &about.st_size);
    return user_write(address, &about, sizeof about) ? 0 : -EFAULT;
}

int64_t trap_fstat(const uint64_t a[6])
{
    unsigned minor;
    return is_device((int)a[0], &minor) ? show_node(minor, a[1]) : show_socket((int)a[0], a[1]);
}

/* Whether a call with a directory and AT_... flags is for a node. */
static bool is_node_at(int at, uint64_t name, int flags, unsigned *minor)
{
    return is_by_fd(name, flags) ? is_device(at, minor)
                                 : is_node(at, name, !(flags & AT_SYMLINK_NOFOLLOW), minor);
}

int64_t trap_fstatat(const uint64_t a[6])
{
    unsigned minor;
    if (is_node_at((int)a[0], a[1], (int)a[3], &minor))
        return show_node(minor, a[2]);
    return is_by_fd(a[1], (int)a[3]) ? show_socket((int)a[0], a[2]) : TRAP_CONTINUE;
}

/* As show_socket(), for the arguments of statx(). */
static int64_t show_socket_x(const uint64_t a[6])
{
    struct descriptor descriptor;
    struct statx about;
    off_t size;
    int copy;
    if (!target_is_ours((int)a[0], &descriptor, &copy))
        return TRAP_CONTINUE;
    int64_t result = statx(copy, "", AT_EMPTY_PATH, (unsigned)a[3], &about) < 0 ? -errno : 0;
    close(copy);
    if (result < 0)
        return result;
    about.stx_mode = (uint16_t)descriptor_mode(&descriptor, &size);
    about.stx_size = (uint64_t)size;
    return user_write(a[4], &about, sizeof about) ? 0 : -EFAULT;
}

int64_t trap_statx(const uint64_t a[6])
{
    char place[TREE_PATH_SIZE];
    struct statx about;
    unsigned minor;
    if (!is_node_at((int)a[0], a[1], (int)a[2], &minor))
        return is_by_fd(a[1], (int)a[2]) ? show_socket_x(a) : TRAP_CONTINUE;
    path_of_minor(minor, place);
    if (statx(AT_FDCWD, place, (int)a[2] & ~AT_EMPTY_PATH, (unsigned)a[3], &about) < 0)
        return -errno;
    about.stx_mode = S_IFCHR | 0666;
    about.stx_rdev_major = DRM_MAJOR;
    about.stx_rdev_minor = minor;
    about.stx_size = 0;
    return user_write(a[4], &about, sizeof about) ? 0 : -EFAULT;
}

/* ---- file systems ---------------------------------------------------------------------------- */

/* Returns the type of the file system that a virtual file appears to be in; 0: it is another file.
 */
static long system_of(const char *real)
{
    static const struct {
        const char *directory;
        long type;
    } systems[] = {{"/sys/kernel/debug", DEBUGFS_MAGIC},
                   {"/sys/kernel/tracing", TRACEFS_MAGIC},
                   {"/sys", SYSFS_MAGIC},
                   {"/proc", PROC_SUPER_MAGIC},
                   {"/dev", TMPFS_MAGIC}};
    char root[TREE_PATH_SIZE];
    path_in_tree("", root);
    const char *name = real + strlen(root);
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (!strncmp(name, systems[i].directory, strlen(systems[i].directory)))
            return systems[i].type;
    return 0;
}

static int64_t show_system(const struct path *path, uint64_t address)
{
    struct statfs about;
    long type =
        path->kind == PATH_VIRTUAL || path->kind == PATH_CONTENT || path->kind == PATH_DEVICE
            ? system_of(path->real)
            : 0;
    if (!type || statfs(path->real, &about) < 0)
        return TRAP_CONTINUE;
    about.f_type = type;
    return user_write(address, &about, sizeof about) ? 0 : -EFAULT;
}

int64_t trap_statfs(const uint64_t a[6])
{
    struct path path;
    char text[4096];
    return target_path(AT_FDCWD, a[0], true, &path, text) ? show_system(&path, a[1])
                                                          : TRAP_CONTINUE;
}

int64_t trap_fstatfs(const uint64_t a[6])
{
    struct path path = {.kind = PATH_REAL};
    char real[4096];
    unsigned minor;
    if (is_device((int)a[0], &minor)) {
        path.kind = PATH_DEVICE;
        path_of_minor(minor, path.real);
    } else if (target_descriptor_path((int)a[0], real)) {
        path.kind = rows_find(real, &path);
    }
    return show_system(&path, a[1]);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* /proc/self/fd/N of the device's descriptors reads as in the kernel. */
static int64_t read_link(int at, uint64_t name, uint64_t to, size_t size)
{
    struct path path;
    char text[4096];
    struct descriptor descriptor;
    const char *shown = NULL;
    if (!size || !target_path(at, name, true, &path, text))
        return TRAP_CONTINUE;
    if (path.kind == PATH_DESCRIPTOR)
        shown = path.minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128";
    else if (descriptor_is_ours(target_named_descriptor(text), &descriptor))
        shown = descriptor_link_text(descriptor.kind);
    if (!shown)
        return TRAP_CONTINUE;
    size_t length = strlen(shown) < size ? strlen(shown) : size;
    return user_write(to, shown, length) ? (int64_t)length : -EFAULT;
}

int64_t trap_readlink(const uint64_t a[6])
{
    return read_link(AT_FDCWD, a[0], a[1], (size_t)a[2]);
}

int64_t trap_readlinkat(const uint64_t a[6])
{
    return read_link((int)a[0], a[1], a[2], (size_t)a[3]);
}
