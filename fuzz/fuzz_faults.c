/* SPDX-License-Identifier: MIT */
/*
 * Checks and loads the input as a fault script. If it is valid, injects the faults in a GPU that
 * the last byte selects, with an open stream, for 2 ms.
 */
#include "fuzz.h"

#include <errno.h>
#include <string.h>

#include <tally/gpu.h>

#include "base/bits.h"
#include "base/yaml.h"
#include "emulation/emulation.h"
#include "emulation/faults/faults.h"
#include "lengthen.h"
#include "mistakes.h"
#include "platforms.h"

static bool copy_in(void *closure, void *to, uint64_t from, size_t bytes)
{
    (void)closure;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

static bool copy_out(void *closure, uint64_t to, const void *from, size_t bytes)
{
    (void)closure;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}

static int keep_stream(void *closure, struct i915_stream *stream, unsigned flags)
{
    (void)flags;
    *(struct i915_stream **)closure = stream;
    return 3;
}

/* Calls an ioctl with its faults, as embedders of the driver do. */
static int call(struct faults *faults, struct i915_file *file, uint32_t request, void *argument,
                const struct i915_caller *caller)
{
    int result = faults_call(faults, request);
    if (result == 0)
        result = i915_ioctl(file, request, (uint64_t)(uintptr_t)argument, caller);
    faults_called(faults, request, result);
    return result;
}

static void read_stream(struct i915_stream *stream, const struct i915_caller *caller)
{
    static uint8_t bytes[1 << 16];
    int64_t got;
    do {
        got = i915_stream_read(stream, caller, (uint64_t)(uintptr_t)bytes, sizeof bytes, false);
        for (int64_t at = 0; at < got;) {
            uint16_t size = load_le16(bytes + at + 6);
            CHECK(size >= 8 && size <= got - at);
            at += size;
        }
    } while (got > 0);
    CHECK(got == -EAGAIN || got == -EIO);
}

static void run(struct emulation *emulation)
{
    struct faults *faults = emulation->faults;
    struct i915_file *file;
    struct i915_stream *stream = NULL;
    struct i915_caller caller = {.drm = {true, copy_in, copy_out, &stream},
                                 .open_stream = keep_stream};
    uint32_t pair[] = {0x9888, 0};
    struct drm_i915_perf_oa_config config = {.n_mux_regs = 1,
                                             .mux_regs_ptr = (uint64_t)(uintptr_t)pair};
    memcpy(config.uuid, "01234567-89ab-cdef-0123-456789abcdef", UUID_STRING_LEN);
    uint64_t properties[][2] = {{DRM_I915_PERF_PROP_SAMPLE_OA, 1},
                                {DRM_I915_PERF_PROP_OA_METRICS_SET, 2},
                                {DRM_I915_PERF_PROP_OA_FORMAT, emulation->platform->default_format},
                                {DRM_I915_PERF_PROP_OA_EXPONENT, 8}};
    struct drm_i915_perf_open_param open = {.flags = I915_PERF_FLAG_FD_NONBLOCK,
                                            .num_properties = 4,
                                            .properties_ptr = (uint64_t)(uintptr_t)properties};
    CHECK(i915_file_open(emulation->device, true, &file) == 0);
    for (unsigned i = 0; i < 8 && !stream; i++) { /* retry: a fault may fail either call */
        int id = call(faults, file, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config, &caller);
        properties[1][1] = id > 0 ? (uint64_t)id : properties[1][1];
        call(faults, file, DRM_IOCTL_I915_PERF_OPEN, &open, &caller);
    }
    for (unsigned i = 0; i < 4; i++) {
        emulation_run_ns(emulation, 500000);
        if (stream)
            read_stream(stream, &caller);
    }
    if (stream)
        i915_stream_close(stream);
    i915_file_close(file);
}

static void inject(const struct faults_script *script, const char *platform)
{
    struct emulation_settings settings = {
        .gpu.platform = platform, .driver.noa_delay_ns = 1000, .faults = script};
    struct tally_error error = {0};
    struct emulation *emulation;
    int result = emulation_new(&settings, &emulation, &error);
    CHECK(result == 0 || (result == -EINVAL && *error.message));
    if (result < 0)
        return;
    run(emulation);
    struct tally_oa_reports stats = tally_oa_reports(tally_gpu_oa(emulation->gpu));
    CHECK(stats.requested == stats.written + stats.lost + stats.refused);
    emulation_free(emulation);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct faults_script *script;
    struct tally_error error = {0};
    struct lint_findings findings = {0};
    struct yaml_source source = yaml_in(data, size, "fuzz.yaml");
    int mistakes = faults_read(&source, NULL, add_finding, &findings, &error);
    check_lint(mistakes, &findings, &error);
    error = (struct tally_error){0};
    int result = faults_read(&source, &script, NULL, NULL, &error);
    check_load(result, mistakes, &error);
    if (result < 0)
        return 0;
    CHECK(faults_describe(script).faults > 0);
    inject(script, modelled_platform(data[size - 1], true));
    faults_script_free(script);
    return 0;
}
