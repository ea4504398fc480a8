/* SPDX-License-Identifier: MIT */
#include "vm/kernel_log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"

#define TEXT_MAX (16u << 20)

/* What data/vm/init prints before it ends, which is a panic. */
#define GIVES_UP "tally init: "

/* Words in lines with a problem. */
static const char *const problems[] = {
    "WARNING: ",
    "BUG: ",
    "*ERROR*",
    "Oops",
    "general protection fault",
    "Kernel panic",
    "blocked for more than",
    "Unknown symbol",
    "modprobe: ", /* of the init script: the driver */
};

int kernel_log_open(struct kernel_log *log, const char *path, struct tally_error *error)
{
    *log = (struct kernel_log){.file = -1};
    if (!path)
        return 0;
    log->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    return log->file < 0 ? fail(error, -errno, "cannot open %s: %s", path, strerror(errno)) : 0;
}

void kernel_log_close(struct kernel_log *log)
{
    if (log->file >= 0)
        close(log->file);
    buffer_fini(&log->text);
    *log = (struct kernel_log){.file = -1};
}

static void write_file(struct kernel_log *log, const char *bytes, size_t size)
{
    while (log->file >= 0 && size && !log->file_error) {
        ssize_t n = write(log->file, bytes, size);
        if (n < 0 && errno != EINTR)
            log->file_error = errno;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
}

void kernel_log_add(struct kernel_log *log, const char *bytes, size_t size)
{
    while (size) {
        const char *end = memchr(bytes, '\r', size);
        size_t part = end ? (size_t)(end - bytes) : size;
        write_file(log, bytes, part);
        if (log->text.size + part <= TEXT_MAX)
            buffer_append(&log->text, bytes, part);
        else
            log->full = true;
        bytes += part + (end != NULL);
        size -= part + (end != NULL);
    }
}

/* Takes the next line; false at the end. */
static bool next_line(const struct kernel_log *log, size_t *at, struct log_line *line)
{
    if (*at >= log->text.size)
        return false;
    const char *start = log->text.bytes + *at;
    const char *end = memchr(start, '\n', log->text.size - *at);
    line->at = start;
    line->size = end ? (size_t)(end - start) : log->text.size - *at;
    *at += line->size + 1;
    return true;
}

static bool has(const struct log_line *line, const char *word)
{
    return memmem(line->at, line->size, word, strlen(word)) != NULL;
}

size_t kernel_log_problems(const struct kernel_log *log, struct log_line *first)
{
    size_t at = 0, count = 0;
    for (struct log_line line; next_line(log, &at, &line);)
        for (size_t i = 0; i < ARRAY_COUNT(problems); i++)
            if (has(&line, problems[i])) {
                if (!count++)
                    *first = line;
                break;
            }
    return count;
}

struct log_line kernel_log_end(const struct kernel_log *log)
{
    struct log_line last = {"", 0};
    size_t at = 0;
    for (struct log_line line; next_line(log, &at, &line);) {
        if (line.size)
            last = line;
        if (has(&line, "Kernel panic") || has(&line, GIVES_UP))
            break;
    }
    return last;
}
