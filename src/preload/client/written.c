/* SPDX-License-Identifier: MIT */
/* Streams of virtual files that are not plain: the server reads and writes them. */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
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

/* ---- libc's streams -------------------------------------------------------------------------- */

/* Writes what a stream has for such a file: libc would hand it to the kernel itself, and not learn
 * what the server thinks of it. Returns 0 or EOF. Shells and their commands have stdout so. */
static int flush_file(FILE *stream)
{
    struct descriptor descriptor;
    size_t bytes = __fpending(stream);
    int fd = bytes ? fileno(stream) : -1;
    if (fd < 0 || !descriptor_is_file(fd, &descriptor))
        return 0;
    ssize_t done = write(fd, stream->_IO_write_base, bytes);
    __fpurge(stream);
    if (done >= 0)
        return 0;
    stream->_flags |= _IO_ERR_SEEN;
    return EOF;
}

void written_to_stdout(int fd)
{
    static bool changed;
    struct descriptor descriptor;
    bool file = descriptor_is_file(fd, &descriptor);
    if (file ? !__flbf(stdout) : !changed)
        return;
    changed = file;
    setvbuf(stdout, NULL, file ? _IOFBF : _IOLBF, BUFSIZ);
}

EXPORT int fflush(FILE *stream)
{
    if (flush_file(stream ? stream : stdout) < 0)
        return EOF;
    return NEXT(fflush)(stream);
}

EXPORT int fflush_unlocked(FILE *stream)
{
    if (flush_file(stream ? stream : stdout) < 0)
        return EOF;
    return NEXT(fflush_unlocked)(stream);
}

EXPORT int fclose(FILE *stream)
{
    int flushed = flush_file(stream), saved = errno;
    int result = NEXT(fclose)(stream);
    if (flushed == 0)
        return result;
    errno = saved;
    return EOF;
}

EXPORT int vdprintf(int fd, const char *format, va_list arguments)
{
    struct descriptor descriptor;
    char *text;
    if (!descriptor_is_file(fd, &descriptor))
        return NEXT(vdprintf)(fd, format, arguments);
    int length = vasprintf(&text, format, arguments);
    if (length < 0)
        return length;
    ssize_t done = write(fd, text, (size_t)length);
    int saved = errno;
    free(text);
    errno = saved;
    return done < 0 ? -1 : length;
}

EXPORT int dprintf(int fd, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}

/* Functions that _FORTIFY_SOURCE calls instead. */
int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments);
EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return vdprintf(fd, format, arguments);
}

int __dprintf_chk(int fd, int flag, const char *format, ...);
EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int result = vdprintf(fd, format, arguments);
    va_end(arguments);
    return result;
}
