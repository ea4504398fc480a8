/* SPDX-License-Identifier: MIT */
/* Sync objects: handles, descriptors, waits, timelines, and the fences of EXECBUFFER2. */
#include "driver/i915/syncobj.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END     0x05000000u
#define UNKNOWN 77u
#define ALL     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL
#define SUBMIT  DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT
#define THERE   DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE
#define CLOCKS  65536u /* of a long batch */
#define LONG_NS 1000000u

/* The first three handles of a rig: without a fence, signalled, and a timeline with the signalled
 * point 5 and the pending ones 10 and 20. */
enum { EMPTY = 1, DONE, LINE };

static uint32_t create(struct rig *rig, uint32_t flags)
{
    struct drm_syncobj_create args = {.flags = flags};
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_CREATE, &args, sizeof args), 0);
    return args.handle;
}

static int destroy(struct rig *rig, uint32_t handle)
{
    struct drm_syncobj_destroy args = {.handle = handle};
    return rig_call(rig, DRM_IOCTL_SYNCOBJ_DESTROY, &args, sizeof args);
}

static int set_point(struct rig *rig, uint32_t request, uint32_t handle, uint64_t point,
                     uint32_t flags)
{
    uint64_t before = rig->used;
    struct drm_syncobj_timeline_array args = {.handles = rig_put(rig, &handle, sizeof handle),
                                              .points = rig_put(rig, &point, sizeof point),
                                              .count_handles = 1,
                                              .flags = flags};
    int result = rig_call(rig, request, &args, sizeof args);
    rig->used = before;
    return result;
}

/* Returns the point that a timeline has reached, or an errno. */
static int64_t query(struct rig *rig, uint32_t handle, uint32_t flags)
{
    uint64_t before = rig->used, point = UINT64_MAX;
    struct drm_syncobj_timeline_array args = {.handles = rig_put(rig, &handle, sizeof handle),
                                              .points = rig_put(rig, &point, sizeof point),
                                              .count_handles = 1,
                                              .flags = flags};
    int result = rig_call(rig, DRM_IOCTL_SYNCOBJ_QUERY, &args, sizeof args);
    memcpy(&point, rig_at(rig, args.points), sizeof point);
    rig->used = before;
    return result < 0 ? result : (int64_t)point;
}

struct wanted {
    uint32_t handle;
    uint64_t point;
};

/* TIMELINE_WAIT, until a time after now. Returns the index of the first signalled object, or an
 * errno. */
static int wait_for(struct rig *rig, const struct wanted *list, uint32_t count, uint32_t flags,
                    int64_t ns)
{
    uint64_t before = rig->used;
    struct drm_syncobj_timeline_wait args = {
        .handles = rig_put(rig, NULL, count * 4),
        .points = rig_put(rig, NULL, count * 8),
        .timeout_nsec = ns ? (int64_t)tally_gpu_now_ns(rig->gpu) + ns : 0,
        .count_handles = count,
        .flags = flags,
        .first_signaled = UNKNOWN};
    for (uint32_t i = 0; i < count; i++) {
        memcpy(rig_at(rig, args.handles + 4 * i), &list[i].handle, 4);
        memcpy(rig_at(rig, args.points + 8 * i), &list[i].point, 8);
    }
    int result = rig_call(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT, &args, sizeof args);
    rig->used = before;
    return result < 0 ? result : (int)args.first_signaled;
}

/* Runs a batch that waits for sync objects and signals others, by an array, or with points by the
 * extension. */
struct listed {
    uint32_t handle, flags;
    uint64_t point;
};

static int run_with(struct rig *rig, uint64_t engine, uint32_t batch, const struct listed *list,
                    uint32_t count, bool points)
{
    uint64_t before = rig->used, fences = rig_put(rig, NULL, count * 8),
             values = rig_put(rig, NULL, count * 8);
    struct drm_i915_gem_exec_object2 object = {.handle = batch};
    for (uint32_t i = 0; i < count; i++) {
        struct drm_i915_gem_exec_fence fence = {list[i].handle, list[i].flags};
        memcpy(rig_at(rig, fences + 8 * i), &fence, 8);
        memcpy(rig_at(rig, values + 8 * i), &list[i].point, 8);
    }
    struct drm_i915_gem_execbuffer_ext_timeline_fences chain = {
        .fence_count = count, .handles_ptr = fences, .values_ptr = values};
    struct drm_i915_gem_execbuffer2 call = {
        .buffers_ptr = rig_put(rig, &object, sizeof object),
        .buffer_count = 1,
        .cliprects_ptr = points ? rig_put(rig, &chain, sizeof chain) : fences,
        .num_cliprects = points ? 0 : count,
        .flags = engine | (points ? I915_EXEC_USE_EXTENSIONS : I915_EXEC_FENCE_ARRAY)};
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call);
    rig->used = before;
    return result;
}

static uint32_t short_batch(struct rig *rig)
{
    uint32_t end = END, handle = rig_create(rig, 4096);
    rig_write(rig, handle, 0, &end, sizeof end);
    return handle;
}

/* A rig with the first three handles; the batches of the timeline's points run one after the other.
 */
static struct rig *rig_with(const char *platform)
{
    struct rig *rig = rig_new(platform, NULL);
    assert_int_equal(create(rig, 0), EMPTY);
    assert_int_equal(create(rig, DRM_SYNCOBJ_CREATE_SIGNALED), DONE);
    assert_int_equal(create(rig, 0), LINE);
    assert_int_equal(set_point(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, LINE, 5, 0), 0);
    for (uint64_t point = 10; point <= 20; point += 10) {
        struct listed signal = {LINE, I915_EXEC_FENCE_SIGNAL, point};
        assert_int_equal(
            run_with(rig, I915_EXEC_BLT, rig_long_batch(rig, CLOCKS), &signal, 1, true), 0);
    }
    return rig;
}

/* ---- handles --------------------------------------------------------------------------------- */

static void test_handles(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    for (uint32_t i = 1; i <= 5; i++)
        assert_int_equal(create(rig, 0), i);
    assert_int_equal(destroy(rig, 4), 0);
    assert_int_equal(destroy(rig, 2), 0);
    assert_int_equal(destroy(rig, 2), -EINVAL);
    assert_int_equal(destroy(rig, 0), -EINVAL);
    assert_int_equal(destroy(rig, 6), -EINVAL);
    assert_int_equal(create(rig, 0), 2); /* the lowest free one */
    assert_int_equal(create(rig, 0), 4);
    assert_int_equal(create(rig, 0), 6);
    struct drm_syncobj_destroy args = {.handle = 1, .pad = 1};
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_DESTROY, &args, sizeof args), -EINVAL);
    rig_free(rig);
}

/* Wrong arguments, in the order in which the kernel checks them. */
static void test_checks(void **state)
{
    (void)state;
#define CALL(name)  DRM_IOCTL_SYNCOBJ_##name
#define LIST(index) ((uint32_t)USER + 4 * (index)) /* EMPTY, DONE, LINE, UNKNOWN */
#define NOWHERE     ((uint32_t)FAULTY)
    static const struct {
        unsigned line;
        uint32_t request;
        uint32_t words[12]; /* the struct */
        int expected;
    } rows[] = {
        /* handle, flags */
        {__LINE__, CALL(CREATE), {0, 2}, -EINVAL},
        /* handle, flags, descriptor, pad */
        {__LINE__, CALL(HANDLE_TO_FD), {UNKNOWN}, -EINVAL},
        {__LINE__, CALL(HANDLE_TO_FD), {UNKNOWN, 1}, -ENOENT},
        {__LINE__, CALL(HANDLE_TO_FD), {EMPTY, 1}, -EINVAL},
        {__LINE__, CALL(HANDLE_TO_FD), {DONE, 1}, 0},
        {__LINE__, CALL(HANDLE_TO_FD), {DONE, 2}, -EINVAL},
        {__LINE__, CALL(HANDLE_TO_FD), {DONE, 0, 0, 1}, -EINVAL},
        {__LINE__, CALL(FD_TO_HANDLE), {0, 0, 5}, -EINVAL},
        {__LINE__, CALL(FD_TO_HANDLE), {EMPTY, 1, 5}, -EINVAL},
        {__LINE__, CALL(FD_TO_HANDLE), {UNKNOWN, 1, FENCE_FD}, -ENOENT},
        {__LINE__, CALL(FD_TO_HANDLE), {EMPTY, 1, FENCE_FD}, 0},
        {__LINE__, CALL(FD_TO_HANDLE), {EMPTY, 2, FENCE_FD}, -EINVAL},
        {__LINE__, CALL(FD_TO_HANDLE), {EMPTY, 1, FENCE_FD, 1}, -EINVAL},
        /* handles, timeout, count, flags */
        {__LINE__, CALL(WAIT), {LIST(0)}, -EINVAL},
        {__LINE__, CALL(WAIT), {LIST(0), 0, 0, 0, 1}, -EINVAL}, /* no fence */
        {__LINE__, CALL(WAIT), {LIST(0), 0, 0, 0, 1, SUBMIT}, -ETIME},
        {__LINE__, CALL(WAIT), {LIST(1), 0, 0, 0, 1}, 0},
        {__LINE__, CALL(WAIT), {LIST(1), 0, UINT32_MAX, UINT32_MAX, 1}, 0},
        {__LINE__, CALL(WAIT), {LIST(1), 0, 0, 0, 1, THERE}, -EINVAL},
        {__LINE__, CALL(WAIT), {LIST(1), 0, 0, 0, 3}, -ENOENT},
        {__LINE__, CALL(WAIT), {NOWHERE, 0, 0, 0, 1}, -EFAULT},
        {__LINE__, CALL(WAIT), {LIST(2), 0, 0, 0, 1}, -ETIME},
        /* handles, count, pad */
        {__LINE__, CALL(RESET), {LIST(1)}, -EINVAL},
        {__LINE__, CALL(RESET), {LIST(1), 0, 1, 1}, -EINVAL},
        {__LINE__, CALL(RESET), {LIST(3), 0, 1}, -ENOENT},
        {__LINE__, CALL(SIGNAL), {LIST(0)}, -EINVAL},
        {__LINE__, CALL(SIGNAL), {LIST(0), 0, 1, 1}, -EINVAL},
        {__LINE__, CALL(SIGNAL), {LIST(3), 0, 1}, -ENOENT},
        /* handles, points, count, flags */
        {__LINE__, CALL(TIMELINE_SIGNAL), {LIST(0), 0, LIST(0), 0, 1, 1}, -EINVAL},
        {__LINE__, CALL(TIMELINE_SIGNAL), {LIST(0), 0, LIST(0)}, -EINVAL},
        {__LINE__, CALL(TIMELINE_SIGNAL), {LIST(0), 0, NOWHERE, 0, 1}, -EFAULT},
        {__LINE__, CALL(TIMELINE_SIGNAL), {LIST(3), 0, LIST(0), 0, 1}, -ENOENT},
        {__LINE__, CALL(QUERY), {LIST(0), 0, NOWHERE, 0, 1}, -EFAULT},
        {__LINE__, CALL(QUERY), {LIST(3), 0, LIST(16), 0, 1}, -ENOENT},
        {__LINE__, CALL(QUERY), {LIST(0), 0, LIST(16), 0, 1, 2}, -EINVAL},
        /* handles, points, timeout, count, flags */
        {__LINE__, CALL(TIMELINE_WAIT), {LIST(1), 0, 0, 0, 0, 0, 1, 8}, -EINVAL},
        {__LINE__, CALL(TIMELINE_WAIT), {LIST(1), 0, NOWHERE, 0, 0, 0, 1}, -EFAULT},
        /* source, destination, their points, flags, pad */
        {__LINE__, CALL(TRANSFER), {DONE, EMPTY, 0, 0, 0, 0, 0, 1}, -EINVAL},
        {__LINE__, CALL(TRANSFER), {DONE, UNKNOWN}, -ENOENT},
        {__LINE__, CALL(TRANSFER), {UNKNOWN, EMPTY}, -ENOENT},
        {__LINE__, CALL(TRANSFER), {EMPTY, DONE}, -EINVAL},
        {__LINE__, CALL(TRANSFER), {DONE, EMPTY, 1}, -EINVAL}, /* no timeline */
        {__LINE__, CALL(TRANSFER), {LINE, EMPTY, 21}, -EINVAL},
        {__LINE__, CALL(TRANSFER), {LINE, EMPTY, 20}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static const uint32_t handles[] = {EMPTY, DONE, LINE, UNKNOWN};
        struct rig *rig = rig_with("icl");
        uint32_t words[12];
        rig->used = 0;
        rig_put(rig, handles, sizeof handles);
        rig->used = 4096;
        memcpy(words, rows[i].words, sizeof words);
        int result = rig_call(rig, rows[i].request, words, _IOC_SIZE(rows[i].request));
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_run_ns(rig, LONG_NS);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- waits ----------------------------------------------------------------------------------- */

static void test_waits(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct wanted list[3];
        uint32_t count, flags;
        int64_t ns;
        int expected;
    } rows[] = {
        {__LINE__, {{DONE, 0}}, 1, 0, 0, 0},
        {__LINE__, {{LINE, 5}}, 1, 0, 0, 0},
        {__LINE__, {{LINE, 1}}, 1, 0, 0, 0}, /* reached by 5 */
        {__LINE__, {{LINE, 10}}, 1, 0, 0, -ETIME},
        {__LINE__, {{LINE, 10}}, 1, 0, LONG_NS, 0},
        {__LINE__, {{LINE, 7}}, 1, 0, 0, -ETIME}, /* is reached by 10 */
        {__LINE__, {{LINE, 0}}, 1, 0, 0, -ETIME}, /* the latest point */
        {__LINE__, {{LINE, 0}}, 1, 0, LONG_NS, 0},
        {__LINE__, {{LINE, 20}, {DONE, 0}}, 2, 0, 0, 1},
        {__LINE__, {{LINE, 20}, {DONE, 0}}, 2, ALL, 0, -ETIME},
        {__LINE__, {{LINE, 20}, {DONE, 0}}, 2, ALL, LONG_NS, 0},
        {__LINE__, {{LINE, 20}, {LINE, 10}}, 2, 0, LONG_NS, 1},
        {__LINE__, {{LINE, 21}}, 1, 0, LONG_NS, -EINVAL}, /* not submitted */
        {__LINE__, {{LINE, 21}}, 1, SUBMIT, LONG_NS, -ETIME},
        {__LINE__, {{LINE, 21}, {LINE, 10}}, 2, SUBMIT, LONG_NS, 1},
        {__LINE__, {{LINE, 21}, {LINE, 10}}, 2, SUBMIT | ALL, LONG_NS, -ETIME},
        {__LINE__, {{LINE, 20}}, 1, THERE, 0, 0}, /* submitted */
        {__LINE__, {{LINE, 21}}, 1, THERE, 0, -ETIME},
        {__LINE__, {{EMPTY, 0}, {DONE, 0}}, 2, SUBMIT, 0, 1},
        {__LINE__, {{EMPTY, 0}, {DONE, 0}}, 2, SUBMIT | ALL, 100000, -ETIME},
        {__LINE__, {{DONE, 1}}, 1, 0, 0, -EINVAL}, /* no timeline */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_with(i % 2 ? "skl" : "tgl");
        int result = wait_for(rig, rows[i].list, rows[i].count, rows[i].flags, rows[i].ns);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_run_ns(rig, LONG_NS);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_reset_and_signal(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t handles[] = {create(rig, 0), create(rig, DRM_SYNCOBJ_CREATE_SIGNALED)};
    const struct wanted list[] = {{handles[0], 0}, {handles[1], 0}};
    struct drm_syncobj_array args = {.handles = rig_put(rig, handles, sizeof handles),
                                     .count_handles = 2};
    assert_int_equal(wait_for(rig, list, 2, ALL, 0), -EINVAL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_SIGNAL, &args, sizeof args), 0);
    assert_int_equal(wait_for(rig, list, 2, ALL, 0), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_RESET, &args, sizeof args), 0);
    assert_int_equal(wait_for(rig, list, 1, 0, 0), -EINVAL);
    assert_int_equal(wait_for(rig, list + 1, 1, 0, 0), -EINVAL);
    /* A list has 2^19 entries at most, for which the kernel has memory; the rest is not read. */
    args.count_handles = 1 << 19;
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_RESET, &args, sizeof args), -ENOENT);
    args.count_handles++;
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_RESET, &args, sizeof args), -ENOMEM);
    args.count_handles = UINT32_MAX;
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_RESET, &args, sizeof args), -ENOMEM);
    rig_free(rig);
}

/* ---- timelines ------------------------------------------------------------------------------- */

static void test_points(void **state)
{
    (void)state;
    struct rig *rig = rig_with("skl");
    assert_int_equal(query(rig, LINE, 0), 5);
    assert_int_equal(query(rig, LINE, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 20);
    assert_int_equal(query(rig, DONE, 0), 0);
    assert_int_equal(query(rig, EMPTY, 0), 0);
    const struct wanted ten = {LINE, 10}, thirty = {LINE, 30};
    assert_int_equal(wait_for(rig, &ten, 1, 0, LONG_NS), 0);
    assert_int_equal(query(rig, LINE, 0), 10);
    /* A point that the client signals is reached after those before it. */
    assert_int_equal(set_point(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, LINE, 30, 0), 0);
    assert_int_equal(query(rig, LINE, 0), 10);
    assert_int_equal(wait_for(rig, &thirty, 1, 0, LONG_NS), 0);
    assert_int_equal(query(rig, LINE, 0), 30);
    /* One that is not above the latest is that one again. */
    assert_int_equal(set_point(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, LINE, 7, 0), 0);
    assert_int_equal(query(rig, LINE, 0), 30);
    rig_free(rig);
}

static void test_transfers(void **state)
{
    (void)state;
    struct rig *rig = rig_with("icl");
    const struct wanted binary = {EMPTY, 0}, point = {DONE, 4};
    struct drm_syncobj_transfer args = {.src_handle = LINE, .dst_handle = EMPTY, .src_point = 10};
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_TRANSFER, &args, sizeof args), 0);
    assert_int_equal(wait_for(rig, &binary, 1, 0, 0), -ETIME);
    args = (struct drm_syncobj_transfer){
        .src_handle = EMPTY, .dst_handle = DONE, .dst_point = 4, .flags = SUBMIT};
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_TRANSFER, &args, sizeof args), 0);
    assert_int_equal(query(rig, DONE, 0), 0);
    assert_int_equal(query(rig, DONE, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 4);
    assert_int_equal(wait_for(rig, &point, 1, 0, LONG_NS), 0);
    assert_int_equal(wait_for(rig, &binary, 1, 0, 0), 0);
    assert_int_equal(query(rig, DONE, 0), 4);
    assert_int_equal(query(rig, LINE, 0), 10);
    /* It waits for a fence to be submitted for five seconds. */
    args = (struct drm_syncobj_transfer){
        .src_handle = LINE, .dst_handle = EMPTY, .src_point = 99, .flags = SUBMIT};
    uint64_t before = tally_gpu_now_ns(rig->gpu);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SYNCOBJ_TRANSFER, &args, sizeof args), -ETIME);
    assert_in_range(tally_gpu_now_ns(rig->gpu) - before, 5000000000, 5001000000);
    rig_free(rig);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

static int convert(struct rig *rig, uint32_t request, struct drm_syncobj_handle *args)
{
    return rig_call(rig, request, args, sizeof *args);
}

static void test_descriptors(void **state)
{
    (void)state;
    struct rig *rig = rig_with("skl");
    struct drm_syncobj_handle args = {.handle = LINE};
    assert_int_equal(convert(rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args), 0);
    assert_int_equal(args.fd, SYNCOBJ_FD);
    /* Another file's handle is of the same object, also when the first one is gone. */
    struct i915_file *first = rig->file;
    assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
    args.handle = 0;
    assert_int_equal(convert(rig, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args), 0);
    assert_int_equal(args.handle, 1);
    assert_int_equal(query(rig, 1, 0), 5);
    assert_int_equal(set_point(rig, DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL, 1, 40, 0), 0);
    struct i915_file *second = rig->file;
    rig->file = first;
    assert_int_equal(query(rig, LINE, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED), 40);
    /* A sync file has the fences of that moment. */
    args = (struct drm_syncobj_handle){.handle = LINE, .flags = 1};
    assert_int_equal(convert(rig, DRM_IOCTL_SYNCOBJ_HANDLE_TO_FD, &args), 0);
    assert_int_equal(args.fd, FENCE_FD);
    assert_int_equal(i915_fences_status(rig->device, &rig->fences[0]), 0);
    args = (struct drm_syncobj_handle){.handle = EMPTY, .flags = 1, .fd = FENCE_FD};
    assert_int_equal(convert(rig, DRM_IOCTL_SYNCOBJ_FD_TO_HANDLE, &args), 0);
    const struct wanted imported = {EMPTY, 0};
    assert_int_equal(wait_for(rig, &imported, 1, 0, 0), -ETIME);
    assert_int_equal(wait_for(rig, &imported, 1, 0, LONG_NS), 0);
    assert_int_equal(i915_fences_status(rig->device, &rig->fences[0]), 1);
    assert_int_equal(query(rig, LINE, 0), 40);
    i915_file_close(first);
    rig->file = second;
    assert_int_equal(query(rig, 1, 0), 40);
    rig_free(rig);
}

/* Merged fences are signalled when all are; each engine's counts once. */
static void test_merge(void **state)
{
    (void)state;
    struct rig *rig = rig_with("skl");
    struct i915_fences both = i915_file_syncobj(rig->file, LINE)->fences, one;
    struct listed signal = {EMPTY, I915_EXEC_FENCE_SIGNAL, 0};
    assert_int_equal(i915_fences_at(rig->device, &both, 0, &one), 1);
    assert_int_equal(
        run_with(rig, I915_EXEC_RENDER, rig_long_batch(rig, 8 * CLOCKS), &signal, 1, false), 0);
    i915_fences_merge(rig->device, &both, &i915_file_syncobj(rig->file, EMPTY)->fences);
    i915_fences_merge(rig->device, &both, &i915_file_syncobj(rig->file, LINE)->points[0].fences);
    assert_int_equal(i915_fences_at(rig->device, &both, 1, &one), 2);
    rig_run_ns(rig, 200000);
    assert_int_equal(query(rig, LINE, 0), 20);
    assert_false(i915_fences_done(rig->device, &both));
    rig_run_ns(rig, LONG_NS);
    assert_true(i915_fences_done(rig->device, &both));
    rig_free(rig);
}

/* ---- EXECBUFFER2 ----------------------------------------------------------------------------- */

static void test_listed_fences(void **state)
{
    (void)state;
    enum { WAIT = I915_EXEC_FENCE_WAIT, SIGNAL = I915_EXEC_FENCE_SIGNAL };
    static const struct {
        unsigned line;
        bool points;
        struct listed list[2];
        uint32_t count;
        int expected;
    } rows[] = {
        {__LINE__, false, {{DONE, WAIT, 0}}, 1, 0},
        {__LINE__, false, {{DONE, WAIT, 0}, {EMPTY, SIGNAL, 0}}, 2, 0},
        {__LINE__, false, {{EMPTY, WAIT, 0}}, 1, -EINVAL}, /* no fence */
        {__LINE__, false, {{EMPTY, SIGNAL, 0}}, 1, 0},
        {__LINE__, false, {{EMPTY, 0, 0}}, 1, 0},
        {__LINE__, false, {{DONE, 4, 0}}, 1, -EINVAL},
        {__LINE__, false, {{UNKNOWN, WAIT, 0}}, 1, -ENOENT},
        {__LINE__, false, {{DONE, WAIT, 0}, {UNKNOWN, 0, 0}}, 2, -ENOENT},
        {__LINE__, true, {{LINE, WAIT, 5}}, 1, 0},
        {__LINE__, true, {{LINE, WAIT, 20}}, 1, 0},
        {__LINE__, true, {{LINE, WAIT, 21}}, 1, -EINVAL},
        {__LINE__, true, {{LINE, SIGNAL, 21}}, 1, 0},
        {__LINE__, true, {{LINE, WAIT | SIGNAL, 20}}, 1, -EINVAL},
        {__LINE__, true, {{DONE, WAIT | SIGNAL, 0}}, 1, 0},
        {__LINE__, true, {{EMPTY, 0, 0}}, 1, 0},
        {__LINE__, true, {{EMPTY, WAIT, 0}}, 1, -EINVAL},
        {__LINE__, true, {{DONE, WAIT, 1}}, 1, -EINVAL},
        {__LINE__, true, {{UNKNOWN, SIGNAL, 1}}, 1, -ENOENT},
        {__LINE__, true, {{DONE, 4, 0}}, 1, -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_with("skl");
        int result = run_with(rig, I915_EXEC_RENDER, short_batch(rig), rows[i].list, rows[i].count,
                              rows[i].points);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_run_ns(rig, LONG_NS);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* The arrays of a call, also of several extensions, have 2^17 entries at most in the kernel's
 * memory. */
static void test_too_many_listed_fences(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t counts[2]; /* of two extensions; their arrays are not readable */
        int expected;
    } rows[] = {
        {__LINE__, {0, 1}, -EFAULT},
        {__LINE__, {0, 1 << 17}, -EFAULT},
        {__LINE__, {0, (1 << 17) + 1}, -ENOMEM},
        {__LINE__, {0, UINT64_MAX}, -ENOMEM},
        {__LINE__, {1, 1 << 17}, -ENOMEM},
        {__LINE__, {1, (1 << 17) - 1}, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_with("skl");
        uint64_t value = 0;
        struct drm_i915_gem_exec_fence fence = {DONE, I915_EXEC_FENCE_WAIT};
        struct drm_i915_gem_exec_object2 object = {.handle = short_batch(rig)};
        struct drm_i915_gem_execbuffer_ext_timeline_fences last = {
            .fence_count = rows[i].counts[1], .handles_ptr = FAULTY, .values_ptr = FAULTY};
        struct drm_i915_gem_execbuffer_ext_timeline_fences first = {
            .base.next_extension = rig_put(rig, &last, sizeof last),
            .fence_count = rows[i].counts[0],
            .handles_ptr = rig_put(rig, &fence, sizeof fence),
            .values_ptr = rig_put(rig, &value, sizeof value)};
        struct drm_i915_gem_execbuffer2 call = {
            .buffers_ptr = rig_put(rig, &object, sizeof object),
            .buffer_count = 1,
            .cliprects_ptr = rig_put(rig, &first, sizeof first),
            .flags = I915_EXEC_RENDER | I915_EXEC_USE_EXTENSIONS};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A batch of another engine waits for a point, and signals the next one. */
static void test_order(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_with(rig_platforms[p]);
        const struct listed list[] = {{LINE, I915_EXEC_FENCE_WAIT, 10},
                                      {EMPTY, I915_EXEC_FENCE_SIGNAL, 0}};
        const struct wanted ten = {LINE, 10}, signalled = {EMPTY, 0};
        assert_int_equal(run_with(rig, I915_EXEC_RENDER, short_batch(rig), list, 2, true), 0);
        rig_run_ns(rig, 20000);
        ROW(__LINE__, wait_for(rig, &signalled, 1, 0, 0) == -ETIME, "%s ran too early",
            rig_platforms[p]);
        assert_int_equal(wait_for(rig, &ten, 1, 0, LONG_NS), 0);
        ROW(__LINE__, wait_for(rig, &signalled, 1, 0, 60000) == 0, "%s did not run",
            rig_platforms[p]);
        ROW(__LINE__, query(rig, LINE, 0) == 10, "%s: point %d", rig_platforms[p],
            (int)query(rig, LINE, 0));
        rig_run_ns(rig, LONG_NS);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A fence of submission lets a batch run as soon as the other one begins. */
static void test_submit_fence(void **state)
{
    (void)state;
    struct rig *rig = rig_with("skl");
    struct drm_i915_gem_exec_object2 object = {.handle = short_batch(rig)};
    struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = rig_put(rig, &object, sizeof object),
                                            .buffer_count = 1,
                                            .rsvd2 = FENCE_FD + 1};
    rig->fences[1] = i915_file_syncobj(rig->file, LINE)->fences;
    call.flags = I915_EXEC_RENDER | I915_EXEC_FENCE_SUBMIT | I915_EXEC_FENCE_OUT;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &call, sizeof call), 0);
    rig_run_ns(rig, 20000);
    assert_int_equal(query(rig, LINE, 0), 5);
    assert_false(i915_fences_done(rig->device, &rig->fences[0]));
    const struct wanted ten = {LINE, 10};
    assert_int_equal(wait_for(rig, &ten, 1, 0, LONG_NS), 0);
    rig_run_ns(rig, 40000);
    assert_true(i915_fences_done(rig->device, &rig->fences[0]));
    assert_false(i915_fences_done(rig->device, &rig->fences[1]));
    /* One that has not been submitted, since it waits for the first. */
    const struct listed list[] = {{LINE, I915_EXEC_FENCE_WAIT, 20},
                                  {EMPTY, I915_EXEC_FENCE_SIGNAL, 0}};
    assert_int_equal(run_with(rig, I915_EXEC_VEBOX, short_batch(rig), list, 2, true), 0);
    rig->fences[2] = i915_file_syncobj(rig->file, EMPTY)->fences;
    call.rsvd2 = FENCE_FD + 2;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &call, sizeof call), 0);
    rig_run_ns(rig, 20000);
    assert_false(i915_fences_done(rig->device, &rig->fences[0]));
    rig_run_ns(rig, LONG_NS);
    assert_true(i915_fences_done(rig->device, &rig->fences[0]));
    rig_free(rig);
}

/* The fences of a request that a reset ended have an error. */
static void test_errors(void **state)
{
    (void)state;
    struct i915_settings settings = {.hang_ns = 1000000};
    struct rig *rig = rig_new("skl", &settings);
    uint32_t handle = create(rig, 0), nonsense = 0x0f800000, bad = rig_create(rig, 4096);
    struct listed signal = {handle, I915_EXEC_FENCE_SIGNAL, 0};
    rig_write(rig, bad, 0, &nonsense, 4);
    assert_int_equal(run_with(rig, I915_EXEC_RENDER, bad, &signal, 1, false), 0);
    struct i915_fences hung = i915_file_syncobj(rig->file, handle)->fences;
    assert_int_equal(i915_fences_status(rig->device, &hung), 0);
    rig_run_ns(rig, 2000000);
    rig->hangs++;
    assert_int_equal(i915_fences_status(rig->device, &hung), -EIO);
    assert_int_equal(run_with(rig, I915_EXEC_RENDER, short_batch(rig), &signal, 1, false), 0);
    rig_run_ns(rig, 100000);
    hung = i915_file_syncobj(rig->file, handle)->fences;
    assert_int_equal(i915_fences_status(rig->device, &hung), 1);
    rig_free(rig);
}

int run_syncobj_tests(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_handles),
                                       cmocka_unit_test(test_checks),
                                       cmocka_unit_test(test_waits),
                                       cmocka_unit_test(test_reset_and_signal),
                                       cmocka_unit_test(test_too_many_listed_fences),
                                       cmocka_unit_test(test_points),
                                       cmocka_unit_test(test_transfers),
                                       cmocka_unit_test(test_descriptors),
                                       cmocka_unit_test(test_merge),
                                       cmocka_unit_test(test_listed_fences),
                                       cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_submit_fence),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests_name("syncobj", tests, NULL, NULL);
}
