/* SPDX-License-Identifier: MIT */
/* Calls that only root may make. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "client.h"

static struct properties system_wide(const struct device *device)
{
    return sampling_every(device, 0, exponent_of(device, 1000000));
}

/* ---- system-wide streams --------------------------------------------------------------------- */

static void is_denied(struct device *device)
{
    REFUSE(device, 0, system_wide(device), EACCES);
}

static void is_allowed(struct device *device)
{
    close(open_stream(device, 0, system_wide(device)));
}

static void paranoid(struct device *device)
{
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, is_denied);
    is_allowed(device);
    sysctl_write("perf_stream_paranoid", 0);
    in_child(device, true, is_allowed);
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, is_denied);
}

/* ---- rates ----------------------------------------------------------------------------------- */

/* The slowest exponent that is faster than the limit. */
static unsigned too_fast(const struct device *device)
{
    unsigned exponent = 0;
    while (device->timestamp_hz / (UINT64_C(4) << exponent) > 100000)
        exponent++;
    return exponent;
}

static void rate_is_limited(struct device *device)
{
    struct properties rest = sampling(device, 0);
    unsigned fast = too_fast(device);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_EXPONENT, fast), EACCES);
    close(open_stream(device, 0, with(rest, DRM_I915_PERF_PROP_OA_EXPONENT, fast + 1)));
}

static void rate_is_lower(struct device *device)
{
    struct properties rest = sampling(device, 0);
    REFUSE(device, 0, with(rest, DRM_I915_PERF_PROP_OA_EXPONENT, too_fast(device) + 1), EACCES);
}

static void rates(struct device *device)
{
    unsigned next = too_fast(device) + 1;
    sysctl_write("perf_stream_paranoid", 0);
    in_child(device, true, rate_is_limited);
    sysctl_write("oa_max_sample_rate", device->timestamp_hz / (2u << next) - 100);
    in_child(device, true, rate_is_lower);
    close(open_stream(device, 0, sampling_every(device, 0, 0))); /* allowed for root */
    sysctl_write("oa_max_sample_rate", 100000);
    sysctl_write("perf_stream_paranoid", 1);
}

/* ---- streams of the caller's own context ----------------------------------------------------- */

static void own_context(struct device *device)
{
    uint32_t context = new_context(device);
    struct properties p = with(system_wide(device), DRM_I915_PERF_PROP_CTX_HANDLE, context);
    close(open_stream(device, 0, p));
    REFUSE(device, 0, system_wide(device), EACCES);
    free_context(device, context);
}

static void per_context(struct device *device)
{
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, own_context);
}

/* ---- power of slices ------------------------------------------------------------------------- */

static struct drm_i915_gem_context_param_sseu default_sseu(const struct device *device)
{
    struct drm_i915_gem_context_param_sseu sseu = {0};
    struct drm_i915_gem_context_param args = {
        .size = sizeof sseu, .param = I915_CONTEXT_PARAM_SSEU, .value = (uintptr_t)&sseu};
    WORKS(call(device->fd, DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, &args));
    CHECK(sseu.slice_mask && sseu.subslice_mask && sseu.max_eus_per_subslice,
          "no slice or subslice is enabled");
    return sseu;
}

static struct properties with_sseu(const struct device *device,
                                   const struct drm_i915_gem_context_param_sseu *sseu)
{
    return with(system_wide(device), DRM_I915_PERF_PROP_GLOBAL_SSEU, (uintptr_t)sseu);
}

/* Half of the subslices, which is also valid on Gen11. */
static struct drm_i915_gem_context_param_sseu reduced(const struct device *device)
{
    struct drm_i915_gem_context_param_sseu sseu = default_sseu(device);
    int half = __builtin_popcountll(sseu.subslice_mask) / 2;
    while (half && __builtin_popcountll(sseu.subslice_mask) > half)
        sseu.subslice_mask &= sseu.subslice_mask - 1;
    return sseu;
}

static const struct drm_i915_gem_context_param_sseu *shared_sseu;

static void sseu_is_denied(struct device *device)
{
    REFUSE(device, 0, with_sseu(device, shared_sseu), EACCES);
}

static void sseu_is_allowed(struct device *device)
{
    close(open_stream(device, 0, with_sseu(device, shared_sseu)));
}

static void invalid_sseu(struct device *device)
{
    struct drm_i915_gem_context_param_sseu good = default_sseu(device), less = reduced(device);
    const struct {
        uint16_t engine_class, instance;
        uint64_t slices, subslices;
    } bad[] = {{0xff, 0, good.slice_mask, good.subslice_mask},
               {0, 0xff, good.slice_mask, good.subslice_mask},
               {0, 0, 0, good.subslice_mask},
               {0, 0, ~UINT64_C(0), good.subslice_mask},
               {0, 0, good.slice_mask << 1 | 1, good.subslice_mask},
               {0, 0, good.slice_mask, 0},
               {0, 0, good.slice_mask, ~UINT64_C(0)}};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct drm_i915_gem_context_param_sseu sseu = good;
        sseu.engine = (struct i915_engine_class_instance){bad[i].engine_class, bad[i].instance};
        sseu.slice_mask = bad[i].slices;
        sseu.subslice_mask = bad[i].subslices;
        REFUSE(device, 0, with_sseu(device, &sseu), EINVAL);
    }
    FAILS(try_open(device, 0, &(struct properties){{{DRM_I915_PERF_PROP_GLOBAL_SSEU, 8}}, 1}),
          EFAULT);
    shared_sseu = &less;
    sysctl_write("perf_stream_paranoid", 1);
    in_child(device, true, sseu_is_denied);
}

static void global_sseu(struct device *device)
{
    struct drm_i915_gem_context_param_sseu sseu = reduced(device);
    if (device->subslices < 2 || !sseu.subslice_mask)
        skip("the GPU has one subslice");
    shared_sseu = &sseu;
    sysctl_write("perf_stream_paranoid", 0);
    in_child(device, true, sseu_is_allowed);
    sysctl_write("perf_stream_paranoid", 1);
    sseu_is_allowed(device);
}

static const struct subtest rows[] = {
    {"non-system-wide-paranoid", ALL, 0, NULL,
     "a system-wide stream without root: EACCES while paranoid is 1; with 0 it opens", paranoid,
     false, false},
    {"low-oa-exponent-permissions", ALL, 0, NULL,
     "the first exponent faster than 100 kHz without root: EACCES; the next one opens; with "
     "oa_max_sample_rate 100 Hz below its rate, that one is EACCES too",
     rates, false, false},
    {"per-context-mode-unprivileged", BIT(HSW), 0, NULL,
     "a stream of the caller's own context opens without root while paranoid is 1", per_context,
     false, false},
    {"global-sseu-config-invalid", GEN8_UP, 4, NULL,
     "a wrong class, instance, slice mask (none, too many) or subslice mask (none, too many): "
     "EINVAL; half of the subslices without root: EACCES",
     invalid_sseu, true, false},
    {"global-sseu-config", GEN8_UP, 4, "more than one subslice",
     "half of the subslices: opens without root with paranoid 0, for root with 1", global_sseu,
     true, false},
};
GROUP(permissions_group, rows);
