/* SPDX-License-Identifier: MIT */
/* The DRM core's calls: the bus id, masters, authentication, names of objects. Expected values are
 * those of the public DRM core. */
#include "driver/rig.h"
#include "driver/tests.h"

static int call_on(struct rig *rig, struct i915_file *file, uint32_t request, void *argument,
                   size_t size)
{
    struct i915_file *own = rig->file;
    rig->file = file;
    int result = rig_call(rig, request, argument, size);
    rig->file = own;
    return result;
}

static void test_bus_id(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint64_t at = rig_put(rig, NULL, 32);
    struct drm_unique unique = {32, (char *)(uintptr_t)at};
    static const struct {
        unsigned line;
        struct drm_set_version version;
        int expected;
        size_t length; /* of the bus id afterwards */
    } rows[] = {
        {__LINE__, {-1, -1, -1, -1}, 0, 0},      {__LINE__, {2, 0, -1, -1}, -EINVAL, 0},
        {__LINE__, {1, 5, -1, -1}, -EINVAL, 0},  {__LINE__, {1, -1, -1, -1}, -EINVAL, 0},
        {__LINE__, {1, 0, -1, -1}, 0, 0},        {__LINE__, {-1, 0, 1, 7}, -EINVAL, 0},
        {__LINE__, {-1, 0, 2, 0}, -EINVAL, 0},   {__LINE__, {1, 1, 1, 6}, 0, 16},
        {__LINE__, {1, 9, -1, -1}, -EINVAL, 16},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct drm_set_version version = rows[i].version;
        int result = rig_call(rig, DRM_IOCTL_SET_VERSION, &version, sizeof version);
        ROW(rows[i].line, result == rows[i].expected, "gave %d", result);
        ROW(rows[i].line,
            version.drm_di_major == 1 && version.drm_di_minor == 4 && version.drm_dd_major == 1 &&
                version.drm_dd_minor == 6,
            "version %d.%d, %d.%d", version.drm_di_major, version.drm_di_minor,
            version.drm_dd_major, version.drm_dd_minor);
        unique.unique_len = 32;
        assert_int_equal(rig_call(rig, DRM_IOCTL_GET_UNIQUE, &unique, sizeof unique), 0);
        ROW(rows[i].line, unique.unique_len == rows[i].length, "length %zu",
            (size_t)unique.unique_len);
    }
    assert_memory_equal(rig_at(rig, at), "pci:0000:00:02.0", 17);
    unique.unique = (char *)(uintptr_t)FAULTY;
    assert_int_equal(rig_call(rig, DRM_IOCTL_GET_UNIQUE, &unique, sizeof unique), -EFAULT);
    rig_free(rig);
    ROWS_DONE();
}

/* The first file is the master until it drops that. Only a master may make some calls. */
static void test_masters(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    struct i915_file *second, *render;
    struct drm_auth auth = {0};
    uint64_t none = 0;
    rig->caller.drm.privileged = false;
    assert_int_equal(i915_file_open(rig->device, true, &render), 0);
    assert_int_equal(i915_file_open(rig->device, false, &second), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SET_MASTER, &none, sizeof none), 0);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_SET_MASTER, &none, sizeof none), -EACCES);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_DROP_MASTER, &none, sizeof none), -EACCES);
    assert_int_equal(call_on(rig, render, DRM_IOCTL_SET_MASTER, &none, sizeof none), -EACCES);
    rig->caller.drm.process = 7; /* to which the file was passed */
    assert_int_equal(rig_call(rig, DRM_IOCTL_DROP_MASTER, &none, sizeof none), -EACCES);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SET_MASTER, &none, sizeof none), -EACCES);
    rig->caller.drm.process = 0;
    assert_int_equal(rig_call(rig, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), -EINVAL);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), -EACCES);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_INIT, &none, sizeof none),
                     -EACCES); /* not privileged */

    /* A number authenticates another file, once. */
    assert_int_equal(call_on(rig, second, DRM_IOCTL_I915_FLUSH, &none, sizeof none), -EACCES);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_GET_MAGIC, &auth, sizeof auth), 0);
    assert_int_equal(auth.magic, 1);
    assert_int_equal(rig_call(rig, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), -EINVAL);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_I915_FLUSH, &none, sizeof none), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GET_MAGIC, &auth, sizeof auth), 0);
    assert_int_equal(auth.magic, 2);
    struct drm_client client = {0};
    assert_int_equal(call_on(rig, second, DRM_IOCTL_GET_CLIENT, &client, sizeof client), 0);
    assert_int_equal(client.auth, 1);
    client.idx = 1;
    assert_int_equal(rig_call(rig, DRM_IOCTL_GET_CLIENT, &client, sizeof client), -EINVAL);

    rig->caller.drm.privileged = true;
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_INIT, &none, sizeof none), 0);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_SET_MASTER, &none, sizeof none), -EBUSY);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_DROP_MASTER, &none, sizeof none), -EINVAL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_DROP_MASTER, &none, sizeof none), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_DROP_MASTER, &none, sizeof none), -EINVAL);
    assert_int_equal(rig_call(rig, DRM_IOCTL_I915_INIT, &none, sizeof none), -EACCES);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_SET_MASTER, &none, sizeof none), 0);
    assert_int_equal(call_on(rig, second, DRM_IOCTL_I915_INIT, &none, sizeof none), 0);
    /* It is the first of other masters, to which the first one's number means nothing. */
    auth.magic = 2;
    assert_int_equal(call_on(rig, second, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), -EINVAL);
    i915_file_close(second);
    assert_int_equal(rig_call(rig, DRM_IOCTL_SET_MASTER, &none, sizeof none), 0);
    assert_int_equal(rig_call(rig, DRM_IOCTL_AUTH_MAGIC, &auth, sizeof auth), 0);
    rig->caller.drm.process = 7;
    client = (struct drm_client){0};
    assert_int_equal(rig_call(rig, DRM_IOCTL_GET_CLIENT, &client, sizeof client), 0);
    assert_int_equal(client.pid, 7);
    rig_free(rig);
}

/* An object has a name until its last handle is closed. */
static void test_names(void **state)
{
    (void)state;
    struct rig *rig = rig_new("skl", NULL);
    uint32_t first = rig_create(rig, 8192), second = rig_create(rig, 4096), word = 0x1234;
    struct drm_gem_flink flink = {.handle = 99};
    struct drm_gem_open open = {.name = 1};
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_FLINK, &flink, sizeof flink), -ENOENT);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_OPEN, &open, sizeof open), -ENOENT);
    for (unsigned i = 0; i < 2; i++) { /* again: the same name */
        flink.handle = second;
        assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_FLINK, &flink, sizeof flink), 0);
        assert_int_equal(flink.name, 1);
    }
    flink.handle = first;
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_FLINK, &flink, sizeof flink), 0);
    assert_int_equal(flink.name, 2);

    /* Another file shares the object. */
    struct i915_file *other;
    assert_int_equal(i915_file_open(rig->device, false, &other), 0);
    open.name = 2;
    assert_int_equal(call_on(rig, other, DRM_IOCTL_GEM_OPEN, &open, sizeof open), 0);
    assert_int_equal(open.handle, 1);
    assert_int_equal(open.size, 8192);
    rig_write(rig, first, 4096, &word, 4);
    struct drm_gem_close close = {.handle = first};
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, sizeof close), 0);
    struct drm_i915_gem_pread read = {1, 0, 4096, 4, rig_put(rig, NULL, 4)};
    assert_int_equal(call_on(rig, other, DRM_IOCTL_I915_GEM_PREAD, &read, sizeof read), 0);
    assert_memory_equal(rig_at(rig, read.data_ptr), &word, 4);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_OPEN, &open, sizeof open), 0);
    assert_int_equal(open.handle, first);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_CLOSE, &close, sizeof close), 0);
    i915_file_close(other);
    assert_int_equal(rig_call(rig, DRM_IOCTL_GEM_OPEN, &open, sizeof open), -ENOENT);
    rig_free(rig);
}

int run_core_tests(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bus_id),
        cmocka_unit_test(test_masters),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
