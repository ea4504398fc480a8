/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_MEMORY_H
#define TALLY_VM_MEMORY_H

/* The physical memory of a guest: files that QEMU shares, mapped. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vm/transport.h"

struct vm_memory {
    struct {
        uint64_t address, bytes;
        uint8_t *data;
        void *mapped; /* of `mapped_bytes`, which begins with the page of `data` */
        size_t mapped_bytes;
    } regions[VM_REGIONS_MAX];
    unsigned count;
};

/* Maps the regions of a request, instead of those before. Returns 0, or a negative errno and an
 * error: then nothing is mapped. */
int vm_memory_map(struct vm_memory *memory, const struct vm_request *request,
                  struct tally_error *error);

/* Unmaps all regions. */
void vm_memory_unmap(struct vm_memory *memory);

/* Returns whether all of the bytes are mapped. */
bool vm_memory_has(const struct vm_memory *memory, uint64_t address, size_t bytes);

/* Copy bytes from and to memory. False: not all of them are mapped; then nothing is written. */
bool vm_memory_read(const struct vm_memory *memory, uint64_t address, void *data, size_t bytes);
bool vm_memory_write(const struct vm_memory *memory, uint64_t address, const void *data,
                     size_t bytes);

#endif
