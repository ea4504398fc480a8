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
    {"VERSION", UAPI_VERSION},
    {"GET_CAP", UAPI_GET_CAP},
    {"GEM_CLOSE", UAPI_GEM_CLOSE},
    {"I915_GETPARAM", UAPI_GETPARAM},
    {"I915_GEM_BUSY", UAPI_GEM_BUSY},
    {"I915_GEM_CREATE", UAPI_GEM_CREATE},
    {"I915_GEM_PREAD", UAPI_GEM_PREAD},
    {"I915_GEM_PWRITE", UAPI_GEM_PWRITE},
    {"I915_GEM_MMAP", UAPI_GEM_MMAP},
    {"I915_GEM_MMAP_OFFSET", UAPI_GEM_MMAP_OFFSET},
    {"I915_GEM_SET_DOMAIN", UAPI_GEM_SET_DOMAIN},
    {"I915_GEM_EXECBUFFER2", UAPI_GEM_EXECBUFFER2_WR},
    {"I915_GEM_WAIT", UAPI_GEM_WAIT},
    {"I915_GEM_CONTEXT_CREATE", UAPI_GEM_CONTEXT_CREATE_EXT},
    {"I915_GEM_CONTEXT_DESTROY", UAPI_GEM_CONTEXT_DESTROY},
    {"I915_GEM_CONTEXT_GETPARAM", UAPI_GEM_CONTEXT_GETPARAM},
    {"I915_GEM_CONTEXT_SETPARAM", UAPI_GEM_CONTEXT_SETPARAM},
    {"I915_REG_READ", UAPI_REG_READ},
    {"I915_QUERY", UAPI_QUERY},
    {"I915_PERF_OPEN", UAPI_PERF_OPEN},
    {"I915_PERF_ADD_CONFIG", UAPI_PERF_ADD_CONFIG},
    {"I915_PERF_REMOVE_CONFIG", UAPI_PERF_REMOVE_CONFIG},
    {"I915_PERF_IOCTL_ENABLE", UAPI_STREAM_ENABLE},
    {"I915_PERF_IOCTL_DISABLE", UAPI_STREAM_DISABLE},
    {"I915_PERF_IOCTL_CONFIG", UAPI_STREAM_CONFIG},
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

bool fault_same_call(uint32_t a, uint32_t b)
{
    return UAPI_TYPE(a) == UAPI_TYPE(b) && UAPI_NR(a) == UAPI_NR(b);
}
