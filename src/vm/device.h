/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_DEVICE_H
#define TALLY_VM_DEVICE_H

/*
 * A modelled GPU as a PCI device of a virtual machine: accesses of the guest to configuration space
 * and BARs, the GPU's accesses to the guest's memory through its page tables, and interrupt
 * messages.
 *
 * The machine has conventional configuration space and BARs of 32 bits: a BAR of 64 bits is shown
 * as one of 32, its upper half reads 0, and GMADR has at most 256 MiB. A reset leaves the BARs
 * unassigned, and the rest as the GPU's firmware leaves it.
 */

#include <stdio.h>

#include "emulation/emulation.h"
#include "intel/gpu/trace.h"
#include "intel/gt/pages.h"
#include "vm/memory.h"
#include "vm/unknown.h"

struct vm_device_settings {
    struct emulation_settings emulation; /* without interface, owner and mmio */
    FILE *mmio;                          /* trace of all register accesses; NULL: none */

    /* An interrupt message: a write of 32 bits to a physical address. */
    void (*message)(void *closure, uint64_t address, uint32_t data);

    /* A command streamer has stopped. May be NULL. */
    void (*stopped)(void *closure, const struct tally_error *error);
    void *closure;
};

struct vm_device {
    struct vm_device_settings settings;
    struct emulation *emulation;
    struct tally_gpu *gpu; /* of the emulation */
    struct vm_memory memory;
    struct gt_pages pages;
    uint8_t *page_table; /* of the GGTT */
    size_t page_table_bytes;
    bool sizing[6]; /* the BAR has been written with ones: it shows its size */

    struct gpu_trace trace;
    struct vm_unknown unknown;
    uint64_t messages; /* interrupt messages */
};

/* Makes a device. Returns 0, or the errors of emulation_new(). The caller frees it. */
int vm_device_new(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error);
void vm_device_free(struct vm_device *device);

/* Performs a request other than VM_SET_INTERRUPTS, and sets *value to what a read returns. Returns
 * 0, or -EBADMSG and an error if memory cannot be mapped. */
int vm_device_serve(struct vm_device *device, const struct vm_request *request, uint64_t *value,
                    struct tally_error *error);

#endif
