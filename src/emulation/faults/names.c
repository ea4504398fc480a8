/* SPDX-License-Identifier: MIT */
/* The names of calls and errnos in scripts. */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "driver/i915/uapi.h"
#include "emulation/faults/script.h"

static const struct {
    const char *name;
    uint32_t request;
} calls[] = {
    {"VERSION", DRM_IOCTL_VERSION},
    {"GET_CAP", DRM_IOCTL_GET_CAP},
    {"GEM_CLOSE", DRM_IOCTL_GEM_CLOSE},
    {"I915_GETPARAM", DRM_IOCTL_I915_GETPARAM},
    {"I915_GEM_BUSY", DRM_IOCTL_I915_GEM_BUSY},
    {"I915_GEM_CREATE", DRM_IOCTL_I915_GEM_CREATE},
    {"I915_GEM_PREAD", DRM_IOCTL_I915_GEM_PREAD},
    {"I915_GEM_PWRITE", DRM_IOCTL_I915_GEM_PWRITE},
    {"I915_GEM_MMAP", DRM_IOCTL_I915_GEM_MMAP},
    {"I915_GEM_MMAP_OFFSET", DRM_IOCTL_I915_GEM_MMAP_OFFSET},
    {"I915_GEM_SET_DOMAIN", DRM_IOCTL_I915_GEM_SET_DOMAIN},
    {"I915_GEM_EXECBUFFER2", DRM_IOCTL_I915_GEM_EXECBUFFER2_WR},
    {"I915_GEM_WAIT", DRM_IOCTL_I915_GEM_WAIT},
    {"I915_GEM_CONTEXT_CREATE", DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT},
    {"I915_GEM_CONTEXT_DESTROY", DRM_IOCTL_I915_GEM_CONTEXT_DESTROY},
    {"I915_GEM_CONTEXT_GETPARAM", DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM},
    {"I915_GEM_CONTEXT_SETPARAM", DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM},
    {"I915_REG_READ", DRM_IOCTL_I915_REG_READ},
    {"I915_QUERY", DRM_IOCTL_I915_QUERY},
    {"I915_PERF_OPEN", DRM_IOCTL_I915_PERF_OPEN},
    {"I915_PERF_ADD_CONFIG", DRM_IOCTL_I915_PERF_ADD_CONFIG},
    {"I915_PERF_REMOVE_CONFIG", DRM_IOCTL_I915_PERF_REMOVE_CONFIG},
    {"I915_PERF_IOCTL_ENABLE", I915_PERF_IOCTL_ENABLE},
    {"I915_PERF_IOCTL_DISABLE", I915_PERF_IOCTL_DISABLE},
    {"I915_PERF_IOCTL_CONFIG", I915_PERF_IOCTL_CONFIG},
};

#define NAMED(code)                                                                                \
    {                                                                                              \
#code, code                                                                                \
    }

static const struct {
    const char *name;
    int code;
} errnos[] = {
    NAMED(EPERM),     NAMED(ENOENT), NAMED(EINTR),  NAMED(EIO),        NAMED(ENXIO),  NAMED(EBADF),
    NAMED(EAGAIN),    NAMED(ENOMEM), NAMED(EACCES), NAMED(EFAULT),     NAMED(EBUSY),  NAMED(EEXIST),
    NAMED(ENODEV),    NAMED(EINVAL), NAMED(EMFILE), NAMED(ENOTTY),     NAMED(ENOSPC), NAMED(ERANGE),
    NAMED(EOVERFLOW), NAMED(ETIME),  NAMED(ENOSYS), NAMED(EADDRINUSE),
};

bool fault_call_find(const char *name, uint32_t *request)
{
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        if (!strcmp(calls[i].name, name)) {
            *request = calls[i].request;
            return true;
        }
    return false;
}

bool fault_errno_find(const char *name, int *code)
{
    for (size_t i = 0; i < ARRAY_COUNT(errnos); i++)
        if (!strcmp(errnos[i].name, name)) {
            *code = errnos[i].code;
            return true;
        }
    return false;
}

#define DOCUMENT "docs/faults.md"

const char *fault_call_expected(char text[EXPECTED_BYTES], const char *name)
{
    const char *names[ARRAY_COUNT(calls)];
    for (size_t i = 0; i < ARRAY_COUNT(calls); i++)
        names[i] = calls[i].name;
    return expected_word(text, name, names, ARRAY_COUNT(calls), DOCUMENT);
}

const char *fault_errno_expected(char text[EXPECTED_BYTES], const char *name)
{
    const char *names[ARRAY_COUNT(errnos)];
    for (size_t i = 0; i < ARRAY_COUNT(errnos); i++)
        names[i] = errnos[i].name;
    return expected_word(text, name, names, ARRAY_COUNT(errnos), DOCUMENT);
}

bool fault_same_call(uint32_t a, uint32_t b)
{
    return _IOC_TYPE(a) == _IOC_TYPE(b) && _IOC_NR(a) == _IOC_NR(b);
}
