/* SPDX-License-Identifier: MIT */
#ifndef TALLY_DRIVER_I915_UAPI_H
#define TALLY_DRIVER_I915_UAPI_H

/*
 * The kernel's interface (PERF-1; IGT-2.1): libdrm's copy of its headers, and definitions that
 * Debian's libdrm 2.4.114 lacks, with the kernel's names. Structs have the caller's byte order.
 */

#include <i915_drm.h>

#include "base/uuid.h"

/* The kernel's internal errno for "not supported", which PERF_OPEN returns to user space (PERF-Q3).
 * The kernel's headers do not export it, and strerror() has no text for it. */
#define ENOTSUPP 524

/* Enumerators and a macro of newer kernels' i915_drm.h. Macros, because they may also be defined as
 * enumerators by a newer libdrm. */
#define DRM_I915_PERF_PROP_OA_ENGINE_CLASS    9  /* Linux 6.4 */
#define DRM_I915_PERF_PROP_OA_ENGINE_INSTANCE 10 /* Linux 6.4 */
#define I915_OAM_FORMAT_MPEC8u32_B8_C8        14 /* Linux 6.4; the last format */

#ifndef I915_PARAM_OA_TIMESTAMP_FREQUENCY
#define I915_PARAM_OA_TIMESTAMP_FREQUENCY 57 /* Linux 6.2 */
#endif
#ifndef DRM_I915_QUERY_GUC_SUBMISSION_VERSION
#define DRM_I915_QUERY_GUC_SUBMISSION_VERSION 7 /* Linux 6.9 */
#endif

#endif
