/* SPDX-License-Identifier: MIT */
/*
 * Skips loops that nothing can leave: a batch that jumps to itself, a semaphore that is polled.
 *
 * A command's effect follows from the streamer's state and from what it reads. If the whole state
 * is that of an earlier step, and between the two nothing was written or read but memory and the
 * streamer's own registers, then the same commands follow for as long as that memory stays. It
 * stays until the caller's next call, or until the OA unit writes a report. So whole turns up to
 * then are passed at once, with the counts of what they would have done. What depends on time ends
 * the search: the timestamp, other units' registers, work in progress.
 *
 * The earlier step is found as Brent does: the present state is compared with one that is kept, and
 * replaced after 1, 2, 4, ... steps. Only steps that do not lead forward count, of which each loop
 * has one. If something keeps interrupting the search, it rests for 1, 3, 7, ... such steps.
 */
#include <string.h>

#include "base/minmax.h"
#include "intel/gpu/gpu.h"

#define MAX_REST 63u

/* The streamer's state ends where its counts begin. */
#define STATE_BYTES offsetof(struct streamer, executed)

static void mark(struct tally_gpu *gpu, const struct gpu_engine *engine, uint32_t patience)
{
    struct gpu_loop *loop = &gpu->loop;
    memcpy(&loop->streamer, &engine->streamer, sizeof loop->streamer);
    memcpy(loop->accesses, gpu->accesses, sizeof loop->accesses);
    loop->at = gpu_now(gpu);
    loop->engine = engine->streamer.engine->id;
    loop->marked = true;
    loop->steps = 0;
    loop->patience = patience;
}

static uint64_t next_address(const struct streamer *streamer)
{
    return streamer->level == STREAMER_RING ? streamer->ring_head
                                            : streamer_batch(streamer, streamer->level).address;
}

/* Compares where the streamer stands first, which usually differs. */
static bool is_back(const struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    const struct streamer *now = &engine->streamer, *then = &gpu->loop.streamer;
    return next_address(now) == next_address(then) && !memcmp(now, then, STATE_BYTES);
}

static void repeat(uint64_t *count, uint64_t before, uint64_t turns)
{
    *count += (*count - before) * turns;
}

/* Counts what the turns would have counted. */
static void count_turns(struct tally_gpu *gpu, uint64_t turns)
{
    const struct gpu_loop *loop = &gpu->loop;
    struct streamer *now = &gpu->engines[loop->engine].streamer;
    repeat(&now->executed, loop->streamer.executed, turns);
    repeat(&now->skipped, loop->streamer.skipped, turns);
    repeat(&now->worked, loop->streamer.worked, turns);
    repeat(&now->noops, loop->streamer.noops, turns);
    repeat(&now->illegal, loop->streamer.illegal, turns);
    repeat(&now->illegal_writes, loop->streamer.illegal_writes, turns);
    for (unsigned write = 0; write < 2; write++)
        for (unsigned i = 0; i < TALLY_GPU_OUTCOMES; i++)
            repeat(&gpu->accesses[write][i], loop->accesses[write][i], turns);
}

/* Returns whether the streamer has not moved forward since the last call. */
static bool has_turned(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    uint64_t before = gpu->loop.address;
    gpu->loop.address = next_address(&engine->streamer);
    return gpu->loop.address <= before;
}

void gpu_loop_start(struct tally_gpu *gpu)
{
    gpu_loop_break(gpu);
    gpu->loop.address = UINT64_MAX;
    gpu->loop.rest = gpu->loop.next_rest = 0;
}

uint64_t gpu_loop_clocks(struct tally_gpu *gpu, const struct gpu_engine *engine, uint64_t clocks)
{
    struct gpu_loop *loop = &gpu->loop;
    if (loop->engine != engine->streamer.engine->id)
        gpu_loop_break(gpu);
    if (loop->off || (gpu->listener && !gpu->listener_of_unknown) || !has_turned(gpu, engine))
        return 0;
    if (!loop->marked) {
        if (loop->rest) {
            loop->rest--;
            return 0;
        }
        loop->rest = loop->next_rest;
        loop->next_rest = loop->next_rest < MAX_REST ? 2 * loop->next_rest + 1 : MAX_REST;
        mark(gpu, engine, 1);
        return 0;
    }
    if (!is_back(gpu, engine)) {
        if (++loop->steps == loop->patience)
            mark(gpu, engine,
                 loop->patience < UINT32_MAX / 2 ? 2 * loop->patience : loop->patience);
        return 0;
    }
    uint64_t turn = gpu_now(gpu) - loop->at;
    uint64_t turns = turn ? min_u64(clocks, gpu_quiet_clocks(gpu)) / turn : 0;
    if (turns)
        loop->rest = loop->next_rest = 0;
    count_turns(gpu, turns);
    mark(gpu, engine, loop->patience);
    loop->at += turns * turn;
    return turns * turn;
}
