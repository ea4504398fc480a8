/* SPDX-License-Identifier: MIT */
/* Interposed functions that take descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/minmax.h"
#include "driver/i915/uapi.h"
#include "preload/client/client.h"

static int64_t fail(int64_t result)
{
    if (result >= 0)
        return result;
    errno = (int)-result;
    return -1;
}

/* Logs a completed call if the descriptor belongs to the device. */
#define LOG_OURS(fd, result, ...)                                                                  \
    do {                                                                                           \
        struct descriptor logged;                                                                  \
        if (log_is_on() && descriptor_is_ours(fd, &logged))                                        \
            log_call((result) < 0 ? -errno : (result), __VA_ARGS__);                               \
    } while (0)

/* Returns the name of an ioctl that the kernel implements for all files; NULL for others. */
static const char *general_name(unsigned long request)
{
    switch (request) {
    case FIOCLEX:
        return "FIOCLEX";
    case FIONCLEX:
        return "FIONCLEX";
    case FIONBIO:
        return "FIONBIO";
    case FIOASYNC:
        return "FIOASYNC";
    default:
        return NULL;
    }
}

static int call_general(int fd, unsigned long request, void *argument)
{
    int result = NEXT(ioctl)(fd, request, argument);
    LOG_OURS(fd, result, "ioctl(%d, %s)", fd, general_name(request));
    return result;
}

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    struct descriptor descriptor;
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (general_name(request))
        return call_general(fd, request, argument);
    if (!descriptor_is_ours(fd, &descriptor))
        return NEXT(ioctl)(fd, request, argument);
    int saved = errno;
    int64_t result =
        request_ioctl(fd, &descriptor, (uint32_t)request, (uint64_t)(uintptr_t)argument);
    log_ioctl(result, fd, (uint32_t)request, (uint64_t)(uintptr_t)argument);
    errno = saved;
    return (int)fail(result);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* Whether a read would return EAGAIN. With a virtual clock the call cannot be skipped, because it
 * advances time. */
static bool is_known_empty(int fd, const struct descriptor *descriptor)
{
    if (descriptor->kind != DESCRIPTOR_STREAM || time_is_virtual() ||
        !descriptor_is_empty(descriptor))
        return false;
    int flags = NEXT(fcntl)(fd, F_GETFL);
    return flags < 0 || flags & O_NONBLOCK;
}

static ssize_t read_ours(int fd, const struct descriptor *descriptor, void *to, size_t bytes)
{
    int saved = errno;
    int64_t result = is_known_empty(fd, descriptor) ? -EAGAIN
                     : descriptor->kind == DESCRIPTOR_TIMER
                         ? timer_read(fd, descriptor, to, bytes)
                         : request_read(fd, descriptor, (uint64_t)(uintptr_t)to, bytes);
    log_call(result, "read(%d, %zu)", fd, bytes);
    errno = saved;
    return (ssize_t)fail(result);
}

EXPORT ssize_t read(int fd, void *to, size_t bytes)
{
    struct descriptor descriptor;
    if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor))
        return NEXT(read)(fd, to, bytes);
    return read_ours(fd, &descriptor, to, bytes);
}

ssize_t __read_chk(int fd, void *to, size_t bytes, size_t capacity);
EXPORT ssize_t __read_chk(int fd, void *to, size_t bytes, size_t capacity)
{
    struct descriptor descriptor;
    if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor) || bytes > capacity)
        return NEXT(__read_chk)(fd, to, bytes, capacity);
    return read_ours(fd, &descriptor, to, bytes);
}

/* Reads into the parts in order, until one is not filled. */
EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    struct descriptor descriptor;
    ssize_t sum = 0;
    if (count <= 0 || count > IOV_MAX || descriptor_is_other(fd) ||
        !descriptor_is_ours(fd, &descriptor))
        return NEXT(readv)(fd, parts, count);
    for (int i = 0; i < count; i++) {
        int saved = errno;
        ssize_t got = read_ours(fd, &descriptor, parts[i].iov_base, parts[i].iov_len);
        if (got < 0 && sum)
            errno = saved;
        if (got < 0)
            return sum ? sum : got;
        sum += got;
        if ((size_t)got < parts[i].iov_len)
            break;
    }
    return sum;
}

/* ---- splice: from the pipes of tracefs ------------------------------------------------------- */

EXPORT ssize_t splice(int from, off64_t *from_offset, int to, off64_t *to_offset, size_t bytes,
                      unsigned flags)
{
    struct descriptor descriptor;
    if (!descriptor_is_file(from, &descriptor))
        return NEXT(splice)(from, from_offset, to, to_offset, bytes, flags);
    int saved = errno;
    int64_t result =
        from_offset || to_offset ? -ESPIPE : request_splice(from, &descriptor, to, bytes, flags);
    log_call(result, "splice(%d, %d, %zu, 0x%x)", from, to, bytes, flags);
    errno = saved;
    return (ssize_t)fail(result);
}

/* ---- write: only to virtual files --------------------------------------------------------------
 */

static ssize_t write_file(int fd, const struct descriptor *descriptor, const void *from,
                          size_t bytes, bool moves)
{
    int saved = errno;
    int64_t result = request_write(descriptor, (uint64_t)(uintptr_t)from, bytes, moves);
    log_call(result, "write(%d, %zu bytes)", fd, bytes);
    errno = result < 0 ? (int)-result : saved;
    return result < 0 ? -1 : (ssize_t)result;
}

static ssize_t refuse_write(int fd, const struct descriptor *descriptor, const char *function)
{
    int code = descriptor->kind == DESCRIPTOR_STREAM ? EBADF : EINVAL;
    log_call(-code, "%s(%d)", function, fd);
    errno = code;
    return -1;
}

EXPORT ssize_t write(int fd, const void *from, size_t bytes)
{
    struct descriptor descriptor;
    if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor))
        return NEXT(write)(fd, from, bytes);
    if (descriptor.kind == DESCRIPTOR_FILE)
        return write_file(fd, &descriptor, from, bytes, true);
    return refuse_write(fd, &descriptor, "write");
}

#define WRITTEN_BYTES 4096 /* of sysfs */

/* Writes several parts as one. Larger ones are written in part, as the kernel may. */
static ssize_t write_parts(int fd, const struct descriptor *descriptor, const struct iovec *parts,
                           int count)
{
    char text[WRITTEN_BYTES];
    size_t used = 0;
    for (int i = 0; i < count && used < sizeof text; i++) {
        size_t bytes = min_size(parts[i].iov_len, sizeof text - used);
        if (bytes)
            memcpy(text + used, parts[i].iov_base, bytes);
        used += bytes;
    }
    return write_file(fd, descriptor, text, used, true);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    struct descriptor descriptor;
    if (count <= 0 || count > IOV_MAX || descriptor_is_other(fd) ||
        !descriptor_is_ours(fd, &descriptor))
        return NEXT(writev)(fd, parts, count);
    if (descriptor.kind != DESCRIPTOR_FILE)
        return refuse_write(fd, &descriptor, "writev");
    return count == 1 ? write_file(fd, &descriptor, parts->iov_base, parts->iov_len, true)
                      : write_parts(fd, &descriptor, parts, count);
}

/* ---- pread, pwrite: of virtual files; others are sockets, which have no offsets ----------------
 */

/* The length of a file of the kernel does not change. */
#define FTRUNCATE(function, type)                                                                  \
    EXPORT int function(int fd, type size)                                                         \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        return size >= 0 && descriptor_is_file(fd, &descriptor) ? 0 : NEXT(function)(fd, size);    \
    }

FTRUNCATE(ftruncate, off_t)
FTRUNCATE(ftruncate64, off64_t)

static ssize_t read_at(int fd, const struct descriptor *descriptor, void *to, size_t bytes,
                       off64_t offset)
{
    int saved = errno;
    int64_t result =
        request_read_at(fd, descriptor, (uint64_t)(uintptr_t)to, bytes, (int64_t)offset);
    log_call(result, "pread(%d, %zu, %lld)", fd, bytes, (long long)offset);
    errno = saved;
    return (ssize_t)fail(result);
}

#define PREAD(function, checked, offset_type)                                                      \
    EXPORT ssize_t function(int fd, void *to, size_t bytes, offset_type offset)                    \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        return descriptor_is_file(fd, &descriptor) ? read_at(fd, &descriptor, to, bytes, offset)   \
                                                   : NEXT(function)(fd, to, bytes, offset);        \
    }                                                                                              \
                                                                                                   \
    ssize_t checked(int fd, void *to, size_t bytes, offset_type offset, size_t capacity);          \
    EXPORT ssize_t checked(int fd, void *to, size_t bytes, offset_type offset, size_t capacity)    \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        return bytes <= capacity && descriptor_is_file(fd, &descriptor)                            \
                   ? read_at(fd, &descriptor, to, bytes, offset)                                   \
                   : NEXT(checked)(fd, to, bytes, offset, capacity);                               \
    }

PREAD(pread, __pread_chk, off_t)
PREAD(pread64, __pread64_chk, off64_t)

/* The effect of a write does not depend on the offset. */
#define PWRITE(function, offset_type)                                                              \
    EXPORT ssize_t function(int fd, const void *from, size_t bytes, offset_type offset)            \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        return offset >= 0 && descriptor_is_file(fd, &descriptor)                                  \
                   ? write_file(fd, &descriptor, from, bytes, false)                               \
                   : NEXT(function)(fd, from, bytes, offset);                                      \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

/* ---- mmap ------------------------------------------------------------------------------------ */

#define MMAP(function, offset_type)                                                                \
    EXPORT void *function(void *hint, size_t bytes, int protection, int flags, int fd,             \
                          offset_type offset)                                                      \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        void *mapped;                                                                              \
        if (!(flags & MAP_ANONYMOUS) &&                                                            \
            registers_map(hint, bytes, protection, flags, fd, offset, &mapped))                    \
            return mapped;                                                                         \
        if ((flags & MAP_ANONYMOUS) || !descriptor_is_ours(fd, &descriptor) ||                     \
            !request_can_map(&descriptor))                                                         \
            return NEXT(function)(hint, bytes, protection, flags, fd, offset);                     \
        const struct mapping mapping = {hint, bytes, protection, flags, offset};                   \
        int saved = errno;                                                                         \
        if (descriptor.kind == DESCRIPTOR_EVENT)                                                   \
            descriptor_has_ring();                                                                 \
        int64_t result = request_map(&descriptor, &mapping);                                       \
        log_call(result, "mmap(%p, %zu, 0x%x, 0x%x, %d, 0x%llx)", hint, bytes,                     \
                 (unsigned)protection, (unsigned)flags, fd, (unsigned long long)offset);           \
        errno = saved;                                                                             \
        return fail(result) < 0 ? MAP_FAILED : (void *)(intptr_t)result;                           \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

EXPORT int munmap(void *memory, size_t bytes)
{
    registers_unmap(memory, bytes);
    request_unmap((uint64_t)(uintptr_t)memory, bytes);
    return NEXT(munmap)(memory, bytes);
}

/* ---- lseek ----------------------------------------------------------------------------------- */

#define LSEEK(function, offset_type)                                                               \
    EXPORT offset_type function(int fd, offset_type offset, int whence)                            \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor) ||                     \
            (descriptor.kind != DESCRIPTOR_BUFFER && descriptor.kind != DESCRIPTOR_FILE))          \
            return NEXT(function)(fd, offset, whence);                                             \
        int64_t result = request_seek(&descriptor, offset, whence);                                \
        log_call(result, "lseek(%d, %lld, %d)", fd, (long long)offset, whence);                    \
        return (offset_type)fail(result);                                                          \
    }

LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

/* ---- copies ---------------------------------------------------------------------------------- */

/* Closing a virtual file can have an effect, which the server would notice only later. */
static void close_served(void)
{
    struct call call = {.header = {.kind = EMULATE_REAP}};
    int saved = errno;
    channel_call(&call);
    errno = saved;
}

EXPORT int close(int fd)
{
    struct descriptor descriptor;
    bool ours = (log_is_on() || open_has_served()) && descriptor_is_ours(fd, &descriptor);
    if (ours && log_is_on())
        log_call(0, "close(%d)", fd);
    descriptor_closed(fd);
    int result = NEXT(close)(fd);
    if (ours && open_has_served() && descriptor.kind == DESCRIPTOR_FILE)
        close_served();
    return result;
}

static void copied(int fd, int copy)
{
    if (copy >= 0)
        descriptor_copied(fd, copy);
    if (copy == STDOUT_FILENO && open_has_served())
        written_to_stdout(fd);
}

EXPORT int dup(int fd)
{
    int copy = NEXT(dup)(fd);
    copied(fd, copy);
    LOG_OURS(fd, copy, "dup(%d)", fd);
    return copy;
}

EXPORT int dup2(int fd, int to)
{
    int copy = NEXT(dup2)(fd, to);
    copied(fd, copy);
    LOG_OURS(fd, copy, "dup2(%d, %d)", fd, to);
    return copy;
}

EXPORT int dup3(int fd, int to, int flags)
{
    int copy = NEXT(dup3)(fd, to, flags);
    copied(fd, copy);
    LOG_OURS(fd, copy, "dup3(%d, %d, %s)", fd, to, flags & O_CLOEXEC ? "O_CLOEXEC" : "0");
    return copy;
}

static void finish_fcntl(int fd, int command, const void *argument, int result)
{
    static const char *const names[] = {[F_DUPFD] = "F_DUPFD",
                                        [F_GETFD] = "F_GETFD",
                                        [F_SETFD] = "F_SETFD",
                                        [F_GETFL] = "F_GETFL",
                                        [F_SETFL] = "F_SETFL"};
    bool known = command >= 0 && command < (int)(sizeof names / sizeof *names);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        copied(fd, result);
    if (known || command == F_DUPFD_CLOEXEC)
        LOG_OURS(fd, result, "fcntl(%d, %s, 0x%x)", fd, known ? names[command] : "F_DUPFD_CLOEXEC",
                 (unsigned)(uintptr_t)argument);
    else
        LOG_OURS(fd, result, "fcntl(%d, %d, 0x%x)", fd, command, (unsigned)(uintptr_t)argument);
}

#define FCNTL(function)                                                                            \
    EXPORT int function(int fd, int command, ...)                                                  \
    {                                                                                              \
        va_list arguments;                                                                         \
        va_start(arguments, command);                                                              \
        void *argument = va_arg(arguments, void *);                                                \
        va_end(arguments);                                                                         \
        int result = NEXT(function)(fd, command, argument);                                        \
        finish_fcntl(fd, command, argument, result);                                               \
        return result;                                                                             \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

/* Unmarks received descriptors, which may be of any kind. */
static void unmark_received(struct msghdr *message)
{
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        int sent;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof sent;
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        for (size_t i = 0; i < count; i++) {
            memcpy(&sent, CMSG_DATA(c) + i * sizeof sent, sizeof sent);
            descriptor_forget(sent);
        }
    }
}

void descriptor_returned(long number, const long a[2], long result)
{
    static const long copies[] = {
#ifdef SYS_dup2
        SYS_dup2,
#endif
        SYS_dup, SYS_dup3, SYS_fcntl, SYS_pidfd_getfd};
    bool found = false;
    for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
        found = found || number == copies[i];
    if (found && result >= 0 && (number != SYS_fcntl || a[1] == F_DUPFD || a[1] == F_DUPFD_CLOEXEC))
        descriptor_forget((int)result);
    if (number == SYS_recvmsg && result >= 0)
        unmark_received((struct msghdr *)a[1]);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t result = NEXT(recvmsg)(fd, message, flags);
    if (result >= 0 && tree_directory())
        unmark_received(message);
    return result;
}

EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags,
                    struct timespec *time)
{
    int received = NEXT(recvmmsg)(fd, messages, count, flags, time);
    for (int i = 0; i < received && tree_directory(); i++)
        unmark_received(&messages[i].msg_hdr);
    return received;
}
