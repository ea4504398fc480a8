/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_QEMU_H
#define TALLY_VM_QEMU_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <tally/error.h>

#define QEMU_PROGRAM "qemu-system-x86_64"

/* Connections to a virtual machine. */
enum qemu_channel {
    QEMU_LOG,     /* the first serial port: the kernel's messages */
    QEMU_MONITOR, /* QMP */
    QEMU_CONTROL, /* ports of the init script */
    QEMU_IN,
    QEMU_OUT,
    QEMU_ERR,
    QEMU_CONSOLE, /* a terminal: /dev/hvc0 */
    QEMU_GPU,     /* the PCI device 00:02.0: vm/server.h */
    QEMU_QTEST,   /* the test protocol, for its interrupts */
    QEMU_CLOCK,   /* another QMP, with which the device's server stops the machine */
    QEMU_CHANNELS
};

#define QEMU_GPU_CHANNELS (1u << QEMU_GPU | 1u << QEMU_QTEST | 1u << QEMU_CLOCK)

struct qemu_settings {
    int kernel, initrd;    /* descriptors of files */
    const char *append;    /* the kernel's command line */
    const char *more;      /* arguments, separated by spaces, or NULL */
    const char *directory; /* of this machine, shared with the guest as "host" */
    uint64_t memory_mib;
    unsigned slow;     /* its clock runs this many times slower: 1 to VM_SLOW_MAX */
    const char *clock; /* the library that does so (vm/slow/); unused if slow is 1 */
    unsigned channels; /* bits 1 << enum qemu_channel */
};

struct qemu {
    pid_t pid;
    int channels[QEMU_CHANNELS]; /* our ends; -1: not wanted, or closed */
    int messages;                /* a file with what QEMU has printed */
};

/*
 * Starts a machine. It ends with this thread at the latest, and is in a process group of its own,
 * so that the terminal's signals do not reach it. Returns 0, or a negative errno with a message;
 * qemu_end() and qemu_close() free everything in either case.
 */
int qemu_start(const struct qemu_settings *settings, struct qemu *qemu, struct tally_error *error);

/* Waits without blocking. Returns true if the machine has ended. */
bool qemu_has_ended(struct qemu *qemu);

/* Copies the first line that QEMU has printed, without its name; "" if there is none. */
void qemu_first_message(const struct qemu *qemu, char *text, size_t size);

/* Ends a machine: by its monitor, and if that does not answer in two seconds by a signal. The
 * server of its GPU must run until then. Reads the other channels meanwhile. */
void qemu_end(struct qemu *qemu);

/* Closes the channels of a machine that has ended. */
void qemu_close(struct qemu *qemu);

#endif
