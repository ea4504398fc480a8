/* SPDX-License-Identifier: MIT */
#ifndef TALLY_EMULATION_NVIDIA_PROGRAM_H
#define TALLY_EMULATION_NVIDIA_PROGRAM_H

/*
 * A workload (docs/workloads.md) on an NVIDIA GPU: the waves of the signals that its units drive,
 * in each phase, and what plays them.
 *
 *     nvidia_program_new(workload, gpu, note, closure, &program, &error);
 *     nvidia_player_start(&player, program, gpu);
 *     while (...) {
 *         nvidia_gpu_run(gpu, min(ns, player.next_ns - gpu->ns));
 *         nvidia_player_act(&player);
 *     }
 *
 * A program has one player, which it must outlive, as well as the GPU's runs. Thread rule: as for
 * the GPU.
 */

#include <tally/workload.h>

#include "emulation/nvidia/drives.h"
#include "intel/workload/workload.h"
#include "nvidia/gpu/gpu.h"

/* A signal of the GPU that a row drives. */
struct nvidia_drive {
    const struct drive_row *row;
    uint8_t domain; /* number in PCOUNTER */
    uint8_t signal;
    uint8_t group;      /* of MPC */
    uint8_t conditions; /* number of them */
    struct {
        uint8_t selector, unit; /* indices in nvidia_gpu.selected */
        uint32_t value, mask;
    } condition[2];
};

struct nvidia_phase {
    uint64_t duration_ns;
    const struct tally_wave *waves; /* one for each drive; seeds of repetition 0 */
};

struct nvidia_program {
    const struct tally_workload *workload;
    struct nvidia_drive *drives; /* those of the same signal are adjacent */
    size_t drive_count;
    struct nvidia_phase *phases;
    size_t phase_count;
    uint64_t duration_ns; /* of one repetition */
    void *memory;         /* of waves */

    /* Of the player: the drives that reach their signals, and change them at phases. */
    size_t *playing, playing_count;
};

/*
 * Binds a workload, which must outlive the program, to a GPU. `note` (may be NULL) is called for
 * each unit that drives no signal of the chipset; such units are left out. Returns 0; -ENOMEM and
 * an error. The caller frees *out.
 */
int nvidia_program_new(const struct tally_workload *workload, const struct nvidia_gpu *gpu,
                       tally_workload_found *note, void *closure, struct nvidia_program **out,
                       struct tally_error *error);
void nvidia_program_free(struct nvidia_program *program);

/* Position of a run. */
struct nvidia_player {
    struct nvidia_program *program;
    struct nvidia_gpu *gpu;
    size_t phase;
    uint64_t repetition;
    uint64_t next_ns;                               /* of the GPU: end of the phase */
    uint64_t origins[TALLY_PCOUNTER_DOMAINS_TOTAL]; /* clock of each domain at which it began */
};

/* Starts with the first phase, now. From then on, the player drives the signals of its program,
 * also after writes to selectors. */
void nvidia_player_start(struct nvidia_player *player, struct nvidia_program *program,
                         struct nvidia_gpu *gpu);

/* Changes to the next phase if its time has come. */
void nvidia_player_act(struct nvidia_player *player);

#endif
