/* SPDX-License-Identifier: MIT */
/*
 * The log: one line per call to the device. The server writes the lines, with the number of the
 * thread and without control characters, so that none is lost or mixed with another if the program
 * changes its descriptors, root directory or privileges.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver/i915/uapi.h"
#include "preload/client/client.h"

#define LINE   EMULATE_MAX_LINE /* more than PATH_MAX */
#define RESULT 64               /* reserved for the result at the end of a line */

static int known; /* 1: off, 2: on */

__attribute__((constructor)) static void find_log(void)
{
    known = getenv(EMULATE_LOG) ? 2 : 1;
}

bool log_is_on(void)
{
    return known == 2;
}

void log_again(void)
{
    find_log();
}

/* ---- a line ---------------------------------------------------------------------------------- */

struct line {
    char text[LINE];
    size_t used;
};

/* Appends formatted text, truncated to leave space for the result. */
__attribute__((format(printf, 2, 0))) static void add_list(struct line *line, const char *format,
                                                           va_list arguments)
{
    size_t space = sizeof line->text - RESULT - line->used;
    int length = vsnprintf(line->text + line->used, space, format, arguments);
    if (length > 0)
        line->used += (size_t)length < space ? (size_t)length : space - 1;
}

__attribute__((format(printf, 2, 3))) static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_list(line, format, arguments);
    va_end(arguments);
}

static void begin(struct line *line)
{
    line->used = 0;
}

/* Appends the result and sends the line. Numbers above INT32_MAX are shown as addresses. */
static void end(struct line *line, int64_t result)
{
    char *at = line->text + line->used;
    const char *name = result < 0 ? strerrorname_np((int)-result) : NULL;
    int length;
    if (result < 0)
        length = snprintf(at, RESULT, " = -1 %s", name ? name : "?");
    else
        length =
            snprintf(at, RESULT, result > INT32_MAX ? " = 0x%llx" : " = %lld", (long long)result);
    channel_log(line->text, line->used + (size_t)length);
}

const char *log_flags(int flags, char out[FLAGS_SIZE])
{
    static const char *const modes[] = {"O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"};
    static const struct {
        int bits;
        const char *name;
    } rows[] = {
        {O_CREAT, "O_CREAT"},       {O_EXCL, "O_EXCL"},         {O_TRUNC, "O_TRUNC"},
        {O_APPEND, "O_APPEND"},     {O_NONBLOCK, "O_NONBLOCK"}, {O_DIRECTORY, "O_DIRECTORY"},
        {O_NOFOLLOW, "O_NOFOLLOW"}, {O_CLOEXEC, "O_CLOEXEC"},   {O_PATH, "O_PATH"},
        {O_NOCTTY, "O_NOCTTY"},
    };
    char *at = stpcpy(out, modes[flags & O_ACCMODE]);
    flags &= ~O_ACCMODE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if ((flags & rows[i].bits) != rows[i].bits)
            continue;
        at = stpcpy(stpcpy(at, "|"), rows[i].name);
        flags &= ~rows[i].bits;
    }
    if (flags)
        snprintf(at, FLAGS_SIZE - (size_t)(at - out), "|0x%x", (unsigned)flags);
    return out;
}

void log_call(int64_t result, const char *format, ...)
{
    struct line line;
    va_list arguments;
    int saved = errno;
    if (!log_is_on())
        return;
    begin(&line);
    va_start(arguments, format);
    add_list(&line, format, arguments);
    va_end(arguments);
    end(&line, result);
    errno = saved;
}

/* ---- ioctls ---------------------------------------------------------------------------------- */

enum field_kind { END, U16, U32, S32, U64, HEX32, HEX64, UUID };

/* A field of the argument's struct, logged after the call. */
struct field {
    const char *name;
    uint16_t offset;
    uint8_t kind;
};

#define NAMED(name, type, member, kind)                                                            \
    {                                                                                              \
        name, offsetof(struct type, member), kind                                                  \
    }
#define FIELD(type, member, kind) NAMED(#member, type, member, kind)

// clang-format off
static const struct row {
    uint32_t request;
    const char *name;
    struct field fields[6];
} rows[] = {
    {DRM_IOCTL_VERSION, "VERSION", {NAMED("name_size", drm_version, name_len, U64)}},
    {DRM_IOCTL_GET_UNIQUE, "GET_UNIQUE", {{0}}},
    {DRM_IOCTL_GET_CAP, "GET_CAP", {FIELD(drm_get_cap, capability, U64), FIELD(drm_get_cap, value, U64)}},
    {DRM_IOCTL_SET_CLIENT_CAP, "SET_CLIENT_CAP", {FIELD(drm_set_client_cap, capability, U64), FIELD(drm_set_client_cap, value, U64)}},
    {DRM_IOCTL_GEM_CLOSE, "GEM_CLOSE", {FIELD(drm_gem_close, handle, U32)}},
    {DRM_IOCTL_I915_GETPARAM, "I915_GETPARAM", {FIELD(drm_i915_getparam, param, S32)}},
    {DRM_IOCTL_I915_GEM_BUSY, "I915_GEM_BUSY", {FIELD(drm_i915_gem_busy, handle, U32), NAMED("value", drm_i915_gem_busy, busy, HEX32)}},
    {DRM_IOCTL_I915_GEM_THROTTLE, "I915_GEM_THROTTLE", {{0}}},
    {DRM_IOCTL_I915_GEM_CREATE, "I915_GEM_CREATE", {FIELD(drm_i915_gem_create, size, U64), FIELD(drm_i915_gem_create, handle, U32)}},
    {DRM_IOCTL_I915_GEM_CREATE_EXT, "I915_GEM_CREATE_EXT", {FIELD(drm_i915_gem_create_ext, size, U64), FIELD(drm_i915_gem_create_ext, handle, U32)}},
    {DRM_IOCTL_I915_GEM_PREAD, "I915_GEM_PREAD", {FIELD(drm_i915_gem_pread, handle, U32), FIELD(drm_i915_gem_pread, offset, HEX64), FIELD(drm_i915_gem_pread, size, U64)}},
    {DRM_IOCTL_I915_GEM_PWRITE, "I915_GEM_PWRITE", {FIELD(drm_i915_gem_pwrite, handle, U32), FIELD(drm_i915_gem_pwrite, offset, HEX64), FIELD(drm_i915_gem_pwrite, size, U64)}},
    {DRM_IOCTL_I915_GEM_MMAP, "I915_GEM_MMAP", {FIELD(drm_i915_gem_mmap, handle, U32), FIELD(drm_i915_gem_mmap, size, U64), NAMED("address", drm_i915_gem_mmap, addr_ptr, HEX64)}},
    {DRM_IOCTL_I915_GEM_MMAP_GTT, "I915_GEM_MMAP_GTT", {FIELD(drm_i915_gem_mmap_gtt, handle, U32), FIELD(drm_i915_gem_mmap_gtt, offset, HEX64)}},
    {DRM_IOCTL_I915_GEM_MMAP_OFFSET, "I915_GEM_MMAP_OFFSET", {FIELD(drm_i915_gem_mmap_offset, handle, U32), FIELD(drm_i915_gem_mmap_offset, offset, HEX64), FIELD(drm_i915_gem_mmap_offset, flags, U64)}},
    {DRM_IOCTL_I915_GEM_SET_DOMAIN, "I915_GEM_SET_DOMAIN", {FIELD(drm_i915_gem_set_domain, handle, U32), FIELD(drm_i915_gem_set_domain, read_domains, HEX32), FIELD(drm_i915_gem_set_domain, write_domain, HEX32)}},
    {DRM_IOCTL_I915_GEM_SW_FINISH, "I915_GEM_SW_FINISH", {FIELD(drm_i915_gem_sw_finish, handle, U32)}},
    {DRM_IOCTL_I915_GEM_SET_TILING, "I915_GEM_SET_TILING", {FIELD(drm_i915_gem_set_tiling, handle, U32), NAMED("mode", drm_i915_gem_set_tiling, tiling_mode, U32), FIELD(drm_i915_gem_set_tiling, stride, U32)}},
    {DRM_IOCTL_I915_GEM_GET_TILING, "I915_GEM_GET_TILING", {FIELD(drm_i915_gem_get_tiling, handle, U32), NAMED("mode", drm_i915_gem_get_tiling, tiling_mode, U32)}},
    {DRM_IOCTL_I915_GEM_GET_APERTURE, "I915_GEM_GET_APERTURE", {NAMED("size", drm_i915_gem_get_aperture, aper_size, U64), NAMED("available", drm_i915_gem_get_aperture, aper_available_size, U64)}},
    {DRM_IOCTL_I915_GEM_MADVISE, "I915_GEM_MADVISE", {FIELD(drm_i915_gem_madvise, handle, U32), NAMED("advice", drm_i915_gem_madvise, madv, U32)}},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2, "I915_GEM_EXECBUFFER2", {NAMED("object_count", drm_i915_gem_execbuffer2, buffer_count, U32), NAMED("batch_bytes", drm_i915_gem_execbuffer2, batch_len, U32), FIELD(drm_i915_gem_execbuffer2, flags, HEX64), NAMED("context", drm_i915_gem_execbuffer2, rsvd1, U64)}},
    {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, "I915_GEM_EXECBUFFER2_WR", {NAMED("object_count", drm_i915_gem_execbuffer2, buffer_count, U32), NAMED("batch_bytes", drm_i915_gem_execbuffer2, batch_len, U32), FIELD(drm_i915_gem_execbuffer2, flags, HEX64), NAMED("context", drm_i915_gem_execbuffer2, rsvd1, U64)}},
    {DRM_IOCTL_I915_GEM_WAIT, "I915_GEM_WAIT", {NAMED("handle", drm_i915_gem_wait, bo_handle, U32), FIELD(drm_i915_gem_wait, timeout_ns, U64)}},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE, "I915_GEM_CONTEXT_CREATE", {NAMED("id", drm_i915_gem_context_create, ctx_id, U32)}},
    {DRM_IOCTL_I915_GEM_CONTEXT_CREATE_EXT, "I915_GEM_CONTEXT_CREATE_EXT", {NAMED("id", drm_i915_gem_context_create_ext, ctx_id, U32), FIELD(drm_i915_gem_context_create_ext, flags, HEX32)}},
    {DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, "I915_GEM_CONTEXT_DESTROY", {NAMED("id", drm_i915_gem_context_destroy, ctx_id, U32)}},
    {DRM_IOCTL_I915_GEM_SET_CACHING, "I915_GEM_SET_CACHING", {FIELD(drm_i915_gem_caching, handle, U32), NAMED("value", drm_i915_gem_caching, caching, U32)}},
    {DRM_IOCTL_I915_GEM_GET_CACHING, "I915_GEM_GET_CACHING", {FIELD(drm_i915_gem_caching, handle, U32), NAMED("value", drm_i915_gem_caching, caching, U32)}},
    {DRM_IOCTL_I915_REG_READ, "I915_REG_READ", {FIELD(drm_i915_reg_read, offset, HEX64), NAMED("value", drm_i915_reg_read, val, HEX64)}},
    {DRM_IOCTL_I915_GET_RESET_STATS, "I915_GET_RESET_STATS", {NAMED("context", drm_i915_reset_stats, ctx_id, U32)}},
    {DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, "I915_GEM_CONTEXT_GETPARAM", {NAMED("id", drm_i915_gem_context_param, ctx_id, U32), FIELD(drm_i915_gem_context_param, param, U64), FIELD(drm_i915_gem_context_param, value, HEX64)}},
    {DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, "I915_GEM_CONTEXT_SETPARAM", {NAMED("id", drm_i915_gem_context_param, ctx_id, U32), FIELD(drm_i915_gem_context_param, param, U64), FIELD(drm_i915_gem_context_param, value, HEX64)}},
    {DRM_IOCTL_I915_PERF_OPEN, "I915_PERF_OPEN", {FIELD(drm_i915_perf_open_param, flags, HEX32), FIELD(drm_i915_perf_open_param, num_properties, U32)}},
    {DRM_IOCTL_I915_PERF_ADD_CONFIG, "I915_PERF_ADD_CONFIG", {FIELD(drm_i915_perf_oa_config, uuid, UUID), NAMED("n_mux", drm_i915_perf_oa_config, n_mux_regs, U32), NAMED("n_boolean", drm_i915_perf_oa_config, n_boolean_regs, U32), NAMED("n_flex", drm_i915_perf_oa_config, n_flex_regs, U32)}},
    {DRM_IOCTL_I915_PERF_REMOVE_CONFIG, "I915_PERF_REMOVE_CONFIG", {{"id", 0, U64}}},
    {DRM_IOCTL_I915_QUERY, "I915_QUERY", {FIELD(drm_i915_query, num_items, U32)}},
    {DRM_IOCTL_I915_GEM_VM_CREATE, "I915_GEM_VM_CREATE", {NAMED("id", drm_i915_gem_vm_control, vm_id, U32)}},
    {DRM_IOCTL_I915_GEM_VM_DESTROY, "I915_GEM_VM_DESTROY", {NAMED("id", drm_i915_gem_vm_control, vm_id, U32)}},
    {I915_PERF_IOCTL_ENABLE, "I915_PERF_IOCTL_ENABLE", {{0}}},
    {I915_PERF_IOCTL_DISABLE, "I915_PERF_IOCTL_DISABLE", {{0}}},
    {I915_PERF_IOCTL_CONFIG, "I915_PERF_IOCTL_CONFIG", {{0}}},
};

static const char *const properties[] = {"0", "CTX_HANDLE", "SAMPLE_OA", "OA_METRICS_SET", "OA_FORMAT", "OA_EXPONENT",
    "HOLD_PREEMPTION", "GLOBAL_SSEU", "POLL_OA_PERIOD", "OA_ENGINE_CLASS", "OA_ENGINE_INSTANCE"};
// clang-format on

static void add_field(struct line *line, const struct field *field, const char *bytes)
{
    uint64_t value = 0;
    const char *at = bytes + field->offset;
    bool wide = field->kind == U64 || field->kind == HEX64;
    memcpy(&value, at, wide ? 8 : 4);
    add(line, "%s=", field->name);
    switch ((enum field_kind)field->kind) {
    case UUID:
        add(line, "\"%.36s\"", at);
        break;
    case HEX32:
    case HEX64:
        add(line, "0x%llx", (unsigned long long)value);
        break;
    case S32:
        add(line, "%d", (int)(int32_t)value);
        break;
    default:
        add(line, "%llu", (unsigned long long)value);
        break;
    }
}

/* Adds the value that GETPARAM returned, the properties of PERF_OPEN, the items of QUERY. */
static void add_detail(struct line *line, uint32_t request, const char *bytes)
{
    if (request == DRM_IOCTL_I915_GETPARAM) {
        struct drm_i915_getparam param;
        int32_t value;
        memcpy(&param, bytes, sizeof param);
        if (user_read(&value, (uintptr_t)param.value, sizeof value))
            add(line, ", value=%d", (int)value);
    } else if (request == DRM_IOCTL_I915_PERF_OPEN) {
        struct drm_i915_perf_open_param open;
        uint64_t pair[2];
        memcpy(&open, bytes, sizeof open);
        for (unsigned i = 0; i < open.num_properties && i < 16; i++) {
            if (!user_read(pair, open.properties_ptr + sizeof pair * i, sizeof pair))
                break;
            if (pair[0] < sizeof properties / sizeof *properties)
                add(line, ", %s=%llu", properties[pair[0]], (unsigned long long)pair[1]);
            else
                add(line, ", %llu=%llu", (unsigned long long)pair[0], (unsigned long long)pair[1]);
        }
    } else if (request == DRM_IOCTL_I915_QUERY) {
        struct drm_i915_query query;
        struct drm_i915_query_item item;
        memcpy(&query, bytes, sizeof query);
        for (unsigned i = 0; i < query.num_items && i < 8; i++)
            if (user_read(&item, query.items_ptr + sizeof item * i, sizeof item))
                add(line, ", {id=%llu, length=%d}", (unsigned long long)item.query_id,
                    (int)item.length);
    }
}

void log_ioctl(int64_t result, int fd, uint32_t request, uint64_t argument)
{
    char bytes[sizeof(struct drm_i915_perf_oa_config) + 64];
    const struct row *row = NULL;
    struct line line;
    int saved = errno;
    if (!log_is_on())
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !row; i++)
        if (rows[i].request == request)
            row = &rows[i];
    begin(&line);
    add(&line, "ioctl(%d, ", fd);
    if (row)
        add(&line, "%s", row->name);
    else
        add(&line, "0x%x", request);
    size_t size = _IOC_SIZE(request);
    if (row && size && size <= sizeof bytes && user_read(bytes, argument, size)) {
        add(&line, ", {");
        for (const struct field *f = row->fields; f->name; f++) {
            if (f != row->fields)
                add(&line, ", ");
            add_field(&line, f, bytes);
        }
        add_detail(&line, request, bytes);
        add(&line, "}");
    } else if (argument) {
        add(&line, ", 0x%llx", (unsigned long long)argument);
    }
    add(&line, ")");
    end(&line, result);
    errno = saved;
}
