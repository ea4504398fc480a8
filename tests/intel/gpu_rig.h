/* SPDX-License-Identifier: MIT */
#ifndef TESTS_INTEL_GPU_RIG_H
#define TESTS_INTEL_GPU_RIG_H

/* A modelled GPU with memory and interrupt listeners, for tests. */

#include "intel/tests.h"

#include <tally/gpu.h>

#include "intel/platforms.h"

#define RIG_SPACES 4
#define RIG_BYTES  0x40000u /* mapped in each space, from address 0 on */

struct gpu_rig {
    struct tally_gpu *gpu;
    enum intel_revision model;
    struct {
        uint32_t space;
        uint8_t bytes[RIG_BYTES];
    } spaces[RIG_SPACES]; /* 0: the GGTT */
    unsigned space_count;
    unsigned rises, falls;    /* transitions of the interrupt line */
    unsigned vectors[2];      /* interrupts on the scheduler's vectors */
    unsigned messages[8];     /* interrupt messages of each function */
    uint64_t message_address; /* of the latest one */
    uint32_t message_data;
    unsigned firmware_calls[2]; /* by SMI and SCI */
    uint8_t page_table[4096];   /* the first bytes of it, mapped; nothing else is */
    unsigned completions;
    uint32_t id, head;         /* of the latest completion */
    uint64_t work_clocks;      /* duration of work */
    uint32_t data_space;       /* of the latest work */
    unsigned works[5], states; /* counts by kind */
    uint64_t reads;            /* memory reads of the GPU */

    /* Called before each of them, if it is not NULL. */
    void (*before_read)(struct gpu_rig *rig, uint64_t address);
};

/* Creates a GPU of the configuration; `line` is the caller's. Fails the test on an error. */
struct gpu_rig *gpu_rig_new(unsigned line, const struct tally_gpu_config *config);

/* Creates a GPU of a platform, with every domain awake. */
struct gpu_rig *gpu_rig_awake(unsigned line, const char *platform);

/* Creates an awake rig of the GPU with this revision in a list such as "bdw/gt3 skl"; NULL if the
 * list has none. */
struct gpu_rig *gpu_rig_listed(unsigned line, const char *list, enum intel_revision model);
void gpu_rig_free(struct gpu_rig *rig);

/* Maps another address space. */
void gpu_rig_map(struct gpu_rig *rig, uint32_t space);

/* Access mapped memory. */
uint32_t gpu_rig_peek(const struct gpu_rig *rig, uint32_t space, uint32_t address);
void gpu_rig_put(struct gpu_rig *rig, uint32_t space, uint32_t address, const uint32_t *dwords,
                 size_t count);
#define PUT(rig, space, address, ...)                                                              \
    gpu_rig_put(rig, space, address, (const uint32_t[]){__VA_ARGS__},                              \
                COUNT(((const uint32_t[]){__VA_ARGS__})))

/* Enables a number of virtual functions, with their memory space. */
void gpu_rig_functions(struct gpu_rig *rig, unsigned count);

/* Returns a value of the OA unit. */
uint64_t gpu_rig_value(const struct gpu_rig *rig, const char *name);

/* Requests or releases the domains that OA's registers need, as a driver does. */
void gpu_rig_wake(struct gpu_rig *rig, bool on);

/* Makes everything count: A0 and NOA bits at every clock; the timer requests no reports. */
void gpu_rig_count(struct gpu_rig *rig);

/* Runs until the streamer is idle or stopped. Returns false if neither happens within a million
 * clocks. */
bool gpu_rig_finish(struct gpu_rig *rig);

/* Writes a context's image to the address of its descriptor: LRCA 0x10000 * (1 + n), its ring at
 * 0x8000 + 0x1000 * n with `tail` bytes of commands. OACTXCONTROL is `control`. */
void gpu_rig_context(struct gpu_rig *rig, unsigned n, uint32_t tail, uint32_t control);
#define RIG_LRCA(n)  (0x10000u * (1 + (n)))
#define RIG_SPACE(n) (RIG_LRCA(n) >> 12)
#define RIG_RING(n)  (0x8000u + 0x1000u * (n))

/* Places of the ring's values in an image, from the LRCA. */
#define RIG_HEAD 0x1014
#define RIG_TAIL 0x101c

/* Returns OACTXCONTROL of an image, where the hardware has laid it down. */
uint32_t gpu_rig_saved_control(const struct gpu_rig *rig, unsigned n);

/* The same without OACTXCONTROL, for the engine whose registers are at `base`. */
void gpu_rig_context_of(struct gpu_rig *rig, uint32_t base, unsigned n, uint32_t tail);

/* Puts commands into the ring of such a context, which has not executed any, and writes its image.
 */
void gpu_rig_ring(struct gpu_rig *rig, uint32_t base, unsigned n, const uint32_t *dwords,
                  size_t count);

/* Submits a list by the platform's port: elements 0 and 1, low and high. */
void gpu_rig_write_list(struct gpu_rig *rig, uint32_t base, const uint32_t list[4]);

/* Submits contexts with ids, to an engine or to the render engine; id1 0: only one. */
void gpu_rig_submit_to(struct gpu_rig *rig, uint32_t base, unsigned n0, uint32_t id0, unsigned n1,
                       uint32_t id1);
void gpu_rig_submit(struct gpu_rig *rig, unsigned n0, uint32_t id0, unsigned n1, uint32_t id1);

#endif
