/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_DRIVEN_H
#define TALLY_EMULATION_NVIDIA_DRIVEN_H

/*
 * A modelled NVIDIA GPU, and what changes its signals as time passes: a workload, or a caller's
 * actions. Devices, virtual machines and `tally mmio` have one.
 *
 *     driven_gpu_init(&driven, chipset, &error);
 *     driven_gpu_load(&driven, "triangle", note, closure, &error);
 *     driven_gpu_run(&driven, 5000000);
 *     driven_gpu_fini(&driven);
 *
 * Thread rule: one thread at a time.
 */

#include <stdio.h>

#include "driver/io.h"
#include "emulation/nvidia/program.h"

struct driven_gpu {
    struct nvidia_gpu *gpu;
    struct tally_workload *workload; /* or NULL */
    struct nvidia_program *program;  /* or NULL */
    struct nvidia_player player;

    /* Actions at times of the GPU's clock: next_ns() returns when the next one is due (UINT64_MAX:
     * never), act() performs the due ones. NULL: none. */
    uint64_t (*next_ns)(void *closure);
    void (*act)(void *closure);
    void *act_closure;

    FILE *trace; /* set by driven_gpu_trace() */
};

/* Makes the GPU of a chipset, all of whose signals are 0. Returns 0, or an error of
 * nvidia_gpu_new(). To be freed, even after an error. */
int driven_gpu_init(struct driven_gpu *driven, const struct tally_chipset *chipset,
                    struct tally_error *error);
void driven_gpu_fini(struct driven_gpu *driven);

/* Loads a workload, a name or file, and gives the GPU the clocks of a board, before time advances.
 * `note` is called for each unit that drives no signal; may be NULL. Returns 0; errors of
 * tally_workload_load(); -ENOMEM. */
int driven_gpu_load(struct driven_gpu *driven, const char *workload, tally_workload_found *note,
                    void *closure, struct tally_error *error);

/* Lets time pass. */
void driven_gpu_run(struct driven_gpu *driven, uint64_t ns);

/* The same up to the next change at most, which is made. */
void driven_gpu_step(struct driven_gpu *driven, uint64_t ns);

/* Writes a line for each register access to a file. */
void driven_gpu_trace(struct driven_gpu *driven, FILE *trace);

/* Members of struct driver_io, whose closure is a struct driven_gpu. */
uint32_t driven_gpu_read32(void *driven, uint32_t address);
void driven_gpu_write32(void *driven, uint32_t address, uint32_t value);
uint64_t driven_gpu_now_ns(void *driven);

#endif
