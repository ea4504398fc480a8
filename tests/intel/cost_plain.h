/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_COST_PLAIN_H
#define TESTS_INTEL_COST_PLAIN_H

/*
 * The cost of draws, computed plainly from docs/cost-model.md: areas by looking at each pixel, one
 * unit after the other, amounts in 64 bits without saturation.
 */

#include "intel/cost/cost.h"
#include "intel/cost/table.h"

#define PLAIN_WORDS     1024
#define PLAIN_BASE      0x10000u /* address of the memory, and of the dynamic state */
#define PLAIN_VERTICES  4        /* vertices, instances: registers of indirect draws */
#define PLAIN_INSTANCES 5

struct plain_draw {
    enum intel_revision revision;
    const uint32_t *numbers;
    unsigned eus, eu_threads;
    const struct cost_state *state;
    uint32_t topology, vertices, first, instances;
    bool indexed, indirect;
    uint32_t so_offsets[COST_SO_BUFFERS]; /* SO_WRITE_OFFSET */
    uint32_t memory[PLAIN_WORDS];
};

/* What the draw does, as cost_compute() returns it. */
void plain_cost(const struct plain_draw *draw, struct cost_work *out);

/* The same for threads that only compute. */
void plain_threads(const struct plain_draw *draw, uint64_t threads, struct cost_work *out);

/* Reads a word; false if the address is outside of the memory. */
bool plain_word(const struct plain_draw *draw, uint64_t address, uint32_t *out);

#endif
