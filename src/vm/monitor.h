/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_MONITOR_H
#define TALLY_VM_MONITOR_H

/*
 * QEMU's own sockets: its test protocol (-qtest), with which interrupt messages are written, and
 * its monitor (-qmp), which stops the machine and lets it continue.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "vm/lines.h"

struct sockaddr_un;

/* Makes the address of a socket. Returns 0, or -ENAMETOOLONG and an error. */
int vm_socket_address(const char *path, struct sockaddr_un *address, struct tally_error *error);

/* Connects to a socket that QEMU listens on. Returns the descriptor, or a negative errno and an
 * error. */
int vm_connect(const char *path, const char *what, struct tally_error *error);

/* ---- the test protocol ----------------------------------------------------------------------- */

/* Writes 32 bits to a physical address of the guest. Returns 0 or a negative errno. */
int vm_qtest_write(int fd, uint64_t address, uint32_t data);

/* Requests the guest's ACPI timer, which counts its time in 24 bits. Returns 0 or a negative errno.
 */
#define VM_TIMER_HZ   3579545u
#define VM_TIMER_BITS 24u
int vm_qtest_request_timer(int fd);

/* Reads the answers, which `line` collects. Returns how many have the timer, and the latest one;
 * -EPIPE: QEMU has closed the connection. */
int vm_qtest_read(int fd, struct vm_line *line, uint32_t *timer);

/* ---- the monitor ----------------------------------------------------------------------------- */

enum vm_machine {
    VM_NEGOTIATING, /* the monitor has not accepted a command yet */
    VM_RUNNING,
    VM_STOPPING,
    VM_STOPPED,
    VM_CONTINUING,
    VM_HELD, /* stopped by another one: a debugger, a breakpoint */
};

struct vm_monitor {
    int fd; /* -1: none */
    enum vm_machine machine;
    struct vm_line line;

    /* CLOCK_MONOTONIC of the latest stop and resumption, as QEMU dates them; 0: none since
     * vm_monitor_forget(). */
    uint64_t stop_ns, resume_ns;
};

/* Begins the conversation. */
void vm_monitor_open(struct vm_monitor *monitor, int fd);

/* Reads what the monitor has sent. Returns 0; -EPIPE: it has closed the connection; -EPROTO and an
 * error: it refuses a command. */
int vm_monitor_read(struct vm_monitor *monitor, struct tally_error *error);

/* Sets both times to 0. */
void vm_monitor_forget(struct vm_monitor *monitor);

/* Stop a running machine, and let a stopped one continue: vm_monitor_read() sets `machine` when it
 * is done. Return 0 or a negative errno and an error. */
int vm_monitor_stop(struct vm_monitor *monitor, struct tally_error *error);
int vm_monitor_continue(struct vm_monitor *monitor, struct tally_error *error);

#endif
