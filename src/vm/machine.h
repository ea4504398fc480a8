/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_MACHINE_H
#define TALLY_VM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/error.h>

#include "vm/kernel_log.h"
#include "vm/server.h"

/*
 * A virtual machine that runs one command: builds its root file system, boots it, connects the
 * command's standard streams to those of this process, and returns its exit status. The machine is
 * QEMU; nothing of it is left when machine_run() returns.
 */

struct machine_settings {
    const char *kernel, *modules; /* NULL: kernel_find() chooses */
    const char *append;           /* for the kernel's command line, or NULL */
    const char *qemu;             /* more arguments for QEMU, separated by spaces, or NULL. They can
                                     stop the guest, so one that is silent is not given up */
    const char *const *files;     /* to copy into the guest */
    size_t file_count;
    char *const *command; /* ends with NULL */
    const char *log;      /* a file for the kernel's messages, or NULL */
    uint64_t memory_mib;
    unsigned slow;         /* the machine's clock runs this many times slower: 1 to VM_SLOW_MAX;
                              config.slow of its GPU is the same */
    uint64_t timeout_ns;   /* for the whole run; 0: none */
    bool no_driver;        /* of the GPU is loaded */
    struct vm_server *gpu; /* serves the GPU, and is not to be used meanwhile; NULL: none */

    /* Reports a remark. */
    void (*note)(const char *text);
};

struct machine_outcome {
    int status;       /* exit status of the command, 128 + the signal that ended the machine, or
                         MACHINE_TIMED_OUT */
    uint64_t boot_ns; /* from the start of QEMU until the command could run; 0: never */
    struct kernel_log log; /* kernel_log_close() frees it */
};

#define MACHINE_TIMED_OUT 124 /* as timeout(1) exits */

/*
 * Runs the command. Returns 0, or a negative errno with a message if it could not be run or the
 * guest ended before it. Handles SIGINT, SIGTERM, SIGHUP and SIGQUIT: the first is passed to the
 * command, a second one ends the machine. Standard input is read until the command ends. The
 * outcome is to be freed in either case. Call it in the main thread, once at a time.
 */
int machine_run(const struct machine_settings *settings, struct machine_outcome *outcome,
                struct tally_error *error);

#endif
