/* SPDX-License-Identifier: MIT */
#include "serve/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"

int folder_open(struct serve_folder *folder, const char *path, struct tally_error *error)
{
    *folder = (struct serve_folder){.fd = -1, .path = path};
    if (!path)
        return 0;
    folder->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder->fd < 0 ? fail(error, -errno, "%s: cannot open: %s, expected a folder", path,
                                 strerror(errno))
                          : 0;
}

void folder_close(struct serve_folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    folder->fd = -1;
}

bool folder_is_name(const char *name)
{
    return *name && *name != '.' && strlen(name) < SERVE_FILE_MAX && !strchr(name, '/') &&
           is_printable(name);
}

static int open_below(const struct serve_folder *folder, const char *name, int flags,
                      struct tally_error *error)
{
    struct open_how how = {
        .flags = (unsigned)(flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
        .mode = flags & O_CREAT ? 0644 : 0,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    if (folder->fd < 0)
        return fail(error, -ENOENT, "no folder is served");
    if (!folder_is_name(name))
        return fail(error, -EINVAL,
                    "\"%s\", expected the name of a file without / and a . in front", name);
    long fd = syscall(SYS_openat2, folder->fd, name, &how, sizeof how);
    if (fd < 0 &&
        errno == ENOSYS) /* Linux before 5.6; a single component cannot leave the folder */
        fd = openat(folder->fd, name, (int)how.flags, (mode_t)how.mode);
    return fd < 0 ? fail(error, -errno, "%s: %s", name, strerror(errno)) : (int)fd;
}

int folder_create(const struct serve_folder *folder, const char *name, struct tally_error *error)
{
    return open_below(folder, name, O_WRONLY | O_CREAT | O_EXCL, error);
}

int folder_read(const struct serve_folder *folder, const char *name, struct tally_error *error)
{
    struct stat status;
    int fd = open_below(folder, name, O_RDONLY, error);
    if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
        close(fd);
        return fail(error, -ENOENT, "%s: not a file", name);
    }
    return fd;
}

void folder_list(const struct serve_folder *folder,
                 void (*visit)(void *closure, const struct folder_entry *entry), void *closure)
{
    /* A new descriptor: that of the folder has one position for all threads. */
    int fd = folder->fd < 0 ? -1 : openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    struct stat status;
    if (!directory) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(directory)))
        if (folder_is_name(entry->d_name) &&
            !fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) && S_ISREG(status.st_mode))
            visit(closure, &(struct folder_entry){entry->d_name, (uint64_t)status.st_size,
                                                  (uint64_t)status.st_mtim.tv_sec * 1000 +
                                                      (uint64_t)status.st_mtim.tv_nsec / 1000000});
    closedir(directory);
}
