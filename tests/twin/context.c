/* SPDX-License-Identifier: MIT */
/* Contexts: creation, parameters of used and unused ones, power requests, address spaces, reset
 * statistics. */
#include "kinds.h"

/* ---- kinds ----------------------------------------------------------------------------------- */

typedef struct drm_i915_gem_context_param get_vm;
static const struct kind get_vm_kind = {
    DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, sizeof(get), {FIELD(get, value), FIELD(get, size)}, 1};
typedef struct drm_i915_gem_context_param get_sseu, set_sseu;
static const struct kind get_sseu_kind = {
    DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM, sizeof(get), {FIELD(get, size)}};
static const struct kind set_sseu_kind = {
    DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, sizeof(set), {FIELD(set, size)}};
typedef struct drm_i915_gem_vm_control vm_create, vm_destroy;
static const struct kind vm_create_kind = {
    DRM_IOCTL_I915_GEM_VM_CREATE, sizeof(vm_create), {FIELD(vm_create, vm_id)}, 1};
static const struct kind vm_destroy_kind = {DRM_IOCTL_I915_GEM_VM_DESTROY, sizeof(vm_destroy)};

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct drm_i915_gem_context_param_sseu sseu;
typedef struct drm_i915_gem_context_create_ext_setparam setparam;

/* A power request; everything that is not given is as the device has it. */
#define REQUEST(...)                                                                               \
    PAYLOAD(sseu, .slice_mask = SLOT(SLICES), .subslice_mask = SLOT(SUBSLICES), __VA_ARGS__)
#define SSEU(context)                                                                              \
    WITH(.ctx_id = context, .param = I915_CONTEXT_PARAM_SSEU, .size = sizeof(sseu),                \
         .value = DATA(0))

/* min_eus_per_subslice and max_eus_per_subslice are half words: given by data that is filled in. */
static void make_sseu(const struct call *call)
{
    struct call one = *call;
    sseu request;
    fill(&request, call->data, sizeof request);
    if (!request.min_eus_per_subslice)
        request.min_eus_per_subslice = (uint16_t)slots[EUS];
    if (!request.max_eus_per_subslice)
        request.max_eus_per_subslice = (uint16_t)slots[EUS];
    if (call->a == 1)
        request.min_eus_per_subslice = 0;
    if (call->a == 2)
        request.max_eus_per_subslice = 0;
    one.kind = &set_kind;
    one.data = &request;
    make_ioctl(&one, "");
}
static const struct kind sseu_kind = {.make = make_sseu};
#define SET_SSEU(name, context, ...)                                                               \
    {                                                                                              \
        name, &sseu_kind, &(set){SSEU(context)}, REQUEST(__VA_ARGS__)                              \
    }

#define GET(name, context, number)                                                                 \
    CALL("getparam-context/" name, get, WITH(.ctx_id = context, .size = 5, .param = number))
#define SET(name, context, number, ...)                                                            \
    CALL("setparam-context/" name, set, WITH(.ctx_id = context, .param = number, ##__VA_ARGS__))

#define EXTENSIONS WITH(.flags = I915_CONTEXT_CREATE_FLAGS_USE_EXTENSIONS, .extensions = DATA(0))
#define CREATE_WITH(title, ...)                                                                    \
    CALL("create-context/" title, create, EXTENSIONS,                                              \
         PAYLOAD(setparam, .base.name = I915_CONTEXT_CREATE_EXT_SETPARAM, .param = {__VA_ARGS__}))

/* The parameters with values, on a context that is used (0) or new. */
#define ALL_SET(state, context)                                                                    \
    SET(state "/0", context, 0),                                                                   \
        SET(state "/ban-period", context, I915_CONTEXT_PARAM_BAN_PERIOD, .value = 1),              \
        SET(state "/no-zeromap", context, I915_CONTEXT_PARAM_NO_ZEROMAP, .value = 1),              \
        SET(state "/gtt-size", context, I915_CONTEXT_PARAM_GTT_SIZE, .value = 1),                  \
        SET(state "/no-error-capture", context, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE, .value = 1),  \
        SET(state "/no-error-capture-size", context, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE,          \
            .size = 8),                                                                            \
        GET(state "/no-error-capture-set", context, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE),          \
        SET(state "/no-error-capture-off", context, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE,           \
            .value = 0),                                                                           \
        SET(state "/not-bannable", context, I915_CONTEXT_PARAM_BANNABLE, .value = 0),              \
        SET(state "/bannable-size", context, I915_CONTEXT_PARAM_BANNABLE, .size = 8),              \
        GET(state "/not-bannable-set", context, I915_CONTEXT_PARAM_BANNABLE),                      \
        SET(state "/bannable", context, I915_CONTEXT_PARAM_BANNABLE, .value = 1),                  \
        SET(state "/not-recoverable", context, I915_CONTEXT_PARAM_RECOVERABLE, .value = 0),        \
        SET(state "/recoverable-size", context, I915_CONTEXT_PARAM_RECOVERABLE, .size = 4),        \
        GET(state "/not-recoverable-set", context, I915_CONTEXT_PARAM_RECOVERABLE),                \
        SET(state "/recoverable", context, I915_CONTEXT_PARAM_RECOVERABLE, .value = 5),            \
        SET(state "/priority-low", context, I915_CONTEXT_PARAM_PRIORITY,                           \
            .value = (uint64_t)-1023),                                                             \
        SET(state "/priority-lower", context, I915_CONTEXT_PARAM_PRIORITY,                         \
            .value = (uint64_t)-1024),                                                             \
        SET(state "/priority-high", context, I915_CONTEXT_PARAM_PRIORITY, .value = 1023),          \
        SET(state "/priority-higher", context, I915_CONTEXT_PARAM_PRIORITY, .value = 1024),        \
        SET(state "/priority-huge", context, I915_CONTEXT_PARAM_PRIORITY, .value = 1ull << 32),    \
        SET(state "/priority-size", context, I915_CONTEXT_PARAM_PRIORITY, .size = 8),              \
        GET(state "/priority-set", context, I915_CONTEXT_PARAM_PRIORITY),                          \
        SET(state "/priority-normal", context, I915_CONTEXT_PARAM_PRIORITY, .value = 0),           \
        SET(state "/not-persistent", context, I915_CONTEXT_PARAM_PERSISTENCE, .value = 0),         \
        SET(state "/persistence-size", context, I915_CONTEXT_PARAM_PERSISTENCE, .size = 8),        \
        GET(state "/persistence-set", context, I915_CONTEXT_PARAM_PERSISTENCE),                    \
        SET(state "/persistent", context, I915_CONTEXT_PARAM_PERSISTENCE, .value = 1),             \
        SET(state "/ring-size", context, I915_CONTEXT_PARAM_RINGSIZE, .value = 8192),              \
        SET(state "/protected", context, I915_CONTEXT_PARAM_PROTECTED_CONTENT, .value = 1),        \
        SET(state "/not-protected", context, I915_CONTEXT_PARAM_PROTECTED_CONTENT, .value = 0),    \
        SET(state "/0xe", context, 0xe, .value = 0),                                               \
        SET(state "/huge", context, 1ull << 32 | I915_CONTEXT_PARAM_PRIORITY, .value = 0)

static const struct call calls[] = {
    /* clang-format off */
    /* A new context is set up by SETPARAM until it is first used. */
    CALL("create-context/plain", create, WITH(0), .keep = CONTEXT),
    ALL_SET("new", SLOT(CONTEXT)),
    CALL("create-context/second", create, WITH(0), .keep = CONTEXT_2),
    CALL("create-context/ignored-extensions", create, WITH(.extensions = BAD)),
    CALL("create-context/flags-4", create, WITH(.flags = 4)),
    CALL("create-context/flags-top", create, WITH(.flags = 1u << 31)),
    CALL("create-context/fault", create, WITH(.flags = 1, .extensions = BAD)),
    CALL("create-context/no-extensions", create, WITH(.flags = 1, .extensions = 0)),
    CALL("create-context/single-timeline", create, WITH(.flags = 2)),
    CALL("create-context/old-struct", create, WITH(.flags = 4),
         .request = DRM_IOCTL_I915_GEM_CONTEXT_CREATE),
    CALL("create-context/clone", create, EXTENSIONS, PAYLOAD(setparam, .base.name = 1)),
    CALL("create-context/name-2", create, EXTENSIONS, PAYLOAD(setparam, .base.name = 2)),
    CALL("create-context/link-flags", create, EXTENSIONS, PAYLOAD(setparam, .base.flags = 1, .param.param = I915_CONTEXT_PARAM_RECOVERABLE)),
    CALL("create-context/link-reserved", create, EXTENSIONS, PAYLOAD(setparam, .base.rsvd[0] = 1, .param.param = I915_CONTEXT_PARAM_RECOVERABLE)),
    CALL("create-context/loop", create, EXTENSIONS, PAYLOAD(setparam, .base.next_extension = DATA(0), .param.param = I915_CONTEXT_PARAM_RECOVERABLE)),
    CALL("create-context/next-fault", create, EXTENSIONS, PAYLOAD(setparam, .base.next_extension = BAD, .param.param = I915_CONTEXT_PARAM_RECOVERABLE)),
    CREATE_WITH("recoverable", .param = I915_CONTEXT_PARAM_RECOVERABLE),
    CREATE_WITH("of-context", .ctx_id = 1, .param = I915_CONTEXT_PARAM_RECOVERABLE),
    CREATE_WITH("param-0", .param = 0),
    CREATE_WITH("priority", .param = I915_CONTEXT_PARAM_PRIORITY, .value = 1),
    CREATE_WITH("priority-out", .param = I915_CONTEXT_PARAM_PRIORITY, .value = 5000),
    CREATE_WITH("not-persistent", .param = I915_CONTEXT_PARAM_PERSISTENCE),
    CREATE_WITH("vm-unknown", .param = I915_CONTEXT_PARAM_VM, .value = 99),
    CREATE_WITH("vm-0", .param = I915_CONTEXT_PARAM_VM, .value = 0),
    CREATE_WITH("protected", .param = I915_CONTEXT_PARAM_PROTECTED_CONTENT, .value = 1),
    CALL("create-context/render", create, WITH(0), .fd = RENDER),

    GET("default/0", 0, 0),
    GET("default/ban-period", 0, I915_CONTEXT_PARAM_BAN_PERIOD),
    GET("default/no-zeromap", 0, I915_CONTEXT_PARAM_NO_ZEROMAP),
    GET("default/gtt-size", 0, I915_CONTEXT_PARAM_GTT_SIZE),
    GET("default/no-error-capture", 0, I915_CONTEXT_PARAM_NO_ERROR_CAPTURE),
    GET("default/bannable", 0, I915_CONTEXT_PARAM_BANNABLE),
    GET("default/priority", 0, I915_CONTEXT_PARAM_PRIORITY),
    GET("default/recoverable", 0, I915_CONTEXT_PARAM_RECOVERABLE),
    CALL("getparam-context/default/vm", get_vm, WITH(.param = I915_CONTEXT_PARAM_VM), .keep = VM_2),
    GET("default/engines", 0, I915_CONTEXT_PARAM_ENGINES),
    GET("default/persistence", 0, I915_CONTEXT_PARAM_PERSISTENCE),
    GET("default/ring-size", 0, I915_CONTEXT_PARAM_RINGSIZE),
    GET("default/protected", 0, I915_CONTEXT_PARAM_PROTECTED_CONTENT),
    GET("default/0xe", 0, 0xe),
    GET("default/huge", 0, 1ull << 32 | I915_CONTEXT_PARAM_PRIORITY),
    GET("unknown", 999, I915_CONTEXT_PARAM_PRIORITY),
    GET("unknown-param-and-context", 999, 99),
    GET("new/gtt-size", SLOT(CONTEXT_2), I915_CONTEXT_PARAM_GTT_SIZE),
    {"getparam-context/no-struct", &get_kind, NULL},
    ALL_SET("default", 0),
    ALL_SET("used", SLOT(CONTEXT_2)),
    SET("unknown", 999, I915_CONTEXT_PARAM_PRIORITY),
    SET("unknown-param-and-context", 999, 99),
    SET("engines-of-default", 0, I915_CONTEXT_PARAM_ENGINES, .size = 8, .value = DATA(0)),
    SET("vm-of-default", 0, I915_CONTEXT_PARAM_VM, .value = 1),
    CALL("setparam-context/priority-as-user", set, WITH(.param = I915_CONTEXT_PARAM_PRIORITY, .value = 1), .as_user = true),
    CALL("setparam-context/lower-priority-as-user", set, WITH(.param = I915_CONTEXT_PARAM_PRIORITY, .value = (uint64_t)-1), .as_user = true),
    CALL("setparam-context/bannable-as-user", set, WITH(.param = I915_CONTEXT_PARAM_BANNABLE, .value = 0), .as_user = true),
    CALL("setparam-context/bannable-size-as-user", set, WITH(.param = I915_CONTEXT_PARAM_BANNABLE, .size = 1), .as_user = true),
    SET("priority-reset", 0, I915_CONTEXT_PARAM_PRIORITY, .value = 0),

    /* Power of slices. */
    CALL("getparam-context/sseu/size", get_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU)),
    CALL("getparam-context/sseu/short", get_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = sizeof(sseu) - 1, .value = DATA(0))),
    CALL("getparam-context/sseu/default", get_sseu, SSEU(0), .words = 8),
    CALL("getparam-context/sseu/longer", get_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = 100, .value = DATA(0)), .words = 8),
    CALL("getparam-context/sseu/fault", get_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = sizeof(sseu), .value = BAD)),
    CALL("getparam-context/sseu/copy-engine", get_sseu, SSEU(0), PAYLOAD(sseu, .engine = {1, 0}), .words = 8),
    CALL("getparam-context/sseu/unknown-engine", get_sseu, SSEU(0), PAYLOAD(sseu, .engine = {9, 0})),
    CALL("getparam-context/sseu/by-index", get_sseu, SSEU(0), PAYLOAD(sseu, .flags = 1)),
    CALL("getparam-context/sseu/flags", get_sseu, SSEU(0), PAYLOAD(sseu, .flags = 2)),
    CALL("getparam-context/sseu/reserved", get_sseu, SSEU(0), PAYLOAD(sseu, .rsvd = 1)),
    CALL("setparam-context/sseu/short", set_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = sizeof(sseu) - 1, .value = DATA(0))),
    CALL("setparam-context/sseu/fault", set_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = sizeof(sseu), .value = BAD)),
    CALL("setparam-context/sseu/zeros", set_sseu, SSEU(0)),
    CALL("setparam-context/sseu/longer", set_sseu, WITH(.param = I915_CONTEXT_PARAM_SSEU, .size = 100, .value = DATA(0))),
    SET_SSEU("setparam-context/sseu/all", 0, .flags = 0),
    SET_SSEU("setparam-context/sseu/half", 0, .subslice_mask = SLOT(HALF_SUBSLICES)),
    CALL("getparam-context/sseu/half", get_sseu, SSEU(0), .words = 8),
    SET_SSEU("setparam-context/sseu/one", 0, .subslice_mask = 1),
    SET_SSEU("setparam-context/sseu/more-slices", 0, .slice_mask = 0x80),
    SET_SSEU("setparam-context/sseu/more-subslices", 0, .subslice_mask = 0x100),
    SET_SSEU("setparam-context/sseu/no-subslices", 0, .subslice_mask = 0),
    SET_SSEU("setparam-context/sseu/min-eus", 0, .min_eus_per_subslice = 1),
    SET_SSEU("setparam-context/sseu/max-eus", 0, .max_eus_per_subslice = 1),
    SET_SSEU("setparam-context/sseu/more-eus", 0, .max_eus_per_subslice = 255),
    SET_SSEU("setparam-context/sseu/copy-engine", 0, .engine = {1, 0}),
    SET_SSEU("setparam-context/sseu/unknown-engine", 0, .engine = {9, 0}),
    SET_SSEU("setparam-context/sseu/instance-1", 0, .engine = {0, 1}),
    SET_SSEU("setparam-context/sseu/by-index", 0, .flags = 1),
    SET_SSEU("setparam-context/sseu/flags", 0, .flags = 2),
    SET_SSEU("setparam-context/sseu/reserved", 0, .rsvd = 1),
    SET_SSEU("setparam-context/sseu/back", 0, .flags = 0),
    CALL("create-context/for-sseu", create, WITH(0), .keep = OTHER),
    SET_SSEU("setparam-context/sseu/new", SLOT(OTHER), .subslice_mask = SLOT(HALF_SUBSLICES)),
    SET_SSEU("setparam-context/sseu/new-copy-engine", SLOT(OTHER), .engine = {1, 0}),
    SET_SSEU("setparam-context/sseu/new-instance-1", SLOT(OTHER), .engine = {0, 1}),
    SET_SSEU("setparam-context/sseu/new-by-index", SLOT(OTHER), .flags = 1),
    CALL("getparam-context/sseu/new", get_sseu, SSEU(SLOT(OTHER)), .words = 8),

    /* Handles are the lowest free numbers. */
    CALL("destroy-context/second", destroy, WITH(SLOT(CONTEXT_2), 0)),
    CALL("destroy-context/again", destroy, WITH(SLOT(CONTEXT_2), 0)),
    CALL("destroy-context/default", destroy, WITH(0, 0)),
    CALL("destroy-context/pad", destroy, WITH(SLOT(CONTEXT), 1)),
    CALL("destroy-context/unknown", destroy, WITH(999, 0)),
    CALL("create-context/reused", create, WITH(0), .keep = CONTEXT_2),
    CALL("create-context/next", create, WITH(0)),
    GET("destroyed-and-new", SLOT(CONTEXT_2), I915_CONTEXT_PARAM_PRIORITY),

    CALL("reset-stats/default", reset_stats, WITH(0, 0, 9, 9, 9, 0)),
    CALL("reset-stats/context", reset_stats, WITH(.ctx_id = SLOT(CONTEXT_2))),
    CALL("reset-stats/unknown", reset_stats, WITH(.ctx_id = 999)),
    CALL("reset-stats/flags", reset_stats, WITH(.flags = 1)),
    CALL("reset-stats/pad", reset_stats, WITH(.pad = 1)),
    CALL("reset-stats/as-user", reset_stats, WITH(0), .as_user = true),

    CALL("vm/create", vm_create, WITH(0), .keep = VM),
    CALL("vm/create-second", vm_create, WITH(0)),
    CALL("vm/flags", vm_create, WITH(.flags = 1)),
    CALL("vm/extension", vm_create, WITH(.extensions = DATA(0))),
    CALL("vm/extension-fault", vm_create, WITH(.extensions = BAD)),
    CALL("create-context/for-vm", create, WITH(0), .keep = OTHER),
    SET("vm/set", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .value = SLOT(VM)),
    SET("vm/size", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .size = 8, .value = SLOT(VM)),
    SET("vm/huge", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .value = 1ull << 33),
    SET("vm/unknown", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .value = 77),
    SET("vm/size-unknown", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .size = 8, .value = 77),
    CALL("getparam-context/vm/get", get_vm, WITH(.ctx_id = SLOT(OTHER), .param = I915_CONTEXT_PARAM_VM)),
    SET("vm/used", SLOT(OTHER), I915_CONTEXT_PARAM_VM, .value = SLOT(VM)),
    CALL("vm/destroy", vm_destroy, WITH(.vm_id = SLOT(VM))),
    CALL("vm/destroy-again", vm_destroy, WITH(.vm_id = SLOT(VM))),
    CALL("vm/destroy-of-default", vm_destroy, WITH(.vm_id = SLOT(VM_2))),
    CALL("vm/destroy-0", vm_destroy, WITH(.vm_id = 0)),
    CALL("vm/destroy-flags", vm_destroy, WITH(.vm_id = 2, .flags = 1)),
    CALL("vm/destroy-extension", vm_destroy, WITH(.vm_id = 2, .extensions = DATA(0))),
    CALL("vm/destroy-unknown", vm_destroy, WITH(.vm_id = 99)),
    /* clang-format on */
};

GROUP(context_group, calls);
