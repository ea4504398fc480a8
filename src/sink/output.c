/* SPDX-License-Identifier: MIT */
#include "sink/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/escape.h"
#include "base/minmax.h"

/* Opens and truncates a file, unless it is being recorded to; `keep`: an existing file, which is
 * not truncated. Returns the descriptor, or a negative errno. */
static int open_truncated(const char *path, bool keep, struct tally_error *error)
{
    struct stat status;
    int fd = open(path, O_WRONLY | O_CLOEXEC | (keep ? 0 : O_CREAT), 0666);
    int result = fd < 0 ? -errno : 0;
    if (result == 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
        bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0; /* of recorders: capture/file.c */
        if (!locked && errno == EWOULDBLOCK)
            result = -ETXTBSY;
        else if (!keep && ftruncate(fd, 0) < 0)
            result = -errno;
        if (locked)
            flock(fd, LOCK_UN);
    }
    if (result == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return result == -ETXTBSY
               ? fail(error, result, "%s: another process is recording to this file", path)
               : fail(error, result, "%s: cannot write: %s", path, strerror(-result));
}

struct output *output_open(const char *path, struct tally_error *error)
{
    struct output *output = output_to_memory(NULL);
    if (!output) {
        fail_memory(error, "an output");
        return NULL;
    }
    bool standard = !path || !strcmp(path, "-");
    output->path = standard ? "standard output" : path;
    output->owned = !standard;
    output->fd = standard ? STDOUT_FILENO : open_truncated(path, false, error);
    if (output->fd < 0) {
        free(output);
        return NULL;
    }
    const char *no_color = getenv("NO_COLOR");
    output->color = isatty(output->fd) && !(no_color && *no_color);
    return output;
}

/* Creates a file beside `target`. Returns the descriptor or a negative errno. */
static int open_beside(const char *target, char **temporary)
{
    unsigned start = (unsigned)getpid();
    for (unsigned i = 0; i < 100; i++) {
        if (asprintf(temporary, "%s.%06x", target, (start + i) & 0xffffff) < 0) {
            *temporary = NULL;
            return -ENOMEM;
        }
        int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0)
            return fd;
        int code = -errno;
        free(*temporary);
        *temporary = NULL;
        if (code != -EEXIST)
            return code;
    }
    return -EEXIST;
}

struct output *output_open_whole(const char *path, struct tally_error *error)
{
    struct stat status;
    bool exists = path && strcmp(path, "-") != 0 && stat(path, &status) == 0;
    if (!path || !strcmp(path, "-") || (exists && !S_ISREG(status.st_mode)))
        return output_open(path, error);
    int existing = exists ? open_truncated(path, true, error) : -1;
    if (exists && existing < 0)
        return NULL;
    if (existing >= 0)
        close(existing);
    struct output *output = output_to_memory(NULL);
    if (!output) {
        fail_memory(error, "an output");
        return NULL;
    }
    output->path = path;
    output->owned = true;
    output->target = exists ? realpath(path, NULL) : strdup(path); /* of a symbolic link */
    output->fd = output->target ? open_beside(output->target, &output->temporary) : -errno;
    if (output->fd >= 0)
        return output;
    fail(error, output->fd, "%s: cannot write: %s", path, strerror(-output->fd));
    free(output->target);
    free(output->temporary);
    free(output);
    return NULL;
}

struct output *output_open_file(int fd, const char *name, uint64_t max_bytes,
                                struct tally_error *error)
{
    struct output *output = output_to_memory(NULL);
    if (!output) {
        close(fd);
        fail_memory(error, "an output");
        return NULL;
    }
    output->fd = fd;
    output->owned = true;
    output->path = name;
    output->bytes_left = max_bytes;
    return output;
}

struct output *output_to_memory(struct buffer *memory)
{
    struct output *output = malloc(sizeof *output);
    if (!output)
        return NULL;
    output->fd = -1;
    output->owned = output->color = output->csv_safe = output->complete = false;
    output->temporary = output->target = NULL;
    output->path = "memory";
    output->memory = memory;
    output->bytes_left = UINT64_MAX;
    output->used = 0;
    output->error = (struct tally_error){0};
    return output;
}

static void write_to(struct output *output, const char *bytes, size_t size)
{
    if (output->memory) {
        buffer_append(output->memory, bytes, size);
        if (output->memory->broken)
            fail_memory(&output->error, "output");
        return;
    }
    if (size > output->bytes_left && !output->error.code)
        fail(&output->error, -EDQUOT, "%s: the output is too large", output->path);
    while (size && !output->error.code) {
        ssize_t n = write(output->fd, bytes, size);
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
            output->bytes_left -= (size_t)n;
        } else if (n < 0 && errno != EINTR) {
            fail(&output->error, -errno, "%s: cannot write: %s", output->path, strerror(errno));
        }
    }
}

static void write_bytes(struct output *output, size_t size)
{
    write_to(output, output->bytes, size);
    memmove(output->bytes, output->bytes + size, output->used - size);
    output->used -= size;
}

void output_bytes(struct output *output, const char *bytes, size_t size)
{
    output_flush(output);
    write_to(output, bytes, size);
}

void output_flush(struct output *output)
{
    write_bytes(output, output->used);
}

/* Writes up to the last line end; without one, the line is longer than the buffer: writes all. */
static void write_lines(struct output *output)
{
    const char *end = memrchr(output->bytes, '\n', output->used);
    write_bytes(output, end ? (size_t)(end - output->bytes) + 1 : output->used);
}

char *output_reserve(struct output *output, size_t size)
{
    if (sizeof output->bytes - output->used < size)
        write_lines(output);
    if (sizeof output->bytes - output->used < size)
        output_flush(output);
    return output->bytes + output->used;
}

void output_append(struct output *output, const char *bytes, size_t size)
{
    while (size) {
        size_t part = min_size(size, 4096);
        memcpy(output_reserve(output, part), bytes, part);
        output->used += part;
        bytes += part;
        size -= part;
    }
}

void output_text(struct output *output, const char *text)
{
    output_append(output, text, strlen(text));
}

/* True if formatted text is ASCII without control characters, except for those of its format. */
static bool is_clean(const char *text, const char *format)
{
    for (; *text; text++) {
        if (*text >= ' ' && *text < 0x7f)
            continue;
        const char *same = strchr(format, *text);
        if (!same)
            return false;
        format = same + 1;
    }
    return true;
}

int shown_width(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void output_right(struct output *output, const char *text, int width)
{
    output_printf(output, "%*s%s", width > shown_width(text) ? width - shown_width(text) : 0, "",
                  text);
}

void output_printf(struct output *output, const char *format, ...)
{
    struct buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    char *space = output_reserve(output, 4096);
    int size = vsnprintf(space, 4096, format, arguments);
    va_end(arguments);
    if (size >= 0 && size < 4096 && is_clean(space, format)) {
        output->used += (size_t)size;
        return;
    }
    va_start(arguments, format);
    escape_format(&text, format, arguments);
    va_end(arguments);
    output_append(output, text.bytes, text.size);
    if (text.broken)
        fail_memory(&output->error, "output");
    buffer_fini(&text);
}

void output_escaped(struct output *output, const char *text)
{
    if (is_printable(text))
        output_text(output, text);
    else
        output_printf(output, "%s", text);
}

void output_style(struct output *output, const char *sgr)
{
    if (output->color)
        output_printf(output, "\033[%sm", sgr);
}

/* Gives a file its name, or removes it. */
static void end_whole(struct output *output)
{
    bool ended = output->complete && !output->error.code;
    if (ended && rename(output->temporary, output->target) < 0) {
        fail(&output->error, -errno, "%s: cannot write: %s", output->path, strerror(errno));
        ended = false;
    }
    if (!ended)
        unlink(output->temporary);
    free(output->temporary);
    free(output->target);
}

int output_close(struct output *output, struct tally_error *error)
{
    output_flush(output);
    if (output->owned && close(output->fd) < 0 && !output->error.code)
        fail(&output->error, -errno, "%s: cannot write: %s", output->path, strerror(errno));
    if (output->temporary)
        end_whole(output);
    int result = output->error.code;
    if (result && error)
        *error = output->error;
    free(output);
    return result;
}
