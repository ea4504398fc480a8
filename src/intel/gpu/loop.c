/* SPDX-License-Identifier: MIT */
/*
 * Skips loops that nothing can leave: a batch that jumps to itself, a semaphore that is polled.
 *
 * A command's effect follows from its streamer's state and from what it reads. If the whole state
 * is that of an earlier step, and between the two the engine only read memory and accessed the
 * streamer's own registers, then the same commands follow for as long as that memory stays. So
 * whole turns are passed at once, with the counts of what they would have done. What depends on
 * time ends the search: the timestamp, other units' registers, work in progress.
 *
 * The earlier step is found as Brent does: the present state is compared with one that is kept, and
 * replaced after 1, 2, 4, ... steps. Only steps that do not lead forward count, of which each loop
 * has one. If something keeps interrupting the search, it rests for 1, 3, 7, ... such steps.
 *
 * The reads of a turn are kept. When memory may have changed, because the user had control or an
 * engine or the OA unit wrote something, they are repeated: while they are the same, so is the
 * loop.
 *
 * An engine that passes turns, or MI_NOOPs, is ahead of the others. It is so for no longer than to
 * the next event of another part of the GPU. If an engine does something before that others may
 * notice, those that are ahead go back first, to where they are without skipping: the whole turns
 * that have passed still count, and the commands of the last one are executed.
 */
#include <string.h>

#include "base/minmax.h"
#include "intel/gpu/gpu.h"

#define MAX_REST  63u
#define MAX_NOOPS 4096u

/* The streamer's state ends where its counts begin. */
#define STATE_BYTES offsetof(struct streamer, executed)

static unsigned id_of(const struct gpu_engine *engine)
{
    return engine->streamer.engine->id;
}

/* Returns the loop of the engine that executes a command; NULL: none does. */
static struct gpu_loop *present_loop(struct tally_gpu *gpu)
{
    return gpu->stepping < CS_ENGINES ? &gpu->loops.of[gpu->stepping] : NULL;
}

/* ---- notes of the present command ------------------------------------------------------------ */

static bool is_noting(const struct gpu_loop *loop)
{
    return loop && loop->marked && !loop->turn;
}

void gpu_loop_note_read(struct tally_gpu *gpu, uint32_t space, uint64_t address,
                        const uint32_t *words, uint32_t count)
{
    struct gpu_loop *loop = present_loop(gpu);
    if (is_noting(loop))
        loop_reads_add(&loop->reads, space, address, words, count);
}

void gpu_loop_note_access(struct tally_gpu *gpu, bool write, enum tally_gpu_access_outcome outcome)
{
    struct gpu_loop *loop = present_loop(gpu);
    if (is_noting(loop))
        loop->counts.accesses[write][outcome]++;
}

void gpu_loop_drop(struct tally_gpu *gpu)
{
    struct gpu_loop *loop = present_loop(gpu);
    if (loop)
        loop->marked = false;
}

void gpu_loop_leave(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    gpu->loops.of[id_of(engine)].marked = false;
}

void gpu_loop_break(struct tally_gpu *gpu)
{
    gpu_loop_settle(gpu);
    gpu_loop_drop(gpu);
    gpu->loops.changes++;
}

void gpu_loop_start(struct tally_gpu *gpu)
{
    gpu->stepping = CS_ENGINES;
    gpu->loops.ahead = 0; /* nothing is, at the end of a run */
    gpu->loops.changes++;
    for (unsigned id = 0; id < CS_ENGINES; id++)
        gpu->loops.of[id].rest = gpu->loops.of[id].next_rest = 0;
}

/* ---- the search ------------------------------------------------------------------------------ */

static void mark(struct tally_gpu *gpu, const struct gpu_engine *engine, uint32_t patience)
{
    struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    memcpy(&loop->streamer, &engine->streamer, sizeof loop->streamer);
    loop->at = gpu_now(gpu);
    loop->marked = true;
    loop->steps = 0;
    loop->patience = patience;
    loop->turn = 0;
    loop->counts = (struct loop_counts){0};
    loop->reads.range_count = loop->reads.word_count = 0;
    loop->reads.overflows = false;
    loop->checked = gpu->loops.changes;
}

static uint64_t next_address(const struct streamer *streamer)
{
    return streamer->level == STREAMER_RING ? streamer->ring_head
                                            : streamer_batch(streamer, streamer->level).address;
}

/* Compares where the streamer stands first, which usually differs. */
static bool is_back(const struct gpu_loop *loop, const struct streamer *now)
{
    const struct streamer *then = &loop->streamer;
    return next_address(now) == next_address(then) && !memcmp(now, then, STATE_BYTES);
}

/* Returns whether the streamer has not moved forward since the last call. */
static bool has_turned(struct gpu_loop *loop, const struct streamer *streamer)
{
    uint64_t before = loop->address;
    loop->address = next_address(streamer);
    return loop->address <= before;
}

/* Begins a search, unless it rests. */
static void search(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    if (loop->rest) {
        loop->rest--;
        return;
    }
    loop->rest = loop->next_rest;
    loop->next_rest = loop->next_rest < MAX_REST ? 2 * loop->next_rest + 1 : MAX_REST;
    mark(gpu, engine, 1);
}

/* Whether memory is as the loop has read it. */
static bool is_same(const struct tally_gpu *gpu, struct gpu_loop *loop)
{
    if (loop->checked != gpu->loops.changes && !loop_reads_match(gpu, &loop->reads))
        return false;
    loop->checked = gpu->loops.changes;
    return true;
}

/* The first turn is complete: keeps what it has counted. */
static void keep_turn(const struct tally_gpu *gpu, struct gpu_loop *loop,
                      const struct streamer *now)
{
    const struct streamer *then = &loop->streamer;
    struct loop_counts *counts = &loop->counts;
    loop->turn = gpu_now(gpu) - loop->at;
    counts->executed = now->executed - then->executed;
    counts->skipped = now->skipped - then->skipped;
    counts->worked = now->worked - then->worked;
    counts->noops = now->noops - then->noops;
    counts->illegal = now->illegal - then->illegal;
    counts->illegal_writes = now->illegal_writes - then->illegal_writes;
}

/* Returns whether the engine is at the beginning of a loop that is known. */
static bool find(struct tally_gpu *gpu, const struct gpu_engine *engine)
{
    struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    if (!loop->marked) {
        search(gpu, engine);
        return false;
    }
    if (!is_back(loop, &engine->streamer)) {
        if (++loop->steps == loop->patience)
            mark(gpu, engine,
                 loop->patience < UINT32_MAX / 2 ? 2 * loop->patience : loop->patience);
        return false;
    }
    loop->steps = 0;
    if (!is_same(gpu, loop)) {
        loop->marked = false;
        search(gpu, engine);
        return false;
    }
    if (!loop->turn)
        keep_turn(gpu, loop, &engine->streamer);
    return loop->turn != 0;
}

/* ---- ahead ----------------------------------------------------------------------------------- */

/* Counts what turns count. To take them back, `turns` is negative, modulo 2^64. */
static void count_turns(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t turns)
{
    const struct loop_counts *counts = &gpu->loops.of[id_of(engine)].counts;
    struct streamer *streamer = &engine->streamer;
    streamer->executed += counts->executed * turns;
    streamer->skipped += counts->skipped * turns;
    streamer->worked += counts->worked * turns;
    streamer->noops += counts->noops * turns;
    streamer->illegal += counts->illegal * turns;
    streamer->illegal_writes += counts->illegal_writes * turns;
    for (unsigned write = 0; write < 2; write++)
        for (unsigned i = 0; i < TALLY_GPU_OUTCOMES; i++)
            gpu->accesses[write][i] += counts->accesses[write][i] * turns;
}

bool gpu_loop_skip(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks)
{
    struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    gpu->loops.ahead &= ~(1u << id_of(engine)); /* it was, up to now */
    if (gpu->loops.off || (gpu->listener && !gpu->listener_of_unknown) ||
        !has_turned(loop, &engine->streamer) || !find(gpu, engine))
        return false;
    clocks = min_u64(clocks, gpu_quiet_clocks(gpu));
    uint64_t turns = min_u64(clocks, UINT32_MAX) / loop->turn;
    if (!turns)
        return false;
    loop->rest = loop->next_rest = 0;
    loop->turns = turns;
    loop->clocks = engine->wait = (uint32_t)(turns * loop->turn);
    gpu->loops.ahead |= 1u << id_of(engine);
    count_turns(gpu, engine, turns);
    return true;
}

/* Executes the MI_NOOPs behind the latest one, as far as they end within `clocks`. */
static uint32_t execute_noops(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks)
{
    struct streamer *streamer = &engine->streamer;
    struct streamer_place next = streamer_batch(streamer, streamer->level);
    uint64_t max = min_u64(clocks / engine->wait, MAX_NOOPS);
    uint32_t count = max > 1 ? loop_count_zeros(gpu, &next, (uint32_t)max - 1) : 0;
    if (!count)
        return 0;
    gpu->stepping = (uint8_t)id_of(engine);
    gpu_loop_note_read(gpu, next.space, next.address, NULL, count);
    gpu->stepping = CS_ENGINES;
    streamer_add_noops(streamer, count);
    engine->wait += count * engine->wait;
    gpu_note_instruction(gpu, engine);
    return count;
}

void gpu_loop_noops(struct tally_gpu *gpu, struct gpu_engine *engine, uint64_t clocks)
{
    struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    uint32_t each = engine->wait;
    if (!execute_noops(gpu, engine, min_u64(clocks, gpu_quiet_clocks(gpu))))
        return;
    loop->turns = 0;
    loop->each = each;
    loop->clocks = engine->wait;
    gpu->loops.ahead |= 1u << id_of(engine);
}

/* ---- back ------------------------------------------------------------------------------------ */

/* Takes back the MI_NOOPs that have not begun. started: one that begins now has begun. */
static void take_back_noops(struct tally_gpu *gpu, struct gpu_engine *engine, bool started)
{
    const struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    uint32_t passed = loop->clocks - engine->wait;
    uint32_t begun = passed / loop->each + (started || passed % loop->each);
    streamer_add_noops(&engine->streamer, begun - (int64_t)(loop->clocks / loop->each));
    engine->wait = begun * loop->each - passed;
    gpu_note_instruction(gpu, engine);
}

/* Takes back the turns that are not complete, and executes the commands of the last one that have
 * begun. started: one that begins now has begun. The CPU may have changed memory since: if the
 * commands end or fault, the engine stops where they do. */
static void take_back_turns(struct tally_gpu *gpu, struct gpu_engine *engine, bool started)
{
    const struct gpu_loop *loop = &gpu->loops.of[id_of(engine)];
    uint64_t passed = loop->clocks - engine->wait, done = passed / loop->turn;
    uint64_t present = passed % loop->turn, at = 0;
    count_turns(gpu, engine, done - loop->turns);
    engine->wait = 0;
    while (at < present || (at == present && started)) {
        gpu_step_engine(gpu, engine);
        if (!engine->wait)
            return;
        if (gpu_loop_in_noops(&gpu->loops, &engine->streamer) && at < present)
            execute_noops(gpu, engine, present - at);
        at += engine->wait;
    }
    engine->wait = (uint32_t)(at - present);
}

void gpu_loop_settle(struct tally_gpu *gpu)
{
    uint8_t stepping = gpu->stepping;
    uint32_t ahead = gpu->loops.ahead;
    gpu->loops.ahead = 0;
    FOR_EACH_ENGINE (id, ahead) {
        struct gpu_engine *engine = &gpu->engines[id];
        bool started = id < stepping; /* engines are executed in this order */
        if (!engine->wait)
            continue;
        if (gpu->loops.of[id].turns)
            take_back_turns(gpu, engine, started);
        else
            take_back_noops(gpu, engine, started);
    }
    gpu->stepping = stepping;
}
