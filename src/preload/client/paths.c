/* SPDX-License-Identifier: MIT */
/* Which files are virtual: absolute names below some directories, and a few by themselves. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "preload/client/client.h"

/* ---- the tree -------------------------------------------------------------------------------- */

static char directory[108]; /* as much as a socket's name has room for */

__attribute__((constructor)) static void find_directory(void)
{
    const char *name = getenv(EMULATE_ENVIRONMENT);
    if (name && strlen(name) + sizeof EMULATE_SOCKET < sizeof directory)
        strcpy(directory, name);
}

const char *tree_directory(void)
{
    return *directory ? directory : NULL;
}

static bool in_tree(const char *name, char out[TREE_ROOM])
{
    int length = snprintf(out, TREE_ROOM, "%s/" EMULATE_ROOT "%s", directory, name);
    return length > 0 && length < TREE_ROOM;
}

void path_of_minor(unsigned minor, char out[TREE_ROOM])
{
    in_tree(minor < 128 ? "/dev/dri/card0" : "/dev/dri/renderD128", out);
}

/* ---- the table ------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint8_t kind; /* enum path_kind */
    uint8_t detail;
} rows[] = {
    {"/dev/dri/card0", PATH_DEVICE, 0},
    {"/dev/dri/renderD128", PATH_DEVICE, 128},
    {"/dev/dri", PATH_VIRTUAL, 0},
    {"/dev/cpu_dma_latency", PATH_VIRTUAL, 0},
    {"/proc/modules", PATH_CONTENT, EMULATE_MODULES},
    {"/proc/sys/dev/i915", PATH_VIRTUAL, 0},
    {"/sys/bus/pci/devices/0000:00:02.0", PATH_VIRTUAL, 0},
    {"/sys/class/drm", PATH_VIRTUAL, 0},
    {"/sys/class/vtconsole", PATH_VIRTUAL, 0}, /* a test harness writes there */
    {"/sys/dev/char/226:", PATH_VIRTUAL, 0},
    {"/sys/devices/pci0000:00/0000:00:02.0", PATH_VIRTUAL, 0},
    {"/sys/kernel/debug", PATH_VIRTUAL, 0},
    {"/sys/module/i915", PATH_VIRTUAL, 0},
};

static bool starts(const char *name, const char *with)
{
    size_t length = strlen(with);
    return !strncmp(name, with, length) &&
           (!name[length] || name[length] == '/' || with[length - 1] == ':');
}

static bool ends(const char *name, const char *with)
{
    size_t length = strlen(name), tail = strlen(with);
    return length >= tail && !strcmp(name + length - tail, with);
}

/* /proc/self/fd/N, /proc/PID/fd/N of ours, /dev/fd/N. */
static bool names_descriptor(const char *name, int *fd)
{
    int used = 0;
    char *end;
    long pid;
    if (!strncmp(name, "/proc/self/fd/", 14))
        used = 14;
    else if (!strncmp(name, "/dev/fd/", 8))
        used = 8;
    else if (!strncmp(name, "/proc/", 6) && isdigit((unsigned char)name[6]) &&
             (pid = strtol(name + 6, &end, 10)) == (long)getpid() && !strncmp(end, "/fd/", 4))
        used = (int)(end + 4 - name);
    if (!used || !isdigit((unsigned char)name[used]))
        return false;
    *fd = (int)strtol(name + used, &end, 10);
    return !*end;
}

bool path_is_stream(const char *name)
{
    struct descriptor descriptor;
    int fd, saved = errno;
    bool stream = *directory && name && names_descriptor(name, &fd) &&
                  descriptor_is_ours(fd, &descriptor) && descriptor.kind == DESCRIPTOR_STREAM;
    errno = saved;
    return stream;
}

static enum path_kind of_absolute(const char *name, struct path *out)
{
    struct descriptor descriptor;
    int fd;
    if (strncmp(name, "/dev/", 5) && strncmp(name, "/proc/", 6) && strncmp(name, "/sys/", 5))
        return PATH_REAL; /* nearly all of them */
    if (names_descriptor(name, &fd)) {
        if (!descriptor_is_ours(fd, &descriptor) || descriptor.kind != DESCRIPTOR_DEVICE)
            return PATH_REAL;
        out->minor = descriptor.minor;
        path_of_minor(out->minor, out->real);
        return PATH_DESCRIPTOR;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!starts(name, rows[i].name) || !in_tree(name, out->real))
            continue;
        bool whole = !strcmp(name, rows[i].name);
        if (rows[i].kind == PATH_DEVICE && whole) {
            out->minor = rows[i].detail;
            return PATH_DEVICE;
        }
        out->content = (enum emulate_content)rows[i].detail;
        out->sysctl = !strncmp(name, "/proc/sys/", 10);
        if (rows[i].kind == PATH_CONTENT)
            return whole ? PATH_CONTENT : PATH_REAL;
        if (ends(name, "/rc6_residency_ms")) {
            out->content = EMULATE_RESIDENCY;
            return PATH_CONTENT;
        }
        return PATH_VIRTUAL;
    }
    return PATH_REAL;
}

/* Of names in directories only those files matter that are made anew. */
static enum path_kind of_relative(int at, const char *name, struct path *out)
{
    char link[64];
    if (at < 0 || !ends(name, "rc6_residency_ms"))
        return PATH_REAL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = NEXT(readlink)(link, out->real, sizeof out->real - 1);
    if (length <= 0)
        return PATH_REAL;
    out->real[length] = '\0';
    if (strncmp(out->real, directory, strlen(directory)) ||
        (size_t)length + strlen(name) + 2 > sizeof out->real)
        return PATH_REAL;
    strcat(strcat(out->real, "/"), name);
    out->content = EMULATE_RESIDENCY;
    return PATH_CONTENT;
}

enum path_kind path_of(int at, const char *name, struct path *out)
{
    int saved = errno;
    out->kind = PATH_REAL;
    out->sysctl = false;
    if (*directory && name && *name)
        out->kind = *name == '/' ? of_absolute(name, out) : of_relative(at, name, out);
    errno = saved;
    return out->kind;
}
