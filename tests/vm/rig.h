/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_RIG_H
#define TESTS_VM_RIG_H

/* A server on a thread, with the other ends of its sockets: what a test does is what QEMU does. */

#include <pthread.h>
#include <stdint.h>

#include "vm/server.h"

#define REGISTERS UINT64_C(0xfd000000) /* where the guest puts the BARs */
#define APERTURE  UINT64_C(0xd0000000)
#define RAM_BYTES 0x200000u

struct rig {
    struct vm_server *server;
    int qemu, link, qtest, server_qtest, qmp, server_qmp, stop[2];
    int ram;
    uint8_t *memory;
    pthread_t thread;
    int result;
    struct tally_error error;
};

/* Starts a server. */
void rig_start(struct rig *rig, const struct vm_server_config *config);

/* Runs the server again, after it was stopped. */
void rig_continue(struct rig *rig);

/* Assigns the BARs of an Intel GPU and enables the device. */
void rig_enable(const struct rig *rig);

/* Stops the run, and waits for its end. */
void rig_stop(struct rig *rig);

/* Ends the run as QEMU does, by closing the connection, checks its result, and frees all. */
void rig_finish(struct rig *rig, int expected);

#endif
