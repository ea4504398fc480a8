/* SPDX-License-Identifier: MIT */
/* Whether programs can have the preloaded library of `tally emulate`. */
#include "cli/emulate_program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "preload/program.h"
#include "vm/guest/elf.h"

#define MAX_FIRST_LINE 256 /* of a script */

/* Whether the kernel changes the user or group, and the loader therefore ignores LD_PRELOAD. */
static bool changes_ids(const struct stat *about)
{
    return (about->st_mode & S_ISUID && about->st_uid != geteuid()) ||
           ((about->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
            about->st_gid != getegid());
}

/* Gets the interpreter of a script. Returns false for other files. */
static bool is_script(const char *bytes, size_t size, char out[MAX_FIRST_LINE])
{
    if (size < 3 || memcmp(bytes, "#!", 2) != 0)
        return false;
    size_t length = size - 2 < MAX_FIRST_LINE - 1 ? size - 2 : MAX_FIRST_LINE - 1;
    memcpy(out, bytes + 2, length);
    out[length] = '\0';
    size_t spaces = strspn(out, " \t");
    memmove(out, out + spaces, length - spaces + 1);
    out[strcspn(out, " \t\r\n")] = '\0';
    return *out;
}

#define MAX_HEADERS 4096 /* bytes of a program that are read */

static const char *why_file(const char *path, bool may_be_script)
{
    char interpreter[MAX_FIRST_LINE], bytes[MAX_HEADERS];
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* it may be a FIFO */
    if (fd < 0)
        return NULL;
    ssize_t size =
        fstat(fd, &about) == 0 && S_ISREG(about.st_mode) ? pread(fd, bytes, sizeof bytes, 0) : -1;
    close(fd);
    if (size < 0)
        return NULL;
    if (changes_ids(&about))
        return about.st_mode & S_ISUID ? "is setuid" : "is setgid";
    if (may_be_script && is_script(bytes, (size_t)size, interpreter))
        return why_file(interpreter, false);
    return elf_is_static(bytes, (size_t)size) ? "is a static program" : NULL;
}

void emulate_warn_unseen(struct emulate_unseen *named, const char *program)
{
    char path[PATH_MAX];
    struct stat about;
    const char *why = program_find(getenv("PATH"), program, path) ? why_file(path, true) : NULL;
    if (!why || named->count == MAX_NAMED || stat(path, &about) < 0)
        return;
    for (size_t i = 0; i < named->count; i++)
        if (named->files[i].device == about.st_dev && named->files[i].inode == about.st_ino)
            return;
    named->files[named->count].device = about.st_dev;
    named->files[named->count++].inode = about.st_ino;
    warn("%s %s, and so sees the real machine; --by namespace shows it the emulated GPU", program,
         why);
    if (named->count == MAX_NAMED)
        warn("further programs that see the real machine are not named");
}
