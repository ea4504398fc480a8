/* SPDX-License-Identifier: MIT */
/* Calls of the device's descriptors, as calls of the server. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <linux/perf_event.h>
#include <linux/sync_file.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "driver/i915/uapi.h"
#include "preload/client/client.h"

#define SIZE_OF(request) ((request) >> 16 & 0x3fffu)
#define BUFFER_PAGE      4096
#define MAX_FILTER       4096 /* bytes of PERF_EVENT_IOC_SET_FILTER, with the end */

/* ---- ioctl ----------------------------------------------------------------------------------- */

void request_drain(int fd, const struct call *call)
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
    return descriptor_is_open(fd) ? 0 : EMULATE_CLOSED;
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

/* The range that contains the memory of all the program's GEM_USERPTR objects. */
static uint64_t users_from = UINT64_MAX, users_to;

static void note_user(const char *bytes, size_t size)
{
    struct drm_i915_gem_userptr args = {0};
    memcpy(&args, bytes, size < sizeof args ? size : sizeof args);
    uint64_t end = args.user_ptr + args.user_size;
    uint64_t from = __atomic_load_n(&users_from, __ATOMIC_RELAXED);
    uint64_t to = __atomic_load_n(&users_to, __ATOMIC_RELAXED);
    while (args.user_ptr < from &&
           !__atomic_compare_exchange_n(&users_from, &from, args.user_ptr, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
        ;
    while (end > to && !__atomic_compare_exchange_n(&users_to, &to, end, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED))
        ;
}

void request_unmap(uint64_t address, size_t bytes)
{
    struct call call = {.header = {.kind = EMULATE_UNMAP, .a = address, .b = bytes}};
    int saved = errno;
    if (address < __atomic_load_n(&users_to, __ATOMIC_RELAXED) &&
        address + bytes > __atomic_load_n(&users_from, __ATOMIC_RELAXED))
        while (channel_call(&call) == -EINTR)
            ;
    errno = saved;
}

int64_t request_ioctl(int fd, const struct descriptor *descriptor, uint32_t request,
                      uint64_t argument)
{
    char bytes[512];
    size_t size = SIZE_OF(request);
    static const uint16_t kinds[DESCRIPTOR_TIMER + 1] = {[DESCRIPTOR_DEVICE] = EMULATE_IOCTL,
                                                         [DESCRIPTOR_STREAM] = EMULATE_STREAM_IOCTL,
                                                         [DESCRIPTOR_FENCE] = EMULATE_FENCE_IOCTL,
                                                         [DESCRIPTOR_BUFFER] = EMULATE_BUFFER_IOCTL,
                                                         [DESCRIPTOR_FILE] = EMULATE_FILE_IOCTL};
    bool has_struct = descriptor->kind != DESCRIPTOR_STREAM;
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
        if (descriptor->kind == DESCRIPTOR_DEVICE &&
            _IOC_NR(request) == _IOC_NR(DRM_IOCTL_I915_GEM_USERPTR))
            note_user(bytes, size);
    }
    int64_t result = channel_call(&call);
    request_drain(fd, &call);
    return call.unwritten ? -EFAULT : result;
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

static int64_t read_stream(int fd, const struct descriptor *descriptor, uint64_t address,
                           size_t bytes)
{
    int flags = NEXT(fcntl)(fd, F_GETFL);
    bool waits = flags >= 0 && !(flags & O_NONBLOCK);
    bytes = bytes < EMULATE_MAX_BYTES ? bytes : EMULATE_MAX_BYTES;
    if (descriptor->kind == DESCRIPTOR_DEVICE) /* display events never occur */
        return waits ? -EINVAL : -EAGAIN;
    if (descriptor->kind != DESCRIPTOR_STREAM)
        return -EINVAL;
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
    request_drain(fd, &call);
    return call.unwritten ? -EFAULT : result; /* mapped, but not writable */
}

/* Reads an event's count, which never blocks. */
static int64_t read_event(const struct descriptor *descriptor, uint64_t address, size_t bytes)
{
    struct call call = {
        .header = {.kind = EMULATE_EVENT_READ, .target = descriptor->number, .a = bytes},
        .argument = address,
    };
    int64_t result = channel_call(&call);
    return call.unwritten ? -EFAULT : result;
}

/* at: as `c` of EMULATE_FILE_READ */
static int64_t read_file(int fd, const struct descriptor *descriptor, uint64_t address,
                         size_t bytes, uint64_t at)
{
    int flags = NEXT(fcntl)(fd, F_GETFL);
    struct call call = {
        .header = {.kind = EMULATE_FILE_READ,
                   .flags = flags >= 0 && !(flags & O_NONBLOCK) ? EMULATE_BLOCKING : 0,
                   .target = descriptor->number,
                   .a = bytes < EMULATE_MAX_BYTES ? bytes : EMULATE_MAX_BYTES,
                   .c = at},
        .argument = address,
    };
    int64_t result = channel_call(&call);
    request_drain(fd, &call);
    return call.unwritten ? -EFAULT : result;
}

int64_t request_read_at(int fd, const struct descriptor *descriptor, uint64_t address, size_t bytes,
                        int64_t offset)
{
    return offset < 0 ? -EINVAL : read_file(fd, descriptor, address, bytes, (uint64_t)offset + 1);
}

int64_t request_read(int fd, const struct descriptor *descriptor, uint64_t address, size_t bytes)
{
    return descriptor->kind == DESCRIPTOR_EVENT  ? read_event(descriptor, address, bytes)
           : descriptor->kind == DESCRIPTOR_FILE ? read_file(fd, descriptor, address, bytes, 0)
                                                 : read_stream(fd, descriptor, address, bytes);
}

/* ---- write: only to virtual files --------------------------------------------------------------
 */

#define MAX_WRITE 4096u /* as in sysfs */

int64_t request_write(const struct descriptor *descriptor, uint64_t address, size_t bytes,
                      bool moves)
{
    char text[MAX_WRITE];
    size_t size = bytes < sizeof text ? bytes : sizeof text;
    struct call call = {.header = {.kind = EMULATE_WRITE,
                                   .target = descriptor->number,
                                   .bytes = (uint32_t)size,
                                   .a = !moves},
                        .bytes = text};
    if (descriptor->kind != DESCRIPTOR_FILE)
        return descriptor->kind == DESCRIPTOR_STREAM ? -EBADF : -EINVAL;
    return user_read(text, address, size) ? channel_call(&call) : -EFAULT;
}

/* ---- mmap ------------------------------------------------------------------------------------ */

bool request_can_map(const struct descriptor *descriptor)
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
    return protection & PROT_WRITE ? EMULATE_MAP_RING : EMULATE_MAP_EVENT;
}

int64_t request_map(const struct descriptor *descriptor, const struct mapping *mapping)
{
    struct call call = {
        .header = {.kind = EMULATE_MAP,
                   .target = descriptor->number,
                   .a = (uint64_t)mapping->offset,
                   .b = mapping->bytes,
                   .c = map_of(descriptor, mapping->protection, mapping->flags)},
        .map_hint = mapping->hint,
        .map_protection = mapping->protection,
        .map_flags = mapping->flags,
    };
    int64_t result = channel_call(&call);
    return result < 0 ? result : call.mapped;
}

/* ---- lseek ----------------------------------------------------------------------------------- */

/* A dma-buf has a size, which its end shows, but no position. */
int64_t request_seek(const struct descriptor *descriptor, int64_t offset, int whence)
{
    struct call call = {.header = {.kind = EMULATE_SEEK,
                                   .target = descriptor->number,
                                   .a = (uint64_t)offset,
                                   .b = (uint64_t)whence}};
    if (descriptor->kind == DESCRIPTOR_FILE)
        return channel_call(&call);
    bool known = offset == 0 && (whence == SEEK_SET || whence == SEEK_END);
    int64_t size = (int64_t)descriptor->minor * BUFFER_PAGE;
    return !known ? -EINVAL : whence == SEEK_END ? size : 0;
}
