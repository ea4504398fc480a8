/* SPDX-License-Identifier: MIT */
#ifndef TALLY_VM_UNKNOWN_H
#define TALLY_VM_UNKNOWN_H

/* The list of registers that software accessed and the model does not have. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vm_unknown_register {
    uint32_t address;
    bool read, written;
};

struct vm_unknown {
    struct vm_unknown_register *registers; /* ascending */
    size_t count, capacity;
    uint64_t lost; /* accesses that are not in the list, because memory was short */
};

/* Adds an access. */
void vm_unknown_add(struct vm_unknown *unknown, uint32_t address, bool write);

/* Returns the number of registers that were read. */
size_t vm_unknown_read(const struct vm_unknown *unknown);

/* Writes a line for each register, "0x002054 rw": which accesses there were, not how many, so that
 * the same software gives the same lines. */
void vm_unknown_write(const struct vm_unknown *unknown, FILE *file);

void vm_unknown_free(struct vm_unknown *unknown);

#endif
