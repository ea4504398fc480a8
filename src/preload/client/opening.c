/* SPDX-License-Identifier: MIT */
/* Opens files of the device. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/client/client.h"

void open_log(int64_t result, const char *name, int flags)
{
    char text[FLAGS_SIZE];
    if (log_is_on())
        log_call(result, "open(\"%s\", %s)", name, log_flags(flags, text));
}

int open_device(const char *name, unsigned minor, int flags)
{
    int wrong = flags & O_DIRECTORY ? ENOTDIR : (flags & O_CREAT) && (flags & O_EXCL) ? EEXIST : 0;
    if (wrong) {
        open_log(-wrong, name, flags);
        errno = wrong;
        return -1;
    }
    struct call call = {.header = {.kind = EMULATE_OPEN,
                                   .a = minor,
                                   .b = (unsigned)flags & (O_CLOEXEC | O_NONBLOCK)}};
    int saved = errno;
    int64_t result = channel_call(&call);
    open_log(result < 0 ? result : call.descriptor, name, flags);
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    errno = saved;
    return call.descriptor;
}

void open_update(const struct path *path)
{
    bool named = path->content == EMULATE_TRACE; /* the others are few, and made together */
    struct call call = {.header = {.kind = EMULATE_CONTENT,
                                   .a = path->content,
                                   .bytes = named ? (uint32_t)strlen(path->real) : 0},
                        .bytes = path->real};
    int saved = errno;
    channel_call(&call);
    errno = saved;
}

bool open_is_denied(const struct path *path, bool writes)
{
    return (path->root_only || (path->root_writes && writes)) && !ids_privileged();
}

bool open_would_make(const struct path *path)
{
    int saved = errno;
    bool missing = path->root_writes && syscall(SYS_faccessat, AT_FDCWD, path->real, F_OK) < 0;
    errno = saved;
    return missing;
}

static bool has_served;

bool open_has_served(void)
{
    return __atomic_load_n(&has_served, __ATOMIC_RELAXED);
}

int64_t open_served(const struct path *path, int flags)
{
    struct call call = {
        .header = {.kind = EMULATE_OPEN_FILE,
                   .bytes = (uint32_t)strlen(path->real),
                   .a = (unsigned)flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK | O_TRUNC)},
        .bytes = path->real};
    bool served = path->served || (path->root_writes && (flags & O_ACCMODE) != O_RDONLY);
    int64_t result = served ? channel_call(&call) : -ENOENT;
    if (result >= 0)
        __atomic_store_n(&has_served, true, __ATOMIC_RELAXED);
    return result < 0 ? result : call.descriptor;
}

bool open_special(const char *name, int flags, const struct path *path, const char **use, int *fd)
{
    *use = name;
    switch (path->kind) {
    case PATH_REAL:
        return false;
    case PATH_DEVICE:
    case PATH_LINK:
    case PATH_DESCRIPTOR:
        if (flags & O_PATH)
            break;
        *fd = open_device(name, path->minor, flags);
        return true;
    case PATH_CONTENT:
        if (!path->served)
            open_update(path);
        break;
    default:
        break;
    }
    *use = path->real;
    int saved = errno;
    int64_t result = open_is_denied(path, (flags & O_ACCMODE) != O_RDONLY) ? -EACCES
                     : flags & (O_PATH | O_DIRECTORY)                      ? -ENOENT
                                                      : open_served(path, flags);
    errno = saved;
    if (result == -ENOENT && flags & O_CREAT && open_would_make(path))
        result = -EACCES;
    if (result == -ENOENT)
        return false;
    open_log(result, name, flags);
    if (result < 0)
        errno = (int)-result;
    *fd = result < 0 ? -1 : (int)result;
    return true;
}
