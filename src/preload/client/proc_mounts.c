/* SPDX-License-Identifier: MIT */
/* The list of mounts, with the file systems of the device's files. Programs that look there for
 * tracefs would else mount it, over the machine's files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/client/client.h"

#define LINE_BYTES 4096 /* longer lines are split */

static const struct mount_row {
    const char *place, *line;
} rows[] = {
    {"/sys/kernel/debug",
     "debugfs /sys/kernel/debug debugfs rw,nosuid,nodev,noexec,relatime 0 0\n"},
    {"/sys/kernel/tracing",
     "tracefs /sys/kernel/tracing tracefs rw,nosuid,nodev,noexec,relatime 0 0\n"},
    {"/sys/kernel/debug/tracing",
     "tracefs /sys/kernel/debug/tracing tracefs rw,nosuid,nodev,noexec,relatime 0 0\n"},
};
#define ROWS (sizeof rows / sizeof *rows)

bool proc_lists_mounts(const char *name)
{
    if (strncmp(name, "/proc/", 6) != 0)
        return false;
    name += 6;
    size_t digits = strspn(name, "0123456789");
    if (digits && name[digits] == '/')
        name += digits + 1;
    else if (!strncmp(name, "self/", 5))
        name += 5;
    else if (!strncmp(name, "thread-self/", 12))
        name += 12;
    return !strcmp(name, "mounts");
}

/* Whether the tree has the files of a row: those of another driver have no tracefs. */
static bool has_place(const struct mount_row *row)
{
    char path[TREE_PATH_SIZE];
    struct stat about;
    return path_in_tree(row->place, path) && NEXT(stat)(path, &about) == 0;
}

/* Whether a line is of a mount that is replaced: its second word. */
static bool is_replaced(const char *line, size_t length)
{
    const char *place = memchr(line, ' ', length);
    for (size_t i = 0; place && i < ROWS; i++) {
        size_t size = strlen(rows[i].place);
        if (length - (size_t)(place - line) > size + 2 &&
            !strncmp(place + 1, rows[i].place, size) && place[1 + size] == ' ' &&
            has_place(&rows[i]))
            return true;
    }
    return false;
}

static bool put(int fd, const char *text, size_t length)
{
    return NEXT(write)(fd, text, length) == (ssize_t)length;
}

/* Copies the lines that are not replaced. */
static bool copy_lines(int from, int to)
{
    char text[LINE_BYTES];
    size_t used = 0;
    ssize_t got = 0;
    do {
        got = NEXT(read)(from, text + used, sizeof text - used);
        if (got < 0)
            return false;
        used += (size_t)got;
        for (const char *end;
             used && ((end = memchr(text, '\n', used)) || !got || used == sizeof text);) {
            size_t length = end ? (size_t)(end - text) + 1 : used;
            if (!is_replaced(text, length) && !put(to, text, length))
                return false;
            used -= length;
            memmove(text, text + length, used);
        }
    } while (got > 0);
    return true;
}

int proc_mounts(const char *name)
{
    int real = NEXT(open)(name, O_RDONLY | O_CLOEXEC);
    if (real < 0)
        return -1;
    int fd = memfd_create("mounts", MFD_CLOEXEC);
    bool copied = fd >= 0 && copy_lines(real, fd);
    int saved = errno;
    NEXT(close)(real);
    for (size_t i = 0; copied && i < ROWS; i++)
        if (has_place(&rows[i]))
            copied = put(fd, rows[i].line, strlen(rows[i].line));
    if (copied) {
        lseek(fd, 0, SEEK_SET);
        return fd;
    }
    if (fd >= 0)
        NEXT(close)(fd);
    errno = saved;
    return -1;
}
