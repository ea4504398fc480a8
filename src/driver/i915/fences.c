/* SPDX-License-Identifier: MIT */
/*
 * Fences. Requests of different contexts of an engine complete in any order, as do software fences
 * of different timelines. A set has one fence of each source; where it needs several, it has the
 * fence of a joint, which is signalled when all its members are.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/minmax.h"
#include "driver/i915/device.h"

#define STEP_NS 20000u

struct i915_joint {
    struct i915_joint *next; /* in the list of its source, the latest one first */
    uint64_t number;         /* counts as that of a request */
    size_t count;
    uint64_t members[]; /* by number */
};

/* ---- one fence ------------------------------------------------------------------------------- */

static const struct i915_joint *find_joint(const struct i915_device *device, uint64_t fence)
{
    const struct i915_joint *joint = device->joints[fence_source(fence)];
    while (joint && joint->number != fence_number(fence))
        joint = joint->next;
    return joint;
}

/* Whether requests that were submitted to the engine `source` can be on another one (balance.c). */
static bool is_sibling(const struct i915_engine *engine, unsigned source)
{
    const struct i915_engine *first = &engine->device->engines[source];
    return engine == first ||
           (first->hardware && engine->hardware->engine_class == first->hardware->engine_class);
}

struct i915_request *i915_fence_request(const struct i915_device *device, uint64_t fence)
{
    unsigned source = fence_source(fence);
    uint64_t number = fence_number(fence);
    if (source == I915_SOFTWARE)
        return NULL;
    FOR_ENGINES(const struct i915_engine, engine, device)
    {
        struct i915_request *r = is_sibling(engine, source) ? engine->first : NULL;
        while (r && r->number < number)
            r = r->next;
        if (r && r->number == number)
            return r;
    }
    return NULL;
}

size_t i915_fence_count(const struct i915_device *device, uint64_t fence)
{
    const struct i915_joint *joint = find_joint(device, fence);
    return joint ? joint->count : fence != 0;
}

static uint64_t fence_at(const struct i915_device *device, uint64_t fence, size_t index)
{
    const struct i915_joint *joint = find_joint(device, fence);
    return joint ? joint->members[index] : fence;
}

struct i915_request *i915_fence_pending(const struct i915_device *device, uint64_t fence,
                                        size_t index)
{
    struct i915_request *r = i915_fence_request(device, fence_at(device, fence, index));
    return r && !i915_request_done(r) ? r : NULL;
}

/* Whether a fence that is not a joint's is signalled. */
static bool is_member_done(const struct i915_device *device, uint64_t fence)
{
    const struct i915_request *request = i915_fence_request(device, fence);
    return request ? i915_request_done(request) : !i915_software_find(device, fence);
}

/* Counts the members of a joint that are signalled. */
static size_t count_done(const struct i915_device *device, const struct i915_joint *joint)
{
    size_t done = 0;
    for (size_t i = 0; i < joint->count; i++)
        done += is_member_done(device, joint->members[i]);
    return done;
}

/* Returns the number of the oldest request or software fence of a source; UINT64_MAX: none. */
static uint64_t oldest(const struct i915_device *device, unsigned source)
{
    if (source == I915_SOFTWARE)
        return device->software ? device->software->number : UINT64_MAX;
    uint64_t number = UINT64_MAX;
    FOR_ENGINES(const struct i915_engine, engine, device)
    if (engine->first && is_sibling(engine, source))
        number = min_u64(number, engine->first->number);
    return number;
}

/* What is not in the list of its source is done. */
bool i915_fence_done(const struct i915_device *device, uint64_t fence)
{
    if (fence_number(fence) < oldest(device, fence_source(fence)))
        return true;
    const struct i915_joint *joint = find_joint(device, fence);
    return joint ? count_done(device, joint) == joint->count : is_member_done(device, fence);
}

bool i915_fence_has(const struct i915_device *device, uint64_t fence, uint64_t one)
{
    for (size_t i = 0; i < i915_fence_count(device, fence); i++)
        if (fence_at(device, fence, i) == one)
            return true;
    return false;
}

/* ---- joints ---------------------------------------------------------------------------------- */

/* Returns the later of two fences if one of them is signalled before the other; 0: neither is. */
static uint64_t later(const struct i915_device *device, uint64_t first, uint64_t second)
{
    const struct i915_request *a = i915_fence_request(device, first),
                              *b = i915_fence_request(device, second);
    if (a && b)
        return a->state == b->state ? max_u64(first, second) : 0;
    return i915_software_later(device, first, second);
}

/* Adds the members of a fence that are not signalled to a list. With `latest` alone, one replaces
 * another that is signalled before. */
static size_t collect(const struct i915_device *device, uint64_t fence, bool latest,
                      uint64_t *members, size_t count)
{
    for (size_t i = 0; i < i915_fence_count(device, fence); i++) {
        uint64_t member = fence_at(device, fence, i), last = 0;
        size_t at = 0;
        if (is_member_done(device, member))
            continue;
        while (at < count && !(latest && (last = later(device, members[at], member))))
            at++;
        members[at] = at < count ? last : member;
        count += at == count;
    }
    return count;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Returns the fence of a joint, a new one or the latest; 0: out of memory. */
static uint64_t join(struct i915_device *device, unsigned source, const uint64_t *members,
                     size_t count)
{
    struct i915_joint *joint = device->joints[source];
    if (!joint || joint->count != count ||
        memcmp(joint->members, members, count * sizeof *members) != 0) {
        joint = malloc(sizeof *joint + count * sizeof *members);
        if (!joint)
            return 0;
        *joint = (struct i915_joint){device->joints[source], ++device->requests, count};
        memcpy(joint->members, members, count * sizeof *members);
        device->joints[source] = joint;
    }
    return fence_of(joint->number, source);
}

/* Without memory, waits for the first fence instead; one of software is lost then. */
static uint64_t join_all(struct i915_device *device, uint64_t first, uint64_t second, bool latest)
{
    size_t count = 0;
    uint64_t fence = 0,
             *members = calloc(i915_fence_count(device, first) + i915_fence_count(device, second),
                               sizeof *members);
    if (members) {
        count = collect(device, first, latest, members, count);
        count = collect(device, second, latest, members, count);
        qsort(members, count, sizeof *members, compare);
        fence = count == 1 ? members[0] : join(device, fence_source(second), members, count);
    }
    free(members);
    if (!fence && fence_source(first) != I915_SOFTWARE)
        i915_engine_finish(device, first);
    return fence ? fence : second;
}

/* Whether fences of a source are signalled in any order. Before Gen8 the requests of an engine are
 * complete in order. */
static bool is_unordered(const struct i915_device *device, unsigned source)
{
    return source == I915_SOFTWARE || has_execlists(device);
}

static void add(struct i915_device *device, uint64_t *to, uint64_t fence, bool latest)
{
    if (*to == fence || !fence)
        return;
    if (!*to || !is_unordered(device, fence_source(fence))) {
        *to = latest || !*to ? max_u64(*to, fence) : min_u64(*to, fence);
        return;
    }
    bool done = i915_fence_done(device, fence);
    if (i915_fence_done(device, *to))
        *to = done ? max_u64(*to, fence) : fence;
    else if (!done)
        *to = join_all(device, *to, fence, latest);
}

void i915_fence_add(struct i915_device *device, uint64_t *to, uint64_t fence)
{
    add(device, to, fence, true);
}

uint64_t i915_engine_all(struct i915_engine *engine)
{
    uint64_t fence = 0;
    for (const struct i915_request *r = engine->first; r; r = r->next)
        i915_fence_add(engine->device, &fence, r->fence);
    return fence;
}

static void drop_joints(struct i915_device *device, unsigned source, bool all)
{
    struct i915_joint **link = &device->joints[source];
    while (*link) {
        struct i915_joint *joint = *link;
        if (all || count_done(device, joint) == joint->count) {
            *link = joint->next;
            free(joint);
        } else {
            link = &joint->next;
        }
    }
}

void i915_joints_retire(struct i915_device *device, unsigned source)
{
    drop_joints(device, source, false);
}

void i915_joints_fini(struct i915_device *device)
{
    for (unsigned source = 0; source < I915_SOURCES; source++)
        drop_joints(device, source, true);
}

/* ---- sets ------------------------------------------------------------------------------------ */

bool i915_fences_done(const struct i915_device *device, const struct i915_fences *fences)
{
    for (unsigned id = 0; id < I915_SOURCES; id++)
        if (!i915_fence_done(device, fences->of[id]))
            return false;
    return true;
}

void i915_fences_add(struct i915_device *device, struct i915_fences *fences, uint64_t fence)
{
    i915_fence_add(device, &fences->of[fence_source(fence)], fence);
}

void i915_fences_merge(struct i915_device *device, struct i915_fences *fences,
                       const struct i915_fences *more)
{
    for (unsigned id = 0; id < I915_SOURCES; id++)
        i915_fence_add(device, &fences->of[id], more->of[id]);
}

size_t i915_fences_at(const struct i915_device *device, const struct i915_fences *fences,
                      size_t index, struct i915_fences *out)
{
    size_t count = 0;
    *out = (struct i915_fences){{0}};
    for (unsigned id = 0; id < I915_SOURCES; id++) {
        size_t here = i915_fence_count(device, fences->of[id]);
        if (index >= count && index < count + here)
            out->of[id] = fence_at(device, fences->of[id], index - count);
        count += here;
    }
    return count;
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void note_failure(struct i915_device *device, uint64_t fence, int error)
{
    device->failed[device->failures++ % ARRAY_COUNT(device->failed)] =
        (struct i915_failure){fence, error};
}

/* The joints of the fence fail with it. */
void i915_fence_fail(struct i915_device *device, uint64_t fence, int error)
{
    unsigned source = fence_source(fence);
    note_failure(device, fence, error);
    for (const struct i915_joint *joint = device->joints[source]; joint; joint = joint->next)
        for (size_t i = 0; i < joint->count; i++)
            if (joint->members[i] == fence)
                note_failure(device, fence_of(joint->number, source), error);
}

int i915_fences_status(const struct i915_device *device, const struct i915_fences *fences)
{
    if (!i915_fences_done(device, fences))
        return 0;
    for (unsigned id = 0; id < I915_SOURCES; id++)
        for (size_t i = 0; fences->of[id] && i < ARRAY_COUNT(device->failed); i++)
            if (device->failed[i].fence == fences->of[id])
                return device->failed[i].error;
    return 1;
}

/* ---- waiting --------------------------------------------------------------------------------- */

struct i915_wait i915_device_wait(const struct i915_device *device)
{
    return device->wait;
}

struct i915_wait i915_wait_for(uint64_t fence)
{
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    wait.fences.of[fence_source(fence)] = fence;
    return wait;
}

struct i915_wait i915_wait_for_all(struct i915_device *device)
{
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    FOR_ENGINES(struct i915_engine, engine, device)
    i915_fences_add(device, &wait.fences, i915_engine_all(engine));
    return wait;
}

struct i915_wait i915_wait_for_running(struct i915_device *device)
{
    struct i915_wait wait = {.until_ns = UINT64_MAX};
    FOR_ENGINES(struct i915_engine, engine, device)
    for (const struct i915_request *r = engine->first; r; r = r->next)
        if (r->submitted)
            i915_fences_add(device, &wait.fences, r->fence);
    return wait;
}

/* For a wait that ends with the first one, the later ones of a state are not enough. */
void i915_wait_more(struct i915_device *device, struct i915_wait *wait,
                    const struct i915_fences *fences)
{
    for (unsigned id = 0; id < I915_SOURCES; id++)
        if (!i915_fence_done(device, fences->of[id]))
            add(device, &wait->fences.of[id], fences->of[id], !wait->any);
}

static bool is_any_done(const struct i915_device *device, uint64_t fence)
{
    const struct i915_joint *joint = find_joint(device, fence);
    return joint ? count_done(device, joint) > 0 : i915_fence_done(device, fence);
}

bool i915_wait_over(const struct i915_device *device, const struct i915_wait *wait)
{
    if (now_ns(device) >= wait->until_ns)
        return true;
    if (wait->changes && device->syncobj_changes != wait->changes)
        return true;
    for (unsigned id = 0; wait->any && id < I915_SOURCES; id++)
        if (wait->fences.of[id] && is_any_done(device, wait->fences.of[id]))
            return true;
    return !wait->any && !wait->changes && i915_fences_done(device, &wait->fences);
}

int i915_wait_step(struct i915_device *device, const struct i915_wait *wait)
{
    uint64_t now = now_ns(device);
    if (now >= wait->until_ns)
        return -ETIME;
    device->wait = *wait;
    int result = sleep_lightly(device, min_u64(wait->until_ns - now, STEP_NS));
    if (result == 0)
        i915_device_tick(device);
    return result;
}

/* A wait that is interrupted continues in the next attempt of the call. */
static int wait_for_request(struct i915_device *device, uint64_t fence, uint32_t flags,
                            uint64_t until_ns)
{
    struct i915_wait wait = i915_wait_for(fence);
    struct i915_traced_wait once = {0};
    struct i915_traced_wait *traced = device->attempt ? &device->attempt->wait : &once;
    int result = 0;
    wait.until_ns = until_ns;
    if (!i915_fence_done(device, fence) && now_ns(device) < until_ns)
        i915_trace_wait_begin(device, fence, flags, traced);
    while (result == 0 && !i915_fence_done(device, fence))
        result = i915_wait_step(device, &wait);
    if (traced->fence == fence && (result != -EINTR || !device->attempt))
        i915_trace_wait_end(device, traced);
    return result;
}

int i915_engine_wait(struct i915_device *device, uint64_t fence, uint32_t flags, uint64_t until_ns)
{
    int result = 0;
    while (result == 0 && !i915_fence_done(device, fence)) {
        size_t i = 0; /* a member that is not signalled: the joint is not */
        while (i915_fence_done(device, fence_at(device, fence, i)))
            i++;
        result = wait_for_request(device, fence_at(device, fence, i), flags, until_ns);
    }
    return result;
}

int i915_engines_wait(struct i915_device *device)
{
    int result = 0;
    FOR_ENGINES(struct i915_engine, engine, device)
    result = result < 0 ? result
                        : i915_engine_wait(device, i915_engine_all(engine), I915_WAIT_INTERRUPTIBLE,
                                           UINT64_MAX);
    return result;
}

void i915_engine_finish(struct i915_device *device, uint64_t fence)
{
    device->finishes = true;
    while (!i915_fence_done(device, fence)) {
        sleep_through(device, STEP_NS);
        i915_device_tick(device);
    }
    device->finishes = false;
}
