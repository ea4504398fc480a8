/* SPDX-License-Identifier: MIT */
/* Identifies a descriptor by the name that its other end has. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "preload/client/client.h"

/* Finds what follows the mark and the random part of a name; NULL: it is no such name. */
static const char *after_mark(const char *name)
{
    const size_t mark = sizeof EMULATE_MARK - 1;
    return !strncmp(name, EMULATE_MARK, mark) &&
                   strnlen(name, mark + EMULATE_RANDOM) == mark + EMULATE_RANDOM
               ? name + mark + EMULATE_RANDOM
               : NULL;
}

/* Parses "/stream/7". */
static bool parse_number(const char *text, const char *kind, uint32_t *number, char **end)
{
    size_t length = strlen(kind);
    if (!text || strncmp(text, kind, length) != 0 || !isdigit((unsigned char)text[length]))
        return false;
    *number = (uint32_t)strtoul(text + length, end, 10);
    return true;
}

/* "tally-emulate/0123456789abcdef/device/7/128" */
static bool parse(const char *name, struct descriptor *out)
{
    static const struct {
        const char *text;
        enum descriptor_kind kind;
    } kinds[] = {{"/stream/", DESCRIPTOR_STREAM},   {"/device/", DESCRIPTOR_DEVICE},
                 {"/event/", DESCRIPTOR_EVENT},     {"/fence/", DESCRIPTOR_FENCE},
                 {"/syncobj/", DESCRIPTOR_SYNCOBJ}, {"/buffer/", DESCRIPTOR_BUFFER},
                 {"/file/", DESCRIPTOR_FILE},       {"/timer/", DESCRIPTOR_TIMER}};
    const char *rest = after_mark(name);
    char *end;
    uint32_t number;
    for (size_t i = 0; rest && i < sizeof kinds / sizeof *kinds; i++) {
        if (!parse_number(rest, kinds[i].text, &number, &end))
            continue;
        *out = (struct descriptor){kinds[i].kind, number, 0};
        if (*end == '/')
            out->minor = (unsigned)strtoul(end + 1, NULL, 10);
        return true;
    }
    return false;
}

/* Gets the name in the abstract namespace that a socket is connected to. False for other
 * descriptors. */
#define NAME_BYTES (sizeof((struct sockaddr_un *)0)->sun_path + 1)
static bool peer_name(int fd, char name[NAME_BYTES])
{
    struct sockaddr_un address;
    socklen_t size = sizeof address;
    size_t start = offsetof(struct sockaddr_un, sun_path) + 1;
    if (getpeername(fd, (struct sockaddr *)&address, &size) < 0 || size <= start ||
        address.sun_family != AF_UNIX || address.sun_path[0])
        return false;
    size_t length = size - start < NAME_BYTES - 1 ? size - start : NAME_BYTES - 1;
    memcpy(name, address.sun_path + 1, length);
    name[length] = '\0';
    return true;
}

/* The latest of a thread's descriptors, by their names, which are unique. */
#define RECENT 4
static __thread struct recent {
    char name[NAME_BYTES];
    struct descriptor descriptor;
} recent[RECENT];

bool descriptor_identify(int fd, struct descriptor *out)
{
    char name[NAME_BYTES];
    struct recent *known = &recent[(unsigned)fd % RECENT];
    if (!peer_name(fd, name))
        return false;
    if (!strcmp(name, known->name)) {
        *out = known->descriptor;
        return true;
    }
    if (!parse(name, out) || !channel_is_trusted(fd))
        return false;
    memcpy(known->name, name, sizeof name);
    known->descriptor = *out;
    return true;
}

const char *descriptor_link_text(enum descriptor_kind kind)
{
    static const char *const texts[DESCRIPTOR_TIMER + 1] = {
        [DESCRIPTOR_STREAM] = "anon_inode:[i915_perf]",
        [DESCRIPTOR_EVENT] = "anon_inode:[perf_event]",
        [DESCRIPTOR_FENCE] = "anon_inode:sync_file",
        [DESCRIPTOR_SYNCOBJ] = "anon_inode:syncobj_file",
        [DESCRIPTOR_BUFFER] = "/dmabuf:",
        [DESCRIPTOR_TIMER] = "anon_inode:[timerfd]"};
    return texts[kind];
}

mode_t descriptor_mode(const struct descriptor *descriptor, off_t *size)
{
    *size = descriptor->kind == DESCRIPTOR_BUFFER ? (off_t)descriptor->minor * 4096 : 0;
    return descriptor->kind == DESCRIPTOR_FILE ? S_IFREG | 0644 : 0600;
}
