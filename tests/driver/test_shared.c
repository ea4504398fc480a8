/* SPDX-License-Identifier: MIT */
/* Objects that others share: in the client's own memory (GEM_USERPTR), and as dma-bufs (PRIME);
 * objects whose memory is allocated late or was discarded. */
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END     0x05000000u
#define PAGES   (USER + (1 << 20)) /* pages of the client's memory */
#define TOP     UINT64_C(0x7ffffffff000)
#define HUGE_4G (UINT64_C(4) << 30)

static int userptr(struct rig *rig, uint64_t address, uint64_t size, uint32_t flags,
                   uint32_t *handle)
{
    struct drm_i915_gem_userptr args = {address, size, flags, 0};
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_USERPTR, &args, sizeof args);
    *handle = args.handle;
    return result;
}

static int close_handle(struct rig *rig, uint32_t handle)
{
    struct drm_gem_close args = {handle, 0};
    return rig_call(rig, DRM_IOCTL_GEM_CLOSE, &args, sizeof args);
}

/* ---- the client's memory --------------------------------------------------------------------- */

static void test_userptr_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        uint64_t address, size;
        uint32_t flags;
        int expected;
    } rows[] = {
        {__LINE__, "skl", PAGES, 4096, 0, 0},
        {__LINE__, "skl", PAGES, 0, 0, -EINVAL},
        {__LINE__, "skl", PAGES + 8, 4096, 0, -EINVAL},
        {__LINE__, "skl", PAGES, 100, 0, -EINVAL},
        {__LINE__, "skl", PAGES, 4096, 4, -EINVAL},
        {__LINE__, "skl", 0, UINT64_C(1) << 60, 0, -E2BIG},
        {__LINE__, "skl", UINT64_C(1) << 63, 4096, 0, -EFAULT},
        {__LINE__, "skl", TOP, 4096, 0, -EFAULT},
        {__LINE__, "skl", TOP - 4096, 4096, 0, 0}, /* checked when it is used */
        {__LINE__, "skl", TOP - 4096, 4096, I915_USERPTR_PROBE, -EFAULT},
        {__LINE__, "skl", PAGES, 4096, I915_USERPTR_PROBE, 0},
        {__LINE__, "skl", PAGES, 4096, I915_USERPTR_UNSYNCHRONIZED, -ENODEV},
        {__LINE__, "skl", PAGES, 4096, I915_USERPTR_READ_ONLY, 0},
        {__LINE__, "bdw", PAGES, 4096, I915_USERPTR_READ_ONLY, 0},
        {__LINE__, "hsw", PAGES, 4096, I915_USERPTR_READ_ONLY, -ENODEV},
        {__LINE__, "icl", PAGES, 4096, I915_USERPTR_READ_ONLY, -ENODEV},
        {__LINE__, "tgl", PAGES, 4096, I915_USERPTR_READ_ONLY, -ENODEV},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t handle;
        int result = userptr(rig, rows[i].address, rows[i].size, rows[i].flags, &handle);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        ROW(rows[i].line, result < 0 || close_handle(rig, handle) == 0, "no handle %u", handle);
        rig_free(rig);
    }
    struct rig *rig = rig_new("skl", NULL);
    uint32_t handle;
    rig->caller.open_process = NULL;
    assert_int_equal(userptr(rig, PAGES, 4096, 0, &handle), -ENODEV);
    rig_free(rig);
    ROWS_DONE();
}

/* Calls that do not work with such an object. */
static void test_userptr_calls(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t request;
        uint64_t args[5];
        int expected;
    } rows[] = {
        {__LINE__, DRM_IOCTL_I915_GEM_PREAD, {1, 0, 8, USER}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_PWRITE, {1, 0, 8, USER}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_MMAP, {1, 0, 4096}, -ENXIO},
        {__LINE__, DRM_IOCTL_I915_GEM_MMAP_OFFSET, {1}, -ENODEV},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {UINT64_C(1) << 32 | 1, 512}, -ENXIO},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_CACHING, {1}, -ENXIO},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_CACHING, {UINT64_C(1) << 32 | 1}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {UINT64_C(1) << 32 | 1, 1}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_BUSY, {1}, 0},
        {__LINE__, DRM_IOCTL_PRIME_HANDLE_TO_FD, {1}, -EINVAL},
    };
    struct rig *rig = rig_new("skl", NULL);
    uint32_t handle;
    assert_int_equal(userptr(rig, PAGES, 4096, 0, &handle), 0);
    assert_int_equal(handle, 1);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t args[5];
        memcpy(args, rows[i].args, sizeof args);
        int result = rig_call(rig, rows[i].request, args, _IOC_SIZE(rows[i].request));
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
    }
    rig_free(rig);
    ROWS_DONE();
}

/* The GPU reads and writes the client's bytes, in batches and as targets, at that moment. */
static void test_userptr_access(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t *memory = rig_at(rig, PAGES), handles[2];
        uint64_t used = rig->device->memory_used;
        assert_int_equal(userptr(rig, PAGES, 8192, 0, &handles[0]), 0);
        assert_int_equal(userptr(rig, PAGES + 8192, 4096, 0, &handles[1]), 0);
        memory[2048 + rig_put_store(rig, memory + 2048, ADDRESS(0) + 4096, 7)] = END;
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        rig_run_ns(rig, 100000);
        ROW(__LINE__, memory[1024] == 7, "%s stored %u", rig_platforms[p], memory[1024]);
        memory[2048 + rig_put_store(rig, memory + 2048, ADDRESS(0) + 4096, 8)] = END;
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        rig_run_ns(rig, 100000);
        ROW(__LINE__, memory[1024] == 8, "%s stored %u", rig_platforms[p], memory[1024]);
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(close_handle(rig, handles[i]), 0);
        ROW(__LINE__, !rig->processes, "%s: %u objects are left", rig_platforms[p], rig->processes);
        ROW(__LINE__, rig->device->memory_used >= used, "%s", rig_platforms[p]);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Relocations are written to it, the GPU does not write to read-only pages, and missing pages are
 * an error. */
static void test_userptr_pages(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t *memory = rig_at(rig, PAGES), handles[2];
    assert_int_equal(userptr(rig, PAGES, 4096, I915_USERPTR_READ_ONLY, &handles[0]), 0);
    assert_int_equal(userptr(rig, PAGES + 4096, 4096, 0, &handles[1]), 0);
    memory[0] = 5;
    memory[1024 + rig_put_store(rig, memory + 1024, ADDRESS(0), 7)] = END;
    assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
    rig_run_ns(rig, 100000);
    assert_int_equal(memory[0], 5);
    struct drm_i915_gem_relocation_entry entry = {
        .target_handle = handles[0], .offset = 4, .presumed_offset = UINT64_MAX};
    struct drm_i915_gem_exec_object2 objects[] = {
        {.handle = handles[0]},
        {.handle = handles[1],
         .relocation_count = 1,
         .relocs_ptr = rig_put(rig, &entry, sizeof entry)}};
    struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = rig_put(rig, objects, sizeof objects),
                                            .buffer_count = 2};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), 0);
    const struct drm_i915_gem_exec_object2 *after = rig_at(rig, call.buffers_ptr);
    assert_int_equal(memory[1025], (uint32_t)after[0].offset);
    rig_run_ns(rig, 100000);
    rig->readable_end = PAGES + 4096; /* the batch is gone */
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), -EFAULT);
    rig_free(rig);
}

/* ---- dma-bufs -------------------------------------------------------------------------------- */

static int share(struct rig *rig, uint32_t request, struct drm_prime_handle *args)
{
    return rig_call(rig, request, args, sizeof *args);
}

static void test_prime(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t other = rig_create(rig, 4096), handle = rig_create(rig, 8192), value = 3;
    struct drm_prime_handle args = {.handle = 9, .fd = -1};
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), -ENOENT);
    args = (struct drm_prime_handle){.handle = handle, .flags = 1};
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), -EINVAL);
    args = (struct drm_prime_handle){.handle = handle, .flags = DRM_CLOEXEC | DRM_RDWR};
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args), 0);
    assert_int_equal(args.fd, OBJECT_FD);
    assert_int_equal(i915_object_size(rig->object), 8192);
    rig_write(rig, handle, 8, &value, sizeof value);
    /* The same file has one handle of it, another file its own. */
    args.handle = 0;
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), 0);
    assert_int_equal(args.handle, handle);
    struct i915_file *first = rig->file;
    assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), 0);
    assert_int_equal(args.handle, 1);
    value = 0;
    rig_peek(rig, 1, 8, &value, sizeof value);
    assert_int_equal(value, 3);
    args.fd = -1;
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), -EBADF);
    args.fd = 5;
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), -EINVAL);
    /* It outlives the handles and can be imported again. */
    assert_int_equal(close_handle(rig, 1), 0);
    i915_file_close(first);
    args = (struct drm_prime_handle){.fd = OBJECT_FD};
    assert_int_equal(share(rig, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args), 0);
    rig_peek(rig, args.handle, 8, &value, sizeof value);
    assert_int_equal(value, 3);
    uint32_t end = END, batch = rig_create(rig, 4096);
    rig_write(rig, batch, 0, &end, sizeof end);
    uint32_t handles[] = {args.handle, batch};
    assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
    rig_run_ns(rig, 100000);
    assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
    assert_true(other != handle);
    rig_free(rig);
}

/* Fences that are added to an object hold up its later requests. */
static void test_object_fences(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t handles[] = {rig_create(rig, 4096), rig_long_batch(rig, 65536)}, end = END,
             second[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
    rig_write(rig, second[1], 0, &end, sizeof end);
    assert_int_equal(rig_exec_on(rig, I915_EXEC_BLT, 0, handles, 2, EXEC_OBJECT_WRITE), 0);
    const struct i915_object *first = i915_file_object(rig->file, handles[0]);
    struct i915_fences fences = i915_object_fences(first, true);
    assert_false(i915_fences_done(rig->device, &fences));
    i915_object_add_fences(i915_file_object(rig->file, second[0]), &fences, true);
    assert_int_equal(rig_exec_on(rig, I915_EXEC_RENDER, rig_context(rig), second, 2, 0), 0);
    rig_run_ns(rig, 20000);
    struct i915_fences reads = i915_object_fences(i915_file_object(rig->file, second[1]), false);
    assert_false(i915_fences_done(rig->device, &reads));
    rig_run_ns(rig, 1000000);
    assert_true(i915_fences_done(rig->device, &reads));
    rig_free(rig);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Objects get memory when they are used; then the limit counts. */
static void test_late_memory(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint64_t used = rig->device->memory_used;
    uint32_t huge = rig_create(rig, HUGE_4G), value = 1;
    assert_int_equal(rig_create(rig, UINT64_C(1) << 42), huge + 1);
    assert_true(rig->device->memory_used == used);
    struct drm_i915_gem_pwrite write = {huge, 0, 0, 4, rig_put(rig, &value, 4)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PWRITE, &write, sizeof write), -ENOMEM);
    uint32_t handles[] = {huge, rig_long_batch(rig, 1000)};
    assert_int_equal(rig_exec(rig, 0, handles, 2), -ENOMEM);
    struct drm_i915_gem_mmap_offset map = {.handle = huge};
    struct i915_object *object;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &map, sizeof map), 0);
    assert_int_equal(i915_file_mapping(rig->file, map.offset, 4096, &object), -ENOMEM);
    assert_int_equal(close_handle(rig, huge), 0);
    rig_free(rig);
}

static uint32_t advise(struct rig *rig, uint32_t handle, uint32_t advice)
{
    struct drm_i915_gem_madvise args = {handle, advice, 9};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MADVISE, &args, sizeof args), 0);
    return args.retained;
}

/* Objects that their client does not need lose their contents when memory is short, or when they
 * are told to, unless the GPU uses them. */
static void test_purging(void **state)
{
    (void)state;
    struct i915_settings settings = {.memory_bytes = 8 << 20};
    struct rig *rig = rig_new("skl", &settings);
    uint32_t busy[] = {rig_create(rig, 4096), rig_long_batch(rig, 65536)};
    uint32_t needed = rig_create(rig, 1 << 20), spare = rig_create(rig, 4 << 20), value = 1;
    rig_write(rig, needed, 0, &value, sizeof value);
    rig_write(rig, spare, 0, &value, sizeof value);
    assert_int_equal(rig_exec(rig, 0, busy, 2), 0);
    uint64_t used = rig->device->memory_used;
    assert_int_equal(advise(rig, busy[0], I915_MADV_DONTNEED), 1);
    assert_int_equal(advise(rig, spare, I915_MADV_DONTNEED), 1);
    rig_create(rig, 6 << 20);
    assert_int_equal(advise(rig, spare, I915_MADV_WILLNEED), 1); /* still there */
    assert_int_equal(advise(rig, spare, I915_MADV_DONTNEED), 1);
    uint32_t large = rig_create(rig, 5 << 20);
    rig_write(rig, large, 0, &value, sizeof value); /* takes its memory */
    assert_true(rig->device->memory_used == used + (1 << 20));
    assert_int_equal(advise(rig, spare, I915_MADV_WILLNEED), 0);
    assert_int_equal(advise(rig, busy[0], I915_MADV_WILLNEED), 1);
    struct drm_i915_gem_pwrite write = {spare, 0, 0, 4, rig_put(rig, &value, 4)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PWRITE, &write, sizeof write), -EFAULT);
    rig_peek(rig, needed, 0, &value, sizeof value);
    assert_int_equal(value, 1);
    rig_run_ns(rig, 300000);
    assert_int_equal(advise(rig, busy[0], I915_MADV_DONTNEED), 1);
    i915_device_purge(rig->device);
    assert_int_equal(advise(rig, busy[0], I915_MADV_WILLNEED), 0);
    assert_int_equal(advise(rig, needed, I915_MADV_WILLNEED), 1);
    rig_free(rig);
}

int run_shared_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_userptr_checks), cmocka_unit_test(test_userptr_calls),
        cmocka_unit_test(test_userptr_access), cmocka_unit_test(test_userptr_pages),
        cmocka_unit_test(test_prime),          cmocka_unit_test(test_object_fences),
        cmocka_unit_test(test_late_memory),    cmocka_unit_test(test_purging)};
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
