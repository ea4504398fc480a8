/* SPDX-License-Identifier: MIT */
/* Requests that never end, on each engine: the driver resets, counts, and goes on. */
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define HEARTBEAT_MS 100
#define PREEMPT_MS   50

#define UNKNOWN_COMMAND 0x1e800000u /* an MI command that no generation has */

enum hang { SPIN, UNKNOWN, SEMAPHORE };

static const char *const names[] = {
    [SPIN] = "spin", [UNKNOWN] = "unknown", [SEMAPHORE] = "semaphore"};

/* The driver preempts from Gen9 on; then a semaphore stops nobody else. */
static bool has_preemption(const struct gpu *gpu)
{
    return gpu->generation >= 9;
}

static bool has_semaphores(const struct gpu *gpu)
{
    return gpu->generation >= 8;
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void begin(const struct gpu *gpu, struct batch *batch, struct object *target, enum hang hang)
{
    batch_begin(gpu, batch, target);
    batch_store(gpu, batch, 0, 1);
    if (hang == SPIN)
        batch_jump(gpu, batch, batch->count);
    else if (hang == SEMAPHORE)
        batch_wait(gpu, batch, 12, 1);
    else
        batch_add(batch, UNKNOWN_COMMAND);
    batch_store(gpu, batch, 4, 1); /* must not be reached */
    batch_end(batch);
}

/* Stores a value from a context. Returns the fence's status. */
static int store(const struct gpu *gpu, struct object *target, uint32_t context, unsigned engine,
                 uint32_t offset)
{
    struct batch batch;
    batch_begin(gpu, &batch, target);
    batch_store(gpu, &batch, offset, 1);
    batch_end(&batch);
    int fence = batch_submit(gpu, &batch, context, engine, -1);
    int status = fence < 0 ? fence : fence_wait(fence);
    batch_free(gpu, &batch);
    return status;
}

static void hang_engine(unsigned engine, enum hang hang)
{
    struct gpu gpu, other; /* clients that hang too often are banned */
    struct object target, others;
    struct batch batch;
    gpu_open(&gpu);
    gpu_open(&other);
    const struct engine *e = &gpu.engines[engine];
    object_create(&gpu, &target, 4096);
    object_create(&other, &others, 4096);
    uint32_t guilty = context_create(&gpu, true), innocent = context_create(&other, true);
    unsigned engine_resets = reset_count(e), resets = reset_count(NULL);
    begin(&gpu, &batch, &target, hang);
    double start = now_ms();
    int fence = batch_submit(&gpu, &batch, guilty, engine, -1);
    int behind = store(&other, &others, innocent, engine, 0);
    int status = fence < 0 ? fence : fence_wait(fence);
    double elapsed = now_ms() - start;
    check(target.map[0] == 1, "%s %s: the batch has not begun", e->name, names[hang]);
    check(target.map[1] == 0, "%s %s: the batch went on", e->name, names[hang]);
    check(status == -EIO, "%s %s: status %d, expected %d", e->name, names[hang], status, -EIO);
    check(behind == 1 && others.map[0] == 1, "%s %s: the request behind it: status %d, stored %u",
          e->name, names[hang], behind, others.map[0]);
    struct drm_i915_reset_stats stats = context_stats(&gpu, guilty);
    check(stats.batch_active == 1, "%s %s: %u batches of the context hung, expected 1", e->name,
          names[hang], stats.batch_active);
    stats = context_stats(&other, innocent);
    check(!stats.batch_active, "%s %s: %u batches of another context hung", e->name, names[hang],
          stats.batch_active);
    int next = store(&gpu, &target, guilty, engine, 8);
    check(next == 1 && target.map[2] == 1, "%s %s: the next request: status %d, stored %u", e->name,
          names[hang], next, target.map[2]);
    printf("hang %s %s %u %u %.0f\n", e->name, names[hang], reset_count(e) - engine_resets,
           reset_count(NULL) - resets, elapsed);
    fflush(stdout);
    gpu_close(&gpu);
    gpu_close(&other);
}

/* A semaphore can be preempted: contexts behind it run, and the driver ends it with its context. */
static void wait_on_engine(unsigned engine)
{
    struct gpu gpu, other;
    struct object target, others;
    struct batch batch, last;
    gpu_open(&gpu);
    gpu_open(&other);
    const struct engine *e = &gpu.engines[engine];
    object_create(&gpu, &target, 4096);
    object_create(&other, &others, 4096);
    uint32_t waiting = context_create(&gpu, false), innocent = context_create(&other, true);
    unsigned engine_resets = reset_count(e), resets = reset_count(NULL);
    for (unsigned turn = 0; turn < 2; turn++) {
        struct batch *b = turn ? &last : &batch;
        target.map[0] = 0;
        batch_begin(&gpu, b, &target);
        batch_wait(&gpu, b, 0, 1);
        batch_store(&gpu, b, 4, 1 + turn);
        batch_end(b);
        int fence = batch_submit(&gpu, b, waiting, engine, -1);
        int behind = store(&other, &others, innocent, engine, 4 * turn);
        check(behind == 1 && others.map[turn] == 1,
              "%s semaphore: the request behind it: status %d, stored %u", e->name, behind,
              others.map[turn]);
        check(target.map[1] == turn, "%s semaphore: it has not waited", e->name);
        if (turn)
            context_destroy(&gpu, waiting);
        else
            target.map[0] = 1;
        int status = fence < 0 ? fence : fence_wait(fence), expected = turn ? -EIO : 1;
        check(status == expected, "%s semaphore %u: status %d, expected %d", e->name, turn, status,
              expected);
        check(target.map[1] == 1, "%s semaphore %u: stored %u", e->name, turn, target.map[1]);
    }
    printf("wait %s %u %u\n", e->name, reset_count(e) - engine_resets, reset_count(NULL) - resets);
    fflush(stdout);
    gpu_close(&gpu);
    gpu_close(&other);
}

/* What lets the driver notice hangs sooner, and what was set before. */
static struct {
    const char *name;
    unsigned ms, before[ENGINES];
} settings[] = {{"heartbeat_interval_ms", HEARTBEAT_MS, {0}},
                {"preempt_timeout_ms", PREEMPT_MS, {0}}};

static void hurry(const struct gpu *gpu)
{
    for (unsigned s = 0; s < 1u + has_preemption(gpu); s++)
        for (unsigned i = 0; i < gpu->engine_count; i++) {
            settings[s].before[i] = engine_setting(&gpu->engines[i], settings[s].name);
            engine_set(&gpu->engines[i], settings[s].name, settings[s].ms);
        }
}

static void take_time(const struct gpu *gpu)
{
    for (unsigned s = 0; s < 1u + has_preemption(gpu); s++)
        for (unsigned i = 0; i < gpu->engine_count; i++)
            engine_set(&gpu->engines[i], settings[s].name, settings[s].before[i]);
}

void test_hang(struct gpu *gpu)
{
    hurry(gpu);
    hang_engine(0, SPIN);
    take_time(gpu);
}

void test_hangs(struct gpu *gpu)
{
    hurry(gpu);
    for (unsigned i = 0; i < gpu->engine_count; i++) {
        hang_engine(i, SPIN);
        hang_engine(i, UNKNOWN);
        if (has_preemption(gpu))
            wait_on_engine(i);
        else if (has_semaphores(gpu))
            hang_engine(i, SEMAPHORE);
    }
    take_time(gpu);
}
