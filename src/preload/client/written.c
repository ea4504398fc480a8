/* SPDX-License-Identifier: MIT */
/* Streams of virtual files that are not plain: the server reads and writes them. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/client/client.h"

static int descriptor_of(const void *cookie)
{
    return (int)(intptr_t)cookie;
}

static ssize_t read_file(void *cookie, char *to, size_t size)
{
    return read(descriptor_of(cookie), to, size);
}

/* Returns 0 for an error, as stdio expects. */
static ssize_t write_file(void *cookie, const char *bytes, size_t size)
{
    ssize_t done = write(descriptor_of(cookie), bytes, size);
    return done < 0 ? 0 : done;
}

static int seek_file(void *cookie, off64_t *offset, int from)
{
    off64_t at = lseek64(descriptor_of(cookie), *offset, from);
    *offset = at;
    return at < 0 ? -1 : 0;
}

static int close_file(void *cookie)
{
    return close(descriptor_of(cookie));
}

FILE *written_stream(int control, const char *mode)
{
    static const cookie_io_functions_t functions = {read_file, write_file, seek_file, close_file};
    return fopencookie((void *)(intptr_t)control, mode, functions);
}

FILE *written_open(int control, const char *mode)
{
    FILE *stream = written_stream(control, mode);
    int saved = errno;
    if (!stream)
        close(control);
    errno = saved;
    return stream;
}
