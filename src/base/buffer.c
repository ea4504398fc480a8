/* SPDX-License-Identifier: MIT */
#include "base/buffer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

void buffer_fini(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

char *buffer_reserve(struct buffer *buffer, size_t size)
{
    if (buffer->broken || size > SIZE_MAX / 4 || buffer->size > SIZE_MAX / 4) {
        buffer->broken = true;
        return NULL;
    }
    if (buffer->capacity - buffer->size < size) {
        size_t capacity = buffer->capacity ? buffer->capacity : 256;
        while (capacity - buffer->size < size)
            capacity *= 2;
        char *bytes = realloc(buffer->bytes, capacity);
        if (!bytes) {
            buffer->broken = true;
            return NULL;
        }
        buffer->bytes = bytes;
        buffer->capacity = capacity;
    }
    return buffer->bytes + buffer->size;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t size)
{
    if (!size)
        return;
    char *to = buffer_reserve(buffer, size);
    if (to) {
        memcpy(to, bytes, size);
        buffer->size += size;
    }
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_char(struct buffer *buffer, char c)
{
    buffer_append(buffer, &c, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *to = size < 0 ? NULL : buffer_reserve(buffer, (size_t)size + 1);
    if (!to) {
        buffer->broken = true;
        return;
    }
    va_start(arguments, format);
    vsnprintf(to, (size_t)size + 1, format, arguments);
    va_end(arguments);
    buffer->size += (size_t)size;
}

int buffer_load(struct buffer *buffer, const char *path, size_t max, struct tally_error *error)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(error, -errno, "cannot open %s: %s", path, strerror(errno));
    int result = 0;
    for (size_t n = 1; n && !buffer->broken && buffer->size <= max;) {
        char bytes[4096];
        errno = 0;
        n = fread(bytes, 1, sizeof bytes, file);
        buffer_append(buffer, bytes, n);
        if (ferror(file) && errno == EINTR) {
            clearerr(file);
            n = 1;
        }
    }
    if (ferror(file))
        result = fail(error, errno ? -errno : -EIO, "cannot read %s: %s", path,
                      strerror(errno ? errno : EIO));
    else if (buffer->broken)
        result = fail_memory(error, "a file");
    fclose(file);
    return result;
}

int text_load(const char *path, char *text, size_t size)
{
    size_t done = 0;
    ssize_t n = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    text[0] = '\0';
    if (fd < 0)
        return -errno;
    while (n && done < size - 1) {
        n = read(fd, text + done, size - 1 - done);
        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    int result = n < 0 ? -errno : 0;
    close(fd);
    while (done && text[done - 1] == '\n')
        done--;
    text[done] = '\0';
    return result;
}

void *array_grow(void *array, size_t *capacity, size_t count, size_t element_size)
{
    if (count < *capacity)
        return array;
    size_t wanted = *capacity ? *capacity * 2 : 16;
    if (wanted > SIZE_MAX / 2 / element_size)
        return NULL;
    void *grown = realloc(array, wanted * element_size);
    if (grown)
        *capacity = wanted;
    return grown;
}
