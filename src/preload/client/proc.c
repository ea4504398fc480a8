/* SPDX-License-Identifier: MIT */
/*
 * Descriptors in /proc, of any process: those of the device are sockets whose inode the server
 * knows. Programs such as intel_gpu_top read there who uses the GPU.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/client/client.h"

#define FDINFO_BYTES 4096

/* Skips a component. NULL: it differs. */
static const char *skip(const char *name, const char *component)
{
    size_t length = strlen(component);
    return !strncmp(name, component, length) && name[length] == '/' ? name + length + 1 : NULL;
}

static bool is_number(const char *text)
{
    return *text && !text[strspn(text, "0123456789")];
}

/* Parses /proc/PID/fd/N and /proc/PID/fdinfo/N; PID may be "self". Returns where "fd" begins; 0:
 * another name. */
static size_t parse(const char *name)
{
    const char *rest = skip(name, "/proc");
    if (!rest)
        return 0;
    size_t digits = strspn(rest, "0123456789");
    const char *table = digits && rest[digits] == '/' ? rest + digits + 1 : skip(rest, "self");
    if (!table && !(table = skip(rest, "thread-self")))
        return 0;
    const char *number = skip(table, "fd");
    if (!number)
        number = skip(table, "fdinfo");
    return number && is_number(number) ? (size_t)(table - name) : 0;
}

bool proc_may_have(const char *name)
{
    return isdigit((unsigned char)*name) && is_number(name);
}

/* Returns the inode of a descriptor's socket; 0: it is another file. table: as of parse(). */
static uint64_t socket_of(const char *name, size_t table)
{
    char link[64];
    struct stat about;
    int length = snprintf(link, sizeof link, "%.*sfd/%s", (int)table, name, strrchr(name, '/') + 1);
    return length < (int)sizeof link && NEXT(stat)(link, &about) == 0 && S_ISSOCK(about.st_mode)
               ? about.st_ino
               : 0;
}

/* Whether the server may know a descriptor by its inode. Otherwise no call is made: it would take
 * time that depends on how many sockets the programs of the machine have. */
static bool may_be_device(uint64_t inode)
{
    const struct emulate_notice *notice = notice_read();
    if (!notice)
        return true;
    uint32_t slots = __atomic_load_n(&notice->slots, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < slots && i < EMULATE_DEVICES; i++)
        if (__atomic_load_n(&notice->devices[i], __ATOMIC_SEQ_CST) == inode)
            return true;
    return slots > EMULATE_DEVICES;
}

/* Gets a device's minor number, and if size is not 0 the driver's lines of fdinfo. Returns false
 * for other descriptors. */
static bool describe(const char *name, unsigned *minor, char *text, size_t size)
{
    size_t table = parse(name);
    uint64_t inode = table ? socket_of(name, table) : 0;
    if (!inode || !may_be_device(inode))
        return false;
    struct call call = {
        .header = {.kind = EMULATE_DESCRIBE, .a = inode, .b = size},
        .into = text,
    };
    int64_t result = channel_call(&call);
    *minor = (unsigned)result;
    return result >= 0;
}

enum path_kind proc_find(const char *name, unsigned *minor)
{
    size_t table = parse(name);
    if (!table || !describe(name, minor, NULL, 0))
        return PATH_REAL;
    return name[table + 2] == '/' ? PATH_DESCRIPTOR : PATH_FDINFO;
}

/* The kernel's own lines, and the driver's after them. */
int proc_fdinfo(const char *name)
{
    char own[FDINFO_BYTES], lines[FDINFO_BYTES] = "";
    unsigned minor;
    int real = NEXT(open)(name, O_RDONLY | O_CLOEXEC);
    ssize_t got = real < 0 ? -1 : NEXT(read)(real, own, sizeof own);
    int saved = errno;
    if (real >= 0)
        NEXT(close)(real);
    if (got < 0) {
        errno = saved;
        return -1;
    }
    describe(name, &minor, lines, sizeof lines - 1);
    int fd = memfd_create("fdinfo", MFD_CLOEXEC);
    if (fd >= 0 &&
        (NEXT(write)(fd, own, (size_t)got) < 0 || NEXT(write)(fd, lines, strlen(lines)) < 0)) {
        NEXT(close)(fd);
        return -1;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}
