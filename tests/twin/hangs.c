/* SPDX-License-Identifier: MIT */
/* Batches that never end: resets, statistics, contexts and clients that are banned, a GPU that is
 * declared lost, and its recovery. Each case has a file of its own, because clients are banned,
 * too. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/sync_file.h>

#include "kinds.h"

#define ENGINES "/sys/class/drm/card0/engine/"
#define DEBUG   "/sys/kernel/debug/dri/0/"

/* Opens a file of the card. */
static void open_file(const struct call *call)
{
    slots[call->keep] = (uint32_t)open(call->path, O_RDWR | O_CLOEXEC);
    print_result(call, (int)slots[call->keep], DESCRIPTOR);
    print_end();
}
static const struct kind file_of_card_kind = {.make = open_file};

static void close_file(const struct call *call)
{
    print_result(call, close((int)slots[call->fd]), PLAIN);
    print_end();
}
static const struct kind close_kind = {.make = close_file};

/* Prints the status of the fence: 1 signaled, 0 not yet, else an error. */
static void show_fence(const struct call *call)
{
    struct sync_fence_info fence = {0};
    struct sync_file_info info = {.num_fences = (uint32_t)call->a,
                                  .sync_fence_info = (uintptr_t)&fence};
    errno = 0;
    print_result(call, ioctl((int)slots[call->fd], SYNC_IOC_FILE_INFO, &info), PLAIN);
    print_field("status", (uint64_t)(int64_t)info.status, PLAIN);
    print_field("fences", info.num_fences, PLAIN);
    print_field("flags", info.flags, PLAIN);
    print_field("fence-status", (uint64_t)(int64_t)fence.status, PLAIN);
    print_field("time", fence.timestamp_ns, HIDDEN);
    print_text("driver", fence.driver_name);
    print_end();
}
static const struct kind info_kind = {.make = show_fence};

static void keep_fence(const struct call *call, const void *args, const uint8_t *data)
{
    const exec *with = args;
    (void)call, (void)data;
    slots[FENCE] = (uint32_t)(with->rsvd2 >> 32);
}
typedef exec exec_fence;
static const struct kind exec_fence_kind = {DRM_IOCTL_I915_GEM_EXECBUFFER2_WR, sizeof(exec),
                                            .show = keep_fence};

#define SPINNING                                                                                   \
    PAYLOAD(struct list,                                                                           \
            .objects[0] = {.handle = SLOT(STUCK), .relocation_count = 1, .relocs_ptr = RELOCS},    \
            .relocs[0] = {.target_handle = SLOT(STUCK),                                            \
                          .offset = 4,                                                             \
                          .presumed_offset = UINT64_MAX,                                           \
                          .read_domains = I915_GEM_DOMAIN_COMMAND})
#define SPIN(name, context, ...)                                                                   \
    CALL("hang/" name, exec, EXEC(1, .rsvd1 = context, ##__VA_ARGS__), SPINNING, .fd = FILE_2)
#define RUN(name, context, ...)                                                                    \
    CALL("hang/" name, exec, EXEC(1, .rsvd1 = context, ##__VA_ARGS__),                             \
         PAYLOAD(struct list, .objects[0].handle = SLOT(SHORT)), .fd = FILE_2)
#define WAIT(name, object, ns) CALL("hang/" name, wait_, WITH(SLOT(object), 0, ns), .fd = FILE_2)
#define BUSY(name, object)     CALL("hang/" name, busy, WITH(SLOT(object)), .fd = FILE_2)
#define STATS(name, context)   CALL("hang/" name, reset_stats, WITH(.ctx_id = context), .fd = FILE_2)
#define CREATE(name, slot)     CALL("hang/" name, create, WITH(0), .keep = slot, .fd = FILE_2)
#define DESTROY(name, slot)    CALL("hang/" name, destroy, WITH(SLOT(slot)), .fd = FILE_2)
#define SET_OF(name, context, number, to)                                                          \
    CALL("hang/" name, set, WITH(.ctx_id = context, .param = number, .value = to), .fd = FILE_2)
#define HANG(name, context) SPIN(name "/spin", context), WAIT(name "/wait", STUCK, -1)
#define READ(name, path_, show_)                                                                   \
    {                                                                                              \
        "hang/" name, &file_kind, .path = path_, .a = show_                                        \
    }
#define WRITE(name, path_, text_)                                                                  \
    {                                                                                              \
        "hang/" name, &write_kind, .path = path_, .text = text_                                    \
    }
#define INFO(name, fences)                                                                         \
    {                                                                                              \
        "hang/" name, &info_kind, .fd = FENCE, .a = fences                                         \
    }

/* A new file with its batches and a context, and the end of one. */
#define BEGIN(case)                                                                                \
    {"hang/" case "/open", &file_of_card_kind, .path = "/dev/dri/renderD128", .keep = FILE_2},     \
        CALL("hang/" case "/create-stuck", gem_create, WITH(.size = 4096), .keep = STUCK,          \
             .fd = FILE_2),                                                                        \
        {"hang/" case "/write-stuck", &batch_kind, .a = SPINS, .keep = STUCK, .fd = FILE_2},       \
        CALL("hang/" case "/create-short", gem_create, WITH(.size = 4096), .keep = SHORT,          \
             .fd = FILE_2),                                                                        \
        {"hang/" case "/write-short", &batch_kind, .a = NOTHING, .keep = SHORT, .fd = FILE_2},     \
        CREATE(case "/context", HUNG)
#define CLOSE(case)                                                                                \
    {                                                                                              \
        "hang/" case "/close", &close_kind, .fd = FILE_2                                           \
    }

static const struct call calls[] = {
    /* clang-format off */
    /* A hang is noticed sooner. */
    WRITE("rcs0-heartbeat", ENGINES "rcs0/heartbeat_interval_ms", "100\n"),
    WRITE("vecs0-heartbeat", ENGINES "vecs0/heartbeat_interval_ms", "100\n"),
    WRITE("rcs0-preempt", ENGINES "rcs0/preempt_timeout_ms", "100\n"),
    WRITE("vecs0-preempt", ENGINES "vecs0/preempt_timeout_ms", "100\n"),

    /* The third hang of a context bans it. */
    BEGIN("ban"),
    STATS("ban/stats-before", SLOT(HUNG)),
    SPIN("ban/1/spin", SLOT(HUNG)),
    BUSY("ban/1/busy", STUCK),
    WAIT("ban/1/wait-0", STUCK, 0),
    WAIT("ban/1/wait-1ms", STUCK, 1000000),
    WAIT("ban/1/wait", STUCK, -1),
    BUSY("ban/1/not-busy", STUCK),
    STATS("ban/1/stats", SLOT(HUNG)),
    STATS("ban/1/stats-of-default", 0),
    CALL("hang/ban/1/stats-as-user", reset_stats, WITH(.ctx_id = SLOT(HUNG)), .fd = FILE_2, .as_user = true),
    RUN("ban/1/run", SLOT(HUNG)),
    WAIT("ban/1/run-wait", SHORT, -1),
    HANG("ban/2", SLOT(HUNG)),
    STATS("ban/2/stats", SLOT(HUNG)),
    RUN("ban/2/run", SLOT(HUNG)),
    HANG("ban/3", SLOT(HUNG)),
    STATS("ban/3/stats", SLOT(HUNG)),
    RUN("ban/3/run", SLOT(HUNG)),
    RUN("ban/3/run-on-copy", SLOT(HUNG), .flags = I915_EXEC_BLT),
    RUN("ban/3/run-unknown-ring", SLOT(HUNG), .flags = 9),
    CALL("hang/ban/3/run-unknown-object", exec, EXEC(1, .rsvd1 = SLOT(HUNG)), PAYLOAD(struct list, .objects[0].handle = 999), .fd = FILE_2),
    SPIN("ban/3/spin-again", SLOT(HUNG)),
    RUN("ban/3/run-in-default", 0),
    WAIT("ban/3/wait-of-default", SHORT, -1),
    CALL("hang/ban/3/getparam", get, WITH(.ctx_id = SLOT(HUNG), .param = I915_CONTEXT_PARAM_BANNABLE), .fd = FILE_2),
    SET_OF("ban/3/setparam", SLOT(HUNG), I915_CONTEXT_PARAM_BANNABLE, 0),
    RUN("ban/3/run-not-bannable", SLOT(HUNG)),
    CREATE("ban/3/create", WAITING),
    RUN("ban/3/run-in-new", SLOT(WAITING)),
    DESTROY("ban/3/destroy", HUNG),
    STATS("ban/3/stats-of-destroyed", SLOT(HUNG)),
    CLOSE("ban"),

    BEGIN("not-bannable"),
    SET_OF("not-bannable/set", SLOT(HUNG), I915_CONTEXT_PARAM_BANNABLE, 0),
    HANG("not-bannable/1", SLOT(HUNG)), HANG("not-bannable/2", SLOT(HUNG)), HANG("not-bannable/3", SLOT(HUNG)), HANG("not-bannable/4", SLOT(HUNG)),
    STATS("not-bannable/stats", SLOT(HUNG)),
    RUN("not-bannable/run", SLOT(HUNG)),
    WAIT("not-bannable/wait", SHORT, -1),
    CLOSE("not-bannable"),

    BEGIN("not-recoverable"),
    SET_OF("not-recoverable/set", SLOT(HUNG), I915_CONTEXT_PARAM_RECOVERABLE, 0),
    RUN("not-recoverable/run-before", SLOT(HUNG)),
    HANG("not-recoverable/1", SLOT(HUNG)),
    STATS("not-recoverable/stats", SLOT(HUNG)),
    RUN("not-recoverable/run", SLOT(HUNG)),
    CLOSE("not-recoverable"),

    /* Requests behind one that hangs. */
    BEGIN("behind"),
    CREATE("behind/create", WAITING),
    SPIN("behind/spin", SLOT(HUNG)),
    RUN("behind/run-same", SLOT(HUNG)),
    RUN("behind/run-other", SLOT(WAITING)),
    WAIT("behind/wait-short", SHORT, -1),
    WAIT("behind/wait-stuck", STUCK, 0),
    STATS("behind/stats-same", SLOT(HUNG)),
    STATS("behind/stats-other", SLOT(WAITING)),
    CLOSE("behind"),

    /* On another engine. */
    BEGIN("other"),
    SPIN("other/spin", SLOT(HUNG), .flags = I915_EXEC_VEBOX),
    RUN("other/run-on-render", SLOT(HUNG)),
    WAIT("other/wait-on-render", SHORT, 50000000),
    BUSY("other/busy", STUCK),
    WAIT("other/wait", STUCK, -1),
    STATS("other/stats", SLOT(HUNG)),
    RUN("other/run", SLOT(HUNG), .flags = I915_EXEC_VEBOX),
    WAIT("other/wait-short", SHORT, -1),
    CLOSE("other"),

    /* The fence of a request that hung has an error. */
    BEGIN("fence"),
    CALL("hang/fence/run", exec_fence, EXEC(1, .rsvd1 = SLOT(HUNG), .flags = I915_EXEC_FENCE_OUT), PAYLOAD(struct list, .objects[0].handle = SLOT(SHORT)), .fd = FILE_2),
    {"hang/fence/run-poll", &poll_kind, .fd = FENCE, .a = -1, .b = 1},
    INFO("fence/run-info", 1), INFO("fence/run-info-0", 0),
    {"hang/fence/run-close", &close_kind, .fd = FENCE},
    CALL("hang/fence/spin", exec_fence, EXEC(1, .rsvd1 = SLOT(HUNG), .flags = I915_EXEC_FENCE_OUT), SPINNING, .fd = FILE_2),
    {"hang/fence/poll-0", &poll_kind, .fd = FENCE, .a = 0, .b = 1},
    INFO("fence/info-before", 1),
    {"hang/fence/poll", &poll_kind, .fd = FENCE, .a = -1, .b = 1},
    INFO("fence/info", 1), INFO("fence/info-0", 0),
    RUN("fence/run-behind", SLOT(HUNG), .flags = I915_EXEC_FENCE_IN, .rsvd2 = SLOT(FENCE)),
    WAIT("fence/wait-behind", SHORT, -1),
    {"hang/fence/close-fence", &close_kind, .fd = FENCE},
    CLOSE("fence"),

    /* A client that has hung too often gets no new contexts. */
    BEGIN("client"),
    SET_OF("client/1/set", SLOT(HUNG), I915_CONTEXT_PARAM_RECOVERABLE, 0),
    HANG("client/1", SLOT(HUNG)),
    CREATE("client/2/create", HUNG),
    SET_OF("client/2/set", SLOT(HUNG), I915_CONTEXT_PARAM_RECOVERABLE, 0),
    HANG("client/2", SLOT(HUNG)),
    CREATE("client/3/create", HUNG),
    SET_OF("client/3/set", SLOT(HUNG), I915_CONTEXT_PARAM_RECOVERABLE, 0),
    HANG("client/3", SLOT(HUNG)),
    CREATE("client/4/create", HUNG),
    CALL("hang/client/4/create-flags", create, WITH(.flags = 4), .fd = FILE_2),
    RUN("client/4/run-in-default", 0),
    WAIT("client/4/wait", SHORT, -1),
    CALL("hang/client/4/create-object", gem_create, WITH(.size = 4096), .fd = FILE_2),
    CLOSE("client"),

    /* Closing a context, or a file, ends what it runs. */
    BEGIN("close"),
    SET_OF("close/not-persistent", SLOT(HUNG), I915_CONTEXT_PARAM_PERSISTENCE, 0),
    SPIN("close/spin", SLOT(HUNG)),
    DESTROY("close/destroy", HUNG),
    WAIT("close/wait", STUCK, -1),
    CREATE("close/create", HUNG),
    SPIN("close/spin-in-new", SLOT(HUNG)),
    CLOSE("close"),

    /* A reset by hand. */
    BEGIN("reset"),
    READ("reset/wedged-before", DEBUG "i915_wedged", TEXT),
    SPIN("reset/spin", SLOT(HUNG)),
    WRITE("reset/render", DEBUG "i915_wedged", "1"),
    WAIT("reset/wait", STUCK, -1),
    READ("reset/wedged", DEBUG "i915_wedged", TEXT),
    STATS("reset/stats", SLOT(HUNG)),
    WRITE("reset/idle", DEBUG "i915_wedged", "1"),
    STATS("reset/stats-idle", SLOT(HUNG)),
    RUN("reset/run", SLOT(HUNG)),
    WAIT("reset/run-wait", SHORT, -1),
    WRITE("reset/text", DEBUG "i915_wedged", "x"),
    WRITE("reset/0", DEBUG "i915_wedged", "0"),
    CLOSE("reset"),

    /* Without resets a hang loses the GPU, until they are allowed again. */
    BEGIN("lost"),
    WRITE("lost/no-reset", DEBUG "i915_params/reset", "0"),
    READ("lost/reset-is", DEBUG "i915_params/reset", TEXT),
    SPIN("lost/spin", SLOT(HUNG)),
    WRITE("lost/declare", DEBUG "i915_wedged", "1"),
    WAIT("lost/wait", STUCK, -1),
    READ("lost/wedged", DEBUG "i915_wedged", TEXT),
    READ("lost/error", "/sys/class/drm/card0/error", LINE),
    STATS("lost/stats", SLOT(HUNG)),
    RUN("lost/run", SLOT(HUNG)),
    RUN("lost/run-in-default", 0),
    RUN("lost/run-on-copy", 0, .flags = I915_EXEC_BLT),
    CALL("hang/lost/run-unknown-object", exec, EXEC(1), PAYLOAD(struct list, .objects[0].handle = 999), .fd = FILE_2),
    CREATE("lost/create", WAITING),
    CALL("hang/lost/create-object", gem_create, WITH(.size = 4096), .fd = FILE_2),
    CALL("hang/lost/has-gem", getparam, WITH(I915_PARAM_HAS_GEM, (int *)DATA(0)), .words = 1, .fd = FILE_2),
    CALL("hang/lost/wait-idle", wait_, WITH(SLOT(SHORT), 0, -1), .fd = FILE_2),
    CALL("hang/lost/throttle", any, WITH(0), .request = DRM_IOCTL_I915_GEM_THROTTLE, .fd = FILE_2),
    WRITE("lost/reset-again", DEBUG "i915_params/reset", "3"),
    RUN("lost/still", 0),
    WRITE("lost/recover", DEBUG "i915_gem_drop_caches", "0x80"),
    READ("lost/recovered", DEBUG "i915_wedged", TEXT),
    RUN("lost/run-again", 0),
    WAIT("lost/wait-again", SHORT, -1),
    RUN("lost/run-of-hung", SLOT(HUNG)),
    STATS("lost/stats-again", SLOT(HUNG)),
    CLOSE("lost"),

    WRITE("rcs0-heartbeat-back", ENGINES "rcs0/heartbeat_interval_ms", "2500\n"),
    WRITE("vecs0-heartbeat-back", ENGINES "vecs0/heartbeat_interval_ms", "2500\n"),
    WRITE("rcs0-preempt-back", ENGINES "rcs0/preempt_timeout_ms", "640\n"),
    WRITE("vecs0-preempt-back", ENGINES "vecs0/preempt_timeout_ms", "640\n"),
    READ("rcs0-heartbeat-is-back", ENGINES "rcs0/heartbeat_interval_ms", TEXT),
    /* clang-format on */
};

GROUP(hangs_group, calls);
