/* SPDX-License-Identifier: MIT */
/* Whether a program can have the preloaded library of `tally emulate`. */
#include "cli/emulate_program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vm/guest/elf.h"

#define MAX_FIRST_LINE 256 /* of a script */

/* Finds a program as execvp() does. */
static bool find(const char *name, char out[PATH_MAX])
{
    const char *list = getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(out, PATH_MAX, "%s", name) < PATH_MAX;
    for (list = list ? list : "/bin:/usr/bin"; *list;) {
        int length = (int)strcspn(list, ":");
        snprintf(out, PATH_MAX, "%.*s%s%s", length, list, length ? "/" : "", name);
        if (access(out, X_OK) == 0)
            return true;
        list += length;
        list += *list == ':';
    }
    return false;
}

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

static const char *why_file(const char *path, bool may_be_script)
{
    char interpreter[MAX_FIRST_LINE];
    struct elf_needs needs;
    struct tally_error error = {0};
    struct stat about;
    const char *why = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) || about.st_size <= 0) {
        close(fd);
        return NULL;
    }
    if (changes_ids(&about))
        why = about.st_mode & S_ISUID ? "is setuid" : "is setgid";
    size_t size = (size_t)about.st_size;
    char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes == MAP_FAILED)
        return why;
    if (!why && may_be_script && is_script(bytes, size, interpreter))
        why = why_file(interpreter, false);
    else if (!why && elf_is(bytes, size) && elf_read(path, bytes, size, &needs, &error) == 0 &&
             !needs.interpreter)
        why = "is a static program";
    munmap(bytes, size);
    return why;
}

const char *emulate_why_unseen(const char *program)
{
    char path[PATH_MAX];
    return find(program, path) ? why_file(path, true) : NULL;
}
