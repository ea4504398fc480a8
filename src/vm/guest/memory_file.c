/* SPDX-License-Identifier: MIT */
#include "vm/guest/memory_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/whole.h"

int memory_file(const char *name, const void *bytes, size_t size, struct tally_error *error)
{
    int fd = memfd_create(name, MFD_CLOEXEC), code;
    if (fd < 0)
        return fail(error, -errno, "%s: a file in memory: %s", name, strerror(errno));
    size_t done;
    code = -write_whole(fd, bytes, size, &done);
    if (!code && lseek(fd, 0, SEEK_SET) < 0)
        code = errno;
    if (!code)
        return fd;
    close(fd);
    return fail(error, -code, "%s: a file in memory: %s", name, strerror(code));
}
