/* SPDX-License-Identifier: MIT */
#include "base/whole.h"

#include <errno.h>
#include <unistd.h>

int write_whole(int fd, const void *bytes, size_t size, size_t *done)
{
    for (*done = 0; *done < size;) {
        ssize_t n = write(fd, (const char *)bytes + *done, size - *done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -EIO;
        *done += (size_t)n;
    }
    return 0;
}
