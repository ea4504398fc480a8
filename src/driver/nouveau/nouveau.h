/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_NOUVEAU_NOUVEAU_H
#define TALLY_DRIVER_NOUVEAU_NOUVEAU_H

/*
 * The kernel's interface of nouveau, for clients of the performance counters: parameters, NVIF with
 * its perfmon objects, and buffers, as Linux 6.1's driver has them without acceleration and without
 * a display (docs/nouveau-driver.md). Usage:
 *
 *     nouveau_device_new(&settings, &io, &device, &error);
 *     nouveau_file_open(device, true, &file);            // open("/dev/dri/renderD128")
 *     nouveau_ioctl(file, request, pointer, &caller);    // ioctl(fd, request, pointer)
 *
 * The driver has no thread and no timer. Functions return the results of the system calls, with
 * errors as negative errno. Thread rule: a device and its files are used by one thread at a time.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tally/chipset.h>
#include <tally/error.h>

#include "driver/drm/drm.h"
#include "driver/io.h"

/* A selector of a unit, which perfmon lists as a source of signals. */
struct nouveau_source {
    uint32_t address, mask;
    uint8_t shift;
    bool enable; /* sets bit 31, too */
    const char *name;
};

/* Returns the index-th selector in a register, of any chipset; NULL past the end. */
const struct nouveau_source *nouveau_source_at(uint32_t address, size_t index);

struct nouveau_device;
struct nouveau_file;
struct nouveau_object;

struct nouveau_settings {
    const struct tally_chipset *chipset;
    const char *product; /* of the card: "GeForce 8800 GT" */
    uint16_t pci_vendor, pci_device;
    uint64_t vram_bytes;   /* 0: 256 MiB, or none if the chipset is an IGP */
    uint64_t memory_bytes; /* limit for all buffers; 0: 1 GiB */

    /* Allocator of zeroed memory for buffers; NULL: calloc() and free(). `cookie` is for the
     * embedder's use. */
    void *(*allocate)(void *closure, size_t bytes, uint64_t *cookie);
    void (*release)(void *closure, void *memory, size_t bytes, uint64_t cookie);
    void *closure;
};

/* Creates a device. Reads registers of the hardware, and from GF100 on enables PCOUNTER. `io` is
 * copied. Returns 0; -ENODEV with a message: not a GPU that nouveau drives; -ENOMEM. */
int nouveau_device_new(const struct nouveau_settings *settings, const struct driver_io *io,
                       struct nouveau_device **out, struct tally_error *error);

/* Frees a device with its files; NULL is allowed. */
void nouveau_device_free(struct nouveau_device *device);

/* Opens and closes the device node. Returns 0 or -ENOMEM. */
int nouveau_file_open(struct nouveau_device *device, bool render_node, struct nouveau_file **out);
void nouveau_file_close(struct nouveau_file *file);

/* ioctl() of a device node. `argument` is the third argument of ioctl(). */
int nouveau_ioctl(struct nouveau_file *file, uint32_t request, uint64_t argument,
                  const struct drm_caller *caller);

/* Finds the memory that mmap() of the device maps at an offset. Returns 0 and the cookie of the
 * allocation, from whose start it is mapped; -EINVAL: there is none, or it is smaller than
 * `bytes`; -EACCES: only other files have a handle of it. */
int nouveau_file_mapping(const struct nouveau_file *file, uint64_t offset, uint64_t bytes,
                         uint64_t *cookie);

#endif
