/* SPDX-License-Identifier: MIT */
/* Files of the driver in debugfs: modes, the first line of those that say the same in each run, and
 * what can be written. Registers and times are not compared. */
#include "kinds.h"

#define DEBUG        "/sys/kernel/debug/dri/0/"
#define RENDER_DEBUG "/sys/kernel/debug/dri/128/"

#define READ(name, ...)                                                                            \
    {                                                                                              \
        "debug/" name, &file_kind, .path = DEBUG name, ##__VA_ARGS__                               \
    }
#define WRITE(name, file, text_)                                                                   \
    {                                                                                              \
        "debug/" file "/" name, &write_kind, .path = DEBUG file, .text = text_                     \
    }
#define SEEN(name)  READ(name, .a = EXISTS)
#define FIRST(name) READ(name, .a = LINE)

/* A file of a number: hexadecimal, decimal, or refused. */
#define NUMBERS(file, good)                                                                        \
    WRITE("text", file, "abc"), WRITE("empty", file, ""), WRITE("unit", file, "1x"),               \
        WRITE("huge", file, "99999999999999999999"), WRITE("good", file, good)

static const struct call calls[] = {
    /* clang-format off */
    FIRST("name"), FIRST("clients"), FIRST("gem_names"),
    SEEN("i915_capabilities"), SEEN("i915_gem_objects"), FIRST("i915_frequency_info"), READ("i915_swizzle_info"),
    FIRST("i915_runtime_pm_status"), SEEN("i915_engine_info"), SEEN("i915_wa_registers"), FIRST("i915_sseu_status"),
    SEEN("i915_rps_boost_info"), READ("i915_wedged"), READ("i915_gem_drop_caches"), SEEN("i915_error_state"),
    SEEN("i915_gpu_info"), SEEN("i915_forcewake_user"), READ("i915_perf_noa_delay"), SEEN("i915_fbc_status"), SEEN("i915_display_info"),
    SEEN("i915_gem_framebuffer"), SEEN("i915_drpc_info"), SEEN("i915_vma"), SEEN("i915_oa"),
    SEEN("gt/engines"), SEEN("gt/drpc"), SEEN("gt/forcewake"), SEEN("gt/forcewake_user"), FIRST("gt/frequency"), FIRST("gt/llc"),
    READ("gt/reset"), SEEN("gt/rps_boost"), FIRST("gt/sseu_status"), FIRST("gt/sseu_topology"), SEEN("gt/steering"), SEEN("gt0/engines"),
    READ("i915_params/reset"), READ("i915_params/enable_hangcheck"), READ("i915_params/enable_guc"), READ("i915_params/mmio_debug"),
    READ("i915_params/error_capture"), READ("i915_params/request_timeout_ms"), READ("i915_params/unknown"),
    {"debug/render-name", &file_kind, .path = RENDER_DEBUG "name"},

    NUMBERS("i915_gem_drop_caches", "0x37"), WRITE("0", "i915_gem_drop_caches", "0"), WRITE("all", "i915_gem_drop_caches", "0xfffffe37"),
    {"debug/i915_gem_drop_caches/after", &file_kind, .path = DEBUG "i915_gem_drop_caches"},
    NUMBERS("i915_perf_noa_delay", "1000"), {"debug/i915_perf_noa_delay/after", &file_kind, .path = DEBUG "i915_perf_noa_delay"},
    WRITE("max", "i915_perf_noa_delay", "10000000000"), WRITE("back", "i915_perf_noa_delay", "500000\n"),
    WRITE("wrong", "i915_params/reset", "abc"), WRITE("off", "i915_params/enable_hangcheck", "0"),
    {"debug/i915_params/enable_hangcheck/after", &file_kind, .path = DEBUG "i915_params/enable_hangcheck"},
    WRITE("on", "i915_params/enable_hangcheck", "1"), WRITE("read-only", "i915_params/enable_guc", "1"),
    WRITE("any", "i915_error_state", "1"), WRITE("read-only", "i915_engine_info", "1"), WRITE("read-only", "i915_forcewake_user", "1"),
    {"debug/as-user/name", &file_kind, .path = DEBUG "name", .as_user = true},
    {"debug/as-user/i915_wedged", &write_kind, .path = DEBUG "i915_wedged", .text = "1", .as_user = true},
    {"debug/as-user/i915_gem_drop_caches", &write_kind, .path = DEBUG "i915_gem_drop_caches", .text = "1", .as_user = true},
    /* clang-format on */
};

GROUP(debugfs_group, calls);
