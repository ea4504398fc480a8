/* SPDX-License-Identifier: MIT */
#ifndef TALLY_INTEL_GPU_LOOP_H
#define TALLY_INTEL_GPU_LOOP_H

/*
 * Loops of commands that repeat without an effect, and runs of MI_NOOPs: an engine passes them in
 * one step (loop.c). It is then ahead of the others, until the end of the step or until something
 * happens that it may notice. loop_reads.c has the memory that a loop reads.
 */

#include <stdbool.h>
#include <stdint.h>

#include <tally/gpu.h>

#include "intel/cs/streamer.h"

#define LOOP_RANGES 16
#define LOOP_WORDS  1280 /* IGT's loop of 960 MI_NOOPs fits */

/* What a loop has read, in order. */
struct loop_reads {
    struct loop_range {
        uint64_t address;
        uint32_t space, words;
    } ranges[LOOP_RANGES];
    uint32_t words[LOOP_WORDS]; /* of all ranges */
    uint16_t range_count, word_count;
    bool overflows; /* it has read more */
};

/* What a turn counts. */
struct loop_counts {
    uint64_t executed, skipped, worked, noops, illegal, illegal_writes;
    uint64_t accesses[2][TALLY_GPU_OUTCOMES];
};

struct gpu_loop {
    /* ---- the search */
    bool marked;              /* nothing since then keeps a loop from being skipped */
    uint32_t steps, patience; /* since then, and after which another state is kept */
    uint32_t rest, next_rest; /* steps until the next search, and after that one */
    uint64_t at;              /* clock */
    uint64_t address;         /* of the latest command */
    struct streamer streamer; /* the state then */

    /* ---- what was found */
    uint64_t turn; /* clocks; 0: not known */
    struct loop_counts counts;
    struct loop_reads reads;
    uint64_t checked; /* gpu_loops.changes at which the reads were the same */

    /* ---- while the engine is ahead */
    uint64_t turns;        /* 0: in MI_NOOPs */
    uint32_t clocks, each; /* all of them, and of an MI_NOOP */
};

struct gpu_loops {
    bool off;         /* for tests: each command is executed, and the OA unit never lags */
    uint32_t ahead;   /* mask of the engines that are */
    uint64_t changes; /* times that memory may have changed */
    struct gpu_loop of[CS_ENGINES];
};

/* ---- loop_reads.c ---------------------------------------------------------------------------- */

struct tally_gpu;

/* Adds a read of consecutive dwords; words NULL: they are all 0. */
void loop_reads_add(struct loop_reads *reads, uint32_t space, uint64_t address,
                    const uint32_t *words, uint32_t count);

/* Whether memory is as it was read. */
bool loop_reads_match(const struct tally_gpu *gpu, const struct loop_reads *reads);

/* Returns how many of the next `max` dwords are 0, at least. */
uint32_t loop_count_zeros(const struct tally_gpu *gpu, const struct streamer_place *place,
                          uint32_t max);

/* ---- loop.c ---------------------------------------------------------------------------------- */

struct gpu_engine;

/* Call at the start of a run: the user may have written memory. */
void gpu_loop_start(struct tally_gpu *gpu);

/* Call before a command of an engine is executed. Returns true if loops pass in its place, during
 * up to `clocks`, in which nothing else but engines act: `wait` of the engine is set. */
bool gpu_loop_skip(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks);

/* Whether the latest command of an engine was an MI_NOOP. Then gpu_loop_noops() executes those that
 * follow, for up to `clocks` with the latest one, in which nothing else but engines act. */
static inline bool gpu_loop_in_noops(const struct gpu_loops *loops, const struct streamer *streamer)
{
    return streamer->at_noop && !loops->off;
}

void gpu_loop_noops(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks);

/* Takes engines that are ahead back to the present. */
void gpu_loop_settle(struct tally_gpu *gpu);

/* Memory is about to change, or something else that engines may notice. The command that does so
 * cannot be part of a loop. */
void gpu_loop_break(struct tally_gpu *gpu);

/* An engine was stopped, or what it executes next has changed: the time until it is back is not
 * that of a turn. */
void gpu_loop_leave(struct tally_gpu *gpu, const struct gpu_engine *engine);

/* The present command depends on more than its engine's state and on memory. */
void gpu_loop_drop(struct tally_gpu *gpu);

/* The present command reads memory. */
void gpu_loop_note_read(struct tally_gpu *gpu, uint32_t space, uint64_t address,
                        const uint32_t *words, uint32_t count);

/* The present command accesses a register of its engine. */
void gpu_loop_note_access(struct tally_gpu *gpu, bool write, enum tally_gpu_access_outcome outcome);

#endif
