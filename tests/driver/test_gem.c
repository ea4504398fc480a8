/* SPDX-License-Identifier: MIT */
/* GEM objects: creation, reading and writing, mapping, waiting. */
#include <inttypes.h>

#include "base/bits.h"
#include "driver/i915/batch.h"
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

static void test_create(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint64_t size;
        int expected;
        uint64_t rounded;
    } rows[] = {
        {__LINE__, 0, -EINVAL, 0},
        {__LINE__, 1, 0, 4096},
        {__LINE__, 4096, 0, 4096},
        {__LINE__, 4097, 0, 8192},
        {__LINE__, UINT64_MAX, -EINVAL, 0}, /* 0 in whole pages */
        {__LINE__, UINT64_MAX - 4094, -EINVAL, 0},
        {__LINE__, UINT64_MAX - 4095, -E2BIG, 0},
        {__LINE__, UINT64_C(1) << 43, -E2BIG, 0},                              /* 2^31 pages */
        {__LINE__, (UINT64_C(1) << 43) - 4096, 0, (UINT64_C(1) << 43) - 4096}, /* no memory yet */
        {__LINE__, UINT64_C(1) << 40, 0, UINT64_C(1) << 40},
    };
    struct i915_settings settings = {.memory_bytes = 64 << 20};
    struct rig *rig = rig_new("skl", &settings);
    uint32_t next = 1;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct drm_i915_gem_create create = {.size = rows[i].size};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CREATE, &create, 16);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        if (result < 0)
            continue;
        ROW(rows[i].line, create.size == rows[i].rounded && create.handle == next,
            "size %lu, handle %u", (unsigned long)create.size, create.handle);
        next++;
    }
    /* Closing frees memory, which is limited. */
    uint32_t large = rig_create(rig, 48 << 20), other = rig_create(rig, 48 << 20), value = 1;
    rig_write(rig, large, 0, &value, sizeof value);
    struct drm_i915_gem_pwrite write = {other, 0, 0, 4, rig_put(rig, &value, 4)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PWRITE, &write, sizeof write), -ENOMEM);
    struct drm_gem_close close = {large, 0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), -EINVAL);
    assert_int_equal(rig_create(rig, 48 << 20), large);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PWRITE, &write, sizeof write), 0);
    close.handle = 0;
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), -EINVAL);
    rig_free(rig);
    ROWS_DONE();
}

static bool is_full; /* allocate_unless_full() returns NULL until an object is released */

static void *allocate_unless_full(void *closure, size_t bytes, uint64_t *cookie)
{
    (void)closure;
    *cookie = 0;
    return is_full ? NULL : calloc(1, bytes);
}

static void release_object(void *closure, void *memory, size_t bytes, uint64_t cookie)
{
    (void)closure;
    (void)bytes;
    (void)cookie;
    is_full = false;
    free(memory);
}

/* Objects that are not needed are discarded for another one, also below the limit. */
static void test_no_memory_for_an_object(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t advice;
        int expected;
    } rows[] = {
        {__LINE__, I915_MADV_WILLNEED, -ENOMEM},
        {__LINE__, I915_MADV_DONTNEED, 0},
    };
    struct i915_settings settings = {.allocate = allocate_unless_full, .release = release_object};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", &settings);
        uint32_t first = rig_create(rig, 4096), second = rig_create(rig, 4096), value = 1;
        rig_write(rig, first, 0, &value, sizeof value);
        struct drm_i915_gem_madvise advise = {.handle = first, .madv = rows[i].advice};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MADVISE, &advise, sizeof advise), 0);
        is_full = true;
        struct drm_i915_gem_pwrite write = {second, 0, 0, 4, rig_put(rig, &value, 4)};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_PWRITE, &write, sizeof write);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        is_full = false;
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A new handle is the lowest free number. */
static void test_handles(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    for (uint32_t i = 1; i <= 20; i++)
        assert_int_equal(rig_create(rig, 4096), i);
    for (uint32_t i = 4; i <= 16; i += 4) {
        struct drm_gem_close close = {i, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    }
    for (uint32_t i = 4; i <= 16; i += 4)
        assert_int_equal(rig_create(rig, 4096), i);
    assert_int_equal(rig_create(rig, 4096), 21);
    rig_free(rig);
}

static void test_create_ext(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t flags, name, link_flags, pad, count;
        uint16_t region_class, instance;
        int where; /* 0: no extension, 1: valid, 2: faults, 3: its region faults, 4: a ring, 5: a
                      reserved field is set */
        int expected;
    } rows[] = {
        {__LINE__, 0, 0, 0, 0, 0, 0, 0, 0, 0},        {__LINE__, 1, 0, 0, 0, 1, 0, 0, 0, -EINVAL},
        {__LINE__, 0, 0, 0, 0, 1, 0, 0, 1, 0},        {__LINE__, 0, 1, 0, 0, 0, 0, 0, 1, -ENODEV},
        {__LINE__, 0, 1, 0, 1, 0, 0, 0, 1, -EINVAL},  {__LINE__, 2, 0, 0, 0, 1, 0, 0, 0, -EINVAL},
        {__LINE__, 0, 99, 0, 0, 1, 0, 0, 1, -EINVAL}, {__LINE__, 0, 0, 1, 0, 1, 0, 0, 1, -EINVAL},
        {__LINE__, 0, 0, 0, 1, 1, 0, 0, 1, -EINVAL},  {__LINE__, 0, 0, 0, 0, 0, 0, 0, 1, -EINVAL},
        {__LINE__, 0, 0, 0, 0, 2, 0, 0, 1, -EINVAL},  {__LINE__, 0, 0, 0, 0, 1, 1, 0, 1, -EINVAL},
        {__LINE__, 0, 0, 0, 0, 1, 0, 1, 1, -EINVAL},  {__LINE__, 0, 0, 0, 0, 1, 0, 0, 2, -EFAULT},
        {__LINE__, 0, 0, 0, 0, 1, 0, 0, 3, -EFAULT},  {__LINE__, 0, 0, 0, 0, 1, 0, 0, 4, -EINVAL},
        {__LINE__, 0, 0, 0, 0, 1, 0, 0, 5, -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_memory_class_instance region = {rows[i].region_class, rows[i].instance};
        uint64_t at = rig_put(rig, &region, sizeof region);
        struct drm_i915_gem_create_ext_memory_regions link = {
            {0, rows[i].name, rows[i].link_flags, {0}},
            rows[i].pad,
            rows[i].count,
            rows[i].where == 3 ? FAULTY : at};
        uint64_t link_at = rig_put(rig, &link, sizeof link);
        if (rows[i].where == 5)
            *((uint32_t *)rig_at(rig, link_at) + 7) = 1;
        if (rows[i].where == 4)
            memcpy(rig_at(rig, link_at), &link_at, 8);
        struct drm_i915_gem_create_ext create = {4096, 0, rows[i].flags,
                                                 rows[i].where == 0   ? 0
                                                 : rows[i].where == 2 ? FAULTY
                                                                      : link_at};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_CREATE_EXT, &create, sizeof create);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        ROW(rows[i].line, result < 0 || create.handle == 1, "handle %u", create.handle);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_read_and_write(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t handle;
        uint64_t offset, size;
        bool faults;
        int expected;
    } rows[] = {
        {__LINE__, 1, 0, 0, true, 0},
        {__LINE__, 9, 0, 0, true, 0}, /* nothing to do */
        {__LINE__, 1, 0, 4096, false, 0},
        {__LINE__, 1, 4095, 1, false, 0},
        {__LINE__, 1, 4096, 1, false, -EINVAL},
        {__LINE__, 1, 1, 4096, false, -EINVAL},
        {__LINE__, 1, UINT64_MAX, 2, false, -EINVAL},
        {__LINE__, 9, 0, 1, true, -ENOENT},
        {__LINE__, 1, 0, 16, true, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        for (unsigned write = 0; write < 2; write++) {
            struct rig *rig = rig_new("skl", NULL);
            rig_create(rig, 4096);
            uint64_t at = rig_put(rig, NULL, 4096);
            struct drm_i915_gem_pread io = {rows[i].handle, 0, rows[i].offset, rows[i].size,
                                            rows[i].faults ? FAULTY : at};
            int result = rig_call(rig, write ? DRM_IOCTL_I915_GEM_PWRITE : DRM_IOCTL_I915_GEM_PREAD,
                                  &io, sizeof io);
            ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
            rig_free(rig);
        }
    }
    struct rig *rig = rig_new("skl", NULL);
    uint32_t object = rig_create(rig, 8192);
    char text[16] = "";
    rig_write(rig, object, 5000, "fifteen letters", 16);
    rig_peek(rig, object, 5000, text, 16);
    assert_string_equal(text, "fifteen letters");
    rig_peek(rig, object, 0, text, 16);
    assert_int_equal(text[0], 0);
    rig_free(rig);
    ROWS_DONE();
}

/* ---- mapping --------------------------------------------------------------------------------- */

static void test_mmap_offset(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t handle;
        uint64_t flags, extensions;
        int expected;
    } rows[] = {
        {__LINE__, 1, 0, 0, 0},
        {__LINE__, 1, 1, 0, 0},
        {__LINE__, 1, 2, 0, 0},
        {__LINE__, 1, 3, 0, 0},
        {__LINE__, 1, 4, 0, -ENODEV},
        {__LINE__, 1, 5, 0, -EINVAL},
        {__LINE__, 9, 0, 0, -ENOENT},
        {__LINE__, 9, 5, 0, -EINVAL},
        {__LINE__, 1, 0, FAULTY, -EFAULT},
        {__LINE__, 1, 0, USER, -EINVAL},
    };
    struct rig *rig = rig_new("skl", NULL);
    uint32_t object = rig_create(rig, 8192), other = rig_create(rig, 4096);
    uint64_t first = 0, size, cookie;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct drm_i915_gem_mmap_offset args = {rows[i].handle, 0, 0, rows[i].flags,
                                                rows[i].extensions};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &args, sizeof args);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        first = first ? first : args.offset;
        ROW(rows[i].line, result < 0 || (args.offset == first && first % 4096 == 0), "offset %lx",
            (unsigned long)args.offset);
    }
    struct drm_i915_gem_mmap_offset args = {.handle = other};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MMAP_GTT, &args, 16), 0);
    assert_int_equal(args.offset, first + 8192);
    struct i915_object *mapped;
    assert_int_equal(i915_file_mapping(rig->file, 0, 4096, &mapped), -EINVAL);
    assert_int_equal(i915_file_mapping(rig->file, first, 8193, &mapped), -EINVAL);
    assert_int_equal(i915_file_mapping(rig->file, first + 4096, 4096, &mapped), -EINVAL);
    assert_int_equal(i915_file_mapping(rig->file, first, 8192, &mapped), 0);
    /* Each of several objects is found by its own offset. */
    for (uint64_t before = first, n = 0; n < 3; n++) {
        struct drm_i915_gem_mmap_offset more = {.handle = rig_create(rig, 4096),
                                                .flags = I915_MMAP_OFFSET_WB};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &more, sizeof more), 0);
        struct i915_object *found;
        assert_int_equal(i915_file_mapping(rig->file, more.offset, 4096, &found), 0);
        assert_true(found != mapped && more.offset > before);
        before = more.offset;
    }
    assert_non_null(mapped);
    rig_write(rig, object, 0, "abc", 4);
    assert_string_equal(i915_object_bytes(mapped, &size, &cookie), "abc");
    assert_int_equal(size, 8192);
    /* Another file has no handle of it. */
    struct i915_file *stranger;
    struct i915_object *none;
    assert_int_equal(i915_file_open(rig->device, true, &stranger), 0);
    assert_int_equal(i915_file_mapping(stranger, first, 4096, &none), -EACCES);
    /* A mapping survives its handle. */
    i915_object_hold(mapped);
    struct drm_gem_close close = {object, 0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    assert_int_equal(i915_file_mapping(rig->file, first, 4096, &none), -EINVAL);
    assert_string_equal(i915_object_bytes(mapped, &size, &cookie), "abc");
    i915_object_drop(mapped);
    rig_free(rig);
    ROWS_DONE();
}

static int64_t map_here(void *closure, struct i915_object *object, uint64_t offset, uint64_t bytes)
{
    uint64_t size, cookie;
    (void)closure;
    i915_object_bytes(object, &size, &cookie);
    return (int64_t)(0x7000000000 + offset + bytes + size);
}

static void test_mmap(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t handle;
        uint64_t offset, size, flags;
        bool can;
        int expected;
    } rows[] = {
        {__LINE__, 1, 0, 8192, 0, true, 0},       {__LINE__, 1, 4096, 4096, 1, true, 0},
        {__LINE__, 1, 0, 8192, 2, true, -EINVAL}, {__LINE__, 9, 0, 8192, 0, true, -ENOENT},
        {__LINE__, 1, 1, 8192, 0, true, -EINVAL}, {__LINE__, 1, 0, 8192, 0, false, -ENODEV},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        rig_create(rig, 8192);
        rig->caller.map = rows[i].can ? map_here : NULL;
        struct drm_i915_gem_mmap args = {rows[i].handle, 0, rows[i].offset,
                                         rows[i].size,   0, rows[i].flags};
        int result = rig_call(rig, DRM_IOCTL_I915_GEM_MMAP, &args, sizeof args);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        ROW(rows[i].line, result < 0 || args.addr_ptr == 0x7000000000 + 8192 + 8192, "at %lx",
            (unsigned long)args.addr_ptr);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- waiting --------------------------------------------------------------------------------- */

static void test_busy(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t handles[] = {rig_create(rig, 4096), rig_long_batch(rig, 65536)};
        struct drm_i915_gem_busy target = {handles[0], 0}, batch = {handles[1], 0};
        struct drm_i915_gem_wait wait = {handles[0], 0, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &target, 8), 0);
        assert_int_equal(target.busy, 0);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), 0);
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &target, 8), 0);
        assert_int_equal(target.busy, 0x10001); /* read and written by render */
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &batch, 8), 0);
        assert_int_equal(batch.busy, 0x10000);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), -ETIME);
        wait.timeout_ns = 10000;
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), -ETIME);
        assert_int_equal(wait.timeout_ns, 0);
        wait.timeout_ns = 1000000000;
        uint64_t before = tally_gpu_now_ns(rig->gpu);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), 0);
        assert_int_equal((uint64_t)wait.timeout_ns,
                         1000000000 - (tally_gpu_now_ns(rig->gpu) - before));
        assert_true(wait.timeout_ns > 999000000);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &target, 8), 0);
        assert_int_equal(target.busy, 0);
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        wait.timeout_ns = -1;
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_WAIT, &wait, sizeof wait), 0);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &batch, 8), 0);
        assert_int_equal(batch.busy, 0);
        rig_free(rig);
    }
}

/* An object that is closed while the GPU uses it is freed when the GPU is done with it. */
static void test_close_while_busy(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t contexts[] = {0, rig_context(rig)}, quick = rig_long_batch(rig, 1000);
        for (unsigned i = 0; i < 2; i++) /* allocates the contexts' state */
            assert_int_equal(rig_exec(rig, contexts[i], &quick, 1), 0);
        rig_run_ns(rig, 100000);
        uint64_t memory = rig->device->memory_used, before = tally_gpu_now_ns(rig->gpu);
        uint32_t handles[] = {rig_create(rig, 4096), rig_long_batch(rig, 100000)};
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(rig_exec(rig, contexts[i], handles, 2), 0);
        for (unsigned i = 0; i < 2; i++) {
            struct drm_gem_close close = {handles[i], 0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
        }
        assert_true(tally_gpu_now_ns(rig->gpu) == before);
        assert_true(rig->device->memory_used > memory);
        rig_run_ns(rig, 2000000);
        assert_true(rig->device->memory_used == memory);
        rig_free(rig);
    }
}

/* The same for all objects of a closed file. */
static void test_file_closes(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        struct i915_file *first = rig->file;
        uint64_t memory = rig->device->memory_used;
        assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
        uint32_t handles[] = {rig_create(rig, 4096), rig_long_batch(rig, 100000)};
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        assert_int_equal(rig_exec(rig, rig_context(rig), handles, 2), 0);
        rig_create(rig, 65536);
        i915_file_close(rig->file);
        rig->file = first;
        assert_true(rig->device->memory_used > memory);
        rig_run_ns(rig, 2000000);
        assert_true(rig->device->memory_used == memory);
        rig_free(rig);
    }
}

/* Fixed addresses, at both ends of the space. */
static void test_fixed_addresses(void **state)
{
    (void)state;
    enum { FIRST = 0x10000, END = 0x40000, BYTES = 0x2000 };
    static const struct {
        unsigned line;
        uint64_t address;
        int expected;
    } rows[] = {
        {__LINE__, FIRST, 0},
        {__LINE__, END - BYTES, 0},
        {__LINE__, END - BYTES + 0x1000, -ENOSPC},
        {__LINE__, END - 0x1000, -ENOSPC},
        {__LINE__, END, -ENOSPC},
        {__LINE__, UINT64_MAX - 0xfff, -ENOSPC},
    };
    struct rig *rig = rig_new("skl", NULL);
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct i915_space space = {0};
        struct i915_object *object;
        i915_space_init(&space, FIRST, END);
        assert_int_equal(i915_object_new(rig->device, BYTES, &object), 0);
        int result = i915_space_insert_at(&space, object, rows[i].address);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        i915_object_drop(object);
        i915_space_fini(&space);
    }
    rig_free(rig);
    ROWS_DONE();
}

/* A load of registers has at most 126 of them, as in the kernel; all are in order. */
static void test_loads_of_registers(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 125, 126, 127, 252, 253};
    for (size_t i = 0; i < COUNT(counts); i++) {
        struct register_value values[253];
        struct batch batch = {.wide = true};
        size_t at = 0, found = 0;
        for (uint32_t k = 0; k < COUNT(values); k++)
            values[k] = (struct register_value){0x2000 + 4 * k, ~k};
        batch_registers(&batch, values, counts[i]);
        while (at < batch.bytes.size) {
            size_t left = counts[i] - found, now = left < 126 ? left : 126;
            uint32_t header = load_le32(batch.bytes.bytes + at);
            ROW(__LINE__, header == (0x11000000 | (2 * now - 1)), "%zu: header %08x", counts[i],
                header);
            at += 4;
            for (size_t k = 0; k < now; k++, found++, at += 8)
                ROW(__LINE__,
                    load_le32(batch.bytes.bytes + at) == values[found].address &&
                        load_le32(batch.bytes.bytes + at + 4) == values[found].value,
                    "%zu: register %zu", counts[i], found);
        }
        ROW(__LINE__, found == counts[i], "%zu of %zu", found, counts[i]);
        buffer_fini(&batch.bytes);
    }
    ROWS_DONE();
}

/* Each submission gets the next tag, 1 to 7FDh, so that neighbours differ and none is 0. */
static void test_tags(void **state)
{
    (void)state;
    static const uint32_t tags[] = {0x7fb, 0x7fc, 0x7fd, 1, 2};
    struct rig *rig = rig_new("icl", NULL);
    uint32_t batch = rig_long_batch(rig, 100);
    render_engine(rig->device)->latest_tag = tags[0];
    for (size_t i = 1; i < COUNT(tags); i++) {
        uint32_t id = rig_context(rig);
        assert_int_equal(rig_exec(rig, id, &batch, 1), 0);
        rig_run_ns(rig, 1000000);
        uint32_t submitted = render_state(i915_context_peek(rig->file, id))->submitted_id;
        ROW(__LINE__, submitted == tags[i] << 5, "tag %" PRIx32 ", expected %" PRIx32,
            submitted >> 5, tags[i]);
    }
    rig_free(rig);
    ROWS_DONE();
}

/* What a client does and undoes leaves no memory in use and no address taken. */
static void use_object(struct rig *rig)
{
    uint32_t handles[] = {rig_create(rig, 4096), rig_long_batch(rig, 100)};
    assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
    rig_run_ns(rig, 1000000); /* nothing uses them when they are closed */
    for (unsigned i = 0; i < 2; i++) {
        struct drm_gem_close close = {handles[i], 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    }
}

static void use_context(struct rig *rig)
{
    uint32_t context = rig_context(rig), batch = rig_long_batch(rig, 100);
    struct drm_gem_close close = {batch, 0};
    struct drm_i915_gem_context_destroy destroy = {context, 0};
    assert_int_equal(rig_exec(rig, context, &batch, 1), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), 0);
}

static void use_stream(struct rig *rig)
{
    struct property filter = {DRM_I915_PERF_PROP_CTX_HANDLE, 0};
    for (unsigned i = 0; i < 2; i++) {
        int fd = rig_open_usual(rig, 0, 8, &filter, i);
        assert_true(fd >= 0);
        rig_run_ns(rig, 1000000);
        rig_close(rig, fd);
    }
}

static void use_file(struct rig *rig)
{
    struct i915_file *first = rig->file;
    assert_int_equal(i915_file_open(rig->device, true, &rig->file), 0);
    uint32_t batch = rig_long_batch(rig, 100);
    assert_int_equal(rig_exec(rig, 0, &batch, 1), 0);
    assert_int_equal(rig_exec(rig, rig_context(rig), &batch, 1), 0);
    i915_file_close(rig->file);
    rig->file = first;
}

static void use_hang(struct rig *rig)
{
    const uint32_t endless[] = {0x18800001, (uint32_t)ADDRESS(0), 0};
    uint32_t batch = rig_create(rig, 4096), context = rig_context(rig);
    rig_write(rig, batch, 0, endless, sizeof endless);
    struct drm_gem_close close = {batch, 0};
    struct drm_i915_gem_context_destroy destroy = {context, 0};
    assert_int_equal(rig_exec(rig, context, &batch, 1), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
    rig_run_ns(rig, 1000000000);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, 8), 0);
    rig->hangs++;
}

static void test_memory_returns(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*use)(struct rig *rig);
    } rows[] = {{"object", use_object},
                {"context", use_context},
                {"stream", use_stream},
                {"file", use_file},
                {"hang", use_hang}};
    for (size_t p = 0; p < COUNT(rig_platforms); p++)
        for (size_t i = 0; i < COUNT(rows); i++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            uint64_t memory = 0, own_bytes = rig->device->memory_used;
            uint32_t own[] = {rig_create(rig, 4096), rig_long_batch(rig, 100)}, value = 1;
            rig_write(rig, own[0], 0, &value, sizeof value);
            own_bytes = rig->device->memory_used - own_bytes;
            size_t mappings = 0;
            for (unsigned n = 0; n < 3; n++) {
                rows[i].use(rig);
                rig_run_ns(rig, 2000000);
                if (n)
                    continue;
                /* The first time allocates what the kernel's and the file's contexts keep. Objects
                 * at the same addresses evict what was left there. */
                assert_int_equal(rig_exec(rig, 0, own, 2), 0);
                rig_run_ns(rig, 2000000);
                memory = rig->device->memory_used;
                mappings = rig->device->ggtt.count;
            }
            ROW(__LINE__, rig->device->memory_used == memory, "%s: %s leaves %lld bytes",
                rig_platforms[p], rows[i].name, (long long)(rig->device->memory_used - memory));
            ROW(__LINE__, rig->device->ggtt.count <= mappings, "%s: %s leaves %zu mappings, of %zu",
                rig_platforms[p], rows[i].name, rig->device->ggtt.count, mappings);
            for (unsigned k = 0; k < 2; k++) { /* which were evicted, too */
                struct drm_gem_close close = {own[k], 0};
                assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, 8), 0);
            }
            ROW(__LINE__, rig->device->memory_used == memory - own_bytes,
                "%s: %s leaves objects that were evicted", rig_platforms[p], rows[i].name);
            rig_free(rig);
        }
    ROWS_DONE();
}

static void test_small_calls(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        uint32_t request, dwords[6];
        int expected;
    } rows[] = {
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 0x40, 0x40}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 1, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 0x80, 0x80}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 2, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 1, 0x40}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {9, 0, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {9, 1, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_BUSY, {9, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_WAIT, {9, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_WAIT, {1, 1}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SW_FINISH, {1}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SW_FINISH, {9}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 1, 512, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 1, 0, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 1, 256, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 2, 128, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 2, 64, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 1, 262144, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 1, 262656, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 0x100, 0}, 0}, /* no engine's domain */
        {__LINE__, DRM_IOCTL_I915_GEM_SET_DOMAIN, {1, 2, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {1, 3, 512, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_TILING, {9, 0, 0, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_GET_TILING, {9, 0, 0, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_CACHING, {1, 2}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_CACHING, {1, 3}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_SET_CACHING, {9, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_GET_CACHING, {9, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_MADVISE, {1, 0, 0}, 0},
        {__LINE__, DRM_IOCTL_I915_GEM_MADVISE, {1, 2, 0}, -EINVAL},
        {__LINE__, DRM_IOCTL_I915_GEM_MADVISE, {9, 0, 0}, -ENOENT},
        {__LINE__, DRM_IOCTL_I915_GEM_THROTTLE, {0}, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        uint32_t dwords[6];
        rig_create(rig, 4096);
        memcpy(dwords, rows[i].dwords, sizeof dwords);
        int result = rig_call(rig, rows[i].request, dwords, sizeof dwords);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        rig_free(rig);
    }
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_set_tiling tiling = {rig_create(rig, 4096), 2, 1024, 9};
    struct drm_i915_gem_caching caching = {tiling.handle, 1};
    struct drm_i915_gem_get_aperture aperture;
    struct drm_i915_gem_madvise advice = {tiling.handle, 1, 0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_SET_TILING, &tiling, 16), 0);
    tiling = (struct drm_i915_gem_set_tiling){tiling.handle, 0, 9, 9};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_GET_TILING, &tiling, 16), 0);
    assert_int_equal(tiling.tiling_mode, 2);
    assert_int_equal(tiling.stride, 0); /* here, the swizzle */
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_SET_CACHING, &caching, 8), 0);
    caching.caching = 9;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_GET_CACHING, &caching, 8), 0);
    assert_int_equal(caching.caching, 1);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MADVISE, &advice, 12), 0);
    assert_int_equal(advice.retained, 0); /* it has no pages yet */
    advice.madv = 0;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MADVISE, &advice, 12), 0);
    assert_int_equal(advice.retained, 0);
    struct drm_i915_gem_pread gone = {tiling.handle, 0, 0, 4, rig_put(rig, NULL, 4)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PREAD, &gone, sizeof gone), -EFAULT);
    gone.handle = advice.handle = rig_create(rig, 4096);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PREAD, &gone, sizeof gone), 0);
    advice.madv = 1;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_MADVISE, &advice, 12), 0);
    assert_int_equal(advice.retained, 1); /* its pages are kept */
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_PREAD, &gone, sizeof gone), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_GET_APERTURE, &aperture, 16), 0);
    assert_true(aperture.aper_size == UINT64_C(1) << 32 &&
                aperture.aper_available_size < aperture.aper_size);
    rig_free(rig);
    ROWS_DONE();
}

int run_gem_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_memory_for_an_object),
        cmocka_unit_test(test_create),
        cmocka_unit_test(test_handles),
        cmocka_unit_test(test_create_ext),
        cmocka_unit_test(test_read_and_write),
        cmocka_unit_test(test_mmap_offset),
        cmocka_unit_test(test_mmap),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_close_while_busy),
        cmocka_unit_test(test_file_closes),
        cmocka_unit_test(test_memory_returns),
        cmocka_unit_test(test_fixed_addresses),
        cmocka_unit_test(test_loads_of_registers),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_small_calls),
    };
    return cmocka_run_group_tests_name("gem", tests, NULL, NULL);
}
