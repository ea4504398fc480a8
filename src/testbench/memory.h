/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_MEMORY_H
#define TALLY_TESTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory behind a model: sparse, by pages of 4096 bytes. What was never written reads 0. A page
 * can be made to fault.
 */
#define MEMORY_PAGE 4096u

struct memory_page {
    uint64_t number; /* address / MEMORY_PAGE, plus 1; 0: empty slot */
    uint8_t *bytes;  /* NULL: nothing written */
    bool faults;
};

struct memory {
    struct memory_page *slots; /* a hash table */
    size_t capacity;           /* a power of two, or 0 */
    size_t count;
    bool exhausted; /* a page could not be had; what was written to it is lost */
};

void memory_fini(struct memory *memory);

/* Sets or clears the fault of the page that contains an address. 0, or -ENOMEM. */
int memory_set_fault(struct memory *memory, uint64_t address, bool faults);

/* Does any byte fault? */
bool memory_faults(const struct memory *memory, uint64_t address, size_t bytes);

/* What goes on beyond the last address goes on at 0. */
void memory_write(struct memory *memory, uint64_t address, const uint8_t *data, size_t bytes);
void memory_read(const struct memory *memory, uint64_t address, uint8_t *data, size_t bytes);

#endif
