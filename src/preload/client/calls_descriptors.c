/* SPDX-License-Identifier: MIT */
/* Interposed functions that take descriptors. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <linux/perf_event.h>
#include <linux/sync_file.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "driver/i915/uapi.h"
#include "preload/client/client.h"

#define SIZE_OF(request) ((request) >> 16 & 0x3fffu)
#define BUFFER_PAGE      4096
#define MAX_FILTER       4096 /* bytes of PERF_EVENT_IOC_SET_FILTER, with the end */

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

/* ---- ioctl ----------------------------------------------------------------------------------- */

/* Reads the byte that makes a stream's socket readable. */
static void drain(int fd, const struct call *call)
{
    char byte;
    if (call->flags & EMULATE_DRAINED)
        NEXT(recv)(fd, &byte, 1, MSG_DONTWAIT);
}

/* Finds the descriptor that the argument of a call contains, and its kind. False: there is none. */
static bool find_inner(const struct descriptor *descriptor, uint32_t request, const char *bytes,
                       int *fd, enum descriptor_kind *kind)
{
    struct inner {
        enum descriptor_kind of;
        uint32_t request;
        size_t offset;
        enum descriptor_kind kind;
    };
    static const struct inner rows[] = {
        {DESCRIPTOR_DEVICE, DRM_IOCTL_I915_GEM_EXECBUFFER2,
         offsetof(struct drm_i915_gem_execbuffer2, rsvd2), DESCRIPTOR_FENCE},
        {DESCRIPTOR_DEVICE, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, offsetof(struct drm_syncobj_handle, fd),
         DESCRIPTOR_SYNCOBJ},
        {DESCRIPTOR_DEVICE, DRM_IOCTL_PRIME_FD_TO_HANDLE, offsetof(struct drm_prime_handle, fd),
         DESCRIPTOR_BUFFER},
        {DESCRIPTOR_FENCE, (uint32_t)SYNC_IOC_MERGE, offsetof(struct sync_merge_data, fd2),
         DESCRIPTOR_FENCE},
        {DESCRIPTOR_BUFFER, (uint32_t)DMA_BUF_IOCTL_IMPORT_SYNC_FILE,
         offsetof(struct dma_buf_import_sync_file, fd), DESCRIPTOR_FENCE},
    };
    const struct inner *row = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].of == descriptor->kind && _IOC_NR(rows[i].request) == _IOC_NR(request))
            row = &rows[i];
    if (!row || SIZE_OF(request) < row->offset + sizeof *fd)
        return false;
    memcpy(fd, bytes + row->offset, sizeof *fd);
    *kind = row->kind;
    struct drm_syncobj_handle syncobj;
    if (row->kind == DESCRIPTOR_SYNCOBJ) { /* or a sync file, by the flags */
        memcpy(&syncobj, bytes,
               sizeof syncobj < SIZE_OF(request) ? sizeof syncobj : SIZE_OF(request));
        *kind = syncobj.flags ? DESCRIPTOR_FENCE : DESCRIPTOR_SYNCOBJ;
    }
    return true;
}

/* Returns what EMULATE_IOCTL says about that descriptor. */
static uint64_t inner_number(const struct descriptor *descriptor, uint32_t request,
                             const char *bytes)
{
    struct descriptor inner;
    enum descriptor_kind kind;
    int fd;
    if (!find_inner(descriptor, request, bytes, &fd, &kind))
        return 0;
    if (descriptor_is_ours(fd, &inner))
        return inner.kind == kind ? (uint64_t)inner.number + 1 : 0;
    return NEXT(fcntl)(fd, F_GETFD) < 0 ? EMULATE_CLOSED : 0;
}

/* Reads what an ioctl of an event points to, a number or a string. Returns the size, or an errno.
 */
static int64_t read_of_event(uint32_t request, uint64_t argument, char *bytes, size_t capacity)
{
    size_t used = 0;
    if (request == (uint32_t)PERF_EVENT_IOC_PERIOD)
        return user_read(bytes, argument, sizeof(uint64_t)) ? (int64_t)sizeof(uint64_t) : -EFAULT;
    if (request != (uint32_t)PERF_EVENT_IOC_SET_FILTER)
        return 0;
    while (used < capacity) {
        if (!user_read(bytes + used, argument + used, 1))
            return -EFAULT;
        if (!bytes[used])
            return (int64_t)used;
        used++;
    }
    return -EINVAL;
}

/* What EMULATE_EVENT_IOCTL says about the event that an argument names. */
static uint64_t output_number(uint32_t request, uint64_t argument)
{
    struct descriptor output;
    if (request != PERF_EVENT_IOC_SET_OUTPUT || !descriptor_is_ours((int)argument, &output) ||
        output.kind != DESCRIPTOR_EVENT)
        return 0;
    return (uint64_t)output.number + 1;
}

static int64_t call_event_ioctl(const struct descriptor *descriptor, uint32_t request,
                                uint64_t argument)
{
    char bytes[MAX_FILTER];
    int64_t size = read_of_event(request, argument, bytes, sizeof bytes);
    if (size < 0)
        return size;
    struct call call = {
        .header = {.kind = EMULATE_EVENT_IOCTL,
                   .bytes = (uint32_t)size,
                   .target = descriptor->number,
                   .a = request,
                   .b = argument,
                   .c = output_number(request, argument)},
        .bytes = bytes,
        .argument = argument,
    };
    int64_t result = channel_call(&call);
    return call.unwritten ? -EFAULT : result;
}

static int64_t call_ioctl(int fd, const struct descriptor *descriptor, uint32_t request,
                          uint64_t argument)
{
    char bytes[512];
    size_t size = SIZE_OF(request);
    static const uint16_t kinds[DESCRIPTOR_TIMER + 1] = {
        [DESCRIPTOR_DEVICE] = EMULATE_IOCTL,
        [DESCRIPTOR_STREAM] = EMULATE_STREAM_IOCTL,
        [DESCRIPTOR_FENCE] = EMULATE_FENCE_IOCTL,
        [DESCRIPTOR_BUFFER] = EMULATE_BUFFER_IOCTL};
    bool has_struct = descriptor->kind == DESCRIPTOR_DEVICE ||
                      descriptor->kind == DESCRIPTOR_FENCE || descriptor->kind == DESCRIPTOR_BUFFER;
    struct call call = {
        .header = {.kind = kinds[descriptor->kind],
                   .target = descriptor->number,
                   .a = request,
                   .b = argument},
        .argument = argument,
    };
    if (descriptor->kind == DESCRIPTOR_EVENT)
        return call_event_ioctl(descriptor, request, argument);
    if (!call.header.kind)
        return -ENOTTY;
    if (has_struct && size && size <= sizeof bytes && user_read(bytes, argument, size)) {
        call.header.flags = EMULATE_HAS_ARGUMENT;
        call.header.bytes = (uint32_t)size;
        call.bytes = bytes;
        call.header.c = inner_number(descriptor, request, bytes);
    }
    int64_t result = channel_call(&call);
    drain(fd, &call);
    return call.unwritten ? -EFAULT : result;
}

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
    int64_t result = call_ioctl(fd, &descriptor, (uint32_t)request, (uint64_t)(uintptr_t)argument);
    log_ioctl(result, fd, (uint32_t)request, (uint64_t)(uintptr_t)argument);
    errno = saved;
    return (int)fail(result);
}

/* ---- read ------------------------------------------------------------------------------------ */

/* Bytes of a read's buffer that are probed first: twice what the thread's previous read returned,
 * within these limits. Large buffers are rarely filled, so the rest is probed on demand
 * (EMULATE_REACH), except for a blocking read, during which the server sends no requests. */
#define PROBED_MIN 8192u
#define PROBED_MAX 65536u
static __thread uint32_t latest_read;

static size_t probed_first(size_t bytes)
{
    size_t first = latest_read < PROBED_MIN / 2   ? PROBED_MIN
                   : latest_read < PROBED_MAX / 2 ? 2 * latest_read
                                                  : PROBED_MAX;
    return bytes < first ? bytes : first;
}

static int64_t call_read(int fd, const struct descriptor *descriptor, void *to, size_t bytes)
{
    int flags = NEXT(fcntl)(fd, F_GETFL);
    bool waits = flags >= 0 && !(flags & O_NONBLOCK);
    uint64_t address = (uint64_t)(uintptr_t)to;
    bytes = bytes < EMULATE_MAX_BYTES ? bytes : EMULATE_MAX_BYTES;
    if (descriptor->kind == DESCRIPTOR_FILE)
        return -EBADF;
    if (descriptor->kind == DESCRIPTOR_TIMER)
        return timer_read(fd, descriptor, to, bytes);
    if (descriptor->kind == DESCRIPTOR_DEVICE) /* display events never occur */
        return waits ? -EINVAL : -EAGAIN;
    if (descriptor->kind != DESCRIPTOR_STREAM)
        return -EINVAL;
    /* With a virtual clock the call cannot be skipped, because it advances time. */
    if (!waits && !time_is_virtual() && descriptor_is_empty(descriptor))
        return -EAGAIN;
    size_t first = waits ? bytes : probed_first(bytes);
    size_t mapped = user_mapped(address, first);
    struct call call = {
        .header = {.kind = EMULATE_READ,
                   .flags = waits ? EMULATE_BLOCKING : 0,
                   .target = descriptor->number,
                   .a = bytes,
                   .b = mapped},
        .argument = address,
        .direct = mapped,
    };
    if (mapped == first && first < bytes)
        call.header.flags |= EMULATE_MORE;
    int64_t result = channel_call(&call);
    latest_read = result > 0 ? (uint32_t)result : 0;
    drain(fd, &call);
    return call.unwritten ? -EFAULT : result; /* mapped, but not writable */
}

/* Reads an event's count, which never blocks. */
static int64_t read_event(const struct descriptor *descriptor, void *to, size_t bytes)
{
    struct call call = {
        .header = {.kind = EMULATE_EVENT_READ, .target = descriptor->number, .a = bytes},
        .argument = (uint64_t)(uintptr_t)to,
    };
    int64_t result = channel_call(&call);
    return call.unwritten ? -EFAULT : result;
}

static ssize_t read_ours(int fd, const struct descriptor *descriptor, void *to, size_t bytes)
{
    int saved = errno;
    int64_t result = descriptor->kind == DESCRIPTOR_EVENT ? read_event(descriptor, to, bytes)
                                                          : call_read(fd, descriptor, to, bytes);
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

/* ---- write: only to virtual files --------------------------------------------------------------
 */

#define MAX_WRITE 4096u /* as in sysfs */

static ssize_t write_file(int fd, const struct descriptor *descriptor, const void *from,
                          size_t bytes)
{
    char text[MAX_WRITE];
    size_t size = bytes < sizeof text ? bytes : sizeof text;
    int saved = errno;
    struct call call = {
        .header = {.kind = EMULATE_WRITE, .target = descriptor->number, .bytes = (uint32_t)size},
        .bytes = text};
    int64_t result =
        user_read(text, (uint64_t)(uintptr_t)from, size) ? channel_call(&call) : -EFAULT;
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
        return write_file(fd, &descriptor, from, bytes);
    return refuse_write(fd, &descriptor, "write");
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    struct descriptor descriptor;
    if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor))
        return NEXT(writev)(fd, parts, count);
    if (descriptor.kind == DESCRIPTOR_FILE && count == 1)
        return write_file(fd, &descriptor, parts->iov_base, parts->iov_len);
    return refuse_write(fd, &descriptor, "writev");
}

/* ---- mmap ------------------------------------------------------------------------------------ */

static bool can_be_mapped(const struct descriptor *descriptor)
{
    return descriptor->kind == DESCRIPTOR_DEVICE || descriptor->kind == DESCRIPTOR_BUFFER ||
           descriptor->kind == DESCRIPTOR_EVENT;
}

/* Returns an enum emulate_map, or another number for an event whose mapping is private. */
static uint64_t map_of(const struct descriptor *descriptor, int protection, int flags)
{
    if (descriptor->kind != DESCRIPTOR_EVENT)
        return descriptor->kind == DESCRIPTOR_BUFFER ? EMULATE_MAP_BUFFER : EMULATE_MAP_DEVICE;
    if ((flags & MAP_TYPE) != MAP_SHARED && (flags & MAP_TYPE) != MAP_SHARED_VALIDATE)
        return EMULATE_MAP_PRIVATE;
    descriptor_has_ring();
    return protection & PROT_WRITE ? EMULATE_MAP_RING : EMULATE_MAP_EVENT;
}

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
            !can_be_mapped(&descriptor))                                                           \
            return NEXT(function)(hint, bytes, protection, flags, fd, offset);                     \
        struct call call = {                                                                       \
            .header = {.kind = EMULATE_MAP,                                                        \
                       .target = descriptor.number,                                                \
                       .a = (uint64_t)offset,                                                      \
                       .b = bytes,                                                                 \
                       .c = map_of(&descriptor, protection, flags)},                               \
            .map_hint = hint,                                                                      \
            .map_protection = protection,                                                          \
            .map_flags = flags,                                                                    \
        };                                                                                         \
        int saved = errno;                                                                         \
        int64_t result = channel_call(&call);                                                      \
        log_call(result < 0 ? result : call.mapped, "mmap(%p, %zu, 0x%x, 0x%x, %d, 0x%llx)", hint, \
                 bytes, (unsigned)protection, (unsigned)flags, fd, (unsigned long long)offset);    \
        errno = saved;                                                                             \
        return fail(result) < 0 ? MAP_FAILED : (void *)(intptr_t)call.mapped;                      \
    }

MMAP(mmap, off_t)
MMAP(mmap64, off64_t)

EXPORT int munmap(void *memory, size_t bytes)
{
    registers_unmap(memory, bytes);
    return NEXT(munmap)(memory, bytes);
}

/* ---- lseek ----------------------------------------------------------------------------------- */

/* A dma-buf has a size, which its end shows, but no position. */
static int64_t seek(const struct descriptor *descriptor, int64_t offset, int whence)
{
    bool known = offset == 0 && (whence == SEEK_SET || whence == SEEK_END);
    int64_t size = (int64_t)descriptor->minor * BUFFER_PAGE;
    return !known ? -EINVAL : whence == SEEK_END ? size : 0;
}

#define LSEEK(function, offset_type)                                                               \
    EXPORT offset_type function(int fd, offset_type offset, int whence)                            \
    {                                                                                              \
        struct descriptor descriptor;                                                              \
        if (descriptor_is_other(fd) || !descriptor_is_ours(fd, &descriptor) ||                     \
            descriptor.kind != DESCRIPTOR_BUFFER)                                                  \
            return NEXT(function)(fd, offset, whence);                                             \
        int64_t result = seek(&descriptor, offset, whence);                                        \
        log_call(result, "lseek(%d, %lld, %d)", fd, (long long)offset, whence);                    \
        return (offset_type)fail(result);                                                          \
    }

LSEEK(lseek, off_t)
LSEEK(lseek64, off64_t)

/* ---- copies ---------------------------------------------------------------------------------- */

EXPORT int close(int fd)
{
    struct descriptor descriptor;
    if (log_is_on() && descriptor_is_ours(fd, &descriptor))
        log_call(0, "close(%d)", fd);
    descriptor_forget(fd);
    return NEXT(close)(fd);
}

static void copied(int fd, int copy)
{
    if (copy >= 0)
        descriptor_copied(fd, copy);
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
EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t result = NEXT(recvmsg)(fd, message, flags);
    if (result < 0 || !tree_directory())
        return result;
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
    return result;
}
