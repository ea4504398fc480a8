/* SPDX-License-Identifier: MIT */
/* Streams of virtual files that are written: what is written is sent to the server, which checks it
 * and rewrites the file, so that it is read from there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/client/client.h"

struct written {
    int file, control; /* the file, and the descriptor that writes it */
};

static ssize_t read_file(void *cookie, char *to, size_t size)
{
    const struct written *written = cookie;
    return NEXT(read)(written->file, to, size);
}

/* Returns 0 for an error, as stdio expects. */
static ssize_t write_file(void *cookie, const char *bytes, size_t size)
{
    const struct written *written = cookie;
    ssize_t done = write(written->control, bytes, size);
    return done < 0 ? 0 : done;
}

static int seek_file(void *cookie, off64_t *offset, int from)
{
    const struct written *written = cookie;
    off64_t at = lseek64(written->file, *offset, from);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int close_file(void *cookie)
{
    struct written *written = cookie;
    NEXT(close)(written->file);
    int result = close(written->control);
    free(written);
    return result;
}

FILE *written_open(int control, const char *place, const char *mode)
{
    static const cookie_io_functions_t functions = {read_file, write_file, seek_file, close_file};
    struct written *written = malloc(sizeof *written);
    int file = written ? NEXT(open)(place, O_RDONLY | O_CLOEXEC) : -1;
    FILE *stream = NULL;
    if (file >= 0) {
        *written = (struct written){file, control};
        stream = fopencookie(written, mode, functions);
    }
    if (stream)
        return stream;
    int saved = errno;
    if (file >= 0)
        NEXT(close)(file);
    close(control);
    free(written);
    errno = saved;
    return NULL;
}
