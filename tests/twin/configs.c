/* SPDX-License-Identifier: MIT */
/* ADD_CONFIG and REMOVE_CONFIG: uuids, lists, the registers that each list may have; the queries
 * and files that show configurations. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "kinds.h"

/* ---- kinds and data -------------------------------------------------------------------------- */

#define UUID_1 "01234567-0123-0123-0123-0123456789ab"
#define UUID_2 "01234567-0123-0123-0123-0123456789AC"
#define NOA    0x9888 /* a mux register of all platforms */

struct registers {
    uint32_t pairs[8][2];
};
#define ONE_MUX(...) WITH(__VA_ARGS__, .n_mux_regs = 1, .mux_regs_ptr = DATA(0))
#define PAIR(...)    PAYLOAD(struct registers, .pairs = {__VA_ARGS__})
#define UUID(text)   .uuid = text

/* Adds a configuration with one register in one list (a = 0 mux, 1 boolean, 2 flexible EU), and
 * removes it again. */
static void probe_register(const struct call *call)
{
    uint32_t pair[2] = {(uint32_t)call->b, 0};
    struct drm_i915_perf_oa_config args = {
        UUID(UUID_1),
        .n_mux_regs = call->a == 0,
        .n_boolean_regs = call->a == 1,
        .n_flex_regs = call->a == 2,
        .mux_regs_ptr = (uintptr_t)pair,
        .boolean_regs_ptr = (uintptr_t)pair,
        .flex_regs_ptr = (uintptr_t)pair,
    };
    errno = 0;
    int result = ioctl((int)slots[CARD], DRM_IOCTL_I915_PERF_ADD_CONFIG, &args);
    print_result(call, result, HIDDEN);
    if (result > 0) {
        uint64_t id = (uint64_t)result;
        print_field("removed",
                    (uint64_t)ioctl((int)slots[CARD], DRM_IOCTL_I915_PERF_REMOVE_CONFIG, &id),
                    PLAIN);
    }
    print_end();
}
static const struct kind probe_kind = {.make = probe_register};
#define PROBE(address)                                                                             \
    {"whitelist/mux/" #address, &probe_kind, .a = 0, .b = address},                                \
        {"whitelist/boolean/" #address, &probe_kind, .a = 1, .b = address},                        \
    {                                                                                              \
        "whitelist/flex/" #address, &probe_kind, .a = 2, .b = address                              \
    }

/* ---- the query ------------------------------------------------------------------------------- */

struct items {
    struct drm_i915_query_item item;
    struct drm_i915_query_perf_config head;
    union {
        struct drm_i915_perf_oa_config config;
        uint64_t ids[64];
    };
    uint32_t mux[4][2], boolean[4][2];
};
#define HEAD       DATA(offsetof(struct items, head))
#define HEAD_BYTES (sizeof(struct drm_i915_query_perf_config))
#define BOTH_BYTES (HEAD_BYTES + sizeof(struct drm_i915_perf_oa_config))
#define MUX        DATA(offsetof(struct items, mux))
#define BOOLEAN    DATA(offsetof(struct items, boolean))

static void show_config(const struct call *call, const void *args, const uint8_t *data)
{
    const struct items *items = (const void *)data;
    (void)args;
    print_field("length", (uint64_t)(int64_t)items->item.length, PLAIN);
    if (items->item.length <= 0 || !call->a)
        return;
    if (items->item.flags == DRM_I915_QUERY_PERF_CONFIG_LIST) {
        print_field("count", items->head.n_configs, PLAIN);
        for (uint64_t i = 0; i < items->head.n_configs && i < 8; i++)
            print_field("id", items->ids[i], PLAIN);
        return;
    }
    char uuid[40] = {0};
    memcpy(uuid, items->config.uuid, sizeof items->config.uuid);
    print_text("uuid", uuid);
    print_field("mux", items->config.n_mux_regs, PLAIN);
    print_field("boolean", items->config.n_boolean_regs, PLAIN);
    print_field("flex", items->config.n_flex_regs, PLAIN);
    print_words(items->mux, 8);
}
typedef struct drm_i915_query query;
static const struct kind query_kind = {DRM_IOCTL_I915_QUERY, sizeof(query), .show = show_config};

#define ITEM WITH(.num_items = 1, .items_ptr = DATA(0))
#define FOR(flags_, size, ...)                                                                     \
    PAYLOAD(struct items, .item = {DRM_I915_QUERY_PERF_CONFIG, (int)(size), flags_, HEAD},         \
            ##__VA_ARGS__)
#define LIST    DRM_I915_QUERY_PERF_CONFIG_LIST
#define BY_UUID DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID
#define BY_ID   DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID

/* ---- rows ------------------------------------------------------------------------------------ */

static const struct call calls[] = {
    /* clang-format off */
    CALL("config/list-empty-length", query, ITEM, FOR(LIST, 0)),
    CALL("config/list-empty", query, ITEM, FOR(LIST, HEAD_BYTES + 8), .a = 1),
    CALL("config/list-short", query, ITEM, FOR(LIST, HEAD_BYTES + 7), .a = 1),
    CALL("config/list-long", query, ITEM, FOR(LIST, HEAD_BYTES + 64), .a = 1),
    CALL("config/list-flags", query, ITEM, FOR(LIST, HEAD_BYTES + 8, .head.flags = 1)),
    CALL("config/list-short-flags", query, ITEM, FOR(LIST, 1, .head.flags = 1)),
    CALL("config/list-fault", query, ITEM, PAYLOAD(struct items, .item = {3, 100, LIST, BAD})),
    CALL("config/list-short-fault", query, ITEM, PAYLOAD(struct items, .item = {3, 1, LIST, BAD})),
    CALL("config/list-negative", query, ITEM, FOR(LIST, -1), .a = 1),
    CALL("config/item-flags-0", query, ITEM, FOR(0, 0)),
    CALL("config/item-flags-4", query, ITEM, FOR(4, 0)),
    CALL("config/uuid-length", query, ITEM, FOR(BY_UUID, 0)),
    CALL("config/id-length", query, ITEM, FOR(BY_ID, 0)),
    CALL("config/id-1", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = 1)),
    CALL("config/id-0", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = 0)),
    CALL("config/uuid-unknown", query, ITEM, FOR(BY_UUID, BOTH_BYTES, .head.uuid = UUID_1)),
    CALL("config/files-empty", query, ITEM, FOR(LIST, 0)),

    CALL("add/mux", add, ONE_MUX(UUID(UUID_1)), PAIR({NOA, 0x12345678}), .keep = CONFIG),
    CALL("add/same-uuid", add, ONE_MUX(UUID(UUID_1)), PAIR({NOA, 1})),
    CALL("add/upper-case", add, ONE_MUX(UUID(UUID_2)), PAIR({NOA, 1}, {0xe180, 0xffffffff}, {0x20cc, 0xffffffff}), .keep = CONFIG_2),
    CALL("add/zeros", add, WITH(0)),
    CALL("add/no-lists", add, WITH(UUID(UUID_1))),
    CALL("add/empty-uuid", add, ONE_MUX(.n_flex_regs = 0), PAIR({NOA, 1})),
    CALL("add/uuid-g", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789ag")), PAIR({NOA, 1})),
    CALL("add/uuid-short", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789a")), PAIR({NOA, 1})),
    CALL("add/uuid-underscore", add, ONE_MUX(UUID("01234567_0123-0123-0123-0123456789ab")), PAIR({NOA, 1})),
    CALL("add/uuid-moved-dash", add, ONE_MUX(UUID("012345670-123-0123-0123-0123456789ab")), PAIR({NOA, 1})),
    CALL("add/uuid-braces", add, ONE_MUX(UUID("{1234567-0123-0123-0123-0123456789a}")), PAIR({NOA, 1})),
    CALL("add/uuid-spaces", add, ONE_MUX(UUID("                                    ")), PAIR({NOA, 1})),
    CALL("add/uuid-dashes", add, ONE_MUX(UUID("------------------------------------")), PAIR({NOA, 1})),
    CALL("add/count-without-pointer", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = 1)),
    CALL("add/pointer-without-count", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .mux_regs_ptr = DATA(0))),
    CALL("add/fault", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = 1, .mux_regs_ptr = BAD)),
    CALL("add/value-fault", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = 1, .mux_regs_ptr = DATA(DATA_BYTES - 4))),
    CALL("add/wrong-register-and-uuid", add, ONE_MUX(UUID("x")), PAIR({0x1234, 1})),
    CALL("add/second-register-wrong", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = 2, .mux_regs_ptr = DATA(0)), PAIR({NOA, 1}, {0x1234, 1})),
    CALL("add/second-register-fault", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = 3000, .mux_regs_ptr = DATA(0)), PAIR({0x1234, 1})),
    CALL("add/boolean-without-pointer", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789b0"), .n_boolean_regs = 1), PAIR({NOA, 1})),
    CALL("add/flex-without-pointer", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789b0"), .n_flex_regs = 1), PAIR({NOA, 1})),
    CALL("add/2^32-1", add, WITH(UUID("01234567-0123-0123-0123-0123456789b0"), .n_mux_regs = UINT32_MAX, .mux_regs_ptr = BAD)),
    CALL("add/as-user", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789b0")), PAIR({NOA, 1}), .as_user = true),
    CALL("add/wrong-as-user", add, WITH(0), .as_user = true),
    CALL("add/render", add, ONE_MUX(UUID("01234567-0123-0123-0123-0123456789b1")), PAIR({NOA, 1}), .fd = RENDER, .keep = OTHER),
    CALL("remove/of-render", remove_, SLOT(OTHER)),
    {"add/no-struct", &add_kind, NULL},

    CALL("config/list-length", query, ITEM, FOR(LIST, 0)),
    CALL("config/list", query, ITEM, FOR(LIST, HEAD_BYTES + 24), .a = 1),
    CALL("config/list-shorter", query, ITEM, FOR(LIST, HEAD_BYTES + 16), .a = 1),
    CALL("config/by-id", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG)), .a = 1),
    CALL("config/by-uuid", query, ITEM, FOR(BY_UUID, BOTH_BYTES, .head.uuid = UUID_1), .a = 1),
    CALL("config/by-other-case", query, ITEM, FOR(BY_UUID, BOTH_BYTES, .head.uuid = "01234567-0123-0123-0123-0123456789ac"), .a = 1),
    CALL("config/short", query, ITEM, FOR(BY_ID, BOTH_BYTES - 1, .head.config = SLOT(CONFIG))),
    CALL("config/longer", query, ITEM, FOR(BY_ID, BOTH_BYTES + 1, .head.config = SLOT(CONFIG))),
    CALL("config/flags", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.flags = 1, .head.config = SLOT(CONFIG))),
    CALL("config/flags-unknown", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.flags = 1, .head.config = 99)),
    CALL("config/unknown", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = 99)),
    CALL("config/upper-half", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = 1ull << 32 | 2), .a = 1),
    CALL("config/fault", query, ITEM, PAYLOAD(struct items, .item = {3, BOTH_BYTES, BY_ID, BAD})),
    CALL("config/body-fault", query, ITEM, PAYLOAD(struct items, .item = {3, BOTH_BYTES, BY_ID, DATA(DATA_BYTES - HEAD_BYTES)})),
    CALL("config/registers", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG_2), .config = {.n_mux_regs = 4, .mux_regs_ptr = MUX}), .a = 1),
    CALL("config/registers-exact", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG), .config = {.n_mux_regs = 1, .mux_regs_ptr = MUX}), .a = 1),
    CALL("config/registers-fault", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG), .config = {.n_mux_regs = 4, .mux_regs_ptr = BAD})),
    CALL("config/registers-of-empty-list", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG), .config = {.n_boolean_regs = 4, .boolean_regs_ptr = BAD}), .a = 1),
    CALL("config/as-user", query, ITEM, FOR(BY_ID, BOTH_BYTES, .head.config = SLOT(CONFIG)), .a = 1, .as_user = true),

    CALL("remove/as-user", remove_, SLOT(CONFIG), .as_user = true),
    CALL("remove/unknown-as-user", remove_, 999, .as_user = true),
    CALL("remove/unknown", remove_, 999),
    CALL("remove/0", remove_, 0),
    CALL("remove/1", remove_, 1),
    CALL("remove/upper-half", remove_, 1ull << 32 | 2),
    CALL("remove/huge", remove_, UINT64_MAX),
    CALL("remove/first", remove_, SLOT(CONFIG)),
    CALL("remove/again", remove_, SLOT(CONFIG)),
    CALL("remove/second", remove_, SLOT(CONFIG_2)),
    {"remove/no-struct", &remove__kind, NULL},
    CALL("add/reused-id", add, ONE_MUX(UUID(UUID_2)), PAIR({NOA, 1}), .keep = CONFIG_2),
    CALL("remove/reused", remove_, SLOT(CONFIG_2)),

    /* First and last registers of each range of Linux's lists, and their neighbours. */
    PROBE(0x0), PROBE(0xcfc), PROBE(0xd00), PROBE(0xd04), PROBE(0xd08), PROBE(0xd0c), PROBE(0xd2c), PROBE(0xd30),
    PROBE(0x20c8), PROBE(0x20cc), PROBE(0x20cd), PROBE(0x20d0), PROBE(0x2340), PROBE(0x2360), PROBE(0x2364),
    PROBE(0x270c), PROBE(0x2710), PROBE(0x2711), PROBE(0x272c), PROBE(0x2730), PROBE(0x273c), PROBE(0x2740),
    PROBE(0x275c), PROBE(0x2760), PROBE(0x276c), PROBE(0x2770), PROBE(0x27ac), PROBE(0x27b0),
    PROBE(0x2b28), PROBE(0x2b2c), PROBE(0x2b30),
    PROBE(0x91b4), PROBE(0x91b8), PROBE(0x91c8), PROBE(0x91cc), PROBE(0x91d0), PROBE(0x91dc), PROBE(0x91e0),
    PROBE(0x97fc), PROBE(0x9800), PROBE(0x9840), PROBE(0x9844), PROBE(0x9880), PROBE(0x9884), PROBE(0x9888), PROBE(0x988c),
    PROBE(0x9e7c), PROBE(0x9e80), PROBE(0x9ea4), PROBE(0x9ea8), PROBE(0x9ec0), PROBE(0x9ec4),
    PROBE(0xd8fc), PROBE(0xd900), PROBE(0xd91c), PROBE(0xd920), PROBE(0xd93c), PROBE(0xd940), PROBE(0xd97c), PROBE(0xd980),
    PROBE(0xdbfc), PROBE(0xdc00), PROBE(0xdc3c), PROBE(0xdc40), PROBE(0xdc44), PROBE(0xdc48),
    PROBE(0xe17c), PROBE(0xe180), PROBE(0xe184),
    PROBE(0xe454), PROBE(0xe458), PROBE(0xe459), PROBE(0xe45c), PROBE(0xe554), PROBE(0xe558), PROBE(0xe55c),
    PROBE(0xe654), PROBE(0xe658), PROBE(0xe65c), PROBE(0xe754), PROBE(0xe758), PROBE(0xe75c), PROBE(0xe760),
    PROBE(0x250fc), PROBE(0x25100), PROBE(0x2ff90), PROBE(0x2ff94),
    PROBE(0x1822fc), PROBE(0x182300), PROBE(0x1823a4), PROBE(0x1823a8), PROBE(0xffffffff),
    /* clang-format on */
};

GROUP(configs_group, calls);
