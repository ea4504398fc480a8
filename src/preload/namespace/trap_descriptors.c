/* SPDX-License-Identifier: MIT */
/* System calls of descriptors. Those of descriptors that are not the device's, the kernel performs.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/client/client.h"
#include "preload/namespace/namespace.h"

int64_t trap_ioctl(const uint64_t a[6])
{
    struct descriptor descriptor;
    int copy;
    if (!target_is_ours((int)a[0], &descriptor, &copy))
        return TRAP_CONTINUE;
    int64_t result = request_ioctl(copy, &descriptor, (uint32_t)a[1], a[2]);
    close(copy);
    log_ioctl(result, (int)a[0], (uint32_t)a[1], a[2]);
    return result;
}

/* ---- reading and writing --------------------------------------------------------------------- */

int64_t trap_read(const uint64_t a[6])
{
    struct descriptor descriptor;
    int copy;
    if (!target_is_ours((int)a[0], &descriptor, &copy))
        return TRAP_CONTINUE;
    int64_t result = request_read(copy, &descriptor, a[1], (size_t)a[2]);
    close(copy);
    log_call(result, "read(%d, %zu)", (int)a[0], (size_t)a[2]);
    return result;
}

/* Gets a part of a readv() or writev(). */
static bool read_part(const uint64_t a[6], unsigned index, struct iovec *out)
{
    return user_read(out, a[1] + index * sizeof *out, sizeof *out);
}

/* Reads into the parts in order, until one is not filled. */
int64_t trap_readv(const uint64_t a[6])
{
    struct descriptor descriptor;
    struct iovec part;
    int copy;
    int64_t sum = 0, got = 0;
    if (a[2] == 0 || a[2] > IOV_MAX || !target_is_ours((int)a[0], &descriptor, &copy))
        return TRAP_CONTINUE;
    for (unsigned i = 0; i < a[2] && got >= 0; i++) {
        got =
            read_part(a, i, &part)
                ? request_read(copy, &descriptor, (uint64_t)(uintptr_t)part.iov_base, part.iov_len)
                : -EFAULT;
        sum += got > 0 ? got : 0;
        if (got >= 0 && (size_t)got < part.iov_len)
            break;
    }
    close(copy);
    int64_t result = sum || got >= 0 ? sum : got;
    log_call(result, "readv(%d, %d parts)", (int)a[0], (int)a[2]);
    return result;
}

int64_t trap_splice(const uint64_t a[6])
{
    struct descriptor descriptor;
    int from, to;
    if (!target_is_ours((int)a[0], &descriptor, &from))
        return TRAP_CONTINUE;
    to = target_copy((int)a[2]);
    int64_t result = descriptor.kind != DESCRIPTOR_FILE ? -EINVAL
                     : to < 0                           ? to
                     : a[1] || a[3]
                         ? -ESPIPE
                         : request_splice(from, &descriptor, to, (size_t)a[4], (unsigned)a[5]);
    close(from);
    if (to >= 0)
        close(to);
    log_call(result, "splice(%d, %d, %zu, 0x%x)", (int)a[0], (int)a[2], (size_t)a[4],
             (unsigned)a[5]);
    return result;
}

/* Those of a socket, which has no offsets, the kernel refuses. */
int64_t trap_pread(const uint64_t a[6])
{
    struct descriptor descriptor;
    int copy;
    if (!target_is_ours((int)a[0], &descriptor, &copy))
        return TRAP_CONTINUE;
    int64_t result = descriptor.kind == DESCRIPTOR_FILE
                         ? request_read_at(copy, &descriptor, a[1], (size_t)a[2], (int64_t)a[3])
                         : TRAP_CONTINUE;
    close(copy);
    if (result != TRAP_CONTINUE)
        log_call(result, "pread(%d, %zu, %lld)", (int)a[0], (size_t)a[2], (long long)a[3]);
    return result;
}

static int64_t write_to(int fd, uint64_t address, size_t bytes, bool moves)
{
    struct descriptor descriptor;
    if (!descriptor_is_ours(fd, &descriptor))
        return TRAP_CONTINUE;
    int64_t result = request_write(&descriptor, address, bytes, moves);
    log_call(result, "write(%d, %zu bytes)", fd, bytes);
    return result;
}

int64_t trap_write(const uint64_t a[6])
{
    return write_to((int)a[0], a[1], (size_t)a[2], true);
}

int64_t trap_pwrite(const uint64_t a[6])
{
    struct descriptor descriptor;
    return (int64_t)a[3] >= 0 && descriptor_is_ours((int)a[0], &descriptor) &&
                   descriptor.kind == DESCRIPTOR_FILE
               ? write_to((int)a[0], a[1], (size_t)a[2], false)
               : TRAP_CONTINUE;
}

int64_t trap_writev(const uint64_t a[6])
{
    struct iovec part;
    /* Several parts only get the error of a descriptor that cannot be written. */
    return a[2] && a[2] <= IOV_MAX && read_part(a, 0, &part)
               ? write_to((int)a[0], (uint64_t)(uintptr_t)part.iov_base, part.iov_len, true)
               : TRAP_CONTINUE;
}

int64_t trap_seek(const uint64_t a[6])
{
    struct descriptor descriptor;
    if (!descriptor_is_ours((int)a[0], &descriptor) ||
        (descriptor.kind != DESCRIPTOR_BUFFER && descriptor.kind != DESCRIPTOR_FILE))
        return TRAP_CONTINUE;
    int64_t result = request_seek(&descriptor, (int64_t)a[1], (int)a[2]);
    log_call(result, "lseek(%d, %lld, %d)", (int)a[0], (long long)a[1], (int)a[2]);
    return result;
}

/* ---- mapping --------------------------------------------------------------------------------- */

/* The registers need a handler of signals in the program, which the library has. */
static bool is_registers(int fd)
{
    char path[4096];
    struct path found;
    const char *name = target_descriptor_path(fd, path) ? strrchr(path, '/') : NULL;
    return name && !strcmp(name, "/resource0") && rows_find(path, &found) != PATH_REAL;
}

int64_t trap_map(const uint64_t a[6])
{
    struct descriptor descriptor;
    const struct mapping mapping = {(void *)(uintptr_t)a[0], (size_t)a[1], (int)a[2], (int)a[3],
                                    (int64_t)a[5]};
    if (!descriptor_is_ours((int)a[4], &descriptor))
        return is_registers((int)a[4]) ? -ENODEV : TRAP_CONTINUE;
    if (!request_can_map(&descriptor))
        return TRAP_CONTINUE;
    int64_t result = request_map(&descriptor, &mapping);
    log_call(result, "mmap(%p, %zu, 0x%x, 0x%x, %d, 0x%llx)", mapping.hint, mapping.bytes,
             (unsigned)mapping.protection, (unsigned)mapping.flags, (int)a[4],
             (unsigned long long)mapping.offset);
    return result;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Copies are in the window, too. */
static int64_t copy_to(int fd, bool cloexec, unsigned min)
{
    struct descriptor descriptor;
    int copy;
    if (!target_is_ours(fd, &descriptor, &copy))
        return TRAP_CONTINUE;
    return target_give(copy, cloexec, min);
}

int64_t trap_dup(const uint64_t a[6])
{
    int64_t result = copy_to((int)a[0], false, 0);
    if (result != TRAP_CONTINUE)
        log_call(result, "dup(%d)", (int)a[0]);
    return result;
}

int64_t trap_fcntl(const uint64_t a[6])
{
    bool cloexec = a[1] == F_DUPFD_CLOEXEC;
    int64_t result = a[2] <= INT_MAX ? copy_to((int)a[0], cloexec, (unsigned)a[2]) : TRAP_CONTINUE;
    if (result != TRAP_CONTINUE)
        log_call(result, "fcntl(%d, %s, 0x%x)", (int)a[0], cloexec ? "F_DUPFD_CLOEXEC" : "F_DUPFD",
                 (unsigned)a[2]);
    return result;
}

/* ---- events ---------------------------------------------------------------------------------- */

int64_t trap_event(const uint64_t a[6])
{
    union event_attributes attributes;
    if (!event_is_gpu(a[0], &attributes))
        return TRAP_CONTINUE;
    int64_t result =
        event_open(&attributes.attr, (int)a[1], (int)a[2], (int)a[3], (unsigned long)a[4]);
    log_call(result, "perf_event_open({type=%u, config=0x%llx}, %d, %d, %d, 0x%lx)",
             attributes.attr.type, (unsigned long long)attributes.attr.config, (int)a[1], (int)a[2],
             (int)a[3], (unsigned long)a[4]);
    return result;
}
