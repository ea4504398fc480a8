/* SPDX-License-Identifier: MIT */
#include "vm/guest/memory_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"

int memory_file(const char *name, const void *bytes, size_t size, struct tally_error *error)
{
    int fd = memfd_create(name, MFD_CLOEXEC), code = 0;
    if (fd < 0)
        return fail(error, -errno, "%s: a file in memory: %s", name, strerror(errno));
    const char *from = bytes;
    while (size && !code) {
        ssize_t n = write(fd, from, size);
        if (n > 0) {
            from += n;
            size -= (size_t)n;
        } else if (errno != EINTR) {
            code = errno;
        }
    }
    if (!code && lseek(fd, 0, SEEK_SET) < 0)
        code = errno;
    if (!code)
        return fd;
    close(fd);
    return fail(error, -code, "%s: a file in memory: %s", name, strerror(code));
}
