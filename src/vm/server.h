/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_SERVER_H
#define TALLY_VM_SERVER_H

/*
 * Serves a modelled GPU as a PCI device to QEMU (tally pci, tally vm).
 *
 *     socketpair(AF_UNIX, SOCK_STREAM, 0, pair);         // QEMU inherits pair[1]
 *     vm_server_new(&config, &server, &error);
 *     vm_server_run(server, &(struct vm_server_fds){pair[0], -1, -1, -1}, &error);
 *     vm_server_free(server);
 *
 * QEMU is started with
 *
 *     -machine q35,memory-backend=ram -vga none
 *     -object memory-backend-memfd,id=ram,size=1G,share=on
 *     -device x-pci-proxy-dev,bus=pcie.0,addr=2.0,fd=N   N: its end of the socket
 *     -qtest unix:QTEST,server=on,wait=off -qtest-log none   interrupts arrive through it
 *     -qmp unix:QMP,server=on,wait=off                   with VM_CLOCK_GUEST
 *
 * The server connects to QTEST and QMP when QEMU has sent its first message, unless the caller has
 * connected to them. Without the first the guest gets no interrupts.
 * Thread rule: a server is used by one thread; that which runs it may be any.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <tally/error.h>

struct faults_script;

enum vm_clock {
    VM_CLOCK_WALL,  /* GPU time follows the wall clock; if the model is too slow, time is lost */
    VM_CLOCK_GUEST, /* the guest is stopped while the model is behind */
};

#define VM_SLOW_MAX 16

struct vm_server_config {
    const char *gpu;      /* platform or SKU, or chipset: "icl", "hsw/gt3", "g92" */
    const char *workload; /* of Intel, as emulation_settings has them; may be NULL */
    const char *fuses;    /* of Intel, as intel_fuses_parse() has them; may be NULL */
    const char *cost;
    const char *signals;                /* of NVIDIA: a script (vm/signals.h); NULL: none */
    const struct faults_script *faults; /* must outlive the server */
    enum vm_clock clock;
    unsigned slow; /* the guest's clock runs this many times slower than the wall clock, and the
                    * GPU's does: 1 to VM_SLOW_MAX; 0 is 1 */
    const char *qtest, *qmp; /* paths of QEMU's sockets; NULL: none, or the caller connects */
    FILE *mmio;              /* trace of register accesses; NULL: none */

    /* Reports a remark: a command streamer stopped, an interrupt was lost, ... May be NULL. */
    void (*note)(void *closure, const char *text);
    void *closure;
};

/* Descriptors; all belong to the caller. -1: none. */
struct vm_server_fds {
    int link;  /* the device's connection to QEMU */
    int qtest; /* of config.qtest, if the caller has connected */
    int qmp;
    int stop; /* the run ends when it becomes readable: a pipe, an eventfd, a signalfd */
};

/* The driver of a GPU in Linux. */
struct vm_driver {
    const char *module;
    const char *parameters; /* of the kernel's command line */
};

struct vm_server_stats {
    uint64_t requests;            /* accesses and other messages of QEMU */
    uint64_t messages;            /* interrupts */
    uint64_t lost_messages;       /* without a connection to QTEST */
    uint64_t gpu_ns;              /* time of the GPU */
    uint64_t lost_ns;             /* time that the GPU did not run: the model was too slow */
    uint64_t stopped_ns;          /* time that the guest was stopped */
    uint64_t served_ns;           /* time between a request and its answer, in total */
    uint64_t faults;              /* times that a command streamer stopped */
    size_t unknown, unknown_read; /* registers that the model does not have, and those read */
    uint64_t unknown_lost;        /* accesses to such registers that are not in the list */
};

struct vm_server;

/* Makes a server with its GPU. Returns 0, or the errors of emulation_new(). The caller frees it. */
int vm_server_new(const struct vm_server_config *config, struct vm_server **out,
                  struct tally_error *error);

/*
 * Serves until QEMU closes the connection or `stop` is readable: returns 0. -EBADMSG and an error:
 * QEMU sent a malformed message; another negative errno and an error: QTEST or QMP cannot be
 * reached, or a socket fails. Not to be called again.
 */
int vm_server_run(struct vm_server *server, const struct vm_server_fds *fds,
                  struct tally_error *error);

/* Returns the driver of the GPU, NULL if Linux has none that works with it. */
const struct vm_driver *vm_server_driver(const struct vm_server *server);

/* Returns the symbol of the device description that the guest's driver is to use for the GPU, whose
 * PCI id its table lacks; NULL: the table has the id. Valid while the server is. */
const char *vm_server_driver_row(const struct vm_server *server);

struct vm_server_stats vm_server_stats(const struct vm_server *server);

/* Writes the list of the registers that the guest accessed and the model does not have:
 * vm/unknown.h. */
void vm_server_write_unknown(const struct vm_server *server, FILE *file);

void vm_server_free(struct vm_server *server);

#endif
