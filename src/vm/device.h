/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_DEVICE_H
#define TALLY_VM_DEVICE_H

/*
 * A modelled GPU as a PCI device of a virtual machine: accesses of the guest to configuration space
 * and BARs, the GPU's accesses to the guest's memory, and interrupt messages. A kind of GPU is a
 * table of calls (intel.c, nvidia.c); devices.c has the list of kinds and what they share.
 *
 * The machine has conventional configuration space and BARs of 32 bits: a BAR of 64 bits is shown
 * as one of 32, and its upper half reads 0. A reset leaves the BARs unassigned, and the rest as the
 * GPU's firmware leaves it.
 */

#include <stdio.h>

#include <tally/error.h>

#include "vm/memory.h"
#include "vm/unknown.h"

#define VM_CONFIG_BYTES 256 /* of conventional configuration space */

struct faults_script;
struct vm_request;

struct vm_device_settings {
    const char *gpu;                    /* a platform or SKU, or a chipset */
    const char *workload, *cost;        /* Intel; NULL: none, the default */
    const char *fuses;                  /* Intel; NULL: all exists */
    const struct faults_script *faults; /* Intel; NULL: none */
    const char *signals;                /* NVIDIA: a script (vm/signals.h); NULL: none */
    FILE *mmio;                         /* trace of all register accesses; NULL: none */

    /* An interrupt message: a write of 32 bits to a physical address. */
    void (*message)(void *closure, uint64_t address, uint32_t data);

    /* A remark: a command streamer has stopped, ... May be NULL. */
    void (*note)(void *closure, const char *text);
    void *closure;
};

/* How the server lets time pass; in ns of the GPU, except as noted. */
struct vm_pace {
    uint64_t slice_ns; /* run before QEMU's requests are looked at again, or more if that takes less
                          than slice_ns of the wall clock */
    uint64_t catch_up_ns; /* of the wall clock: to catch up before a request is served */
    bool falls_behind;    /* the model can be slower than its time */
    uint64_t max_lag_ns;  /* behind the wall clock; time beyond it is lost */
};

struct vm_device;
struct vm_driver;

/* A kind of GPU. Addresses and sizes are those of the guest's accesses, and not checked. */
struct vm_device_calls {
    /* Returns whether this kind has a GPU of the name. */
    bool (*has)(const char *gpu);

    /* Returns the name of the index-th GPU, NULL past the end. */
    const char *(*name_at)(size_t index);

    /* Makes a device whose first member is a struct vm_device with `settings` and `calls`. Returns
     * 0, or a negative errno and an error. */
    int (*create)(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error);
    void (*destroy)(struct vm_device *device); /* also frees the struct */

    /* Returns the GPU's driver in Linux (vm/server.h), NULL: none. */
    const struct vm_driver *(*driver)(const struct vm_device *device);

    /* Configuration space; offset: below VM_CONFIG_BYTES. */
    uint32_t (*read_config)(struct vm_device *device, unsigned offset, unsigned bytes);
    void (*write_config)(struct vm_device *device, unsigned offset, unsigned bytes, uint32_t value);

    /* BARs, by physical addresses and ports. */
    uint64_t (*read_memory)(struct vm_device *device, uint64_t address, unsigned bytes);
    void (*write_memory)(struct vm_device *device, uint64_t address, unsigned bytes,
                         uint64_t value);
    uint32_t (*read_port)(struct vm_device *device, uint32_t port, unsigned bytes);
    void (*write_port)(struct vm_device *device, uint32_t port, unsigned bytes, uint32_t value);

    void (*reset)(struct vm_device *device); /* of the machine */

    /* Whether a request reads or changes what depends on time. */
    bool (*depends_on_time)(struct vm_device *device, const struct vm_request *request);

    /* Time of the GPU, in nanoseconds; run() may stop earlier, and continues at the next call. */
    void (*run)(struct vm_device *device, uint64_t ns);
    uint64_t (*now)(const struct vm_device *device);
    struct vm_pace pace;
    bool (*is_idle)(const struct vm_device *device); /* nothing happens without an access */
};

/* What all kinds have. */
struct vm_device {
    const struct vm_device_calls *calls;
    struct vm_device_settings settings;
    struct vm_memory memory; /* of the guest, for the GPU's own accesses */
    struct vm_unknown unknown;
    uint64_t messages;      /* interrupt messages */
    uint64_t stops;         /* times that a command streamer has stopped */
    const char *driver_row; /* of struct intel_platform; NULL: the driver knows the PCI id */
};

extern const struct vm_device_calls vm_intel, vm_nvidia;

/* Makes a device of the kind that has the GPU. Returns 0; -EINVAL and an error: the GPU is unknown,
 * or a setting is not for its kind; another negative errno and an error. The caller frees it. */
int vm_device_new(const struct vm_device_settings *settings, struct vm_device **out,
                  struct tally_error *error);
void vm_device_free(struct vm_device *device);

/* Performs a request other than VM_SET_INTERRUPTS, and sets *value to what a read returns. Returns
 * 0, or -EBADMSG and an error if memory cannot be mapped. */
int vm_device_serve(struct vm_device *device, const struct vm_request *request, uint64_t *value,
                    struct tally_error *error);

/* Passes an interrupt message, or a remark, to the settings' callbacks. */
void vm_device_message(struct vm_device *device, uint64_t address, uint32_t data);
void vm_device_note(const struct vm_device *device, const char *text);

#endif
