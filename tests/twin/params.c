/* SPDX-License-Identifier: MIT */
/* GETPARAM of all numbers, and REG_READ. */
#include <stdio.h>

#include "kinds.h"

/* Calls GETPARAM for the numbers from a to b. */
static void make_range(const struct call *call)
{
    for (long number = call->a; number <= call->b; number++) {
        char suffix[16];
        getparam args = {.param = (int)number, .value = (int *)DATA(0)};
        struct call one = *call;
        static const uint32_t before = 0xffffffff;
        one.kind = &getparam_kind;
        one.args = &args;
        one.data = &before;
        one.bytes = sizeof before;
        one.words = 1;
        snprintf(suffix, sizeof suffix, "/%ld", number);
        make_ioctl(&one, suffix);
    }
}
static const struct kind range_kind = {.make = make_range};

typedef struct drm_i915_reg_read reg_read;
static const struct kind reg_read_kind = {
    DRM_IOCTL_I915_REG_READ, sizeof(reg_read), {FIELD_AS(reg_read, val, HIDDEN)}};

#define TIMESTAMP 0x2358

static const struct call calls[] = {
    /* clang-format off */
    {"getparam", &range_kind, .a = 0, .b = 64},
    CALL("getparam/negative", getparam, WITH(-1, (int *)DATA(0)), .words = 1),
    CALL("getparam/large", getparam, WITH(INT32_MAX, (int *)DATA(0)), .words = 1),
    CALL("getparam/fault", getparam, WITH(I915_PARAM_CHIPSET_ID, (int *)BAD)),
    CALL("getparam/null", getparam, WITH(I915_PARAM_CHIPSET_ID, NULL)),
    CALL("getparam/fault-of-unknown", getparam, WITH(1000, (int *)BAD)),
    CALL("getparam/refused-fault", getparam, WITH(I915_PARAM_IRQ_ACTIVE, (int *)BAD)),
    {"getparam/no-struct", &getparam_kind, NULL},
    CALL("getparam/half-struct", getparam, WITH(I915_PARAM_CHIPSET_ID, (int *)DATA(0)), .words = 1,
         .request = DRM_IOWR(DRM_COMMAND_BASE + DRM_I915_GETPARAM, uint64_t)),
    CALL("getparam/render", getparam, WITH(I915_PARAM_HAS_GEM, (int *)DATA(0)), .words = 1, .fd = RENDER),
    CALL("getparam/as-user", getparam, WITH(I915_PARAM_HAS_GEM, (int *)DATA(0)), .words = 1, .as_user = true),
    CALL("getparam/secure-as-user", getparam, WITH(I915_PARAM_HAS_SECURE_BATCHES, (int *)DATA(0)),
         .words = 1, .as_user = true),

    CALL("reg-read/timestamp", reg_read, WITH(.offset = TIMESTAMP)),
    CALL("reg-read/timestamp-8b", reg_read, WITH(.offset = TIMESTAMP | I915_REG_READ_8B_WA)),
    CALL("reg-read/flag-2", reg_read, WITH(.offset = TIMESTAMP | 2)),
    CALL("reg-read/upper-half", reg_read, WITH(.offset = TIMESTAMP + 4)),
    CALL("reg-read/neighbour", reg_read, WITH(.offset = TIMESTAMP + 8)),
    CALL("reg-read/other", reg_read, WITH(.offset = 0x2030)),
    CALL("reg-read/zero", reg_read, WITH(.offset = 0)),
    CALL("reg-read/copy-timestamp", reg_read, WITH(.offset = 0x22358)),
    CALL("reg-read/huge", reg_read, WITH(.offset = UINT64_MAX)),
    CALL("reg-read/render", reg_read, WITH(.offset = TIMESTAMP), .fd = RENDER),
    CALL("reg-read/as-user", reg_read, WITH(.offset = TIMESTAMP), .as_user = true),
    {"reg-read/fault", &reg_read_kind, NULL},
    /* clang-format on */
};

GROUP(params_group, calls);
