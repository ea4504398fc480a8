/* SPDX-License-Identifier: MIT */
#include "recording/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* Bytes of a mapped file before the position that stay in memory. */
#define DROP_BYTES (UINT64_C(8) << 20)

static virtual_file_opener *opener;

void source_set_opener(virtual_file_opener *set)
{
    opener = set;
}

int source_open(struct source *source, const char *path, bool map, struct tally_error *error)
{
    *source = (struct source){.fd = -1};
    int is_virtual = opener && strcmp(path, "-") != 0 ? opener(path, &source->file, error) : 0;
    if (is_virtual) {
        source->seekable = true;
        source->size = source->file.size;
        return is_virtual < 0 ? is_virtual : 0;
    }
    int fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        int code = -errno;
        *source = (struct source){.fd = -1};
        return fail(error, code, "%s: cannot open: %s", path, strerror(-code));
    }
    return source_open_file(source, fd, path, map, error);
}

int source_open_file(struct source *source, int fd, const char *name, bool map,
                     struct tally_error *error)
{
    struct stat status;
    *source = (struct source){.fd = -1};
    if (fstat(fd, &status) < 0) {
        int code = -errno;
        close(fd);
        return fail(error, code, "%s: cannot open: %s", name, strerror(-code));
    }
    if (S_ISDIR(status.st_mode)) {
        close(fd);
        return fail(error, -EISDIR, "%s: is a directory, expected a recording", name);
    }
    source->fd = fd;
    if (!S_ISREG(status.st_mode))
        return 0;
    /* Standard input that was partly read before is treated as a pipe. */
    source->seekable = lseek(fd, 0, SEEK_CUR) == 0;
    if (source->seekable)
        source->size = (uint64_t)status.st_size;
    if (map && source->seekable && source->size) {
        void *bytes = mmap(NULL, source->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes != MAP_FAILED) {
            madvise(bytes, source->size, MADV_SEQUENTIAL);
            source->bytes = bytes;
            source->mapped = source->size;
        }
    } else {
        posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
    return 0;
}

void source_open_memory(struct source *source, const void *bytes, size_t size)
{
    *source = (struct source){.fd = -1, .seekable = true, .bytes = bytes, .size = size};
}

void source_open_stream(struct source *source, tally_read_function *read, void *closure)
{
    *source = (struct source){.fd = -1, .read = read, .closure = closure};
}

void source_close(struct source *source)
{
    if (source->mapped)
        munmap((void *)(uintptr_t)source->bytes, source->mapped);
    if (source->fd >= 0)
        close(source->fd);
    if (source->file.calls)
        source->file.calls->close(source->file.self);
    *source = (struct source){.fd = -1};
}

/* Reads from a virtual file, and keeps the first error. */
static ptrdiff_t read_virtual(struct source *source, uint64_t offset, void *to, size_t size)
{
    struct tally_error error = {0};
    ptrdiff_t n = source->file.calls->read_at(source->file.self, offset, to, size, &error);
    if (n < 0 && !source->fault.code)
        source->fault = error;
    return n;
}

static int source_wait(const struct source *source)
{
    struct pollfd wanted = {.fd = source->fd, .events = POLLIN};
    int n;
    do {
        n = poll(&wanted, 1, -1);
    } while (n < 0 && errno == EINTR);
    return n;
}

ptrdiff_t source_read(struct source *source, void *to, size_t size)
{
    ptrdiff_t n;
    if (source->read) {
        n = source->read(source->closure, to, size);
        if (n < 0)
            return n;
    } else if (source->file.calls) {
        n = read_virtual(source, source->position, to, size);
        if (n < 0)
            return n;
    } else {
        do {
            n = read(source->fd, to, size);
        } while (n < 0 && errno == EINTR);
        /* -EAGAIN is for streams only: wait if the descriptor does not block. */
        if (n < 0 && errno == EAGAIN)
            return source_wait(source) < 0 ? -errno : source_read(source, to, size);
        if (n < 0)
            return -errno;
    }
    source->position += (uint64_t)n;
    return n;
}

size_t source_peek_at(struct source *source, uint64_t offset, void *to, size_t size)
{
    if (source->bytes) {
        if (offset >= source->size)
            return 0;
        if (size > source->size - offset)
            size = (size_t)(source->size - offset);
        memcpy(to, source->bytes + offset, size);
        return size;
    }
    size_t done = 0;
    while (done < size) {
        ptrdiff_t n;
        if (source->file.calls) {
            n = read_virtual(source, offset + done, (char *)to + done, size - done);
            errno = n < 0 ? (int)-n : 0;
        } else {
            n = pread(source->fd, (char *)to + done, size - done, (off_t)(offset + done));
        }
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && !source->peek_error)
            source->peek_error = errno;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

const char *source_reason(const struct source *source, int error)
{
    return source->fault.code ? source->fault.message : strerror(error);
}

void source_drop(struct source *source)
{
    if (!source->mapped || source->position - source->dropped < 2 * DROP_BYTES)
        return;
    uint64_t end = (source->position - DROP_BYTES) & ~(DROP_BYTES - 1);
    madvise((void *)(uintptr_t)(source->bytes + source->dropped), end - source->dropped,
            MADV_DONTNEED);
    source->dropped = end;
}
