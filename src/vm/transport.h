/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_TRANSPORT_H
#define TALLY_VM_TRANSPORT_H

/*
 * The connection to a virtual machine monitor: requests for accesses to a PCI device arrive on a
 * socket, and are answered. A protocol is a table of calls; mpqemu.c has that of QEMU's
 * x-pci-proxy-dev.
 *
 *     vm_link_open(&link, &vm_mpqemu, fd);
 *     switch (link.transport->receive(&link, &request, &error)) {
 *     case VM_LINK_REQUEST:
 *         ...
 *         link.transport->answer(&link, &request, value, &error);
 *         vm_request_close(&request);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#define VM_REGIONS_MAX 8 /* file descriptors, and regions of memory, of a request */

enum vm_request_kind {
    VM_CONFIG_READ, /* configuration space, at `address` */
    VM_CONFIG_WRITE,
    VM_MEMORY_READ, /* a physical address of a memory BAR */
    VM_MEMORY_WRITE,
    VM_PORT_READ, /* an I/O port */
    VM_PORT_WRITE,
    VM_MAP_MEMORY,     /* the memory of the guest is `regions`, and no other */
    VM_SET_INTERRUPTS, /* eventfds for INTx: fds[0] raises it, fds[1] reports its end */
    VM_RESET,
};

/* A part of the guest's physical memory, in a file. */
struct vm_region {
    uint64_t address, bytes;
    uint64_t offset; /* in the file */
    int fd;
};

struct vm_request {
    enum vm_request_kind kind;
    uint64_t address, value;
    unsigned bytes; /* of an access */
    struct vm_region regions[VM_REGIONS_MAX];
    int fds[VM_REGIONS_MAX]; /* belong to the request; -1: taken by the receiver */
    unsigned count;          /* of regions or fds */
};

/* Outcomes of receive(). */
enum {
    VM_LINK_CLOSED,  /* the peer has closed the connection, between two messages */
    VM_LINK_PENDING, /* no complete message has arrived */
    VM_LINK_REQUEST,
};

struct vm_link;

struct vm_transport {
    const char *name;

    /* Receives a request, without waiting. Returns an outcome, or -EBADMSG (a malformed message) or
     * another negative errno, and an error. */
    int (*receive)(struct vm_link *link, struct vm_request *request, struct tally_error *error);

    /* Answers a request, if the protocol has an answer to it. `value`: what was read. Returns 0 or
     * a negative errno, and an error; -EPIPE: the peer has closed the connection. */
    int (*answer)(struct vm_link *link, const struct vm_request *request, uint64_t value,
                  struct tally_error *error);
};
extern const struct vm_transport vm_mpqemu;

#define VM_MESSAGE_BYTES 256 /* the longest message of a protocol */

/* A connection, with the part of a message that has arrived. */
struct vm_link {
    const struct vm_transport *transport;
    int fd; /* owned by the caller */
    uint8_t message[VM_MESSAGE_BYTES];
    size_t used;
    int fds[VM_REGIONS_MAX];
    unsigned fd_count;
};

void vm_link_open(struct vm_link *link, const struct vm_transport *transport, int fd);

/* Closes the descriptors of an incomplete message; not the connection. */
void vm_link_close(struct vm_link *link);

/* Closes the descriptors of a request that were not taken. */
void vm_request_close(struct vm_request *request);

/* ---- mpqemu.c -------------------------------------------------------------------------------- */

#define MPQEMU_HEADER_BYTES 16

/* Returns the bytes that follow a message's header, or -EBADMSG and an error. */
int mpqemu_body_bytes(const uint8_t *header, struct tally_error *error);

/* Decodes a complete message with `fd_count` descriptors, which it does not access. Returns 0, or
 * -EBADMSG and an error. */
int mpqemu_decode(const uint8_t *message, const int *fds, unsigned fd_count,
                  struct vm_request *request, struct tally_error *error);

#endif
