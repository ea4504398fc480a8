/* SPDX-License-Identifier: MIT */
/* Our numbers and structs are the kernel's: by its own header where that is there, and by the
 * documented sizes everywhere. */
#include "driver/rig.h"
#include "driver/tests.h"

#ifdef TALLY_LIBDRM
#include <drm.h>
#include <i915_drm.h>
#endif

static void test_sizes(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        size_t is, expected;
    } rows[] = {
        {__LINE__, sizeof(struct uapi_perf_open), 16},
        {__LINE__, sizeof(struct uapi_record_header), 8},
        {__LINE__, sizeof(struct uapi_perf_config), 72},
        {__LINE__, offsetof(struct uapi_perf_config, mux_ptr), 48},
        {__LINE__, sizeof(struct uapi_getparam), 16},
        {__LINE__, sizeof(struct uapi_query), 16},
        {__LINE__, sizeof(struct uapi_query_item), 24},
        {__LINE__, sizeof(struct uapi_query_config), 48},
        {__LINE__, offsetof(struct uapi_query_config, flags), 40},
        {__LINE__, sizeof(struct uapi_query_engines), 16},
        {__LINE__, sizeof(struct uapi_engine_info), 56},
        {__LINE__, sizeof(struct uapi_context_param), 24},
        {__LINE__, sizeof(struct uapi_sseu), 32},
        {__LINE__, sizeof(struct uapi_reg_read), 16},
        {__LINE__, sizeof(struct uapi_execbuffer), 64},
        {__LINE__, sizeof(struct uapi_version), 64},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, rows[i].is == rows[i].expected, "%zu bytes, expected %zu", rows[i].is,
            rows[i].expected);
    ROWS_DONE();
}

#ifdef TALLY_LIBDRM
static void test_kernel_header(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        unsigned long ours, theirs;
    } rows[] = {
#define NUMBER(name) {__LINE__, UAPI_##name, DRM_IOCTL_I915_##name}
#define SAME(ours, theirs)                                                                         \
    {                                                                                              \
        __LINE__, (unsigned long)(ours), (unsigned long)(theirs)                                   \
    }
#define SIZE(ours, theirs) SAME(sizeof(struct ours), sizeof(struct theirs))
        SAME(UAPI_VERSION, DRM_IOCTL_VERSION),
        SAME(UAPI_GET_UNIQUE, DRM_IOCTL_GET_UNIQUE),
        SAME(UAPI_GEM_CLOSE, DRM_IOCTL_GEM_CLOSE),
        SAME(UAPI_GET_CAP, DRM_IOCTL_GET_CAP),
        SAME(UAPI_SET_CLIENT_CAP, DRM_IOCTL_SET_CLIENT_CAP),
        NUMBER(GETPARAM),
        NUMBER(GEM_BUSY),
        NUMBER(GEM_THROTTLE),
        NUMBER(GEM_CREATE),
        NUMBER(GEM_CREATE_EXT),
        NUMBER(GEM_PREAD),
        NUMBER(GEM_PWRITE),
        NUMBER(GEM_MMAP),
        NUMBER(GEM_MMAP_GTT),
        NUMBER(GEM_MMAP_OFFSET),
        NUMBER(GEM_SET_DOMAIN),
        NUMBER(GEM_SW_FINISH),
        NUMBER(GEM_SET_TILING),
        NUMBER(GEM_GET_TILING),
        NUMBER(GEM_GET_APERTURE),
        NUMBER(GEM_MADVISE),
        NUMBER(GEM_EXECBUFFER2),
        NUMBER(GEM_EXECBUFFER2_WR),
        NUMBER(GEM_WAIT),
        NUMBER(GEM_CONTEXT_CREATE),
        NUMBER(GEM_CONTEXT_CREATE_EXT),
        NUMBER(GEM_CONTEXT_DESTROY),
        NUMBER(GEM_CONTEXT_GETPARAM),
        NUMBER(GEM_CONTEXT_SETPARAM),
        NUMBER(GEM_SET_CACHING),
        NUMBER(GEM_GET_CACHING),
        NUMBER(GEM_VM_CREATE),
        NUMBER(GEM_VM_DESTROY),
        NUMBER(REG_READ),
        NUMBER(GET_RESET_STATS),
        NUMBER(PERF_OPEN),
        NUMBER(PERF_ADD_CONFIG),
        NUMBER(PERF_REMOVE_CONFIG),
        NUMBER(QUERY),
        SAME(UAPI_STREAM_ENABLE, I915_PERF_IOCTL_ENABLE),
        SAME(UAPI_STREAM_DISABLE, I915_PERF_IOCTL_DISABLE),
        SAME(UAPI_STREAM_CONFIG, I915_PERF_IOCTL_CONFIG),
        SAME(UAPI_PERF_CLOEXEC, I915_PERF_FLAG_FD_CLOEXEC),
        SAME(UAPI_PERF_NONBLOCK, I915_PERF_FLAG_FD_NONBLOCK),
        SAME(UAPI_PERF_DISABLED, I915_PERF_FLAG_DISABLED),
        SAME(UAPI_PROPERTY_CTX_HANDLE, DRM_I915_PERF_PROP_CTX_HANDLE),
        SAME(UAPI_PROPERTY_SAMPLE_OA, DRM_I915_PERF_PROP_SAMPLE_OA),
        SAME(UAPI_PROPERTY_METRICS_SET, DRM_I915_PERF_PROP_OA_METRICS_SET),
        SAME(UAPI_PROPERTY_FORMAT, DRM_I915_PERF_PROP_OA_FORMAT),
        SAME(UAPI_PROPERTY_EXPONENT, DRM_I915_PERF_PROP_OA_EXPONENT),
        SAME(UAPI_PROPERTY_HOLD_PREEMPTION, DRM_I915_PERF_PROP_HOLD_PREEMPTION),
        SAME(UAPI_PROPERTY_GLOBAL_SSEU, DRM_I915_PERF_PROP_GLOBAL_SSEU),
        SAME(UAPI_PROPERTY_POLL_PERIOD, DRM_I915_PERF_PROP_POLL_OA_PERIOD),
        SAME(UAPI_RECORD_SAMPLE, DRM_I915_PERF_RECORD_SAMPLE),
        SAME(UAPI_RECORD_REPORT_LOST, DRM_I915_PERF_RECORD_OA_REPORT_LOST),
        SAME(UAPI_RECORD_BUFFER_LOST, DRM_I915_PERF_RECORD_OA_BUFFER_LOST),
        SAME(UAPI_QUERY_TOPOLOGY, DRM_I915_QUERY_TOPOLOGY_INFO),
        SAME(UAPI_QUERY_ENGINES, DRM_I915_QUERY_ENGINE_INFO),
        SAME(UAPI_QUERY_PERF_CONFIG, DRM_I915_QUERY_PERF_CONFIG),
        SAME(UAPI_QUERY_MEMORY_REGIONS, DRM_I915_QUERY_MEMORY_REGIONS),
        SAME(UAPI_CONFIG_LIST, DRM_I915_QUERY_PERF_CONFIG_LIST),
        SAME(UAPI_CONFIG_FOR_UUID, DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID),
        SAME(UAPI_CONFIG_FOR_ID, DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID),
        SAME(UAPI_CONTEXT_GTT_SIZE, I915_CONTEXT_PARAM_GTT_SIZE),
        SAME(UAPI_CONTEXT_PRIORITY, I915_CONTEXT_PARAM_PRIORITY),
        SAME(UAPI_CONTEXT_SSEU, I915_CONTEXT_PARAM_SSEU),
        SAME(UAPI_CONTEXT_VM, I915_CONTEXT_PARAM_VM),
        SAME(UAPI_CONTEXT_PERSISTENCE, I915_CONTEXT_PARAM_PERSISTENCE),
        SAME(UAPI_EXEC_NO_RELOC, I915_EXEC_NO_RELOC),
        SAME(UAPI_EXEC_HANDLE_LUT, I915_EXEC_HANDLE_LUT),
        SAME(UAPI_EXEC_SECURE, I915_EXEC_SECURE),
        SAME(UAPI_EXEC_FENCE_OUT, I915_EXEC_FENCE_OUT),
        SAME(UAPI_EXEC_FENCE_IN, I915_EXEC_FENCE_IN),
        SAME(UAPI_EXEC_BATCH_FIRST, I915_EXEC_BATCH_FIRST),
        SAME(UAPI_EXEC_KNOWN + 1, I915_EXEC_FENCE_ARRAY),
        SAME(UAPI_OBJECT_WRITE, EXEC_OBJECT_WRITE),
        SAME(UAPI_OBJECT_48BIT, EXEC_OBJECT_SUPPORTS_48B_ADDRESS),
        SAME(UAPI_OBJECT_PINNED, EXEC_OBJECT_PINNED),
        SAME(UAPI_OBJECT_PAD_TO_SIZE, EXEC_OBJECT_PAD_TO_SIZE),
        SAME(UAPI_OBJECT_KNOWN, 2 * EXEC_OBJECT_CAPTURE - 1),
        SIZE(uapi_perf_config, drm_i915_perf_oa_config),
        SIZE(uapi_gem_create, drm_i915_gem_create_ext),
        SIZE(uapi_create_regions, drm_i915_gem_create_ext_memory_regions),
        SIZE(uapi_extension, i915_user_extension),
        SIZE(uapi_region, drm_i915_memory_region_info),
        SIZE(uapi_gem_io, drm_i915_gem_pread),
        SIZE(uapi_gem_mmap, drm_i915_gem_mmap),
        SIZE(uapi_gem_mmap_offset, drm_i915_gem_mmap_offset),
        SIZE(uapi_set_domain, drm_i915_gem_set_domain),
        SIZE(uapi_tiling, drm_i915_gem_set_tiling),
        SIZE(uapi_aperture, drm_i915_gem_get_aperture),
        SIZE(uapi_madvise, drm_i915_gem_madvise),
        SIZE(uapi_wait, drm_i915_gem_wait),
        SIZE(uapi_context_create, drm_i915_gem_context_create_ext),
        SIZE(uapi_create_setparam, drm_i915_gem_context_create_ext_setparam),
        SIZE(uapi_sseu, drm_i915_gem_context_param_sseu),
        SIZE(uapi_vm, drm_i915_gem_vm_control),
        SIZE(uapi_reset_stats, drm_i915_reset_stats),
        SIZE(uapi_execbuffer, drm_i915_gem_execbuffer2),
        SIZE(uapi_exec_object, drm_i915_gem_exec_object2),
        SIZE(uapi_relocation, drm_i915_gem_relocation_entry),
        SAME(offsetof(struct uapi_relocation, presumed),
             offsetof(struct drm_i915_gem_relocation_entry, presumed_offset)),
        SAME(offsetof(struct uapi_exec_object, flags),
             offsetof(struct drm_i915_gem_exec_object2, flags)),
        SAME(offsetof(struct uapi_execbuffer, flags),
             offsetof(struct drm_i915_gem_execbuffer2, flags)),
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        ROW(rows[i].line, (uint32_t)rows[i].ours == (uint32_t)rows[i].theirs, "%lx, there %lx",
            rows[i].ours, rows[i].theirs);
    ROWS_DONE();
}
#endif

int run_uapi_tests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
#ifdef TALLY_LIBDRM
        cmocka_unit_test(test_kernel_header),
#endif
    };
    return cmocka_run_group_tests_name("uapi", tests, NULL, NULL);
}
