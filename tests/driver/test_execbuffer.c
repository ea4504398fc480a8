/* SPDX-License-Identifier: MIT */
/* EXECBUFFER2: checks, mapping, relocations, batches, several contexts, hangs. */
#include "driver/i915/device.h"
#include "driver/rig.h"
#include "driver/tests.h"

#define END       0x05000000u
#define CANONICAL UINT64_C(0xffff800000000000)

static int exec(struct rig *rig, const struct drm_i915_gem_exec_object2 *objects, uint32_t count,
                struct drm_i915_gem_execbuffer2 call, struct drm_i915_gem_exec_object2 *after)
{
    uint64_t before = rig->used;
    call.buffers_ptr = rig_put(rig, objects, count * sizeof *objects);
    call.buffer_count = count;
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call);
    if (after)
        memcpy(after, rig_at(rig, call.buffers_ptr), count * sizeof *after);
    rig->used = before;
    return result;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static void test_call_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct drm_i915_gem_execbuffer2 call;
        int expected;
    } rows[] = {
        {__LINE__, "skl", {.flags = 0}, 0},
        {__LINE__, "skl", {.flags = 1}, 0},
        {__LINE__, "skl", {.flags = 0x60801}, 0}, /* as in IGT's perf test */
        {__LINE__, "hsw", {.flags = 0x40001}, 0},
        {__LINE__, "skl", {.flags = 2}, 0}, /* video, copy, video enhancement */
        {__LINE__, "skl", {.flags = 3}, 0},
        {__LINE__, "skl", {.flags = 4}, 0},
        {__LINE__, "skl", {.flags = 5}, -EINVAL},
        {__LINE__, "snb", {.flags = 2}, 0},
        {__LINE__, "snb", {.flags = 3}, 0},
        {__LINE__, "snb", {.flags = 4}, -EINVAL},     /* a missing engine */
        {__LINE__, "skl", {.flags = 2 | 3 << 13}, 0}, /* of one video engine */
        {__LINE__, "icl", {.flags = 2}, 0},
        {__LINE__, "icl", {.flags = 2 | 1 << 13}, 0},
        {__LINE__, "icl", {.flags = 2 | 2 << 13}, 0},
        {__LINE__, "icl", {.flags = 2 | 3 << 13}, -EINVAL},
        {__LINE__, "icl", {.flags = 3 | 1 << 13}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 | 1 << 13}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 6}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 15}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 19}, 0}, /* an empty array of fences */
        {__LINE__, "skl", {.flags = 1 << 19, .num_cliprects = 1, .cliprects_ptr = USER}, -ENOENT},
        {__LINE__, "skl", {.flags = 1 << 19, .num_cliprects = 1, .cliprects_ptr = FAULTY}, -EFAULT},
        {__LINE__,
         "skl",
         {.flags = 1 << 19, .num_cliprects = 1 << 17, .cliprects_ptr = FAULTY},
         -EFAULT},
        {__LINE__,
         "skl",
         {.flags = 1 << 19, .num_cliprects = (1 << 17) + 1, .cliprects_ptr = FAULTY},
         -ENOMEM},
        {__LINE__, "skl", {.flags = 1 << 21}, 0}, /* no extensions */
        {__LINE__, "skl", {.flags = 1 << 21, .cliprects_ptr = FAULTY}, -EFAULT},
        {__LINE__, "skl", {.flags = 1 << 21, .num_cliprects = 1}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 20, .rsvd2 = 77}, 0},
        {__LINE__, "skl", {.flags = 1 << 20, .rsvd2 = 3}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 16 | 1 << 20, .rsvd2 = 77}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 22}, -EINVAL},
        {__LINE__, "hsw", {.flags = 1 << 8}, 0}, /* resets the offsets of stream output */
        {__LINE__, "hsw", {.flags = 1 << 8 | 3}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 8}, -EINVAL},
        {__LINE__, "skl", {.flags = UINT64_C(1) << 63}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 9}, -EPERM},
        {__LINE__, "lkf", {.flags = 1 << 9}, -ENODEV},
        {__LINE__, "skl", {.flags = 1 << 16, .rsvd2 = 77}, 0},
        {__LINE__, "skl", {.flags = 1 << 16, .rsvd2 = 3}, -EINVAL},
        {__LINE__, "skl", {.flags = 1 << 16, .rsvd2 = 0xffffffff}, -EINVAL},
        {__LINE__, "skl", {.num_cliprects = 1}, -EINVAL},
        {__LINE__, "skl", {.cliprects_ptr = USER}, -EINVAL},
        {__LINE__, "skl", {.DR1 = 1}, -EINVAL},
        {__LINE__, "skl", {.DR4 = 1}, -EINVAL},
        {__LINE__, "skl", {.DR4 = 0xffffffff}, 0},
        {__LINE__, "skl", {.batch_start_offset = 4}, -EINVAL},
        {__LINE__, "skl", {.batch_len = 4}, -EINVAL},
        {__LINE__, "skl", {.batch_start_offset = 8, .batch_len = 8}, 0},
        {__LINE__, "skl", {.batch_start_offset = 4096}, -EINVAL},
        {__LINE__, "skl", {.batch_start_offset = 8, .batch_len = 4096}, -EINVAL},
        {__LINE__, "skl", {.rsvd1 = 9}, -ENOENT},
        {__LINE__,
         "skl",
         {.rsvd1 = 9, .flags = 2},
         -ENOENT}, /* unknown context, so its engines are unknown */
        {__LINE__, "skl", {.rsvd1 = UINT64_C(1) << 32}, 0}, /* only 32 bits are used */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct drm_i915_gem_exec_object2 object = {.handle = rig_create(rig, 4096)};
        uint32_t end[] = {END, 0, END};
        rig_write(rig, object.handle, 0, end, sizeof end);
        int result = exec(rig, &object, 1, rows[i].call, NULL);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_run_ns(rig, 100000);
        rig_free(rig);
    }
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = FAULTY, .buffer_count = 1};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), -EFAULT);
    call.buffer_count = 0;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), -EINVAL);
    call.buffer_count = UINT32_MAX;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), -EINVAL);
    call.buffer_count = INT32_MAX;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2, &call, sizeof call), -ENOMEM);
    rig_free(rig);
    ROWS_DONE();
}

static void test_object_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        struct drm_i915_gem_exec_object2
            object; /* before the batch; handle 1 is the batch's, 2 another */
        uint64_t batch_flags, batch_offset;
        int expected;
    } rows[] = {
        {__LINE__, "skl", {.handle = 2}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 9}, 0, 0, -ENOENT},
        {__LINE__, "skl", {.handle = 0}, 0, 0, -ENOENT},
        {__LINE__, "skl", {.handle = 1}, 0, 0, 0}, /* twice */
        {__LINE__, "skl", {.handle = 2, .flags = 1 << 8}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0xed, .alignment = 1}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 2}, 0, 0, -EINVAL}, /* not in the GGTT */
        {__LINE__, "hsw", {.handle = 2, .flags = 2}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .alignment = 3}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .alignment = 1 << 20}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x20, .pad_to_size = 100}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x20, .pad_to_size = 4096}, 0, 0, 0},
        /* Addresses. */
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0x10000}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0x10010}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x18, .offset = CANONICAL}, 0, 0, 0},
        /* Without 48 bits objects end below the last page of 4 GB. */
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = CANONICAL}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0xffffe000}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0xfffff000}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x18, .offset = 0xfffff000}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = UINT64_C(1) << 47}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = UINT64_C(1) << 48}, 0, 0, -EINVAL},
        {__LINE__, "skl", {.handle = 2, .flags = 0x18, .offset = 0xfffffffffffff000}, 0, 0, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0x10000}, 0x10, 0x11000, 0},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0x10000}, 0x10, 0x10000, -ENOSPC},
        {__LINE__, "skl", {.handle = 2, .flags = 0x10, .offset = 0x10000}, 0x10, 0xf000, 0},
        {__LINE__, "hsw", {.handle = 2, .flags = 0x10, .offset = 0x8000000}, 0, 0, 0},
        {__LINE__, "hsw", {.handle = 2, .flags = 0x10, .offset = UINT64_C(1) << 31}, 0, 0, -EINVAL},
        {__LINE__, "hsw", {.handle = 2, .flags = 0x10, .offset = 0x100000}, 0, 0, -ENOSPC}, /* the
                                                                                    driver's own */
        /* A batch must not be written. */
        {__LINE__, "skl", {.handle = 2}, EXEC_OBJECT_WRITE, 0, -EINVAL},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        struct drm_i915_gem_exec_object2 objects[2] = {rows[i].object,
                                                       {.handle = rig_create(rig, 4096),
                                                        .flags = rows[i].batch_flags,
                                                        .offset = rows[i].batch_offset}};
        uint32_t end = END;
        assert_int_equal(rig_create(rig, 4096), 2);
        rig_write(rig, 1, 0, &end, 4);
        int result = exec(rig, objects, 2, (struct drm_i915_gem_execbuffer2){.flags = 1}, NULL);
        ROW(rows[i].line, result == rows[i].expected, "gave %d, expected %d", result,
            rows[i].expected);
        rig_run_ns(rig, 100000);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- addresses and relocations --------------------------------------------------------------- */

/* An object without an address of its own is placed at the one that the client expects, by default
 * 0, or at the next free one. A batch with relocations is not placed below 256 KiB. */
static void test_places(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *platform;
        bool relocates;
        uint64_t flags, offsets[2], expected[2]; /* of the object and the batch */
    } rows[] = {
        {__LINE__, "skl", false, 0, {0, 0}, {0, 0x1000}},
        {__LINE__, "skl", false, 0, {0x5000, 0}, {0x5000, 0}},
        {__LINE__, "skl", false, 0, {0x5000, 0x5000}, {0x5000, 0}},
        {__LINE__, "skl", false, 0, {0xffffe000, 0}, {0xffffe000, 0}},
        {__LINE__, "skl", false, 0, {0xfffff000, 0}, {0, 0x1000}}, /* above 4 GB - 4 KiB */
        {__LINE__,
         "skl",
         false,
         EXEC_OBJECT_SUPPORTS_48B_ADDRESS,
         {0xfffff000, 0},
         {0xfffff000, 0}},
        {__LINE__, "skl", true, 0, {0, 0}, {0, 0x40000}},
        {__LINE__, "skl", true, 0, {0x40000, 0x3f000}, {0x40000, 0x41000}},
        {__LINE__, "skl", true, 0, {0, 0x40000}, {0, 0x40000}},
        {__LINE__, "skl", true, EXEC_OBJECT_PINNED, {0x1000, 0}, {0x1000, 0}},
        {__LINE__, "bdw", false, 0, {0, 0}, {0, 0x1000}},
        {__LINE__, "hsw", false, 0, {0x4000000, 0x4000000}, {0x4000000, UINT64_MAX}},
        {__LINE__, "hsw", false, 0, {0, 0}, {UINT64_MAX, UINT64_MAX}}, /* the driver's own */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new(rows[i].platform, NULL);
        uint32_t end = END;
        uint64_t relocation =
            rig_put(rig,
                    &(struct drm_i915_gem_relocation_entry){
                        .target_handle = 1, .offset = 64, .presumed_offset = UINT64_MAX},
                    sizeof(struct drm_i915_gem_relocation_entry));
        struct drm_i915_gem_exec_object2 objects[2] = {{.offset = rows[i].offsets[0]},
                                                       {.relocation_count = rows[i].relocates,
                                                        .relocs_ptr = relocation,
                                                        .offset = rows[i].offsets[1]}},
                                         after[2];
        for (unsigned k = 0; k < 2; k++) {
            objects[k].handle = rig_create(rig, 4096);
            objects[k].flags = rows[i].flags;
        }
        rig_write(rig, objects[1].handle, 0, &end, 4);
        /* The second call changes nothing. */
        for (unsigned call = 0; call < 2; call++) {
            assert_int_equal(exec(rig, objects, 2, (struct drm_i915_gem_execbuffer2){0}, after), 0);
            for (unsigned k = 0; k < 2; k++)
                ROW(rows[i].line,
                    rows[i].expected[k] == UINT64_MAX ? after[k].offset >= 4096
                                                      : after[k].offset == rows[i].expected[k],
                    "call %u: object %u is at %#lx", call, k, (unsigned long)after[k].offset);
        }
        rig_run_ns(rig, 100000);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* With relocations, a batch that is below 256 KiB moves. */
static void test_batch_moves(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_relocation_entry entry = {
        .target_handle = 1, .offset = 64, .presumed_offset = UINT64_MAX};
    struct drm_i915_gem_exec_object2 object = {.handle = rig_create(rig, 4096)}, after;
    struct drm_i915_gem_execbuffer2 call = {0};
    uint32_t end = END;
    rig_write(rig, object.handle, 0, &end, 4);
    assert_int_equal(exec(rig, &object, 1, call, &after), 0);
    assert_true(after.offset == 0);
    object.relocs_ptr = rig_put(rig, &entry, sizeof entry);
    object.relocation_count = 1;
    assert_int_equal(exec(rig, &object, 1, call, &after), 0);
    assert_true(after.offset == 0x40000);
    object.relocation_count = 0;
    assert_int_equal(exec(rig, &object, 1, call, &after), 0);
    assert_true(after.offset == 0x40000); /* it stays where it is */
    rig_run_ns(rig, 100000);
    rig_free(rig);
}

/* A store through a relocation reaches the target, and the client learns the address. */
static void test_relocations(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        for (unsigned lut = 0; lut < 2; lut++) {
            struct rig *rig = rig_new(rig_platforms[p], NULL);
            bool wide = p > 0;
            uint32_t batch[8] = {0}, value = 0;
            struct drm_i915_gem_exec_object2 objects[2] = {{.handle = rig_create(rig, 8192)},
                                                           {.handle = rig_create(rig, 4096)}},
                                             after[2];
            batch[rig_put_store(rig, batch, 0, 0xabcd)] = END;
            rig_write(rig, objects[1].handle, 0, batch, sizeof batch);
            struct drm_i915_gem_relocation_entry entry = {
                .target_handle = lut ? 0 : objects[0].handle,
                .delta = 4096 + 8,
                .offset = wide ? 4 : 8,
                .presumed_offset = UINT64_MAX,
                .read_domains = 2,
                .write_domain = 2};
            uint64_t at = rig_put(rig, &entry, sizeof entry);
            objects[1].relocs_ptr = at;
            objects[1].relocation_count = 1;
            struct drm_i915_gem_execbuffer2 call = {.flags = lut ? I915_EXEC_HANDLE_LUT : 0};
            assert_int_equal(exec(rig, objects, 2, call, after), 0);
            struct drm_i915_gem_busy busy = {objects[0].handle, 0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &busy, 8), 0);
            assert_int_equal(busy.busy, 0x10001); /* the relocation marks it as written */
            rig_peek(rig, objects[0].handle, 4096 + 8, &value, 4);
            assert_int_equal(value, 0xabcd);
            memcpy(&entry, rig_at(rig, at), sizeof entry);
            assert_true(wide == !after[0].offset && after[1].offset >= 256 << 10);
            assert_true(entry.presumed_offset == after[0].offset);
            /* A correct presumed offset is not relocated again. */
            uint64_t nonsense = 0x1234;
            rig_write(rig, objects[1].handle, wide ? 4 : 8, &nonsense, 4);
            call.flags |= I915_EXEC_NO_RELOC;
            objects[0].offset = after[0].offset;
            objects[1].offset = after[1].offset;
            entry.presumed_offset = 7; /* ignored with NO_RELOC */
            memcpy(rig_at(rig, at), &entry, sizeof entry);
            uint32_t end = END;
            rig_write(rig, objects[1].handle, 0, &end, 4);
            assert_int_equal(exec(rig, objects, 2, call, NULL), 0);
            rig_peek(rig, objects[1].handle, wide ? 4 : 8, &value, 4);
            assert_int_equal(value, 0x1234);
            /* NO_RELOC holds only while the client knows every address. */
            objects[0].offset += 1 << 20;
            assert_int_equal(exec(rig, objects, 2, call, NULL), 0);
            rig_peek(rig, objects[1].handle, wide ? 4 : 8, &value, 4);
            assert_int_equal(value, (uint32_t)after[0].offset + 4096 + 8);
            rig_free(rig);
        }
    }
}

/* Only a relocation that changes the batch waits for it. */
static void test_relocations_do_not_wait(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool wrong; /* the presumed offset */
        bool busy;  /* the batch still runs after the call */
    } rows[] = {
        {__LINE__, false, true},
        {__LINE__, true, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        struct drm_i915_gem_exec_object2 object = {.handle = rig_long_batch(rig, 65536),
                                                   .offset = 1 << 20},
                                         after;
        struct drm_i915_gem_execbuffer2 call = {0};
        assert_int_equal(exec(rig, &object, 1, call, &after), 0);
        rig_run_ns(rig, 3000000);
        struct drm_i915_gem_relocation_entry entry = {
            .target_handle = object.handle,
            .offset = 2048,
            .presumed_offset = after.offset + (rows[i].wrong ? 4096 : 0),
            .read_domains = 2};
        object.offset = after.offset;
        struct i915_fences fences = {{0}};
        call.flags = I915_EXEC_FENCE_OUT;
        assert_int_equal(exec(rig, &object, 1, call, NULL), 0);
        fences = rig->fences[0];
        object.relocs_ptr = rig_put(rig, &entry, sizeof entry);
        object.relocation_count = 1;
        call.flags = 0;
        assert_int_equal(exec(rig, &object, 1, call, NULL), 0);
        ROW(rows[i].line, !i915_fences_done(rig->device, &fences) == rows[i].busy,
            "the call waited, or did not");
        rig_run_ns(rig, 3000000);
        rig_free(rig);
    }
    ROWS_DONE();
}

static void test_relocation_checks(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        struct drm_i915_gem_relocation_entry entry; /* target 1: the batch, 2: the object; offset */
        uint64_t flags;
        bool faults;
        int expected;
    } rows[] = {
        {__LINE__, {.target_handle = 2, .offset = 64}, 0, false, 0},
        {__LINE__, {.target_handle = 1, .offset = 64}, 0, false, 0},
        {__LINE__, {.target_handle = 3, .offset = 64}, 0, false, -ENOENT}, /* not in the list */
        {__LINE__, {.target_handle = 9, .offset = 64}, 0, false, -ENOENT},
        {__LINE__, {.target_handle = 1, .offset = 64}, I915_EXEC_HANDLE_LUT, false, 0},
        {__LINE__, {.target_handle = 2, .offset = 64}, I915_EXEC_HANDLE_LUT, false, -ENOENT},
        {__LINE__, {.target_handle = 2, .offset = 4088}, 0, false, 0},
        {__LINE__, {.target_handle = 2, .offset = 4092}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = UINT64_MAX - 3}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = 66}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = 64, .write_domain = 6}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = 64, .read_domains = 1}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = 64, .write_domain = 0x40}, 0, false, -EINVAL},
        {__LINE__, {.target_handle = 2, .offset = 64}, 0, true, -EFAULT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        uint32_t end = END;
        struct drm_i915_gem_relocation_entry entry = rows[i].entry;
        entry.presumed_offset = UINT64_MAX;
        struct drm_i915_gem_exec_object2 objects[2] = {
            {.handle = 2},
            {.handle = 1,
             .relocation_count = 1,
             .relocs_ptr = rows[i].faults ? FAULTY : rig_put(rig, &entry, sizeof entry)}};
        for (uint32_t handle = 1; handle <= 3; handle++)
            assert_int_equal(rig_create(rig, 4096), handle);
        rig_write(rig, 1, 0, &end, 4);
        struct drm_i915_gem_execbuffer2 call = {.flags = rows[i].flags};
        int result = exec(rig, objects, 2, call, NULL);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        rig_run_ns(rig, 100000);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Two objects take turns at one address: the pinned one displaces the other. */
static void test_eviction(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t targets[2] = {rig_create(rig, 4096), rig_create(rig, 4096)}, value;
        uint32_t batch_handle = rig_create(rig, 4096), batch[8] = {0};
        for (unsigned round = 0; round < 6; round++) {
            uint32_t handles[] = {targets[round % 2], batch_handle};
            batch[rig_put_store(rig, batch, ADDRESS(0) + 16, round + 1)] = END;
            rig_write(rig, batch_handle, 0, batch, sizeof batch);
            assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
            rig_peek(rig, handles[0], 16, &value, 4);
            assert_int_equal(value, round + 1);
        }
        rig_peek(rig, targets[0], 16, &value, 4);
        assert_int_equal(value, 5);
        rig_free(rig);
    }
}

/* Each context has its own addresses from Gen8 on. */
static void test_contexts_are_apart(void **state)
{
    (void)state;
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t contexts[] = {0, rig_context(rig), rig_context(rig)}, targets[3], value;
        uint32_t batches[3], batch[8] = {0};
        for (unsigned i = 0; i < 3; i++) {
            targets[i] = rig_create(rig, 4096);
            batches[i] = rig_create(rig, 4096);
            batch[rig_put_store(rig, batch, ADDRESS(0), 100 + i)] = END;
            rig_write(rig, batches[i], 0, batch, sizeof batch);
        }
        for (unsigned i = 0; i < 3; i++) {
            uint32_t handles[] = {targets[i], batches[i]};
            assert_int_equal(rig_exec(rig, contexts[i], handles, 2), 0);
        }
        for (unsigned i = 0; i < 3; i++) {
            rig_peek(rig, targets[i], 0, &value, 4);
            assert_int_equal(value, 100 + i);
        }
        rig_free(rig);
    }
}

/* A new context does not see the general purpose registers and statistics of another one. */
static void test_new_contexts(void **state)
{
    (void)state;
    for (size_t p = 1; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t contexts[] = {0, rig_context(rig)}, value[2];
        uint32_t handles[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
        for (unsigned i = 0; i < 2; i++) {
            /* The first context: MI_LOAD_REGISTER_IMM of CS_GPR0, a draw of three vertices.
             * Both: MI_STORE_REGISTER_MEM of CS_GPR0 and IA_VERTICES_COUNT. */
            const uint32_t address = (uint32_t)ADDRESS(0);
            const uint32_t batch[] = {i ? 0 : 0x11000001,
                                      i ? 0 : 0x2600,
                                      i ? 0 : 0xabc,
                                      i ? 0 : 0x680b0001,
                                      i ? 0 : 0x7b000005,
                                      i ? 0 : 4,
                                      i ? 0 : 3,
                                      0,
                                      i ? 0 : 1,
                                      0,
                                      0,
                                      i ? 0 : 0x7a000004,
                                      i ? 0 : 1 << 20,
                                      0,
                                      0,
                                      0,
                                      0,
                                      0x12000002,
                                      0x2600,
                                      address,
                                      0,
                                      0x12000002,
                                      0x2310,
                                      address + 4,
                                      0,
                                      END};
            rig_write(rig, handles[1], 0, batch, sizeof batch);
            assert_int_equal(rig_exec(rig, contexts[i], handles, 2), 0);
            rig_peek(rig, handles[0], 0, value, 8);
            ROW(__LINE__, value[0] == (i ? 0 : 0xabc) && value[1] == (i ? 0 : 3),
                "%s, context %u: %x, %u", rig_platforms[p], i, value[0], value[1]);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* ---- execution ------------------------------------------------------------------------------- */

/* A new context does not have another one's predicates, parameters, statistics and offsets of
 * stream output. Before Gen8, predicates are no part of a context. */
static void test_new_contexts_registers(void **state)
{
    (void)state;
    enum { GEN8_ONLY = 9, VALUE = 5 };
    static const uint32_t registers[] = {0x2400, 0x2404, 0x2408, 0x240c, 0x2410, 0x2414, 0x2418,
                                         0x241c, 0x2158, 0x2420, 0x2430, 0x2434, 0x2438, 0x243c,
                                         0x2440, 0x2290, 0x2294, 0x2300, 0x2344, 0x2500, 0x2504,
                                         0x2508, 0x5200, 0x521c, 0x5240, 0x525c, 0x5280, 0x528c};
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        bool wide = has_execlists(rig->device);
        size_t first = wide ? 0 : GEN8_ONLY;
        uint32_t contexts[] = {0, rig_context(rig)}, values[COUNT(registers)];
        uint32_t handles[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
        for (unsigned i = 0; i < 2; i++) {
            uint32_t batch[7 * COUNT(registers) + 1] = {0}, at = 0;
            for (size_t r = first; r < COUNT(registers) && i == 0; r++) {
                batch[at++] = 0x11000001; /* MI_LOAD_REGISTER_IMM */
                batch[at++] = registers[r];
                batch[at++] = VALUE;
            }
            for (size_t r = first; r < COUNT(registers); r++) {
                batch[at++] = 0x12000001 + wide; /* MI_STORE_REGISTER_MEM */
                batch[at++] = registers[r];
                batch[at++] = (uint32_t)(ADDRESS(0) + 4 * r);
                at += wide;
            }
            batch[at] = END;
            rig_write(rig, handles[1], 0, batch, sizeof batch);
            assert_int_equal(rig_exec(rig, contexts[i], handles, 2), 0);
            rig_peek(rig, handles[0], 0, values, sizeof values);
            for (size_t r = first; r < COUNT(registers); r++)
                ROW(__LINE__, i == 0 ? values[r] && (values[r] & VALUE) == values[r] : !values[r],
                    "%s: context %u: %x is %x", rig_platforms[p], i, registers[r], values[r]);
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* I915_EXEC_GEN7_SOL_RESET: the batch's stream output begins at the start of its buffers. */
static void test_stream_reset(void **state)
{
    (void)state;
    static const uint32_t set[] = {0x11000003, 0x5280, 0x60, 0x528c, 0x40, END};
    static const uint64_t flags[] = {0, I915_EXEC_GEN7_SOL_RESET, 0};
    struct rig *rig = rig_new("hsw", NULL);
    uint32_t target = rig_create(rig, 4096), setter = rig_create(rig, 4096),
             reader = rig_create(rig, 4096);
    const uint32_t read[] = {0x12000001, 0x5280, (uint32_t)ADDRESS(0),
                             0x12000001, 0x528c, (uint32_t)ADDRESS(0) + 4,
                             END};
    rig_write(rig, setter, 0, set, sizeof set);
    rig_write(rig, reader, 0, read, sizeof read);
    assert_int_equal(rig_exec(rig, 0, (uint32_t[]){target, setter}, 2), 0);
    for (unsigned i = 0; i < COUNT(flags); i++) {
        uint32_t values[2];
        assert_int_equal(rig_exec_on(rig, I915_EXEC_RENDER | flags[i], 0,
                                     (uint32_t[]){target, reader}, 2, EXEC_OBJECT_WRITE),
                         0);
        rig_peek(rig, target, 0, values, sizeof values);
        ROW(__LINE__, values[0] == (i ? 0 : 0x60) && values[1] == (i ? 0 : 0x40), "%u: %x, %x", i,
            values[0], values[1]);
    }
    rig_free(rig);
    ROWS_DONE();
}

/* MI_REPORT_PERF_COUNT writes a report with the client's id and nothing after it (mi-rpc of IGT's
 * perf test). */
static void test_report_perf_count(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        bool wide = p > 0;
        uint32_t handles[] = {rig_create(rig, 4096), rig_create(rig, 4096)};
        uint32_t batch[8] = {0}, report[65];
        uint8_t fill[4096];
        memset(fill, 0x80, sizeof fill);
        int fd = rig_open_usual(rig, 0, -1, NULL, 0);
        assert_true(fd >= 0);
        if (wide)
            memcpy(batch, (uint32_t[]){0x14000002, (uint32_t)ADDRESS(0), 0, 0xdeadbeef, END}, 20);
        else
            memcpy(batch, (uint32_t[]){0x14000001, (uint32_t)ADDRESS(0), 0xdeadbeef, END}, 16);
        rig_write(rig, handles[0], 0, fill, sizeof fill);
        rig_write(rig, handles[1], 0, batch, sizeof batch);
        rig_run_ns(rig, 10000);
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        rig_peek(rig, handles[0], 0, report, sizeof report);
        assert_int_equal(report[0], 0xdeadbeef);
        assert_int_not_equal(report[1], 0);
        assert_int_not_equal(report[63], 0x80808080);
        assert_int_equal(report[64], 0x80808080);
        if (wide)
            assert_int_equal(report[2],
                             i915_context_peek(rig->file, 0)->states[CS_RCS0].submitted_id);
        rig_free(rig);
    }
}

/* Many contexts in turn, more than the ports, without waiting in between. */
static void test_turns(void **state)
{
    (void)state;
    enum { CONTEXTS = 5, ROUNDS = 12 };
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t contexts[CONTEXTS], log = rig_create(rig, 4096);
        uint32_t batch[8] = {0}, values[CONTEXTS * ROUNDS];
        struct random rng = random_start(p);
        for (unsigned i = 0; i < CONTEXTS; i++)
            contexts[i] = i ? rig_context(rig) : 0;
        for (unsigned i = 0; i < CONTEXTS * ROUNDS; i++) {
            uint32_t handles[] = {log, rig_create(rig, 4096)};
            batch[rig_put_store(rig, batch, ADDRESS(0) + 4 * i, i + 1)] = END;
            rig_write(rig, handles[1], 0, batch, sizeof batch);
            assert_int_equal(rig_exec(rig, contexts[random_below(&rng, CONTEXTS)], handles, 2), 0);
            if (random_below(&rng, 8) == 0)
                rig_run_ns(rig, 1 + random_below(&rng, 3000));
        }
        uint64_t before = tally_gpu_now_ns(rig->gpu);
        rig_peek(rig, log, 0, values, sizeof values);
        assert_true(tally_gpu_now_ns(rig->gpu) - before < 10000000);
        for (unsigned i = 0; i < CONTEXTS * ROUNDS; i++)
            assert_int_equal(values[i], i + 1);
        rig_free(rig);
    }
}

/*
 * A request that runs, or has just completed, must not start again when its context gets another
 * request: neither after a completed request that was not retired yet, nor before the hardware has
 * released the context.
 */
static void test_nothing_runs_twice(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t quick = rig_long_batch(rig, 1000), slow = rig_long_batch(rig, 200000);
        uint32_t context = rig_context(rig), handles[] = {quick, slow};
        struct i915_device *device = rig->device;
        assert_int_equal(rig_exec(rig, 0, &quick, 1), 0);
        assert_int_equal(rig_exec(rig, context, handles, 2), 0);
        tally_gpu_run(rig->gpu, 100000); /* without a tick */
        assert_int_equal(rig_exec(rig, context, handles, 2), 0);
        tally_gpu_run(rig->gpu, 330000);
        ROW(__LINE__, rig_engines_done(device), "%s: not done", rig_platforms[p]);
        rig_run_ns(rig, 1000000);
        assert_int_equal(rig_exec(rig, context, handles, 2), 0);
        while (!rig_engines_done(device))
            tally_gpu_run(rig->gpu, 1);
        i915_device_tick(device);
        assert_int_equal(rig_exec(rig, 0, &quick, 1), 0);
        assert_int_equal(rig_exec(rig, context, &quick, 1), 0);
        for (unsigned i = 0; i < 20; i++) {
            tally_gpu_run(rig->gpu, 3000);
            i915_device_tick(device);
        }
        ROW(__LINE__, rig_engines_done(device), "%s: not done in time", rig_platforms[p]);
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A ring wraps around many times, and a client that is far ahead waits for free space. */
static void test_rings_go_round(void **state)
{
    (void)state;
    static const char *const two[] = {"hsw", "icl"};
    for (size_t p = 0; p < COUNT(two); p++) {
        struct rig *rig = rig_new(two[p], NULL);
        uint32_t end = END, batch = rig_create(rig, 4096);
        rig_write(rig, batch, 0, &end, 4);
        for (unsigned i = 0; i < 3000; i++)
            assert_int_equal(rig_exec(rig, 0, &batch, 1), 0);
        rig_run_ns(rig, 3000000);
        assert_true(rig_engines_done(rig->device));
        rig_free(rig);
    }
}

/* ---- fences ---------------------------------------------------------------------------------- */

static void test_fences(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct drm_i915_gem_exec_object2 object = {.handle = rig_long_batch(rig, 65536)};
    uint64_t at = rig_put(rig, &object, sizeof object);
    struct drm_i915_gem_execbuffer2 call = {.buffers_ptr = at,
                                            .buffer_count = 1,
                                            .flags = I915_EXEC_FENCE_OUT,
                                            .rsvd2 = UINT64_C(0x1122334455667788)};
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &call, sizeof call), 0);
    assert_true(call.rsvd2 == (UINT64_C(77) << 32 | 0x55667788));
    assert_false(i915_fence_done(rig->device, rig->fence));
    rig_run_ns(rig, 200000);
    assert_true(i915_fence_done(rig->device, rig->fence));
    rig->caller.open_fence = NULL;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, &call, sizeof call), -EINVAL);
    rig_free(rig);
}

/* ---- hangs ----------------------------------------------------------------------------------- */

/* A hung batch is skipped after the timeout; others continue. The third hang bans its context. */
static void test_hangs(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(rig_platforms[p], &settings);
        uint32_t bad = rig_create(rig, 4096), guilty = rig_context(rig),
                 innocent = rig_context(rig);
        uint32_t handles[] = {rig_create(rig, 4096), rig_create(rig, 4096)}, batch[8] = {0}, value;
        uint32_t nonsense = 0x0f800000;
        rig_write(rig, bad, 0, &nonsense, 4);
        for (unsigned i = 1; i <= 3; i++) {
            batch[rig_put_store(rig, batch, ADDRESS(0), i)] = END;
            rig_write(rig, handles[1], 0, batch, sizeof batch);
            assert_int_equal(rig_exec(rig, guilty, &bad, 1), 0);
            assert_int_equal(rig_exec(rig, innocent, handles, 2), 0);
            rig_peek(rig, handles[0], 0, &value, 4);
            assert_int_equal(value, i);
            rig->hangs++;
            struct drm_i915_reset_stats stats = {guilty, 0, 0, 0, 0, 0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                             0);
            assert_int_equal(stats.batch_active, i);
            assert_int_equal(stats.batch_pending, 0);
            assert_int_equal(stats.reset_count, 0); /* of the whole GPU */
            stats = (struct drm_i915_reset_stats){innocent, 0, 0, 0, 0, 0};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                             0);
            assert_int_equal(stats.batch_active, 0);
            assert_int_equal(stats.batch_pending, 0); /* it did not run */
        }
        assert_int_equal(rig_exec(rig, guilty, handles, 2), -EIO);
        assert_int_equal(rig_exec(rig, innocent, handles, 2), 0);
        assert_int_equal(rig_exec(rig, 0, handles, 2), 0);
        rig_run_ns(rig, 500000);
        struct drm_i915_reset_stats stats = {innocent, 1, 0, 0, 0, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                         -EINVAL);
        stats = (struct drm_i915_reset_stats){99, 0, 0, 0, 0, 0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats),
                         -ENOENT);
        rig_free(rig);
    }
}

/* The error state has the objects that the request that hangs listed for it, as a whole. */
static void test_captured_objects(void **state)
{
    (void)state;
    enum { BYTES = 8192, AT = 4100 };
    static const struct {
        unsigned line;
        uint64_t flags, next_flags; /* of the object, in the batch that hangs and in the next one */
        unsigned captured;
    } rows[] = {
        {__LINE__, 0, 0, 0},
        {__LINE__, EXEC_OBJECT_CAPTURE, 0, 1},
        {__LINE__, 0, EXEC_OBJECT_CAPTURE, 0},
        {__LINE__, EXEC_OBJECT_CAPTURE, EXEC_OBJECT_CAPTURE, 1},
    };
    for (size_t i = 0; i < 2 * COUNT(rows); i++) {
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(i % 2 ? "hsw" : "skl", &settings);
        struct drm_i915_gem_exec_object2 objects[] = {
            {.handle = rig_create(rig, BYTES),
             .flags = rows[i / 2].flags | EXEC_OBJECT_PINNED,
             .offset = ADDRESS(0)},
            {.handle = rig_create(rig, 4096)}};
        uint32_t value = 0x12345678, nonsense = 0x0f800000, end = END;
        char expected[64 + BYTES] = "";
        rig_write(rig, objects[0].handle, AT, &value, 4);
        rig_write(rig, objects[1].handle, 0, &nonsense, 4);
        assert_int_equal(exec(rig, objects, 2, (struct drm_i915_gem_execbuffer2){0}, NULL), 0);
        objects[0].flags = rows[i / 2].next_flags | EXEC_OBJECT_PINNED;
        objects[1] = (struct drm_i915_gem_exec_object2){.handle = rig_create(rig, 4096)};
        rig_write(rig, objects[1].handle, 0, &end, 4);
        assert_int_equal(exec(rig, objects, 2, (struct drm_i915_gem_execbuffer2){0}, NULL), 0);
        rig->hangs = 1;
        rig_run_ns(rig, 4000000);
        strcat(expected, "\nrcs0 --- user = 0x00000000 40000000\n~");
        size_t length = strlen(expected), size;
        memset(expected + length, 'z', AT / 4);
        memcpy(expected + length + AT / 4, "&i<X6", 5);
        memset(expected + length + AT / 4 + 5, 'z', (BYTES - AT) / 4 - 1);
        expected[strlen(expected)] = '\n';
        const char *text = i915_device_error(rig->device, &size);
        ROW(rows[i / 2].line, size && memmem(text, size, "--- batch = ", 12), "no batch");
        ROW(rows[i / 2].line,
            !memmem(text, size, "user", 4) == !rows[i / 2].captured &&
                !memmem(text, size, expected, strlen(expected)) == !rows[i / 2].captured,
            "captured or not");
        rig_free(rig);
    }
    ROWS_DONE();
}

static int create_context(struct rig *rig, uint32_t *id)
{
    struct drm_i915_gem_context_create_ext args = {0};
    int result = rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, &args, sizeof args);
    *id = args.ctx_id;
    return result;
}

/* When a request counts as hung depends on its engine's heartbeat. */
static void test_heartbeats(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        const char *engine;
        uint32_t ms;
        bool detects;
        uint64_t alive_ns, hung_ns; /* it runs; it was reset. 0: it never is */
    } rows[] = {
        {__LINE__, "rcs0", 100, true, 90000000, 110000000},
        {__LINE__, "rcs0", 1, true, 900000, 1100000},
        {__LINE__, "rcs0", 2500, true, 600000000, 700000000},
        {__LINE__, "rcs0", 0, true, 5000000000, 0},
        {__LINE__, "rcs0", 100, false, 5000000000, 0},
        {__LINE__, "bcs0", 1, true, 600000000, 700000000},
        {__LINE__, "rcs", 1, true, 600000000, 700000000},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct rig *rig = rig_new("skl", NULL);
        uint32_t bad = rig_create(rig, 4096), jump[] = {0x18800101, (uint32_t)ADDRESS(0), 0};
        struct drm_i915_gem_busy busy = {bad, 0};
        assert_int_equal(i915_engine_set_heartbeat(rig->device, rows[i].engine, rows[i].ms), 0);
        i915_device_detect_hangs(rig->device, rows[i].detects);
        rig_write(rig, bad, 0, jump, sizeof jump);
        assert_int_equal(rig_exec(rig, rig_context(rig), &bad, 1), 0);
        rig_run_ns(rig, rows[i].alive_ns);
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &busy, sizeof busy), 0);
        ROW(rows[i].line, busy.busy, "it was reset early");
        if (rows[i].hung_ns) {
            rig_run_ns(rig, rows[i].hung_ns - rows[i].alive_ns);
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_BUSY, &busy, sizeof busy), 0);
            ROW(rows[i].line, !busy.busy, "it was not reset");
            rig->hangs = 1;
        }
        rig_free(rig);
    }
    ROWS_DONE();
}

/* A context that is not recoverable is banned by its first hang, and the client by the third such
 * context. */
static void test_banned_clients(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(rig_platforms[p], &settings);
        uint32_t bad = rig_create(rig, 4096), good = rig_create(rig, 4096), context,
                 nonsense = 0x0f800000, end = END;
        rig_write(rig, bad, 0, &nonsense, 4);
        rig_write(rig, good, 0, &end, 4);
        for (rig->hangs = 0; rig->hangs < 3; rig->hangs++) {
            assert_int_equal(create_context(rig, &context), 0);
            struct drm_i915_gem_context_param set = {.ctx_id = context,
                                                     .param = I915_CONTEXT_PARAM_RECOVERABLE};
            assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &set, sizeof set),
                             0);
            assert_int_equal(rig_exec(rig, context, &bad, 1), 0);
            rig_run_ns(rig, 2000000);
            assert_int_equal(rig_exec(rig, context, &good, 1), -EIO);
        }
        assert_int_equal(create_context(rig, &context), -EIO);
        assert_int_equal(rig_exec(rig, 0, &good, 1), 0);
        rig_run_ns(rig, 2000000);
        rig_free(rig);
    }
}

/* What is behind a hang of a context fails with it if the context is closed. */
static void test_hangs_of_closed_contexts(void **state)
{
    (void)state;
    for (size_t p = 0; p < 2 * COUNT(rig_platforms); p++) {
        bool closes = p % 2;
        struct i915_settings settings = {.hang_ns = 1000000};
        struct rig *rig = rig_new(rig_platforms[p / 2], &settings);
        uint32_t bad = rig_create(rig, 4096), good = rig_create(rig, 4096),
                 context = rig_context(rig), nonsense = 0x0f800000, end = END;
        uint32_t both[] = {bad, good};
        rig_write(rig, bad, 0, &nonsense, 4);
        rig_write(rig, good, 0, &end, 4);
        assert_int_equal(rig_exec_on(rig, 0, context, &bad, 1, 0), 0);
        assert_int_equal(rig_exec_on(rig, 0, context, both, 2, 0), 0);
        struct i915_fences fences = i915_object_fences(i915_file_object(rig->file, good), false);
        struct drm_i915_gem_context_destroy destroy = {context, 0};
        if (closes)
            assert_int_equal(
                rig_call(rig, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &destroy, sizeof destroy), 0);
        rig_run_ns(rig, 3000000);
        int status = i915_fences_status(rig->device, &fences);
        ROW(__LINE__, status == (closes ? -EIO : 1), "%s, %d: %d", rig_platforms[p / 2], closes,
            status);
        rig->hangs = 1;
        rig_free(rig);
    }
    ROWS_DONE();
}

/* Without resets a hang loses the GPU, until a reset recovers it. */
static void test_lost_gpu(void **state)
{
    (void)state;
    for (size_t p = 0; p < COUNT(rig_platforms); p++) {
        struct rig *rig = rig_new(rig_platforms[p], NULL);
        uint32_t bad = rig_create(rig, 4096), good = rig_create(rig, 4096), context,
                 nonsense = 0x0f800000, end = END;
        rig_write(rig, bad, 0, &nonsense, 4);
        rig_write(rig, good, 0, &end, 4);
        i915_device_set_reset(rig->device, I915_RESET_NONE);
        assert_int_equal(rig_exec(rig, 0, &bad, 1), 0);
        rig_run_ns(rig, 100000);
        i915_device_reset(rig->device, 1);
        assert_true(i915_device_is_wedged(rig->device));
        assert_int_equal(rig_exec(rig, 0, &good, 1), -EIO);
        assert_int_equal(create_context(rig, &context), -EIO);
        i915_device_recover(rig->device); /* resets are not allowed yet */
        assert_true(i915_device_is_wedged(rig->device));
        i915_device_set_reset(rig->device, I915_RESET_ENGINES);
        assert_int_equal(rig_exec(rig, 0, &good, 1), -EIO);
        i915_device_recover(rig->device);
        assert_false(i915_device_is_wedged(rig->device));
        assert_int_equal(rig_exec(rig, 0, &good, 1), 0);
        rig_run_ns(rig, 2000000);
        struct drm_i915_reset_stats stats = {0};
        assert_int_equal(rig_call(rig, DRM_IOCTL_I915_GET_RESET_STATS, &stats, sizeof stats), 0);
        assert_int_equal(stats.reset_count, 3);
        rig->hangs = 1;
        rig_free(rig);
    }
}

/* A stream survives the hang of another context. */
static void test_hang_with_stream(void **state)
{
    (void)state;
    struct i915_settings settings = {.hang_ns = 1000000};
    struct rig *rig = rig_new("skl", &settings);
    uint32_t bad = rig_create(rig, 4096), nonsense = 0x0f800000;
    rig_write(rig, bad, 0, &nonsense, 4);
    int fd = rig_open_usual(rig, 0, 8, NULL, 0);
    assert_int_equal(rig_exec(rig, 0, &bad, 1), 0);
    rig->hangs = 1;
    rig_run_ns(rig, 12000000);
    struct records records = rig_records(rig, rig_read(rig, fd, USER_BYTES, false));
    assert_true(records.samples > 100 && !records.buffer_lost && !records.report_lost);
    rig_close(rig, fd);
    rig_free(rig);
}

int run_execbuffer_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call_checks),
        cmocka_unit_test(test_object_checks),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_batch_moves),
        cmocka_unit_test(test_relocations),
        cmocka_unit_test(test_relocations_do_not_wait),
        cmocka_unit_test(test_relocation_checks),
        cmocka_unit_test(test_eviction),
        cmocka_unit_test(test_contexts_are_apart),
        cmocka_unit_test(test_new_contexts),
        cmocka_unit_test(test_new_contexts_registers),
        cmocka_unit_test(test_stream_reset),
        cmocka_unit_test(test_report_perf_count),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_rings_go_round),
        cmocka_unit_test(test_nothing_runs_twice),
        cmocka_unit_test(test_fences),
        cmocka_unit_test(test_hangs),
        cmocka_unit_test(test_captured_objects),
        cmocka_unit_test(test_heartbeats),
        cmocka_unit_test(test_banned_clients),
        cmocka_unit_test(test_hangs_of_closed_contexts),
        cmocka_unit_test(test_lost_gpu),
        cmocka_unit_test(test_hang_with_stream),
    };
    return cmocka_run_group_tests_name("execbuffer", tests, NULL, NULL);
}
