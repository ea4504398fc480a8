/* SPDX-License-Identifier: MIT */
/* Requests on each engine, from several contexts, at once and in an order given by fences. */
#include "client.h"

#include <stdio.h>

#define CONTEXTS 3
#define REQUESTS 4 /* of a context on an engine */
#define LAST     0 /* byte that every request of a chain stores to */

static uint32_t slot_of(unsigned engine, unsigned context, unsigned request)
{
    return 64 + 4 * ((engine * CONTEXTS + context) * REQUESTS + request);
}

static bool is_busy(const struct gpu *gpu, const struct object *object)
{
    struct drm_i915_gem_busy args = {.handle = object->handle};
    return gpu_call(gpu, DRM_IOCTL_I915_GEM_BUSY, &args) < 0 || args.busy;
}

/* Submits one request of each context on each engine, in turns. With a chain, each waits for the
 * fence of the one before. */
static void run(const struct gpu *gpu, const uint32_t *contexts, struct object *target, bool chain)
{
    static struct batch batches[ENGINES * CONTEXTS * REQUESTS];
    static int fences[ENGINES * CONTEXTS * REQUESTS];
    const char *how = chain ? "in a chain" : "at once";
    unsigned count = 0, done = 0, stored = 0;
    for (unsigned r = 0; r < REQUESTS; r++)
        for (unsigned c = 0; c < CONTEXTS; c++)
            for (unsigned e = 0; e < gpu->engine_count; e++, count++) {
                struct batch *batch = &batches[count];
                batch_begin(gpu, batch, target);
                batch_store(gpu, batch, slot_of(e, c, r), count + 1 + 1000 * chain);
                batch_store(gpu, batch, LAST, count + 1);
                batch_end(batch);
                fences[count] = batch_submit(gpu, batch, contexts[c], e,
                                             chain && count ? fences[count - 1] : -1);
                check(fences[count] >= 0, "%s %s: submission: %d", gpu->engines[e].name, how,
                      fences[count]);
            }
    for (unsigned i = 0; i < count; i++)
        done += fences[i] >= 0 && fence_wait(fences[i]) == 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned e = i % gpu->engine_count, c = i / gpu->engine_count % CONTEXTS;
        unsigned r = i / gpu->engine_count / CONTEXTS;
        stored += target->map[slot_of(e, c, r) / 4] == i + 1 + 1000 * chain;
        check(!is_busy(gpu, &batches[i].object), "%s %s: the batch is busy", gpu->engines[e].name,
              how);
        batch_free(gpu, &batches[i]);
    }
    check(done == count && stored == count, "%s: %u done, %u stored, expected %u", how, done,
          stored, count);
    check(!chain || target->map[LAST] == count, "the last of a chain is %u, expected %u",
          target->map[LAST], count);
    printf("requests %s %u\n", how, count);
}

void test_requests(struct gpu *gpu)
{
    struct object target;
    uint32_t contexts[CONTEXTS];
    unsigned resets = reset_count(NULL);
    object_create(gpu, &target, 4096);
    for (unsigned i = 0; i < CONTEXTS; i++)
        contexts[i] = context_create(gpu, true);
    run(gpu, contexts, &target, false);
    run(gpu, contexts, &target, true);
    for (unsigned i = 0; i < CONTEXTS; i++) {
        struct drm_i915_reset_stats stats = context_stats(gpu, contexts[i]);
        check(!stats.batch_active && !stats.batch_pending, "context %u was in a reset", i);
        context_destroy(gpu, contexts[i]);
    }
    check(reset_count(NULL) == resets, "the GPU was reset");
    object_free(gpu, &target);
}
