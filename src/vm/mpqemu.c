/* SPDX-License-Identifier: MIT */
/*
 * The protocol of QEMU's multi-process devices (x-pci-proxy-dev), as QEMU's mpqemu-link defines it.
 * A message is a header (command and size of what follows) and a body, in the machine's byte order;
 * descriptors arrive with the header. All commands except SYNC_SYSMEM and SET_IRQFD are answered by
 * a RET with 64 bits.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "vm/transport.h"

enum command {
    SYNC_SYSMEM,
    RET,
    PCI_CFGWRITE,
    PCI_CFGREAD,
    BAR_WRITE,
    BAR_READ,
    SET_IRQFD,
    DEVICE_RESET,
};

struct header {
    int32_t command;
    uint32_t unused;
    uint64_t bytes;
};
_Static_assert(sizeof(struct header) == MPQEMU_HEADER_BYTES, "header of mpqemu-link");

struct config_body {
    uint32_t address, value, bytes;
};

struct bar_body {
    uint64_t address, value;
    uint32_t bytes;
    uint8_t memory, unused[3];
};

struct memory_body {
    uint64_t address[VM_REGIONS_MAX], bytes[VM_REGIONS_MAX], offset[VM_REGIONS_MAX];
};
_Static_assert(MPQEMU_HEADER_BYTES + sizeof(struct memory_body) <= VM_MESSAGE_BYTES,
               "the longest message");

/* The forms of the commands. min_fds, max_fds: descriptors; max 0: none. */
static const struct form {
    const char *name;
    uint32_t bytes;
    unsigned min_fds, max_fds;
} forms[] = {
    [SYNC_SYSMEM] = {"SYNC_SYSMEM", sizeof(struct memory_body), 0, VM_REGIONS_MAX},
    [RET] = {0},
    [PCI_CFGWRITE] = {"PCI_CFGWRITE", sizeof(struct config_body), 0, 0},
    [PCI_CFGREAD] = {"PCI_CFGREAD", sizeof(struct config_body), 0, 0},
    [BAR_WRITE] = {"BAR_WRITE", sizeof(struct bar_body), 0, 0},
    [BAR_READ] = {"BAR_READ", sizeof(struct bar_body), 0, 0},
    [SET_IRQFD] = {"SET_IRQFD", 0, 2, 2},
    [DEVICE_RESET] = {"DEVICE_RESET", 0, 0, 0},
};

/* ---- decoding -------------------------------------------------------------------------------- */

static const struct form *form_of(int32_t command)
{
    return command >= 0 && (size_t)command < ARRAY_COUNT(forms) && forms[command].name
               ? &forms[command]
               : NULL;
}

int mpqemu_body_bytes(const uint8_t *bytes, struct tally_error *error)
{
    struct header header;
    memcpy(&header, bytes, sizeof header);
    const struct form *form = form_of(header.command);
    if (!form)
        return fail(error, -EBADMSG, "QEMU sent the command %d, expected 0 or 2 to %d",
                    header.command, DEVICE_RESET);
    if (header.bytes != form->bytes)
        return fail(error, -EBADMSG, "QEMU sent a %s of %llu bytes, expected %u", form->name,
                    (unsigned long long)header.bytes, form->bytes);
    return (int)form->bytes;
}

static void decode_config(const uint8_t *bytes, struct vm_request *request)
{
    struct config_body body;
    memcpy(&body, bytes, sizeof body);
    request->address = body.address;
    request->value = body.value;
    request->bytes = body.bytes;
}

static void decode_bar(const uint8_t *bytes, bool write, struct vm_request *request)
{
    struct bar_body body;
    memcpy(&body, bytes, sizeof body);
    request->kind = body.memory ? (write ? VM_MEMORY_WRITE : VM_MEMORY_READ)
                                : (write ? VM_PORT_WRITE : VM_PORT_READ);
    request->address = body.address;
    request->value = body.value;
    request->bytes = body.bytes;
}

static void decode_memory(const uint8_t *bytes, struct vm_request *request)
{
    struct memory_body body;
    memcpy(&body, bytes, sizeof body);
    for (unsigned i = 0; i < request->count; i++)
        request->regions[i] =
            (struct vm_region){body.address[i], body.bytes[i], body.offset[i], request->fds[i]};
}

int mpqemu_decode(const uint8_t *message, const int *fds, unsigned fd_count,
                  struct vm_request *request, struct tally_error *error)
{
    struct header header;
    int body = mpqemu_body_bytes(message, error);
    if (body < 0)
        return body;
    memcpy(&header, message, sizeof header);
    const struct form *form = &forms[header.command];
    if (fd_count < form->min_fds || fd_count > form->max_fds)
        return fail(error, -EBADMSG, "QEMU sent a %s with %u descriptors, expected %u to %u",
                    form->name, fd_count, form->min_fds, form->max_fds);
    *request = (struct vm_request){.count = fd_count};
    for (unsigned i = 0; i < fd_count; i++)
        request->fds[i] = fds[i];
    message += MPQEMU_HEADER_BYTES;
    switch ((enum command)header.command) {
    case PCI_CFGREAD:
    case PCI_CFGWRITE:
        decode_config(message, request);
        request->kind = header.command == PCI_CFGREAD ? VM_CONFIG_READ : VM_CONFIG_WRITE;
        break;
    case BAR_READ:
    case BAR_WRITE:
        decode_bar(message, header.command == BAR_WRITE, request);
        break;
    case SYNC_SYSMEM:
        decode_memory(message, request);
        request->kind = VM_MAP_MEMORY;
        break;
    case SET_IRQFD:
        request->kind = VM_SET_INTERRUPTS;
        break;
    case DEVICE_RESET:
    case RET:
        request->kind = VM_RESET;
        break;
    }
    return 0;
}

/* ---- the socket ------------------------------------------------------------------------------ */

/* Keeps the descriptors of a message. Those beyond the maximum are closed, and counted. */
static void take_fds(struct vm_link *link, struct msghdr *header)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(header); part; part = CMSG_NXTHDR(header, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int fd;
            memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
            if (link->fd_count < VM_REGIONS_MAX)
                link->fds[link->fd_count] = fd;
            else
                close(fd);
            link->fd_count++;
        }
    }
}

/* The most frequent message; only SYNC_SYSMEM is longer. */
#define ACCESS_BYTES (MPQEMU_HEADER_BYTES + sizeof(struct bar_body))

/* Receives the message up to `until` bytes, and more up to `max` if they are there. Returns an
 * outcome, VM_LINK_REQUEST: they are there. */
static int fill(struct vm_link *link, size_t until, size_t max, struct tally_error *error)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * VM_REGIONS_MAX * sizeof(int))];
    } control;
    while (link->used < until) {
        struct iovec place = {link->message + link->used, max - link->used};
        struct msghdr header = {.msg_iov = &place,
                                .msg_iovlen = 1,
                                .msg_control = control.bytes,
                                .msg_controllen = sizeof control.bytes};
        ssize_t got = recvmsg(link->fd, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return VM_LINK_PENDING;
        if ((got == 0 || (got < 0 && errno == ECONNRESET)) && !link->used)
            return VM_LINK_CLOSED;
        if (got == 0)
            return fail(error, -EBADMSG, "QEMU closed the connection after %zu of %zu bytes",
                        link->used, until);
        if (got < 0)
            return fail(error, -errno, "receiving from QEMU: %s", strerror(errno));
        take_fds(link, &header);
        link->used += (size_t)got;
    }
    return VM_LINK_REQUEST;
}

static int receive(struct vm_link *link, struct vm_request *request, struct tally_error *error)
{
    /* One call receives an access. It ends at descriptors, so if it has received a part of the next
     * message as well, they are that one's. */
    int result = fill(link, MPQEMU_HEADER_BYTES, ACCESS_BYTES, error);
    if (result != VM_LINK_REQUEST)
        return result;
    int bytes = mpqemu_body_bytes(link->message, error);
    if (bytes < 0)
        return bytes;
    size_t size = MPQEMU_HEADER_BYTES + (size_t)bytes;
    result = fill(link, size, size, error);
    if (result != VM_LINK_REQUEST)
        return result == VM_LINK_CLOSED ? -EBADMSG : result;
    bool is_last = link->used == size;
    result = mpqemu_decode(link->message, link->fds, is_last ? link->fd_count : 0, request, error);
    if (result < 0)
        return result;
    link->used -= size;
    memmove(link->message, link->message + size, link->used);
    if (is_last)
        link->fd_count = 0;
    return VM_LINK_REQUEST;
}

static bool is_answered(const struct vm_request *request)
{
    return request->kind != VM_MAP_MEMORY && request->kind != VM_SET_INTERRUPTS;
}

static int answer(struct vm_link *link, const struct vm_request *request, uint64_t value,
                  struct tally_error *error)
{
    struct {
        struct header header;
        uint64_t value;
    } reply = {{RET, 0, sizeof reply.value}, value};
    size_t sent = 0;
    if (!is_answered(request))
        return 0;
    while (sent < sizeof reply) {
        ssize_t written =
            send(link->fd, (const char *)&reply + sent, sizeof reply - sent, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail(error, errno == ECONNRESET ? -EPIPE : -errno, "answering QEMU: %s",
                        strerror(errno));
        sent += (size_t)written;
    }
    return 0;
}

const struct vm_transport vm_mpqemu = {"mpqemu", receive, answer};
