/* SPDX-License-Identifier: MIT */
#include "store/import_lines.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/minmax.h"

static int end_line(struct import *import, struct import_lines *lines, import_line_function *take,
                    struct tally_error *error)
{
    size_t size = lines->size;
    lines->size = 0;
    lines->number++;
    if (memchr(lines->line, '\0', size))
        return fail(error, -EBADMSG, "line %" PRIu64 ": a byte 0x00, expected a text",
                    lines->number);
    size -= size && lines->line[size - 1] == '\r';
    lines->line[size] = '\0';
    int result = take(import, lines->line, error);
    return result < 0 ? fail_in(error, "line %" PRIu64, lines->number) : result;
}

int import_lines_take(struct import *import, struct import_lines *lines, const char *bytes,
                      size_t size, import_line_function *take, struct tally_error *error)
{
    int result = 0;
    while (!result && size) {
        const char *end = memchr(bytes, '\n', size);
        size_t part = end ? (size_t)(end - bytes) : size;
        if (part > IMPORT_LINE_MAX - lines->size)
            return fail(error, -EBADMSG, "line %" PRIu64 ": more than %d bytes", lines->number + 1,
                        IMPORT_LINE_MAX);
        memcpy(lines->line + lines->size, bytes, part);
        lines->size += part;
        part = min_size(size, part + 1); /* with the end of the line */
        bytes += part;
        size -= part;
        if (end)
            result = end_line(import, lines, take, error);
    }
    return result;
}

bool import_lines_left(const struct import_lines *lines)
{
    for (size_t i = 0; i < lines->size; i++)
        if (!strchr(" \t\r", lines->line[i]))
            return true;
    return false;
}
