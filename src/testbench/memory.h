/* SPDX-License-Identifier: MIT */
#ifndef TALLY_TESTBENCH_MEMORY_H
#define TALLY_TESTBENCH_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The memory behind a model: sparse, in pages of 4096 bytes. Unwritten bytes read as 0. A page can
 * be made to fault.
 */
#define MEMORY_PAGE 4096u

struct memory_page {
    uint64_t number; /* address / MEMORY_PAGE, plus 1; 0: empty slot */
    uint8_t *bytes;  /* NULL: no byte was written */
    bool faults;
};

struct memory {
    struct memory_page *slots; /* a hash table */
    size_t capacity;           /* a power of two, or 0 */
    size_t count;
    bool exhausted; /* a page could not be allocated; writes to it were lost */
};

void memory_fini(struct memory *memory);

/* Sets whether accesses to the page that contains an address fault. Returns 0 or -ENOMEM. */
int memory_set_fault(struct memory *memory, uint64_t address, bool faults);

/* Whether an access to any of the bytes faults. */
bool memory_faults(const struct memory *memory, uint64_t address, size_t bytes);

/* Write and read bytes. Addresses wrap around to 0 after the last one. */
void memory_write(struct memory *memory, uint64_t address, const uint8_t *data, size_t bytes);
void memory_read(const struct memory *memory, uint64_t address, uint8_t *data, size_t bytes);

#endif
